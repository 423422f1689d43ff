"""Named pairs that reductions and sorts return."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pumice.graph.node import Node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


class Located(NamedTuple):
    """Values along an axis and where they stand, printed with the name of what found them."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        found = ",\n".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}(\n{found})"

    def __reduce__(self) -> tuple[Any, ...]:
        return located, (type(self).__name__, *self)


@lru_cache(maxsize=64)
def _kind(operator: str) -> type[Located]:
    return type(operator, (Located,), {"__slots__": (), "__doc__": Located.__doc__})


def located(operator: str, values: Tensor, indices: Tensor) -> Located:
    """Return the pair an operator gives."""
    return _kind(operator)(values, indices)


def shared(node: Node) -> Node:
    """Mark what several results are made of: whichever is looked at first, it is kept."""
    node.reread = True
    return node


class Histogram(NamedTuple):
    """Counts of bins, and the edges between them."""

    hist: Tensor
    bin_edges: Tensor


class Parts(NamedTuple):
    """Floating numbers taken apart: ``mantissa * 2**exponent``."""

    mantissa: Tensor
    exponent: Tensor
