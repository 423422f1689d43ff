"""One kernel, one module."""

import hashlib
from collections.abc import Sequence

from pumice.backends.spirv.arguments import Arguments
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.contract import Product
from pumice.backends.spirv.grid import Position, bind_grid
from pumice.backends.spirv.module import Module
from pumice.backends.spirv.opcodes import Capability, ExecutionMode, Op
from pumice.backends.spirv.statements import Statements, exchanged_buffers, has_lanes
from pumice.backends.spirv.types import Types
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.workgroup import Workgroup
from pumice.errors import InternalError
from pumice.kernel.ir import Contract, Kernel
from pumice.target import Artifact, Target

DEFAULT_GROUP = 64
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
    code = _Builder(kernel, target, group, together).build()
    return Artifact(
        key=hashlib.sha256(b"%d %d " % (group, together) + code).hexdigest(),
        code=code,
        entry="main",
        words=len(kernel.parameters),
        group=group,
        items_per_group=1 if together else group,
    )


class _Builder:
    """Builds the module of one kernel."""

    def __init__(self, kernel: Kernel, target: Target, group: int, together: bool) -> None:
        self._kernel = kernel
        self._target = target
        self._together = together
        self._group = group
        self._module = Module()
        self._types = Types(self._module, target)
        self._code = Code(self._module, self._types)

    def build(self) -> bytes:
        module, types, code = self._module, self._types, self._code
        main = module.new_id()
        signature = module.intern_type(Op.TYPE_FUNCTION, types.void)
        code.effect(Op.FUNCTION, types.void, main, 0, signature)
        code.begin(module.new_id())
        self._body()
        code.effect(Op.RETURN)
        code.effect(Op.FUNCTION_END)
        module.execution_mode(main, ExecutionMode.LOCAL_SIZE, self._group, 1, 1)
        self._float_controls(main)
        return module.assemble(main, code.instructions)

    def _float_controls(self, main: int) -> None:
        for name, capability, mode in _FLOAT_CONTROLS:
            for width in sorted(self._types.float_widths):
                if self._target.limits.get(f"{name}{width}", 0):
                    self._module.require(capability)
                    self._module.execution_mode(main, mode, width)

    def _body(self) -> None:
        kernel, code = self._kernel, self._code
        exchanged = exchanged_buffers(kernel) if self._together else frozenset()
        arguments = Arguments(code, kernel, self._target, exchanged)
        values = Values(code, arguments)
        position = Position(code, self._group)
        lane = position.lane()
        if self._together:
            item = position.workgroup()
            workgroup = Workgroup(code, values, lane, self._target.lanes)
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
