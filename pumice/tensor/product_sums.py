"""Products added to a tensor, both scaled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.dtypes import DType, Scalar, promote_types
from pumice.errors import ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.tensor.core import wrap
from pumice.tensor.marks import inplace_method
from pumice.tensor.operands import call, tensor_node, widened
from pumice.tensor.products import _ranked

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _scaled_sum(added: Node, product: Node, kind: DType, beta: Scalar, alpha: Scalar) -> Node:
    """Return the sum of both, in the dtype they promote to: factors of integers are integers.

    16-bit floats are rounded once, so the product comes unrounded; ``kind`` is its dtype.
    """
    promoted = promote_types(added.dtype, kind)
    if promoted.is_small_float:
        return build.cast(
            _scaled_sum(widened(added), product, product.dtype, beta, alpha), promoted
        )
    if not added.dtype.is_floating_point and not product.dtype.is_floating_point:
        both = dtypes.bool_ in (added.dtype, product.dtype) and added.dtype is product.dtype
        beta, alpha = (bool(beta), bool(alpha)) if both else (int(beta), int(alpha))
    scaled = product if alpha == 1 else product * alpha
    if beta == 0:
        return scaled
    return call("add", added if beta == 1 else call("mul", added, beta), scaled)


@inplace_method
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1
) -> Tensor:
    """Return ``beta * input + alpha * (mat1 @ mat2)``; with ``beta=0`` input is not read.

    Examples
    --------
    >>> import pumice
    >>> one = pumice.ones(1, 1)
    >>> pumice.addmm(one, one, one)
    tensor([[2.]])
    """
    product = _ranked("addmm", mat1, 2, mat2, 2, True)
    added = tensor_node("addmm", input)
    return wrap(_scaled_sum(added, product, mat1.dtype, beta, alpha))


@inplace_method
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1
) -> Tensor:
    """Return ``beta * input + alpha * (mat @ vec)``.

    Examples
    --------
    >>> pumice.addmv(pumice.ones(2), pumice.tensor([[1., 2.], [3., 4.]]), pumice.ones(2))
    tensor([4., 8.])
    """
    product = _ranked("addmv", mat, 2, vec, 1, True)
    return wrap(_scaled_sum(tensor_node("addmv", input), product, mat.dtype, beta, alpha))


@inplace_method
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1
) -> Tensor:
    """Return ``beta * input + alpha * (batch1 @ batch2)`` for stacks of matrices.

    Examples
    --------
    >>> pumice.baddbmm(pumice.ones(1, 1, 1), pumice.ones(1, 1, 3), pumice.ones(1, 3, 1)).item()
    4.0
    """
    product = _ranked("baddbmm", batch1, 3, batch2, 3, True)
    return wrap(_scaled_sum(tensor_node("baddbmm", input), product, batch1.dtype, beta, alpha))


@inplace_method
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1
) -> Tensor:
    """Return ``beta * input + alpha * sum(batch1 @ batch2)`` over stacks of matrices.

    Examples
    --------
    >>> pumice.addbmm(pumice.ones(1, 1), pumice.ones(2, 1, 3), pumice.ones(2, 3, 1)).item()
    7.0
    """
    products = _ranked("addbmm", batch1, 3, batch2, 3, True)
    total = build.cast(build.reduce(reduction.SUM, products, (0,)), products.dtype)
    product = build.reshape(total, products.shape[1:])
    return wrap(_scaled_sum(tensor_node("addbmm", input), product, batch1.dtype, beta, alpha))


@inplace_method
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1
) -> Tensor:
    """Return ``beta * input + alpha * outer(vec1, vec2)``.

    Examples
    --------
    >>> pumice.addr(pumice.ones(2, 2), pumice.tensor([1., 2.]), pumice.tensor([3., 4.])).tolist()
    [[4.0, 5.0], [7.0, 9.0]]
    """
    left, right = (_vector(each, name) for each, name in ((vec1, "vec1"), (vec2, "vec2")))
    kind = build.result_type(left, right)
    product = call("mul", build.reshape(widened(left), (left.numel, 1)), widened(right))
    return wrap(_scaled_sum(tensor_node("addr", input), product, kind, beta, alpha))


def _vector(value: Tensor, name: str) -> Node:
    node = tensor_node("addr", value, name)
    if len(node.shape) != 1:
        raise ShapeError(describe("addr", f"'{name}' has shape {list(node.shape)}", "one axis"))
    return node
