"""Running random programs and judging what they give."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pumice
from pumice.engine import memory
from pumice.engine.devices import runtime_of
from pumice.engine.realize import realize
from pumice.graph.interpret import evaluate
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.ops import structure
from pumice.ops.attention import ATTENTION, ATTENTION_GRADIENT
from pumice.ops.definition import Reduction, Scan
from pumice.target import Device
from pumice.testing import agreement, expect, programs

Array = NDArray[Any]

_FOLDING = frozenset((structure.CONTRACT, structure.SCATTER, ATTENTION, ATTENTION_GRADIENT))


def check_program(seed: int, device: Device) -> programs.Program:
    """Run the program of a seed in both ways and fail where it is wrong.

    Parameters
    ----------
    seed : int
        Tells the program; see `programs.write`.
    device : Device
        Where it runs.
    """
    unsupported = runtime_of(device).target.unsupported
    return check_written(lambda: programs.write(seed, device, unsupported))


def check_written(write: Callable[[], programs.Program]) -> programs.Program:
    """Run what a function writes, which is the same each time, and fail where it is wrong."""
    fused = _outputs(write())
    realize(fused)
    outputs = _outputs(write())
    kept = list(topological(outputs))
    # An evaluated node lets go of its sources; a copy tells what each was made of.
    program = write()
    plain = _outputs(program)
    nodes = list(topological(plain))
    realize([node for node in kept if node.sources])
    values: dict[Node, Array] = {}
    try:
        for node, evaluated in zip(nodes, kept, strict=True):
            values[node] = _value(node, evaluated, values)
            if node.sources and node.op is not structure.LEAF:
                agreement.check_node(node, values, values[node])
        rounded = _rounded(nodes)
        for first, second, node in zip(fused, outputs, plain, strict=True):
            _check_same(_stored(first), _stored(second), node, node in rounded)
    except AssertionError as error:
        raise AssertionError(f"{error}\n  " + "\n  ".join(program.steps)) from None
    return program


def _outputs(program: programs.Program) -> list[Node]:
    """Return the nodes of the results and of the gradients by the leaves."""
    total: Any = None
    for result in program.results:
        if result.requires_grad:
            term = result.float().sum() if result.dtype.itemsize < 4 else result.sum()
            total = term if total is None else total + term
    found: list[Any] = []
    if total is not None:
        wanted = [leaf for leaf in program.leaves if leaf.requires_grad]
        found = list(pumice.autograd.grad(total, wanted, allow_unused=True))
    return [each.node for each in (*program.results, *found) if each is not None]


def _value(node: Node, evaluated: Node, known: dict[Node, Array]) -> Array:
    """Return what a node holds on the device, from the copy that was evaluated."""
    if evaluated.value is None and node.op is structure.LEAF:
        return known[node.sources[0]]
    return _stored(evaluated)


def _stored(node: Node) -> Array:
    if node.value is None:
        return evaluate(node, [])
    return memory.download(node.value, node.dtype, node.shape)


def _rounded(nodes: list[Node]) -> set[Node]:
    """Return the nodes whose last bits follow from how kernels are cut: sums of floats are below.

    Whether whole numbers below which stands such a sum agree, a rounding may decide.
    """
    found: set[Node] = set()
    for node in nodes:
        folds = isinstance(node.op, (Reduction, Scan)) or node.op in _FOLDING
        sums = folds and node.dtype.is_floating_point
        if sums or any(source in found for source in node.sources):
            found.add(node)
    return found


def _check_same(fused: Array, kept: Array, node: Node, rounded: bool) -> None:
    """Require the same bits, or where sums may be cut in another way half of the digits."""
    assert fused.shape == kept.shape, f"{node.op.name}: shapes {fused.shape} and {kept.shape}"
    if not rounded:
        same = expect.same_bits(fused, kept) if node.dtype.is_floating_point else fused == kept
    elif node.dtype.is_floating_point:
        first, second = fused.astype(np.float64), kept.astype(np.float64)
        digits = 2.0 ** -(node.dtype.mantissa // 2)
        same = np.isclose(first, second, rtol=digits, atol=digits, equal_nan=True)
    else:
        return
    if not np.all(same):
        at = tuple(int(each) for each in np.argwhere(~np.atleast_1d(same))[0]) if kept.ndim else ()
        raise AssertionError(f"{node.op.name}: fused {fused[at]}, kept {kept[at]} at {at}")
