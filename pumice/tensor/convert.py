"""Making tensors from host data: Python numbers and sequences, NumPy arrays, raw bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.dtypes import DType
from pumice.engine import memory
from pumice.engine.devices import parse_device, require_dtype, runtime_of
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.interpret import convert as convert_array
from pumice.graph.node import Storage
from pumice.numpy_types import from_numpy as dtype_of
from pumice.numpy_types import to_numpy
from pumice.ops.view import Shape, View
from pumice.target import CPU, Device, default_device
from pumice.tensor.conversion import host_view
from pumice.tensor.core import Cell, TensorBase, wrap
from pumice.tensor.marks import method, public

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def device_of(device: Any) -> Device:
    """Return where a tensor is made; the default device when nothing is named.

    Raises
    ------
    DeviceError
        When there is no such device; names of devices are taken before one is looked for.
    """
    found = default_device() if device is None else parse_device(device)
    if found is not CPU:
        runtime_of(found)
    return found


@public
def tensor(
    data: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Make a tensor from host data; the data is copied.

    Parameters
    ----------
    data : number, nested sequence, NumPy array or Tensor
        Python floats give float32, ints int64, bools bool; arrays keep their type.
    dtype : DType, optional
        Element type of the result.
    device : str or Device, optional
        Where it lives; `set_default_device` chooses for None.
    requires_grad : bool
        Whether gradients are collected.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When nested sequences have different lengths.
    DTypeError
        When an element is no number.

    Examples
    --------
    >>> import pumice
    >>> pumice.tensor([[1, 2], [3, 4]]).dtype
    pumice.int64
    """
    if isinstance(data, TensorBase):
        source = data.node
        result = wrap(build.copy(build.detach(source)))
        wanted = data.device if device is None else parse_device(device)
        result = result.to(wanted, data.dtype if dtype is None else dtype)
    else:
        array, found = host_array(data, dtype)
        result = upload(array, found if dtype is None else dtype, device_of(device))
    return result.requires_grad_() if requires_grad else result


@method
def new_tensor(
    input: Tensor,
    data: Any,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Make a tensor from host data, of this tensor's dtype and device unless told otherwise.

    Examples
    --------
    >>> pumice.new_tensor(pumice.ones(2, dtype=pumice.float64), [1, 2])
    tensor([1., 2.], dtype=pumice.float64)
    """
    return tensor(
        data,
        input.dtype if dtype is None else dtype,
        input.device if device is None else device,
        requires_grad,
    )


def upload(array: NDArray[Any], dtype: DType, device: Device) -> Tensor:
    """Copy a host array to a device, converted to a dtype."""
    require_dtype("tensor", dtype, device)
    converted = convert_array(array, dtype) if array.dtype != to_numpy(dtype) else array
    storage = memory.upload(np.ascontiguousarray(converted), device)
    return wrap(build.buffer(storage, dtype, array.shape))


def from_bits(raw: NDArray[np.uint8], dtype: DType, shape: Shape) -> Tensor:
    """Make a CPU tensor from the bytes of its elements."""
    storage = memory.upload(np.ascontiguousarray(raw), CPU)
    return wrap(build.buffer(storage, dtype, shape))


def host_array(data: Any, dtype: DType | None) -> tuple[NDArray[Any], DType]:
    """Return host data as an array, and the dtype it has by itself."""
    if isinstance(data, (np.ndarray, np.generic)):
        array = np.asarray(data)
        return array, dtype_of(array.dtype)
    if hasattr(data, "__array__") and not isinstance(data, (list, tuple)):
        array = np.asarray(data)
        return array, dtype_of(array.dtype)
    plain = _plain_array(data)
    if plain is not None:
        return plain
    shape = _nested_shape(data)
    flat: list[Any] = []
    _flatten(data, shape, flat)
    found = _common_dtype(flat)
    numbers = [_number(value) for value in flat]
    return _whole_array(numbers, found, dtype).reshape(shape), found


def _plain_array(data: Any) -> tuple[NDArray[Any], DType] | None:
    """Return nested lists of Python numbers as an array, or None where more care is needed."""
    first = data
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    if type(first) not in (bool, int, float):
        return None
    try:
        array = np.array(data)
    except (ValueError, OverflowError):
        return None
    match array.dtype.name:
        case "float64":
            return array, dtypes.default_float()
        case "int64":
            return array, dtypes.int64
        case "bool":
            return array, dtypes.bool_
        case _:
            return None


def _whole_array(numbers: list[Any], found: DType, dtype: DType | None) -> NDArray[Any]:
    """Return numbers in the widest type of their family."""
    if found.is_floating_point:
        return np.array(numbers, np.float64)
    if found is dtypes.bool_:
        return np.array(numbers, np.bool_)
    try:
        return np.array(numbers, np.uint64 if dtype is dtypes.uint64 else np.int64)
    except OverflowError as error:
        raise InvalidArgument(
            describe("tensor", "a Python int does not fit int64", "use a float dtype")
        ) from error


def _nested_shape(data: Any) -> Shape:
    shape = []
    while isinstance(data, (list, tuple, range)):
        shape.append(len(data))
        if not len(data):
            break
        data = data[0]
    if isinstance(data, (TensorBase, np.ndarray)) and data.shape:
        shape.extend(data.shape)
    return tuple(shape)


def _flatten(data: Any, shape: Shape, out: list[Any]) -> None:
    if not isinstance(data, (list, tuple, range)):
        if isinstance(data, TensorBase) and not data.shape:
            out.append(_Typed(host_view(data).item(), data.dtype))
            return
        if isinstance(data, (TensorBase, np.ndarray)) and data.shape == shape and shape:
            dtype = data.dtype if isinstance(data, TensorBase) else dtype_of(data.dtype)
            inner = host_view(data) if isinstance(data, TensorBase) else data
            out.extend(_Typed(value, dtype) for value in inner.reshape(-1).tolist())
            return
        if shape:
            raise ShapeError(
                describe("tensor", f"expected a sequence of length {shape[0]}, got {data!r}")
            )
        out.append(data)
        return
    if not shape or len(data) != shape[0]:
        wanted = f"length {shape[0]}" if shape else "a number"
        raise ShapeError(
            describe(
                "tensor",
                f"expected {wanted}, got a sequence of length {len(data)}",
                "nested sequences must have equal lengths",
            )
        )
    for part in data:
        _flatten(part, shape[1:], out)


class _Typed:
    """A number that came from a tensor or an array and keeps its dtype."""

    __slots__ = ("dtype", "value")

    def __init__(self, value: Any, dtype: DType) -> None:
        self.value = value
        self.dtype = dtype


def _number(value: Any) -> Any:
    return value.value if isinstance(value, _Typed) else value


def _common_dtype(flat: list[Any]) -> DType:
    """Return the dtype of a list of numbers: Python floats are float32, ints int64."""
    if not flat:
        return dtypes.default_float()
    found: DType | None = None
    for value in flat:
        own = _dtype_of_number(value)
        if own is not found:
            found = own if found is None else dtypes.promote_types(found, own)
    assert found is not None
    return found


def _dtype_of_number(value: Any) -> DType:
    if isinstance(value, _Typed):
        return value.dtype
    if isinstance(value, bool):
        return dtypes.bool_
    if isinstance(value, int):
        return dtypes.int64
    if isinstance(value, np.generic) and not isinstance(value, np.float64):
        return dtype_of(value.dtype)
    if isinstance(value, float):
        return dtypes.float64 if isinstance(value, np.float64) else dtypes.default_float()
    raise DTypeError(
        describe(
            "tensor",
            f"could not infer a dtype for an element of type {type(value).__name__}",
            "allowed are numbers, sequences of them, arrays and tensors",
        )
    )


@public
def as_tensor(data: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Return data as a tensor, shared where possible.

    Parameters
    ----------
    data : number, nested sequence, NumPy array or Tensor
        Tensors and CPU arrays of the right dtype are shared, the rest copied.
    dtype : DType, optional
        Element type of the result.
    device : str or Device, optional
        Where it lives.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> pumice.as_tensor([1, 2], dtype=pumice.float32)
    tensor([1., 2.])
    """
    if isinstance(data, TensorBase):
        kept: Any = data
        moved: Tensor = kept.to(
            data.device if device is None else device, data.dtype if dtype is None else dtype
        )
        return moved
    if isinstance(data, np.ndarray) and device_of(device) == CPU:
        shared = from_numpy(data)
        return shared if dtype is None else shared.to(dtype)
    return tensor(data, dtype=dtype, device=device)


@public
def asarray(data: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Return data as a tensor, shared where possible; the NumPy name of `as_tensor`.

    Examples
    --------
    >>> pumice.asarray([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    return as_tensor(data, dtype, device)


@public
def from_numpy(array: NDArray[Any]) -> Tensor:
    """Return a tensor over the memory of a NumPy array.

    Parameters
    ----------
    array : numpy.ndarray
        Any strides; read-only arrays and those of foreign byte order are copied.

    Returns
    -------
    Tensor
        Shares the array's memory where the runtime can wrap it.

    Raises
    ------
    DTypeError
        When the argument is no array, or of a type pumice does not have.

    Examples
    --------
    >>> import numpy
    >>> pumice.from_numpy(numpy.arange(3.0))
    tensor([0., 1., 2.], dtype=pumice.float64)
    """
    if not isinstance(array, np.ndarray):
        raise DTypeError(
            describe("from_numpy", f"got {type(array).__name__}", "allowed is a NumPy array")
        )
    dtype = dtype_of(array.dtype)
    shared = wrap_memory(array, dtype)
    if shared is not None:
        return shared
    native = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    return upload(native.reshape(array.shape), dtype, CPU)


@public
def frombuffer(
    buffer: Any, *, dtype: DType, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Return a 1-D tensor over the bytes of an object.

    Parameters
    ----------
    buffer : bytes-like
        An object with Python's buffer interface; its memory is shared if it can be written to.
    dtype : DType
        How the bytes are read.
    count : int
        Number of elements; all that follow by default.
    offset : int
        Bytes left out in front.
    requires_grad : bool
        Whether gradients are collected.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When the bytes asked for are not there, or no whole number of elements.

    Examples
    --------
    >>> import pumice
    >>> pumice.frombuffer(b"\\x01\\x00\\x02\\x00", dtype=pumice.int16)
    tensor([1, 2], dtype=pumice.int16)
    """
    try:
        array = np.frombuffer(buffer, to_numpy(dtype), count, offset)
    except ValueError as error:
        told = describe("frombuffer", str(error), "bytes of whole elements")
        raise InvalidArgument(told) from None
    except TypeError as error:
        told = describe("frombuffer", str(error), "an object with Python's buffer interface")
        raise DTypeError(told) from None
    result = from_numpy(array)
    return result.requires_grad_() if requires_grad else result


def wrap_memory(array: NDArray[Any], dtype: DType) -> Tensor | None:
    """Return a tensor over a host array's memory, or None where that cannot be."""
    size = dtype.itemsize
    plain = (
        array.size > 0
        and array.flags.writeable
        and array.dtype.isnative
        and array.ctypes.data % size == 0
        and all(stride % size == 0 for stride in array.strides)
    )
    if not plain:
        return None
    strides = tuple(stride // size for stride in array.strides)
    return over_memory(array.ctypes.data, array.shape, strides, dtype, array)


def over_memory(address: int, shape: Shape, strides: Shape, dtype: DType, owner: object) -> Tensor:
    """Return a tensor over host memory that ``owner`` keeps alive; strides count elements."""
    runtime: Any = runtime_of(CPU)
    low, high = View(shape, strides).bounds()
    count = high - low + 1
    start = address + low * dtype.itemsize
    allocation = runtime.wrap(start, count * dtype.itemsize, owner)
    view = View(shape, strides, -low)
    whole = shape if low == 0 and view.is_contiguous() else (count,)
    cell = Cell(build.buffer(Storage(allocation, 0, CPU), dtype, whole))
    cell.exposed = _always
    shared: Tensor = object.__new__(TensorBase.concrete)
    shared._fill(cell, None if whole is shape else view)
    return shared


def _always() -> bool:
    return True
