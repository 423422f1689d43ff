"""Memory layouts: the same elements reached through other strides, offsets and extents.

A layout starts from a whole array and takes a part of it, once of the NumPy array and once of the
tensor, so a test can compare an operator on the strided part with the same on a copy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to reach elements.

    Attributes
    ----------
    name : str
        Shown in test names.
    base : tuple of int
        Shape of the whole array.
    of_array : callable
        Takes the part of a NumPy array.
    of_tensor : callable
        Takes the same part of a tensor.
    """

    name: str
    base: tuple[int, ...]
    of_array: Callable[[Any], Any]
    of_tensor: Callable[[Any], Any]

    def __str__(self) -> str:
        return self.name


def _indexed(name: str, base: tuple[int, ...], index: Any) -> Layout:
    return Layout(name, base, lambda array: array[index], lambda tensor: tensor[index])


def _expanded(array: Any) -> Any:
    return array[:, None, :].repeat(4, axis=1)


LAYOUTS: tuple[Layout, ...] = (
    _indexed("contiguous", (5, 37), ...),
    Layout("transposed", (37, 5), lambda array: array.T, lambda tensor: tensor.permute(1, 0)),
    Layout(
        "permuted",
        (3, 5, 7),
        lambda array: array.transpose(2, 0, 1),
        lambda tensor: tensor.permute(2, 0, 1),
    ),
    _indexed("flipped", (5, 37), (slice(None), slice(None, None, -1))),
    _indexed("flipped rows", (5, 37), slice(None, None, -1)),
    _indexed("stepped", (5, 37), (slice(None), slice(1, None, 3))),
    _indexed("offset", (6, 40), (slice(1, -1), slice(2, -1))),
    _indexed("stepped backwards", (7, 33), (slice(5, 0, -2), slice(None, None, -2))),
    Layout(
        "expanded",
        (3, 11),
        _expanded,
        lambda tensor: tensor.reshape(3, 1, 11).expand(3, 4, 11),
    ),
    Layout(
        "expanded scalar",
        (1,),
        lambda array: array.repeat(40).reshape(5, 8),
        lambda tensor: tensor.expand(5, 8),
    ),
    _indexed("one element", (5, 7), (slice(2, 3), slice(4, 5))),
    _indexed("no rank", (5, 7), (2, 4)),
    _indexed("empty", (5, 7), (slice(2, 2),)),
    _indexed("empty axis", (0, 7), ...),
    _indexed("many axes", (2, 1, 2, 3, 1, 2, 2, 3), (slice(None, None, -1),)),
)
