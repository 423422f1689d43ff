"""Layers against PyTorch: its state_dict loads by name and gives its outputs and gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from pumice import nn
from pumice.tensor.convert import tensor
from pumice.tensor.tensor import Tensor

Build = Callable[[Any], Any]

IMAGES = (2, 4, 6, 5)
PLAIN = [
    *("CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh"),
    *("LeakyReLU", "LogSigmoid", "Mish", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softplus"),
    *("Softshrink", "Softsign", "Tanh", "Tanhshrink"),
]
LAYERS: list[tuple[str, Build, tuple[int, ...]]] = [
    ("linear", lambda n: n.Linear(5, 3), (2, 4, 5)),
    ("linear-no-bias", lambda n: n.Linear(5, 3, bias=False), (2, 5)),
    ("conv1d", lambda n: n.Conv1d(4, 6, 3, stride=2, padding=1), (2, 4, 9)),
    ("conv2d", lambda n: n.Conv2d(4, 6, 3), IMAGES),
    ("conv2d-same", lambda n: n.Conv2d(4, 6, (3, 2), padding="same", dilation=(1, 2)), IMAGES),
    ("conv2d-valid", lambda n: n.Conv2d(4, 6, 3, padding="valid", bias=False), IMAGES),
    ("conv2d-groups", lambda n: n.Conv2d(4, 6, 3, groups=2, stride=(2, 1), padding=1), IMAGES),
    ("conv2d-depthwise", lambda n: n.Conv2d(4, 8, 3, groups=4, padding=1), IMAGES),
    ("conv2d-reflect", lambda n: n.Conv2d(4, 3, 3, padding=2, padding_mode="reflect"), IMAGES),
    (
        "conv2d-circular",
        lambda n: n.Conv2d(4, 3, 3, padding=(1, 2), padding_mode="circular"),
        IMAGES,
    ),
    ("conv2d-replicate", lambda n: n.Conv2d(4, 3, 3, padding=1, padding_mode="replicate"), IMAGES),
    (
        "conv2d-same-reflect",
        lambda n: n.Conv2d(4, 3, (4, 3), padding="same", padding_mode="reflect"),
        IMAGES,
    ),
    ("conv3d", lambda n: n.Conv3d(2, 3, 2, padding=(1, 0, 1)), (1, 2, 3, 4, 3)),
    ("conv-transpose1d", lambda n: n.ConvTranspose1d(4, 6, 3, 2, 1, 1, bias=False), (2, 4, 9)),
    (
        "conv-transpose2d",
        lambda n: n.ConvTranspose2d(4, 6, (3, 2), 2, 1, 1, 2, dilation=(1, 2)),
        IMAGES,
    ),
    ("conv-transpose3d", lambda n: n.ConvTranspose3d(2, 3, 2, padding=(1, 0, 1)), (1, 2, 3, 4, 3)),
    ("unfold", lambda n: n.Unfold((2, 3), padding=1, stride=(2, 1)), IMAGES),
    ("fold", lambda n: n.Fold(5, (2, 3), 1, (1, 0), (2, 1)), (2, 12, 9)),
    ("batch-norm-1d", lambda n: n.BatchNorm1d(5), (6, 5)),
    ("batch-norm-1d-sequence", lambda n: n.BatchNorm1d(5, eps=1e-3), (6, 5, 3)),
    ("batch-norm-2d", lambda n: n.BatchNorm2d(4, momentum=0.3), IMAGES),
    ("batch-norm-2d-average", lambda n: n.BatchNorm2d(4, momentum=None), IMAGES),
    ("batch-norm-2d-plain", lambda n: n.BatchNorm2d(4, affine=False), IMAGES),
    ("batch-norm-2d-stateless", lambda n: n.BatchNorm2d(4, track_running_stats=False), IMAGES),
    ("batch-norm-3d", lambda n: n.BatchNorm3d(2), (3, 2, 2, 3, 2)),
    ("layer-norm", lambda n: n.LayerNorm(5), (2, 3, 5)),
    ("layer-norm-2", lambda n: n.LayerNorm((3, 5), bias=False), (2, 3, 5)),
    ("layer-norm-plain", lambda n: n.LayerNorm(5, elementwise_affine=False), (2, 3, 5)),
    ("group-norm", lambda n: n.GroupNorm(2, 4), IMAGES),
    ("rms-norm", lambda n: n.RMSNorm(5), (2, 3, 5)),
    ("rms-norm-eps", lambda n: n.RMSNorm((3, 5), eps=0.1), (2, 3, 5)),
    ("max-pool-1d", lambda n: n.MaxPool1d(3, 2, 1), (2, 3, 9)),
    ("max-pool-2d", lambda n: n.MaxPool2d(2), IMAGES),
    ("max-pool-2d-ceil", lambda n: n.MaxPool2d(3, 2, 1, ceil_mode=True), IMAGES),
    ("max-pool-2d-dilated", lambda n: n.MaxPool2d((2, 3), 1, dilation=(2, 1)), IMAGES),
    ("max-pool-3d", lambda n: n.MaxPool3d(2), (1, 2, 4, 4, 2)),
    ("avg-pool-1d", lambda n: n.AvgPool1d(3, 2, 1), (2, 3, 9)),
    ("avg-pool-2d", lambda n: n.AvgPool2d(2), IMAGES),
    ("avg-pool-2d-padded", lambda n: n.AvgPool2d(3, 2, 1, count_include_pad=False), IMAGES),
    ("avg-pool-3d", lambda n: n.AvgPool3d(2), (1, 2, 4, 4, 2)),
    ("adaptive-avg-pool-1d", lambda n: n.AdaptiveAvgPool1d(4), (2, 3, 9)),
    ("adaptive-avg-pool-2d", lambda n: n.AdaptiveAvgPool2d((3, None)), IMAGES),
    ("adaptive-avg-pool-2d-1", lambda n: n.AdaptiveAvgPool2d(1), IMAGES),
    ("flatten", lambda n: n.Flatten(1, 2), IMAGES),
    ("unflatten", lambda n: n.Unflatten(1, (2, 2)), IMAGES),
    ("identity", lambda n: n.Identity(3, any=4), (2, 3)),
    ("prelu", lambda n: n.PReLU(4), IMAGES),
    (
        "network",
        lambda n: n.Sequential(
            n.Conv2d(4, 8, 3, padding=1),
            n.BatchNorm2d(8),
            n.ReLU(),
            n.MaxPool2d(2),
            n.Flatten(),
            n.Linear(8 * 3 * 2, 7),
            n.GELU(),
            n.LayerNorm(7),
            n.Linear(7, 3),
        ),
        IMAGES,
    ),
    *[
        (name.lower(), lambda n, name=name: getattr(n, name)(), (3, 8))  # type: ignore[misc]
        for name in PLAIN
    ],
    ("softmax", lambda n: n.Softmax(dim=0), (3, 4)),
    ("log-softmax", lambda n: n.LogSoftmax(dim=1), (3, 4)),
    ("softmin", lambda n: n.Softmin(dim=1), (3, 4)),
    ("gelu-tanh", lambda n: n.GELU(approximate="tanh"), (3, 8)),
    ("threshold", lambda n: n.Threshold(0.1, -3.0), (3, 8)),
    ("elu-alpha", lambda n: n.ELU(0.5), (3, 8)),
    ("softplus-beta", lambda n: n.Softplus(2.0, 1.0), (3, 8)),
]


def values(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def pair(build: Build) -> tuple[Any, Any]:
    """Return our layer and PyTorch's with the same parameters."""
    torch.manual_seed(0)
    theirs = build(torch.nn)
    for number, parameter in enumerate(theirs.parameters()):
        parameter.data += 0.1 * torch.tensor(values(*parameter.shape, seed=number))
    ours = build(nn)
    state = {name: tensor(value.numpy()) for name, value in theirs.state_dict().items()}
    assert list(ours.state_dict()) == list(state)
    ours.load_state_dict(state)
    return ours, theirs


def close(mine: Tensor, other: torch.Tensor, name: str) -> None:
    np.testing.assert_allclose(
        mine.detach().numpy(), other.detach().numpy(), rtol=1e-5, atol=1e-5, err_msg=name
    )


@pytest.mark.parametrize(
    ("build", "shape"), [case[1:] for case in LAYERS], ids=[c[0] for c in LAYERS]
)
def test_outputs_gradients_and_buffers(build: Build, shape: tuple[int, ...]) -> None:
    ours, theirs = pair(build)
    for step in range(2):
        data = values(*shape, seed=step + 10)
        mine = tensor(data, requires_grad=True)
        other = torch.tensor(data, requires_grad=True)
        out, expected = ours(mine), theirs(other)
        close(out, expected, "output")
        weights = values(*expected.shape, seed=99)
        (out * tensor(weights)).sum().backward()
        (expected * torch.tensor(weights)).sum().backward()
        assert mine.grad is not None
        assert other.grad is not None
        close(mine.grad, other.grad, "gradient of the input")
    for (name, parameter), reference in zip(
        ours.named_parameters(), theirs.parameters(), strict=True
    ):
        close(parameter.grad, reference.grad, f"gradient of {name}")
    for (name, buffer), reference in zip(ours.named_buffers(), theirs.buffers(), strict=True):
        close(buffer, reference, name)
    ours.eval()
    theirs.eval()
    close(ours(tensor(data)), theirs(torch.tensor(data)), "output in evaluation")


@pytest.mark.parametrize("build", [case[1] for case in LAYERS], ids=[c[0] for c in LAYERS])
def test_repr(build: Build) -> None:
    assert repr(build(nn)) == repr(build(torch.nn))


def test_embedding() -> None:
    ours, theirs = pair(lambda n: n.Embedding(5, 3, padding_idx=-1))
    index = np.array([[0, 4, 4], [2, 0, 1]])
    out, expected = ours(tensor(index)), theirs(torch.tensor(index))
    close(out, expected, "output")
    (out * out).sum().backward()
    (expected * expected).sum().backward()
    close(ours.weight.grad, theirs.weight.grad, "gradient")
    assert ours.weight.grad[4].tolist() == [0.0, 0.0, 0.0]
    assert repr(ours) == repr(theirs)
    assert nn.Embedding(4, 2, padding_idx=1).weight[1].tolist() == [0.0, 0.0]


ATTENTION: list[tuple[str, dict[str, Any]]] = [
    ("plain", {}),
    ("batch-first", {"batch_first": True}),
    ("no-bias", {"bias": False}),
    ("other-sizes", {"kdim": 5, "vdim": 7}),
    ("extra-positions", {"add_bias_kv": True, "add_zero_attn": True}),
]


@pytest.mark.parametrize("options", [case[1] for case in ATTENTION], ids=[c[0] for c in ATTENTION])
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("masks", ["none", "bool", "float", "padding", "both", "per-head"])
def test_attention(options: dict[str, Any], need_weights: bool, masks: str) -> None:
    ours, theirs = pair(lambda n: n.MultiheadAttention(8, 2, **options))
    batch, queries, keys = 3, 4, 5
    sizes = (8, options.get("kdim", 8), options.get("vdim", 8))
    data = [
        values(batch, length, size, seed=size)
        if options.get("batch_first")
        else values(length, batch, size, seed=size)
        for length, size in zip((queries, keys, keys), sizes, strict=True)
    ]
    causal = np.triu(np.ones((queries, keys), bool), 2)
    padding = np.zeros((batch, keys), bool)
    padding[1, 3:] = True
    named: dict[str, Any] = {}
    if masks in ("bool", "both"):
        named["attn_mask"] = causal
    if masks == "float":
        named["attn_mask"] = values(queries, keys, seed=3)
    if masks == "per-head":
        named["attn_mask"] = values(batch * 2, queries, keys, seed=4) > 0.9
    if masks in ("padding", "both"):
        named["key_padding_mask"] = padding
    leaves = [tensor(each, requires_grad=True) for each in data]
    references = [torch.tensor(each, requires_grad=True) for each in data]
    out, weights = ours(
        *leaves, need_weights=need_weights, **{name: tensor(each) for name, each in named.items()}
    )
    expected, expected_weights = theirs(
        *references,
        need_weights=need_weights,
        **{name: torch.tensor(each) for name, each in named.items()},
    )
    close(out, expected, "output")
    assert (weights is None) is (expected_weights is None)
    if weights is not None:
        close(weights, expected_weights, "weights")
    (out * out).sum().backward()
    (expected * expected).sum().backward()
    for leaf, reference in zip(leaves, references, strict=True):
        assert leaf.grad is not None
        assert reference.grad is not None
        close(leaf.grad, reference.grad, "gradient of an input")
    for (name, parameter), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        close(parameter.grad, other.grad, f"gradient of {name}")


def test_attention_without_batch_and_per_head_weights() -> None:
    ours, theirs = pair(lambda n: n.MultiheadAttention(8, 2))
    q, k = values(4, 8), values(5, 8, seed=1)
    out, weights = ours(tensor(q), tensor(k), tensor(k), average_attn_weights=False)
    expected, expected_weights = theirs(
        torch.tensor(q), torch.tensor(k), torch.tensor(k), average_attn_weights=False
    )
    close(out, expected, "output")
    close(weights, expected_weights, "weights")


LOGITS = values(6, 4)
CLASSES = np.array([0, 3, 1, 2, 3, 1])
OTHER = values(6, 4, seed=5)
SHARES = np.abs(OTHER) / np.abs(OTHER).sum(1, keepdims=True)
WEIGHT = np.array([0.5, 1.0, 2.0, 0.1], np.float32)
LOSSES: list[tuple[str, Any, Any, Any]] = [
    ("CrossEntropyLoss", {}, LOGITS, CLASSES),
    ("CrossEntropyLoss", {"ignore_index": 3}, LOGITS, CLASSES),
    ("CrossEntropyLoss", {"weight": WEIGHT, "label_smoothing": 0.2}, LOGITS, CLASSES),
    ("CrossEntropyLoss", {"label_smoothing": 0.1}, LOGITS, SHARES),
    ("CrossEntropyLoss", {}, values(2, 4, 3), np.array([[0, 1, 3], [2, 2, 0]])),
    ("NLLLoss", {"weight": WEIGHT}, LOGITS, CLASSES),
    ("NLLLoss", {"ignore_index": 1}, LOGITS, CLASSES),
    ("MSELoss", {}, LOGITS, OTHER),
    ("L1Loss", {}, LOGITS, OTHER),
    ("SmoothL1Loss", {"beta": 0.7}, LOGITS, OTHER),
    ("HuberLoss", {"delta": 0.7}, LOGITS, OTHER),
    ("BCELoss", {"weight": WEIGHT}, SHARES, SHARES[::-1].copy()),
    ("BCEWithLogitsLoss", {"weight": WEIGHT, "pos_weight": WEIGHT}, LOGITS, SHARES),
    ("KLDivLoss", {}, LOGITS, SHARES),
    ("KLDivLoss", {"log_target": True}, LOGITS, OTHER),
]


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("case", LOSSES, ids=lambda case: f"{case[0]}-{'-'.join(case[1])}")
@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides")
def test_losses(case: tuple[str, Any, Any, Any], reduction: str) -> None:
    name, options, given, target = case

    def made(library: Any, array: Any) -> Any:
        named = {
            key: array(value) if isinstance(value, np.ndarray) else value
            for key, value in options.items()
        }
        return getattr(library, name)(reduction=reduction, **named)

    mine = tensor(given, requires_grad=True)
    other = torch.tensor(given, requires_grad=True)
    loss = made(nn, tensor)(mine, tensor(target))
    expected = made(torch.nn, torch.tensor)(other, torch.tensor(target))
    close(loss, expected, "loss")
    loss.sum().backward()
    expected.sum().backward()
    assert mine.grad is not None
    assert other.grad is not None
    close(mine.grad, other.grad, "gradient")
