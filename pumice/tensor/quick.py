"""Replays in as few steps as there can be: functions of plain tensors that only return results.

A training step takes milliseconds and `replay` serves it well. A function of small tensors takes
less than looking up its capture does, so the latest capture is tried first, and its arguments are
compared with what it expects instead of being described and looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pumice.dtypes import DType, defaults
from pumice.engine import profile
from pumice.engine.execute import attend, enter
from pumice.engine.realize import realize
from pumice.engine.statistics import statistics
from pumice.graph import recording
from pumice.graph.node import Storage, filled_node, gradient_mode
from pumice.ops import structure
from pumice.ops.view import Shape
from pumice.target import default_device
from pumice.tensor.core import Cell, TensorBase, wrap_filled
from pumice.tensor.replaced import replaced
from pumice.tensor.returned import tensors_of
from pumice.tensor.straight import straight_call
from pumice.tensor.structure import Leaf, unflatten

if TYPE_CHECKING:
    from pumice.tensor.replay import Trace


MOST_ARGUMENTS = MOST_RESULTS = 8
"""Up to here a call is written out."""


class Quick:
    """A capture whose arguments are whole tensors outside any graph, and that has no effects."""

    __slots__ = (
        "_allocate",
        "_arena",
        "_bits",
        "_call",
        "_count",
        "_default",
        "_default_device",
        "_device",
        "_gradients",
        "_inputs",
        "_kinds",
        "_launches",
        "_line_of",
        "_names",
        "_outputs",
        "_plan",
        "_replaced",
        "_results",
        "_shared",
        "_single",
        "_sizes",
        "_straight",
        "_type",
        "straight",
    )

    def __init__(
        self,
        trace: Trace,
        call: Callable[..., int],
        tensors: Sequence[TensorBase],
        names: tuple[str, ...],
    ) -> None:
        plan = trace.plan
        self._names = names
        self._plan = plan
        self._call = call
        self._shared = plan.fault_lock is not None
        self._device = plan.device
        self._allocate = plan.runtime.allocate
        self._sizes = plan.outputs
        self._arena = plan.arena
        self._launches = len(plan.launches)
        self._count = len(tensors)
        self._type = TensorBase.concrete
        self._kinds = [(each.shape, each.dtype) for each in tensors]
        self._inputs = [_input_of(source) for source in trace.sources]
        self._straight = self._inputs == list(range(len(tensors)))
        self._bits = trace.bits
        self._line_of = trace.line_of
        self._replaced = trace.replaced
        self._gradients = gradient_mode.get()
        self._default = defaults.float
        self._default_device = default_device()
        self._outputs = trace.outputs
        self._single: tuple[int, DType, Shape] | None = None
        self._results = trace.results
        if isinstance(trace.outputs, Leaf) and trace.results is None:
            self._single = (plan.results[0], *plan.result_types[0])
        self.straight = self._written_out(trace)

    def _written_out(self, trace: Trace) -> Callable[[tuple[Any, ...]], Any] | None:
        """Return the call as a function of a tuple of arguments, where it needs few steps."""
        plan = self._plan
        inputs = [each for each in self._inputs if isinstance(each, int)]
        few = (
            self._results is None
            and not self._names
            and len(inputs) == len(self._inputs)
            and len(plan.outputs) <= MOST_RESULTS
            and 0 < self._count <= MOST_ARGUMENTS
        )
        if not few:
            return None
        return straight_call(
            plan,
            self._call,
            inputs,
            self._bits,
            self._kinds,
            self._outputs,
            trace.replaced,
            self._line_of,
        )

    @staticmethod
    def of(trace: Trace, structure_: Any, tensors: Sequence[TensorBase]) -> Quick | None:
        """Return the quick form of a capture, or None when it has none."""
        plan = trace.plan
        arguments, keywords = unflatten(structure_, tensors)
        given = [*arguments, *keywords.values()]
        cells = {tensor._cell for tensor in tensors}
        plain = (
            plan.call is not None
            and len(given) == len(tensors) == len(cells)
            and all(isinstance(each, TensorBase) for each in given)
            and all(_is_plain(tensor) for tensor in tensors)
            and all(tensor.device is plan.device for tensor in tensors)
        )
        effects = (
            trace.guards
            or trace.gradients_present
            or trace.draw_counts
            or trace.written
            or trace.gradients
        )
        known = all(_input_of(source) is not None for source in trace.sources)
        if not plain or effects or not known:
            return None
        assert plan.call is not None
        return Quick(trace, plan.call, tensors, tuple(keywords))

    def call(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Return the results, or NotImplemented for arguments that the capture is not for."""
        if keywords or self._names:
            if tuple(keywords) != self._names:
                return NotImplemented
            arguments = (*arguments, *keywords.values())
        if (
            len(arguments) != self._count
            or recording.active.get() is not None
            or profile.active.get() is not None
            or gradient_mode.get() is not self._gradients
            or replaced.count != self._replaced
            or defaults.float is not self._default
            or default_device() is not self._default_device
        ):
            return NotImplemented
        kind, device = self._type, self._device
        cells: list[Cell] = []
        storages: list[Storage] = []
        for tensor, (shape, dtype) in zip(arguments, self._kinds, strict=True):
            # `_is_plain`, written out: this loop is most of what a call costs.
            if (
                type(tensor) is not kind
                or tensor._view is not None
                or tensor._requires
                or tensor._detached
                or tensor._through is not None
            ):
                return NotImplemented
            cell = tensor._cell
            node = cell.node
            value = node.value
            if (
                value is None
                or node.dtype is not dtype
                or node.shape != shape
                or value.device is not device
                or node.requires_grad
                or cell in cells
            ):
                return NotImplemented
            cells.append(cell)
            storages.append(value)
        return self._run(storages, cells)

    def _run(self, storages: list[Storage], cells: list[Cell]) -> Any:
        inputs = storages if self._straight else self._gather(storages)
        addresses = [storage.address for storage in inputs]
        allocate = self._allocate
        outputs = []
        for nbytes in self._sizes:
            output = allocate(nbytes)
            outputs.append(output)
            addresses.append(output.address)
        if self._arena:
            arena = allocate(self._arena)
            addresses.append(arena.address)
        if self._bits:
            addresses += self._bits
        statistics.record_run(self._launches)
        if self._shared:
            enter(self._plan, addresses, self._line_of)
        else:
            code = self._call(*addresses)
            if code:
                attend(self._plan, code, self._line_of)
        if self._single is not None:
            place, dtype, shape = self._single
            return wrap_filled(
                filled_node(_BUFFER, Storage(outputs[place], 0, self._device), dtype, shape)
            )
        nodes = [
            filled_node(_BUFFER, Storage(outputs[place], 0, self._device), dtype, shape)
            for place, (dtype, shape) in zip(
                self._plan.results, self._plan.result_types, strict=True
            )
        ]
        tensors = tensors_of(self._results, nodes, lambda at: _cell_of(at, cells))
        return unflatten(self._outputs, tensors)

    def _gather(self, storages: list[Storage]) -> list[Storage]:
        """Return the memory of each input of the plan."""
        inputs: list[Storage] = []
        for source in self._inputs:
            if type(source) is int:
                inputs.append(storages[source])
            elif isinstance(source, Cell):
                node = source.node
                if node.value is None:
                    realize((node,))
                assert node.value is not None
                inputs.append(node.value)
            elif isinstance(source, Storage):
                inputs.append(source)
        return inputs


_BUFFER = structure.BUFFER


def _cell_of(source: Any, cells: Sequence[Cell]) -> Cell:
    """Return the cell a result lies in: one the function knows, or that of an argument."""
    cell: Cell = source if isinstance(source, Cell) else cells[source.number]
    return cell


def _is_plain(tensor: TensorBase) -> bool:
    """Tell whether a tensor is a whole cell that no gradient reaches."""
    return not (
        tensor._view is not None
        or tensor._requires
        or tensor._detached
        or tensor._through is not None
        or tensor._cell.node.requires_grad
    )


def _input_of(source: Any) -> int | Cell | Storage | None:
    """Return a source of a plan's input: which argument, a cell or memory; None for others."""
    if isinstance(source, Cell):
        return source
    number: int | None = getattr(source, "number", None)
    storage: Storage | None = getattr(source, "storage", None)
    return storage if number is None else number
