"""The safetensors format: a length, a JSON header, and the bytes of the tensors.

Nothing in a file is ever executed, and a header that does not describe the file exactly is
refused.
"""

import json
import os
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import InvalidArgument, describe
from pumice.tensor.convert import from_bits
from pumice.tensor.core import evaluate
from pumice.tensor.tensor import Tensor

_CODES: dict[str, DType] = {
    "BOOL": dtypes.bool_,
    "U8": dtypes.uint8,
    "U16": dtypes.uint16,
    "U32": dtypes.uint32,
    "U64": dtypes.uint64,
    "I8": dtypes.int8,
    "I16": dtypes.int16,
    "I32": dtypes.int32,
    "I64": dtypes.int64,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "F32": dtypes.float32,
    "F64": dtypes.float64,
}
_NAMES = {dtype: code for code, dtype in _CODES.items()}
_HEADER_LIMIT = 100_000_000

FilePath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One tensor of a file; ``begin`` and ``end`` count bytes after the header."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    begin: int
    end: int


# -- writing --------------------------------------------------------------------------------------


def write(
    path: FilePath, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None
) -> None:
    """Write tensors to a file, replacing it only when everything is on the disk.

    Parameters
    ----------
    path : str or path
        The file.
    tensors : mapping of str to Tensor
        What to write.
    metadata : mapping of str to str, optional
        Texts stored beside them.
    """
    evaluate(list(tensors.values()))
    order = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    position = 0
    for name in order:
        each = tensors[name]
        size = prod(each.shape) * each.dtype.itemsize
        header[name] = {
            "dtype": _NAMES[each.dtype],
            "shape": list(each.shape),
            "data_offsets": [position, position + size],
        }
        position += size
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)

    def fill(file: BinaryIO) -> None:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        for name in order:
            array = np.ascontiguousarray(tensors[name].numpy(force=True))
            file.write(array.reshape(-1).view(np.uint8).data)

    replace_file(Path(path), fill)


def replace_file(path: Path, fill: Any) -> None:
    """Let ``fill`` write a new file beside ``path`` and put it in its place at the end.

    Whatever happens before that - an exception, a killed process, a lost machine - leaves the old
    file as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise
    _synchronize_folder(path.parent)


def _synchronize_folder(folder: Path) -> None:
    """Make the new name durable, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# -- reading --------------------------------------------------------------------------------------


def read(path: FilePath, device: Any = None) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors and the metadata of a file.

    Parameters
    ----------
    path : str or path
        The file.
    device : str or Device, optional
        Where the tensors shall live.

    Raises
    ------
    InvalidArgument
        When the file is no safetensors file, is damaged, or holds a dtype pumice does not have.
    """
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        entries, metadata, start = _read_header(str(path), file, size)
    tensors: dict[str, Tensor] = {}
    if size > start:
        data: NDArray[np.uint8] = np.memmap(path, np.uint8, mode="r", offset=start)
    else:
        data = np.empty(0, np.uint8)
    for entry in entries:
        made = from_bits(data[entry.begin : entry.end], entry.dtype, entry.shape)
        tensors[entry.name] = made if device is None else made.to(device)
    return tensors, metadata


def _read_header(path: str, file: BinaryIO, size: int) -> tuple[list[_Entry], dict[str, str], int]:
    prefix = file.read(8)
    length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else -1
    if not 2 <= length <= min(size - 8, _HEADER_LIMIT):
        raise _damaged(path, "its header does not fit the file")
    try:
        header = json.loads(file.read(length))
    except ValueError as error:
        raise _damaged(path, "its header is not JSON") from error
    if not isinstance(header, dict):
        raise _damaged(path, "its header is not an object")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(
        isinstance(value, str) for value in metadata.values()
    ):
        raise _damaged(path, "its metadata is not text")
    entries = [_entry(path, name, fields) for name, fields in header.items()]
    position = 0
    for entry in sorted(entries, key=lambda entry: (entry.begin, entry.end)):
        if entry.begin != position:
            raise _damaged(path, f"tensor {entry.name!r} overlaps another or leaves a gap")
        position = entry.end
    if position != size - 8 - length:
        raise _damaged(path, "its length does not fit the tensors it lists")
    return entries, metadata, 8 + length


def _entry(path: str, name: str, fields: Any) -> _Entry:
    try:
        code, shape = fields["dtype"], tuple(fields["shape"])
        begin, end = fields["data_offsets"]
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path, f"tensor {name!r} is not described") from error
    if code not in _CODES:
        raise InvalidArgument(
            describe(
                "load",
                f"{path}: tensor {name!r} has the dtype {code}",
                f"allowed are {', '.join(_CODES)}",
            )
        )
    numbers = (*shape, begin, end)
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        raise _damaged(path, f"tensor {name!r} has a shape or place that is no count")
    if end - begin != prod(shape) * _CODES[code].itemsize:
        raise _damaged(path, f"tensor {name!r} has {end - begin} bytes for shape {list(shape)}")
    return _Entry(name, _CODES[code], shape, begin, end)


def _damaged(path: str, problem: str) -> InvalidArgument:
    return InvalidArgument(describe("load", f"{path} is not a valid safetensors file: {problem}"))
