"""Functions made of several operations round 16-bit floats once, at the end."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import dtypes
from pumice.dtypes import DType
from tests.required import computes_with

F = pumice.nn.functional
KINDS = [dtypes.float16, dtypes.bfloat16]

UNARY: dict[str, Callable[[Any], Any]] = {
    "deg2rad": pumice.deg2rad,
    "rad2deg": pumice.rad2deg,
    "logit": lambda x: pumice.logit(x.abs() * 0.125, eps=1e-3),
    "elu": lambda x: F.elu(x, 1.7),
    "celu": lambda x: F.celu(x, 0.7),
    "selu": F.selu,
    "gelu": F.gelu,
    "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
    "quick_gelu": F.quick_gelu,
    "silu": F.silu,
    "mish": F.mish,
    "softplus": lambda x: F.softplus(x, 1.3),
    "logsigmoid": F.logsigmoid,
    "softsign": F.softsign,
    "tanhshrink": F.tanhshrink,
    "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish,
    "softshrink": lambda x: F.softshrink(x, 0.3),
    "leaky_relu": lambda x: F.leaky_relu(x, 0.01),
    "prelu": lambda x: F.prelu(x, pumice.tensor([0.3125], dtype=x.dtype, device=x.device)),
    "glu": lambda x: F.glu(x, 0),
    "round": lambda x: pumice.round(x, decimals=4),
    "mean": pumice.mean,
    "l1_loss": lambda x: F.l1_loss(x, x * 0),
    "avg_pool2d": lambda x: F.avg_pool2d(x.reshape(1, 1, 64, 64), 3),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x.reshape(1, 1, 64, 64), 7),
    "interpolate": lambda x: F.interpolate(
        x.reshape(1, 1, 64, 64), scale_factor=1.7, mode="bilinear"
    ),
    "bicubic": lambda x: F.interpolate(x.reshape(1, 1, 64, 64), size=(31, 17), mode="bicubic"),
    "normalize": lambda x: F.normalize(x.reshape(64, 64)),
    "trapezoid": lambda x: pumice.trapezoid(x.reshape(64, 64)),
    "cumulative_trapezoid": lambda x: pumice.cumulative_trapezoid(x.reshape(64, 64)),
    "xlogy": lambda x: pumice.xlogy(x, 0.3),
    "rms_norm": lambda x: F.rms_norm(x.reshape(64, 64), (64,), eps=1e-5),
}
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "logaddexp2": pumice.logaddexp2,
    "ldexp": pumice.ldexp,
    "addcmul": lambda x, y: pumice.addcmul(x, x, y, value=0.3),
    "addcdiv": lambda x, y: pumice.addcdiv(x, x, y, value=0.3),
    "lerp": lambda x, y: pumice.lerp(x, y, 0.3125),
    "binary_cross_entropy": lambda x, y: F.binary_cross_entropy(
        x.abs().clamp(max=1), y.abs().clamp(max=1), reduction="none"
    ),
    "with_logits": lambda x, y: F.binary_cross_entropy_with_logits(
        x, y.abs().clamp(max=1), reduction="none"
    ),
    "smooth_l1_loss": lambda x, y: F.smooth_l1_loss(x, y, "none", 1.3),
    "huber_loss": lambda x, y: F.huber_loss(x, y, "none", 1.3),
    "kl_div": lambda x, y: F.kl_div(x, y.abs(), reduction="none"),
    "kl_div of logarithms": lambda x, y: F.kl_div(x, y, reduction="batchmean", log_target=True),
    "cosine_similarity": lambda x, y: F.cosine_similarity(x.reshape(64, 64), y.reshape(64, 64)),
    "pairwise_distance": lambda x, y: F.pairwise_distance(x.reshape(64, 64), y.reshape(64, 64)),
    "embedding_bag": lambda x, y: F.embedding_bag(
        pumice.arange(60, device=x.device).reshape(6, 10), x.reshape(-1, 16)
    ),
    "weighted bags": lambda x, y: F.embedding_bag(
        pumice.arange(60, device=x.device).reshape(6, 10),
        x.reshape(-1, 16),
        mode="sum",
        per_sample_weights=y[:60].reshape(6, 10),
    ),
    "linear": lambda x, y: F.linear(_square(x), _square(y), x[:32]),
    "linear of a vector": lambda x, y: F.linear(x[:32], _square(y), x[:32]),
    "addmm": lambda x, y: pumice.addmm(x[1024:1056], _square(x), _square(y), beta=0.3, alpha=0.7),
    "addmv": lambda x, y: pumice.addmv(x[:32], _square(x), y[:32], beta=0.3, alpha=0.7),
    "addr": lambda x, y: pumice.addr(_square(x), x[:32], y[:32], beta=0.3, alpha=0.7),
    "baddbmm": lambda x, y: pumice.baddbmm(_cube(x), _cube(y), _cube(x), beta=0.3, alpha=0.7),
    "addbmm": lambda x, y: pumice.addbmm(_cube(x)[0], _cube(y), _cube(x), beta=0.3, alpha=0.7),
    "conv2d": lambda x, y: F.conv2d(x.reshape(1, 16, 16, 16), y[:1152].reshape(8, 16, 3, 3), x[:8]),
    "depthwise": lambda x, y: F.conv2d(
        x.reshape(1, 16, 16, 16), y[:144].reshape(16, 1, 3, 3), x[:16], groups=16
    ),
    "nll_loss": lambda x, y: F.nll_loss(
        x.reshape(-1, 2) * 30, pumice.zeros(len(x) // 2, dtype=pumice.int64, device=x.device)
    ),
}


def _square(x: Any) -> Any:
    return x[:1024].reshape(32, 32)


def _cube(x: Any) -> Any:
    return x[:1024].reshape(4, 16, 16)


def values(seed: int) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(seed)
    small = random.uniform(-0.2, 0.2, 2048)
    return np.concatenate([small, random.uniform(-8, 8, 2046), [0.0, 1.0]]).astype(np.float32)


def check(call: Callable[..., Any], operands: list[Any], kind: DType) -> None:
    """The result is that of float32, rounded; where that is a tie of rounding, one of the two."""
    narrow = [each.to(kind) for each in operands]
    got = call(*narrow)
    assert got.dtype is kind
    wide = call(*[each.float() for each in narrow]).cpu().numpy()
    step = float(np.finfo(np.float32).eps) * 8 * np.maximum(np.abs(wide), 1e-30)
    low, high = (
        pumice.tensor(np.asarray(wide + sign * step, np.float32)).to(kind).float().numpy()
        for sign in (-1, 1)
    )
    found = got.float().cpu().numpy()
    right = ((found >= low) & (found <= high)) | (np.isnan(found) & np.isnan(wide))
    assert right.all(), (found[~right][:3], wide[~right][:3])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.name))
def test_of_one_operand(kind: DType, device: str) -> None:
    for name, call in UNARY.items():
        with pumice.no_grad():
            operand = pumice.tensor(values(0), device=device)
            try:
                check(call, [operand], kind)
            except AssertionError as problem:
                raise AssertionError(f"{name}: {problem}") from problem


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.name))
def test_of_two_operands(kind: DType, device: str) -> None:
    for name, call in TWO.items():
        operands = [pumice.tensor(values(seed), device=device) for seed in (1, 2)]
        try:
            check(call, operands, kind)
        except AssertionError as problem:
            raise AssertionError(f"{name}: {problem}") from problem


def test_the_smaller_of_two_exponents_may_vanish(device: str) -> None:
    for kind in dtypes.FLOATS:
        if not computes_with(device, kind.name):
            continue
        first = pumice.tensor([100.0, -100.0, 7.0], dtype=kind, device=device)
        assert pumice.logaddexp2(first, -first).tolist()[:2] == [100, 100]
    inf = float("inf")
    x = pumice.tensor([inf, -inf, inf, -inf, 1.0], device=device)
    y = pumice.tensor([inf, -inf, -inf, 3.0, float("nan")], device=device)
    assert pumice.logaddexp2(x, y).tolist()[:4] == [inf, -inf, inf, 3.0]
    assert np.isnan(pumice.logaddexp2(x, y)[4].item())


def test_logaddexp2_has_both_gradients() -> None:
    x = pumice.tensor([0.3, 2.0, -1.0, 5.0], dtype=pumice.float64, requires_grad=True)
    y = pumice.tensor([0.3, -2.0, -1.0, 5.5], dtype=pumice.float64, requires_grad=True)
    assert pumice.autograd.gradcheck(pumice.logaddexp2, (x, y))
    first, _ = pumice.grad(pumice.logaddexp2(x, y).sum(), (x, y), create_graph=True)
    (second,) = pumice.grad(first.sum(), x)
    share = 1 / (1 + np.exp2(np.array(y.tolist()) - np.array(x.tolist())))
    np.testing.assert_allclose(second.numpy(), np.log(2) * share * (1 - share), rtol=1e-12)


def test_sums_that_do_not_fit_are_averaged(device: str) -> None:
    """A sum of 16-bit floats is divided before it is rounded."""
    many = pumice.full((70000,), 60.0, dtype=pumice.float16, device=device)
    assert pumice.mean(many).item() == 60
    assert F.l1_loss(many, many * 0).item() == 60
    classes = pumice.zeros(70000, dtype=pumice.int64, device=device)
    assert F.nll_loss(-many.reshape(-1, 1), classes).item() == 60


def test_windows_whose_sums_do_not_fit_are_averaged(device: str) -> None:
    many = pumice.full((1, 1, 8, 8), 60000.0, dtype=pumice.float16, device=device)
    assert F.avg_pool2d(many, 4).flatten().tolist() == [60000] * 4
    assert F.adaptive_avg_pool2d(many, 1).item() == 60000


def test_nothing_is_normalised(device: str) -> None:
    """The least divisor is none of the 16-bit numbers."""
    nothing = pumice.zeros(2, 3, dtype=pumice.float16, device=device)
    assert F.normalize(nothing).tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.name))
def test_gradients_of_products_and_biases(kind: DType, device: str) -> None:
    """They have the operands' type, through vmap and forward mode too."""
    x = pumice.tensor(values(1)[:1024], device=device).to(kind).reshape(32, 32).requires_grad_()
    w = pumice.tensor(values(2)[:1024], device=device).to(kind).reshape(32, 32).requires_grad_()
    b = x.detach()[0].clone().requires_grad_()
    limit = 2.0 ** (-9 if kind is dtypes.float16 else -6)
    for call in (
        lambda x, w, b: F.linear(x, w, b),
        lambda x, w, b: pumice.addmm(b, x, w, beta=0.5, alpha=2),
        lambda x, w, b: F.conv2d(x.reshape(1, 4, 16, 16), w[:2, :8].reshape(1, 4, 2, 2), b[:1]),
    ):
        found = pumice.grad(call(x, w, b).sum(), (x, w, b))
        wide = [each.detach().float().requires_grad_() for each in (x, w, b)]
        expected = pumice.grad(call(*wide).sum(), wide)
        for mine, right in zip(found, expected, strict=True):
            assert mine.dtype is kind
            scale = float(right.abs().max().item())
            far = (mine.float() - right).abs().max().item()
            assert far <= limit * scale
    rows = pumice.func.vmap(lambda row: F.linear(row, w, b))(x)
    assert rows.dtype is kind and rows.tolist() == F.linear(x, w, b).tolist()
    _, slope = pumice.func.jvp(lambda x: F.linear(x, w.detach(), b.detach()), (x,), (x,))
    assert slope.dtype is kind


def test_large_bags_are_counted(device: str) -> None:
    """float16 counts to 2048 only."""
    table = pumice.full((1, 2), 60.0, dtype=pumice.float16, device=device)
    rows = pumice.zeros(1, 5000, dtype=pumice.int64, device=device)
    assert F.embedding_bag(rows, table).tolist() == [[60, 60]]
