"""Checking and taking apart what transforms are given."""

from collections.abc import Callable, Sequence
from typing import Any

from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.func import tree
from pumice.func.scope import GradientScope
from pumice.func.tree import Tree
from pumice.graph.node import Node
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.tensor import Tensor

Argnums = int | tuple[int, ...]


class Chosen:
    """The arguments a function is differentiated by, and a call of it on stand-ins.

    Attributes
    ----------
    nodes : list of Node
        The present value of each tensor among the chosen arguments.
    shapes : Tree
        How they hang together.
    """

    def __init__(self, name: str, args: tuple[Any, ...], argnums: Argnums) -> None:
        self.name = name
        self.positions = _positions(name, argnums, len(args))
        self.args = args
        picked = [args[position] for position in self.positions]
        leaves, self.shapes = tree.flatten(picked[0] if isinstance(argnums, int) else tuple(picked))
        self.nodes = [_differentiable(name, leaf) for leaf in leaves]
        self._single = isinstance(argnums, int)

    def call(
        self, scope: GradientScope, func: Callable[..., Any], kwargs: dict[str, Any]
    ) -> tuple[list[Node], Any]:
        """Return the markers of the chosen tensors and the function's result on them."""
        markers = [scope.level.mark(node) for node in self.nodes]
        scope.markers = markers
        tensors = [wrap(marker) for marker in markers]
        chosen = self.shapes.build(tensors)
        replaced = list(self.args)
        for position, value in zip(
            self.positions, [chosen] if self._single else chosen, strict=True
        ):
            replaced[position] = value
        result = func(*replaced, **kwargs)
        for tensor, marker in zip(tensors, markers, strict=True):
            if tensor._cell.node is not marker:
                raise InvalidArgument(
                    describe(
                        self.name,
                        "the function writes to an argument it is differentiated by",
                        "write to a clone() of it",
                    )
                )
        return markers, result


def _positions(name: str, argnums: Any, count: int) -> list[int]:
    wanted = [argnums] if isinstance(argnums, int) else list(argnums)
    if not wanted:
        raise InvalidArgument(describe(name, "argnums must be non-empty"))
    for each in wanted:
        if not isinstance(each, int) or not -count <= each < count:
            raise InvalidArgument(
                describe(
                    name,
                    f"got argnums={argnums!r} for {count} positional arguments",
                    "an int or a tuple of ints that name positional arguments",
                )
            )
    positions = [each % count for each in wanted]
    if len(set(positions)) < len(positions):
        raise InvalidArgument(describe(name, f"argnums={argnums!r} names an argument twice"))
    return positions


def _differentiable(name: str, leaf: Any) -> Node:
    if not isinstance(leaf, TensorBase):
        raise DTypeError(
            describe(
                name,
                f"the arguments differentiated by hold a {type(leaf).__name__}",
                "all their leaves must be Tensors",
            )
        )
    if not leaf.dtype.is_floating_point:
        raise DTypeError(
            describe(
                name,
                f"an argument differentiated by is {leaf.dtype.name}",
                "only tensors of floating point dtype have gradients",
            )
        )
    return leaf.node


def outputs_of(name: str, result: Any) -> tuple[list[Tensor], Tree]:
    """Return the tensors a function returned, which must be nothing else."""
    leaves, shape = tree.flatten(result)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise DTypeError(
                describe(
                    name,
                    f"the function returned a {type(leaf).__name__}",
                    "it must return Tensors, in any nesting of tuples, lists and dicts",
                )
            )
    return leaves, shape


def with_aux(name: str, result: Any, has_aux: bool) -> tuple[Any, Any]:
    """Return a result and what came with it."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise InvalidArgument(
            describe(
                name,
                f"has_aux is True and the function returned {_kind(result)}",
                "it must return a tuple of two: the output and what comes with it",
            )
        )
    return result


def _kind(value: Any) -> str:
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    return f"a {type(value).__name__}"


def left(scope: GradientScope, value: Any) -> Any:
    """Return a structure whose tensors are seen from outside a transform."""
    return tree.transform(
        value,
        lambda leaf: wrap(scope.level.leave(leaf.node)) if isinstance(leaf, TensorBase) else leaf,
    )


def same_tree(name: str, what: str, got: Tree, wanted: Tree) -> None:
    """Raise unless two structures are the same."""
    if got != wanted:
        raise InvalidArgument(
            describe(name, f"the {what} are nested in another way", "they must match")
        )


def fitting(name: str, what: str, tensors: Sequence[Any], nodes: Sequence[Node]) -> list[Node]:
    """Return given directions as nodes of the shape and dtype of what they belong to."""
    found = []
    for given, node in zip(tensors, nodes, strict=True):
        if not isinstance(given, TensorBase):
            raise DTypeError(
                describe(name, f"the {what} hold a {type(given).__name__}", "Tensors are needed")
            )
        if given.shape != node.shape:
            raise ShapeError(
                describe(
                    name,
                    f"one of the {what} has shape {list(given.shape)}",
                    f"it must have the shape of what it belongs to, {list(node.shape)}",
                )
            )
        if given.dtype is not node.dtype:
            raise DTypeError(
                describe(
                    name,
                    f"one of the {what} is {given.dtype.name}",
                    f"it must have the dtype of what it belongs to, {node.dtype.name}",
                )
            )
        found.append(given.node)
    return found
