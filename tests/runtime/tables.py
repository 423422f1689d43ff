"""Tables of Vulkan functions that count, fail or do nothing, to put in place of a device's own."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Counting:
    """A table that counts the calls of each function."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._table, name)

        def call(*arguments: Any) -> Any:
            self.calls[name] += 1
            return found(*arguments)

        return call


@contextmanager
def replaced(runtime: Any, table: Any) -> Iterator[Any]:
    """Let a runtime call the functions of another table for a while."""
    parts = [runtime._device, *(p for p in (runtime._queue, runtime._transfer))]
    kept = [(part, "functions" if hasattr(part, "functions") else "_functions") for part in parts]
    before = [getattr(part, name) for part, name in kept]
    for part, name in kept:
        setattr(part, name, table)
    try:
        yield table
    finally:
        for (part, name), functions in zip(kept, before, strict=True):
            setattr(part, name, functions)
