"""A plan: a compiled graph, ready to run again with other memory and other numbers."""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.dtypes import DType, Kind, Scalar
from pumice.engine.devices import runtime_of
from pumice.engine.faults import FaultSite, LineOf, Named
from pumice.graph.node import Line
from pumice.locks import ForkSafeLock
from pumice.numpy_types import to_numpy
from pumice.ops.view import Shape
from pumice.runtime.base import Allocation, Entry, Launch, Runtime
from pumice.schedule.lifetimes import place
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
    fault_runs : list of function or None
        The lines of runs whose fault records have not been looked at.
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
    fault_runs: list[LineOf | None]
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
    with np.errstate(over="ignore"):
        return int(np.array(value, np.float64).astype(to_numpy(dtype)).view(np.uint16))


def _float32_bytes(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", float("inf") if value > 0 else float("-inf"))


def _signed_word(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


@dataclass(frozen=True, slots=True)
class Extents:
    """What in a plan depends on sizes, in the order of what it belongs to.

    Attributes
    ----------
    words : list of int
        The template of the argument words; those of the arena hold offsets within a temporary.
    items, costs, shapes : list
        Of each launch.
    outputs, temporaries : list of int
        Bytes.
    results : list of shape
        Of each wanted node.
    suspects : list of tuple of shape
        For each fault record, the shapes its messages name.
    """

    words: list[int]
    items: list[int]
    costs: list[int]
    shapes: list[Shape]
    outputs: list[int]
    temporaries: list[int]
    results: list[Shape]
    suspects: list[tuple[Shape, ...]]

    def values(self) -> tuple[Any, ...]:
        """Return the attributes in order."""
        return (
            self.words,
            self.items,
            self.costs,
            self.shapes,
            self.outputs,
            self.temporaries,
            self.results,
            self.suspects,
        )


@dataclass(slots=True)
class Layout:
    """A plan but for sizes: what is launched on which memory.

    Attributes
    ----------
    kernels : list
        What the runtime loaded, one per launch.
    keys : list of str
        Under which each of them is kept on disk.
    pieces : list of (int, int)
        First word and number of words of each launch.
    waits : list of bool
        Which launches begin a batch (`schedule.batches`).
    names : list of Named
        The operation each launch computes.
    buffers : list of (word, slot)
        Words that hold addresses; for slots see `Plan`.
    arena : list of (word, temporary)
        Those of them that point to temporaries.
    touched : list of list of int
        The temporaries each batch uses.
    results, dtypes : list
        Of each wanted node: which output it is, and its elements.
    faults : list of tuple of Named
        For each fault record, the operations that can have reported.
    """

    kernels: list[Any]
    keys: list[str]
    pieces: list[tuple[int, int]]
    waits: list[bool]
    names: list[Named]
    buffers: list[tuple[int, int]]
    arena: list[tuple[int, int]]
    touched: list[list[int]]
    inputs: list[int]
    results: list[int]
    dtypes: list[DType]
    numbers: list[tuple[int, int, DType]]
    faults: list[tuple[Named, ...]]

    def plan(self, extents: Extents, device: Device) -> Plan:
        """Return the plan for sizes."""
        runtime, arena = runtime_of(device), 0
        words, outputs = extents.words, extents.outputs
        if extents.temporaries:
            apart = runtime.target.sets_apart
            offsets, arena = place(dict(enumerate(extents.temporaries)), self.touched, apart)
            for word, temporary in self.arena:
                words[word] += offsets[temporary]
        launches = tuple(
            [
                Launch(kernel, first, count, items, cost, waits)
                for kernel, (first, count), items, cost, waits in zip(
                    self.kernels,
                    self.pieces,
                    extents.items,
                    extents.costs,
                    self.waits,
                    strict=True,
                )
            ]
        )
        program = runtime.prepare(launches)
        template = np.array(words, np.int64)
        memory = _fault_memory(runtime, len(self.faults))
        arena_slot = len(self.inputs) + len(outputs)
        entry = self._entry(runtime, program, template, arena_slot, bool(arena), memory)
        return Plan(
            device,
            runtime,
            program,
            entry,
            None if entry is None else entry.call,
            template,
            np.array([word for word, _ in self.buffers], np.int64),
            np.array([slot for _, slot in self.buffers], np.int64),
            [(word, slot, words[word]) for word, slot in self.buffers],
            self.inputs,
            outputs,
            self.results,
            list(zip(self.dtypes, extents.results, strict=True)),
            arena,
            self.numbers,
            memory,
            None if memory is None else ForkSafeLock(),
            [
                FaultSite.of(suspects, shapes)
                for suspects, shapes in zip(self.faults, extents.suspects, strict=True)
            ],
            [],
            tuple(
                [
                    LaunchSummary(named.name, named.line, items, shape)
                    for named, items, shape in zip(
                        self.names, extents.items, extents.shapes, strict=True
                    )
                ]
            ),
            launches,
        )

    def _entry(
        self,
        runtime: Runtime,
        program: Any,
        template: Words,
        arena_slot: int,
        has_arena: bool,
        faults: Allocation | None,
    ) -> Entry | None:
        """Return the program as a function of memory and numbers, where the runtime makes one."""
        fixed = template.copy()
        patches: list[tuple[int, int]] = []
        for word, slot in self.buffers:
            if slot < arena_slot + has_arena:
                patches.append((word, slot))
            elif slot > arena_slot:
                assert faults is not None
                fixed[word] += faults.address
        first = arena_slot + has_arena
        patches += [(word, first + place) for place, (word, _, _) in enumerate(self.numbers)]
        records = (0, 0) if faults is None else (faults.address, faults.nbytes // FAULT_BYTES)
        return runtime.bind(program, fixed, patches, first + len(self.numbers), records)


def _fault_memory(runtime: Runtime, count: int) -> Allocation | None:
    if count == 0:
        return None
    memory = runtime.allocate(count * FAULT_BYTES)
    runtime.write(memory, 0, memoryview(bytearray(count * FAULT_BYTES)))
    return memory
