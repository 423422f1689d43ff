"""Settings that cannot be understood name the variable."""

import subprocess
import sys
from os import environ

import pytest


@pytest.mark.parametrize("name", ["PUMICE_THREADS", "PUMICE_CACHE_LIMIT_MB"])
@pytest.mark.parametrize("text", ["abc", "-3"])
def test_a_number_is_asked_for(name: str, text: str) -> None:
    program = "import pumice; pumice.ones(2).sum().item()"
    result = subprocess.run(
        [sys.executable, "-c", program], env=environ | {name: text}, capture_output=True, text=True
    )
    assert result.returncode == 1
    assert f"{name} is '{text}'; allowed is a whole number" in result.stderr
