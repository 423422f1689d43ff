"""Plans on disk, so that a process that runs again what another one ran needs no compiler.

A file is found by a hash of all that decides a plan: the graph as it was walked, the target and
the source of the compiler. It holds numbers, names of operations and keys of kernels as JSON, and
is refused unless it is as it was written and all its kernels are on disk too.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields
from enum import Enum
from functools import lru_cache
from typing import Any

from pumice import dtypes
from pumice.config import config
from pumice.dtypes import DType
from pumice.engine.artifacts import (
    PLANS,
    code_version,
    load_artifacts,
    read_artifact,
    read_file,
    source_hash,
    trim,
    write_file,
)
from pumice.engine.devices import runtime_of
from pumice.engine.faults import Named
from pumice.engine.plan import Extents, Layout
from pumice.graph.node import Line, Node
from pumice.ops.definition import registry
from pumice.ops.view import View
from pumice.schedule.sources import IDENTITIES
from pumice.target import Device, Target
from pumice.trees import children

TRIMS = "00"
"""Keys that begin like this, one of 256, look after the size of the cache when they are written."""

_DTYPES = {each.name: each for each in vars(dtypes).values() if isinstance(each, DType)}


class _UnknownError(Exception):
    """A graph holds what has no name on disk."""


@lru_cache(maxsize=1)
def _compiler_version() -> str:
    """Return a hash of the code that plans graphs."""
    folders = ("graph", "schedule", "lowering", "engine", "runtime")
    names = ("choices.py", "sizes.py", "trees.py", "config.py")
    return f"{code_version()}\n{source_hash(folders, names)}"


@lru_cache(maxsize=16)
def _heading(device: Device) -> bytes:
    """Return what decides the plans of all graphs of a device."""
    return f"{_compiler_version()}\n{_text_of_target(runtime_of(device).target)}\n".encode()


def _text_of_target(target: Target) -> str:
    parts = []
    for each in fields(target):
        value = getattr(target, each.name)
        if isinstance(value, dict):
            value = sorted(value.items())
        elif isinstance(value, frozenset):
            value = sorted(item.name for item in value)
        parts.append(f"{each.name}={value!r}")
    return "\n".join(parts)


def plan_key(
    entries: Sequence[tuple[Any, ...]], wanted: Sequence[int], device: Device
) -> str | None:
    """Return the key of a graph's plan on disk, None when it has none."""
    settings = config()
    if settings.cache_directory is None or settings.verify:
        return None
    try:
        text = "\n".join([_text_of_entry(entry) for entry in entries])
    except _UnknownError:
        return None
    digest = hashlib.sha256(_heading(device))
    digest.update(f"{text}\n{tuple(wanted)}".encode())
    return digest.hexdigest()


def _text_of_entry(entry: tuple[Any, ...]) -> str:
    """Return what decides the code of a node (`keys.Walk`) as text."""
    if len(entry) != 5:
        *_, dtype, shape = entry
        return f"{len(entry)} {dtype.name} {shape}"
    op, dtype, shape, argument, operands = entry
    name = op.name
    if registry.entries.get(name) is not op:
        raise _UnknownError
    # What stands only for its source says in its argument how gradients pass.
    text = "" if op in IDENTITIES else _text(argument)
    return f"{name} {dtype.name} {shape} {text} {operands}"


def _text(argument: Any) -> str:
    """Return all of an operation's argument as text."""
    kind = type(argument)
    if argument is None or kind in _PLAIN:
        return repr(argument)
    if kind is View:
        return f"View{argument.shape}{argument.strides}{argument.offset}"
    if kind is DType:
        return argument.name  # type: ignore[no-any-return]
    if isinstance(argument, Enum):
        return f"{kind.__name__}.{argument.name}"
    parts = children(argument)
    if parts is None:
        raise _UnknownError
    return f"{kind.__name__}({', '.join([_text(each) for each in parts])})"


_PLAIN = frozenset((bool, int, float, str))


def write_plan(key: str, layout: Layout, extents: Extents) -> None:
    """Keep a plan on disk."""
    numbers: dict[str, int] = {}
    kernels = [numbers.setdefault(each, len(numbers)) for each in layout.keys]
    content = {
        "kernels": list(numbers),
        "launches": kernels,
        "pieces": layout.pieces,
        "waits": layout.waits,
        "names": [(named.name, named.place) for named in layout.names],
        "buffers": layout.buffers,
        "arena": layout.arena,
        "touched": layout.touched,
        "inputs": layout.inputs,
        "results": layout.results,
        "dtypes": [each.name for each in layout.dtypes],
        "numbers": [(word, place, dtype.name) for word, place, dtype in layout.numbers],
        "faults": [[(each.name, each.place) for each in site] for site in layout.faults],
        "extents": extents.values(),
    }
    write_file(PLANS, key, json.dumps(content, separators=(",", ":")).encode())
    if key.startswith(TRIMS):
        trim()


def read_plan(key: str, order: Sequence[Node], device: Device) -> tuple[Layout, Extents] | None:
    """Return the plan of a graph, None when it or one of its kernels is not on disk."""
    data = read_file(PLANS, key)
    if data is None:
        return None
    content = json.loads(data)
    artifacts = [read_artifact(each) for each in content["kernels"]]
    known = [each for each in artifacts if each is not None]
    if len(known) < len(artifacts):
        return None
    handles = load_artifacts(known, device)
    keys = content["kernels"]
    lines: dict[Any, Line | None] = {}

    def named(name: str, place: int | None) -> Named:
        if place is None:
            return Named(name, None, None)
        node = order[place]
        at = (id(node.code), node.instruction, getattr(node, "called", ""))
        if at not in lines:
            lines[at] = node.line
        return Named(name, lines[at], place)

    words, items, costs, shapes, outputs, temporaries, results, suspects = content["extents"]
    layout = Layout(
        [handles[each] for each in content["launches"]],
        [keys[each] for each in content["launches"]],
        content["pieces"],
        content["waits"],
        [named(*each) for each in content["names"]],
        content["buffers"],
        content["arena"],
        content["touched"],
        content["inputs"],
        content["results"],
        [_DTYPES[each] for each in content["dtypes"]],
        [(word, place, _DTYPES[each]) for word, place, each in content["numbers"]],
        [tuple([named(*each) for each in site]) for site in content["faults"]],
    )
    extents = Extents(
        words,
        items,
        costs,
        [tuple(each) for each in shapes],
        outputs,
        temporaries,
        [tuple(each) for each in results],
        [tuple([tuple(each) for each in site]) for site in suspects],
    )
    return layout, extents
