"""Triangular systems, and the factorisations into triangles: LU and Cholesky.

`TRIANGULAR` solves ``A X = B`` for matrices of which one triangle is read. `LU` gives
``A[permutation] = L U`` with the largest pivots of each column, `CHOLESKY` gives ``A = L L.T``.
Both are packed (`ops.matrices.Packing`). `PERMUTATION` turns exchanges of rows, one after the other
and counted from 1, into the order of the rows that results; its argument is their number.
"""

from dataclasses import dataclass
from typing import Any

from pumice.ops.definition import Structural, register
from pumice.ops.matrices import (
    Packing,
    columns_of,
    lower,
    on_diagonal,
    part,
    picked_rows,
    product,
    rows_of,
    swapped,
    upper,
)
from pumice.ops.view import Shape


@dataclass(frozen=True, slots=True)
class Triangle:
    """Which triangle of a matrix is read, and whether ones stand for its diagonal."""

    lower: bool
    unit: bool


def lu_packing(shape: Shape) -> Packing:
    """Return the parts of the factors of matrices of a shape.

    `permutation` names the row of A that became row i, `inverse` is its inverse, and `pivots`
    counts as LAPACK's does: row i was exchanged with row ``pivots[i] - 1``. `problem` is the
    number, from 1, of the first column whose pivot is 0; `sign` that of the permutation.
    """
    rows, columns = shape[-2:]
    return Packing(
        (
            ("factors", (rows, columns)),
            ("permutation", (rows,)),
            ("inverse", (rows,)),
            ("pivots", (min(rows, columns),)),
            ("problem", ()),
            ("sign", ()),
        )
    )


def cholesky_packing(shape: Shape) -> Packing:
    """Return the parts of a Cholesky factorisation: the lower factor, the first bad minor."""
    return Packing((("factor", shape[-2:]), ("problem", ())))


def permutation_packing(rows: int) -> Packing:
    """Return the parts of what exchanges of rows make of the rows' order."""
    return Packing((("permutation", (rows,)), ("inverse", (rows,))))


# -- references -----------------------------------------------------------------------------------


def _triangular_reference(np: Any, node: Any, matrix: Any, right: Any) -> Any:
    spec, size = node.argument, node.shape[-2]
    wide, result = matrix.astype(np.float64), right.astype(np.float64)
    for row in range(size) if spec.lower else reversed(range(size)):
        known = slice(0, row) if spec.lower else slice(row + 1, size)
        done = wide[..., row : row + 1, known] @ result[..., known, :]
        rest = result[..., row, :] - done[..., 0, :]
        result[..., row, :] = rest if spec.unit else rest / wide[..., row, row, None]
    return result


def _lu_one(np: Any, matrix: Any) -> dict[str, Any]:
    factors = matrix.astype(np.float64)
    rows, columns = factors.shape
    permutation, pivots = np.arange(rows), []
    problem, sign = 0, 1.0
    for k in range(min(rows, columns)):
        best = k + int(np.argmax(np.abs(factors[k:, k])))
        pivots.append(best + 1)
        if best != k:
            sign = -sign
            factors[[k, best]] = factors[[best, k]]
            permutation[[k, best]] = permutation[[best, k]]
        if factors[k, k] == 0:
            problem = problem or k + 1
            continue
        factors[k + 1 :, k] /= factors[k, k]
        factors[k + 1 :, k + 1 :] -= np.outer(factors[k + 1 :, k], factors[k, k + 1 :])
    return {
        "factors": factors,
        "permutation": permutation,
        "inverse": np.argsort(permutation),
        "pivots": np.array(pivots),
        "problem": np.array(problem),
        "sign": np.array(sign),
    }


def _cholesky_one(np: Any, matrix: Any) -> dict[str, Any]:
    factor = np.tril(matrix.astype(np.float64))
    problem = 0
    for k in range(factor.shape[0]):
        factor[k:, k] -= factor[k:, :k] @ factor[k, :k]
        if not factor[k, k] > 0:
            problem = problem or k + 1
        factor[k:, k] /= np.sqrt(factor[k, k])
    return {"factor": factor, "problem": np.array(problem)}


def _permutation_reference(np: Any, node: Any, pivots: Any) -> Any:
    rows = node.argument
    lead = pivots.shape[:-1]
    orders = []
    for each in pivots.reshape(-1, pivots.shape[-1]):
        order = np.arange(rows)
        for row, pivot in enumerate(each):
            order[[row, pivot - 1]] = order[[pivot - 1, row]]
        orders.append(order)
    found = np.array(orders).reshape(*lead, rows)
    arrays = {"permutation": found, "inverse": np.argsort(found, axis=-1)}
    return permutation_packing(rows).pack(np, lead, arrays)


def packed_reference(np: Any, packing: Packing, one: Any, matrices: Any) -> Any:
    """Return what a function of one matrix gives for all, packed."""
    lead = matrices.shape[:-2]
    found = [one(np, each) for each in matrices.reshape(-1, *matrices.shape[-2:])]
    if not found:
        return np.zeros((*lead, packing.size))
    arrays = {name: np.stack([each[name] for each in found]) for name, _ in packing.parts}
    return packing.pack(np, lead, arrays)


# -- gradients ------------------------------------------------------------------------------------


def solved(build: Any, matrix: Any, right: Any, *, lower: bool, unit: bool = False) -> Any:
    """Return the solution of ``matrix @ X = right``."""
    return build.triangular(matrix, right, Triangle(lower, unit))


def solved_from_right(
    build: Any, matrix: Any, left: Any, *, lower: bool, unit: bool = False
) -> Any:
    """Return the solution of ``X @ matrix = left``."""
    turned = solved(build, swapped(build, matrix), swapped(build, left), lower=not lower, unit=unit)
    return swapped(build, turned)


def _triangular_gradient(g: Any, node: Any, build: Any) -> Any:
    spec, matrix = node.argument, node.sources[0]
    turned = swapped(build, matrix)
    to_right = build.triangular(turned, g, Triangle(not spec.lower, spec.unit))
    if not matrix.requires_grad:
        return (None, to_right)
    whole = -product(build, to_right, swapped(build, node))
    if spec.lower:
        return (lower(build, whole, -1 if spec.unit else 0), to_right)
    return (upper(build, whole, 1 if spec.unit else 0), to_right)


def _cholesky_gradient(g: Any, node: Any, build: Any) -> Any:
    packing = cholesky_packing(node.sources[0].shape)
    factor, to_factor = (part(build, each, packing, "factor") for each in (node, g))
    inner = lower(build, product(build, swapped(build, factor), lower(build, to_factor)))
    inner = on_diagonal(build, inner).select(inner * 0.5, inner)
    turned = swapped(build, factor)
    half = solved(build, turned, inner, lower=False)
    whole = solved_from_right(build, factor, half, lower=True)
    return ((whole + swapped(build, whole)) * 0.5,)


def _lu_gradient(g: Any, node: Any, build: Any) -> Any:
    """Split the factors where the square part ends, in the longer direction."""
    packing = lu_packing(node.sources[0].shape)
    factors, given = (part(build, each, packing, "factors") for each in (node, g))
    rows, columns = factors.shape[-2:]
    size = min(rows, columns)

    def square(matrix: Any) -> Any:
        return columns_of(build, rows_of(build, matrix, 0, size), 0, size)

    corner, to_corner = square(factors), square(given)
    unit = lower(build, corner, -1)
    unit = on_diagonal(build, unit).select(1, unit)
    upper_factor = upper(build, corner)
    below = product(build, swapped(build, unit), lower(build, to_corner, -1))
    above = product(build, upper(build, to_corner), swapped(build, upper_factor))
    turned = swapped(build, corner)
    more = None
    if columns > rows:
        wide, to_wide = (columns_of(build, each, size, columns - size) for each in (factors, given))
        below = below - product(build, to_wide, swapped(build, wide))
        more = solved(build, turned, to_wide, lower=False, unit=True)
    elif rows > columns:
        tall, to_tall = (rows_of(build, each, size, rows - size) for each in (factors, given))
        above = above - product(build, swapped(build, tall), to_tall)
        more = solved_from_right(build, turned, to_tall, lower=True)
    inner = lower(build, below, -1) + upper(build, above)
    inner = solved_from_right(build, turned, inner, lower=True)
    result = solved(build, turned, inner, lower=False, unit=True)
    if more is not None:
        axis = len(result.shape) - (1 if columns > rows else 2)
        result = build.concatenate([result, more], axis)
    return (picked_rows(build, result, part(build, node, packing, "inverse")),)


TRIANGULAR = register(
    Structural(
        name="solve_triangular", reference=_triangular_reference, gradient=_triangular_gradient
    )
)
LU = register(
    Structural(
        name="lu",
        reference=lambda np, node, x: packed_reference(np, lu_packing(x.shape), _lu_one, x),
        gradient=_lu_gradient,
    )
)
CHOLESKY = register(
    Structural(
        name="cholesky",
        reference=lambda np, node, x: packed_reference(
            np, cholesky_packing(x.shape), _cholesky_one, x
        ),
        gradient=_cholesky_gradient,
    )
)
PERMUTATION = register(
    Structural(
        name="permutation",
        reference=_permutation_reference,
        no_gradient="it holds whole numbers",
    )
)
