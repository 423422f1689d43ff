"""What a machine may lack, and a check of everything may not."""

import os
from typing import NoReturn

import pytest


def skip_without_vulkan(reason: str) -> NoReturn:
    """Skip a test, except where PUMICE_REQUIRE_VULKAN asks for it to fail."""
    if os.environ.get("PUMICE_REQUIRE_VULKAN", "") not in ("", "0"):
        pytest.fail(reason)
    pytest.skip(reason)


def computes_with(device: str, name: str) -> bool:
    """Tell whether a device computes with an element type; if not, it must say so clearly."""
    from pumice import dtypes, tensor
    from pumice.engine.devices import parse_device, runtime_of
    from pumice.errors import UnsupportedOperation

    dtype = dtypes.BY_NAME[name]
    if dtype not in runtime_of(parse_device(device)).target.unsupported:
        return True
    with pytest.raises(UnsupportedOperation, match=f"got {name}, which {device}.* cannot compute"):
        tensor([1, 0], dtype=dtype, device=device)
    return False
