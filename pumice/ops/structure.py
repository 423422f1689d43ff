"""Structural operations of the graph: everything that is neither elementwise nor a fold.

Few and general. Movement is one operation (`VIEW`), writing into part of a tensor another
(`UPDATE`), indexing two (`GATHER`, `SCATTER`), products one (`CONTRACT`). What users call
(permute, pad, cat, matmul, convolution ...) is composed of these in `tensor/`.

References take ``(np, node, *arrays)``; gradients ``(g, node, build) -> tuple``.

`LEAF`, `DETACH` and `CUSTOM` are identities of their first source. A `CUSTOM` node stands for the
application of a user's `autograd.Function`: its further sources are what the gradient reaches and
its argument is the backward, called as ``(g, node)``.

`AFTER` is its first source too, and says when: not before the others are computed. What a
checkpoint computes again waits in this way, and is no common subexpression of what it repeats.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from pumice.dtypes import DType, int32, int64
from pumice.ops.definition import Structural, register


class ScatterMode(Enum):
    """What happens where several writes, or a write and the original, meet."""

    SET = "set"
    ADD = "sum"
    MULTIPLY = "prod"
    MAXIMUM = "amax"
    MINIMUM = "amin"


@dataclass(frozen=True, slots=True)
class Indexing:
    """How `GATHER` and `SCATTER` find the element of the indexed operand.

    Attributes
    ----------
    axes : tuple of int
        One per axis of the indexed operand: ``k >= 0`` reads index operand ``k`` (same shape as
        the positions), ``-1 - j`` uses coordinate ``j`` of the position.
    fill : bool
        Out of range reads give 0 and writes are dropped; otherwise they raise `IndexOutOfRange`.
    mode : ScatterMode
        For `SCATTER`.
    """

    axes: tuple[int, ...]
    fill: bool = False
    mode: ScatterMode = ScatterMode.SET


@dataclass(frozen=True, slots=True)
class Contraction:
    """Axes of a `CONTRACT`: left is (batch..., m..., k...), right (batch..., n..., k...).

    The result is (batch..., m..., n...). Sums are carried in `accumulator`.
    """

    batch: int
    m: int
    n: int
    k: int
    accumulator: DType


@dataclass(frozen=True, slots=True)
class Order:
    """What an `ARGSORT` gives of the order of each row along the last axis.

    Attributes
    ----------
    start, count : int
        Which places: the first ones, or a single one anywhere.
    """

    descending: bool
    start: int
    count: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A number; equal plans may hold different ones, so it never enters a cache key."""

    value: bool | int | float


def _flat_positions(np: Any, view: Any) -> Any:
    positions = np.full(view.shape, view.offset, dtype=np.int64)
    for axis, (extent, stride) in enumerate(zip(view.shape, view.strides, strict=True)):
        shape = [1] * len(view.shape)
        shape[axis] = extent
        positions += (np.arange(extent, dtype=np.int64) * stride).reshape(shape)
    return positions


def _view_reference(np: Any, node: Any, base: Any) -> Any:
    return base.reshape(-1)[_flat_positions(np, node.argument)]


def _update_reference(np: Any, node: Any, base: Any, value: Any) -> Any:
    flat = base.reshape(-1).copy()
    flat[_flat_positions(np, node.argument)] = value
    return flat.reshape(base.shape)


def _coordinates(np: Any, axes: Any, shape: Any, extents: Any, indices: Any) -> tuple[Any, Any]:
    """Return the index arrays of an indexed operand, and where they are in range."""
    valid = np.ones(shape, dtype=bool)
    coordinates = []
    for axis, extent in zip(axes, extents, strict=True):
        if axis >= 0:
            index = indices[axis].astype(np.int64)
            index = np.where(index < 0, index + extent, index)
            valid &= (index >= 0) & (index < extent)
            coordinates.append(np.clip(index, 0, max(extent - 1, 0)))
        else:
            place = -1 - axis
            ones = [1] * len(shape)
            ones[place] = shape[place]
            steps = np.arange(shape[place], dtype=np.int64).reshape(ones)
            coordinates.append(np.broadcast_to(steps, shape))
    return tuple(coordinates), valid


def _gather_reference(np: Any, node: Any, operand: Any, *indices: Any) -> Any:
    argument = node.argument
    if operand.size == 0:
        return np.zeros(node.shape, dtype=operand.dtype)
    place, valid = _coordinates(np, argument.axes, node.shape, operand.shape, indices)
    if not argument.fill and not valid.all():
        raise IndexError("index out of range")
    return np.where(valid, operand[place], np.zeros((), dtype=operand.dtype))


def _scatter_reference(np: Any, node: Any, base: Any, source: Any, *indices: Any) -> Any:
    argument = node.argument
    result = base.copy()
    place, valid = _coordinates(np, argument.axes, source.shape, base.shape, indices)
    if not argument.fill and not valid.all():
        raise IndexError("index out of range")
    place = tuple(np.broadcast_to(part, source.shape)[valid] for part in place)
    values = source[valid]
    match argument.mode:
        case ScatterMode.SET:
            for position, value in zip(zip(*place, strict=True), values, strict=True):
                result[position] = value
        case ScatterMode.ADD if base.dtype == bool:
            np.logical_or.at(result, place, values)
        case ScatterMode.ADD:
            np.add.at(result, place, values)
        case ScatterMode.MULTIPLY:
            np.multiply.at(result, place, values)
        case ScatterMode.MAXIMUM:
            np.maximum.at(result, place, values)
        case ScatterMode.MINIMUM:
            np.minimum.at(result, place, values)
    return result


def _contract_reference(np: Any, node: Any, left: Any, right: Any) -> Any:
    spec = node.argument
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    batch = letters[: spec.batch]
    m = letters[spec.batch : spec.batch + spec.m]
    rest = letters[spec.batch + spec.m :]
    n, k = rest[: spec.n], rest[spec.n : spec.n + spec.k]
    wide = np.float64 if spec.accumulator.is_floating_point else left.dtype
    pattern = f"{batch}{m}{k},{batch}{n}{k}->{batch}{m}{n}"
    total = np.einsum(pattern, left.astype(wide), right.astype(wide))
    return total.astype(left.dtype if node.dtype is node.sources[0].dtype else np.float32)


def _argsort_reference(np: Any, node: Any, operand: Any) -> Any:
    wanted = slice(node.argument.start, node.argument.start + node.argument.count)
    if not node.argument.descending:
        return np.argsort(operand, axis=-1, kind="stable")[..., wanted].astype(np.int64)
    flipped = np.argsort(operand[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return (operand.shape[-1] - 1 - flipped)[..., wanted].astype(np.int64)


def _iota_reference(np: Any, node: Any) -> Any:
    count = int(np.prod(node.shape))
    return np.arange(count, dtype=np.int64).reshape(node.shape)


def _contract_gradient(g: Any, node: Any, build: Any) -> Any:
    left, right = node.sources
    spec = node.argument
    g = build.cast(g, left.dtype)
    batch = tuple(range(spec.batch))
    m = tuple(range(spec.batch, spec.batch + spec.m))
    n = tuple(range(spec.batch + spec.m, spec.batch + spec.m + spec.n))
    right_n = tuple(range(spec.batch, spec.batch + spec.n))
    right_k = tuple(range(spec.batch + spec.n, spec.batch + spec.n + spec.k))
    left_k = tuple(range(spec.batch + spec.m, spec.batch + spec.m + spec.k))
    to_left = Contraction(spec.batch, spec.m, spec.k, spec.n, spec.accumulator)
    to_right = Contraction(spec.batch, spec.n, spec.k, spec.m, spec.accumulator)
    left_gradient = right_gradient = None
    if left.requires_grad:
        swapped = build.permute(right, batch + right_k + right_n)
        left_gradient = build.contract(g, swapped, to_left)
    if right.requires_grad:
        swapped = build.permute(left, batch + left_k + m)
        right_gradient = build.contract(build.permute(g, batch + n + m), swapped, to_right)
    return left_gradient, right_gradient


def _scatter_gradient(g: Any, node: Any, build: Any) -> Any:
    base, source = node.sources[:2]
    indices = node.sources[2:]
    gather = Indexing(node.argument.axes, fill=True)
    match node.argument.mode:
        case ScatterMode.ADD:
            return (g, build.gather(g, indices, gather, source.shape), *[None] * len(indices))
        case ScatterMode.SET:
            return _scatter_set_gradient(g, node, build)
        case ScatterMode.MULTIPLY:
            return _scatter_product_gradient(g, node, build)
        case _:
            return _scatter_extreme_gradient(g, node, build)


def _scatter_set_gradient(g: Any, node: Any, build: Any) -> Any:
    """Return gradients of a scatter that overwrites: only the last write to a place counts."""
    base, source, *indices = node.sources
    axes = node.argument.axes
    read = Indexing(axes, fill=True)
    nowhere = build.constant(-1, int64, base.shape, g.device)
    order = build.iota(source.shape, g.device)
    winner = build.scatter(nowhere, order, indices, Indexing(axes, True, ScatterMode.SET))
    base_gradient = winner.eq(-1).select(g, 0)
    won = build.gather(winner, indices, read, source.shape).eq(order)
    source_gradient = won.select(build.gather(g, indices, read, source.shape), 0)
    return (base_gradient, source_gradient, *[None] * len(indices))


def _scatter_extreme_gradient(g: Any, node: Any, build: Any) -> Any:
    """Share the gradient of each place evenly among the elements that attain its extreme."""
    base, source, *indices = node.sources
    axes = node.argument.axes
    read = Indexing(axes, fill=True)
    at_base = base.eq(node)
    at_source = source.eq(build.gather(node, indices, read, source.shape))
    add = Indexing(axes, True, ScatterMode.ADD)
    count = build.scatter(at_base.cast(g.dtype), at_source.cast(g.dtype), indices, add)
    share = g / (count < 1).select(1, count)
    source_gradient = at_source.select(build.gather(share, indices, read, source.shape), 0)
    return (at_base.select(share, 0), source_gradient, *[None] * len(indices))


def _scatter_product_gradient(g: Any, node: Any, build: Any) -> Any:
    """Multiply by the product of the other elements of a place, without dividing by zero."""
    base, source, *indices = node.sources
    axes = node.argument.axes
    read = Indexing(axes, fill=True)
    base_zero, source_zero = base.eq(0), source.eq(0)
    zeros = build.scatter(
        base_zero.cast(g.dtype),
        source_zero.cast(g.dtype),
        indices,
        Indexing(axes, True, ScatterMode.ADD),
    )
    rest = build.scatter(
        base_zero.select(1, base),
        source_zero.select(1, source),
        indices,
        Indexing(axes, True, ScatterMode.MULTIPLY),
    )

    def local(x: Any, is_zero: Any, slope: Any, count: Any, others: Any) -> Any:
        whole = count.eq(0).select(slope * (others / is_zero.select(1, x)), 0)
        return is_zero.select(count.eq(1).select(slope * others, 0), whole)

    at_source = [build.gather(each, indices, read, source.shape) for each in (g, zeros, rest)]
    return (
        local(base, base_zero, g, zeros, rest),
        local(source, source_zero, *at_source),
        *[None] * len(indices),
    )


def _cast_gradient(g: Any, node: Any, build: Any) -> Any:
    return (build.cast(g, node.sources[0].dtype),)


def _picked_axis(node: Any) -> int | None:
    """Return the axis along which a gather reads one element, at the same place of the others."""
    shape, axes = node.sources[0].shape, node.argument.axes
    picked = [axis for axis in range(len(axes)) if axes[axis] >= 0]
    if len(picked) != 1 or len(node.shape) != len(shape) or node.shape[picked[0]] != 1:
        return None
    same = all(
        axis == picked[0] or (axes[axis] == -1 - axis and node.shape[axis] == shape[axis])
        for axis in range(len(axes))
    )
    return picked[0] if same else None


def _is_picked(index: Any, operand: Any, axis: int, build: Any) -> Any:
    """Return where along an axis an index points; nowhere when it is out of range."""
    extent = operand.shape[axis]
    wide = build.cast(index, int64)
    wrapped = (wide < 0).select(wide + extent, wide)
    inside = (wrapped >= 0) & (wrapped < extent)
    place = build.cast(inside.select(wrapped, -1), int32)
    along = tuple(extent if each == axis else 1 for each in range(len(operand.shape)))
    coordinate = build.cast(build.reshape(build.iota((extent,), operand.device), along), int32)
    return build.expand(place, operand.shape).eq(build.expand(coordinate, operand.shape))


def _gather_gradient(g: Any, node: Any, build: Any) -> Any:
    operand, *indices = node.sources
    axis = _picked_axis(node)
    if axis is not None and operand.shape[axis] < 1 << 31:
        here = _is_picked(indices[0], operand, axis, build)
        return (here.select(build.expand(g, operand.shape), 0), None)
    zeros = build.constant(0, g.dtype, operand.shape, g.device)
    argument = Indexing(node.argument.axes, fill=True, mode=ScatterMode.ADD)
    return (build.scatter(zeros, g, indices, argument), *[None] * len(indices))


BUFFER = register(
    Structural(name="buffer", reference=lambda np, node: None, no_gradient="it is a leaf")
)
CONSTANT = register(
    Structural(
        name="constant",
        reference=lambda np, node: np.full(node.shape, node.argument.value),
        no_gradient="it is a leaf",
    )
)
EMPTY = register(
    Structural(
        name="empty",
        reference=lambda np, node: np.zeros(node.shape),
        no_gradient="its elements have no value yet",
    )
)
IOTA = register(
    Structural(name="iota", reference=_iota_reference, no_gradient="it depends on nothing")
)
LEAF = register(
    Structural(
        name="leaf", reference=lambda np, node, x: x, gradient=lambda g, node, build: (None,)
    )
)
DETACH = register(
    Structural(
        name="detach", reference=lambda np, node, x: x, no_gradient="detach() cuts the graph here"
    )
)
CUSTOM = register(
    Structural(
        name="custom",
        reference=lambda np, node, x, *inputs: x,
        gradient=lambda g, node, build: node.argument(g, node),
    )
)
AFTER = register(
    Structural(
        name="after",
        reference=lambda np, node, x, *others: x,
        gradient=lambda g, node, build: (g, *[None] * (len(node.sources) - 1)),
    )
)
CAST = register(Structural(name="cast", reference=lambda np, node, x: x, gradient=_cast_gradient))
BITCAST = register(
    Structural(
        name="bitcast", reference=lambda np, node, x: x, no_gradient="bits have no derivative"
    )
)
COPY = register(
    Structural(name="copy", reference=lambda np, node, x: x, gradient=lambda g, node, build: (g,))
)
VIEW = register(
    Structural(
        name="view",
        reference=_view_reference,
        gradient=lambda g, node, build: (
            build.view_adjoint(g, node.argument, node.sources[0].shape),
        ),
    )
)
UPDATE = register(
    Structural(
        name="update",
        reference=_update_reference,
        gradient=lambda g, node, build: (
            build.update(
                g, build.constant(0, g.dtype, node.argument.shape, g.device), node.argument
            ),
            build.view(g, node.argument),
        ),
    )
)
CONTRACT = register(
    Structural(name="contract", reference=_contract_reference, gradient=_contract_gradient)
)
GATHER = register(Structural(name="gather", reference=_gather_reference, gradient=_gather_gradient))
SCATTER = register(
    Structural(name="scatter", reference=_scatter_reference, gradient=_scatter_gradient)
)
ARGSORT = register(
    Structural(
        name="argsort",
        reference=_argsort_reference,
        no_gradient="indices have no derivative; gather the values with them",
    )
)
