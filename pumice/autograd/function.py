"""Operations with a gradient that the user writes."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar
from weakref import ReferenceType, ref

from pumice import dtypes
from pumice.autograd.mode import is_grad_enabled, no_grad
from pumice.autograd.protocol import is_tensor
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import structure


class FunctionContext:
    """What one application of a `Function` keeps between its forward and its backward.

    Attributes
    ----------
    needs_input_grad : tuple of bool
        For each argument of the application, whether its gradient is asked for.
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self._saved: list[tuple[Any, Node] | None] = []
        self._constant: list[Any] = []
        self._dirty: tuple[Any, ...] = ()
        self._materialize = True
        self._outputs: dict[Node, ReferenceType[Node]] = {}

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for the backward, with the values they have now."""
        self._saved = [
            None if tensor is None else (type(tensor), tensor.node) for tensor in tensors
        ]

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to `save_for_backward`."""
        return tuple(
            None if saved is None else saved[0].from_node(self._current(saved[1]))
            for saved in self._saved
        )

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say that outputs have no gradient."""
        self._constant = list(tensors)

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which arguments forward wrote to; it must return them, and they are its outputs."""
        self._dirty = tensors

    def is_dirty(self, output: Any) -> bool:
        """Tell whether an output is an argument that forward wrote to."""
        return any(output is marked for marked in self._dirty)

    def set_materialize_grads(self, value: bool) -> None:
        """Choose whether missing output gradients arrive as zeros (the default) or None."""
        self._materialize = value

    def _current(self, node: Node) -> Node:
        """Return the differentiable node of an output that was saved."""
        found = self._outputs.get(node)
        return (found() if found is not None else None) or node

    def is_constant(self, output: Any) -> bool:
        """Tell whether an output was marked non-differentiable."""
        return any(output is marked for marked in self._constant)

    def bind_output(self, plain: Node, differentiable: Node) -> None:
        """Remember which node stands for an output outside the application."""
        self._outputs[plain] = ref(differentiable)

    def materialized(self, g: Node | None, output: Node) -> Node | None:
        """Return the gradient of an output as the backward wants it."""
        if g is None and self._materialize:
            return build.constant(0, output.dtype, output.shape, output.device)
        return g


class _Application:
    """Connects the outputs of one application to its inputs.

    Every output is a `CUSTOM` node over the plain result and a common scalar node, whose sources
    are the inputs. The output gradients gather here until the common node is reached, and then
    the user's backward runs once.
    """

    def __init__(
        self,
        function: type["Function"],
        context: FunctionContext,
        handle: Any,
        positions: list[int],
        argument_count: int,
    ) -> None:
        self._function = function
        self._context = context
        self.transparent = function.transparent
        self._handle = handle
        self._positions = positions
        self._argument_count = argument_count
        self._outputs: list[Node] = []
        self._arrived: dict[int, Node] = {}

    def connect(self, outputs: Sequence[Any], inputs: Sequence[Node]) -> list[Any]:
        """Return the outputs as tensors that require a gradient."""
        start = build.constant(0, dtypes.float32)
        common = Node(structure.CUSTOM, dtypes.float32, (), (start, *inputs), self._distribute)
        results = []
        for index, output in enumerate(outputs):
            node: Node = output.node
            self._outputs.append(node)
            if self._context.is_constant(output) or not node.dtype.is_floating_point:
                results.append(self._handle.from_node(build.detach(node)))
                continue
            sources = (build.detach(node), common)
            wrapped = Node(structure.CUSTOM, node.dtype, node.shape, sources, self._collect(index))
            self._context.bind_output(node, wrapped)
            if self._context.is_dirty(output):
                results.append(output.copy_(self._handle.from_node(wrapped)))
                continue
            results.append(self._handle.from_node(wrapped))
        return results

    def _collect(self, index: int) -> Callable[[Node, Node], tuple[Node | None, ...]]:
        def rule(g: Node, node: Node) -> tuple[Node | None, ...]:
            self._arrived[index] = g
            return (None, build.constant(0, dtypes.float32))

        rule.__dict__["index"] = index
        return rule

    def _distribute(self, g: Node, node: Node) -> tuple[Node | None, ...]:
        arrived, self._arrived = self._arrived, {}
        context = self._context
        given = []
        for index, output in enumerate(self._outputs):
            part = context.materialized(arrived.get(index), output)
            given.append(None if part is None else self._handle.from_node(part))
        found = self._function.backward(context, *given)
        parts = tuple(found) if isinstance(found, tuple | list) else (found,)
        self._check(parts, node)
        chosen = [parts[position] for position in self._positions]
        return (None, *[None if part is None else part.node for part in chosen])

    def _check(self, parts: tuple[Any, ...], node: Node) -> None:
        name = f"{self._function.__name__}.backward"
        if len(parts) != self._argument_count:
            raise InvalidArgument(
                describe(
                    name,
                    f"returned an incorrect number of gradients (expected {self._argument_count}, "
                    f"got {len(parts)})",
                    "return one for each argument of forward, None where there is none",
                )
            )
        for position, source in zip(self._positions, node.sources[1:], strict=True):
            part = parts[position]
            if part is not None and part.node.shape != source.shape:
                raise ShapeError(
                    describe(
                        name,
                        f"returned a gradient of shape {list(part.node.shape)} for argument "
                        f"{position}, which has shape {list(source.shape)}",
                    )
                )


def gathers(node: Node) -> bool:
    """Tell whether a node is the one in which the gradients of an application's outputs meet."""
    rule = getattr(node.argument, "original", node.argument)
    return isinstance(getattr(rule, "__self__", None), _Application)


def inputs_of(node: Node) -> tuple[Node, ...] | None:
    """Return the differentiable arguments of the application a node is an output of."""
    if node.op is not structure.CUSTOM or len(node.sources) != 2 or not gathers(node.sources[1]):
        return None
    return node.sources[1].sources[1:]


def passed_input(node: Node) -> Node | None:
    """Return the argument an output equals, when its application only looks at gradients."""
    common = node.sources[1]
    application = getattr(common.argument, "original", common.argument).__self__
    if not application.transparent:
        return None
    index: int = getattr(node.argument, "original", node.argument).index
    return common.sources[1 + index]


class Function:
    """An operation with a gradient of its own; subclass it and call ``apply``.

    ``forward(ctx, *args)`` computes the outputs and ``backward(ctx, *grads)`` returns a gradient
    for each argument. With a ``setup_context(ctx, inputs, output)``, ``forward`` takes the
    arguments alone.

    Examples
    --------
    >>> class Double(pumice.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * 2
    """

    setup_context: Callable[..., None] | None = None

    transparent: ClassVar[bool] = False
    """Whether each output is the argument at its place and only the gradients are looked at."""

    @staticmethod
    def forward(*args: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError("a Function needs a forward")

    @staticmethod
    def backward(ctx: FunctionContext, *grads: Any) -> Any:
        """Return the gradient of each argument of forward."""
        raise NotImplementedError("a Function needs a backward to be differentiated")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Apply the operation and record its gradient."""
        tensors = [arg.node if is_tensor(arg) else None for arg in args]
        needs = tuple(node is not None and node.requires_grad for node in tensors)
        context = FunctionContext(needs)
        with no_grad():
            if cls.setup_context is None:
                result = cls.forward(context, *args)
            else:
                result = cls.forward(*args)
                cls.setup_context(context, args, result)
        outputs = result if isinstance(result, tuple) else (result,)
        positions = [position for position, node in enumerate(tensors) if node is not None]
        if not any(needs) or not is_grad_enabled():
            return result
        handle = type(args[positions[0]])
        application = _Application(cls, context, handle, positions, len(args))
        inputs = [node for node in tensors if node is not None]
        wrapped = application.connect(outputs, inputs)
        return tuple(wrapped) if isinstance(result, tuple) else wrapped[0]
