"""Which grid item an invocation or workgroup runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.module import Module
from pumice.backends.spirv.opcodes import BuiltIn, Capability, Decoration, Op, StorageClass
from pumice.backends.spirv.subgroup import Subgroup
from pumice.backends.spirv.values import Values
from pumice.kernel.ir import Grid

GROUP_CONSTANT = 0
"""Specialisation constant that holds the invocations per workgroup."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """Numbers of an invocation, as ids: in its workgroup, its subgroup's and in that one."""

    lane: int
    subgroup: int = 0
    subgroup_lane: int = 0


def declare_group(module: Module, uint: int, group: int) -> int:
    """Declare the workgroup size as a specialisation constant and return it."""
    vector = module.intern_type(Op.TYPE_VECTOR, uint, 3)
    size = module.declare(Op.SPEC_CONSTANT, uint, group)
    module.decorate(size, Decoration.SPEC_ID, GROUP_CONSTANT)
    one = module.intern_constant(Op.CONSTANT, uint, 1)
    whole = module.declare(Op.SPEC_CONSTANT_COMPOSITE, vector, size, one, one)
    module.decorate(whole, Decoration.BUILT_IN, BuiltIn.WORKGROUP_SIZE)
    return size


class Position:
    """Built-in inputs. Groups are numbered row-major over a three-dimensional dispatch."""

    def __init__(self, code: Code, size: int) -> None:
        self._code = code
        self._types = code.types
        self._vector = code.module.intern_type(Op.TYPE_VECTOR, code.types.uint, 3)
        self._size = size

    def _input(self, builtin: BuiltIn) -> int:
        module = self._code.module
        pointer = self._types.pointer(StorageClass.INPUT, self._vector)
        variable = module.input_variable(builtin, pointer)
        return self._code.emit(Op.LOAD, self._vector, variable)

    def _component(self, vector: int, position: int) -> int:
        return self._code.emit(Op.COMPOSITE_EXTRACT, self._types.uint, vector, position)

    def _number(self, builtin: BuiltIn) -> int:
        """Return an input of one word."""
        module, types = self._code.module, self._types
        pointer = types.pointer(StorageClass.INPUT, types.uint)
        variable = module.input_variable(builtin, pointer)
        return self._code.emit(Op.LOAD, types.uint, variable)

    def subgroup(self) -> Subgroup:
        """Return what exchanges values within the subgroup."""
        return Subgroup(self._code, self._number(BuiltIn.SUBGROUP_LOCAL_INVOCATION_ID))

    def in_subgroup(self, lane: int) -> Invocation:
        """Return the numbers of an invocation whose subgroup acts as one."""
        self._code.module.require(Capability.GROUP_NON_UNIFORM)
        subgroup = self._number(BuiltIn.SUBGROUP_ID)
        return Invocation(lane, subgroup, self._number(BuiltIn.SUBGROUP_LOCAL_INVOCATION_ID))

    def lane(self) -> int:
        """Return the number of the invocation in its workgroup."""
        return self._component(self._input(BuiltIn.LOCAL_INVOCATION_ID), 0)

    def _widened(self, value: int) -> int:
        if self._types.index_bits == 32:
            return value
        return self._code.emit(Op.U_CONVERT, self._types.integer(64), value)

    def workgroup(self) -> int:
        """Return the number of the workgroup, as an index."""
        code, index = self._code, self._types.integer(self._types.index_bits)
        number, counts = self._input(BuiltIn.WORKGROUP_ID), self._input(BuiltIn.NUM_WORKGROUPS)
        x, y, z = (self._widened(self._component(number, axis)) for axis in range(3))
        width, height = (self._widened(self._component(counts, axis)) for axis in range(2))
        planes = code.emit(Op.I_MUL, index, z, height)
        rows = code.emit(Op.I_ADD, index, planes, y)
        return code.emit(Op.I_ADD, index, code.emit(Op.I_MUL, index, rows, width), x)

    def invocation(self, lane: int) -> int:
        """Return the number of the invocation in the dispatch, as an index."""
        code, index = self._code, self._types.integer(self._types.index_bits)
        first = code.emit(Op.I_MUL, index, self.workgroup(), self._widened(self._size))
        return code.emit(Op.I_ADD, index, first, self._widened(lane))


def bind_grid(code: Code, values: Values, grid: Grid, item: int, items: int) -> None:
    """Give each grid variable its value for an item."""
    if not grid.variables:
        return
    extents = [values.value(extent) for extent in grid.extents]
    types = code.types
    if types.index_bits == 64 and len(extents) > 1:
        places = _narrow_or_wide(code, extents, item, items)
    else:
        places = _decode(code, extents, item, types.index_bits)
    for variable, place in zip(grid.variables, places, strict=True):
        values.bind(variable, place)


def _decode(code: Code, extents: Sequence[int], item: int, bits: int) -> list[int]:
    integer = code.types.integer(bits)
    places = []
    rest = item
    for extent in reversed(extents[1:]):
        places.append(code.emit(Op.U_MOD, integer, rest, extent))
        rest = code.emit(Op.U_DIV, integer, rest, extent)
    return [rest, *reversed(places)]


def _narrow_or_wide(code: Code, extents: Sequence[int], item: int, items: int) -> list[int]:
    """Divide in 32 bits when the grid allows: 64-bit division is a long sequence on a GPU."""
    module, types = code.module, code.types
    uint, long = types.uint, types.integer(64)
    narrow, wide, merge = module.new_id(), module.new_id(), module.new_id()
    small = code.truth(Op.U_LESS_THAN, items, types.unsigned(1 << 32, 64))
    code.effect(Op.SELECTION_MERGE, merge, 0)
    code.effect(Op.BRANCH_CONDITIONAL, small, narrow, wide)
    code.begin(narrow)
    cut = [code.emit(Op.U_CONVERT, uint, extent) for extent in extents]
    short = _decode(code, cut, code.emit(Op.U_CONVERT, uint, item), 32)
    short = [code.emit(Op.U_CONVERT, long, place) for place in short]
    code.branch(merge)
    code.begin(wide)
    full = _decode(code, extents, item, 64)
    code.branch(merge)
    code.begin(merge)
    return [
        code.phi(long, (first, narrow), (second, wide))
        for first, second in zip(short, full, strict=True)
    ]
