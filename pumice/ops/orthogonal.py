"""Factorisations with orthogonal matrices: QR, eigenvalues of symmetric matrices, singular values.

All are packed (`ops.matrices.Packing`). `QR` reflects; `EIGEN` (of the upper triangle where its
argument is True) and `SINGULAR` rotate pairs of columns until all are orthogonal. `SINGULAR` holds
the columns as rotation leaves them: those of a zero singular value are 0. `SINGULAR_VALUES` is an
identity of finished parts that carries the gradient.
"""

from enum import Enum
from typing import Any

from pumice.errors import UnsupportedOperation, describe
from pumice.ops.definition import Structural, register
from pumice.ops.matrices import (
    Packing,
    columns_of,
    lower,
    on_diagonal,
    part,
    product,
    swapped,
)
from pumice.ops.triangular import packed_reference, solved_from_right
from pumice.ops.view import Shape


class Mode(Enum):
    """Which results of a QR factorisation are wanted."""

    REDUCED = "reduced"
    COMPLETE = "complete"
    R = "r"
    RAW = "raw"  # reflections: their vectors below the diagonal, and their factors


def qr_packing(shape: Shape, mode: Mode) -> Packing:
    """Return the parts of a QR factorisation of matrices of a shape."""
    rows, columns = shape[-2:]
    size = min(rows, columns)
    match mode:
        case Mode.REDUCED:
            return Packing((("Q", (rows, size)), ("R", (size, columns))))
        case Mode.COMPLETE:
            return Packing((("Q", (rows, rows)), ("R", (rows, columns))))
        case Mode.R:
            return Packing((("R", (size, columns)),))
    return Packing((("factors", (rows, columns)), ("tau", (size,))))


def eigen_packing(shape: Shape) -> Packing:
    """Return the parts of an eigenvalue problem: ascending values, vectors as columns."""
    return Packing((("values", shape[-1:]), ("vectors", shape[-2:])))


def singular_packing(shape: Shape, full: bool = False) -> Packing:
    """Return the parts of singular values: left vectors as columns, values, right ones as rows."""
    rows, columns = shape[-2:]
    size = min(rows, columns)
    left, right = (rows, columns) if full else (size, size)
    return Packing((("U", (rows, left)), ("S", (size,)), ("Vh", (right, columns))))


# -- references -----------------------------------------------------------------------------------


def _qr_one(np: Any, matrix: Any, mode: Mode) -> dict[str, Any]:
    factors = matrix.astype(np.float64)
    rows, columns = factors.shape
    size = min(rows, columns)
    tau = np.zeros(size)
    whole = np.eye(rows)
    for j in range(size):
        column = factors[j:, j].copy()
        if np.any(column[1:] != 0):
            beta = -np.copysign(np.linalg.norm(column), column[0])
            tau[j] = (beta - column[0]) / beta
            vector = column / (column[0] - beta)
            vector[0] = 1
            factors[j:, j:] -= tau[j] * np.outer(vector, vector @ factors[j:, j:])
            whole[:, j:] -= tau[j] * np.outer(whole[:, j:] @ vector, vector)
            factors[j + 1 :, j] = vector[1:]
    kept = rows if mode is Mode.COMPLETE else size
    return {"Q": whole[:, :kept], "R": np.triu(factors[:kept]), "factors": factors, "tau": tau}


def _qr_reference(np: Any, node: Any, x: Any) -> Any:
    mode = node.argument
    packing = qr_packing(x.shape, mode)
    return packed_reference(np, packing, lambda np, each: _qr_one(np, each, mode), x)


def _eigen_reference(np: Any, node: Any, x: Any) -> Any:
    triangle = "U" if node.argument else "L"

    def one(np: Any, matrix: Any) -> dict[str, Any]:
        values, vectors = np.linalg.eigh(matrix.astype(np.float64), triangle)
        return {"values": values, "vectors": vectors}

    return packed_reference(np, eigen_packing(x.shape), one, x)


def _singular_one(np: Any, matrix: Any) -> dict[str, Any]:
    left, values, right = np.linalg.svd(matrix.astype(np.float64), full_matrices=False)
    return {"U": left, "S": values, "Vh": right}


# -- gradients ------------------------------------------------------------------------------------


def _qr_gradient(g: Any, node: Any, build: Any) -> Any:
    matrix, mode = node.sources[0], node.argument
    rows, columns = matrix.shape[-2:]
    if mode in (Mode.R, Mode.RAW) or (mode is Mode.COMPLETE and rows > columns):
        raise UnsupportedOperation(
            describe(
                "qr",
                f"there is no gradient of mode {mode.value!r} for matrices of shape "
                f"{[rows, columns]}",
                "use mode 'reduced'",
            )
        )
    packing = qr_packing(matrix.shape, mode)
    Q, R = (part(build, node, packing, name) for name in "QR")  # noqa: N806
    to_q, to_r = (part(build, g, packing, name) for name in "QR")
    size = min(rows, columns)
    more = None
    if columns > rows:
        rest, to_rest = (columns_of(build, each, size, columns - size) for each in (matrix, to_r))
        to_q = to_q + product(build, rest, swapped(build, to_rest))
        more = product(build, Q, to_rest)
        R, to_r = (columns_of(build, each, 0, size) for each in (R, to_r))  # noqa: N806
    inner = product(build, R, swapped(build, to_r)) - product(build, swapped(build, to_q), Q)
    below = lower(build, inner)
    mirrored = below + swapped(build, lower(build, inner, -1))
    whole = to_q + product(build, Q, mirrored)
    result = solved_from_right(build, swapped(build, R), whole, lower=True)
    if more is not None:
        result = build.concatenate([result, more], len(result.shape) - 1)
    return (result,)


def _divided(build: Any, above: Any, below: Any) -> Any:
    """Return a quotient that is 0 where the numerator is."""
    both = above.eq(0) & below.eq(0)
    return above / both.select(1, below)


def _along(build: Any, values: Any, shape: Shape, columns: bool) -> Any:
    """Return a value for each column, or each row, in the shape of matrices."""
    count = values.shape[-1]
    flat = (*values.shape[:-1], *((1, count) if columns else (count, 1)))
    return build.expand(build.reshape(values, flat), shape)


def _gaps(build: Any, values: Any, shape: Shape) -> Any:
    """Return values of the column minus values of the row, 1 on the diagonal."""
    gaps = _along(build, values, shape, True) - _along(build, values, shape, False)
    return on_diagonal(build, gaps).select(1, gaps)


def _eigen_gradient(g: Any, node: Any, build: Any) -> Any:
    packing = eigen_packing(node.sources[0].shape)
    values, vectors = (part(build, node, packing, name) for name in ("values", "vectors"))
    to_values, to_vectors = (part(build, g, packing, name) for name in ("values", "vectors"))
    inner = product(build, swapped(build, vectors), to_vectors)
    diagonal = on_diagonal(build, inner)
    inner = diagonal.select(0, inner)
    inner = _divided(build, inner, _gaps(build, values, inner.shape))
    inner = diagonal.select(_along(build, to_values, inner.shape, True), inner)
    whole = product(build, product(build, vectors, inner), swapped(build, vectors))
    return ((whole + swapped(build, whole)) * 0.5,)


def _singular_gradient(g: Any, node: Any, build: Any) -> Any:
    """Vectors beyond the singular values are any completion, so no gradient passes them."""
    shape = node.sources[1].shape
    packing = singular_packing(shape, node.argument)
    rows, columns = shape[-2:]
    size = min(rows, columns)
    names = ("U", "S", "Vh")
    left, values, right = (part(build, node, packing, name) for name in names)
    to_left, to_values, to_right = (part(build, g, packing, name) for name in names)
    left, to_left = (columns_of(build, each, 0, size) for each in (left, to_left))
    right, to_right = (
        columns_of(build, swapped(build, each), 0, size) for each in (right, to_right)
    )
    square = (*shape[:-2], size, size)
    across, down = _along(build, values, square, True), _along(build, values, square, False)
    gaps = _gaps(build, values, square) * (across + down)
    gaps = on_diagonal(build, gaps).select(1, gaps)
    on_left, on_right = (
        product(build, swapped(build, each), given)
        for each, given in ((left, to_left), (right, to_right))
    )
    turned_left, turned_right = (
        _divided(build, each - swapped(build, each), gaps) for each in (on_left, on_right)
    )
    inner = turned_left * across + down * turned_right
    inner = on_diagonal(build, inner).select(_along(build, to_values, square, True), inner)
    result = product(build, product(build, left, inner), swapped(build, right))
    if rows > size:
        rest = to_left - product(build, left, on_left)
        rest = _divided(build, rest, _along(build, values, rest.shape, True))
        result = result + product(build, rest, swapped(build, right))
    if columns > size:
        rest = to_right - product(build, right, on_right)
        rest = _divided(build, rest, _along(build, values, rest.shape, True))
        result = result + product(build, left, swapped(build, rest))
    return (None, result)


QR = register(Structural(name="qr", reference=_qr_reference, gradient=_qr_gradient))
EIGEN = register(Structural(name="eigh", reference=_eigen_reference, gradient=_eigen_gradient))
SINGULAR = register(
    Structural(
        name="singular_columns",
        reference=lambda np, node, x: packed_reference(
            np, singular_packing(x.shape), _singular_one, x
        ),
        no_gradient="the singular values made of it have one",
    )
)
SINGULAR_VALUES = register(
    Structural(name="svd", reference=lambda np, node, x, matrix: x, gradient=_singular_gradient)
)
