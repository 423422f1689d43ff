"""Copies between host arrays and device storage."""

import ctypes
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.dtypes import DType
from pumice.engine.devices import runtime_of
from pumice.engine.pending import pending_checks
from pumice.graph.node import Storage
from pumice.numpy_types import to_numpy
from pumice.ops.view import Shape
from pumice.target import Device, DeviceKind


def allocate(dtype: DType, shape: Shape, device: Device) -> Storage:
    """Return uninitialised storage."""
    nbytes = prod(shape) * dtype.itemsize
    return Storage(runtime_of(device).allocate(nbytes), 0, device)


def upload(array: NDArray[Any], device: Device) -> Storage:
    """Copy a row-major host array to a device."""
    runtime = runtime_of(device)
    storage = Storage(runtime.allocate(array.nbytes), 0, device)
    if array.nbytes:
        data = array.reshape(-1).view(np.uint8)
        runtime.write(storage.allocation, 0, data.data)
    return storage


def adopt(array: NDArray[Any], device: Device) -> Storage:
    """Return storage with the elements of a host array that nobody writes to any more.

    On the CPU that is the array's own memory.
    """
    if device.kind is not DeviceKind.CPU or not array.nbytes:
        return upload(np.ascontiguousarray(array), device)
    whole = np.ascontiguousarray(array)
    runtime: Any = runtime_of(device)
    return Storage(runtime.wrap(_address(whole), whole.nbytes, whole), 0, device)


def _address(array: Any) -> int:
    """Return where an array begins. Describing it in full takes NumPy longer than finding that."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError):  # memory that cannot be written, types that are not NumPy's own
        return int(array.__array_interface__["data"][0])


def download(storage: Storage, dtype: DType, shape: Shape) -> NDArray[Any]:
    """Copy device storage to a new host array."""
    nbytes = prod(shape) * dtype.itemsize
    pending_checks.run(storage.device)
    data = runtime_of(storage.device).read(storage.allocation, storage.offset, nbytes)
    return np.frombuffer(data, dtype=np.uint8).view(to_numpy(dtype)).reshape(shape)


def host_array(storage: Storage, dtype: DType, shape: Shape) -> NDArray[Any]:
    """Return CPU storage as an array that shares its memory; the array keeps it alive."""
    assert storage.device.kind is DeviceKind.CPU
    kind = to_numpy(dtype)
    if not prod(shape):
        return np.empty(shape, kind)
    if kind.kind == "V":  # a type that is not NumPy's own
        return np.asarray(_SharedArray(storage, f"<u{kind.itemsize}", shape)).view(kind)
    return np.asarray(_SharedArray(storage, kind.str, shape))


class _SharedArray:
    """Exports storage through the array interface, so that NumPy keeps it alive."""

    __slots__ = ("__array_interface__", "__weakref__", "_storage")

    def __init__(self, storage: Storage, kind: str, shape: Shape) -> None:
        self._storage = storage
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": kind,
            "data": (storage.address, False),
        }
