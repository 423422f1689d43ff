"""Rows in NumPy, as far as they say how NumPy writes them."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.frameworks import Prepared
from benchmarks.row import Array, Data, Row


def prepare(_: str, row: Row, data: Data) -> Prepared:
    """Make a row ready."""
    call = partial(row.variants["numpy"], np, *data.inputs.values())

    def outcome() -> list[Array]:
        result: Any = call()
        return [np.asarray(each) for each in (result if isinstance(result, tuple) else (result,))]

    return Prepared(call, outcome)
