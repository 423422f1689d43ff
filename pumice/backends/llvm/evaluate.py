"""Evaluation of value trees: every value once, in the outermost scope that knows its arguments."""

from dataclasses import replace

from pumice import dtypes
from pumice.backends.llvm.arithmetic import emit_arithmetic
from pumice.backends.llvm.convert import convert
from pumice.backends.llvm.emitter import Emitter, Operand, ScopeKind, key_of
from pumice.backends.llvm.memory import any_lane, emit_load, pointer_of
from pumice.backends.llvm.types import scalar_type, vector_of
from pumice.errors import InternalError
from pumice.kernel.ir import INDEX, Instruction, Value

TRAPPING = frozenset((Instruction.QUOTIENT, Instruction.MODULUS))


def evaluate(e: Emitter, root: Value) -> Operand:
    """Return the operand of a value, emitting what is not known yet."""
    stack = [root]
    while stack:
        value = stack[-1]
        if _known(e, value) is not None:
            stack.pop()
            continue
        missing = [operand for operand in _needed(value) if _known(e, operand) is None]
        if missing:
            missing.reverse()
            stack.extend(missing)
            continue
        stack.pop()
        e.bind(value, _emit(e, value))
    result = _known(e, root)
    assert result is not None
    return result


def _needed(value: Value) -> tuple[Value, ...]:
    """Return the operands to compute first: what is rarely chosen waits."""
    if value.instruction is Instruction.RARELY:
        return value.arguments[0], value.arguments[2]
    return value.arguments


def _known(e: Emitter, value: Value) -> Operand | None:
    if value.instruction is Instruction.PARAMETER:
        return e.bindings[value.attribute]
    return e.find(key_of(value))


def _emit(e: Emitter, value: Value) -> Operand:
    if value.instruction is Instruction.RARELY:
        return _rarely(e, value)
    operands = tuple(_require(e, argument) for argument in value.arguments)
    match value.instruction:
        case Instruction.CONSTANT:
            return e.constant(value.attribute, value.dtype)
        case Instruction.LOAD:
            mask = operands[1] if len(operands) > 1 else None
            return emit_load(e, value.attribute, operands[0], mask, _load_level(e, value, operands))
        case Instruction.CHECKED:
            return _checked(e, value, operands)
        case instruction if instruction in TRAPPING:
            return _pinned(e, value, operands)
        case Instruction.AND | Instruction.SELECT if any(_is_true(each) for each in operands):
            return _granted(e, value, operands)
        case _ if operands:
            return emit_arithmetic(e, value, operands)
        case _:
            raise InternalError(f"llvm: {value.instruction.name} used outside its scope")


def _is_true(operand: Operand) -> bool:
    return operand.constant and operand.text == "true"


def _granted(e: Emitter, value: Value, operands: tuple[Operand, ...]) -> Operand:
    """Return what is left where a condition always holds: the other one, or what it chooses."""
    if value.instruction is Instruction.SELECT:
        if not _is_true(operands[0]):
            return emit_arithmetic(e, value, operands)
        chosen = operands[1]
    else:
        chosen = operands[1] if _is_true(operands[0]) else operands[0]
    level = max(operand.level for operand in operands)
    return chosen if chosen.level == level else replace(chosen, level=level, vectors={})


def _require(e: Emitter, value: Value) -> Operand:
    operand = _known(e, value)
    assert operand is not None
    if operand.level < e.floor:
        return replace(operand, level=e.floor, vectors={})
    return operand


def _rarely(e: Emitter, value: Value) -> Operand:
    """Branch around what no lane chooses; in a scalar loop it is a plain selection."""
    condition, other = _require(e, value.arguments[0]), _require(e, value.arguments[2])
    plain = Value(Instruction.SELECT, value.dtype, value.arguments)
    if not e.width or not condition.varying:
        return emit_arithmetic(e, plain, (condition, evaluate(e, value.arguments[1]), other))
    kind, bits = vector_of(scalar_type(value.dtype), e.width), vector_of("i1", e.width)
    lanes, kept = condition.text, e.vector(other)
    if e.mask is not None:
        lanes = e.value(f"and {bits} {lanes}, {e.mask}")
    test, tag = any_lane(e, lanes, e.width, e.depth), e.name("rare")
    e.line(f"br label %{tag}test\n{tag}test:")
    e.line(f"br i1 {test}, label %{tag}, label %{tag}exit, !prof !0\n{tag}:")
    e.open(ScopeKind.PLAIN)
    outer, e.floor = e.floor, e.depth
    chosen = e.vector(evaluate(e, value.arguments[1]))
    picked = e.value(f"select {bits} {lanes}, {kind} {chosen}, {kind} {kept}")
    e.floor = outer
    lines = e.close()
    e.scopes[-1].lines += lines
    e.line(f"br label %{tag}done\n{tag}done:\nbr label %{tag}exit\n{tag}exit:")
    merged = e.value(f"phi {kind} [{kept}, %{tag}test], [{picked}, %{tag}done]")
    return Operand(merged, value.dtype, e.depth, varying=True)


def _load_level(e: Emitter, value: Value, operands: tuple[Operand, ...]) -> int:
    """Loads of memory that this kernel does not write may be shared by all iterations."""
    return e.depth if value.attribute in e.written else _shared_level(e, operands)


def _shared_level(e: Emitter, operands: tuple[Operand, ...]) -> int:
    """Return the preheader of the loop we are in, when the operands are known there."""
    depth = e.depth
    if e.scopes[depth].kind is not ScopeKind.LOOP:
        return depth
    known = max(operand.level for operand in operands)
    return depth - 1 if max(known, e.mask_level) < depth else depth


def _pinned(e: Emitter, value: Value, operands: tuple[Operand, ...]) -> Operand:
    """A division that could trap stays in the loop it is used in."""
    divisor = operands[1]
    guarded = value.dtype is INDEX or (divisor.constant and divisor.text not in ("0", "-1"))
    if guarded and (value.dtype.bits < 64 or value.dtype is INDEX):
        return emit_arithmetic(e, value, operands)
    level = _shared_level(e, operands)
    here = tuple(Operand(o.text, o.dtype, level, o.varying, o.step, o.constant) for o in operands)
    return emit_arithmetic(e, value, here)


def _checked(e: Emitter, value: Value, operands: tuple[Operand, ...]) -> Operand:
    """Pass the value on; record a fault when the condition holds in an active lane."""
    subject, condition = operands
    if e.fault is None:
        raise InternalError("llvm: CHECKED in a kernel without a fault buffer")
    test, lanes = condition.text, None
    if condition.varying:
        lanes = condition.text
        if e.mask is not None:
            lanes = e.value(f"and {vector_of('i1', e.width)} {lanes}, {e.mask}")
        test = any_lane(e, lanes, e.width, e.depth)
    tag = e.name("fault")
    e.line(f"br i1 {test}, label %{tag}, label %{tag}after, !prof !0")
    e.line(f"{tag}:")
    single = _first_failing(e, subject, lanes)
    number = convert(e, single, dtypes.int64)
    fault = pointer_of(e, e.fault)
    second = e.value(f"getelementptr i64, ptr {fault}, i64 1")
    e.line(f"store i64 {value.attribute.value}, ptr {fault}, align 8")
    e.line(f"store i64 {number.text}, ptr {second}, align 8")
    e.line(f"br label %{tag}after\n{tag}after:")
    return Operand(
        subject.text, subject.dtype, e.depth, subject.varying, subject.step, subject.constant
    )


def _first_failing(e: Emitter, subject: Operand, lanes: str | None) -> Operand:
    """Return the subject, as a scalar, of the first failing lane."""
    if not subject.varying:
        return Operand(subject.text, subject.dtype, e.depth)
    element, width = scalar_type(subject.dtype), e.width
    lane = "0"
    if lanes is not None:
        bits = e.value(f"bitcast <{width} x i1> {lanes} to i{width}")
        e.declare(f"declare i{width} @llvm.cttz.i{width}(i{width}, i1)")
        found = e.value(f"call i{width} @llvm.cttz.i{width}(i{width} {bits}, i1 false)")
        name = "zext" if width < 64 else "trunc"
        lane = found if width == 64 else e.value(f"{name} i{width} {found} to i64")
    vector = e.vector(Operand(subject.text, subject.dtype, e.depth, True, subject.step))
    text = e.value(f"extractelement {vector_of(element, width)} {vector}, i64 {lane}")
    return Operand(text, subject.dtype, e.depth)


def scalar_of(e: Emitter, value: Value) -> str:
    """Return the text of a value that must be the same in all lanes."""
    operand = evaluate(e, value)
    if operand.varying:
        raise InternalError("llvm: a loop bound or condition differs between lanes")
    return operand.text
