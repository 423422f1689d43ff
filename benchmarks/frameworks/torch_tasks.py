"""Rows in PyTorch, eager or compiled."""

import importlib
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from benchmarks.frameworks import Prepared
from benchmarks.frameworks.torchlike import Torchlike
from benchmarks.row import Array, Data, Row


def prepare(framework: str, row: Row, data: Data) -> Prepared:
    """Make a row ready."""
    torch: Any = importlib.import_module("torch")

    def tensor(array: Array) -> Any:
        if array.dtype == ml_dtypes.bfloat16:
            return torch.tensor(array.astype(np.float32)).to(torch.bfloat16)
        return torch.tensor(array)

    def array(tensor: Any) -> Array:
        plain = tensor.float() if tensor.dtype is torch.bfloat16 else tensor
        values: Array = plain.numpy()
        return values

    def capture(function: Callable[..., Any]) -> Any:
        return torch.compile(function) if framework == "inductor" else function

    return Torchlike(torch, "torch", tensor, array, capture, False, False).prepare(row, data)
