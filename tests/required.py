"""What a machine may lack, and a check of everything may not."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
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


@contextmanager
def every_feature() -> Iterator[None]:
    """Let devices that are opened meanwhile have what they have, whatever is switched off."""
    from pumice.config import config

    everything = replace(config(), vulkan_disable=())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pumice.runtime.vulkan.runtime.config", lambda: everything)
        yield
