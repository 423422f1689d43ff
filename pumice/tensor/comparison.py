"""Comparisons of whole tensors and with tolerances, and repairs of special numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.dtypes import DType
from pumice.engine.devices import lacks
from pumice.errors import InvalidArgument, describe
from pumice.graph import build
from pumice.ops import reduction
from pumice.target import CPU
from pumice.tensor.axes import shape_argument
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.limits import FloatLimits
from pumice.tensor.marks import inplace_method, method, public
from pumice.tensor.operands import call, operand, tensor_node
from pumice.tensor.reductions import fold

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@method
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Tell where elements differ by at most ``atol + rtol * |other|``.

    Parameters
    ----------
    input, other : Tensor
        Shapes broadcast.
    rtol, atol : float
        Relative and absolute tolerance.
    equal_nan : bool
        Whether NaN is close to NaN.

    Returns
    -------
    Tensor
        bool; equal infinities are close.

    Examples
    --------
    >>> import pumice
    >>> pumice.isclose(pumice.tensor([1., 2.]), pumice.tensor([1.000001, 3.]))
    tensor([ True, False])
    """
    if rtol < 0 or atol < 0:
        raise InvalidArgument(
            describe("isclose", f"got rtol={rtol} and atol={atol}", "neither may be negative")
        )
    left, right = tensor_node("isclose", input), tensor_node("isclose", other, "other")
    same = call("equal", left, right)
    if equal_nan and left.dtype.is_floating_point:
        both = call("logical_and", call("isnan", left), call("isnan", right))
        same = call("logical_or", same, both)
    if not (left.dtype.is_floating_point or right.dtype.is_floating_point):
        narrow = lacks(left.device or right.device or CPU, dtypes.float64)
        wide = dtypes.float32 if narrow else dtypes.float64
        left, right = build.cast(left, wide), build.cast(right, wide)
    difference = call("abs", call("sub", left, right))
    allowed = call("abs", right) * rtol + atol
    near = call("less_equal", difference, allowed)
    finite = call("logical_and", call("isfinite", difference), near)
    return wrap(call("logical_or", same, finite))


@method
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Tell whether all elements are close; evaluates. See `isclose`.

    Examples
    --------
    >>> import pumice
    >>> pumice.allclose(pumice.tensor([1.]), pumice.tensor([1.0000001]))
    True
    """
    near = isclose(input, other, rtol, atol, equal_nan)
    return bool(wrap(fold(reduction.ALL, near.node, None, False)).item())


@method
def array_equal(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have one shape and equal elements; evaluates.

    Examples
    --------
    >>> import pumice
    >>> pumice.array_equal(pumice.tensor([1, 2]), pumice.tensor([1, 2]))
    True
    """
    if input.shape != other.shape:
        return False
    same = call("equal", input.node, other.node)
    return bool(wrap(fold(reduction.ALL, same, None, False)).item())


@inplace_method
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """Replace NaN and infinities by numbers.

    Parameters
    ----------
    input : Tensor
        Integers are returned as they are.
    nan, posinf, neginf : float, optional
        0 and the largest and lowest finite number by default.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.nan_to_num(pumice.tensor([float("nan"), 1.]))
    tensor([0., 1.])
    """
    node = tensor_node("nan_to_num", input)
    if not node.dtype.is_floating_point:
        return wrap(build.copy(node))
    largest = FloatLimits(node.dtype).max
    high = largest if posinf is None else posinf
    low = -largest if neginf is None else neginf
    number = call("isnan", node).select(0.0 if nan is None else nan, node)
    number = call("isposinf", node).select(high, number)
    return wrap(call("isneginf", node).select(low, number))


@public
def result_type(first: Tensor | float, second: Tensor | float) -> DType:
    """Return the dtype an operation on two operands gives.

    Parameters
    ----------
    first, second : Tensor or number
        Tensors with axes decide; 0-d tensors and then numbers only raise the family.

    Returns
    -------
    DType

    Examples
    --------
    >>> import pumice
    >>> pumice.result_type(pumice.tensor([1]), 2.5)
    pumice.float32
    """
    return build.result_type(operand("result_type", first), operand("result_type", second))


@public
def broadcast_shapes(*shapes: int | tuple[int, ...]) -> tuple[int, ...]:
    """Return the common shape by NumPy's rule.

    Examples
    --------
    >>> import pumice
    >>> pumice.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    given = [shape_argument("broadcast_shapes", (shape,)) for shape in shapes]
    return build.broadcast_shapes("broadcast_shapes", *given) if given else ()


@public
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return tensors expanded to their common shape.

    Examples
    --------
    >>> import pumice
    >>> a, b = pumice.broadcast_tensors(pumice.zeros(2, 1), pumice.zeros(3))
    >>> a.shape, b.shape
    ((2, 3), (2, 3))
    """
    shape = build.broadcast_shapes("broadcast_tensors", *(each.shape for each in tensors))
    return tuple(each.expand(shape) for each in tensors)


@public
def broadcasted(
    a: Tensor | float, b: Tensor | float, reverse: bool = False
) -> tuple[Tensor, Tensor]:
    """Return two operands at their common shape and dtype.

    Parameters
    ----------
    a, b : Tensor or number
        The operands.
    reverse : bool
        Swap the pair.

    Returns
    -------
    (Tensor, Tensor)

    Examples
    --------
    >>> pumice.broadcasted(pumice.tensor([1, 2]), pumice.tensor([0.5]))
    (tensor([1., 2.]), tensor([0.5000, 0.5000]))
    """
    kind = result_type(a, b)
    pair = []
    device = next((each.device for each in (a, b) if isinstance(each, TensorBase)), None)
    for each in (b, a) if reverse else (a, b):
        if not isinstance(each, TensorBase):
            each = wrap(build.constant(each, kind, (), device))
        pair.append(each.to(kind))
    first, second = broadcast_tensors(*pair)
    return first, second


@public
def is_tensor(value: object) -> bool:
    """Tell whether a value is a Tensor.

    Examples
    --------
    >>> pumice.is_tensor(pumice.ones(2)), pumice.is_tensor([1, 2])
    (True, False)
    """
    return isinstance(value, TensorBase)
