"""Nested lists, tuples and dicts of tensors, taken apart and put together again."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pumice.tensor.core import TensorBase


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """Place of a tensor in a flattened structure; one object per number, made by `_leaf`."""

    number: int


@functools.lru_cache(maxsize=4096)
def _leaf(number: int) -> Leaf:
    return Leaf(number)


def flatten(value: Any, tensors: list[TensorBase]) -> Any:
    """Return the hashable shape of nested lists, tuples and dicts; tensors go to the list."""
    if isinstance(value, TensorBase):
        tensors.append(value)
        return _leaf(len(tensors) - 1)
    if isinstance(value, (list, tuple)):
        return (type(value), tuple([flatten(each, tensors) for each in value]))
    if isinstance(value, dict):
        return (dict, tuple([(key, flatten(each, tensors)) for key, each in value.items()]))
    return value


def unflatten(structure_: Any, tensors: Sequence[Any]) -> Any:
    """Return the value `flatten` was given, with other tensors."""
    if isinstance(structure_, Leaf):
        return tensors[structure_.number]
    if isinstance(structure_, tuple) and len(structure_) == 2 and isinstance(structure_[0], type):
        kind, parts = structure_
        if kind is dict:
            return {key: unflatten(each, tensors) for key, each in parts}
        values = [unflatten(each, tensors) for each in parts]
        return kind(*values) if hasattr(kind, "_fields") else kind(values)
    return structure_
