"""Gradients against finite differences, in float64."""

from collections.abc import Callable, Sequence
from typing import Any

from pumice import dtypes
from pumice.arguments import guarded
from pumice.autograd.interface import grad
from pumice.autograd.protocol import is_tensor
from pumice.errors import DTypeError, PumiceError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.definition import registry
from pumice.ops.view import View, contiguous_strides


class GradcheckError(PumiceError, RuntimeError):
    """A gradient differs from finite differences."""


@guarded
def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compare the gradients of a function with central differences.

    The gradient of one fixed mixture of all output elements is compared, at every element of
    every float64 input that requires a gradient.

    Parameters
    ----------
    func : callable
        Takes the inputs; returns a tensor or a tuple of tensors.
    inputs : Tensor or sequence
        Arguments; those that are tensors and require a gradient must be float64.
    eps : float
        Step of the differences.
    atol, rtol : float
        Allowed absolute and relative error.
    raise_exception : bool
        Whether a mismatch raises `GradcheckError` or gives False.

    Returns
    -------
    bool
    """
    arguments = [inputs] if is_tensor(inputs) else list(inputs)
    checked = _checked_positions(arguments)
    outputs = _differentiable(func(*arguments))
    if not outputs:
        raise GradcheckError(describe("gradcheck", "no output requires a gradient"))
    handle = type(outputs[0])
    mixture = [handle.from_node(pattern(output.node)) for output in outputs]
    wanted = [arguments[position] for position in checked]
    found = grad(outputs, wanted, mixture, allow_unused=True)
    for position, analytic in zip(checked, found, strict=True):
        problem = _compare(func, arguments, position, analytic, mixture, (eps, atol, rtol))
        if problem:
            if raise_exception:
                raise GradcheckError(describe("gradcheck", problem))
            return False
    return True


@guarded
def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compare second derivatives with central differences of the first; see `gradcheck`."""
    arguments = [inputs] if is_tensor(inputs) else list(inputs)
    checked = _checked_positions(arguments)
    outputs = _differentiable(func(*arguments))
    seeds = [type(output).from_node(build.leaf(pattern(output.node))) for output in outputs]

    def first_order(*everything: Any) -> tuple[Any, ...]:
        values, given = everything[: len(arguments)], everything[len(arguments) :]
        results = _differentiable(func(*values))
        wanted = [values[position] for position in checked]
        found = grad(results, wanted, given, create_graph=True, allow_unused=True)
        return tuple(part for part in found if part is not None and part.node.requires_grad)

    if not first_order(*arguments, *seeds):
        return True  # the gradient is constant: there is nothing to differentiate
    return gradcheck(
        first_order,
        [*arguments, *seeds],
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
    )


def pattern(like: Node) -> Node:
    """Return fixed, unremarkable values between -1 and 1 in the shape of a node."""
    cosine: Any = registry["cos"]
    steps = build.iota(like.shape, like.device).cast(dtypes.float64)
    result: Node = cosine(steps * 0.739 + 1.0).cast(like.dtype)
    return result


def _differentiable(outputs: Any) -> list[Any]:
    listed = [outputs] if is_tensor(outputs) else list(outputs)
    return [output for output in listed if output.node.requires_grad]


def _checked_positions(arguments: Sequence[Any]) -> list[int]:
    positions = [
        position
        for position, argument in enumerate(arguments)
        if is_tensor(argument) and argument.node.requires_grad
    ]
    for position in positions:
        dtype = arguments[position].node.dtype
        if dtype is not dtypes.float64:
            raise DTypeError(
                describe("gradcheck", f"input {position} is {dtype.name}", "float64 is needed")
            )
    return positions


def _compare(
    func: Callable[..., Any],
    arguments: list[Any],
    position: int,
    analytic: Any,
    mixture: list[Any],
    limits: tuple[float, float, float],
) -> str:
    """Return what is wrong with the gradient of one input, empty when nothing is."""
    eps, atol, rtol = limits
    original = arguments[position]
    handle, node = type(original), build.detach(original.node)
    exact = None if analytic is None else analytic.numpy(force=True).reshape(-1)
    for index in range(node.numel):
        totals = []
        for step in (eps, -eps):
            moved = handle.from_node(build.leaf(_moved(node, index, step)))
            changed = [*arguments[:position], moved, *arguments[position + 1 :]]
            totals.append(_total(_differentiable(func(*changed)), mixture))
        numerical = (totals[0] - totals[1]) / (2 * eps)
        value = 0.0 if exact is None else float(exact[index])
        if not abs(numerical - value) <= atol + rtol * abs(numerical):
            return (
                f"input {position}, element {index}: the gradient is {value!r}, "
                f"finite differences give {numerical!r}"
            )
    return ""


def _moved(node: Node, index: int, step: float) -> Node:
    flat = View(node.shape, contiguous_strides(node.shape))
    one = View((1,) * len(flat.shape), (0,) * len(flat.shape), index)
    return build.update(node, build.view(node, one) + step, one)


def _total(outputs: Sequence[Any], mixture: Sequence[Any]) -> float:
    return sum(
        float((output.numpy(force=True) * weights.numpy(force=True)).sum())
        for output, weights in zip(outputs, mixture, strict=True)
    )
