"""Tensors from numbers: filled, counting, identity."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType, Scalar
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.view import Shape
from pumice.tensor.axes import check_extents, shape_argument
from pumice.tensor.convert import device_of
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.marks import method, public

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def filled(
    operator: str,
    shape: Shape,
    value: Scalar,
    dtype: DType | None,
    device: Any,
    requires_grad: bool,
) -> Tensor:
    """Return a tensor filled with one number; it takes no memory until written to or read."""
    check_extents(operator, shape)
    chosen = dtype or dtypes.DEFAULT_FLOAT
    result = wrap(build.constant(value, chosen, shape, device_of(device)))
    return result.requires_grad_() if requires_grad else result


@public
def zeros(
    *size: Any, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of zeros.

    Parameters
    ----------
    size : int or sequence of int
        Its shape.
    dtype : DType, optional
        float32 by default.
    device : str or Device, optional
        The CPU by default.
    requires_grad : bool
        Whether gradients are collected.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When an extent is negative.

    Examples
    --------
    >>> import pumice
    >>> pumice.zeros(2)
    tensor([0., 0.])
    """
    shape = shape_argument("zeros", size)
    return filled("zeros", shape, 0, dtype, device, requires_grad)


@public
def ones(
    *size: Any, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of ones; parameters as in `zeros`.

    Examples
    --------
    >>> import pumice
    >>> pumice.ones(2)
    tensor([1., 1.])
    """
    return filled("ones", shape_argument("ones", size), 1, dtype, device, requires_grad)


@public
def empty(
    *size: Any, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor whose values should not be relied on (they are 0); as `zeros`."""
    return filled("empty", shape_argument("empty", size), 0, dtype, device, requires_grad)


@public
def full(
    size: int | Sequence[int],
    fill_value: Scalar | Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor filled with one number.

    Parameters
    ----------
    size : int or sequence of int
        Its shape.
    fill_value : number
        What every element is.
    dtype : DType, optional
        By default that of a Python number: bool, int64 or float32.
    device : str or Device, optional
        The CPU by default.
    requires_grad : bool
        Whether gradients are collected.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.full((2,), 7)
    tensor([7, 7])
    """
    number: Any = fill_value.item() if isinstance(fill_value, TensorBase) else fill_value
    chosen = dtype or dtypes.scalar_dtype(number)
    shape = shape_argument("full", (size,))
    return filled("full", shape, number, chosen, device, requires_grad)


def _like(
    operator: str, input: Tensor, value: Scalar, dtype: DType | None, device: Any, grad: bool
) -> Tensor:
    return filled(operator, input.shape, value, dtype or input.dtype, device or input.device, grad)


@public
def zeros_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return zeros of another tensor's shape, dtype and device."""
    return _like("zeros_like", input, 0, dtype, device, requires_grad)


@public
def ones_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return ones of another tensor's shape, dtype and device."""
    return _like("ones_like", input, 1, dtype, device, requires_grad)


@public
def empty_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of another's shape, dtype and device, without meaningful values."""
    return _like("empty_like", input, 0, dtype, device, requires_grad)


@public
def full_like(
    input: Tensor,
    fill_value: Scalar,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return one number in another tensor's shape, dtype and device."""
    return _like("full_like", input, fill_value, dtype, device, requires_grad)


@method
def new_zeros(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return zeros of this tensor's dtype and device."""
    shape = shape_argument("new_zeros", size)
    return filled(
        "new_zeros", shape, 0, dtype or input.dtype, device or input.device, requires_grad
    )


@method
def new_ones(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return ones of this tensor's dtype and device."""
    shape = shape_argument("new_ones", size)
    return filled("new_ones", shape, 1, dtype or input.dtype, device or input.device, requires_grad)


@method
def new_empty(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of this one's dtype and device, without meaningful values."""
    return new_zeros(input, *size, dtype=dtype, device=device, requires_grad=requires_grad)


@method
def new_full(
    input: Tensor,
    size: Sequence[int],
    fill_value: Scalar,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return one number in this tensor's dtype and device."""
    shape = shape_argument("new_full", (size,))
    return filled(
        "new_full", shape, fill_value, dtype or input.dtype, device or input.device, requires_grad
    )


def positions(shape: Shape, device: Any, dtype: DType = dtypes.int64) -> Node:
    """Return row-major positions as a dtype."""
    return build.cast(build.iota(shape, device_of(device)), dtype)


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
        The CPU by default.
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
    if step == 0:
        raise InvalidArgument(describe("arange", "step is 0", "it must be nonzero"))
    whole = all(isinstance(value, int) for value in (start, end, step))
    chosen = dtype or (dtypes.int64 if whole else dtypes.DEFAULT_FLOAT)
    if chosen is dtypes.bool_:
        raise DTypeError(describe("arange", "got bool", "allowed are integer and floating types"))
    count = len(range(int(start), int(end), int(step))) if whole else ceil((end - start) / step)
    place = build.iota((max(count, 0),), device_of(device))
    if whole:
        node = build.cast(place * step + start, chosen)
    elif chosen.is_integral:
        node = build.cast(place, chosen) * int(step) + int(start)
    else:
        wide = dtypes.float64
        node = build.cast(build.cast(place, wide) * float(step) + float(start), chosen)
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
        The CPU by default.
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
    chosen = dtype or dtypes.DEFAULT_FLOAT
    if chosen is dtypes.bool_:
        raise DTypeError(describe("linspace", "got bool", "allowed are integers and floats"))
    place = build.iota((steps,), device_of(device))
    count = max(steps - 1, 1)
    # Counted from the nearer end, so that both ends are exact.
    wide = build.cast(place, dtypes.float64)
    step = (end - start) / count
    near = wide * step + start
    far = (wide - float(count)) * step + end
    node = build.cast((place < (steps + 1) // 2).select(near, far), chosen)
    result = wrap(node)
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
    """Return ``base`` to the powers of `linspace`."""
    powers = linspace(start, end, steps, dtype=dtypes.float64, device=device)
    result = (base**powers).to(dtype or dtypes.DEFAULT_FLOAT)
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
        The CPU by default.
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
    node = build.cast(rows.eq(columns), dtype or dtypes.DEFAULT_FLOAT)
    result = wrap(node)
    return result.requires_grad_() if requires_grad else result


def grid(shape: Shape, device: Any) -> tuple[Node, Node]:
    """Return the row and column number of every element of a matrix."""
    n, m = shape
    rows = build.expand(build.reshape(build.iota((n,), device_of(device)), (n, 1)), shape)
    columns = build.expand(build.reshape(build.iota((m,), device_of(device)), (1, m)), shape)
    return rows, columns
