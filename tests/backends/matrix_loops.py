"""Modules that multiply cooperative matrices, as ordinary ones with the same meaning.

No software device has cooperative matrices. Here the invocations of a subgroup share out the rows
of a matrix of sums, and a product is a loop over the steps: each invocation reads the elements of
its rows and of all columns from shared memory, as the loads say where they are, and adds by fused
multiply-adds in the order of the steps. So the very module that a GPU would get runs anywhere, with
every place, stride, layout, type and barrier in it, but for the instructions replaced:

- a type of sums becomes an array of vectors of four, the rows of an invocation;
- a product becomes a loop, and loads of its operands go into it, with nothing in between;
- a store writes the rows of each invocation;
- what only declares the extension goes.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pumice.backends.spirv import SpirvBackend
from pumice.backends.spirv.module import text_words
from pumice.backends.spirv.opcodes import (
    NON_PRIVATE,
    BuiltIn,
    Decoration,
    MatrixLayout,
    MatrixSign,
    MatrixUse,
    Op,
    StorageClass,
)
from pumice.backends.spirv.opcodes import Capability as Cap
from pumice.kernel.ir import Kernel
from pumice.target import Artifact, Target

Instruction = list[int]
WIDTH = 4
UNIT_BITS, WORD_BITS = 128, 32
FIELD_SIGNED, FIELD_UNSIGNED, UNPACK_HALF, FMA = 202, 203, 62, 50
_GONE_CAPABILITIES = (
    Cap.COOPERATIVE_MATRIX,
    Cap.BFLOAT16_TYPE,
    Cap.BFLOAT16_COOPERATIVE_MATRIX,
    Cap.FLOAT16,
)
_GONE_EXTENSIONS = ("SPV_KHR_cooperative_matrix", "SPV_KHR_bfloat16")
_GONE_TYPES = ([Op.TYPE_FLOAT, 16], [Op.TYPE_FLOAT, 16, 0], [Op.TYPE_INT, 8, 1])


@dataclass(frozen=True)
class Matrix:
    """A type of matrices: what its elements are, its sides and its place in products."""

    element: str
    rows: int
    columns: int
    use: int

    @property
    def bits(self) -> int:
        return {"float16": 16, "bfloat16": 16, "int8": 8, "uint8": 8}.get(self.element, 32)

    @property
    def held(self) -> str:
        """What its elements are in registers."""
        if self.element in ("float16", "bfloat16", "float32"):
            return "float32"
        return self.element if self.bits == 32 else "uint32"


@dataclass(frozen=True)
class Loaded:
    """A matrix in shared memory: where, in which layout, and what had been written by then."""

    matrix: Matrix
    array: int
    at: int
    stride: int
    by_rows: bool
    epoch: int


def uses_matrices(artifact: Artifact) -> bool:
    """Tell whether a kernel multiplies cooperative matrices."""
    return any(each[0] == Op.COOPERATIVE_MATRIX_MULTIPLY_ADD for each in parsed(artifact.code)[1])


def parsed(code: bytes) -> tuple[list[int], list[Instruction]]:
    """Return the header and the instructions of a module, each an opcode and its operands."""
    words = list(struct.unpack(f"<{len(code) // 4}I", code))
    found, at = [], 5
    while at < len(words):
        length = words[at] >> 16
        found.append([words[at] & 0xFFFF, *words[at + 1 : at + length]])
        at += length
    return words[:5], found


def without_matrices(code: bytes, subgroup: int) -> bytes:
    """Return a module that does the same without cooperative matrices."""
    return _Rewriter(code, subgroup).module()


class EmulatingBackend:
    """The SPIR-V backend, with loops in place of cooperative matrices.

    Attributes
    ----------
    rewritten : list of Artifact
        Kernels that multiply matrices, as a GPU would get them.
    """

    def __init__(self) -> None:
        self.rewritten: list[Artifact] = []

    def compile(self, kernels: Sequence[Kernel], target: Target) -> list[Artifact]:
        made = SpirvBackend().compile(kernels, target)
        return [self.emulated(each) if each.subgroup else each for each in made]

    def emulated(self, artifact: Artifact) -> Artifact:
        """Return a kernel that runs without matrices."""
        assert uses_matrices(artifact)
        self.rewritten.append(artifact)
        code = without_matrices(artifact.code, artifact.subgroup)
        return replace(artifact, code=code, key=artifact.key[::-1])


def _is_type(each: Instruction) -> bool:
    return Op.TYPE_VOID <= each[0] <= Op.TYPE_FORWARD_POINTER or (
        each[0] == Op.TYPE_COOPERATIVE_MATRIX
    )


class _Rewriter:
    """Rewrites one module."""

    def __init__(self, code: bytes, subgroup: int) -> None:
        self._subgroup = subgroup
        self._header, instructions = parsed(code)
        self._next = self._header[3]
        first = next(at for at, each in enumerate(instructions) if each[0] == Op.FUNCTION)
        self._head, self._functions = instructions[:first], instructions[first:]
        self._extended = next(e[1] for e in self._head if e[0] == Op.EXT_INST_IMPORT)
        self._defined = {e[2]: e for e in instructions if e[0] in (Op.ACCESS_CHAIN, Op.LOAD)}
        self._declared = {e[1]: e for e in self._head if _is_type(e)}
        self._numbers = {e[2]: e[3] for e in self._head if e[0] == Op.CONSTANT and len(e) == 4}
        self._lanes = [
            each[1]
            for each in self._head
            if each[0] == Op.DECORATE
            and each[2:] == [Decoration.BUILT_IN, BuiltIn.SUBGROUP_LOCAL_INVOCATION_ID]
        ]
        self._prelude: list[Instruction] = []
        self._late: list[Instruction] = []
        self._kept: dict[tuple[int, ...], int] = {}
        self._matrices = {
            each[1]: self._matrix(each)
            for each in self._head
            if each[0] == Op.TYPE_COOPERATIVE_MATRIX
        }
        self._loaded: dict[int, Loaded] = {}
        self._epoch = 0
        self._out: list[Instruction] = []
        self._phis: list[Instruction] = []
        self._ends: dict[int, int] = {}
        """The last block of what was one block, by its label."""
        self._began = self._label = self._lane = self._unknown = 0

    def _new(self) -> int:
        self._next += 1
        return self._next - 1

    def _matrix(self, declared: Instruction) -> Matrix:
        _, _, component, _, rows, columns, use = declared
        kind = self._declared[component]
        if kind[0] == Op.TYPE_FLOAT:
            element = "float32" if kind[2] == 32 else "bfloat16" if len(kind) > 3 else "float16"
        else:
            element = f"{'int' if kind[3] else 'uint'}{kind[2]}"
        return Matrix(element, *(self._numbers[each] for each in (rows, columns, use)))

    def _vectors(self, sums: Matrix) -> int:
        """Return how many vectors of a matrix of sums an invocation has."""
        assert sums.rows % self._subgroup == 0
        return sums.rows // self._subgroup * sums.columns // WIDTH

    # -- declarations ---------------------------------------------------------------------------

    def _type(self, op: int, *operands: int) -> int:
        """Return a type that stands before all others, moved there if the module declares it."""
        key = (op, *operands)
        if key not in self._kept:
            declared = [e for e in self._head if e[0] == op and e[2:] == list(operands)]
            if declared:
                self._head.remove(declared[0])
            identity = declared[0][1] if declared else self._new()
            self._kept[key] = identity
            self._prelude.append([op, identity, *operands])
        return self._kept[key]

    def _scalar(self, name: str) -> int:
        if name == "float32":
            return self._type(Op.TYPE_FLOAT, 32)
        return self._type(Op.TYPE_INT, 32, int(name == "int32"))

    def _four(self, name: str) -> int:
        return self._type(Op.TYPE_VECTOR, self._scalar(name), WIDTH)

    def _number(self, value: int) -> int:
        key = (Op.CONSTANT, value)
        if key not in self._kept:
            self._kept[key] = self._new()
            self._prelude.append([Op.CONSTANT, self._scalar("uint32"), self._kept[key], value])
        return self._kept[key]

    def _pointer(self, pointee: int) -> int:
        """Return the type of pointers to shared memory."""
        storage = StorageClass.WORKGROUP
        for each in self._declared.values():
            if each[0] == Op.TYPE_POINTER and each[2:] == [storage, pointee]:
                return each[1]
        key = (Op.TYPE_POINTER, storage, pointee)
        if key not in self._kept:
            self._kept[key] = self._new()
            self._late.append([Op.TYPE_POINTER, self._kept[key], storage, pointee])
        return self._kept[key]

    # -- the module -----------------------------------------------------------------------------

    def module(self) -> bytes:
        functions: list[Instruction] = []
        for each in self._functions:
            if each[0] == Op.FUNCTION:
                self._out, self._phis, self._ends = [], [], {}
            self._instruction(each)
            if each[0] == Op.FUNCTION_END:
                for phi in self._phis:  # blocks end elsewhere where loops stand in them now
                    phi[4::2] = [self._ends.get(label, label) for label in phi[4::2]]
                functions += self._out
        head = self._declarations()
        words = [*self._header[:3], self._next, 0]
        for each in (*head, *functions):
            words += [len(each) << 16 | each[0], *each[1:]]
        return struct.pack(f"<{len(words)}I", *words)

    def _declarations(self) -> list[Instruction]:
        gone = [[Op.EXTENSION, *text_words(name)] for name in _GONE_EXTENSIONS]
        narrow = [each[1] for each in self._declared.values() if each[:1] + each[2:] in _GONE_TYPES]
        narrow += [each for each, of in self._matrices.items() if of.use != MatrixUse.ACCUMULATOR]
        sums = {
            identity: (self._four(each.held), self._vectors(each))
            for identity, each in self._matrices.items()
            if identity not in narrow
        }
        lengths = {identity: self._number(count) for identity, (_, count) in sums.items()}
        changed: list[Instruction] = []
        for each in self._head:
            op = each[0]
            if op == Op.CAPABILITY and each[1] in _GONE_CAPABILITIES or each in gone:
                continue
            if _is_type(each) and each[1] in narrow:
                continue
            if op == Op.TYPE_COOPERATIVE_MATRIX:
                four, _ = sums[each[1]]
                changed.append([Op.TYPE_ARRAY, each[1], four, lengths[each[1]]])
            elif op == Op.CONSTANT_COMPOSITE and each[1] in sums:
                (four, count), vector = sums[each[1]], self._new()
                changed.append([Op.CONSTANT_COMPOSITE, four, vector, *each[3:] * WIDTH])
                changed.append([Op.CONSTANT_COMPOSITE, *each[1:3], *[vector] * count])
            else:
                changed.append(each)
        first = next(at for at, each in enumerate(changed) if _is_type(each))
        return [*changed[:first], *self._prelude, *changed[first:], *self._late]

    # -- instructions ---------------------------------------------------------------------------

    def _instruction(self, each: Instruction) -> None:
        match each[0]:
            case Op.COOPERATIVE_MATRIX_LOAD:
                self._load(*each[1:])
            case Op.COOPERATIVE_MATRIX_MULTIPLY_ADD:
                self._multiply_add(*each[1:])
            case Op.COOPERATIVE_MATRIX_STORE:
                self._store(*each[1:])
            case Op.PHI:
                self._phis.append(list(each))
                self._out.append(self._phis[-1])
            case op:
                if op == Op.LABEL:
                    self._label = self._began = each[1]
                if op in (Op.LABEL, Op.CONTROL_BARRIER) or op == Op.STORE and self._is_shared(each):
                    self._epoch += 1
                self._out.append(each)
                if op == Op.LOAD and each[3] in self._lanes:
                    self._lane, uint = each[2], self._scalar("uint32")
                    # A zero that no compiler knows, so that none writes loops out.
                    shift = self._number(WORD_BITS - 1)
                    self._unknown = self._emit(Op.SHIFT_RIGHT_LOGICAL, uint, self._lane, shift)

    def _is_shared(self, store: Instruction) -> bool:
        place = self._defined.get(store[1])
        return place is not None and self._declared[place[1]][2] == StorageClass.WORKGROUP

    def _emit(self, op: int, type_id: int, *operands: int) -> int:
        result = self._new()
        self._out.append([op, type_id, result, *operands])
        return result

    def _arithmetic(self, op: int, first: int, second: int) -> int:
        return self._emit(op, self._scalar("uint32"), first, second)

    def _loop(
        self,
        count: int,
        type_id: int,
        carried: list[int],
        body: Callable[[int, list[int]], list[int]],
    ) -> list[int]:
        """Run straight-line code for each number below a count, with running values."""
        uint, zero = self._scalar("uint32"), self._number(0)
        header, inside, proceed, merge, number, following = (self._new() for _ in range(6))
        before = self._label
        phis = [[Op.PHI, type_id, self._new(), each, before] for each in carried]
        self._out += [
            [Op.BRANCH, header],
            [Op.LABEL, header],
            [Op.PHI, uint, number, zero, before, following, proceed],
            *phis,
        ]
        stop = self._arithmetic(Op.I_ADD, self._number(count), self._unknown)
        less = self._emit(Op.U_LESS_THAN, self._type(Op.TYPE_BOOL), number, stop)
        self._out += [
            [Op.LOOP_MERGE, merge, proceed, 0],
            [Op.BRANCH_CONDITIONAL, less, inside, merge],
            [Op.LABEL, inside],
        ]
        running = [phi[2] for phi in phis]
        for phi, value in zip(phis, body(number, running), strict=True):
            phi += [value, proceed]
        self._out += [
            [Op.BRANCH, proceed],
            [Op.LABEL, proceed],
            [Op.I_ADD, uint, following, number, self._number(1)],
            [Op.BRANCH, header],
            [Op.LABEL, merge],
        ]
        self._ends[self._began] = self._label = merge
        return running

    # -- matrices -------------------------------------------------------------------------------

    def _shared(self, pointer: int) -> tuple[int, int]:
        """Return the array a pointer points into and the place in it."""
        op, type_id, _, array, at = self._defined[pointer]
        assert op == Op.ACCESS_CHAIN
        assert self._declared[type_id][2:] == [StorageClass.WORKGROUP, self._four("uint32")]
        return array, at

    def _load(self, type_id: int, result: int, pointer: int, layout: int, *rest: int) -> None:
        stride, access = rest
        assert access == NON_PRIVATE
        matrix, by_rows = self._matrices[type_id], self._numbers[layout] == MatrixLayout.ROWS
        row = matrix.columns if by_rows else matrix.rows
        assert row * matrix.bits % UNIT_BITS == 0
        place = self._shared(pointer)
        self._loaded[result] = Loaded(matrix, *place, stride, by_rows, self._epoch)

    def _element(self, of: Loaded, row: int, column: int) -> int:
        """Return an element of a matrix in shared memory, as it is held."""
        uint, bits = self._scalar("uint32"), of.matrix.bits
        outer, inner = (row, column) if of.by_rows else (column, row)
        in_unit, in_word = self._number(UNIT_BITS // bits), self._number(WORD_BITS // bits)
        start = self._arithmetic(Op.I_ADD, of.at, self._arithmetic(Op.I_MUL, outer, of.stride))
        unit = self._arithmetic(Op.I_ADD, start, self._arithmetic(Op.U_DIV, inner, in_unit))
        part = self._arithmetic(Op.U_MOD, inner, in_unit)
        place = self._arithmetic(Op.U_DIV, part, in_word)
        slot = self._emit(Op.ACCESS_CHAIN, self._pointer(uint), of.array, unit, place)
        word = self._emit(Op.LOAD, uint, slot, NON_PRIVATE)
        part = self._arithmetic(Op.U_MOD, part, in_word)
        shift = self._arithmetic(Op.I_MUL, part, self._number(bits))
        op = FIELD_SIGNED if of.matrix.element == "int8" else FIELD_UNSIGNED
        field = self._emit(op, uint, word, shift, self._number(bits))
        real = self._scalar("float32")
        match of.matrix.element:
            case "float16":
                pair = self._type(Op.TYPE_VECTOR, real, 2)
                both = self._emit(Op.EXT_INST, pair, self._extended, UNPACK_HALF, field)
                return self._emit(Op.COMPOSITE_EXTRACT, real, both, 0)
            case "bfloat16":
                high = self._arithmetic(Op.SHIFT_LEFT_LOGICAL, field, self._number(16))
                return self._emit(Op.BITCAST, real, high)
            case _:
                return field

    def _own_row(self, number: int) -> int:
        """Return a row of sums that the invocation owns."""
        return self._arithmetic(Op.I_ADD, self._lane, self._number(number * self._subgroup))

    def _multiply_add(
        self, type_id: int, result: int, left: int, right: int, total: int, signs: int = 0
    ) -> None:
        first, second, sums = self._loaded[left], self._loaded[right], self._matrices[type_id]
        a, b = first.matrix, second.matrix
        assert (a.use, b.use, sums.use) == (*MatrixUse,)
        assert (a.rows, a.columns, b.columns) == (sums.rows, b.rows, sums.columns)
        assert a.element == b.element
        assert first.epoch == second.epoch == self._epoch, "shared memory may have changed"
        expected = MatrixSign.LEFT | MatrixSign.RIGHT if a.element == "int8" else 0
        if sums.element == "int32":
            expected |= MatrixSign.ACCUMULATOR | MatrixSign.RESULT
        assert signs == expected
        held, four = self._four(a.held), self._four(sums.held)
        count, across = self._vectors(sums), sums.columns // WIDTH
        before = [self._emit(Op.COMPOSITE_EXTRACT, four, total, each) for each in range(count)]

        def body(step: int, running: list[int]) -> list[int]:
            rights = []
            for vector in range(across):
                columns = [self._number(vector * WIDTH + each) for each in range(WIDTH)]
                elements = [self._element(second, step, each) for each in columns]
                rights.append(self._emit(Op.COMPOSITE_CONSTRUCT, held, *elements))
            found = []
            for place, before in enumerate(running):
                own, vector = divmod(place, across)
                if vector == 0:
                    element = self._element(first, self._own_row(own), step)
                    spread = self._emit(Op.COMPOSITE_CONSTRUCT, held, *[element] * WIDTH)
                found.append(self._fused(four, spread, rights[vector], before, sums.held))
            return found

        after = self._loop(a.columns, four, before, body)
        self._out.append([Op.COMPOSITE_CONSTRUCT, type_id, result, *after])

    def _fused(self, four: int, first: int, second: int, total: int, held: str) -> int:
        if held == "float32":
            return self._emit(Op.EXT_INST, four, self._extended, FMA, first, second, total)
        return self._emit(Op.I_ADD, four, self._emit(Op.I_MUL, four, first, second), total)

    def _store(self, pointer: int, value: int, layout: int, stride: int, access: int) -> None:
        assert access == NON_PRIVATE and self._numbers[layout] == MatrixLayout.ROWS
        array, at = self._shared(pointer)
        matrix = self._matrices[self._defined[value][1]]
        assert matrix.bits == WORD_BITS and matrix.use == MatrixUse.ACCUMULATOR
        words, across = self._four("uint32"), matrix.columns // WIDTH
        for place in range(self._vectors(matrix)):
            own, vector = divmod(place, across)
            taken = self._emit(Op.COMPOSITE_EXTRACT, self._four(matrix.held), value, place)
            if matrix.held != "uint32":
                taken = self._emit(Op.BITCAST, words, taken)
            row = self._arithmetic(Op.I_MUL, self._own_row(own), stride)
            unit = self._arithmetic(Op.I_ADD, at, row)
            unit = self._arithmetic(Op.I_ADD, unit, self._number(vector))
            slot = self._emit(Op.ACCESS_CHAIN, self._pointer(words), array, unit)
            self._out.append([Op.STORE, slot, taken, NON_PRIVATE])
        self._epoch += 1
