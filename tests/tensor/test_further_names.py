"""Further functions and methods of PyTorch's, against it on both devices."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import dtypes
from tests.required import computes_with
from tests.tensor.peers import Array, floats, integers, to_pumice, torch_dtype

INF, NAN = float("inf"), float("nan")
FEW = integers(0, 3, 4, 9)
POSITIVE = np.abs(floats(3, 4)) + 2
PLACES = np.array([0, 2, 2, 0], np.int64)
SAMPLED = np.cumsum(POSITIVE[0]).astype(np.float32)
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -0.75, 1e-42, -1.5e-45, 3.4e38, 1.17549435e-38, INF, -INF, NAN], np.float32
)

Case = tuple[str, Callable[[Any, Any], Any], tuple[Array, ...]]
CASES: list[Case] = [
    ("hsplit", lambda t, x: x.hsplit(2), (floats(3, 4),)),
    ("vsplit", lambda t, x: x.vsplit([1]), (floats(3, 4),)),
    ("dsplit", lambda t, x: x.dsplit(2), (floats(2, 2, 4),)),
    ("split_with_sizes", lambda t, x: x.split_with_sizes([1, 0, 2]), (floats(3, 2),)),
    ("mode", lambda t, x: x.mode(), (FEW,)),
    ("mode of columns", lambda t, x: t.mode(x, 0, True), (FEW,)),
    ("mode of floats", lambda t, x: x.mode(1)[0], (FEW.astype(np.float32) * 0.5,)),
    ("mode of a number", lambda t, x: x.mode(), (FEW[0, 0],)),
    ("mode of nothing", lambda t, x: x.mode(1), (FEW[:0],)),
    ("narrow_copy", lambda t, x: x.narrow_copy(1, 2, 2), (floats(3, 4),)),
    ("nonzero_static", lambda t, x: x.nonzero_static(size=5), (FEW,)),
    ("nonzero_static, few", lambda t, x: t.nonzero_static(x, size=9, fill_value=7), (FEW[:1],)),
    ("nonzero_static, empty", lambda t, x: x.nonzero_static(size=2), (floats(3, 0, 2),)),
    ("unravel_index", lambda t, x: t.unravel_index(x, (3, 5, 2)), (integers(0, 30, 2, 6),)),
    ("unravel_index of one axis", lambda t, x: t.unravel_index(x, 7), (integers(0, 7, 4),)),
    ("sum_to_size", lambda t, x: x.sum_to_size(3, 1), (floats(2, 3, 4),)),
    ("sum_to_size, equal", lambda t, x: x.sum_to_size((2, 3)), (FEW[:2, :3],)),
    ("sum_to_size of nothing", lambda t, x: x.sum_to_size(1), (floats(0, 3)[:, :1],)),
    ("sum_to_size of all", lambda t, x: x.sum_to_size(()), (FEW > 1,)),
    ("renorm", lambda t, x: x.renorm(2, 1, 1.5), (floats(3, 4),)),
    ("renorm to nothing", lambda t, x: t.renorm(x, 1, -1, 0), (floats(3, 4),)),
    ("renorm_", lambda t, x: (x * 1).renorm_(INF, 0, 0.5), (floats(3, 4),)),
    ("renorm of nothing", lambda t, x: x.renorm(2, 0, 1), (floats(3, 0),)),
    ("pdist", lambda t, x: t.nn.functional.pdist(x), (floats(5, 3),)),
    ("pdist, p", lambda t, x: t.nn.functional.pdist(x, 1.5), (floats(5, 3),)),
    ("pdist, p infinite", lambda t, x: t.nn.functional.pdist(x, INF), (floats(5, 3),)),
    ("pdist of one row", lambda t, x: t.nn.functional.pdist(x), (floats(1, 3),)),
    ("pdist without columns", lambda t, x: t.nn.functional.pdist(x), (floats(4, 0),)),
    ("mvlgamma", lambda t, x: x.mvlgamma(3), (POSITIVE,)),
    ("mvlgamma_", lambda t, x: (x * 1).mvlgamma_(1), (POSITIVE,)),
    ("frexp", lambda t, x: t.frexp(x), (SPECIAL,)),
    ("frexp, many", lambda t, x: x.frexp(), (floats(50) * 1e20,)),
    ("angle", lambda t, x: x.angle(), (floats(6),)),
    ("cross", lambda t, x: x.cross(x.flip(1), dim=1), (floats(4, 3),)),
    ("dist", lambda t, x: x.dist(x.flip(0), 3), (floats(4, 3),)),
    ("float_power", lambda t, x: x.float_power(2), (FEW,)),
    ("float_power_", lambda t, x: (x * 1).double().float_power_(3), (floats(4),)),
    ("fix", lambda t, x: t.fix(x * 3), (floats(9),)),
    ("fix_", lambda t, x: (x * 3).fix_(), (floats(9),)),
    ("adjoint", lambda t, x: t.adjoint(x), (floats(2, 3, 4),)),
    ("as_strided", lambda t, x: t.as_strided(x, (2, 3), (1, 2), 1), (floats(8),)),
    ("resolve", lambda t, x: x.resolve_conj() + x.resolve_neg() + x.real, (floats(4),)),
    (
        "index_reduce",
        lambda t, x: [
            x.index_reduce(0, t.tensor(PLACES).to(x.device), x[:1].expand(4, 4) * 0.7, how)
            for how in ("prod", "mean", "amax", "amin")
        ],
        (floats(3, 4),),
    ),
    (
        "index_reduce without itself",
        lambda t, x: t.index_reduce(
            x, 1, t.tensor(PLACES).to(x.device), x * 0.5, "mean", include_self=False
        ),
        (floats(3, 4),),
    ),
    (
        "index_reduce_ of integers",
        lambda t, x: x.clone().index_reduce_(
            0, t.tensor(PLACES).to(x.device), x[:4] + 1, "amax", include_self=False
        ),
        (FEW,),
    ),
    ("gradient", lambda t, x: t.gradient(x), (floats(4, 5),)),
    ("gradient, distances", lambda t, x: t.gradient(x, spacing=[0.5, 2.0]), (floats(3, 5),)),
    ("gradient of integers", lambda t, x: t.gradient(x.float(), dim=1), (FEW,)),
    ("gradient of pairs", lambda t, x: t.gradient(x, spacing=2.0, dim=0), (floats(2, 3),)),
    (
        "gradient at places",
        lambda t, x: t.gradient(
            x, spacing=(t.tensor(SAMPLED).to(x.device, x.dtype),), dim=1, edge_order=2
        ),
        (floats(3, 4),),
    ),
    ("gradient, edges", lambda t, x: t.gradient(x, spacing=0.1, edge_order=2), (floats(3, 6),)),
]


def _made(t: Any, array: Array, dtype: str, device: str, grad: bool) -> Any:
    tensor = torch.tensor(array)
    if tensor.dtype.is_floating_point:
        tensor = tensor.to(getattr(torch, dtype))
    made = tensor if t is torch else to_pumice(tensor).to(device)
    return made.requires_grad_() if grad and tensor.dtype.is_floating_point else made


def _listed(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (tuple, list)) else [found]


def _same(found: Any, expected: Any, tolerance: float) -> None:
    assert found.dtype.name == str(expected.dtype).removeprefix("torch.")
    assert found.shape == tuple(expected.shape)
    np.testing.assert_allclose(
        found.detach().cpu().to(dtypes.float64).numpy(),
        expected.detach().to(torch.float64).numpy(),
        rtol=tolerance,
        atol=tolerance,
    )


@pytest.mark.filterwarnings("ignore:index_reduce:UserWarning")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "call", "arrays"), CASES, ids=[case[0] for case in CASES])
def test_against_torch(
    name: str, call: Callable[[Any, Any], Any], arrays: tuple[Array, ...], dtype: str, device: str
) -> None:
    """Values, and gradients of two orders."""
    if not computes_with(device, dtype):
        pytest.skip(f"{device} does not compute with {dtype}")
    wide = dtype == "float64"
    found = []
    for t in (pumice, torch):
        x = _made(t, arrays[0], dtype, device, name != "frexp")
        results = _listed(call(t, x))
        parts = [each for each in results if each.requires_grad]
        gradients = []
        if parts:
            total = sum((each * each).sum() for each in parts)
            (first,) = t.autograd.grad(total, x, create_graph=True)
            gradients = [first]
            if first.requires_grad and not (t is torch and "pdist" in name):
                gradients += t.autograd.grad((first * first).sum(), x)
        found.append((results, gradients))
    (results, gradients), (expected, wanted) = found
    assert len(results) == len(expected)
    for mine, theirs in zip(results, expected, strict=True):
        _same(mine, theirs, 1e-11 if wide else 1e-5)
    for mine, theirs in zip(gradients, wanted, strict=False):
        _same(mine, theirs, 1e-9 if wide else 5e-4)


@pytest.mark.filterwarnings("ignore:index_reduce:UserWarning")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_narrow_floats(dtype: str, device: str) -> None:
    for name, call, arrays in CASES:
        if name.startswith(("histogram", "pdist", "gradient")) or arrays[0].dtype.kind != "f":
            continue
        if name == "frexp" or "index_reduce" in name:
            arrays = (arrays[0][:3],)
        mine = _listed(call(pumice, _made(pumice, arrays[0], dtype, device, False)))
        theirs = _listed(call(torch, _made(torch, arrays[0], dtype, device, False)))
        for left, right in zip(mine, theirs, strict=True):
            _same(left, right, 2e-3 if dtype == "float16" else 2e-2)


HISTOGRAMS: list[tuple[Any, dict[str, Any]]] = [
    (5, {}),
    (4, {"range": (-1.0, 1.0)}),
    (3, {"density": True}),
    ([-2.0, -0.5, 0.0, 0.25, 3.0], {}),
    ([-2.0, -0.5, 0.0, 0.25, 3.0], {"density": True}),
    (3, {"weight": True}),
    (1, {"range": (0.5, 0.5)}),
]


@pytest.mark.parametrize(("bins", "options"), HISTOGRAMS, ids=str)
def test_histograms(bins: Any, options: dict[str, Any], device: str) -> None:
    for values in (floats(40), floats(4, 5).T, floats(1) * 0 + 2, np.zeros(0, np.float32)):
        if values.size == 0 and "density" in options:
            continue
        found = []
        for t in (pumice, torch):
            x = _made(t, values, "float32", device, False)
            edges = _made(t, np.array(bins, np.float32), "float32", device, False)
            given = dict(options)
            if "weight" in given:
                given["weight"] = x * x
            found.append(t.histogram(x, bins if isinstance(bins, int) else edges, **given))
        assert found[0]._fields == ("hist", "bin_edges")
        for mine, theirs in zip(*found, strict=True):
            _same(mine, theirs, 1e-5)


def test_a_histogram_leaves_out_what_has_no_place(device: str) -> None:
    x = pumice.tensor([0.0, 1.0, 2.0, 5.0, -1.0, NAN, INF], device=device)
    assert pumice.histogram(x, 2, range=(0.0, 2.0)).hist.tolist() == [1, 2]


WINDOWS = ("hann_window", "hamming_window", "bartlett_window", "blackman_window", "kaiser_window")


@pytest.mark.parametrize("name", WINDOWS)
def test_windows(name: str, device: str) -> None:
    for length in (0, 1, 2, 7, 400):
        for periodic in (False, True):
            mine = getattr(pumice, name)(length, periodic, device=device)
            _same(mine, getattr(torch, name)(length, periodic), 2e-6)
    wide = getattr(pumice, name)(9, dtype=pumice.float64)
    _same(wide, getattr(torch, name)(9, dtype=torch.float64), 1e-14)
    assert getattr(pumice, name)(3, requires_grad=True).requires_grad
    with pytest.raises(pumice.InvalidArgument, match=f"{name}: got length -1"):
        getattr(pumice, name)(-1)
    with pytest.raises(pumice.DTypeError, match="int64"):
        getattr(pumice, name)(3, dtype=pumice.int64)


COMPARED = ("eq_", "ne_", "lt_", "le_", "gt_", "ge_", "less_", "greater_equal_", "not_equal_")
LOGICAL = ("logical_and_", "logical_or_", "logical_xor_")


@pytest.mark.parametrize("name", [*COMPARED, *LOGICAL, "logical_not_"])
def test_comparisons_in_place(name: str, device: str) -> None:
    for dtype in (dtypes.float32, dtypes.int64, dtypes.uint8, dtypes.bool_, dtypes.bfloat16):
        arrays = [torch.tensor(integers(0, 3, 2, 5, seed=seed)) for seed in (0, 1)]
        theirs = [each.to(torch_dtype(dtype)) for each in arrays]
        mine = [to_pumice(each).to(device) for each in theirs]
        rest = slice(1, 1 if name == "logical_not_" else 2)
        target = mine[0]
        assert getattr(target, name)(*mine[rest]) is target and target.dtype is dtype
        getattr(theirs[0], name)(*theirs[rest])
        assert target.tolist() == theirs[0].tolist()


def test_diagonals_are_filled(device: str) -> None:
    for shape in ((3, 3), (2, 5), (7, 2), (3, 3, 3), (2, 2, 2, 2), (0, 3)):
        for wrap in (False, True):
            mine = pumice.zeros(shape, device=device).fill_diagonal_(5, wrap)
            assert mine.tolist() == torch.zeros(shape).fill_diagonal_(5, wrap).tolist()
    x = pumice.ones(3, 2, device=device, requires_grad=True)
    y = (x * 2).t()
    y.fill_diagonal_(0)
    y.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [[0, 2], [2, 0], [2, 2]]
    for shape in ((3,), (2, 3, 2)):
        with pytest.raises(pumice.ShapeError, match="fill_diagonal_"):
            pumice.zeros(shape).fill_diagonal_(1)


DISTRIBUTIONS: dict[str, tuple[tuple[float, ...], Callable[[Array], Array]]] = {
    "exponential_": ((2.0,), lambda x: 1 - np.exp(-2 * x)),
    "geometric_": ((0.25,), lambda x: 1 - 0.75 ** np.floor(x)),
    "cauchy_": ((1.0, 0.5), lambda x: np.arctan((x - 1) / 0.5) / np.pi + 0.5),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64, dtypes.float16], ids=str)
def test_distributions(name: str, dtype: dtypes.DType, device: str) -> None:
    """Shares of numbers below some bounds are as the distribution says."""
    if not computes_with(device, dtype.name):
        pytest.skip(f"{device} does not compute with {dtype.name}")
    arguments, share = DISTRIBUTIONS[name]
    stream = pumice.Generator().manual_seed(5)
    x = pumice.empty(200, 200, dtype=dtype, device=device)
    assert getattr(x, name)(*arguments, generator=stream) is x
    numbers = x.cpu().to(pumice.float64).numpy()
    for bound in (0.3, 1.0, 2.0, 5.0):
        assert abs((numbers <= bound).mean() - share(np.float64(bound))) < 0.01
    y = pumice.empty(200, 200, dtype=dtype, device=device)
    getattr(y, name)(*arguments, generator=pumice.Generator().manual_seed(5))
    assert x.tolist() == y.tolist()


def test_normal_numbers_are_logarithms(device: str) -> None:
    x = pumice.empty(40000, device=device)
    x.log_normal_(0.5, 0.25, generator=pumice.Generator().manual_seed(1))
    numbers = np.log(x.cpu().numpy())
    assert abs(numbers.mean() - 0.5) < 0.01 and abs(numbers.std() - 0.25) < 0.01


def test_what_a_tensor_says_of_itself(device: str) -> None:
    x = pumice.ones(2, 3, device=device)
    assert (x.is_cpu, x.is_vulkan) == (device == "cpu", device == "vulkan")
    assert x.get_device() == (-1 if device == "cpu" else 0)
    assert not (x.is_cuda or x.is_sparse or x.is_quantized or x.is_conj() or x.is_neg())
    assert x.is_same_size(pumice.zeros(2, 3)) and not pumice.is_same_size(x, x[0])
    assert pumice.is_signed(x) and not pumice.is_signed(pumice.tensor([1], dtype=pumice.uint8))
    assert pumice.tensor([2.0], device=device).is_nonzero() and x.real is x
    number = pumice.scalar_tensor(3, device=device, requires_grad=True)
    assert number.tolist() == 3.0 and number.dtype is pumice.float32 and number.requires_grad
    assert pumice.scalar_tensor(3, dtype=pumice.int8).dtype is pumice.int8


def test_tensors_over_bytes() -> None:
    memory = bytearray(np.arange(6, dtype=np.int32).tobytes())
    x = pumice.frombuffer(memory, dtype=pumice.int32, count=3, offset=8)
    assert x.tolist() == [2, 3, 4]
    memory[8] = 7
    assert x.tolist() == [7, 3, 4]
    x[1] = 9
    assert memory[12] == 9
    halves = np.array([1.5, -2.0], np.float16).tobytes()
    assert pumice.frombuffer(halves, dtype=pumice.float16, requires_grad=True).tolist() == [1.5, -2]
    assert pumice.frombuffer(b"\x80\x3f", dtype=pumice.bfloat16).tolist() == [1.0]
    for arguments in ({"count": 9}, {"offset": 25}):
        with pytest.raises(pumice.InvalidArgument, match="frombuffer"):
            pumice.frombuffer(memory, dtype=pumice.int32, **arguments)


REFUSED: list[tuple[str, Callable[[Any], Any]]] = [
    ("mode: got an empty axis", lambda x: x[:, :0].mode()),
    ("nonzero_static: size is -1", lambda x: x.nonzero_static(size=-1)),
    ("unravel_index", lambda x: pumice.unravel_index(x, (2,))),
    ("sum_to_size: shape .4. does not", lambda x: x.sum_to_size(4)),
    ("renorm: got shape", lambda x: x[0].renorm(2, 0, 1)),
    ("renorm: got p=0", lambda x: x.renorm(0, 0, 1)),
    ("pdist: got shape", lambda x: pumice.nn.functional.pdist(x[0])),
    ("pdist: got p=-1", lambda x: pumice.nn.functional.pdist(x, -1)),
    ("mvlgamma: p is 0", lambda x: x.mvlgamma(0)),
    ("frexp: got int64", lambda x: x.long().frexp()),
    ("index_reduce: .*'sum'", lambda x: x.index_reduce(0, pumice.tensor([0]), x[:1], "sum")),
    (
        "index_reduce: source has shape",
        lambda x: x.index_reduce(0, pumice.tensor([0]), x[:, :1], "prod"),
    ),
    ("gradient: axis 0 has 2 elements", lambda x: pumice.gradient(x, edge_order=2)),
    ("gradient: edge_order is 3", lambda x: pumice.gradient(x, edge_order=3)),
    ("gradient: got 1 spacings for 2", lambda x: pumice.gradient(x, spacing=[1.0])),
    ("gradient: places have shape", lambda x: pumice.gradient(x, spacing=[x[0], x[0]])),
    ("histogram: got int64", lambda x: x.long().histogram(3)),
    ("histogram: got 0 bins", lambda x: x.histogram(0)),
    ("histogram: the range is 2", lambda x: x.histogram(3, range=(2, 1))),
    ("histogram: weight is", lambda x: x.histogram(3, weight=x[0])),
    ("histogram: bins have shape", lambda x: x.histogram(x)),
    ("exponential_: got lambd=0", lambda x: x.exponential_(0)),
    ("exponential_: got int64", lambda x: x.long().exponential_()),
    ("geometric_: got p=1", lambda x: x.geometric_(1)),
    ("geometric_: got bool", lambda x: x.bool().geometric_(0.5)),
    ("cauchy_: got sigma=0", lambda x: x.cauchy_(0, 0)),
    ("log_normal_: got std=0", lambda x: x.log_normal_(0, 0)),
    ("log_normal_: got int64", lambda x: x.long().log_normal_()),
    ("adjoint: got a tensor of 1", lambda x: pumice.adjoint(x[0])),
]


@pytest.mark.parametrize(("text", "call"), REFUSED, ids=[text for text, _ in REFUSED])
def test_wrong_arguments(text: str, call: Callable[[Any], Any]) -> None:
    with pytest.raises(pumice.PumiceError, match=text):
        call(pumice.ones(2, 3))


def test_exponents_do_not_widen_what_they_scale(device: str) -> None:
    kinds = ("float16", "bfloat16", "float32", "float64", "int32", "int64", "int8")
    for first in kinds:
        for second in kinds:
            if not (computes_with(device, first) and computes_with(device, second)):
                continue
            numbers, powers = torch.tensor([3.0, -1.0, 5.0]), torch.tensor([2.0, -1.0, 0.0])
            theirs = (numbers.to(getattr(torch, first)), powers.to(getattr(torch, second)))
            mine = pumice.ldexp(*(to_pumice(each).to(device) for each in theirs))
            _same(mine, torch.ldexp(*theirs), 0)
