"""Elementwise functions composed of entries."""

from __future__ import annotations

from math import log, pi
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType, Kind
from pumice.errors import DTypeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.core import wrap
from pumice.tensor.marks import inplace_method, method, public
from pumice.tensor.operands import call, operand, tensor_node, widened
from pumice.tensor.reductions import float_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _float(operator: str, input: Any) -> Node:
    return float_node(operator, tensor_node(operator, input))


@inplace_method
def deg2rad(input: Tensor) -> Tensor:
    """Convert degrees to radians.

    Examples
    --------
    >>> pumice.deg2rad(pumice.tensor([180., 90.]))
    tensor([3.1416, 1.5708])
    """
    node = _float("deg2rad", input)
    return wrap(build.cast(widened(node) * (pi / 180), node.dtype))


@inplace_method
def rad2deg(input: Tensor) -> Tensor:
    """Convert radians to degrees.

    Examples
    --------
    >>> pumice.rad2deg(pumice.tensor([0., 1.]))
    tensor([ 0.0000, 57.2958])
    """
    node = _float("rad2deg", input)
    return wrap(build.cast(widened(node) * (180 / pi), node.dtype))


@inplace_method
def sgn(input: Tensor) -> Tensor:
    """Return the sign; another name of `sign` (no complex types).

    Examples
    --------
    >>> pumice.sgn(pumice.tensor([-3., 0., 2.]))
    tensor([-1.,  0.,  1.])
    """
    return wrap(call("sign", tensor_node("sgn", input)))


@inplace_method
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """Return ``log(x / (1 - x))``, the inverse of sigmoid.

    Parameters
    ----------
    input : Tensor
        Within 0 to 1; NaN outside.
    eps : float, optional
        Limit the input to ``eps`` and ``1 - eps`` first.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.logit(pumice.tensor([0.5]))
    tensor([0.])
    """
    given = _float("logit", input)
    node = widened(given)
    if eps is not None:
        node = call("clamp", node, eps, 1 - eps)
    return wrap(build.cast(call("log", node / (1 - node)), given.dtype))


@inplace_method
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """Return ``input * 2**other``.

    Examples
    --------
    >>> pumice.ldexp(pumice.tensor([1., 3.]), pumice.tensor([3, -1]))
    tensor([8.0000, 1.5000])
    """
    first, power = tensor_node("ldexp", input), _float("ldexp", other)
    kind = build.result_type(first, power)
    product = call("mul", widened(first), call("exp2", widened(power)))
    return wrap(build.cast(product, kind))


@method
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """Return ``log2(2**input + 2**other)`` without overflow.

    Examples
    --------
    >>> pumice.logaddexp2(pumice.tensor([3.]), pumice.tensor([3.]))
    tensor([4.])
    """
    first, second = _float("logaddexp2", input), _float("logaddexp2", other)
    kind = build.result_type(first, second)
    x, y = widened(first), widened(second)
    ahead = call("greater_equal", x, y)
    larger, smaller = call("where", ahead, x, y), call("where", ahead, y, x)
    distance = call("isinf", larger).select(0, call("sub", smaller, larger))
    total = larger + call("log1p", call("exp2", distance)) / log(2)
    return wrap(build.cast(total, kind))


def _common(operator: str, input: Any, other: Any) -> tuple[Node, Node, DType]:
    """Return the sizes of two integer operands as int64, broadcast, and their common dtype."""
    nodes = [tensor_node(operator, input), tensor_node(operator, other, "other")]
    kind = build.result_type(*nodes)
    if not kind.is_integral:
        raise DTypeError(describe(operator, f"got {kind.name}", "allowed are integer types"))
    shape = build.broadcast_shapes(operator, nodes[0].shape, nodes[1].shape)
    first, second = (
        call("abs", build.expand(build.cast(node, dtypes.int64), shape)) for node in nodes
    )
    return first, second, kind


def _divisor(first: Node, second: Node, kind: DType) -> Node:
    """Return the greatest common divisor by Euclid's algorithm.

    The smaller operand at least halves in two steps, so that many steps always suffice.
    """
    for _ in range(kind.bits * 3 // 2):
        done = second.eq(0)
        rest = call("remainder", first, done.select(1, second))
        first, second = done.select(first, second), done.select(0, rest)
    return first


@inplace_method
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """Return the greatest common divisor of integers.

    Raises
    ------
    DTypeError
        For other dtypes.

    Examples
    --------
    >>> import pumice
    >>> pumice.gcd(pumice.tensor([12, 0]), pumice.tensor([18, 5]))
    tensor([6, 5])
    """
    first, second, kind = _common("gcd", input, other)
    return wrap(build.cast(_divisor(first, second, kind), kind))


@inplace_method
def lcm(input: Tensor, other: Tensor) -> Tensor:
    """Return the least common multiple of integers.

    Raises
    ------
    DTypeError
        For other dtypes.

    Examples
    --------
    >>> import pumice
    >>> pumice.lcm(pumice.tensor([4, 0]), pumice.tensor([6, 5]))
    tensor([12,  0])
    """
    first, second, kind = _common("lcm", input, other)
    divisor = _divisor(first, second, kind)
    safe = divisor.eq(0).select(1, divisor)
    return wrap(build.cast(call("floor_divide", first, safe) * second, kind))


@public
def real(input: Tensor) -> Tensor:
    """Return the real part: the input itself (no complex types).

    Examples
    --------
    >>> pumice.real(pumice.tensor([1., -2.]))
    tensor([ 1., -2.])
    """
    return input


@method
def conj(input: Tensor) -> Tensor:
    """Return the conjugate: the input itself (no complex types).

    Examples
    --------
    >>> pumice.conj(pumice.tensor([1., -2.]))
    tensor([ 1., -2.])
    """
    return input


@method
def isreal(input: Tensor) -> Tensor:
    """Tell which elements have no imaginary part: all (no complex types).

    Examples
    --------
    >>> pumice.isreal(pumice.tensor([1., -2.]))
    tensor([True, True])
    """
    node = tensor_node("isreal", input)
    return wrap(build.constant(True, dtypes.bool_, node.shape, node.device))


@public
def angle(input: Tensor) -> Tensor:
    """Return 0 for positive elements, pi for negative ones, NaN for NaN.

    Examples
    --------
    >>> pumice.angle(pumice.tensor([2., -2.]))
    tensor([0.0000, 3.1416])
    """
    node = _float("angle", input)
    flat = call("isfinite", node).select(node * 0, 0.0)
    size = (node < 0).select(pi, flat)
    return wrap(call("isnan", node).select(build.detach(node), size))


@public
def fill(input: Tensor, value: Any) -> Tensor:
    """Return a tensor of the input's shape and dtype filled with one number.

    Examples
    --------
    >>> pumice.fill(pumice.tensor([1, 2, 3]), 7)
    tensor([7, 7, 7])
    """
    number = operand("fill", value)
    node = tensor_node("fill", input)
    if isinstance(number, Node):
        return wrap(build.expand(build.cast(number, node.dtype), node.shape))
    return wrap(build.constant(number, node.dtype, node.shape, node.device))


@public
def is_nonzero(input: Tensor) -> bool:
    """Tell whether the only element is not zero; evaluates.

    Examples
    --------
    >>> pumice.is_nonzero(pumice.tensor([0.0])), pumice.is_nonzero(pumice.tensor([3]))
    (False, True)
    """
    return bool(input)


@public
def is_complex(input: Tensor) -> bool:
    """Tell whether a dtype is complex: never.

    Examples
    --------
    >>> pumice.is_complex(pumice.tensor([1.0]))
    False
    """
    return input.dtype.kind is Kind.COMPLEX
