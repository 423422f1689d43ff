"""Choices of many numbers by sizes that may be unknown, made as a whole (see `sizes`)."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pumice.sizes import Size, Sizes
from pumice.trees import children, leaves, mapped

T = TypeVar("T")


def chosen(function: Callable[..., T], *arguments: Any, least: int = 0) -> T:
    """Return what a function of trees of sizes gives, without looking into how it decides.

    For choices of many numbers: arguments and result are tuples and dataclasses in any nesting.
    Each integer of the result is a size of its own, at least ``least``, and whatever else the
    result holds must stay what it is. The function must have no other inputs than its arguments.
    """
    sizes = _sizes_in(arguments)
    if sizes is None:
        return function(*arguments)
    plain = [mapped(each, _value_of) for each in arguments]
    text = ", ".join([_text_of_tree(each, sizes) for each in arguments])
    found: T = sizes.answer(f"{sizes.name_of(function)}({text})", function(*plain), least, {})
    return found


def derived(function: Callable[..., T], *arguments: Any) -> T:
    """Return what a function of trees of sizes gives, as `chosen` does, where it computes little.

    Integers of the result that are 0, 1 or among the arguments are known to be.
    """
    sizes = _sizes_in(arguments)
    if sizes is None:
        return function(*arguments)
    known: dict[int, Any] = {0: 0, 1: 1}
    for each in leaves(arguments):
        known.setdefault(_value_of(each), each)
    plain = [mapped(each, _value_of) for each in arguments]
    text = ", ".join([_text_of_tree(each, sizes) for each in arguments])
    found: T = sizes.answer(f"{sizes.name_of(function)}({text})", function(*plain), None, known)
    return found


def _value_of(leaf: Any) -> Any:
    return leaf._value if isinstance(leaf, Size) else leaf


def _sizes_in(trees: Iterable[Any]) -> Sizes | None:
    """Return the sizes that trees are made of, None when all numbers are plain."""
    for each in trees:
        kind = type(each)
        if kind is int:  # most are
            continue
        if kind is Size:
            sizes: Sizes = each._sizes
            return sizes
        parts = children(each)
        found = None if parts is None else _sizes_in(parts)
        if found is not None:
            return found
    return None


def _text_of_tree(tree: Any, sizes: Sizes) -> str:
    parts = children(tree)
    if parts is None:
        return tree.text() if isinstance(tree, Size) else repr(tree)
    text = "".join([f"{_text_of_tree(each, sizes)}, " for each in parts])
    return f"({text})" if type(tree) is tuple else f"{sizes.name_of(type(tree))}({text})"
