"""Makes the helper modules of this folder importable, and lets devices refuse what they lack."""

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pumice.errors import DeviceError

sys.path.insert(0, str(Path(__file__).parent))

_REFUSALS = {
    "it lacks 64-bit floats (shaderFloat64)": "float64",
    "need 64-bit integers (shaderInt64), which the device lacks": "int64",
}
"""How what is neither there nor emulated is refused, and the limit of the target that tells it."""


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """On a device that lacks what a kernel is about, the kernel must be refused, naming it."""
    try:
        return (yield)
    except DeviceError as error:
        runtime: Any = pyfuncitem.funcargs.get("vulkan_runtime")
        lacking = [limit for text, limit in _REFUSALS.items() if str(error).endswith(text)]
        if runtime is None or not lacking or runtime.target.limits[lacking[0]]:
            raise
        return True
