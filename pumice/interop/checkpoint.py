"""Saving and loading nested values: state dicts, optimizer state, counters."""

import json
from typing import Any

from pumice.errors import InvalidArgument, describe
from pumice.interop import safetensors
from pumice.interop.safetensors import FilePath
from pumice.tensor.tensor import Tensor

_KEY = "pumice.structure"


def save(obj: Any, path: FilePath) -> None:
    """Write a value to a safetensors file.

    The file is written under a temporary name, synced and renamed, so an interrupted save leaves
    the old file.

    Parameters
    ----------
    obj : dict, list, tuple, Tensor, number, str or None
        Nested to any depth; dict keys are text or numbers. A flat dict of tensors gives a plain
        safetensors file that other programs read by the same names.
    path : str or path
        The file.

    Raises
    ------
    InvalidArgument
        For a value of another type.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     pumice.save({"step": 3}, f"{folder}/state.safetensors")
    ...     pumice.load(f"{folder}/state.safetensors")
    {'step': 3}
    """
    writer = _Writer()
    structure = writer.describe(obj, ())
    text = json.dumps({"version": 1, "value": structure})
    safetensors.write(path, writer.tensors, {"format": "pumice", _KEY: text})


def load(
    path: FilePath, device: Any = None, *, map_location: Any = None, weights_only: bool = True
) -> Any:
    """Read what `save` wrote, or the tensors of any safetensors file by name.

    Nothing in the file is executed.

    Parameters
    ----------
    path : str or path
        The file.
    device : str or Device, optional
        Where the tensors shall live; the CPU by default.
    map_location : str or Device, optional
        PyTorch's name for `device`.
    weights_only : bool
        Always the case: there is nothing else in such a file.

    Returns
    -------
    The saved value; a dict of tensors when the file comes from another program.

    Raises
    ------
    InvalidArgument
        When the file is damaged, when both names of the device are given, or for
        ``weights_only=False``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     pumice.save({"x": pumice.ones(2)}, f"{folder}/state.safetensors")
    ...     pumice.load(f"{folder}/state.safetensors")
    {'x': tensor([1., 1.])}
    """
    if not weights_only:
        raise InvalidArgument(
            describe("load", "weights_only is False", "pickles are not read; leave it True")
        )
    if device is not None and map_location is not None:
        raise InvalidArgument(
            describe("load", "got both device and map_location", "they are one argument")
        )
    tensors, metadata = safetensors.read(path, map_location if device is None else device)
    if _KEY not in metadata:
        return tensors
    try:
        return _restore(json.loads(metadata[_KEY])["value"], tensors)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidArgument(
            describe("load", f"{path}: its description of the saved value is damaged")
        ) from error


class _Writer:
    """Describes values as JSON and collects the tensors in them."""

    def __init__(self) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._names: dict[int, str] = {}

    def describe(self, value: Any, path: tuple[str, ...]) -> Any:
        if isinstance(value, Tensor):
            return {"tensor": self._name(value, path)}
        if value is None or isinstance(value, bool | int | float | str):
            return {"value": value}
        if isinstance(value, dict):
            pairs = []
            for key, part in value.items():
                if not isinstance(key, str | int | float | bool):
                    raise _unsupported(f"a dict key of type {type(key).__name__}", path)
                pairs.append([key, self.describe(part, (*path, str(key)))])
            return {"dict": pairs}
        if isinstance(value, list | tuple):
            kind = "list" if isinstance(value, list) else "tuple"
            parts = enumerate(value)
            return {kind: [self.describe(part, (*path, str(place))) for place, part in parts]}
        raise _unsupported(f"a value of type {type(value).__name__}", path)

    def _name(self, value: Tensor, path: tuple[str, ...]) -> str:
        """Return the name of a tensor in the file; one object is written once."""
        known = self._names.get(id(value))
        if known is not None:
            return known
        name = wanted = ".".join(path) or "value"
        number = 1
        while name in self.tensors or name == "__metadata__":
            number += 1
            name = f"{wanted}#{number}"
        self.tensors[name] = value
        self._names[id(value)] = name
        return name


def _unsupported(what: str, path: tuple[str, ...]) -> InvalidArgument:
    place = ".".join(path) or "the top"
    return InvalidArgument(
        describe(
            "save",
            f"got {what} at {place}",
            "allowed are tensors, numbers, text, None, and dicts, lists and tuples of them "
            "(of a module, save its state_dict())",
        )
    )


def _restore(structure: Any, tensors: dict[str, Tensor]) -> Any:
    ((kind, content),) = structure.items()
    match kind:
        case "tensor":
            return tensors[content]
        case "value":
            return content
        case "dict":
            return {key: _restore(part, tensors) for key, part in content}
        case "list":
            return [_restore(part, tensors) for part in content]
        case "tuple":
            return tuple(_restore(part, tensors) for part in content)
        case _:
            raise ValueError(f"unknown kind {kind!r}")
