"""Settings that cannot be understood name the variable; without a home nothing is kept."""

import re
import subprocess
import sys
from os import environ
from pathlib import Path

import pytest

from pumice.config import config
from pumice.runtime.vulkan.switches import SWITCHES


@pytest.mark.parametrize("name", ["PUMICE_THREADS", "PUMICE_CACHE_LIMIT_MB"])
@pytest.mark.parametrize("text", ["abc", "-3"])
def test_a_number_is_asked_for(name: str, text: str) -> None:
    program = "import pumice; pumice.ones(2).sum().item()"
    result = subprocess.run(
        [sys.executable, "-c", program], env=environ | {name: text}, capture_output=True, text=True
    )
    assert result.returncode == 1
    assert f"{name} is '{text}'; allowed is a whole number" in result.stderr


def test_a_user_without_a_home_keeps_nothing_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("PUMICE_CACHE_DIR", "PUMICE_DISK_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert config.__wrapped__().cache_directory is None
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert config.__wrapped__().cache_directory == Path("/somewhere/pumice")
    monkeypatch.setenv("PUMICE_DISK_CACHE", "0")
    assert config.__wrapped__().cache_directory is None


def test_the_guide_lists_all_switches() -> None:
    guide = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "devices.md").read_text()
    (row,) = [line for line in guide.splitlines() if line.startswith("| `PUMICE_VULKAN_DISABLE`")]
    assert re.findall("`([a-z0-9_]+)`", row) == list(SWITCHES)


def test_spaces_around_a_setting_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUMICE_THREADS", " 4")
    monkeypatch.setenv("PUMICE_CACHE_LIMIT_MB", "12 \n")
    monkeypatch.setenv("PUMICE_VERIFY", " 0 ")
    found = config.__wrapped__()
    assert (found.threads, found.cache_limit_bytes, found.verify) == (4, 12 << 20, False)
