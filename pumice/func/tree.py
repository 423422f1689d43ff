"""Nested tuples, lists and dicts, taken apart and put together again."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tree:
    """The shape of a nested structure.

    Attributes
    ----------
    kind : type or None
        None for a leaf.
    keys : tuple
        Of a dict.
    parts : tuple of Tree
        What it holds.
    """

    kind: type | None = None
    keys: tuple[Any, ...] = ()
    parts: tuple["Tree", ...] = ()

    def build(self, leaves: Sequence[Any]) -> Any:
        """Return the structure with other leaves."""
        return self._take(iter(leaves))

    def _take(self, leaves: Iterator[Any]) -> Any:
        if self.kind is None:
            return next(leaves)
        values = [part._take(leaves) for part in self.parts]
        kind: Any = self.kind
        if issubclass(kind, dict):
            return kind(zip(self.keys, values, strict=True))
        return kind(*values) if hasattr(kind, "_fields") else kind(values)


LEAF = Tree()


def flatten(value: Any) -> tuple[list[Any], Tree]:
    """Return the leaves of a structure in order, and its shape."""
    leaves: list[Any] = []
    return leaves, _walk(value, leaves)


def _walk(value: Any, leaves: list[Any]) -> Tree:
    if isinstance(value, (tuple, list)):
        return Tree(type(value), (), tuple([_walk(each, leaves) for each in value]))
    if type(value) in (dict, OrderedDict):
        keys = tuple(value)
        return Tree(type(value), keys, tuple([_walk(value[key], leaves) for key in keys]))
    leaves.append(value)
    return LEAF


def transform(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a structure with each leaf changed."""
    leaves, tree = flatten(value)
    return tree.build([change(leaf) for leaf in leaves])


def spread(prefix: Any, tree: Tree) -> list[Any] | None:
    """Return one value per leaf, from a structure that may end where the tree goes on."""
    if not isinstance(prefix, (tuple, list, dict)):
        return [prefix] * count(tree)
    if tree.kind is None or len(prefix) != len(tree.parts):
        return None
    if isinstance(prefix, dict) != issubclass(tree.kind, dict):
        return None
    if isinstance(prefix, dict) and set(prefix) != set(tree.keys):
        return None
    parts = [prefix[key] for key in tree.keys] if isinstance(prefix, dict) else list(prefix)
    found: list[Any] = []
    for part, below in zip(parts, tree.parts, strict=True):
        values = spread(part, below)
        if values is None:
            return None
        found += values
    return found


def count(tree: Tree) -> int:
    """Return how many leaves a tree has."""
    return 1 if tree.kind is None else sum(count(part) for part in tree.parts)
