"""Evaluate nodes: one line per stage of the compiler.

``interpret`` mode (`Config.interpret`) skips the compiler and evaluates with the graph
interpreter, which is how a wrong answer is located.
"""

from collections.abc import Sequence

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
    wanted = [node for node in nodes if node.value is None]
    if not wanted:
        return
    recorder = recording.active.get()
    if recorder is not None:
        recorder.evaluate(wanted)
    if config().interpret:
        _interpret(wanted)
        return
    from pumice.engine.compiled import realize_compiled

    realize_compiled(wanted)


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
