"""Convolution: a product of weights with sliding windows of the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pumice.dtypes import DType, promote_types
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import structure
from pumice.ops.view import Shape
from pumice.tensor.axes import pair
from pumice.tensor.core import wrap
from pumice.tensor.marks import public
from pumice.tensor.operands import call, tensor_node, widened
from pumice.tensor.products import contraction
from pumice.tensor.window_spread import spread_value
from pumice.tensor.windows import Sliding, batched, check_fits, windows

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

Sizes = int | Sequence[int]


@dataclass(frozen=True, slots=True)
class Margins:
    """Zeros around the spatial axes."""

    before: Shape
    behind: Shape

    def around(self, node: Node) -> Node:
        lead = (0,) * (len(node.shape) - len(self.before))
        return build.pad(node, (*lead, *self.before), (*lead, *self.behind))


@dataclass(frozen=True, slots=True)
class Convolution:
    """Gradient rule of a grouped convolution; both gradients are products of windows again.

    The node's sources are the value, the input (N, groups, in, spatial...) and the weight
    (groups, out, in, kernel...).
    """

    sliding: Sliding
    margins: Margins

    def __call__(self, g: Node, node: Node) -> tuple[Node | None, ...]:
        _, x, weight = node.sources
        g = build.cast(g, x.dtype)
        to_input = to_weight = None
        if x.requires_grad:
            to_input = spread(g, weight, self.sliding, x.shape[3:], self.margins.before)
        if weight.requires_grad:
            to_weight = _weight_gradient(g, self.margins.around(x), self.sliding)
        return None, to_input, to_weight


@dataclass(frozen=True, slots=True)
class Spread:
    """Gradient rule of `spread`: the adjoint of an adjoint is the convolution itself.

    The node's sources are the value, what was spread (N, groups, out, places...) and the weight.
    """

    sliding: Sliding
    before: Shape

    def __call__(self, g: Node, node: Node) -> tuple[Node | None, ...]:
        _, source, weight = node.sources
        reach = zip(
            g.shape[3:],
            source.shape[3:],
            self.sliding.stride,
            self.sliding.reach(),
            self.before,
            strict=True,
        )
        behind = tuple(
            max((places - 1) * step + size - extent - margin, 0)
            for extent, places, step, size, margin in reach
        )
        margins = Margins(self.before, behind)
        to_source = to_weight = None
        if source.requires_grad:
            to_source = convolved(g, weight, self.sliding, margins)
        if weight.requires_grad:
            to_weight = _weight_gradient(source, margins.around(g), self.sliding)
        return None, to_source, to_weight


def _product(x: Node, weight: Node, sliding: Sliding, wide: bool) -> Node:
    """Return (N, groups, out, places...) of a padded input and a weight."""
    count = sliding.count
    patches = windows(x, sliding)
    places = tuple(range(3, 3 + count))
    kernel = tuple(range(3 + count, 3 + 2 * count))
    if weight.shape[0] == 1:
        right = build.permute(patches, (0, *places, 1, 2, *kernel))
        left = build.reshape(weight, weight.shape[1:])
        shape = (*right.shape[: 1 + count], *right.shape[2 + count :])
        right = build.reshape(right, shape)
        result = contraction(left, right, 0, 1, 1 + count, 1 + count, wide)
        result = build.permute(result, (1, 0, *range(2, 2 + count)))
        return build.reshape(result, (result.shape[0], 1, *result.shape[1:]))
    right = build.permute(patches, (1, 0, *places, 2, *kernel))
    result = contraction(weight, right, 1, 1, 1 + count, 1 + count, wide)
    return build.permute(result, (2, 0, 1, *range(3, 3 + count)))


def convolved(
    x: Node, weight: Node, sliding: Sliding, margins: Margins, wide: bool = False
) -> Node:
    """Return the product with its gradient rule attached; ``wide`` as in `contraction`."""
    value = _product(margins.around(build.detach(x)), build.detach(weight), sliding, wide)
    if not (x.requires_grad or weight.requires_grad):
        return value
    rule = Convolution(sliding, margins)
    return Node(structure.CUSTOM, value.dtype, value.shape, (value, x, weight), rule)


def spread(g: Node, weight: Node, sliding: Sliding, extents: Shape, before: Shape) -> Node:
    """Return what each input element received: the convolution's adjoint.

    ``before`` counts the zeros in front of the input, which receive nothing.
    """
    value = spread_value(build.detach(g), build.detach(weight), sliding, extents, before)
    if not (g.requires_grad or weight.requires_grad):
        return value
    rule = Spread(sliding, before)
    return Node(structure.CUSTOM, value.dtype, value.shape, (value, g, weight), rule)


def _weight_gradient(g: Node, x: Node, sliding: Sliding) -> Node:
    """Return the sum over batch and places of gradient times window."""
    count = sliding.count
    patches = windows(x, sliding)
    places = tuple(range(3, 3 + count))
    kernel = tuple(range(3 + count, 3 + 2 * count))
    left = build.permute(g, (1, 2, 0, *places))
    right = build.permute(patches, (1, 2, *kernel, 0, *places))
    return contraction(left, right, 1, 1, 1 + count, 1 + count)


# -- the public forms -----------------------------------------------------------------------------


def _paddings(
    operator: str, padding: Sizes | str, kernel: Shape, stride: Shape, dilation: Shape
) -> list[tuple[int, int]]:
    """Return how much each spatial axis grows in front and behind."""
    count = len(kernel)
    if not isinstance(padding, str):
        sizes = pair(operator, padding, count, "padding")
        if any(size < 0 for size in sizes):
            raise InvalidArgument(describe(operator, f"padding is {list(sizes)}", "not negative"))
        return [(size, size) for size in sizes]
    if padding == "valid":
        return [(0, 0)] * count
    if padding != "same":
        raise InvalidArgument(
            describe(operator, f"got padding={padding!r}", "allowed are numbers, 'valid', 'same'")
        )
    if any(step != 1 for step in stride):
        raise InvalidArgument(
            describe(operator, "padding='same' is not supported for strided convolutions")
        )
    totals = [gap * (size - 1) for size, gap in zip(kernel, dilation, strict=True)]
    return [(total // 2, total - total // 2) for total in totals]


def check_operands(
    operator: str, x: Node, weight: Node, groups: int, channels: int, count: int
) -> None:
    if x.dtype is not weight.dtype:
        raise DTypeError(
            describe(
                operator,
                f"input is {x.dtype.name}, weight {weight.dtype.name}",
                "they must have the same dtype",
            )
        )
    if len(weight.shape) != count + 2:
        raise ShapeError(
            describe(
                operator, f"weight has shape {list(weight.shape)}", f"{count + 2} axes are needed"
            )
        )
    if groups < 1 or x.shape[1] % groups or channels != x.shape[1] or weight.shape[0] % groups:
        raise ShapeError(
            describe(
                operator,
                f"expected input with {channels} channels for weight of shape "
                f"{list(weight.shape)} and groups={groups}, got {x.shape[1]} channels",
                "channels must be divisible by groups",
            )
        )


def with_bias(node: Node, bias: Tensor | None, operator: str, dtype: DType) -> Node:
    """Add a bias; products of 16-bit floats that are not rounded yet are rounded to ``dtype``."""
    if bias is None:
        return node
    shift = tensor_node(operator, bias, "bias")
    if shift.dtype.is_floating_point and not node.dtype.is_floating_point:
        raise DTypeError(
            describe(operator, f"bias is {shift.dtype.name}", f"it must be {node.dtype.name}")
        )
    if shift.shape != (node.shape[1],):
        raise ShapeError(
            describe(
                operator, f"bias has shape {list(shift.shape)}", f"it must be [{node.shape[1]}]"
            )
        )
    kind = promote_types(dtype, shift.dtype)
    column = build.reshape(widened(shift), (*shift.shape, *(1 for _ in node.shape[2:])))
    return build.cast(call("add", node, column), kind)


def _convolve(
    operator: str,
    count: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sizes,
    padding: Sizes | str,
    dilation: Sizes,
    groups: int,
) -> Tensor:
    given, w = tensor_node(operator, input), tensor_node(operator, weight, "weight")
    x = batched(operator, given, count)
    check_operands(operator, x, w, groups, w.shape[1] * groups if len(w.shape) > 1 else 0, count)
    steps = pair(operator, stride, count, "stride")
    gaps = pair(operator, dilation, count, "dilation")
    if any(number < 1 for number in (*steps, *gaps)):
        raise InvalidArgument(
            describe(operator, f"stride {list(steps)}, dilation {list(gaps)}", "positive numbers")
        )
    kernel = w.shape[2:]
    pads = _paddings(operator, padding, kernel, steps, gaps)
    margins = Margins(tuple(first for first, _ in pads), tuple(last for _, last in pads))
    sliding = Sliding(kernel, steps, gaps)
    padded = tuple(extent + sum(each) for extent, each in zip(x.shape[2:], pads, strict=True))
    check_fits(operator, sliding, padded)
    grouped = build.reshape(x, (x.shape[0], groups, x.shape[1] // groups, *x.shape[2:]))
    weights = build.reshape(w, (groups, w.shape[0] // groups, *w.shape[1:]))
    result = convolved(grouped, weights, sliding, margins, bias is not None)
    result = build.reshape(result, (x.shape[0], w.shape[0], *result.shape[3:]))
    result = with_bias(result, bias, operator, x.dtype)
    return wrap(
        result
        if given is x or len(given.shape) == count + 2
        else build.reshape(result, result.shape[1:])
    )


@public
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Slide a kernel along one axis; parameters as in `conv2d`.

    Examples
    --------
    >>> pumice.conv1d(pumice.arange(4.0).reshape(1, 4), pumice.ones(1, 1, 2))
    tensor([[1., 3., 5.]])
    """
    return _convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@public
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Slide a kernel over two axes (cross-correlation).

    Parameters
    ----------
    input : Tensor
        (N, in, H, W), or without N.
    weight : Tensor
        (out, in / groups, kernel H, kernel W)
    bias : Tensor, optional
        (out,)
    stride, dilation : int or pair of int
        Distance of windows, and of the elements of one window.
    padding : int, pair of int, "valid" or "same"
        Zeros around the input.
    groups : int
        Divides in and out; each group of outputs reads its own group of inputs.

    Returns
    -------
    Tensor
        (N, out, H', W') with ``H' = (H + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1``

    Raises
    ------
    ShapeError
        When channels do not fit or the kernel is larger than the padded input.
    DTypeError
        When dtypes differ.

    Notes
    -----
    Gradients: the input's is a convolution of g, set apart by the stride, with the mirrored
    kernel; the weight's is a product of g and the windows.

    Examples
    --------
    >>> import pumice
    >>> x, w = pumice.ones(1, 1, 3, 3), pumice.ones(1, 1, 2, 2)
    >>> pumice.nn.functional.conv2d(x, w).tolist()
    [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    return _convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@public
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Slide a kernel over three axes; parameters as in `conv2d`.

    Examples
    --------
    >>> pumice.conv3d(pumice.ones(1, 2, 2, 2), pumice.ones(1, 1, 2, 2, 2)).tolist()
    [[[[8.0]]]]
    """
    return _convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)
