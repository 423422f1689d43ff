"""`jvp` and `linearize`: forward mode as a transform of functions."""

from collections.abc import Callable, Sequence
from typing import Any

from pumice.arguments import guarded
from pumice.autograd.forward import tangents as tangents_of
from pumice.errors import InvalidArgument, describe
from pumice.func import tree
from pumice.func.arguments import fitting, same_tree
from pumice.func.gradients import Traced
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.core import wrap


@guarded
def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """Return the value of a function and its Jacobian times a vector.

    Parameters
    ----------
    func : callable
        Returns tensors in any nesting; with ``has_aux``, a pair of them and anything else.
    primals : tuple
        Its arguments: tensors, or structures of tensors.
    tangents : tuple
        A direction for each, of the same structure, shapes and dtypes.
    strict : bool
        Whether an output that does not depend on the primals raises instead of giving zeros.
    has_aux : bool
        Whether the function returns something besides what is differentiated.

    Returns
    -------
    (output, tangent) or (output, tangent, aux)

    Raises
    ------
    InvalidArgument
        When primals and tangents differ in structure.
    ShapeError, DTypeError
        When a tangent does not fit its primal.

    Notes
    -----
    Tangents are carried forward operation by operation; the function runs once. A ``no_grad``
    inside the function cuts them, as it cuts gradients.

    Examples
    --------
    >>> import pumice
    >>> x, direction = pumice.tensor([1.0, 2.0]), pumice.tensor([1.0, 0.0])
    >>> pumice.func.jvp(lambda x: x * x.sum(), (x,), (direction,))
    (tensor([3., 6.]), tensor([4., 2.]))
    """
    if not isinstance(primals, tuple) or not primals:
        raise InvalidArgument(
            describe("jvp", f"primals is {type(primals).__name__}", "a tuple of at least one")
        )
    traced = Traced("jvp", func, primals, tuple(range(len(primals))), has_aux)
    output, moved = traced.outputs(), _pushed("jvp", traced, tangents, strict)
    return (output, moved, traced.aux) if has_aux else (output, moved)


@guarded
def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the value of a function and a function that multiplies by its Jacobian.

    Parameters
    ----------
    func : callable
        Returns tensors in any nesting.
    primals : Tensor or structure of Tensor
        Its arguments.

    Returns
    -------
    (output, jvp_fn)
        ``jvp_fn`` takes one tangent per primal; ``func`` is not run again.

    Examples
    --------
    >>> import pumice
    >>> _, push = pumice.func.linearize(lambda x: x * x, pumice.tensor([1.0, 2.0]))
    >>> push(pumice.tensor([1.0, 1.0]))
    tensor([2., 4.])
    """
    if not primals:
        raise InvalidArgument(describe("linearize", "got no primals", "at least one argument"))
    traced = Traced("linearize", func, primals, tuple(range(len(primals))), False)
    return traced.outputs(), lambda *tangents: _pushed("linearize", traced, tangents, False)


def _pushed(name: str, traced: Traced, given: Any, strict: bool) -> Any:
    leaves, shape = tree.flatten(given)
    same_tree(name, "primals and tangents", shape, traced.chosen.shapes)
    seeds = fitting(name, "tangents", leaves, traced.markers)
    found = pushed_nodes(traced, seeds)
    if strict and None in found:
        raise InvalidArgument(
            describe(
                name,
                f"output {found.index(None)} does not depend on the primals",
                "strict=False gives zeros",
            )
        )
    parts = [_or_zeros(part, root) for part, root in zip(found, traced.roots, strict=True)]
    return traced.output_tree.build([wrap(part) for part in parts])


def pushed_nodes(traced: Traced, seeds: Sequence[Node]) -> list[Node | None]:
    """Return tangents of the outputs as they are seen from outside."""
    pairs = dict(zip(traced.markers, seeds, strict=True))
    leave = traced.scope.level.leave
    return [None if part is None else leave(part) for part in tangents_of(traced.roots, pairs)]


def _or_zeros(part: Node | None, root: Node) -> Node:
    return build.constant(0, root.dtype, root.shape, root.device) if part is None else part
