"""What numbers of a dtype can be, and what is chosen when nothing is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType
from pumice.engine.devices import parse_device
from pumice.errors import DTypeError, describe
from pumice.target import CPU, Device, default_device
from pumice.target import set_default_device as choose_device
from pumice.tensor.marks import method, public

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

EXPONENT_BITS = {"float16": 5, "bfloat16": 8, "float32": 8, "float64": 11}


class FloatLimits:
    """Limits of a floating dtype; see `finfo`.

    Attributes
    ----------
    bits : int
        Size.
    eps : float
        Distance from 1 to the next larger number.
    max, min : float
        Largest and lowest finite number.
    tiny, smallest_normal : float
        Smallest positive number of full precision.
    resolution : float
        Decimal digits, as a power of ten.
    dtype : str
        Name of the dtype.
    """

    def __init__(self, dtype: DType) -> None:
        bias = (1 << (EXPONENT_BITS[dtype.name] - 1)) - 1
        self.bits = dtype.bits
        self.dtype = dtype.name
        self.eps = 2.0**-dtype.mantissa
        self.max = (2.0 - self.eps) * 2.0**bias
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - bias)
        self.resolution = 10.0 ** -int(dtype.mantissa * 0.30103)

    def __repr__(self) -> str:
        return f"finfo(dtype={self.dtype}, eps={self.eps}, max={self.max}, min={self.min})"


class IntegerLimits:
    """Limits of an integer dtype; see `iinfo`."""

    def __init__(self, dtype: DType) -> None:
        self.bits = dtype.bits
        self.dtype = dtype.name
        self.max = (1 << (dtype.bits - dtype.is_signed)) - 1
        self.min = -self.max - 1 if dtype.is_signed else 0

    def __repr__(self) -> str:
        return f"iinfo(dtype={self.dtype}, max={self.max}, min={self.min})"


@public
def finfo(dtype: DType | None = None) -> FloatLimits:
    """Return the limits of a floating dtype, of the default one when none is named.

    Raises
    ------
    DTypeError
        For other dtypes.

    Examples
    --------
    >>> import pumice
    >>> pumice.finfo(pumice.float16).max
    65504.0
    """
    dtype = dtypes.default_float() if dtype is None else dtype
    if not dtype.is_floating_point:
        raise DTypeError(describe("finfo", f"got {dtype.name}", "a floating type"))
    return FloatLimits(dtype)


@public
def iinfo(dtype: DType) -> IntegerLimits:
    """Return the limits of an integer dtype.

    Raises
    ------
    DTypeError
        For other dtypes.

    Examples
    --------
    >>> import pumice
    >>> pumice.iinfo(pumice.int8).min
    -128
    """
    if not dtype.is_integral:
        raise DTypeError(describe("iinfo", f"got {dtype.name}", "an integer type"))
    return IntegerLimits(dtype)


@public
def get_default_dtype() -> DType:
    """Return the dtype of Python floats; see `set_default_dtype`.

    Returns
    -------
    DType

    Examples
    --------
    >>> import pumice
    >>> pumice.get_default_dtype()
    pumice.float32
    """
    return dtypes.default_float()


@public
def set_default_dtype(d: DType) -> None:
    """Choose the dtype of Python floats.

    Parameters
    ----------
    d : DType
        Floating. Functions that make tensors use it when no dtype is named, and operators that need
        a float compute integers in it.

    Raises
    ------
    DTypeError
        For other dtypes.

    Notes
    -----
    It holds for all threads from now on; an operation takes the dtype that is chosen when it is
    called. A function captured by `jit` is captured again.

    Examples
    --------
    >>> import pumice
    >>> pumice.set_default_dtype(pumice.float64)
    >>> pumice.tensor([1.0]).dtype, (pumice.arange(3) / 2).dtype
    (pumice.float64, pumice.float64)
    >>> pumice.set_default_dtype(pumice.float32)
    """
    if not isinstance(d, DType) or not d.is_floating_point:
        raise DTypeError(
            describe("set_default_dtype", f"got {d!r}", "only floating dtypes are accepted")
        )
    dtypes.defaults.float = d


@public
def get_default_device() -> Device:
    """Return where tensors are made when no device is named; see `set_default_device`.

    Returns
    -------
    Device

    Examples
    --------
    >>> import pumice
    >>> pumice.get_default_device()
    device('cpu')
    """
    return default_device()


@public
def set_default_device(device: Any) -> None:
    """Choose where tensors are made when no device is named.

    Parameters
    ----------
    device : str, Device or None
        None chooses the CPU.

    Raises
    ------
    DeviceError
        For text that names no device.

    Notes
    -----
    It holds for this thread. ``with pumice.device("vulkan"):`` does the same for a while. Arrays
    that share memory (`from_numpy`, `from_dlpack`) and files keep the device they have.

    Examples
    --------
    >>> import pumice
    >>> pumice.set_default_device("cpu")
    >>> pumice.ones(2).device
    device('cpu')
    """
    choose_device(CPU if device is None else parse_device(device))


@public
def is_floating_point(input: Tensor) -> bool:
    """Tell whether a tensor's dtype is floating.

    Examples
    --------
    >>> pumice.is_floating_point(pumice.tensor([1.0])), pumice.is_floating_point(pumice.tensor([1]))
    (True, False)
    """
    return input.dtype.is_floating_point


@public
def is_signed(input: Tensor) -> bool:
    """Tell whether a tensor's dtype has negative values.

    Examples
    --------
    >>> pumice.is_signed(pumice.tensor([1])), pumice.is_signed(pumice.tensor([True]))
    (True, False)
    """
    return input.dtype.is_signed


@method
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have one shape.

    Examples
    --------
    >>> pumice.is_same_size(pumice.ones(2, 3), pumice.ones(3, 2))
    False
    """
    return input.shape == other.shape


@public
def numel(input: Tensor) -> int:
    """Return the number of elements.

    Examples
    --------
    >>> pumice.numel(pumice.ones(2, 3))
    6
    """
    return input.numel()


@public
def clone(input: Tensor) -> Tensor:
    """Return a copy; gradients flow through it.

    Examples
    --------
    >>> pumice.clone(pumice.tensor([1, 2]))
    tensor([1, 2])
    """
    return input.clone()


@public
def detach(input: Tensor) -> Tensor:
    """Return an alias through which no gradient flows.

    Examples
    --------
    >>> pumice.detach(pumice.ones(2, requires_grad=True)).requires_grad
    False
    """
    return input.detach()
