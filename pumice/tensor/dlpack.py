"""DLPack: sharing memory with other array libraries, both ways, through ctypes."""

# Methods of a part of Tensor take the whole Tensor as self.
# mypy: disable-error-code="misc"

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pumice import dtypes
from pumice.dtypes import DType, Kind
from pumice.engine.realize import realize
from pumice.errors import DeviceError, DTypeError, InvalidArgument, describe
from pumice.locks import ForkSafeLock
from pumice.ops.view import Shape, contiguous_strides
from pumice.target import CPU, DeviceKind
from pumice.tensor.conversion import separate
from pumice.tensor.convert import from_bits, over_memory
from pumice.tensor.core import TensorBase
from pumice.tensor.marks import public

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

CPU_TYPE = 1
VERSION = (1, 0)
NAME, USED = b"dltensor", b"used_dltensor"
VERSIONED, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"
READ_ONLY = 1

_CODES = {Kind.SIGNED: 0, Kind.UNSIGNED: 1, Kind.FLOAT: 2, Kind.BOOL: 6}
_BFLOAT = 4


class DLDevice(ctypes.Structure):
    """Kind and number of a device."""

    _fields_ = (("kind", ctypes.c_int32), ("index", ctypes.c_int32))


class DLDataType(ctypes.Structure):
    """An element type."""

    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class DLTensor(ctypes.Structure):
    """A strided box of memory."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLManaged(ctypes.Structure):
    """A box with an owner, as the first version of the protocol lays it out."""

    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", Deleter))


class DLVersion(ctypes.Structure):
    """Version of the protocol."""

    _fields_ = (("major", ctypes.c_uint32), ("minor", ctypes.c_uint32))


class DLManagedVersioned(ctypes.Structure):
    """A box with an owner, as version 1 of the protocol lays it out."""

    _fields_ = (
        ("version", DLVersion),
        ("context", ctypes.c_void_p),
        ("deleter", Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


_api = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _api)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_SetName", _api)
)
_raw_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_raw_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)


class _Exports:
    """Structures that consumers hold, by address, until they call the deleter."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._held: dict[int, Any] = {}

    def hold(self, address: int, kept: Any) -> None:
        with self._lock:
            self._held[address] = kept

    def release(self, address: int) -> None:
        with self._lock:
            self._held.pop(address, None)

    def holds(self, address: int) -> bool:
        with self._lock:
            return address in self._held


_exports = _Exports()


_delete = Deleter(_exports.release)


def _release_unused(handle: int) -> None:
    """Release a structure that nobody consumed."""
    for name in (NAME, VERSIONED):
        if _raw_is_valid(handle, name):
            _exports.release(_raw_pointer(handle, name))


_capsule_died = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_release_unused)


def _data_type(dtype: DType) -> DLDataType:
    code = _BFLOAT if dtype is dtypes.bfloat16 else _CODES[dtype.kind]
    return DLDataType(code, dtype.bits, 1)


def _dtype_of(given: DLDataType) -> DType:
    for dtype in dtypes.ALL:
        own = _data_type(dtype)
        if (own.code, own.bits, given.lanes) == (given.code, given.bits, 1):
            return dtype
    raise DTypeError(
        describe(
            "from_dlpack",
            f"got type code {given.code} of {given.bits} bits, {given.lanes} lanes",
            "allowed are the dtypes of pumice",
        )
    )


def export(tensor: Tensor, versioned: bool) -> Any:
    """Return a capsule over a CPU tensor's memory."""
    if tensor.requires_grad:
        raise InvalidArgument(
            describe(
                "__dlpack__",
                "can't export a tensor that requires gradient",
                "use tensor.detach()",
            )
        )
    if tensor.device.kind is not DeviceKind.CPU:
        raise DeviceError(
            describe("__dlpack__", f"the tensor is on {tensor.device}", "use tensor.cpu() first")
        )
    separate(tensor)
    whole = tensor._cell.node
    realize((whole,))
    shape, strides = tensor.shape, tensor.stride()
    extents = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    steps = (ctypes.c_int64 * max(len(shape), 1))(*strides)
    box = DLTensor(
        tensor.data_ptr(),
        DLDevice(CPU_TYPE, 0),
        len(shape),
        _data_type(tensor.dtype),
        extents,
        steps,
        0,
    )
    managed: Any
    if versioned:
        managed = DLManagedVersioned(DLVersion(*VERSION), None, _delete, 0, box)
    else:
        managed = DLManaged(box, None, _delete)
    address = ctypes.addressof(managed)
    _exports.hold(address, (managed, extents, steps, whole.value))
    before = tensor._cell.exposed if tensor._cell.is_exposed() else None
    tensor._cell.exposed = lambda: _exports.holds(address) or (before is not None and before())
    destructor = ctypes.cast(_capsule_died, ctypes.c_void_p)
    return _new(address, VERSIONED if versioned else NAME, destructor)


class Imported:
    """Memory of another library; its deleter runs when this object dies."""

    def __init__(self, address: int, deleter: Callable[[int], None] | None) -> None:
        if deleter:
            weakref.finalize(self, deleter, address).atexit = False


@public
def from_dlpack(source: Any) -> Tensor:
    """Return a tensor over the memory of another library's array.

    Parameters
    ----------
    source : object
        Offers ``__dlpack__``, on the CPU. Memory marked read-only is copied.

    Returns
    -------
    Tensor
        Shares the memory: each side sees what the other writes.

    Raises
    ------
    DeviceError
        When the array lives on another device.
    DTypeError
        For element types pumice does not have.

    Examples
    --------
    >>> import numpy, pumice
    >>> pumice.from_dlpack(numpy.array([1, 2])).tolist()
    [1, 2]
    """
    if hasattr(source, "__dlpack_device__") and int(source.__dlpack_device__()[0]) != CPU_TYPE:
        raise DeviceError(
            describe("from_dlpack", "the array is not in host memory", "move it to the CPU first")
        )
    capsule = source
    if hasattr(source, "__dlpack__"):
        try:
            capsule = source.__dlpack__(max_version=VERSION)
        except (TypeError, BufferError):
            capsule = source.__dlpack__()
    box, owner, read_only = _consumed(capsule)
    dtype = _dtype_of(box.dtype)
    shape = tuple(box.shape[axis] for axis in range(box.ndim))
    strides = (
        tuple(box.strides[axis] for axis in range(box.ndim))
        if box.strides
        else contiguous_strides(shape)
    )
    if not prod(shape):
        return _empty(shape, dtype)
    shared = over_memory((box.data or 0) + box.byte_offset, shape, strides, dtype, owner)
    return shared.clone().realize() if read_only else shared


def _empty(shape: Shape, dtype: DType) -> Tensor:
    return from_bits(np.empty(0, np.uint8), dtype, shape)


def _consumed(capsule: Any) -> tuple[DLTensor, Imported, bool]:
    """Take over what a capsule holds and mark it used."""
    if _is_valid(capsule, VERSIONED):
        address = _pointer(capsule, VERSIONED)
        versioned = DLManagedVersioned.from_address(address)
        _rename(capsule, USED_VERSIONED)
        owner = Imported(address, versioned.deleter)
        return versioned.tensor, owner, bool(versioned.flags & READ_ONLY)
    if _is_valid(capsule, NAME):
        address = _pointer(capsule, NAME)
        managed = DLManaged.from_address(address)
        _rename(capsule, USED)
        return managed.tensor, Imported(address, managed.deleter), False
    raise InvalidArgument(
        describe("from_dlpack", f"got {type(capsule).__name__}", "an object with __dlpack__")
    )


class DlpackMethods(TensorBase):
    """The protocol's methods of `Tensor`."""

    __slots__ = ()

    def __dlpack__(
        self: Tensor,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a capsule over this tensor's memory."""
        if dl_device is not None and tuple(dl_device) != (CPU_TYPE, 0):
            raise DeviceError(describe("__dlpack__", f"device {dl_device}", "only the CPU, (1, 0)"))
        source = self.clone() if copy else self
        return export(source, max_version is not None and max_version[0] >= VERSION[0])

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return kind and number of the device, as the protocol counts them."""
        if self.device != CPU:
            raise DeviceError(
                describe("__dlpack_device__", f"the tensor is on {self.device}", "use cpu() first")
            )
        return (CPU_TYPE, 0)
