"""Tensors from numbers: filled, counting, identity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType, Scalar
from pumice.errors import DTypeError, describe
from pumice.graph import build
from pumice.ops.view import Shape
from pumice.tensor.axes import check_extents, shape_argument
from pumice.tensor.convert import device_of
from pumice.tensor.core import wrap
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
    number = fill_number(operator, value)
    chosen = dtypes.default_float() if dtype is None else dtype
    result = wrap(build.constant(number, chosen, shape, device_of(device)))
    return result.requires_grad_() if requires_grad else result


def fill_number(operator: str, value: Any) -> Scalar:
    """Return a fill value as a Python number; 0-d tensors and NumPy numbers are read."""
    number = value.item() if getattr(value, "shape", None) == () else value
    if not isinstance(number, (bool, int, float)):
        raise DTypeError(
            describe(operator, f"fill_value is of type {type(value).__name__}", "give a number")
        )
    return number


@public
def zeros(
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of zeros.

    Parameters
    ----------
    size : int or sequence of int
        Its shape.
    dtype : DType, optional
        float32 by default.
    device : str or Device, optional
        `set_default_device` chooses for None.
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
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
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
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor whose values should not be relied on (they are 0); as `zeros`.

    Examples
    --------
    >>> pumice.empty(2, 3).shape
    (2, 3)
    """
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
        `set_default_device` chooses for None.
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
    number = fill_number("full", fill_value)
    chosen = dtypes.scalar_dtype(number) if dtype is None else dtype
    shape = shape_argument("full", (size,))
    return filled("full", shape, number, chosen, device, requires_grad)


@public
def scalar_tensor(
    s: Scalar, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a number as a tensor without axes, of the default float if no dtype is given.

    Examples
    --------
    >>> pumice.scalar_tensor(3)
    tensor(3.)
    """
    chosen = dtype or dtypes.default_float()
    return full((), s, dtype=chosen, device=device, requires_grad=requires_grad)


def _like(
    operator: str, input: Tensor, value: Scalar, dtype: DType | None, device: Any, grad: bool
) -> Tensor:
    return filled(
        operator,
        input.shape,
        value,
        input.dtype if dtype is None else dtype,
        input.device if device is None else device,
        grad,
    )


@public
def zeros_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return zeros of another tensor's shape, dtype and device.

    Examples
    --------
    >>> pumice.zeros_like(pumice.tensor([1, 2]))
    tensor([0, 0])
    """
    return _like("zeros_like", input, 0, dtype, device, requires_grad)


@public
def ones_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return ones of another tensor's shape, dtype and device.

    Examples
    --------
    >>> pumice.ones_like(pumice.tensor([1., 2.]))
    tensor([1., 1.])
    """
    return _like("ones_like", input, 1, dtype, device, requires_grad)


@public
def empty_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of another's shape, dtype and device, without meaningful values.

    Examples
    --------
    >>> pumice.empty_like(pumice.tensor([[1., 2.]])).shape
    (1, 2)
    """
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
    """Return one number in another tensor's shape, dtype and device.

    Examples
    --------
    >>> pumice.full_like(pumice.tensor([1., 2.]), 7)
    tensor([7., 7.])
    """
    return _like("full_like", input, fill_value, dtype, device, requires_grad)


@method
def new_zeros(
    input: Tensor,
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return zeros of this tensor's dtype and device.

    Examples
    --------
    >>> pumice.new_zeros(pumice.tensor([1, 2]), 3)
    tensor([0, 0, 0])
    """
    shape = shape_argument("new_zeros", size)
    return filled(
        "new_zeros",
        shape,
        0,
        input.dtype if dtype is None else dtype,
        input.device if device is None else device,
        requires_grad,
    )


@method
def new_ones(
    input: Tensor,
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return ones of this tensor's dtype and device.

    Examples
    --------
    >>> pumice.new_ones(pumice.tensor([1., 2.]), 3)
    tensor([1., 1., 1.])
    """
    shape = shape_argument("new_ones", size)
    return filled(
        "new_ones",
        shape,
        1,
        input.dtype if dtype is None else dtype,
        input.device if device is None else device,
        requires_grad,
    )


@method
def new_empty(
    input: Tensor,
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of this one's dtype and device, without meaningful values.

    Examples
    --------
    >>> pumice.new_empty(pumice.tensor([1., 2.]), 2, 3).shape
    (2, 3)
    """
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
    """Return one number in this tensor's dtype and device.

    Examples
    --------
    >>> pumice.new_full(pumice.tensor([1., 2.]), (3,), 7)
    tensor([7., 7., 7.])
    """
    shape = shape_argument("new_full", (size,))
    return filled(
        "new_full",
        shape,
        fill_value,
        input.dtype if dtype is None else dtype,
        input.device if device is None else device,
        requires_grad,
    )
