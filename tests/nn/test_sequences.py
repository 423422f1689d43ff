"""Padded and packed sequences, and recurrent layers over them, against PyTorch."""

from typing import Any

import pytest
import torch
from torch.nn.utils import rnn as theirs

from pumice import nn
from pumice.errors import InvalidArgument, ShapeError
from pumice.nn.utils import rnn as ours
from pumice.tensor.convert import tensor
from tests.nn.test_against_torch import close, pair, values

LENGTHS = [5, 3, 3, 1]
MIXED = [3, 5, 1, 3]


def assert_packed(mine: ours.PackedSequence, other: Any) -> None:
    close(mine.data, other.data, "data")
    assert mine.batch_sizes.tolist() == other.batch_sizes.tolist()
    for left, right in (
        (mine.sorted_indices, other.sorted_indices),
        (mine.unsorted_indices, other.unsorted_indices),
    ):
        assert (None if left is None else left.tolist()) == (
            None if right is None else right.tolist()
        )


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("side", ["left", "right"])
def test_pad(batch_first: bool, side: str) -> None:
    parts = [values(length, 2, seed=length) for length in MIXED]
    mine = ours.pad_sequence([tensor(each) for each in parts], batch_first, -1.5, side)
    other = theirs.pad_sequence([torch.tensor(each) for each in parts], batch_first, -1.5, side)
    close(mine, other, "padded")
    if side == "right":
        back = ours.unpad_sequence(mine, MIXED, batch_first)
        assert [each.tolist() for each in back] == [each.tolist() for each in parts]


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("lengths", [LENGTHS, MIXED], ids=str)
def test_pack_and_back(batch_first: bool, lengths: list[int]) -> None:
    data = values(4, 6, 2) if batch_first else values(6, 4, 2)
    ordered = lengths == LENGTHS
    mine = ours.pack_padded_sequence(tensor(data), tensor(lengths), batch_first, ordered)
    other = theirs.pack_padded_sequence(
        torch.tensor(data), torch.tensor(lengths), batch_first, ordered
    )
    assert_packed(mine, other)
    padded, found = ours.pad_packed_sequence(mine, batch_first, 9.0, 7)
    expected, theirs_found = theirs.pad_packed_sequence(other, batch_first, 9.0, 7)
    close(padded, expected, "padded")
    assert found.tolist() == theirs_found.tolist() == lengths


def test_pack_sequence() -> None:
    parts = [values(length, 2, seed=length) for length in MIXED]
    mine = ours.pack_sequence([tensor(each) for each in parts], enforce_sorted=False)
    other = theirs.pack_sequence([torch.tensor(each) for each in parts], enforce_sorted=False)
    assert_packed(mine, other)
    back = ours.unpack_sequence(mine)
    assert [each.tolist() for each in back] == [each.tolist() for each in parts]


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("lengths", [LENGTHS, MIXED], ids=str)
@pytest.mark.parametrize("given_state", [False, True])
def test_recurrent_layers(kind: str, lengths: list[int], given_state: bool) -> None:
    mine, other = pair(lambda n: getattr(n, kind)(2, 3, num_layers=2, bidirectional=True))
    data = values(5, 4, 2)
    state = [values(4, 4, 3, seed=number) for number in range(2 if kind == "LSTM" else 1)]
    ordered = lengths == LENGTHS

    def run(layer: Any, library: Any, array: Any) -> Any:
        leaf = array(data, requires_grad=True)
        packed = library.pack_padded_sequence(leaf, lengths, enforce_sorted=ordered)
        given: Any = tuple(array(each) for each in state) if given_state else None
        if given_state and kind != "LSTM":
            given = given[0]
        output, last = layer(packed, given)
        padded, _ = library.pad_packed_sequence(output)
        finals = last if isinstance(last, tuple) else (last,)
        total = (padded * padded).sum()
        for each in finals:
            total = total + (each * each).sum()
        total.backward()
        return padded, finals, leaf.grad

    padded, finals, gradient = run(mine, ours, tensor)
    expected, their_finals, their_gradient = run(other, theirs, torch.tensor)
    close(padded, expected, "output")
    for left, right in zip(finals, their_finals, strict=True):
        close(left, right, "state")
    close(gradient, their_gradient, "gradient")
    for (name, parameter), reference in zip(
        mine.named_parameters(), other.parameters(), strict=True
    ):
        close(parameter.grad, reference.grad, name)


def test_wrong_arguments() -> None:
    data = tensor(values(4, 3, 2))
    with pytest.raises(InvalidArgument, match="are not sorted in decreasing order"):
        ours.pack_padded_sequence(data, [1, 2, 3])
    with pytest.raises(InvalidArgument, match="Length of all samples has to be greater than 0"):
        ours.pack_padded_sequence(data, [2, 1, 0])
    with pytest.raises(ShapeError, match=r"got lengths \[2, 1\] for 3 sequences of at most 4"):
        ours.pack_padded_sequence(data, [2, 1])
    packed = ours.pack_padded_sequence(data, [4, 2, 1])
    with pytest.raises(InvalidArgument, match="total_length is 3; at least the length of the long"):
        ours.pad_packed_sequence(packed, total_length=3)
    with pytest.raises(InvalidArgument, match="got 0 sequences and padding_side 'right'"):
        ours.pad_sequence([])
    with pytest.raises(ShapeError, match="Expected 3, got 2"):
        nn.GRU(3, 4)(packed)
    assert packed.to("cpu").data.tolist() == packed.data.tolist()
