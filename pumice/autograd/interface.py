"""PyTorch's `grad` and `backward`, on anything that holds a `Node`."""

from collections.abc import Sequence
from typing import Any

from pumice.arguments import guarded
from pumice.autograd.anomaly import watcher
from pumice.autograd.hooks import after_accumulation, leaf_hooked
from pumice.autograd.mode import no_grad
from pumice.autograd.pending import expect
from pumice.autograd.protocol import Handle, is_tensor
from pumice.autograd.reverse import gradients
from pumice.errors import InvalidArgument, ShapeError, UnsupportedOperation, describe
from pumice.graph import build, recording
from pumice.graph.node import Node
from pumice.ops import structure

Handles = Handle | Sequence[Handle]


@guarded
def grad(
    outputs: Handles,
    inputs: Handles,
    grad_outputs: Handles | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> tuple[Any, ...]:
    """Return the gradients of ``outputs`` with respect to ``inputs``.

    Parameters
    ----------
    outputs, inputs : Tensor or sequence of Tensor
        What is differentiated, and by what.
    grad_outputs : Tensor or sequence of Tensor or None, optional
        The gradient that flows into each output; may be left out for outputs of one element.
    retain_graph : bool, optional
        Whether another backward may follow; the value of ``create_graph`` by default.
    create_graph : bool
        Whether the result can be differentiated itself.
    allow_unused : bool
        Whether an input that the outputs do not depend on gives None instead of raising.

    Returns
    -------
    tuple of Tensor (or None)

    Raises
    ------
    UnsupportedOperation
        If an output does not require a gradient, or an operation on the way has none.
    InvalidArgument
        If an input does not require a gradient or is not used.
    GraphReleasedError
        If an earlier backward has freed the graph.

    Examples
    --------
    >>> x = pumice.tensor([2., 3.], requires_grad=True)
    >>> pumice.grad((x**2).sum(), (x,))
    (tensor([4., 6.]),)
    """
    output_list, input_list = _listed(outputs), _listed(inputs)
    seeds = _seeds("grad", output_list, grad_outputs)
    _check_inputs(input_list)
    roots = [tensor.node for tensor in output_list]
    pairs = _owned_leaves(roots)
    found = _gradients_of(roots, seeds, input_list, pairs, retain_graph, create_graph)
    for position, (tensor, node) in enumerate(zip(input_list, found, strict=True)):
        if node is None and not allow_unused:
            raise InvalidArgument(
                describe(
                    "grad",
                    "One of the differentiated Tensors appears to not have been used in the "
                    f"graph: input {position} of shape {list(tensor.node.shape)}",
                    "set allow_unused=True if this is the desired behavior",
                )
            )
    with recording.wanted_together():
        return tuple(
            None if node is None else type(tensor).from_node(node)
            for tensor, node in zip(input_list, found, strict=True)
        )


def _check_inputs(inputs: list[Handle]) -> None:
    for position, tensor in enumerate(inputs):
        if not tensor.node.requires_grad:
            raise InvalidArgument(
                describe(
                    "grad",
                    "One of the differentiated Tensors does not require grad: "
                    f"input {position} of shape {list(tensor.node.shape)}",
                    "call requires_grad_() on it before it is used",
                )
            )


@guarded
def backward(
    tensors: Handles,
    grad_tensors: Handles | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Handles | None = None,
) -> None:
    """Add the gradients of ``tensors`` to the ``grad`` of the leaves they depend on.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
        What is differentiated.
    grad_tensors : Tensor or sequence of Tensor or None, optional
        The gradient that flows into each; may be left out for tensors of one element.
    retain_graph : bool, optional
        Whether another backward may follow; the value of ``create_graph`` by default.
    create_graph : bool
        Whether the gradients can be differentiated themselves.
    inputs : Tensor or sequence of Tensor, optional
        Only these receive gradients; all leaves by default.
    """
    handles = _listed(tensors)
    seeds = _seeds("backward", handles, grad_tensors)
    roots = [tensor.node for tensor in handles]
    pairs = _owned_leaves(roots)
    if inputs is not None:
        targets = _listed(inputs)
    else:
        targets = list({id(owner): owner for owner, _ in pairs}.values())
    found = _gradients_of(roots, seeds, targets, pairs, retain_graph, create_graph)
    with recording.wanted_together():
        for tensor, node in zip(targets, found, strict=True):
            if node is not None:
                _add_to_grad(tensor, node, create_graph)
                after_accumulation(tensor)
    expect(roots)


def _gradients_of(
    roots: list[Node],
    seeds: list[Node],
    inputs: list[Handle],
    owned: list[tuple[Handle, Node]],
    retain_graph: bool | None,
    create_graph: bool,
) -> list[Node | None]:
    """Return gradients by tensors, as the hooks of leaves leave them.

    A leaf that was written to since has a new node; the graph refers to it by the earlier one.
    """
    leaves: list[Node] = []
    slots: list[int] = []
    known: dict[int, list[Node]] = {}
    for owner, leaf in owned:
        known.setdefault(id(owner), []).append(leaf)
    for slot, tensor in enumerate(inputs):
        nodes = known.get(id(tensor)) or [tensor.node]
        leaves += nodes
        slots += [slot] * len(nodes)
    found: list[Node | None] = [None] * len(inputs)
    retain = create_graph if retain_graph is None else retain_graph
    watch = watcher(type(inputs[0])) if inputs else None
    parts = gradients(
        roots, seeds, leaves, create_graph=create_graph, retain_graph=retain, watch=watch
    )
    for slot, part in zip(slots, parts, strict=True):
        total = found[slot]
        if part is not None:
            found[slot] = part if total is None else total + part
    return [
        leaf_hooked(tensor, part, create_graph) for tensor, part in zip(inputs, found, strict=True)
    ]


def _add_to_grad(tensor: Handle, node: Node, create_graph: bool) -> None:
    if tensor.grad is None:
        tensor.grad = type(tensor).from_node(node)
    elif create_graph:
        tensor.grad = type(tensor).from_node(tensor.grad.node + node)
    else:
        with no_grad():
            tensor.grad.add_(type(tensor).from_node(node))


def _listed(tensors: Handles) -> list[Handle]:
    return [tensors] if is_tensor(tensors) else list(tensors)  # type: ignore[arg-type]


def _owned_leaves(roots: Sequence[Node]) -> list[tuple[Handle, Node]]:
    """Return the leaf nodes the roots depend on, each with the tensor it belongs to."""
    found: list[tuple[Handle, Node]] = []
    seen: set[Node] = set()
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        if node in seen or not node.requires_grad:
            continue
        seen.add(node)
        if node.op is not structure.LEAF:
            stack.extend(reversed(node.sources))
            continue
        owner = None if node.argument is None else node.argument.reference()
        if owner is not None:
            found.append((owner, node))
    return found


def _seeds(name: str, roots: Sequence[Handle], given: Any) -> list[Node]:
    supplied = [None] * len(roots) if given is None else _supplied(given)
    if len(supplied) != len(roots):
        raise InvalidArgument(
            describe(name, f"got {len(roots)} tensors and {len(supplied)} gradients for them")
        )
    return [
        _seed(name, position, root.node, seed)
        for position, (root, seed) in enumerate(zip(roots, supplied, strict=True))
    ]


def _supplied(given: Any) -> list[Any]:
    return [given] if is_tensor(given) else list(given)


def _seed(name: str, position: int, root: Node, given: Any) -> Node:
    if not root.requires_grad:
        raise UnsupportedOperation(
            describe(
                name,
                f"element {position} of tensors does not require grad and does not have a grad_fn",
                _why_not_differentiable(root),
            )
        )
    if given is None:
        if root.numel != 1:
            raise ShapeError(
                describe(
                    name,
                    "grad can be implicitly created only for scalar outputs, "
                    f"element {position} has shape {list(root.shape)}",
                    "pass its gradient or reduce it, with .sum() for example",
                )
            )
        return build.constant(1, root.dtype, root.shape, root.device)
    seed: Node = given.node
    if seed.shape != root.shape:
        raise ShapeError(
            describe(
                name,
                f"Mismatch in shape: gradient {position} has shape {list(seed.shape)} and the "
                f"output has shape {list(root.shape)}",
            )
        )
    return build.cast(seed, root.dtype)


def _why_not_differentiable(root: Node) -> str:
    """Return which operation below ``root`` stops the gradient, as far as the graph is kept."""
    seen: set[Node] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if any(source.requires_grad for source in node.sources):
            reason = node.op.no_gradient
            if not reason and not node.dtype.is_floating_point:
                reason = f"its result is {node.dtype.name}"
            return f"{node.op.name} passes no gradient: {reason or 'it ran under no_grad'}"
        stack.extend(node.sources)
    return "no tensor that it depends on requires a gradient"
