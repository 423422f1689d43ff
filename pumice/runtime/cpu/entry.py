"""Programs as builtin functions of the interpreter: one call runs a whole graph."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.runtime.cpu.entry_code import HEADER_WORDS

_METH_FASTCALL = 0x80


class _MethodDefinition(ctypes.Structure):
    """``PyMethodDef`` of the interpreter."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_make_builtin = ctypes.pythonapi.PyCFunction_NewEx
_make_builtin.restype = ctypes.py_object
_make_builtin.argtypes = (
    ctypes.POINTER(_MethodDefinition),
    ctypes.py_object,
    ctypes.c_void_p,
)


class Entrance:
    """Makes builtin functions of native code (see `entry_code`)."""

    def __init__(self, function: int) -> None:
        self._definition = _MethodDefinition(b"enter", function, _METH_FASTCALL, None)
        # A function reads its definition when it dies, which may be after everything else here.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._definition))

    def bind(self, header: NDArray[np.int64]) -> Callable[..., int]:
        """Return the function that runs what a header describes; the caller keeps the header."""
        address = int(header.ctypes.data)
        function: Callable[..., int] = _make_builtin(ctypes.byref(self._definition), address, None)
        return function


class CpuEntry:
    """A program bound to a template of its argument words.

    Attributes
    ----------
    call : builtin function
        Takes one integer per slot and runs the program. It must not outlive this object.
    """

    __slots__ = ("_keep", "call")

    def __init__(
        self,
        entrance: Entrance,
        header: Sequence[int],
        keep: Sequence[Any],
    ) -> None:
        words = np.array(header, np.int64)
        assert len(words) == HEADER_WORDS
        self._keep = (entrance, words, keep)
        self.call = entrance.bind(words)
