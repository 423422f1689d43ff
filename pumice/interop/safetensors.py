"""Tensors in safetensors files: the format is the library's, the safe replacement ours.

Nothing in a file is ever executed, and a header that does not describe the file exactly is
refused (https://github.com/huggingface/safetensors, "Format").
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

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

_PICKLES = (b"PK\x03\x04", b"\x80\x02", b"\x80\x04")
"""How PyTorch's archives and bare pickles begin."""
_INSTEAD_OF_PICKLE = (
    "it may be a pickle, which can run code and is not read; in PyTorch, write it with "
    "safetensors.torch.save_file(model.state_dict(), path)"
)

FilePath = str | os.PathLike[str]


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
    # Imported when files are used, not by `import pumice`.
    from safetensors.numpy import save as serialize

    evaluate(list(tensors.values()))
    arrays = {name: np.array(each.numpy(force=True), order="C") for name, each in tensors.items()}
    content = serialize(arrays, dict(metadata) if metadata else None)

    def fill(file: BinaryIO) -> None:
        file.write(content)

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
    from safetensors import SafetensorError, deserialize, safe_open

    content = Path(path).read_bytes()
    try:
        entries: list[tuple[str, dict[str, Any]]] = deserialize(content)  # type: ignore[no-untyped-call]
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
    except SafetensorError as problem:
        allowed = _INSTEAD_OF_PICKLE if content.startswith(_PICKLES) else ""
        raise InvalidArgument(
            describe("load", f"{path} is not a valid safetensors file: {problem}", allowed)
        ) from problem
    tensors: dict[str, Tensor] = {}
    for name, entry in entries:
        code = entry["dtype"]
        if code not in _CODES:
            raise InvalidArgument(
                describe(
                    "load",
                    f"{path}: tensor {name!r} has the dtype {code}",
                    f"allowed are {', '.join(_CODES)}",
                )
            )
        data = np.frombuffer(entry["data"], np.uint8)
        made = from_bits(data, _CODES[code], tuple(entry["shape"]))
        tensors[name] = made if device is None else made.to(device)
    return tensors, metadata
