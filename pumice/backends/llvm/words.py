"""`MultiplyWords` statements: the tile registers of x86 CPUs, or vectors for smaller tiles.

Two by two registers of 16 x 16 sums take two registers of left rows and two of right columns, each
holding 16 words of k per row. The registers are shaped once per call of a kernel.
"""

from pumice.backends.llvm.emitter import Emitter
from pumice.backends.llvm.evaluate import scalar_of
from pumice.backends.llvm.memory import pointer_of
from pumice.backends.llvm.micro import MicroKernel, micro_function
from pumice.backends.llvm.types import memory_type
from pumice.backends.llvm.word_micro import WordWriter
from pumice.kernel.ir import Instruction, MultiplyWords, Parameter, Value

SIDE = 32
"""Rows and columns of the tile."""
STEP = 16
"""Words of k per instruction."""
PITCH = SIDE * 4
SHAPE = "declare void @llvm.x86.ldtilecfg(ptr)"
RELEASE = "declare void @llvm.x86.tilerelease()"

_DECLARATIONS = (
    "declare void @llvm.x86.tilezero(i8 immarg)",
    "declare void @llvm.x86.tileloadd64(i8 immarg, ptr, i64)",
    "declare void @llvm.x86.tilestored64(i8 immarg, ptr, i64)",
)
_INSTRUCTIONS = {
    ("bfloat16", "bfloat16"): "tdpbf16ps",
    ("int8", "int8"): "tdpbssd",
    ("int8", "uint8"): "tdpbsud",
    ("uint8", "int8"): "tdpbusd",
    ("uint8", "uint8"): "tdpbuud",
}
_ARGUMENTS = "i64 %depth, ptr %left, i64 %row, ptr %right, ptr %tile, i1 %fresh"
_PLACES = ((0, 0), (0, STEP), (STEP, 0), (STEP, STEP))


def emit_multiply_words(e: Emitter, multiply: MultiplyWords) -> None:
    """Add a product to a tile."""
    m = multiply
    if (m.rows, m.columns) != (SIDE, SIDE):
        _multiply_vectors(e, m)
        return
    instruction = _INSTRUCTIONS[m.left.dtype.name, m.kind.name]
    name = e.micro_functions.get(instruction)
    if name is None:
        name = e.micro_functions[instruction] = f"@{instruction}"
        e.tiles = True
        e.functions.append(_text(e, name, instruction))
        multiplies = f"declare void @llvm.x86.{instruction}(i8 immarg, i8 immarg, i8 immarg)"
        for declaration in (*_DECLARATIONS, multiplies):
            e.declare(declaration)
    row = e.value(f"mul i64 {scalar_of(e, m.left_row)}, {m.left.dtype.itemsize}")
    e.line(
        f"call void {name}(i64 {scalar_of(e, m.depth)}, ptr {_address(e, m.left, m.left_at)}, "
        f"i64 {row}, ptr {_address(e, m.right, m.right_at)}, "
        f"ptr {_address(e, m.tile, m.tile_at)}, i1 {scalar_of(e, m.fresh)})"
    )


def _multiply_vectors(e: Emitter, m: MultiplyWords) -> None:
    row = m.left_row.attribute if m.left_row.instruction is Instruction.CONSTANT else None
    group = 4 // m.kind.itemsize
    micro = MicroKernel(
        m.rows, m.columns, m.columns, m.tile.dtype, m.left.dtype, m.kind, row, group, m.columns
    )
    name = micro_function(e, micro, WordWriter)
    tile = _address(e, m.tile, m.tile_at)
    e.line(
        f"call void {name}(i64 {scalar_of(e, m.depth)}, ptr {_address(e, m.left, m.left_at)}, "
        f"ptr {_address(e, m.right, m.right_at)}, ptr {tile}, "
        f"i1 {scalar_of(e, m.fresh)}, i64 {scalar_of(e, m.left_row)}, i64 {group}, "
        f"i64 {m.columns}, i64 0, ptr {tile}, i64 {m.columns})"
    )


def shape_registers(e: Emitter) -> list[str]:
    """Return the lines that open a kernel which uses tile registers."""
    config = e.stack_slot("i64", 8)
    e.declare(SHAPE)
    e.declare(RELEASE)
    # Palette 1; eight registers of 16 rows of 64 bytes.
    bytes_per_row, rows = 0x0040004000400040, 0x1010101010101010
    lines = []
    for word, value in enumerate((1, 0, bytes_per_row, bytes_per_row, 0, 0, rows, 0)):
        lines.append(f"%shape{word} = getelementptr i64, ptr {config}, i64 {word}")
        lines.append(f"store i64 {value}, ptr %shape{word}, align 8")
    return [*lines, f"call void @llvm.x86.ldtilecfg(ptr {config})"]


def _address(e: Emitter, buffer: Parameter, at: Value) -> str:
    offset = scalar_of(e, at)
    kind = memory_type(buffer.dtype)
    return e.value(f"getelementptr {kind}, ptr {pointer_of(e, buffer)}, i64 {offset}")


def _text(outer: Emitter, name: str, instruction: str) -> str:
    e = Emitter(outer.machine, frozenset())
    tiles = [
        e.value(f"getelementptr i8, ptr %tile, i64 {row * PITCH + column * 4}")
        for row, column in _PLACES
    ]
    half = e.value(f"mul i64 %row, {STEP}")
    e.line("br i1 %fresh, label %zero, label %resume\nzero:")
    for number in range(4):
        e.line(f"call void @llvm.x86.tilezero(i8 {number})")
    e.line("br label %start\nresume:")
    for number, place in enumerate(tiles):
        e.line(f"call void @llvm.x86.tileloadd64(i8 {number}, ptr {place}, i64 {PITCH})")
    e.line("br label %start\nstart:\n%some = icmp sgt i64 %depth, 0")
    e.line("br i1 %some, label %loop, label %done\nloop:")
    e.line("%q = phi i64 [0, %start], [%next, %loop]")
    first = e.value("getelementptr i32, ptr %left, i64 %q")
    lower = e.value(f"getelementptr i8, ptr {first}, i64 {half}")
    offset = e.value(f"mul i64 %q, {PITCH}")
    right = e.value(f"getelementptr i8, ptr %right, i64 {offset}")
    further = e.value(f"getelementptr i8, ptr {right}, i64 {STEP * 4}")
    # Loads go between products, so that each may start as soon as what it needs is there.
    for loads, products in (
        (((4, first, "%row"), (6, right, str(PITCH))), (0,)),
        (((7, further, str(PITCH)),), (1,)),
        (((5, lower, "%row"),), (2, 3)),
    ):
        for number, place, pitch in loads:
            e.line(f"call void @llvm.x86.tileloadd64(i8 {number}, ptr {place}, i64 {pitch})")
        for number in products:
            one, other = 4 + number // 2, 6 + number % 2
            e.line(f"call void @llvm.x86.{instruction}(i8 {number}, i8 {one}, i8 {other})")
    e.line(f"%next = add i64 %q, {STEP}\n%more = icmp slt i64 %next, %depth")
    e.line("br i1 %more, label %loop, label %done\ndone:")
    for number, place in enumerate(tiles):
        e.line(f"call void @llvm.x86.tilestored64(i8 {number}, ptr {place}, i64 {PITCH})")
    head = f"define internal void {name}({_ARGUMENTS}) #1 {{\nentry:"
    return "\n".join([head, *e.allocas, *e.scopes[0].lines, "ret void\n}"])
