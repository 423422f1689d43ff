"""Checkpoints: parts of a model that backward computes again instead of keeping their values.

The graph of a function is already there when its values are wanted, so nothing is run twice in
Python: backward copies the graph over the same inputs. Random numbers are constants of the graph,
so the copy draws the same ones. The copy waits (`AFTER`) for the gradient that arrives, and what is
before it waits for its gradients: otherwise one plan for forward and backward could compute all
copies first and keep everything after all.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pumice.arguments import guarded
from pumice.autograd import Function, FunctionContext, is_grad_enabled
from pumice.autograd.copying import boundary_of, copied
from pumice.autograd.levels import Level
from pumice.autograd.reverse import gradients
from pumice.errors import InvalidArgument, describe
from pumice.func import tree
from pumice.func.scope import Scope
from pumice.graph import build
from pumice.graph.node import Node, gradient_mode
from pumice.nn.module import Module
from pumice.ops import structure
from pumice.tensor.core import Cell, TensorBase, wrap


class _Reading(Scope):
    """The extent of a checkpointed function: what it reads and writes that was there before."""

    def __init__(self) -> None:
        super().__init__("checkpoint")
        self.read_before: set[Node] = set()

    def read(self, cell: Cell) -> None:
        super().read(cell)
        if cell not in self._created and cell not in self._written:
            self.read_before.add(cell.node)

    def written(self) -> list[Cell]:
        """Return the outer cells that were written."""
        return list(self._written)

    def stands_in(self, node: Node) -> bool:
        return False


class _Region:
    """The graph of a checkpointed function between its inputs and its outputs."""

    def __init__(self, roots: Sequence[Node], known: set[Node]) -> None:
        self._roots = list(roots)
        boundary = boundary_of(roots, known)
        self.inputs = [node for node in boundary if node.requires_grad]
        self._others = [
            node
            for node in boundary
            if not node.requires_grad and node.op not in (structure.CONSTANT, structure.EMPTY)
        ]

    def forward(self, extra: Sequence[Node]) -> list[Node]:
        """Return the outputs, and what else was made of the region, as values only."""
        replaced = {node: build.detach(node) for node in self.inputs}
        found = copied([*self._roots, *extra], replaced, recorded=False)
        for node in found:
            node.reread = True  # what the next region starts from is kept
        return found

    def backward(self, grads: Sequence[Node | None]) -> list[Node | None]:
        """Return the gradients of the inputs."""
        again = is_grad_enabled()
        live = [(root, g) for root, g in zip(self._roots, grads, strict=True) if g is not None]
        arrived = [g for _, g in live]
        token = gradient_mode.set(True)
        level = Level()
        try:
            markers = {
                node: level.mark(build.after(node if again else build.detach(node), arrived))
                for node in self.inputs
            }
            others = {node: build.after(node, arrived) for node in self._others}
            copies = copied([root for root, _ in live], {**markers, **others}, recorded=True)
        finally:
            gradient_mode.reset(token)
            level.closed = True
        found = gradients(
            copies, arrived, list(markers.values()), create_graph=again, retain_graph=again
        )
        return [
            part if part is None or node.op is structure.LEAF else _behind(part, found)
            for node, part in zip(self.inputs, found, strict=True)
        ]


def _behind(part: Node, everything: Sequence[Node | None]) -> Node:
    """Return a gradient that goes on once all others of its region are there."""
    others = [each for each in everything if each is not None and each is not part]
    return build.after(part, others) if others else part


class _Recomputed(Function):
    """Connects the values of a region to its inputs."""

    @staticmethod
    def forward(
        ctx: FunctionContext, region: _Region, values: Sequence[Any], *inputs: Any
    ) -> tuple[Any, ...]:
        ctx.set_materialize_grads(False)
        vars(ctx)["region"] = region
        return tuple(values)

    @staticmethod
    def backward(ctx: FunctionContext, *grads: Any) -> tuple[Any, ...]:
        region: _Region = vars(ctx)["region"]
        found = region.backward([None if g is None else g.node for g in grads])
        return (None, None, *[None if part is None else wrap(part) for part in found])


@guarded
def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call a function whose inner values backward computes again instead of keeping them.

    Parameters
    ----------
    function : callable
        Returns tensors, in any nesting of tuples, lists and dicts.
    *args, **kwargs : any
        What it is called with.
    use_reentrant : bool, optional
        Accepted; there is one way, which can do what PyTorch's two can.
    preserve_rng_state : bool
        Accepted; the same random numbers are always drawn again.

    Returns
    -------
    any
        What the function returns, with the same gradients.

    Notes
    -----
    The function runs once. Its graph is what is computed again, so writes to tensors from outside
    (running statistics) happen once, and nothing has to be deterministic. Values that the function
    looks at while it runs stay.

    Examples
    --------
    >>> import pumice
    >>> from pumice.utils.checkpoint import checkpoint
    >>> x = pumice.tensor([1.0, 2.0], requires_grad=True)
    >>> checkpoint(lambda x: (x.exp() * x).sum(), x).backward()
    >>> x.grad
    tensor([ 5.4366, 22.1672])
    """
    if not is_grad_enabled():
        return function(*args, **kwargs)
    with _Reading() as scope:
        leaves, _ = tree.flatten((args, kwargs))
        known = {leaf.node for leaf in leaves if isinstance(leaf, TensorBase)}
        result = function(*args, **kwargs)
        outputs, shape = tree.flatten(result)
        places = [
            place
            for place, each in enumerate(outputs)
            if isinstance(each, TensorBase) and each.node.requires_grad and each.node not in known
        ]
        roots = [outputs[place].node for place in places]
    region = _Region(roots, known | scope.read_before)
    if not region.inputs:
        return result
    for place, tensor in zip(places, _connected(region, roots, scope.written()), strict=True):
        outputs[place] = tensor
    return shape.build(outputs)


def _connected(region: _Region, roots: Sequence[Node], written: Sequence[Cell]) -> tuple[Any, ...]:
    """Return the outputs as tensors that the region's inputs are differentiated through."""
    cells = [cell for cell in written if not cell.node.requires_grad]
    values = region.forward([cell.node for cell in cells])
    for cell, value in zip(cells, values[len(roots) :], strict=True):
        cell.node = value
    inputs = [wrap(node) for node in region.inputs]
    found: tuple[Any, ...] = _Recomputed.apply(
        region, [wrap(node) for node in values[: len(roots)]], *inputs
    )
    return found


@guarded
def checkpoint_sequential(
    functions: Module | Iterable[Callable[..., Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
) -> Any:
    """Call functions one after the other, all but the last segment of them with `checkpoint`.

    Parameters
    ----------
    functions : Sequential or iterable of callable
        Each takes what the one before returned.
    segments : int
        Into how many pieces they are divided.
    input : any
        What the first is called with.
    use_reentrant, preserve_rng_state : bool
        As in `checkpoint`.

    Returns
    -------
    any
        What the last returns.

    Raises
    ------
    InvalidArgument
        When there are more segments than functions, or none.

    Examples
    --------
    >>> import pumice
    >>> from pumice.utils.checkpoint import checkpoint_sequential
    >>> steps = [pumice.sin, pumice.exp, pumice.sqrt, pumice.cos]
    >>> x = pumice.tensor(0.5, requires_grad=True)
    >>> checkpoint_sequential(steps, 2, x).item() == x.sin().exp().sqrt().cos().item()
    True
    """
    steps: list[Any] = list(functions.children() if isinstance(functions, Module) else functions)
    if not 1 <= segments <= len(steps):
        raise InvalidArgument(
            describe("checkpoint_sequential", f"segments is {segments}", f"1 to {len(steps)}")
        )
    size = len(steps) // segments
    value = input
    for start in range(0, size * (segments - 1), size):
        value = checkpoint(_chained(steps[start : start + size]), value)
    return _chained(steps[size * (segments - 1) :])(value)


def _chained(steps: Sequence[Callable[..., Any]]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        for step in steps:
            value = step(value)
        return value

    return run


__all__ = ["checkpoint", "checkpoint_sequential"]
