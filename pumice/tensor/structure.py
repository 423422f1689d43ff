"""Nested lists, tuples and dicts of tensors, taken apart and put together again."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pumice.errors import InvalidArgument, describe
from pumice.tensor.core import TensorBase


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """Place of a tensor in a flattened structure; one object per number, made by `_leaf`."""

    number: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is no tensor. Python calls 1, 1.0 and True equal, and 0.0 and -0.0."""

    kind: type
    told: Any
    value: Any = field(compare=False)

    @staticmethod
    def of(value: Any) -> Any:
        """Return a value as part of a structure; texts and integers stand for themselves."""
        kind = type(value)
        if kind is int or kind is str or value is None:
            return value
        try:
            hash(value)
        except TypeError:
            raise InvalidArgument(
                describe(
                    "jit", f"got a value of type {kind.__name__}", "tensors or hashable values"
                )
            ) from None
        return Constant(kind, repr(value) if isinstance(value, (float, complex)) else value, value)


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
    return Constant.of(value)


def unflatten(structure_: Any, tensors: Sequence[Any]) -> Any:
    """Return the value `flatten` was given, with other tensors."""
    if isinstance(structure_, Leaf):
        return tensors[structure_.number]
    if isinstance(structure_, Constant):
        return structure_.value
    if isinstance(structure_, tuple) and len(structure_) == 2 and isinstance(structure_[0], type):
        kind, parts = structure_
        if kind is dict:
            return {key: unflatten(each, tensors) for key, each in parts}
        values = [unflatten(each, tensors) for each in parts]
        return kind(*values) if hasattr(kind, "_fields") else kind(values)
    return structure_
