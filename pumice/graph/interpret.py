"""The graph interpreter: each node through its entry's NumPy reference.

It is the meaning of a graph, and what compiled results are compared with. It makes no attempt to
be fast.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import InternalError
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.numpy_types import to_numpy
from pumice.ops import structure
from pumice.ops.attention import ATTENTION, ATTENTION_GRADIENT, ATTENTION_NORM
from pumice.ops.definition import Elementwise, Reduction, Scan, Structural

Array = NDArray[Any]

_WIDENED = (
    structure.CONTRACT,
    structure.ARGSORT,
    ATTENTION,
    ATTENTION_NORM,
    ATTENTION_GRADIENT,
)
"""Structural operations that compute on their operands; the others only move elements."""


def interpret(roots: Iterable[Node], leaves: Mapping[Node, Array]) -> list[Array]:
    """Return the value of each root; ``leaves`` gives the elements of evaluated nodes."""
    roots = list(roots)
    values: dict[Node, Array] = {}
    with np.errstate(all="ignore"):
        for node in topological(roots):
            if node in leaves:
                values[node] = leaves[node]
            else:
                arrays = [values[source] for source in node.sources]
                values[node] = evaluate(node, arrays)
    return [values[root] for root in roots]


def evaluate(node: Node, arrays: list[Array]) -> Array:
    """Return the value of one node from the values of its sources."""
    wide = [_widen(array, node) for array in arrays]
    op = node.op
    match op:
        case Elementwise():
            result = op.reference(np, *wide)
        case Reduction():
            result = _reduce(op, node, wide[0])
        case Scan():
            result = op.reference(np, wide[0], node.argument)
        case Structural() if op is structure.CAST:
            return convert(arrays[0], node.dtype)
        case Structural() if op is structure.BITCAST:
            return arrays[0].view(to_numpy(node.dtype))
        case Structural():
            result = op.reference(np, node, *wide)
        case _:
            raise InternalError(f"no interpretation of {op!r}")
    result = np.asarray(result).reshape(node.shape)
    return result.astype(to_numpy(node.dtype), copy=False)


def _reduce(op: Reduction, node: Node, array: Array) -> Array:
    extent = int(np.prod([array.shape[axis] for axis in node.argument]))
    if extent == 0:
        identity = op.identity(op.accumulator(node.sources[0].dtype))
        return np.full(node.shape, identity)
    result: Array = op.reference(np, array, node.argument)
    return result


def _widen(array: Array, node: Node) -> Array:
    """Compute on 16-bit floats in float32, as kernels do."""
    if array.dtype.itemsize == 2 and array.dtype.kind not in "iu":
        if isinstance(node.op, Structural) and node.op not in _WIDENED:
            return array
        return array.astype(np.float32)
    return array


def convert(array: Array, dtype: DType) -> Array:
    """Cast as `kernel.ir.Value.cast` documents."""
    target = to_numpy(dtype)
    if dtype is dtypes.bool_:
        return np.asarray(array != 0)
    if dtype.is_integral and array.dtype.kind not in "iub":
        wide = array.astype(np.float64)
        bits = 64 if dtype.itemsize == 8 else 32
        limit = float(2 ** (bits - 1))
        inside = (wide > -limit - 1) & (wide < limit)
        safe = np.where(inside, wide, 0.0).astype(np.int64)
        lowest = np.int64(-(2 ** (bits - 1)))
        return np.asarray(np.where(inside, safe, lowest)).astype(target)
    return array.astype(target)
