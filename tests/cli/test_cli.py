"""The command line."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import pumice
from pumice.cli import demo, devices
from pumice.cli.main import main
from pumice.data import load_digits
from pumice.interop import load
from pumice.runtime.vulkan import physical
from pumice.runtime.vulkan.constants import PhysicalDeviceType


def test_devices_lists_the_cpu() -> None:
    console = Console(file=io.StringIO(), width=120)
    assert devices.show(console) == 0
    assert "cpu" in console.file.getvalue()  # type: ignore[attr-defined]


def test_devices_says_what_a_gpu_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = dict.fromkeys((*physical.CORE_FEATURES, *physical.FEATURES_1_1), False)
    device = physical.DeviceDescription(
        index=0,
        name="Some GPU",
        type=PhysicalDeviceType.INTEGRATED,
        usable=True,
        reason="",
        driver="driver 1",
        api_version=(1, 2, 3),
        vendor=1,
        device=2,
        pipeline_cache_uuid=b"",
        features=dict.fromkeys(physical.FEATURES_1_2, True) | lacking,
        limits={"maxComputeSharedMemorySize": 16384},
        heaps=(physical.Heap(1 << 30, True),),
        memory_types=(),
        queue_family=0,
        extensions=frozenset(),
        handle=None,
    )
    monkeypatch.setattr(devices, "enumerate_devices", lambda: [device])
    console = Console(file=io.StringIO(), width=250)
    assert devices.show(console) == 0
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    for text in ("Some GPU", "1.0 GiB", "no ", "float64", "not guaranteed: float32 subnormals"):
        assert text in shown


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
