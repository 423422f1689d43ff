"""`Multiply` statements: calls of a register-tile function with the operands' addresses."""

from pumice.backends.llvm.emitter import Emitter
from pumice.backends.llvm.evaluate import scalar_of
from pumice.backends.llvm.memory import pointer_of
from pumice.backends.llvm.micro import MicroKernel, micro_function
from pumice.backends.llvm.types import memory_type
from pumice.kernel.ir import Instruction, Multiply, Parameter, Value


def emit_multiply(e: Emitter, multiply: Multiply) -> None:
    """Add a product to a tile."""
    m = multiply
    micro = MicroKernel(
        m.rows,
        m.columns,
        m.pitch,
        m.tile.dtype,
        m.left.dtype,
        m.right.dtype,
        _constant(m.left_row),
        _constant(m.left_step),
        _constant(m.right_step),
        m.width is not None,
        len(m.repeats) // 3,
        tuple(buffer.dtype.itemsize for buffer in m.ahead),
    )
    name = micro_function(e, micro)
    pointers = (
        _address(e, m.left, m.left_at),
        _address(e, m.right, m.right_at),
        _address(e, m.tile, m.tile_at),
    )
    strides = (m.left_row, m.left_step, m.right_step, m.depth if m.width is None else m.width)
    arguments = (
        f"i64 {scalar_of(e, m.depth)}",
        *(f"ptr {pointer}" for pointer in pointers),
        f"i1 {scalar_of(e, m.fresh)}",
        *(f"i64 {scalar_of(e, value)}" for value in strides),
        *_result(e, m, pointers[2]),
        *(f"i64 {scalar_of(e, value)}" for value in m.repeats),
        *_ahead(e, m),
    )
    e.line(f"call void {name}({', '.join(arguments)})")


def _ahead(e: Emitter, multiply: Multiply) -> list[str]:
    """Return what to ask for: an address and three numbers for each buffer."""
    arguments = []
    for number, buffer in enumerate(multiply.ahead):
        at, *rest = multiply.ahead_at[4 * number : 4 * number + 4]
        arguments.append(f"ptr {_address(e, buffer, at)}")
        arguments += [f"i64 {scalar_of(e, value)}" for value in rest]
    return arguments


def _result(e: Emitter, multiply: Multiply, tile: str) -> tuple[str, str]:
    """Return where sums go and the distance of their rows: to the tile if nowhere else."""
    if multiply.result is None:
        return f"ptr {tile}", f"i64 {multiply.pitch}"
    at, row = multiply.result_at
    return f"ptr {_address(e, multiply.result, at)}", f"i64 {scalar_of(e, row)}"


def _constant(value: Value) -> int | None:
    return int(value.attribute) if value.instruction is Instruction.CONSTANT else None


def _address(e: Emitter, buffer: Parameter, at: Value) -> str:
    offset = scalar_of(e, at)
    kind = memory_type(buffer.dtype)
    return e.value(f"getelementptr {kind}, ptr {pointer_of(e, buffer)}, i64 {offset}")
