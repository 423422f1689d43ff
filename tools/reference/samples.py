"""What public functions record: the examples of their docstrings are run and watched.

The first call of a function in its own example is its sample. While it runs every node that is
made is noted, and so is each graph that is left or evaluated, cut off from what the call was
given. The sample can be called again with other element types.
"""

import contextlib
import doctest
import inspect
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

import pumice
from pumice import dtypes
from pumice.dtypes import DType
from pumice.engine.realize import realize
from pumice.graph.node import Node, copied_node
from pumice.graph.walk import topological
from pumice.ops import structure
from pumice.ops.definition import Elementwise, OpDef
from pumice.target import CPU, set_default_device
from reference.catalogue import Page

_NODE_IS_MADE = Node.__init__.__code__
_GRAPH_IS_EVALUATED = realize.__code__


class _Stored:
    """Stands for the memory of what a call was given."""

    address = 0


_stored: Any = _Stored()


@dataclass(slots=True)
class Call:
    """One call of a function.

    Attributes
    ----------
    arguments : dict
        By parameter.
    nodes : list of Node
        What it recorded, in order.
    operands : list of tuple of DType
        The types of their sources.
    builders : dict of code to None
        The functions that made the nodes.
    graphs : list of list of Node
        Results of the graphs that it left or evaluated.
    given : list of Node
        What stood behind its tensors before.
    result : any
    """

    arguments: dict[str, Any]
    nodes: list[Node] = field(default_factory=list)
    operands: list[tuple[DType, ...]] = field(default_factory=list)
    builders: dict[CodeType, None] = field(default_factory=dict)
    graphs: list[list[Node]] = field(default_factory=list)
    given: list[Node] = field(default_factory=list)
    result: Any = None

    @property
    def operations(self) -> list[OpDef]:
        """The operations recorded, each once; constants only where there is nothing else."""
        found = list(dict.fromkeys(node.op for node in self.nodes))
        others = [op for op in found if op is not structure.CONSTANT]
        return others or found


class _Watch:
    """A profile function that notes what the calls of one function record."""

    def __init__(self, function: Callable[..., Any], keeps_graphs: bool) -> None:
        self._code = inspect.unwrap(function).__code__
        self._keeps_graphs = keeps_graphs
        self._depth = 0
        self.calls: list[Call] = []

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            code = frame.f_code
            if code is self._code:
                self._depth += 1
                if self._depth == 1:
                    self.calls.append(Call(dict(frame.f_locals)))
            elif self._depth and code is _NODE_IS_MADE:
                self._note(frame)
            elif self._depth and code is _GRAPH_IS_EVALUATED:
                self._keep(frame.f_locals["nodes"])
        elif event == "return" and frame.f_code is self._code:
            self._depth -= 1
            if not self._depth:
                self._end(argument)

    def _note(self, frame: FrameType) -> None:
        call, builder = self.calls[-1], frame.f_back
        call.nodes.append(frame.f_locals["self"])
        call.operands.append(tuple([each.dtype for each in frame.f_locals["sources"]]))
        if builder is not None:
            call.builders[builder.f_code] = None

    def _end(self, result: Any) -> None:
        call = self.calls[-1]
        call.result = result
        read = {source for node in call.nodes for source in node.sources}
        self._keep([node for node in call.nodes if node not in read])

    def _keep(self, roots: Sequence[Node]) -> None:
        call = self.calls[-1]
        pending = [node for node in roots if node.value is None and node in call.nodes]
        if pending and self._keeps_graphs:
            call.graphs.append(_cut_off(pending, set(call.nodes)))


def _cut_off(roots: list[Node], own: set[Node]) -> list[Node]:
    """Return a copy of a graph in which nodes of others are memory."""
    copies: dict[Node, Node] = {}
    for node in topological(roots):
        sources: tuple[Node, ...] = ()
        value = _stored
        if node.value is None and (node in own or node.op is structure.CONSTANT):
            sources, value = tuple([copies[source] for source in node.sources]), None
        copies[node] = copied_node(node, node.shape, sources, node.argument, value)
    return [copies[root] for root in roots]


@contextlib.contextmanager
def _watching(watch: _Watch) -> Iterator[None]:
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)


@lru_cache(maxsize=1024)
def sample(page: Page) -> Call | None:
    """Return the first call that records something, else the first one; None without a call."""
    watch = _Watch(page.computing, keeps_graphs=True)
    names: dict[str, Any] = {"pumice": pumice}
    examples = doctest.DocTestParser().get_examples(page.docstring)
    try:
        for example in examples:
            code = compile(example.source, f"<example of {page.path}>", "exec")
            raised = (Exception,) if example.exc_msg else ()
            with (
                contextlib.suppress(*raised),
                contextlib.redirect_stdout(io.StringIO()),
                _watching(watch),
            ):
                exec(code, names)
    finally:
        dtypes.defaults.float = dtypes.float32
        set_default_device(CPU)
    recording = [call for call in watch.calls if call.nodes]
    return next(iter(recording or watch.calls), None)


# -- calling again --------------------------------------------------------------------------------


def tensors_of(value: Any) -> Iterator[Any]:
    """Yield the tensors in nested lists, tuples and dicts."""
    if isinstance(value, pumice.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from tensors_of(each)
    elif isinstance(value, dict):
        yield from tensors_of(list(value.values()))


def _replaced(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, pumice.Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(_replaced(each, change) for each in value)
    return value


def _choices(tensors: Iterable[Any]) -> Iterator[set[int]]:
    """Yield which arguments may be those whose element type a function leaves open."""
    tensors = list(tensors)
    first = tensors[0]
    if first.dtype is dtypes.bool_:  # a condition, and what it chooses from
        yield {id(each) for each in tensors if each.dtype.is_floating_point}
    yield {id(each) for each in tensors if each.dtype is first.dtype}
    yield {id(first)}
    yield {id(each) for each in tensors if each.dtype.is_floating_point}


def called_with(page: Page, dtype: DType, differentiable: bool = False) -> Call | Exception:
    """Call the sample with another element type; return what it recorded, or what it raised."""
    given = _given(page)
    tensors = list(tensors_of(list(given.values())))
    if not tensors:
        return _called(page, given | {"dtype": dtype})
    problem: Exception | None = None
    for chosen in _choices(tensors):
        if not chosen:
            continue

        def changed(tensor: Any, chosen: set[int] = chosen) -> Any:
            if id(tensor) not in chosen:
                return tensor
            made = tensor.detach().to(dtype).clone()
            # A result of a leaf, since no function may write into a leaf.
            return made.requires_grad_().clone() if differentiable else made

        found = _called(page, {name: _replaced(value, changed) for name, value in given.items()})
        if isinstance(found, Call):
            return found
        problem = problem or found
    assert problem is not None
    return problem


def _given(page: Page) -> dict[str, Any]:
    """Return the arguments of the sample; values where the first operand is a condition."""
    call, entry = sample(page), page.entry
    if isinstance(entry, Elementwise) and entry.condition_first:
        condition, *values = entry.parameters
        return {condition: pumice.ones(2) > 0} | {name: pumice.ones(2) for name in values}
    if call is None:
        return {}
    parameters = inspect.signature(page.function).parameters
    return {name: call.arguments[name] for name in parameters if name in call.arguments}


def _called(page: Page, given: dict[str, Any]) -> Call | Exception:
    bound = inspect.BoundArguments(inspect.signature(page.function), given)
    call = Call(given, given=[each.node for each in tensors_of(list(given.values()))])
    make = Node.__init__

    def noted(node: Node, op: OpDef, *rest: Any, **named: Any) -> None:
        make(node, op, *rest, **named)
        call.nodes.append(node)
        call.operands.append(tuple([each.dtype for each in node.sources]))

    Node.__init__ = noted  # type: ignore[method-assign, assignment]
    try:
        call.result = page.function(*bound.args, **bound.kwargs)
    except Exception as error:
        return error
    finally:
        Node.__init__ = make  # type: ignore[method-assign]
    return call


def has_open_type(page: Page) -> bool:
    """Tell whether a function takes tensors, or a dtype."""
    call = sample(page)
    if call is None:
        return False
    parameters = inspect.signature(page.function).parameters
    return "dtype" in parameters or bool(list(tensors_of(list(call.arguments.values()))))


@lru_cache(maxsize=1024)
def accepted(page: Page) -> dict[DType, Call | Exception]:
    """Return what the sample gives for every element type."""
    return {dtype: called_with(page, dtype) for dtype in dtypes.ALL}
