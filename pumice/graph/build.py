"""Building nodes: the checks and the inference that happen when an operation is called.

Everything here takes and returns `Node` objects; gradients and `tensor/` are written with it.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

from pumice import dtypes
from pumice.dtypes import DType, Scalar, defaults, promote_scalar
from pumice.errors import DeviceError, ShapeError, describe
from pumice.graph.constants import HIGHEST, LOWEST, NUMBERS, check_dtype, checked_number
from pumice.graph.node import Node, Storage, constant_node, filled_node
from pumice.graph.promotion import family_of, is_finer, join_types
from pumice.graph.shortcuts import around, joined_nothing, joined_write
from pumice.ops import reduction, structure
from pumice.ops.attention import (
    ATTENTION,
    ATTENTION_GRADIENT,
    ATTENTION_NORM,
    Attention,
    AttentionGradient,
)
from pumice.ops.definition import Elementwise, Reduction, Scan, Structural
from pumice.ops.matrices import Packing
from pumice.ops.structure import Constant, Contraction, Indexing, Order
from pumice.ops.triangular import TRIANGULAR, Triangle
from pumice.ops.view import Shape, View, contiguous_strides, inverse_permutation
from pumice.target import Device

# -- leaves ---------------------------------------------------------------------------------------


def constant(value: Scalar, dtype: DType, shape: Shape = (), device: Device | None = None) -> Node:
    """Return a tensor filled with one number; it takes no memory until someone asks for it."""
    if type(value) is not float or type(dtype) is not DType:
        value = checked_number(value, dtype)
    return Node(structure.CONSTANT, dtype, shape, (), Constant(value), device)


def buffer(storage: Storage, dtype: DType, shape: Shape) -> Node:
    """Return a leaf over memory that is already filled."""
    return filled_node(structure.BUFFER, storage, dtype, shape)


def empty(dtype: DType, shape: Shape, device: Device | None = None) -> Node:
    """Return a tensor every element of which will be overwritten before it is read."""
    check_dtype(dtype)
    return Node(structure.EMPTY, dtype, shape, (), None, device)


def iota(shape: Shape, device: Device | None = None) -> Node:
    """Return int64 row-major positions 0, 1, 2 ..."""
    return Node(structure.IOTA, dtypes.int64, shape, (), None, device)


def leaf(node: Node) -> Node:
    """Return an identity of ``node`` at which gradients are collected."""
    result = Node(structure.LEAF, node.dtype, node.shape, (node,))
    result.requires_grad = True
    return result


def detach(node: Node) -> Node:
    """Return an identity that no gradient passes."""
    if not node.requires_grad:
        return node
    result = Node(structure.DETACH, node.dtype, node.shape, (node,))
    result.requires_grad = False
    return result


def after(node: Node, others: Sequence[Node]) -> Node:
    """Return an identity that is computed once the others have been."""
    return Node(structure.AFTER, node.dtype, node.shape, (node, *others), None, node.device)


# -- elementwise ----------------------------------------------------------------------------------


def broadcast_shapes(name: str, *shapes: Shape) -> Shape:
    """Return the common shape by NumPy's rule."""
    rank = max(len(shape) for shape in shapes)
    result = [1] * rank
    for shape in shapes:
        lead = rank - len(shape)
        for axis, extent in enumerate(shape, start=lead):
            if extent == 1 or extent == result[axis]:
                continue
            if result[axis] != 1:
                listed = " and ".join(str(list(each)) for each in shapes)
                raise ShapeError(
                    describe(
                        name,
                        f"shapes {listed} do not broadcast: axis {axis} is "
                        f"{result[axis]} and {extent}",
                        "each axis must be equal or 1",
                    )
                )
            result[axis] = extent
    return tuple(result)


def result_type(*operands: Node | Scalar) -> DType:
    """Return the dtype PyTorch gives to an operation on these operands.

    Tensors with axes decide first; 0-d tensors and then numbers only raise the family
    (bool, integer, floating).
    """
    with_axes: DType | None = None
    without: DType | None = None
    for operand in operands:
        if isinstance(operand, Node):
            if operand.shape:
                with_axes = join_types(with_axes, operand.dtype)
            else:
                without = join_types(without, operand.dtype)
    result = with_axes
    if without is not None and (result is None or family_of(without) > family_of(result)):
        result = without
    for operand in operands:
        if not isinstance(operand, Node):
            if result is None:
                result = dtypes.scalar_dtype(operand)
            else:
                result = promote_scalar(result, operand)
    assert result is not None
    return result


def elementwise(op: Elementwise, *operands: Node | Scalar) -> Node:
    """Apply an elementwise entry with PyTorch's promotion and NumPy's broadcasting."""
    first = operands[0]
    if isinstance(first, Node):
        dtype, shape, device = first.dtype, first.shape, first.device
        for other in operands:
            if other is not first and (
                not isinstance(other, Node)
                or other.dtype is not dtype
                or other.shape != shape
                or other.device is not device
            ):
                break
        else:
            computed, result = _types(op, dtype, defaults.float)
            if computed is dtype and not op.condition_first:
                return Node(op, result, shape, operands, None, device)  # type: ignore[arg-type]
    return _elementwise(op, operands)


@lru_cache(maxsize=4096)
def _types(op: Elementwise, dtype: DType, default: DType) -> tuple[DType, DType]:
    """Return the dtype an entry computes in and that of its result.

    They may depend on the default float.
    """
    computed = op.computation_dtype(dtype)
    return computed, op.result_dtype(computed)


@lru_cache(maxsize=4096)
def _types_with_number(
    op: Elementwise, dtype: DType, kind: type, default: DType
) -> tuple[DType, DType]:
    """Return the same for a tensor and a Python number."""
    return _types(op, promote_scalar(dtype, kind(1)), default)


def _with_number(op: Elementwise, first: Node | Scalar, second: Node | Scalar) -> Node | None:
    """Apply an entry to a tensor and a number whose types agree; None for all others."""
    node, number = (first, second) if isinstance(first, Node) else (second, first)
    kind = type(number)
    if not isinstance(node, Node) or kind not in NUMBERS or op.condition_first:
        return None
    if kind is int and not LOWEST <= number <= HIGHEST:
        return None
    computed, result = _types_with_number(op, node.dtype, kind, defaults.float)  # type: ignore[arg-type]
    if computed is not node.dtype or (op.unrounded and computed.is_small_float):
        return None
    value = constant_node(structure.CONSTANT, computed, node.shape, Constant(number), node.device)  # type: ignore[arg-type]
    sources = (first, value) if node is first else (value, second)
    found = Node(op, result, node.shape, sources, None, node.device)  # type: ignore[arg-type]
    value.code, value.instruction = found.code, found.instruction
    return found


def _elementwise(op: Elementwise, operands: tuple[Node | Scalar, ...]) -> Node:
    if len(operands) == 2:
        found = _with_number(op, *operands)
        if found is not None:
            return found
    skip = 1 if op.condition_first else 0
    dtype = _common_dtype(operands[skip:])
    computed, result = _types(op, dtype, defaults.float)
    if op.unrounded and computed.is_small_float and is_finer(op, operands, computed):
        wide = [cast(each, dtypes.float32) if isinstance(each, Node) else each for each in operands]
        return cast(_elementwise(op, tuple(wide)), result)
    shape = _common_shape(op.name, operands)
    device = _common_device(op.name, operands)
    sources = []
    for position, operand in enumerate(operands):
        wanted = dtypes.bool_ if position < skip else computed
        if not isinstance(operand, Node):
            sources.append(constant(operand, wanted, shape, device))
            continue
        if operand.dtype is not wanted:
            operand = cast(operand, wanted)
        sources.append(operand if operand.shape == shape else expand(operand, shape))
    return Node(op, result, shape, tuple(sources), None, device)


def _common_dtype(operands: tuple[Node | Scalar, ...]) -> DType:
    first = operands[0]
    if isinstance(first, Node):
        dtype = first.dtype
        if all(isinstance(other, Node) and other.dtype is dtype for other in operands):
            return dtype
    return result_type(*operands)


def _common_shape(name: str, operands: tuple[Node | Scalar, ...]) -> Shape:
    shapes = {operand.shape for operand in operands if isinstance(operand, Node)}
    if len(shapes) == 1:
        return shapes.pop()
    if not shapes:
        return ()
    return broadcast_shapes(name, *(node.shape for node in operands if isinstance(node, Node)))


def _common_device(name: str, operands: tuple[Any, ...]) -> Device | None:
    device: Device | None = None
    for operand in operands:
        if isinstance(operand, Node) and operand.device is not None:
            if device is None:
                device = operand.device
            elif operand.device != device:
                raise DeviceError(
                    describe(
                        name,
                        f"operands are on {device} and {operand.device}",
                        "move them to one device with .to(device)",
                    )
                )
    return device


def cast(node: Node, dtype: DType) -> Node:
    """Convert elements to a dtype."""
    if node.dtype is dtype:
        return node
    check_dtype(dtype)
    return Node(structure.CAST, dtype, node.shape, (node,))


def bitcast(node: Node, dtype: DType) -> Node:
    """Reinterpret the bits of each element as another dtype of the same size."""
    return Node(structure.BITCAST, dtype, node.shape, (node,))


# -- movement -------------------------------------------------------------------------------------


def view(node: Node, argument: View) -> Node:
    """Read a strided box of the row-major elements of ``node``."""
    if argument.shape == node.shape and argument.offset == 0 and argument.is_contiguous():
        return node
    if node.op is structure.CONSTANT and node.value is None:
        return Node(structure.CONSTANT, node.dtype, argument.shape, (), node.argument, node.device)
    if node.op is structure.VIEW and node.value is None and not hasattr(node, "hooks"):
        combined = node.argument.compose(argument)
        if combined is not None and node.sources:
            return view(node.sources[0], combined)
    if node.op is structure.UPDATE:
        shorter = around(node, argument)
        if shorter is not None:
            return view(*shorter)
    return Node(structure.VIEW, node.dtype, argument.shape, (node,), argument)


def reshape(node: Node, shape: Shape) -> Node:
    """Return the same elements in another shape of the same size."""
    return node if node.shape == shape else view(node, View.contiguous(shape))


def permute(node: Node, order: Shape) -> Node:
    """Reorder the axes."""
    return view(node, View.contiguous(node.shape).permute(order))


def expand(node: Node, shape: Shape) -> Node:
    """Broadcast to a shape with stride-0 axes."""
    return node if node.shape == shape else view(node, View.contiguous(node.shape).expand(shape))


def flip(node: Node, axes: Shape) -> Node:
    """Reverse the order of elements along axes."""
    argument = View.contiguous(node.shape)
    for axis in axes:
        extent = node.shape[axis]
        argument = argument.slice_axis(axis, max(extent - 1, 0), extent, -1)
    return view(node, argument)


def slice_axis(node: Node, axis: int, start: int, length: int, step: int = 1) -> Node:
    """Take part of one axis."""
    return view(node, View.contiguous(node.shape).slice_axis(axis, start, length, step))


def copy(node: Node) -> Node:
    """Return a materialised copy in row-major order."""
    return Node(structure.COPY, node.dtype, node.shape, (node,))


def update(base: Node, value: Node, argument: View) -> Node:
    """Return ``base`` with a strided box of its elements replaced by ``value``."""
    if value.dtype is not base.dtype:
        value = cast(value, base.dtype)
    if value.shape != argument.shape:
        value = expand(value, argument.shape)
    joined = joined_write(base, value, argument)
    if joined is not None:
        base, argument = joined
        value = constant(value.argument.value, base.dtype, argument.shape, value.device)
    return Node(structure.UPDATE, base.dtype, base.shape, (base, value), argument)


def pad(node: Node, before: Shape, after: Shape, value: Scalar = 0) -> Node:
    """Surround with a constant; counts are not negative."""
    if not any(before) and not any(after):
        return node
    shape = tuple(
        low + extent + high for low, extent, high in zip(before, node.shape, after, strict=True)
    )
    strides = contiguous_strides(shape)
    offset = sum(low * stride for low, stride in zip(before, strides, strict=True))
    base = constant(value, node.dtype, shape, node.device)
    return update(base, node, View(node.shape, strides, offset))


def concatenate(nodes: list[Node], axis: int) -> Node:
    """Join along an axis; the other axes and dtypes already agree."""
    first, total = nodes[0], sum(node.shape[axis] for node in nodes)
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    made = empty(first.dtype, shape, first.device)
    result = made if made.numel else joined_nothing(nodes, shape)
    whole = View.contiguous(shape)
    start = 0
    for node in nodes:
        length = node.shape[axis]
        if node.numel:
            result = update(result, node, whole.slice_axis(axis, start, length, 1))
        start += length
    return result


def view_adjoint(g: Node, argument: View, shape: Shape) -> Node:
    """Return the adjoint of `view`: each base element sums the gradients of its readers.

    Broadcast axes are summed first. Axes that read elements repeatedly (sliding windows) are
    taken one index at a time, the shortest first, until the rest reads each element once.
    """
    broadcast = tuple(
        axis
        for axis, (extent, stride) in enumerate(zip(argument.shape, argument.strides, strict=True))
        if stride == 0 and extent > 1
    )
    if broadcast:
        g = reduce(reduction.SUM, g, broadcast)
        kept = [axis for axis in range(len(argument.shape)) if axis not in broadcast]
        argument = View(
            tuple(argument.shape[axis] for axis in kept),
            tuple(argument.strides[axis] for axis in kept),
            argument.offset,
        )
        g = reshape(g, argument.shape)
    zeros = constant(0, g.dtype, shape, g.device)
    if argument.numel == 0:
        return zeros
    if argument.numel == prod(shape) and argument.offset == 0 and argument.is_contiguous():
        return reshape(g, shape)
    if argument.is_injective():
        inverse = inverse_permutation(argument, shape)
        return view(g, inverse) if inverse is not None else update(zeros, g, argument)
    return _accumulate_windows(zeros, g, argument)


def _accumulate_windows(total: Node, g: Node, argument: View) -> Node:
    if argument.is_injective():
        current = view(total, argument)
        return update(total, current + g, argument)
    axis = min(
        (axis for axis, extent in enumerate(argument.shape) if extent > 1),
        key=lambda axis: argument.shape[axis],
    )
    for position in range(argument.shape[axis]):
        part = argument.slice_axis(axis, position, 1, 1).remove_axis(axis)
        piece = reshape(slice_axis(g, axis, position, 1), part.shape)
        total = _accumulate_windows(total, piece, part)
    return total


# -- folds, products, indexing --------------------------------------------------------------------


def reduce(op: Reduction, node: Node, axes: Shape) -> Node:
    """Fold over axes, keeping them with extent 1."""
    axes = tuple(sorted(axes))
    shape = tuple(1 if axis in axes else extent for axis, extent in enumerate(node.shape))
    if op.accumulator(node.dtype) is dtypes.bool_ and node.dtype is not dtypes.bool_:
        node = node.ne(0)
    return Node(op, op.result(node.dtype), shape, (node,), axes)


def scan(op: Scan, node: Node, axis: int) -> Node:
    """Fold along one axis, keeping every intermediate result."""
    return Node(op, op.result(node.dtype), node.shape, (node,), axis)


def contract(left: Node, right: Node, argument: Contraction, dtype: DType | None = None) -> Node:
    """Multiply and sum; see `structure.Contraction` for the order of axes.

    Sums are rounded to the operands' dtype, unless ``dtype`` is the accumulator's.
    """
    batch, m, n = argument.batch, argument.m, argument.n
    shape = left.shape[: batch + m] + right.shape[batch : batch + n]
    device = _common_device("matmul", (left, right))
    return Node(structure.CONTRACT, dtype or left.dtype, shape, (left, right), argument, device)


def gather(operand: Node, indices: Any, argument: Indexing, shape: Shape) -> Node:
    """Read elements at computed positions; index operands have the result's shape."""
    device = _common_device("gather", (operand, *indices))
    sources = (operand, *indices)
    return Node(structure.GATHER, operand.dtype, shape, sources, argument, device).reporting()


def scatter(base: Node, source: Node, indices: Any, argument: Indexing) -> Node:
    """Write elements at computed positions; index operands have the source's shape."""
    device = _common_device("scatter", (base, source, *indices))
    sources = (base, source, *indices)
    return Node(structure.SCATTER, base.dtype, base.shape, sources, argument, device).reporting()


def argsort(node: Node, descending: bool, count: int | None = None) -> Node:
    """Return the stable order of the last axis, or the first ``count`` places of it."""
    extent = node.shape[-1]
    argument = Order(descending, 0, extent if count is None else count)
    shape = (*node.shape[:-1], argument.count)
    return Node(structure.ARGSORT, dtypes.int64, shape, (node,), argument)


def ranked(node: Node, rank: int) -> Node:
    """Return one place of the ascending order of the last axis, which keeps extent 1."""
    argument = Order(False, rank, 1)
    return Node(structure.ARGSORT, dtypes.int64, (*node.shape[:-1], 1), (node,), argument)


# -- attention ------------------------------------------------------------------------------------


def attention_norm(sources: tuple[Node, ...], argument: Attention) -> Node:
    """Return the logarithms of the denominators of an attention, (..., L, 1)."""
    shape = (*sources[0].shape[:-1], 1)
    return Node(ATTENTION_NORM, argument.accumulator, shape, sources, argument)


def attention(sources: tuple[Node, ...], argument: Attention) -> Node:
    """Mix values; see `ops.attention` for the sources. All leading axes are equal."""
    query, value = sources[0], sources[2]
    norm = attention_norm(sources, argument)
    if norm.requires_grad:
        sources, argument = (*sources, norm), replace(argument, with_norm=True)
    shape = (*query.shape[:-1], value.shape[-1])
    device = _common_device("scaled_dot_product_attention", sources)
    return Node(ATTENTION, query.dtype, shape, sources, argument, device)


def attention_gradient(sources: tuple[Node, ...], argument: AttentionGradient) -> Node:
    """Return the gradient of an operand of an attention, in the accumulator's type."""
    dtype, shape = argument.attention.accumulator, sources[argument.operand].shape
    return Node(ATTENTION_GRADIENT, dtype, shape, sources, argument)


# -- matrices -------------------------------------------------------------------------------------


def triangular(matrix: Node, right: Node, argument: Triangle) -> Node:
    """Solve triangular systems; all leading axes are equal."""
    device = _common_device("solve_triangular", (matrix, right))
    return Node(TRIANGULAR, right.dtype, right.shape, (matrix, right), argument, device)


def factored(op: Structural, node: Node, packing: Packing, argument: Any = None) -> Node:
    """Factor matrices; the result holds the parts that `packing` names."""
    return Node(op, node.dtype, (*node.shape[:-2], packing.size), (node,), argument).reporting()


def solved(op: Structural, sources: tuple[Node, ...], argument: bool) -> Node:
    """Give the first source the gradients that follow from the others."""
    first = sources[0]
    return Node(op, first.dtype, first.shape, sources, argument, first.device)
