"""QR factorisations, eigenvalues of symmetric matrices, singular values."""

# ruff: noqa: N803 - matrices have PyTorch's names

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice.errors import (
    InvalidArgument,
    ShapeError,
    UnsupportedOperation,
    describe,
)
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.matrices import columns_of, lower, on_diagonal, part, product, upper
from pumice.ops.orthogonal import (
    EIGEN,
    QR,
    SINGULAR,
    SINGULAR_VALUES,
    Mode,
    eigen_packing,
    qr_packing,
    singular_packing,
)
from pumice.ops.solving import diagonal_of
from pumice.ops.triangular import solved
from pumice.tensor.core import wrap
from pumice.tensor.marks import linear_algebra
from pumice.tensor.matrix_operands import (
    QRResult,
    Reflections,
    SingularValues,
    SymmetricEigen,
    check_same_dtype,
    identity_like,
    matrices,
    turned,
)
from pumice.tensor.operands import tensor_node
from pumice.tensor.results import shared

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

_MODES = {"reduced": Mode.REDUCED, "complete": Mode.COMPLETE, "r": Mode.R}


def qr_parts(node: Node, mode: Mode) -> dict[str, Node]:
    """Return the parts of a QR factorisation by name."""
    packing = qr_packing(node.shape, mode)
    packed = shared(build.factored(QR, node, packing, mode))
    return {name: part(build, packed, packing, name) for name, _ in packing.parts}


@linear_algebra
def qr(A: Tensor, mode: str = "reduced") -> QRResult:
    """Return ``Q, R`` with ``A = Q @ R``, Q's columns orthonormal and R an upper triangle.

    Parameters
    ----------
    A : Tensor
        (..., m, n), float32 or float64.
    mode : str
        "reduced": Q (m, k) and R (k, n), k the smaller of both; "complete": Q (m, m) and R (m, n);
        "r": only R, and an empty Q.

    Returns
    -------
    Q, R : Tensor

    Raises
    ------
    InvalidArgument
        For another mode.
    UnsupportedOperation
        Backward through mode "r", or "complete" with more rows than columns.

    Notes
    -----
    Reflections give the diagonal of R either sign. Gradient: with ``M = R gR.T - gQ.T Q`` and the
    symmetric matrix C whose lower triangle is that of M, ``(gQ + Q C) R^-T``.

    Examples
    --------
    >>> import pumice
    >>> Q, R = pumice.linalg.qr(pumice.tensor([[3., 1.], [4., 2.]]))
    >>> R
    tensor([[-5.0000, -2.2000],
            [ 0.0000,  0.4000]])
    """
    if mode not in _MODES:
        raise InvalidArgument(
            describe("qr", f"got mode={mode!r}", "allowed are 'reduced', 'complete' and 'r'")
        )
    node = matrices("qr", A)
    parts = qr_parts(node, _MODES[mode])
    Q = parts.get("Q", build.constant(0, node.dtype, (0,), node.device))  # noqa: N806
    return QRResult(wrap(Q), wrap(parts["R"]))


def reflections(value: Tensor) -> Reflections:
    """Return the reflections that make a QR factorisation."""
    parts = qr_parts(matrices("geqrf", value), Mode.RAW)
    return Reflections(wrap(parts["factors"]), wrap(parts["tau"]))


@linear_algebra
def householder_product(A: Tensor, tau: Tensor) -> Tensor:
    """Return the first columns of a product of reflections, as `geqrf` gives them.

    Parameters
    ----------
    A : Tensor
        (..., m, n), m at least n; below its diagonal the vectors of the reflections.
    tau : Tensor
        (..., k), their factors, k at most n.

    Returns
    -------
    Tensor
        (..., m, n), columns orthonormal.

    Raises
    ------
    ShapeError
        When shapes do not fit.

    Notes
    -----
    With V the vectors, D the factors and U the upper triangle of ``V.T V`` without its diagonal, it
    is ``E - V D (1 + U D)^-1 V.T E``; the gradient follows from that.

    Examples
    --------
    >>> import pumice
    >>> A = pumice.tensor([[3., 1.], [4., 2.]])
    >>> pumice.linalg.householder_product(*pumice.geqrf(A))
    tensor([[-0.6000, -0.8000],
            [-0.8000,  0.6000]])
    """
    name = "householder_product"
    node, factors = matrices(name, A), tensor_node(name, tau, "tau")
    check_same_dtype(name, node, factors)
    rows, columns = node.shape[-2:]
    fits = factors.shape[:-1] == node.shape[:-2] and factors.shape[-1:] <= (columns,)
    if rows < columns or not factors.shape or not fits:
        raise ShapeError(
            describe(
                name,
                f"A has shape {list(node.shape)} and tau {list(factors.shape)}",
                "A must have no more columns than rows, and tau no more elements than columns",
            )
        )
    count = factors.shape[-1]
    vectors = lower(build, columns_of(build, node, 0, count), -1)
    vectors = on_diagonal(build, vectors).select(1, vectors)
    across = build.reshape(factors, (*factors.shape[:-1], 1, count))
    inner = upper(build, product(build, turned(vectors), vectors), 1)
    inner = inner * build.expand(across, inner.shape)
    inner = on_diagonal(build, inner).select(1, inner)
    unit = columns_of(build, identity_like(node, rows), 0, columns)
    right = product(build, turned(vectors), unit)
    found = solved(build, inner, right, lower=False, unit=True)
    scaled = vectors * build.expand(across, vectors.shape)
    return wrap(unit - product(build, scaled, found))


def _check_triangle(operator: str, triangle: str) -> None:
    if triangle not in ("L", "U"):
        raise InvalidArgument(
            describe(operator, f"got UPLO={triangle!r}", "allowed are 'L' and 'U'")
        )


def _eigen(operator: str, value: Tensor, triangle: str) -> tuple[Node, Node]:
    _check_triangle(operator, triangle)
    node = matrices(operator, value, square=True)
    packing = eigen_packing(node.shape)
    packed = shared(build.factored(EIGEN, node, packing, triangle == "U"))
    return part(build, packed, packing, "values"), part(build, packed, packing, "vectors")


@linear_algebra
def eigh(A: Tensor, UPLO: str = "L") -> SymmetricEigen:
    """Return eigenvalues and eigenvectors of symmetric matrices.

    Parameters
    ----------
    A : Tensor
        (..., n, n), symmetric, float32 or float64.
    UPLO : str
        Which triangle is read, "L" or "U".

    Returns
    -------
    eigenvalues, eigenvectors : Tensor
        Ascending (..., n), and orthonormal columns (..., n, n), whose signs may be either.

    Raises
    ------
    ShapeError
        When A is not square.

    Notes
    -----
    Gradient: ``V (diag(gL) + (V.T gV) / E) V.T``, where E holds the differences of eigenvalues.
    It is infinite or NaN where eigenvalues repeat and the vectors have a gradient.

    Examples
    --------
    >>> import pumice
    >>> values, vectors = pumice.linalg.eigh(pumice.tensor([[1., 0.], [0., -1.]]))
    >>> values
    tensor([-1.,  1.])
    """
    values, vectors = _eigen("eigh", A, UPLO)
    return SymmetricEigen(wrap(values), wrap(vectors))


@linear_algebra
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues of symmetric matrices, ascending; see `eigh`.

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.eigvalsh(pumice.tensor([[2., 0.], [0., 1.]]))
    tensor([1., 2.])
    """
    return wrap(_eigen("eigvalsh", A, UPLO)[0])


@linear_algebra
def eig(A: Tensor) -> SymmetricEigen:
    """Refuse: eigenvalues of general matrices are complex, which no tensor holds.

    Examples
    --------
    >>> try:
    ...     pumice.linalg.eig(pumice.eye(2))
    ... except pumice.UnsupportedOperation:
    ...     print("complex")
    complex
    """
    raise UnsupportedOperation(
        describe("eig", "results are complex", "use eigh for symmetric matrices")
    )


@linear_algebra
def eigvals(A: Tensor) -> Tensor:
    """Refuse: eigenvalues of general matrices are complex, which no tensor holds.

    Examples
    --------
    >>> try:
    ...     pumice.linalg.eigvals(pumice.eye(2))
    ... except pumice.UnsupportedOperation:
    ...     print("complex")
    complex
    """
    raise UnsupportedOperation(
        describe("eigvals", "results are complex", "use eigvalsh for symmetric matrices")
    )


def _finished(columns: Node, full: bool) -> Node:
    """Return orthonormal columns where some are 0 for want of a direction, perhaps more of them.

    Reflections leave orthonormal columns as they are but for a sign.
    """
    parts = qr_parts(columns, Mode.COMPLETE if full else Mode.REDUCED)
    Q, R = parts["Q"], parts["R"]  # noqa: N806
    count = columns.shape[-1]
    corner = build.slice_axis(R, len(R.shape) - 2, 0, count)
    sign = (diagonal_of(build, corner) < 0).select(-1, diagonal_of(build, corner).const(1))
    if Q.shape[-1] > count:
        more = build.constant(1, sign.dtype, (*sign.shape[:-1], Q.shape[-1] - count), sign.device)
        sign = build.concatenate([sign, more], len(sign.shape) - 1)
    signs = build.expand(build.reshape(sign, (*sign.shape[:-1], 1, sign.shape[-1])), Q.shape)
    return Q * signs


def singular_nodes(operator: str, node: Node, full: bool) -> tuple[Node, Node, Node]:
    """Return left vectors, values and right vectors."""
    packing = singular_packing(node.shape)
    packed = shared(build.factored(SINGULAR, build.detach(node), packing))
    left, values, right = (part(build, packed, packing, name) for name in ("U", "S", "Vh"))
    rows, columns = node.shape[-2:]
    if rows >= columns:
        left = _finished(left, full)
    else:
        right = turned(_finished(turned(right), full))
    if not node.requires_grad:
        return left, values, right
    lead = node.shape[:-2]
    packing = singular_packing(node.shape, full)
    flat = [
        build.reshape(each, (*lead, each.numel // max(values.numel // max(values.shape[-1], 1), 1)))
        for each in (left, values, right)
    ]
    whole = build.concatenate(flat, len(lead))
    carried = shared(build.solved(SINGULAR_VALUES, (whole, node), full))
    found = [part(build, carried, packing, name) for name in ("U", "S", "Vh")]
    return found[0], found[1], found[2]


@linear_algebra
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> SingularValues:
    """Return ``U, S, Vh`` with ``A = U @ diag(S) @ Vh``.

    Parameters
    ----------
    A : Tensor
        (..., m, n), float32 or float64.
    full_matrices : bool
        U (m, m) and Vh (n, n), else U (m, k) and Vh (k, n), k the smaller of both.
    driver : None
        Only None.

    Returns
    -------
    U, S, Vh : Tensor
        S descending; columns of U and rows of Vh are orthonormal, pairs of either sign.

    Raises
    ------
    UnsupportedOperation
        For another driver.

    Notes
    -----
    No gradient passes the vectors beyond k, and it is infinite or NaN where singular values repeat
    and vectors have a gradient.

    Examples
    --------
    >>> import pumice
    >>> U, S, Vh = pumice.linalg.svd(pumice.tensor([[0., 2.], [1., 0.]]))
    >>> S
    tensor([2., 1.])
    """
    if driver is not None:
        raise UnsupportedOperation(describe("svd", f"got driver={driver!r}", "leave it None"))
    left, values, right = singular_nodes("svd", matrices("svd", A), full_matrices)
    return SingularValues(wrap(left), wrap(values), wrap(right))


@linear_algebra
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """Return the singular values, descending; see `svd`.

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.svdvals(pumice.tensor([[3., 0.], [0., 4.]]))
    tensor([4., 3.])
    """
    return svd(A, False, driver=driver).S
