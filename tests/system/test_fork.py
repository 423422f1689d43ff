"""Forked processes: their tensors are their own, and no lock of the parent stops them."""

import os
import signal
import threading
from collections.abc import Callable

import pytest

import pumice

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

SECONDS = 20


def _in_child(check: Callable[[], bool]) -> int:
    """Fork, run a check there and return how the child ended: 0 when it held."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        try:
            os._exit(0 if check() else 1)
        except BaseException:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("size", [3, 100_000, 2_000_000])
def test_processes_do_not_share_memory(size: int) -> None:
    held = pumice.full((size,), 7.0) + 0
    held.realize()

    def overwrite() -> bool:
        held.fill_(1.0)
        fresh = [pumice.full((size,), float(number)) + 0 for number in range(8)]
        for each in fresh:
            each.realize()
        return bool(held.max().item() == 1)

    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.read(reader, 1)
        os._exit(0 if held.min().item() == held.max().item() == 7 else 1)
    assert _in_child(overwrite) == 0
    assert held.min().item() == held.max().item() == 7
    held.mul_(0)
    held.realize()
    os.write(writer, b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_fork_while_other_threads_evaluate_and_compile() -> None:
    done = threading.Event()

    def work(number: int) -> None:
        length = 0
        while not done.is_set():
            length = length % 30 + 1
            value = pumice.ones(20 + number)
            for step in range(length):
                value = (value * 1.01).sin() + (number * 31 + step) % 7
            value.sum().item()

    def check() -> bool:
        total = pumice.ones(300, 3)
        total.add_(1)
        return bool((total * 2).sum().item() == 3600)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert [_in_child(check) for _ in range(8)] == [0] * 8
    finally:
        done.set()
        for thread in threads:
            thread.join()


@pytest.mark.vulkan
def test_a_device_of_the_parent_is_refused(vulkan_device: str) -> None:
    there = pumice.ones(3, device=vulkan_device) + 1
    assert there.tolist() == [2, 2, 2]

    def check() -> bool:
        calls: list[Callable[[], object]] = [
            there.tolist,
            lambda: (there * 2).tolist(),
            lambda: pumice.ones(2, device=vulkan_device).tolist(),
            lambda: pumice.synchronize(vulkan_device),
        ]
        for call in calls:
            with pytest.raises(pumice.DeviceError, match="before this process was forked"):
                call()
        return bool((pumice.ones(2) + 1).tolist() == [2, 2])

    assert _in_child(check) == 0
    assert (there * 2).tolist() == [4, 4, 4]
