"""Captures of one function, compared with each other and replayed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pumice.engine.compiled import lines_of, plan_of, run
from pumice.engine.execute import kept_lines, run_plan
from pumice.engine.faults import LineOf
from pumice.engine.keys import Walk
from pumice.engine.plan import Plan, number_bits
from pumice.engine.realize import realize
from pumice.errors import InvalidArgument, describe
from pumice.graph import build, recording
from pumice.graph.node import Node, Storage, filled_node, gradient_mode
from pumice.ops import structure
from pumice.schedule.sources import resolve
from pumice.tensor.capture import Capture, Guard, Leaf, Watched
from pumice.tensor.core import Cell, TensorBase, wrap_filled
from pumice.tensor.quick import Quick
from pumice.tensor.replaced import replaced
from pumice.tensor.returned import Result, results_of, same_results, tensors_of
from pumice.tensor.structure import flatten, unflatten

MAXIMUM_TRACES = 8


@dataclass(frozen=True, slots=True)
class Argument:
    """Source of a plan input: the cell of an argument."""

    number: int


@dataclass(frozen=True, slots=True, eq=False)
class GradientOf:
    """Source of a plan input: the cell of a tensor's ``grad``."""

    tensor: TensorBase


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """Source of a plan input: memory that never changes (a tensor made from Python data)."""

    storage: Storage


Source = Argument | GradientOf | Fixed | Cell


@dataclass(slots=True, eq=False)
class Trace:
    """One capture: the plan it takes, and where its memory and numbers come from and go to."""

    guards: list[Guard]
    gradients_present: list[tuple[TensorBase, bool]]
    objects: list[Watched]
    leaves: list[Leaf]
    plan: Plan
    key: Any
    sources: list[Source]
    constants: list[Any]
    number_lines: list[Any]
    line_of: LineOf | None
    draws: dict[int, tuple[Any, int | None]]  # see `_random_constants`
    draw_counts: dict[Any, int]
    options: dict[int, Callable[[], float]]  # numbers that each run asks for
    written: list[Source]
    gradients: list[tuple[TensorBase, int | None]]  # index into wanted, None for no gradient
    outputs: Any
    results: list[Result] | None
    replaced: int  # when the function began
    bits: list[int] = field(init=False)
    gradient_count: int = field(init=False)

    def __post_init__(self) -> None:
        self.gradient_count = sum(place is not None for _, place in self.gradients)
        self.bits = [
            number_bits(value, dtype)
            for value, (_, _, dtype) in zip(self.constants, self.plan.numbers, strict=True)
        ]

    def same_as(self, other: Trace) -> bool:
        """Tell whether two runs of the function did the same."""
        return (
            self.key == other.key
            and _same_sources(self.sources, other.sources)
            and _same_sources(self.written, other.written)
            and self.outputs == other.outputs
            and same_results(self.results, other.results, _same_source)
            and self.options.keys() == other.options.keys()
            and len(self.gradients) == len(other.gradients)
            and all(
                mine[0] is theirs[0] and mine[1] == theirs[1]
                for mine, theirs in zip(self.gradients, other.gradients, strict=True)
            )
            and self.changed_constant(other) is None
        )

    def changed_constant(self, other: Trace) -> int | None:
        """Return the first number that differs, those that each run sets left out."""
        for place, (mine, theirs) in enumerate(zip(self.constants, other.constants, strict=True)):
            if place not in self.draws and place not in self.options and repr(mine) != repr(theirs):
                return place
        return None


def _same_sources(first: list[Source], second: list[Source]) -> bool:
    return len(first) == len(second) and all(
        _same_source(mine, theirs) for mine, theirs in zip(first, second, strict=True)
    )


def _same_source(first: Source, second: Source) -> bool:
    match first, second:
        case Argument(), Argument():
            return first == second
        case GradientOf(), GradientOf():
            return first.tensor is second.tensor
        case Fixed(), Fixed():
            return True
        case _:
            return first is second


class Program:
    """The captures of one function for one kind of arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.previous: Trace | None = None
        self.ready: Trace | None = None
        self.quick: Quick | None = None
        self.traces = 0
        self.running = False
        self.changes_options = False

    def call(self, structure_: Any, tensors: list[TensorBase]) -> Any:
        """Run the function, by replay when it is known what it does."""
        if self.ready is not None:
            if _still_valid(self.ready):
                return self._replay(self.ready, tensors)
            self.running = self.running or not _holds(self.ready)
            self.ready = self.previous = self.quick = None
            self.traces = 0
        elif self.previous is not None and not _is_undisturbed(self.previous, leaves=True):
            # What somebody changed in between tells nothing of what the function does by itself.
            self.previous, self.traces = None, 0
        elif self.previous is not None and not self.changes_options and not _holds(self.previous):
            # Options that change from call to call may be numbers of each run; others are
            # captured anew, however often.
            self.running, self.traces = True, 0
        trace, result = self._trace(structure_, tensors)
        # A replay would leave the options as they are.
        self.changes_options = not _holds(trace) or any(
            number_bits(current(), trace.plan.numbers[place][2]) != trace.bits[place]
            for place, current in trace.options.items()
        )
        is_known = self.previous is not None and trace.same_as(self.previous)
        if is_known and not self.changes_options:
            self.ready = trace
            self.quick = Quick.of(trace, structure_, tensors)
        self.traces += 1
        if self.ready is None and self.traces >= MAXIMUM_TRACES:
            raise InvalidArgument(describe("jit", self._complaint(trace)))
        self.previous = trace
        return result

    def _complaint(self, trace: Trace) -> str:
        previous = self.previous
        where = ""
        if previous is not None and previous.key == trace.key:
            place = trace.changed_constant(previous)
            if place is not None:
                line = trace.number_lines[place]
                at = f" made at {line[0]}:{line[1]}" if line else ""
                where = (
                    f": a number{at} was {previous.constants[place]!r} in one call and "
                    f"{trace.constants[place]!r} in the next"
                )
        if self.changes_options:
            where = ": it changes options of an optimizer that it steps"
        if previous is not None and _presence(previous) != _presence(trace):
            where = (
                ": gradients were None in one call and not in the next "
                "(zero_grad(set_to_none=False) keeps them)"
            )
        return (
            f"the function did something else in each of {self.traces} calls{where}; "
            "keep what changes in tensors, or leave it outside jit"
        )

    # -- capturing --------------------------------------------------------------------------------

    def _trace(self, structure_: Any, tensors: list[TensorBase]) -> tuple[Trace, Any]:
        capture = Capture(running=self.running)
        for tensor in tensors:
            capture.read(tensor._cell)
        token = recording.active.set(capture)
        try:
            arguments, keywords = unflatten(structure_, tensors)
            result = self.function(*arguments, **keywords)
        finally:
            recording.active.reset(token)
        replaced.see(capture.initial, tensors)
        returned: list[TensorBase] = []
        outputs = flatten(result, returned)
        return self._describe(capture, tensors, returned, outputs), result

    def _describe(
        self,
        capture: Capture,
        tensors: list[TensorBase],
        returned: list[TensorBase],
        outputs: Any,
    ) -> Trace:
        names = _cell_names(capture, tensors)
        # A gradient is replaced by the function, so nothing returned aliases it for long.
        homes = {cell: at for cell, at in names.items() if not isinstance(at, GradientOf)}
        wanted, results = results_of(returned, homes, _computed)
        if not capture.gradients_written:
            for tensor in returned:
                _refuse_graph(tensor.node)
        written = [names[cell] for cell in capture.written]
        wanted += [_computed(cell.node) for cell in capture.written]
        gradients: list[tuple[TensorBase, int | None]] = []
        for tensor in capture.gradients_written:
            gradient = tensor._grad
            if gradient is None:
                gradients.append((tensor, None))
            else:
                gradients.append((tensor, len(wanted)))
                wanted.append(_computed(gradient.node))
        walk = Walk(wanted)
        order = walk.order
        plan, key = plan_of(walk, wanted)
        sources = [_source_of(order[place], capture, names) for place in plan.inputs]
        numbers = [order[place] for _, place, _ in plan.numbers]
        draws, draw_counts = _random_constants(capture, numbers)
        # A view of a constant has a node of its own, but the same number.
        options = {id(node.argument): current for node, current in capture.numbers}
        run(plan, order, wanted)
        presence = [
            (tensor, gradient is not None) for tensor, gradient in capture.gradients_read.items()
        ]
        return Trace(
            capture.guards,
            presence,
            capture.objects(),
            capture.leaves(tensors),
            plan,
            key,
            sources,
            [node.argument.value for node in numbers],
            [node.line for node in numbers],
            kept_lines(plan, lines_of(order)),
            draws,
            draw_counts,
            {
                place: options[id(node.argument)]
                for place, node in enumerate(numbers)
                if id(node.argument) in options
            },
            written,
            gradients,
            outputs,
            results,
            capture.replaced,
        )

    # -- replaying --------------------------------------------------------------------------------

    def _replay(self, trace: Trace, tensors: list[TensorBase]) -> Any:
        storages = [_storage(source, tensors) for source in trace.sources]
        numbers = trace.bits
        if trace.draw_counts or trace.options:
            numbers = _of_this_run(trace)
        plan = trace.plan
        results = run_plan(plan, storages, numbers, trace.line_of)
        nodes = [
            filled_node(structure.BUFFER, storage, dtype, shape)
            for storage, (dtype, shape) in zip(results, plan.result_types, strict=True)
        ]
        count = len(nodes) - len(trace.written) - trace.gradient_count
        for source, node in zip(trace.written, nodes[count:], strict=False):
            _cell_of(source, tensors).node = node
        for tensor, position in trace.gradients:
            tensor._grad = None if position is None else wrap_filled(nodes[position])
        found = tensors_of(trace.results, nodes[:count], lambda at: _cell_of(at, tensors))
        return unflatten(trace.outputs, found)


def _of_this_run(trace: Trace) -> list[int]:
    """Return the bits of a trace's numbers, with new positions of its generators, and options."""
    numbers = list(trace.bits)
    starts = {generator: generator.draw(count) for generator, count in trace.draw_counts.items()}
    for place, (generator, relative) in trace.draws.items():
        seed, first = starts[generator]
        value = seed if relative is None else first + relative
        numbers[place] = number_bits(value, trace.plan.numbers[place][2])
    for place, current in trace.options.items():
        numbers[place] = number_bits(current(), trace.plan.numbers[place][2])
    return numbers


def _computed(node: Node) -> Node:
    """Return what a plan computes for a result; results that exist already are copied."""
    source = resolve(node)
    if source.value is None:
        return source
    token = gradient_mode.set(False)
    try:
        return build.copy(source)
    finally:
        gradient_mode.reset(token)


def _random_constants(
    capture: Capture, numbers: list[Node]
) -> tuple[dict[int, tuple[Any, int | None]], dict[Any, int]]:
    """Return which numbers come from generators, and how many draws each generator made.

    A number is a generator's seed (None) or the number of one of its draws (which one).
    """
    places: dict[Node, list[int]] = {}  # a number may be read by several kernels
    for place, node in enumerate(numbers):
        places.setdefault(node, []).append(place)
    found: dict[int, tuple[Any, int | None]] = {}
    counts: dict[Any, int] = {}
    for generator, seed, number in capture.draws:
        which = counts.get(generator, 0)
        counts[generator] = which + 1
        found.update((place, (generator, None)) for place in places.get(seed, ()))
        found.update((place, (generator, which)) for place in places.get(number, ()))
    return found, counts


def _refuse_graph(node: Node) -> None:
    if node.requires_grad and not node.released:
        raise InvalidArgument(
            describe(
                "jit",
                "a returned tensor requires grad, but a replay records no graph",
                "call backward() inside the function, or return a detached tensor",
            )
        )


def _cell_names(capture: Capture, tensors: list[TensorBase]) -> dict[Cell, Source]:
    """Return how a replay finds each cell."""
    names: dict[Cell, Source] = {cell: cell for cell in capture.initial}
    for tensor, gradient in capture.gradients_read.items():
        if gradient is not None:
            names[gradient._cell] = GradientOf(tensor)
    for number, tensor in enumerate(tensors):
        names[tensor._cell] = Argument(number)
    return names


def _source_of(node: Node, capture: Capture, names: dict[Cell, Source]) -> Source:
    for cell, initial in capture.initial.items():
        if initial is node:
            return names[cell]
    assert node.value is not None
    return Fixed(node.value)


def _cell_of(source: Source, tensors: list[TensorBase]) -> Cell:
    if isinstance(source, Cell):  # most are
        return source
    if isinstance(source, Argument):
        return tensors[source.number]._cell
    if isinstance(source, GradientOf):
        gradient = source.tensor._grad
        assert gradient is not None
        return gradient._cell
    raise InvalidArgument(describe("jit", "a constant tensor cannot be written"))


def _storage(source: Source, tensors: list[TensorBase]) -> Storage:
    if isinstance(source, Fixed):
        return source.storage
    node = _cell_of(source, tensors).node
    if node.value is None:
        realize((node,))
    assert node.value is not None
    return node.value


def _presence(trace: Trace) -> list[bool]:
    return [present for _, present in trace.gradients_present]


def _holds(trace: Trace) -> bool:
    """Tell whether the Python values a capture met are as they were."""
    return all(guard.holds() for guard in trace.guards)


def _is_undisturbed(trace: Trace, leaves: bool) -> bool:
    """Tell whether modules, optimizers and leaves are as the captured function left them."""
    return (
        trace.replaced == replaced.count
        and all(each.holds() for each in trace.objects)
        and (not leaves or all(each.holds() for each in trace.leaves))
    )


def _still_valid(trace: Trace) -> bool:
    """Tell whether the Python values and gradients a capture met are as they were."""
    return (
        # Without backward it is of no matter where gradients would flow.
        _is_undisturbed(trace, leaves=bool(trace.gradients))
        and _holds(trace)
        and all(
            (tensor._grad is not None) == present for tensor, present in trace.gradients_present
        )
    )
