"""Handles for gradient tests that need no engine: evaluation is the graph interpreter's."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pumice.dtypes import DType, float64
from pumice.graph import build
from pumice.graph.interpret import interpret
from pumice.graph.node import Node
from pumice.numpy_types import from_numpy, to_numpy
from pumice.ops.definition import Structural
from pumice.target import CPU

Array = NDArray[Any]

HOST = Structural(name="host", reference=lambda np, node: node.argument.array, no_gradient="leaf")
"""A node over a host array; outside the registry, as no user can make one."""


class HostArray:
    """An array as the argument of a node."""

    def __init__(self, array: Array) -> None:
        self.array = array


def host_node(array: Array) -> Node:
    """Return a node that the interpreter reads from an array."""
    dtype = from_numpy(array.dtype)
    return Node(HOST, dtype, array.shape, (), HostArray(array), CPU)


class GraphTensor:
    """A tensor for `autograd`: a node, and the interpreter to evaluate it."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.grad: Any = None

    @classmethod
    def from_node(cls, node: Node) -> Self:
        return cls(node)

    @classmethod
    def leaf(cls, array: Any, dtype: DType = float64) -> Self:
        """Return a tensor that gradients are taken by."""
        return cls(build.leaf(host_node(np.asarray(array, to_numpy(dtype)))))

    def add_(self, other: Any) -> Self:
        self.node = self.node + other.node
        return self

    def numpy(self, *, force: bool = False) -> Array:
        return evaluate([self.node])[0]


def evaluate(nodes: Sequence[Node]) -> list[Array]:
    """Return the values of nodes by the graph interpreter."""
    return interpret(nodes, {})


def on_nodes(rule: Callable[..., Node]) -> Callable[..., GraphTensor]:
    """Return a function of `GraphTensor` from a function of nodes."""

    def function(*tensors: GraphTensor) -> GraphTensor:
        return GraphTensor(rule(*[tensor.node for tensor in tensors]))

    return function
