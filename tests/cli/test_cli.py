"""The command line."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import pumice
from pumice.cli import demo, devices
from pumice.cli.main import main
from pumice.data import load_digits
from pumice.interop import load
from pumice.testing.devices import described_device


def test_devices_lists_the_cpu() -> None:
    console = Console(file=io.StringIO(), width=120)
    assert devices.show(console) == 0
    assert "cpu" in console.file.getvalue()  # type: ignore[attr-defined]


def shown(monkeypatch: pytest.MonkeyPatch, device: Any, verbose: bool = False) -> str:
    """Return what the command prints where there is one device."""
    monkeypatch.setattr(devices, "enumerate_devices", lambda: [device])
    console = Console(file=io.StringIO(), width=250)
    assert devices.show(console, verbose) == 0
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_devices_says_what_a_gpu_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = ("shaderFloat64", "shaderDenormPreserveFloat32")
    text = shown(monkeypatch, described_device("Some GPU", lacking=lacking))
    for part in ("Some GPU", "8.0 GiB", "no ", "float64", "not guaranteed: float32 subnormals"):
        assert part in text
    assert "shaderInt64" not in text


def test_devices_tells_everything_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    device = described_device(
        "Some GPU", lacking=("shaderFloat64", "shaderFloat16"), subgroup_sizes=(32, 8, 64)
    )
    text = shown(monkeypatch, device, verbose=True)
    for part in (
        device.uuid.hex(),
        "32 (8 to 64 can be asked for)",
        "float16 arithmetic in float32",
        "maxComputeSharedMemorySize",
        "16,384",
        "timelineSemaphore",
        "required",
        "float_controls",
        "0, of the device",
        "device_local",
    ):
        assert part in text
    refused = next(line for line in text.splitlines() if "refused" in line)
    assert "float64" in refused and "float32" not in refused


def test_devices_says_why_one_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    device = described_device("Old GPU", usable=False, reason="its driver is old", features={})
    assert shown(monkeypatch, device, verbose=True).count("its driver is old") == 2


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"pumice {pumice.__version__}\n"


def test_the_package_runs_as_the_command() -> None:
    command = [sys.executable, "-m", "pumice", "--version"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == f"pumice {pumice.__version__}\n"


def test_unknown_device_is_a_plain_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--device", "tpu"]) == 1
    assert "pumice: device: got 'tpu'" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["demo", "--epochs", "0"], ["fly"]])
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


def test_demo_learns_saves_and_repeats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "digits.safetensors"
    assert main(["demo", "--epochs", "1", "--seed", "4", "--output", str(path)]) == 0
    printed = capsys.readouterr().out
    for text in ("test accuracy", "images per second", "kernels per step", "saved"):
        assert text in printed
    model = demo.build_model()
    model.load_state_dict(load(path))
    accuracy = demo.measure_accuracy(model, load_digits("test"))
    assert accuracy > 0.8
    again = demo.train(demo.Settings(epochs=1, seed=4), lambda epoch, loss: None)
    assert again.accuracy == accuracy
    saved = load(path)
    for name, value in again.model.state_dict().items():
        assert value.tolist() == saved[name].tolist()
