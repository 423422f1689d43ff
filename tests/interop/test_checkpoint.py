"""Saving and loading: round trips, other programs' files, damage and interruption."""

import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch

import pumice
from pumice import dtypes, nn, optim
from pumice.errors import InvalidArgument
from pumice.interop import load, save
from pumice.interop import safetensors as own
from pumice.tensor.convert import tensor
from pumice.tensor.tensor import Tensor


def plain(value: Any) -> Any:
    """Return a saved value with lists for tensors."""
    if isinstance(value, Tensor):
        return (value.dtype.name, value.shape, value.tolist())
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(plain(part) for part in value)
    return value


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)], ids=str)
def test_every_dtype_and_shape(tmp_path: Path, dtype: dtypes.DType, shape: tuple[int, ...]) -> None:
    values = tensor(np.arange(np.prod(shape)).reshape(shape), dtype=dtype)
    save({"x": values}, tmp_path / "file")
    assert plain(load(tmp_path / "file")) == {"x": plain(values)}


def test_nested_values(tmp_path: Path) -> None:
    value = {
        "model": {"a.b": tensor([1.0]), "a": {"b": tensor([2])}},
        "state": {0: {"step": tensor(3.0), "lr": 1e-3}, 1: {}},
        "betas": (0.9, float("inf")),
        "names": ["x", None, True, 7],
        "__metadata__": tensor([True]),
    }
    save(value, tmp_path / "file")
    assert plain(load(tmp_path / "file")) == plain(value)
    save(tensor([4.0]), tmp_path / "file")
    assert load(tmp_path / "file").tolist() == [4.0]
    save([1, 2], tmp_path / "file")
    assert load(tmp_path / "file") == [1, 2]


def test_one_tensor_in_two_places_stays_one(tmp_path: Path) -> None:
    shared = tensor([1.0])
    save([shared, shared, tensor([1.0])], tmp_path / "file")
    first, second, third = load(tmp_path / "file")
    assert first is second
    assert first is not third


def test_views_are_saved_as_what_they_show(tmp_path: Path) -> None:
    base = tensor(np.arange(6.0).reshape(2, 3))
    save({"t": base.transpose(0, 1), "e": base[:, :1].expand(2, 3)}, tmp_path / "file")
    loaded = load(tmp_path / "file")
    assert loaded["t"].tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    assert loaded["e"].tolist() == [[0.0, 0.0, 0.0], [3.0, 3.0, 3.0]]


def test_training_continues_bit_for_bit(tmp_path: Path) -> None:
    def make() -> tuple[nn.Module, optim.Optimizer]:
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
        return model, optim.AdamW(model.parameters(), lr=0.1)

    def step(model: nn.Module, optimizer: optim.Optimizer) -> None:
        x = tensor(np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32))
        optimizer.zero_grad()
        (model(x) ** 2).mean().backward()
        optimizer.step()

    model, optimizer = make()
    step(model, optimizer)
    checkpoint = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 1}
    save(checkpoint, tmp_path / "file")
    step(model, optimizer)
    other, resumed = make()
    loaded = load(tmp_path / "file")
    other.load_state_dict(loaded["model"])
    resumed.load_state_dict(loaded["optimizer"])
    assert loaded["epoch"] == 1
    step(other, resumed)
    assert plain(other.state_dict()) == plain(model.state_dict())


def test_files_of_torch(tmp_path: Path) -> None:
    theirs = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    theirs[0].weight.data = theirs[0].weight.data.bfloat16()
    safetensors.torch.save_file(theirs.state_dict(), tmp_path / "file")
    loaded = load(tmp_path / "file")
    assert loaded["0.weight"].dtype is dtypes.bfloat16
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    model.load_state_dict(loaded)
    for name, value in theirs.state_dict().items():
        assert model.state_dict()[name].tolist() == value.tolist()


def test_other_programs_read_ours(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    state = {**model.state_dict(), "half": tensor([1.5, -2.0], dtype=dtypes.bfloat16)}
    save(state, tmp_path / "file")
    loaded = safetensors.torch.load_file(tmp_path / "file")
    assert set(loaded) == set(state)
    for name, value in state.items():
        assert loaded[name].tolist() == value.tolist()
    assert loaded["half"].dtype is torch.bfloat16


def test_unsupported_values(tmp_path: Path) -> None:
    for value, text in (
        ({"a": [nn.Linear(1, 1)]}, r"got a value of type Linear at a\.0; .*state_dict"),
        ({(1, 2): 3}, "got a dict key of type tuple at the top"),
    ):
        with pytest.raises(InvalidArgument, match=text):
            save(value, tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def header(fields: Any, data: bytes = b"") -> bytes:
    text = json.dumps(fields).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(**changes: Any) -> dict[str, Any]:
    return {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "header too small"),
        (b"\xff" * 8, "header too large"),
        (struct.pack("<Q", 99) + b"{}", "invalid header length"),
        (struct.pack("<Q", 2) + b"{x", "invalid JSON in header"),
        (header([]), "invalid JSON in header"),
        (header({"__metadata__": {"a": 1}}), "expected a string"),
        (header({"x": {}}), "missing field `dtype`"),
        (
            header({"x": entry(dtype="F8_E4M3", data_offsets=[0, 2])}, bytes(2)),
            "'x' has the dtype F8_E4M3; allowed",
        ),
        (header({"x": entry(shape=[-2])}, bytes(8)), "invalid value"),
        (header({"x": entry(shape=[3])}, bytes(8)), "invalid shape, data type, or offset"),
        (header({"x": entry()}, bytes(7)), "not fully covered"),
        (header({"x": entry()}, bytes(9)), "not fully covered"),
        (header({"x": entry(), "y": entry()}, bytes(8)), "invalid offset for tensor `[xy]`"),
        (header({"x": entry(data_offsets=[4, 12])}, bytes(12)), "invalid offset for tensor `x`"),
        (
            header({"__metadata__": {"pumice.structure": '{"value": {"run": "code"}}'}}),
            "description of the saved value is damaged",
        ),
        (
            header({"__metadata__": {"pumice.structure": '{"value": {"tensor": "x"}}'}}),
            "description of the saved value is damaged",
        ),
    ],
)
def test_damaged_files(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InvalidArgument, match=text):
        load(path)


def test_every_cut_of_a_file_is_noticed(tmp_path: Path) -> None:
    save({"x": tensor([1.0, 2.0])}, tmp_path / "file")
    whole = (tmp_path / "file").read_bytes()
    for length in range(len(whole)):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(InvalidArgument):
            load(tmp_path / "cut")


def test_an_exception_while_writing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    save({"x": tensor([1.0])}, path)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(own.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save({"x": tensor([2.0])}, path)
    monkeypatch.undo()
    assert load(path)["x"].tolist() == [1.0]
    assert list(tmp_path.iterdir()) == [path]


def test_everything_is_synced_before_the_name_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(own.os, "fsync", lambda each: (calls.append("sync"), sync(each))[1])
    monkeypatch.setattr(own.os, "replace", lambda *each: (calls.append("replace"), replace(*each)))
    save({"x": tensor([1.0])}, tmp_path / "file")
    assert calls[:2] == ["sync", "replace"]


KILLED = """
import sys, time
from pathlib import Path
from pumice.interop.safetensors import replace_file

def fill(file):
    file.write(b"half of the new file")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)

replace_file(Path(sys.argv[1]), fill)
"""


def test_a_killed_process_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    save({"x": tensor([1.0])}, path)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert load(path)["x"].tolist() == [1.0]
    save({"x": tensor([2.0])}, path)
    assert load(path)["x"].tolist() == [2.0]


def test_readers_see_the_old_or_the_new_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    save({"x": tensor([0.0])}, path)
    deadline = time.monotonic() + 0.3
    seen = set()
    number = 0
    while time.monotonic() < deadline:
        kept = load(path)["x"]
        number += 1
        save({"x": tensor([float(number)])}, path)
        seen.add(kept.item())
    assert seen == set(range(number))


def test_a_file_of_torch_save_is_refused_with_what_to_do(tmp_path: Path) -> None:
    torch.save({"x": torch.ones(2)}, tmp_path / "file")
    with pytest.raises(InvalidArgument, match="may be a pickle.*safetensors.torch.save_file"):
        load(tmp_path / "file")


def test_a_header_whose_length_looks_like_a_pickle_is_read(tmp_path: Path) -> None:
    fields = {"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    text = json.dumps(fields).encode().ljust(640)
    (tmp_path / "file").write_bytes(struct.pack("<Q", len(text)) + text + struct.pack("<f", 2.0))
    assert (tmp_path / "file").read_bytes().startswith(b"\x80\x02")
    assert load(tmp_path / "file")["x"].tolist() == [2.0]


def test_load_takes_the_arguments_of_torch(tmp_path: Path, device: str) -> None:
    path = tmp_path / "x.safetensors"
    pumice.save({"x": pumice.ones(2)}, path)
    loaded = pumice.load(path, map_location=device, weights_only=True)
    assert loaded["x"].device == pumice.device(device)
    with pytest.raises(pumice.InvalidArgument, match="pickles are not read"):
        pumice.load(path, weights_only=False)
    with pytest.raises(pumice.InvalidArgument, match="both device and map_location"):
        pumice.load(path, "cpu", map_location="cpu")
