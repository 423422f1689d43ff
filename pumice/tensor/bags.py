"""Sums, means and maxima over groups of embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import accumulation_dtype
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.tensor.creation import full, ones_like
from pumice.tensor.gathering import embedding
from pumice.tensor.marks import functional
from pumice.tensor.ranges import arange
from pumice.tensor.selection import where
from pumice.tensor.sorting import searchsorted

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

MODES = ("sum", "mean", "max")


def _bags(input: Tensor, offsets: Tensor | None, include_last: bool) -> tuple[Any, int]:
    """Return which bag each index belongs to, and how many bags there are."""
    if input.ndim == 2:
        if offsets is not None:
            raise InvalidArgument(
                describe(
                    "embedding_bag", "got offsets with a 2-D input", "no offsets: rows are bags"
                )
            )
        rows, length = input.shape
        return (arange(rows * length, device=input.device) // max(length, 1)), rows
    if input.ndim != 1 or offsets is None or offsets.ndim != 1:
        raise ShapeError(
            describe(
                "embedding_bag",
                f"got input {list(input.shape)} and "
                + ("no offsets" if offsets is None else f"offsets {list(offsets.shape)}"),
                "(B, N), or (N) with offsets (B)",
            )
        )
    count = offsets.shape[0] - bool(include_last)
    place = arange(input.shape[0], dtype=offsets.dtype, device=input.device)
    return searchsorted(offsets[:count], place, right=True) - 1, count


def _check_mode(mode: str, per_sample_weights: Tensor | None) -> None:
    if mode not in MODES:
        raise InvalidArgument(
            describe("embedding_bag", f"mode is {mode!r}", f"one of {', '.join(MODES)}")
        )
    if per_sample_weights is not None and mode != "sum":
        raise InvalidArgument(
            describe("embedding_bag", f"per_sample_weights with mode {mode!r}", "mode 'sum'")
        )


@functional
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Read rows of a table and fold those of each bag.

    Parameters
    ----------
    input : Tensor
        (B, N), each row a bag; or (N), with offsets. Integer.
    weight : Tensor
        (rows, features)
    offsets : Tensor, optional
        (B); where each bag begins in a 1-D input.
    max_norm, norm_type, scale_grad_by_freq, sparse
        As in `embedding`.
    mode : {"sum", "mean", "max"}
        How a bag is folded.
    per_sample_weights : Tensor, optional
        The shape of the input; what each row is multiplied by, for sums only.
    include_last_offset : bool
        Whether the last offset is the end of the last bag.
    padding_idx : int, optional
        A row that does not take part and receives no gradient.

    Returns
    -------
    Tensor
        (B, features); zeros for an empty bag.

    Raises
    ------
    InvalidArgument, ShapeError
        For arguments that do not fit each other.
    IndexOutOfRange
        When a row does not exist (at evaluation).

    Examples
    --------
    >>> import pumice
    >>> table = pumice.tensor([[1., 2.], [3., 4.], [5., 6.]])
    >>> bags = pumice.tensor([[0, 1], [2, 2]])
    >>> pumice.nn.functional.embedding_bag(bags, table, mode="sum").tolist()
    [[4.0, 6.0], [10.0, 12.0]]
    """
    _check_mode(mode, per_sample_weights)
    flat = input.reshape(-1)
    rows = embedding(flat, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    # Bags of 16-bit floats are added up and counted in float32, and rounded once.
    rows = rows.to(accumulation_dtype(rows.dtype))
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    skipped = None if padding_idx is None else padding_idx % weight.shape[0]
    present = ones_like(flat, dtype=dtypes.bool_) if skipped is None else flat != skipped
    result: Tensor = _folded(rows, *_bags(input, offsets, include_last_offset), present, mode)
    return result.to(weight.dtype)


def _folded(rows: Any, bag: Any, count: int, present: Any, mode: str) -> Any:
    blank: Any = full((count, rows.shape[1]), 0.0, dtype=rows.dtype, device=rows.device)
    if mode == "max":
        # Rows that do not take part go to one more bag, which is dropped.
        index = where(present, bag, count).unsqueeze(1).expand(rows.shape)
        longer: Any = full((count + 1, rows.shape[1]), 0.0, dtype=rows.dtype, device=rows.device)
        return longer.scatter_reduce(0, index, rows, "amax", include_self=False)[:count]
    total = blank.index_add(0, bag, where(present.unsqueeze(1), rows, 0.0))
    if mode == "sum":
        return total
    members = full((count,), 0.0, dtype=rows.dtype, device=rows.device)
    members = members.index_add(0, bag, present.to(rows.dtype))
    return total / members.clamp(min=1).unsqueeze(1)
