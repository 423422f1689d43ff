"""Matrix products of every rank."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.dtypes import DType, accumulation_dtype
from pumice.errors import DTypeError, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.structure import Contraction
from pumice.ops.view import Shape
from pumice.tensor.axes import axis_of
from pumice.tensor.core import wrap
from pumice.tensor.marks import functional, method
from pumice.tensor.operands import call, tensor_node, widened

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _checked(operator: str, left: Node, right: Node) -> None:
    if left.dtype is not right.dtype:
        raise DTypeError(
            describe(
                operator,
                f"expected both operands to have the same dtype, got {left.dtype.name} and "
                f"{right.dtype.name}",
                "convert one with .to()",
            )
        )
    if left.dtype is dtypes.bool_:
        raise DTypeError(describe(operator, "got bool", "allowed are integers and floats"))


def _mismatch(operator: str, left: Shape, right: Shape) -> ShapeError:
    return ShapeError(
        describe(
            operator,
            f"shapes {list(left)} and {list(right)} cannot be multiplied",
            "the last axis of the first must equal the second-to-last (or only) axis of the second",
        )
    )


def contraction(
    left: Node, right: Node, batch: int, m: int, n: int, k: int, wide: bool = False
) -> Node:
    """Multiply and sum with the usual accumulator of the dtype.

    ``wide`` sums of 16-bit floats are not rounded to them.
    """
    argument = Contraction(batch, m, n, k, _accumulator(left.dtype))
    return build.contract(left, right, argument, accumulation_dtype(left.dtype) if wide else None)


def _accumulator(dtype: DType) -> DType:
    """Return the type products are summed in; integers wrap alike in any type as wide."""
    if dtype.is_floating_point:
        return accumulation_dtype(dtype)
    return dtypes.int32 if dtype.bits <= 32 else dtypes.int64


def matmul_node(operator: str, left: Node, right: Node, wide: bool = False) -> Node:
    """Return the matrix product of nodes of any rank from 1 on, batch axes broadcast.

    ``wide`` as in `contraction`.
    """
    _checked(operator, left, right)
    if not left.shape or not right.shape:
        raise ShapeError(
            describe(
                operator,
                f"got shapes {list(left.shape)} and {list(right.shape)}",
                "both operands need at least one axis; use * with a 0-d tensor",
            )
        )
    shared = right.shape[-2] if len(right.shape) > 1 else right.shape[0]
    if left.shape[-1] != shared:
        raise _mismatch(operator, left.shape, right.shape)
    if len(right.shape) == 1:
        return contraction(left, right, 0, len(left.shape) - 1, 0, 1, wide)
    columns = build.permute(
        right, (*range(len(right.shape) - 2), len(right.shape) - 1, len(right.shape) - 2)
    )
    if len(right.shape) == 2:
        return contraction(left, columns, 0, len(left.shape) - 1, 1, 1, wide)
    rows = build.reshape(left, (1, left.shape[0])) if len(left.shape) == 1 else left
    batch = build.broadcast_shapes(operator, rows.shape[:-2], columns.shape[:-2])
    result = contraction(
        build.expand(rows, (*batch, *rows.shape[-2:])),
        build.expand(columns, (*batch, *columns.shape[-2:])),
        len(batch),
        1,
        1,
        1,
        wide,
    )
    return build.reshape(result, (*batch, columns.shape[-2])) if rows is not left else result


@method
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the matrix product.

    Parameters
    ----------
    input, other : Tensor
        At least 1-D, of one numeric dtype. Vectors count as a row (first) or a column (second);
        axes before the last two broadcast.

    Returns
    -------
    Tensor
        16-bit floats are summed in float32, integers wrap.

    Raises
    ------
    ShapeError
        When the summed axes differ, or an operand is 0-d.
    DTypeError
        When dtypes differ.

    Notes
    -----
    Gradients: ``g @ other.T`` and ``input.T @ g``.

    Examples
    --------
    >>> import pumice
    >>> pumice.matmul(pumice.tensor([[1., 2.]]), pumice.tensor([[3.], [4.]]))
    tensor([[11.]])
    """
    left, right = tensor_node("matmul", input), tensor_node("matmul", other, "other")
    return wrap(matmul_node("matmul", left, right))


@method
def dot(input: Tensor, other: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Contract the last axis of the first with the last (1-D) or second-to-last of the second.

    Parameters
    ----------
    input, other : Tensor
        As in `matmul`.
    dtype : DType, optional
        Convert both to it first; the result has it.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.dot(pumice.tensor([1., 2.]), pumice.tensor([3., 4.]))
    tensor(11.)
    """
    left, right = tensor_node("dot", input), tensor_node("dot", other, "other")
    if dtype is not None:
        left, right = build.cast(left, dtype), build.cast(right, dtype)
    return wrap(matmul_node("dot", left, right))


def _of_rank(operator: str, node: Node, rank: int, name: str) -> Node:
    if len(node.shape) != rank:
        raise ShapeError(
            describe(operator, f"{name} has shape {list(node.shape)}", f"it must be {rank}-D")
        )
    return node


def _ranked(
    operator: str,
    left: Tensor,
    left_rank: int,
    right: Tensor,
    right_rank: int,
    wide: bool = False,
) -> Node:
    first = _of_rank(operator, tensor_node(operator, left), left_rank, "input")
    second = _of_rank(operator, tensor_node(operator, right, "other"), right_rank, "other")
    if left_rank == 3 and first.shape[0] != second.shape[0]:
        raise _mismatch(operator, first.shape, second.shape)
    return matmul_node(operator, first, second, wide)


@method
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two matrices; see `matmul`.

    Examples
    --------
    >>> pumice.mm(pumice.tensor([[1, 2], [3, 4]]), pumice.tensor([[1], [1]])).tolist()
    [[3], [7]]
    """
    return wrap(_ranked("mm", input, 2, mat2, 2))


@method
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the products of two stacks of matrices; see `matmul`.

    Examples
    --------
    >>> pumice.bmm(pumice.ones(2, 1, 3), pumice.ones(2, 3, 1)).tolist()
    [[[3.0]], [[3.0]]]
    """
    return wrap(_ranked("bmm", input, 3, mat2, 3))


@method
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector; see `matmul`.

    Examples
    --------
    >>> pumice.mv(pumice.tensor([[1, 2], [3, 4]]), pumice.tensor([1, 1]))
    tensor([3, 7])
    """
    return wrap(_ranked("mv", input, 2, vec, 1))


@method
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Contract the last axes of both operands; 0-d operands multiply.

    Examples
    --------
    >>> import pumice
    >>> pumice.inner(pumice.tensor([1., 2.]), pumice.tensor([3., 4.]))
    tensor(11.)
    """
    left, right = tensor_node("inner", input), tensor_node("inner", other, "other")
    if not left.shape or not right.shape:
        return wrap(call("mul", left, right))
    _checked("inner", left, right)
    if left.shape[-1] != right.shape[-1]:
        raise _mismatch("inner", left.shape, right.shape)
    return wrap(contraction(left, right, 0, len(left.shape) - 1, len(right.shape) - 1, 1))


@method
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Multiply every element of one vector with every element of another.

    Examples
    --------
    >>> import pumice
    >>> pumice.outer(pumice.tensor([1, 2]), pumice.tensor([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    left = _of_rank("outer", tensor_node("outer", input), 1, "input")
    right = _of_rank("outer", tensor_node("outer", vec2, "vec2"), 1, "vec2")
    return wrap(call("mul", build.reshape(left, (left.numel, 1)), right))


@method
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Return the dot product of two vectors.

    Examples
    --------
    >>> pumice.vdot(pumice.tensor([1., 2.]), pumice.tensor([3., 4.]))
    tensor(11.)
    """
    return wrap(_ranked("vdot", input, 1, other, 1))


@method
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """Multiply every pair of elements of two vectors; another name of `outer`.

    Examples
    --------
    >>> pumice.ger(pumice.tensor([1, 2]), pumice.tensor([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    return outer(input, vec2)


@functional
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``input @ weight.T + bias``.

    Parameters
    ----------
    input : Tensor
        (..., in)
    weight : Tensor
        (out, in), or (in,) for one output without an axis.
    bias : Tensor, optional
        (out,)

    Returns
    -------
    Tensor
        (..., out)

    Raises
    ------
    ShapeError
        When the last axes differ.

    Examples
    --------
    >>> import pumice
    >>> x, w = pumice.tensor([1., 2.]), pumice.tensor([[3., 4.]])
    >>> pumice.nn.functional.linear(x, w)
    tensor([11.])
    """
    left, right = tensor_node("linear", input), tensor_node("linear", weight, "weight")
    _checked("linear", left, right)
    if not left.shape or not 1 <= len(right.shape) <= 2 or left.shape[-1] != right.shape[-1]:
        raise ShapeError(
            describe(
                "linear",
                f"input has shape {list(left.shape)}, weight {list(right.shape)}",
                "weight is (out, in) and the last axis of input is in",
            )
        )
    rows, columns = len(left.shape) - 1, len(right.shape) - 1
    if bias is None:
        return wrap(contraction(left, right, 0, rows, columns, 1))
    added = tensor_node("linear", bias, "bias")
    kind = build.result_type(left, added)
    total = call("add", contraction(left, right, 0, rows, columns, 1, True), widened(added))
    return wrap(build.cast(total, kind) if kind.is_small_float else total)


@method
def tensordot(input: Tensor, other: Tensor, dims: int | Sequence[Sequence[int]] = 2) -> Tensor:
    """Contract several axes of two tensors.

    Parameters
    ----------
    input, other : Tensor
        Of one numeric dtype.
    dims : int or pair of sequences of int
        How many trailing axes of the first meet leading axes of the second, or which ones.

    Returns
    -------
    Tensor
        The remaining axes of the first, then those of the second.

    Raises
    ------
    ShapeError
        When paired axes differ.

    Examples
    --------
    >>> import pumice
    >>> pumice.tensordot(pumice.ones(2, 3), pumice.ones(3, 2), 1).tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """
    left, right = tensor_node("tensordot", input), tensor_node("tensordot", other, "other")
    _checked("tensordot", left, right)
    if isinstance(dims, int):
        if not 0 <= dims <= min(len(left.shape), len(right.shape)):
            raise ShapeError(
                describe("tensordot", f"got dims={dims}", "at most the axes of either tensor")
            )
        first = list(range(len(left.shape) - dims, len(left.shape)))
        second = list(range(dims))
    else:
        if len(dims) != 2:
            raise ShapeError(describe("tensordot", f"got dims={dims}", "an int, or two sequences"))
        first = [axis_of("tensordot", axis, len(left.shape)) for axis in _listed(dims[0])]
        second = [axis_of("tensordot", axis, len(right.shape)) for axis in _listed(dims[1])]
    for mine, theirs in zip(first, second, strict=True):
        # An axis of extent 1 meets the sum of the other.
        if left.shape[mine] == 1 != right.shape[theirs]:
            right = build.cast(build.reduce(reduction.SUM, right, (theirs,)), left.dtype)
        elif right.shape[theirs] == 1 != left.shape[mine]:
            left = build.cast(build.reduce(reduction.SUM, left, (mine,)), right.dtype)
    if [left.shape[axis] for axis in first] != [right.shape[axis] for axis in second]:
        raise _mismatch("tensordot", left.shape, right.shape)
    m = [axis for axis in range(len(left.shape)) if axis not in first]
    n = [axis for axis in range(len(right.shape)) if axis not in second]
    return wrap(
        contraction(
            build.permute(left, (*m, *first)),
            build.permute(right, (*n, *second)),
            0,
            len(m),
            len(n),
            len(first),
        )
    )


def _listed(axes: int | Sequence[int]) -> list[int]:
    return [axes] if isinstance(axes, int) else list(axes)


@method
def trace(input: Tensor) -> Tensor:
    """Return the sum of the main diagonal of a matrix.

    Examples
    --------
    >>> pumice.trace(pumice.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    node = _of_rank("trace", tensor_node("trace", input), 2, "input")
    return wrap(node).diagonal().sum()


@method
def kron(input: Tensor, other: Tensor) -> Tensor:
    """Return the Kronecker product: every element times the whole second tensor.

    Examples
    --------
    >>> pumice.kron(pumice.tensor([1, 10]), pumice.tensor([1, 2]))
    tensor([ 1,  2, 10, 20])
    """
    left, right = tensor_node("kron", input), tensor_node("kron", other, "other")
    rank = max(len(left.shape), len(right.shape))
    first = (1,) * (rank - len(left.shape)) + left.shape
    second = (1,) * (rank - len(right.shape)) + right.shape
    wide_left = [extent for pair in zip(first, (1,) * rank, strict=True) for extent in pair]
    wide_right = [extent for pair in zip((1,) * rank, second, strict=True) for extent in pair]
    product = call(
        "mul", build.reshape(left, tuple(wide_left)), build.reshape(right, tuple(wide_right))
    )
    shape = tuple(prod(pair) for pair in zip(first, second, strict=True))
    return wrap(build.reshape(product, shape))
