"""`jacrev`, `jacfwd` and `hessian`: whole Jacobians by mapping one direction over all of them."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from pumice.arguments import guarded
from pumice.autograd.batching import identity_matrix
from pumice.errors import InvalidArgument, describe
from pumice.func.arguments import Argnums
from pumice.func.forward import pushed_nodes
from pumice.func.gradients import Traced
from pumice.func.mapping import vmap
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.view import Shape
from pumice.tensor.core import wrap


@guarded
def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of another one by reverse mode.

    Parameters
    ----------
    func : callable
        Returns tensors in any nesting; with ``has_aux``, a pair of them and anything else.
    argnums : int or tuple of int
        The arguments to differentiate by.
    has_aux : bool
        Whether the function returns something besides what is differentiated.
    chunk_size : int, optional
        How many rows are computed at once; all by default.

    Returns
    -------
    callable
        For each output, in its structure, the Jacobians by the arguments in theirs; each has the
        output's axes followed by the argument's.

    Examples
    --------
    >>> import pumice
    >>> pumice.func.jacrev(lambda x: x**2)(pumice.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if chunk_size is not None and chunk_size < 1:
        raise InvalidArgument(describe("jacrev", f"got chunk_size={chunk_size}", "at least 1"))

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        traced = Traced("jacrev", func, args, argnums, has_aux, kwargs)
        rows = [_rows(traced, place, chunk_size) for place in range(len(traced.roots))]
        result = _arranged(traced, rows)
        return (result, traced.aux) if has_aux else result

    return wrapper


def _rows(traced: Traced, place: int, chunk_size: int | None) -> list[Node]:
    """Return the Jacobians of one output by all markers."""
    root = traced.roots[place]
    if not root.dtype.is_floating_point:
        raise InvalidArgument(
            describe("jacrev", f"output {place} is {root.dtype.name}", "it must be floating")
        )
    if not root.numel:
        return [_nothing(root, marker) for marker in traced.markers]

    def back(cotangent: Any) -> Any:
        seeds = [
            cotangent.node if each == place else _zeros(other)
            for each, other in enumerate(traced.roots)
        ]
        return tuple([wrap(part) for part in traced.back(seeds)])

    basis = wrap(identity_matrix(root.shape, root))
    mapped = vmap(back, chunk_size=chunk_size)(basis)
    return [
        build.reshape(part.node, (*root.shape, *marker.shape))
        for part, marker in zip(mapped, traced.markers, strict=True)
    ]


@guarded
def jacfwd(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of another one by forward mode.

    Parameters
    ----------
    func : callable
        Returns tensors in any nesting; with ``has_aux``, a pair of them and anything else.
    argnums : int or tuple of int
        The arguments to differentiate by.
    has_aux : bool
        Whether the function returns something besides what is differentiated.
    randomness : str
        Accepted; the function runs once, so random numbers are the same for all columns.
    chunk_size : int, optional
        How many columns are computed at once; all by default.

    Returns
    -------
    callable
        As `jacrev`: the same values, at the cost of one pass per element of the arguments instead
        of one per element of the outputs.

    Examples
    --------
    >>> import pumice
    >>> pumice.func.jacfwd(lambda x: x**2)(pumice.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        traced = Traced("jacfwd", func, args, argnums, has_aux, kwargs)
        columns = [_columns(traced, place, chunk_size) for place in range(len(traced.markers))]
        rows = [[column[place] for column in columns] for place in range(len(traced.roots))]
        result = _arranged(traced, rows)
        return (result, traced.aux) if has_aux else result

    return wrapper


def _columns(traced: Traced, place: int, chunk_size: int | None) -> list[Node]:
    """Return the Jacobians of all outputs by one marker."""
    marker = traced.markers[place]
    if not marker.numel:
        return [_nothing(root, marker) for root in traced.roots]

    def push(tangent: Any) -> Any:
        seeds = [
            tangent.node if each == place else _zeros(other)
            for each, other in enumerate(traced.markers)
        ]
        found = pushed_nodes(traced, seeds)
        return tuple(
            [
                wrap(_zeros(root) if part is None else part)
                for part, root in zip(found, traced.roots, strict=True)
            ]
        )

    basis = wrap(identity_matrix(marker.shape, marker))
    mapped = vmap(push, out_dims=-1, chunk_size=chunk_size)(basis)
    return [
        build.reshape(part.node, (*root.shape, *marker.shape))
        for part, root in zip(mapped, traced.roots, strict=True)
    ]


def _zeros(like: Node) -> Node:
    return build.constant(0, like.dtype, like.shape, like.device)


def _nothing(root: Node, marker: Node) -> Node:
    shape: Shape = (*root.shape, *marker.shape)
    return build.constant(0, root.dtype, shape, root.device)


def _arranged(traced: Traced, rows: Sequence[Sequence[Node]]) -> Any:
    """Return outputs of arguments of Jacobians."""
    return traced.output_tree.build(
        [traced.chosen.shapes.build([wrap(part) for part in row]) for row in rows]
    )


@guarded
def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return a function that computes second derivatives: ``jacfwd(jacrev(func))``.

    Parameters
    ----------
    func : callable
        Returns tensors in any nesting.
    argnums : int or tuple of int
        The arguments to differentiate by, twice.

    Returns
    -------
    callable

    Examples
    --------
    >>> import pumice
    >>> pumice.func.hessian(lambda x: (x**3).sum())(pumice.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
