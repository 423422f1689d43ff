"""Shared by all tests: a cache of their own, the devices they run on, golden texts."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.required import skip_without_vulkan

_CACHE = "PUMICE_CACHE_DIR"
_own_cache = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the golden texts from this run"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled objects of this run in a folder that goes away with it.

    Worker processes inherit the variable, so they share what they compile.
    """
    if _CACHE not in os.environ:
        config.stash[_own_cache] = tempfile.mkdtemp(prefix="pumice-tests-")
        os.environ[_CACHE] = config.stash[_own_cache]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse names with addresses: worker processes would not agree on them."""
    for item in items:
        if " at 0x" in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid}: give the cases names of their own (ids=)")


def pytest_unconfigure(config: pytest.Config) -> None:
    directory = config.stash.get(_own_cache, None)
    if directory is not None:
        del os.environ[_CACHE]
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def vulkan_device() -> Iterator[str]:
    """The name of a usable Vulkan device.

    Without one the test is skipped, except where PUMICE_REQUIRE_VULKAN asks for it to fail. With
    PUMICE_VULKAN_VALIDATION set, the validation layer must have had nothing to say in the end.
    """
    from pumice.engine.devices import parse_device, runtime_of
    from pumice.errors import DeviceError

    try:
        runtime = runtime_of(parse_device("vulkan"))
    except DeviceError as problem:
        skip_without_vulkan(f"no usable Vulkan device: {problem}")
    yield "vulkan"
    messages = runtime.validation_messages()  # type: ignore[attr-defined]
    assert not messages, "\n".join(messages)


@pytest.fixture(scope="session")
def vulkan_runtime() -> Any:
    """A Vulkan device by itself, under the validation layer, which must be installed.

    Skipped and required as `vulkan_device` is.
    """
    from pumice.errors import DeviceError
    from pumice.runtime.vulkan import VulkanRuntime

    try:
        return VulkanRuntime(validation=True)
    except DeviceError as problem:
        skip_without_vulkan(f"no usable Vulkan device: {problem}")


@pytest.fixture(params=["cpu", pytest.param("vulkan", marks=pytest.mark.vulkan)])
def device(request: pytest.FixtureRequest) -> str:
    """The name of each device in turn."""
    name: str = request.param
    return request.getfixturevalue("vulkan_device") if name == "vulkan" else name


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return a check that a text equals ``golden/<name>.txt`` beside the test file."""
    folder = request.path.parent / "golden"

    def check(name: str, text: str) -> None:
        path = folder / f"{name}.txt"
        if request.config.getoption("--update-golden"):
            folder.mkdir(exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"{path} is missing: run pytest with --update-golden and read it"
        assert text == path.read_text(), f"{path} differs: read it, then --update-golden"

    return check
