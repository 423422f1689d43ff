"""`vmap`: a function of one example, applied to all of a batch at once."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from pumice.arguments import guarded
from pumice.autograd.batching import Batching, placeholder
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.func import tree
from pumice.func.scope import BatchScope
from pumice.func.tree import Tree
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.joining import cat
from pumice.tensor.movement import movedim

RANDOMNESS = ("error", "different", "same")


@guarded
def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that applies another one to every example of a batch.

    Parameters
    ----------
    func : callable
        Takes and returns tensors, in any nesting of tuples, lists and dicts.
    in_dims : int, None or structure of them
        Which axis of each positional argument holds the examples; None passes it whole. A structure
        may end where the arguments go on. Keyword arguments are always mapped over axis 0.
    out_dims : int, None or structure of them
        Where the axis of the examples goes in each result; None for one that is the same for all.
    randomness : str
        What random operators do: ``"error"``, ``"different"`` or ``"same"`` numbers per example.
    chunk_size : int, optional
        How many examples are computed at once; all by default.

    Returns
    -------
    callable

    Raises
    ------
    InvalidArgument
        When nothing is mapped, ``in_dims`` or ``out_dims`` do not fit, or the function looks at a
        value, draws random numbers, or writes to a tensor from outside what differs by example.
    ShapeError
        When the mapped axes differ in length.

    Notes
    -----
    The function runs once, on placeholders, and the graph it leaves is rebuilt with a leading axis:
    one rule for each operation of the graph (``docs/transforms.md``). What does not depend on an
    example is computed once. A write to a mapped argument reaches the argument.

    Examples
    --------
    >>> import pumice
    >>> rows = pumice.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> pumice.func.vmap(pumice.dot)(rows, rows)
    tensor([ 5., 25.])
    >>> pumice.func.vmap(pumice.func.grad(lambda x: (x**2).sum()))(rows)
    tensor([[2., 4.],
            [6., 8.]])
    """
    if randomness not in RANDOMNESS:
        raise InvalidArgument(
            describe("vmap", f"got randomness={randomness!r}", f"one of {', '.join(RANDOMNESS)}")
        )
    if chunk_size is not None and chunk_size < 1:
        raise InvalidArgument(describe("vmap", f"got chunk_size={chunk_size}", "at least 1"))

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        mapped = _Mapped(args, kwargs, in_dims)
        if chunk_size is None or chunk_size >= mapped.size:
            return _apply(func, mapped, mapped.leaves, mapped.size, out_dims, randomness)
        return _in_chunks(func, mapped, chunk_size, out_dims, randomness)

    return wrapper


class _Mapped:
    """Arguments taken apart, the axis of each leaf, and the number of examples."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any], in_dims: Any) -> None:
        if not args and not kwargs:
            raise InvalidArgument(describe("vmap", "got no arguments", "at least one tensor"))
        leaves, self.positional = tree.flatten(args)
        named, self.named = tree.flatten(kwargs)
        prefix = tuple(in_dims) if isinstance(in_dims, list) else in_dims
        axes = tree.spread(prefix, self.positional)
        if axes is None:
            raise InvalidArgument(
                describe(
                    "vmap",
                    f"in_dims={in_dims!r} does not fit the structure of the arguments",
                    "an int or None for each positional argument, or a structure of its shape",
                )
            )
        self.leaves = leaves + named
        self.axes = [
            _axis_of(leaf, axis)
            for leaf, axis in zip(self.leaves, axes + [0] * len(named), strict=True)
        ]
        self.size = self._size()

    def _size(self) -> int:
        sizes = {
            leaf.shape[axis]
            for leaf, axis in zip(self.leaves, self.axes, strict=True)
            if axis is not None
        }
        if not sizes:
            raise InvalidArgument(
                describe("vmap", "nothing is mapped", "at least one argument must have an axis")
            )
        if len(sizes) > 1:
            raise ShapeError(
                describe(
                    "vmap",
                    f"the mapped axes have the lengths {sorted(sizes)}",
                    "all must have the same length",
                )
            )
        return int(sizes.pop())

    def build(self, leaves: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return positional and keyword arguments with other leaves."""
        split = tree.count(self.positional)
        return self.positional.build(leaves[:split]), self.named.build(leaves[split:])


def _axis_of(leaf: Any, axis: Any) -> int | None:
    """Return the mapped axis of a leaf, counted from the front."""
    if axis is None:
        return None
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise InvalidArgument(describe("vmap", f"in_dims holds {axis!r}", "ints and None"))
    if not isinstance(leaf, TensorBase):
        raise DTypeError(
            describe(
                "vmap",
                f"an argument that is mapped over axis {axis} is a {type(leaf).__name__}",
                "a Tensor, or None in in_dims for what is passed whole",
            )
        )
    rank = len(leaf.shape)
    if not -rank <= axis < rank:
        raise ShapeError(
            describe(
                "vmap",
                f"in_dims is {axis} for a tensor of shape {list(leaf.shape)}",
                "an axis of the tensor",
            )
        )
    return axis % rank


def _apply(
    func: Callable[..., Any],
    mapped: _Mapped,
    leaves: Sequence[Any],
    size: int,
    out_dims: Any,
    randomness: str,
) -> Any:
    batch = Batching(size)
    with BatchScope("vmap", batch, randomness) as scope:
        given = list(leaves)
        stands: dict[int, Node] = {}
        for place, axis in enumerate(mapped.axes):
            if axis is not None:
                whole = _in_front(leaves[place].node, axis)
                stands[place] = placeholder(whole)
                batch.place(stands[place], whole)
                given[place] = wrap(stands[place])
        args, kwargs = mapped.build(given)
        result = func(*args, **kwargs)
        found, shape = _results(result, out_dims)
        outputs = [_output(scope, tensor, axis) for tensor, axis in found]
    for place, node in stands.items():
        current = given[place]._cell.node
        if current is not node:
            axis = mapped.axes[place]
            assert axis is not None
            movedim(leaves[place], axis, 0)._write(batch.full(current), "vmap")
    return shape.build([wrap(output) for output in outputs])


def _in_front(node: Node, axis: int) -> Node:
    rank = len(node.shape)
    return build.permute(node, (axis, *(each for each in range(rank) if each != axis)))


def _results(result: Any, out_dims: Any) -> tuple[list[tuple[Any, int | None]], Tree]:
    """Return the tensors of a result with the axis each gets."""
    leaves, shape = tree.flatten(result)
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise DTypeError(
                describe(
                    "vmap",
                    f"the function returned a {type(leaf).__name__}",
                    "it must return Tensors, in any nesting of tuples, lists and dicts",
                )
            )
    axes = None
    if isinstance(out_dims, int) or out_dims is None:
        axes = [out_dims] * len(leaves)
    elif isinstance(out_dims, tuple) and len(out_dims) == 1 and shape.kind is None:
        axes = [out_dims[0]]
    else:
        axes = tree.spread(out_dims, shape)
    if axes is None:
        raise InvalidArgument(
            describe(
                "vmap",
                f"out_dims={out_dims!r} does not fit the structure of the result",
                "an int or None for each tensor returned",
            )
        )
    return list(zip(leaves, axes, strict=True)), shape


def _output(scope: BatchScope, tensor: Any, axis: int | None) -> Node:
    node: Node = tensor.node
    if axis is None:
        if scope.batch.batched(node) is not None:
            raise InvalidArgument(
                describe(
                    "vmap",
                    "out_dims is None for a result that differs between examples",
                    "an axis for it",
                )
            )
        return node
    made = scope.batch.full(node)
    rank = len(made.shape)
    if not -rank <= axis < rank:
        raise ShapeError(
            describe(
                "vmap",
                f"out_dims is {axis} for a result of shape {list(node.shape)}",
                f"{-rank} to {rank - 1}",
            )
        )
    target = axis % rank
    order = list(range(1, rank))
    order.insert(target, 0)
    return build.permute(made, tuple(order))


def _in_chunks(
    func: Callable[..., Any], mapped: _Mapped, chunk_size: int, out_dims: Any, randomness: str
) -> Any:
    """Map pieces of the batch one after the other and join the results."""
    pieces: list[list[Any]] = []
    shape = tree.LEAF
    axes: list[Any] = []
    for start in range(0, mapped.size, chunk_size):
        length = min(chunk_size, mapped.size - start)
        leaves = [
            leaf if axis is None else leaf.narrow(axis, start, length)
            for leaf, axis in zip(mapped.leaves, mapped.axes, strict=True)
        ]
        result = _apply(func, mapped, leaves, length, out_dims, randomness)
        found, shape = _results(result, out_dims)
        pieces.append([tensor for tensor, _ in found])
        axes = [axis for _, axis in found]
    joined = [
        parts[0] if axis is None else cat(list(parts), axis)
        for parts, axis in zip(zip(*pieces, strict=True), axes, strict=True)
    ]
    return shape.build(joined)
