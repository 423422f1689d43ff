"""Plans on disk: what a process planned, another one runs without the compiler."""

import dataclasses
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pumice
from pumice.config import config
from pumice.engine import artifacts, cache, compiled, stored
from pumice.engine.families import Families
from pumice.engine.faults import Named
from pumice.engine.keys import Walk
from pumice.engine.memory import download
from pumice.engine.planning import layout_of
from pumice.engine.stored import plan_key, read_plan, write_plan
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.definition import registry
from pumice.ops.view import View
from pumice.schedule.sources import resolve
from pumice.target import CPU

PROGRAM = """
import sys
import numpy as np
import pumice
x = pumice.tensor(np.arange(12, dtype=np.float32).reshape(3, 4), requires_grad=True)
w = pumice.tensor(np.ones((4, 5), np.float32) / 8, requires_grad=True)
optimizer = pumice.optim.SGD([w], lr=0.5, momentum=0.9)
step = None

@pumice.jit
def step(x):
    optimizer.zero_grad()
    loss = ((x @ w).tanh() * 3).sum()
    loss.backward()
    optimizer.step()
    return loss.detach()

print(*[float(step(x)) for _ in range(4)])
try:
    (pumice.arange(3)[pumice.tensor([1, 7])] * 2).numpy()
except pumice.IndexOutOfRange as problem:
    print(problem)
print("pumice.lowering.lower" in sys.modules, "pumice.kernel.ir" in sys.modules)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own = dataclasses.replace(config(), cache_directory=tmp_path, verify=False)
    for module in (artifacts, stored):
        monkeypatch.setattr(module, "config", lambda: own)
    # Kernels that other tests compiled are not known, so that they are written here too.
    monkeypatch.setattr(cache, "_kernels", cache.KernelCache())
    return tmp_path


def run(folder: Path) -> list[str]:
    settings = {"PUMICE_CACHE_DIR": str(folder), "PUMICE_VERIFY": "0", "PUMICE_DISK_CACHE": "1"}
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **settings},
    )
    return found.stdout.splitlines()


def test_a_second_process_needs_no_compiler(tmp_path: Path) -> None:
    values, problem, compiler = run(tmp_path)
    assert compiler == "True True"
    again, same_problem, nothing = run(tmp_path)
    assert again == values
    # The error names the line of this run, and asks the compiler what its code means.
    assert same_problem == problem
    assert "index 7 is out of range for a tensor of shape [3]" in problem
    assert nothing.startswith("False")


def graph() -> tuple[Walk, tuple[Any, ...], Sequence[int], list[Node]]:
    x = pumice.tensor(np.ones((3, 8), np.float32))
    y = (x.exp() @ x.T).softmax(-1) * 0.5
    index = pumice.tensor(np.zeros(2, np.int64))
    roots = [resolve(each.detach().node) for each in (y, x[index].sum(0))]
    walk = Walk(roots)
    entries, wanted = walk.key(roots)
    return walk, entries, wanted, roots


def test_what_was_written_is_read(folder: Path) -> None:
    walk, entries, wanted, _ = graph()
    key = plan_key(entries, wanted, CPU)
    assert key is not None
    layout, extents = layout_of(entries, walk.order, wanted, CPU)
    assert read_plan(key, walk.order, CPU) is None
    write_plan(key, layout, extents)
    found = read_plan(key, walk.order, CPU)
    assert found is not None
    pairs: tuple[tuple[Any, Any], ...] = ((layout, found[0]), (extents, found[1]))
    for mine, theirs in pairs:
        for each in dataclasses.fields(mine):
            if each.name == "kernels":
                continue
            assert as_lists(getattr(mine, each.name)) == as_lists(getattr(theirs, each.name))


def as_lists(tree: Any) -> Any:
    if isinstance(tree, Named):  # what rewriting made has a line of no graph
        return [tree.name, tree.place, tree.line if tree.place is not None else None]
    return [as_lists(each) for each in tree] if isinstance(tree, list | tuple) else tree


def test_a_plan_that_lacks_a_kernel_or_is_damaged_is_made_again(folder: Path) -> None:
    walk, entries, wanted, _ = graph()
    key = plan_key(entries, wanted, CPU)
    assert key is not None
    layout, extents = layout_of(entries, walk.order, wanted, CPU)
    write_plan(key, layout, extents)
    kernels = [path for path in (folder / "kernels").rglob("*") if path.name in layout.keys]
    whole = kernels[0].read_bytes()
    kernels[0].unlink()
    assert read_plan(key, walk.order, CPU) is None
    kernels[0].write_bytes(whole)
    assert read_plan(key, walk.order, CPU) is not None
    (path,) = [path for path in (folder / "plans").rglob("*") if path.is_file()]
    whole = path.read_bytes()
    for content in (b"", whole[:20], whole[:-1], whole[:-3] + b"9]}"):
        path.write_bytes(content)
        assert read_plan(key, walk.order, CPU) is None


def test_keys_tell_graphs_apart() -> None:
    x = pumice.tensor(np.ones((4, 6), np.float32)).node
    add: Any = registry.entries["sum"]
    axis = [build.reduce(add, x, axes) for axes in ((0,), (1,))]
    graphs = [
        *axis,
        build.cast(x, pumice.float64),
        build.cast(x, pumice.int32),
        build.view(x, View((3, 6), (6, 1), 0)),
        build.view(x, View((3, 6), (6, 1), 6)),
        build.view(x, View((6, 3), (1, 6), 0)),
    ]
    keys = []
    for node in graphs:
        walk = Walk([node])
        entries, wanted = walk.key([node])
        keys.append(plan_key(entries, wanted, CPU))
    assert None not in keys
    assert len(set(keys)) == len(keys)
    walk = Walk(axis)
    first, second = (plan_key(walk.key(axis)[0], wanted, CPU) for wanted in ((1, 2), (2, 1)))
    assert first != second


def test_the_key_is_that_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    walk, entries, wanted, _ = graph()
    before = plan_key(entries, wanted, CPU)
    stored._heading.cache_clear()
    monkeypatch.setattr(stored, "_compiler_version", lambda: "another")
    assert plan_key(entries, wanted, CPU) != before
    stored._heading.cache_clear()


def test_values_by_stored_plans_are_the_same(folder: Path, device: str) -> None:
    source = np.random.default_rng(3)
    data = source.normal(size=(5, 7)).astype(np.float32)

    def computed() -> Any:
        x = pumice.tensor(data, device=device)
        roots = [resolve(((x @ x.T).softmax(-1) + 0.25).node), resolve(x.cumsum(0).node)]
        walk = Walk(roots)
        entries, wanted = walk.key(roots)
        target = roots[0].device
        assert target is not None
        plan = Families().plan(entries, walk.order, wanted, target)
        compiled.run(plan, walk.order, roots)
        return [each.value for each in roots], plan

    (first, made), (second, read) = computed(), computed()
    assert len(list((folder / "plans").rglob("*"))) > 1
    for mine, theirs, (dtype, shape) in zip(first, second, made.result_types, strict=True):
        np.testing.assert_array_equal(download(mine, dtype, shape), download(theirs, dtype, shape))
    assert [each.name for each in made.launches] == [each.name for each in read.launches]
