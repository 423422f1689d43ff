"""``PUMICE_VULKAN_GUARD``: what is read or written where nothing lies shows."""

import subprocess
import sys
from os import environ

import pytest

PROGRAM = """
import numpy as np

import pumice
from pumice.engine.devices import parse_device, runtime_of
from pumice.errors import InternalError

x = pumice.arange(1000, dtype=pumice.float32, device="vulkan")
table = x.reshape(20, 50)
assert table.flip(1)[::3, 5:].softmax(1).cumsum(0).sort(1)[0].shape == (7, 45)
np.testing.assert_array_equal((x + 1).cpu().numpy(), np.arange(1, 1001))
runtime = runtime_of(parse_device("vulkan"))
new = runtime.allocate(14)
print(runtime.read(new, 0, 12).hex())
whole, start = new._piece.block.view, new.offset


def told(action):
    try:
        action()
    except InternalError as error:
        print(error)


whole[start + 14] = 9  # in the word that holds the last of the 14 bytes
told(runtime.synchronize)
runtime.synchronize()
runtime.write(new, 0, memoryview(bytes(14)))
runtime.synchronize()
del new
runtime.memory_statistics()  # takes back what is free
whole[start + 32] = 9
told(lambda: runtime.allocate(14))
"""


@pytest.mark.vulkan
@pytest.mark.parametrize(("pattern", "new"), [("nan", "ffffff7f" * 3), ("zero", "00000000" * 3)])
def test_what_lies_outside_is_filled_and_checked(
    vulkan_device: str, pattern: str, new: str
) -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environ | {"PUMICE_VULKAN_GUARD": pattern},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    first, behind, unowned = result.stdout.splitlines()
    assert first == new
    assert behind.startswith("1 words were written among the bytes behind 14 of a buffer, the")
    assert unowned.startswith("1 words were written among the bytes that nothing owned, the first")
    assert "at 32" in unowned


def test_an_unknown_pattern_is_told() -> None:
    result = subprocess.run(
        [sys.executable, "-c", "import pumice; pumice.ones(2).sum().item()"],
        env=environ | {"PUMICE_VULKAN_GUARD": "1"},
        capture_output=True,
        text=True,
    )
    assert "PUMICE_VULKAN_GUARD is '1'; allowed is nan or zero" in result.stderr
