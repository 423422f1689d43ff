"""How each framework runs a row: the names it is asked for by, and its preparation."""

import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from benchmarks.row import Array, Data, Row

FRAMEWORKS = {
    "pumice": "benchmarks.frameworks.pumice_tasks",
    "torch": "benchmarks.frameworks.torch_tasks",
    "inductor": "benchmarks.frameworks.torch_tasks",
    "jax": "benchmarks.frameworks.jax_tasks",
    "numpy": "benchmarks.frameworks.numpy_tasks",
}
"""The module that prepares rows for each framework; inductor is torch.compile."""

PACKAGES = {
    "pumice": "pumice",
    "torch": "torch",
    "inductor": "torch",
    "jax": "jax",
    "numpy": "numpy",
}
"""The package that each framework is."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A row, ready to be timed.

    Attributes
    ----------
    call : callable
        Does the work once and waits for it.
    outcome : callable
        Does the work once and returns what it computes, for comparing.
    mode : callable
        Makes the context in which both have to be called.
    """

    call: Callable[[], Any]
    outcome: Callable[[], list[Array]]
    mode: Callable[[], AbstractContextManager[Any]] = nullcontext


def prepare(framework: str, row: Row, data: Data) -> Prepared:
    """Make a row ready in this process."""
    module = importlib.import_module(FRAMEWORKS[framework])
    prepared: Prepared = module.prepare(framework, row, data)
    return prepared


def shapes(count: int) -> list[tuple[int, int]]:
    """Return different shapes, of at most 50 columns for up to 2000 of them."""
    return [(1 + index % 50, 10 + index // 50) for index in range(count)]
