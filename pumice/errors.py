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


def _user_frame() -> tuple[FrameType | None, str]:
    """Return the innermost frame outside the package, and what the user called there.

    That is the outermost public function on the way; methods and operators come to functions too.
    """
    name = ""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE_ROOT):
        code = frame.f_code
        found = frame.f_globals.get(code.co_name)
        if found is not None and hasattr(found, "__wrapped__"):
            found = found.__wrapped__  # `arguments.guarded` keeps what it calls
        if getattr(found, "__code__", None) is code and (
            hasattr(found, "offered") or code.co_name in frame.f_globals.get("__all__", ())
        ):
            name = code.co_name
        frame = frame.f_back
    return frame, name


def called() -> str:
    """Return the public function through which the user came here, an empty text for none."""
    return _user_frame()[1]


def describe(operator: str, problem: str, allowed: str = "") -> str:
    """Compose the text of a user error: operator, what was got, what is allowed, where.

    Where the user called another public function than the operator that found the problem, it
    comes first.
    """
    frame, name = _user_frame()
    if name and name != operator and not operator.startswith(name):
        operator = f"{name} ({operator})"
    text = f"{operator}: {problem}"
    if allowed:
        text += f"; {allowed}"
    return f"{text} (at {frame.f_code.co_filename}:{frame.f_lineno})" if frame else text
