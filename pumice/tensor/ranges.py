"""Evenly spaced numbers and identity matrices."""

from __future__ import annotations

from math import ceil, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.dtypes import DType, Scalar
from pumice.engine.devices import lacks
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.view import Shape
from pumice.target import Device
from pumice.tensor.axes import check_extents
from pumice.tensor.convert import device_of, upload
from pumice.tensor.core import wrap
from pumice.tensor.marks import public

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def positions(shape: Shape, device: Any, dtype: DType = dtypes.int64) -> Node:
    """Return row-major positions as a dtype."""
    return build.cast(build.iota(shape, device_of(device)), dtype)


def _counted(count: int, device: Device) -> Node | NDArray[Any]:
    """Return numbers from 0 up in float64: an array for a device that cannot compute with it."""
    if lacks(device, dtypes.float64):
        return np.arange(count, dtype=np.float64)
    return build.cast(build.iota((count,), device), dtypes.float64)


def _as_node(numbers: Node | NDArray[Any], dtype: DType, device: Device) -> Node:
    """Return counted numbers in a dtype."""
    if isinstance(numbers, Node):
        return build.cast(numbers, dtype)
    return upload(numbers, dtype, device).node


@public
def arange(
    start: Scalar,
    end: Scalar | None = None,
    step: Scalar = 1,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return evenly spaced numbers from ``start`` up to, not including, ``end``.

    Parameters
    ----------
    start, end, step : number
        With one argument it is the end and counting starts at 0.
    dtype : DType, optional
        int64 when all three are ints, float32 otherwise.
    device : str or Device, optional
        `set_default_device` chooses for None.
    requires_grad : bool
        Whether gradients are collected.

    Returns
    -------
    Tensor
        Of shape (n,); empty when the step leads away from the end.

    Raises
    ------
    InvalidArgument
        When the step is 0.

    Examples
    --------
    >>> import pumice
    >>> pumice.arange(1, 6, 2)
    tensor([1, 3, 5])
    """
    if end is None:
        start, end = 0, start
    start, end, step = (_plain(value) for value in (start, end, step))
    if dtype is dtypes.int64:
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise InvalidArgument(describe("arange", "step is 0", "it must be nonzero"))
    whole = all(isinstance(value, int) for value in (start, end, step))
    chosen = (dtypes.int64 if whole else dtypes.default_float()) if dtype is None else dtype
    if chosen is dtypes.bool_:
        raise DTypeError(describe("arange", "got bool", "allowed are integer and floating types"))
    if not all(isfinite(each) for each in (start, end, step)):
        raise InvalidArgument(describe("arange", f"got {start}, {end}, {step}", "finite numbers"))
    count = len(range(int(start), int(end), int(step))) if whole else ceil((end - start) / step)
    device = device_of(device)
    place = build.iota((max(count, 0),), device)
    if whole:
        node = build.cast(place * step + start, chosen)
    elif chosen.is_integral:
        node = build.cast(place, chosen) * int(step) + int(start)
    else:
        wide = _counted(max(count, 0), device)
        node = _as_node(wide * float(step) + float(start), chosen, device)
    result = wrap(node)
    return result.requires_grad_() if requires_grad else result


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


@public
def linspace(
    start: float,
    end: float,
    steps: int,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return ``steps`` evenly spaced numbers from ``start`` to ``end``, both included exactly.

    Parameters
    ----------
    start, end : float
        First and last number.
    steps : int
        How many; 1 gives ``start`` alone.
    dtype : DType, optional
        float32 by default.
    device : str or Device, optional
        `set_default_device` chooses for None.
    requires_grad : bool
        Whether gradients are collected.

    Returns
    -------
    Tensor
        Of shape (steps,).

    Raises
    ------
    InvalidArgument
        When ``steps`` is negative.
    DTypeError
        For bool.

    Examples
    --------
    >>> import pumice
    >>> pumice.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    start, end = float(_plain(start)), float(_plain(end))
    if steps < 0:
        raise InvalidArgument(describe("linspace", f"got {steps} steps", "a non-negative number"))
    chosen = dtypes.default_float() if dtype is None else dtype
    if chosen is dtypes.bool_:
        raise DTypeError(describe("linspace", "got bool", "allowed are integers and floats"))
    if chosen.is_integral:
        start, end = float(int(start)), float(int(end))
    device = device_of(device)
    count = max(steps - 1, 1)
    # Counted from the nearer end, so that both ends are exact.
    wide: Any = _counted(steps, device)
    step = (end - start) / count
    near = wide * step + start
    far = (wide - float(count)) * step + end
    first = (steps + 1) // 2
    if isinstance(wide, Node):
        place = build.iota((steps,), device)
        numbers = (place < first).select(near, far)
    else:
        numbers = np.where(wide < first, near, far)
    result = wrap(_as_node(numbers, chosen, device))
    return result.requires_grad_() if requires_grad else result


@public
def logspace(
    start: float,
    end: float,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return ``base`` to the powers of `linspace`.

    Examples
    --------
    >>> pumice.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    chosen = dtypes.default_float() if dtype is None else dtype
    if chosen.is_integral:
        start, end = int(start), int(end)
    device = device_of(device)
    if lacks(device, dtypes.float64):
        array = (base ** linspace(start, end, steps, dtype=dtypes.float64)).numpy()
        result = upload(array, chosen, device)
    else:
        powers = linspace(start, end, steps, dtype=dtypes.float64, device=device)
        result = (base**powers).to(chosen)
    return result.requires_grad_() if requires_grad else result


@public
def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a matrix with ones on the main diagonal.

    Parameters
    ----------
    n, m : int
        Rows and columns; as many columns as rows by default.
    dtype : DType, optional
        float32 by default.
    device : str or Device, optional
        `set_default_device` chooses for None.
    requires_grad : bool
        Whether gradients are collected.

    Returns
    -------
    Tensor
        Of shape (n, m).

    Raises
    ------
    ShapeError
        When a size is negative.

    Examples
    --------
    >>> import pumice
    >>> pumice.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    shape = check_extents("eye", (n, n if m is None else m))
    rows, columns = grid(shape, device)
    node = build.cast(rows.eq(columns), dtypes.default_float() if dtype is None else dtype)
    result = wrap(node)
    return result.requires_grad_() if requires_grad else result


def grid(shape: Shape, device: Any) -> tuple[Node, Node]:
    """Return the row and column number of every element of a matrix."""
    n, m = shape
    rows = build.expand(build.reshape(build.iota((n,), device_of(device)), (n, 1)), shape)
    columns = build.expand(build.reshape(build.iota((m,), device_of(device)), (1, m)), shape)
    return rows, columns
