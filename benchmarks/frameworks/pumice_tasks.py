"""Rows in pumice, captured."""

from typing import Any

import pumice
from benchmarks.frameworks import Prepared
from benchmarks.frameworks.torchlike import Torchlike
from benchmarks.row import Array, Data, Row


def prepare(_: str, row: Row, data: Data) -> Prepared:
    """Make a row ready."""

    def array(tensor: Any) -> Array:
        plain = tensor.detach()
        if plain.dtype is pumice.bfloat16:
            plain = plain.to(pumice.float32)
        values: Array = plain.numpy()
        return values

    framework = Torchlike(pumice, "pumice", pumice.tensor, array, pumice.jit, True, True)
    return framework.prepare(row, data)
