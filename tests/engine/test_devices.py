"""Names of devices, several devices at once, and features that are switched off."""

import subprocess
import sys
from os import environ

import pytest

import pumice
from pumice.engine.devices import parse_device
from pumice.errors import DeviceError, InvalidArgument
from pumice.target import CPU


def run(code: str, **settings: str) -> list[str]:
    """Return the lines that a process of its own prints under some settings."""
    command = [sys.executable, "-c", f"import pumice\n{code}"]
    result = subprocess.run(command, env=environ | settings, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_names_of_devices() -> None:
    assert parse_device("cpu") is parse_device("cpu:0") is CPU
    assert str(parse_device("vulkan")) == "vulkan:0"
    assert parse_device("vulkan:3") is pumice.device("vulkan", 3)
    assert pumice.device(CPU) is CPU


@pytest.mark.parametrize("name", ["gpu", "cpu:1", "", "cuda", "cuda:1"])
def test_other_names_are_refused(name: str) -> None:
    hint = "write 'vulkan' in place of 'cuda'" if "cuda" in name else "allowed are 'cpu'"
    with pytest.raises(DeviceError, match=f"device: got '{name}'; .*{hint}"):
        parse_device(name)


@pytest.mark.parametrize(
    "thing", [pumice.ones(1), pumice.nn.Linear(1, 1)], ids=["tensor", "module"]
)
def test_cuda_says_what_to_write(thing: object) -> None:
    with pytest.raises(DeviceError, match=r"every GPU is a Vulkan device: .to\('vulkan'\)"):
        thing.cuda(0)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"device='vulkan'; pumice.vulkan has the functions"):
        _ = pumice.cuda


@pytest.mark.vulkan
def test_a_device_by_its_name_and_uuid(vulkan_device: str) -> None:
    name = pumice.vulkan.get_device_name()
    known = pumice.vulkan.get_device_properties(name and f"vulkan:{name.upper()}")
    assert known.name == name and known.usable
    assert known.subgroup_size >= 1 and known.total_memory > 0
    assert pumice.device(f"vulkan:{known.uuid}") is pumice.device(vulkan_device)
    assert pumice.vulkan.is_available() and pumice.vulkan.device_count() >= 1
    with pytest.raises(DeviceError, match="vulkan:quadro 9000: no such device.*vulkan:0 "):
        pumice.device("vulkan:quadro 9000")


@pytest.mark.vulkan
def test_memory_of_a_device(vulkan_device: str) -> None:
    before = pumice.vulkan.memory_allocated()
    held = pumice.ones(1000, device=vulkan_device).realize()
    pumice.vulkan.synchronize()
    assert pumice.vulkan.memory_allocated() >= before + held.numel() * 4
    assert pumice.vulkan.max_memory_allocated() >= pumice.vulkan.memory_allocated()
    assert pumice.vulkan.memory_reserved() >= pumice.vulkan.memory_allocated()
    with pytest.raises(InvalidArgument, match="got the device 'cpu'; it must be a Vulkan device"):
        pumice.vulkan.memory_allocated("cpu")


@pytest.mark.vulkan
def test_features_are_switched_off_before_first_use(vulkan_device: str) -> None:
    pumice.ones(1, device=vulkan_device).realize()
    with pytest.raises(DeviceError, match="vulkan:0 is in use; switch off before first use"):
        pumice.vulkan.disable_features("float64", device=vulkan_device)
    with pytest.raises(InvalidArgument, match="got 'float23'; allowed are float64, int64"):
        pumice.vulkan.disable_features("float23", device="vulkan:1")


SEVERAL = """
a = pumice.arange(6.0, device="vulkan:0", requires_grad=True)
b = a.to("vulkan:1") * 2
c = b.to("cpu") + 1
print(a.device, b.device, c.tolist())
try:
    (a + b).tolist()
except pumice.DeviceError as error:
    print(error)
(a.grad,) = pumice.grad((b * b).sum().to("cpu"), (a,))
print(a.grad.device, a.grad.tolist())
pumice.vulkan.disable_features("float64", device=2)
refused = pumice.vulkan.get_device_properties(2).refused
print(len(refused), pumice.ones(2, device="vulkan:2").tolist())
try:
    pumice.ones(2, dtype=pumice.float64).to("vulkan:2")
except pumice.UnsupportedOperation as error:
    print(error)
"""


@pytest.mark.vulkan
def test_several_devices_at_once(vulkan_device: str) -> None:
    lines = run(SEVERAL, PUMICE_VULKAN_DEVICES="0,0,0")
    assert lines[0] == "vulkan:0 vulkan:1 [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]"
    assert "add: operands are on vulkan:0 and vulkan:1" in lines[1]
    assert lines[2] == "vulkan:0 [0.0, 8.0, 16.0, 24.0, 32.0, 40.0]"
    assert lines[3] == "0 [1.0, 1.0]"
    assert "to: got float64, which vulkan:2 (" in lines[4]


HIDDEN = """
print(pumice.vulkan.is_available(), pumice.vulkan.device_count())
try:
    pumice.ones(2, device="vulkan").tolist()
except pumice.DeviceError as error:
    print(error)
print(pumice.ones(2).tolist())
"""


@pytest.mark.vulkan
def test_hidden_devices(vulkan_device: str) -> None:
    lines = run(HIDDEN, PUMICE_VULKAN_DEVICES="none")
    assert lines[0] == "False 0"
    assert lines[1].startswith("ones (device): vulkan:0: no such device; devices found: none (at ")
    assert lines[2:] == ["[1.0, 1.0]"]


@pytest.mark.vulkan
def test_a_device_that_is_not_there_is_missed_when_a_tensor_is_made(vulkan_device: str) -> None:
    """Its name is taken, as in PyTorch: whoever only names it may find another."""
    elsewhere = pumice.device("vulkan:77")
    host = pumice.ones(2)
    for make in (
        lambda: pumice.ones(2, device=elsewhere),
        lambda: pumice.tensor([1.0], device="vulkan:77"),
        lambda: pumice.arange(3, device=elsewhere),
        lambda: pumice.rand(3, device=elsewhere),
        lambda: pumice.eye(3, device=elsewhere),
        lambda: host.to(elsewhere),
        lambda: pumice.zeros_like(host, device=elsewhere),
    ):
        with pytest.raises(
            DeviceError, match="vulkan:77: no such device; devices found: vulkan:0 "
        ):
            make()
    with elsewhere, pytest.raises(DeviceError, match="devices found"):
        pumice.ones(2)


WITHOUT_FLOAT64 = """
device = "vulkan"
print(pumice.arange(0, 2, 0.5, device=device).tolist())
print(pumice.linspace(0, 1, 4, device=device).tolist() == pumice.linspace(0, 1, 4).tolist())
print(pumice.logspace(0, 2, 3, device=device).tolist())
counts = pumice.tensor([0.25, 0.75, 0.0], device=device).multinomial(20000, replacement=True)
print(*(pumice.bincount(counts, minlength=3) / 1000).round().tolist())
close = pumice.isclose(pumice.tensor([1, 5], device=device), pumice.tensor([1, 6], device=device))
print(close.tolist())


@pumice.jit
def drawn(x):
    return pumice.arange(0.0, 3.0, device=device) + pumice.multinomial(x, 3, replacement=True) * 0


print([drawn(pumice.ones(4, device=device)).tolist() for _ in range(4)][-1])
for attempt in (
    lambda x: x.double(),
    lambda x: pumice.ones(2, dtype=pumice.float64, device=device).tolist(),
    lambda x: pumice.float_power(x, 2).tolist(),
):
    try:
        attempt(pumice.ones(2, device=device))
    except pumice.UnsupportedOperation as error:
        print(error)
"""


@pytest.mark.vulkan
def test_nothing_but_float64_needs_float64(vulkan_device: str) -> None:
    lines = run(WITHOUT_FLOAT64, PUMICE_VULKAN_DISABLE="float64")
    assert lines[:6] == [
        "[0.0, 0.5, 1.0, 1.5]",
        "True",
        "[1.0, 10.0, 100.0]",
        "5.0 15.0 0.0",
        "[True, False]",
        "[0.0, 1.0, 2.0]",
    ]
    assert len(lines) == 9
    for line in lines[6:]:
        assert "got float64, which vulkan:0 (" in line and "(at <string>:" in line
