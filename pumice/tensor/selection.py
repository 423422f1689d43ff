"""Choosing between values: where, clamp, masks, triangles, interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pumice.dtypes import Scalar
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.core import wrap
from pumice.tensor.counting import condition_node, nonzero
from pumice.tensor.marks import inplace_method, public
from pumice.tensor.operands import call, operand, tensor_node, widened
from pumice.tensor.ranges import grid

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@public
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Choose elements of ``input`` where a condition is true, of ``other`` elsewhere.

    Parameters
    ----------
    condition : Tensor
        bool
    input, other : Tensor or number
        The values; all three broadcast and the values promote. Without them the positions of
        true elements are returned, as `nonzero` with ``as_tuple=True``.

    Returns
    -------
    Tensor

    Raises
    ------
    DTypeError
        When the condition is not bool.

    Notes
    -----
    The value not chosen never reaches the result. Gradient: g to the chosen one, exactly 0 to the
    other.

    Examples
    --------
    >>> import pumice
    >>> pumice.where(pumice.tensor([True, False]), 1., 2.)
    tensor([1., 2.])
    """
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    node = condition_node("where", condition)
    return wrap(call("where", node, operand("where", input), operand("where", other)))


def _bounded(operator: str, node: Node, low: Any, high: Any) -> Node:
    if low is None and high is None:
        raise InvalidArgument(
            describe(operator, "neither min nor max is given", "at least one is needed")
        )
    if high is None:
        return call("clamp_min", node, operand(operator, low))
    if low is None:
        return call("clamp_max", node, operand(operator, high))
    return call("clamp", node, operand(operator, low), operand(operator, high))


@inplace_method
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Limit elements to a range.

    Parameters
    ----------
    input : Tensor
        Any shape; integer or floating.
    min, max : number, Tensor or None
        The bounds; one may be left out.

    Returns
    -------
    Tensor
        ``max`` where the bounds are crossed; NaN stays.

    Raises
    ------
    InvalidArgument
        When no bound is given.

    Notes
    -----
    Gradient: g where the input lies within the bounds, 0 elsewhere.

    Examples
    --------
    >>> import pumice
    >>> pumice.clamp(pumice.tensor([-2., 0.5, 2.]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
    return wrap(_bounded("clamp", tensor_node("clamp", input), min, max))


@inplace_method
def clip(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Limit elements to a range; the NumPy name of `clamp`.

    Examples
    --------
    >>> pumice.clip(pumice.tensor([-3, 1, 5]), 0, 2)
    tensor([0, 1, 2])
    """
    return clamp(input, min, max)


@inplace_method
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Replace elements by a number where a mask is true.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    mask : Tensor
        bool; broadcasts with the input.
    value : number or 0-d Tensor
        Converted to the input's dtype.

    Returns
    -------
    Tensor

    Raises
    ------
    DTypeError
        When the mask is not bool.

    Examples
    --------
    >>> import pumice
    >>> pumice.masked_fill(pumice.tensor([1, 2]), pumice.tensor([True, False]), 0)
    tensor([0, 2])
    """
    node = tensor_node("masked_fill", input)
    chosen = condition_node("masked_fill", mask, "mask")
    number = operand("masked_fill", value)
    if not isinstance(number, Node):
        if isinstance(number, float) and not node.dtype.is_floating_point:
            _check_whole(number, node)
        number = build.constant(number, node.dtype, (), node.device)
    elif number.shape:
        raise ShapeError(
            describe("masked_fill", f"value has shape {list(number.shape)}", "it must be 0-d")
        )
    return wrap(call("where", chosen, build.cast(number, node.dtype), node))


def _check_whole(number: float, node: Node) -> None:
    if number != number or number in (float("inf"), float("-inf")):
        raise InvalidArgument(
            describe("masked_fill", f"{number} does not fit {node.dtype.name}", "a finite number")
        )


@inplace_method
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """Interpolate: ``input + weight * (end - input)``, exact at both ends.

    Parameters
    ----------
    input, end : Tensor
        Floating, of one dtype.
    weight : number or Tensor
        0 gives ``input``, 1 gives ``end``.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.lerp(pumice.tensor([0., 10.]), pumice.tensor([4., 20.]), 0.5)
    tensor([ 2., 15.])
    """
    start, stop = tensor_node("lerp", input), tensor_node("lerp", end, "end")
    if start.dtype is not stop.dtype:
        raise DTypeError(
            describe("lerp", f"got {start.dtype.name} and {stop.dtype.name}", "equal dtypes")
        )
    return wrap(call("lerp", start, stop, operand("lerp", weight)))


def _three(operator: str, input: Any, tensor1: Any, tensor2: Any) -> tuple[Node, Node, Node]:
    first, second = (
        tensor_node(operator, tensor1, "tensor1"),
        tensor_node(operator, tensor2, "tensor2"),
    )
    return tensor_node(operator, input), first, second


def _rounded(result: Node, operands: Sequence[Node]) -> Node:
    """Return a result in the 16-bit float its operands promote to, if they do: rounded once."""
    kind = build.result_type(*operands)
    return build.cast(result, kind) if kind.is_small_float else result


@inplace_method
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
    """Return ``input + value * tensor1 * tensor2``.

    Examples
    --------
    >>> import pumice
    >>> pumice.addcmul(pumice.tensor([1.]), pumice.tensor([2.]), pumice.tensor([3.]), value=0.5)
    tensor([4.])
    """
    nodes = _three("addcmul", input, tensor1, tensor2)
    base, first, second = map(widened, nodes)
    product = call("mul", first, second)
    scaled = product if value == 1 else call("mul", product, value)
    return wrap(_rounded(call("add", base, scaled), nodes))


@inplace_method
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
    """Return ``input + value * tensor1 / tensor2``; floating operands only.

    Examples
    --------
    >>> import pumice
    >>> pumice.addcdiv(pumice.tensor([1.]), pumice.tensor([4.]), pumice.tensor([2.]))
    tensor([3.])
    """
    nodes = _three("addcdiv", input, tensor1, tensor2)
    base, first, second = map(widened, nodes)
    scaled = first if value == 1 else call("mul", first, value)
    return wrap(_rounded(call("add", base, call("div", scaled, second)), nodes))


def _triangle(operator: str, input: Tensor, diagonal: int, upper: bool) -> Tensor:
    node = tensor_node(operator, input)
    if len(node.shape) < 2:
        raise ShapeError(
            describe(operator, f"got shape {list(node.shape)}", "at least two axes are needed")
        )
    rows, columns = grid(node.shape[-2:], node.device)
    offset = columns - rows
    kept = offset >= diagonal if upper else offset <= diagonal
    zero = build.constant(0, node.dtype, (), node.device)
    return wrap(call("where", kept, node, zero))


@inplace_method
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """Keep the upper triangle of the last two axes, 0 elsewhere.

    Parameters
    ----------
    input : Tensor
        At least two axes.
    diagonal : int
        The lowest diagonal kept; positive lies above the main one.

    Returns
    -------
    Tensor

    Notes
    -----
    A choice, not a product: NaN outside becomes 0.

    Examples
    --------
    >>> import pumice
    >>> pumice.triu(pumice.ones(2, 2)).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return _triangle("triu", input, diagonal, True)


@inplace_method
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Keep the lower triangle of the last two axes, 0 elsewhere; see `triu`.

    Examples
    --------
    >>> import pumice
    >>> pumice.tril(pumice.ones(2, 2)).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    return _triangle("tril", input, diagonal, False)


# -- masks whose count decides a shape ------------------------------------------------------------
