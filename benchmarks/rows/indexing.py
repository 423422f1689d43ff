"""Reading, writing, ordering and counting at computed positions, from ten thousand elements on."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.row import Arrays, Forward, Row, Source, nbytes, product_flop

SIZES = {"10k": 10_000, "10m": 10_000_000}
WIDTH = 64
EAGER = Forward(captured=False)
SEVERAL = Forward(several=True)

Variant = Callable[..., Any]


def line(n: int) -> Callable[[Source], Arrays]:
    """Return the maker of a vector."""
    return lambda s: {"x": s.normal(s(n, 203))}


def places(n: int) -> Callable[[Source], Arrays]:
    """Return the maker of a vector and as many places in it."""
    return lambda s: {"x": s.normal(s(n, 203)), "i": s.integers(0, s(n, 203), s(n, 203))}


def writes(n: int) -> Callable[[Source], Arrays]:
    """Return the maker of a vector, places in it and what is written there."""
    return lambda s: {**places(n)(s), "v": s.normal(s(n, 203))}


def distinct(n: int) -> Callable[[Source], Arrays]:
    """Return the maker of a vector, all of its places in any order and what is written there."""

    def make(s: Source) -> Arrays:
        size = s(n, 203)
        return {"x": s.normal(size), "i": np.argsort(s.double(size)), "v": s.normal(size)}

    return make


def table(n: int) -> Callable[[Source], Arrays]:
    """Return the maker of rows, and of rows to add to them."""

    def make(s: Source) -> Arrays:
        rows, width = s(n // WIDTH, 29), s(WIDTH, 13)
        source = s.normal(rows, width)
        return {"x": s.normal(rows, width), "i": s.integers(0, rows, rows), "v": source}

    return make


def matrix(n: int) -> Callable[[Source], Arrays]:
    """Return the maker of rows, and of places along each of them."""

    def make(s: Source) -> Arrays:
        rows, width = s(n // WIDTH, 29), s(WIDTH, 13)
        return {"x": s.normal(rows, width), "i": s.integers(0, width, rows, width)}

    return make


def cells(n: int) -> Callable[[Source], Arrays]:
    """Return the maker of a matrix, and of all its cells in any order with what they become."""

    def make(s: Source) -> Arrays:
        rows, width = s(n // WIDTH, 29), s(WIDTH, 13)
        order = np.argsort(s.double(rows * width))
        values = s.normal(rows * width)
        return {"x": s.normal(rows, width), "i": order // width, "j": order % width, "v": values}

    return make


def choice(n: int) -> Callable[[Source], Arrays]:
    """Return the maker of a vector and a mask that is true at half of it."""
    return lambda s: {"x": s.normal(s(n, 203)), "m": s.integers(0, 2, s(n, 203), dtype=bool)}


def whole(n: int, below: int) -> Callable[[Source], Arrays]:
    """Return the maker of whole numbers."""
    return lambda s: {"x": s.integers(0, s(below, 60), s(n, 203), dtype=np.int32)}


def edges(n: int) -> Callable[[Source], Arrays]:
    """Return the maker of ascending numbers, and of numbers to look up."""
    return lambda s: {"x": np.sort(s.normal(s(10_000, 60))), "v": s.normal(s(n, 203))}


def written(x: Any, place: Any, v: Any) -> Any:
    result = x.copy()
    result[place] = v
    return result


def folded(operation: Any, x: Any, i: Any, v: Any) -> Any:
    result = x.copy()
    operation.at(result, i, v)
    return result


def largest(t: Any, x: Any) -> Any:
    found = t.argpartition(-x, 50)[:50]
    found = found[t.argsort(-x[found], kind="stable")]
    return x[found], found


def ranked(t: Any, x: Any) -> Any:
    rank = len(x) // 3 - 1
    place = t.argpartition(x, rank)[rank]
    return x[place], place


def ordered(t: Any, x: Any) -> Any:
    places = t.argsort(x, kind="stable")
    return x[places], places


def running(t: Any, x: Any) -> Any:
    best = t.maximum.accumulate(x)
    place = t.where(x == best, t.arange(len(x)), 0)
    return best, t.maximum.accumulate(place)


def of_size(suffix: str, n: int) -> tuple[Row, ...]:
    """Return the rows that take about ``n`` elements."""

    def made(name: str, title: str, inputs: Any, function: Variant, **others: Any) -> Row:
        others.setdefault("moved", lambda *arrays: 2 * nbytes(*arrays))
        numpy = others.pop("numpy", None)
        jax = others.pop("jax", None)
        variants = {key: each for key, each in (("numpy", numpy), ("jax", jax)) if each}
        return Row(
            name=f"{name}_{suffix}",
            title=f"{title}, {n:.0e} elements".replace("e+0", "e"),
            group="indexing",
            inputs=inputs,
            function=function,
            variants=variants,
            **others,
        )

    return (
        made(
            "gather",
            "gather",
            places(n),
            lambda t, x, i: t.gather(x, 0, i),
            numpy=lambda t, x, i: x[i],
        ),
        made(
            "take_along",
            "take_along_dim, rows of 64",
            matrix(n),
            lambda t, x, i: t.take_along_dim(x, i, 1),
            numpy=lambda t, x, i: t.take_along_axis(x, i, 1),
        ),
        made(
            "scatter",
            "scatter",
            distinct(n),
            lambda t, x, i, v: x.scatter(0, i, v),
            numpy=lambda t, x, i, v: written(x, i, v),
            jax=lambda t, x, i, v: x.at[i].set(v),
        ),
        made(
            "scatter_sum",
            "scatter_reduce, sum",
            writes(n),
            lambda t, x, i, v: x.scatter_reduce(0, i, v, "sum"),
            numpy=lambda t, x, i, v: folded(t.add, x, i, v),
            jax=lambda t, x, i, v: x.at[i].add(v),
        ),
        made(
            "scatter_amax",
            "scatter_reduce, amax",
            writes(n),
            lambda t, x, i, v: x.scatter_reduce(0, i, v, "amax"),
            numpy=lambda t, x, i, v: folded(t.maximum, x, i, v),
            jax=lambda t, x, i, v: x.at[i].max(v),
        ),
        made(
            "index_put",
            "index_put by rows and columns",
            cells(n),
            lambda t, x, i, j, v: x.index_put((i, j), v),
            numpy=lambda t, x, i, j, v: written(x, (i, j), v),
            jax=lambda t, x, i, j, v: x.at[i, j].set(v),
        ),
        made(
            "index_add",
            "index_add, rows of 64",
            table(n),
            lambda t, x, i, v: x.index_add(0, i, v),
            numpy=lambda t, x, i, v: folded(t.add, x, i, v),
            jax=lambda t, x, i, v: x.at[i].add(v),
        ),
        made(
            "masked_select",
            "masked_select, every second",
            choice(n),
            lambda t, x, m: t.masked_select(x, m),
            numpy=lambda t, x, m: x[m],
            task=EAGER,
        ),
        made(
            "nonzero",
            "nonzero, every second",
            choice(n),
            lambda t, x, m: t.nonzero(m),
            numpy=lambda t, x, m: t.argwhere(m),
            task=EAGER,
        ),
        made(
            "unique_few",
            "unique of int32 below 1000",
            whole(n, 1000),
            lambda t, x: t.unique(x),
            numpy=lambda t, x: t.unique(x),
            task=EAGER,
        ),
        made(
            "bincount",
            "bincount of int32 below 1000",
            whole(n, 1000),
            lambda t, x: t.bincount(x),
            numpy=lambda t, x: t.bincount(x),
            task=EAGER,
        ),
        made(
            "top50",
            "top 50 of a vector",
            line(n),
            lambda t, x: t.topk(x, 50),
            numpy=largest,
            task=SEVERAL,
        ),
        made(
            "median",
            "median",
            lambda s: {"x": s.normal(s(n - 1, 203))},
            lambda t, x: t.median(x),
            numpy=lambda t, x: t.median(x),
        ),
        made(
            "kthvalue",
            "kthvalue, a third of the way",
            line(n),
            lambda t, x: t.kthvalue(x, x.shape[0] // 3),
            numpy=ranked,
            task=SEVERAL,
        ),
        made(
            "cummax",
            "cummax",
            line(n),
            lambda t, x: t.cummax(x, 0),
            numpy=running,
            task=SEVERAL,
        ),
        made(
            "order",
            "sort with indices",
            line(n),
            lambda t, x: t.sort(x),
            numpy=ordered,
            task=SEVERAL,
        ),
        made(
            "searchsorted",
            "searchsorted in 10000 numbers",
            edges(n),
            lambda t, x, v: t.searchsorted(x, v),
            numpy=lambda t, x, v: t.searchsorted(x, v),
        ),
    )


def products(side: int, small: int, count: int) -> Callable[[Source], Arrays]:
    """Return the maker of two batches of square matrices."""

    def make(s: Source) -> Arrays:
        shape = (s(count, 3), s(side, small), s(side, small))
        return {"x": s.normal(*shape), "y": s.normal(*shape)}

    return make


def einsum(name: str, equation: str, inputs: Callable[[Source], Arrays], flop: Any) -> Row:
    """Return the row of an einsum."""
    return Row(
        name=f"einsum_{name}",
        title=f"einsum {equation}",
        group="indexing",
        inputs=inputs,
        function=lambda t, *operands: t.einsum(equation, *operands),
        variants={"numpy": lambda t, *operands: t.einsum(equation, *operands, optimize=True)},
        moved=lambda *arrays: nbytes(*arrays),
        flop=flop,
    )


EINSUMS = (
    einsum(
        "matrix",
        "ij,jk->ik",
        lambda s: {"x": s.normal(s(512, 33), s(512, 40)), "y": s.normal(s(512, 40), s(512, 17))},
        lambda x, y: product_flop(x.shape[0], x.shape[1], y.shape[1]),
    ),
    einsum(
        "batched",
        "bij,bkj->bik",
        products(128, 17, 32),
        lambda x, y: product_flop(x.shape[1], x.shape[2], y.shape[1], x.shape[0]),
    ),
    einsum(
        "outer",
        "i,j->ij",
        lambda s: {"x": s.normal(s(3000, 33)), "y": s.normal(s(3000, 40))},
        lambda x, y: float(x.size * y.size),
    ),
    einsum(
        "trace",
        "bii->b",
        lambda s: {"x": s.normal(s(64, 5), s(512, 33), s(512, 33))},
        lambda x: float(x.shape[0] * x.shape[1]),
    ),
    einsum(
        "bilinear",
        "bi,oij,bj->bo",
        lambda s: {
            "x": s.normal(s(256, 17), s(64, 9)),
            "w": s.normal(s(32, 5), s(64, 9), s(64, 7)),
            "y": s.normal(s(256, 17), s(64, 7)),
        },
        lambda x, w, y: product_flop(x.shape[0], x.shape[1], w.shape[0] * w.shape[2]),
    ),
    einsum(
        "scores",
        "bqhd,bkhd->bhqk",
        lambda s: {
            "q": s.normal(s(4, 2), s(256, 17), s(8, 3), s(64, 8)),
            "k": s.normal(s(4, 2), s(256, 19), s(8, 3), s(64, 8)),
        },
        lambda q, k: product_flop(q.shape[1], q.shape[3], k.shape[1], q.shape[0] * q.shape[2]),
    ),
)

ROWS = (*(row for suffix, n in SIZES.items() for row in of_size(suffix, n)), *EINSUMS)
