"""Linear algebra against PyTorch: values, gradients, gradients of gradients, errors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import pumice
from pumice.graph.interpret import interpret
from pumice.numpy_types import to_numpy
from tests.required import computes_with

Array = NDArray[Any]
Call = Callable[..., Any]
PUMICE: Any = pumice
TORCH: Any = torch


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def regular(*shape: int, seed: int = 0) -> Array:
    """Return square matrices far from singular."""
    return floats(*shape, seed=seed) + 3 * np.eye(shape[-1])


def positive(*shape: int, seed: int = 0) -> Array:
    """Return symmetric matrices that are positive definite."""
    half = floats(*shape, seed=seed)
    return half @ np.swapaxes(half, -1, -2) + np.eye(shape[-1])


@dataclass(frozen=True)
class Case:
    """A call written once for pumice and PyTorch."""

    name: str
    function: Call
    arrays: tuple[Array, ...]
    twice: bool = True


def squares_of_vectors(m: Any, a: Any) -> tuple[Any, ...]:
    """Return singular vectors without their signs, and singular values."""
    left, values, right = m.linalg.svd(a, full_matrices=False)
    return left**2, values, right**2


CASES = [
    Case("solve", lambda m, a, b: m.linalg.solve(a, b), (regular(4, 4), floats(4, 3))),
    Case("solve vector", lambda m, a, b: m.linalg.solve(a, b), (regular(4, 4), floats(4))),
    Case(
        "solve batch of vectors",
        lambda m, a, b: m.linalg.solve(a, b),
        (regular(2, 3, 3), floats(2, 3)),
        twice=False,
    ),
    Case(
        "solve broadcast",
        lambda m, a, b: m.linalg.solve(a, b),
        (regular(2, 1, 3, 3), floats(3, 3, 2)),
        twice=False,
    ),
    Case(
        "solve left=False",
        lambda m, a, b: m.linalg.solve(a, b, left=False),
        (regular(2, 3, 3), floats(2, 5, 3)),
    ),
    Case("inv", lambda m, a: m.linalg.inv(a), (regular(2, 4, 4),)),
    Case("inverse of a transpose", lambda m, a: m.inverse(a.mT), (regular(5, 5),)),
    Case("det", lambda m, a: m.linalg.det(a), (floats(3, 4, 4),)),
    Case("det 1", lambda m, a: m.det(a), (floats(1, 1),)),
    Case("slogdet", lambda m, a: m.linalg.slogdet(a)[1], (floats(3, 4, 4),)),
    Case("logdet", lambda m, a: m.logdet(a), (positive(3, 4, 4),)),
    Case("lu", lambda m, a: tuple(m.linalg.lu(a)), (floats(2, 4, 4),)),
    Case("lu wide", lambda m, a: tuple(m.linalg.lu(a)), (floats(3, 5),)),
    Case("lu tall", lambda m, a: tuple(m.linalg.lu(a)), (floats(2, 5, 3),)),
    Case("lu_factor", lambda m, a: m.linalg.lu_factor(a)[0], (floats(2, 4, 4),)),
    Case(
        "lu_solve",
        lambda m, a, b: m.linalg.lu_solve(*m.linalg.lu_factor(a), b),
        (regular(4, 4), floats(4, 2)),
    ),
    Case(
        "lu_solve adjoint, right",
        lambda m, a, b: m.linalg.lu_solve(*m.linalg.lu_factor(a), b, left=False, adjoint=True),
        (regular(2, 4, 4), floats(2, 3, 4)),
        twice=False,
    ),
    *(
        Case(
            f"solve_triangular {upper} {left} {unit}",
            lambda m, a, b, u=upper, s=left, d=unit: m.linalg.solve_triangular(
                a, b, upper=u, left=s, unitriangular=d
            ),
            (regular(2, 4, 4), floats(2, 4, 4, seed=1)),
        )
        for upper in (True, False)
        for left in (True, False)
        for unit in (True, False)
    ),
    Case(
        "triangular_solve",
        lambda m, a, b: (
            m.triangular_solve(b, a, transpose=True)[0]
            if m is pumice
            else m.linalg.solve_triangular(a.mT, b, upper=False)
        ),
        (regular(4, 4), floats(4, 2)),
    ),
    Case("cholesky", lambda m, a: m.linalg.cholesky(a), (positive(2, 4, 4),)),
    Case("cholesky upper", lambda m, a: m.linalg.cholesky(a, upper=True), (positive(5, 5),)),
    Case(
        "cholesky_solve",
        lambda m, a, b: m.cholesky_solve(b, m.linalg.cholesky(a)),
        (positive(4, 4), floats(4, 2)),
        twice=False,
    ),
    Case(
        "cholesky_solve upper",
        lambda m, a, b: m.cholesky_solve(b, m.linalg.cholesky(a, upper=True), True),
        (positive(4, 4), floats(4, 2)),
        twice=False,
    ),
    Case(
        "cholesky_inverse",
        lambda m, a: m.cholesky_inverse(m.linalg.cholesky(a)),
        (positive(2, 4, 4),),
    ),
    Case("matrix_power", lambda m, a: m.linalg.matrix_power(a, 5), (floats(2, 3, 3),)),
    Case("matrix_power 0", lambda m, a: m.matrix_power(a, 0) * a, (floats(3, 3),)),
    Case("matrix_power -2", lambda m, a: m.linalg.matrix_power(a, -2), (regular(3, 3),)),
    Case("matrix_exp", lambda m, a: m.linalg.matrix_exp(a), (floats(2, 3, 3),)),
    Case("matrix_exp large", lambda m, a: m.matrix_exp(a), (floats(3, 3) * 8,), twice=False),
    Case(
        "multi_dot",
        lambda m, *t: m.linalg.multi_dot(t),
        (floats(4), floats(4, 2), floats(2, 5), floats(5)),
    ),
    Case("vander", lambda m, x: m.linalg.vander(x, N=4), (floats(2, 3),)),
    Case("diagonal", lambda m, a: m.linalg.diagonal(a, offset=1), (floats(2, 3, 4),)),
    Case("tensorinv", lambda m, a: m.linalg.tensorinv(a), (floats(2, 3, 6),)),
    *(
        Case(f"qr {mode} {shape}", lambda m, a, o=mode: tuple(m.linalg.qr(a, o)), (floats(*shape),))
        for mode, shape in (
            ("reduced", (2, 4, 4)),
            ("reduced", (6, 3)),
            ("reduced", (2, 3, 5)),
            ("complete", (4, 4)),
            ("complete", (3, 5)),
        )
    ),
    Case("r", lambda m, a: m.linalg.qr(a.detach(), "r")[1], (floats(2, 5, 3),)),
    Case("complete", lambda m, a: tuple(m.linalg.qr(a.detach(), "complete")), (floats(5, 3),)),
    Case(
        "householder_product",
        lambda m, a, t: m.linalg.householder_product(a, t),
        (floats(2, 4, 3), floats(2, 3, seed=1)),
    ),
    Case("eigvalsh", lambda m, a: m.linalg.eigvalsh(a + a.mT), (floats(2, 4, 4),)),
    Case(
        "eigh",
        lambda m, a: (m.linalg.eigh(a + a.mT)[0], m.linalg.eigh(a + a.mT)[1] ** 2),
        (floats(2, 4, 4),),
    ),
    Case("eigh upper", lambda m, a: m.linalg.eigh(a, UPLO="U")[0], (positive(3, 3),)),
    Case("eigh of a triangle", lambda m, a: m.linalg.eigh(a)[1] ** 2, (floats(4, 4),)),
    Case("svdvals", lambda m, a: m.linalg.svdvals(a), (floats(2, 4, 3),)),
    *(
        Case(f"svd {shape}", squares_of_vectors, (floats(*shape),))
        for shape in ((2, 4, 4), (5, 3), (3, 5))
    ),
    Case("svd full", lambda m, a: m.linalg.svd(a)[1], (floats(3, 5),)),
    Case("svd of old", lambda m, a: tuple(x**2 for x in m.svd(a)), (floats(5, 3),), twice=False),
    Case("pinv", lambda m, a: m.linalg.pinv(a), (floats(2, 5, 3),)),
    Case("pinv wide", lambda m, a: m.pinverse(a), (floats(3, 5),), twice=False),
    Case("pinv square", lambda m, a: m.linalg.pinv(a), (floats(4, 4),), twice=False),
    Case(
        "lstsq", lambda m, a, b: m.linalg.lstsq(a, b)[0], (floats(5, 3), floats(5, 2)), twice=False
    ),
    Case("lstsq wide", lambda m, a, b: m.linalg.lstsq(a, b)[0], (floats(3, 5), floats(3, 2))),
    *(
        Case(f"matrix_norm {p}", lambda m, a, p=p: m.linalg.matrix_norm(a, p), (floats(2, 4, 3),))
        for p in ("nuc", 2, -2, "fro", 1, -1, np.inf, -np.inf)
    ),
    Case(
        "norm nuc",
        lambda m, a: m.linalg.norm(a, "nuc", dim=(0, 2)),
        (floats(3, 2, 4),),
        twice=False,
    ),
    *(
        Case(f"cond {p}", lambda m, a, p=p: m.linalg.cond(a, p), (regular(2, 4, 4),))
        for p in (None, -2)
    ),
    *(
        # PyTorch's own backward fails here.
        Case(f"cond {p}", lambda m, a, p=p: m.linalg.cond(a.detach(), p), (regular(2, 4, 4),))
        for p in ("fro", "nuc", 1)
    ),
    Case("cross", lambda m, a, b: m.linalg.cross(a, b), (floats(2, 3), floats(2, 3, seed=1))),
]


def mixed(results: Any, library: Any, make: Call) -> Any:
    """Return one number that depends on all results."""
    results = results if isinstance(results, tuple) else (results,)
    total = None
    for number, each in enumerate(results):
        weights = make(np.cos(np.arange(each.numel(), dtype=np.float64) + number))
        part = (each * weights.reshape(each.shape)).sum()
        total = part if total is None else total + part
    return total


def derived(library: Any, case: Case, tensors: Sequence[Any], twice: bool, make: Call) -> list[Any]:
    """Return the results of a call, the gradients of a mixture, and those of a mixture of them."""
    result = case.function(library, *tensors)
    found = list(result) if isinstance(result, tuple) else [result]
    total = mixed(result, library, make)
    if not total.requires_grad:
        return found
    first = library.autograd.grad(total, tensors, create_graph=True)
    found += first
    if twice:
        again = mixed(tuple(first), library, make)
        if again.requires_grad:
            second = library.autograd.grad(again, tensors, allow_unused=True)
            pairs = zip(second, tensors, strict=True)
            found += [like * 0 if each is None else each for each, like in pairs]
        else:
            found += [like * 0 for like in tensors]
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_against_torch(case: Case, device: str) -> None:
    dtype = np.float64 if computes_with(device, "float64") else np.float32
    arrays = [each.astype(dtype) for each in case.arrays]
    ours = [pumice.tensor(each, device=device, requires_grad=True) for each in arrays]
    theirs = [torch.tensor(each.astype(np.float64), requires_grad=True) for each in arrays]
    twice = case.twice and device == "cpu"
    limit = 2e-10 if dtype is np.float64 else 2e-4

    def weights(array: Array) -> Any:
        return pumice.tensor(array.astype(dtype), device=device)

    got = derived(PUMICE, case, ours, twice, weights)
    wanted = derived(TORCH, case, theirs, twice, torch.tensor)
    assert len(got) == len(wanted)
    for left, right in zip(got, wanted, strict=True):
        assert tuple(left.shape) == tuple(right.shape)
        scale = max(float(right.detach().abs().max()), 1.0) if right.numel() else 1.0
        np.testing.assert_allclose(
            left.detach().cpu().numpy(), right.numpy(force=True), rtol=0, atol=limit * scale
        )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_interpreter_agrees(case: Case) -> None:
    tensors = [pumice.tensor(each) for each in case.arrays]
    result = case.function(PUMICE, *tensors)
    results = result if isinstance(result, tuple) else (result,)
    leaves = {each.node: array for each, array in zip(tensors, case.arrays, strict=True)}
    wanted = interpret([each.node for each in results], leaves)
    for each, right in zip(results, wanted, strict=True):
        np.testing.assert_allclose(each.numpy(), right, rtol=1e-9, atol=1e-9)
        assert right.dtype == to_numpy(each.dtype)


SIZES = [0, 1, 2, 7, 31, 32, 33, 64, 75]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_residuals(dtype: Any, size: int, device: str) -> None:
    """What was factored comes back, up to rounding errors that grow with the size."""
    if not computes_with(device, np.dtype(dtype).name):
        return
    rounding = float(np.finfo(dtype).eps) * max(size, 1)
    for lead in ((), (3,), (2, 0)):
        general = floats(*lead, size, size).astype(dtype)
        matrix = pumice.tensor(general, device=device)
        P, L, U = (each.cpu().numpy() for each in pumice.linalg.lu(matrix))  # noqa: N806
        assert P.shape == L.shape == U.shape == general.shape
        close(P @ L @ U, general, rounding * 4)
        spd = (general @ np.swapaxes(general, -1, -2) + np.eye(size)).astype(dtype)
        factor = pumice.linalg.cholesky(pumice.tensor(spd, device=device)).cpu().numpy()
        assert not np.triu(factor, 1).any()
        close(factor @ np.swapaxes(factor, -1, -2), spd, rounding)
        for columns in (1, 3, 9, 70):
            right = floats(*lead, size, columns, seed=1).astype(dtype)
            found = pumice.linalg.solve(matrix, pumice.tensor(right, device=device))
            x = found.cpu().numpy()
            scale = size * magnitude(general) * magnitude(x)
            close(general @ x, right, rounding * 4 * scale, relative=False)


def magnitude(array: Array) -> float:
    return float(np.abs(array).max()) if array.size else 0.0


def close(got: Array, wanted: Array, limit: float, relative: bool = True) -> None:
    scale = max(magnitude(wanted), 1.0) if relative else 1.0
    assert got.shape == wanted.shape
    assert magnitude(got - wanted) <= limit * scale


def special_matrices(dtype: Any) -> dict[str, Array]:
    """Return matrices that are hard for rotations and reflections."""
    places = np.arange(9)
    thin = floats(9, 3)
    turn = np.linalg.qr(floats(9, 9))[0]
    repeated = turn @ np.diag([2.0] * 5 + [-2.0] * 4) @ turn.T
    found = {
        "zero": np.zeros((9, 9)),
        "unit": np.eye(9),
        "ones": np.ones((9, 9)),
        "rank 3": thin @ thin.T,
        "hilbert": 1 / (1.0 + places[:, None] + places),
        "graded": np.diag(10.0 ** -places.astype(float)) @ (np.ones((9, 9)) + np.eye(9)),
        "repeated": (repeated + repeated.T) / 2,
        "huge": 1e25 * (floats(9, 9) + floats(9, 9).T),
        "tiny": 1e-25 * (floats(9, 9) + floats(9, 9).T),
    }
    return {name: array.astype(dtype) for name, array in found.items()}


def check_orthonormal(columns: Array, limit: float) -> None:
    unit = np.broadcast_to(
        np.eye(columns.shape[-1]), (*columns.shape[:-2], columns.shape[-1], columns.shape[-1])
    )
    close(np.swapaxes(columns, -1, -2) @ columns, unit, limit)


def check_decompositions(array: Array, device: str) -> None:
    """Check QR, singular values and eigenvalues in units of rounding errors times the size."""
    dtype = array.dtype
    if not computes_with(device, dtype.name):
        return
    rows, columns = array.shape[-2:]
    limit = 6 * float(np.finfo(dtype).eps) * max(rows, columns, 1)
    matrix = pumice.tensor(array, device=device)
    scale = magnitude(array) * np.sqrt(rows * columns)
    for mode in ("reduced", "complete"):
        Q, R = (each.cpu().numpy() for each in pumice.linalg.qr(matrix, mode))  # noqa: N806
        check_orthonormal(Q, limit)
        assert not np.tril(R, -1).any()
        close(Q @ R, array, limit * scale, relative=False)
    for full in (False, True):
        parts = pumice.linalg.svd(matrix, full_matrices=full)
        left, values, right = (each.cpu().numpy() for each in parts)
        size = values.shape[-1]
        check_orthonormal(left, limit)
        check_orthonormal(np.swapaxes(right, -1, -2), limit)
        assert (values >= 0).all() and (np.diff(values, axis=-1) <= 0).all()
        whole = (left[..., :size] * values[..., None, :]) @ right[..., :size, :]
        close(whole, array, limit * scale, relative=False)
    wanted = np.linalg.svd(array.astype(np.float64), compute_uv=False)
    close(values, wanted, limit * scale, relative=False)
    if rows == columns:
        lower = np.tril(array) + np.swapaxes(np.tril(array, -1), -1, -2)
        values, vectors = (each.cpu().numpy() for each in pumice.linalg.eigh(matrix))
        check_orthonormal(vectors, limit)
        assert (np.diff(values, axis=-1) >= 0).all()
        close(lower @ vectors, vectors * values[..., None, :], limit * scale, relative=False)
        wanted = np.linalg.eigvalsh(lower.astype(np.float64))
        close(values, wanted, limit * scale, relative=False)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", special_matrices(np.float64))
def test_special_matrices(name: str, dtype: Any, device: str) -> None:
    check_decompositions(special_matrices(dtype)[name], device)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (2, 0, 3), (4, 0), (2, 7, 7), (40, 9), (9, 40)])
def test_shapes_of_decompositions(shape: tuple[int, ...], dtype: Any, device: str) -> None:
    check_decompositions(floats(*shape).astype(dtype), device)


def test_ranks_and_least_squares() -> None:
    thin = floats(2, 6, 2)
    array = thin @ np.swapaxes(thin, -1, -2)
    for hermitian in (False, True):
        got = pumice.linalg.matrix_rank(pumice.tensor(array), hermitian=hermitian)
        assert got.tolist() == [2, 2] and got.dtype is pumice.int64
    assert pumice.linalg.matrix_rank(pumice.tensor(np.diag([5.0, 1.0])), tol=2.0).item() == 1
    assert pumice.linalg.matrix_rank(pumice.tensor(np.diag([5.0, 1.0])), rtol=0.1).item() == 2
    limits = pumice.tensor([2.0, 0.0], dtype=pumice.float64)
    both = pumice.tensor(np.stack([np.diag([5.0, 1.0])] * 2))
    assert pumice.linalg.matrix_rank(both, atol=limits).tolist() == [1, 2]
    right = floats(2, 6, 3, seed=1)
    for driver in ("gelsy", "gels", "gelsd", "gelss"):
        full = floats(2, 6, 3)
        ours = pumice.linalg.lstsq(pumice.tensor(full), pumice.tensor(right), driver=driver)
        theirs = torch.linalg.lstsq(torch.tensor(full), torch.tensor(right), driver=driver)
        for got, wanted in zip(ours, theirs, strict=True):
            assert tuple(got.shape) == tuple(wanted.shape)
            np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-9, atol=1e-9)
    shortest = pumice.linalg.lstsq(pumice.tensor(array), pumice.tensor(right)).solution.numpy()
    np.testing.assert_allclose(shortest, np.linalg.pinv(array, 1e-10) @ right, atol=1e-8)


def test_nan_is_not_lost() -> None:
    array = floats(5, 5)
    array[2, 1] = np.nan
    matrix = pumice.tensor(array)
    for found in (
        pumice.linalg.inv(matrix),
        pumice.linalg.det(matrix),
        pumice.linalg.qr(matrix).R,
        pumice.linalg.svdvals(matrix),
        pumice.linalg.eigvalsh(matrix),
    ):
        assert np.isnan(found.numpy()).any()


def test_pivots_and_signs() -> None:
    array = floats(3, 70, 70)
    ours, theirs = (m.linalg.lu_factor(t) for m, t in both(array))
    np.testing.assert_allclose(ours.LU.numpy(), theirs.LU.numpy(), atol=1e-11)
    assert ours.pivots.tolist() == theirs.pivots.tolist()
    assert ours.pivots.dtype is pumice.int32
    signs = pumice.linalg.slogdet(pumice.tensor(array)).sign.tolist()
    assert signs == torch.linalg.slogdet(torch.tensor(array)).sign.tolist()
    unpacked = pumice.lu_unpack(*ours)
    for got, wanted in zip(unpacked, torch.lu_unpack(*theirs), strict=True):
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), atol=1e-11)


def both(array: Array) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    return (PUMICE, pumice.tensor(array)), (TORCH, torch.tensor(array))


def test_ill_conditioned_systems_have_small_residuals() -> None:
    places = np.arange(12)
    hilbert = 1 / (1.0 + places[:, None] + places)
    right = hilbert @ np.ones(12)
    x = pumice.linalg.solve(pumice.tensor(hilbert), pumice.tensor(right)).numpy()
    assert magnitude(hilbert @ x - right) < 1e-14


def test_every_stride() -> None:
    array = regular(8, 8)
    whole = pumice.tensor(array)
    for view in (whole.mT, whole[::2, ::2], whole.flip(0), whole[1:6, 2:7]):
        plain = view.contiguous().numpy()
        np.testing.assert_allclose(
            pumice.linalg.inv(view).numpy(), np.linalg.inv(plain), atol=1e-10
        )
        np.testing.assert_allclose(pumice.linalg.det(view).numpy(), np.linalg.det(plain))
    row = pumice.tensor(floats(1, 5)).expand(5, 5)
    assert pumice.linalg.det(row).item() == 0
    triangle = np.linalg.solve(np.tril(array.T), floats(8, 2))
    got = pumice.linalg.solve_triangular(whole.T, pumice.tensor(floats(8, 2)), upper=False)
    np.testing.assert_allclose(got.numpy(), triangle, atol=1e-12)


SINGULAR = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda a: pumice.linalg.solve(a, a), "linalg.solve: a matrix is singular: pivot 2 is 0"),
        (lambda a: pumice.linalg.inv(a), "linalg.inv: a matrix is singular: pivot 2"),
        (lambda a: pumice.linalg.lu_factor(a).LU, "linalg.lu_factor: a matrix is singular"),
        (lambda a: pumice.linalg.cholesky(a), "linalg.cholesky: .* leading minor of order 2 is"),
    ],
)
def test_data_errors(function: Call, text: str, device: str) -> None:
    """They come when the result is looked at, naming operator, pivot and line."""
    dtype = np.float64 if computes_with(device, "float64") else np.float32
    result = function(pumice.tensor(SINGULAR.astype(dtype), device=device))
    with pytest.raises(pumice.linalg.LinAlgError, match=text) as caught:
        result.cpu().numpy()
    assert isinstance(caught.value, RuntimeError) and isinstance(caught.value, ValueError)
    assert "test_linear_algebra.py:" in str(caught.value)


def test_forms_that_tell() -> None:
    singular = pumice.tensor(np.stack([SINGULAR, np.eye(3)]))
    assert pumice.linalg.lu_factor_ex(singular).info.tolist() == [2, 0]
    assert pumice.linalg.inv_ex(singular).info.tolist() == [2, 0]
    assert pumice.linalg.solve_ex(singular, singular).info.tolist() == [2, 0]
    found = pumice.linalg.cholesky_ex(singular)
    assert found.info.tolist() == [2, 0] and found.info.dtype is pumice.int32
    with pytest.raises(pumice.linalg.LinAlgError):
        pumice.linalg.inv_ex(singular, check_errors=True).inverse.numpy()
    assert pumice.linalg.det(singular).tolist() == [0, 1]
    assert pumice.linalg.slogdet(singular).logabsdet.tolist() == [-np.inf, 0]
    assert np.isnan(pumice.logdet(pumice.tensor([[-1.0]])).item())


def test_gradient_of_a_singular_determinant() -> None:
    leaf = pumice.tensor(SINGULAR, requires_grad=True)
    pumice.linalg.det(leaf).backward()
    cofactors = np.array([[4.0, -2.0, 0.0], [-2.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert leaf.grad is not None
    np.testing.assert_allclose(leaf.grad.numpy(), cofactors, atol=1e-12)


SQUARE, WIDE = pumice.zeros(3, 3), pumice.zeros(2, 3)
TALL = pumice.zeros(3, 2, requires_grad=True)


@pytest.mark.parametrize(
    ("function", "kind", "text"),
    [
        (lambda: pumice.linalg.inv(WIDE), pumice.ShapeError, r"inv: A has shape \[2, 3\]; .*sq"),
        (lambda: pumice.linalg.det(pumice.zeros(3)), pumice.ShapeError, "at least 2 axes"),
        (lambda: pumice.linalg.inv(SQUARE.half()), pumice.DTypeError, "A is float16; allowed are"),
        (lambda: pumice.linalg.lu(SQUARE.bfloat16()), pumice.DTypeError, "A is bfloat16"),
        (lambda: pumice.linalg.cholesky(SQUARE.long()), pumice.DTypeError, "A is int64"),
        (lambda: pumice.linalg.solve(SQUARE, WIDE), pumice.ShapeError, "as many rows as A"),
        (
            lambda: pumice.linalg.solve(SQUARE, SQUARE.double()),
            pumice.DTypeError,
            "float32 and float64",
        ),
        (
            lambda: pumice.linalg.solve_triangular(SQUARE, WIDE.T, upper=True, left=False),
            pumice.ShapeError,
            "as many columns as A",
        ),
        (
            lambda: pumice.linalg.lu(SQUARE, pivot=False),
            pumice.UnsupportedOperation,
            "pivot=False",
        ),
        (
            lambda: pumice.linalg.lu_solve(SQUARE, pumice.zeros(3), SQUARE),
            pumice.DTypeError,
            "must be int32",
        ),
        (lambda: pumice.linalg.multi_dot([SQUARE]), pumice.InvalidArgument, "at least 2"),
        (lambda: pumice.linalg.multi_dot([SQUARE, WIDE]), pumice.ShapeError, "rows of the next"),
        (lambda: pumice.linalg.matrix_power(WIDE, 2), pumice.ShapeError, "must be square"),
        (lambda: pumice.linalg.tensorinv(WIDE, 1), pumice.ShapeError, "equally many"),
        (lambda: pumice.linalg.qr(WIDE, "full"), pumice.InvalidArgument, "mode='full'"),
        (lambda: pumice.linalg.eigh(SQUARE, "X"), pumice.InvalidArgument, "UPLO='X'"),
        (lambda: pumice.linalg.eig(SQUARE), pumice.UnsupportedOperation, "complex"),
        (lambda: pumice.linalg.svd(SQUARE.half()), pumice.DTypeError, "A is float16"),
        (
            lambda: pumice.linalg.householder_product(WIDE, WIDE[0]),
            pumice.ShapeError,
            "no more columns than rows",
        ),
        (lambda: pumice.linalg.lstsq(SQUARE, WIDE), pumice.ShapeError, "as many rows as A"),
        (
            lambda: pumice.linalg.qr(TALL, "r").R.sum().backward(),
            pumice.UnsupportedOperation,
            "no gradient of mode 'r'",
        ),
        (lambda: pumice.linalg.matrix_norm(WIDE, 3), pumice.InvalidArgument, "ord=3"),
        (lambda: pumice.linalg.vander(WIDE, 0), pumice.InvalidArgument, "N=0"),
    ],
)
def test_mistakes(function: Call, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        function()


def test_in_a_captured_function() -> None:
    @pumice.jit
    def step(a: Any, b: Any) -> Any:
        return pumice.linalg.solve(a, b) + pumice.linalg.det(a)

    for seed in range(4):
        array, right = regular(5, 5, seed=seed), floats(5, 2, seed=seed)
        got = step(pumice.tensor(array), pumice.tensor(right)).numpy()
        wanted = np.linalg.solve(array, right) + np.linalg.det(array)
        np.testing.assert_allclose(got, wanted, rtol=1e-10)


def test_mapped_and_forward() -> None:
    array = regular(3, 4, 4)
    mapped = pumice.func.vmap(pumice.linalg.inv)(pumice.tensor(array)).numpy()
    np.testing.assert_allclose(mapped, np.linalg.inv(array), atol=1e-12)
    change = floats(4, 4, seed=5)
    value, moved = pumice.func.jvp(
        pumice.linalg.inv, (pumice.tensor(array[0]),), (pumice.tensor(change),)
    )
    inverse = np.linalg.inv(array[0])
    np.testing.assert_allclose(moved.numpy(), -inverse @ change @ inverse, atol=1e-12)
    np.testing.assert_allclose(value.numpy(), inverse, atol=1e-12)
