"""Elementwise functions composed of entries."""

from __future__ import annotations

from math import log, pi
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType, Kind, accumulation_dtype
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.core import expand_to, wrap
from pumice.tensor.marks import inplace_method, method, public
from pumice.tensor.operands import call, operand, tensor_node, widened
from pumice.tensor.reductions import float_node
from pumice.tensor.results import Parts

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


@method
def frexp(input: Tensor) -> Parts:
    """Take floating numbers apart: ``mantissa * 2**exponent``.

    Parameters
    ----------
    input : Tensor
        Floating.

    Returns
    -------
    (mantissa, exponent)
        Sizes from 0.5 up to 1, with the input's dtype and sign; and int32. Zeros, infinities and
        NaN are their own mantissas, with exponent 0.

    Raises
    ------
    DTypeError
        For other dtypes.

    Notes
    -----
    Exact, subnormal numbers included. Gradient: ``g * 2**-exponent``.

    Examples
    --------
    >>> import pumice
    >>> mantissa, exponent = pumice.frexp(pumice.tensor([8., -0.75]))
    >>> mantissa, exponent
    (tensor([ 0.5000, -0.7500]), tensor([4, 0], dtype=pumice.int32))
    """
    given = tensor_node("frexp", input)
    if not given.dtype.is_floating_point:
        raise DTypeError(describe("frexp", f"got {given.dtype.name}", "allowed are floating types"))
    node = widened(given)
    kind = dtypes.int64 if node.dtype is dtypes.float64 else dtypes.int32
    width, lift = node.dtype.mantissa, node.dtype.mantissa + 2
    bias = (1 << (node.dtype.bits - width - 2)) - 1
    # Subnormal numbers are lifted into the normal ones first.
    tiny = call("abs", node) < 2.0 ** (1 - bias)
    lifted = tiny.select(node * 2.0**lift, node)
    bits = build.bitcast(build.detach(lifted), kind)
    raw = call("bitwise_and", call("bitwise_right_shift", bits, width), 2 * bias + 1)
    plain = call("isfinite", node) & node.ne(0)
    exponent = plain.select(raw - (bias - 1) - build.cast(tiny, kind) * lift, 0)
    # A power of two may leave the range where its halves do not.
    half = call("bitwise_right_shift", exponent, 1)
    mantissa = node * _power(-half, node.dtype) * _power(half - exponent, node.dtype)
    found = build.cast(mantissa, given.dtype), build.cast(exponent, dtypes.int32)
    return Parts(*map(wrap, found))


def _power(exponent: Node, dtype: DType) -> Node:
    """Return a power of two that a float holds, by its bits."""
    bias = (1 << (dtype.bits - dtype.mantissa - 2)) - 1
    return build.bitcast(call("bitwise_left_shift", exponent + bias, dtype.mantissa), dtype)


@inplace_method
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """Return the logarithm of the multivariate gamma function.

    Parameters
    ----------
    input : Tensor
        Above ``(p - 1) / 2``; NaN or infinite elsewhere.
    p : int
        Number of dimensions, at least 1.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When ``p`` is less than 1.

    Notes
    -----
    ``p * (p - 1) / 4 * log(pi)`` plus the sum of `lgamma` at ``input``, ``input - 1/2``, ... of
    ``p`` terms. Gradient: g times the sum of `digamma` there.

    Examples
    --------
    >>> import pumice
    >>> pumice.mvlgamma(pumice.tensor([2., 3.]), 2)
    tensor([0.4516, 1.5502])
    """
    if p < 1:
        raise InvalidArgument(describe("mvlgamma", f"p is {p}", "at least 1"))
    given = _float("mvlgamma", input)
    node = widened(given)
    total = call("lgamma", node) + p * (p - 1) / 4 * log(pi)
    for step in range(1, p):
        total = total + call("lgamma", node - step / 2)
    return wrap(build.cast(total, given.dtype))


@inplace_method
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """Return ``input * 2**other``.

    Examples
    --------
    >>> pumice.ldexp(pumice.tensor([1., 3.]), pumice.tensor([3, -1]))
    tensor([8.0000, 1.5000])
    """
    first, power = tensor_node("ldexp", input), tensor_node("ldexp", other, "other")
    kind = build.result_type(first, power)
    kind = kind if kind.is_floating_point else dtypes.default_float()
    wide = accumulation_dtype(kind)
    product = call("mul", build.cast(first, wide), call("exp2", build.cast(power, wide)))
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
    tensor_node("real", input)
    return input


@method
def conj(input: Tensor) -> Tensor:
    """Return the conjugate: the input itself (no complex types).

    Examples
    --------
    >>> pumice.conj(pumice.tensor([1., -2.]))
    tensor([ 1., -2.])
    """
    tensor_node("conj", input)
    return input


@method
def is_conj(input: Tensor) -> bool:
    """Tell whether a tensor is conjugated lazily: never.

    Examples
    --------
    >>> pumice.is_conj(pumice.tensor([1.]))
    False
    """
    tensor_node("is_conj", input)
    return False


@method
def is_neg(input: Tensor) -> bool:
    """Tell whether a tensor is negated lazily: never.

    Examples
    --------
    >>> pumice.is_neg(-pumice.tensor([1.]))
    False
    """
    tensor_node("is_neg", input)
    return False


@method
def resolve_conj(input: Tensor) -> Tensor:
    """Return the input itself: nothing is conjugated lazily (no complex types).

    Examples
    --------
    >>> pumice.resolve_conj(pumice.tensor([1., -2.]))
    tensor([ 1., -2.])
    """
    tensor_node("resolve_conj", input)
    return input


@method
def resolve_neg(input: Tensor) -> Tensor:
    """Return the input itself: nothing is negated lazily.

    Examples
    --------
    >>> pumice.resolve_neg(pumice.tensor([1., -2.]))
    tensor([ 1., -2.])
    """
    tensor_node("resolve_neg", input)
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


@method
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
        return wrap(expand_to("fill", build.cast(number, node.dtype), node.shape))
    return wrap(build.constant(number, node.dtype, node.shape, node.device))


@method
def is_nonzero(input: Tensor) -> bool:
    """Tell whether the only element is not zero; evaluates.

    Examples
    --------
    >>> pumice.is_nonzero(pumice.tensor([0.0])), pumice.is_nonzero(pumice.tensor([3]))
    (False, True)
    """
    tensor_node("is_nonzero", input)
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
