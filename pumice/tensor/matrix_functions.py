"""Functions of whole matrices: powers, the exponential, products of several."""

# ruff: noqa: N803 - matrices have PyTorch's names

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial, prod
from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.matrices import product
from pumice.ops.solving import solution
from pumice.tensor.core import wrap
from pumice.tensor.marks import linear_algebra, method
from pumice.tensor.matrix_operands import identity_like, matrices
from pumice.tensor.operands import call, tensor_node
from pumice.tensor.products import matmul as _matmul
from pumice.tensor.products import matmul_node
from pumice.tensor.slicing import diagonal as _diagonal
from pumice.tensor.solving import inv, lu_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

MOST_SQUARINGS = 20
DEGREE = 13
_NUMERATOR = tuple(
    comb(DEGREE, k) * factorial(2 * DEGREE - k) / factorial(2 * DEGREE) for k in range(DEGREE + 1)
)
"""Coefficients of the numerator of the rational function of this degree nearest to exp at 0."""
_RADIUS = 4.25
"""Norms up to which it is exact to double precision."""


@linear_algebra
def matrix_power(A: Tensor, n: int) -> Tensor:
    """Return square matrices multiplied by themselves; a negative power inverts first.

    Parameters
    ----------
    A : Tensor
        (..., n, n).
    n : int
        The power; 0 gives unit matrices.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When A is not square.

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.matrix_power(pumice.tensor([[1., 1.], [0., 1.]]), 5)
    tensor([[1., 5.],
            [0., 1.]])
    """
    node = tensor_node("matrix_power", A, "A")
    if len(node.shape) < 2 or node.shape[-1] != node.shape[-2]:
        raise ShapeError(
            describe(
                "matrix_power",
                f"A has shape {list(node.shape)}",
                "its matrices must be square: the last two axes must be equal",
            )
        )
    if n < 0:
        node, n = inv(A).node, -n
    if not n:
        return wrap(identity_like(node, node.shape[-1]))
    result: Node | None = None
    while True:
        if n & 1:
            result = node if result is None else matmul_node("matrix_power", result, node)
        n >>= 1
        if not n:
            break
        node = matmul_node("matrix_power", node, node)
    assert result is not None
    return wrap(result)


@method
@linear_algebra
def matrix_exp(A: Tensor) -> Tensor:
    """Return the exponential of square matrices.

    Parameters
    ----------
    A : Tensor
        (..., n, n), floating.

    Returns
    -------
    Tensor

    Notes
    -----
    A rational function of degree 13 of ``A / 2**s``, squared s times. s is at most 20, so norms
    above four million lose accuracy beyond what rounding A costs.

    Examples
    --------
    >>> import pumice
    >>> pumice.matrix_exp(pumice.tensor([[0., 1.], [0., 0.]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    given = tensor_node("matrix_exp", A, "A")
    half = given.dtype in (dtypes.float16, dtypes.bfloat16)
    node = matrices(
        "matrix_exp", wrap(build.cast(given, dtypes.float32)) if half else A, square=True
    )
    if not node.numel:
        return wrap(given)
    rank = len(node.shape)
    sums = build.reduce(reduction.SUM, build.detach(call("abs", node)), (rank - 2,))
    size = build.reduce(reduction.AMAX, sums, (rank - 1,))
    steps = call("ceil", call("log2", call("clamp_min", size / _RADIUS, 1.0)))
    steps = call("clamp_max", steps, float(MOST_SQUARINGS))
    small = node * build.expand(call("exp2", -steps), node.shape)
    result = _rational(small)
    for number in range(MOST_SQUARINGS):
        again = build.expand(steps > float(number), node.shape)
        result = again.select(product(build, result, result), result)
    return wrap(build.cast(result, given.dtype))


def _rational(node: Node) -> Node:
    """Return ``q(-A)^-1 q(A)`` from even and odd powers."""
    unit = identity_like(node, node.shape[-1])
    second = product(build, node, node)
    fourth = product(build, second, second)
    sixth = product(build, fourth, second)
    powers = (unit, second, fourth, sixth)

    def half(start: int) -> Node:
        """Sum the terms whose power is even (0) or odd (1), the latter without a factor A."""
        low = [powers[k] * _NUMERATOR[2 * k + start] for k in range(4)]
        high = [powers[k] * _NUMERATOR[6 + 2 * k + start] for k in range(1, 4)]
        outer = product(build, sixth, high[0] + high[1] + high[2])
        total: Node = low[0] + low[1] + low[2] + low[3] + outer
        return total

    even, odd = half(0), product(build, node, half(1))
    found: Node = solution(build, even - odd, even + odd, lu_node(even - odd))
    return found


@linear_algebra
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Return the product of several matrices, in the order that takes the fewest operations.

    Parameters
    ----------
    tensors : sequence of Tensor
        At least two; 2-D, the first and the last may be 1-D: a row and a column.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        For fewer than two tensors.
    ShapeError
        When another one is not 2-D, or sizes differ.

    Examples
    --------
    >>> import pumice
    >>> ones = pumice.ones(2, 2)
    >>> pumice.linalg.multi_dot([ones, ones, ones])
    tensor([[4., 4.],
            [4., 4.]])
    """
    name = "multi_dot"
    nodes = [tensor_node(name, each, "tensors") for each in tensors]
    if len(nodes) < 2:
        raise InvalidArgument(describe(name, f"got {len(nodes)} tensors", "it takes at least 2"))
    row, column = len(nodes[0].shape) == 1, len(nodes[-1].shape) == 1
    if row:
        nodes[0] = build.reshape(nodes[0], (1, nodes[0].numel))
    if column:
        nodes[-1] = build.reshape(nodes[-1], (nodes[-1].numel, 1))
    for place, node in enumerate(nodes):
        if len(node.shape) != 2:
            raise ShapeError(
                describe(name, f"tensor {place} has shape {list(node.shape)}", "it must be 2-D")
            )
        if place and nodes[place - 1].shape[1] != node.shape[0]:
            raise ShapeError(
                describe(
                    name,
                    f"tensors {place - 1} and {place} have shapes "
                    f"{list(nodes[place - 1].shape)} and {list(node.shape)}",
                    "columns of one must be the rows of the next",
                )
            )
    result = _chain(nodes)
    first, last = result.shape
    return wrap(
        build.reshape(result, ((first,) if not row else ()) + ((last,) if not column else ()))
    )


def _chain(nodes: list[Node]) -> Node:
    """Multiply neighbours in the cheapest order."""
    count = len(nodes)
    sizes = [node.shape[0] for node in nodes] + [nodes[-1].shape[1]]
    cost = {(at, at): 0 for at in range(count)}
    cut: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for start in range(count - length):
            end = start + length
            ways = {
                at: cost[start, at]
                + cost[at + 1, end]
                + sizes[start] * sizes[at + 1] * sizes[end + 1]
                for at in range(start, end)
            }
            cut[start, end] = min(ways, key=lambda at: ways[at])
            cost[start, end] = ways[cut[start, end]]

    def multiplied(start: int, end: int) -> Node:
        if start == end:
            return nodes[start]
        at = cut[start, end]
        return matmul_node("multi_dot", multiplied(start, at), multiplied(at + 1, end))

    return multiplied(0, count - 1)


@linear_algebra
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the matrix product, as `pumice.matmul` does.

    Examples
    --------
    >>> pumice.linalg.matmul(pumice.tensor([[1., 2.]]), pumice.tensor([[3.], [4.]]))
    tensor([[11.]])
    """
    return _matmul(input, other)


@linear_algebra
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return a diagonal of the last two axes, or of two others.

    Examples
    --------
    >>> pumice.linalg.diagonal(pumice.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    return _diagonal(A, offset, dim1, dim2)


@linear_algebra
def vander(x: Tensor, N: int | None = None) -> Tensor:
    """Return matrices whose columns are the powers of vectors, from 0 on.

    Parameters
    ----------
    x : Tensor
        (..., n); integers give int64.
    N : int, optional
        How many powers; n by default.

    Returns
    -------
    Tensor
        (..., n, N).

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.vander(pumice.tensor([2., 3.]), 3)
    tensor([[1., 2., 4.],
            [1., 3., 9.]])
    """
    node = tensor_node("vander", x, "x")
    if node.dtype.is_integral:
        node = build.cast(node, dtypes.int64)
    node = node if node.shape else build.reshape(node, (1,))
    count = node.shape[-1] if N is None else N
    if count <= 0:
        raise InvalidArgument(describe("vander", f"got N={N}", "it must be positive"))
    column = build.reshape(node, (*node.shape, 1))
    parts = [column.const(1)]
    for _ in range(1, count):
        parts.append(call("mul", parts[-1], column))
    return wrap(build.concatenate(parts, len(node.shape)))


@linear_algebra
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """Return the inverse of a tensor seen as a matrix: its first ``ind`` axes by the others.

    Raises
    ------
    ShapeError
        When the matrix is not square.

    Examples
    --------
    >>> pumice.linalg.tensorinv(2 * pumice.eye(4).reshape(2, 2, 2, 2)).shape
    (2, 2, 2, 2)
    """
    shape = A.shape
    if ind <= 0:
        raise InvalidArgument(describe("tensorinv", f"got ind={ind}", "it must be positive"))
    rows, columns = prod(shape[:ind]), prod(shape[ind:])
    if rows != columns:
        raise ShapeError(
            describe(
                "tensorinv",
                f"A has shape {list(shape)} and ind={ind}",
                "the axes before and from ind on must have equally many elements",
            )
        )
    return inv(A.reshape(rows, columns)).reshape(*shape[ind:], *shape[:ind])
