"""Sorting, ranking and searching."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction, scan
from pumice.ops.structure import Indexing
from pumice.tensor.axes import axis_of
from pumice.tensor.core import wrap
from pumice.tensor.gathering import along
from pumice.tensor.marks import method, public
from pumice.tensor.operands import call, operand, tensor_node
from pumice.tensor.reductions import check_string, dropped
from pumice.tensor.results import Located, located, shared

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _axis_last(operator: str, node: Node, dim: int) -> tuple[Node, int]:
    """Return the input with the axis last, and the axis."""
    axis = axis_of(operator, dim, len(node.shape))
    if not node.shape:
        node = build.reshape(node, (1,))
    return _swapped(node, axis), axis


def _order(operator: str, node: Node, dim: int, descending: bool) -> tuple[Node, Node, int]:
    """Return the input with the axis last, its order, and the axis."""
    moved, axis = _axis_last(operator, node, dim)
    return moved, shared(build.argsort(moved, descending)), axis


def _swapped(node: Node, axis: int) -> Node:
    """Exchange an axis and the last."""
    order = list(range(len(node.shape)))
    order[axis], order[-1] = order[-1], order[axis]
    return build.permute(node, tuple(order))


def _read(moved: Node, order: Node) -> Node:
    rank = len(moved.shape)
    return build.gather(moved, (order,), along(rank - 1, rank, True), order.shape)


@method
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = True) -> Located:
    """Order elements along an axis.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    dim : int
        The axis, the last by default.
    descending : bool
        Largest first.
    stable : bool
        Accepted; the order of equal elements is always kept.

    Returns
    -------
    (values, indices)
        Indices are int64.

    Notes
    -----
    NaN is the largest. Gradient: each value's goes to the element it came from.

    Examples
    --------
    >>> import pumice
    >>> pumice.sort(pumice.tensor([3, 1, 2])).values
    tensor([1, 2, 3])
    """
    node = tensor_node("sort", input)
    moved, order, axis = _order("sort", node, dim, descending)
    values, indices = _swapped(_read(moved, order), axis), _swapped(order, axis)
    shape = node.shape
    return located("sort", wrap(build.reshape(values, shape)), wrap(build.reshape(indices, shape)))


@method
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Return the indices that `sort` returns.

    Examples
    --------
    >>> import pumice
    >>> pumice.argsort(pumice.tensor([3, 1, 2]))
    tensor([1, 2, 0])
    """
    node = tensor_node("argsort", input)
    _, order, axis = _order("argsort", node, dim, descending)
    return wrap(build.reshape(_swapped(order, axis), node.shape))


@method
def msort(input: Tensor) -> Tensor:
    """Return the input ordered along its first axis.

    Examples
    --------
    >>> pumice.msort(pumice.tensor([[3, 1], [2, 5]]))
    tensor([[2, 1],
            [3, 5]])
    """
    return sort(input, 0).values


@method
def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Located:
    """Return the k largest (or smallest) elements along an axis, in order.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    k : int
        How many.
    dim : int
        The axis, the last by default.
    largest : bool
        False returns the smallest.
    sorted : bool
        Accepted; the result is always in order.

    Returns
    -------
    (values, indices)
        Among equal elements the lower index comes first.

    Raises
    ------
    InvalidArgument
        When k is larger than the axis.

    Examples
    --------
    >>> import pumice
    >>> pumice.topk(pumice.tensor([3, 1, 2]), 2).values
    tensor([3, 2])
    """
    node = tensor_node("topk", input)
    moved, axis = _axis_last("topk", node, dim)
    extent = moved.shape[-1]
    if not 0 <= k <= extent:
        raise InvalidArgument(
            describe("topk", f"k is {k}", f"0 to {extent}, the extent of the axis")
        )
    order = shared(build.argsort(moved, largest, k))
    values, indices = _swapped(_read(moved, order), axis), _swapped(order, axis)
    if not node.shape:
        values, indices = build.reshape(values, ()), build.reshape(indices, ())
    return located("topk", wrap(values), wrap(indices))


@method
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Located:
    """Return the k-th smallest element along an axis, counted from 1, and its index.

    Examples
    --------
    >>> pumice.kthvalue(pumice.tensor([4, 1, 3]), 2)
    kthvalue(
    values=tensor(3),
    indices=tensor(2))
    """
    node = tensor_node("kthvalue", input)
    moved, axis = _axis_last("kthvalue", node, dim)
    if not 1 <= k <= moved.shape[-1]:
        raise InvalidArgument(describe("kthvalue", f"k is {k}", f"1 to {moved.shape[-1]}"))
    return _picked("kthvalue", node, moved, build.ranked(moved, k - 1), axis, keepdim)


def _picked(
    operator: str, node: Node, moved: Node, place: Node, axis: int, keepdim: bool
) -> Located:
    """Return one element of each row, and where it stands."""
    place = shared(place)
    found = (_swapped(_read(moved, place), axis), _swapped(place, axis))
    if not node.shape:
        return located(operator, *(wrap(build.reshape(each, ())) for each in found))
    return located(operator, *(wrap(dropped(each, (axis,), keepdim)) for each in found))


@method
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Located:
    """Return the most frequent element along an axis, and where its last copy stands.

    Parameters
    ----------
    input : Tensor
        Any dtype; at least one element along the axis.
    dim : int
        The axis, the last by default.
    keepdim : bool
        Keep the axis with extent 1.

    Returns
    -------
    (values, indices)
        The smallest of equally frequent elements. No NaN equals another.

    Raises
    ------
    ShapeError
        When the axis is empty.

    Notes
    -----
    Gradient: that of the value goes to the element at its index.

    Examples
    --------
    >>> import pumice
    >>> pumice.mode(pumice.tensor([3, 1, 3, 2, 1]))
    mode(
    values=tensor(1),
    indices=tensor(4))
    """
    node = tensor_node("mode", input)
    moved, order, axis = _order("mode", node, dim, False)
    extent, last = moved.shape[-1], len(moved.shape) - 1
    if not extent:
        raise ShapeError(describe("mode", "got an empty axis", "at least one element"))
    ordered = shared(_read(moved, order))
    place = build.expand(build.iota((extent,), moved.device), moved.shape)
    # A run of equal elements begins where one differs from the one before it.
    before, after = (build.slice_axis(ordered, last, at, extent - 1) for at in (0, 1))
    begins = after.ne(before).select(build.slice_axis(place, last, 1, extent - 1), 0)
    start = build.scan(scan.CUMMAX, _behind_zero(begins), last)
    longest = build.reduce(reduction.ARGMAX, place - start, (last,))
    return _picked("mode", node, moved, _read(order, longest), axis, keepdim)


def _behind_zero(node: Node) -> Node:
    """Put a zero before the last axis."""
    rest = (0,) * (len(node.shape) - 1)
    return build.pad(node, (*rest, 1), (*rest, 0))


@method
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Located:
    """Return the lower median of all elements, or values and indices along an axis.

    Examples
    --------
    >>> pumice.median(pumice.tensor([4, 1, 3, 2]))
    tensor(2)
    """
    node = tensor_node("median", input)
    if dim is None:
        flat = build.reshape(node, (node.numel,))
        return wrap(build.reshape(_read(flat, _nan_or_middle(flat)), ()))
    moved, axis = _axis_last("median", node, dim)
    return _picked("median", node, moved, _nan_or_middle(moved), axis, keepdim)


def _nan_or_middle(moved: Node) -> Node:
    """Return where the median stands: the first NaN, if there is one."""
    extent = moved.shape[-1]
    if not extent:
        raise ShapeError(describe("median", "got an empty axis", "at least one element"))
    middle = build.ranked(moved, (extent - 1) // 2)
    if not moved.dtype.is_floating_point:
        return middle
    # NaN counts as the largest, and the first one is found.
    largest = build.reduce(reduction.ARGMAX, moved, (len(moved.shape) - 1,))
    return call("isnan", _read(moved, largest)).select(largest, middle)


@method
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Located:
    """Return `median` with NaN left out; NaN where there is nothing else.

    Examples
    --------
    >>> import pumice
    >>> pumice.nanmedian(pumice.tensor([3., float("nan"), 1.]))
    tensor(1.)
    """
    node = tensor_node("nanmedian", input)
    if dim is None:
        flat = build.reshape(node, (node.numel,))
        return wrap(build.reshape(_read(flat, _middle_of_numbers(flat)), ()))
    moved, axis = _axis_last("nanmedian", node, dim)
    return _picked("nanmedian", node, moved, _middle_of_numbers(moved), axis, keepdim)


def _middle_of_numbers(moved: Node) -> Node:
    """Return where the median of what is not NaN stands; NaN is sorted to the end."""
    extent, last = moved.shape[-1], len(moved.shape) - 1
    if not extent:
        raise ShapeError(describe("nanmedian", "got an empty axis", "at least one element"))
    if not moved.dtype.is_floating_point:
        return build.ranked(moved, (extent - 1) // 2)
    numbers = build.reduce(reduction.SUM, ~call("isnan", moved), (last,))
    rank = call("clamp_min", call("bitwise_right_shift", numbers - 1, 1), 0)
    return _read(build.argsort(moved, False), rank)


@public
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Return where values would have to be inserted to keep sequences sorted.

    Parameters
    ----------
    sorted_sequence : Tensor
        Ascending along the last axis.
    input : Tensor or number
        Any shape for a 1-D sequence, else equal leading axes.
    out_int32 : bool
        Return int32.
    right : bool
        Behind equal elements instead of before them.
    side : str, optional
        ``"left"`` or ``"right"``, instead of ``right``.
    sorter : Tensor, optional
        Indices that sort the sequence.

    Returns
    -------
    Tensor
        int64, the input's shape. NaN goes to the end.

    Examples
    --------
    >>> pumice.searchsorted(pumice.tensor([1, 3, 5]), pumice.tensor([0, 3, 6]))
    tensor([0, 1, 3])
    """
    edges = tensor_node("searchsorted", sorted_sequence, "sorted_sequence")
    given = operand("searchsorted", input)
    values = (
        given if isinstance(given, Node) else build.constant(given, edges.dtype, (), edges.device)
    )
    rank = len(edges.shape)
    if rank != 1 and (rank != len(values.shape) or edges.shape[:-1] != values.shape[:-1]):
        raise ShapeError(
            describe(
                "searchsorted",
                f"the sequence has shape {list(edges.shape)}, the values {list(values.shape)}",
                "a 1-D sequence, or equal leading axes",
            )
        )
    if sorter is not None:
        edges = _read(edges, tensor_node("searchsorted", sorter, "sorter"))
    if side is not None:
        check_string("searchsorted", "side", side, ("left", "right"))
    axes = Indexing((*(-1 - axis for axis in range(rank - 1)), 0), fill=True)
    result = _inserted(edges, values, axes, right if side is None else side == "right")
    return wrap(build.cast(result, dtypes.int32) if out_int32 else result)


def _inserted(edges: Node, values: Node, axes: Indexing, behind: bool) -> Node:
    """Find all places at once, halving as often as the length asks for."""
    count = edges.shape[-1]
    low = build.constant(0, dtypes.int64, values.shape, values.device)
    high = build.constant(count, dtypes.int64, values.shape, values.device)
    for _ in range(count.bit_length()):
        unsettled = low < high
        middle = call("floor_divide", low + high, 2)
        probe = build.gather(edges, (middle,), axes, values.shape)
        # NaN is neither before nor among the edges: a comparison that does not hold goes further.
        settled = call("greater" if behind else "greater_equal", probe, values)
        further = unsettled & ~settled
        low, high = further.select(middle + 1, low), (unsettled & ~further).select(middle, high)
    return low


@public
def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Return the bucket of each value between ascending boundaries; see `searchsorted`.

    Examples
    --------
    >>> pumice.bucketize(pumice.tensor([0, 3, 6]), pumice.tensor([1, 3, 5]))
    tensor([0, 1, 3])
    """
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)
