"""Whether evaluated nodes are what their operations give for their evaluated sources.

Each node is judged alone, so errors do not add up along a program and none hides another.
"""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.dtypes import accumulation_dtype
from pumice.graph.interpret import evaluate
from pumice.graph.node import Node
from pumice.ops import structure
from pumice.ops.attention import ATTENTION_NORM
from pumice.ops.definition import Elementwise, Reduction, Structural
from pumice.ops.scan import LOGCUMSUMEXP
from pumice.testing import expect, tolerance

Array = NDArray[Any]

_SUMMED = frozenset((structure.ScatterMode.ADD, structure.ScatterMode.MULTIPLY))
_LOGARITHMS = frozenset((LOGCUMSUMEXP, ATTENTION_NORM))
"""What is the logarithm of a sum passes zero where the sum passes one, with the sum's error."""


def check_node(node: Node, values: Mapping[Node, Array], got: Array) -> None:
    """Fail unless ``got`` is the value of a node within the error its operation may have.

    Parameters
    ----------
    node : Node
        Not evaluated, so that it still has its sources.
    values : dict
        What each of its sources holds on the device.
    got : array
        What the node holds there.
    """
    op, below = node.op, node.sources
    sources = [values[source] for source in below]
    if isinstance(op, Elementwise):
        expect.check_elementwise(op, below[-1].dtype, sources, got, op.name)
        return
    if isinstance(op, Reduction) and sources[0].size:
        # Which of two zeros is the larger one, nobody says.
        got, sources = got + got.dtype.type(0), [sources[0] + sources[0].dtype.type(0)]
        expect.check_reduction(op, sources[0], node.argument, below[0].dtype, got)
        return
    with np.errstate(all="ignore"):
        exact = evaluate(node, sources)
    assert got.shape == exact.shape, f"{op.name}: shape {got.shape}, expected {exact.shape}"
    if op is structure.UPDATE and below[0].op is structure.EMPTY:
        # Nothing is known of memory that nobody has written.
        written = evaluate(node, [np.zeros(node.shape, bool), np.ones(below[1].shape, bool)])
        got, exact = got[written.astype(bool)], exact[written.astype(bool)]
    if not node.dtype.is_floating_point:
        good = got == exact
    elif _only_moves(node):
        good = expect.same_bits(got, exact)
    else:
        good = _within_bound(node, sources, got, exact)
    if not np.all(good):
        worst = np.argwhere(~np.atleast_1d(good))[0]
        at = tuple(int(each) for each in worst) if got.ndim else ()
        raise AssertionError(f"{op.name} {node.argument}: {got[at]} at {at}, exact {exact[at]}")


def _only_moves(node: Node) -> bool:
    if node.op is structure.SCATTER:
        return node.argument.mode not in _SUMMED
    moving = (structure.CAST, structure.GATHER, structure.UPDATE, structure.VIEW, structure.COPY)
    return isinstance(node.op, Structural) and node.op in moving


def _within_bound(node: Node, sources: list[Array], got: Array, exact: Array) -> Array:
    """Compare sums of many terms: the error grows with their number and magnitude."""
    accumulator = accumulation_dtype(node.dtype)
    length = max((prod(source.shape) for source in node.sources), default=1)
    with np.errstate(all="ignore"):
        positive = [np.abs(each) if each.dtype.kind not in "iub" else each for each in sources]
        magnitude = np.abs(evaluate(node, positive)).astype(np.float64)
        scale = np.maximum(magnitude, np.abs(exact.astype(np.float64)))
        if node.op in _LOGARITHMS:
            scale = np.maximum(scale, 1.0)
        unit = tolerance.unit_roundoff(accumulator) * tolerance.accumulated_roundings(length)
        bound = 4 * scale * (unit + 2 * tolerance.unit_roundoff(node.dtype))
        near = np.abs(got.astype(np.float64) - exact.astype(np.float64)) <= bound
    overflowed = ~np.isfinite(magnitude)
    result: Array = near | expect.same_bits(got, exact) | overflowed
    return result
