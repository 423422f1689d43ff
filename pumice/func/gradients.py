"""`grad`, `value_and_grad` and `vjp`: reverse mode as a transform of functions."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from pumice.arguments import guarded
from pumice.autograd.anomaly import watcher
from pumice.autograd.reverse import gradients
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.func import tree
from pumice.func.arguments import Argnums, Chosen, fitting, left, outputs_of, same_tree, with_aux
from pumice.func.scope import GradientScope
from pumice.graph import build
from pumice.graph.node import Node, gradient_mode
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.tensor import Tensor


@guarded
def grad(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the gradient of a scalar function.

    Parameters
    ----------
    func : callable
        Returns a tensor of one element; with ``has_aux``, a pair of it and anything else.
    argnums : int or tuple of int
        The arguments to differentiate by. Each may be a tensor or a structure of tensors.
    has_aux : bool
        Whether the function returns something besides what is differentiated.

    Returns
    -------
    callable
        Takes what ``func`` takes; returns gradients in the structure of the arguments chosen (a
        tuple when ``argnums`` is one), with ``has_aux`` in a pair with what came along.

    Raises
    ------
    ShapeError
        When the output has more than one element.
    DTypeError
        When an argument chosen holds something other than floating tensors.
    InvalidArgument
        When ``argnums`` names no argument, or the function writes what it computed into a tensor
        from outside.

    Notes
    -----
    The result can be differentiated again, by an outer transform and by `backward` alike. A
    ``no_grad`` inside the function holds; one around the transform holds for outer gradients only.

    Examples
    --------
    >>> import pumice
    >>> pumice.func.grad(pumice.sin)(pumice.tensor(0.0))
    tensor(1.)
    >>> pumice.func.grad(pumice.func.grad(lambda x: x**3))(pumice.tensor(2.0))
    tensor(12.)
    """

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, _, aux = _evaluated("grad", func, argnums, has_aux, args, kwargs)
        return (found, aux) if has_aux else found

    return wrapper


@guarded
def value_and_grad(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the value of a scalar function and its gradient.

    Parameters as in `grad`. The result is ``(value, gradient)``; with ``has_aux`` it is
    ``((value, aux), gradient)``. `grad_and_value` returns them in PyTorch's order.

    Examples
    --------
    >>> import pumice
    >>> value, slope = pumice.func.value_and_grad(lambda x: x**2)(pumice.tensor(3.0))
    >>> value.item(), slope.item()
    (9.0, 6.0)
    """

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, value, aux = _evaluated("value_and_grad", func, argnums, has_aux, args, kwargs)
        return ((value, aux) if has_aux else value), found

    return wrapper


@guarded
def grad_and_value(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the gradient of a scalar function and its value.

    Parameters as in `grad`. The result is ``(gradient, value)``; with ``has_aux`` it is
    ``(gradient, (value, aux))``.

    Examples
    --------
    >>> import pumice
    >>> slope, value = pumice.func.grad_and_value(lambda x: x**2)(pumice.tensor(3.0))
    >>> value.item(), slope.item()
    (9.0, 6.0)
    """

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, value, aux = _evaluated("grad_and_value", func, argnums, has_aux, args, kwargs)
        return found, ((value, aux) if has_aux else value)

    return wrapper


def _evaluated(
    name: str,
    func: Callable[..., Any],
    argnums: Argnums,
    has_aux: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Any, Any, Any]:
    """Return the gradients, the value and what came along."""
    chosen = Chosen(name, args, argnums)
    with GradientScope(name) as scope:
        markers, result = chosen.call(scope, func, kwargs)
        output, aux = with_aux(name, result, has_aux)
        root = _scalar(name, output)
    found = reversed_from(scope, [root], [build.constant(1, root.dtype, (), root.device)], markers)
    tensors = [wrap(part) for part in found]
    return chosen.shapes.build(tensors), wrap(scope.level.leave(root)), left(scope, aux)


def _scalar(name: str, output: Any) -> Node:
    if not isinstance(output, TensorBase):
        raise DTypeError(
            describe(
                name, f"the function returned a {type(output).__name__}", "it must be a Tensor"
            )
        )
    if output.shape:
        raise ShapeError(
            describe(
                name,
                f"the function returned a tensor of shape {list(output.shape)}",
                "it must be a scalar: reduce it, with .sum() for example",
            )
        )
    if not output.dtype.is_floating_point:
        raise DTypeError(
            describe(name, f"the function returned {output.dtype.name}", "it must be floating")
        )
    return output.node


def reversed_from(
    scope: GradientScope,
    roots: Sequence[Node],
    seeds: Sequence[Node],
    markers: Sequence[Node],
    again: bool = False,
) -> list[Node]:
    """Return gradients by markers as they are seen from outside, zeros where there are none.

    ``again`` says that the graph will be asked again.
    """
    live = [(root, seed) for root, seed in zip(roots, seeds, strict=True) if root.requires_grad]
    found: list[Node | None] = [None] * len(markers)
    if live:
        starts, given = [root for root, _ in live], [seed for _, seed in live]
        keep = gradient_mode.get() and scope.level.outlives([*starts, *given])
        found = gradients(
            starts,
            given,
            markers,
            create_graph=keep,
            retain_graph=keep or again,
            watch=watcher(Tensor),
        )
    return [
        build.constant(0, marker.dtype, marker.shape, marker.device)
        if part is None
        else scope.level.leave(part)
        for part, marker in zip(found, markers, strict=True)
    ]


@guarded
def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return the value of a function and a function that multiplies by its Jacobian from the left.

    Parameters
    ----------
    func : callable
        Returns tensors in any nesting; with ``has_aux``, a pair of them and anything else.
    primals : Tensor or structure of Tensor
        Its arguments, all of which it is differentiated by.
    has_aux : bool
        Whether the function returns something besides what is differentiated.

    Returns
    -------
    (output, vjp_fn) or (output, vjp_fn, aux)
        ``vjp_fn`` takes cotangents in the structure of the output and returns a tuple with one
        entry per primal (the entry itself for a single primal is in a tuple too). It may be called
        any number of times.

    Raises
    ------
    ShapeError, DTypeError
        When a cotangent does not fit the output.

    Examples
    --------
    >>> import pumice
    >>> output, back = pumice.func.vjp(lambda x: x * x, pumice.tensor([1.0, 2.0]))
    >>> back(pumice.tensor([1.0, 10.0]))[0]
    tensor([ 2., 40.])
    """
    if not primals:
        raise InvalidArgument(describe("vjp", "got no primals", "at least one argument"))
    traced = Traced("vjp", func, primals, tuple(range(len(primals))), has_aux)

    def vjp_fn(cotangents: Any) -> Any:
        leaves, shape = tree.flatten(cotangents)
        same_tree("vjp", "cotangents and outputs", shape, traced.output_tree)
        seeds = fitting("vjp", "cotangents", leaves, traced.roots)
        return traced.chosen.shapes.build([wrap(part) for part in traced.back(seeds)])

    output = traced.outputs()
    return (output, vjp_fn, traced.aux) if has_aux else (output, vjp_fn)


class Traced:
    """A function after one call on markers: its outputs, and derivatives in either direction."""

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        argnums: Argnums,
        has_aux: bool,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.chosen = Chosen(name, args, argnums)
        with GradientScope(name) as self.scope:
            self.markers, result = self.chosen.call(self.scope, func, kwargs or {})
            output, aux = with_aux(name, result, has_aux)
            tensors, self.output_tree = outputs_of(name, output)
            self.roots = [tensor.node for tensor in tensors]
        self.aux = left(self.scope, aux)

    def outputs(self) -> Any:
        """Return the outputs as they are seen from outside."""
        leave = self.scope.level.leave
        tensors: list[Any] = [wrap(leave(root)) for root in self.roots]
        return self.output_tree.build(tensors)

    def back(self, seeds: Sequence[Node]) -> list[Node]:
        """Return cotangents of the markers."""
        return reversed_from(self.scope, self.roots, seeds, self.markers, again=True)
