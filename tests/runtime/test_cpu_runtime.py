"""Programs on the worker pool: each item once, in order, from any thread, across fork and exit."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from pumice import dtypes
from pumice.backends.llvm.assembler import assemble
from pumice.backends.llvm.backend import LlvmBackend
from pumice.kernel.ir import INDEX, Store, Variable, load
from pumice.runtime.base import Launch
from pumice.runtime.cpu.host import host_target
from pumice.runtime.cpu.pool_code import uses_futex
from pumice.runtime.cpu.runtime import CpuRuntime, chunk_of
from pumice.target import Artifact
from tests.backends.llvm_support import at, buffer, kernel, size

TARGET = host_target()
COUNT, MEETING = "count", "meeting"


def count_kernel():
    """``out[i] = out[i] * 2 + 1`` per grid item."""
    out, n, i = buffer("out", dtypes.int64, True), size("n"), Variable("i")
    value = load(out, at(i)) * 2 + 1
    return kernel([out, n], [(i, at(n))], Store(out, at(i), value))


# Each item adds itself to a counter and waits until two are there, so it needs two threads at once.
MEETING_TEXT = """
define void @meeting(ptr %words, i64 %begin, i64 %end) {
entry:
  %p = load ptr, ptr %words
  %failed = getelementptr i64, ptr %p, i64 1
  %old = atomicrmw add ptr %p, i64 1 seq_cst
  br label %look
look:
  %spins = phi i64 [0, %entry], [%more, %again]
  %now = load atomic i64, ptr %p seq_cst, align 8
  %both = icmp sge i64 %now, 2
  br i1 %both, label %exit, label %again
again:
  %more = add i64 %spins, 1
  %long = icmp sgt i64 %more, 4000000000
  br i1 %long, label %fail, label %look
fail:
  store i64 1, ptr %failed
  br label %exit
exit:
  ret void
}
"""


@pytest.fixture(scope="module")
def artifact() -> Artifact:
    return LlvmBackend().compile([count_kernel()], TARGET)[0]


@pytest.fixture(scope="module", params=["futex", "nap"])
def runtime(request) -> CpuRuntime:
    if request.param == "futex" and not uses_futex(TARGET.identity.split("|")[1]):
        pytest.skip("no futexes on this system")
    return CpuRuntime(threads=3, portable=request.param == "nap")


def run(runtime, artifact, items=1000, cost=1000, launches=1):
    """Return the array after a program of equal launches."""
    (loaded,) = runtime.load([artifact])
    out = np.zeros(max(items, 1), np.int64)
    program = runtime.prepare([Launch(loaded, 0, 2, items, cost)] * launches)
    words = np.array([out.ctypes.data, items], np.int64)
    runtime.run(program, words, [])
    return out[:items]


@pytest.mark.parametrize("items", [0, 1, 2, 7, 1000, 12345])
@pytest.mark.parametrize("cost", [1, 1000, 100_000])
def test_every_item_runs_once_per_launch(runtime, artifact, items, cost):
    for launches in (1, 2, 5):
        assert (run(runtime, artifact, items, cost, launches) == (1 << launches) - 1).all()


def test_many_programs_back_to_back(runtime, artifact):
    (loaded,) = runtime.load([artifact])
    out = np.zeros(64, np.int64)
    program = runtime.prepare([Launch(loaded, 0, 2, 64, 10_000)] * 3)
    words = np.array([out.ctypes.data, 64], np.int64)
    for _ in range(3000):
        out[:] = 0
        runtime.run(program, words, [])
        assert (out == 7).all()


def test_after_the_workers_have_gone_to_sleep(runtime, artifact):
    for _ in range(5):
        time.sleep(0.01)
        assert (run(runtime, artifact) == 1).all()


def test_words_are_a_slice_of_the_programs_words(runtime, artifact):
    (loaded,) = runtime.load([artifact])
    first, second = np.zeros(10, np.int64), np.zeros(20, np.int64)
    launches = [Launch(loaded, 0, 2, 10), Launch(loaded, 2, 2, 20), Launch(loaded, 2, 2, 20)]
    words = np.array([first.ctypes.data, 10, second.ctypes.data, 20], np.int64)
    runtime.run(runtime.prepare(launches), words, [])
    assert (first == 1).all() and (second == 3).all()


def test_two_threads_work_at_once(runtime):
    code = assemble(MEETING_TEXT, TARGET)
    (loaded,) = runtime.load([Artifact("meeting", code, "meeting", 1)])
    for _ in range(20):
        state = np.zeros(2, np.int64)
        words = np.array([state.ctypes.data], np.int64)
        runtime.run(runtime.prepare([Launch(loaded, 0, 1, 2, 1_000_000)]), words, [])
        assert state.tolist() == [2, 0]


def test_small_work_stays_on_the_caller():
    assert chunk_of(100, 10, threads=8) == 100
    assert chunk_of(1, 10**9, threads=8) == 1
    assert chunk_of(10**6, 1000, threads=1) == 10**6
    assert chunk_of(64, 10_000, threads=8) == 2
    assert chunk_of(10**6, 1, threads=2) == 125_000
    assert chunk_of(30_000, 1, threads=64) == 5_000
    assert chunk_of(42, 1_400_000, threads=2) == 1
    assert chunk_of(42, 30_000, threads=2) == 6
    assert chunk_of(64, 80_000, threads=2) == 2  # 32 each, where threes give one 33
    pool_less = CpuRuntime(threads=4)
    program = pool_less.prepare([])
    assert not program.parallel


def test_user_threads_share_the_runtime(runtime, artifact):
    problems = []

    def work() -> None:
        for _ in range(200):
            if not (run(runtime, artifact, 500, 2000, 3) == 7).all():
                problems.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_loading_twice_is_free(runtime, artifact):
    first, second = runtime.load([artifact, artifact])
    assert first is second
    assert runtime.load([artifact])[0] is first


def test_loaded_kernels_are_bounded(artifact, monkeypatch):
    monkeypatch.setattr("pumice.runtime.cpu.loader.LOADED_KERNELS", 2)
    runtime = CpuRuntime(threads=1)
    copies = [Artifact(f"copy{n}", artifact.code, artifact.entry, 2) for n in range(5)]
    loaded = runtime.load(copies)
    assert runtime.load([copies[4]])[0] is loaded[4]
    assert runtime.load([copies[0]])[0] is not loaded[0]
    out = np.zeros(5, np.int64)  # a kernel in use outlives its place in the cache
    words = np.array([out.ctypes.data, 5], np.int64)
    runtime.run(runtime.prepare([Launch(loaded[0], 0, 2, 5)]), words, [])
    assert (out == 1).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_gets_a_pool_of_its_own(runtime, artifact):
    assert (run(runtime, artifact) == 1).all()
    child = os.fork()
    if child == 0:
        good = (run(runtime, artifact, 5000, 1000, 2) == 3).all()
        os._exit(0 if good else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (run(runtime, artifact) == 1).all()


SCRIPT = """
import threading
import numpy as np
from tests.runtime.test_cpu_runtime import TARGET, CpuRuntime, LlvmBackend, count_kernel, run
artifact = LlvmBackend().compile([count_kernel()], TARGET)[0]
runtimes = [CpuRuntime(threads=3), CpuRuntime(threads=2, portable=True)]
for runtime in runtimes:
    assert (run(runtime, artifact) == 1).all()
if {drop}:
    runtimes.clear()
    del runtime
    left = [t.name for t in threading.enumerate() if t.name.startswith("pumice")]
    assert not left, left
"""


@pytest.mark.parametrize("drop", [False, True])
def test_interpreter_exits_cleanly(drop):
    started = time.monotonic()
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(drop=drop)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert time.monotonic() - started < 30


def test_target_of_this_machine():
    assert TARGET.lanes == 32
    assert TARGET.identity == host_target().identity
    assert {"float32", "float64", "int32", "int64"} <= TARGET.tiles.keys()
    assert CpuRuntime(threads=2).name.endswith("2 threads")
    assert INDEX.bits == 64
