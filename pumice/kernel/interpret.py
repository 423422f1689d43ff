"""The reference semantics of kernels: a plain interpreter on NumPy arrays.

Grid items run in lockstep: a `Frame` holds one array element per item ("lane"). Where items part
ways (an `If`, loops of different length) a child frame holds the lanes that go on. This is right
because items are independent; it is what makes the interpreter usable on real sizes.

A load or store outside its buffer is an error here, so the interpreter is also a check of
addresses.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pumice.errors import InternalError
from pumice.kernel.arithmetic import Array, evaluate, number, numpy_dtype
from pumice.kernel.fold_lanes import joined_lanes, running_values
from pumice.kernel.frame import Frame, Lanes, narrowed
from pumice.kernel.ir import (
    RUNNING_GROUP,
    Carry,
    Contract,
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
from pumice.kernel.walk import LEAVES, all_values, multiply_parts, postorder

_ELEMENTS = 1 << 24
"""Array elements all values of one frame may take together, which bounds the memory used."""

_ITEM = object()
"""What each lane's grid item is bound to: locals of the items lie one after the other."""


def interpret_kernel(kernel: Kernel, arguments: Sequence[Any], lanes: int = 32) -> None:
    """Run a kernel.

    Parameters
    ----------
    kernel : Kernel
        What to run.
    arguments : sequence
        One per parameter: a flat array for a BUFFER (written in place), an int for an INDEX, a
        number for a SCALAR.
    lanes : int
        Virtual lanes of LANES loops, a power of two; decides the shape of their folds.
    """
    if lanes & (lanes - 1) or lanes < 1:
        raise InternalError(f"interpret_kernel: {lanes} lanes are not a power of two")
    if len(arguments) != len(kernel.parameters):
        raise InternalError(
            f"interpret_kernel: {len(arguments)} arguments for {len(kernel.parameters)} parameters"
        )
    with np.errstate(all="ignore"):
        _Interpreter(kernel, arguments, lanes).run()


class _Interpreter:
    """One run of one kernel."""

    def __init__(self, kernel: Kernel, arguments: Sequence[Any], lanes: int) -> None:
        self.kernel = kernel
        self.lanes = lanes
        self.buffers: dict[Parameter, Array] = {}
        self.root = Frame(1)
        for parameter, argument in zip(kernel.parameters, arguments, strict=True):
            self._bind(parameter, argument)
        count = sum(1 for _ in all_values(kernel)) + 1
        self.limit = min(max(_ELEMENTS // count, 1024), 1 << 18)
        largest = max((local.extent for local in kernel.locals), default=1)
        self.most_items = max(_ELEMENTS // largest, 1)

    def _bind(self, parameter: Parameter, argument: Any) -> None:
        expected = numpy_dtype(parameter.dtype)
        if parameter.role is not Role.BUFFER:
            value = np.asarray(argument).astype(expected)
            self.root.bindings[Instruction.PARAMETER, parameter] = value
            return
        if not isinstance(argument, np.ndarray) or argument.ndim != 1:
            raise InternalError(f"interpret_kernel: {parameter.name} must be a flat array")
        if argument.dtype != expected:
            raise InternalError(
                f"interpret_kernel: {parameter.name} holds {expected}, got {argument.dtype}"
            )
        self.buffers[parameter] = argument

    def run(self) -> None:
        extents = [int(self.value(self.root, extent)) for extent in self.kernel.grid.extents]
        total = int(np.prod(extents, dtype=object)) if extents else 1
        step = max(min(self.limit // self.lanes, self.most_items), 1)
        for first in range(0, total, step):
            items = np.arange(first, min(first + step, total))
            frame = Frame(len(items), self.root, np.zeros(len(items), np.int64))
            positions = np.unravel_index(items, extents) if extents else ()
            for variable, position in zip(self.kernel.grid.variables, positions, strict=True):
                frame.bindings[Instruction.VARIABLE, variable] = position
            frame.bindings[Instruction.VARIABLE, _ITEM] = np.arange(len(items))
            for local in self.kernel.locals:
                # Not zeros: reading what was never written should show.
                fresh = np.full(len(items) * local.extent, 77).astype(numpy_dtype(local.dtype))
                self.buffers[local] = fresh
            self.body(frame, self.kernel.body)

    # -- values ---------------------------------------------------------------------------------

    def value(self, frame: Frame, root: Value) -> Array:
        """Evaluate an expression; each value once in the scope that first needs it."""
        for value in postorder(root, frame):
            frame.values[value] = self._compute(frame, value)
        return frame.values[root]

    def _compute(self, frame: Frame, value: Value) -> Array:
        instruction = value.instruction
        if instruction is Instruction.CONSTANT:
            return number(value.attribute, value.dtype)
        if instruction in LEAVES:
            return frame.binding(instruction, value.attribute)
        operands = [frame.values[operand] for operand in value.arguments]
        if instruction is Instruction.LOAD:
            return self._load(frame, value.attribute, operands)
        if instruction is Instruction.CHECKED:
            self._check(frame, value, operands)
            return operands[0]
        return np.asarray(evaluate(instruction, value.dtype, operands, value.arguments[0].dtype))

    def _addresses(self, frame: Frame, buffer: Parameter, at: Array, active: Array | None) -> Array:
        is_local = buffer.role is Role.LOCAL
        size = buffer.extent if is_local else self.buffers[buffer].size
        wrong = (at < 0) | (at >= size)
        if active is not None:
            wrong = wrong & active
        if wrong.any():
            bad = np.broadcast_to(at, wrong.shape)[wrong].flat[0]
            raise InternalError(
                f"interpret_kernel: element {bad} of buffer {buffer.name}, which has {size}"
            )
        at = at if active is None else np.where(active, at, 0)
        if is_local:
            at = at + frame.binding(Instruction.VARIABLE, _ITEM) * buffer.extent
        return at

    def _load(self, frame: Frame, buffer: Parameter, operands: list[Array]) -> Array:
        data = self.buffers[buffer]
        if len(operands) == 1:
            return np.asarray(data[self._addresses(frame, buffer, operands[0], None)])
        at, mask = operands
        result = np.zeros(np.broadcast_shapes(at.shape, mask.shape), data.dtype)
        at = self._addresses(frame, buffer, at, mask)
        if mask.any():
            result = np.where(mask, data[at], result)
        return result

    def _check(self, frame: Frame, value: Value, operands: list[Array]) -> None:
        condition = frame.spread(operands[1])
        if not condition.any():
            return
        faults = self.buffers[self.kernel.parameters[-1]]
        if faults[0] == 0:
            offending = frame.spread(operands[0])[int(np.argmax(condition))]
            faults[0] = value.attribute.value
            faults[1] = int(np.asarray(offending).astype(np.int64))

    # -- statements -----------------------------------------------------------------------------

    def body(self, frame: Frame, body: tuple[Statement, ...]) -> None:
        for statement in body:
            match statement:
                case Let(value=value):
                    self.value(frame, value)
                case Store():
                    self._store(frame, statement)
                case Loop(kind=LoopKind.SERIAL):
                    self._serial(frame, statement)
                case Loop(kind=LoopKind.RUNNING):
                    self._running(frame, statement)
                case Loop():
                    self._vector(frame, statement)
                case If(condition=condition, body=inner):
                    chosen = frame.spread(self.value(frame, condition))
                    child = narrowed(frame, chosen)
                    if child is not None:
                        self.body(child, inner)
                case Contract():
                    self._contract(frame, statement)
                case Multiply():
                    self._multiply(frame, statement)
                case MultiplyWords():
                    self._multiply_words(frame, statement)
                case Transpose():
                    self._transpose(frame, statement)
                case Prefetch():
                    pass
                case _:
                    raise InternalError(f"interpret_kernel: unknown statement {statement!r}")

    def _store(self, frame: Frame, store: Store) -> None:
        at = frame.spread(self.value(frame, store.at))
        value = frame.spread(self.value(frame, store.value))
        if store.mask is None:
            at = self._addresses(frame, store.buffer, at, None)
        else:
            active = frame.spread(self.value(frame, store.mask))
            at = self._addresses(frame, store.buffer, at, active)[active]
            value = value[active]
        self.buffers[store.buffer][at] = value

    def _bounds(self, frame: Frame, loop: Loop) -> tuple[Lanes, Lanes]:
        start = frame.spread(self.value(frame, loop.start))
        return start, frame.spread(self.value(frame, loop.stop))

    def _initials(self, frame: Frame, loop: Loop) -> dict[Carry, Array]:
        return {
            carry: frame.spread(self.value(frame, carry.initial)).copy()
            for fold in loop.folds
            for carry in fold.carries
        }

    def _steps(
        self,
        frame: Frame,
        loop: Loop,
        start: Lanes,
        stop: Lanes,
        stride: int,
        state: dict[Carry, Array],
    ) -> None:
        """Run iterations ``start, start + stride ...`` of every lane, updating the state."""
        longest = int((stop - start).max(initial=0))
        for step in range(0, longest, stride):
            variable = start + step
            child = narrowed(frame, variable < stop)
            if child is None:
                break
            child.bindings[Instruction.VARIABLE, loop.variable] = child._taken(variable)
            for carry, now in state.items():
                child.bindings[Instruction.CARRIED, carry] = child._taken(now)
            self.body(child, loop.body)
            following = [
                (carry, child.spread(self.value(child, value)))
                for fold in loop.folds
                for carry, value in zip(fold.carries, fold.next, strict=True)
            ]
            for carry, array in following:
                if child.selection is None:
                    state[carry] = array.copy()
                else:
                    state[carry][child.selection] = array

    def _serial(self, frame: Frame, loop: Loop) -> None:
        start, stop = self._bounds(frame, loop)
        state = self._initials(frame, loop)
        self._steps(frame, loop, start, stop, 1, state)
        for carry, final in state.items():
            frame.bindings[Instruction.RESULT, carry] = final

    def _vector(self, frame: Frame, loop: Loop) -> None:
        """Run a LANES loop: every lane of the frame becomes `width` virtual lanes."""
        start, stop = self._bounds(frame, loop)
        width = self.lanes
        if not loop.folds:
            longest = int((stop - start).max(initial=0))
            width = max(min(self.limit // frame.size, longest), 1)
        state = self._initials(frame, loop)
        wide = Frame(frame.size * width, frame, np.repeat(np.arange(frame.size), width))
        offsets = np.tile(np.arange(width), frame.size)
        wide_state = {carry: wide._taken(initial).copy() for carry, initial in state.items()}
        self._steps(wide, loop, wide._taken(start) + offsets, wide._taken(stop), width, wide_state)
        for fold in loop.folds:
            parts = [wide_state[carry].reshape(frame.size, width) for carry in fold.carries]
            for carry, part in zip(
                fold.carries, joined_lanes(self.value, frame, fold, parts), strict=True
            ):
                frame.bindings[Instruction.RESULT, carry] = part.reshape(-1)

    def _running(self, frame: Frame, loop: Loop) -> None:
        """Run a RUNNING loop, a group of iterations of every lane of the frame at a time."""
        start, stop = self._bounds(frame, loop)
        state = self._initials(frame, loop)
        count = RUNNING_GROUP
        wide = Frame(frame.size * count, frame, np.repeat(np.arange(frame.size), count))
        offsets = np.tile(np.arange(count), frame.size)
        for first in range(0, int((stop - start).max(initial=0)), count):
            variable = wide._taken(start) + offsets + first
            child = narrowed(wide, variable < wide._taken(stop))
            if child is None:
                break
            child.bindings[Instruction.VARIABLE, loop.variable] = child._taken(variable)
            for fold in loop.folds:
                parts = []
                for carry, value in zip(fold.carries, fold.next, strict=True):
                    part = np.zeros(wide.size, numpy_dtype(carry.dtype))
                    part[... if child.selection is None else child.selection] = self.value(
                        child, value
                    )
                    parts.append(part.reshape(frame.size, count))
                before = [state[carry][:, None] for carry in fold.carries]
                running = running_values(self.value, frame, fold, before, parts)
                for carry, part in zip(fold.carries, running, strict=True):
                    state[carry] = part[:, -1].copy()
                    child.bindings[Instruction.CARRIED, carry] = child._taken(part.reshape(-1))
            self.body(child, loop.body)

    def _contract(self, frame: Frame, contract: Contract) -> None:
        batches, m, n = (
            int(self.value(frame, size).reshape(-1)[0])
            for size in (contract.batches, contract.m, contract.n)
        )
        kind = numpy_dtype(contract.left.dtype)
        for batch in range(batches):
            child = Frame(1, frame, np.zeros(1, np.int64))
            child.bindings[Instruction.VARIABLE, contract.batch] = np.array([batch])
            k = int(child.spread(self.value(child, contract.k))[0])
            left = self._operand(child, contract.left, (contract.row, m), (contract.step, k))
            right = self._operand(child, contract.right, (contract.step, k), (contract.column, n))
            product = np.zeros((m, n), kind)
            for step in range(k):
                product = product + left[:, step, None] * right[step]
            places = (contract.row, m), (contract.column, n)
            for part, items in self._spread_over(child, *places):
                part.bindings[Instruction.ACCUMULATOR, None] = product.reshape(-1)[items]
                self.body(part, contract.epilogue)

    def _operand(
        self, frame: Frame, value: Value, first: tuple[Variable, int], second: tuple[Variable, int]
    ) -> Array:
        """Evaluate an operand of a product for all values of two variables."""
        found = [np.zeros(0, numpy_dtype(value.dtype))]
        for part, _ in self._spread_over(frame, first, second):
            found.append(part.spread(self.value(part, value)))
        return np.concatenate(found).reshape(first[1], second[1])

    def _spread_over(
        self, frame: Frame, first: tuple[Variable, int], second: tuple[Variable, int]
    ) -> Iterator[tuple[Frame, Array]]:
        """Yield frames that cover all values of two variables, and which of them they hold."""
        extents = (first[1], second[1])
        total = extents[0] * extents[1]
        for start in range(0, total, self.limit):
            items = np.arange(start, min(start + self.limit, total))
            child = Frame(len(items), frame, np.zeros(len(items), np.int64))
            places = np.unravel_index(items, extents)
            for (variable, _), place in zip((first, second), places, strict=True):
                child.bindings[Instruction.VARIABLE, variable] = place
            yield child, items

    def _multiply(self, frame: Frame, multiply: Multiply) -> None:
        values = [frame.spread(self.value(frame, value))[:, None] for value in multiply.operands]
        split, result, last = multiply_parts(multiply)
        at, fresh, left_at, left_row, left_step, right_at, right_step, depth, *width = values[
            :split
        ]
        rows, columns = np.arange(multiply.rows), np.arange(multiply.columns)
        kind = numpy_dtype(multiply.tile.dtype)
        places = (at + rows * multiply.pitch)[:, :, None] + columns
        places = self._addresses(frame, multiply.tile, places.reshape(frame.size, -1).T, None).T
        tile = self.buffers[multiply.tile]
        total = np.where(fresh, kind.type(0), tile[places])
        inside = columns < (width[0] if width else multiply.columns)
        # Outermost first, the run of p last.
        loops = [tuple(values[first : first + 3]) for first in range(split, result, 3)]
        loops.append((depth, left_step, right_step))
        for steps in np.ndindex(*(int(count.max(initial=0)) for count, _, _ in loops)):
            running = np.ones_like(fresh, dtype=bool)
            left_place, right_place = left_at + rows * left_row, right_at + columns
            for step, (count, left_stride, right_stride) in zip(steps, loops, strict=True):
                running = running & (step < count)
                left_place = left_place + step * left_stride
                right_place = right_place + step * right_stride
            left = self._part(frame, multiply.left, left_place, running)
            right = self._part(frame, multiply.right, right_place, running & inside)
            product = left.astype(kind)[:, :, None] * right.astype(kind)[:, None, :]
            total = total + product.reshape(frame.size, -1)
        if multiply.result is not None:
            at, row = values[result:last]
            tile, places = self.buffers[multiply.result], (at + rows * row)[:, :, None] + columns
            places = places.reshape(frame.size, -1)
            places = self._addresses(frame, multiply.result, places.T, None).T
        tile[places] = total

    def _multiply_words(self, frame: Frame, multiply: MultiplyWords) -> None:
        at, fresh, left_at, row, right_at, depth = (
            frame.spread(self.value(frame, value))[:, None] for value in multiply.operands
        )
        rows, columns = np.arange(multiply.rows), np.arange(multiply.columns)
        places = at + np.arange(multiply.rows * multiply.columns)
        places = self._addresses(frame, multiply.tile, places.T, None).T
        tile = self.buffers[multiply.tile]
        kind, element = tile.dtype, numpy_dtype(multiply.kind)
        total = np.where(fresh, kind.type(0), tile[places]).reshape(frame.size, len(rows), -1)
        group = 4 // multiply.kind.itemsize
        for step in range(int(depth.max(initial=0))):
            running = step < depth
            words = self._part(
                frame, multiply.right, right_at + step * len(columns) + columns, running
            )
            elements = np.ascontiguousarray(words, "<u4").view(element).astype(kind)
            for place in range(group):
                left_place = left_at + rows * row + group * step + place
                left = self._part(frame, multiply.left, left_place, running).astype(kind)
                total = total + left[:, :, None] * elements[:, None, place::group]
        tile[places] = total.reshape(frame.size, -1)

    def _transpose(self, frame: Frame, transpose: Transpose) -> None:
        at, source_at, row, depth, *width = (
            frame.spread(self.value(frame, value))[:, None] for value in transpose.operands
        )
        columns = np.arange(transpose.columns)
        inside = columns < (width[0] if width else transpose.columns)
        kind = numpy_dtype(transpose.target.dtype)
        for step in range(int(depth.max(initial=0))):
            running = np.broadcast_to(step < depth, (frame.size, transpose.columns))
            moved = self._part(
                frame, transpose.source, source_at + columns * row + step, running & inside
            )
            places = at + step * transpose.pitch + columns
            places = self._addresses(frame, transpose.target, places.T, running.T).T
            self.buffers[transpose.target][places[running]] = moved.astype(kind)[running]

    def _part(self, frame: Frame, buffer: Parameter, at: Array, active: Array) -> Array:
        """Read one vector of an operand for each lane; what is not active counts as 0."""
        active = np.broadcast_to(active, at.shape)
        found = self.buffers[buffer][self._addresses(frame, buffer, at.T, active.T).T]
        return np.where(active, found, found.dtype.type(0))
