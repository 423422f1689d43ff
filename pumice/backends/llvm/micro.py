"""The innermost kernel of a matrix product: one register tile over a block of k."""

from pumice.backends.llvm.convert import to_single
from pumice.backends.llvm.emitter import Emitter
from pumice.backends.llvm.machine import Machine
from pumice.backends.llvm.types import memory_type, scalar_type, splat_constant, suffix, vector_of
from pumice.dtypes import DType
from pumice.errors import InternalError
from pumice.kernel.ir import Contract

CACHE_LINE = 64
AHEAD = 32
"""Steps of k between a prefetch and the load it serves."""


def micro_kernel(contract: Contract, machine: Machine) -> tuple[str, list[str]]:
    """Return ``void micro(i64 k, ptr left, ptr right, ptr tile, i64 start)``, and what it declares.

    The tile starts from zero when `start` is zero, else from its present values.
    """
    micro = _Micro(contract, machine)
    return micro.text(), list(micro.e.declarations)


class _Micro:
    """One vector of accumulators per row and group of columns."""

    def __init__(self, contract: Contract, machine: Machine) -> None:
        self.c, self.machine = contract, machine
        self.e = Emitter(machine, frozenset())
        self.element = scalar_type(contract.accumulator)
        self.width = _vector_width(contract, machine)
        self.kind = vector_of(self.element, self.width)
        self.groups = contract.columns // self.width
        self.names = [(i, j) for i in range(contract.rows) for j in range(self.groups)]

    def text(self) -> str:
        e = self.e
        e.line("br label %enter\nenter:\n%first = icmp eq i64 %start, 0")
        e.line("br i1 %first, label %zero, label %resume\nresume:")
        for i, j in self.names:
            e.line(f"%o{i}_{j} = load {self.kind}, ptr {self._place(i, j)}, align 4")
        e.line("br label %zero\nzero:")
        empty = splat_constant(self.element, "zeroinitializer", 0)
        for i, j in self.names:
            e.line(f"%s{i}_{j} = phi {self.kind} [{empty}, %enter], [%o{i}_{j}, %resume]")
        e.line("%some = icmp sgt i64 %k, 0\nbr i1 %some, label %loop, label %done\nloop:")
        e.line("%i = phi i64 [0, %zero], [%i1, %loop]")
        e.line("%pa = phi ptr [%left, %zero], [%pa1, %loop]")
        e.line("%pb = phi ptr [%right, %zero], [%pb1, %loop]")
        for i, j in self.names:
            e.line(f"%a{i}_{j} = phi {self.kind} [%s{i}_{j}, %zero], [%n{i}_{j}, %loop]")
        self._step()
        e.line(f"%pa1 = getelementptr {self._left}, ptr %pa, i64 {self.c.rows}")
        e.line(f"%pb1 = getelementptr {self._right}, ptr %pb, i64 {self.c.columns}")
        e.line("%i1 = add i64 %i, 1\n%more = icmp slt i64 %i1, %k")
        e.line("br i1 %more, label %loop, label %done\ndone:")
        for i, j in self.names:
            e.line(f"%r{i}_{j} = phi {self.kind} [%s{i}_{j}, %zero], [%n{i}_{j}, %loop]")
        for i, j in self.names:
            e.line(f"store {self.kind} %r{i}_{j}, ptr {self._place(i, j)}, align 4")
        head = (
            "define internal void @micro(i64 %k, ptr noalias %left, ptr noalias %right, "
            "ptr noalias %tile, i64 %start) #1 {\nentry:"
        )
        return "\n".join([head, *e.scopes[0].lines, "ret void\n}"])

    @property
    def _left(self) -> str:
        return memory_type(self.c.left.dtype)

    @property
    def _right(self) -> str:
        return memory_type(self.c.right.dtype)

    def _place(self, i: int, j: int) -> str:
        offset = i * self.c.columns + j * self.width
        return self.e.value(f"getelementptr {self.element}, ptr %tile, i64 {offset}")

    def _step(self) -> None:
        """One step of k: a row of the right panel times each element of the left one."""
        e = self.e
        e.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self._prefetch("%pb", self.c.right.dtype, self.c.columns)
        self._prefetch("%pa", self.c.left.dtype, self.c.rows)
        rights = [self._load_right(j) for j in range(self.groups)]
        for i in range(self.c.rows):
            address = e.value(f"getelementptr {self._left}, ptr %pa, i64 {i}")
            raw = e.value(f"load {self._left}, ptr {address}, align {self.c.left.dtype.itemsize}")
            single = self._widen(raw, self.c.left.dtype, 0)
            left = e.splat(single, self.element, self.width, 0)
            for j, right in enumerate(rights):
                self._accumulate(left, right, f"{i}_{j}")

    def _prefetch(self, pointer: str, dtype: DType, count: int) -> None:
        """Ask for the cache lines of one later step."""
        for offset in range(0, count, CACHE_LINE // dtype.itemsize):
            place = AHEAD * count + offset
            kind = memory_type(dtype)
            address = self.e.value(f"getelementptr {kind}, ptr {pointer}, i64 {place}")
            self.e.line(f"call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 3, i32 1)")

    def _load_right(self, j: int) -> str:
        e, dtype = self.e, self.c.right.dtype
        address = e.value(f"getelementptr {self._right}, ptr %pb, i64 {j * self.width}")
        kind = vector_of(self._right, self.width)
        raw = e.value(f"load {kind}, ptr {address}, align {dtype.itemsize}")
        return self._widen(raw, dtype, self.width)

    def _widen(self, text: str, dtype: DType, width: int) -> str:
        """Convert an operand's element to the accumulator's type."""
        wanted = self.c.accumulator
        if dtype is wanted:
            return text
        if dtype.is_small_float and wanted.name == "float32":
            return to_single(self.e, text, dtype, width, 0)
        old, new = vector_of(memory_type(dtype), width), vector_of(self.element, width)
        if dtype.is_integral and wanted.is_integral and dtype.bits < wanted.bits:
            name = "sext" if dtype.is_signed else "zext"
            return self.e.value(f"{name} {old} {text} to {new}")
        raise InternalError(f"llvm: a contraction of {dtype.name} in {wanted.name}")

    def _accumulate(self, left: str, right: str, name: str) -> None:
        e, kind = self.e, self.kind
        if not self.c.accumulator.is_floating_point:
            product = e.value(f"mul {kind} {left}, {right}")
            e.line(f"%n{name} = add {kind} %a{name}, {product}")
        elif self.machine.fused:
            full = f"@llvm.fma.{suffix(self.element, self.width)}"
            e.declare(f"declare {kind} {full}({kind}, {kind}, {kind})")
            e.line(f"%n{name} = call {kind} {full}({kind} {left}, {kind} {right}, {kind} %a{name})")
        else:
            product = e.value(f"fmul {kind} {left}, {right}")
            e.line(f"%n{name} = fadd {kind} %a{name}, {product}")


def _vector_width(contract: Contract, machine: Machine) -> int:
    """Fill a register, or less when the tile is narrower or not a multiple of it."""
    width = machine.vector_bits // contract.accumulator.bits
    while contract.columns % width:
        width //= 2
    return width
