"""Between tensors and Python, NumPy and other dtypes and devices."""

# Methods of a part of Tensor take the whole Tensor as self.
# mypy: disable-error-code="misc"

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from pumice import dtypes
from pumice.dtypes import DType, Scalar
from pumice.engine import memory
from pumice.engine.devices import parse_device, require_dtype
from pumice.engine.realize import realize
from pumice.errors import DeviceError, DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build, recording
from pumice.graph.node import Node, gradient_mode
from pumice.numpy_types import to_numpy
from pumice.ops import structure
from pumice.target import CPU, Device, DeviceKind
from pumice.tensor.core import TensorBase, wrap

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def host_view(tensor: TensorBase) -> NDArray[Any]:
    """Return the elements as an array that shares the tensor's memory on the CPU."""
    whole = tensor._cell.node
    if tensor.device.kind is not DeviceKind.CPU:
        return _downloaded(tensor)
    realize((whole,))
    assert whole.value is not None
    if tensor._view is None:
        return memory.host_array(whole.value, whole.dtype, whole.shape)
    box = tensor._box
    if prod(box.shape) == 0:
        return np.empty(box.shape, to_numpy(whole.dtype))
    flat = memory.host_array(whole.value, whole.dtype, (whole.numel,))
    strides = tuple(stride * whole.dtype.itemsize for stride in box.strides)
    return as_strided(flat[box.offset :], box.shape, strides)


def separate(tensor: TensorBase) -> None:
    """Give a tensor memory that no recorded node reads, so that host code may change it."""
    cell = tensor._cell
    if cell.is_exposed() or tensor.device.kind is not DeviceKind.CPU:
        return
    tensor._base = tensor._node = None
    node = cell.node
    realize((node,))
    # The cell, the variable and the call's argument; anything more may be a node reading this one.
    if sys.getrefcount(node) > 3:
        token = gradient_mode.set(True)
        try:
            cell.node = build.copy(node)
        finally:
            gradient_mode.reset(token)
        realize((cell.node,))


def shared_array(tensor: TensorBase) -> NDArray[Any]:
    """Return an array over the tensor's memory; each side sees what the other writes."""
    separate(tensor)
    array = host_view(tensor)
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if owner is not None and tensor.device.kind is DeviceKind.CPU:
        reference = weakref.ref(owner)
        before = tensor._cell.exposed if tensor._cell.is_exposed() else None
        tensor._cell.exposed = lambda: reference() is not None or (before is not None and before())
    return array


def _downloaded(tensor: TensorBase) -> NDArray[Any]:
    node = tensor.node
    realize((node,))
    assert node.value is not None
    return memory.download(node.value, node.dtype, node.shape)


def on_device(node: Node, device: Device) -> Node:
    """Return a node whose elements live on a device, copied through the host."""
    if node.device == device or node.device is None:
        return node
    require_dtype("to", node.dtype, device)
    realize((node,))
    assert node.value is not None
    array = memory.download(node.value, node.dtype, node.shape)
    return build.buffer(memory.upload(array, device), node.dtype, node.shape)


class ConversionMethods(TensorBase):
    """Methods of `Tensor` that look at values or change dtype and device."""

    __slots__ = ()

    def realize(self: Tensor) -> Tensor:
        """Evaluate now and return self."""
        node = self._cell.node
        if node.value is None and recording.evaluates():
            realize((node,))
        return self

    def numpy(self, *, force: bool = False) -> NDArray[Any]:
        """Return a NumPy array that shares memory with a CPU tensor.

        Parameters
        ----------
        force : bool
            Detach, and move to the CPU, first.

        Raises
        ------
        InvalidArgument
            When the tensor requires grad or lives on another device.
        """
        if not force:
            if self._requires or self.node.requires_grad:
                raise InvalidArgument(
                    describe(
                        "numpy",
                        "can't call numpy() on a tensor that requires grad",
                        "use tensor.detach().numpy() instead",
                    )
                )
            if self.device.kind is not DeviceKind.CPU:
                raise InvalidArgument(
                    describe(
                        "numpy",
                        f"can't convert a tensor on {self.device} to NumPy",
                        "use tensor.cpu() to copy it to host memory first",
                    )
                )
        return shared_array(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the elements for NumPy."""
        array = self.numpy()
        if dtype is not None and array.dtype != np.dtype(dtype):
            if copy is False:
                raise InvalidArgument(
                    describe("__array__", f"{self.dtype.name} to {dtype} needs a copy")
                )
            return array.astype(dtype)
        return array.copy() if copy else array

    def item(self) -> Scalar:
        """Return the only element as a Python number.

        Raises
        ------
        ShapeError
            When there is more than one element, or none.
        """
        if prod(self.shape) != 1:
            raise ShapeError(
                describe(
                    "item",
                    f"a tensor with {prod(self.shape)} elements cannot be converted to a scalar",
                    "it must have exactly one",
                )
            )
        number: Scalar = host_view(self).reshape(()).item()
        return float(number) if self.dtype.is_floating_point else number

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers (a number for 0-d)."""
        array = host_view(self)
        if self.dtype is dtypes.bfloat16:
            array = array.astype(np.float32)
        return array.tolist()

    def __bool__(self) -> bool:
        if prod(self.shape) != 1:
            raise ShapeError(
                describe(
                    "bool",
                    "Boolean value of Tensor with "
                    f"{'no' if not prod(self.shape) else 'more than one'} value is ambiguous",
                    "use any() or all()",
                )
            )
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        number = self.item()
        if self.dtype.is_floating_point or self.dtype is dtypes.bool_:
            raise DTypeError(
                describe(
                    "index",
                    f"a {self.dtype.name} tensor cannot be converted to an index",
                    "only integer tensors of a single element can",
                )
            )
        return int(number)

    def __len__(self) -> int:
        if not self.shape:
            raise DTypeError(describe("len", "a 0-d tensor has no length"))
        return self.shape[0]

    def __iter__(self: Tensor) -> Iterator[Tensor]:
        if not self.shape:
            raise DTypeError(describe("iter", "cannot iterate over a 0-d tensor"))
        return iter(self.unbind(0))

    def __contains__(self: Tensor, value: Any) -> bool:
        return bool((self == value).any())

    def data_ptr(self) -> int:
        """Return the address of the first element, evaluating the storage."""
        whole = self._cell.node
        realize((whole,))
        assert whole.value is not None
        first = whole.value.allocation.address + whole.value.offset
        return int(first + self._box.offset * self.dtype.itemsize)

    # -- dtype and device -------------------------------------------------------------------------

    def to(self: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        """Convert dtype and device; returns self when nothing changes.

        Parameters
        ----------
        arguments : DType, Device, str or Tensor
            ``to(dtype)``, ``to(device)``, ``to(device, dtype)`` or ``to(other)``.
        keywords : device, dtype, copy, non_blocking
            The same by name; ``copy=True`` always copies.

        Returns
        -------
        Tensor
        """
        dtype, device, copy = _target_of(arguments, keywords)
        dtype = self.dtype if dtype is None else dtype
        device = self.device if device is None else device
        if dtype is self.dtype and device == self.device:
            return wrap(build.copy(self.node)) if copy else self
        require_dtype("to", dtype, device)
        node = self.node
        if device != self.device:
            node = _moved(node, device)
        return wrap(build.cast(node, dtype))

    def cpu(self: Tensor) -> Tensor:
        """Return the tensor on the CPU."""
        return self.to("cpu")

    def vulkan(self: Tensor, index: int = 0) -> Tensor:
        """Return the tensor on a Vulkan device."""
        return self.to(f"vulkan:{index}")

    def cuda(self, *arguments: Any, **keywords: Any) -> NoReturn:
        """Raise and say what to write: GPUs are Vulkan devices here."""
        raise DeviceError(
            describe("cuda", "there is no CUDA here", "every GPU is a Vulkan device: .to('vulkan')")
        )

    def get_device(self) -> int:
        """Return the number of the GPU that holds the tensor, -1 for the CPU."""
        return -1 if self.is_cpu else self.device.index

    @property
    def is_cpu(self) -> bool:
        """Whether the CPU holds the tensor."""
        return self.device.kind is DeviceKind.CPU

    @property
    def is_vulkan(self) -> bool:
        """Whether a Vulkan device holds the tensor."""
        return self.device.kind is DeviceKind.VULKAN

    @property
    def is_cuda(self) -> bool:
        """Whether a CUDA device holds the tensor: never, GPUs are Vulkan devices here."""
        return False

    @property
    def is_sparse(self) -> bool:
        """Whether only some elements are stored: never."""
        return False

    @property
    def is_quantized(self) -> bool:
        """Whether elements are quantised: never."""
        return False

    def type(self: Tensor, dtype: DType | None = None) -> Any:
        """Convert to a dtype; without one return the name of the tensor's own."""
        return str(self.dtype) if dtype is None else self.to(dtype)

    def type_as(self: Tensor, other: Tensor) -> Tensor:
        """Convert to another tensor's dtype."""
        return self.to(other.dtype)

    def bitcast(self, dtype: DType) -> Tensor:
        """Return a copy whose bits are read as another dtype of the same size."""
        return wrap(build.bitcast(self.node, dtype))

    def float(self: Tensor) -> Tensor:
        """Convert to float32."""
        return self.to(dtypes.float32)

    def double(self: Tensor) -> Tensor:
        """Convert to float64."""
        return self.to(dtypes.float64)

    def half(self: Tensor) -> Tensor:
        """Convert to float16."""
        return self.to(dtypes.float16)

    def bfloat16(self: Tensor) -> Tensor:
        """Convert to bfloat16."""
        return self.to(dtypes.bfloat16)

    def int(self: Tensor) -> Tensor:
        """Convert to int32."""
        return self.to(dtypes.int32)

    def long(self: Tensor) -> Tensor:
        """Convert to int64."""
        return self.to(dtypes.int64)

    def short(self: Tensor) -> Tensor:
        """Convert to int16."""
        return self.to(dtypes.int16)

    def char(self: Tensor) -> Tensor:
        """Convert to int8."""
        return self.to(dtypes.int8)

    def byte(self: Tensor) -> Tensor:
        """Convert to uint8."""
        return self.to(dtypes.uint8)

    def bool(self: Tensor) -> Tensor:
        """Convert to bool: everything but zero is true."""
        return self.to(dtypes.bool_)


class _Move:
    """Sends the gradient of a moved tensor back to the device it came from."""

    def __init__(self, home: Device) -> None:
        self._home = home

    def __call__(self, g: Node, node: Node) -> tuple[Node | None, ...]:
        return None, _moved(g, self._home)


def _moved(node: Node, device: Device) -> Node:
    moved = on_device(build.detach(node), device)
    if not (node.requires_grad and gradient_mode.get()):
        return moved
    home = node.device or CPU
    return Node(structure.CUSTOM, node.dtype, node.shape, (moved, node), _Move(home))


def _target_of(
    arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[DType | None, Device | None, bool]:
    dtype: DType | None = keywords.get("dtype")
    device = None if keywords.get("device") is None else parse_device(keywords["device"])
    copy = bool(keywords.get("copy", False))
    for argument in arguments:
        if isinstance(argument, DType):
            dtype = argument
        elif isinstance(argument, TensorBase):
            dtype, device = argument.dtype, argument.device
        elif isinstance(argument, (str, Device)):
            device = parse_device(argument)
        elif argument is not None and not isinstance(argument, bool):
            raise DTypeError(
                describe(
                    "to",
                    f"got an argument of type {type(argument).__name__}",
                    "allowed are a dtype, a device and a tensor",
                )
            )
    return dtype, device, copy
