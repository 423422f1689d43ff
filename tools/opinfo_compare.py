"""The two sides of `opinfo.py`: arguments for each of them, and how results differ."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

import pumice

TOLERANCE = {"float64": 1e-7, "float32": 2e-4, "float16": 6e-3, "bfloat16": 4e-2}


class Unsupported(Exception):
    """An argument that pumice has nothing for."""


# -- the two sides --------------------------------------------------------------------------------


class Namespace:
    """Stands for ``torch`` in the small wrappers some operators have in the database."""

    def __getattr__(self, name: str) -> Any:
        return getattr(pumice, name, None) or getattr(pumice.Tensor, name)


def counterpart(name: str) -> Callable[..., Any] | None:
    """Return pumice's function, method or attribute of a name, None where there is none."""
    owner: Any = pumice
    *path, last = name.split(".")
    for each in path:
        owner = getattr(owner, each, None)
    found = getattr(owner, last, None)
    if found is None and not path:
        found = getattr(pumice.Tensor, last, None)
    if isinstance(found, property):
        return found.fget
    return found if callable(found) else None


def function_of(operator: Any) -> Callable[..., Any] | None:
    """Return what to call on pumice's side; wrappers of the database are called on pumice."""
    found = counterpart(operator.name)
    wrapper = operator.op
    if found is None or not isinstance(wrapper, types.FunctionType):
        return found
    if not wrapper.__module__.startswith("torch.testing._internal"):
        return found
    namespace = {**wrapper.__globals__, "torch": Namespace(), "np": np}
    return types.FunctionType(
        wrapper.__code__, namespace, None, wrapper.__defaults__, wrapper.__closure__
    )


def copied(value: Any) -> Any:
    """Return a value whose tensors are new leaves."""
    if isinstance(value, torch.Tensor):
        fresh = value.detach().clone()
        return fresh.requires_grad_(value.requires_grad)
    return rebuilt(value, copied)


def rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a container with its items changed; anything else as it is."""
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, tuple | list):
        return type(value)(change(each) for each in value)
    if isinstance(value, dict):
        return {key: change(each) for key, each in value.items()}
    if isinstance(value, slice):
        return slice(*(change(each) for each in (value.start, value.stop, value.step)))
    return value


def ours(value: Any, device: str) -> Any:
    """Return pumice's counterpart of an argument."""
    match value:
        case torch.Tensor():
            return our_tensor(value, device)
        case torch.dtype():
            found = getattr(pumice, str(value).removeprefix("torch."), None)
            if found is None:
                raise Unsupported(f"no dtype {str(value).removeprefix('torch.')}")
            return found
        case torch.device():
            return device
        case torch.layout() | torch.memory_format() | torch.Generator():
            raise Unsupported(f"an argument of type {type(value).__name__}")
        case torch.nn.Module():
            raise Unsupported("a module of PyTorch")
        case complex():
            raise Unsupported("complex numbers")
        case str() if value == "cpu":
            return device
        case _:
            return rebuilt(value, lambda each: ours(each, device))


def our_tensor(value: torch.Tensor, device: str) -> Any:
    """Return a pumice tensor with the same elements, strides and dtype."""
    if value.is_complex():
        raise Unsupported("complex numbers")
    if value.is_meta:
        raise Unsupported("the meta device")
    if value.layout != torch.strided:
        raise Unsupported("sparse layouts")
    if not hasattr(pumice, str(value.dtype).removeprefix("torch.")):
        raise Unsupported(f"no dtype {str(value.dtype).removeprefix('torch.')}")
    made: Any = pumice.from_dlpack(value.detach().clone()).to(device)
    return made.clone().requires_grad_() if value.requires_grad else made


def tensors_in(value: Any) -> Iterator[Any]:
    """Yield the tensors of either library in nested arguments or results."""
    if isinstance(value, torch.Tensor | pumice.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from tensors_in(each)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


# -- comparing ------------------------------------------------------------------------------------


def array_of(value: Any) -> Any:
    """Return elements as float64, or as they are where they are whole."""
    detached = value.detach().cpu()
    if isinstance(detached, torch.Tensor):
        detached = detached.resolve_conj().resolve_neg()
        wide = detached.dtype.is_floating_point
        return (detached.to(torch.float64) if wide else detached).numpy(force=True)
    array = detached.numpy()
    return array.astype(np.float64) if detached.dtype.is_floating_point else array


def close(found: Any, expected: Any, name: str, floor: float = 0.0) -> str:
    """Return how two arrays differ, an empty text if they do not.

    Errors are measured by the largest element, or by the ``floor``.
    """
    if found.shape != expected.shape:
        return f"shape {found.shape} instead of {expected.shape}"
    if expected.dtype.kind in "iub":
        wrong = found != expected
    else:
        bound = TOLERANCE.get(name, 1e-7)
        finite = np.abs(expected[np.isfinite(expected)])
        scale = max(float(finite.max()) if finite.size else 0.0, floor)
        wrong = ~np.isclose(found, expected, bound, bound * 0.1 * scale, equal_nan=True)
    if not wrong.any():
        return ""
    at = tuple(int(each[0]) for each in np.nonzero(wrong)) if wrong.shape else ()
    count = int(wrong.sum())
    return f"{count} of {wrong.size} differ, at {at} {found[at]!r} instead of {expected[at]!r}"


def differs(found: Any, expected: Any) -> str:
    """Return how a result differs from PyTorch's."""
    if isinstance(expected, torch.Tensor):
        if not isinstance(found, pumice.Tensor):
            return f"a {type(found).__name__} instead of a tensor"
        wanted = str(expected.dtype).removeprefix("torch.")
        if found.dtype.name != wanted:
            return f"dtype {found.dtype.name} instead of {wanted}"
        if tuple(found.shape) != tuple(expected.shape):
            return f"shape {tuple(found.shape)} instead of {tuple(expected.shape)}"
        return close(array_of(found), array_of(expected), wanted)
    if isinstance(expected, tuple | list):
        if not isinstance(found, tuple | list) or len(found) != len(expected):
            return f"{type(found).__name__} instead of {len(expected)} results"
        pairs = zip(found, expected, strict=True)
        return next((text for each in pairs if (text := differs(*each))), "")
    if isinstance(expected, bool | int | float):
        if type(found) is not type(expected):
            return f"{type(found).__name__} instead of {type(expected).__name__}"
        return close(np.asarray(found), np.asarray(expected), "float64")
    if isinstance(expected, torch.dtype):
        return "" if str(found).split(".")[-1] == str(expected).split(".")[-1] else f"{found}"
    return "" if expected is None and found is None else f"unexpected {type(expected).__name__}"


def gradients_differ(
    found: Any,
    found_inputs: Sequence[Any],
    expected: Any,
    inputs: Sequence[Any],
    part: Callable[[int, Any], Any],
) -> str:
    """Compare the gradients of all inputs for one random direction, as far as ``part`` keeps them.

    A result without a gradient counts as one whose gradient is 0.
    """
    random = torch.Generator().manual_seed(3)
    pairs = list(zip(tensors_in(found), tensors_in(expected), strict=True))
    if any(own.requires_grad and not each.requires_grad for own, each in pairs):
        return "a result with a gradient that PyTorch's has not"
    pairs = [(own, each) for own, each in pairs if each.requires_grad]
    if not pairs:
        return ""
    results = [each for _, each in pairs]
    directions = [torch.randn(each.shape, generator=random, dtype=each.dtype) for each in results]
    try:
        wanted = torch.autograd.grad(results, inputs, directions, allow_unused=True)
    except (NotImplementedError, RuntimeError):
        return ""
    carried = [(own, way) for (own, _), way in zip(pairs, directions, strict=True)]
    carried = [(own, ours(way, str(own.device))) for own, way in carried if own.requires_grad]
    given: Sequence[Any] = [None] * len(inputs)
    if carried:
        own, seeds = zip(*carried, strict=True)
        given = pumice.autograd.grad(own, found_inputs, seeds, allow_unused=True)
    for number, (mine, theirs) in enumerate(zip(given, wanted, strict=True)):
        zero = torch.zeros_like(inputs[number])
        reference = part(number, array_of(zero if theirs is None else theirs))
        got = part(number, array_of(zero if mine is None else mine))
        text = close(got, reference, str(zero.dtype).removeprefix("torch."), floor=1.0)
        if text:
            return f"gradient of input {number}: {text}"
    return ""


def shapes_differ(found: Any, expected: Any) -> str:
    """Compare what random results must share: dtypes and shapes."""
    for mine, theirs in zip(tensors_in(found), tensors_in(expected), strict=True):
        if mine.dtype.name != str(theirs.dtype).removeprefix("torch."):
            return f"dtype {mine.dtype.name} instead of {theirs.dtype}"
        if tuple(mine.shape) != tuple(theirs.shape):
            return f"shape {tuple(mine.shape)} instead of {tuple(theirs.shape)}"
    return ""
