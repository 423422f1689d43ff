"""What a machine may lack, and a check of everything may not."""

import os
from typing import NoReturn

import pytest


def skip_without_vulkan(reason: str) -> NoReturn:
    """Skip a test, except where PUMICE_REQUIRE_VULKAN asks for it to fail."""
    if os.environ.get("PUMICE_REQUIRE_VULKAN", "") not in ("", "0"):
        pytest.fail(reason)
    pytest.skip(reason)
