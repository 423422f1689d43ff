"""Operands of linear algebra, their checks, and the named results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pumice import dtypes
from pumice.errors import DTypeError, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.matrices import CHECKED_ENTRIES, swapped
from pumice.ops.view import Shape
from pumice.tensor.operands import tensor_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

ALLOWED = (dtypes.float32, dtypes.float64)


class LUResult(NamedTuple):
    """``A = P @ L @ U``."""

    P: Tensor
    L: Tensor
    U: Tensor


class LUFactors(NamedTuple):
    """Both factors in one matrix, and the exchanges of rows."""

    LU: Tensor
    pivots: Tensor


class LUFactorsInfo(NamedTuple):
    """Both factors in one matrix, the exchanges of rows, and which pivot is 0."""

    LU: Tensor
    pivots: Tensor
    info: Tensor


class ResultInfo(NamedTuple):
    """A solution, and which pivot is 0."""

    result: Tensor
    info: Tensor


class InverseInfo(NamedTuple):
    """An inverse, and which pivot is 0."""

    inverse: Tensor
    info: Tensor


class CholeskyInfo(NamedTuple):
    """A factor, and the order of the first leading minor that is not positive."""

    L: Tensor
    info: Tensor


class SignLogarithm(NamedTuple):
    """The sign of a determinant and the logarithm of its size."""

    sign: Tensor
    logabsdet: Tensor


class QRResult(NamedTuple):
    """``A = Q @ R``."""

    Q: Tensor
    R: Tensor


class Reflections(NamedTuple):
    """Vectors of reflections below the diagonal of R, and their factors."""

    a: Tensor
    tau: Tensor


class SymmetricEigen(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class SingularValues(NamedTuple):
    """``A = U @ diag(S) @ Vh``."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class SingularColumns(NamedTuple):
    """``A = U @ diag(S) @ V.T``."""

    U: Tensor
    S: Tensor
    V: Tensor


class LeastSquares(NamedTuple):
    """Solutions, what is left of the right sides, ranks and singular values."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


class TriangularSolution(NamedTuple):
    """The solution, and the matrix."""

    solution: Tensor
    cloned_coefficient: Tensor


def matrices(operator: str, value: Any, name: str = "A", *, square: bool = False) -> Node:
    """Return the node of a tensor of matrices in a type that linear algebra takes."""
    node = tensor_node(operator, value, name)
    if len(node.shape) < 2:
        raise ShapeError(
            describe(operator, f"{name} has shape {list(node.shape)}", "it needs at least 2 axes")
        )
    check_dtype(operator, node, name)
    if square and node.shape[-1] != node.shape[-2]:
        raise ShapeError(
            describe(
                operator,
                f"{name} has shape {list(node.shape)}",
                "its matrices must be square: the last two axes must be equal",
            )
        )
    return node


def check_dtype(operator: str, node: Node, name: str) -> None:
    """Refuse types that torch refuses."""
    if node.dtype not in ALLOWED:
        raise DTypeError(
            describe(operator, f"{name} is {node.dtype.name}", "allowed are float32 and float64")
        )


def check_same_dtype(operator: str, first: Node, second: Node) -> None:
    """Refuse operands of two types."""
    if first.dtype is not second.dtype:
        raise DTypeError(
            describe(
                operator,
                f"the operands are {first.dtype.name} and {second.dtype.name}",
                "convert one with .to()",
            )
        )


def batched(operator: str, *nodes: Node) -> tuple[Node, ...]:
    """Return nodes whose axes before the last two are broadcast."""
    lead = build.broadcast_shapes(operator, *(node.shape[:-2] for node in nodes))
    return tuple(build.expand(node, (*lead, *node.shape[-2:])) for node in nodes)


def turned(node: Node) -> Node:
    """Return the transposed matrices."""
    result: Node = swapped(build, node)
    return result


def identity_like(node: Node, rows: int) -> Node:
    """Return unit matrices with the leading axes, dtype and device of a node."""
    place = build.iota((rows, 1), node.device), build.iota((1, rows), node.device)
    unit = build.cast(place[0].eq(place[1]), node.dtype)
    return build.expand(unit, (*node.shape[:-2], rows, rows))


def checked(operator: str, value: Node, problem: Node) -> Node:
    """Return a value that raises when it is computed where there was a problem."""
    extra = len(value.shape) - len(problem.shape)
    shaped = build.reshape(problem, (*problem.shape, *(1,) * extra))
    return build.elementwise(
        CHECKED_ENTRIES[operator], value, build.expand(build.detach(shaped), value.shape)
    )


def with_columns(operator: str, matrix: Node, right: Node) -> tuple[Node, bool]:
    """Return the right sides as matrices, and whether they were vectors, as torch decides."""
    shape: Shape = right.shape
    vector = len(shape) == 1 or (len(shape) == len(matrix.shape) - 1 and shape == matrix.shape[:-1])
    if not shape:
        raise ShapeError(describe(operator, "B has no axes", "it must be a vector or a matrix"))
    return (build.reshape(right, (*shape, 1)) if vector else right), vector


def check_rows(operator: str, matrix: Node, right: Node, left: bool) -> None:
    """Refuse right sides that do not fit a matrix."""
    extent = right.shape[-2] if left else right.shape[-1]
    if extent != matrix.shape[-1]:
        side = "rows" if left else "columns"
        raise ShapeError(
            describe(
                operator,
                f"A has shape {list(matrix.shape)} and B {list(right.shape)}",
                f"B must have as many {side} as A",
            )
        )
