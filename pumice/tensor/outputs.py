"""The keyword ``out`` of functions: their results are written into tensors that are there.

``tools/gen_api.py`` gives it to every function that computes tensors; what it does is said here.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import Any, TypeVar

from pumice.dtypes import DType
from pumice.errors import DeviceError, DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import gradient_mode
from pumice.tensor.core import Cell, TensorBase
from pumice.tensor.operands import can_cast
from pumice.tensor.replaced import replaced

Function = TypeVar("Function", bound=Callable[..., Any])

_PARAMETER = """out : Tensor, optional
    Where the result is written (a tuple of tensors for several results). It must have the
    result's shape or be empty, and its dtype must be one the result can be cast to.
"""
_DESCRIBED = {margin: indent(_PARAMETER, margin) for margin in ("", "    ")}
"""The same by the indentation of a docstring."""


def documented(text: str) -> str:
    """Return a docstring that also describes ``out``, where it describes parameters."""
    margin = "    " if "\n    Returns\n" in text else ""
    title = f"\n{margin}Returns\n{margin}-------\n"
    if f"\n{margin}Parameters\n" not in text:
        return text
    return text.replace(title, _DESCRIBED[margin] + title, 1)


def takes_out(computing: Callable[..., Any]) -> Callable[[Function], Function]:
    """Document a function as another one that it calls, whose results it stores."""

    def documenting(function: Function) -> Function:
        function.__doc__ = documented(computing.__doc__ or "")
        function.__dict__.update(computed_by=computing, offered=True)
        return function

    return documenting


def stands_for(computing: Callable[..., Any]) -> Callable[[Function], Function]:
    """Document a function as another one that it calls and does nothing else."""

    def documenting(function: Function) -> Function:
        function.__doc__ = computing.__doc__
        function.__dict__.update(computed_by=computing, offered=True)
        return function

    return documenting


def chosen(dtype: DType | None, out: Any) -> DType | None:
    """Return the dtype to compute in: that of a floating ``out`` where none is asked for."""
    if dtype is None and isinstance(out, TensorBase) and out.dtype.is_floating_point:
        return out.dtype
    return dtype


def made_as(dtype: DType | None, out: Any) -> DType | None:
    """Return the dtype of a new tensor: that of ``out`` where none is asked for."""
    return out.dtype if dtype is None and isinstance(out, TensorBase) else dtype


def made_on(device: Any, out: Any) -> Any:
    """Return the device of a new tensor: that of ``out`` where none is asked for."""
    return out.device if device is None and isinstance(out, TensorBase) else device


def store(operator: str, result: Any, out: Any) -> Any:
    """Write results into the tensors given for them, and return those.

    Everything is checked before anything is written. Inputs that overlap ``out`` were read when
    the result was recorded, so they count with the values they had.
    """
    if isinstance(result, TensorBase):
        _check(operator, result, out)
        _write(operator, result, out)
        return out
    results = tuple(result)
    if not isinstance(out, (tuple, list)) or len(out) != len(results):
        got = f"{len(out)} tensors" if isinstance(out, (tuple, list)) else type(out).__name__
        raise DTypeError(
            describe(
                operator, f"argument 'out' is {got}", f"give a tuple of {len(results)} tensors"
            )
        )
    for each, target in zip(results, out, strict=True):
        _check(operator, each, target)
    for each, target in zip(results, out, strict=True):
        _write(operator, each, target)
    return getattr(type(result), "_make", tuple)(out)


def _check(operator: str, result: Any, out: Any) -> None:
    if not isinstance(out, TensorBase):
        raise DTypeError(
            describe(operator, f"argument 'out' must be a Tensor, not {type(out).__name__}")
        )
    target: Any = out
    if gradient_mode.get() and (result.requires_grad or target.requires_grad):
        raise InvalidArgument(
            describe(
                operator,
                "functions with out=... arguments don't support automatic differentiation, but "
                "one of the arguments requires grad",
                "leave out= away, or call it under no_grad()",
            )
        )
    if result.device != out.device:
        raise DeviceError(
            describe(
                operator,
                f"the result is on {result.device}, out is on {out.device}",
                "they must be on one device",
            )
        )
    if not can_cast(result.dtype, out.dtype):
        raise DTypeError(
            describe(
                operator,
                f"the result type {result.dtype.name} can't be cast to the desired output type "
                f"{out.dtype.name}",
                "give an out of another dtype",
            )
        )
    if result.shape != out.shape and 0 not in out.shape:
        raise ShapeError(
            describe(
                operator,
                f"the result has shape {list(result.shape)}, out has shape {list(out.shape)}",
                "out must have the result's shape, or be empty: only an empty one is resized",
            )
        )
    out._check_writable(operator)


def _write(operator: str, result: Any, out: TensorBase) -> None:
    node = result.node
    if node.value is not None:
        node = build.copy(node)  # the memory may be an operand's
    if result.shape == out.shape:
        out._write(node, operator)
        return
    # Nothing can be seen of an empty tensor through others: it gets memory of its own.
    replaced.note()
    out._cell = Cell(build.detach(build.cast(node, out.dtype)))
    out._view = out._base = out._node = out._through = None
    out._detached = out._aliased = None
