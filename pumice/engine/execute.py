"""Running plans on memory, and the data errors their kernels report."""

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

import numpy as np

from pumice.engine import profile
from pumice.engine.faults import LineOf
from pumice.engine.pending import pending_checks
from pumice.engine.plan import FAULT_BYTES, Plan, number_bits
from pumice.engine.statistics import statistics
from pumice.errors import DeviceError
from pumice.graph.node import Storage
from pumice.runtime.base import FAULTS
from pumice.target import DeviceKind

MOST_RUNS = 8
"""Runs whose lines are told apart when one of them is known to have failed."""

FEW_WORDS = 12
"""Up to here setting argument words one by one is faster than in bulk."""


def bind_and_run(
    plan: Plan, inputs: Sequence[Storage], numbers: Sequence[Any], line_of: LineOf | None = None
) -> list[Storage]:
    """Run a plan on input memory and numbers; return the storage of each wanted node."""
    bits = [
        number_bits(value, dtype)
        for (_, _, dtype), value in zip(plan.numbers, numbers, strict=True)
    ]
    return run_plan(plan, inputs, bits, line_of)


def run_plan(
    plan: Plan, inputs: Sequence[Storage], numbers: Sequence[int], line_of: LineOf | None = None
) -> list[Storage]:
    """Run a plan on input memory and the bits of numbers; return the storage of each result.

    ``line_of`` tells the user's lines of this run, for data errors; without it they are those for
    which the plan was made.
    """
    outputs = plan.runtime.allocate_all(plan.outputs)
    addresses = [storage.address for storage in inputs]
    for allocation in outputs:
        addresses.append(allocation.address)
    arena = plan.runtime.allocate(plan.arena) if plan.arena else None
    if plan.call is None or profile.active.get() is not None:
        keep = [*[storage.allocation for storage in inputs], *outputs]
        _run_words(plan, keep, addresses, arena, numbers, line_of)
    else:
        if arena is not None:
            addresses.append(arena.address)
        statistics.record_run(len(plan.launches))
        addresses += numbers
        enter(plan, addresses, line_of)
    device = plan.device
    return [Storage(outputs[place], 0, device) for place in plan.results]


def enter(plan: Plan, arguments: Sequence[int], line_of: LineOf | None = None) -> None:
    """Call a plan's entry. Threads take turns where there are fault records, which they share."""
    call = plan.call
    assert call is not None
    if plan.fault_lock is None:
        code = call(*arguments)
        if code:
            attend(plan, code, line_of)
    else:
        with plan.fault_lock:
            try:
                code = call(*arguments)
                if code:
                    attend(plan, code, line_of)
                if plan.device.kind is not DeviceKind.CPU:
                    note_faults(plan, line_of)
            except BaseException:
                _give_up_run(plan)
                raise


def attend(plan: Plan, code: int, line_of: LineOf | None = None) -> None:
    """See to what a plan's entry returned."""
    plan.runtime.attend(code)
    if code & FAULTS:
        plan.fault_runs.append(line_of)
        raise_faults(plan)


def _run_words(
    plan: Plan,
    keep: list[Any],
    addresses: list[int],
    arena: Any,
    numbers: Sequence[int],
    line_of: LineOf | None,
) -> None:
    """Run a plan through its argument words."""
    if arena is not None:
        keep.append(arena)
    addresses.append(0 if arena is None else arena.address)
    if plan.fault_memory is not None:
        addresses.append(plan.fault_memory.address)
        keep.append(plan.fault_memory)
    words = plan.template.copy()
    if len(plan.buffer_words) <= FEW_WORDS:
        for word, slot, offset in plan.buffer_list:
            words[word] = addresses[slot] + offset
    else:
        words[plan.buffer_words] += np.array(addresses, np.int64)[plan.buffer_slots]
    for (word, _, _), bits in zip(plan.numbers, numbers, strict=True):
        words[word] = bits
    statistics.record_run(len(plan.launches))
    with plan.fault_lock or nullcontext():
        try:
            observer = profile.active.get()
            if observer is None:
                plan.runtime.run(plan.program, words, keep)
            else:
                observer.run(plan, words, keep)
            if plan.fault_memory is not None:
                note_faults(plan, line_of)
        except BaseException:
            _give_up_run(plan)
            raise


def kept_lines(plan: Plan, line_of: LineOf | None) -> LineOf | None:
    """Return the lines that a plan can ask for, without the graph they come from."""
    if line_of is None:
        return None
    places = {each.named.place for site in plan.fault_sites for each in site.suspects}
    return {place: line_of(place) for place in places if place is not None}.get


def note_faults(plan: Plan, line_of: LineOf | None) -> None:
    """Check fault records now on the CPU, at the next read-back elsewhere."""
    if plan.device.kind is DeviceKind.CPU:
        plan.fault_runs.append(line_of)
        raise_faults(plan)
    else:
        if len(plan.fault_runs) < MOST_RUNS:
            plan.fault_runs.append(kept_lines(plan, line_of))
        pending_checks.add(plan.device, id(plan), partial(raise_faults, plan))


def raise_faults(plan: Plan) -> None:
    """Raise the first data error of a plan, and clear its records."""
    memory = plan.fault_memory
    if memory is None:
        return
    runs = plan.fault_runs or [None]
    nbytes = len(plan.fault_sites) * FAULT_BYTES
    records = np.frombuffer(plan.runtime.read(memory, 0, nbytes), np.int64).reshape(-1, 2)
    if not records[:, 0].any():
        plan.fault_runs = []
        return
    _forget_faults(plan)
    for site, (code, value) in zip(plan.fault_sites, records, strict=True):
        if code:
            raise site.error(int(code), int(value), runs)


def _give_up_run(plan: Plan) -> None:
    """See to the records of a run that an exception, perhaps an interrupt, has ended.

    None is left for a later run. Where earlier runs have yet to report, theirs stay: they are told
    of and cleared at the next read-back.
    """
    if plan.device.kind is DeviceKind.CPU or not pending_checks.has(plan.device, id(plan)):
        with suppress(DeviceError):  # a lost device has nothing to forget
            _forget_faults(plan)


def _forget_faults(plan: Plan) -> None:
    """Clear the records of runs that are over."""
    plan.fault_runs = []
    if plan.fault_memory is not None:
        nbytes = len(plan.fault_sites) * FAULT_BYTES
        plan.runtime.write(plan.fault_memory, 0, memoryview(bytearray(nbytes)))
