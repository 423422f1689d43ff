"""Programs as builtin functions: words are filled in natively, faults seen, workers asked for."""

import os
import threading

import numpy as np
import pytest

from pumice.runtime.base import FAULTS, Launch
from pumice.runtime.cpu.entry_code import NO_WORKERS
from pumice.runtime.cpu.runtime import CpuRuntime
from tests.runtime.test_cpu_runtime import TARGET, LlvmBackend, count_kernel

runtime = CpuRuntime(threads=2)


@pytest.fixture(scope="module")
def loaded():
    return runtime.load(LlvmBackend().compile([count_kernel()], TARGET))[0]


def bound(loaded, launches=1, cost=1000, items=1000, faults=(0, 0)):
    """Return an entry of two slots: an address, and a size that a patch adds to 3."""
    program = runtime.prepare([Launch(loaded, 0, 2, items, cost)] * launches)
    template = np.array([0, 3], np.int64)
    return runtime.bind(program, template, [(0, 0), (1, 1)], 2, faults)


@pytest.mark.parametrize("cost", [1, 30, 1000])
def test_slots_are_added_to_the_template(loaded, cost):
    entry = bound(loaded, 3, cost)
    for _ in range(3):
        out = np.zeros(1001, np.int64)
        assert entry.call(out.ctypes.data + 8, 997) == 0
        assert out[0] == 0 and (out[1:] == 7).all()


def test_offsets_in_the_template_and_negative_slots(loaded):
    out = np.zeros(1000, np.int64)
    assert bound(loaded).call(out.ctypes.data, -3) == 0
    # A size of 0 words: kernels take their extents from the grid, so it only has to arrive.
    assert (out == 1).all()


@pytest.mark.parametrize("slots", [(), (1,), (1, 2, 3)])
def test_a_wrong_number_of_slots_raises(loaded, slots):
    with pytest.raises(TypeError):
        bound(loaded).call(*slots)


def test_a_slot_that_is_no_integer_raises(loaded):
    with pytest.raises(TypeError):
        bound(loaded).call("address", 1)


def test_faults_are_reported(loaded):
    records = np.zeros(6, np.int64)
    out = np.zeros(1000, np.int64)
    entry = bound(loaded, faults=(records.ctypes.data, 3))
    assert entry.call(out.ctypes.data, 997) == 0
    records[1] = 5  # the value of the first record: only codes count
    assert entry.call(out.ctypes.data, 997) == 0
    records[4] = 2
    assert entry.call(out.ctypes.data, 997) == FAULTS


def test_an_empty_program(loaded):
    entry = runtime.bind(runtime.prepare([]), np.zeros(0, np.int64), [], 0, (0, 0))
    assert entry.call() == 0


def test_threads_call_one_entry_at_once(loaded):
    entry = bound(loaded, 3)
    wrong = []

    def work() -> None:
        for _ in range(300):
            out = np.zeros(1000, np.int64)
            entry.call(out.ctypes.data, 997)
            if not (out == 7).all():
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_is_told_that_it_has_no_workers(loaded):
    entry = bound(loaded, 2, cost=100_000)
    out = np.zeros(1000, np.int64)
    assert entry.call(out.ctypes.data, 997) == 0
    child = os.fork()
    if child == 0:
        first = entry.call(out.ctypes.data, 997)
        runtime.attend(first)
        second = entry.call(out.ctypes.data, 997)
        good = (first, second) == (NO_WORKERS, 0) and (out == (1 << 6) - 1).all()
        os._exit(0 if good else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
