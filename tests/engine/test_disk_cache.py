"""Compiled objects on disk: read back, refused when damaged, bounded."""

import dataclasses
import hashlib
import os
import time
from pathlib import Path

import pytest

from pumice.config import config
from pumice.engine import artifacts
from pumice.engine.statistics import statistics
from pumice.target import CPU, Artifact

ARTIFACT = Artifact("key", b"code" * 100, "entry", 3)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own = dataclasses.replace(config(), cache_directory=tmp_path, cache_limit_bytes=2000)
    monkeypatch.setattr(artifacts, "config", lambda: own)
    return tmp_path


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_was_written_is_read(folder: Path) -> None:
    artifacts.write_artifact("ab12", ARTIFACT)
    assert artifacts.read_artifact("ab12") == ARTIFACT
    assert artifacts.read_artifact("ab13") is None


def test_a_damaged_file_is_compiled_again(folder: Path) -> None:
    artifacts.write_artifact("ab12", ARTIFACT)
    (path,) = files(folder)
    whole = path.read_bytes()
    for content in (whole[:-1], whole[:10], b"", whole[:-4] + b"edoc"):
        path.write_bytes(content)
        assert artifacts.read_artifact("ab12") is None


def test_the_oldest_files_go_first(folder: Path) -> None:
    keys = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(12)]
    others = [folder / "a" / "bc" / "thesis.tex", folder / "kernels" / "ab" / "notes"]
    for other in others:
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_bytes(bytes(3000))
        os.utime(other, (0, 0))
    for age, key in enumerate(keys):
        artifacts.write_artifact(key, ARTIFACT)
        (path,) = (each for each in files(folder) if each.name == key)
        os.utime(path, (age, age))
    artifacts.trim()
    assert all(other.exists() for other in others), "files of others are not ours to remove"
    kept = set(files(folder)) - set(others)
    assert kept and sum(path.stat().st_size for path in kept) <= 2000
    assert artifacts.read_artifact(keys[-1]) == ARTIFACT
    assert artifacts.read_artifact(keys[0]) is None


def test_what_does_not_fit_the_disk_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    artifacts.write_artifact("ab12", ARTIFACT)
    assert files(folder) == []
    assert artifacts.read_artifact("ab12") is None


def test_without_a_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    own = dataclasses.replace(config(), cache_directory=None)
    monkeypatch.setattr(artifacts, "config", lambda: own)
    artifacts.write_artifact("ab12", ARTIFACT)
    artifacts.trim()
    assert artifacts.read_artifact("ab12") is None


def test_what_a_driver_compiles_counts_as_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    class Driver:
        def load(self, artifacts: list[Artifact]) -> list[str]:
            time.sleep(0.02)
            return [each.key for each in artifacts]

    monkeypatch.setattr(artifacts, "runtime_of", lambda _: Driver())
    before = statistics.compile_seconds
    assert artifacts.load_artifacts([ARTIFACT], CPU) == ["key"]
    assert statistics.compile_seconds - before >= 0.02


def test_a_file_that_cannot_be_removed_does_not_keep_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(12)]
    for age, key in enumerate(keys):
        artifacts.write_artifact(key, ARTIFACT)
        (path,) = (each for each in files(folder) if each.name == key)
        os.utime(path, (age, age))
    remove, look = Path.unlink, Path.stat

    def refusing(path: Path, missing_ok: bool = False) -> None:
        if path.name == keys[0]:
            raise PermissionError(13, "Permission denied")
        remove(path, missing_ok)

    def vanishing(path: Path, **options: bool) -> os.stat_result:
        if path.name == keys[1]:
            raise FileNotFoundError(2, "No such file or directory")
        return look(path, **options)

    monkeypatch.setattr(Path, "unlink", refusing)
    monkeypatch.setattr(Path, "stat", vanishing)
    artifacts.trim()
    monkeypatch.undo()
    left = {path.name for path in files(folder)}
    assert {keys[0], keys[1], keys[-1]} <= left
    assert not left & set(keys[2:8])
