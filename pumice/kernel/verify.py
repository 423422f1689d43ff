"""Checks that a kernel is well formed: everything lowering promises and backends rely on.

`verify_kernel` raises `InternalError` naming the place in the statement tree and what is wrong.
The types of single instructions are in `signatures`; scopes and statements are checked here.
"""

from collections.abc import Iterable

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import InternalError
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Contract,
    Fold,
    If,
    Instruction,
    Kernel,
    Let,
    Loop,
    LoopKind,
    Multiply,
    MultiplyWords,
    Parameter,
    Prefetch,
    Role,
    Statement,
    Store,
    Transpose,
    Value,
    Variable,
)
from pumice.kernel.operators import operator_problem
from pumice.kernel.printer import fold_operands
from pumice.kernel.signatures import signature_problem
from pumice.kernel.tile_rules import tile_problems
from pumice.kernel.walk import postorder, reached

MOST_LOCAL_BYTES = 1 << 21
"""What the locals of a kernel may take together: they live on a thread's stack."""


_WORDS = {dtypes.bfloat16: dtypes.float32, dtypes.int8: dtypes.int32, dtypes.uint8: dtypes.int32}
"""What words of a type are summed in."""


def verify_kernel(kernel: Kernel) -> None:
    """Raise InternalError when a kernel breaks a rule of the IR."""
    _Verifier(kernel).run()


class _Verifier:
    """The scopes around the place being checked."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.place: list[str] = []
        self.parameters = frozenset(kernel.parameters + kernel.locals)
        self.operands: set[Parameter] = set()
        self.variables: set[Variable] = set()
        self.carries: dict[Carry, bool] = {}
        self.valid: dict[Value, None] = {}
        self.accumulator: DType | None = None
        self.in_lanes = False
        self.on_host = False

    def require(self, condition: bool, problem: str) -> None:
        if not condition:
            where = " > ".join(self.place)
            raise InternalError(f"verify_kernel: {problem}, in {where or 'the kernel'}")

    def run(self) -> None:
        kernel = self.kernel
        self._parameters()
        self.require(
            len(kernel.grid.variables) == len(kernel.grid.extents),
            f"{len(kernel.grid.variables)} grid variables with {len(kernel.grid.extents)} extents",
        )
        problem = operator_problem(kernel)
        self.require(not problem, problem)
        self.place.append("grid")
        self.on_host = True
        for extent in kernel.grid.extents:
            self._index(extent, "extent")
        self.on_host = False
        # Nothing outlives the extents: loads are allowed from here on.
        self.valid.clear()
        for variable in kernel.grid.variables:
            self._define(variable)
        self._statements(kernel.body)

    def _parameters(self) -> None:
        kernel = self.kernel
        self.place.append("parameters")
        count = len(kernel.parameters) + len(kernel.locals)
        self.require(len(self.parameters) == count, "a parameter is listed twice")
        self._locals()
        for parameter in kernel.parameters:
            self.require(parameter.role is not Role.LOCAL, f"local {parameter.name} as parameter")
            name, role, dtype = parameter.name, parameter.role, parameter.dtype
            self.require(
                (role is Role.INDEX) == (dtype is INDEX),
                f"{name} has role {role.name} and dtype {dtype.name}",
            )
            self.require(not dtype.is_complex, f"{name} is complex")
            self.require(
                not parameter.writable or role is Role.BUFFER,
                f"{name} is writable but no buffer",
            )
        if kernel.faults:
            last = kernel.parameters[-1] if kernel.parameters else None
            self.require(
                last is not None
                and last.name == "fault"
                and last.role is Role.BUFFER
                and last.dtype is dtypes.int64
                and last.writable,
                "a kernel with faults needs a writable int64 buffer named fault as last parameter",
            )
        self.place.pop()

    def _locals(self) -> None:
        for local in self.kernel.locals:
            self.require(local.role is Role.LOCAL, f"{local.name} is no local")
            self.require(local.writable and local.extent > 0, f"local {local.name} cannot be used")
            self.require(
                local.dtype is not INDEX and not local.dtype.is_complex,
                f"local {local.name} of {local.dtype.name}",
            )
        total = sum(local.extent * local.dtype.itemsize for local in self.kernel.locals)
        self.require(total <= MOST_LOCAL_BYTES, f"{total} bytes of locals")

    # -- values ---------------------------------------------------------------------------------

    def _value(self, root: Value) -> None:
        for value in postorder(root, self.valid):
            problem = signature_problem(value) or self._scope_problem(value)
            self.require(not problem, problem)
            self.valid[value] = None

    def _scope_problem(self, value: Value) -> str:
        attribute = value.attribute
        match value.instruction:
            case Instruction.PARAMETER:
                known = attribute in self.parameters or attribute in self.operands
                return "" if known else f"{attribute.name} is no parameter of the kernel"
            case Instruction.LOAD:
                if attribute not in self.parameters:
                    return f"load from {attribute.name}, which is no parameter of the kernel"
                return "a grid extent may not load" if self.on_host else ""
            case Instruction.VARIABLE:
                known = attribute in self.variables
                return "" if known else f"variable {attribute.name} is used outside its scope"
            case Instruction.CARRIED:
                known = self.carries.get(attribute) is False
                return "" if known else f"carry {attribute.name} is read outside its loop"
            case Instruction.RESULT:
                known = self.carries.get(attribute) is True
                return "" if known else f"result of {attribute.name} is read before its loop ends"
            case Instruction.ACCUMULATOR:
                known = value.dtype is self.accumulator
                return "" if known else f"no contraction here accumulates in {value.dtype.name}"
            case Instruction.CHECKED:
                return "" if self.kernel.faults else "CHECKED in a kernel without faults"
            case _:
                return ""

    def _typed(self, value: Value, dtype: DType, what: str) -> None:
        self._value(value)
        self.require(
            value.dtype is dtype, f"{what} is {value.dtype.name} where {dtype.name} is needed"
        )

    def _index(self, value: Value, what: str) -> None:
        self._typed(value, INDEX, what)

    # -- scopes ---------------------------------------------------------------------------------

    def _define(self, variable: Variable) -> None:
        self.require(
            variable not in self.variables, f"variable {variable.name} is already in scope"
        )
        self.variables.add(variable)

    def _scope(self, name: str) -> tuple[str, int, int]:
        self.place.append(name)
        return name, len(self.valid), len(self.carries)

    def _close(self, scope: tuple[str, int, int], variables: Iterable[Variable] = ()) -> None:
        _, values, carries = scope
        while len(self.valid) > values:
            self.valid.popitem()
        while len(self.carries) > carries:
            self.carries.popitem()
        self.variables.difference_update(variables)
        self.place.pop()

    def _statements(self, body: tuple[Statement, ...]) -> None:
        for statement in body:
            match statement:
                case Let(value=value):
                    self.place.append("let")
                    self._value(value)
                    self.place.pop()
                case Store():
                    self._store(statement)
                case Loop():
                    self._loop(statement)
                case If(condition=condition, body=inner):
                    scope = self._scope("if")
                    self.require(not self.in_lanes, "If inside lanes")
                    self._typed(condition, dtypes.bool_, "condition")
                    self._statements(inner)
                    self._close(scope)
                case Contract():
                    self._contract(statement)
                case Multiply():
                    self._multiply(statement)
                case MultiplyWords():
                    self._multiply_words(statement)
                case Transpose():
                    self._transpose(statement)
                case Prefetch(buffer=buffer, at=at):
                    self._buffer(buffer, "prefetch of")
                    self._typed(at, INDEX, "address")
                case _:
                    self.require(False, f"unknown statement {statement!r}")

    def _buffer(self, buffer: Parameter, use: str) -> None:
        self.require(
            buffer in self.parameters, f"{use} {buffer.name}, which is no parameter of the kernel"
        )
        is_memory = buffer.role in (Role.BUFFER, Role.LOCAL)
        self.require(is_memory, f"{use} {buffer.name}, which is no buffer")

    def _store(self, store: Store) -> None:
        self.place.append(f"store {store.buffer.name}")
        self._buffer(store.buffer, "store to")
        self.require(store.buffer.writable, f"store to {store.buffer.name}, which is read-only")
        self._index(store.at, "address")
        self._typed(store.value, store.buffer.dtype, "stored value")
        if store.mask is not None:
            self._typed(store.mask, dtypes.bool_, "mask")
        self.place.pop()

    def _loop(self, loop: Loop) -> None:
        lanes = loop.kind is not LoopKind.SERIAL
        running = loop.kind is LoopKind.RUNNING
        self.place.append(f"{loop.kind.name.lower()} {loop.variable.name}")
        self.require(not (lanes and self.in_lanes), f"a {loop.kind.name} loop inside lanes")
        self._index(loop.start, "start")
        self._index(loop.stop, "stop")
        for fold in loop.folds:
            self._fold_shape(fold, lanes)
            for carry in fold.carries:
                self._typed(carry.initial, carry.dtype, f"initial value of {carry.name}")
        outer_lanes = self.in_lanes
        scope = self._scope("body")
        self._define(loop.variable)
        self.in_lanes = outer_lanes or lanes
        carries = [carry for fold in loop.folds for carry in fold.carries]
        if running:  # what is added may not depend on the running values
            self._following(loop)
        for carry in carries:
            self.require(carry not in self.carries, f"carry {carry.name} is defined twice")
            self.carries[carry] = False
        self._statements(loop.body)
        if not running:
            self._following(loop)
        self._close(scope, (loop.variable,))
        self.in_lanes = outer_lanes
        for fold in loop.folds:
            if fold.combine is not None:
                self._combine(fold)
        if not running:
            self.carries.update(dict.fromkeys(carries, True))
        self.place.pop()

    def _following(self, loop: Loop) -> None:
        for fold in loop.folds:
            for carry, value in zip(fold.carries, fold.next, strict=True):
                self._typed(value, carry.dtype, f"next value of {carry.name}")

    def _fold_shape(self, fold: Fold, lanes: bool) -> None:
        self.require(bool(fold.carries), "a fold without carries")
        self.require(
            len(fold.carries) == len(fold.next),
            f"{len(fold.carries)} carries with {len(fold.next)} next values",
        )
        self.require(fold.combine is not None or not lanes, "a fold of lanes without combine")

    def _combine(self, fold: Fold) -> None:
        """Check the merging of partial results, which happens after the loop."""
        scope = self._scope("combine")
        left, right = fold_operands(fold, "left"), fold_operands(fold, "right")
        self.operands = {operand.attribute for operand in left + right}
        merged = fold.combine(left, right)
        self.require(
            len(merged) == len(fold.carries),
            f"combine returns {len(merged)} values for {len(fold.carries)} carries",
        )
        for carry, value in zip(fold.carries, merged, strict=True):
            self._typed(value, carry.dtype, f"combined value of {carry.name}")
        # It runs for an empty loop too, where a load moved in front of the loop is masked.
        reads = any(value.instruction is Instruction.LOAD for value in reached(merged))
        self.require(not reads, "combine reads memory")
        self.operands = set()
        self._close(scope)

    def _contract(self, contract: Contract) -> None:
        kernel = self.kernel
        scope = self._scope("contract")
        self.require(
            kernel.body == (contract,) and not kernel.grid.variables,
            "a Contract must stand alone in the body, with an empty grid",
        )
        for problem in tile_problems(contract.tile, contract.left.dtype):
            self.require(False, problem)
        for size in (contract.batches, contract.m, contract.n):
            self._index(size, "size")
        self._define(contract.batch)
        self._index(contract.k, "k")
        self.in_lanes = True
        accumulator = contract.left.dtype
        for line, operand in ((contract.row, contract.left), (contract.column, contract.right)):
            inner = self._scope("operand")
            self._define(line)
            self._define(contract.step)
            self._typed(operand, accumulator, "operand")
            self._close(inner, (line, contract.step))
        self._define(contract.row)
        self._define(contract.column)
        self.accumulator = accumulator
        self._statements(contract.epilogue)
        self.in_lanes = False
        self.accumulator = None
        self._close(scope, (contract.batch, contract.row, contract.column))

    def _multiply(self, multiply: Multiply) -> None:
        self.place.append("multiply")
        self.require(not self.in_lanes, "Multiply inside lanes")
        tile = multiply.tile
        self._buffer(tile, "product into")
        self.require(tile.role is Role.LOCAL, f"product into {tile.name}, which is no local")
        for buffer in (multiply.left, multiply.right):
            self._buffer(buffer, "product of")
            self.require(buffer is not tile, f"product of {tile.name} into itself")
            self.require(
                buffer.dtype.kind is tile.dtype.kind
                and buffer.dtype.itemsize <= tile.dtype.itemsize,
                f"product of {buffer.name} ({buffer.dtype.name}) in {tile.dtype.name}",
            )
        self.require(
            multiply.rows > 0 and 0 < multiply.columns <= multiply.pitch,
            f"tile of {multiply.rows} x {multiply.columns} with pitch {multiply.pitch}",
        )
        self.require(len(multiply.repeats) % 3 == 0, "repeats are a count and two strides each")
        self._result(multiply)
        buffers, places = len(multiply.ahead), len(multiply.ahead_at)
        self.require(4 * buffers == places, f"{buffers} buffers ahead, {places} numbers")
        for buffer in multiply.ahead:
            self._buffer(buffer, "prefetch of")
        for value in multiply.operands:
            self._typed(value, dtypes.bool_ if value is multiply.fresh else INDEX, "operand")
        self.place.pop()

    def _result(self, multiply: Multiply) -> None:
        result = multiply.result
        places = 0 if result is None else 2
        self.require(len(multiply.result_at) == places, "a result has a place and a distance")
        if result is None:
            return
        self._buffer(result, "product to")
        self.require(result.writable, f"product to {result.name}, which is not writable")
        self.require(
            result.dtype is multiply.tile.dtype and result not in (multiply.left, multiply.right),
            f"product of {multiply.tile.dtype.name} to {result.name}",
        )

    def _multiply_words(self, multiply: MultiplyWords) -> None:
        self.place.append("multiply words")
        self.require(not self.in_lanes, "MultiplyWords inside lanes")
        tile, left, right, kind = multiply.tile, multiply.left, multiply.right, multiply.kind
        for buffer in (tile, left, right):
            self._buffer(buffer, "product with")
        self.require(tile.role is Role.LOCAL, f"product into {tile.name}, which is no local")
        self.require(right.dtype is dtypes.uint32, f"{right.name} must be uint32")
        bytes_or_pairs = _WORDS.get(kind)
        self.require(bytes_or_pairs is not None, f"words of {kind.name}")
        self.require(tile.dtype is bytes_or_pairs, f"words of {kind.name} in {tile.dtype.name}")
        self.require(
            _WORDS.get(left.dtype) is bytes_or_pairs, f"{left.dtype.name} by words of {kind.name}"
        )
        self.require(
            multiply.rows > 0 and multiply.columns > 0,
            f"tile of {multiply.rows} x {multiply.columns}",
        )
        for value in multiply.operands:
            self._typed(value, dtypes.bool_ if value is multiply.fresh else INDEX, "operand")
        self.place.pop()

    def _transpose(self, transpose: Transpose) -> None:
        self.place.append("transpose")
        self.require(not self.in_lanes, "Transpose inside lanes")
        target, source = transpose.target, transpose.source
        self._buffer(target, "transpose into")
        self.require(target.role is Role.LOCAL, f"transpose into {target.name}, which is no local")
        self._buffer(source, "transpose of")
        self.require(source is not target, f"transpose of {target.name} into itself")
        self.require(
            source.dtype.kind is target.dtype.kind
            and source.dtype.itemsize <= target.dtype.itemsize,
            f"transpose of {source.name} ({source.dtype.name}) into {target.dtype.name}",
        )
        self.require(
            0 < transpose.columns <= transpose.pitch,
            f"{transpose.columns} columns with pitch {transpose.pitch}",
        )
        for value in transpose.operands:
            self._typed(value, INDEX, "operand")
        self.place.pop()
