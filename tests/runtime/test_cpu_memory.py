"""The caching allocator: classes, reuse, numbers, limits, threads."""

import gc
import threading

import numpy as np
import pytest

from pumice.errors import OutOfMemory
from pumice.runtime.cpu.memory import SLAB_BLOCK, Allocator, memory_limit, size_class
from pumice.runtime.cpu.runtime import CpuRuntime

MIB = 1 << 20


@pytest.fixture
def memory() -> Allocator:
    return Allocator(limit=256 * MIB, cache_limit=64 * MIB)


def test_size_classes_waste_little():
    sizes = [*range(5000), *(7**k for k in range(1, 12)), *((1 << k) + 1 for k in range(6, 40))]
    for nbytes in sizes:
        given = size_class(nbytes)
        assert given >= max(nbytes, 1) and given % 64 == 0
        assert given <= max(64, nbytes + max(nbytes // 8, 64))
        assert size_class(given) == given


@pytest.mark.parametrize("nbytes", [0, 1, 64, 1000, SLAB_BLOCK, 3 * MIB, 9 * MIB])
def test_memory_is_aligned_writable_and_apart(memory, nbytes):
    pieces = [memory.allocate(nbytes) for _ in range(4)]
    for number, piece in enumerate(pieces):
        assert piece.address % 64 == 0
        assert piece.nbytes == nbytes
        runtime_view(piece)[:] = number
    for number, piece in enumerate(pieces):
        assert (runtime_view(piece) == number).all()


def runtime_view(allocation):
    return (
        np.frombuffer(CpuRuntime(threads=1).view(allocation), np.uint8)
        if allocation.nbytes
        else (np.zeros(0, np.uint8))
    )


@pytest.mark.parametrize("nbytes", [100, 3 * MIB, 9 * MIB])
def test_freed_memory_is_reused(memory, nbytes):
    first = memory.allocate(nbytes)
    address = first.address
    assert memory.statistics().live == size_class(nbytes)
    del first
    assert memory.statistics().live == 0
    assert memory.statistics().cached == size_class(nbytes)
    assert memory.allocate(nbytes).address == address


def test_a_larger_block_serves_a_slightly_smaller_request(memory):
    address = memory.allocate(16 * MIB).address
    again = memory.allocate(15 * MIB)
    assert again.address == address
    assert memory.statistics().live == size_class(16 * MIB)
    assert memory.allocate(8 * MIB).address != address


def test_peak(memory):
    held = [memory.allocate(MIB) for _ in range(5)]
    del held
    memory.allocate(100)
    assert memory.statistics().peak == 5 * MIB


def test_cache_is_bounded_and_can_be_emptied(memory):
    held = [memory.allocate(8 * MIB) for _ in range(20)]
    held.clear()
    assert 0 < memory.statistics().cached <= 64 * MIB
    memory.empty_cache()
    assert memory.statistics().cached == 0
    assert memory.statistics().live == 0


def test_out_of_memory_states_asked_free_and_limit(memory):
    held = memory.allocate(200 * MIB)
    with pytest.raises(
        OutOfMemory, match=rf"asked for {100 * MIB} bytes, {48 * MIB} free of {256 * MIB}"
    ):
        memory.allocate(100 * MIB)
    del held
    assert memory.allocate(100 * MIB).nbytes == 100 * MIB


def test_what_the_system_refuses_is_out_of_memory():
    memory = Allocator(limit=1 << 62)
    with pytest.raises(OutOfMemory, match="asked for"):
        memory.allocate(1 << 60)


def test_limit_is_this_machines():
    assert 64 * MIB < memory_limit() < 1 << 50


def test_threads_get_different_memory(memory):
    random = np.random.default_rng(0)
    sizes = random.integers(1, 200_000, 200).tolist()
    problems = []

    def work(number: int) -> None:
        held = []
        for nbytes in sizes:
            piece = memory.allocate(nbytes)
            runtime_view(piece)[:] = number
            held.append(piece)
            if len(held) > 20:
                old = held.pop(0)
                if not (runtime_view(old) == number).all():
                    problems.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    gc.collect()
    assert memory.statistics().live == 0


def test_views_are_zero_copy_and_keep_memory_alive():
    runtime = CpuRuntime(threads=1)
    allocation = runtime.allocate(1000)
    view = runtime.view(allocation, 8, 16)
    runtime.write(allocation, 8, memoryview(bytes(range(16))))
    assert bytes(view) == bytes(range(16))
    view[3] = 77
    assert runtime.read(allocation, 11, 1) == bytearray([77])
    del allocation
    assert runtime.memory_statistics().live == size_class(1000)
    del view
    assert runtime.memory_statistics().live == 0


def test_foreign_memory_is_used_in_place_and_its_owner_kept():
    runtime = CpuRuntime(threads=1)
    array = np.arange(10, dtype=np.int64)
    allocation = runtime.wrap(array.ctypes.data, array.nbytes, array)
    runtime.write(allocation, 8, memoryview(np.array([99], np.int64)))
    assert array[1] == 99
    assert allocation.owner is array
    assert np.frombuffer(runtime.view(allocation), np.int64)[1] == 99
    assert runtime.memory_statistics().live == 0


def test_read_and_write_of_nothing():
    runtime = CpuRuntime(threads=1)
    allocation = runtime.allocate(0)
    runtime.write(allocation, 0, memoryview(b""))
    assert runtime.read(allocation, 0, 0) == bytearray()
    assert len(runtime.view(allocation)) == 0
