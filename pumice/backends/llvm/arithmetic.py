"""Arithmetic, comparison, bit and selection instructions on scalars and vectors.

16-bit floats are computed in float32 and rounded after every instruction.
"""

from pumice import dtypes
from pumice.backends.llvm.convert import convert, from_single, to_single
from pumice.backends.llvm.divide import divide
from pumice.backends.llvm.emitter import Emitter, Operand
from pumice.backends.llvm.types import iota, literal, scalar_type, splat_constant, vector_of
from pumice.dtypes import DType, Kind
from pumice.errors import InternalError
from pumice.kernel.ir import INDEX, Instruction, Value

FLOAT_BINARY = {
    Instruction.ADD: "fadd",
    Instruction.SUB: "fsub",
    Instruction.MUL: "fmul",
    Instruction.DIV: "fdiv",
}
INTEGER_BINARY = {
    Instruction.ADD: "add",
    Instruction.SUB: "sub",
    Instruction.MUL: "mul",
    Instruction.AND: "and",
    Instruction.OR: "or",
    Instruction.XOR: "xor",
    Instruction.SHL: "shl",
}
FLOAT_UNARY = {
    Instruction.ABS: "fabs",
    Instruction.SQRT: "sqrt",
    Instruction.FLOOR: "floor",
    Instruction.CEIL: "ceil",
    Instruction.TRUNCATE: "trunc",
    Instruction.ROUND_EVEN: "rint",
}
COMPARE = {
    Instruction.EQ: ("fcmp oeq", "icmp eq", "icmp eq"),
    Instruction.NE: ("fcmp une", "icmp ne", "icmp ne"),
    Instruction.LT: ("fcmp olt", "icmp slt", "icmp ult"),
    Instruction.LE: ("fcmp ole", "icmp sle", "icmp ule"),
}
OPPOSITE = {"fcmp olt": "fcmp uge", "fcmp ole": "fcmp ugt"}
ZERO = literal(0.0, dtypes.float32)
LEAST_SCALED_BITS, MOST_SCALED_BITS = 128, 512
"""Sizes of the registers whose elements an instruction scales."""
BOOL_ALLOWED = frozenset((Instruction.AND, Instruction.OR, Instruction.XOR))


def emit_arithmetic(e: Emitter, value: Value, operands: tuple[Operand, ...]) -> Operand:
    """Emit one pure instruction."""
    instruction, dtype = value.instruction, value.dtype
    affine = _affine(e, instruction, dtype, operands)
    if affine is not None:
        return affine
    if instruction is Instruction.CAST:
        return convert(e, operands[0], dtype)
    if instruction is Instruction.BITCAST:
        return _bitcast(e, operands[0], dtype)
    if instruction is Instruction.SELECT:
        return _select(e, dtype, operands)
    prefix = _lane_bound(e, instruction, operands)
    if prefix is not None:
        return prefix
    texts, width, level = e.together(operands)
    if instruction is Instruction.SCALE:
        return e.result(_scaled(e, dtype, texts, width, level), dtype, width, level)
    if instruction in COMPARE:
        text = _compare(e, instruction, operands[0].dtype, texts, width, level)
    elif dtype.is_small_float:
        singles = [to_single(e, text, dtype, width, level) for text in texts]
        single = _float(e, instruction, dtypes.float32, singles, width, level)
        text = from_single(e, single, dtype, width, level)
    elif dtype.is_floating_point:
        text = _float(e, instruction, dtype, texts, width, level)
    else:
        text = _integer(e, instruction, dtype, texts, width, level)
    return e.result(text, dtype, width, level)


# -- values affine in the lane ------------------------------------------------------------------


def scalar_binary(e: Emitter, name: str, kind: str, first: str, second: str, level: int) -> str:
    """Emit add, sub or mul of scalars, folding the trivial cases of literals."""
    literal = not first.startswith("%"), not second.startswith("%")
    if all(literal):
        a, b = int(first), int(second)
        folded = {"add": a + b, "sub": a - b, "mul": a * b}[name]
        if -(1 << 31) <= folded < 1 << 31:
            return str(folded)
    neutral = "1" if name == "mul" else "0"
    if second == neutral:
        return first
    if first == neutral and name != "sub":
        return second
    if name == "mul" and "0" in (first, second):
        return "0"
    return e.value(f"{name} {kind} {first}, {second}", level)


def _affine(
    e: Emitter, instruction: Instruction, dtype: DType, operands: tuple[Operand, ...]
) -> Operand | None:
    """Return an affine result when the instruction keeps one."""
    if dtype.kind not in (Kind.SIGNED, Kind.UNSIGNED):
        return None
    if not any(operand.step is not None for operand in operands):
        return None
    level = max(operand.level for operand in operands)
    kind = scalar_type(dtype)

    def make(base: str, step: str) -> Operand | None:
        return Operand(base, dtype, level, varying=step != "0", step=step if step != "0" else None)

    if instruction is Instruction.CAST:
        return _affine_cast(e, operands[0], dtype)
    if any(operand.varying and operand.step is None for operand in operands):
        return None
    bases, steps = [o.text for o in operands], [o.step or "0" for o in operands]
    match instruction:
        case Instruction.ADD | Instruction.SUB:
            name = INTEGER_BINARY[instruction]
            base = scalar_binary(e, name, kind, bases[0], bases[1], level)
            return make(base, scalar_binary(e, name, kind, steps[0], steps[1], level))
        case Instruction.MUL if not all(operand.varying for operand in operands):
            factor = bases[1] if operands[0].varying else bases[0]
            step = steps[0] if operands[0].varying else steps[1]
            base = scalar_binary(e, "mul", kind, bases[0], bases[1], level)
            return make(base, scalar_binary(e, "mul", kind, step, factor, level))
        case Instruction.NEG:
            base = scalar_binary(e, "sub", kind, "0", bases[0], level)
            return make(base, scalar_binary(e, "sub", kind, "0", steps[0], level))
        case _:
            return None


def _affine_cast(e: Emitter, operand: Operand, dtype: DType) -> Operand | None:
    if not operand.dtype.is_integral or dtype.bits > operand.dtype.bits or operand.step is None:
        return None
    texts = [operand.text, operand.step]
    if dtype.bits < operand.dtype.bits:
        source, kind = scalar_type(operand.dtype), scalar_type(dtype)
        for position, text in enumerate(texts):
            if text.startswith("%"):
                texts[position] = e.value(f"trunc {source} {text} to {kind}", operand.level)
            else:
                number = int(text) & ((1 << dtype.bits) - 1)
                texts[position] = str(number - ((number >> (dtype.bits - 1)) << dtype.bits))
    return Operand(texts[0], dtype, operand.level, varying=True, step=texts[1])


def _lane_bound(
    e: Emitter, instruction: Instruction, operands: tuple[Operand, ...]
) -> Operand | None:
    """Compare a position that grows by one per lane with a bound: the first or the last lanes.

    The lane from which the answer changes is a scalar, so narrow numbers of lanes are compared
    instead of wide positions.
    """
    if instruction not in (Instruction.LT, Instruction.LE) or operands[0].dtype is not INDEX:
        return None
    moving = 0 if operands[0].varying else 1
    if operands[moving].step != "1" or operands[1 - moving].varying:
        return None
    level = max(operand.level for operand in operands)
    distance = scalar_binary(
        e, "sub", "i64", operands[1 - moving].text, operands[moving].text, level
    )
    if (instruction is Instruction.LE) == (moving == 0):
        distance = scalar_binary(e, "add", "i64", distance, "1", level)
    positive = e.intrinsic("smax", "i64", 0, (distance, "0"), level)
    count = e.intrinsic("smin", "i64", 0, (positive, str(e.width)), level)
    element = "i8" if e.machine.narrow_masks else "i32"
    narrow = e.value(f"trunc i64 {count} to {element}", level)
    bound = e.splat(narrow, element, e.width, level)
    test = "ult" if moving == 0 else "uge"
    kind = vector_of(element, e.width)
    text = e.value(f"icmp {test} {kind} {iota(element, e.width)}, {bound}", level)
    return e.result(text, dtypes.bool_, e.width, level)


# -- the rest -----------------------------------------------------------------------------------


def _compare(
    e: Emitter, instruction: Instruction, dtype: DType, texts: list[str], width: int, level: int
) -> str:
    names = COMPARE[instruction]
    if dtype.is_floating_point:
        texts = [to_single(e, text, dtype, width, level) for text in texts]
        element, name = scalar_type(dtypes.float32 if dtype.is_small_float else dtype), names[0]
    else:
        element, name = scalar_type(dtype), names[1] if dtype.is_signed else names[2]
    operands = f"{vector_of(element, width)} {texts[0]}, {texts[1]}"
    text = e.value(f"{name} {operands}", level)
    if width and name in OPPOSITE:
        e.opposites[text] = f"{OPPOSITE[name]} {operands}", level, ""
    return text


def _opposite(e: Emitter, text: str) -> str | None:
    """Return the opposite of what was compared, for floats."""
    known = e.opposites.get(text)
    if known is None:
        return None
    expression, level, found = known
    if not found and level >= e.floor:  # otherwise it would be known in a branch only
        found = e.value(expression, level)
        e.opposites[text] = expression, level, found
    return found or None


def _float(
    e: Emitter, instruction: Instruction, dtype: DType, texts: list[str], width: int, level: int
) -> str:
    element = scalar_type(dtype)
    kind = vector_of(element, width)
    if instruction in FLOAT_BINARY:
        return e.value(f"{FLOAT_BINARY[instruction]} {kind} {texts[0]}, {texts[1]}", level)
    if instruction in FLOAT_UNARY:
        return e.intrinsic(FLOAT_UNARY[instruction], element, width, (texts[0],), level)
    if instruction is Instruction.NEG:
        return e.value(f"fneg {kind} {texts[0]}", level)
    if instruction is Instruction.PRODUCT_ERROR:  # elsewhere it has been expanded
        negative = e.value(f"fneg {kind} {texts[2]}", level)
        return e.intrinsic("fma", element, width, (texts[0], texts[1], negative), level)
    if instruction is Instruction.MULTIPLY_ADD:
        if e.machine.fused:
            return e.intrinsic("fma", element, width, (texts[0], texts[1], texts[2]), level)
        product = e.value(f"fmul {kind} {texts[0]}, {texts[1]}", level)
        return e.value(f"fadd {kind} {product}, {texts[2]}", level)
    raise InternalError(f"llvm: {instruction.name} of {dtype.name}")


def _integer(
    e: Emitter, instruction: Instruction, dtype: DType, texts: list[str], width: int, level: int
) -> str:
    element = scalar_type(dtype)
    kind = vector_of(element, width)
    if dtype.kind is Kind.BOOL and instruction not in BOOL_ALLOWED | {Instruction.NOT}:
        raise InternalError(f"llvm: {instruction.name} of bool")
    if instruction in INTEGER_BINARY:
        return e.value(f"{INTEGER_BINARY[instruction]} {kind} {texts[0]}, {texts[1]}", level)
    match instruction:
        case Instruction.SHR:
            name = "ashr" if dtype.is_signed else "lshr"
            return e.value(f"{name} {kind} {texts[0]}, {texts[1]}", level)
        case Instruction.NEG:
            return e.value(f"sub {kind} {splat_constant(element, '0', width)}, {texts[0]}", level)
        case Instruction.NOT:
            ones = splat_constant(element, "true" if element == "i1" else "-1", width)
            return e.value(f"xor {kind} {texts[0]}, {ones}", level)
        case Instruction.ABS:
            return (
                texts[0] if not dtype.is_signed else _absolute(e, element, width, texts[0], level)
            )
        case Instruction.QUOTIENT | Instruction.MODULUS:
            return divide(e, instruction, dtype, texts, width, level)
        case Instruction.HIGH_PRODUCT:
            return _high_product(e, dtype, texts, width, level)
        case _:
            raise InternalError(f"llvm: {instruction.name} of {dtype.name}")


def _absolute(e: Emitter, element: str, width: int, text: str, level: int) -> str:
    kind = vector_of(element, width)
    negative = e.value(f"sub {kind} {splat_constant(element, '0', width)}, {text}", level)
    zero = splat_constant(element, "0", width)
    condition = e.value(f"icmp slt {kind} {text}, {zero}", level)
    return e.value(
        f"select {vector_of('i1', width)} {condition}, {kind} {negative}, {kind} {text}", level
    )


def _high_product(e: Emitter, dtype: DType, texts: list[str], width: int, level: int) -> str:
    element = scalar_type(dtype)
    kind = vector_of(element, width)
    if dtype.bits < 64 or not width:
        wide = vector_of(f"i{2 * dtype.bits}", width)
        a, b = (e.value(f"zext {kind} {text} to {wide}", level) for text in texts)
        product = e.value(f"mul {wide} {a}, {b}", level)
        count = splat_constant(f"i{2 * dtype.bits}", str(dtype.bits), width)
        high = e.value(f"lshr {wide} {product}, {count}", level)
        return e.value(f"trunc {wide} {high} to {kind}", level)

    def step(name: str, first: str, second: str) -> str:
        return e.value(f"{name} {kind} {first}, {second}", level)

    low_bits, half = splat_constant("i64", "4294967295", width), splat_constant("i64", "32", width)
    a_low, b_low = step("and", texts[0], low_bits), step("and", texts[1], low_bits)
    a_high, b_high = step("lshr", texts[0], half), step("lshr", texts[1], half)
    low = step("lshr", step("mul", a_low, b_low), half)
    first = step("add", step("mul", a_high, b_low), low)
    second = step("add", step("mul", a_low, b_high), step("and", first, low_bits))
    high = step("add", step("mul", a_high, b_high), step("lshr", first, half))
    return step("add", high, step("lshr", second, half))


def _select(e: Emitter, dtype: DType, operands: tuple[Operand, ...]) -> Operand:
    condition = operands[0]
    level = max(operand.level for operand in operands)
    width = e.width if any(operand.varying for operand in operands) else 0
    kind = vector_of(scalar_type(dtype), width)
    chosen, other = (e.vector(o) if width else o.text for o in operands[1:])
    test = f"i1 {condition.text}"
    if condition.varying:
        test = f"{vector_of('i1', width)} {condition.text}"
        # A mask that leaves zeros costs nothing, where it says which lanes have another value.
        opposite = _opposite(e, condition.text) if operands[1].text == ZERO else None
        if opposite is not None:
            test, chosen, other = f"{vector_of('i1', width)} {opposite}", other, chosen
    text = e.value(f"select {test}, {kind} {chosen}, {kind} {other}", level)
    return e.result(text, dtype, width, level)


def _bitcast(e: Emitter, operand: Operand, dtype: DType) -> Operand:
    text, width = e.plain(operand)
    source, target = scalar_type(operand.dtype), scalar_type(dtype)
    old, new = vector_of(source, width), vector_of(target, width)
    if source == target:
        return e.result(text, dtype, width, operand.level)
    if target == "i1":
        text = e.value(f"trunc {old} {text} to {new}", operand.level)
    elif source == "i1":
        text = e.value(f"zext {old} {text} to {new}", operand.level)
    else:
        text = e.value(f"bitcast {old} {text} to {new}", operand.level)
    return e.result(text, dtype, width, operand.level)


def _scaled(e: Emitter, dtype: DType, texts: list[str], width: int, level: int) -> str:
    """A float near 1 times a power of two: one instruction, or two products of which one rounds."""
    element, integer = scalar_type(dtype), f"i{dtype.bits}"
    signed = dtypes.int32 if dtype.bits == 32 else dtypes.int64
    kind, bits = vector_of(element, width), vector_of(integer, width)
    value, count = texts
    if e.machine.scales and width * dtype.bits >= LEAST_SCALED_BITS:
        return _scaled_parts(e, dtype, texts, width, level)
    exponent = convert(e, Operand(count, dtype, level, varying=width > 0), signed).text
    mantissa = 23 if dtype.bits == 32 else 52
    bias = splat_constant(integer, str((1 << (dtype.bits - 2 - mantissa)) - 1), width)
    places = splat_constant(integer, str(mantissa), width)
    one = splat_constant(integer, "1", width)
    half = e.value(f"ashr {bits} {exponent}, {one}", level)
    rest = e.value(f"sub {bits} {exponent}, {half}", level)
    for part in (half, rest):
        raised = e.value(f"add {bits} {part}, {bias}", level)
        placed = e.value(f"shl {bits} {raised}, {places}", level)
        factor = e.value(f"bitcast {bits} {placed} to {kind}", level)
        value = e.value(f"fmul {kind} {value}, {factor}", level)
    return value


def _scaled_parts(e: Emitter, dtype: DType, texts: list[str], width: int, level: int) -> str:
    """Scale vectors of the size of a register, one instruction each."""
    size = min(width * dtype.bits, MOST_SCALED_BITS)
    lanes = size // dtype.bits
    element = scalar_type(dtype)
    kind, whole, mask = vector_of(element, lanes), vector_of(element, width), f"i{max(lanes, 8)}"
    rounding = ", i32" if size == MOST_SCALED_BITS else ""
    name = f"@llvm.x86.avx512.mask.scalef.p{'s' if dtype.bits == 32 else 'd'}.{size}"
    e.declare(f"declare {kind} {name}({kind}, {kind}, {kind}, {mask}{rounding})")
    parts = []
    for first in range(0, width, lanes):
        order = ", ".join(f"i32 {lane}" for lane in range(first, first + lanes))
        a, b = (
            text
            if lanes == width
            else e.value(
                f"shufflevector {whole} {text}, {whole} poison, <{lanes} x i32> <{order}>", level
            )
            for text in texts
        )
        current = f"{rounding} 4" if rounding else ""
        parts.append(
            e.value(
                f"call {kind} {name}({kind} {a}, {kind} {b}, {kind} zeroinitializer, "
                f"{mask} -1{current})",
                level,
            )
        )
    return _joined(e, parts, element, lanes, level)


def _joined(e: Emitter, parts: list[str], element: str, lanes: int, level: int) -> str:
    """Return vectors laid one behind the other, in a power of two of them."""
    while len(parts) > 1:
        kind = vector_of(element, lanes)
        order = ", ".join(f"i32 {lane}" for lane in range(2 * lanes))
        parts = [
            e.value(f"shufflevector {kind} {a}, {kind} {b}, <{2 * lanes} x i32> <{order}>", level)
            for a, b in zip(parts[::2], parts[1::2], strict=True)
        ]
        lanes *= 2
    return parts[0]
