"""`tools/gpu_check.py`: what it shows, the packages it unpacks, and a run on a device."""

import importlib.util
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from benchmarks.gpu import CHECKED, LIMITS, framework_of, measure
from benchmarks.rows import ROWS

ROOT = Path(__file__).resolve().parents[2]


def script() -> Any:
    specification = importlib.util.spec_from_file_location("gpu_check", ROOT / "tools/gpu_check.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["gpu_check"] = module  # dataclasses look it up
    specification.loader.exec_module(module)
    return module


def test_the_rows_exist() -> None:
    assert set(CHECKED) <= set(ROWS)
    assert len(set(CHECKED)) == len(CHECKED)


def test_shares_and_predictions_follow_from_costs() -> None:
    check = script()
    result = check.Result(machine={"device": "NVIDIA H200", "details": ""})
    result.rows = {
        "copy": {"pumice": {"seconds": 1e-3, "bytes": 4e9, "flop": 0.0}},
        "softmax": {
            "pumice": {"seconds": 2e-3, "bytes": 4.8e9, "flop": 1e9},
            "torch": {"seconds": 3e-3, "bytes": 4.8e9, "flop": 1e9},
        },
        "matmul": {
            "pumice": {"seconds": 4e-3, "bytes": 1e6, "flop": 67e9},
            "torch": {"problem": "RuntimeError: nothing there"},
        },
        "matmul_bf16": {"pumice": {"seconds": 1.0, "bytes": 1e6, "flop": 98.9e12}},
        "sort": {"pumice": {"problem": "took longer than 60 s"}},
    }
    copy, softmax, matmul, narrow, sort = check.table(result)[2:]
    assert "| 83% |" in copy
    assert softmax == "| softmax | 2.000 ms | 3.000 ms | 1.50 | 60% | 50% | 1% | 1.000 ms | 50% |"
    assert "| RuntimeError: nothing there |" in matmul and "| 25% | 1.000 ms | 25% |" in matmul
    assert "| 10% | 100.000 ms | 10% |" in narrow
    assert sort.startswith("| sort | took longer than 60 s |")
    result.not_reached = ["gpt2_train"]
    page = check.page(result)
    assert "- copy: 4000.0 GB/s" in page and "Not reached in time: gpt2_train." in page


def test_wheels_that_fit_are_unpacked(tmp_path: Path) -> None:
    check = script()
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    for name in (
        f"thing-1.0-{tag}-{tag}-manylinux.whl",
        "thing-1.0-cp27-cp27-manylinux.whl",
        "unwanted_numpy-1-py3-none-any.whl",
    ):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(f"{name.split('-')[2]}.py", "")
    check.unpack(tmp_path, ["thing"], tmp_path / "there")
    assert {each.name for each in (tmp_path / "there").iterdir()} == {f"{tag}.py", "py3.py"}


def test_a_process_that_ends_is_told_and_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    check = script()
    program = "import sys; name = sys.stdin.readline().strip(); name == 'end' and sys.exit('gone');"
    program += " print('{\"row\": \"' + name + '\"}', flush=True); sys.stdin.readline()"
    worker = check.Worker("pumice", "cpu", small=True)
    worker._command = [sys.executable, "-c", program]
    assert worker.run("end", 60) == {"problem": "gone"}
    assert worker.run("softmax", 60) == {"row": "softmax"}
    worker.stop()
    worker._command = [sys.executable, "-c", "input(); input()"]
    assert worker.run("softmax", 1) == {"problem": "took longer than 1 s"}


@pytest.mark.parametrize("name", [*LIMITS, "softmax", "mlp_train"])
@pytest.mark.parametrize("framework", ["pumice", "torch"])
def test_rows_are_timed(framework: str, name: str) -> None:
    said = measure(framework_of(framework, "cpu"), name, 0.01, small=True)
    assert 0 < said["seconds"] < 10
    assert said["bytes"] + said["flop"] > 0


@pytest.mark.vulkan
def test_the_whole_script(vulkan_device: str, tmp_path: Path) -> None:
    options = ["--small", "--torch-cpu", "--seconds", "400", "--only", "neg float32"]
    result = subprocess.run(
        [sys.executable, "tools/gpu_check.py", *options, "--output", tmp_path, "--rows", "add_row"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    found = json.loads((tmp_path / "gpu_check.json").read_text())
    assert set(found["rows"]["add_row"]) == {"pumice", "torch"}
    assert found["rows"]["add_row"]["pumice"]["seconds"] > 0
    assert found["selftest"]["status"] == 0
    page = (tmp_path / "gpu_check.md").read_text()
    assert "every result is right" in page and "| add_row |" in page
    assert (tmp_path / "selftest.md").exists()
