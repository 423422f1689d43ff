"""How much code an entry is: what compiling it costs, not what running it does.

LLVM takes 0.1 to 0.2 ms for each instruction of a kernel, whatever it does, so kernels are bounded
by the number of instructions their entries expand to: 1 for ``mul``, 67 for ``tanh``, 216 for
``sin``, before simplification.
"""

from functools import lru_cache
from typing import Any

from pumice import dtypes
from pumice.dtypes import DType
from pumice.ops.definition import Elementwise


@lru_cache(maxsize=1024)
def code_size(op: Elementwise, operand_dtypes: tuple[DType, ...]) -> int:
    """Return how many instructions an entry's expression has on operands of these dtypes."""
    count = [0]
    wide = [dtypes.float32 if each.is_small_float else each for each in operand_dtypes]
    op.meaning(*[_Counted(each, count) for each in wide])
    return max(count[0], 1)


class _Counted:
    """An operand of `vocabulary.ScalarOperand` that only counts what is done to it."""

    __slots__ = ("_count", "dtype")

    def __init__(self, dtype: DType, count: list[int]) -> None:
        self.dtype = dtype
        self._count = count

    def _made(self, dtype: DType) -> "_Counted":
        self._count[0] += 1
        return _Counted(dtype, self._count)

    def const(self, value: object) -> "_Counted":
        return _Counted(self.dtype, self._count)

    def cast(self, dtype: DType) -> "_Counted":
        return self if dtype is self.dtype else self._made(dtype)

    bitcast = cast

    def select(self, chosen: Any, other: Any) -> "_Counted":
        return self._made((chosen if isinstance(chosen, _Counted) else other).dtype)

    rarely = select

    def apply(self, op: Elementwise, *others: Any) -> Any:
        lifted = [each if isinstance(each, _Counted) else self.const(each) for each in others]
        return op.meaning(self, *lifted)


def _arithmetic(self: _Counted, *others: object) -> _Counted:
    return self._made(self.dtype)


def _comparison(self: _Counted, other: object) -> _Counted:
    return self._made(dtypes.bool_)


for _name in (
    *("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__"),
    *("__rtruediv__", "__neg__", "__and__", "__or__", "__xor__", "__invert__", "__lshift__"),
    *("__rshift__", "quotient", "modulus", "high_product", "multiply_add", "scaled", "absolute"),
    "product_error",
    *("square_root", "floor", "ceil", "truncate", "round_even", "fail_if"),
):
    setattr(_Counted, _name, _arithmetic)
for _name in ("eq", "ne", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(_Counted, _name, _comparison)
