"""Layers against PyTorch: its state_dict loads by name and gives its outputs and gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
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
    ("adaptive-max-pool-1d", lambda n: n.AdaptiveMaxPool1d(4), (2, 3, 9)),
    ("adaptive-max-pool-2d", lambda n: n.AdaptiveMaxPool2d((3, None)), IMAGES),
    ("adaptive-max-pool-3d", lambda n: n.AdaptiveMaxPool3d(2), (1, 2, 4, 5, 2)),
    ("lp-pool-1d", lambda n: n.LPPool1d(3, 2), (2, 3, 9)),
    ("lp-pool-2d", lambda n: n.LPPool2d(2, (2, 3), stride=1, ceil_mode=True), IMAGES),
    ("lp-pool-3d", lambda n: n.LPPool3d(4, 2), (1, 2, 4, 4, 2)),
    ("instance-norm-1d", lambda n: n.InstanceNorm1d(3), (2, 3, 9)),
    ("instance-norm-1d-alone", lambda n: n.InstanceNorm1d(3, affine=True), (3, 9)),
    (
        "instance-norm-2d",
        lambda n: n.InstanceNorm2d(4, 1e-3, 0.3, affine=True, track_running_stats=True),
        IMAGES,
    ),
    ("instance-norm-3d", lambda n: n.InstanceNorm3d(2), (1, 2, 3, 4, 3)),
    ("local-response-norm", lambda n: n.LocalResponseNorm(3, 0.5, k=2.0), IMAGES),
    ("pixel-shuffle", lambda n: n.PixelShuffle(2), IMAGES),
    ("pixel-unshuffle", lambda n: n.PixelUnshuffle(2), (2, 3, 6, 4)),
    ("channel-shuffle", lambda n: n.ChannelShuffle(2), IMAGES),
    ("upsample", lambda n: n.Upsample(scale_factor=2), IMAGES),
    ("upsample-size", lambda n: n.Upsample((7, 9), mode="bilinear"), IMAGES),
    ("upsampling-nearest", lambda n: n.UpsamplingNearest2d(scale_factor=2), IMAGES),
    ("upsampling-bilinear", lambda n: n.UpsamplingBilinear2d(size=(9, 8)), IMAGES),
    ("constant-pad-1d", lambda n: n.ConstantPad1d((1, 2), 3.5), (2, 3, 5)),
    ("constant-pad-2d", lambda n: n.ConstantPad2d((1, 2, 0, -1), -1.0), IMAGES),
    ("constant-pad-3d", lambda n: n.ConstantPad3d(1, 2.0), (1, 2, 3, 4, 3)),
    ("zero-pad-1d", lambda n: n.ZeroPad1d((1, 2)), (2, 3, 5)),
    ("zero-pad-2d", lambda n: n.ZeroPad2d(2), IMAGES),
    ("zero-pad-3d", lambda n: n.ZeroPad3d((1, 0, 2, 0, 0, 1)), (1, 2, 3, 4, 3)),
    ("reflection-pad-1d", lambda n: n.ReflectionPad1d((1, 2)), (2, 3, 5)),
    ("reflection-pad-2d", lambda n: n.ReflectionPad2d((1, 2, 3, 0)), IMAGES),
    ("reflection-pad-3d", lambda n: n.ReflectionPad3d(1), (1, 2, 3, 4, 3)),
    ("replication-pad-1d", lambda n: n.ReplicationPad1d((1, 2)), (2, 3, 5)),
    ("replication-pad-2d", lambda n: n.ReplicationPad2d((1, 2, 3, 0)), IMAGES),
    ("replication-pad-3d", lambda n: n.ReplicationPad3d(2), (1, 2, 3, 4, 3)),
    ("circular-pad-1d", lambda n: n.CircularPad1d((1, 2)), (2, 3, 5)),
    ("circular-pad-2d", lambda n: n.CircularPad2d((1, 2, 3, 0)), IMAGES),
    ("circular-pad-3d", lambda n: n.CircularPad3d(2), (1, 2, 3, 4, 3)),
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
    ("softmax-2d", lambda n: n.Softmax2d(), IMAGES),
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
SIGNS = np.where(OTHER > 0, 1, -1).astype(np.float32)
LABELS = np.array(
    [[3, 0, -1, 1], [-1, 2, 1, 0], [0, 1, 2, 3], [2, 2, -1, 1], [1, -1, 0, 0], [3] * 4]
)
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
    ("HingeEmbeddingLoss", {"margin": 0.5}, LOGITS, SIGNS),
    ("SoftMarginLoss", {}, LOGITS, SIGNS),
    ("MultiLabelSoftMarginLoss", {"weight": WEIGHT}, LOGITS, (SIGNS + 1) / 2),
    ("MultiMarginLoss", {}, LOGITS, CLASSES),
    ("MultiMarginLoss", {"p": 2, "margin": 0.5, "weight": WEIGHT}, LOGITS, CLASSES),
    ("MultiLabelMarginLoss", {}, LOGITS, LABELS),
    ("MultiLabelMarginLoss", {}, LOGITS[0], LABELS[1]),
    ("PoissonNLLLoss", {}, LOGITS, CLASSES[:, None] + np.zeros((6, 4), np.float32)),
    ("PoissonNLLLoss", {"full": True, "log_input": False}, SHARES, np.abs(OTHER) * 3),
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


DISTANCE = {"distance_function": lambda x, y: (x - y).abs().sum(-1)}
PAIRS: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("MarginRankingLoss", {"margin": 0.3}, [LOGITS, OTHER, SIGNS]),
    ("CosineEmbeddingLoss", {"margin": 0.3}, [LOGITS, OTHER, SIGNS[:, 0]]),
    ("TripletMarginLoss", {}, [LOGITS, OTHER, values(6, 4, seed=6)]),
    ("TripletMarginLoss", {"margin": 0.5, "p": 1.0, "swap": True}, [LOGITS, OTHER, SHARES]),
    ("TripletMarginWithDistanceLoss", {}, [LOGITS, OTHER, SHARES]),
    ("TripletMarginWithDistanceLoss", {**DISTANCE, "swap": True}, [LOGITS, OTHER, SHARES]),
    ("GaussianNLLLoss", {}, [LOGITS, OTHER, SHARES]),
    ("GaussianNLLLoss", {"full": True, "eps": 0.1}, [LOGITS, OTHER, SHARES[:, :1]]),
    ("CosineSimilarity", {"dim": 0}, [LOGITS, OTHER]),
    ("PairwiseDistance", {"p": 1.5, "keepdim": True}, [LOGITS, OTHER]),
]


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: f"{case[0]}-{'-'.join(case[1])}")
def test_losses_and_distances_of_pairs(case: tuple[str, dict[str, Any], list[Any]]) -> None:
    name, options, given = case
    reductions = ["mean", "sum", "none"] if name.endswith("Loss") else [None]
    for reduction in reductions:
        named = options if reduction is None else {**options, "reduction": reduction}
        mine = [tensor(each, requires_grad=True) for each in given]
        other = [torch.tensor(each, requires_grad=True) for each in given]
        loss = getattr(nn, name)(**named)(*mine)
        expected = getattr(torch.nn, name)(**named)(*other)
        close(loss, expected, f"{reduction}")
        loss.sum().backward()
        expected.sum().backward()
        for ours, theirs in zip(mine, other, strict=True):
            if theirs.grad is not None:
                assert ours.grad is not None
                close(ours.grad, theirs.grad, f"gradient of {reduction}")


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_max_unpool(rank: int) -> None:
    data = values(2, 3, *(4, 6, 8)[:rank])
    pool, unpool = (getattr(nn, f"{kind}{rank}d") for kind in ("MaxPool", "MaxUnpool"))
    pooled, indices = pool(2, return_indices=True)(tensor(data))
    their_pool, their_unpool = (
        getattr(torch.nn, f"{kind}{rank}d") for kind in ("MaxPool", "MaxUnpool")
    )
    expected, places = their_pool(2, return_indices=True)(torch.tensor(data))
    close(unpool(2)(pooled, indices), their_unpool(2)(expected, places), "output")
    assert repr(unpool(2)) == repr(their_unpool(2))


BAGS: list[dict[str, Any]] = [
    {"mode": "sum"},
    {"mode": "mean", "padding_idx": 2},
    {"mode": "max", "padding_idx": 2},
    {"mode": "mean", "include_last_offset": True},
]


@pytest.mark.parametrize("options", BAGS, ids=str)
@pytest.mark.parametrize("two", [False, True])
def test_embedding_bag(options: dict[str, Any], two: bool) -> None:
    if two and "include_last_offset" in options:
        options = {}
    ours, theirs = pair(lambda n: n.EmbeddingBag(5, 3, **options))
    index = np.array([[0, 4, 4], [2, 0, 1], [2, 2, 2]])
    arguments = [index] if two else [index.ravel(), np.array([0, 2, 2, 5, 9])]
    if not two and "include_last_offset" not in options:
        arguments[1] = arguments[1][:-1]
    out = ours(*(tensor(each) for each in arguments))
    expected = theirs(*(torch.tensor(each) for each in arguments))
    close(out, expected, "output")
    (out * out).sum().backward()
    (expected * expected).sum().backward()
    close(ours.weight.grad, theirs.weight.grad, "gradient")
    assert repr(ours) == repr(theirs)


def test_embedding_bag_with_weights() -> None:
    ours, theirs = pair(lambda n: n.EmbeddingBag(5, 3, mode="sum"))
    index, scale = np.array([[0, 4, 4], [2, 0, 1]]), values(2, 3, seed=4)
    mine, other = tensor(scale, requires_grad=True), torch.tensor(scale, requires_grad=True)
    out = ours(tensor(index), per_sample_weights=mine)
    expected = theirs(torch.tensor(index), per_sample_weights=other)
    close(out, expected, "output")
    (out * out).sum().backward()
    (expected * expected).sum().backward()
    assert mine.grad is not None
    assert other.grad is not None
    close(mine.grad, other.grad, "gradient")


def test_parameter_containers() -> None:
    for library, array in ((nn, tensor), (torch.nn, torch.tensor)):
        first: Any = library
        parts = first.ParameterList([first.Parameter(array([1.0])), array([2.0, 3.0])])
        parts.append(array([4.0]))
        assert len(parts) == 3
        assert list(parts.state_dict()) == ["0", "1", "2"]
        assert isinstance(parts[1], first.Parameter)
        assert [each.tolist() for each in parts[1:]] == [[2.0, 3.0], [4.0]]
        named = first.ParameterDict({"a": array([1.0])})
        named["b"] = array([2.0])
        assert list(named.keys()) == ["a", "b"]
        assert sorted(name for name, _ in named.named_parameters()) == ["a", "b"]
        del named["a"]
        assert "a" not in named
        assert [each.tolist() for each in named.values()] == [[2.0]]


@pytest.mark.parametrize("shape", [(0, 4), (2, 4, 0), (0, 4, 2, 2), (3, 4, 0, 2)])
@pytest.mark.parametrize("momentum", [0.1, None])
def test_batch_normalization_of_an_empty_batch_leaves_statistics_alone(
    shape: tuple[int, ...], momentum: float | None
) -> None:
    found: list[Any] = []
    for library in (torch, pumice):
        kind: Any = library.nn.BatchNorm2d if len(shape) == 4 else library.nn.BatchNorm1d
        layer = kind(4, momentum=momentum)
        x = library.zeros(*shape).requires_grad_()
        result = layer(x)
        result.sum().backward()
        state = {key: value.tolist() for key, value in layer.state_dict().items()}
        gradients = (layer.weight.grad.tolist(), layer.bias.grad.tolist(), tuple(x.grad.shape))
        found.append((tuple(result.shape), state, gradients))
    assert found[0] == found[1]
