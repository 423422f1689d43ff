"""The innermost kernel of a matrix product: one register tile over a run of k.

The rows of the left operand are reached from a pointer per three rows, so that every address is a
pointer plus zero, one or two row strides: few enough to stay in registers for any stride.
"""

from dataclasses import dataclass

from pumice.backends.llvm.convert import to_single
from pumice.backends.llvm.emitter import Emitter
from pumice.backends.llvm.machine import Machine
from pumice.backends.llvm.types import memory_type, scalar_type, suffix, vector_of
from pumice.dtypes import DType
from pumice.errors import InternalError
from pumice.target import CACHE_LINE

AHEAD = 32
"""Steps of k between a prefetch and the load it serves."""
ROWS_AHEAD = 8
"""The same where each step reads another row of a matrix."""
ROW_GROUP = 3
ASKED = 2
"""Requests for memory are made every ``2 ** ASKED`` steps of k."""
MIDDLE = 2
"""Of a prefetch: into the cache behind the nearest one."""


@dataclass(frozen=True, slots=True)
class MicroKernel:
    """What a register tile's code depends on; equal ones share a function.

    Attributes
    ----------
    rows, columns, pitch : int
        The tile, and the elements between its rows in memory.
    tile, left, right : DType
        Element types.
    left_row, left_step, right_step : int or None
        Element strides of the operands where they are known.
    masked : bool
        Whether only the first ``width`` columns may be read.
    repeats : int
        Loops around the run of k.
    ahead : tuple of int
        Bytes of an element, for each buffer whose lines are asked for on the way.
    """

    rows: int
    columns: int
    pitch: int
    tile: DType
    left: DType
    right: DType
    left_row: int | None
    left_step: int | None
    right_step: int | None
    masked: bool = False
    repeats: int = 0
    ahead: tuple[int, ...] = ()

    @property
    def arguments(self) -> str:
        """The arguments of the function."""
        names = (f"{part}{level}" for level in range(self.repeats) for part in REPEAT)
        hints = (
            f"ptr %ahead{place}, i64 %row{place}, i64 %shift{place}, i64 %lines{place}"
            for place in range(len(self.ahead))
        )
        return ", ".join([ARGUMENTS, *(f"i64 %{name}" for name in names), *hints])

    @property
    def is_packed(self) -> bool:
        """Whether a step of k reads one piece of memory of each operand."""
        return self.left_row == 1 and self.left_step is not None and self.right_step is not None


ARGUMENTS = (
    "i64 %k, ptr noalias %left, ptr noalias %right, ptr %tile, i1 %fresh, i64 %left_row, "
    "i64 %left_step, i64 %right_step, i64 %width, ptr %result, i64 %result_row"
)
REPEAT = ("count", "left_again", "right_again")


def micro_function(
    e: Emitter, micro: MicroKernel, writer_type: "type[MicroWriter] | None" = None
) -> str:
    """Return the name of the tile's function, written on first use."""
    name = e.micro_functions.get((micro, writer_type))
    if name is None:
        name = f"@micro{len(e.micro_functions)}"
        e.micro_functions[micro, writer_type] = name
        writer = (writer_type or MicroWriter)(micro, e.machine)
        e.functions.append(writer.text(name))
        for declaration in writer.e.declarations:
            e.declare(declaration)
    return name


class MicroWriter:
    """One vector of accumulators per row and group of columns."""

    def __init__(self, micro: MicroKernel, machine: Machine) -> None:
        self.c, self.machine = micro, machine
        self.e = Emitter(machine, frozenset())
        self.element = scalar_type(micro.tile)
        self.width = _vector_width(micro, machine)
        self.kind = vector_of(self.element, self.width)
        self.groups = micro.columns // self.width
        self.names = [(i, j) for i in range(micro.rows) for j in range(self.groups)]
        self.carried = [f"{i}_{j}" for i, j in self.names]
        self.left_pointers = 1 if micro.left_row is not None else -(-micro.rows // ROW_GROUP)

    def text(self, name: str) -> str:
        e = self.e
        e.line("br label %enter\nenter:")
        self._strides()
        masks = [self._mask(j) for j in range(self.groups)] if self.c.masked else None
        e.line("br i1 %fresh, label %zero, label %resume\nresume:")
        for i, j in self.names:
            e.line(f"%o{i}_{j} = load {self.kind}, ptr {self._place(i, j)}, align {self._align}")
        e.line("br label %zero\nzero:")
        for each in self.carried:
            start = self._start(each)
            e.line(f"%s{each} = phi {self.kind} [zeroinitializer, %enter], [{start}, %resume]")
        e.line(f"br i1 {self._any_step()}, label %again, label %done\nagain:")
        self._enter_run()
        e.line("br label %loop\nloop:")
        self._loop(masks)
        e.line("br i1 %more, label %loop, label %advance\nadvance:")
        e.line(f"br i1 {self._advance()}, label %done, label %again\ndone:")
        for each in self.carried:
            e.line(f"%r{each} = phi {self.kind} [%s{each}, %zero], [%n{each}, %advance]")
        for i, j in self.names:
            if not j:
                row = self._result_row(i)
            place = e.value(f"getelementptr {self.element}, ptr {row}, i64 {j * self.width}")
            sums = self._result(i, j)
            e.line(f"store {self.kind} {sums}, ptr {place}, align {self._align}")
        head = f"define internal void {name}({self.c.arguments}) #1 {{\nentry:"
        return "\n".join([head, *e.scopes[0].lines, "ret void\n}"])

    # -- loops around the run of k ----------------------------------------------------------------

    def _any_step(self) -> str:
        """Return whether there is anything to add."""
        e = self.e
        some = e.value("icmp sgt i64 %k, 0")
        for level in range(self.c.repeats):
            more = e.value(f"icmp sgt i64 %count{level}, 0")
            some = e.value(f"and i1 {some}, {more}")
        return some

    def _enter_run(self) -> None:
        """Name the tile, the operands' addresses and the counters as a run begins."""
        e = self.e
        e.line("%asked = phi i64 [0, %zero], [%asked_next, %advance]")
        for level in range(self.c.repeats):
            e.line(f"%turn{level} = phi i64 [0, %zero], [%turn_next{level}, %advance]")
        for side in ("left", "right"):
            e.line(f"%{side}_moved = phi i64 [0, %zero], [%{side}_next, %advance]")
        for each in self.carried:
            e.line(f"%b{each} = phi {self.kind} [%s{each}, %zero], [%n{each}, %advance]")
        for group in range(self.left_pointers):
            e.line(f"%run{group} = getelementptr i8, ptr %left{group}, i64 %left_moved")
        e.line("%run_right = getelementptr i8, ptr %right, i64 %right_moved")

    def _advance(self) -> str:
        """Count the loops on, the innermost first; return whether all have ended."""
        e, c = self.e, self.c
        over = "1"
        moved = {"left": "%left_moved", "right": "%right_moved"}
        sizes = {"left": c.left.itemsize, "right": c.right.itemsize}
        for level in reversed(range(c.repeats)):
            step = e.value(f"zext i1 {over} to i64")
            counted = e.value(f"add i64 %turn{level}, {step}")
            ended = e.value(f"icmp eq i64 {counted}, %count{level}")
            e.line(f"%turn_next{level} = select i1 {ended}, i64 0, i64 {counted}")
            change = e.value(f"sub i64 %turn_next{level}, %turn{level}")
            for side, before in moved.items():
                stride = e.value(f"mul i64 %{side}_again{level}, {sizes[side]}")
                distance = e.value(f"mul i64 {change}, {stride}")
                moved[side] = e.value(f"add i64 {before}, {distance}")
            over = ended
        rounded = e.value(f"add i64 %k, {(1 << ASKED) - 1}")
        requests = e.value(f"lshr i64 {rounded}, {ASKED}")
        e.line(f"%asked_next = add i64 %asked, {requests}")
        for side, after in moved.items():
            e.line(f"%{side}_next = add i64 {after}, 0")
        return over

    # -- parts ----------------------------------------------------------------------------------

    def _start(self, name: str) -> str:
        """Return what a sum goes on from."""
        return f"%o{name}"

    def _result(self, i: int, j: int) -> str:
        """Return a vector of finished sums."""
        return f"%r{i}_{j}"

    def _right_type(self) -> DType:
        """Return the type the right operand's strides count in."""
        return self.c.right

    @property
    def _align(self) -> int:
        return self.c.tile.itemsize

    @property
    def _left(self) -> str:
        return memory_type(self.c.left)

    @property
    def _right(self) -> str:
        return memory_type(self.c.right)

    def _place(self, i: int, j: int) -> str:
        offset = i * self.c.pitch + j * self.width
        return self.e.value(f"getelementptr {self.element}, ptr %tile, i64 {offset}")

    def _result_row(self, i: int) -> str:
        """Return where a row of the results goes, one row after the one before."""
        if not i:
            return "%result"
        before = "%result" if i == 1 else f"%result{i - 1}"
        self.e.line(f"%result{i} = getelementptr i8, ptr {before}, i64 %result_bytes")
        return f"%result{i}"

    def _strides(self) -> None:
        """Name the byte strides, and the first address of each group of rows."""
        e, c = self.e, self.c
        for name, known, dtype in (
            ("left_row", c.left_row, c.left),
            ("left_step", c.left_step, c.left),
            ("right_step", c.right_step, self._right_type()),
            ("result", None, c.tile),
        ):
            count = f"%{name}" if known is None else str(known)
            count = "%result_row" if name == "result" else count
            e.line(f"%{name}_bytes = mul i64 {count}, {dtype.itemsize}")
        if c.right_step is None:
            e.line(f"%rows_ahead = mul i64 %right_step_bytes, {ROWS_AHEAD}")
        e.line("%two_rows = shl i64 %left_row_bytes, 1\n%last = sub i64 %k, 1")
        for group in range(self.left_pointers):
            offset = e.value(f"mul i64 %left_row_bytes, {group * ROW_GROUP}")
            e.line(f"%left{group} = getelementptr i8, ptr %left, i64 {offset}")

    def _mask(self, j: int) -> str:
        """Return which columns of a group may be read."""
        e, kind = self.e, f"<{self.width} x i64>"
        bound = e.splat("%width", "i64", self.width, 0)
        numbers = ", ".join(f"i64 {j * self.width + lane}" for lane in range(self.width))
        return e.value(f"icmp slt {kind} <{numbers}>, {bound}")

    def _loop(self, masks: list[str] | None) -> None:
        e = self.e
        e.line("%i = phi i64 [0, %again], [%i1, %step]")
        for group in range(self.left_pointers):
            e.line(f"%pa{group} = phi ptr [%run{group}, %again], [%pan{group}, %step]")
        e.line("%pb = phi ptr [%run_right, %again], [%pbn, %step]")
        for each in self.carried:
            e.line(f"%a{each} = phi {self.kind} [%b{each}, %again], [%n{each}, %step]")
        self._ask()
        self._step(masks)
        for group in range(self.left_pointers):
            e.line(f"%pan{group} = getelementptr i8, ptr %pa{group}, i64 %left_step_bytes")
        e.line("%pbn = getelementptr i8, ptr %pb, i64 %right_step_bytes")
        e.line("%i1 = add i64 %i, 1\n%more = icmp slt i64 %i1, %k")

    def _ask(self) -> None:
        """Ask for memory that is needed later, every few steps: rows of the result, other lines."""
        e, c = self.e, self.c
        e.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        within = e.value(f"and i64 %i, {(1 << ASKED) - 1}")
        due = e.value(f"icmp eq i64 {within}, 0")
        e.line(f"br i1 {due}, label %ask, label %step\nask:")
        so_far = e.value(f"lshr i64 %i, {ASKED}")
        e.line(f"%number = add i64 %asked, {so_far}")
        left = e.value("sub i64 %last, %i")
        own = e.value(f"lshr i64 {left}, {ASKED}")
        some = e.value(f"icmp ult i64 {own}, {c.rows}")
        e.line(f"br i1 {some}, label %own, label %ask0\nown:")
        offset = e.value(f"mul i64 {own}, %result_bytes")
        row = e.value(f"getelementptr i8, ptr %result, i64 {offset}")
        for line in range(0, c.columns * c.tile.itemsize, CACHE_LINE):
            address = e.value(f"getelementptr i8, ptr {row}, i64 {line}")
            e.line(f"call void @llvm.prefetch.p0(ptr {address}, i32 1, i32 3, i32 1)")
        e.line("br label %ask0\nask0:")
        for place, size in enumerate(c.ahead):
            self._ask_line(place, size)
        e.line("br label %step\nstep:")

    def _ask_line(self, place: int, size: int) -> None:
        """Ask for the next line of what is needed later, if there are any left."""
        e = self.e
        some = e.value(f"icmp ult i64 %number, %lines{place}")
        e.line(f"br i1 {some}, label %hint{place}, label %ask{place + 1}\nhint{place}:")
        row = e.value(f"lshr i64 %number, %shift{place}")
        before = e.value(f"shl i64 {row}, %shift{place}")
        line = e.value(f"sub i64 %number, {before}")
        down = e.value(f"mul i64 {row}, %row{place}")
        start = e.value(f"mul i64 {down}, {size}")
        along = e.value(f"mul i64 {line}, {CACHE_LINE}")
        offset = e.value(f"add i64 {start}, {along}")
        address = e.value(f"getelementptr i8, ptr %ahead{place}, i64 {offset}")
        e.line(f"call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 {MIDDLE}, i32 1)")
        e.line(f"br label %ask{place + 1}\nask{place + 1}:")

    def _step(self, masks: list[str] | None) -> None:
        """One step of k: a row of the right operand times each element of the left one."""
        e, c = self.e, self.c
        e.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        if c.is_packed:
            self._prefetch("%pb", c.right, c.columns)
            self._prefetch("%pa0", c.left, c.rows)
        elif c.right_step is None:
            self._prefetch_row()
        rights = [self._load_right(j, masks) for j in range(self.groups)]
        for i in range(c.rows):
            raw = e.value(f"load {self._left}, ptr {self._row(i)}, align {c.left.itemsize}")
            single = self._widen(raw, c.left, 0)
            left = e.splat(single, self.element, self.width, 0)
            for j, right in enumerate(rights):
                self._accumulate(left, right, f"{i}_{j}")

    def _row(self, i: int) -> str:
        """Return the address of the left operand's element in a row."""
        if self.c.left_row is not None:
            offset = i * self.c.left_row * self.c.left.itemsize
            return self.e.value(f"getelementptr i8, ptr %pa0, i64 {offset}")
        group, rest = divmod(i, ROW_GROUP)
        offset_name = ("0", "%left_row_bytes", "%two_rows")[rest]
        return self.e.value(f"getelementptr i8, ptr %pa{group}, i64 {offset_name}")

    def _prefetch(self, pointer: str, dtype: DType, count: int) -> None:
        """Ask for the cache lines of one later step."""
        for offset in range(0, count, CACHE_LINE // dtype.itemsize):
            place = AHEAD * count + offset
            kind = memory_type(dtype)
            address = self.e.value(f"getelementptr {kind}, ptr {pointer}, i64 {place}")
            self.e.line(f"call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 3, i32 1)")

    def _prefetch_row(self) -> None:
        """Ask for a later row of the right operand, which lies far from the rows before it."""
        e, c = self.e, self.c
        row = e.value("getelementptr i8, ptr %pb, i64 %rows_ahead")
        for offset in range(0, c.columns * c.right.itemsize, CACHE_LINE):
            address = e.value(f"getelementptr i8, ptr {row}, i64 {offset}")
            e.line(f"call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 3, i32 1)")

    def _load_right(self, j: int, masks: list[str] | None) -> str:
        e, dtype = self.e, self.c.right
        address = e.value(f"getelementptr {self._right}, ptr %pb, i64 {j * self.width}")
        kind = vector_of(self._right, self.width)
        if masks is None:
            raw = e.value(f"load {kind}, ptr {address}, align {dtype.itemsize}")
            return self._widen(raw, dtype, self.width)
        full = f"@llvm.masked.load.{suffix(self._right, self.width)}.p0"
        bits = vector_of("i1", self.width)
        e.declare(f"declare {kind} {full}(ptr, {bits}, {kind})")
        raw = e.value(
            f"call {kind} {full}(ptr align {dtype.itemsize} {address}, {bits} {masks[j]}, "
            f"{kind} zeroinitializer)"
        )
        return self._widen(raw, dtype, self.width)

    def _widen(self, text: str, dtype: DType, width: int) -> str:
        """Convert an operand's element to the accumulator's type."""
        wanted = self.c.tile
        if dtype is wanted:
            return text
        if dtype.is_small_float and wanted.name == "float32":
            return to_single(self.e, text, dtype, width, 0)
        old, new = vector_of(memory_type(dtype), width), vector_of(self.element, width)
        if dtype.is_integral and wanted.is_integral and dtype.bits <= wanted.bits:
            if dtype.bits == wanted.bits:
                return text  # wrapping sums do not know signs
            name = "sext" if dtype.is_signed else "zext"
            return self.e.value(f"{name} {old} {text} to {new}")
        raise InternalError(f"llvm: a contraction of {dtype.name} in {wanted.name}")

    def _accumulate(self, left: str, right: str, name: str) -> None:
        e, kind = self.e, self.kind
        if not self.c.tile.is_floating_point:
            product = e.value(f"mul {kind} {left}, {right}")
            e.line(f"%n{name} = add {kind} %a{name}, {product}")
        elif self.machine.fused:
            full = f"@llvm.fma.{suffix(self.element, self.width)}"
            e.declare(f"declare {kind} {full}({kind}, {kind}, {kind})")
            e.line(f"%n{name} = call {kind} {full}({kind} {left}, {kind} {right}, {kind} %a{name})")
        else:
            product = e.value(f"fmul {kind} {left}, {right}")
            e.line(f"%n{name} = fadd {kind} %a{name}, {product}")


def _vector_width(micro: MicroKernel, machine: Machine) -> int:
    """Fill a register, or less when the tile is narrower or not a multiple of it."""
    width = machine.vector_bits // micro.tile.bits
    while micro.columns % width:
        width //= 2
    return width
