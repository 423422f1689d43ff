"""Transformer layers against PyTorch, with its parameters."""

from typing import Any

import numpy as np
import pytest
import torch

from pumice import nn
from pumice.errors import InvalidArgument, ShapeError
from pumice.nn import functional
from pumice.tensor.convert import tensor
from tests.nn.test_against_torch import close, pair, values

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")

OPTIONS: list[dict[str, Any]] = [
    {},
    {"batch_first": True, "norm_first": True},
    {"activation": "gelu", "bias": False},
    {"layer_norm_eps": 0.1},
]


def compare(ours: Any, theirs: Any, arrays: list[Any], **named: Any) -> None:
    """Compare outputs and the gradients of inputs and parameters."""
    mine = [tensor(each, requires_grad=True) for each in arrays]
    other = [torch.tensor(each, requires_grad=True) for each in arrays]
    out = ours(*mine, **{name: tensor(each) for name, each in named.items()})
    expected = theirs(*other, **{name: torch.tensor(each) for name, each in named.items()})
    close(out, expected, "output")
    weights = values(*expected.shape, seed=99)
    (out * tensor(weights)).sum().backward()
    (expected * torch.tensor(weights)).sum().backward()
    for left, right in zip(mine, other, strict=True):
        assert left.grad is not None
        assert right.grad is not None
        close(left.grad, right.grad, "gradient of an input")
    for (name, parameter), reference in zip(
        ours.named_parameters(), theirs.parameters(), strict=True
    ):
        close(parameter.grad, reference.grad, f"gradient of {name}")


def sequence(length: int, options: dict[str, Any], seed: int = 0) -> Any:
    shape = (3, length, 8) if options.get("batch_first") else (length, 3, 8)
    return values(*shape, seed=seed)


def later(queries: int, keys: int) -> Any:
    """Return a mask that is True where a key comes after its query."""
    return np.triu(np.ones((queries, keys), bool), 1)


PADDING = np.array([[False] * 5, [False] * 3 + [True] * 2, [False] * 4 + [True]])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("masked", [False, True])
def test_encoder(options: dict[str, Any], masked: bool) -> None:
    def build(n: Any) -> Any:
        layer = n.TransformerEncoderLayer(8, 2, 16, 0.0, **options)
        return n.TransformerEncoder(layer, 2, n.LayerNorm(8))

    ours, theirs = pair(build)
    named = {"mask": later(5, 5), "src_key_padding_mask": PADDING} if masked else {}
    compare(ours, theirs, [sequence(5, options)], **named)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("masked", [False, True])
def test_decoder(options: dict[str, Any], masked: bool) -> None:
    def build(n: Any) -> Any:
        layer = n.TransformerDecoderLayer(8, 2, 16, 0.0, **options)
        return n.TransformerDecoder(layer, 2)

    ours, theirs = pair(build)
    named = {"tgt_mask": later(4, 4), "memory_key_padding_mask": PADDING} if masked else {}
    compare(ours, theirs, [sequence(4, options), sequence(5, options, 1)], **named)


def test_whole() -> None:
    def build(n: Any) -> Any:
        return n.Transformer(8, 2, 2, 1, 16, 0.0, batch_first=True)

    ours, theirs = pair(build)
    options = {"batch_first": True}
    compare(
        ours,
        theirs,
        [sequence(5, options), sequence(4, options, 1)],
        tgt_mask=later(4, 4),
        src_key_padding_mask=PADDING,
        memory_key_padding_mask=PADDING,
    )
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    assert mask.tolist() == torch.nn.Transformer.generate_square_subsequent_mask(3).tolist()


def test_without_batch_in_evaluation() -> None:
    ours, theirs = pair(lambda n: n.TransformerEncoderLayer(8, 2, 16))
    ours.eval()
    theirs.eval()
    data = values(5, 8)
    close(ours(tensor(data)), theirs(torch.tensor(data)), "output")


def test_dropout_acts_in_training_only() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.5)
    data = tensor(values(5, 3, 8))
    assert not np.array_equal(layer(data).detach().numpy(), layer(data).detach().numpy())
    layer.eval()
    np.testing.assert_array_equal(layer(data).detach().numpy(), layer(data).detach().numpy())


def test_own_activation_and_errors() -> None:
    assert (
        nn.TransformerEncoderLayer(8, 2, activation=functional.silu).activation is functional.silu
    )
    with pytest.raises(InvalidArgument, match="activation is 'x'; 'relu', 'gelu' or a function"):
        nn.TransformerEncoderLayer(8, 2, activation="x")
    model = nn.Transformer(8, 2, 1, 1, 16)
    with pytest.raises(ShapeError, match="src has 6 features and tgt 8; both must"):
        model(tensor(values(2, 1, 6)), tensor(values(2, 1, 8)))
