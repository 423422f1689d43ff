"""`Transpose` statements: square blocks turned inside registers.

A block of as many rows as a vector has elements is loaded, turned by shuffles and stored. First
pairs of rows are interleaved inside 128-bit pieces of the registers, element by element and then
in units twice as large, until each piece holds one column of its group of rows; then the pieces
themselves are exchanged. Every shuffle so is one instruction on x86 and ARM.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pumice.backends.llvm.convert import to_single
from pumice.backends.llvm.emitter import Emitter
from pumice.backends.llvm.evaluate import scalar_of
from pumice.backends.llvm.machine import Machine
from pumice.backends.llvm.memory import pointer_of
from pumice.backends.llvm.types import memory_type, scalar_type, vector_of
from pumice.dtypes import DType
from pumice.kernel.ir import Parameter, Transpose, Value

PIECE_BITS = 128
ARGUMENTS = "ptr noalias %target, ptr noalias %source, i64 %row, i64 %depth, i64 %width"


@dataclass(frozen=True, slots=True)
class TransposeKernel:
    """What the code of a transposition depends on; equal ones share a function."""

    columns: int
    pitch: int
    target: DType
    source: DType
    masked: bool


def emit_transpose(e: Emitter, transpose: Transpose) -> None:
    """Fill a local with the transpose of rows of memory."""
    t = transpose
    kernel = TransposeKernel(
        t.columns, t.pitch, t.target.dtype, t.source.dtype, t.width is not None
    )
    name = e.micro_functions.get(kernel)
    if name is None:
        name = f"@transpose{len(e.micro_functions)}"
        e.micro_functions[kernel] = name
        writer = _Writer(kernel, e.machine)
        e.functions.append(writer.text(name))
        for declaration in writer.e.declarations:
            e.declare(declaration)
    width = t.depth if t.width is None else t.width
    e.line(
        f"call void {name}(ptr {_address(e, t.target, t.target_at)}, "
        f"ptr {_address(e, t.source, t.source_at)}, i64 {scalar_of(e, t.source_row)}, "
        f"i64 {scalar_of(e, t.depth)}, i64 {scalar_of(e, width)})"
    )


def _address(e: Emitter, buffer: Parameter, at: Value) -> str:
    offset = scalar_of(e, at)
    kind = memory_type(buffer.dtype)
    return e.value(f"getelementptr {kind}, ptr {pointer_of(e, buffer)}, i64 {offset}")


class _Writer:
    """One transposing function."""

    def __init__(self, kernel: TransposeKernel, machine: Machine) -> None:
        self.k = kernel
        self.e = Emitter(machine, frozenset())
        self.element = scalar_type(kernel.target)
        self.size = machine.vector_bits // kernel.target.bits
        while kernel.columns % self.size:
            self.size //= 2
        self.piece = min(PIECE_BITS // kernel.target.bits, self.size)

    def text(self, name: str) -> str:
        e = self.e
        e.declare("declare i64 @llvm.smin.i64(i64, i64)")
        for first in range(0, self.k.columns, self.size):
            self._group(first)
        head = f"define internal void {name}({ARGUMENTS}) #1 {{\nentry:"
        return "\n".join([head, *e.scopes[0].lines, "ret void\n}"])

    def _group(self, first: int) -> None:
        """Turn the rows ``first ... first + size``: whole blocks, the last one moved back."""
        e, size = self.e, self.size
        rows = [self._row(first + offset) for offset in range(size)]
        last = e.value(f"sub i64 %depth, {size}")
        fits = e.value("icmp sge i64 %depth, " + str(size))
        whole = e.value(f"select i1 {fits}, i64 %depth, i64 0")
        rounded = e.value(f"add i64 {whole}, {size - 1}")
        blocks = e.value(f"udiv i64 {rounded}, {size}")

        def block(number: str) -> None:
            start = e.value(f"mul i64 {number}, {size}")
            at = e.value(f"call i64 @llvm.smin.i64(i64 {start}, i64 {last})")
            self._block(rows, first, at)

        def single(at: str) -> None:
            for offset, (row, inside) in enumerate(rows):
                value = self._load(row, inside, at, 0)
                place = self._place(at, first + offset)
                e.line(f"store {self.element} {value}, ptr {place}, align {self._align}")

        self._loop("0", blocks, block)
        self._loop(whole, "%depth", single)

    def _loop(self, start: str, stop: str, body: Callable[[str], None]) -> None:
        e = self.e
        tag = e.name("loop")
        e.line(f"br label %{tag}enter\n{tag}enter:\n%{tag}any = icmp slt i64 {start}, {stop}")
        e.line(f"br i1 %{tag}any, label %{tag}body, label %{tag}exit\n{tag}body:")
        e.line(f"%{tag}i = phi i64 [{start}, %{tag}enter], [%{tag}n, %{tag}body]")
        body(f"%{tag}i")
        e.line(f"%{tag}n = add nsw i64 %{tag}i, 1\n%{tag}m = icmp slt i64 %{tag}n, {stop}")
        e.line(f"br i1 %{tag}m, label %{tag}body, label %{tag}exit\n{tag}exit:")

    @property
    def _align(self) -> int:
        return self.k.target.itemsize

    def _row(self, number: int) -> tuple[str, str | None]:
        """Return the address of a row, and whether it is there to be read."""
        e, inside = self.e, None
        index = str(number)
        if self.k.masked:
            inside = e.value(f"icmp slt i64 {number}, %width")
            index = e.value(f"select i1 {inside}, i64 {number}, i64 0")
        offset = e.value(f"mul i64 %row, {index}")
        kind = memory_type(self.k.source)
        return e.value(f"getelementptr {kind}, ptr %source, i64 {offset}"), inside

    def _place(self, at: str, column: int) -> str:
        offset = self.e.value(f"mul i64 {at}, {self.k.pitch}")
        row = self.e.value(f"getelementptr {self.element}, ptr %target, i64 {offset}")
        return self.e.value(f"getelementptr {self.element}, ptr {row}, i64 {column}")

    def _load(self, row: str, inside: str | None, at: str, width: int) -> str:
        """Read elements of a row, converted to the target's type."""
        e, source, target = self.e, self.k.source, self.k.target
        kind = memory_type(source)
        address = e.value(f"getelementptr {kind}, ptr {row}, i64 {at}")
        text = e.value(f"load {vector_of(kind, width)}, ptr {address}, align {source.itemsize}")
        wide = vector_of(self.element, width)
        if source is not target:
            if source.is_floating_point:
                text = to_single(e, text, source, width, 0)
                if target.itemsize == 8:
                    text = e.value(f"fpext {vector_of('float', width)} {text} to {wide}")
            elif source.bits < target.bits:
                name = "sext" if source.is_signed else "zext"
                text = e.value(f"{name} {vector_of(kind, width)} {text} to {wide}")
        if inside is None:
            return text
        zero = "0" if self.element.startswith("i") else "0.0"
        zero = "zeroinitializer" if width else zero
        return e.value(f"select i1 {inside}, {wide} {text}, {wide} {zero}")

    def _block(self, rows: list[tuple[str, str | None]], first: int, at: str) -> None:
        e = self.e
        vectors = [self._load(row, inside, at, self.size) for row, inside in rows]
        unit = 1
        while unit < self.piece:
            vectors = self._interleave(vectors, unit)
            unit *= 2
        # Piece l of vector ``group * piece + c`` is now column ``l * piece + c`` of its group.
        columns: dict[int, str] = {}
        for c in range(self.piece):
            groups = vectors[c :: self.piece]
            for number, text in enumerate(self._exchange(groups)):
                columns[number * self.piece + c] = text
        for step in range(self.size):
            moved = e.value(f"add i64 {at}, {step}")
            place = self._place(moved, first)
            kind = vector_of(self.element, self.size)
            e.line(f"store {kind} {columns[step]}, ptr {place}, align {self._align}")

    def _interleave(self, vectors: list[str], unit: int) -> list[str]:
        """One stage inside pieces: rows of groups of ``2 * unit``, columns in units of them."""
        result = list(vectors)
        for group in range(0, self.size, 2 * unit):
            for member in range(unit):
                one, other = vectors[group + member], vectors[group + member + unit]
                halves = self._halves(one, other, unit)
                result[group + 2 * member], result[group + 2 * member + 1] = halves
        return result

    def _halves(self, one: str, other: str, unit: int) -> tuple[str, str]:
        """Interleave the lower, then the upper halves of each piece of two vectors."""
        texts = []
        for upper in (0, 1):
            order: list[int] = []
            for piece in range(0, self.size, self.piece):
                for number in range(self.piece // (2 * unit)):
                    start = piece + upper * self.piece // 2 + number * unit
                    order += range(start, start + unit)
                    order += range(self.size + start, self.size + start + unit)
            texts.append(self._shuffle(one, other, order))
        return texts[0], texts[1]

    def _exchange(self, groups: list[str]) -> list[str]:
        """Transpose the pieces of as many vectors as each has pieces."""
        count = len(groups)
        if count == 1:
            return groups
        if count == 2:
            return [self._pieces(groups[0], groups[1], (place, 2 + place)) for place in (0, 1)]
        a, b = (self._pieces(groups[0], groups[1], (p, p + 1, p + 4, p + 5)) for p in (0, 2))
        c, d = (self._pieces(groups[2], groups[3], (p, p + 1, p + 4, p + 5)) for p in (0, 2))
        return [
            self._pieces(one, other, (p, p + 2, p + 4, p + 6))
            for one, other in ((a, c), (b, d))
            for p in (0, 1)
        ]

    def _pieces(self, one: str, other: str, order: tuple[int, ...]) -> str:
        lanes = [piece * self.piece + lane for piece in order for lane in range(self.piece)]
        return self._shuffle(one, other, lanes)

    def _shuffle(self, one: str, other: str, order: list[int]) -> str:
        kind = vector_of(self.element, self.size)
        lanes = ", ".join(f"i32 {lane}" for lane in order)
        return self.e.value(
            f"shufflevector {kind} {one}, {kind} {other}, <{len(order)} x i32> <{lanes}>"
        )
