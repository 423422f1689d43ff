"""Functions of `pumice` against PyTorch's: movement, folds, products, indexing, sorting."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from tests.tensor.peers import Array, floats, integers, same_call

CUBE = floats(2, 3, 4)
SQUARE = floats(4, 4, seed=1)
INDEX = integers(0, 4, 3, 5)
TIES = np.array([[1, 3, 3, 2], [2, 2, 2, 2], [5, 1, 5, 1]], np.float32)

Case = tuple[str, Callable[[Any, Any], Any], tuple[Array, ...]]


def _each(name: str, *calls: Any, arrays: tuple[Array, ...] = (CUBE,)) -> list[Case]:
    """Return one case per set of arguments of a method."""
    return [
        (
            f"{name}{arguments}",
            lambda module, tensors, n=name, a=arguments: getattr(tensors[0], n)(*tensors[1:], *a),
            arrays,
        )
        for arguments in calls
    ]


CASES: list[Case] = [
    *_each("permute", (2, 0, 1), ((0, 2, 1),), (-1, 0, 1)),
    *_each("transpose", (0, 2), (-1, -2)),
    *_each("movedim", (0, -1), ((0, 1), (2, 0))),
    *_each("squeeze", (), (0,), ((0, 1),), arrays=(floats(1, 3, 1),)),
    *_each("unsqueeze", (0,), (-1,), (2,)),
    *_each("flatten", (), (1,), (0, 1)),
    *_each("unflatten", (2, (2, 2)), (2, (-1, 1))),
    *_each("reshape", (4, 6), (-1,), ((3, -1, 2),)),
    *_each("expand", (5, 2, 3, 4), (-1, -1, -1)),
    *_each("narrow", (1, 1, 2), (2, -3, 2)),
    *_each("select", (0, 1), (-1, -2)),
    *_each("unbind", (), (2,)),
    *_each("split", (2, 1), ([1, 3], 2), (5, 0)),
    *_each("chunk", (2, 1), (3, 2), (7, 0)),
    *_each("tensor_split", (2, 1), (3, 2), ([1, 2], 2), ([2, 1, 9], 1)),
    *_each("diagonal", (), (1,), (-1, 1, 2), (0, 2, 0)),
    *_each("unfold", (2, 2, 1), (1, 2, 2), (0, 1, 1)),
    *_each("flip", ((0,),), ((0, 2),), ((-1,),)),
    *_each("roll", (1,), (2, 1), ((1, -2), (0, 2))),
    *_each("rot90", (), (2,), (3, (0, 2))),
    *_each("repeat", (2, 1, 3), (2, 1, 1, 1), ((1, 2, 1),)),
    *_each("tile", (2,), (2, 1, 1, 1)),
    *_each("repeat_interleave", (2,), (3, 1)),
    *_each("sum", (), (0,), ((0, 2), True), (-1, True)),
    *_each("prod", (), (1,), (2, True)),
    *_each("mean", (), (1,), ((0, 1), True)),
    *_each("amax", (), (1,), ((0, 2), True)),
    *_each("amin", (), (1,)),
    *_each("amax", (1,), arrays=(TIES,)),
    *_each("max", (), (1,), (2, True)),
    *_each("min", (), (0,), (2, True)),
    *_each("max", (1,), arrays=(TIES,)),
    *_each("argmax", (), (1,), (2, True)),
    *_each("argmin", (), (1,)),
    *_each("any", (), (1,)),
    *_each("all", (), (1,)),
    *_each("var", (), (1,), ((0, 2),)),
    *_each("std", (), (1,), (2, True)),
    *_each("logsumexp", (1,), ((0, 2), True)),
    *_each("softmax", (0,), (-1,)),
    *_each("log_softmax", (1,)),
    *_each("norm", (), (1,), (2, 1), (float("inf"), 0), (3, (0, 2))),
    *_each("cumsum", (0,), (-1,)),
    *_each("diff", (), (2,), (1, 0)),
    *_each("count_nonzero", (), (1,)),
    *_each("sort", (), (0, True), arrays=(TIES,)),
    *_each("argsort", (), arrays=(floats(5, 6),)),
    *_each("topk", (2,), (2, 0, False), arrays=(floats(5, 6),)),
    *_each("kthvalue", (2,), (3, 0), arrays=(floats(5, 6),)),
    *_each("median", (), (1,), (0, True), arrays=(floats(5, 6),)),
    *_each("msort", (), arrays=(floats(5, 6),)),
    *_each("clamp", (-0.5, 0.5), (None, 0.3), (0.1,)),
    *_each("triu", (), (1,), (-1,)),
    *_each("tril", (), (1,), (-2,)),
    *_each("matmul", (), arrays=(floats(2, 1, 3, 4), floats(5, 4, 6, seed=1))),
    *_each("matmul", (), arrays=(floats(3, 4), floats(4, seed=1))),
    *_each("matmul", (), arrays=(floats(4), floats(2, 4, 3, seed=1))),
    *_each("matmul", (), arrays=(floats(4), floats(4, seed=1))),
    *_each("matmul", (), arrays=(floats(2, 3, 0), floats(0, 4))),
    *_each("matmul", (), arrays=(integers(-5, 5, 3, 4), integers(-5, 5, 4, 2, seed=1))),
    *_each("mm", (), arrays=(floats(3, 4), floats(4, 2, seed=1))),
    *_each("bmm", (), arrays=(floats(5, 3, 4), floats(5, 4, 2, seed=1))),
    *_each("mv", (), arrays=(floats(3, 4), floats(4, seed=1))),
    *_each("dot", (), arrays=(floats(4), floats(4, seed=1))),
    *_each("inner", (), arrays=(floats(2, 4), floats(3, 4, seed=1))),
    *_each("outer", (), arrays=(floats(3), floats(4, seed=1))),
    *_each("kron", (), arrays=(floats(2, 3), floats(2, 2, seed=1))),
    *_each("addmm", (), arrays=(floats(2), floats(3, 4), floats(4, 2, seed=1))),
    *_each("baddbmm", (), arrays=(floats(5, 3, 2), floats(5, 3, 4), floats(5, 4, 2, seed=1))),
    *_each("lerp", (0.3,), (0.8,), arrays=(floats(5), floats(5, seed=1))),
    *_each("lerp", (), arrays=(floats(5), floats(5, seed=1), floats(5, seed=2))),
    *_each("addcmul", (), arrays=(floats(5), floats(5, seed=1), floats(5, seed=2))),
    *_each("addcdiv", (), arrays=(floats(5), floats(5, seed=1), floats(5, seed=2))),
    *_each("trace", (), arrays=(SQUARE,)),
    *_each("diag", (), (1,), arrays=(SQUARE,)),
    *_each("diag", (), (-1,), arrays=(floats(3),)),
    *_each("diag_embed", (), (1,), (0, 0, 2), arrays=(floats(2, 3),)),
    *_each("nan_to_num", (), (1.0, 2.0, 3.0)),
    *_each("nonzero", (), arrays=(integers(0, 2, 3, 4),)),
    (
        "gather",
        lambda module, t: module.gather(t[0], 0, t[1]),
        (floats(4, 5), INDEX),
    ),
    (
        "scatter",
        lambda m, t: m.scatter(t[0], 1, t[1], t[2]),
        (floats(2, 5), np.array([[0, 3], [4, 1]]), floats(2, 2, seed=1)),
    ),
    (
        "scatter number",
        lambda m, t: m.scatter(t[0], 1, t[1], 2.5),
        (floats(2, 5), np.array([[0, 3], [4, 1]])),
    ),
    (
        "scatter_add",
        lambda m, t: m.scatter_add(t[0], 0, t[1], t[2]),
        (floats(4, 5), INDEX, floats(3, 5, seed=1)),
    ),
    (
        "index_select",
        lambda m, t: m.index_select(t[0], 1, t[1]),
        (floats(4, 5), np.array([0, 3, 3])),
    ),
    (
        "index_add",
        lambda m, t: m.index_add(t[0], 0, t[1], t[2], alpha=2),
        (floats(4, 5), np.array([0, 3, 3]), floats(3, 5, seed=1)),
    ),
    (
        "index_copy",
        lambda m, t: m.index_copy(t[0], 0, t[1], t[2]),
        (floats(4, 5), np.array([0, 3]), floats(2, 5, seed=1)),
    ),
    ("index_fill", lambda m, t: m.index_fill(t[0], 1, t[1], -1), (floats(4, 5), np.array([0, 3]))),
    ("take", lambda m, t: m.take(t[0], t[1]), (floats(4, 5), np.array([[0, -1], [7, 7]]))),
    (
        "take_along_dim",
        lambda m, t: m.take_along_dim(t[0], t[1], 0),
        (floats(4, 5), integers(0, 4, 2, 1)),
    ),
    ("masked_select", lambda m, t: m.masked_select(t[0], t[0] > 0), (floats(4, 5),)),
    ("masked_fill", lambda m, t: m.masked_fill(t[0], t[0] > 0, 7), (floats(4, 5),)),
    ("where", lambda m, t: m.where(t[0] > 0, t[0], t[1]), (floats(4, 5), floats(5, seed=1))),
    ("where number", lambda m, t: m.where(t[0] > 0, t[0], 2.0), (floats(4, 5),)),
    ("cat", lambda m, t: m.cat([t[0], t[1], t[0]], 1), (floats(2, 3), floats(2, 1, seed=1))),
    ("cat promotes", lambda m, t: m.cat([t[0], t[1]]), (floats(2, 3), integers(0, 5, 1, 3))),
    ("cat skips empty", lambda m, t: m.cat([t[0][:0, 0], t[0]]), (floats(2, 3),)),
    ("stack", lambda m, t: m.stack([t[0], t[1]], 1), (floats(2, 3), floats(2, 3, seed=1))),
    ("hstack", lambda m, t: m.hstack([t[0], t[1]]), (floats(2, 3), floats(2, 1, seed=1))),
    ("vstack", lambda m, t: m.vstack([t[0], t[1]]), (floats(3), floats(2, 3, seed=1))),
    ("dstack", lambda m, t: m.dstack([t[0], t[0]]), (floats(3),)),
    ("column_stack", lambda m, t: m.column_stack([t[0], t[1]]), (floats(3), floats(3, 2))),
    ("tensordot", lambda m, t: m.tensordot(t[0], t[1], 1), (floats(2, 3), floats(3, 4))),
    (
        "tensordot axes",
        lambda m, t: m.tensordot(t[0], t[1], ([0, 2], [1, 0])),
        (floats(2, 3, 4), floats(4, 2, seed=1)),
    ),
    ("meshgrid", lambda m, t: m.meshgrid(t[0], t[1], indexing="ij"), (floats(2), floats(3))),
    ("meshgrid xy", lambda m, t: m.meshgrid(t[0], t[1], indexing="xy"), (floats(2), floats(3))),
    ("block_diag", lambda m, t: m.block_diag(t[0], t[1]), (floats(2, 3), floats(1, 2))),
    ("cartesian_prod", lambda m, t: m.cartesian_prod(t[0], t[1]), (floats(2), floats(3))),
    ("isclose", lambda m, t: m.isclose(t[0], t[0] + 1e-7), (floats(4),)),
    (
        "searchsorted",
        lambda m, t: m.searchsorted(t[0], t[1]),
        (np.arange(6, dtype=np.float32), floats(3, 4) * 4),
    ),
    (
        "searchsorted right",
        lambda m, t: m.searchsorted(t[0], t[1], right=True),
        (np.array([1, 2, 2, 3]), integers(0, 5, 9)),
    ),
    *(
        (
            f"searchsorted NaN {right}",
            lambda m, t, right=right: m.searchsorted(t[0], t[1], right=right),
            (np.array([1.0, 2.0, np.nan]), np.array([np.nan, 0.5, 2.0, 5.0, np.inf])),
        )
        for right in (False, True)
    ),
    ("add alpha", lambda m, t: m.add(t[0], t[1], alpha=-2), (floats(3), floats(3, seed=1))),
    ("rsub", lambda m, t: m.rsub(t[0], 3, alpha=2), (floats(3),)),
    (
        "div floor",
        lambda m, t: m.div(t[0], t[1], rounding_mode="floor"),
        (integers(-9, 9, 20), np.array([3])),
    ),
    (
        "div trunc",
        lambda m, t: m.div(t[0], t[1], rounding_mode="trunc"),
        (integers(-9, 9, 20), np.array([-3])),
    ),
    ("var_mean", lambda m, t: m.var_mean(t[0], 1), (CUBE,)),
    ("std_mean", lambda m, t: m.std_mean(t[0], 1, correction=0), (CUBE,)),
    ("dist", lambda m, t: m.dist(t[0], t[1]), (floats(3), floats(3, seed=1))),
]


@pytest.mark.parametrize(("name", "call", "arrays"), CASES, ids=[case[0] for case in CASES])
def test_against_torch(
    name: str, call: Callable[[Any, Any], Any], arrays: tuple[Array, ...]
) -> None:
    same_call(
        lambda *tensors: call(pumice, tensors),
        lambda *tensors: call(torch, tensors),
        *arrays,
        tolerance=1e-4,
    )


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include", [True, False])
def test_scatter_reduce(reduce: str, include: bool) -> None:
    for base in (floats(4, 5), integers(-9, 9, 4, 5).astype(np.int32)):
        source = floats(3, 5, seed=2).astype(base.dtype)
        same_call(
            lambda x, i, s: pumice.scatter_reduce(x, 0, i, s, reduce, include_self=include),
            lambda x, i, s: torch.scatter_reduce(x, 0, i, s, reduce, include_self=include),
            base,
            INDEX,
            source,
            gradient=reduce in ("sum", "mean"),
            tolerance=1e-4,
        )


@pytest.mark.parametrize("name", ["sum", "amax", "softmax", "sort", "matmul", "cumsum", "argmax"])
def test_layouts_give_the_answer_of_the_contiguous_copy(name: str) -> None:
    base = pumice.tensor(floats(6, 8))
    layouts = {
        "transposed": base.t(),
        "strided": base[::2, ::-1],
        "offset": base[1:, 3:],
        "expanded": base[:1].expand(4, 8),
    }
    arguments: dict[str, tuple[Any, ...]] = {"softmax": (0,), "cumsum": (1,), "argmax": (1,)}
    for layout, tensor in layouts.items():
        plain = pumice.tensor(tensor.numpy().copy())
        extra = (pumice.tensor(floats(tensor.shape[1], 3)),) if name == "matmul" else ()
        rest = arguments.get(name, ()) + extra
        got, wanted = getattr(tensor, name)(*rest), getattr(plain, name)(*rest)
        if name == "sort":
            got, wanted = got.values, wanted.values
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), 1e-5, 1e-6, err_msg=layout)


@pytest.mark.parametrize("name", ["sum", "prod", "amax", "argmax", "mean", "max", "softmax"])
def test_zero_dimensional(name: str) -> None:
    for arguments in ((), (0,), (-1,)) if name != "softmax" else ((0,),):
        got = getattr(pumice.tensor(3.0), name)(*arguments)
        wanted = getattr(torch.tensor(3.0), name)(*arguments)
        if isinstance(wanted, tuple):
            assert (got.values.item(), got.indices.item()) == (3.0, 0)
        else:
            assert got.shape == tuple(wanted.shape) and got.item() == wanted.item()


def test_special_values_of_folds() -> None:
    inf, nan = float("inf"), float("nan")
    assert pumice.logsumexp(pumice.tensor([-inf, -inf])).item() == -inf
    assert pumice.logsumexp(pumice.tensor([inf, 1.0])).item() == inf
    assert np.isnan(pumice.softmax(pumice.tensor([-inf, -inf])).numpy()).all()
    assert pumice.log_softmax(pumice.tensor([1000.0, 0.0])).tolist() == [0.0, -1000.0]
    assert np.isnan(pumice.mean(pumice.zeros(0)).item())
    assert np.isnan(pumice.var(pumice.tensor([1.0])).item())
    for length in (3, 17, 40):
        values = [0.0] * length
        values[length // 2] = nan
        tensor = pumice.tensor(values)
        for name in ("amax", "amin", "max", "min"):
            assert np.isnan(getattr(tensor, name)().item())
        assert tensor.argmax().item() == tensor.argmin().item() == length // 2


def test_last_index_of_equal_elements() -> None:
    tensor = pumice.tensor(TIES)
    assert tensor.argmax(1, select_last_index=True).tolist() == [2, 3, 2]
    assert tensor.argmin(1, select_last_index=True).tolist() == [0, 3, 3]
    assert tensor.argmax(select_last_index=True).item() == 10


def test_integer_means_give_the_default_float() -> None:
    assert pumice.mean(pumice.tensor([1, 2])).dtype is pumice.float32
    assert pumice.std(pumice.tensor([1, 2])).dtype is pumice.float32
    assert pumice.std(pumice.ones(3, requires_grad=True), correction=0).requires_grad


def test_gradient_of_std_where_nothing_varies_is_zero() -> None:
    leaf = pumice.ones(3, requires_grad=True)
    leaf.std().backward()
    assert leaf.grad is not None and leaf.grad.tolist() == [0, 0, 0]


def test_static_sizes() -> None:
    tensor = pumice.tensor([5, 0, 7, 0, 9])
    mask = tensor > 0
    assert pumice.masked_select(tensor, mask, size=4, fill_value=-1).tolist() == [5, 7, 9, -1]
    assert pumice.masked_select(tensor, mask, size=2).tolist() == [5, 7]
    assert pumice.nonzero(tensor, size=4, fill_value=-1).tolist() == [[0], [2], [4], [-1]]
    square = pumice.tensor([[0, 1], [1, 0]])
    assert pumice.nonzero(square, size=2).tolist() == [[0, 1], [1, 0]]
    assert [part.tolist() for part in pumice.nonzero(square, as_tuple=True)] == [[0, 1], [1, 0]]


def test_fill_mode_reads_zero_and_drops_writes() -> None:
    tensor = pumice.tensor([1.0, 2.0, 3.0])
    index = pumice.tensor([0, 5, -1])
    assert pumice.gather(tensor, 0, index, mode="fill").tolist() == [1, 0, 0]
    assert pumice.take(tensor, pumice.tensor([0, 5, -1]), mode="fill").tolist() == [1, 0, 3]
    assert pumice.index_select(tensor, 0, index, mode="fill").tolist() == [1, 0, 0]
    assert pumice.scatter(tensor, 0, index, 9.0, mode="fill").tolist() == [9, 2, 3]
    one_hot = pumice.nn.functional.one_hot
    assert one_hot(pumice.tensor([1, 3]), 2, mode="fill").tolist() == [[0, 1], [0, 0]]
    for call in (
        lambda: pumice.gather(tensor, 0, index),
        lambda: pumice.index_select(tensor, 0, index),
        lambda: one_hot(pumice.tensor([1, 3]), 2),
    ):
        with pytest.raises(IndexError):
            call().tolist()


def test_pad_in_axis_order() -> None:
    tensor = pumice.tensor([1, 2, 3, 4])
    assert pumice.pad(tensor, [(-1, 2)], "circular").tolist() == [2, 3, 4, 1, 2]
    assert pumice.pad(tensor, [(2, 1)], "reflect").tolist() == [3, 2, 1, 2, 3, 4, 3]
    assert pumice.pad(tensor, [(2, 1)], "replicate").tolist() == [1, 1, 1, 2, 3, 4, 4]
    padded = pumice.pad(tensor, [(1, 0)], value=1.5)
    assert padded.dtype is pumice.float32 and padded.tolist() == [1.5, 1, 2, 3, 4]
    assert pumice.pad(tensor.reshape(2, 2), [None, (0, 1)]).tolist() == [[1, 2, 0], [3, 4, 0]]
    assert pumice.pad_constant(tensor, [(0, -3)], 5).tolist() == [1]


def test_broadcasting_pairs() -> None:
    first, second = pumice.broadcasted(pumice.zeros(2, 1), pumice.ones(3, dtype=pumice.float64))
    assert first.shape == second.shape == (2, 3) and first.dtype is pumice.float64
    first, second = pumice.broadcasted(pumice.zeros(2), 3, reverse=True)
    assert first.tolist() == [3, 3] and second.tolist() == [0, 0]
    assert pumice.broadcast_to(pumice.ones(3), (2, 3)).strides == (0, 4)


def test_dot_of_many_axes() -> None:
    result = pumice.dot(pumice.ones(2, 1, 3, 4), pumice.ones(5, 4, 6))
    assert result.shape == (2, 5, 3, 6)
    wide = pumice.dot(
        pumice.ones(2, dtype=pumice.int32), pumice.ones(2, dtype=pumice.int32), dtype=pumice.float64
    )
    assert wide.dtype is pumice.float64


def test_whole_tensor_comparisons() -> None:
    tensor = pumice.tensor([1.0, 2.0])
    assert pumice.array_equal(tensor, pumice.tensor([1.0, 2.0]))
    assert not pumice.array_equal(tensor, pumice.tensor([1.0]))
    assert pumice.equal(tensor, pumice.tensor([1.0, 3.0])).tolist() == [True, False]
    nan = pumice.tensor([float("nan")])
    assert not pumice.allclose(nan, nan) and pumice.allclose(nan, nan, equal_nan=True)


BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: pumice.zeros(2) + pumice.zeros(3), RuntimeError, r"\[2\] and \[3\] do not broadcast"),
    (lambda: pumice.zeros(2, 3) @ pumice.zeros(2, 3), ValueError, "cannot be multiplied"),
    (lambda: pumice.zeros(2) @ pumice.tensor(1.0), ValueError, "at least one axis"),
    (lambda: pumice.zeros(2) @ pumice.zeros(2, dtype=pumice.float64), TypeError, "same dtype"),
    (lambda: pumice.zeros(2, 3).permute(0), ValueError, "got 1 dims for a tensor of 2"),
    (lambda: pumice.zeros(2, 3).permute(0, 0), ValueError, "appears twice"),
    (lambda: pumice.zeros(2, 3).sum(2), IndexError, "allowed are -2 to 1"),
    (lambda: pumice.zeros(2, 3).reshape(4), ValueError, "invalid for 6 elements"),
    (lambda: pumice.zeros(2, 3).view(-1, -1), ValueError, "at most one -1"),
    (lambda: pumice.zeros(2, 3).t().view(6), RuntimeError, r"use reshape\(\)"),
    (lambda: pumice.zeros(2, 3).expand(4, 3), RuntimeError, "does not expand"),
    (lambda: pumice.zeros(0).amax(), IndexError, "without elements"),
    (lambda: pumice.zeros(0).argmax(), IndexError, "without elements"),
    (lambda: pumice.cat([]), ValueError, "at least one is needed"),
    (lambda: pumice.cat([pumice.zeros(2, 3), pumice.zeros(3, 2)]), RuntimeError, "outside axis 0"),
    (lambda: pumice.stack([pumice.zeros(2), pumice.zeros(3)]), RuntimeError, "must have one shape"),
    (lambda: pumice.where(pumice.zeros(2), 1, 2), TypeError, "condition is float32.*must be bool"),
    (lambda: pumice.zeros(2).masked_fill(pumice.zeros(2), 1), TypeError, "must be bool"),
    (lambda: pumice.zeros(2).clamp(), ValueError, "neither min nor max"),
    (lambda: pumice.zeros(3).topk(4), RuntimeError, "0 to 3"),
    (lambda: pumice.zeros(3).gather(0, pumice.zeros(3)), TypeError, "must be an integer tensor"),
    (lambda: pumice.zeros(3).gather(0, pumice.zeros(1, 1).long()), RuntimeError, "same rank"),
    (lambda: pumice.pad(pumice.zeros(2), [(1, 1)], "wrap"), ValueError, "'constant', 'reflect'"),
    (lambda: pumice.pad(pumice.zeros(2), [(2, 0)], "reflect"), ValueError, "at most 1 at each end"),
    (lambda: pumice.pad(pumice.zeros(2), [(3, 0)], "circular"), ValueError, "at most 2"),
    (lambda: pumice.pad(pumice.zeros(2), []), ValueError, "one pair or None per axis"),
    (
        lambda: pumice.zeros(2, dtype=pumice.bool) - pumice.zeros(2, dtype=pumice.bool),
        TypeError,
        "sub: got bool",
    ),
    (lambda: pumice.div(pumice.ones(2), 1, rounding_mode="up"), ValueError, "'trunc' and 'floor'"),
    (
        lambda: pumice.div(pumice.ones(2, dtype=pumice.bool), True, rounding_mode="floor"),
        NotImplementedError,
        "bool operands",
    ),
    (lambda: pumice.zeros(2).split([1, 2]), ValueError, "do not add up to 2"),
    (lambda: pumice.zeros(2).split(0), ValueError, "must be positive"),
    (lambda: pumice.zeros(2).narrow(0, 1, 2), IndexError, "leave the axis"),
    (lambda: pumice.zeros(2).triu(), RuntimeError, "at least two axes"),
    (lambda: pumice.zeros(2).unfold(0, 3, 1), RuntimeError, "on an axis of 2"),
    (lambda: pumice.add(pumice.tensor([1]), 1, alpha=1.5), TypeError, "alpha must be an integer"),
    (lambda: pumice.exp([1.0]), TypeError, "argument 'input' must be a Tensor, not list"),
    (lambda: pumice.add(pumice.zeros(1), "a"), TypeError, "operand of type str"),
    (
        lambda: pumice.zeros(1).scatter_reduce(0, pumice.tensor([0]), pumice.zeros(1), "max"),
        ValueError,
        "allowed are 'sum', 'mean', 'prod', 'amax', 'amin'",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD, ids=[text for _, _, text in BAD])
def test_bad_arguments(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text) as caught:
        call()
    assert isinstance(caught.value, pumice.PumiceError)
    assert "test_functions.py:" in str(caught.value)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.float16])
def test_the_mean_of_many_elements_of_a_narrow_dtype(dtype: Any) -> None:
    """Neither their sum nor their count needs to fit the dtype."""
    values = (np.arange(70_000) % 7 + 90).astype(dtype)
    index = pumice.tensor(np.arange(70_000) % 3)
    found = pumice.zeros(3, dtype=pumice.tensor(values).dtype).scatter_reduce(
        0, index, pumice.tensor(values), "mean", include_self=False
    )
    expected = [values[place::3].astype(np.float64).mean() for place in range(3)]
    if np.issubdtype(dtype, np.integer):
        expected = [np.floor(each) for each in expected]
    np.testing.assert_allclose(found.numpy().astype(np.float64), expected, rtol=1e-3)


def test_pairs_print_and_pickle_under_the_name_of_their_operator() -> None:
    values = pumice.tensor([3.0, 1.0, 2.0])
    for name, found in {
        "kthvalue": values.kthvalue(2),
        "median": values.median(0),
        "max": values.max(0),
        "min": values.min(0),
        "sort": values.sort(0),
        "topk": values.topk(1),
        "cummax": values.cummax(0),
        "cummin": values.cummin(0),
    }.items():
        assert repr(found).startswith(f"{name}(\nvalues=tensor(")
        again = pickle.loads(pickle.dumps(found))
        assert type(again) is type(found) and again.indices.tolist() == found.indices.tolist()
