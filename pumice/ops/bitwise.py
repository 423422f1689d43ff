"""Entries of bitwise logic and shifts."""

from typing import Any

from pumice.dtypes import Kind
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import binary, document, unary
from pumice.ops.vocabulary import ScalarOperand

NO_GRADIENT = "integers have no derivative"
RANGE = (-100.0, 100.0)


def _bitwise(
    name: str, symbol: str, words: str, meaning: Any, reference: Any, result: str
) -> Elementwise:
    """Build a binary bitwise entry."""
    return register(
        Elementwise(
            name=name,
            parameters=("input", "other"),
            accepts=Accepts.INTEGRAL,
            meaning=meaning,
            reference=reference,
            samples=Samples(domain=(RANGE, RANGE), smooth=False),
            symbol=symbol,
            commutative=True,
            no_gradient=NO_GRADIENT,
            doc=binary(
                f"Return the bitwise {words} of two integer or bool tensors.",
                raises="DTypeError\n    For floating operands.",
                notes="For bool this is the logical operation. There is no gradient.",
                example=f">>> pumice.{name}(pumice.tensor([12, 10]), 6)\ntensor({result})",
            ),
        )
    )


bitwise_and = _bitwise(
    "bitwise_and", "&", "and", lambda x, y: x & y, lambda np, x, y: x & y, "[4, 2]"
)
bitwise_or = _bitwise(
    "bitwise_or", "|", "or", lambda x, y: x | y, lambda np, x, y: x | y, "[14, 14]"
)
bitwise_xor = _bitwise(
    "bitwise_xor", "^", "exclusive or", lambda x, y: x ^ y, lambda np, x, y: x ^ y, "[10, 12]"
)

bitwise_not = register(
    Elementwise(
        name="bitwise_not",
        parameters=("input",),
        accepts=Accepts.INTEGRAL,
        meaning=lambda x: ~x,
        reference=lambda np, x: ~x,
        samples=Samples(domain=(RANGE,), smooth=False),
        symbol="~",
        no_gradient=NO_GRADIENT,
        doc=unary(
            "Return the bitwise complement.",
            notes="For bool this is logical not. There is no gradient.",
            example=">>> pumice.bitwise_not(pumice.tensor([0, 5]))\ntensor([-1, -6])",
        ),
    )
)


def _in_range(x: ScalarOperand, count: ScalarOperand) -> Any:
    bits = x.dtype.bits
    below = count < bits
    return below & (count >= 0) if x.dtype.kind is Kind.SIGNED else below


def _left_shift(x: ScalarOperand, count: ScalarOperand) -> Any:
    inside = _in_range(x, count)
    return inside.select(x << inside.select(count, 0), 0)


def _right_shift(x: ScalarOperand, count: ScalarOperand) -> Any:
    inside = _in_range(x, count)
    if x.dtype.kind is not Kind.SIGNED:
        return inside.select(x >> inside.select(count, 0), 0)
    return x >> inside.select(count, x.dtype.bits - 1)


def _left_reference(np: Any, x: Any, count: Any) -> Any:
    inside = (count >= 0) & (count < x.dtype.itemsize * 8)
    return np.where(inside, x << np.where(inside, count, 0), 0).astype(x.dtype)


def _right_reference(np: Any, x: Any, count: Any) -> Any:
    bits = x.dtype.itemsize * 8
    inside = (count >= 0) & (count < bits)
    shifted = x >> np.where(inside, count, bits - 1).astype(x.dtype)
    return shifted if x.dtype.kind == "i" else np.where(inside, shifted, 0).astype(x.dtype)


def _shift(
    name: str, symbol: str, direction: str, meaning: Any, reference: Any, notes: str, result: str
) -> Elementwise:
    """Build a shift."""
    return register(
        Elementwise(
            name=name,
            parameters=("input", "other"),
            accepts=Accepts.INTEGER,
            meaning=meaning,
            reference=reference,
            samples=Samples(domain=(RANGE, (-10.0, 70.0)), smooth=False),
            symbol=symbol,
            no_gradient=NO_GRADIENT,
            doc=document(
                f"Shift the bits of an integer tensor to the {direction}.",
                {"input": "The integers.", "other": "How many places, in the same dtype."},
                raises="DTypeError\n    For floating or bool operands.",
                notes=notes + " There is no gradient.",
                example=f">>> pumice.{name}(pumice.tensor([5, -20]), 2)\ntensor({result})",
            ),
        )
    )


bitwise_left_shift = _shift(
    "bitwise_left_shift",
    "<<",
    "left",
    _left_shift,
    _left_reference,
    "A count that is negative or not below the width gives 0.",
    "[ 20, -80]",
)
bitwise_right_shift = _shift(
    "bitwise_right_shift",
    ">>",
    "right",
    _right_shift,
    _right_reference,
    "Arithmetic for signed types. A count that is negative or not below the width gives the sign "
    "(0 or -1).",
    "[ 1, -5]",
)
