"""Cells and handles: how a mutable tensor is made of immutable nodes (design.md D3).

A `Cell` holds the node of a whole row-major buffer. A tensor is a cell and a view of it. Writing
replaces the cell's node, so every alias sees the write and nodes read earlier keep their values.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pumice.dtypes import DType
from pumice.engine import memory
from pumice.engine.realize import realize
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build, recording
from pumice.graph.node import Node, gradient_mode
from pumice.locks import ForkSafeLock
from pumice.ops.view import Shape, View
from pumice.target import CPU, Device
from pumice.tensor.histories import Strand, overwritten, with_history

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

DEPTH_LIMIT = 400
"""Unevaluated nodes that may stand on each other before they are evaluated."""

DEPTH_WATCHED = 150
"""From this depth on a cell is remembered, to be evaluated together with the others."""

_writing = ForkSafeLock()


class Cell:
    """The current node of a whole buffer; its shape, dtype and device never change.

    ``exposed`` is set while host code can reach the memory behind the node (a NumPy array shares
    it): it tells whether that is still so. Reads then take a copy, and writes go to that memory.
    ``leaf`` leads to the tensor of the whole cell once that requires grad; absent before.
    """

    __slots__ = ("__weakref__", "exposed", "leaf", "node")

    leaf: weakref.ref[TensorBase]

    def __init__(self, node: Node) -> None:
        self.node = node
        self.exposed: Callable[[], bool] | None = None
        recorder = recording.active.get()
        if recorder is not None:
            recorder.create(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Cell:
        """Return a cell with the same values; `copy.deepcopy` makes one for all its tensors."""
        recorder = recording.active.get()
        if recorder is not None:
            recorder.read(self)
        node = self.node
        copied = build.copy(build.detach(node) if node.requires_grad else node)
        if recording.evaluates() and self.is_exposed():
            realize((copied,))  # host code may change the memory before the graph runs
        return Cell(copied)

    def is_exposed(self) -> bool:
        """Tell whether host code can still reach the memory."""
        if self.exposed is None:
            return False
        if not self.exposed():
            self.exposed = None
            return False
        return True


_deep: weakref.WeakKeyDictionary[Cell, None] = weakref.WeakKeyDictionary()
"""Cells from `DEPTH_WATCHED` on, in the order they came: a plan is found again by that order."""


class Owner:
    """Leads from a node back to the tensor whose ``grad`` it feeds. All owners are equal."""

    __slots__ = ("reference",)

    def __init__(self, tensor: TensorBase) -> None:
        self.reference = weakref.ref(tensor)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Owner)

    def __hash__(self) -> int:
        return 0x6F776E


class TensorBase:
    """A handle on part of a cell: reading, writing and aliasing, but no operators.

    ``_through`` is set on aliases of a leaf that requires grad: they read through the leaf.
    ``_detached`` aliases have a history of their own, or none. ``_hooks`` of a leaf, ``_hooked``
    and ``_keep`` (see `retain_grad`) are set when hooks are registered and absent before.
    ``_aliased`` is None but for aliases, and true for views of what is none itself.
    """

    __slots__ = (
        "__weakref__",
        "_aliased",
        "_base",
        "_cell",
        "_detached",
        "_grad",
        "_hooked",
        "_hooks",
        "_keep",
        "_node",
        "_requires",
        "_through",
        "_view",
    )

    concrete: ClassVar[type[Any]]
    """The public class, set where it is defined."""

    _cell: Cell
    _view: View | None
    _base: Node | None
    _node: Node | None
    _requires: bool
    _detached: Strand | None
    _through: tuple[TensorBase, View] | None
    _grad: Tensor | None
    _hooks: Any
    _hooked: bool
    _aliased: bool | None
    _keep: Callable[[Node], None]

    def _fill(
        self,
        cell: Cell,
        view: View | None = None,
        through: tuple[TensorBase, View] | None = None,
        detached: Strand | None = None,
    ) -> None:
        self._cell = cell
        self._view = view
        self._base = None
        self._node = None
        self._requires = False
        self._through = through
        self._detached = detached
        self._aliased = None
        self._grad = None

    # -- reading ----------------------------------------------------------------------------------

    @property
    def node(self) -> Node:
        """The graph node of the current value."""
        cell = self._cell
        recorder = recording.active.get()
        if recorder is not None:
            recorder.read(cell)
            recorder.require(self)
        base = cell.node
        if base.passed and base.value is None:
            base.reread = True
        if cell.exposed is not None and recording.evaluates() and cell.is_exposed():
            base = self._snapshot(base)
        found = self._node
        if found is not None and self._base is base:
            return found
        if gradient_mode.get():
            found = self._read(base)
        else:
            # Whether an alias takes part in gradients was decided when it was made.
            token = gradient_mode.set(True)
            try:
                found = self._read(base)
            finally:
                gradient_mode.reset(token)
        self._base, self._node = base, found
        return found

    def _snapshot(self, base: Node) -> Node:
        """Return what the memory holds now: host code may change it before the graph runs."""
        if base.requires_grad:
            return base
        kept = build.copy(base)
        realize((kept,))
        return kept

    def _read(self, base: Node) -> Node:
        if self._through is not None:
            leaf, relative = self._through
            return build.view(leaf.node, relative)
        strand = self._detached
        if strand is not None and strand.node is not None:
            base = strand.current(base)
        node = base if self._view is None else build.view(base, self._view)
        if strand is not None and strand.node is None:
            node = build.detach(node)
        if self._requires:
            node = build.leaf(node)
            node.argument = Owner(self)
        elif hasattr(self, "_keep"):
            self._keep(node)
        return node

    @property
    def _box(self) -> View:
        """The view of the cell, also where it is the identity."""
        return View.contiguous(self._cell.node.shape) if self._view is None else self._view

    @property
    def shape(self) -> Shape:
        """Extents of the axes."""
        return self._cell.node.shape if self._view is None else self._view.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._cell.node.dtype

    @property
    def device(self) -> Device:
        """Where the elements live."""
        return self._cell.node.device or CPU

    # -- aliasing ---------------------------------------------------------------------------------

    def _derive(self, move: Callable[[View], View]) -> Tensor:
        """Return an alias that reads this tensor through a further view."""
        through = None
        # A detached tensor that was made a leaf collects gradients from its aliases.
        strand = None if self._requires else self._detached
        if self._requires or getattr(self, "_hooked", False):
            through = (self, move(View.contiguous(self.shape)))
        elif self._through is not None:
            through = (self._through[0], move(self._through[1]))
        if not gradient_mode.get():
            history = through is not None or self._cell.node.requires_grad
            if history if strand is None else strand.node is not None:
                strand = Strand(silent=True)
        alias = self._alias(move(self._box), None if strand is not None else through, strand)
        alias._aliased = self._aliased is not False
        return alias

    def _is_hooked(self) -> bool:
        """Tell whether what is derived must read through this tensor for the sake of hooks."""
        return getattr(self, "_hooked", False)

    def _alias(
        self, view: View, through: tuple[TensorBase, View] | None, detached: Strand | None
    ) -> Tensor:
        tensor: Tensor = object.__new__(TensorBase.concrete)
        whole = self._cell.node.shape
        identity = view.shape == whole and not view.offset and view.is_contiguous()
        tensor._fill(self._cell, None if identity else view, through, detached)
        tensor._aliased = False
        return tensor

    def _reshaped(self, shape: Shape) -> Tensor | None:
        """Return an alias of another shape, or None where strides cannot express it."""
        if self._box.reshape(shape) is None:
            return None
        if self._through is not None and self._through[1].reshape(shape) is None:
            return None

        def move(view: View) -> View:
            reshaped = view.reshape(shape)
            assert reshaped is not None
            return reshaped

        return self._derive(move)

    # -- writing ----------------------------------------------------------------------------------

    def _check_writable(self, operator: str) -> None:
        through = self._through is not None and self._through[0]._is_leaf_view()
        through = through or self._is_older_view()
        strand = self._detached
        if strand is not None and strand.silent and gradient_mode.get():
            raise InvalidArgument(
                describe(
                    operator,
                    "a view made under no_grad() of a tensor with a gradient is written to where "
                    "gradients are recorded",
                    "make both under no_grad(), or both outside, or write through .detach()",
                )
            )
        if gradient_mode.get() and (self._requires or through):
            what = "a leaf" if self._requires else "a view of a leaf"
            raise InvalidArgument(
                describe(
                    operator,
                    f"{what} tensor that requires grad is being used in an in-place operation",
                    "write to it under no_grad() or through .detach()",
                )
            )
        if self._view is not None and not self._view.is_injective() and self._view.numel:
            raise InvalidArgument(
                describe(
                    operator,
                    "several elements of the written tensor share one memory location",
                    "clone() an expanded tensor before writing to it",
                )
            )

    def _is_older_view(self) -> bool:
        """Tell whether this is a view of a tensor that became a leaf with a gradient later."""
        leaf = getattr(self._cell, "leaf", None)
        if leaf is None or self._detached is not None or not self._aliased:
            return False
        owner = leaf()
        return owner is not None and owner is not self and owner._requires

    def _is_leaf_view(self) -> bool:
        """Tell whether this is a leaf that requires grad, or reads through one."""
        return self._requires or (self._through is not None and self._through[0]._is_leaf_view())

    def _write(self, value: Node, operator: str, overwrites: bool = False) -> None:
        """Replace the elements by those of ``value`` (any dtype, a shape that broadcasts).

        With ``overwrites`` the value does not follow from the elements: where all are replaced, no
        gradient reaches what they came from, which is 0 and not unknown.
        """
        self._check_writable(operator)
        if value.dtype is not self.dtype:
            value = build.cast(value, self.dtype)
        if value.shape != self.shape:
            value = expand_to(operator, value, self.shape)
        if value.requires_grad and not gradient_mode.get():
            value = build.detach(value)
        recorder = recording.active.get()
        if recorder is not None:
            recorder.write(self._cell)
        with _writing:
            base = self._cell.node
            strand = self._detached
            if strand is not None and gradient_mode.get():
                start = strand.current(base)
                recorded = start.requires_grad or value.requires_grad
                unrecorded = base.requires_grad and not recorded
            else:
                recorded, unrecorded = False, base.requires_grad and not gradient_mode.get()
                start = build.detach(base) if unrecorded else base
            new = value if self._view is None else build.update(start, value, self._view)
            if overwrites and self._view is None and start.requires_grad:
                new = overwritten(value, start)
            if recorded and strand is not None:
                new = strand.write(base, new)
            if unrecorded:
                new = with_history(new, base)
            if self._cell.exposed is not None and self._cell.is_exposed():
                new = _through_memory(base, new)
            self._cell.node = new
        if self._cell.node.depth > DEPTH_WATCHED:
            bound(self._cell)


def _through_memory(base: Node, new: Node) -> Node:
    """Evaluate a write into the memory that host code shares; the base node stands for it."""
    if new.requires_grad or base.value is None:
        return new
    if not recording.evaluates():
        raise InvalidArgument(
            describe(
                "jit",
                "the function writes to a tensor whose memory a NumPy array or DLPack capsule "
                "shares, which a replay would not do",
                "clone() the tensor, or drop the array",
            )
        )
    realize((new,))
    assert new.value is not None
    target = memory.host_array(base.value, base.dtype, (base.numel,))
    target[...] = memory.host_array(new.value, new.dtype, (new.numel,))
    return build.buffer(base.value, base.dtype, base.shape)


def expand_to(operator: str, node: Node, shape: Shape) -> Node:
    """Broadcast to exactly this shape."""
    lead = len(node.shape) - len(shape)
    if lead > 0 and all(extent == 1 for extent in node.shape[:lead]):
        node = build.reshape(node, node.shape[lead:])
    fits = len(node.shape) <= len(shape) and all(
        extent in (1, wanted)
        for extent, wanted in zip(reversed(node.shape), reversed(shape), strict=False)
    )
    if not fits:
        raise ShapeError(
            describe(
                operator,
                f"a value of shape {list(node.shape)} does not broadcast to {list(shape)}",
                "each axis of the value must be equal or 1",
            )
        )
    return build.expand(node, shape)


def bound(cell: Cell) -> None:
    """Evaluate a cell that stands on too many unevaluated nodes.

    All other deep cells that are alive are evaluated with it: one of them alone would compute
    what they share a second time.
    """
    node = cell.node
    if node.value is not None or not recording.evaluates():
        return
    with _writing:
        _deep[cell] = None
        if node.depth <= DEPTH_LIMIT or recording.together.get():
            return
        pending = [each.node for each in _deep]
        _deep.clear()
    realize(pending)


def wrap(node: Node) -> Tensor:
    """Return a tensor in a cell of its own."""
    cell: Cell = object.__new__(Cell)
    cell.node = node
    cell.exposed = None
    recorder = recording.active.get()
    if recorder is not None:
        recorder.create(cell)
    if node.depth > DEPTH_WATCHED:
        bound(cell)
    tensor: Tensor = object.__new__(TensorBase.concrete)
    tensor._cell = cell
    tensor._view = None
    tensor._base = node
    tensor._node = node
    tensor._requires = False
    tensor._through = None
    tensor._detached = None
    tensor._aliased = None
    tensor._grad = None
    return tensor


def wrap_filled(node: Node) -> Tensor:
    """Return a tensor of an evaluated node; no capture is watching."""
    cell: Cell = object.__new__(Cell)
    cell.node = node
    cell.exposed = None
    tensor: Tensor = object.__new__(TensorBase.concrete)
    tensor._cell = cell
    tensor._view = None
    tensor._base = node
    tensor._node = node
    tensor._requires = False
    tensor._through = None
    tensor._detached = None
    tensor._aliased = None
    tensor._grad = None
    return tensor


def evaluate(tensors: Sequence[TensorBase]) -> None:
    """Give every tensor's cell a value, in one run."""
    realize([tensor._cell.node for tensor in tensors])
