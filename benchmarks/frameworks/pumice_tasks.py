"""Rows in pumice, captured."""

from functools import partial
from typing import Any

import pumice
from benchmarks.frameworks import Prepared
from benchmarks.frameworks.torchlike import Torchlike
from benchmarks.row import Array, Data, Row


def prepare(_: str, row: Row, data: Data) -> Prepared:
    """Make a row ready."""

    def array(tensor: Any) -> Array:
        plain = tensor.detach().cpu()
        if plain.dtype is pumice.bfloat16:
            plain = plain.to(pumice.float32)
        values: Array = plain.numpy()
        return values

    tensor, wait = pumice.tensor, None
    if row.device != "cpu":
        tensor = partial(pumice.tensor, device=row.device)
        wait = partial(pumice.synchronize, row.device)
    framework = Torchlike(pumice, "pumice", tensor, array, pumice.jit, True, True, wait)
    return framework.prepare(row, data)
