"""Simplification: constant folding and identities that hold for every bit pattern.

Before::

    %0 = mul.index v0, 1
    %1 = add.index %0, 0
    %2 = load p0[%1] if true
    %3 = mul.f32 0x1.0000000000000p+1, 0x1.8000000000000p+1
    %4 = cast.f16.f32 %2
    %5 = cast.f32.f16 %4
    %6 = select.f16 true, %5, 0x0.0p+0

After::

    %0 = load p0[v0]
    (%6 is %0, %3 is 0x1.8000000000000p+2)

Nothing changes a NaN, the sign of a zero or a rounding: ``x + 0.0``, ``x * 0.0`` and ``x - x``
stay for floats, and no constant NaN is computed. A value with a fault check in it is never
dropped.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pumice.dtypes import DType, Kind
from pumice.kernel.arithmetic import evaluate, number
from pumice.kernel.ir import (
    If,
    Instruction,
    Kernel,
    Let,
    Loop,
    Statement,
    Store,
    Value,
    constant,
)
from pumice.kernel.printer import constant_text
from pumice.kernel.rewrite import Rewriter
from pumice.kernel.walk import LEAVES

Number = bool | int | float

_NOT_FOLDED = LEAVES | {Instruction.LOAD, Instruction.CHECKED}
_DIVISIONS = frozenset((Instruction.QUOTIENT, Instruction.MODULUS))
_SHIFTS = frozenset((Instruction.SHL, Instruction.SHR))
_COMMUTATIVE = frozenset(
    (Instruction.ADD, Instruction.MUL, Instruction.AND, Instruction.OR, Instruction.XOR)
)


def simplify(kernel: Kernel) -> Kernel:
    """Return the kernel with constants folded and neutral operations removed."""
    simplifier = _Simplifier()
    return Rewriter(simplifier.simplified, simplifier.cleaned).kernel(kernel)


def _number_of(value: Value) -> Number | None:
    """Return the number of a constant, None for anything else."""
    if value.instruction is not Instruction.CONSTANT:
        return None
    result: Number = value.attribute
    return result


class _Simplifier:
    """The rules, and which values have a fault check below them."""

    def __init__(self) -> None:
        self.checked: set[Value] = set()

    def simplified(self, value: Value) -> Value:
        """Return a simpler value that computes the same."""
        result = self._rewritten(value)
        if result.instruction is Instruction.CHECKED or any(
            operand in self.checked for operand in result.arguments
        ):
            self.checked.add(result)
        return result

    def _rewritten(self, value: Value) -> Value:
        if not value.arguments:
            return value
        folded = _folded(value)
        if folded is not None:
            return folded
        rule = _RULES.get(value.instruction)
        if rule is not None:
            return rule(self, value)
        if value.dtype.is_integral or value.dtype.kind is Kind.BOOL:
            return self._integer(value)
        return self._float(value)

    def droppable(self, value: Value) -> bool:
        return value not in self.checked

    def cleaned(self, statement: Statement) -> tuple[Statement, ...]:
        """Remove a statement that does nothing, and masks and conditions that are always true."""
        match statement:
            case Let(value=value) if value.instruction in LEAVES:
                return ()
            case Store(mask=Value() as mask):
                known = _number_of(mask)
                if known is True:
                    return (replace(statement, mask=None),)
                idle = self.droppable(statement.at) and self.droppable(statement.value)
                return () if known is False and idle else (statement,)
            case If(condition=condition):
                # One that always runs stays: its body is a scope, so loads in it happen anew.
                return () if _number_of(condition) is False else (statement,)
            case Loop(folds=()):
                first, last = _number_of(statement.start), _number_of(statement.stop)
                never = first is not None and last is not None and first >= last
                return () if never else (statement,)
            case _:
                return (statement,)

    # -- integers and bool ----------------------------------------------------------------------

    def _integer(self, value: Value) -> Value:
        if len(value.arguments) != 2:
            return value
        left, right = value.arguments
        if value.instruction in _COMMUTATIVE and _number_of(left) is not None:
            left, right = right, left
            value = Value(value.instruction, value.dtype, (left, right))
        second = _number_of(right)
        if second is None:
            return value
        if _is_neutral(value.instruction, second, value.dtype):
            return left
        absorbed = _absorbing(value.instruction, second, value.dtype)
        if absorbed is not None and self.droppable(left):
            return constant(absorbed, value.dtype)
        return self._regrouped(value, left, right)

    def _regrouped(self, value: Value, left: Value, right: Value) -> Value:
        """Turn ``(x op a) op b`` with constants a and b into ``x op (a op b)``; integers wrap."""
        instruction = value.instruction
        if instruction is Instruction.SUB and left.instruction is Instruction.ADD:
            instruction, right = Instruction.ADD, constant(-right.attribute, value.dtype)
        if instruction not in _COMMUTATIVE or left.instruction is not instruction:
            return value
        inner, first = left.arguments
        if first.instruction is not Instruction.CONSTANT:
            return value
        merged = _folded(Value(instruction, value.dtype, (first, right)))
        if merged is None:
            return value
        return self._integer(Value(instruction, value.dtype, (inner, merged)))

    # -- floats ---------------------------------------------------------------------------------

    def _float(self, value: Value) -> Value:
        """Remove the few operations that give back every float, -0.0 and NaN included."""
        if len(value.arguments) != 2:
            return value
        left, right = value.arguments
        if _is_neutral_float(value.instruction, _number_of(right)):
            return left
        if value.instruction is Instruction.MUL and _number_of(left) == 1.0:
            return right
        return value

    # -- single instructions --------------------------------------------------------------------

    def _select(self, value: Value) -> Value:
        condition, chosen, other = value.arguments
        known = _number_of(condition)
        if known is not None:
            kept, dropped = (chosen, other) if known else (other, chosen)
            return kept if self.droppable(dropped) else value
        return chosen if chosen is other and self.droppable(condition) else value

    def _cast(self, value: Value) -> Value:
        inner = value.arguments[0]
        if inner.dtype is value.dtype:
            return inner
        if inner.instruction is not Instruction.CAST:
            return value
        origin = inner.arguments[0]
        if not _chain_is_direct(origin.dtype, inner.dtype, value.dtype):
            return value
        return origin.cast(value.dtype)

    def _bitcast(self, value: Value) -> Value:
        inner = value.arguments[0]
        if inner.dtype is value.dtype:
            return inner
        if inner.instruction is Instruction.BITCAST:
            return inner.arguments[0].bitcast(value.dtype)
        return value

    def _involution(self, value: Value) -> Value:
        inner = value.arguments[0]
        return inner.arguments[0] if inner.instruction is value.instruction else value

    def _check(self, value: Value) -> Value:
        return value.arguments[0] if _number_of(value.arguments[1]) is False else value

    def _load(self, value: Value) -> Value:
        if len(value.arguments) == 1:
            return value
        at, mask = value.arguments
        known = _number_of(mask)
        if known is True:
            return Value(Instruction.LOAD, value.dtype, (at,), value.attribute)
        if known is False and self.droppable(at):
            return constant(0, value.dtype)
        return value


_RULES: dict[Instruction, Callable[[_Simplifier, Value], Value]] = {
    Instruction.SELECT: _Simplifier._select,
    Instruction.CAST: _Simplifier._cast,
    Instruction.BITCAST: _Simplifier._bitcast,
    Instruction.NEG: _Simplifier._involution,
    Instruction.NOT: _Simplifier._involution,
    Instruction.CHECKED: _Simplifier._check,
    Instruction.LOAD: _Simplifier._load,
}


def _folded(value: Value) -> Value | None:
    """Return the constant an instruction on constants gives, None where it must stay."""
    instruction = value.instruction
    if instruction in _NOT_FOLDED:
        return None
    for operand in value.arguments:
        if operand.instruction is not Instruction.CONSTANT:
            return None
        if instruction is Instruction.BITCAST and operand.attribute != operand.attribute:
            return None
    last = value.arguments[-1]
    if instruction in _DIVISIONS and last.attribute == 0:
        return None
    if instruction in _SHIFTS and not 0 <= last.attribute < value.dtype.bits:
        return None
    with np.errstate(all="ignore"):
        operands = [number(operand.attribute, operand.dtype) for operand in value.arguments]
        result = evaluate(instruction, value.dtype, operands, value.arguments[0].dtype)
    if value.dtype.is_floating_point:
        # A NaN's sign and payload are the device's business.
        return None if np.isnan(result) else constant(float(result), value.dtype)
    return constant(result.item(), value.dtype)


def _is_neutral(instruction: Instruction, second: Number, dtype: DType) -> bool:
    """Say whether ``x op second`` is x for integers and bool."""
    match instruction:
        case Instruction.ADD | Instruction.SUB | Instruction.SHL | Instruction.SHR:
            return second == 0
        case Instruction.OR | Instruction.XOR:
            return second == 0
        case Instruction.MUL | Instruction.QUOTIENT:
            return second == 1
        case Instruction.AND:
            return second == _all_ones(dtype)
        case _:
            return False


def _absorbing(instruction: Instruction, second: Number, dtype: DType) -> Number | None:
    """Return what ``x op second`` is for every integer or bool x, None when that varies."""
    match instruction:
        case Instruction.MUL | Instruction.AND if second == 0:
            return 0
        case Instruction.OR if second == _all_ones(dtype):
            return second
        case Instruction.MODULUS if second == 1:
            return 0
        case _:
            return None


def _all_ones(dtype: DType) -> int:
    if dtype.kind is Kind.BOOL:
        return 1
    return -1 if dtype.is_signed else (1 << dtype.bits) - 1


def _is_neutral_float(instruction: Instruction, second: Number | None) -> bool:
    """Say whether ``x op second`` is x for floats."""
    if second is None:
        return False
    match instruction:
        case Instruction.MUL | Instruction.DIV:
            return second == 1.0
        case Instruction.SUB:
            return constant_text(second) == constant_text(0.0)
        case Instruction.ADD:
            return constant_text(second) == constant_text(-0.0)
        case _:
            return False


def _is_exact(source: DType, target: DType) -> bool:
    """Say whether every value of `source` is a value of `target`."""
    if source is target or source.kind is Kind.BOOL:
        return True
    if target.kind is Kind.BOOL:
        return False
    if source.is_floating_point:
        # Of the floats only float16 in bfloat16 and the reverse are neither smaller nor larger.
        return target.is_floating_point and target.itemsize > source.itemsize
    value_bits = source.bits - 1 if source.is_signed else source.bits
    if target.is_floating_point:
        return value_bits <= target.mantissa + 1
    if source.is_signed:
        return target.is_signed and target.bits >= source.bits
    return (target.bits - 1 if target.is_signed else target.bits) >= value_bits


def _chain_is_direct(origin: DType, middle: DType, target: DType) -> bool:
    """Say whether casting through `middle` equals casting from `origin` to `target` at once."""
    if target.kind is Kind.BOOL or origin.kind is Kind.BOOL:
        return _is_exact(origin, middle)
    if not _is_exact(origin, middle):
        # Integers wrap, so narrowing in two steps keeps the low bits all the same.
        integers = origin.is_integral and middle.is_integral and target.is_integral
        return integers and target.bits <= middle.bits
    if origin.is_integral and middle.is_floating_point and target.is_integral:
        return _is_exact(origin, target)
    return True
