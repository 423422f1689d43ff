"""Text of a tensor, laid out as PyTorch does."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.dtypes import DType
from pumice.tensor.conversion import host_view

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

PRECISION = 4
THRESHOLD = 1000
EDGE = 3
LINE_WIDTH = 80
PREFIX = "tensor("

_PLAIN = (dtypes.int64, dtypes.bool_)


class NumberFormat:
    """Chooses one width and notation for all numbers shown.

    Attributes
    ----------
    width : int
        Characters every number is padded to.
    scientific, integers : bool
        Exponents are written; every number shown is whole.
    """

    def __init__(self, shown: NDArray[Any], floating: bool) -> None:
        self.floating = floating
        self.width = 1
        self.scientific = False
        self.integers = True
        flat = shown.reshape(-1)
        if not floating:
            self.width = max((len(str(value)) for value in flat.tolist()), default=1)
            return
        usual = flat[np.isfinite(flat) & (flat != 0)]
        if not usual.size:
            return
        size = np.abs(usual.astype(np.float64))
        largest, smallest = float(size.max()), float(size.min())
        self.integers = bool((usual == np.ceil(usual)).all())
        spread = largest / smallest > 1000.0 or largest > 1.0e8
        self.scientific = spread or (not self.integers and smallest < 1.0e-4)
        self.width = max(1, *(len(self._digits(float(value))) for value in usual))

    def _digits(self, value: float) -> str:
        if self.scientific:
            return f"{value:.{PRECISION}e}"
        if self.integers:
            return f"{value:.0f}" if math.isinf(value) or math.isnan(value) else f"{value:.0f}."
        return f"{value:.{PRECISION}f}"

    def text(self, value: Any) -> str:
        """Return one number, padded."""
        return (self._digits(value) if self.floating else str(value)).rjust(self.width)


def represent(tensor: Tensor) -> str:
    """Return the text ``repr`` shows."""
    suffixes = []
    if tensor.device.kind.value != "cpu":
        suffixes.append(f"device='{tensor.device}'")
    if tensor.numel() == 0:
        body = "[]"
        if tensor.ndim != 1:
            suffixes.append(f"size={tensor.shape}")
        if tensor.dtype is not dtypes.default_float():
            suffixes.append(f"dtype={tensor.dtype!r}")
    else:
        if tensor.dtype not in _PLAIN and tensor.dtype is not dtypes.default_float():
            suffixes.append(f"dtype={tensor.dtype!r}")
        body = _elements(_shown(tensor), tensor.dtype)
    if tensor._requires:
        suffixes.append("requires_grad=True")
    elif tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{_backward_name(tensor.grad_fn)}>")
    return _with_suffixes(body, suffixes)


def _backward_name(operator: str) -> str:
    return "".join(part.capitalize() for part in operator.split("_")) + "Backward"


def _shown(tensor: Tensor) -> NDArray[Any]:
    array = host_view(tensor)
    small = tensor.dtype.is_small_float
    return array.astype(np.float32) if small else array


def _with_suffixes(body: str, suffixes: list[str]) -> str:
    """Append keyword-like parts, each on the same line while it fits."""
    parts = [PREFIX, body]
    used = len(body) - body.rfind("\n") + 1
    if "\n" not in body:
        used = len(body) + len(PREFIX)
        used = len(PREFIX + body) - (PREFIX + body).rfind("\n") + 1
    for suffix in suffixes:
        if used + len(suffix) + 2 > LINE_WIDTH:
            parts.append(",\n" + " " * len(PREFIX) + suffix)
            used = len(PREFIX) + len(suffix)
        else:
            parts.append(", " + suffix)
            used += len(suffix) + 2
    return "".join(parts) + ")"


def _elements(array: NDArray[Any], dtype: DType) -> str:
    summarize = array.size > THRESHOLD
    shown = _corners(array) if summarize else array
    numbers = NumberFormat(shown, dtype.is_floating_point)
    return _nested(array, len(PREFIX), summarize, numbers)


def _corners(array: NDArray[Any]) -> NDArray[Any]:
    """Return only the elements a summary shows."""
    for axis, extent in enumerate(array.shape):
        if extent > 2 * EDGE:
            kept = [*range(EDGE), *range(extent - EDGE, extent)]
            array = array.take(kept, axis=axis)
    return array


def _nested(array: NDArray[Any], indent: int, summarize: bool, numbers: NumberFormat) -> str:
    if array.ndim == 0:
        return numbers.text(array.item())
    if array.ndim == 1:
        return _row(array, indent, summarize, numbers)
    count = len(array)
    if summarize and count > 2 * EDGE:
        rows = [_nested(array[place], indent + 1, summarize, numbers) for place in range(EDGE)]
        rows.append("...")
        rows += [
            _nested(array[place], indent + 1, summarize, numbers)
            for place in range(count - EDGE, count)
        ]
    else:
        rows = [_nested(part, indent + 1, summarize, numbers) for part in array]
    separator = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return "[" + separator.join(rows) + "]"


def _row(array: NDArray[Any], indent: int, summarize: bool, numbers: NumberFormat) -> str:
    values = array.tolist()
    if summarize and len(values) > 2 * EDGE:
        texts = [numbers.text(value) for value in values[:EDGE]]
        texts.append(" ...")
        texts += [numbers.text(value) for value in values[-EDGE:]]
    else:
        texts = [numbers.text(value) for value in values]
    per_line = max(1, (LINE_WIDTH - indent) // (numbers.width + 2))
    lines = [", ".join(texts[start : start + per_line]) for start in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
