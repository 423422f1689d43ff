"""A run that an interrupt ends leaves no data error behind for a later run."""

from typing import Any

import numpy as np
import pytest

import pumice
from pumice.engine.devices import parse_device, runtime_of
from pumice.engine.pending import PendingChecks
from pumice.errors import IndexOutOfRange
from tests.runtime.tables import replaced

pytestmark = pytest.mark.vulkan


class Interrupting:
    """A table whose next submission is made and then interrupted."""

    def __init__(self, table: Any) -> None:
        self._table, self.armed = table, True

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._table, name)
        if name != "vkQueueSubmit" or not self.armed:
            return found

        def submit(*arguments: Any) -> int:
            self.armed = False
            found(*arguments)
            raise KeyboardInterrupt

        return submit


def taken(source: Any, places: Any) -> Any:
    return source[places].realize()


@pytest.mark.parametrize("captured", [False, True])
def test_an_interrupted_run_leaves_no_fault(vulkan_device: str, captured: bool) -> None:
    runtime: Any = runtime_of(parse_device(vulkan_device))
    function = pumice.jit(taken) if captured else taken
    source = pumice.tensor(np.arange(10, dtype=np.float32)).to(vulkan_device)
    right = pumice.tensor(np.array([1, 2])).to(vulkan_device)
    wrong = pumice.tensor(np.array([1, 20])).to(vulkan_device)
    for _ in range(3):
        assert function(source, right).tolist() == [1, 2]
    table = Interrupting(runtime._queue._functions)
    with replaced(runtime, table), pytest.raises(KeyboardInterrupt):
        function(source, wrong)
    runtime.synchronize()
    assert function(source, right).tolist() == [1, 2]
    result = function(source, wrong)
    with pytest.raises(IndexOutOfRange, match="index 20"):
        result.tolist()
    assert function(source, right).tolist() == [1, 2]


def test_faults_of_several_plans_are_all_told(vulkan_device: str) -> None:
    source = pumice.tensor(np.arange(10, dtype=np.float32)).to(vulkan_device)
    wrong = pumice.tensor(np.array([1, 20])).to(vulkan_device)
    one, two = source[wrong].realize(), (source * 2)[wrong + 1].realize()
    for index in (20, 21):
        with pytest.raises(IndexOutOfRange, match=f"index {index}"):
            two.tolist()
    assert one.shape == two.shape
    assert source.tolist() == list(range(10))


def test_checks_cut_short_are_made_next_time() -> None:
    device, seen = parse_device("cpu"), []
    checks = PendingChecks()

    def interrupted() -> None:
        seen.append("interrupted")
        if len(seen) == 1:
            raise KeyboardInterrupt

    checks.add(device, 1, interrupted)
    checks.add(device, 2, lambda: seen.append("second"))
    with pytest.raises(KeyboardInterrupt):
        checks.run(device)
    checks.run(device)
    checks.run(device)
    assert seen == ["interrupted", "interrupted", "second"]
