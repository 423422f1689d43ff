"""Random graphs of every kind of operation: compiled against interpreted."""

import numpy as np
import pytest

from pumice import dtypes
from pumice.engine import memory
from pumice.engine.devices import parse_device
from pumice.engine.realize import realize
from pumice.graph import build
from pumice.graph.interpret import interpret
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.ops import reduction, scan
from pumice.ops.structure import Contraction, Indexing, ScatterMode
from pumice.ops.view import View
from tests.engine.graphs import Source, unary

PROGRAMS = 60
OPERATIONS = 14


def grow(source: Source, random: np.random.Generator) -> list[Node]:
    """Return a few results of a random program over small float32 tensors."""
    pool = [source.normal(*random.integers(1, 7, random.integers(0, 4))) for _ in range(3)]
    for _ in range(OPERATIONS):
        pool.append(_operation(source, random, pool))
    chosen = random.choice(len(pool), size=3, replace=False)
    return [pool[-1], *(pool[each] for each in chosen)]


def _operation(source: Source, random: np.random.Generator, pool: list[Node]) -> Node:
    node = pool[random.integers(len(pool))]
    rank = len(node.shape)
    axis = int(random.integers(rank)) if rank else 0
    kind = random.integers(14)
    if kind == 0:
        return unary(str(random.choice(["sin", "exp", "relu", "abs", "sigmoid"])), bounded(node))
    if kind == 1 or not rank:
        other = pool[random.integers(len(pool))]
        return node + other if other.shape == node.shape else bounded(node) * 0.5
    if kind == 2:
        return build.permute(node, tuple(int(each) for each in random.permutation(rank)))
    if kind == 3:
        return build.flip(node, (axis,))
    if kind == 4:
        start = int(random.integers(node.shape[axis]))
        return build.slice_axis(node, axis, start, node.shape[axis] - start)
    if kind == 5:
        return build.reduce(reduction.SUM, bounded(node), (axis,))
    if kind == 6:
        return build.reduce(reduction.AMAX, node, tuple(range(rank)))
    if kind == 7:
        pads = [tuple(int(each) for each in random.integers(0, 3, rank)) for _ in range(2)]
        return build.pad(node, pads[0], pads[1], 0.5)
    if kind == 8:
        return build.scan(scan.CUMSUM, bounded(node), axis)
    if kind == 9:
        return build.expand(build.reshape(node, (1, *node.shape)), (2, *node.shape))
    if kind == 10:
        return build.reshape(node, (node.numel,))
    if kind == 11:
        rows = source.integers(0, node.shape[0], *node.shape)
        axes = (0, *(-1 - each for each in range(1, rank)))
        return build.gather(node, (rows,), Indexing(axes), node.shape)
    if kind == 12:
        box = View.contiguous(node.shape).slice_axis(axis, 0, 1, 1)
        value = build.slice_axis(bounded(node), axis, node.shape[axis] - 1, 1)
        return build.update(node, value, box)
    return _product_or_scatter(source, random, node)


def _product_or_scatter(source: Source, random: np.random.Generator, node: Node) -> Node:
    if random.integers(2):
        flat = bounded(build.reshape(node, (1, node.numel)))
        tall = build.reshape(bounded(node), (node.numel, 1))
        column = build.expand(tall, (node.numel, 1))
        return build.contract(
            column, build.permute(flat, (1, 0)), Contraction(0, 1, 1, 1, dtypes.float32)
        )
    rows = source.integers(0, node.shape[0], *node.shape)
    axes = (0, *(-1 - each for each in range(1, len(node.shape))))
    return build.scatter(node, bounded(node), (rows,), Indexing(axes, mode=ScatterMode.ADD))


def bounded(node: Node) -> Node:
    """Keep numbers small, so that rounding differences stay small too."""
    return unary("tanh", node)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_program(seed: int, device: str) -> None:
    random = np.random.default_rng(seed)
    nodes = grow(Source(parse_device(device)), random)
    leaves = {
        node: memory.download(node.value, node.dtype, node.shape)
        for node in topological(nodes)
        if node.value is not None
    }
    expected = interpret(nodes, leaves)
    realize(nodes)
    for node, wanted in zip(nodes, expected, strict=True):
        assert node.value is not None
        found = memory.download(node.value, node.dtype, node.shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
