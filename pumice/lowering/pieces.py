"""Kernels whose items take many steps, cut into launches that take few.

Software implementations of Vulkan end the loops of an invocation after 65,535 steps in all, without
telling, and the watchdogs of devices end launches that last. So a step that exceeds the target's
limit becomes several: the statements of the kernel are divided among launches, and a loop that is
too long by itself is run a range at a time, its carries resting in memory in between. ::

    grid row < rows:                         grid row < rows:
      loop i < n:  total from 0                store total[row] = 0
        total = add(total, load a[i])        grid row < rows:                       (many times)
        store out[i] = total                   loop i in first .. min(first + range, n):
                                                 total from load total[row] ...
                                               store total[row] = total
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pumice import dtypes
from pumice.errors import UnsupportedOperation
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Fold,
    Instruction,
    Kernel,
    Let,
    Loop,
    LoopKind,
    Parameter,
    Role,
    Statement,
    Store,
    Value,
    index,
    load,
)
from pumice.kernel.rewrite import Rewriter, unchanged
from pumice.kernel.walk import all_statements, postorder, values_of, written_buffers
from pumice.lowering.loops import minimum
from pumice.lowering.steps import Binding, FaultRecord, Memory, Scratch, Step
from pumice.lowering.trips import FOLD_STEPS, Trips
from pumice.target import Target

MOST_LAUNCHES = 1 << 16


def within_limit(steps: Iterable[Step], target: Target) -> list[Step]:
    """Return the same work as launches of which no item takes more steps than the target allows."""
    limit = target.most_steps
    if not limit:
        return list(steps)
    return [piece for step in steps for piece in _cut(step, limit, target)]


def _cut(step: Step, limit: int, target: Target) -> list[Step]:
    if not any(isinstance(each, Loop) for each in all_statements(step.kernel.body)):
        return [step]
    trips = Trips(step, target.lanes)
    if trips.steps(step.kernel.body) <= limit:
        return [step]
    return _Cutting(step, trips, limit, target).run()


class _Cutting:
    """The launches one step becomes."""

    def __init__(self, step: Step, trips: Trips, limit: int, target: Target) -> None:
        self.step = step
        self.kernel = step.kernel
        self.trips = trips
        self.limit = limit
        self.target = target
        self.bindings: dict[Parameter, Binding] = dict(
            zip(step.kernel.parameters, step.bindings, strict=True)
        )
        self.written = written_buffers(step.kernel)
        self.results: dict[Carry, Value] = {}
        self.kept: dict[Value, Value] = {}
        self.done: list[Step] = []
        self.item = self._item()

    def run(self) -> list[Step]:
        """Return the launches."""
        if self.kernel.locals:  # what they hold does not outlive a launch
            raise self._too_long()
        together: list[Statement] = []
        taken = 0
        for place, statement in enumerate(self.kernel.body):
            later = self.kernel.body[place + 1 :]
            steps = self.trips.steps((statement,))
            if taken and taken + steps > self.limit:
                self._emit(together, self.kernel.body[place:])
                together, taken = [], 0
            if steps <= self.limit:
                together.append(statement)
                taken += steps
                continue
            if together:
                self._emit(together, self.kernel.body[place:])
                together, taken = [], 0
            if not isinstance(statement, Loop):
                raise self._too_long()
            self._long_loop(statement, later)
        if together:
            self._emit(together, ())
        return self.done

    def _too_long(self) -> UnsupportedOperation:
        node = self.step.node
        return UnsupportedOperation(
            f"{node.op.name}: one element of a result of shape {list(node.shape)} takes more steps "
            f"in a row than one launch on {self.target.kind.value} may run; use smaller tensors or "
            "the CPU"
        )

    # -- values that outlive a launch -------------------------------------------------------------

    def _item(self) -> Value:
        """Return the number of the grid item."""
        number = index(0)
        grid = self.kernel.grid
        for variable, extent in zip(grid.variables, grid.extents, strict=True):
            number = number * extent + Value(Instruction.VARIABLE, INDEX, (), variable)
        return number

    def _memory(self, dtype: dtypes.DType, name: str) -> Parameter:
        """Return memory that holds one element per item."""
        scratch = Scratch(self.step.items * dtype.itemsize)
        parameter = Parameter(name, Role.BUFFER, dtype, writable=True)
        self.bindings[parameter] = Memory(scratch)
        return parameter

    def _resting(self, value: Value, name: str) -> tuple[Statement, Value]:
        """Return what stores a value for later launches, and what they read."""
        wide = dtypes.int64 not in self.target.unsupported
        place = dtypes.int64 if wide else dtypes.int32
        dtype = place if value.dtype is INDEX else value.dtype
        memory = self._memory(dtype, name)
        return Store(memory, self.item, value.cast(dtype)), load(memory, self.item).cast(
            value.dtype
        )

    def _rewriter(self) -> Rewriter:
        """Return what replaces values of earlier launches by where they rest."""

        def known(value: Value) -> Value:
            if value.instruction is Instruction.RESULT:
                return self.results.get(value.attribute, value)
            return value

        rewriter = Rewriter(known)
        rewriter.values.update(self.kept)
        return rewriter

    def _emit(self, statements: Sequence[Statement], later: Sequence[Statement]) -> None:
        """Add the launch of some statements, which keeps what later ones need of them."""
        rewriter = self._rewriter()
        body = list(rewriter.body(tuple(statements)))
        needed = _values(later)
        wanted = {value.attribute for value in needed if value.instruction is Instruction.RESULT}
        for statement in statements:
            if isinstance(statement, Loop):
                for carry in _carries(statement):
                    if carry in wanted:
                        own = Value(Instruction.RESULT, carry.dtype, (), carry)
                        store, self.results[carry] = self._resting(rewriter.value(own), carry.name)
                        body.append(store)
                continue
            for value in _values((statement,)):
                moved = value.instruction is Instruction.LOAD and value.attribute in self.written
                if moved and value in needed and value not in self.kept:
                    store, self.kept[value] = self._resting(rewriter.value(value), "kept")
                    body.append(store)
        self._launch(tuple(body))

    def _launch(self, body: tuple[Statement, ...]) -> None:
        self.done.append(self._made(body))

    def _made(self, body: tuple[Statement, ...]) -> Step:
        """Return the step that runs some statements, with the parameters those need."""
        kernel = self.kernel
        used = {
            value.attribute
            for value in (*_values(body), *_values((), kernel.grid.extents))
            if isinstance(value.attribute, Parameter)
        }
        faults = any(value.instruction is Instruction.CHECKED for value in _values(body))
        stored = {each.buffer for each in all_statements(body) if isinstance(each, Store)}
        parameters = tuple(
            parameter
            for parameter, binding in self.bindings.items()
            if parameter in used
            or parameter in stored
            or (faults and isinstance(binding, FaultRecord))
        )
        # The fault record is the last one of any kernel.
        parameters = tuple(
            sorted(parameters, key=lambda each: isinstance(self.bindings[each], FaultRecord))
        )
        bindings = tuple(self.bindings[each] for each in parameters)
        writes = tuple(
            binding.owner
            for parameter, binding in zip(parameters, bindings, strict=True)
            if parameter in stored and isinstance(binding, Memory)
        )
        return replace(
            self.step,
            kernel=Kernel(parameters, kernel.grid, body, faults),
            bindings=bindings,
            writes=writes,
            suspects=self.step.suspects if faults else (),
        )

    # -- long loops -------------------------------------------------------------------------------

    def _long_loop(self, loop: Loop, later: Sequence[Statement]) -> None:
        """Run a loop a range at a time."""
        inside = self.trips.inside(loop)
        most = self.limit - FOLD_STEPS - 1
        if inside > most:
            self._one_at_a_time(loop)
            return
        loop = self._begun(loop)
        reach = most // inside
        if loop.kind is LoopKind.LANES:
            reach *= self.target.lanes
        _, extent = self.trips.extents(loop)
        self._check_count(-(-extent // reach))
        first = Parameter("first", Role.INDEX, INDEX)
        width = Parameter("range", Role.INDEX, INDEX)
        self.bindings[first], self.bindings[width] = 0, reach
        begin = loop.start + Value(Instruction.PARAMETER, INDEX, (), first)
        end = minimum(begin + Value(Instruction.PARAMETER, INDEX, (), width), loop.stop)
        piece = self._made(self._range(loop, begin, end))
        self.done += [rebound(piece, first, done) for done in range(0, extent, reach)]

    def _check_count(self, launches: int) -> None:
        if launches > MOST_LAUNCHES:
            raise self._too_long()

    def _begun(self, loop: Loop) -> Loop:
        """Add the launch that stores the initial carries; return the loop in terms of memory."""
        body: list[Statement] = []
        (rewritten,) = self._rewriter().body((loop,))
        assert isinstance(rewritten, Loop)
        for old, new in zip(_carries(loop), _carries(rewritten), strict=True):
            store, self.results[old] = self._resting(new.initial, old.name)
            self.results[new] = self.results[old]
            body.append(store)
        if body:
            self._launch(tuple(body))
        return rewritten

    def _range(self, loop: Loop, begin: Value, end: Value) -> tuple[Statement, ...]:
        """Return the statements that run a range of a loop and leave its carries in memory."""
        if loop.kind is LoopKind.LANES:
            part = Loop(loop.variable, begin, end, loop.kind, loop.body, loop.folds)
            merged = []
            for fold in loop.folds:
                before = tuple(self.results[carry] for carry in fold.carries)
                merged += fold.combine(before, tuple(carry.result for carry in fold.carries))
            before_all = tuple(Let(self.results[carry]) for carry in _carries(loop))
            return (part, *before_all, *self._stores(loop, merged))
        resumed = Rewriter(unchanged)
        for carry in _carries(loop):
            resumed.carries[carry] = Carry(carry.name, carry.dtype, self.results[carry])
        part = Loop(
            loop.variable,
            begin,
            end,
            loop.kind,
            resumed.body(loop.body),
            tuple(
                Fold(
                    tuple(resumed.carries[carry] for carry in fold.carries),
                    tuple(resumed.value(value) for value in fold.next),
                )
                for fold in loop.folds
            ),
        )
        return (part, *self._stores(loop, [carry.result for carry in _carries(part)]))

    def _stores(
        self, loop: Loop, values: Sequence[Value], mask: Value | None = None
    ) -> tuple[Statement, ...]:
        stores = []
        for carry, value in zip(_carries(loop), values, strict=True):
            resting = self.results[carry]
            while resting.instruction is Instruction.CAST:
                (resting,) = resting.arguments
            stores.append(Store(resting.attribute, self.item, value.cast(resting.dtype), mask))
        return tuple(stores)

    def _one_at_a_time(self, loop: Loop) -> None:
        """Run each iteration of a loop as launches of its own, which are cut in turn.

        Items whose loop is shorter run its last iteration again, and keep nothing of it.
        """
        fewest, most = self.trips.extents(loop)
        stores = any(isinstance(each, Store) for each in all_statements(loop.body))
        if loop.kind is LoopKind.LANES or (fewest < most and (stores or not fewest)):
            raise self._too_long()
        loop = self._begun(loop)
        number = Parameter("number", Role.INDEX, INDEX)
        self.bindings[number] = 0
        here = loop.start + Value(Instruction.PARAMETER, INDEX, (), number)
        mask = None
        if fewest < most:
            mask = here < loop.stop
            here = minimum(here, loop.stop - 1)
        carries = _carries(loop)

        def replaced(value: Value) -> Value:
            if value.instruction is Instruction.VARIABLE and value.attribute is loop.variable:
                return here
            if value.instruction is Instruction.CARRIED and value.attribute in carries:
                return self.results[value.attribute]
            return value

        rewriter = Rewriter(replaced)
        body = rewriter.body(loop.body)
        following = [rewriter.value(value) for fold in loop.folds for value in fold.next]
        lets = tuple(Let(value) for value in following)
        iteration = self._made((*body, *lets, *self._stores(loop, following, mask)))
        pieces: list[Step] = []
        for each in range(most):
            pieces += _cut(rebound(iteration, number, each), self.limit, self.target)
            self._check_count(len(pieces))
        self.done += pieces


def rebound(step: Step, parameter: Parameter, number: int) -> Step:
    """Return a step with another number for a parameter."""
    bindings = tuple(
        number if each is parameter else binding
        for each, binding in zip(step.kernel.parameters, step.bindings, strict=True)
    )
    return replace(step, bindings=bindings)


def _carries(loop: Loop) -> list[Carry]:
    return [carry for fold in loop.folds for carry in fold.carries]


def _values(body: Iterable[Statement], roots: Iterable[Value] = ()) -> dict[Value, None]:
    """Return all values of some statements and those inside them, and of some more roots."""
    known: dict[Value, None] = {}
    every = [value for each in all_statements(tuple(body)) for value in values_of(each)]
    for root in (*every, *roots):
        for value in postorder(root, known):
            known[value] = None
    return known
