"""Scans, einsum, resizing, columns, sets, norms and ranking losses against PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as their_functions

import pumice
import pumice.nn.functional as our_functions
from tests.tensor.peers import Array, floats, integers, same_call

INF, NAN = float("inf"), float("nan")

ZEROS = floats(3, 5)
ZEROS[0, 2] = ZEROS[1, 1] = ZEROS[1, 3] = 0
TIES = np.round(floats(3, 6) * 2)

EQUATIONS: list[tuple[str, tuple[Array, ...]]] = [
    ("ij,jk->ik", (floats(3, 4), floats(4, 5, seed=1))),
    ("ij,jk", (floats(3, 4), floats(4, 5, seed=1))),
    ("ii->i", (floats(3, 3),)),
    ("ii", (floats(3, 3),)),
    ("ij->ji", (floats(3, 4),)),
    ("ij->", (floats(3, 4),)),
    ("...ij,...jk->...ik", (floats(2, 1, 3, 4), floats(5, 4, 5, seed=1))),
    ("i,j->ij", (floats(3), floats(4, seed=1))),
    ("i,i->", (floats(3), floats(3, seed=1))),
    ("ijk,jil->kl", (floats(3, 4, 5), floats(4, 3, 2, seed=1))),
    ("bn,anm,bm->ba", (floats(2, 5), floats(3, 5, 4, seed=1), floats(2, 4, seed=2))),
    ("ij,ij->ij", (floats(3, 4), floats(3, 4, seed=1))),
    ("iij->j", (floats(3, 3, 2),)),
    ("ij,kl->", (floats(2, 3), floats(2, 2, seed=1))),
    ("...a->...", (floats(2, 3, 4),)),
    ("bhqd,bhkd->bhqk", (floats(2, 3, 4, 5), floats(2, 3, 6, 5, seed=1))),
]


@pytest.mark.parametrize(("equation", "arrays"), EQUATIONS, ids=[each for each, _ in EQUATIONS])
def test_einsum(equation: str, arrays: tuple[Array, ...]) -> None:
    same_call(
        lambda *t: pumice.einsum(equation, *t),
        lambda *t: torch.einsum(equation, *t),
        *arrays,
        tolerance=1e-4,
    )


@pytest.mark.parametrize(
    ("equation", "shapes", "text"),
    [
        ("ij,jk->ik", [(2, 3)], "for 1 operands"),
        ("ij->i", [(2,)], "one letter each"),
        ("i,i->", [(2,), (3,)], "axis 'i' is 2 and 3"),
        ("i->ii", [(2,)], "letters of the operands, each once"),
        ("i->j", [(2,)], "letters of the operands"),
        ("1->", [(2,)], "letters, '...'"),
        ("ii->", [(2, 3)], "axis 'i' is 2 and 3"),
    ],
)
def test_bad_equations(equation: str, shapes: list[tuple[int, ...]], text: str) -> None:
    with pytest.raises(pumice.PumiceError, match=text):
        pumice.einsum(equation, *(pumice.zeros(*shape) for shape in shapes))


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"])
@pytest.mark.parametrize("dim", [0, -1])
@pytest.mark.parametrize("array", [floats(3, 5), ZEROS, TIES], ids=["plain", "zeros", "ties"])
def test_scans(name: str, dim: int, array: Array) -> None:
    same_call(
        lambda x: getattr(x, name)(dim), lambda x: getattr(x, name)(dim), array, tolerance=1e-4
    )


def test_special_values_of_scans() -> None:
    same_call(
        lambda x: x.cummax(0),
        lambda x: x.cummax(0),
        np.array([1, NAN, 3, NAN], np.float32),
        gradient=False,
    )
    leaf = pumice.tensor([-INF, -INF, 1.0, 2.0], requires_grad=True)
    result = pumice.logcumsumexp(leaf)
    assert result.tolist()[:3] == [-INF, -INF, 1.0]
    result.sum().backward()
    assert leaf.grad is not None and leaf.grad.tolist()[:2] == [0, 0]
    lowest = pumice.tensor([-INF, -INF], requires_grad=True)
    pumice.logsumexp(lowest).backward()
    assert lowest.grad is not None and lowest.grad.tolist() == [0, 0]
    assert pumice.cumsum(pumice.tensor(3)).item() == 3


RESIZED: list[dict[str, Any]] = [
    {"size": (5, 7)},
    {"scale_factor": 2},
    {"scale_factor": (1.5, 0.6)},
    {"size": (5, 7), "mode": "nearest-exact"},
    {"size": (4, 9), "mode": "bilinear"},
    {"size": (4, 9), "mode": "bilinear", "align_corners": True},
    {"size": 1, "mode": "bilinear", "align_corners": True},
    {"scale_factor": 1.7, "mode": "bilinear"},
    {"scale_factor": 1.7, "mode": "bilinear", "recompute_scale_factor": True},
    {"size": (5, 9), "mode": "bicubic"},
    {"size": (5, 9), "mode": "bicubic", "align_corners": True},
    {"size": (3, 4), "mode": "area"},
]


@pytest.mark.parametrize("options", RESIZED, ids=str)
def test_interpolate(options: dict[str, Any]) -> None:
    same_call(
        lambda x: our_functions.interpolate(x, **options),
        lambda x: their_functions.interpolate(x, **options),
        floats(2, 3, 6, 8),
        tolerance=1e-4,
    )


COLUMNS: list[dict[str, Any]] = [
    {"kernel_size": 2},
    {"kernel_size": (3, 2), "padding": 1, "stride": 2},
    {"kernel_size": 2, "dilation": 2},
]


@pytest.mark.parametrize("options", COLUMNS, ids=str)
def test_unfold_and_fold(options: dict[str, Any]) -> None:
    def columns(module: Any) -> Callable[[Any], Any]:
        return lambda x: module.unfold(x, **options)

    def around(module: Any) -> Callable[[Any], Any]:
        return lambda x: module.fold(module.unfold(x, **options), (6, 8), **options)

    for call in (columns, around):
        same_call(call(our_functions), call(their_functions), floats(2, 3, 6, 8))


ROWS, SIGNS = floats(5, 3), np.sign(floats(5, seed=3))
LOSSES: list[tuple[str, tuple[Array, ...], dict[str, Any]]] = [
    ("margin_ranking_loss", (floats(5), floats(5, seed=1), SIGNS), {"margin": 0.2}),
    ("hinge_embedding_loss", (floats(5), SIGNS), {}),
    ("cosine_embedding_loss", (ROWS, floats(5, 3, seed=1), SIGNS), {}),
    ("triplet_margin_loss", (ROWS, floats(5, 3, seed=1), floats(5, 3, seed=2)), {}),
    ("triplet_margin_loss", (ROWS, floats(5, 3, seed=1), floats(5, 3, seed=2)), {"swap": True}),
    ("multilabel_soft_margin_loss", (ROWS, (ROWS > 0).astype(np.float32)), {}),
    ("poisson_nll_loss", (floats(5), np.abs(floats(5, seed=1)) * 3), {}),
    ("poisson_nll_loss", (floats(5), np.abs(floats(5, seed=1)) * 3), {"full": True}),
    ("gaussian_nll_loss", (ROWS, floats(5, 3, seed=1), np.abs(floats(5, 3, seed=2))), {}),
    ("pairwise_distance", (ROWS, floats(5, 3, seed=1)), {}),
    ("pixel_shuffle", (floats(2, 8, 3, 4),), {"upscale_factor": 2}),
    ("pixel_unshuffle", (floats(2, 2, 4, 6),), {"downscale_factor": 2}),
    ("channel_shuffle", (floats(2, 4, 3),), {"groups": 2}),
]


@pytest.mark.parametrize(
    ("name", "arrays", "options"), LOSSES, ids=[f"{name}-{rest}" for name, _, rest in LOSSES]
)
def test_functional(name: str, arrays: tuple[Array, ...], options: dict[str, Any]) -> None:
    same_call(
        lambda *t: getattr(our_functions, name)(*t, **options),
        lambda *t: getattr(their_functions, name)(*t, **options),
        *arrays,
        tolerance=1e-4,
    )


OTHERS: list[tuple[str, Callable[[Any, Any], Any], tuple[Array, ...]]] = [
    *(
        (f"cdist {p}", lambda m, t, p=p: m.cdist(t[0], t[1], p), (floats(2, 3, 4), floats(2, 5, 4)))
        for p in (1.0, 2.0, 3.0, INF)
    ),
    (
        "unique",
        lambda m, t: m.unique(t[0], return_inverse=True, return_counts=True),
        (integers(0, 5, 3, 4),),
    ),
    ("unique rows", lambda m, t: m.unique(t[0], dim=0), (integers(0, 2, 6, 2),)),
    (
        "unique_consecutive",
        lambda m, t: m.unique_consecutive(t[0], return_inverse=True, return_counts=True),
        (integers(0, 2, 12),),
    ),
    ("bincount", lambda m, t: m.bincount(t[0], minlength=9), (integers(0, 5, 30),)),
    ("isin", lambda m, t: m.isin(t[0], t[1]), (integers(0, 5, 3, 4), integers(0, 3, 2))),
    ("isin number", lambda m, t: m.isin(t[0], 2, invert=True), (integers(0, 5, 3, 4),)),
    ("cross", lambda m, t: m.cross(t[0], t[1], dim=-1), (floats(2, 3), floats(2, 3, seed=1))),
    ("norm", lambda m, t: m.linalg.norm(t[0]), (floats(2, 3),)),
    ("norm 1", lambda m, t: m.linalg.norm(t[0], 1), (floats(2, 3),)),
    ("norm inf", lambda m, t: m.linalg.norm(t[0], INF, dim=(0, 1)), (floats(2, 3, 4),)),
    ("vector_norm", lambda m, t: m.linalg.vector_norm(t[0], 3, 1), (floats(2, 3),)),
    ("matrix_power", lambda m, t: m.linalg.matrix_power(t[0], 5), (floats(3, 3),)),
    (
        "multi_dot",
        lambda m, t: m.linalg.multi_dot([t[0], t[1], t[0]]),
        (floats(2, 3), floats(3, 2, seed=1)),
    ),
    ("vecdot", lambda m, t: m.linalg.vecdot(t[0], t[1]), (floats(2, 3), floats(2, 3, seed=1))),
    ("nansum", lambda m, t: m.nansum(t[0]), (np.array([1.0, NAN, 3.0], np.float32),)),
]


@pytest.mark.parametrize(("name", "call", "arrays"), OTHERS, ids=[name for name, _, _ in OTHERS])
def test_others(name: str, call: Callable[[Any, Any], Any], arrays: tuple[Array, ...]) -> None:
    same_call(lambda *t: call(pumice, t), lambda *t: call(torch, t), *arrays, tolerance=1e-4)


def test_gradient_of_distances_at_zero_is_zero() -> None:
    leaf = pumice.zeros(2, 3, requires_grad=True)
    (pumice.cdist(leaf, leaf).sum() + pumice.linalg.norm(leaf) + leaf.norm()).backward()
    assert leaf.grad is not None and leaf.grad.abs().sum().item() == 0


def test_vander() -> None:
    for options in ({}, {"N": 2}, {"N": 5, "increasing": True}):
        same_call(
            lambda x, o=options: pumice.vander(x, **o),
            lambda x, o=options: torch.vander(x, **o),
            floats(3),
            gradient=False,
        )


def test_index_put_skips_axes() -> None:
    result = pumice.index_put(pumice.zeros(2, 3), (None, pumice.tensor([0, 2])), pumice.ones(2))
    assert result.tolist() == [[1, 0, 1], [1, 0, 1]]


def test_limits_of_dtypes() -> None:
    for name in ("float16", "bfloat16", "float32", "float64"):
        ours, theirs = pumice.finfo(getattr(pumice, name)), torch.finfo(getattr(torch, name))
        for part in ("bits", "eps", "max", "min", "tiny", "smallest_normal"):
            assert getattr(ours, part) == getattr(theirs, part), (name, part)
    for name in ("int8", "uint8", "int64"):
        ours, theirs = pumice.iinfo(getattr(pumice, name)), torch.iinfo(getattr(torch, name))
        assert (ours.min, ours.max, ours.bits) == (theirs.min, theirs.max, theirs.bits)
    with pytest.raises(pumice.DTypeError, match="a floating type"):
        pumice.finfo(pumice.int8)


def test_constants_multiply() -> None:
    assert (pumice.ones(2, 3) @ pumice.ones(3, 2)).tolist() == [[3, 3], [3, 3]]
    image, kernel = pumice.ones(1, 1, 3, 3), pumice.ones(1, 1, 2, 2)
    assert our_functions.conv2d(image, kernel).tolist() == [[[[4, 4], [4, 4]]]]


INTEGER_PAIR = (integers(-30, 30, 20), integers(-30, 30, 20, seed=1))
PLACES = (np.array([[0, 2], [5, 5]]), floats(2, 2, seed=3))
MASK = np.random.default_rng(2).random((3, 4)) > 0.5
COMPOSED: list[tuple[str, Callable[[Any, Any], Any], tuple[Array, ...]]] = [
    ("deg2rad", lambda m, t: m.deg2rad(t[0]), (floats(4),)),
    ("rad2deg", lambda m, t: m.rad2deg(t[0]), (floats(4),)),
    ("logit", lambda m, t: m.logit(t[0], 0.1), (np.linspace(0, 1, 7, dtype=np.float32),)),
    ("ldexp", lambda m, t: m.ldexp(t[0], t[1]), (floats(4), floats(4, seed=1))),
    ("logaddexp2", lambda m, t: m.logaddexp2(t[0], t[1]), (floats(4), floats(4, seed=1))),
    ("gcd", lambda m, t: m.gcd(t[0], t[1]), INTEGER_PAIR),
    ("lcm", lambda m, t: m.lcm(t[0], t[1]), INTEGER_PAIR),
    ("angle", lambda m, t: m.angle(t[0]), (np.array([1, -1, 0, NAN, INF, -INF], np.float32),)),
    ("round", lambda m, t: m.round(t[0], decimals=2), (floats(9),)),
    (
        "index_put",
        lambda m, t: m.index_put(t[0], (t[1],), t[2], True),
        (floats(4, 3), np.array([0, 2, 0]), floats(3, 3, seed=1)),
    ),
    (
        "put",
        lambda m, t: m.Tensor.put(t[0], t[1], t[2]) if m is torch else m.put(*t),
        (floats(3, 2), np.array([[0], [5]]), floats(2, 1, seed=1)),
    ),
    (
        "masked_scatter",
        lambda m, t: t[0].masked_scatter(t[1], t[2]),
        (floats(3, 4), MASK, floats(12, seed=1)),
    ),
    (
        "select_scatter",
        lambda m, t: m.select_scatter(t[0], t[1], 1, -1),
        (floats(3, 4), floats(3, seed=1)),
    ),
    (
        "slice_scatter",
        lambda m, t: m.slice_scatter(t[0], t[1], 1, 0, 4, 2),
        (floats(3, 4), floats(3, 2, seed=1)),
    ),
    (
        "diagonal_scatter",
        lambda m, t: m.diagonal_scatter(t[0].t(), t[1]),
        (floats(3, 4), floats(3, seed=1)),
    ),
    ("quantile", lambda m, t: m.quantile(t[0], t[1], 1), (floats(3, 7), np.float32([0.1, 0.5, 1]))),
    ("quantile all", lambda m, t: m.quantile(t[0], 0.3, keepdim=True), (floats(3, 7),)),
    (
        "nanquantile",
        lambda m, t: m.nanquantile(t[0], 0.4, 0),
        (np.array([[1, NAN], [2, 5], [NAN, NAN]], np.float32),),
    ),
    ("nanmean", lambda m, t: m.nanmean(t[0], 0), (np.array([[1, NAN], [2, 5]], np.float32),)),
    ("cov", lambda m, t: m.cov(t[0]), (floats(3, 6),)),
    (
        "cov weighted",
        lambda m, t: m.cov(t[0], fweights=t[1], aweights=t[2]),
        (floats(3, 6), integers(1, 4, 6), np.abs(floats(6, seed=2))),
    ),
    ("corrcoef", lambda m, t: m.corrcoef(t[0]), (floats(3, 6),)),
    ("histc", lambda m, t: m.histc(t[0], 5, -1, 1), (floats(30),)),
    ("histc own range", lambda m, t: m.histc(t[0], 5), (floats(30),)),
    ("trapezoid", lambda m, t: m.trapezoid(t[0], t[1]), (floats(3, 5), floats(5, seed=1))),
    (
        "cumulative_trapezoid",
        lambda m, t: m.cumulative_trapezoid(t[0], dx=0.5, dim=0),
        (floats(4, 2),),
    ),
    (
        "addbmm",
        lambda m, t: m.addbmm(t[0], t[1], t[2], beta=2, alpha=0.5),
        (floats(3, 2), floats(5, 3, 4), floats(5, 4, 2, seed=1)),
    ),
    ("addr", lambda m, t: m.addr(t[0], t[1], t[2]), (floats(3, 2), floats(3), floats(2, seed=1))),
    ("combinations", lambda m, t: m.combinations(t[0], 3, True), (floats(4),)),
    ("diagflat", lambda m, t: m.diagflat(t[0], 1), (floats(2, 2),)),
    (
        "bilinear",
        lambda m, t: m.nn.functional.bilinear(*t),
        (floats(2, 3), floats(2, 4, seed=1), floats(5, 3, 4, seed=2), floats(5, seed=3)),
    ),
    (
        "local_response_norm",
        lambda m, t: m.nn.functional.local_response_norm(t[0], 3),
        (floats(2, 5, 3, 2),),
    ),
    (
        "adaptive_max_pool2d",
        lambda m, t: m.nn.functional.adaptive_max_pool2d(t[0], (3, 2), return_indices=True),
        (floats(2, 3, 7, 5),),
    ),
    (
        "max_unpool2d",
        lambda m, t: m.nn.functional.max_unpool2d(
            *m.nn.functional.max_pool2d(t[0], 2, return_indices=True), 2
        ),
        (floats(2, 3, 6, 4),),
    ),
    ("rrelu", lambda m, t: m.nn.functional.rrelu(t[0]), (floats(9),)),
    (
        "searchsorted rows",
        lambda m, t: m.searchsorted(t[0], t[1], out_int32=True),
        (np.sort(floats(3, 6)), floats(3, 2, seed=1)),
    ),
    (
        "diff joined",
        lambda m, t: m.diff(t[0], prepend=t[1], append=t[1]),
        (floats(3, 4), floats(3, 1, seed=1)),
    ),
    ("tensordot of ones", lambda m, t: m.tensordot(t[0], t[1], 2), (floats(3, 1, 2), floats(4, 2))),
]


@pytest.mark.parametrize(
    ("name", "call", "arrays"), COMPOSED, ids=[name for name, _, _ in COMPOSED]
)
def test_composed(name: str, call: Callable[[Any, Any], Any], arrays: tuple[Array, ...]) -> None:
    same_call(lambda *t: call(pumice, t), lambda *t: call(torch, t), *arrays, tolerance=2e-4)
