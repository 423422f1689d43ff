"""One kernel, one module.

A module holds the kernel once with 32-bit index arithmetic and, where the device has 64-bit
integers, once more with 64-bit. The runtime takes the narrow one unless a size, a stride or an
allocation is too large for it: 64-bit integers are several times slower on every device.
"""

import hashlib
from collections.abc import Sequence

from pumice.backends.spirv.arguments import Arguments
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.contract import Product
from pumice.backends.spirv.grid import Position, bind_grid, declare_group
from pumice.backends.spirv.module import Instruction, Module
from pumice.backends.spirv.opcodes import Capability, ExecutionMode, Op
from pumice.backends.spirv.statements import Statements, exchanged_buffers, has_lanes
from pumice.backends.spirv.types import Types
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.width import space_words
from pumice.backends.spirv.workgroup import Workgroup
from pumice.errors import InternalError
from pumice.kernel.ir import Contract, Kernel, Role
from pumice.target import Artifact, Target

DEFAULT_GROUP = 64
DEFAULT_SHARED_BYTES = 16384
NARROW_ENTRY = "main"
WIDE_ENTRY = "wide"
_FLOAT_CONTROLS = (
    ("denorm", Capability.DENORM_PRESERVE, ExecutionMode.DENORM_PRESERVE),
    (
        "nan",
        Capability.SIGNED_ZERO_INF_NAN_PRESERVE,
        ExecutionMode.SIGNED_ZERO_INF_NAN_PRESERVE,
    ),
    ("rte", Capability.ROUNDING_MODE_RTE, ExecutionMode.ROUNDING_MODE_RTE),
)


class SpirvBackend:
    """Compiles kernels to SPIR-V. Holds no state."""

    def compile(self, kernels: Sequence[Kernel], target: Target) -> list[Artifact]:
        """Return one artifact per kernel, in order."""
        return [_compile(kernel, target) for kernel in kernels]


def _compile(kernel: Kernel, target: Target) -> Artifact:
    together = has_lanes(kernel.body)
    group = target.lanes if together else target.limits.get("group", DEFAULT_GROUP)
    space = space_words(kernel)
    has_wide = target.limits.get("index_bits", 64) == 64
    entries = [(NARROW_ENTRY, 32)] if space is not None or not has_wide else []
    entries += [(WIDE_ENTRY, 64)] if has_wide else []
    code = _compile_module(kernel, target, group, together, entries)
    places = tuple(at for at, each in enumerate(kernel.parameters) if each.role is Role.INDEX)
    return Artifact(
        key=hashlib.sha256(b"%d %d " % (group, together) + code).hexdigest(),
        code=code,
        entry=entries[0][0],
        words=len(kernel.parameters),
        group=group,
        items_per_group=1 if together else group,
        index_words=places,
        space_words=places if space is None else space,
        wide_entry=WIDE_ENTRY if has_wide else "",
    )


def _compile_module(
    kernel: Kernel, target: Target, group: int, together: bool, entries: Sequence[tuple[str, int]]
) -> bytes:
    """Write the kernel once for each entry point, a name and a width of index arithmetic."""
    module = Module()
    uint = module.intern_type(Op.TYPE_INT, 32, 0)
    size = declare_group(module, uint, group)
    functions: list[Instruction] = []
    for name, bits in entries:
        main = module.entry_point(name)
        module.execution_mode(main, ExecutionMode.LOCAL_SIZE, group, 1, 1)
        types = Types(module, target, bits)
        functions += _Builder(kernel, target, Code(module, types), together, size).build(main)
        _float_controls(module, target, types.float_widths, main)
    return module.assemble(functions)


def _float_controls(module: Module, target: Target, widths: set[int], main: int) -> None:
    for name, capability, mode in _FLOAT_CONTROLS:
        for width in sorted(widths):
            if target.limits.get(f"{name}{width}", 0):
                module.require(capability)
                module.execution_mode(main, mode, width)


class _Builder:
    """Builds one entry point of a kernel."""

    def __init__(
        self, kernel: Kernel, target: Target, code: Code, together: bool, size: int
    ) -> None:
        self._kernel = kernel
        self._target = target
        self._code = code
        self._together = together
        self._size = size

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
            item = position.workgroup()
            shared = self._target.limits.get("shared_memory_bytes", DEFAULT_SHARED_BYTES)
            workgroup = Workgroup(code, values, lane, self._target.lanes, shared)
            statements = Statements(code, values, workgroup, exchanged)
        else:
            item = position.invocation(lane)
            statements = Statements(code, values)
        with code.when(code.truth(Op.U_LESS_THAN, item, arguments.items)), values.scope():
            self._item(values, statements, item, arguments.items)

    def _item(self, values: Values, statements: Statements, item: int, items: int) -> None:
        kernel = self._kernel
        contracts = [each for each in kernel.body if isinstance(each, Contract)]
        if not contracts:
            bind_grid(self._code, values, kernel.grid, item, items)
            statements.emit(kernel.body)
            return
        if len(kernel.body) > 1 or kernel.grid.variables:
            raise InternalError("spirv: a contraction must stand alone in its kernel")
        if self._together:
            raise InternalError("spirv: a LANES loop in the epilogue of a contraction")
        Product(self._code, values, statements, contracts[0]).emit(item)
