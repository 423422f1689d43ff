"""Taking trees of tuples and dataclasses apart into their integers, and putting them together."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any


def children(tree: Any) -> tuple[Any, ...] | None:
    """Return what a tuple or dataclass holds, None for what is neither."""
    kind = type(tree)
    if kind is tuple:
        items: tuple[Any, ...] = tree
        return items
    names = getattr(kind, "__dataclass_fields__", None)
    return None if names is None else tuple([getattr(tree, name) for name in names])


def mapped(tree: Any, change: Callable[[Any], Any]) -> Any:
    """Return a tree with changed leaves."""
    parts = children(tree)
    if parts is None:
        return change(tree)
    changed = tuple([mapped(each, change) for each in parts])
    return changed if type(tree) is tuple else type(tree)(*changed)


def leaves(tree: Any) -> Iterable[Any]:
    """Yield what a tree holds that is no tree."""
    parts = children(tree)
    if parts is None:
        yield tree
    else:
        for each in parts:
            yield from leaves(each)


class _Integer:
    """Stands for an integer in the form of a tree."""


def taken_apart(tree: Any, integers: list[int]) -> Any:
    """Return the form of a tree, all of it but its integers, which are added to ``integers``."""
    parts = children(tree)
    if parts is not None:
        return type(tree), *[taken_apart(each, integers) for each in parts]
    if type(tree) is not int:
        return tree
    integers.append(tree)
    return _Integer


def put_together(form: Any, integers: Iterator[Any]) -> Any:
    """Return the tree of a form and its integers."""
    if form is _Integer:
        return next(integers)
    if type(form) is not tuple:
        return form
    kind, *forms = form
    parts = [put_together(each, integers) for each in forms]
    return tuple(parts) if kind is tuple else kind(*parts)
