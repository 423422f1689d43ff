"""A plan: a compiled graph, ready to run again with other memory and other numbers."""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.config import config
from pumice.dtypes import DType, Kind, Scalar
from pumice.engine.cache import load_kernels
from pumice.engine.devices import runtime_of
from pumice.engine.faults import FaultSite
from pumice.graph.node import Line, Node
from pumice.graph.verify import verify_graph
from pumice.locks import ForkSafeLock
from pumice.lowering.lower import lower
from pumice.lowering.steps import FaultRecord, Memory, Number, Scratch, Step
from pumice.numpy_types import to_numpy
from pumice.ops import structure
from pumice.ops.view import Shape
from pumice.runtime.base import Allocation, Entry, Launch, Runtime
from pumice.schedule.fuse import fuse
from pumice.schedule.items import Schedule
from pumice.schedule.lifetimes import place
from pumice.schedule.rewrite import rewrite
from pumice.schedule.verify import verify_schedule
from pumice.target import Device

Words = NDArray[np.int64]
FAULT_BYTES = 16


@dataclass(frozen=True, slots=True)
class LaunchSummary:
    """What a launch computes, for messages; plans must not keep nodes (and their memory) alive."""

    name: str
    line: Line | None
    items: int
    shape: Shape

    @staticmethod
    def of(step: Step) -> "LaunchSummary":
        """Return what a lowered kernel computes."""
        node = step.node
        return LaunchSummary(node.op.name, node.line, step.items, tuple(node.shape))


@dataclass(slots=True)
class Plan:
    """A compiled graph.

    Addresses are resolved per run: slot ``s`` is the memory of input ``inputs[s]`` (a position in
    the graph's order), then of each output, then the arena, then the fault records.

    Attributes
    ----------
    call : function or None
        Runs the plan given the address of each slot and the bits of each number, on runtimes that
        offer it (`Runtime.bind`).
    outputs : list of int
        Bytes of memory a run allocates for each result.
    template : int64 array
        Argument words of all launches; buffer words hold byte offsets.
    buffer_words, buffer_slots : int64 arrays
        Which words hold addresses, and the slot each adds.
    buffer_list : list of (word, slot, offset)
        The same, for plans of few words.
    results : list of int
        For each wanted node, which output it is.
    result_types : list of (dtype, shape)
        Of each wanted node.
    numbers : list of (word, position, dtype)
        Words that hold the number of the CONSTANT at a position of the order.
    fault_lock : ForkSafeLock or None
        Held from a run's start until its fault records have been looked at.
    """

    device: Device
    runtime: Runtime
    program: Any
    entry: Any
    call: Callable[..., int] | None
    template: Words
    buffer_words: Words
    buffer_slots: Words
    buffer_list: list[tuple[int, int, int]]
    inputs: list[int]
    outputs: list[int]
    results: list[int]
    result_types: list[tuple[DType, Shape]]
    arena: int
    numbers: list[tuple[int, int, DType]]
    fault_memory: Allocation | None
    fault_lock: ForkSafeLock | None
    fault_sites: list[FaultSite]
    launches: tuple[LaunchSummary, ...]
    commands: tuple[Launch, ...]


def number_bits(value: Scalar, dtype: DType) -> int:
    """Return the 64-bit word that holds a number of a dtype."""
    if dtype.kind is Kind.BOOL:
        return int(bool(value))
    if not dtype.is_floating_point:
        return _signed_word(int(value) & ((1 << dtype.bits) - 1))
    if dtype.itemsize == 8:
        return int(struct.unpack("<q", struct.pack("<d", value))[0])
    if dtype.itemsize == 4:
        return int(struct.unpack("<I", _float32_bytes(float(value)))[0])
    return int(np.array(value, np.float64).astype(to_numpy(dtype)).view(np.uint16))


def _float32_bytes(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", float("inf") if value > 0 else float("-inf"))


def _signed_word(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


class PlanBuilder:
    """Compiles one graph into a `Plan`."""

    def __init__(self, order: Sequence[Node], wanted: Sequence[Node], device: Device) -> None:
        self.device = device
        self.runtime = runtime_of(device)
        self.position = {node: place for place, node in enumerate(order)}
        # Rewriting may reshape a constant; its number stays the same object.
        self._constants = {
            id(node.argument): place
            for place, node in enumerate(order)
            if node.op is structure.CONSTANT
        }
        self.result_types = [(node.dtype, node.shape) for node in wanted]
        target = self.runtime.target
        self.order, self.wanted = rewrite(order, wanted, target)
        self.schedule: Schedule = fuse(self.order, self.wanted)
        if config().verify:
            verify_graph(self.wanted)
            verify_schedule(self.schedule, self.wanted)
        self.steps = lower(self.schedule, target)

    def build(self) -> Plan:
        """Return the plan."""
        handles = load_kernels([step.kernel for step in self.steps], self.device)
        slots, outputs, arena = self._assign_memory()
        words: list[int] = []
        buffer_words: list[int] = []
        buffer_slots: list[int] = []
        numbers: list[tuple[int, int, DType]] = []
        launches: list[Launch] = []
        sites: list[FaultSite] = []
        for step, handle in zip(self.steps, handles, strict=True):
            start = len(words)
            for parameter, binding in zip(step.kernel.parameters, step.bindings, strict=True):
                match binding:
                    case Memory(owner=owner, offset=offset):
                        buffer_words.append(len(words))
                        buffer_slots.append(slots[owner][0])
                        words.append(slots[owner][1] + offset)
                    case Number(node=node):
                        numbers += self._number(node, len(words), parameter.dtype)
                        words.append(self._fixed_bits(node, parameter.dtype))
                    case FaultRecord():
                        buffer_words.append(len(words))
                        buffer_slots.append(self._fault_slot(outputs))
                        words.append(len(sites) * FAULT_BYTES)
                        sites.append(FaultSite.of(step))
                    case int():
                        words.append(binding)
            launches.append(Launch(handle, start, len(words) - start, step.items, step.cost))
        program = self.runtime.prepare(launches)
        template = np.array(words, np.int64)
        memory = self._fault_memory(len(sites))
        buffers = list(zip(buffer_words, buffer_slots, strict=True))
        arena_slot = len(self.inputs) + len(outputs)
        entry = self._entry(program, template, buffers, arena_slot, bool(arena), numbers, memory)
        return Plan(
            self.device,
            self.runtime,
            program,
            entry,
            None if entry is None else entry.call,
            template,
            np.array(buffer_words, np.int64),
            np.array(buffer_slots, np.int64),
            [(word, slot, words[word]) for word, slot in buffers],
            [self.position[node] for node in self.inputs],
            outputs,
            [slots[node][0] - len(self.inputs) for node in self.wanted],
            self.result_types,
            arena,
            numbers,
            memory,
            None if memory is None else ForkSafeLock(),
            sites,
            tuple(
                LaunchSummary(each.node.op.name, each.node.line, each.items, tuple(each.node.shape))
                for each in self.steps
            ),
            tuple(launches),
        )

    def _entry(
        self,
        program: Any,
        template: Words,
        buffers: list[tuple[int, int]],
        arena_slot: int,
        has_arena: bool,
        numbers: list[tuple[int, int, DType]],
        faults: Allocation | None,
    ) -> Entry | None:
        """Return the program as a function of memory and numbers, where the runtime makes one."""
        fixed = template.copy()
        patches: list[tuple[int, int]] = []
        for word, slot in buffers:
            if slot < arena_slot + has_arena:
                patches.append((word, slot))
            elif slot > arena_slot:
                assert faults is not None
                fixed[word] += faults.address
        first = arena_slot + has_arena
        patches += [(word, first + place) for place, (word, _, _) in enumerate(numbers)]
        records = (0, 0) if faults is None else (faults.address, faults.nbytes // FAULT_BYTES)
        return self.runtime.bind(program, fixed, patches, first + len(numbers), records)

    def _number(self, node: Node, word: int, dtype: DType) -> list[tuple[int, int, DType]]:
        """Return where a constant's number goes in each run, if the graph may change it."""
        origin = self._constants.get(id(node.argument))
        return [] if origin is None else [(word, origin, dtype)]

    def _fixed_bits(self, node: Node, dtype: DType) -> int:
        """Return the bits of a number that rewriting made, 0 for one that each run adds."""
        known = id(node.argument) in self._constants
        return 0 if known else number_bits(node.argument.value, dtype)

    # -- memory -----------------------------------------------------------------------------------

    def _assign_memory(
        self,
    ) -> tuple[dict[Node | Scratch, tuple[int, int]], list[int], int]:
        """Return (slot, byte offset) of all memory; inputs first, outputs next, then the arena."""
        owner = self._owners()
        touched = [[owner.get(each, each) for each in step.touched] for step in self.steps]
        self.inputs: list[Node] = []
        slots: dict[Node | Scratch, tuple[int, int]] = {}
        for items in touched:
            for item in items:
                if isinstance(item, Node) and item.value is not None and item not in slots:
                    slots[item] = (len(self.inputs), 0)
                    self.inputs.append(item)
        outputs: list[int] = []
        for node in self.wanted:
            if node not in slots:
                slots[node] = (len(self.inputs) + len(outputs), 0)
                outputs.append(node.numel * node.dtype.itemsize)
        arena_slot = len(self.inputs) + len(outputs)
        sizes = {item: _nbytes(item) for items in touched for item in items if item not in slots}
        offsets, arena = place(sizes, touched)
        for item, offset in offsets.items():
            slots[item] = (arena_slot, offset)
        for base, final in owner.items():
            if final in slots:  # nothing touches a tensor of no elements
                slots[base] = slots[final]
        return slots, outputs, arena

    def _owners(self) -> dict[Node | Scratch, Node | Scratch]:
        """Map the base of each in-place update to the node whose memory it shares."""
        owner: dict[Node | Scratch, Node | Scratch] = {}
        for node in reversed(self.order):
            if node in self.schedule.in_place and node.sources[0].op is not structure.EMPTY:
                owner[node.sources[0]] = owner.get(node, node)
        return owner

    def _fault_slot(self, outputs: list[int]) -> int:
        return len(self.inputs) + len(outputs) + 1

    def _fault_memory(self, count: int) -> Allocation | None:
        if count == 0:
            return None
        memory = self.runtime.allocate(count * FAULT_BYTES)
        self.runtime.write(memory, 0, memoryview(bytearray(count * FAULT_BYTES)))
        return memory


def _nbytes(item: Node | Scratch) -> int:
    if isinstance(item, Scratch):
        return item.nbytes
    return prod(item.shape) * item.dtype.itemsize
