"""Lowering a group once: the layers of a model, and the steps of a loop, repeat the same groups.

A group is known by its *signature*: its nodes numbered from the stored ones down, each with all
that lowering reads of it. What lowering gave for it is kept with node numbers in place of nodes,
so that no tensor is kept alive, and the kernels, being the same objects, need not be printed again.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pumice.graph.node import Node
from pumice.kernel.ir import Kernel
from pumice.locks import ForkSafeLock
from pumice.lowering.steps import Binding, FaultRecord, Memory, Number, Scratch, Step
from pumice.ops import structure
from pumice.ops.view import Shape
from pumice.schedule.items import Group
from pumice.target import Target

MAXIMUM_TEMPLATES = 2048

_LEAVES = frozenset((structure.EMPTY, structure.CONSTANT, structure.IOTA))
"""Operations that lowering tells apart where a stored value is read."""

IsStored = Callable[[Node], bool]


@dataclass(frozen=True, slots=True)
class _StepTemplate:
    """A step with numbers for nodes; scratch areas count down from -1."""

    kernel: Kernel
    bindings: tuple[Any, ...]
    grid: Shape
    writes: tuple[int, ...]
    cost: int
    node: int
    suspects: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Template:
    """What lowering gave for a group, and the sizes of its scratch areas."""

    steps: tuple[_StepTemplate, ...]
    scratch: tuple[int, ...]
    target: Target


def signature(group: Group, is_stored: IsStored) -> tuple[Any, dict[Node, int]]:
    """Return what decides the code of a group, and the number of each of its nodes."""
    numbers: dict[Node, int] = {}
    entries: list[Any] = []
    own = group.stored
    stack = own[::-1]
    while stack:
        node = stack[-1]
        if node in numbers:
            stack.pop()
            continue
        if node not in own and is_stored(node):
            told = node.op if node.value is None and node.op in _LEAVES else None
            entries.append((node.dtype, node.shape, told))
        else:
            operands = tuple([numbers.get(source) for source in node.sources])
            if None in operands:
                stack += [source for source in node.sources[::-1] if source not in numbers]
                continue
            op = node.op
            argument = None if op is structure.CONSTANT else node.argument
            entries.append((op, node.dtype, node.shape, argument, operands))
        stack.pop()
        numbers[node] = len(numbers)
    key = (
        group.kind,
        group.main.shape,
        group.main.inner,
        group.settled,
        tuple([numbers[node] for node in own]),
        tuple([(numbers[node], view) for node, view in group.reductions.items()]),
        tuple([(numbers[node], view) for node, view in group.side.items()]),
        None if group.contract is None else numbers[group.contract],
        group.inverse,
        tuple(entries),
    )
    return key, numbers


class LoweringMemo:
    """Templates by signature, least recently used dropped first."""

    def __init__(self) -> None:
        self._templates: OrderedDict[Any, _Template] = OrderedDict()
        self._lock = ForkSafeLock()

    def steps(
        self,
        group: Group,
        is_stored: IsStored,
        target: Target,
        in_place: bool,
        lower: Callable[[], list[Step]],
    ) -> list[Step]:
        """Return the steps of a group: from a template, or from ``lower``, which is kept."""
        described, numbers = signature(group, is_stored)
        key = (described, in_place, id(target))
        with self._lock:
            template = self._templates.get(key)
            if template is not None:
                self._templates.move_to_end(key)
        if template is not None:
            return _instantiate(template, list(numbers))
        steps = lower()
        template = _template(steps, numbers, target)
        if template is not None:
            with self._lock:
                self._templates[key] = template
                while len(self._templates) > MAXIMUM_TEMPLATES:
                    self._templates.popitem(last=False)
        return steps


def _template(steps: list[Step], numbers: dict[Node, int], target: Target) -> _Template | None:
    """Return steps with numbers for nodes; None when they name a node outside their group."""
    scratch: dict[Scratch, int] = {}

    def number(owner: Node | Scratch) -> int:
        if isinstance(owner, Node):
            return numbers[owner]
        return -1 - scratch.setdefault(owner, len(scratch))

    def encoded(binding: Binding) -> Any:
        if isinstance(binding, Memory):
            return (number(binding.owner), binding.offset)
        return (numbers[binding.node],) if isinstance(binding, Number) else binding

    templates = []
    try:
        for step in steps:
            bindings = tuple(encoded(binding) for binding in step.bindings)
            writes = tuple(number(owner) for owner in step.writes)
            suspects = tuple(numbers[node] for node in step.suspects)
            node = numbers[step.node]
            templates.append(
                _StepTemplate(step.kernel, bindings, step.grid, writes, step.cost, node, suspects)
            )
    except KeyError:
        return None
    sizes = tuple(each.nbytes for each in scratch)
    return _Template(tuple(templates), sizes, target)


def _instantiate(template: _Template, nodes: list[Node]) -> list[Step]:
    owners: list[Node | Scratch] = [*nodes]
    # Number -1 is the last item of the list, so the scratch areas stand there backwards.
    owners += [Scratch(nbytes) for nbytes in reversed(template.scratch)]

    def decoded(binding: Any) -> Binding:
        if isinstance(binding, tuple):
            if len(binding) == 1:
                return Number(nodes[binding[0]])
            return Memory(owners[binding[0]], binding[1])
        known: int | FaultRecord = binding
        return known

    return [
        Step(
            each.kernel,
            tuple([decoded(binding) for binding in each.bindings]),
            each.grid,
            tuple([owners[place] for place in each.writes]),
            each.cost,
            nodes[each.node],
            tuple([nodes[place] for place in each.suspects]),
        )
        for each in template.steps
    ]
