"""One method and function per elementwise entry.

Written by tools/gen_api.py; do not edit.
"""

# Methods of a part of Tensor take the whole Tensor as self; == returns a tensor; operators may
# return NotImplemented, so their helpers return Any.
# mypy: disable-error-code="misc, override, no-any-return"
# ruff: noqa: E501, F401

from __future__ import annotations

from typing import TYPE_CHECKING

import pumice.ops.entries  # fills the registry
from pumice.dtypes import Scalar
from pumice.graph import build
from pumice.tensor.core import TensorBase
from pumice.tensor.operands import (
    binary,
    binary_inplace,
    elementwise,
    entry,
    operand,
    replace,
    unary,
)
from pumice.tensor.outputs import store

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

_EQUAL = entry("equal")
_NOT_EQUAL = entry("not_equal")
_LESS = entry("less")
_LESS_EQUAL = entry("less_equal")
_GREATER = entry("greater")
_GREATER_EQUAL = entry("greater_equal")
_LOGICAL_AND = entry("logical_and")
_LOGICAL_OR = entry("logical_or")
_LOGICAL_XOR = entry("logical_xor")
_LOGICAL_NOT = entry("logical_not")
_ISNAN = entry("isnan")
_ISINF = entry("isinf")
_ISFINITE = entry("isfinite")
_ISPOSINF = entry("isposinf")
_ISNEGINF = entry("isneginf")
_SIGNBIT = entry("signbit")
_MAXIMUM = entry("maximum")
_MINIMUM = entry("minimum")
_FMAX = entry("fmax")
_FMIN = entry("fmin")
_SIGMOID = entry("sigmoid")
_RELU = entry("relu")
_CLAMP_MIN = entry("clamp_min")
_CLAMP_MAX = entry("clamp_max")
_EXP = entry("exp")
_EXP2 = entry("exp2")
_EXPM1 = entry("expm1")
_LOG = entry("log")
_LOG2 = entry("log2")
_LOG10 = entry("log10")
_LOG1P = entry("log1p")
_SQRT = entry("sqrt")
_RSQRT = entry("rsqrt")
_RECIPROCAL = entry("reciprocal")
_SQUARE = entry("square")
_LOGADDEXP = entry("logaddexp")
_XLOGY = entry("xlogy")
_ADD = entry("add")
_SUB = entry("sub")
_MUL = entry("mul")
_DIV = entry("div")
_FLOOR_DIVIDE = entry("floor_divide")
_REMAINDER = entry("remainder")
_FMOD = entry("fmod")
_POW = entry("pow")
_BITWISE_AND = entry("bitwise_and")
_BITWISE_OR = entry("bitwise_or")
_BITWISE_XOR = entry("bitwise_xor")
_BITWISE_NOT = entry("bitwise_not")
_BITWISE_LEFT_SHIFT = entry("bitwise_left_shift")
_BITWISE_RIGHT_SHIFT = entry("bitwise_right_shift")
_SIN = entry("sin")
_COS = entry("cos")
_TAN = entry("tan")
_ASIN = entry("asin")
_ACOS = entry("acos")
_ATAN = entry("atan")
_ATAN2 = entry("atan2")
_SINC = entry("sinc")
_DIGAMMA = entry("digamma")
_LGAMMA = entry("lgamma")
_ERFINV = entry("erfinv")
_SINH = entry("sinh")
_COSH = entry("cosh")
_TANH = entry("tanh")
_ASINH = entry("asinh")
_ACOSH = entry("acosh")
_ATANH = entry("atanh")
_FLOOR = entry("floor")
_CEIL = entry("ceil")
_TRUNC = entry("trunc")
_ROUND = entry("round")
_FRAC = entry("frac")
_NEG = entry("neg")
_POSITIVE = entry("positive")
_SIGN = entry("sign")
_ABS = entry("abs")
_COPYSIGN = entry("copysign")
_NEXTAFTER = entry("nextafter")
_ERF = entry("erf")
_ERFC = entry("erfc")
_HYPOT = entry("hypot")
_HEAVISIDE = entry("heaviside")


class ElementwiseMethods(TensorBase):
    """Methods and operators of `Tensor` that come from entries."""

    __slots__ = ()

    def equal(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is equal to the second. Method form of `pumice.equal`."""
        return elementwise(_EQUAL, self, other)

    def equal_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is equal to the second. In-place form of `pumice.equal`."""
        return replace(
            self, "equal_", build.elementwise(_EQUAL, self.node, operand("equal", other))
        )

    def eq(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is equal to the second. Method form of `pumice.eq`."""
        return elementwise(_EQUAL, self, other)

    def eq_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is equal to the second. In-place form of `pumice.eq`."""
        return replace(self, "eq_", build.elementwise(_EQUAL, self.node, operand("equal", other)))

    def not_equal(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is different from the second. Method form of `pumice.not_equal`."""
        return elementwise(_NOT_EQUAL, self, other)

    def not_equal_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is different from the second. In-place form of `pumice.not_equal`."""
        return replace(
            self,
            "not_equal_",
            build.elementwise(_NOT_EQUAL, self.node, operand("not_equal", other)),
        )

    def ne(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is different from the second. Method form of `pumice.ne`."""
        return elementwise(_NOT_EQUAL, self, other)

    def ne_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is different from the second. In-place form of `pumice.ne`."""
        return replace(
            self, "ne_", build.elementwise(_NOT_EQUAL, self.node, operand("not_equal", other))
        )

    def less(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is less than the second. Method form of `pumice.less`."""
        return elementwise(_LESS, self, other)

    def less_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is less than the second. In-place form of `pumice.less`."""
        return replace(self, "less_", build.elementwise(_LESS, self.node, operand("less", other)))

    def lt(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is less than the second. Method form of `pumice.lt`."""
        return elementwise(_LESS, self, other)

    def lt_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is less than the second. In-place form of `pumice.lt`."""
        return replace(self, "lt_", build.elementwise(_LESS, self.node, operand("less", other)))

    def less_equal(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is less than or equal to the second. Method form of `pumice.less_equal`."""
        return elementwise(_LESS_EQUAL, self, other)

    def less_equal_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is less than or equal to the second. In-place form of `pumice.less_equal`."""
        return replace(
            self,
            "less_equal_",
            build.elementwise(_LESS_EQUAL, self.node, operand("less_equal", other)),
        )

    def le(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is less than or equal to the second. Method form of `pumice.le`."""
        return elementwise(_LESS_EQUAL, self, other)

    def le_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is less than or equal to the second. In-place form of `pumice.le`."""
        return replace(
            self, "le_", build.elementwise(_LESS_EQUAL, self.node, operand("less_equal", other))
        )

    def greater(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is greater than the second. Method form of `pumice.greater`."""
        return elementwise(_GREATER, self, other)

    def greater_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is greater than the second. In-place form of `pumice.greater`."""
        return replace(
            self, "greater_", build.elementwise(_GREATER, self.node, operand("greater", other))
        )

    def gt(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is greater than the second. Method form of `pumice.gt`."""
        return elementwise(_GREATER, self, other)

    def gt_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is greater than the second. In-place form of `pumice.gt`."""
        return replace(
            self, "gt_", build.elementwise(_GREATER, self.node, operand("greater", other))
        )

    def greater_equal(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is greater than or equal to the second. Method form of `pumice.greater_equal`."""
        return elementwise(_GREATER_EQUAL, self, other)

    def greater_equal_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is greater than or equal to the second. In-place form of `pumice.greater_equal`."""
        return replace(
            self,
            "greater_equal_",
            build.elementwise(_GREATER_EQUAL, self.node, operand("greater_equal", other)),
        )

    def ge(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is greater than or equal to the second. Method form of `pumice.ge`."""
        return elementwise(_GREATER_EQUAL, self, other)

    def ge_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Test elementwise whether the first operand is greater than or equal to the second. In-place form of `pumice.ge`."""
        return replace(
            self,
            "ge_",
            build.elementwise(_GREATER_EQUAL, self.node, operand("greater_equal", other)),
        )

    def logical_and(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the logical and of the operands' truth values. Method form of `pumice.logical_and`."""
        return elementwise(_LOGICAL_AND, self, other)

    def logical_and_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the logical and of the operands' truth values. In-place form of `pumice.logical_and`."""
        return replace(
            self,
            "logical_and_",
            build.elementwise(_LOGICAL_AND, self.node, operand("logical_and", other)),
        )

    def logical_or(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the logical or of the operands' truth values. Method form of `pumice.logical_or`."""
        return elementwise(_LOGICAL_OR, self, other)

    def logical_or_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the logical or of the operands' truth values. In-place form of `pumice.logical_or`."""
        return replace(
            self,
            "logical_or_",
            build.elementwise(_LOGICAL_OR, self.node, operand("logical_or", other)),
        )

    def logical_xor(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the logical exclusive or of the operands' truth values. Method form of `pumice.logical_xor`."""
        return elementwise(_LOGICAL_XOR, self, other)

    def logical_xor_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the logical exclusive or of the operands' truth values. In-place form of `pumice.logical_xor`."""
        return replace(
            self,
            "logical_xor_",
            build.elementwise(_LOGICAL_XOR, self.node, operand("logical_xor", other)),
        )

    def logical_not(self: Tensor) -> Tensor:
        """Return the negated truth value. Method form of `pumice.logical_not`."""
        return unary(_LOGICAL_NOT, self)

    def logical_not_(self: Tensor) -> Tensor:
        """Return the negated truth value. In-place form of `pumice.logical_not`."""
        return replace(self, "logical_not_", build.elementwise(_LOGICAL_NOT, self.node))

    def isnan(self: Tensor) -> Tensor:
        """Test elementwise whether a value is not a number. Method form of `pumice.isnan`."""
        return unary(_ISNAN, self)

    def isinf(self: Tensor) -> Tensor:
        """Test elementwise whether a value is infinite. Method form of `pumice.isinf`."""
        return unary(_ISINF, self)

    def isfinite(self: Tensor) -> Tensor:
        """Test elementwise whether a value is finite. Method form of `pumice.isfinite`."""
        return unary(_ISFINITE, self)

    def isposinf(self: Tensor) -> Tensor:
        """Test elementwise whether a value is positive infinity. Method form of `pumice.isposinf`."""
        return unary(_ISPOSINF, self)

    def isneginf(self: Tensor) -> Tensor:
        """Test elementwise whether a value is negative infinity. Method form of `pumice.isneginf`."""
        return unary(_ISNEGINF, self)

    def signbit(self: Tensor) -> Tensor:
        """Test elementwise whether the sign bit is set. Method form of `pumice.signbit`."""
        return unary(_SIGNBIT, self)

    def maximum(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the larger of two values. Method form of `pumice.maximum`."""
        return elementwise(_MAXIMUM, self, other)

    def minimum(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the smaller of two values. Method form of `pumice.minimum`."""
        return elementwise(_MINIMUM, self, other)

    def fmax(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the larger of two values, ignoring a single NaN. Method form of `pumice.fmax`."""
        return elementwise(_FMAX, self, other)

    def fmin(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the smaller of two values, ignoring a single NaN. Method form of `pumice.fmin`."""
        return elementwise(_FMIN, self, other)

    def sigmoid(self: Tensor) -> Tensor:
        """Return the logistic function 1 / (1 + exp(-input)). Method form of `pumice.sigmoid`."""
        return unary(_SIGMOID, self)

    def sigmoid_(self: Tensor) -> Tensor:
        """Return the logistic function 1 / (1 + exp(-input)). In-place form of `pumice.sigmoid`."""
        return replace(self, "sigmoid_", build.elementwise(_SIGMOID, self.node))

    def relu(self: Tensor) -> Tensor:
        """Return the operand where positive, 0 elsewhere. Method form of `pumice.relu`."""
        return unary(_RELU, self)

    def relu_(self: Tensor) -> Tensor:
        """Return the operand where positive, 0 elsewhere. In-place form of `pumice.relu`."""
        return replace(self, "relu_", build.elementwise(_RELU, self.node))

    def clamp_min(self: Tensor, min: Tensor | Scalar) -> Tensor:
        """Limit to values not below a bound. Method form of `pumice.clamp_min`."""
        return elementwise(_CLAMP_MIN, self, min)

    def clamp_min_(self: Tensor, min: Tensor | Scalar) -> Tensor:
        """Limit to values not below a bound. In-place form of `pumice.clamp_min`."""
        return replace(
            self, "clamp_min_", build.elementwise(_CLAMP_MIN, self.node, operand("clamp_min", min))
        )

    def clamp_max(self: Tensor, max: Tensor | Scalar) -> Tensor:
        """Limit to values not above a bound. Method form of `pumice.clamp_max`."""
        return elementwise(_CLAMP_MAX, self, max)

    def clamp_max_(self: Tensor, max: Tensor | Scalar) -> Tensor:
        """Limit to values not above a bound. In-place form of `pumice.clamp_max`."""
        return replace(
            self, "clamp_max_", build.elementwise(_CLAMP_MAX, self.node, operand("clamp_max", max))
        )

    def exp(self: Tensor) -> Tensor:
        """Return e raised to the operand. Method form of `pumice.exp`."""
        return unary(_EXP, self)

    def exp_(self: Tensor) -> Tensor:
        """Return e raised to the operand. In-place form of `pumice.exp`."""
        return replace(self, "exp_", build.elementwise(_EXP, self.node))

    def exp2(self: Tensor) -> Tensor:
        """Return 2 raised to the operand. Method form of `pumice.exp2`."""
        return unary(_EXP2, self)

    def exp2_(self: Tensor) -> Tensor:
        """Return 2 raised to the operand. In-place form of `pumice.exp2`."""
        return replace(self, "exp2_", build.elementwise(_EXP2, self.node))

    def expm1(self: Tensor) -> Tensor:
        """Return exp(input) - 1, accurate near zero. Method form of `pumice.expm1`."""
        return unary(_EXPM1, self)

    def expm1_(self: Tensor) -> Tensor:
        """Return exp(input) - 1, accurate near zero. In-place form of `pumice.expm1`."""
        return replace(self, "expm1_", build.elementwise(_EXPM1, self.node))

    def log(self: Tensor) -> Tensor:
        """Return the natural logarithm. Method form of `pumice.log`."""
        return unary(_LOG, self)

    def log_(self: Tensor) -> Tensor:
        """Return the natural logarithm. In-place form of `pumice.log`."""
        return replace(self, "log_", build.elementwise(_LOG, self.node))

    def log2(self: Tensor) -> Tensor:
        """Return the logarithm to base 2. Method form of `pumice.log2`."""
        return unary(_LOG2, self)

    def log2_(self: Tensor) -> Tensor:
        """Return the logarithm to base 2. In-place form of `pumice.log2`."""
        return replace(self, "log2_", build.elementwise(_LOG2, self.node))

    def log10(self: Tensor) -> Tensor:
        """Return the logarithm to base 10. Method form of `pumice.log10`."""
        return unary(_LOG10, self)

    def log10_(self: Tensor) -> Tensor:
        """Return the logarithm to base 10. In-place form of `pumice.log10`."""
        return replace(self, "log10_", build.elementwise(_LOG10, self.node))

    def log1p(self: Tensor) -> Tensor:
        """Return log(1 + input), accurate near zero. Method form of `pumice.log1p`."""
        return unary(_LOG1P, self)

    def log1p_(self: Tensor) -> Tensor:
        """Return log(1 + input), accurate near zero. In-place form of `pumice.log1p`."""
        return replace(self, "log1p_", build.elementwise(_LOG1P, self.node))

    def sqrt(self: Tensor) -> Tensor:
        """Return the square root. Method form of `pumice.sqrt`."""
        return unary(_SQRT, self)

    def sqrt_(self: Tensor) -> Tensor:
        """Return the square root. In-place form of `pumice.sqrt`."""
        return replace(self, "sqrt_", build.elementwise(_SQRT, self.node))

    def rsqrt(self: Tensor) -> Tensor:
        """Return the reciprocal of the square root. Method form of `pumice.rsqrt`."""
        return unary(_RSQRT, self)

    def rsqrt_(self: Tensor) -> Tensor:
        """Return the reciprocal of the square root. In-place form of `pumice.rsqrt`."""
        return replace(self, "rsqrt_", build.elementwise(_RSQRT, self.node))

    def reciprocal(self: Tensor) -> Tensor:
        """Return 1 / input. Method form of `pumice.reciprocal`."""
        return unary(_RECIPROCAL, self)

    def reciprocal_(self: Tensor) -> Tensor:
        """Return 1 / input. In-place form of `pumice.reciprocal`."""
        return replace(self, "reciprocal_", build.elementwise(_RECIPROCAL, self.node))

    def square(self: Tensor) -> Tensor:
        """Return the product of the operand with itself. Method form of `pumice.square`."""
        return unary(_SQUARE, self)

    def square_(self: Tensor) -> Tensor:
        """Return the product of the operand with itself. In-place form of `pumice.square`."""
        return replace(self, "square_", build.elementwise(_SQUARE, self.node))

    def logaddexp(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return log(exp(input) + exp(other)) without overflow. Method form of `pumice.logaddexp`."""
        return elementwise(_LOGADDEXP, self, other)

    def xlogy(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return input * log(other), 0 where input is 0. Method form of `pumice.xlogy`."""
        return elementwise(_XLOGY, self, other)

    def xlogy_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return input * log(other), 0 where input is 0. In-place form of `pumice.xlogy`."""
        return replace(
            self, "xlogy_", build.elementwise(_XLOGY, self.node, operand("xlogy", other))
        )

    def mul(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Multiply two tensors. Method form of `pumice.mul`."""
        return elementwise(_MUL, self, other)

    def mul_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Multiply two tensors. In-place form of `pumice.mul`."""
        return replace(self, "mul_", build.elementwise(_MUL, self.node, operand("mul", other)))

    def multiply(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Multiply two tensors. Method form of `pumice.multiply`."""
        return elementwise(_MUL, self, other)

    def multiply_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Multiply two tensors. In-place form of `pumice.multiply`."""
        return replace(self, "multiply_", build.elementwise(_MUL, self.node, operand("mul", other)))

    def floor_divide(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Divide and round toward minus infinity. Method form of `pumice.floor_divide`."""
        return elementwise(_FLOOR_DIVIDE, self, other)

    def floor_divide_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Divide and round toward minus infinity. In-place form of `pumice.floor_divide`."""
        return replace(
            self,
            "floor_divide_",
            build.elementwise(_FLOOR_DIVIDE, self.node, operand("floor_divide", other)),
        )

    def remainder(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the remainder with the sign of the divisor, as Python's ``%``. Method form of `pumice.remainder`."""
        return elementwise(_REMAINDER, self, other)

    def remainder_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the remainder with the sign of the divisor, as Python's ``%``. In-place form of `pumice.remainder`."""
        return replace(
            self,
            "remainder_",
            build.elementwise(_REMAINDER, self.node, operand("remainder", other)),
        )

    def fmod(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the remainder with the sign of the dividend, as C's ``fmod``. Method form of `pumice.fmod`."""
        return elementwise(_FMOD, self, other)

    def fmod_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the remainder with the sign of the dividend, as C's ``fmod``. In-place form of `pumice.fmod`."""
        return replace(self, "fmod_", build.elementwise(_FMOD, self.node, operand("fmod", other)))

    def pow(self: Tensor, exponent: Tensor | Scalar) -> Tensor:
        """Raise to a power. Method form of `pumice.pow`."""
        return elementwise(_POW, self, exponent)

    def pow_(self: Tensor, exponent: Tensor | Scalar) -> Tensor:
        """Raise to a power. In-place form of `pumice.pow`."""
        return replace(self, "pow_", build.elementwise(_POW, self.node, operand("pow", exponent)))

    def bitwise_and(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the bitwise and of two integer or bool tensors. Method form of `pumice.bitwise_and`."""
        return elementwise(_BITWISE_AND, self, other)

    def bitwise_and_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the bitwise and of two integer or bool tensors. In-place form of `pumice.bitwise_and`."""
        return replace(
            self,
            "bitwise_and_",
            build.elementwise(_BITWISE_AND, self.node, operand("bitwise_and", other)),
        )

    def bitwise_or(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the bitwise or of two integer or bool tensors. Method form of `pumice.bitwise_or`."""
        return elementwise(_BITWISE_OR, self, other)

    def bitwise_or_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the bitwise or of two integer or bool tensors. In-place form of `pumice.bitwise_or`."""
        return replace(
            self,
            "bitwise_or_",
            build.elementwise(_BITWISE_OR, self.node, operand("bitwise_or", other)),
        )

    def bitwise_xor(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the bitwise exclusive or of two integer or bool tensors. Method form of `pumice.bitwise_xor`."""
        return elementwise(_BITWISE_XOR, self, other)

    def bitwise_xor_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the bitwise exclusive or of two integer or bool tensors. In-place form of `pumice.bitwise_xor`."""
        return replace(
            self,
            "bitwise_xor_",
            build.elementwise(_BITWISE_XOR, self.node, operand("bitwise_xor", other)),
        )

    def bitwise_not(self: Tensor) -> Tensor:
        """Return the bitwise complement. Method form of `pumice.bitwise_not`."""
        return unary(_BITWISE_NOT, self)

    def bitwise_not_(self: Tensor) -> Tensor:
        """Return the bitwise complement. In-place form of `pumice.bitwise_not`."""
        return replace(self, "bitwise_not_", build.elementwise(_BITWISE_NOT, self.node))

    def bitwise_left_shift(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Shift the bits of an integer tensor to the left. Method form of `pumice.bitwise_left_shift`."""
        return elementwise(_BITWISE_LEFT_SHIFT, self, other)

    def bitwise_left_shift_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Shift the bits of an integer tensor to the left. In-place form of `pumice.bitwise_left_shift`."""
        return replace(
            self,
            "bitwise_left_shift_",
            build.elementwise(_BITWISE_LEFT_SHIFT, self.node, operand("bitwise_left_shift", other)),
        )

    def bitwise_right_shift(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Shift the bits of an integer tensor to the right. Method form of `pumice.bitwise_right_shift`."""
        return elementwise(_BITWISE_RIGHT_SHIFT, self, other)

    def bitwise_right_shift_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Shift the bits of an integer tensor to the right. In-place form of `pumice.bitwise_right_shift`."""
        return replace(
            self,
            "bitwise_right_shift_",
            build.elementwise(
                _BITWISE_RIGHT_SHIFT, self.node, operand("bitwise_right_shift", other)
            ),
        )

    def sin(self: Tensor) -> Tensor:
        """Return the sine of an angle in radians. Method form of `pumice.sin`."""
        return unary(_SIN, self)

    def sin_(self: Tensor) -> Tensor:
        """Return the sine of an angle in radians. In-place form of `pumice.sin`."""
        return replace(self, "sin_", build.elementwise(_SIN, self.node))

    def cos(self: Tensor) -> Tensor:
        """Return the cosine of an angle in radians. Method form of `pumice.cos`."""
        return unary(_COS, self)

    def cos_(self: Tensor) -> Tensor:
        """Return the cosine of an angle in radians. In-place form of `pumice.cos`."""
        return replace(self, "cos_", build.elementwise(_COS, self.node))

    def tan(self: Tensor) -> Tensor:
        """Return the tangent of an angle in radians. Method form of `pumice.tan`."""
        return unary(_TAN, self)

    def tan_(self: Tensor) -> Tensor:
        """Return the tangent of an angle in radians. In-place form of `pumice.tan`."""
        return replace(self, "tan_", build.elementwise(_TAN, self.node))

    def asin(self: Tensor) -> Tensor:
        """Return the inverse sine, in [-pi/2, pi/2]. Method form of `pumice.asin`."""
        return unary(_ASIN, self)

    def asin_(self: Tensor) -> Tensor:
        """Return the inverse sine, in [-pi/2, pi/2]. In-place form of `pumice.asin`."""
        return replace(self, "asin_", build.elementwise(_ASIN, self.node))

    def arcsin(self: Tensor) -> Tensor:
        """Return the inverse sine, in [-pi/2, pi/2]. Method form of `pumice.arcsin`."""
        return unary(_ASIN, self)

    def arcsin_(self: Tensor) -> Tensor:
        """Return the inverse sine, in [-pi/2, pi/2]. In-place form of `pumice.arcsin`."""
        return replace(self, "arcsin_", build.elementwise(_ASIN, self.node))

    def acos(self: Tensor) -> Tensor:
        """Return the inverse cosine, in [0, pi]. Method form of `pumice.acos`."""
        return unary(_ACOS, self)

    def acos_(self: Tensor) -> Tensor:
        """Return the inverse cosine, in [0, pi]. In-place form of `pumice.acos`."""
        return replace(self, "acos_", build.elementwise(_ACOS, self.node))

    def arccos(self: Tensor) -> Tensor:
        """Return the inverse cosine, in [0, pi]. Method form of `pumice.arccos`."""
        return unary(_ACOS, self)

    def arccos_(self: Tensor) -> Tensor:
        """Return the inverse cosine, in [0, pi]. In-place form of `pumice.arccos`."""
        return replace(self, "arccos_", build.elementwise(_ACOS, self.node))

    def atan(self: Tensor) -> Tensor:
        """Return the inverse tangent, in [-pi/2, pi/2]. Method form of `pumice.atan`."""
        return unary(_ATAN, self)

    def atan_(self: Tensor) -> Tensor:
        """Return the inverse tangent, in [-pi/2, pi/2]. In-place form of `pumice.atan`."""
        return replace(self, "atan_", build.elementwise(_ATAN, self.node))

    def arctan(self: Tensor) -> Tensor:
        """Return the inverse tangent, in [-pi/2, pi/2]. Method form of `pumice.arctan`."""
        return unary(_ATAN, self)

    def arctan_(self: Tensor) -> Tensor:
        """Return the inverse tangent, in [-pi/2, pi/2]. In-place form of `pumice.arctan`."""
        return replace(self, "arctan_", build.elementwise(_ATAN, self.node))

    def atan2(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the angle of the point (other, input), in [-pi, pi]. Method form of `pumice.atan2`."""
        return elementwise(_ATAN2, self, other)

    def atan2_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the angle of the point (other, input), in [-pi, pi]. In-place form of `pumice.atan2`."""
        return replace(
            self, "atan2_", build.elementwise(_ATAN2, self.node, operand("atan2", other))
        )

    def arctan2(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the angle of the point (other, input), in [-pi, pi]. Method form of `pumice.arctan2`."""
        return elementwise(_ATAN2, self, other)

    def arctan2_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the angle of the point (other, input), in [-pi, pi]. In-place form of `pumice.arctan2`."""
        return replace(
            self, "arctan2_", build.elementwise(_ATAN2, self.node, operand("atan2", other))
        )

    def sinc(self: Tensor) -> Tensor:
        """Return sin(pi * input) / (pi * input), 1 at zero. Method form of `pumice.sinc`."""
        return unary(_SINC, self)

    def sinc_(self: Tensor) -> Tensor:
        """Return sin(pi * input) / (pi * input), 1 at zero. In-place form of `pumice.sinc`."""
        return replace(self, "sinc_", build.elementwise(_SINC, self.node))

    def digamma(self: Tensor) -> Tensor:
        """Return the logarithmic derivative of the gamma function. Method form of `pumice.digamma`."""
        return unary(_DIGAMMA, self)

    def digamma_(self: Tensor) -> Tensor:
        """Return the logarithmic derivative of the gamma function. In-place form of `pumice.digamma`."""
        return replace(self, "digamma_", build.elementwise(_DIGAMMA, self.node))

    def lgamma(self: Tensor) -> Tensor:
        """Return the logarithm of the magnitude of the gamma function. Method form of `pumice.lgamma`."""
        return unary(_LGAMMA, self)

    def lgamma_(self: Tensor) -> Tensor:
        """Return the logarithm of the magnitude of the gamma function. In-place form of `pumice.lgamma`."""
        return replace(self, "lgamma_", build.elementwise(_LGAMMA, self.node))

    def erfinv(self: Tensor) -> Tensor:
        """Return the inverse of the error function. Method form of `pumice.erfinv`."""
        return unary(_ERFINV, self)

    def erfinv_(self: Tensor) -> Tensor:
        """Return the inverse of the error function. In-place form of `pumice.erfinv`."""
        return replace(self, "erfinv_", build.elementwise(_ERFINV, self.node))

    def sinh(self: Tensor) -> Tensor:
        """Return the hyperbolic sine. Method form of `pumice.sinh`."""
        return unary(_SINH, self)

    def sinh_(self: Tensor) -> Tensor:
        """Return the hyperbolic sine. In-place form of `pumice.sinh`."""
        return replace(self, "sinh_", build.elementwise(_SINH, self.node))

    def cosh(self: Tensor) -> Tensor:
        """Return the hyperbolic cosine. Method form of `pumice.cosh`."""
        return unary(_COSH, self)

    def cosh_(self: Tensor) -> Tensor:
        """Return the hyperbolic cosine. In-place form of `pumice.cosh`."""
        return replace(self, "cosh_", build.elementwise(_COSH, self.node))

    def tanh(self: Tensor) -> Tensor:
        """Return the hyperbolic tangent. Method form of `pumice.tanh`."""
        return unary(_TANH, self)

    def tanh_(self: Tensor) -> Tensor:
        """Return the hyperbolic tangent. In-place form of `pumice.tanh`."""
        return replace(self, "tanh_", build.elementwise(_TANH, self.node))

    def asinh(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic sine. Method form of `pumice.asinh`."""
        return unary(_ASINH, self)

    def asinh_(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic sine. In-place form of `pumice.asinh`."""
        return replace(self, "asinh_", build.elementwise(_ASINH, self.node))

    def arcsinh(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic sine. Method form of `pumice.arcsinh`."""
        return unary(_ASINH, self)

    def arcsinh_(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic sine. In-place form of `pumice.arcsinh`."""
        return replace(self, "arcsinh_", build.elementwise(_ASINH, self.node))

    def acosh(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic cosine. Method form of `pumice.acosh`."""
        return unary(_ACOSH, self)

    def acosh_(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic cosine. In-place form of `pumice.acosh`."""
        return replace(self, "acosh_", build.elementwise(_ACOSH, self.node))

    def arccosh(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic cosine. Method form of `pumice.arccosh`."""
        return unary(_ACOSH, self)

    def arccosh_(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic cosine. In-place form of `pumice.arccosh`."""
        return replace(self, "arccosh_", build.elementwise(_ACOSH, self.node))

    def atanh(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic tangent. Method form of `pumice.atanh`."""
        return unary(_ATANH, self)

    def atanh_(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic tangent. In-place form of `pumice.atanh`."""
        return replace(self, "atanh_", build.elementwise(_ATANH, self.node))

    def arctanh(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic tangent. Method form of `pumice.arctanh`."""
        return unary(_ATANH, self)

    def arctanh_(self: Tensor) -> Tensor:
        """Return the inverse hyperbolic tangent. In-place form of `pumice.arctanh`."""
        return replace(self, "arctanh_", build.elementwise(_ATANH, self.node))

    def floor(self: Tensor) -> Tensor:
        """Round to an integer toward minus infinity. Method form of `pumice.floor`."""
        return unary(_FLOOR, self)

    def floor_(self: Tensor) -> Tensor:
        """Round to an integer toward minus infinity. In-place form of `pumice.floor`."""
        return replace(self, "floor_", build.elementwise(_FLOOR, self.node))

    def ceil(self: Tensor) -> Tensor:
        """Round to an integer toward plus infinity. Method form of `pumice.ceil`."""
        return unary(_CEIL, self)

    def ceil_(self: Tensor) -> Tensor:
        """Round to an integer toward plus infinity. In-place form of `pumice.ceil`."""
        return replace(self, "ceil_", build.elementwise(_CEIL, self.node))

    def trunc(self: Tensor) -> Tensor:
        """Round to an integer toward zero. Method form of `pumice.trunc`."""
        return unary(_TRUNC, self)

    def trunc_(self: Tensor) -> Tensor:
        """Round to an integer toward zero. In-place form of `pumice.trunc`."""
        return replace(self, "trunc_", build.elementwise(_TRUNC, self.node))

    def fix(self: Tensor) -> Tensor:
        """Round to an integer toward zero. Method form of `pumice.fix`."""
        return unary(_TRUNC, self)

    def fix_(self: Tensor) -> Tensor:
        """Round to an integer toward zero. In-place form of `pumice.fix`."""
        return replace(self, "fix_", build.elementwise(_TRUNC, self.node))

    def frac(self: Tensor) -> Tensor:
        """Return the fractional part. Method form of `pumice.frac`."""
        return unary(_FRAC, self)

    def frac_(self: Tensor) -> Tensor:
        """Return the fractional part. In-place form of `pumice.frac`."""
        return replace(self, "frac_", build.elementwise(_FRAC, self.node))

    def neg(self: Tensor) -> Tensor:
        """Negate. Method form of `pumice.neg`."""
        return unary(_NEG, self)

    def neg_(self: Tensor) -> Tensor:
        """Negate. In-place form of `pumice.neg`."""
        return replace(self, "neg_", build.elementwise(_NEG, self.node))

    def negative(self: Tensor) -> Tensor:
        """Negate. Method form of `pumice.negative`."""
        return unary(_NEG, self)

    def negative_(self: Tensor) -> Tensor:
        """Negate. In-place form of `pumice.negative`."""
        return replace(self, "negative_", build.elementwise(_NEG, self.node))

    def positive(self: Tensor) -> Tensor:
        """Return the operand unchanged. Method form of `pumice.positive`."""
        return unary(_POSITIVE, self)

    def sign(self: Tensor) -> Tensor:
        """Return -1, 0 or 1 by the sign of the operand. Method form of `pumice.sign`."""
        return unary(_SIGN, self)

    def sign_(self: Tensor) -> Tensor:
        """Return -1, 0 or 1 by the sign of the operand. In-place form of `pumice.sign`."""
        return replace(self, "sign_", build.elementwise(_SIGN, self.node))

    def abs(self: Tensor) -> Tensor:
        """Return the magnitude. Method form of `pumice.abs`."""
        return unary(_ABS, self)

    def abs_(self: Tensor) -> Tensor:
        """Return the magnitude. In-place form of `pumice.abs`."""
        return replace(self, "abs_", build.elementwise(_ABS, self.node))

    def absolute(self: Tensor) -> Tensor:
        """Return the magnitude. Method form of `pumice.absolute`."""
        return unary(_ABS, self)

    def absolute_(self: Tensor) -> Tensor:
        """Return the magnitude. In-place form of `pumice.absolute`."""
        return replace(self, "absolute_", build.elementwise(_ABS, self.node))

    def copysign(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the magnitude of the first operand with the sign of the second. Method form of `pumice.copysign`."""
        return elementwise(_COPYSIGN, self, other)

    def copysign_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the magnitude of the first operand with the sign of the second. In-place form of `pumice.copysign`."""
        return replace(
            self, "copysign_", build.elementwise(_COPYSIGN, self.node, operand("copysign", other))
        )

    def nextafter(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the next representable value toward the second operand. Method form of `pumice.nextafter`."""
        return elementwise(_NEXTAFTER, self, other)

    def nextafter_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the next representable value toward the second operand. In-place form of `pumice.nextafter`."""
        return replace(
            self,
            "nextafter_",
            build.elementwise(_NEXTAFTER, self.node, operand("nextafter", other)),
        )

    def erf(self: Tensor) -> Tensor:
        """Return the error function. Method form of `pumice.erf`."""
        return unary(_ERF, self)

    def erf_(self: Tensor) -> Tensor:
        """Return the error function. In-place form of `pumice.erf`."""
        return replace(self, "erf_", build.elementwise(_ERF, self.node))

    def erfc(self: Tensor) -> Tensor:
        """Return 1 - erf(input), accurate where that is small. Method form of `pumice.erfc`."""
        return unary(_ERFC, self)

    def erfc_(self: Tensor) -> Tensor:
        """Return 1 - erf(input), accurate where that is small. In-place form of `pumice.erfc`."""
        return replace(self, "erfc_", build.elementwise(_ERFC, self.node))

    def hypot(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the length of the hypotenuse, sqrt(input**2 + other**2). Method form of `pumice.hypot`."""
        return elementwise(_HYPOT, self, other)

    def hypot_(self: Tensor, other: Tensor | Scalar) -> Tensor:
        """Return the length of the hypotenuse, sqrt(input**2 + other**2). In-place form of `pumice.hypot`."""
        return replace(
            self, "hypot_", build.elementwise(_HYPOT, self.node, operand("hypot", other))
        )

    def heaviside(self: Tensor, values: Tensor | Scalar) -> Tensor:
        """Return the step function: 0 below zero, `values` at zero, 1 above. Method form of `pumice.heaviside`."""
        return elementwise(_HEAVISIDE, self, values)

    def heaviside_(self: Tensor, values: Tensor | Scalar) -> Tensor:
        """Return the step function: 0 below zero, `values` at zero, 1 above. In-place form of `pumice.heaviside`."""
        return replace(
            self,
            "heaviside_",
            build.elementwise(_HEAVISIDE, self.node, operand("heaviside", values)),
        )

    def __add__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_ADD, self, other)

    def __radd__(self, other: Scalar) -> Tensor:
        return binary(_ADD, other, self)

    def __iadd__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_ADD, "add_", self, other)

    def __sub__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_SUB, self, other)

    def __rsub__(self, other: Scalar) -> Tensor:
        return binary(_SUB, other, self)

    def __isub__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_SUB, "sub_", self, other)

    def __mul__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_MUL, self, other)

    def __rmul__(self, other: Scalar) -> Tensor:
        return binary(_MUL, other, self)

    def __imul__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_MUL, "mul_", self, other)

    def __truediv__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_DIV, self, other)

    def __rtruediv__(self, other: Scalar) -> Tensor:
        return binary(_DIV, other, self)

    def __itruediv__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_DIV, "div_", self, other)

    def __floordiv__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_FLOOR_DIVIDE, self, other)

    def __rfloordiv__(self, other: Scalar) -> Tensor:
        return binary(_FLOOR_DIVIDE, other, self)

    def __ifloordiv__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_FLOOR_DIVIDE, "floor_divide_", self, other)

    def __mod__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_REMAINDER, self, other)

    def __rmod__(self, other: Scalar) -> Tensor:
        return binary(_REMAINDER, other, self)

    def __imod__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_REMAINDER, "remainder_", self, other)

    def __pow__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_POW, self, other)

    def __rpow__(self, other: Scalar) -> Tensor:
        return binary(_POW, other, self)

    def __ipow__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_POW, "pow_", self, other)

    def __and__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_BITWISE_AND, self, other)

    def __rand__(self, other: Scalar) -> Tensor:
        return binary(_BITWISE_AND, other, self)

    def __iand__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_BITWISE_AND, "bitwise_and_", self, other)

    def __or__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_BITWISE_OR, self, other)

    def __ror__(self, other: Scalar) -> Tensor:
        return binary(_BITWISE_OR, other, self)

    def __ior__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_BITWISE_OR, "bitwise_or_", self, other)

    def __xor__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_BITWISE_XOR, self, other)

    def __rxor__(self, other: Scalar) -> Tensor:
        return binary(_BITWISE_XOR, other, self)

    def __ixor__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_BITWISE_XOR, "bitwise_xor_", self, other)

    def __lshift__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_BITWISE_LEFT_SHIFT, self, other)

    def __rlshift__(self, other: Scalar) -> Tensor:
        return binary(_BITWISE_LEFT_SHIFT, other, self)

    def __ilshift__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_BITWISE_LEFT_SHIFT, "bitwise_left_shift_", self, other)

    def __rshift__(self, other: Tensor | Scalar) -> Tensor:
        return binary(_BITWISE_RIGHT_SHIFT, self, other)

    def __rrshift__(self, other: Scalar) -> Tensor:
        return binary(_BITWISE_RIGHT_SHIFT, other, self)

    def __irshift__(self: Tensor, other: Tensor | Scalar) -> Tensor:
        return binary_inplace(_BITWISE_RIGHT_SHIFT, "bitwise_right_shift_", self, other)

    def __eq__(self, other: object) -> Tensor:
        return binary(_EQUAL, self, other)

    def __ne__(self, other: object) -> Tensor:
        return binary(_NOT_EQUAL, self, other)

    def __lt__(self, other: object) -> Tensor:
        return binary(_LESS, self, other)

    def __le__(self, other: object) -> Tensor:
        return binary(_LESS_EQUAL, self, other)

    def __gt__(self, other: object) -> Tensor:
        return binary(_GREATER, self, other)

    def __ge__(self, other: object) -> Tensor:
        return binary(_GREATER_EQUAL, self, other)

    __hash__ = object.__hash__

    def __neg__(self) -> Tensor:
        return unary(_NEG, self)

    def __pos__(self) -> Tensor:
        return unary(_POSITIVE, self)

    def __invert__(self) -> Tensor:
        return unary(_BITWISE_NOT, self)

    def __abs__(self) -> Tensor:
        return unary(_ABS, self)


def equal(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is equal to the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is False; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.equal(pumice.tensor([1, 2, 3]), 2)
    tensor([False,  True, False])
    """
    result = elementwise(_EQUAL, input, other)
    return result if out is None else store("equal", result, out)


def eq(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is equal to the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is False; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.eq(pumice.tensor([1, 2, 3]), 2)
    tensor([False,  True, False])
    """
    result = elementwise(_EQUAL, input, other)
    return result if out is None else store("eq", result, out)


def not_equal(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is different from the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is True; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.not_equal(pumice.tensor([1, 2, 3]), 2)
    tensor([ True, False,  True])
    """
    result = elementwise(_NOT_EQUAL, input, other)
    return result if out is None else store("not_equal", result, out)


def ne(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is different from the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is True; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.ne(pumice.tensor([1, 2, 3]), 2)
    tensor([ True, False,  True])
    """
    result = elementwise(_NOT_EQUAL, input, other)
    return result if out is None else store("ne", result, out)


def less(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is less than the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is False; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.less(pumice.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """
    result = elementwise(_LESS, input, other)
    return result if out is None else store("less", result, out)


def lt(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is less than the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is False; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.lt(pumice.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """
    result = elementwise(_LESS, input, other)
    return result if out is None else store("lt", result, out)


def less_equal(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is less than or equal to the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is False; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.less_equal(pumice.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """
    result = elementwise(_LESS_EQUAL, input, other)
    return result if out is None else store("less_equal", result, out)


def le(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is less than or equal to the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is False; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.le(pumice.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """
    result = elementwise(_LESS_EQUAL, input, other)
    return result if out is None else store("le", result, out)


def greater(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is greater than the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is False; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.greater(pumice.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
    """
    result = elementwise(_GREATER, input, other)
    return result if out is None else store("greater", result, out)


def gt(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is greater than the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is False; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.gt(pumice.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
    """
    result = elementwise(_GREATER, input, other)
    return result if out is None else store("gt", result, out)


def greater_equal(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is greater than or equal to the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is False; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.greater_equal(pumice.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """
    result = elementwise(_GREATER_EQUAL, input, other)
    return result if out is None else store("greater_equal", result, out)


def ge(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the first operand is greater than or equal to the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Mixed dtypes are promoted first. With a NaN on either side the result is False; -0.0 equals
    0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.ge(pumice.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """
    result = elementwise(_GREATER_EQUAL, input, other)
    return result if out is None else store("ge", result, out)


def logical_and(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the logical and of the operands' truth values.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Zero is false, everything else (NaN too) is true. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.logical_and(pumice.tensor([1, 2, 0]), pumice.tensor([3, 0, 0]))
    tensor([ True, False, False])
    """
    result = elementwise(_LOGICAL_AND, input, other)
    return result if out is None else store("logical_and", result, out)


def logical_or(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the logical or of the operands' truth values.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Zero is false, everything else (NaN too) is true. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.logical_or(pumice.tensor([1, 2, 0]), pumice.tensor([3, 0, 0]))
    tensor([ True,  True, False])
    """
    result = elementwise(_LOGICAL_OR, input, other)
    return result if out is None else store("logical_or", result, out)


def logical_xor(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the logical exclusive or of the operands' truth values.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the broadcast shape.

    Notes
    -----
    Zero is false, everything else (NaN too) is true. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.logical_xor(pumice.tensor([1, 2, 0]), pumice.tensor([3, 0, 0]))
    tensor([False,  True, False])
    """
    result = elementwise(_LOGICAL_XOR, input, other)
    return result if out is None else store("logical_xor", result, out)


def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the negated truth value.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the shape of `input`.

    Notes
    -----
    Zero is false, everything else is true. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.logical_not(pumice.tensor([0, 1]))
    tensor([ True, False])
    """
    result = unary(_LOGICAL_NOT, input)
    return result if out is None else store("logical_not", result, out)


def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether a value is not a number.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the shape of `input`.

    Notes
    -----
    Always False for integers and bool. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.isnan(pumice.tensor([1., float('inf'), float('nan')]))
    tensor([False, False,  True])
    """
    result = unary(_ISNAN, input)
    return result if out is None else store("isnan", result, out)


def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether a value is infinite.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the shape of `input`.

    Notes
    -----
    Always False for integers and bool. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.isinf(pumice.tensor([1., float('inf'), float('nan')]))
    tensor([False,  True, False])
    """
    result = unary(_ISINF, input)
    return result if out is None else store("isinf", result, out)


def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether a value is finite.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the shape of `input`.

    Notes
    -----
    Always True for integers and bool. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.isfinite(pumice.tensor([1., float('inf'), float('nan')]))
    tensor([ True, False, False])
    """
    result = unary(_ISFINITE, input)
    return result if out is None else store("isfinite", result, out)


def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether a value is positive infinity.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the shape of `input`.

    Notes
    -----
    Always False for integers and bool. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.isposinf(pumice.tensor([1., float('inf'), float('nan')]))
    tensor([False,  True, False])
    """
    result = unary(_ISPOSINF, input)
    return result if out is None else store("isposinf", result, out)


def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether a value is negative infinity.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the shape of `input`.

    Notes
    -----
    Always False for integers and bool. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.isneginf(pumice.tensor([1., float('inf'), float('nan')]))
    tensor([False, False, False])
    """
    result = unary(_ISNEGINF, input)
    return result if out is None else store("isneginf", result, out)


def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Test elementwise whether the sign bit is set.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        bool, with the shape of `input`.

    Notes
    -----
    True for -0.0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.signbit(pumice.tensor([1., -0.]))
    tensor([False,  True])
    """
    result = unary(_SIGNBIT, input)
    return result if out is None else store("signbit", result, out)


def maximum(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the larger of two values.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    NaN if either is NaN. The gradient goes to the larger operand, half to each on a tie.

    Examples
    --------
    >>> import pumice
    >>> pumice.maximum(pumice.tensor([1., 5.]), pumice.tensor([2., 3.]))
    tensor([2., 5.])
    """
    result = elementwise(_MAXIMUM, input, other)
    return result if out is None else store("maximum", result, out)


def minimum(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller of two values.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    NaN if either is NaN. The gradient goes to the smaller operand, half to each on a tie.

    Examples
    --------
    >>> import pumice
    >>> pumice.minimum(pumice.tensor([1., 5.]), pumice.tensor([2., 3.]))
    tensor([1., 3.])
    """
    result = elementwise(_MINIMUM, input, other)
    return result if out is None else store("minimum", result, out)


def fmax(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the larger of two values, ignoring a single NaN.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    NaN only if both are NaN. The gradient goes to the operand returned, half to each on a tie.

    Examples
    --------
    >>> import pumice
    >>> pumice.fmax(pumice.tensor([1., float('nan')]), pumice.tensor([2., 3.]))
    tensor([2., 3.])
    """
    result = elementwise(_FMAX, input, other)
    return result if out is None else store("fmax", result, out)


def fmin(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller of two values, ignoring a single NaN.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    NaN only if both are NaN. The gradient goes to the operand returned, half to each on a tie.

    Examples
    --------
    >>> import pumice
    >>> pumice.fmin(pumice.tensor([1., float('nan')]), pumice.tensor([2., 3.]))
    tensor([1., 3.])
    """
    result = elementwise(_FMIN, input, other)
    return result if out is None else store("fmin", result, out)


def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logistic function 1 / (1 + exp(-input)).

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Accurate in both tails. Error at most 2 ulp. Gradient: g * out * (1 - out).

    Examples
    --------
    >>> import pumice
    >>> pumice.sigmoid(pumice.tensor([0., 2.]))
    tensor([0.5000, 0.8808])
    """
    result = unary(_SIGMOID, input)
    return result if out is None else store("sigmoid", result, out)


def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the operand where positive, 0 elsewhere.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    NaN propagates. Gradient: g where input > 0, 0 elsewhere (at 0 too).

    Examples
    --------
    >>> import pumice
    >>> pumice.relu(pumice.tensor([-1., 2.]))
    tensor([0., 2.])
    """
    result = unary(_RELU, input)
    return result if out is None else store("relu", result, out)


def clamp_min(input: Tensor, min: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Limit to values not below a bound.

    Parameters
    ----------
    input : Tensor
        The operand.
    min : Tensor
        The bound.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result.

    Notes
    -----
    NaN in either operand gives NaN. Gradient: g to the input where it is returned (a tie
    included), else to the bound.

    Examples
    --------
    >>> import pumice
    >>> pumice.clamp_min(pumice.tensor([-1., 2.]), 0)
    tensor([0., 2.])
    """
    result = elementwise(_CLAMP_MIN, input, min)
    return result if out is None else store("clamp_min", result, out)


def clamp_max(input: Tensor, max: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Limit to values not above a bound.

    Parameters
    ----------
    input : Tensor
        The operand.
    max : Tensor
        The bound.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result.

    Notes
    -----
    NaN in either operand gives NaN. Gradient: g to the input where it is returned (a tie
    included), else to the bound.

    Examples
    --------
    >>> import pumice
    >>> pumice.clamp_max(pumice.tensor([-1., 2.]), 0)
    tensor([-1.,  0.])
    """
    result = elementwise(_CLAMP_MAX, input, max)
    return result if out is None else store("clamp_max", result, out)


def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return e raised to the operand.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    exp(-inf) is 0. Error at most 2 ulp. Gradient: g * out.

    Examples
    --------
    >>> import pumice
    >>> pumice.exp(pumice.tensor([0., 1.]))
    tensor([1.0000, 2.7183])
    """
    result = unary(_EXP, input)
    return result if out is None else store("exp", result, out)


def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 2 raised to the operand.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    exp2(-inf) is 0. Error at most 2 ulp. Gradient: g * out * ln 2.

    Examples
    --------
    >>> import pumice
    >>> pumice.exp2(pumice.tensor([0., 3.]))
    tensor([1., 8.])
    """
    result = unary(_EXP2, input)
    return result if out is None else store("exp2", result, out)


def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return exp(input) - 1, accurate near zero.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    expm1(-inf) is -1. Error at most 2 ulp. Gradient: g * exp(x).

    Examples
    --------
    >>> import pumice
    >>> pumice.expm1(pumice.tensor([0., 1.]))
    tensor([0.0000, 1.7183])
    """
    result = unary(_EXPM1, input)
    return result if out is None else store("expm1", result, out)


def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the natural logarithm.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    log(0) is -inf; negative operands give NaN. Error at most 2 ulp. Gradient: g / input.

    Examples
    --------
    >>> import pumice
    >>> pumice.log(pumice.tensor([1., 10.]))
    tensor([0.0000, 2.3026])
    """
    result = unary(_LOG, input)
    return result if out is None else store("log", result, out)


def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm to base 2.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    log2(0) is -inf; negative operands give NaN; powers of two are exact. Error at most 2 ulp.
    Gradient: g / (input * ln 2).

    Examples
    --------
    >>> import pumice
    >>> pumice.log2(pumice.tensor([1., 8.]))
    tensor([0., 3.])
    """
    result = unary(_LOG2, input)
    return result if out is None else store("log2", result, out)


def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm to base 10.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    log10(0) is -inf; negative operands give NaN. Error at most 2 ulp. Gradient: g / (input * ln
    10).

    Examples
    --------
    >>> import pumice
    >>> pumice.log10(pumice.tensor([1., 1000.]))
    tensor([0., 3.])
    """
    result = unary(_LOG10, input)
    return result if out is None else store("log10", result, out)


def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log(1 + input), accurate near zero.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    log1p(-1) is -inf; operands below -1 give NaN. Error at most 2 ulp. Gradient: g / (input +
    1).

    Examples
    --------
    >>> import pumice
    >>> pumice.log1p(pumice.tensor([0., 1.]))
    tensor([0.0000, 0.6931])
    """
    result = unary(_LOG1P, input)
    return result if out is None else store("log1p", result, out)


def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the square root.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    sqrt(-0.0) is -0.0; negative operands give NaN. Correctly rounded. Gradient: g / (2 * out).

    Examples
    --------
    >>> import pumice
    >>> pumice.sqrt(pumice.tensor([4., 9.]))
    tensor([2., 3.])
    """
    result = unary(_SQRT, input)
    return result if out is None else store("sqrt", result, out)


def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the reciprocal of the square root.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    rsqrt(0) is inf; negative operands give NaN. Error at most 2 ulp. Gradient: -g * out**3 / 2.

    Examples
    --------
    >>> import pumice
    >>> pumice.rsqrt(pumice.tensor([4., 16.]))
    tensor([0.5000, 0.2500])
    """
    result = unary(_RSQRT, input)
    return result if out is None else store("rsqrt", result, out)


def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 / input.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    1/0 is inf, 1/-0.0 is -inf. Gradient: -g * out**2.

    Examples
    --------
    >>> import pumice
    >>> pumice.reciprocal(pumice.tensor([2., 4.]))
    tensor([0.5000, 0.2500])
    """
    result = unary(_RECIPROCAL, input)
    return result if out is None else store("reciprocal", result, out)


def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the product of the operand with itself.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Integers wrap. Gradient: g * 2 * input.

    Examples
    --------
    >>> import pumice
    >>> pumice.square(pumice.tensor([-3., 2.]))
    tensor([9., 4.])
    """
    result = unary(_SQUARE, input)
    return result if out is None else store("square", result, out)


def logaddexp(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return log(exp(input) + exp(other)) without overflow.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    ``max + log1p(exp(min - max))``; equal infinities give that infinity. The error is at most 2
    ulp of the largest of operands and result. Gradients: g * exp(input - out) and g * exp(other
    - out).

    Examples
    --------
    >>> import pumice
    >>> pumice.logaddexp(pumice.tensor([0.]), pumice.tensor([0.]))
    tensor([0.6931])
    """
    result = elementwise(_LOGADDEXP, input, other)
    return result if out is None else store("logaddexp", result, out)


def xlogy(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return input * log(other), 0 where input is 0.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    NaN where `other` is NaN. Gradients: g * log(other) and g * input / other.

    Examples
    --------
    >>> import pumice
    >>> pumice.xlogy(pumice.tensor([0., 2.]), pumice.tensor([0., 1.]))
    tensor([0., 0.])
    """
    result = elementwise(_XLOGY, input, other)
    return result if out is None else store("xlogy", result, out)


def mul(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Multiply two tensors.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    ``input * other``; integers wrap, bool is logical and. Gradients: g * other and g * input.

    Examples
    --------
    >>> import pumice
    >>> pumice.mul(pumice.tensor([1., 2.]), 3)
    tensor([3., 6.])
    """
    result = elementwise(_MUL, input, other)
    return result if out is None else store("mul", result, out)


def multiply(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Multiply two tensors.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    ``input * other``; integers wrap, bool is logical and. Gradients: g * other and g * input.

    Examples
    --------
    >>> import pumice
    >>> pumice.multiply(pumice.tensor([1., 2.]), 3)
    tensor([3., 6.])
    """
    result = elementwise(_MUL, input, other)
    return result if out is None else store("multiply", result, out)


def floor_divide(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Divide and round toward minus infinity.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Raises
    ------
    IntegerDivisionByZero
        When an integer is divided by zero; on a GPU the element is -1 and the error is raised
        at the next read-back.

    Notes
    -----
    The floor of the exact real quotient, so 1.0 // 0.1 is 9. inf // y is NaN, -1 // inf is -1,
    x // 0.0 is x / 0.0. The gradient is zero.

    Examples
    --------
    >>> import pumice
    >>> pumice.floor_divide(pumice.tensor([7, -7]), 2)
    tensor([ 3, -4])
    """
    result = elementwise(_FLOOR_DIVIDE, input, other)
    return result if out is None else store("floor_divide", result, out)


def remainder(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the remainder with the sign of the divisor, as Python's ``%``.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Raises
    ------
    IntegerDivisionByZero
        When an integer is divided by zero; on a GPU the element is -1 and the error is raised
        at the next read-back.

    Notes
    -----
    ``input - other * floor(input / other)`` computed exactly and rounded once. A float divisor
    of 0 gives NaN. Gradients: g and -g * floor_divide(input, other).

    Examples
    --------
    >>> import pumice
    >>> pumice.remainder(pumice.tensor([7., -7.]), 4)
    tensor([3., 1.])
    """
    result = elementwise(_REMAINDER, input, other)
    return result if out is None else store("remainder", result, out)


def fmod(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the remainder with the sign of the dividend, as C's ``fmod``.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Raises
    ------
    IntegerDivisionByZero
        When an integer is divided by zero; on a GPU the element is -1 and the error is raised
        at the next read-back.

    Notes
    -----
    ``input - other * trunc(input / other)``, exact for every finite pair. A float divisor of 0
    gives NaN. Gradients: g and -g * trunc(input / other).

    Examples
    --------
    >>> import pumice
    >>> pumice.fmod(pumice.tensor([7., -7.]), 4)
    tensor([ 3., -3.])
    """
    result = elementwise(_FMOD, input, other)
    return result if out is None else store("fmod", result, out)


def pow(input: Tensor, exponent: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Raise to a power.

    Parameters
    ----------
    input : Tensor
        The base.
    exponent : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result.

    Notes
    -----
    C's pow for floats: x**0 and 1**y are 1, a negative base needs an integer exponent, else
    NaN. Integer powers wrap; a negative exponent gives 0 unless the base is 1 or -1. Error at
    most 2 ulp. Gradients: g * exponent * input**(exponent - 1) and g * out * log(input).

    Examples
    --------
    >>> import pumice
    >>> pumice.pow(pumice.tensor([1., 2., 3.]), 2)
    tensor([1., 4., 9.])
    """
    result = elementwise(_POW, input, exponent)
    return result if out is None else store("pow", result, out)


def bitwise_and(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the bitwise and of two integer or bool tensors.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Raises
    ------
    DTypeError
        For floating operands.

    Notes
    -----
    For bool this is the logical operation. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.bitwise_and(pumice.tensor([12, 10]), 6)
    tensor([4, 2])
    """
    result = elementwise(_BITWISE_AND, input, other)
    return result if out is None else store("bitwise_and", result, out)


def bitwise_or(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the bitwise or of two integer or bool tensors.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Raises
    ------
    DTypeError
        For floating operands.

    Notes
    -----
    For bool this is the logical operation. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.bitwise_or(pumice.tensor([12, 10]), 6)
    tensor([14, 14])
    """
    result = elementwise(_BITWISE_OR, input, other)
    return result if out is None else store("bitwise_or", result, out)


def bitwise_xor(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the bitwise exclusive or of two integer or bool tensors.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Raises
    ------
    DTypeError
        For floating operands.

    Notes
    -----
    For bool this is the logical operation. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.bitwise_xor(pumice.tensor([12, 10]), 6)
    tensor([10, 12])
    """
    result = elementwise(_BITWISE_XOR, input, other)
    return result if out is None else store("bitwise_xor", result, out)


def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the bitwise complement.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    For bool this is logical not. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.bitwise_not(pumice.tensor([0, 5]))
    tensor([-1, -6])
    """
    result = unary(_BITWISE_NOT, input)
    return result if out is None else store("bitwise_not", result, out)


def bitwise_left_shift(
    input: Tensor,
    other: Tensor | Scalar,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Shift the bits of an integer tensor to the left.

    Parameters
    ----------
    input : Tensor
        The integers.
    other : Tensor
        How many places, in the same dtype.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result.

    Raises
    ------
    DTypeError
        For floating or bool operands.

    Notes
    -----
    A count that is negative or not below the width gives 0. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.bitwise_left_shift(pumice.tensor([5, -20]), 2)
    tensor([ 20, -80])
    """
    result = elementwise(_BITWISE_LEFT_SHIFT, input, other)
    return result if out is None else store("bitwise_left_shift", result, out)


def bitwise_right_shift(
    input: Tensor,
    other: Tensor | Scalar,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Shift the bits of an integer tensor to the right.

    Parameters
    ----------
    input : Tensor
        The integers.
    other : Tensor
        How many places, in the same dtype.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result.

    Raises
    ------
    DTypeError
        For floating or bool operands.

    Notes
    -----
    Arithmetic for signed types. A count that is negative or not below the width gives the sign
    (0 or -1). There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.bitwise_right_shift(pumice.tensor([5, -20]), 2)
    tensor([ 1, -5])
    """
    result = elementwise(_BITWISE_RIGHT_SHIFT, input, other)
    return result if out is None else store("bitwise_right_shift", result, out)


def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the sine of an angle in radians.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Correct for arguments of any size; NaN for infinities. Gradient: g * cos(input). Error at
    most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.sin(pumice.tensor([0., 1.]))
    tensor([0.0000, 0.8415])
    """
    result = unary(_SIN, input)
    return result if out is None else store("sin", result, out)


def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the cosine of an angle in radians.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Correct for arguments of any size; NaN for infinities. Gradient: -g * sin(input). Error at
    most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.cos(pumice.tensor([0., 1.]))
    tensor([1.0000, 0.5403])
    """
    result = unary(_COS, input)
    return result if out is None else store("cos", result, out)


def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the tangent of an angle in radians.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Correct for arguments of any size; NaN for infinities. Gradient: g * (1 + out**2). Error at
    most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.tan(pumice.tensor([0., 1.]))
    tensor([0.0000, 1.5574])
    """
    result = unary(_TAN, input)
    return result if out is None else store("tan", result, out)


def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse sine, in [-pi/2, pi/2].

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    NaN outside [-1, 1]. Gradient: g / sqrt(1 - input**2). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.asin(pumice.tensor([0., 1.]))
    tensor([0.0000, 1.5708])
    """
    result = unary(_ASIN, input)
    return result if out is None else store("asin", result, out)


def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse sine, in [-pi/2, pi/2].

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    NaN outside [-1, 1]. Gradient: g / sqrt(1 - input**2). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.arcsin(pumice.tensor([0., 1.]))
    tensor([0.0000, 1.5708])
    """
    result = unary(_ASIN, input)
    return result if out is None else store("arcsin", result, out)


def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse cosine, in [0, pi].

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    NaN outside [-1, 1]. Gradient: -g / sqrt(1 - input**2). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.acos(pumice.tensor([1., 0.]))
    tensor([0.0000, 1.5708])
    """
    result = unary(_ACOS, input)
    return result if out is None else store("acos", result, out)


def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse cosine, in [0, pi].

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    NaN outside [-1, 1]. Gradient: -g / sqrt(1 - input**2). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.arccos(pumice.tensor([1., 0.]))
    tensor([0.0000, 1.5708])
    """
    result = unary(_ACOS, input)
    return result if out is None else store("arccos", result, out)


def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse tangent, in [-pi/2, pi/2].

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    atan(inf) is pi/2. Gradient: g / (1 + input**2). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.atan(pumice.tensor([0., 1.]))
    tensor([0.0000, 0.7854])
    """
    result = unary(_ATAN, input)
    return result if out is None else store("atan", result, out)


def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse tangent, in [-pi/2, pi/2].

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    atan(inf) is pi/2. Gradient: g / (1 + input**2). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.arctan(pumice.tensor([0., 1.]))
    tensor([0.0000, 0.7854])
    """
    result = unary(_ATAN, input)
    return result if out is None else store("arctan", result, out)


def atan2(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the angle of the point (other, input), in [-pi, pi].

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    C's special cases: signed zeros choose between 0 and pi, two infinities give odd multiples
    of pi/4. Error at most 2 ulp. Gradients: g * other / r**2 and -g * input / r**2 with r**2 =
    input**2 + other**2.

    Examples
    --------
    >>> import pumice
    >>> pumice.atan2(pumice.tensor([1., -1.]), pumice.tensor([1., -1.]))
    tensor([ 0.7854, -2.3562])
    """
    result = elementwise(_ATAN2, input, other)
    return result if out is None else store("atan2", result, out)


def arctan2(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the angle of the point (other, input), in [-pi, pi].

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    C's special cases: signed zeros choose between 0 and pi, two infinities give odd multiples
    of pi/4. Error at most 2 ulp. Gradients: g * other / r**2 and -g * input / r**2 with r**2 =
    input**2 + other**2.

    Examples
    --------
    >>> import pumice
    >>> pumice.arctan2(pumice.tensor([1., -1.]), pumice.tensor([1., -1.]))
    tensor([ 0.7854, -2.3562])
    """
    result = elementwise(_ATAN2, input, other)
    return result if out is None else store("arctan2", result, out)


def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return sin(pi * input) / (pi * input), 1 at zero.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    NaN for infinities. Error at most 2 ulp. Gradient: g * (cos(pi * input) - out) / input.

    Examples
    --------
    >>> import pumice
    >>> pumice.sinc(pumice.tensor([0., 0.5]))
    tensor([1.0000, 0.6366])
    """
    result = unary(_SINC, input)
    return result if out is None else store("sinc", result, out)


def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithmic derivative of the gamma function.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    -inf at 0.0, inf at -0.0, NaN at the negative integers. Error at most 2 ulp for positive
    operands; for negative ones that near the zeros is relative to the terms of the reflection
    formula. Gradient: g * polygamma(1, input).

    Examples
    --------
    >>> import pumice
    >>> pumice.digamma(pumice.tensor([1., 0.5]))
    tensor([-0.5772, -1.9635])
    """
    result = unary(_DIGAMMA, input)
    return result if out is None else store("digamma", result, out)


def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the magnitude of the gamma function.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    inf at 0 and the negative integers. Error at most 2 ulp for positive operands; for negative
    ones that near the zeros is relative to the terms of the reflection formula. Gradient: g *
    digamma(input).

    Examples
    --------
    >>> import pumice
    >>> pumice.lgamma(pumice.tensor([0.5, 10.]))
    tensor([ 0.5724, 12.8018])
    """
    result = unary(_LGAMMA, input)
    return result if out is None else store("lgamma", result, out)


def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of the error function.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Infinite at -1 and 1, NaN outside. Error at most 2 ulp. Gradient: g * sqrt(pi) / 2 *
    exp(out**2).

    Examples
    --------
    >>> import pumice
    >>> pumice.erfinv(pumice.tensor([0., 0.5]))
    tensor([0.0000, 0.4769])
    """
    result = unary(_ERFINV, input)
    return result if out is None else store("erfinv", result, out)


def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic sine.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Gradient: g * cosh(input). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.sinh(pumice.tensor([0., 1.]))
    tensor([0.0000, 1.1752])
    """
    result = unary(_SINH, input)
    return result if out is None else store("sinh", result, out)


def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic cosine.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Gradient: g * sinh(input). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.cosh(pumice.tensor([0., 1.]))
    tensor([1.0000, 1.5431])
    """
    result = unary(_COSH, input)
    return result if out is None else store("cosh", result, out)


def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic tangent.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    tanh(inf) is 1. Gradient: g * (1 - out**2). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.tanh(pumice.tensor([0., 1.]))
    tensor([0.0000, 0.7616])
    """
    result = unary(_TANH, input)
    return result if out is None else store("tanh", result, out)


def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic sine.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Gradient: g / sqrt(input**2 + 1). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.asinh(pumice.tensor([0., 1.]))
    tensor([0.0000, 0.8814])
    """
    result = unary(_ASINH, input)
    return result if out is None else store("asinh", result, out)


def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic sine.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Gradient: g / sqrt(input**2 + 1). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.arcsinh(pumice.tensor([0., 1.]))
    tensor([0.0000, 0.8814])
    """
    result = unary(_ASINH, input)
    return result if out is None else store("arcsinh", result, out)


def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic cosine.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    NaN below 1. Gradient: g / sqrt(input**2 - 1). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.acosh(pumice.tensor([1., 2.]))
    tensor([0.0000, 1.3170])
    """
    result = unary(_ACOSH, input)
    return result if out is None else store("acosh", result, out)


def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic cosine.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    NaN below 1. Gradient: g / sqrt(input**2 - 1). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.arccosh(pumice.tensor([1., 2.]))
    tensor([0.0000, 1.3170])
    """
    result = unary(_ACOSH, input)
    return result if out is None else store("arccosh", result, out)


def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic tangent.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Infinite at -1 and 1, NaN outside. Gradient: g / (1 - input**2). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.atanh(pumice.tensor([0., 0.5]))
    tensor([0.0000, 0.5493])
    """
    result = unary(_ATANH, input)
    return result if out is None else store("atanh", result, out)


def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic tangent.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Infinite at -1 and 1, NaN outside. Gradient: g / (1 - input**2). Error at most 2 ulp.

    Examples
    --------
    >>> import pumice
    >>> pumice.arctanh(pumice.tensor([0., 0.5]))
    tensor([0.0000, 0.5493])
    """
    result = unary(_ATANH, input)
    return result if out is None else store("arctanh", result, out)


def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Round to an integer toward minus infinity.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    The sign of zero is kept; NaN and infinities are returned; integers are unchanged. The
    gradient is zero.

    Examples
    --------
    >>> import pumice
    >>> pumice.floor(pumice.tensor([-1.5, 0.5, 2.5]))
    tensor([-2.,  0.,  2.])
    """
    result = unary(_FLOOR, input)
    return result if out is None else store("floor", result, out)


def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Round to an integer toward plus infinity.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    The sign of zero is kept; NaN and infinities are returned; integers are unchanged. The
    gradient is zero.

    Examples
    --------
    >>> import pumice
    >>> pumice.ceil(pumice.tensor([-1.5, 0.5, 2.5]))
    tensor([-1.,  1.,  3.])
    """
    result = unary(_CEIL, input)
    return result if out is None else store("ceil", result, out)


def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Round to an integer toward zero.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    The sign of zero is kept; NaN and infinities are returned; integers are unchanged. The
    gradient is zero.

    Examples
    --------
    >>> import pumice
    >>> pumice.trunc(pumice.tensor([-1.5, 0.5, 2.5]))
    tensor([-1.,  0.,  2.])
    """
    result = unary(_TRUNC, input)
    return result if out is None else store("trunc", result, out)


def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Round to an integer toward zero.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    The sign of zero is kept; NaN and infinities are returned; integers are unchanged. The
    gradient is zero.

    Examples
    --------
    >>> import pumice
    >>> pumice.fix(pumice.tensor([-1.5, 0.5, 2.5]))
    tensor([-1.,  0.,  2.])
    """
    result = unary(_TRUNC, input)
    return result if out is None else store("fix", result, out)


def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the fractional part.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    ``input - trunc(input)``, with the sign of the input; NaN for infinities. The gradient is g.

    Examples
    --------
    >>> import pumice
    >>> pumice.frac(pumice.tensor([-1.5, 2.25]))
    tensor([-0.5000,  0.2500])
    """
    result = unary(_FRAC, input)
    return result if out is None else store("frac", result, out)


def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Negate.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Flips the sign bit of floats; integers wrap. The gradient is -g.

    Examples
    --------
    >>> import pumice
    >>> pumice.neg(pumice.tensor([1., -2.]))
    tensor([-1.,  2.])
    """
    result = unary(_NEG, input)
    return result if out is None else store("neg", result, out)


def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Negate.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Flips the sign bit of floats; integers wrap. The gradient is -g.

    Examples
    --------
    >>> import pumice
    >>> pumice.negative(pumice.tensor([1., -2.]))
    tensor([-1.,  2.])
    """
    result = unary(_NEG, input)
    return result if out is None else store("negative", result, out)


def positive(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the operand unchanged.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    The gradient is g.

    Examples
    --------
    >>> import pumice
    >>> pumice.positive(pumice.tensor([1., -2.]))
    tensor([ 1., -2.])
    """
    result = unary(_POSITIVE, input)
    return result if out is None else store("positive", result, out)


def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return -1, 0 or 1 by the sign of the operand.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    0 for NaN and for both zeros. The gradient is zero.

    Examples
    --------
    >>> import pumice
    >>> pumice.sign(pumice.tensor([-3., 0., 2.]))
    tensor([-1.,  0.,  1.])
    """
    result = unary(_SIGN, input)
    return result if out is None else store("sign", result, out)


def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the magnitude.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Clears the sign bit of floats; the smallest signed integer is returned unchanged. Gradient:
    g * sign(input).

    Examples
    --------
    >>> import pumice
    >>> pumice.abs(pumice.tensor([-1., 2.]))
    tensor([1., 2.])
    """
    result = unary(_ABS, input)
    return result if out is None else store("abs", result, out)


def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the magnitude.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    Clears the sign bit of floats; the smallest signed integer is returned unchanged. Gradient:
    g * sign(input).

    Examples
    --------
    >>> import pumice
    >>> pumice.absolute(pumice.tensor([-1., 2.]))
    tensor([1., 2.])
    """
    result = unary(_ABS, input)
    return result if out is None else store("absolute", result, out)


def copysign(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the magnitude of the first operand with the sign of the second.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    The sign bit is copied, that of -0.0 and NaN too. Gradient: g where the signs agree, -g
    where they differ, 0 at input 0.

    Examples
    --------
    >>> import pumice
    >>> pumice.copysign(pumice.tensor([1., 2.]), -0.)
    tensor([-1., -2.])
    """
    result = elementwise(_COPYSIGN, input, other)
    return result if out is None else store("copysign", result, out)


def nextafter(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the next representable value toward the second operand.

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    The second operand where both are equal; NaN if either is NaN. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.nextafter(pumice.tensor([1.]), 2) > 1
    tensor([True])
    """
    result = elementwise(_NEXTAFTER, input, other)
    return result if out is None else store("nextafter", result, out)


def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the error function.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    erf(inf) is 1. Error at most 2 ulp. Gradient: g * 2 / sqrt(pi) * exp(-input**2).

    Examples
    --------
    >>> import pumice
    >>> pumice.erf(pumice.tensor([0., 1.]))
    tensor([0.0000, 0.8427])
    """
    result = unary(_ERF, input)
    return result if out is None else store("erf", result, out)


def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 - erf(input), accurate where that is small.

    Parameters
    ----------
    input : Tensor
        The operand.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the shape of `input`.

    Notes
    -----
    erfc(-inf) is 2. Error at most 2 ulp. Gradient: -g * 2 / sqrt(pi) * exp(-input**2).

    Examples
    --------
    >>> import pumice
    >>> pumice.erfc(pumice.tensor([0., 1.]))
    tensor([1.0000, 0.1573])
    """
    result = unary(_ERFC, input)
    return result if out is None else store("erfc", result, out)


def hypot(input: Tensor, other: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the length of the hypotenuse, sqrt(input**2 + other**2).

    Parameters
    ----------
    input : Tensor
        The first operand.
    other : Tensor
        The second operand. Shapes broadcast, dtypes promote.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result with the broadcast shape.

    Notes
    -----
    No overflow or underflow on the way; infinite if either operand is, even with a NaN. Error
    at most 2 ulp. Gradients: g * input / out and g * other / out, 0 at the origin.

    Examples
    --------
    >>> import pumice
    >>> pumice.hypot(pumice.tensor([3., 5.]), pumice.tensor([4., 12.]))
    tensor([ 5., 13.])
    """
    result = elementwise(_HYPOT, input, other)
    return result if out is None else store("hypot", result, out)


def heaviside(input: Tensor, values: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """Return the step function: 0 below zero, `values` at zero, 1 above.

    Parameters
    ----------
    input : Tensor
        The operand.
    values : Tensor
        Results at zero. Shapes broadcast.
    out : Tensor, optional
        Where the result is written (a tuple of tensors for several results). It must have the
        result's shape or be empty, and its dtype must be one the result can be cast to.

    Returns
    -------
    Tensor
        Elementwise result.

    Notes
    -----
    0 for NaN. There is no gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.heaviside(pumice.tensor([-1., 0., 2.]), pumice.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    result = elementwise(_HEAVISIDE, input, values)
    return result if out is None else store("heaviside", result, out)


__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clamp_max",
    "clamp_min",
    "copysign",
    "cos",
    "cosh",
    "digamma",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "fix",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "heaviside",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "le",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "multiply",
    "ne",
    "neg",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "reciprocal",
    "relu",
    "remainder",
    "rsqrt",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "xlogy",
]
