"""Text of a tensor, laid out as PyTorch does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import InvalidArgument, describe
from pumice.tensor.conversion import host_view
from pumice.tensor.marks import public

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

PREFIX = "tensor("

_PLAIN = (dtypes.int64, dtypes.bool_)


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """How tensors are written; see `set_printoptions`."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}


@dataclass(slots=True)
class Chosen:
    """What the process has chosen; one assignment changes it for all threads."""

    options: PrintOptions = PROFILES["default"]


chosen = Chosen()


@public
def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Choose how tensors are written, in all threads.

    Parameters
    ----------
    precision : int, optional
        Digits behind the point.
    threshold : int, optional
        Elements from which on only the edges are written.
    edgeitems : int, optional
        How many are written at each edge then.
    linewidth : int, optional
        Characters in a line.
    profile : str, optional
        ``"default"``, ``"short"`` or ``"full"`` to start from; what is in force otherwise.
    sci_mode : bool, optional
        Whether exponents are written; None chooses by the numbers.

    Raises
    ------
    InvalidArgument
        For another profile, or a number that is negative.

    Examples
    --------
    >>> import pumice
    >>> pumice.set_printoptions(precision=2)
    >>> pumice.tensor([1.2345])
    tensor([1.23])
    >>> pumice.set_printoptions(profile="default")
    """
    if profile is not None and profile not in PROFILES:
        allowed = ", ".join(repr(each) for each in PROFILES)
        raise InvalidArgument(
            describe("set_printoptions", f"got profile={profile!r}", f"allowed are {allowed}")
        )
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    numbers: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name, value in numbers.items():
        if not value >= 0:
            raise InvalidArgument(describe("set_printoptions", f"got {name}={value}", "0 or more"))
    start = chosen.options if profile is None else PROFILES[profile]
    chosen.options = replace(start, **numbers, sci_mode=sci_mode)


@public
def get_printoptions() -> dict[str, Any]:
    """Return what `set_printoptions` has chosen, as its keywords.

    Examples
    --------
    >>> pumice.get_printoptions()["precision"]
    4
    """
    return asdict(chosen.options)


@public
@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Choose how tensors are written inside a ``with`` block, as `set_printoptions` does.

    Examples
    --------
    >>> import pumice
    >>> with pumice.printoptions(precision=1):
    ...     print(pumice.tensor([0.25]))
    tensor([0.2])
    """
    before = chosen.options
    set_printoptions(**options)
    try:
        yield
    finally:
        chosen.options = before


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
        forced = chosen.options.sci_mode
        needed = spread or (not self.integers and smallest < 1.0e-4)
        self.scientific = needed if forced is None else forced
        self.width = max(1, *(len(self._digits(float(value))) for value in usual))

    def _digits(self, value: float) -> str:
        if self.scientific:
            return f"{value:.{chosen.options.precision}e}"
        if self.integers:
            return f"{value:.0f}" if math.isinf(value) or math.isnan(value) else f"{value:.0f}."
        return f"{value:.{chosen.options.precision}f}"

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
        if used + len(suffix) + 2 > chosen.options.linewidth:
            parts.append(",\n" + " " * len(PREFIX) + suffix)
            used = len(PREFIX) + len(suffix)
        else:
            parts.append(", " + suffix)
            used += len(suffix) + 2
    return "".join(parts) + ")"


def _elements(array: NDArray[Any], dtype: DType) -> str:
    summarize = array.size > chosen.options.threshold
    shown = _corners(array) if summarize else array
    numbers = NumberFormat(shown, dtype.is_floating_point)
    return _nested(array, len(PREFIX), summarize, numbers)


def _corners(array: NDArray[Any]) -> NDArray[Any]:
    """Return only the elements a summary shows."""
    edge = chosen.options.edgeitems
    for axis, extent in enumerate(array.shape):
        if extent > 2 * edge:
            kept = [*range(edge), *range(extent - edge, extent)]
            array = array.take(kept, axis=axis)
    return array


def _nested(array: NDArray[Any], indent: int, summarize: bool, numbers: NumberFormat) -> str:
    if array.ndim == 0:
        return numbers.text(array.item())
    if array.ndim == 1:
        return _row(array, indent, summarize, numbers)
    count, edge = len(array), chosen.options.edgeitems
    if summarize and count > 2 * edge:
        rows = [_nested(array[place], indent + 1, summarize, numbers) for place in range(edge)]
        rows.append("...")
        rows += [
            _nested(array[place], indent + 1, summarize, numbers)
            for place in range(count - edge, count)
        ]
    else:
        rows = [_nested(part, indent + 1, summarize, numbers) for part in array]
    separator = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return "[" + separator.join(rows) + "]"


def _row(array: NDArray[Any], indent: int, summarize: bool, numbers: NumberFormat) -> str:
    values, edge = array.tolist(), chosen.options.edgeitems
    if summarize and len(values) > 2 * edge:
        texts = [numbers.text(value) for value in values[:edge]]
        texts.append(" ..." if edge else "...")
        texts += [numbers.text(value) for value in values[len(values) - edge :]]
    else:
        texts = [numbers.text(value) for value in values]
    per_line = max(1, (chosen.options.linewidth - indent) // (numbers.width + 2))
    lines = [", ".join(texts[start : start + per_line]) for start in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
