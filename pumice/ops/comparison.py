"""Entries of comparison, selection, logic and tests of single values."""

from typing import Any

from pumice import dtypes
from pumice.dtypes import Kind
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import binary, document, unary
from pumice.ops.scalar import INFINITY, bits, is_bool, is_float
from pumice.ops.vocabulary import Operand, ScalarOperand

NO_GRADIENT = "a bool result has no derivative"
SAMPLES = Samples(
    domain=((-3.0, 3.0), (-3.0, 3.0)),
    special=(0.0, -0.0, 1.0, INFINITY, -INFINITY, float("nan")),
    smooth=False,
)
UNARY_SAMPLES = Samples(domain=((-3.0, 3.0),), special=SAMPLES.special, smooth=False)


def _comparison(
    name: str, alias: str, symbol: str, words: str, meaning: Any, reference: Any, result: str
) -> Elementwise:
    """Build one of the six comparisons."""
    return register(
        Elementwise(
            name=name,
            parameters=("input", "other"),
            accepts=Accepts.NUMERIC_BOOL,
            meaning=meaning,
            reference=reference,
            samples=SAMPLES,
            result=dtypes.bool_,
            symbol=symbol,
            commutative=name in ("equal", "not_equal"),
            aliases=(alias,),
            no_gradient=NO_GRADIENT,
            doc=binary(
                f"Test elementwise whether the first operand is {words} the second.",
                returns="bool, with the broadcast shape.",
                notes="Mixed dtypes are promoted first. With a NaN on either side the result is "
                + ("True" if name == "not_equal" else "False")
                + "; -0.0 equals 0.0. There is no gradient.",
                example=f">>> pumice.{name}(pumice.tensor([1, 2, 3]), 2)\ntensor({result})",
            ),
        )
    )


def _less(x: ScalarOperand, y: ScalarOperand) -> Any:
    return ~x & y if is_bool(x) else x < y


def _less_equal(x: ScalarOperand, y: ScalarOperand) -> Any:
    return ~x | y if is_bool(x) else x <= y


equal = _comparison(
    "equal",
    "eq",
    "==",
    "equal to",
    lambda x, y: ~(x ^ y) if is_bool(x) else x.eq(y),
    lambda np, x, y: np.equal(x, y),
    "[False,  True, False]",
)
not_equal = _comparison(
    "not_equal",
    "ne",
    "!=",
    "different from",
    lambda x, y: x ^ y if is_bool(x) else x.ne(y),
    lambda np, x, y: np.not_equal(x, y),
    "[ True, False,  True]",
)
less = _comparison(
    "less",
    "lt",
    "<",
    "less than",
    _less,
    lambda np, x, y: np.less(x, y),
    "[ True, False, False]",
)
less_equal = _comparison(
    "less_equal",
    "le",
    "<=",
    "less than or equal to",
    _less_equal,
    lambda np, x, y: np.less_equal(x, y),
    "[ True,  True, False]",
)
greater = _comparison(
    "greater",
    "gt",
    ">",
    "greater than",
    lambda x, y: _less(y, x),
    lambda np, x, y: np.greater(x, y),
    "[False, False,  True]",
)
greater_equal = _comparison(
    "greater_equal",
    "ge",
    ">=",
    "greater than or equal to",
    lambda x, y: _less_equal(y, x),
    lambda np, x, y: np.greater_equal(x, y),
    "[False,  True,  True]",
)


def _where_gradient(g: Operand, out: Operand, condition: Operand, x: Operand, y: Operand) -> Any:
    zero = g.const(0)
    return None, condition.select(g, zero), condition.select(zero, g)


where = register(
    Elementwise(
        name="where",
        parameters=("condition", "input", "other"),
        accepts=Accepts.NUMERIC_BOOL,
        meaning=lambda condition, x, y: condition.select(x, y),
        reference=lambda np, condition, x, y: np.where(condition, x, y),
        gradient=_where_gradient,
        samples=Samples(domain=((0.0, 1.0), (-3.0, 3.0), (-3.0, 3.0)), special=SAMPLES.special),
        condition_first=True,
        method=False,
        function=False,
        inplace=False,
        doc=document(
            "Choose elementwise between two tensors.",
            {
                "condition": "bool; where true the element of `input` is taken.",
                "input": "Values where true.",
                "other": "Values elsewhere. All three broadcast, the two values promote.",
            },
            raises="DTypeError\n    If the condition is not bool.",
            notes="The value not chosen never reaches the result, nor its gradient.",
        ),
    )
)


def _logical(name: str, symbol: str, words: str, meaning: Any, reference: Any) -> Elementwise:
    """Build a binary logical entry."""
    results = {
        "logical_and": "[ True, False, False]",
        "logical_or": "[True, True, False]",
        "logical_xor": "[False,  True, False]",
    }
    return register(
        Elementwise(
            name=name,
            parameters=("input", "other"),
            accepts=Accepts.BOOL,
            meaning=meaning,
            reference=reference,
            samples=SAMPLES,
            result=dtypes.bool_,
            symbol=symbol,
            commutative=True,
            no_gradient=NO_GRADIENT,
            doc=binary(
                f"Return the logical {words} of the operands' truth values.",
                returns="bool, with the broadcast shape.",
                notes="Zero is false, everything else (NaN too) is true. There is no gradient.",
                example=f">>> pumice.{name}(pumice.tensor([1, 2, 0]), pumice.tensor([3, 0, 0]))\n"
                f"tensor({results[name].replace('[True, True, False]', '[ True,  True, False]')})",
            ),
        )
    )


logical_and = _logical(
    "logical_and", "", "and", lambda x, y: x & y, lambda np, x, y: np.logical_and(x, y)
)
logical_or = _logical(
    "logical_or", "", "or", lambda x, y: x | y, lambda np, x, y: np.logical_or(x, y)
)
logical_xor = _logical(
    "logical_xor", "", "exclusive or", lambda x, y: x ^ y, lambda np, x, y: np.logical_xor(x, y)
)

logical_not = register(
    Elementwise(
        name="logical_not",
        parameters=("input",),
        accepts=Accepts.BOOL,
        meaning=lambda x: ~x,
        reference=lambda np, x: np.logical_not(x),
        samples=UNARY_SAMPLES,
        result=dtypes.bool_,
        no_gradient=NO_GRADIENT,
        doc=unary(
            "Return the negated truth value.",
            returns="bool, with the shape of `input`.",
            notes="Zero is false, everything else is true. There is no gradient.",
            example=">>> pumice.logical_not(pumice.tensor([0, 1]))\ntensor([ True, False])",
        ),
    )
)


def _property(
    name: str, words: str, meaning: Any, reference: Any, otherwise: bool, example: str
) -> Elementwise:
    """Build a test of single float values; `otherwise` is the answer for other dtypes."""

    def full(x: ScalarOperand) -> Any:
        if is_float(x):
            return meaning(x)
        never = x ^ x if is_bool(x) else x.ne(x)
        return ~never if otherwise else never

    return register(
        Elementwise(
            name=name,
            parameters=("input",),
            accepts=Accepts.NUMERIC_BOOL,
            meaning=full,
            reference=reference,
            samples=UNARY_SAMPLES,
            result=dtypes.bool_,
            inplace=False,
            no_gradient=NO_GRADIENT,
            doc=unary(
                f"Test elementwise whether a value is {words}.",
                returns="bool, with the shape of `input`.",
                notes=f"Always {otherwise} for integers and bool. There is no gradient.",
                example=f">>> pumice.{name}(pumice.tensor([1., float('inf'), float('nan')]))\n"
                f"tensor({example})",
            ),
        )
    )


isnan = _property(
    "isnan",
    "not a number",
    lambda x: x.ne(x),
    lambda np, x: np.isnan(x),
    False,
    "[False, False,  True]",
)
isinf = _property(
    "isinf",
    "infinite",
    lambda x: x.absolute().eq(INFINITY),
    lambda np, x: np.isinf(x),
    False,
    "[False,  True, False]",
)
isfinite = _property(
    "isfinite",
    "finite",
    lambda x: x.absolute() < INFINITY,
    lambda np, x: np.isfinite(x),
    True,
    "[ True, False, False]",
)
isposinf = _property(
    "isposinf",
    "positive infinity",
    lambda x: x.eq(INFINITY),
    lambda np, x: x == np.inf,
    False,
    "[False,  True, False]",
)
isneginf = _property(
    "isneginf",
    "negative infinity",
    lambda x: x.eq(-INFINITY),
    lambda np, x: x == -np.inf,
    False,
    "[False, False, False]",
)


def _signbit(x: ScalarOperand) -> Any:
    if is_float(x):
        return bits(x) < 0
    if is_bool(x):
        return x ^ x
    return x < 0 if x.dtype.kind is Kind.SIGNED else x.ne(x)


signbit = register(
    Elementwise(
        name="signbit",
        parameters=("input",),
        accepts=Accepts.NUMERIC_BOOL,
        meaning=_signbit,
        reference=lambda np, x: np.signbit(x) if x.dtype.kind == "f" else x < 0,
        samples=UNARY_SAMPLES,
        result=dtypes.bool_,
        inplace=False,
        no_gradient=NO_GRADIENT,
        doc=unary(
            "Test elementwise whether the sign bit is set.",
            returns="bool, with the shape of `input`.",
            notes="True for -0.0. There is no gradient.",
            example=">>> pumice.signbit(pumice.tensor([1., -0.]))\ntensor([False,  True])",
        ),
    )
)
