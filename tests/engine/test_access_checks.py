"""``PUMICE_VULKAN_CHECK_ACCESS=1``: accesses outside of buffers raise and touch nothing."""

import subprocess
import sys
from os import environ

import pytest

PROGRAM = """
from dataclasses import replace

import numpy as np

import pumice
from pumice import nn
from pumice.engine import builder
from pumice.errors import InternalError

x = pumice.arange(1000, dtype=pumice.float32, device="vulkan")
table = x.reshape(20, 50)
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Flatten(), nn.Linear(4 * 18 * 48, 3)).to("vulkan")
model(table[None, None]).sum().backward()
assert np.isfinite(model[0].weight.grad.cpu().numpy()).all()
assert table.flip(1)[::3, 5:].softmax(1).cumsum(0).sort(1)[0].shape == (7, 45)

lower = builder.lower


def longer(schedule, target, memo=None):
    steps = []
    for step in lower(schedule, target, memo):
        bindings = [1005 if each == 1000 else each for each in step.bindings]
        grid = tuple(1005 if each == 1000 else each for each in step.grid)
        steps.append(replace(step, bindings=tuple(bindings), grid=grid))
    return steps


builder.lower = longer
for _ in range(2):
    y = x.sin()  # here
    try:
        y.cpu().numpy()
    except InternalError as error:
        print(error)
builder.lower = lower
np.testing.assert_allclose(y.cpu().numpy(), np.sin(np.arange(1000.0)), atol=1e-6)
np.testing.assert_array_equal((x + 1).cpu().numpy(), np.arange(1, 1001))
"""


@pytest.mark.vulkan
def test_a_wrong_size_is_told_with_the_kernel_and_the_line(vulkan_device: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environ | {"PUMICE_VULKAN_CHECK_ACCESS": "1"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    line = PROGRAM.splitlines().index("    y = x.sin()  # here") + 1
    told = result.stdout.splitlines()
    assert len(told) == 2
    for each in told:
        assert each.startswith("sin in kernel 0: element 100")
        assert f"lies outside of it and was left alone (at <string>:{line})" in each
        assert each.endswith("please report it)")
