"""The command line."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from pumice.cli import demo, devices
from pumice.cli.main import main
from pumice.data import load_digits
from pumice.interop import load


def test_devices_lists_the_cpu() -> None:
    console = Console(file=io.StringIO(), width=120)
    assert devices.show(console) == 0
    assert "cpu" in console.file.getvalue()  # type: ignore[attr-defined]


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
