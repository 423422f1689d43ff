"""``x[...]`` and ``x[...] = value``, with NumPy's rules for where indexed axes go."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pumice import dtypes
from pumice.engine import memory
from pumice.errors import IndexOutOfRange, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.structure import Indexing, ScatterMode
from pumice.ops.view import Shape, View
from pumice.target import CPU, Device
from pumice.tensor import convert
from pumice.tensor.conversion import host_view, on_device
from pumice.tensor.core import TensorBase, expand_to, wrap
from pumice.tensor.operands import call, operand

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@dataclass(slots=True)
class Plan:
    """An index, taken apart: a strided view first, then one gather.

    Attributes
    ----------
    view : View
        The tensor's box after integers, slices and new axes.
    advanced : dict of int to Node
        Axis of that view and the int64 positions read along it.
    together : bool
        Whether the indexed axes stand side by side, so that theirs replaces them in place.
    """

    view: View
    advanced: dict[int, Node] = field(default_factory=dict)
    together: bool = True


def _as_index(item: Any) -> Any:
    """Return an index item as int, slice, None, Ellipsis, bool or tensor."""
    if isinstance(item, (int, slice, type(None), type(Ellipsis), TensorBase)):
        return item
    if isinstance(item, (list, tuple, range, np.ndarray)):
        converted = convert.tensor(list(item) if isinstance(item, range) else item)
        # An empty list has no numbers to tell its dtype by.
        empty = not converted.numel() and not isinstance(item, np.ndarray)
        return converted.long() if empty else converted
    if hasattr(item, "__index__"):
        return item.__index__()
    if isinstance(item, np.bool_):
        return bool(item)
    raise InvalidArgument(
        describe(
            "index",
            f"got an index of type {type(item).__name__}",
            "allowed are ints, slices, None, Ellipsis, integer and bool tensors, and lists",
        )
    )


def _consumed(item: Any) -> int:
    """Return how many axes an item uses up."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, TensorBase) and item.dtype is dtypes.bool_:
        return len(item.shape)
    return 1


def _normalised(index: Any, rank: int) -> list[Any]:
    """Return index items with the Ellipsis written out, unless it stands for no axis."""
    items = [_as_index(item) for item in (index if isinstance(index, tuple) else (index,))]
    used = sum(_consumed(item) for item in items)
    if used > rank:
        raise IndexOutOfRange(
            describe("index", f"too many indices: {used} for a tensor of {rank} dimensions")
        )
    dots = [place for place, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexOutOfRange(describe("index", "an index can hold only one Ellipsis"))
    filler: list[Any] = [slice(None)] * (rank - used)
    if not dots:
        return items + filler
    # An Ellipsis of no axes stays: it still separates the indices around it.
    return items[: dots[0]] + (filler or [Ellipsis]) + items[dots[0] + 1 :]


def prepare(index: Any, shape: Shape) -> list[Any]:
    """Return index items of a shape, checked, with every mask turned into positions."""
    items: list[Any] = []
    axis = 0
    for item in _normalised(index, len(shape)):
        if isinstance(item, TensorBase) and item.dtype is dtypes.bool_:
            items += _mask_positions(item, shape, axis) if item.shape else [bool(item.item())]  # type: ignore[attr-defined]
        elif isinstance(item, TensorBase) and not item.dtype.is_integral:
            raise IndexOutOfRange(
                describe(
                    "index",
                    f"got a {item.dtype.name} tensor as an index",
                    "allowed are integer and bool tensors",
                )
            )
        elif isinstance(item, TensorBase):
            items.append(build.cast(item.node, dtypes.int64))
        else:
            items.append(item)
        axis += _consumed(item)
    return items


def plan_index(box: View, items: list[Any]) -> Plan:
    """Take prepared index items of a tensor with this box apart."""
    advanced = any(isinstance(item, (Node, bool)) for item in items)
    plan = Plan(box)
    axis = 0
    groups = 0
    inside = False
    for item in items:
        position = _position(item, plan.view, axis, advanced)
        if position is None:
            inside = False
            axis = _basic(plan, item, axis)
            continue
        groups += not inside
        inside = True
        if isinstance(item, bool):
            plan.view = plan.view.insert_axis(axis)
        plan.advanced[axis] = position
        axis += 1
    plan.together = groups <= 1
    return plan


def _position(item: Any, view: View, axis: int, advanced: bool) -> Node | None:
    """Return the positions an advanced item reads, or None for a basic one."""
    if isinstance(item, bool):
        return _uploaded(np.zeros(int(item), np.int64), CPU)
    if isinstance(item, Node):
        return item
    if advanced and isinstance(item, int):
        # Beside an index array an integer is one too, as in NumPy.
        place = _checked(item, view.shape[axis], axis)
        return build.constant(place, dtypes.int64, ())
    return None


def _uploaded(array: Any, device: Device) -> Node:
    storage = memory.adopt(np.ascontiguousarray(array, np.int64), device)
    return build.buffer(storage, dtypes.int64, array.shape)


def _mask_positions(mask: Any, shape: Shape, axis: int) -> list[Node]:
    """Count the true elements of a mask on the host and return where they are."""
    covered = shape[axis : axis + len(mask.shape)]
    if mask.shape != covered:
        raise IndexOutOfRange(
            describe(
                "index",
                f"the shape of the mask {list(mask.shape)} does not match the indexed axes "
                f"{list(covered)}",
            )
        )
    return [_uploaded(places, mask.device) for places in host_view(mask).nonzero()]


def _checked(place: int, extent: int, axis: int) -> int:
    if not -extent <= place < extent:
        raise IndexOutOfRange(
            describe(
                "index",
                f"index {place} is out of range for axis {axis} with {extent} elements",
                f"allowed are {-extent} to {extent - 1}" if extent else "the axis is empty",
            )
        )
    return place + extent if place < 0 else place


def _basic(plan: Plan, item: Any, axis: int) -> int:
    """Apply a basic item to the view and return the next axis."""
    view = plan.view
    if item is Ellipsis:
        return axis
    if item is None:
        plan.view = view.insert_axis(axis)
        return axis + 1
    if isinstance(item, slice):
        try:
            start, stop, step = item.indices(view.shape[axis])
        except ValueError as error:
            raise InvalidArgument(describe("index", "slice step cannot be zero")) from error
        except TypeError as error:
            raise InvalidArgument(describe("index", f"slice bounds: {error}")) from error
        length = len(range(start, stop, step))
        plan.view = view.slice_axis(axis, start, length, step)
        return axis + 1
    place = _checked(item, view.shape[axis], axis)
    plan.view = view.slice_axis(axis, place, 1, 1).remove_axis(axis)
    return axis


def _placed(plan: Plan, shape: Shape) -> tuple[Shape, Indexing, list[Node]]:
    """Return the result's shape, how axes are found, and index operands of that shape."""
    indices = list(plan.advanced.values())
    common = build.broadcast_shapes("index", *(node.shape for node in indices))
    rest = [axis for axis in range(len(shape)) if axis not in plan.advanced]
    first = min(plan.advanced) if plan.together else 0
    lead = [axis for axis in rest if axis < first] if plan.together else []
    tail = [axis for axis in rest if axis not in lead]
    extents = (
        *(shape[axis] for axis in lead),
        *common,
        *(shape[axis] for axis in tail),
    )
    place = {axis: position for position, axis in enumerate(lead)}
    place |= {axis: len(lead) + len(common) + position for position, axis in enumerate(tail)}
    order = list(plan.advanced)
    axes = tuple(
        order.index(axis) if axis in plan.advanced else -1 - place[axis]
        for axis in range(len(shape))
    )
    # An index of the common shape stands before the trailing axes of the result.
    padded = [
        build.expand(
            build.reshape(build.expand(node, common), (*common, *(1 for _ in tail))), extents
        )
        for node in indices
    ]
    return extents, Indexing(axes), padded


def _basic_alias(tensor: Tensor, items: list[Any], plan: Plan) -> Tensor:
    """Return the alias a plan's view describes."""
    if tensor._requires or tensor._through is not None or tensor._is_hooked():
        return tensor._derive(lambda view: plan_index(view, items).view)
    return tensor._derive(lambda view: plan.view)


def read(tensor: Tensor, index: Any) -> Tensor:
    """Return ``tensor[index]``: an alias, or a new tensor where positions are computed."""
    items = prepare(index, tensor.shape)
    plan = plan_index(tensor._box, items)
    alias = _basic_alias(tensor, items, plan)
    if not plan.advanced:
        return alias
    shape, argument, indices = _placed(plan, plan.view.shape)
    moved = [on_device(each, tensor.device) for each in indices]
    return wrap(build.gather(alias.node, moved, argument, shape))


def write(tensor: Tensor, index: Any, value: Any) -> None:
    """Store ``tensor[index] = value``."""
    node = _value_node(tensor, value)
    if isinstance(index, TensorBase) and index.dtype is dtypes.bool_ and prod(node.shape) == 1:
        _write_masked(tensor, index.node, node)
        return
    items = prepare(index, tensor.shape)
    plan = plan_index(tensor._box, items)
    alias = _basic_alias(tensor, items, plan)
    if not plan.advanced:
        alias._write(node, "index assignment", True)
        return
    shape, argument, indices = _placed(plan, plan.view.shape)
    moved = [on_device(each, tensor.device) for each in indices]
    spread = expand_to("index assignment", node, shape)
    alias._check_writable("index assignment")
    alias._write(build.scatter(alias.node, spread, moved, argument), "index assignment")


def scattered(node: Node, items: list[Any], value: Node, mode: ScatterMode) -> Node:
    """Return a node with values written, or folded in, at prepared positions."""
    plan = plan_index(View.contiguous(node.shape), items)
    part = build.view(node, plan.view)
    if not plan.advanced:
        spread = expand_to("index_put", value, plan.view.shape)
        new = spread if mode is ScatterMode.SET else part + spread
        return build.update(node, new, plan.view)
    shape, argument, indices = _placed(plan, plan.view.shape)
    spread = expand_to("index_put", value, shape)
    written = Indexing(argument.axes, mode=mode)
    return build.update(node, build.scatter(part, spread, indices, written), plan.view)


def _value_node(tensor: Tensor, value: Any) -> Node:
    if not isinstance(value, (TensorBase, bool, int, float)):
        value = convert.tensor(value)
    node = operand("index assignment", value)
    if not isinstance(node, Node):
        return build.constant(node, tensor.dtype, (), tensor.device)
    node = build.cast(node, tensor.dtype)
    return on_device(node, tensor.device) if not node.shape else node


def _write_masked(tensor: Tensor, mask: Node, value: Node) -> None:
    """Store one number where a mask of the leading axes is true, without counting it."""
    rank = len(mask.shape)
    if mask.shape != tensor.shape[:rank]:
        raise ShapeError(
            describe(
                "index assignment",
                f"the shape of the mask {list(mask.shape)} does not match the tensor's "
                f"{list(tensor.shape)}",
            )
        )
    tail = (1,) * (len(tensor.shape) - rank)
    spread = build.expand(build.reshape(mask, (*mask.shape, *tail)), tensor.shape)
    tensor._check_writable("index assignment")
    current = tensor.node
    result = call("where", spread, build.reshape(value, ()), current)
    tensor._write(result, "index assignment")
