"""Entries of arithmetic: sums, products, quotients, remainders, powers."""

from typing import Any

from pumice.dtypes import Kind
from pumice.ops import division_core, exponential_core
from pumice.ops.comparison import greater_equal
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import SECOND, binary, document
from pumice.ops.exponential import log
from pumice.ops.scalar import INFINITY, is_bool, is_float
from pumice.ops.vocabulary import Operand, ScalarOperand

WIDE = (-100.0, 100.0)
SPECIAL = (0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, float("nan"), 1e-40, 3.0e38)
PAIR = ("input", "other")
DIVISION_ERROR = (
    "IntegerDivisionByZero\n    When an integer is divided by zero; on a GPU the element is -1 and "
    "the error is raised\n    at the next read-back."
)


def zero_like(g: Operand) -> Any:
    return g.const(0)


def _integer_or_float(integer: Any, floating: Any) -> Any:
    """Return a meaning that depends on the kind of its operands."""

    def meaning(x: ScalarOperand, y: ScalarOperand) -> Any:
        return floating(x, y) if is_float(x) else integer(x, y)

    return meaning


add = register(
    Elementwise(
        name="add",
        parameters=PAIR,
        accepts=Accepts.NUMERIC_BOOL,
        meaning=lambda x, y: x | y if is_bool(x) else x + y,
        reference=lambda np, x, y: np.add(x, y),
        gradient=lambda g, out, x, y: (g, g),
        samples=Samples(domain=(WIDE, WIDE), special=SPECIAL),
        symbol="+",
        commutative=True,
        doc=binary(
            "Add two tensors.",
            notes="``input + other``; integers wrap, bool is logical or. Gradients: g and g.",
            example=">>> pumice.add(pumice.tensor([1., 2.]), 3)\ntensor([4., 5.])",
        ),
    )
)

sub = register(
    Elementwise(
        name="sub",
        parameters=PAIR,
        accepts=Accepts.NUMERIC,
        meaning=lambda x, y: x - y,
        reference=lambda np, x, y: np.subtract(x, y),
        gradient=lambda g, out, x, y: (g, -g),
        samples=Samples(domain=(WIDE, WIDE), special=SPECIAL),
        symbol="-",
        aliases=("subtract",),
        doc=binary(
            "Subtract the second tensor from the first.",
            raises="DTypeError\n    For bool operands; use logical_xor or logical_not.",
            notes="``input - other``; integers wrap. Gradients: g and -g.",
            example=">>> pumice.sub(pumice.tensor([1., 2.]), 3)\ntensor([-2., -1.])",
        ),
    )
)

mul = register(
    Elementwise(
        name="mul",
        parameters=PAIR,
        accepts=Accepts.NUMERIC_BOOL,
        meaning=lambda x, y: x & y if is_bool(x) else x * y,
        reference=lambda np, x, y: np.multiply(x, y),
        gradient=lambda g, out, x, y: (g * y, g * x),
        unrounded=(0, 1),
        samples=Samples(domain=(WIDE, WIDE), special=SPECIAL),
        symbol="*",
        commutative=True,
        aliases=("multiply",),
        doc=binary(
            "Multiply two tensors.",
            notes="``input * other``; integers wrap, bool is logical and. Gradients: g * other "
            "and g * input.",
            example=">>> pumice.mul(pumice.tensor([1., 2.]), 3)\ntensor([3., 6.])",
        ),
    )
)


def _div_gradient(g: Operand, out: Operand, x: Operand, y: Operand) -> Any:
    return g / y, -(g * out) / y


div = register(
    Elementwise(
        name="div",
        parameters=PAIR,
        accepts=Accepts.FLOAT,
        meaning=lambda x, y: x / y,
        reference=lambda np, x, y: np.divide(x, y),
        gradient=_div_gradient,
        unrounded=(0, 1),
        samples=Samples(domain=(WIDE, (0.5, 100.0)), special=SPECIAL),
        singular=True,
        symbol="/",
        aliases=("divide", "true_divide"),
        doc=binary(
            "Divide the first tensor by the second.",
            notes="The true quotient; integers and bool become the default float. x/0 is an "
            "infinity, 0/0 is NaN.\nGradients: g / other and -g * input / other**2.",
            example=">>> pumice.div(pumice.tensor([7, -7]), 2)\ntensor([ 3.5000, -3.5000])",
        ),
    )
)


def _zeros(g: Operand, out: Operand, x: Operand, y: Operand) -> Any:
    return zero_like(g), zero_like(g)


floor_divide = register(
    Elementwise(
        name="floor_divide",
        parameters=PAIR,
        accepts=Accepts.NUMERIC,
        meaning=_integer_or_float(division_core.integer_floor_divide, division_core.floor_divide),
        reference=lambda np, x, y: np.floor_divide(x, y),
        gradient=_zeros,
        unrounded=(1,),
        samples=Samples(domain=(WIDE, (0.5, 100.0)), special=(0.1, -0.1, 1.0, -3.0), smooth=False),
        symbol="//",
        doc=binary(
            "Divide and round toward minus infinity.",
            raises=DIVISION_ERROR,
            notes="The floor of the exact real quotient, so 1.0 // 0.1 is 9. inf // y is NaN, "
            "-1 // inf is -1, x // 0.0 is x / 0.0.\nThe gradient is zero.",
            example=">>> pumice.floor_divide(pumice.tensor([7, -7]), 2)\ntensor([ 3, -4])",
        ),
    )
)

trunc_divide = register(
    Elementwise(
        name="trunc_divide",
        parameters=PAIR,
        accepts=Accepts.NUMERIC,
        meaning=_integer_or_float(
            division_core.integer_trunc_divide, lambda x, y: (x / y).truncate()
        ),
        reference=lambda np, x, y: (
            np.trunc(x / y)
            if x.dtype.kind == "f"
            else (np.sign(x) * np.sign(y) * (abs(x) // abs(y))).astype(x.dtype)
        ),
        gradient=_zeros,
        unrounded=(1,),
        samples=Samples(domain=(WIDE, (0.5, 100.0)), special=(0.1, -0.1, 1.0, -3.0), smooth=False),
        method=False,
        function=False,
        inplace=False,
        doc=binary(
            "Divide and round toward zero.",
            raises=DIVISION_ERROR,
            notes="The truncated rounded quotient, so 1.0 by 0.1 is 10. The gradient is zero.",
        ),
    )
)


def _fmod_gradient(g: Operand, out: Operand, x: Operand, y: Operand) -> Any:
    return g, -g * trunc_divide(x, y)


def _remainder_reference(np: Any, x: Any, y: Any) -> Any:
    """Keep the sign of a zero remainder, which NumPy changes to the divisor's."""
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest).astype(x.dtype)


def _remainder_gradient(g: Operand, out: Operand, x: Operand, y: Operand) -> Any:
    return g, -g * floor_divide(x, y)


remainder = register(
    Elementwise(
        name="remainder",
        parameters=PAIR,
        accepts=Accepts.NUMERIC,
        meaning=_integer_or_float(division_core.integer_remainder, division_core.remainder),
        reference=_remainder_reference,
        gradient=_remainder_gradient,
        samples=Samples(
            domain=(WIDE, (0.5, 100.0)), special=(0.1, -0.1, 1e30, 1e-30, -3.0), smooth=False
        ),
        symbol="%",
        doc=binary(
            "Return the remainder with the sign of the divisor, as Python's ``%``.",
            raises=DIVISION_ERROR,
            notes="``input - other * floor(input / other)`` computed exactly and rounded once. A "
            "float divisor of 0 gives NaN.\nGradients: g and -g * floor_divide(input, other).",
            example=">>> pumice.remainder(pumice.tensor([7., -7.]), 4)\ntensor([3., 1.])",
        ),
    )
)

fmod = register(
    Elementwise(
        name="fmod",
        parameters=PAIR,
        accepts=Accepts.NUMERIC,
        meaning=_integer_or_float(division_core.integer_fmod, division_core.fmod),
        reference=lambda np, x, y: np.fmod(x, y),
        gradient=_fmod_gradient,
        samples=Samples(
            domain=(WIDE, (0.5, 100.0)), special=(0.1, -0.1, 1e30, 1e-30, -3.0), smooth=False
        ),
        doc=binary(
            "Return the remainder with the sign of the dividend, as C's ``fmod``.",
            raises=DIVISION_ERROR,
            notes="``input - other * trunc(input / other)``, exact for every finite pair. A float "
            "divisor of 0 gives NaN.\nGradients: g and -g * trunc(input / other).",
            example=">>> pumice.fmod(pumice.tensor([7., -7.]), 4)\ntensor([ 3., -3.])",
        ),
    )
)


def _integer_power(x: ScalarOperand, y: ScalarOperand) -> Any:
    """Square and multiply, wrapping; a negative exponent truncates 1 / x**-y toward zero."""
    result: Any = x.const(1)
    square: Any = x
    for step in range(x.dtype.bits):
        result = ((y >> step) & 1).ne(0).select(result * square, result)
        square = square * square
    if x.dtype.kind is not Kind.SIGNED:
        return result
    alternating = (y & 1).ne(0).select(x.const(-1), 1)
    inverse = x.eq(1).select(x.const(1), x.eq(-1).select(alternating, 0))
    return (y < 0).select(inverse, result)


def _power_reference(np: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind == "f":
        return np.power(x, y)
    alternating = np.where(y % 2 == 0, 1, -1)
    inverse = np.where(x == 1, 1, np.where(x == -1, alternating, 0)).astype(x.dtype)
    count = np.where(y < 0, y.dtype.type(0), y)
    return np.where(y < 0, inverse, np.power(x, count)).astype(x.dtype)


def _power_gradient(g: Operand, out: Operand, x: Operand, y: Operand) -> Any:
    base = y.eq(0).select(zero_like(g), g * (y * pow_(x, y - 1)))
    zero_base = x.eq(0) & greater_equal(y, 0)
    exponent = zero_base.select(zero_like(g), g * (out * log(x)))
    return base, exponent


pow_ = register(
    Elementwise(
        name="pow",
        parameters=("input", "exponent"),
        accepts=Accepts.NUMERIC,
        meaning=_integer_or_float(_integer_power, exponential_core.power),
        reference=_power_reference,
        gradient=_power_gradient,
        samples=Samples(
            domain=((0.1, 10.0), (-3.0, 3.0)), special=(*SPECIAL, 0.5, -0.5, 2.0, -3.0, 1e9), ulp=2
        ),
        singular=True,
        symbol="**",
        doc=document(
            "Raise to a power.",
            {"input": "The base.", "exponent": SECOND},
            notes="C's pow for floats: x**0 and 1**y are 1, a negative base needs an integer "
            "exponent, else NaN. Integer powers\nwrap; a negative exponent gives 0 unless the "
            "base is 1 or -1. Error at most 2 ulp.\n"
            "Gradients: g * exponent * input**(exponent - 1) and g * out * log(input).",
            example=">>> pumice.pow(pumice.tensor([1., 2., 3.]), 2)\ntensor([1., 4., 9.])",
        ),
    )
)
