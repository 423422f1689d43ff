"""PyTorch's `autograd.functional`: derivatives of a function at given tensors.

`pumice.func` does the same as transforms that can be nested. Here the inputs are tensors or tuples
of tensors, and ``create_graph`` says whether the result can be differentiated itself.
"""

from collections.abc import Callable, Sequence
from typing import Any

from pumice.arguments import guarded
from pumice.autograd.batching import Batching, identity_matrix, placeholder
from pumice.autograd.forward import tangents
from pumice.autograd.levels import Level
from pumice.autograd.protocol import Handle, is_tensor
from pumice.autograd.reverse import gradients
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node, gradient_mode

Function = Callable[..., Any]
Handles = Handle | Sequence[Handle]


class _Called:
    """A function called once on stand-ins of its inputs."""

    def __init__(self, name: str, func: Function, inputs: Any, create_graph: bool) -> None:
        self.name = name
        self.single = is_tensor(inputs)
        given = [inputs] if self.single else list(inputs)
        self.handle = _handle_of(name, given, "inputs")
        self._token = gradient_mode.set(True)
        try:
            self._level = Level()
            nodes = [each.node if create_graph else build.detach(each.node) for each in given]
            self.markers = [self._level.mark(node) for node in nodes]
            result = func(*[self.handle.from_node(marker) for marker in self.markers])
        finally:
            gradient_mode.reset(self._token)
        self.single_output = is_tensor(result)
        outputs = [result] if self.single_output else list(result)
        _handle_of(name, outputs, "outputs of the function")
        self.roots: list[Node] = [each.node for each in outputs]
        self.create_graph = create_graph

    def backward(self, seeds: Sequence[Node]) -> list[Node | None]:
        """Return the gradients of the inputs; others may follow."""
        live = [(r, s) for r, s in zip(self.roots, seeds, strict=True) if r.requires_grad]
        if not live:
            return [None] * len(self.markers)
        return gradients(
            [root for root, _ in live],
            [seed for _, seed in live],
            self.markers,
            create_graph=True,
            retain_graph=True,
        )

    def close(self) -> None:
        """End the level: what was computed is seen from outside."""
        self._level.closed = True

    def given(self, vectors: Any, nodes: Sequence[Node], what: str) -> list[Node]:
        """Return given vectors as nodes; ones for a single element when there are none."""
        if vectors is None:
            if len(nodes) != 1 or nodes[0].numel != 1:
                raise InvalidArgument(
                    describe(self.name, f"v is None and {what} have several elements", "give v")
                )
            return [build.constant(1, nodes[0].dtype, nodes[0].shape, nodes[0].device)]
        listed = [vectors] if is_tensor(vectors) else list(vectors)
        shapes = [list(each.node.shape) for each in listed]
        wanted = [list(node.shape) for node in nodes]
        if shapes != wanted:
            raise ShapeError(
                describe(self.name, f"v has the shapes {shapes}", f"{what} have {wanted}")
            )
        return [each.node for each in listed]

    def seen(self, parts: Sequence[Node | None], like: Sequence[Node], strict: bool) -> list[Any]:
        """Return results as tensors, zeros where nothing depends on anything."""
        found = []
        for place, (part, node) in enumerate(zip(parts, like, strict=True)):
            if part is None and strict:
                raise InvalidArgument(
                    describe(
                        self.name,
                        f"strict is True and the result {place} does not depend on the inputs",
                        "strict=False gives zeros",
                    )
                )
            value = _zeros(node) if part is None else part
            left = self._level.leave(value) if self.create_graph else build.detach(value)
            found.append(self.handle.from_node(left))
        return found

    def outputs(self) -> Any:
        """Return what the function returned."""
        found = self.seen(self.roots, self.roots, False)
        return found[0] if self.single_output else tuple(found)

    def like_inputs(self, found: Sequence[Any]) -> Any:
        """Return results in the form of the inputs."""
        return found[0] if self.single else tuple(found)

    def like_outputs(self, found: Sequence[Any]) -> Any:
        """Return results in the form of the outputs."""
        return found[0] if self.single_output else tuple(found)


def _handle_of(name: str, values: Sequence[Any], what: str) -> Any:
    for each in values:
        if not is_tensor(each):
            raise DTypeError(
                describe(name, f"the {what} hold a {type(each).__name__}", "Tensors are needed")
            )
    if not values:
        raise InvalidArgument(describe(name, f"there are no {what}", "at least one Tensor"))
    return type(values[0])


def _zeros(like: Node) -> Node:
    return build.constant(0, like.dtype, like.shape, like.device)


@guarded
def vjp(
    func: Function,
    inputs: Handles,
    v: Handles | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the output of a function and the product of ``v`` with its Jacobian.

    Parameters
    ----------
    func : callable
        Takes the inputs; returns a tensor or a tuple of tensors.
    inputs : Tensor or tuple of Tensor
        Where it is differentiated.
    v : Tensor or tuple of Tensor, optional
        Of the outputs' shapes; may be left out for one output of one element.
    create_graph : bool
        Whether the result can be differentiated itself.
    strict : bool
        Whether an input that the output does not depend on raises instead of giving zeros.

    Returns
    -------
    (outputs, product)

    Examples
    --------
    >>> import pumice
    >>> x = pumice.tensor([1.0, 2.0])
    >>> pumice.autograd.functional.vjp(lambda x: x**2, x, pumice.ones(2))[1]
    tensor([2., 4.])
    """
    called = _Called("vjp", func, inputs, create_graph)
    found = called.backward(called.given(v, called.roots, "the outputs"))
    called.close()
    product = called.like_inputs(called.seen(found, called.markers, strict))
    return called.outputs(), product


@guarded
def jvp(
    func: Function,
    inputs: Handles,
    v: Handles | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the output of a function and the product of its Jacobian with ``v``.

    Parameters as in `vjp`; ``v`` has the inputs' shapes.

    Examples
    --------
    >>> import pumice
    >>> x = pumice.tensor([1.0, 2.0])
    >>> pumice.autograd.functional.jvp(lambda x: x**2, x, pumice.ones(2))[1]
    tensor([2., 4.])
    """
    called = _Called("jvp", func, inputs, create_graph)
    given = called.given(v, called.markers, "the inputs")
    found = tangents(called.roots, dict(zip(called.markers, given, strict=True)))
    called.close()
    product = called.like_outputs(called.seen(found, called.roots, strict))
    return called.outputs(), product


@guarded
def jacobian(
    func: Function,
    inputs: Handles,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = True,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the Jacobians of a function: for each output, by each input.

    Parameters
    ----------
    func, inputs, create_graph, strict
        As in `vjp`.
    vectorize : bool
        Accepted; all rows (or columns) are computed at once.
    strategy : str
        ``"reverse-mode"`` or ``"forward-mode"``.

    Returns
    -------
    Tensor, tuple, or tuple of tuples
        Outputs first; each Jacobian has the output's axes followed by the input's.

    Examples
    --------
    >>> import pumice
    >>> pumice.autograd.functional.jacobian(lambda x: x**2, pumice.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise InvalidArgument(
            describe("jacobian", f"strategy is {strategy!r}", "reverse-mode or forward-mode")
        )
    called = _Called("jacobian", func, inputs, create_graph)
    token = gradient_mode.set(True)
    try:
        blocks = _rows(called) if strategy == "reverse-mode" else _columns(called)
    finally:
        gradient_mode.reset(token)
    called.close()
    result = []
    for root, row in zip(called.roots, blocks, strict=True):
        like = [
            build.constant(0, root.dtype, (*root.shape, *marker.shape), root.device)
            for marker in called.markers
        ]
        result.append(called.like_inputs(called.seen(row, like, strict)))
    return called.like_outputs(result)


def _rows(called: _Called) -> list[list[Node | None]]:
    blocks = []
    for place, root in enumerate(called.roots):

        def back(one: Node, place: int = place) -> list[Node | None]:
            zeros = [_zeros(other) for other in called.roots]
            return called.backward([*zeros[:place], one, *zeros[place + 1 :]])

        shapes = [(*root.shape, *marker.shape) for marker in called.markers]
        blocks.append(_mapped(back, root, shapes))
    return blocks


def _columns(called: _Called) -> list[list[Node | None]]:
    columns = []
    for marker in called.markers:

        def push(one: Node, marker: Node = marker) -> list[Node | None]:
            return tangents(called.roots, {marker: one})

        shapes = [(*marker.shape, *root.shape) for root in called.roots]
        parts = _mapped(push, marker, shapes)
        count = len(marker.shape)
        columns.append([part if part is None else _turned(part, count) for part in parts])
    return [[column[place] for column in columns] for place in range(len(called.roots))]


def _mapped(
    linear: Callable[[Node], list[Node | None]], like: Node, shapes: Sequence[tuple[int, ...]]
) -> list[Node | None]:
    """Return what a linear function gives for each element of its argument."""
    directions = identity_matrix(like.shape, like)
    batch = Batching(like.numel)
    one = placeholder(directions)
    batch.place(one, directions)
    return [
        part if part is None else build.reshape(batch.full(part), shape)
        for part, shape in zip(linear(one), shapes, strict=True)
    ]


def _turned(node: Node, count: int) -> Node:
    """Move the first axes behind all others."""
    rank = len(node.shape)
    return build.permute(node, (*range(count, rank), *range(count)))


@guarded
def hessian(
    func: Function,
    inputs: Handles,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = True,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the second derivatives of a function of one element, by each pair of inputs.

    Parameters
    ----------
    func, inputs, create_graph, strict, vectorize
        As in `jacobian`.
    outer_jacobian_strategy : str
        ``"reverse-mode"`` or ``"forward-mode"``.

    Returns
    -------
    Tensor, or tuple of tuples

    Examples
    --------
    >>> import pumice
    >>> pumice.autograd.functional.hessian(lambda x: (x**3).sum(), pumice.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """

    def first(*tensors: Any) -> Any:
        _, found = vjp(_scalar("hessian", func), tensors, create_graph=True)
        return found[0] if is_tensor(inputs) else found

    return jacobian(first, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def _scalar(name: str, func: Function) -> Function:
    def checked(*tensors: Any) -> Any:
        result = func(*tensors)
        if not is_tensor(result) or result.node.numel != 1:
            raise InvalidArgument(
                describe(name, "the function returned several elements", "one Tensor of one")
            )
        return result

    return checked


@guarded
def vhp(
    func: Function,
    inputs: Handles,
    v: Handles | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the output of a function of one element, and ``v`` times its Hessian.

    Parameters as in `vjp`; ``v`` has the inputs' shapes.

    Examples
    --------
    >>> import pumice
    >>> x = pumice.tensor([1.0, 2.0])
    >>> pumice.autograd.functional.vhp(lambda x: (x**3).sum(), x, pumice.ones(2))[1]
    tensor([ 6., 12.])
    """
    return _second(vjp, func, inputs, v, create_graph, strict)


@guarded
def hvp(
    func: Function,
    inputs: Handles,
    v: Handles | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the output of a function of one element, and its Hessian times ``v``.

    Parameters as in `vjp`; ``v`` has the inputs' shapes. Forward mode over reverse mode.

    Examples
    --------
    >>> import pumice
    >>> x = pumice.tensor([1.0, 2.0])
    >>> pumice.autograd.functional.hvp(lambda x: (x**3).sum(), x, pumice.ones(2))[1]
    tensor([ 6., 12.])
    """
    return _second(jvp, func, inputs, v, create_graph, strict)


def _second(
    product: Callable[..., tuple[Any, Any]],
    func: Function,
    inputs: Handles,
    v: Handles | None,
    create_graph: bool,
    strict: bool,
) -> tuple[Any, Any]:
    kept: list[Any] = []

    def first(*tensors: Any) -> Any:
        value, found = vjp(_scalar("hessian", func), tensors, create_graph=True)
        kept.append(value)
        return found[0] if is_tensor(inputs) else found

    _, found = product(first, inputs, v, create_graph, strict)
    value = kept[0]
    if not create_graph:
        value = type(value).from_node(build.detach(value.node))
    return value, found
