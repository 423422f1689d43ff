"""Sequences of different lengths, padded or packed, for recurrent layers."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pumice.arguments import guarded
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.tensor.convert import tensor
from pumice.tensor.creation import full
from pumice.tensor.tensor import Tensor


class PackedSequence(NamedTuple):
    """Sequences of different lengths, without padding: all first steps, all second steps, ...

    Attributes
    ----------
    data : Tensor
        (steps of all sequences, ...), the longest sequence first within a step.
    batch_sizes : Tensor
        How many sequences have each step, int64 on the CPU.
    sorted_indices, unsorted_indices : Tensor or None
        How sequences were put in order of length, and back; None if they were already.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    def to(self, *args: Any, **kwargs: Any) -> "PackedSequence":
        """Return the sequences on another device or in another dtype; indices stay integers."""
        data = self.data.to(*args, **kwargs)
        moved = [
            None if each is None else each.to(data.device)
            for each in (self.sorted_indices, self.unsorted_indices)
        ]
        return PackedSequence(data, self.batch_sizes, *moved)


@guarded
def pad_sequence(
    sequences: Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Put sequences of different lengths into one tensor.

    Parameters
    ----------
    sequences : iterable of Tensor
        (length, ...), alike but for the length.
    batch_first : bool
        Whether the result is (N, longest, ...) instead of (longest, N, ...).
    padding_value : float
        What fills the rest.
    padding_side : {"right", "left"}
        Where the rest is.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        Without sequences, or for another side.

    Examples
    --------
    >>> from pumice.nn.utils.rnn import pad_sequence
    >>> parts = [pumice.tensor([1., 2., 3.]), pumice.tensor([4.])]
    >>> pad_sequence(parts, batch_first=True).tolist()
    [[1.0, 2.0, 3.0], [4.0, 0.0, 0.0]]
    """
    given = list(sequences)
    if not given or padding_side not in ("right", "left"):
        raise InvalidArgument(
            describe(
                "pad_sequence",
                f"got {len(given)} sequences and padding_side {padding_side!r}",
                "at least one, 'right' or 'left'",
            )
        )
    longest = max(each.shape[0] for each in given)
    first = given[0]
    shape = (len(given), longest, *first.shape[1:])
    padded = full(shape, padding_value, dtype=first.dtype, device=first.device)
    for number, each in enumerate(given):
        length = each.shape[0]
        start = longest - length if padding_side == "left" else 0
        padded[number, start : start + length] = each
    return padded if batch_first else padded.transpose(0, 1)


@guarded
def unpad_sequence(
    padded_sequences: Tensor, lengths: Any, batch_first: bool = False
) -> list[Tensor]:
    """Return the sequences that `pad_sequence` put together on the left.

    Parameters
    ----------
    padded_sequences : Tensor
        (longest, N, ...), or (N, longest, ...) if ``batch_first``.
    lengths : Tensor or sequence of int
        The length of each.

    Returns
    -------
    list of Tensor
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [rows[number, :length] for number, length in enumerate(_lengths(lengths).tolist())]


@guarded
def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Leave the padding of sequences out.

    Parameters
    ----------
    input : Tensor
        (longest, N, ...), or (N, longest, ...) if ``batch_first``.
    lengths : Tensor or sequence of int
        The length of each sequence, 1 or more; a tensor is read at once.
    batch_first : bool
        Which axis counts the sequences.
    enforce_sorted : bool
        Whether the lengths must not increase; otherwise sequences are put in order first.

    Returns
    -------
    PackedSequence

    Raises
    ------
    InvalidArgument, ShapeError
        For lengths that are not in order, not positive or not one for each sequence.

    Examples
    --------
    >>> from pumice.nn.utils.rnn import pack_padded_sequence
    >>> padded = pumice.tensor([[1., 2., 3.], [4., 0., 0.]])
    >>> pack_padded_sequence(padded, [3, 1], batch_first=True).data.tolist()
    [1.0, 4.0, 2.0, 3.0]
    """
    steps = input.transpose(0, 1) if batch_first else input
    sizes = _lengths(lengths)
    _check_lengths(sizes, steps.shape[0], steps.shape[1], enforce_sorted)
    order = None
    if not enforce_sorted:
        order = np.argsort(-sizes, kind="stable")
        sizes = sizes[order]
        steps = steps[:, tensor(order, device=input.device)]
    longest = int(sizes[0])
    present = np.arange(longest)[:, None] < sizes[None, :]
    places = tensor(np.flatnonzero(present), device=input.device)
    data = steps[:longest].reshape(-1, *steps.shape[2:])[places]
    batch_sizes = tensor(present.sum(1).astype(np.int64), device="cpu")
    if order is None:
        return PackedSequence(data, batch_sizes)
    return PackedSequence(
        data,
        batch_sizes,
        tensor(order, device=input.device),
        tensor(np.argsort(order, kind="stable"), device=input.device),
    )


@guarded
def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return packed sequences padded, in their first order, and their lengths.

    Parameters
    ----------
    sequence : PackedSequence
        What `pack_padded_sequence` or a recurrent layer returned.
    batch_first : bool
        Whether the result is (N, longest, ...) instead of (longest, N, ...).
    padding_value : float
        What fills the rest.
    total_length : int, optional
        Pad to this length instead of that of the longest.

    Returns
    -------
    (Tensor, Tensor)
        The padded sequences, and their lengths as int64 on the CPU.

    Raises
    ------
    InvalidArgument
        When the total length is less than the longest.
    """
    counts = np.asarray(sequence.batch_sizes.tolist(), np.int64)
    longest, batch = len(counts), int(counts[0])
    if total_length is not None and total_length < longest:
        raise InvalidArgument(
            describe(
                "pad_packed_sequence",
                f"total_length is {total_length}",
                f"at least the length of the longest sequence, {longest}",
            )
        )
    total = longest if total_length is None else total_length
    present = np.arange(batch)[None, :] < counts[:, None]
    data = sequence.data
    blank = full(
        (total * batch, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device
    )
    places = tensor(np.flatnonzero(present), device=data.device)
    padded = blank.index_copy(0, places, data).reshape(total, batch, *data.shape[1:])
    lengths = tensor(present.sum(0).astype(np.int64), device="cpu")
    if sequence.unsorted_indices is not None:
        padded = padded[:, sequence.unsorted_indices]
        lengths = lengths[sequence.unsorted_indices.to("cpu")]
    return (padded.transpose(0, 1) if batch_first else padded), lengths


@guarded
def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences (length, ...); arguments as `pack_padded_sequence`."""
    lengths = [each.shape[0] for each in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


@guarded
def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return packed sequences as a list, in their first order."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


def _lengths(given: Any) -> NDArray[np.int64]:
    values = given.tolist() if isinstance(given, Tensor) else list(given)
    return np.asarray(values, np.int64)


def _check_lengths(sizes: NDArray[np.int64], steps: int, batch: int, ordered: bool) -> None:
    name = "pack_padded_sequence"
    if sizes.shape != (batch,) or not batch or sizes.max() > steps:
        raise ShapeError(
            describe(
                name,
                f"got lengths {sizes.tolist()} for {batch} sequences of at most {steps} steps",
                "one length for each, at most the steps",
            )
        )
    if sizes.min() < 1:
        raise InvalidArgument(
            describe(
                name,
                f"got lengths {sizes.tolist()}",
                "Length of all samples has to be greater than 0",
            )
        )
    if ordered and (np.diff(sizes) > 0).any():
        raise InvalidArgument(
            describe(
                name,
                f"lengths {sizes.tolist()} are not sorted in decreasing order",
                "or enforce_sorted=False",
            )
        )
