"""`MultiplyPairs` statements: tile registers of CPUs that multiply 16-bit floats.

Two by two registers of 16 x 16 sums take two registers of left rows and two of right columns, each
holding 16 pairs of k per row.
"""

from pumice.backends.llvm.emitter import Emitter
from pumice.backends.llvm.evaluate import scalar_of
from pumice.backends.llvm.memory import pointer_of
from pumice.backends.llvm.types import memory_type
from pumice.kernel.ir import MultiplyPairs, Parameter, Value

SIDE = 32
"""Rows and columns of the tile."""
STEP = 16
"""Pairs of k per instruction."""
PITCH = SIDE * 4
NAME = "@multiply_pairs"

_DECLARATIONS = (
    "declare void @llvm.x86.ldtilecfg(ptr)",
    "declare void @llvm.x86.tilerelease()",
    "declare void @llvm.x86.tilezero(i8 immarg)",
    "declare void @llvm.x86.tileloadd64(i8 immarg, ptr, i64)",
    "declare void @llvm.x86.tilestored64(i8 immarg, ptr, i64)",
    "declare void @llvm.x86.tdpbf16ps(i8 immarg, i8 immarg, i8 immarg)",
)
_ARGUMENTS = "i64 %depth, ptr %left, i64 %row, ptr %right, ptr %tile, i1 %fresh"
_PLACES = ((0, 0), (0, STEP), (STEP, 0), (STEP, STEP))


def emit_multiply_pairs(e: Emitter, multiply: MultiplyPairs) -> None:
    """Add a product of pairs to a tile."""
    m = multiply
    if NAME not in e.micro_functions:
        e.micro_functions[NAME] = NAME
        e.functions.append(_text(e))
        for declaration in _DECLARATIONS:
            e.declare(declaration)
    row = e.value(f"mul i64 {scalar_of(e, m.left_row)}, {m.left.dtype.itemsize}")
    e.line(
        f"call void {NAME}(i64 {scalar_of(e, m.depth)}, ptr {_address(e, m.left, m.left_at)}, "
        f"i64 {row}, ptr {_address(e, m.right, m.right_at)}, "
        f"ptr {_address(e, m.tile, m.tile_at)}, i1 {scalar_of(e, m.fresh)})"
    )


def _address(e: Emitter, buffer: Parameter, at: Value) -> str:
    offset = scalar_of(e, at)
    kind = memory_type(buffer.dtype)
    return e.value(f"getelementptr {kind}, ptr {pointer_of(e, buffer)}, i64 {offset}")


def _text(outer: Emitter) -> str:
    e = Emitter(outer.machine, frozenset())
    config = e.stack_slot("i64", 8)
    # Palette 1; eight registers of 16 rows of 64 bytes.
    bytes_per_row, rows = 0x0040004000400040, 0x1010101010101010
    for word, value in enumerate((1, 0, bytes_per_row, bytes_per_row, 0, 0, rows, 0)):
        place = e.value(f"getelementptr i64, ptr {config}, i64 {word}")
        e.line(f"store i64 {value}, ptr {place}, align 8")
    e.line(f"call void @llvm.x86.ldtilecfg(ptr {config})")
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
    left = e.value("getelementptr i32, ptr %left, i64 %q")
    lower = e.value(f"getelementptr i8, ptr {left}, i64 {half}")
    offset = e.value(f"mul i64 %q, {PITCH}")
    right = e.value(f"getelementptr i8, ptr %right, i64 {offset}")
    further = e.value(f"getelementptr i8, ptr {right}, i64 {STEP * 4}")
    for number, place, pitch in (
        (4, left, "%row"),
        (5, lower, "%row"),
        (6, right, str(PITCH)),
        (7, further, str(PITCH)),
    ):
        e.line(f"call void @llvm.x86.tileloadd64(i8 {number}, ptr {place}, i64 {pitch})")
    for number in range(4):
        one, other = 4 + number // 2, 6 + number % 2
        e.line(f"call void @llvm.x86.tdpbf16ps(i8 {number}, i8 {one}, i8 {other})")
    e.line(f"%next = add i64 %q, {STEP}\n%more = icmp slt i64 %next, %depth")
    e.line("br i1 %more, label %loop, label %done\ndone:")
    for number, place in enumerate(tiles):
        e.line(f"call void @llvm.x86.tilestored64(i8 {number}, ptr {place}, i64 {PITCH})")
    e.line("call void @llvm.x86.tilerelease()")
    head = f"define internal void {NAME}({_ARGUMENTS}) #1 {{\nentry:"
    return "\n".join([head, *e.allocas, *e.scopes[0].lines, "ret void\n}"])
