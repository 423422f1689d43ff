"""Cases PyTorch's own operator samples brought to light, against PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice.errors import PumiceError
from tests.tensor.peers import Array, floats, integers, same_call, same_value

MATRICES = (integers(-9, 9, 3, 4, 5), integers(-9, 9, 3, 5, 2, seed=1))
Case = tuple[str, Callable[[Any, Any], Any], tuple[Array, ...]]


def cast(name: str, *arrays: Array) -> tuple[Array, ...]:
    return tuple(each.astype(name) for each in arrays)


PIXELS = cast("uint8", integers(0, 255, 1, 2, 5, 7))

CASES: list[Case] = [
    (
        "factors of integer products are whole",
        lambda t, x: t.baddbmm(x[0], x[1], x[2], beta=2.7, alpha=1.4),
        (integers(-9, 9, 3, 4, 2, seed=2), *MATRICES),
    ),
    (
        "factors of int8 vectors are whole",
        lambda t, x: t.addmv(x[0], x[1], x[2], beta=0.2, alpha=3.9),
        cast("int8", integers(-9, 9, 4), MATRICES[0][0], integers(-9, 9, 5)),
    ),
    (
        "outer products of bool",
        lambda t, x: t.addr(x[0] > 0, x[1] > 0, x[2] > 0, beta=3, alpha=2),
        (floats(3, 4), floats(3, seed=1), floats(4, seed=2)),
    ),
    ("bounds of whole ranges", lambda t, x: t.arange(-0.9, 2.1, 2.0, dtype=t.int64), ()),
    ("bounds of narrow ranges", lambda t, x: t.arange(0.5, 5.1, 2, dtype=t.int32), ()),
    ("ends of whole spaces", lambda t, x: t.linspace(4.3, -3, 50, dtype=t.int16), ()),
    ("ends of whole powers", lambda t, x: t.logspace(4.3, 0, 4, 5.0, dtype=t.int32), ()),
    (
        "a margin of integers may be a fraction",
        lambda t, x: t.nn.functional.margin_ranking_loss(*x, margin=0.5, reduction="sum"),
        (integers(-9, 9, 6), integers(-9, 9, 6, seed=1), np.sign(integers(-9, 9, 6, seed=2))),
    ),
    (
        "weights may be wider than what they weigh",
        lambda t, x: t.cov(x[0].to(t.bfloat16), aweights=x[1]),
        (floats(3, 6), np.abs(floats(6, seed=1))),
    ),
    (
        "sums of one integer operand are wide",
        lambda t, x: t.einsum("i...->...", x[0]),
        cast("int8", integers(-99, 99, 9, 4)),
    ),
    (
        "integers keep their dtype within bounds",
        lambda t, x: t.nn.functional.hardtanh(x[0], -2.5, 3.5),
        cast("int16", integers(-9, 9, 7)),
    ),
    (
        "nothing gathered has a gradient",
        lambda t, x: t.gather(x[0], 0, x[1]),
        (floats(5), np.zeros(0, np.int64)),
    ),
    (
        "classes of one score",
        lambda t, x: t.nn.functional.multi_margin_loss(x[0], x[1]),
        (floats(1)[0], np.array(0)),
    ),
    (
        "one sample's class in a vector",
        lambda t, x: t.nn.functional.multi_margin_loss(x[0], x[1], p=2),
        (floats(5), np.array([2])),
    ),
    (
        "labels of one score",
        lambda t, x: t.nn.functional.multilabel_margin_loss(x[0], x[1]),
        (floats(1)[0], np.array(0)),
    ),
    (
        "bool scattered over nothing",
        lambda t, x: t.scatter_reduce(x[0] > 0, 0, x[1], x[0] > 0.3, "sum", include_self=False).to(
            t.int32
        ),
        (floats(5), integers(0, 5, 5)),
    ),
    (
        "a pseudo-inverse of the lower triangle",
        lambda t, x: t.linalg.pinv(x[0], hermitian=True),
        (floats(2, 4, 4),),
    ),
    ("powers of bytes", lambda t, x: t.linalg.vander(x[0], N=5), cast("int8", integers(2, 9, 6))),
    ("powers of a number", lambda t, x: t.linalg.vander(x[0], N=3), (floats(3)[1],)),
    ("the largest of no rows", lambda t, x: t.linalg.matrix_norm(x[0], np.inf), (floats(0, 5),)),
    ("the largest of no values", lambda t, x: t.linalg.matrix_norm(x[0], 2), (floats(3, 5, 0),)),
    (
        "the angle of bools",
        lambda t, x: t.nn.functional.cosine_embedding_loss(x[0] > 0, x[1] > 0, x[2]),
        (floats(5, 4), floats(5, 4, seed=1), np.sign(integers(-9, 9, 5, seed=2))),
    ),
    ("counted differences", lambda t, x: t.cdist(x[0], x[1], p=0.0), (floats(3, 2), floats(4, 2))),
    ("a count of elements", lambda t, x: t.norm(x[0], p=0, dim=1), (floats(3, 4),)),
]


@pytest.mark.parametrize(("name", "call", "arrays"), CASES, ids=[case[0] for case in CASES])
def test_against_torch(
    name: str, call: Callable[[Any, Any], Any], arrays: tuple[Array, ...]
) -> None:
    same_call(lambda *x: call(pumice, x), lambda *x: call(torch, x), *arrays, tolerance=2e-2)


REFUSED: list[tuple[str, Callable[[Any, Any], Any], tuple[Array, ...]]] = [
    ("infinitely many", lambda t, x: t.arange(0, np.inf, 2), ()),
    ("a range that ends first", lambda t, x: x[0].uniform_(3, -1), (floats(4),)),
    ("a negative deviation", lambda t, x: x[0].normal_(0, -1), (floats(4),)),
    ("differences of order -1", lambda t, x: t.diff(x[0], -1), (floats(4),)),
    ("a diagonal of one axis", lambda t, x: t.diag_embed(x[0], dim1=1, dim2=1), (floats(3, 4),)),
    ("the larger of a number", lambda t, x: t.max(2, x[0]), (floats(4),)),
    ("the smaller of a number", lambda t, x: t.min(2, x[0]), (floats(4),)),
    ("negative rtol", lambda t, x: t.isclose(x[0], x[0], rtol=-0.4), (floats(4),)),
    ("negative atol", lambda t, x: t.isclose(x[0], x[0], atol=-0.4), (floats(4),)),
    ("no sizes", lambda t, x: t.nn.functional.adaptive_avg_pool2d(x[0], ()), (floats(1, 2, 3, 4),)),
    (
        "negative sizes",
        lambda t, x: t.nn.functional.adaptive_max_pool2d(x[0], (-1, 0)),
        (floats(1, 1, 1, 1),),
    ),
    (
        "a weight of another shape",
        lambda t, x: t.nn.functional.rms_norm(x[0], (2, 3), x[1]),
        (floats(1, 2, 3), floats(2)),
    ),
    ("slopes in no order", lambda t, x: t.nn.functional.rrelu(x[0], 0.3, 0.1), (floats(4),)),
    ("a negative lambda", lambda t, x: t.nn.functional.softshrink(x[0], -0.5), (floats(4),)),
    ("bounds in no order", lambda t, x: t.nn.functional.hardtanh(x[0], 0.5, -0.5), (floats(4),)),
    (
        "a start between elements",
        lambda t, x: t.narrow(x[0], 0, x[1], 3),
        (floats(9), floats(1)[0]),
    ),
    ("an axis of a number", lambda t, x: t.roll(x[0], 0, 0), (floats(1)[0],)),
    ("a plane of one axis", lambda t, x: t.rot90(x[0], 1, (0,)), (floats(3, 3),)),
    ("whole probabilities", lambda t, x: t.multinomial(x[0], 2), (integers(1, 9, 4),)),
    (
        "a margin of -1",
        lambda t, x: t.nn.functional.triplet_margin_loss(x[0], x[0], x[0], margin=-1.0),
        (floats(3, 4),),
    ),
    ("a column of weights", lambda t, x: t.cov(x[0], aweights=x[1]), (floats(5), floats(5, 5))),
    ("weights that are not whole", lambda t, x: t.cov(x[0], fweights=x[0]), (floats(5),)),
    ("vectors of other ranks", lambda t, x: t.linalg.cross(*x), (floats(5, 5, 3), floats(5, 3))),
    ("a vector of one", lambda t, x: t.linalg.cross(*x), (floats(5, 3), floats(5, 1))),
    ("the smallest of no rows", lambda t, x: t.linalg.matrix_norm(x[0], -np.inf), (floats(0, 5),)),
    (
        "a fraction added to whole numbers",
        lambda t, x: t.nn.functional.conv1d(*x),
        (integers(0, 9, 1, 1, 4), integers(0, 9, 1, 1, 2), floats(1)),
    ),
    (
        "fewer places than elements",
        lambda t, x: t.nn.functional.max_unpool1d(x[0], x[1], 3, 2),
        (floats(8, 8), integers(0, 8, 8, 7)),
    ),
]


@pytest.mark.parametrize(("name", "call", "arrays"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused_as_by_torch(
    name: str, call: Callable[[Any, Any], Any], arrays: tuple[Array, ...]
) -> None:
    with pytest.raises((RuntimeError, TypeError, IndexError, ValueError)):
        call(torch, [torch.tensor(each) for each in arrays])
    with pytest.raises(PumiceError):
        call(pumice, [pumice.tensor(each) for each in arrays])


def test_a_triangular_solution_comes_with_its_matrix() -> None:
    matrix = pumice.tensor(floats(4, 4))
    found = pumice.triangular_solve(pumice.tensor(floats(4, 2)), matrix)
    np.testing.assert_array_equal(found.cloned_coefficient.numpy(), matrix.numpy())


def test_exponentials_of_narrow_matrices() -> None:
    """PyTorch computes them in 16 bits, and overflows."""
    array = floats(4, 4)
    for dtype in (pumice.float16, pumice.bfloat16):
        found = pumice.matrix_exp(pumice.tensor(array).to(dtype))
        assert found.dtype is dtype
        wanted = torch.matrix_exp(torch.tensor(array)).numpy()
        np.testing.assert_allclose(found.float().numpy(), wanted, rtol=5e-2, atol=5e-2)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("extras", [(), ("return_inverse",), ("return_counts",)])
def test_unique_numbers_of_a_short_range(dtype: str, extras: tuple[str, ...]) -> None:
    """Many numbers of few kinds are counted, not sorted."""
    low = 0 if dtype == "uint8" else -50
    array = integers(low, 60, 200, 201).astype(dtype)
    options = dict.fromkeys(extras, True)
    found, wanted = (t.unique(t.tensor(array), **options) for t in (pumice, torch))
    pairs = zip(found, wanted, strict=True) if extras else [(found, wanted)]
    for mine, theirs in pairs:
        same_value(mine, theirs)


@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 0), (2, 3, 4), (40000,)])
def test_places_and_elements_of_a_mask(shape: tuple[int, ...]) -> None:
    array, mask = floats(*shape), integers(0, 2, *shape, seed=1) > 0
    ours, theirs = [[t.tensor(each) for each in (array, mask)] for t in (pumice, torch)]
    same_value(pumice.nonzero(ours[1]), torch.nonzero(theirs[1]))
    same_value(pumice.masked_select(*ours), torch.masked_select(*theirs))
    if len(shape) > 1:
        same_value(pumice.masked_select(ours[0].mT, ours[1].mT), theirs[0].mT[theirs[1].mT])
    columns = [each[1].nonzero(as_tuple=True) for each in (ours, theirs)]
    for mine, other in zip(*columns, strict=True):
        same_value(mine, other)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_truncated_quotients_of_narrow_dtypes_are_rounded_first(name: str, device: str) -> None:
    """2085 / 15 is 139 in float16, whatever it is computed in."""
    values = (integers(1, 2000, 500) / 7).astype(np.float32)
    other = (integers(1, 2000, 500, seed=1) / 111).astype(np.float32)
    ours = [
        pumice.tensor(each, device=device).to(getattr(pumice, name)) for each in (values, other)
    ]
    theirs = [torch.tensor(each).to(getattr(torch, name)) for each in (values, other)]
    same_value(
        pumice.div(*ours, rounding_mode="trunc").cpu(),
        torch.trunc(torch.div(*theirs)),
    )


def test_resized_pixels_are_whole() -> None:
    """PyTorch rounds after each axis, pumice once, so pixels may be one apart."""
    found = pumice.nn.functional.interpolate(pumice.tensor(PIXELS[0]), size=(3, 9), mode="bilinear")
    wide = pumice.nn.functional.interpolate(
        pumice.tensor(PIXELS[0].astype(np.float32)), size=(3, 9), mode="bilinear"
    )
    assert found.dtype is pumice.uint8
    np.testing.assert_array_equal(found.numpy(), np.floor(wide.numpy() + 0.5).astype(np.uint8))


@pytest.mark.parametrize("method", ["linear", "lower", "midpoint"])
def test_quantiles_on_every_device(method: str, device: str) -> None:
    array = floats(4, 9)
    found = pumice.tensor(array, device=device).quantile(0.4, 1, interpolation=method)
    same_value(found.cpu(), torch.tensor(array).quantile(0.4, 1, interpolation=method), 1e-6)
