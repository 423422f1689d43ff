"""Layers that add elements at the ends of axes."""

from typing import ClassVar

from pumice.errors import InvalidArgument, describe
from pumice.nn.module import Module
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor

Widths = int | tuple[int, ...]


class _Padding(Module):
    """Pads the last ``rank`` axes; ``padding`` counts from the last axis, before and after.

    Parameters
    ----------
    padding : int or tuple of int
        One count for both ends of every padded axis, or two for each axis, the last axis first.
        Negative counts shrink.
    """

    rank: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: Widths) -> None:
        super().__init__()
        widths = (padding,) * (2 * self.rank) if isinstance(padding, int) else tuple(padding)
        if len(widths) != 2 * self.rank:
            raise InvalidArgument(
                describe(
                    type(self).__name__,
                    f"padding has {len(widths)} elements",
                    f"one int, or {2 * self.rank} of them",
                )
            )
        self.padding = widths

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.pad(input, list(self.padding), self.mode)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"{self.padding}"


class _ConstantPad(_Padding):
    mode = "constant"

    def __init__(self, padding: Widths, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.pad(input, list(self.padding), self.mode, self.value)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Widths) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"{self.padding}"


class _ReflectionPad(_Padding):
    mode = "reflect"


class _ReplicationPad(_Padding):
    mode = "replicate"


class _CircularPad(_Padding):
    mode = "circular"


class ConstantPad1d(_ConstantPad):
    """Adds elements of a given value at the ends of the last axis."""

    rank = 1


class ConstantPad2d(_ConstantPad):
    """Adds elements of a given value at the ends of the last two axes."""

    rank = 2


class ConstantPad3d(_ConstantPad):
    """Adds elements of a given value at the ends of the last three axes."""

    rank = 3


class ZeroPad1d(_ZeroPad):
    """Adds zeros at the ends of the last axis."""

    rank = 1


class ZeroPad2d(_ZeroPad):
    """Adds zeros at the ends of the last two axes."""

    rank = 2


class ZeroPad3d(_ZeroPad):
    """Adds zeros at the ends of the last three axes."""

    rank = 3


class ReflectionPad1d(_ReflectionPad):
    """Mirrors the last axis at its first and last elements."""

    rank = 1


class ReflectionPad2d(_ReflectionPad):
    """Mirrors the last two axes at their first and last elements."""

    rank = 2


class ReflectionPad3d(_ReflectionPad):
    """Mirrors the last three axes at their first and last elements."""

    rank = 3


class ReplicationPad1d(_ReplicationPad):
    """Repeats the first and last elements of the last axis."""

    rank = 1


class ReplicationPad2d(_ReplicationPad):
    """Repeats the first and last elements of the last two axes."""

    rank = 2


class ReplicationPad3d(_ReplicationPad):
    """Repeats the first and last elements of the last three axes."""

    rank = 3


class CircularPad1d(_CircularPad):
    """Goes on with the other end of the last axis."""

    rank = 1


class CircularPad2d(_CircularPad):
    """Goes on with the other ends of the last two axes."""

    rank = 2


class CircularPad3d(_CircularPad):
    """Goes on with the other ends of the last three axes."""

    rank = 3
