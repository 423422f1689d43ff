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
    parts = [runtime._device, *{runtime._queue, runtime._copies, runtime._transfer}]
    kept = [(part, "functions" if hasattr(part, "functions") else "_functions") for part in parts]
    before = [getattr(part, name) for part, name in kept]
    for part, name in kept:
        setattr(part, name, table)
    try:
        yield table
    finally:
        for (part, name), functions in zip(kept, before, strict=True):
            setattr(part, name, functions)


class Failing:
    """A table of which one call fails: the one after so many that can fail.

    Attributes
    ----------
    failed : str
        The function that was made to fail, empty so far.
    """

    def __init__(
        self, table: Any, result: int, after: int, names: tuple[str, ...], forever: bool = False
    ) -> None:
        self._table, self._result, self._left = table, result, after
        self._names, self._forever = names, forever
        self.failed = ""

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._table, name)
        if not name.startswith(self._names):
            return found

        def call(*arguments: Any) -> Any:
            self._left -= 1
            if self._left == -1 or (self._forever and self._left < 0):
                self.failed = self.failed or name
                return self._result
            return found(*arguments)

        return call
