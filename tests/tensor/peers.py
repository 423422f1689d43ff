"""Comparing with PyTorch: the same call on both sides."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import pumice
from pumice import dtypes
from pumice.dtypes import DType

Array = NDArray[Any]

TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-5, "float64": 1e-12}


def torch_dtype(dtype: DType) -> torch.dtype:
    """Return PyTorch's dtype of the same name."""
    found: torch.dtype = getattr(torch, dtype.name)
    return found


def dtype_of(dtype: torch.dtype) -> DType:
    """Return pumice's dtype of the same name."""
    return dtypes.BY_NAME[str(dtype).removeprefix("torch.")]


def to_pumice(tensor: torch.Tensor) -> pumice.Tensor:
    """Copy a PyTorch tensor."""
    plain = tensor.detach().contiguous()
    if plain.dtype is torch.bfloat16:
        return pumice.tensor(plain.float().numpy()).to(pumice.bfloat16)
    return pumice.tensor(plain.numpy())


def floats(*shape: int, seed: int = 0) -> Array:
    """Return normal float32 numbers."""
    numbers: Array = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return numbers


def integers(low: int, high: int, *shape: int, seed: int = 0) -> Array:
    """Return int64 numbers below ``high``."""
    return np.random.default_rng(seed).integers(low, high, shape)


def same_value(got: Any, wanted: torch.Tensor, tolerance: float | None = None) -> None:
    """Check shape, dtype and elements."""
    assert tuple(got.shape) == tuple(wanted.shape)
    assert got.dtype is dtype_of(wanted.dtype)
    limit = TOLERANCE.get(got.dtype.name, 0.0) if tolerance is None else tolerance
    left = np.asarray(got.detach().to(pumice.float64 if limit else got.dtype).numpy())
    right = wanted.detach().to(torch.float64 if limit else wanted.dtype).numpy()
    np.testing.assert_allclose(left, right, rtol=limit, atol=limit)


def same_call(
    ours: Any, theirs: Any, *arrays: Array, gradient: bool = True, tolerance: float | None = None
) -> None:
    """Check values, and gradients of a random weighting of the first result."""
    mine = [pumice.tensor(a, requires_grad=gradient and a.dtype.kind == "f") for a in arrays]
    peer = [torch.tensor(a, requires_grad=gradient and a.dtype.kind == "f") for a in arrays]
    got, wanted = ours(*mine), theirs(*peer)
    if not isinstance(wanted, (tuple, list)):
        got, wanted = (got,), (wanted,)
    assert len(got) == len(wanted)
    for left, right in zip(got, wanted, strict=True):
        same_value(left, right, tolerance)
    if not (gradient and wanted[0].requires_grad):
        return
    weight = floats(*wanted[0].shape, seed=99)
    (got[0] * pumice.tensor(weight)).sum().backward()
    (wanted[0] * torch.tensor(weight)).sum().backward()
    for left, right in zip(mine, peer, strict=True):
        if right.grad is not None:
            assert left.grad is not None
            same_value(left.grad, right.grad, tolerance or 1e-4)
