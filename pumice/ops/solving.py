"""Solutions and determinants from LU factors, with gradients that need no factor's gradient.

`SOLVED`, `DETERMINANT` and `PSEUDO_INVERSE` are identities of their first source, which was
computed from the factors. The other sources are what gradients are made of: the matrix, the right
side, the packed factors (`ops.triangular.LU`).
"""

from typing import Any

from pumice.ops import reduction
from pumice.ops.definition import Structural, register
from pumice.ops.exponential import log
from pumice.ops.matrices import on_diagonal, part, picked_rows, product, swapped
from pumice.ops.triangular import lu_packing, solved


def lu_solution(build: Any, packed: Any, right: Any, transposed: bool) -> Any:
    """Return the solution of ``A X = right``, or ``A.T X = right``, from packed factors of A."""
    rows = right.shape[-2]
    packing = lu_packing((rows, rows))
    factors = part(build, packed, packing, "factors")
    if transposed:
        turned = swapped(build, factors)
        middle = solved(build, turned, right, lower=True)
        last = solved(build, turned, middle, lower=False, unit=True)
        return picked_rows(build, last, part(build, packed, packing, "inverse"))
    ordered = picked_rows(build, right, part(build, packed, packing, "permutation"))
    middle = solved(build, factors, ordered, lower=True, unit=True)
    return solved(build, factors, middle, lower=False)


def solution(build: Any, matrix: Any, right: Any, packed: Any, transposed: bool = False) -> Any:
    """Return the same with the gradients of a solution."""
    packed = build.detach(packed)
    found = build.detach(lu_solution(build, packed, build.detach(right), transposed))
    if not (matrix.requires_grad or right.requires_grad):
        return found
    return build.solved(SOLVED, (found, matrix, right, packed), transposed)


def _solved_gradient(g: Any, node: Any, build: Any) -> Any:
    _, matrix, right, packed = node.sources
    transposed = node.argument
    to_right = solution(build, matrix, g, packed, not transposed)
    to_matrix = None
    if matrix.requires_grad:
        first, second = (node, to_right) if transposed else (to_right, node)
        to_matrix = -product(build, first, swapped(build, second))
    return (None, to_matrix, to_right if right.requires_grad else None, None)


def diagonal_of(build: Any, node: Any) -> Any:
    """Return the diagonals of square matrices."""
    kept = on_diagonal(build, node).select(node, 0)
    axis = len(node.shape) - 1
    return build.reshape(build.reduce(reduction.SUM, kept, (axis,)), node.shape[:-1])


def product_of_pivots(build: Any, packed: Any, rows: int) -> Any:
    """Return determinants from packed factors, in the shape of the leading axes."""
    packing = lu_packing((rows, rows))
    pivots = diagonal_of(build, part(build, packed, packing, "factors"))
    sign = part(build, packed, packing, "sign")
    if not rows:
        return sign
    whole = build.reduce(reduction.PROD, pivots, (len(pivots.shape) - 1,))
    return sign * build.reshape(whole, sign.shape)


def logarithm_of_pivots(build: Any, packed: Any, rows: int) -> tuple[Any, Any]:
    """Return the signs of determinants, and the logarithms of their sizes."""
    packing = lu_packing((rows, rows))
    pivots = diagonal_of(build, part(build, packed, packing, "factors"))
    sign = part(build, packed, packing, "sign")
    if not rows:
        return sign, sign - sign
    last = (len(pivots.shape) - 1,)
    signs = (pivots > 0).select(1, pivots.eq(0).select(0, (pivots < 0).select(-1, pivots)))
    size = (pivots < 0).select(-pivots, pivots)
    whole = build.reshape(build.reduce(reduction.SUM, log(size), last), sign.shape)
    return sign * build.reshape(build.reduce(reduction.PROD, signs, last), sign.shape), whole


def _without_zeros(build: Any, packed: Any, rows: int, tiny: float) -> Any:
    """Return factors with tiny pivots instead of none: a matrix nearby that has an inverse."""
    packing = lu_packing((rows, rows))
    factors = part(build, packed, packing, "factors")
    size = (factors < 0).select(-factors, factors)
    last = len(size.shape) - 1
    largest = build.expand(build.reduce(reduction.AMAX, size, (last - 1, last)), factors.shape)
    least = largest.eq(0).select(1, largest) * tiny
    empty = on_diagonal(build, factors) & factors.eq(0)
    changed = empty.select(least, factors)
    return build.update(packed, changed, packing.view(packed.shape, "factors"))


def _determinant_gradient(g: Any, node: Any, build: Any) -> Any:
    """Return ``g * det * inverse.T``; without ``det`` for its logarithm."""
    value, matrix, packed = node.sources
    rows = matrix.shape[-1]
    scale = g
    if not node.argument:
        changed = _without_zeros(build, packed, rows, 1e-7 if g.dtype.bits == 32 else 1e-16)
        singular = build.detach(value).eq(0)
        scale = g * singular.select(product_of_pivots(build, changed, rows), node)
        packed = changed
    wide = build.expand(build.reshape(scale, (*scale.shape, 1, 1)), matrix.shape)
    right = on_diagonal(build, matrix).select(wide, 0)
    return (None, solution(build, matrix, right, packed, transposed=True), None)


def _pseudo_inverse_gradient(g: Any, node: Any, build: Any) -> Any:
    """Return the gradient of a pseudo-inverse P of a matrix whose rank stays as it is."""
    _, matrix = node.sources
    inverse, turned = node, swapped(build, node)
    back = swapped(build, g)
    first = product(build, product(build, turned, g), turned)
    over = product(build, product(build, back, inverse), turned)
    under = product(build, product(build, turned, inverse), back)
    second = over - product(build, matrix, product(build, inverse, over))
    third = under - product(build, product(build, under, inverse), matrix)
    return (None, second + third - first)


SOLVED = register(
    Structural(
        name="solve",
        reference=lambda np, node, x, *others: x,
        gradient=_solved_gradient,
    )
)
DETERMINANT = register(
    Structural(
        name="det",
        reference=lambda np, node, x, *others: x,
        gradient=_determinant_gradient,
    )
)
PSEUDO_INVERSE = register(
    Structural(
        name="pinv",
        reference=lambda np, node, x, matrix: x,
        gradient=_pseudo_inverse_gradient,
    )
)
