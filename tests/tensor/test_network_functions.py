"""Functions of `pumice.nn.functional` against PyTorch's, values and gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as theirs

import pumice
import pumice.nn.functional as ours
from tests.tensor.peers import Array, floats, integers, same_call

Case = tuple[str, dict[str, Any], tuple[Array, ...]]

CLASSES = integers(0, 5, 6)
IMAGE = floats(2, 4, 8, 9)
PLANE = floats(2, 3, 8, 9)
MATRIX = floats(4, 6) * 3

CASES: list[Case] = [
    *(
        ("conv2d", options, (IMAGE, floats(6, 4, 3, 3, seed=1), floats(6, seed=2)))
        for options in (
            {},
            {"stride": 2},
            {"padding": 1, "stride": 2},
            {"dilation": 2},
            {"padding": "same"},
            {"padding": "valid"},
            {"stride": (2, 1), "padding": (0, 2)},
        )
    ),
    ("conv2d", {"groups": 2, "padding": 1}, (IMAGE, floats(6, 2, 3, 3, seed=1))),
    ("conv2d", {}, (floats(4, 5, 5), floats(2, 4, 3, 3, seed=1))),
    ("conv1d", {"groups": 4}, (floats(2, 4, 7), floats(4, 1, 3, seed=1))),
    ("conv3d", {}, (floats(1, 2, 4, 4, 4), floats(3, 2, 2, 2, 2, seed=1))),
    *(
        (
            "conv_transpose2d",
            options,
            (floats(2, 4, 5, 5), floats(4, 3, 3, 3, seed=1), floats(outputs, seed=2)),
        )
        for options, outputs in (
            ({}, 3),
            ({"stride": 2, "padding": 1, "output_padding": 1}, 3),
            ({"groups": 2, "stride": 3}, 6),
            ({"dilation": 2}, 3),
        )
    ),
    *(
        ("max_pool2d", {**options, "return_indices": True}, (PLANE,))
        for options in (
            {"kernel_size": 2},
            {"kernel_size": 3, "stride": 2, "padding": 1},
            {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
            {"kernel_size": 2, "dilation": 2, "stride": 1},
        )
    ),
    ("max_pool1d", {"kernel_size": 2}, (floats(2, 3, 9),)),
    *(
        ("avg_pool2d", options, (PLANE,))
        for options in (
            {"kernel_size": 2},
            {"kernel_size": 3, "stride": 2, "padding": 1},
            {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
            {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False},
            {"kernel_size": 2, "divisor_override": 3},
        )
    ),
    ("adaptive_avg_pool2d", {"output_size": (3, 2)}, (PLANE,)),
    ("adaptive_avg_pool2d", {"output_size": 1}, (PLANE,)),
    *(
        (name, {}, (MATRIX,))
        for name in [
            "relu",
            "relu6",
            "hardtanh",
            "leaky_relu",
            "elu",
            "selu",
            "celu",
            "gelu",
            "silu",
            "softplus",
            "mish",
            "hardsigmoid",
            "hardswish",
            "logsigmoid",
            "softsign",
            "tanhshrink",
            "hardshrink",
            "softshrink",
            "glu",
            "sigmoid",
            "tanh",
        ]
    ),
    ("gelu", {"approximate": "tanh"}, (MATRIX,)),
    ("threshold", {"threshold": 0.5, "value": -1.0}, (MATRIX,)),
    ("softplus", {"beta": 2.0, "threshold": 3.0}, (MATRIX,)),
    ("softmax", {"dim": 0}, (MATRIX,)),
    ("log_softmax", {"dim": 1}, (MATRIX,)),
    ("softmin", {"dim": 1}, (MATRIX,)),
    ("prelu", {}, (floats(2, 3, 4), floats(3, seed=1))),
    *(
        ("cross_entropy", options, (floats(6, 5), CLASSES))
        for options in (
            {},
            {"reduction": "sum"},
            {"reduction": "none"},
            {"ignore_index": 2},
            {"label_smoothing": 0.1},
            {"label_smoothing": 0.1, "ignore_index": 1},
        )
    ),
    ("cross_entropy", {"label_smoothing": 0.1}, (floats(6, 5), np.abs(floats(6, 5, seed=1)))),
    ("cross_entropy", {}, (floats(2, 5, 3, 3), integers(0, 5, 2, 3, 3))),
    ("nll_loss", {}, (floats(6, 5), CLASSES)),
    *(
        (name, options, (floats(3, 4), np.abs(floats(3, 4, seed=1))))
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
        for options in ({}, {"reduction": "sum"}, {"reduction": "none"})
    ),
    (
        "binary_cross_entropy_with_logits",
        {},
        (floats(3, 4), (floats(3, 4, seed=1) > 0).astype(np.float32)),
    ),
    ("kl_div", {"reduction": "batchmean"}, (floats(3, 4), np.abs(floats(3, 4, seed=1)))),
    ("kl_div", {"reduction": "sum", "log_target": True}, (floats(3, 4), floats(3, 4, seed=1))),
    (
        "layer_norm",
        {"normalized_shape": (4, 5)},
        (floats(3, 4, 5),),
    ),
    ("rms_norm", {"normalized_shape": (5,)}, (floats(3, 4, 5),)),
    ("group_norm", {"num_groups": 2}, (floats(3, 4, 5, 5),)),
    ("instance_norm", {}, (floats(3, 4, 5, 5),)),
    ("normalize", {}, (floats(3, 4),)),
    ("cosine_similarity", {}, (floats(3, 4), floats(3, 4, seed=1))),
    *(
        ("pad", {"pad": (1, 2, 2, 1), "mode": mode}, (floats(1, 2, 4, 5),))
        for mode in ("constant", "reflect", "replicate", "circular")
    ),
    ("pad", {"pad": (-1, 2), "value": 3.0}, (floats(2, 4),)),
    ("linear", {}, (floats(2, 3, 4), floats(5, 4, seed=1), floats(5, seed=2))),
    ("embedding", {}, (integers(0, 5, 2, 3), floats(5, 4))),
    ("embedding", {"padding_idx": 1}, (integers(0, 5, 2, 3), floats(5, 4))),
    ("one_hot", {"num_classes": 7}, (CLASSES,)),
    ("one_hot", {}, (CLASSES,)),
    (
        "scaled_dot_product_attention",
        {"is_causal": True},
        (floats(2, 3, 5, 4), floats(2, 3, 5, 4, seed=1), floats(2, 3, 5, 4, seed=2)),
    ),
    (
        "scaled_dot_product_attention",
        {"scale": 0.3},
        (floats(2, 3, 5, 4), floats(2, 3, 6, 4, seed=1), floats(2, 3, 6, 7, seed=2)),
    ),
    (
        "scaled_dot_product_attention",
        {"enable_gqa": True},
        (floats(2, 4, 5, 4), floats(2, 2, 5, 4, seed=1), floats(2, 2, 5, 4, seed=2)),
    ),
]


@pytest.mark.parametrize(
    ("name", "options", "arrays"),
    CASES,
    ids=[f"{name}-{options}" for name, options, _ in CASES],
)
def test_against_torch(name: str, options: dict[str, Any], arrays: tuple[Array, ...]) -> None:
    same_call(
        lambda *tensors: getattr(ours, name)(*tensors, **options),
        lambda *tensors: getattr(theirs, name)(*tensors, **options),
        *arrays,
        tolerance=1e-4,
    )


def test_weighted_losses() -> None:
    weight = np.abs(floats(5, seed=4))
    for options in ({}, {"label_smoothing": 0.2}, {"ignore_index": 3}, {"reduction": "none"}):
        same_call(
            lambda x, y, o=options: ours.cross_entropy(x, y, pumice.tensor(weight), **o),
            lambda x, y, o=options: theirs.cross_entropy(x, y, torch.tensor(weight), **o),
            floats(6, 5),
            CLASSES,
            tolerance=1e-4,
        )
    target = (floats(6, 5, seed=3) > 0).astype(np.float32)
    same_call(
        lambda x: ours.binary_cross_entropy_with_logits(
            x, pumice.tensor(target), pos_weight=pumice.tensor(weight)
        ),
        lambda x: theirs.binary_cross_entropy_with_logits(
            x, torch.tensor(target), pos_weight=torch.tensor(weight)
        ),
        floats(6, 5),
    )
    same_call(
        lambda x: ours.binary_cross_entropy(x.sigmoid(), pumice.tensor(target)),
        lambda x: theirs.binary_cross_entropy(x.sigmoid(), torch.tensor(target)),
        floats(6, 5),
    )


def test_affine_normalisation() -> None:
    same_call(
        lambda x, w, b: ours.layer_norm(x, (4, 5), w, b),
        lambda x, w, b: theirs.layer_norm(x, (4, 5), w, b),
        floats(3, 4, 5),
        floats(4, 5, seed=1),
        floats(4, 5, seed=2),
        tolerance=1e-4,
    )
    same_call(
        lambda x, w, b: ours.group_norm(x, 2, w, b),
        lambda x, w, b: theirs.group_norm(x, 2, w, b),
        floats(3, 4, 5),
        floats(4, seed=1),
        floats(4, seed=2),
        tolerance=1e-4,
    )


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm(training: bool) -> None:
    states: list[Any] = []
    for module, functions in ((pumice, ours), (torch, theirs)):
        x = module.tensor(floats(3, 4, 5, 5), requires_grad=True)
        weight = module.tensor(floats(4, seed=1), requires_grad=True)
        mean, var = module.zeros(4), module.ones(4)
        result = functions.batch_norm(x, mean, var, weight, None, training)
        (result * module.tensor(floats(3, 4, 5, 5, seed=3))).sum().backward()
        states.append([each.detach().numpy() for each in (result, mean, var, x.grad, weight.grad)])
    for mine, peer in zip(*states, strict=True):
        np.testing.assert_allclose(mine, peer, rtol=1e-4, atol=1e-4)


def test_attention_masks() -> None:
    query, key, value = floats(2, 3, 5, 4), floats(2, 3, 6, 4, seed=1), floats(2, 3, 6, 4, seed=2)
    allowed = np.random.default_rng(0).random((5, 6)) > 0.4
    allowed[0] = False
    for mask in (allowed, floats(5, 6, seed=5)):
        same_call(
            lambda q, k, v, m=mask: ours.scaled_dot_product_attention(q, k, v, pumice.tensor(m)),
            lambda q, k, v, m=mask: theirs.scaled_dot_product_attention(q, k, v, torch.tensor(m)),
            query,
            key,
            value,
            tolerance=1e-4,
        )
    masked = ours.scaled_dot_product_attention(
        *(pumice.tensor(each) for each in (query, key, value)), pumice.tensor(allowed)
    )
    assert masked[:, :, 0].abs().max().item() == 0


def test_second_derivative_of_a_convolution() -> None:
    grads: list[Any] = []
    for module, functions in ((pumice, ours), (torch, theirs)):
        x = module.tensor(floats(1, 2, 6, 6), requires_grad=True)
        w = module.tensor(floats(3, 2, 3, 3, seed=1), requires_grad=True)
        out = functions.conv2d(x, w, stride=2, padding=1)
        (first,) = module.autograd.grad((out**3).sum(), x, create_graph=True)
        (first**2).sum().backward()
        grads.append((x.grad.numpy(), w.grad.numpy()))
    for mine, peer in zip(*grads, strict=True):
        np.testing.assert_allclose(mine, peer, rtol=1e-3, atol=1e-3)


BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: ours.conv2d(pumice.zeros(1, 3, 5, 5), pumice.zeros(2, 4, 3, 3)), "got 3 channels"),
    (lambda: ours.conv2d(pumice.zeros(1, 3, 2, 2), pumice.zeros(2, 3, 3, 3)), "must fit into"),
    (lambda: ours.conv2d(pumice.zeros(3), pumice.zeros(2, 3, 3, 3)), r"4 axes \(N, C, spatial"),
    (
        lambda: ours.conv2d(
            pumice.zeros(1, 3, 5, 5), pumice.zeros(2, 3, 3, 3), padding="same", stride=2
        ),
        "not supported for strided",
    ),
    (lambda: ours.max_pool2d(pumice.zeros(1, 1, 4, 4), 2, padding=2), "at most half"),
    (lambda: ours.avg_pool2d(pumice.zeros(1, 1, 4, 4), 2, divisor_override=0), "not zero"),
    (lambda: ours.gelu(pumice.zeros(2), approximate="cubic"), "allowed are 'none', 'tanh'"),
    (lambda: ours.mse_loss(pumice.zeros(2), pumice.zeros(3)), "do not broadcast"),
    (lambda: ours.mse_loss(pumice.zeros(2), pumice.zeros(2), reduction="all"), "'mean', 'sum'"),
    (
        lambda: ours.cross_entropy(pumice.zeros(2, 3), pumice.zeros(3, dtype=pumice.int64)),
        r"target must have shape \[2\]",
    ),
    (lambda: ours.layer_norm(pumice.zeros(2, 3), (2,)), "must equal the last axes"),
    (lambda: ours.group_norm(pumice.zeros(2, 3), 2), "divisible"),
    (lambda: ours.dropout(pumice.zeros(2), 1.5), "a number from 0 to 1"),
    (lambda: ours.glu(pumice.zeros(3)), "an even number"),
    (lambda: ours.pad(pumice.zeros(3), (1,)), "at most two per axis"),
    (lambda: ours.pad(pumice.zeros(1, 3), (3, 0), mode="reflect"), "at most 2 at each end"),
    (lambda: ours.linear(pumice.zeros(2, 3), pumice.zeros(4, 5)), r"weight is \(out, in\)"),
    (
        lambda: ours.scaled_dot_product_attention(
            *(pumice.zeros(2, 2),) * 3, attn_mask=pumice.zeros(2, 2), is_causal=True
        ),
        "both attn_mask and is_causal",
    ),
    (lambda: ours.embedding(pumice.zeros(2), pumice.zeros(3, 4)), "must be an integer tensor"),
    (lambda: ours.huber_loss(pumice.zeros(2), pumice.zeros(2), delta=0), "a positive number"),
    (lambda: ours.batch_norm(pumice.zeros(1, 3), None, None, training=True), "more than 1 value"),
]


@pytest.mark.parametrize(("call", "text"), BAD, ids=[text for _, text in BAD])
def test_bad_arguments(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(pumice.PumiceError, match=text) as caught:
        call()
    assert "test_network_functions.py:" in str(caught.value)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_ignored_classes_have_no_gradient(reduction: str, smoothing: float) -> None:
    """Also where every class is ignored, whose mean is NaN, and beside infinite scores."""
    scores = floats(6, 5)
    scores[1, 2] = -np.inf
    for target in (np.full(6, 3), np.array([3, 3, 0, 1, 3, 2])):
        same_call(
            lambda x, y: ours.cross_entropy(
                x, y, ignore_index=3, reduction=reduction, label_smoothing=smoothing
            ),
            lambda x, y: theirs.cross_entropy(
                x, y, ignore_index=3, reduction=reduction, label_smoothing=smoothing
            ),
            scores,
            target,
        )


def test_exponentials_far_below_their_range(device: str) -> None:
    """What rounds to 0 is 0, next to elements that do not, and its gradient is 0."""
    values = [-1e6, -1000.0, -104.5, -103.0, -90.0, -87.5, -10.4, -10.0, -1.0, 0.0, 88.0, 1e4]
    numbers = np.array(values, np.float32)
    wide = numbers.astype(np.float64)
    cube = np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)
    with np.errstate(over="ignore"):
        expected = {
            "exp": np.exp(wide),
            "sigmoid": 1 / (1 + np.exp(-wide)),
            "softplus": np.logaddexp(0, wide),
            "gelu": wide / (1 + np.exp(-2 * cube)),
        }
        expected = {name: value.astype(np.float32) for name, value in expected.items()}
    calls = {
        "exp": lambda x: x.exp(),
        "sigmoid": lambda x: x.sigmoid(),
        "softplus": lambda x: ours.softplus(x),
        "gelu": lambda x: ours.gelu(x, approximate="tanh"),
    }
    for name, call in calls.items():
        x = pumice.tensor(numbers, device=device, requires_grad=True)
        out = call(x)
        found = out.detach().cpu().numpy()
        np.testing.assert_allclose(found, expected[name], rtol=2e-6, atol=1e-36, err_msg=name)
        out[:3].sum().backward()
        assert x.grad is not None
        assert x.grad.cpu().tolist()[:2] == [0.0, 0.0]


def test_gradients_where_a_square_or_difference_is_infinite(device: str) -> None:
    half = pumice.tensor([300.0, -300.0, 6e4], dtype=pumice.float16, device=device).requires_grad_()
    ours.gelu(half, approximate="tanh").sum().backward()
    assert half.grad is not None
    assert half.grad.cpu().tolist() == [1.0, 0.0, 1.0]
    infinity = float("inf")
    x = pumice.tensor([infinity, 1.0, -infinity], device=device, requires_grad=True)
    y = pumice.tensor([0.0, -infinity, 2.0], device=device, requires_grad=True)
    pumice.logaddexp(x, y).sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    assert x.grad.cpu().tolist() == [1.0, 1.0, 0.0]
    assert y.grad.cpu().tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_a_class_out_of_range_is_told_when_the_loss_is_looked_at(
    reduction: str, device: str
) -> None:
    scores = pumice.tensor(floats(3, 2), device=device)
    for name in ("cross_entropy", "nll_loss"):
        for wrong in (5, -1):
            classes = pumice.tensor([1, 0, wrong], device=device)
            loss = getattr(ours, name)(scores, classes, reduction=reduction)
            with pytest.raises(pumice.IndexOutOfRange, match=f"{name}: index"):
                loss.tolist()
        ignored = getattr(ours, name)(scores, pumice.tensor([1, 0, -100], device=device))
        assert ignored.item() == pytest.approx(getattr(ours, name)(scores[:2], classes[:2]).item())
