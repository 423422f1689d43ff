"""Recurrent layers against PyTorch: outputs, states, gradients, messages."""

import doctest
import itertools
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import nn
from pumice.errors import InvalidArgument, ShapeError
from pumice.nn import folding, recurrent, recurrent_cells, transposed_convolution
from pumice.tensor.convert import tensor
from pumice.tensor.core import evaluate

TOLERANCE = {np.float32: 2e-5, np.float64: 1e-12}


def values(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def pair(
    name: str, *sizes: int, dtype: Any = np.float32, device: str = "cpu", **options: Any
) -> Any:
    """Return our layer and PyTorch's with the same parameters."""
    torch.manual_seed(0)
    kind = {np.float32: "float32", np.float64: "float64"}[dtype]
    theirs = getattr(torch.nn, name)(*sizes, dtype=getattr(torch, kind), **options)
    ours = getattr(nn, name)(*sizes, dtype=getattr(pumice, kind), device=device, **options)
    state = {
        key: tensor(value.numpy(), device=device) for key, value in theirs.state_dict().items()
    }
    assert list(ours.state_dict()) == list(state)
    ours.load_state_dict(state)
    return ours, theirs


def flat(result: Any) -> list[Any]:
    """Return the tensors of a result in order."""
    return (
        [part for each in result for part in flat(each)] if isinstance(result, tuple) else [result]
    )


def compare(ours: Any, theirs: Any, dtype: Any, device: str, *data: Any) -> None:
    """Compare outputs, states and all gradients; ``data`` is the input and perhaps states."""
    limit = TOLERANCE[dtype]

    def close(mine: Any, other: Any, what: str) -> None:
        np.testing.assert_allclose(
            mine.numpy(force=True), other.detach().numpy(), rtol=limit, atol=limit, err_msg=what
        )

    mine = [tensor(each, requires_grad=True, device=device) for each in data]
    others = [torch.tensor(each, requires_grad=True) for each in data]

    def arguments(leaves: list[Any]) -> list[Any]:
        return leaves if len(leaves) < 3 else [leaves[0], tuple(leaves[1:])]

    results = flat(ours(*arguments(mine)))
    expected = flat(theirs(*arguments(others)))
    assert len(results) == len(expected)
    loss: Any = 0
    reference: Any = 0
    for place, other in enumerate(expected):
        weights = values(*other.shape, seed=place + 50, dtype=dtype)
        loss = loss + (results[place] * tensor(weights, device=device)).sum()
        reference = reference + (other * torch.tensor(weights)).sum()
    loss.backward()
    reference.backward()
    evaluate([*results, *(leaf.grad for leaf in [*mine, *ours.parameters()])])
    for place, (result, other) in enumerate(zip(results, expected, strict=True)):
        close(result, other, f"result {place}")
    for place, (leaf, other) in enumerate(zip(mine, others, strict=True)):
        close(leaf.grad, other.grad, f"gradient of argument {place}")
    for (name, parameter), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        close(parameter.grad, other.grad, f"gradient of {name}")


OPTIONS: list[dict[str, Any]] = [
    {},
    {"bias": False},
    {"num_layers": 3},
    {"bidirectional": True},
    {"num_layers": 2, "bidirectional": True, "batch_first": True},
    {"num_layers": 2, "bidirectional": True, "bias": False},
]
LAYERS: list[tuple[str, dict[str, Any]]] = [
    *itertools.product(("RNN", "LSTM", "GRU"), OPTIONS),
    ("RNN", {"nonlinearity": "relu", "num_layers": 2}),
    ("LSTM", {"proj_size": 2}),
    ("LSTM", {"proj_size": 3, "num_layers": 2, "bidirectional": True, "batch_first": True}),
]


def states_of(layer: Any, batch: tuple[int, ...], dtype: Any) -> list[Any]:
    """Return initial states."""
    count = layer.num_layers * (2 if layer.bidirectional else 1)
    sizes = [layer.proj_size or layer.hidden_size, layer.hidden_size]
    return [
        values(count, *batch, size, seed=place + 7, dtype=dtype)
        for place, size in enumerate(sizes[: 2 if layer.mode == "LSTM" else 1])
    ]


@pytest.mark.filterwarnings("ignore:LSTM with projections is not supported with oneDNN")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", LAYERS, ids=lambda case: f"{case[0]}-{'-'.join(case[1])}")
def test_layers(case: tuple[str, dict[str, Any]], dtype: Any) -> None:
    name, options = case
    ours, theirs = pair(name, 3, 5, dtype=dtype, **options)
    first = (2, 4) if options.get("batch_first") else (4, 2)
    data = values(*first, 3, dtype=dtype)
    compare(ours, theirs, dtype, "cpu", data, *states_of(ours, (2,), dtype))
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("batch_first", [False, True])
def test_without_a_batch(name: str, batch_first: bool) -> None:
    options = {"num_layers": 2, "bidirectional": True, "batch_first": batch_first}
    ours, theirs = pair(name, 3, 5, **options)
    data = values(4, 3)
    compare(ours, theirs, np.float32, "cpu", data)
    ours.zero_grad()
    theirs.zero_grad()
    compare(ours, theirs, np.float32, "cpu", data, *states_of(ours, (), np.float32))


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_devices(name: str, device: str) -> None:
    ours, theirs = pair(name, 3, 17, device=device, bidirectional=True)
    compare(ours, theirs, np.float32, device, values(3, 2, 3))


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_wide_states(name: str) -> None:
    ours, theirs = pair(name, 40, 70, dtype=np.float64)
    compare(ours, theirs, np.float64, "cpu", values(9, 16, 40, dtype=np.float64))


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_captured_training_steps(name: str) -> None:
    ours, theirs = pair(name, 3, 5, num_layers=2)
    mine = pumice.optim.SGD(ours.parameters(), lr=0.1)
    other = torch.optim.SGD(theirs.parameters(), lr=0.1)

    def step(x: Any) -> Any:
        mine.zero_grad()
        loss = (ours(x)[0] ** 2).sum()
        loss.backward()
        mine.step()
        return loss.detach()

    captured = pumice.jit(step)
    for seed in range(4):
        data = values(6, 2, 3, seed=seed)
        loss = captured(tensor(data))
        other.zero_grad()
        expected = (theirs(torch.tensor(data))[0] ** 2).sum()
        expected.backward()
        other.step()
        np.testing.assert_allclose(loss.numpy(), expected.detach().numpy(), rtol=1e-4)


def test_second_derivatives() -> None:
    ours, theirs = pair("LSTM", 3, 4, dtype=np.float64)
    data = values(3, 2, 3, dtype=np.float64)
    x, y = tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
    (first,) = pumice.autograd.grad((ours(x)[0] ** 3).sum(), [x], create_graph=True)
    (expected,) = torch.autograd.grad((theirs(y)[0] ** 3).sum(), [y], create_graph=True)
    (first**2).sum().backward()
    (expected**2).sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-9, atol=1e-12)
    for (_, parameter), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        np.testing.assert_allclose(
            parameter.grad.numpy(), other.grad.numpy(), rtol=1e-9, atol=1e-12
        )


def test_dropout_between_layers() -> None:
    ours, _ = pair("GRU", 3, 64, num_layers=2, dropout=0.5)
    x = tensor(values(5, 4, 3))
    first, second = ours(x)[0].numpy(force=True), ours(x)[0].numpy(force=True)
    assert not np.array_equal(first, second)
    ours.eval()
    plain, _ = pair("GRU", 3, 64, num_layers=2)
    np.testing.assert_array_equal(ours(x)[0].numpy(force=True), plain(x)[0].numpy(force=True))
    certain, _ = pair("GRU", 3, 64, num_layers=2, dropout=1.0)
    blank = plain(x)[1][0]
    np.testing.assert_array_equal(certain(x)[1][0].numpy(force=True), blank.numpy(force=True))
    with pytest.warns(UserWarning, match="num_layers greater than 1"):
        nn.LSTM(3, 5, dropout=0.5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ["RNNCell", "LSTMCell", "GRUCell"])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_cells(name: str, bias: bool, dtype: Any, batch: tuple[int, ...]) -> None:
    ours, theirs = pair(name, 3, 5, dtype=dtype, bias=bias)
    data = values(*batch, 3, dtype=dtype)
    compare(ours, theirs, dtype, "cpu", data)
    ours.zero_grad()
    theirs.zero_grad()
    states = [values(*batch, 5, seed=place + 3, dtype=dtype) for place in range(2)]
    compare(ours, theirs, dtype, "cpu", data, *states[: 2 if name == "LSTMCell" else 1])
    assert repr(ours) == repr(theirs)


def test_relu_cell() -> None:
    ours, theirs = pair("RNNCell", 3, 5, nonlinearity="relu")
    compare(ours, theirs, np.float32, "cpu", values(2, 3), values(2, 5, seed=1))
    assert repr(ours) == repr(theirs)


def test_parameters() -> None:
    layer = nn.LSTM(3, 50, num_layers=2, bidirectional=True, proj_size=4)
    largest = max(float(abs(parameter).max()) for parameter in layer.parameters())
    assert 0.9 / 50**0.5 < largest <= 1 / 50**0.5
    reference = torch.nn.LSTM(3, 50, num_layers=2, bidirectional=True, proj_size=4)
    shapes = [[tuple(weight.shape) for weight in weights] for weights in layer.all_weights]
    assert shapes == [[tuple(w.shape) for w in weights] for weights in reference.all_weights]
    layer.flatten_parameters()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: nn.RNN(3, 0), "hidden_size must be greater than zero"),
        (lambda: nn.GRU(3, 5, num_layers=0), "num_layers must be greater than zero"),
        (lambda: nn.RNN(3, 5, dropout=1.5), "dropout is 1.5"),
        (lambda: nn.RNN(3, 5, nonlinearity="exp"), "Unknown nonlinearity 'exp'"),
        (lambda: nn.LSTM(3, 5, proj_size=5), "proj_size is 5"),
        (lambda: nn.RNNBase("GRU", 3, 5, proj_size=2), "only supported for LSTM"),
        (lambda: nn.RNNBase("MLP", 3, 5), "mode 'MLP'"),
        (lambda: nn.LSTM(3, 5)(pumice.zeros(2, 3), pumice.zeros(1, 5)), "hx holds"),
        (lambda: nn.LSTMCell(3, 5)(pumice.zeros(3), pumice.zeros(5)), "a hidden and a cell state"),
        (lambda: nn.ConvTranspose1d(3, 5, 2, groups=2), "not divisible"),
        (lambda: nn.ConvTranspose1d(4, 4, 2, groups=0), "groups is 0"),
        (lambda: nn.ConvTranspose1d(3, 5, 2, padding_mode="circular"), "padding_mode"),
        (
            lambda: nn.ConvTranspose1d(3, 5, 2)(pumice.zeros(1, 3, 4), output_size=(1, 2)),
            "output_size has 2 numbers",
        ),
    ],
)
def test_refused_arguments(build: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        build()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.RNN(3, 5)(pumice.zeros(2, 4)), "Expected 3, got 4"),
        (lambda: nn.RNN(3, 5)(pumice.zeros(3)), "2D or 3D, got 1D"),
        (lambda: nn.RNN(3, 5)(pumice.zeros(0, 3)), "sequence length"),
        (lambda: nn.GRU(3, 5)(pumice.zeros(2, 4, 3), pumice.zeros(1, 3, 5)), r"got \[1, 3, 5\]"),
        (lambda: nn.GRUCell(3, 5)(pumice.zeros(2, 4)), "got 4 expected 3"),
        (lambda: nn.GRUCell(3, 5)(pumice.zeros(2, 2, 3)), "1D or 2D, got 3D"),
        (lambda: nn.GRUCell(3, 5)(pumice.zeros(2, 3), pumice.zeros(3, 5)), "hidden size"),
        (
            lambda: nn.ConvTranspose1d(3, 5, 2)(pumice.zeros(1, 3, 4), output_size=(9,)),
            r"output_size is \[9\]",
        ),
    ],
)
def test_refused_shapes(call: Any, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        call()


def test_output_size_of_transposed_convolutions() -> None:
    ours, theirs = pair("ConvTranspose2d", 3, 4, 3, stride=2, padding=1)
    data = values(2, 3, 4, 5)
    for size in ([8, 9], [2, 4, 7, 10]):
        out = ours(tensor(data), output_size=size)
        expected = theirs(torch.tensor(data), output_size=size)
        np.testing.assert_allclose(
            out.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-5
        )


@pytest.mark.parametrize("module", [folding, recurrent, recurrent_cells, transposed_convolution])
def test_examples(module: Any) -> None:
    failed, tried = doctest.testmod(module, extraglobs={"pumice": pumice})
    assert tried
    assert not failed
