"""Evaluate nodes: one line per stage of the compiler.

``interpret`` mode (`Config.interpret`) skips the compiler and evaluates with the graph
interpreter, which is how a wrong answer is located.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from pumice.config import config
from pumice.engine import memory
from pumice.graph import recording
from pumice.graph.interpret import interpret
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.target import CPU


def realize(nodes: Sequence[Node]) -> None:
    """Give every node a value."""
    wanted: Sequence[Node]
    if len(nodes) == 1:
        if nodes[0].value is not None:
            return
        wanted = nodes
    else:
        wanted = [node for node in nodes if node.value is None]
        if not wanted:
            return
    recorder = recording.active.get()
    if recorder is not None:
        recorder.evaluate(wanted)
    _evaluator()(wanted)


@lru_cache(maxsize=1)
def _evaluator() -> Callable[[Sequence[Node]], None]:
    """Return what evaluates; the compiler is imported when it is first needed."""
    if config().interpret:
        return _interpret
    from pumice.engine.compiled import realize_compiled

    return realize_compiled


def _interpret(nodes: Sequence[Node]) -> None:
    leaves = {
        node: memory.download(node.value, node.dtype, node.shape)
        for node in topological(nodes)
        if node.value is not None
    }
    for node, array in zip(nodes, interpret(nodes, leaves), strict=True):
        node.value = memory.upload(np.ascontiguousarray(array), node.device or CPU)
        settle(node)


def settle(node: Node) -> None:
    """Mark a node evaluated: drop what no gradient can ask for."""
    node.depth = 0
    if not node.requires_grad or node.released:
        node.sources = ()
