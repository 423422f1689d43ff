"""Arithmetic with further arguments: scaled sums, rounded quotients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType, Scalar
from pumice.errors import DTypeError, InvalidArgument, UnsupportedOperation, called, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.core import wrap
from pumice.tensor.marks import inplace_method, method
from pumice.tensor.operands import call, operand, tensor_node, widened

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _combined(operator: str, input: Any, other: Any, alpha: Scalar) -> Tensor:
    """Add or subtract ``alpha * other``; in 16-bit floats all of it is rounded once."""
    first, value = operand(operator, input), operand(operator, other)
    if alpha == 1 and not isinstance(alpha, bool):
        return wrap(call(operator, first, value))
    promoted = build.result_type(first, value)
    if isinstance(alpha, float) and not promoted.is_floating_point:
        raise DTypeError(
            describe(
                operator,
                f"alpha is {alpha} for {promoted.name} operands",
                "for integers alpha must be an integer",
            )
        )
    if not promoted.is_small_float:
        scaled = call("mul", value, alpha) if isinstance(value, Node) else value * alpha
        return wrap(call(operator, first, scaled))
    sides = [_single(each, promoted) for each in (first, value, alpha)]
    result = call(operator, sides[0], call("mul", sides[1], sides[2]))
    return wrap(build.cast(result, promoted))


def _single(value: Node | Scalar, dtype: DType) -> Node:
    """Return an operand, rounded to a dtype, in float32."""
    node = value if isinstance(value, Node) else build.constant(value, dtype)
    return build.cast(build.cast(node, dtype), dtypes.float32)


@inplace_method
def add(input: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
    """Add two tensors: ``input + alpha * other``.

    Parameters
    ----------
    input, other : Tensor or number
        Shapes broadcast, dtypes promote; bool is logical or.
    alpha : number
        Multiplies ``other``.

    Returns
    -------
    Tensor

    Raises
    ------
    DTypeError
        When alpha is floating and the operands are not.

    Notes
    -----
    Gradients: g and ``alpha * g``.

    Examples
    --------
    >>> import pumice
    >>> pumice.add(pumice.tensor([1., 2.]), 3, alpha=2)
    tensor([7., 8.])
    """
    return _combined("add", input, other, alpha)


@inplace_method
def sub(input: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
    """Subtract: ``input - alpha * other``.

    Parameters
    ----------
    input, other : Tensor or number
        Shapes broadcast, dtypes promote; bool is refused.
    alpha : number
        Multiplies ``other``.

    Returns
    -------
    Tensor

    Raises
    ------
    DTypeError
        For bool operands, or when alpha is floating and the operands are not.

    Notes
    -----
    Gradients: g and ``-alpha * g``.

    Examples
    --------
    >>> import pumice
    >>> pumice.sub(pumice.tensor([1., 2.]), 3)
    tensor([-2., -1.])
    """
    return _combined("sub", input, other, alpha)


@inplace_method
def subtract(input: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
    """Subtract; another name of `sub`.

    Examples
    --------
    >>> pumice.subtract(pumice.tensor([5, 7]), pumice.tensor([1, 2]), alpha=2)
    tensor([3, 3])
    """
    return sub(input, other, alpha=alpha)


@method
def rsub(input: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
    """Subtract the first from the second: ``other - alpha * input``.

    Examples
    --------
    >>> pumice.rsub(pumice.tensor([5, 7]), 10)
    tensor([5, 3])
    """
    return sub(other, input, alpha=alpha)


ROUNDED = {"trunc": "trunc_divide", "floor": "floor_divide"}


@inplace_method
def div(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Divide two tensors.

    Parameters
    ----------
    input, other : Tensor or number
        Shapes broadcast, dtypes promote.
    rounding_mode : str, optional
        None is true division: integers and bool become the default float. ``"trunc"`` rounds
        toward zero, ``"floor"`` toward minus infinity; both keep an integer dtype.

    Returns
    -------
    Tensor

    Raises
    ------
    UnsupportedOperation
        For bool with a rounding mode.
    InvalidArgument
        For another rounding mode.
    IntegerDivisionByZero
        When integers are divided by zero with a rounding mode (at evaluation).

    Notes
    -----
    x/0 is ±inf and 0/0 NaN. Gradients: ``g / other`` and ``-g * input / other**2``; 0 for a
    rounded quotient.

    Examples
    --------
    >>> import pumice
    >>> pumice.div(pumice.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])
    """
    first, second = operand("div", input), operand("div", other)
    if rounding_mode is None:
        return wrap(call("div", first, second))
    if rounding_mode not in ROUNDED:
        raise InvalidArgument(
            describe(
                "div",
                f"got rounding_mode={rounding_mode!r}",
                "allowed are None, 'trunc' and 'floor'",
            )
        )
    kind = build.result_type(first, second)
    by_number = not (isinstance(second, Node) and second.shape)
    if rounding_mode == "trunc" and kind.is_small_float and not by_number:
        # The quotient is rounded to the dtype first, as in wider ones; not so by a number.
        return wrap(call("trunc", call("div", first, second)))
    if kind is dtypes.bool_:
        raise UnsupportedOperation(
            describe(
                "div",
                f"bool operands with rounding_mode={rounding_mode!r}",
                "convert them to an integer type",
            )
        )
    result = call(ROUNDED[rounding_mode], first, second)
    result.called = called() or "div"
    return wrap(result)


@inplace_method
def divide(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Divide two tensors; another name of `div`.

    Examples
    --------
    >>> pumice.divide(pumice.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])
    """
    return div(input, other, rounding_mode=rounding_mode)


@inplace_method
def true_divide(input: Tensor, other: Any) -> Tensor:
    """Divide two tensors without rounding; see `div`.

    Examples
    --------
    >>> pumice.true_divide(pumice.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    """
    return div(input, other)


@inplace_method
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Round to the nearest whole number, half to even.

    Parameters
    ----------
    input : Tensor
        Any shape.
    decimals : int
        Digits kept behind the point; negative ones round before it.

    Returns
    -------
    Tensor

    Notes
    -----
    Gradient: 0.

    Examples
    --------
    >>> import pumice
    >>> pumice.round(pumice.tensor([0.5, 1.5, 2.7]))
    tensor([0., 2., 3.])
    """
    node = tensor_node("round", input)
    if not decimals:
        return wrap(call("round", node))
    scale, wide = 10.0 ** abs(decimals), widened(node)
    if decimals > 0:
        result = call("div", call("round", call("mul", wide, scale)), scale)
    else:
        result = call("mul", call("round", call("div", wide, scale)), scale)
    return wrap(build.cast(result, node.dtype) if node.dtype.is_small_float else result)


@inplace_method
def float_power(input: Tensor, exponent: Any) -> Tensor:
    """Raise to a power in float64.

    Examples
    --------
    >>> pumice.float_power(pumice.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=pumice.float64)
    """
    base = build.cast(tensor_node("float_power", input), dtypes.float64)
    power = operand("float_power", exponent)
    if isinstance(power, Node):
        power = build.cast(power, dtypes.float64)
    return wrap(call("pow", base, power))
