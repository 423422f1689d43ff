"""Every exception pumice raises, and the machinery that names the user's own line.

Stage: below all others.  Takes: nothing.  Gives: the error classes.

Each class also derives from the builtin that a PyTorch or NumPy user would catch.
"""

import sys
from pathlib import Path
from types import FrameType

PACKAGE_ROOT = str(Path(__file__).resolve().parent)


class PumiceError(Exception):
    """Base of every error pumice raises on purpose."""


class ShapeError(PumiceError, ValueError, RuntimeError):
    """Shapes do not fit the operation."""


class DTypeError(PumiceError, TypeError, RuntimeError):
    """An element type is not allowed here."""


class DeviceError(PumiceError, RuntimeError):
    """A device is missing, unusable, or two operands live on different devices."""


class IndexOutOfRange(PumiceError, IndexError):
    """An index lies outside its axis."""


class IntegerDivisionByZero(PumiceError, ZeroDivisionError, RuntimeError):
    """An integer was divided by zero."""


class LinAlgError(PumiceError, ValueError, RuntimeError):
    """A matrix has no inverse, or no factorisation of the kind asked for."""


class InvalidArgument(PumiceError, ValueError, RuntimeError):
    """An argument has a value that is not allowed."""


class UnsupportedOperation(PumiceError, NotImplementedError):
    """The operation is not defined for these operands or this device."""


class OutOfMemory(PumiceError, MemoryError):
    """A device cannot provide the memory asked for."""


class InternalError(PumiceError):
    """A fault of pumice itself. The message asks the user to report it."""

    def __init__(self, message: str) -> None:
        super().__init__(f"{message} (this is a bug in pumice, please report it)")


def user_frame() -> FrameType | None:
    """Return the innermost frame outside the package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE_ROOT):
        frame = frame.f_back
    return frame


def user_line() -> str:
    """Return ``file:line`` of the user's code, or an empty string."""
    frame = user_frame()
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def describe(operator: str, problem: str, allowed: str = "") -> str:
    """Compose the text of a user error: operator, what was got, what is allowed, where."""
    text = f"{operator}: {problem}"
    if allowed:
        text += f"; {allowed}"
    line = user_line()
    return f"{text} (at {line})" if line else text
