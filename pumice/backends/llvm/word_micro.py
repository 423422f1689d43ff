"""The innermost kernel of a product by words, in vector registers.

Two instructions do it: one multiplies pairs of bfloat16, the other four unsigned bytes by four
signed ones. Where both operands are signed, or neither is, the highest bit of the left one's bytes
is turned, which adds 128 to them or subtracts it; the sums of 128 times the right operand run
along and are taken off at the end.
"""

from pumice import dtypes
from pumice.backends.llvm.machine import Machine
from pumice.backends.llvm.micro import MicroKernel, MicroWriter
from pumice.dtypes import DType

HIGH_BITS = 0x80808080 - (1 << 32)
"""The highest bit of each byte of a word."""


class WordWriter(MicroWriter):
    """Writes a register tile whose operands are words.

    `MicroKernel.left` and `right` are the element types; strides count elements of the left
    operand and words of the right one.
    """

    def __init__(self, micro: MicroKernel, machine: Machine) -> None:
        super().__init__(micro, machine)
        self.turns = micro.left is micro.right and micro.left is not dtypes.bfloat16
        if self.turns:
            self.carried += [f"turned_{j}" for j in range(self.groups)]

    def _strides(self) -> None:
        super()._strides()
        if self.turns:
            # Opaque: LLVM would turn the bits of a scalar and spread that, on a busier port.
            words = f"<{self.width} x i32>"
            self.e.line(f'%high = call {words} asm "", "=x,0"({words} splat (i32 {HIGH_BITS}))')

    def _start(self, name: str) -> str:
        if name.startswith("turned"):
            return "zeroinitializer"
        return super()._start(name)

    def _right_type(self) -> DType:
        return dtypes.uint32

    def _step(self, masks: list[str] | None) -> None:
        e, c = self.e, self.c
        words = f"<{self.width} x i32>"
        rights = []
        for j in range(self.groups):
            address = e.value(f"getelementptr i32, ptr %pb, i64 {j * self.width}")
            rights.append(e.value(f"load {words}, ptr {address}, align 4"))
        for i in range(c.rows):
            word = e.value(f"load i32, ptr {self._row(i)}, align {c.left.itemsize}")
            left = e.splat(word, "i32", self.width, 0)
            if self.turns:
                left = e.value(f"xor {words} {left}, %high")
            for j, right in enumerate(rights):
                self._add(left, right, f"{i}_{j}")
        if self.turns:
            for j, right in enumerate(rights):
                self._add("%high", right, f"turned_{j}")

    def _add(self, left: str, right: str, name: str) -> None:
        e, bits = self.e, 32 * self.width
        words = f"<{self.width} x i32>"
        if self.c.left is dtypes.bfloat16:
            full = f"@llvm.x86.avx512bf16.dpbf16ps.{bits}"
            kind, operand = f"<{self.width} x float>", f"<{2 * self.width} x bfloat>"
            one, other = (e.value(f"bitcast {words} {text} to {operand}") for text in (left, right))
        else:
            full = f"@llvm.x86.avx512.vpdpbusd.{bits}"
            kind = operand = words
            one, other = (left, right) if self.c.right.is_signed else (right, left)
        e.declare(f"declare {kind} {full}({kind}, {operand}, {operand})")
        operands = f"{kind} %a{name}, {operand} {one}, {operand} {other}"
        e.line(f"%n{name} = call {kind} {full}({operands})")

    def _result(self, i: int, j: int) -> str:
        if not self.turns:
            return super()._result(i, j)
        return self.e.value(f"sub {self.kind} %r{i}_{j}, %rturned_{j}")
