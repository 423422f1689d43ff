"""From a graph to a plan: the stages of the compiler in order."""

from collections.abc import Sequence
from math import prod
from typing import Any

from pumice.config import config
from pumice.dtypes import DType
from pumice.engine.cache import artifact_keys, load_kernels
from pumice.engine.devices import refusal, runtime_of
from pumice.engine.faults import Named
from pumice.engine.plan import FAULT_BYTES, Extents, Layout, Plan, number_bits
from pumice.errors import UnsupportedOperation
from pumice.graph.node import Node
from pumice.graph.verify import verify_graph
from pumice.kernel.walk import bounded_buffers
from pumice.lowering.lower import lower
from pumice.lowering.memo import LoweringMemo
from pumice.lowering.steps import FaultRecord, Memory, Number, Scratch, Step
from pumice.ops import structure
from pumice.ops.view import Shape
from pumice.schedule.batches import Accesses, batches_of
from pumice.schedule.fuse import fuse
from pumice.schedule.items import Schedule
from pumice.schedule.rewrite import rewrite
from pumice.schedule.verify import verify_schedule
from pumice.schedule.waiting import without_waiting
from pumice.target import Device, Target

Owner = Node | Scratch


class PlanBuilder:
    """Compiles one graph.

    The sizes of its nodes may be `sizes.Size` objects; so are those of the layout then.
    """

    def __init__(
        self,
        order: Sequence[Node],
        wanted: Sequence[Node],
        device: Device,
        memo: LoweringMemo | None = None,
    ) -> None:
        self.device = device
        self.position = {node: place for place, node in enumerate(order)}
        # Rewriting may reshape a constant; its number stays the same object.
        self._constants = {
            id(node.argument): place
            for place, node in enumerate(order)
            if node.op is structure.CONSTANT
        }
        self._given = list(wanted)
        self._places: dict[Any, int] = {}
        for place, node in enumerate(order):
            self._places.setdefault(_origin(node), place)
        target = runtime_of(device).target
        self._checks_access = target.checks_access
        self.order, self.wanted, waits = without_waiting(*rewrite(order, wanted, target))
        self.schedule: Schedule = fuse(self.order, self.wanted, waits)
        if target.unsupported:
            self._refuse(target)
        if config().verify:
            verify_graph(self.wanted)
            verify_schedule(self.schedule, self.wanted)
        self._owner = self._owners()
        self._arrange(lower(self.schedule, target, memo), target.launches_at_once)

    def _refuse(self, target: Target) -> None:
        """Raise where a value has an element type that the device lacks."""
        for node in self.order:
            if node.dtype in target.unsupported:
                problem, allowed = refusal(node.dtype, self.device)
                place = "" if node.line is None else f" (at {node.line[0]}:{node.line[1]})"
                raise UnsupportedOperation(f"{node.op.name}: {problem}; {allowed}{place}")

    def build(self) -> Plan:
        """Return the plan of a graph of plain sizes."""
        layout, extents = self.layout()
        return layout.plan(extents, self.device)

    def layout(self) -> tuple[Layout, Extents]:
        """Return the plan, and apart from it what depends on sizes."""
        kernels = [step.kernel for step in self.steps]
        handles = load_kernels(kernels, self.device)
        self._assign_memory()
        words: list[int] = []
        pieces: list[tuple[int, int]] = []
        buffers: list[tuple[int, int]] = []
        arena: list[tuple[int, int]] = []
        numbers: list[tuple[int, int, DType]] = []
        suspects: list[tuple[Node, ...]] = []
        names: list[tuple[Named, ...]] = []
        for number, step in enumerate(self.steps):
            start = len(words)
            for parameter, binding in zip(step.kernel.parameters, step.bindings, strict=True):
                match binding:
                    case Memory(owner=owner, offset=offset):
                        slot, temporary = self._slots[owner]
                        buffers.append((len(words), slot))
                        if temporary is not None:
                            arena.append((len(words), temporary))
                        words.append(offset)
                    case Number(node=node):
                        numbers += self._number(node, len(words), parameter.dtype)
                        words.append(self._fixed_bits(node, parameter.dtype))
                    case FaultRecord():
                        buffers.append((len(words), self._arena_slot + 1))
                        words.append(len(suspects) * FAULT_BYTES)
                        suspects.append(step.suspects or (step.node,))
                        names.append(tuple([self._named(node) for node in suspects[-1]]))
                    case _:
                        words.append(binding)
            if self._checks_access:
                words += _bounds(step)
                buffers.append((len(words), self._arena_slot + 1))
                words.append(len(suspects) * FAULT_BYTES)
                suspects.append((step.node,))
                name = f"{step.node.op.name} in kernel {number}"
                names.append((self._named(step.node)._replace(name=name),))
            pieces.append((start, len(words) - start))
        layout = Layout(
            handles,
            artifact_keys(kernels, self.device),
            pieces,
            self._waits,
            [self._named(step.node) for step in self.steps],
            buffers,
            arena,
            self._touched,
            [self.position[node] for node in self._inputs],
            [self._slots[node][0] - len(self._inputs) for node in self.wanted],
            [node.dtype for node in self._given],
            numbers,
            names,
        )
        return layout, self._extents(words, suspects)

    def _extents(self, words: list[int], suspects: list[tuple[Node, ...]]) -> Extents:
        return Extents(
            words,
            [step.items for step in self.steps],
            [step.cost for step in self.steps],
            [tuple(step.node.shape) for step in self.steps],
            [_nbytes(node) for node in self._outputs],
            [_nbytes(item) for item in self._temporaries],
            [node.shape for node in self._given],
            [tuple([_shape_of_source(node) for node in nodes]) for nodes in suspects],
        )

    def _named(self, node: Node) -> Named:
        """Return an operation by its name and line; rewritten ones keep the line."""
        place = self._places.get(_origin(node))
        return Named(node.op.name, node.line, place)

    def _number(self, node: Node, word: int, dtype: DType) -> list[tuple[int, int, DType]]:
        """Return where a constant's number goes in each run, if the graph may change it."""
        origin = self._constants.get(id(node.argument))
        return [] if origin is None else [(word, origin, dtype)]

    def _fixed_bits(self, node: Node, dtype: DType) -> int:
        """Return the bits of a number that rewriting made, 0 for one that each run adds."""
        known = id(node.argument) in self._constants
        return 0 if known else number_bits(node.argument.value, dtype)

    # -- memory -----------------------------------------------------------------------------------

    def _arrange(self, steps: Sequence[Step], at_once: int) -> None:
        """Put the launches in the order in which they run, and note where each batch begins."""
        batches = batches_of([self._accesses(step) for step in steps], at_once)
        self.steps = [steps[number] for batch in batches for number in batch]
        self._waits = [place == 0 for batch in batches for place in range(len(batch))]
        owner = self._owner
        self._used = [
            [owner.get(each, each) for number in batch for each in steps[number].touched]
            for batch in batches
        ]

    def _accesses(self, step: Step) -> Accesses:
        reads: set[Owner] = set()
        writes: set[Owner] = set()
        for parameter, binding in zip(step.kernel.parameters, step.bindings, strict=True):
            if isinstance(binding, Memory):
                owner = self._owner.get(binding.owner, binding.owner)
                (writes if parameter.writable else reads).add(owner)
        return Accesses(reads, writes)

    def _assign_memory(self) -> None:
        """Decide the slot of all memory; inputs first, outputs next, then the arena."""
        owner, touched = self._owner, self._used
        self._inputs: list[Node] = []
        self._slots: dict[Any, tuple[int, int | None]] = {}
        slots = self._slots
        for items in touched:
            for item in items:
                if isinstance(item, Node) and item.value is not None and item not in slots:
                    slots[item] = (len(self._inputs), None)
                    self._inputs.append(item)
        self._outputs: list[Node] = []
        for node in self.wanted:
            if node not in slots:
                slots[node] = (len(self._inputs) + len(self._outputs), None)
                self._outputs.append(node)
        self._arena_slot = len(self._inputs) + len(self._outputs)
        temporaries: dict[Owner, int] = {}
        for items in touched:
            for item in items:
                if item not in slots:
                    slots[item] = (self._arena_slot, len(temporaries))
                    temporaries[item] = len(temporaries)
        self._temporaries = list(temporaries)
        self._touched = [
            [temporaries[item] for item in items if item in temporaries] for items in touched
        ]
        for base, final in owner.items():
            if final in slots:  # nothing touches a tensor of no elements
                slots[base] = slots[final]

    def _owners(self) -> dict[Owner, Owner]:
        """Map the base of each in-place update to the node whose memory it shares."""
        owner: dict[Owner, Owner] = {}
        for node in reversed(self.order):
            if node in self.schedule.in_place and node.sources[0].op is not structure.EMPTY:
                owner[node.sources[0]] = owner.get(node, node)
        return owner


def _bounds(step: Step) -> list[int]:
    """Return the words by which a kernel knows its buffers' elements (`Target.checks_access`)."""
    bindings = dict(zip(step.kernel.parameters, step.bindings, strict=True))
    words: list[int] = []
    for buffer in bounded_buffers(step.kernel):
        memory, size = bindings[buffer], buffer.dtype.itemsize
        assert isinstance(memory, Memory)
        words += [-(memory.offset // size), _nbytes(memory.owner) // size]
    return words


def _origin(node: Node) -> tuple[int, int, str]:
    """Return the place in the user's program that made a node, as far as errors tell it apart."""
    return id(node.code), node.instruction, getattr(node, "called", "")


def _shape_of_source(node: Node) -> Shape:
    return node.sources[0].shape if node.sources else ()


def _nbytes(item: Node | Scratch) -> int:
    if isinstance(item, Scratch):
        return item.nbytes
    return prod(item.shape) * item.dtype.itemsize
