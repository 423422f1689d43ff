"""Systems of linear equations: triangular ones, LU factors, solutions and inverses."""

# ruff: noqa: N803 - matrices have PyTorch's names

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.errors import DTypeError, ShapeError, UnsupportedOperation, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.matrices import columns_of, lower, on_diagonal, part, picked_rows, rows_of, upper
from pumice.ops.solving import solution
from pumice.ops.triangular import (
    LU,
    PERMUTATION,
    lu_packing,
    permutation_packing,
    solved,
    solved_from_right,
)
from pumice.tensor.core import wrap
from pumice.tensor.marks import linear_algebra
from pumice.tensor.matrix_operands import (
    InverseInfo,
    LUFactors,
    LUFactorsInfo,
    LUResult,
    ResultInfo,
    batched,
    check_rows,
    check_same_dtype,
    checked,
    identity_like,
    matrices,
    turned,
    with_columns,
)
from pumice.tensor.operands import tensor_node
from pumice.tensor.results import shared

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def lu_node(node: Node) -> Node:
    """Return packed LU factors."""
    return shared(build.factored(LU, node, lu_packing(node.shape)))


def _part(packed: Node, matrix: Node, name: str) -> Node:
    found: Node = part(build, packed, lu_packing(matrix.shape), name)
    return found


def _info(packed: Node, matrix: Node) -> Node:
    return build.cast(_part(packed, matrix, "problem"), dtypes.int32)


def _check_pivot(operator: str, pivot: bool) -> None:
    if not pivot:
        raise UnsupportedOperation(
            describe(operator, "pivot=False is not supported", "leave it True")
        )


@linear_algebra
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """Solve ``A X = B`` for matrices of which one triangle is read.

    Parameters
    ----------
    A : Tensor
        (..., n, n), float32 or float64.
    B : Tensor
        (..., n, k), or (..., k, n) with ``left=False``; leading axes broadcast.
    upper : bool
        Read the upper triangle, else the lower one.
    left : bool
        Solve ``X A = B`` when False.
    unitriangular : bool
        Take ones for the diagonal.

    Returns
    -------
    Tensor
        A zero on the diagonal gives infinities or NaN.

    Raises
    ------
    ShapeError
        When A is not square or B does not fit.
    DTypeError
        For other or different dtypes.

    Notes
    -----
    With ``G`` the solution of ``A.T G = g``, the gradients are ``G`` and the triangle of
    ``-G X.T``.

    Examples
    --------
    >>> import pumice
    >>> A = pumice.tensor([[2., 0.], [1., 4.]])
    >>> pumice.linalg.solve_triangular(A, pumice.tensor([[2.], [9.]]), upper=False)
    tensor([[1.],
            [2.]])
    """
    name = "solve_triangular"
    matrix, right = matrices(name, A, square=True), matrices(name, B, "B")
    check_same_dtype(name, matrix, right)
    check_rows(name, matrix, right, left)
    matrix, right = batched(name, matrix, right)
    solver = solved if left else solved_from_right
    return wrap(solver(build, matrix, right, lower=not upper, unit=unitriangular))


@linear_algebra
def lu_factor(A: Tensor, *, pivot: bool = True) -> LUFactors:
    """Return LU factors with exchanges of rows, in the form `lu_solve` takes.

    Parameters
    ----------
    A : Tensor
        (..., m, n), float32 or float64.
    pivot : bool
        Only True.

    Returns
    -------
    LU, pivots : Tensor
        Both factors in one matrix, L's ones left out; row i was exchanged with row
        ``pivots[i] - 1`` (int32).

    Raises
    ------
    LinAlgError
        When it is computed and a pivot is 0.

    Examples
    --------
    >>> import pumice
    >>> LU, pivots = pumice.linalg.lu_factor(pumice.tensor([[1., 2.], [4., 4.]]))
    >>> LU, pivots
    (tensor([[4.0000, 4.0000],
            [0.2500, 1.0000]]), tensor([2, 2], dtype=pumice.int32))
    """
    _check_pivot("lu_factor", pivot)
    found = lu_factor_ex(A, check_errors=True)
    return LUFactors(found.LU, found.pivots)


@linear_algebra
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> LUFactorsInfo:
    """Return LU factors as `lu_factor` does, and the number of the first pivot that is 0, or 0.

    Examples
    --------
    >>> pumice.linalg.lu_factor_ex(pumice.tensor([[0., 2.], [4., 1.]])).pivots
    tensor([2, 2], dtype=pumice.int32)
    """
    _check_pivot("lu_factor_ex", pivot)
    node = matrices("lu_factor", A)
    packed = lu_node(node)
    factors = _part(packed, node, "factors")
    if check_errors:
        factors = checked("lu_factor", factors, _part(packed, node, "problem"))
    pivots = build.cast(_part(packed, node, "pivots"), dtypes.int32)
    return LUFactorsInfo(wrap(factors), wrap(pivots), wrap(_info(packed, node)))


def _unit_lower(factors: Node) -> Node:
    size = min(factors.shape[-2:])
    below = lower(build, columns_of(build, factors, 0, size), -1)
    return on_diagonal(build, below).select(1, below)  # type: ignore[no-any-return]


def _upper(factors: Node) -> Node:
    found: Node = upper(build, rows_of(build, factors, 0, min(factors.shape[-2:])))
    return found


def _permutation_matrix(inverse: Node, like: Node) -> Node:
    rows = inverse.shape[-1]
    shape = (*inverse.shape, rows)
    place = build.expand(build.reshape(inverse, (*inverse.shape, 1)), shape)
    column = build.expand(build.iota((1, rows), like.device), shape)
    return build.cast(build.cast(place, dtypes.int64).eq(column), like.dtype)


@linear_algebra
def lu(A: Tensor, *, pivot: bool = True) -> LUResult:
    """Return ``P, L, U`` with ``A = P @ L @ U``.

    Parameters
    ----------
    A : Tensor
        (..., m, n), float32 or float64.
    pivot : bool
        Only True.

    Returns
    -------
    P, L, U : Tensor
        A permutation (m, m), a lower triangle with ones on its diagonal, an upper triangle.

    Examples
    --------
    >>> import pumice
    >>> P, L, U = pumice.linalg.lu(pumice.tensor([[1., 2.], [4., 4.]]))
    >>> P @ L @ U
    tensor([[1., 2.],
            [4., 4.]])
    """
    _check_pivot("lu", pivot)
    node = matrices("lu", A)
    packed = lu_node(node)
    factors = _part(packed, node, "factors")
    inverse = build.detach(_part(packed, node, "inverse"))
    return LUResult(
        wrap(_permutation_matrix(inverse, node)), wrap(_unit_lower(factors)), wrap(_upper(factors))
    )


def _orders(operator: str, pivots: Tensor, rows: int) -> tuple[Node, Node]:
    """Return the permutation that exchanges of rows make, and its inverse."""
    node = tensor_node(operator, pivots, "pivots")
    if node.dtype is not dtypes.int32:
        raise DTypeError(describe(operator, f"pivots are {node.dtype.name}", "they must be int32"))
    packing = permutation_packing(rows)
    shape = (*node.shape[:-1], packing.size)
    packed = shared(Node(PERMUTATION, dtypes.int32, shape, (node,), rows))
    found = [part(build, packed, packing, name) for name in ("permutation", "inverse")]
    return found[0], found[1]


def unpacked(operator: str, factors: Node, pivots: Tensor) -> tuple[Node, Node, Node]:
    """Return P, L and U from what `lu_factor` gives."""
    _, inverse = _orders(operator, pivots, factors.shape[-2])
    return _permutation_matrix(inverse, factors), _unit_lower(factors), _upper(factors)


@linear_algebra
def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False
) -> Tensor:
    """Solve ``A X = B`` from what `lu_factor` gave for A.

    Parameters
    ----------
    LU, pivots : Tensor
        (..., n, n) and (..., n).
    B : Tensor
        (..., n, k), or (..., k, n) with ``left=False``.
    left : bool
        Solve ``X A = B`` when False.
    adjoint : bool
        Solve with the transposed matrices.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> A = pumice.tensor([[1., 2.], [4., 4.]])
    >>> pumice.linalg.lu_solve(*pumice.linalg.lu_factor(A), pumice.tensor([[5.], [12.]]))
    tensor([[1.],
            [2.]])
    """
    name = "lu_solve"
    factors, right = matrices(name, LU, "LU", square=True), matrices(name, B, "B")
    check_same_dtype(name, factors, right)
    check_rows(name, factors, right, left)
    permutation, inverse = _orders(name, pivots, factors.shape[-2])
    if permutation.shape != factors.shape[:-1]:
        raise ShapeError(
            describe(
                name,
                f"LU has shape {list(factors.shape)} and pivots {list(pivots.shape)}",
                "pivots must have LU's shape without the last axis",
            )
        )
    if not left:
        right, adjoint = turned(right), not adjoint
    factors, right = batched(name, factors, right)
    lead = (*factors.shape[:-2], factors.shape[-1])
    if adjoint:
        back = turned(factors)
        middle = solved(build, back, right, lower=True)
        last = solved(build, back, middle, lower=False, unit=True)
        result = picked_rows(build, last, build.expand(inverse, lead))
    else:
        ordered = picked_rows(build, right, build.expand(permutation, lead))
        middle = solved(build, factors, ordered, lower=True, unit=True)
        result = solved(build, factors, middle, lower=False)
    return wrap(result if left else turned(result))


@linear_algebra
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Solve ``A X = B``.

    Parameters
    ----------
    A : Tensor
        (..., n, n), float32 or float64.
    B : Tensor
        (..., n, k), or (..., n): a vector when it has one axis, or A's shape without the last.
    left : bool
        Solve ``X A = B`` when False.

    Returns
    -------
    Tensor

    Raises
    ------
    LinAlgError
        When it is computed and a matrix is singular.
    ShapeError
        When A is not square or B does not fit.
    DTypeError
        For other or different dtypes.

    Notes
    -----
    With ``G`` the solution of ``A.T G = g``, the gradients are ``-G X.T`` and ``G``.

    Examples
    --------
    >>> import pumice
    >>> A = pumice.tensor([[3., 1.], [1., 2.]])
    >>> pumice.linalg.solve(A, pumice.tensor([9., 8.]))
    tensor([2., 3.])
    """
    return solve_ex(A, B, left=left, check_errors=True).result


@linear_algebra
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> ResultInfo:
    """Solve as `solve` does; `info` numbers the first pivot that is 0, or is 0.

    Examples
    --------
    >>> pumice.linalg.solve_ex(pumice.tensor([[2., 0.], [0., 4.]]), pumice.tensor([2., 4.])).result
    tensor([1., 1.])
    """
    name = "solve"
    matrix, right = matrices(name, A, square=True), tensor_node(name, B, "B")
    check_same_dtype(name, matrix, right)
    right, vector = with_columns(name, matrix, right)
    if not left and not vector:
        right = turned(right)
    if right.shape[-2] != matrix.shape[-1]:
        check_rows(name, matrix, right if left else turned(right), left)
    packed = lu_node(matrix)
    info = _info(packed, matrix)
    problem = _part(packed, matrix, "problem")
    lead = build.broadcast_shapes(name, matrix.shape[:-2], right.shape[:-2])
    matrix, right = batched(name, matrix, right)
    packed = build.expand(packed, (*lead, packed.shape[-1]))
    result: Node = solution(build, matrix, right, packed, transposed=not left)
    if check_errors:
        result = checked(name, result, build.expand(problem, lead))
    if vector:
        result = build.reshape(result, result.shape[:-1])
    elif not left:
        result = turned(result)
    return ResultInfo(wrap(result), wrap(info))


@linear_algebra
def inv(A: Tensor) -> Tensor:
    """Return the inverse.

    Parameters
    ----------
    A : Tensor
        (..., n, n), float32 or float64.

    Returns
    -------
    Tensor

    Raises
    ------
    LinAlgError
        When it is computed and a matrix is singular.

    Notes
    -----
    Gradient: ``-X.T g X.T``.

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.inv(pumice.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inv_ex(A, check_errors=True).inverse


@linear_algebra
def inv_ex(A: Tensor, *, check_errors: bool = False) -> InverseInfo:
    """Invert as `inv` does; `info` numbers the first pivot that is 0, or is 0.

    Examples
    --------
    >>> pumice.linalg.inv_ex(pumice.tensor([[2., 0.], [0., 4.]])).inverse
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    matrix = matrices("inv", A, square=True)
    packed = lu_node(matrix)
    result: Node = solution(build, matrix, identity_like(matrix, matrix.shape[-1]), packed)
    if check_errors:
        result = checked("inv", result, _part(packed, matrix, "problem"))
    return InverseInfo(wrap(result), wrap(_info(packed, matrix)))
