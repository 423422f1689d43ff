"""Factorisations and triangular systems, run by the kernel interpreter, which checks addresses."""

from typing import Any

import numpy as np
import pytest

from pumice import dtypes
from pumice.engine.builder import PlanBuilder
from pumice.graph import build
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.lowering import trailing
from pumice.ops.matrices import Packing
from pumice.ops.orthogonal import (
    EIGEN,
    QR,
    SINGULAR,
    Mode,
    eigen_packing,
    qr_packing,
    singular_packing,
)
from pumice.ops.triangular import (
    CHOLESKY,
    LU,
    PERMUTATION,
    Triangle,
    cholesky_packing,
    lu_packing,
    permutation_packing,
)
from pumice.target import CPU
from tests.engine.graphs import Source
from tests.lowering.interpreted import Array, run


def floats(*shape: int) -> Array:
    return np.random.default_rng(3).standard_normal(shape)


def interpreted(node: Node, leaves: dict[Node, Array]) -> Array:
    return run(PlanBuilder(topological([node]), [node], CPU).steps, leaves, node)


def unpacked(packed: Array, packing: Packing) -> dict[str, Array]:
    found, start = {}, 0
    for name, shape in packing.parts:
        count = int(np.prod(shape))
        part = packed[..., start : start + count]
        found[name] = part.reshape((*packed.shape[:-1], *shape))
        start += count
    return found


def factored(op: Any, array: Array, packing: Packing, argument: Any = None) -> dict[str, Array]:
    source = Source(CPU).put(array)
    node = build.factored(op, source, packing, argument)
    return unpacked(interpreted(node, {source: array}), packing)


def same(got: Array, wanted: Array) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("shape", [(1, 1), (2, 5, 5), (34, 34), (3, 40), (40, 3)])
def test_lu(shape: tuple[int, ...]) -> None:
    array = floats(*shape)
    parts = factored(LU, array, lu_packing(shape))
    size = min(shape[-2:])
    below = np.tril(parts["factors"], -1)[..., :size] + np.eye(shape[-2], size)
    above = np.triu(parts["factors"])[..., :size, :]
    order = parts["permutation"].astype(int)
    same(below @ above, np.take_along_axis(array, order[..., None], -2))
    same(parts["inverse"], np.argsort(order, axis=-1))
    assert np.abs(below).max() <= 1
    assert not parts["problem"].any()


def test_lu_that_fails() -> None:
    parts = factored(LU, np.ones((3, 3)), lu_packing((3, 3)))
    assert parts["problem"] == 2 and parts["pivots"].tolist() == [1, 2, 3]


def test_blocks_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several blocks of rows and columns, and rows that fill no group."""
    monkeypatch.setattr(trailing, "ROWS", 8)
    monkeypatch.setattr(trailing, "COLUMNS", 12)
    array = floats(45, 47)
    parts = factored(LU, array, lu_packing(array.shape))
    below = np.tril(parts["factors"][:, :45], -1) + np.eye(45)
    same(below @ np.triu(parts["factors"]), array[parts["permutation"].astype(int)])
    positive = array @ array.T + np.eye(45)
    factor = factored(CHOLESKY, positive, cholesky_packing(positive.shape))["factor"]
    same(factor @ factor.T, positive)
    assert not np.triu(factor, 1).any()


@pytest.mark.parametrize("size", [1, 3, 33])
def test_cholesky(size: int) -> None:
    half = floats(2, size, size)
    array = half @ np.swapaxes(half, -1, -2) + np.eye(size)
    array[1, -1, -1] = -1
    parts = factored(CHOLESKY, array, cholesky_packing(array.shape))
    same(parts["factor"][0] @ parts["factor"][0].T, array[0])
    assert parts["problem"].tolist() == [0, size]


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize(("size", "columns"), [(1, 1), (7, 1), (8, 4), (19, 5), (3, 70)])
def test_triangular(lower: bool, unit: bool, size: int, columns: int) -> None:
    array, right = floats(2, size, size) + 4 * np.eye(size), floats(2, size, columns)
    source, other = Source(CPU).put(array), Source(CPU).put(right)
    turned = build.permute(source, (0, 2, 1))
    node = build.triangular(turned, other, Triangle(lower, unit))
    found = interpreted(node, {source: array, other: right})
    matrix = np.swapaxes(array, -1, -2)
    kept = np.tril(matrix) if lower else np.triu(matrix)
    if unit:
        kept = kept - kept * np.eye(size) + np.eye(size)
    same(kept @ found, right)


def test_permutation() -> None:
    pivots = np.array([[3, 3, 3], [1, 2, 4]], np.int32)
    source = Source(CPU).put(pivots)
    packing = permutation_packing(4)
    node = Node(PERMUTATION, dtypes.int32, (2, packing.size), (source,), 4)
    parts = unpacked(interpreted(node, {source: pivots}), packing)
    assert parts["permutation"].tolist() == [[2, 0, 1, 3], [0, 1, 3, 2]]
    assert parts["inverse"].tolist() == [[1, 2, 0, 3], [0, 1, 3, 2]]


@pytest.mark.parametrize("shape", [(1, 1), (2, 5, 3), (3, 6), (35, 34)])
@pytest.mark.parametrize("mode", [Mode.REDUCED, Mode.COMPLETE])
def test_qr(shape: tuple[int, ...], mode: Mode) -> None:
    array = floats(*shape)
    parts = factored(QR, array, qr_packing(shape, mode), mode)
    Q = parts["Q"]  # noqa: N806
    same(Q @ parts["R"], array)
    product = np.swapaxes(Q, -1, -2) @ Q
    same(product, np.broadcast_to(np.eye(Q.shape[-1]), product.shape))


@pytest.mark.parametrize("shape", [(1, 1), (2, 5, 3), (3, 6), (6, 6)])
def test_singular_columns(shape: tuple[int, ...]) -> None:
    array = floats(*shape)
    parts = factored(SINGULAR, array, singular_packing(shape))
    same(parts["U"] * parts["S"][..., None, :] @ parts["Vh"], array)
    same(parts["S"], np.linalg.svd(array, compute_uv=False))


@pytest.mark.parametrize("upper", [False, True])
def test_eigenvalues_read_one_triangle(upper: bool) -> None:
    array = floats(2, 6, 6)
    parts = factored(EIGEN, array, eigen_packing(array.shape), upper)
    kept = np.triu(array) if upper else np.tril(array)
    whole = kept + np.swapaxes(kept, -1, -2) - kept * np.eye(6)
    same(whole @ parts["vectors"], parts["vectors"] * parts["values"][..., None, :])
    same(parts["values"], np.linalg.eigvalsh(whole))


def test_a_matrix_without_direction() -> None:
    """Zeros need one sweep, and give zeros."""
    parts = factored(SINGULAR, np.zeros((3, 3)), singular_packing((3, 3)))
    assert not parts["S"].any() and not parts["U"].any()
    same(parts["Vh"], np.eye(3))
