"""One kernel, one module.

A module holds the kernel once with 32-bit index arithmetic and, where the device has 64-bit
integers, once more with 64-bit. The runtime takes the narrow one unless a size, a stride or an
allocation is too large for it: 64-bit integers are several times slower on every device.
"""

import hashlib
from collections.abc import Sequence

from pumice.backends.spirv.affine import Neighbours, kernel_accesses, neighbours_of
from pumice.backends.spirv.arguments import Arguments, has_vectors, pushed_words
from pumice.backends.spirv.barriers import Barriers, exchanged_buffers
from pumice.backends.spirv.blocks import Block
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.contract_direct import DirectProduct
from pumice.backends.spirv.contract_matrices import (
    MatrixCut,
    MatrixProduct,
    declare_matrices,
    matrix_constants,
    require_matrices,
)
from pumice.backends.spirv.contract_staged import (
    RegisterCut,
    RegisterProduct,
    declare_registers,
    register_constants,
)
from pumice.backends.spirv.contract_staging import Constants
from pumice.backends.spirv.entry_points import (
    NARROW_ENTRY,
    WIDE_ENTRY,
    float_controls,
    group_of,
    has_wide,
)
from pumice.backends.spirv.grid import Invocation, Position, bind_grid, declare_group
from pumice.backends.spirv.module import Instruction, Module
from pumice.backends.spirv.opcodes import ExecutionMode, Op
from pumice.backends.spirv.operator_module import operator_module
from pumice.backends.spirv.operators import operator_artifact
from pumice.backends.spirv.shared import require_shared, shared_bytes
from pumice.backends.spirv.statements import Statements, runs_together
from pumice.backends.spirv.subgroup import subgroups_suffice
from pumice.backends.spirv.types import Types
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.vectors import WIDTH
from pumice.backends.spirv.width import space_words
from pumice.backends.spirv.workgroup import Workgroup
from pumice.errors import InternalError
from pumice.kernel.expansion import expanded
from pumice.kernel.ir import Contract, Kernel, Role
from pumice.kernel.walk import bounded_buffers
from pumice.target import Artifact, ProductTile, Target

_Cut = RegisterCut | MatrixCut


class SpirvBackend:
    """Compiles kernels to SPIR-V. Holds no state."""

    def compile(self, kernels: Sequence[Kernel], target: Target) -> list[Artifact]:
        """Return one artifact per kernel, in order."""
        return [
            operator_artifact(each.operator, len(each.parameters), target)
            if each.operator
            else _compile(each, target)
            for each in kernels
        ]

    def module(self, name: str, target: Target) -> bytes:
        """Return the code that all artifacts share which name it."""
        return operator_module(name, target)


def _compile(kernel: Kernel, target: Target) -> Artifact:
    kernel = expanded(kernel)
    together = runs_together(kernel)
    tile = _staged_tile(kernel)
    group = target.lanes if together else group_of(target)
    if tile is not None:
        group = tile.invocations
    space = space_words(kernel)
    wide = has_wide(target)
    entries = [(NARROW_ENTRY, 32)] if space is not None or not wide else []
    entries += [(WIDE_ENTRY, 64)] if wide else []
    neighbours = neighbours_of(kernel) if has_vectors(target) else None
    code = _compile_module(kernel, target, group, together, entries, neighbours)
    places = tuple(at for at, each in enumerate(kernel.parameters) if each.role is Role.INDEX)
    bounds: tuple[int, ...] = ()
    words = len(kernel.parameters)
    if target.checks_access:
        bounds = tuple(range(words, words + 2 * len(bounded_buffers(kernel))))
        words += len(bounds) + 1
    constants = () if tile is None else _constants_of(tile)
    subgroup = tile.matrix.subgroup if tile is not None and tile.matrix is not None else 0
    told = b" ".join(b"%d" % each for each in (group, together, subgroup, *constants))
    return Artifact(
        key=hashlib.sha256(told + b" " + code).hexdigest(),
        code=code,
        entry=entries[0][0],
        words=words,
        group=group,
        items_per_group=1 if together or tile else group * (WIDTH if neighbours else 1),
        constants=constants,
        subgroup=subgroup,
        index_words=places + bounds,
        space_words=places if space is None else space,
        wide_entry=WIDE_ENTRY if wide else "",
        pushed_words=pushed_words(kernel, target),
    )


def _staged_tile(kernel: Kernel) -> ProductTile | None:
    """Return the tile of a product that goes through shared memory."""
    for statement in kernel.body:
        if isinstance(statement, Contract) and statement.tile.depth:
            return statement.tile
    return None


def _constants_of(tile: ProductTile) -> tuple[int, ...]:
    return register_constants(tile) if tile.matrix is None else matrix_constants(tile)


def _cut_of(module: Module, uint: int, size: int, tile: ProductTile | None) -> _Cut | None:
    """Declare how a workgroup that stages is cut."""
    if tile is None:
        return None
    constants = Constants(module, uint)
    if tile.matrix is None:
        return declare_registers(constants, size, tile)
    return declare_matrices(constants, size, tile, tile.matrix)


def _compile_module(
    kernel: Kernel,
    target: Target,
    group: int,
    together: bool,
    entries: Sequence[tuple[str, int]],
    neighbours: Neighbours | None,
) -> bytes:
    """Write the kernel once for each entry point, a name and a width of index arithmetic."""
    module = Module()
    tile = _staged_tile(kernel)
    if tile is not None and tile.matrix is not None:
        require_matrices(module, tile.matrix)
    uint = module.intern_type(Op.TYPE_INT, 32, 0)
    size = declare_group(module, uint, group)
    cut = _cut_of(module, uint, size, tile)
    functions: list[Instruction] = []
    for name, bits in entries:
        main = module.entry_point(name)
        module.execution_mode(main, ExecutionMode.LOCAL_SIZE, group, 1, 1)
        types = Types(module, target, bits)
        code = Code(module, types)
        builder = _Builder(kernel, target, code, together, size, neighbours, cut)
        functions += builder.build(main)
        float_controls(module, target, types.float_widths, main)
    return module.assemble(functions)


class _Builder:
    """Builds one entry point of a kernel."""

    def __init__(
        self,
        kernel: Kernel,
        target: Target,
        code: Code,
        together: bool,
        size: int,
        neighbours: Neighbours | None,
        cut: _Cut | None,
    ) -> None:
        self._kernel = kernel
        self._target = target
        self._code = code
        self._together = together
        self._size = size
        self._neighbours = neighbours
        self._cut = cut

    def build(self, main: int) -> list[Instruction]:
        """Return the instructions of the function."""
        code, types = self._code, self._code.types
        signature = code.module.intern_type(Op.TYPE_FUNCTION, types.void)
        code.effect(Op.FUNCTION, types.void, main, 0, signature)
        code.begin(code.module.new_id())
        self._body()
        code.effect(Op.RETURN)
        code.effect(Op.FUNCTION_END)
        return code.instructions

    def _body(self) -> None:
        kernel, code = self._kernel, self._code
        exchanged = exchanged_buffers(kernel) if self._together else frozenset()
        arguments = Arguments(code, kernel, self._target, exchanged)
        values = Values(code, arguments)
        position = Position(code, self._size)
        lane = position.lane()
        if self._together:
            shared = self._target.shared_bytes
            taken = shared_bytes(kernel.locals)
            require_shared(taken, shared)
            wide = self._target.is_software
            subgroup = position.subgroup() if subgroups_suffice(self._target) else None
            lanes = self._target.lanes
            workgroup = Workgroup(code, values, lane, lanes, shared, taken, wide, subgroup)
            statements = Statements(code, values, workgroup, Barriers(kernel, exchanged))
            self._guarded(values, statements, position.workgroup())
        elif self._cut is not None:
            matrices = isinstance(self._cut, MatrixCut)
            own = position.in_subgroup(lane) if matrices else Invocation(lane)
            self._guarded(values, Statements(code, values), position.workgroup(), own)
        elif self._neighbours is None:
            self._guarded(values, Statements(code, values), position.invocation(lane))
        else:
            width = code.types.index(WIDTH)
            index = code.types.integer(code.types.index_bits)
            first = code.emit(Op.I_MUL, index, position.invocation(lane), width)
            self._block(values, self._neighbours, first)
        values.report()

    def _guarded(
        self,
        values: Values,
        statements: Statements,
        item: int,
        own: Invocation | None = None,
    ) -> None:
        """Run an item if it is one."""
        items = values.arguments.items
        with self._code.when(self._code.truth(Op.U_LESS_THAN, item, items)), values.scope():
            self._item(values, statements, item, items, own)

    def _block(self, values: Values, neighbours: Neighbours, first: int) -> None:
        """Run four items: at once where they are neighbours and aligned, else in a loop."""
        code, types, kernel = self._code, self._code.types, self._kernel
        items = values.arguments.items
        inside = code.truth(Op.U_LESS_THAN, first, items)
        with code.when(inside), values.scope():
            index = types.integer(types.index_bits)
            slow = types.truth(True)
            if types.index_bits == 32:
                bind_grid(code, values, kernel.grid, first, items)
                block = Block(code, values, kernel_accesses(kernel), neighbours)
                last = code.emit(Op.I_ADD, index, first, types.index(WIDTH - 1))
                fast = code.truth(Op.U_LESS_THAN, last, items)
                if len(kernel.grid.variables) > 1:
                    extent = values.value(kernel.grid.extents[-1])
                    rest = code.emit(Op.BITWISE_AND, index, extent, types.index(WIDTH - 1))
                    whole = code.truth(Op.I_EQUAL, rest, types.index(0))
                    fast = code.truth(Op.LOGICAL_AND, fast, whole)
                fast = code.truth(Op.LOGICAL_AND, fast, block.condition())
                with code.when(fast), values.scope():
                    block.emit(kernel.body)
                slow = code.truth(Op.LOGICAL_NOT, fast)
            with code.when(slow):
                self._one_by_one(values, first)

    def _one_by_one(self, values: Values, first: int) -> None:
        code, types = self._code, self._code.types
        index, items = types.integer(types.index_bits), values.arguments.items
        stop = code.emit(Op.I_ADD, index, first, types.index(WIDTH))
        over = code.truth(Op.U_LESS_THAN, items, stop)
        stop = code.select(index, over, items, stop)
        frame = code.loop([(index, first)])
        item = frame.phis[0]
        code.test(frame, code.truth(Op.U_LESS_THAN, item, stop))
        with values.fresh_scope():
            self._item(values, Statements(code, values), item, items)
        code.end(frame, [code.emit(Op.I_ADD, index, item, types.index(1))])

    def _item(
        self,
        values: Values,
        statements: Statements,
        item: int,
        items: int,
        own: Invocation | None = None,
    ) -> None:
        kernel, code = self._kernel, self._code
        contracts = [each for each in kernel.body if isinstance(each, Contract)]
        if not contracts:
            bind_grid(code, values, kernel.grid, item, items)
            statements.emit(kernel.body)
            return
        if len(kernel.body) > 1 or kernel.grid.variables:
            raise InternalError("spirv: a contraction must stand alone in its kernel")
        if self._together:
            raise InternalError("spirv: a LANES loop in the epilogue of a contraction")
        (contract,) = contracts
        cut, faults = self._cut, kernel.faults
        if cut is None or own is None:
            DirectProduct(code, values, statements, contract, faults).emit(item)
        elif isinstance(cut, MatrixCut):
            MatrixProduct(code, values, statements, contract, faults, cut, own).emit(item)
        else:
            RegisterProduct(code, values, statements, contract, faults, cut, own.lane).emit(item)
