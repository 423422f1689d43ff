"""A plan for unknown sizes is the plan each of those sizes would get."""

import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import pumice
from pumice.engine import builder, families, planning
from pumice.engine.builder import PlanBuilder
from pumice.engine.keys import Walk
from pumice.engine.plan import Extents, Layout
from pumice.engine.statistics import statistics
from pumice.graph.node import Node
from pumice.kernel.printer import print_kernel
from pumice.schedule.sources import resolve
from pumice.target import CPU

functional = pumice.nn.functional


def zeros(*shape: int, dtype: Any = np.float32) -> Any:
    return pumice.tensor(np.zeros(shape, dtype))


def leaf(*shape: int) -> Any:
    return zeros(*shape).requires_grad_()


def gradients(total: Any, *leaves: Any) -> list[Any]:
    total.backward()
    return [each.grad for each in leaves]


def classifier(a: int, b: int, c: int) -> list[Any]:
    x, w, bias, v = zeros(a, b), leaf(c, b), leaf(c), leaf(10, c)
    y = functional.relu(x @ w.T + bias) @ v.T
    loss = functional.cross_entropy(y, zeros(a, dtype=np.int64))
    return [loss.detach(), *gradients(loss, w, bias, v)]


def attended(a: int, b: int, c: int) -> list[Any]:
    q, k, v = leaf(c, a, 16), leaf(c, a, 16), leaf(c, a, 16)
    mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    return [mixed.detach(), *gradients(mixed.sum(), q, k, v)]


def convolved(a: int, b: int, c: int) -> list[Any]:
    x, w = leaf(c % 9, 4, a + 3, b + 3), leaf(6, 4, 3, 3)
    images = functional.conv2d(x, w, stride=2, padding=1)
    return [images.detach(), *gradients(images.relu().sum(), x, w)]


def written(a: int, b: int, c: int) -> list[Any]:
    x = zeros(a, b) * 1
    x[a // 2] = 3.0
    x[:, b // 3 :] += 1
    return [x]


def momentum(a: int, b: int, c: int) -> list[Any]:
    g, m, w = zeros(a, b), zeros(a, b), zeros(a, b)
    m = 0.9 * m + g
    return [m, w - 0.1 * m, (w * w).sum()]


GRAPHS: dict[str, Callable[[int, int, int], Sequence[Any]]] = {
    "broadcast": lambda a, b, c: [zeros(a, 1, c) + zeros(1, b, 1), zeros(a, b).exp() * zeros(b)],
    "softmax": lambda a, b, c: [zeros(a, b, c).softmax(-1), zeros(a, b).log_softmax(0)],
    "norm": lambda a, b, c: [functional.layer_norm(zeros(a, b, c), (c,), zeros(c), zeros(c))],
    "product": lambda a, b, c: [zeros(a, b) @ zeros(b, c)],
    "linear": lambda a, b, c: [functional.relu(zeros(a, b) @ zeros(c, b).T + zeros(c))],
    "batches": lambda a, b, c: [zeros(a, b, c) @ zeros(a, c, b)],
    "turned": lambda a, b, c: [zeros(a, b, c).permute(2, 0, 1).exp(), zeros(a, b).T.exp()],
    "sums": lambda a, b, c: [zeros(a, b, c).sum(0), zeros(a, b).mean(), zeros(a, b, c).amax(1)],
    "slices": lambda a, b, c: [zeros(a, b)[:, : b // 2].sum(-1), zeros(a, b).flip(0).exp()],
    "padded": lambda a, b, c: [functional.pad(zeros(a, b), (1, 2)) * 2],
    "joined": lambda a, b, c: [pumice.cat([zeros(a, b), zeros(c, b)], 0).sum(0)],
    "taken": lambda a, b, c: [zeros(a, b)[zeros(c, dtype=np.int64)]],
    "running": lambda a, b, c: [zeros(a, b).cumsum(0), zeros(a, b, c).cumsum(-1)],
    "first": lambda a, b, c: list(zeros(a, b + 7).topk(5, -1)),
    "windows": lambda a, b, c: [zeros(a, b + 5).unfold(1, 3, 1).sum(-1)],
    "halves": lambda a, b, c: [zeros(a, b, dtype=np.float16) @ zeros(b, c, dtype=np.float16)],
    "integers": lambda a, b, c: [zeros(a, b, dtype=np.int32) // 3, zeros(a, b).T + 1],
    "classifier": classifier,
    "attended": attended,
    "written": written,
    "convolved": convolved,
    "momentum": momentum,
}

EDGES = (0, 1, 2, 3, 7, 8, 13, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 280)


def shapes(name: str) -> list[tuple[int, int, int]]:
    """Return sizes about the thresholds of the compiler, some of them equal."""
    source = np.random.default_rng(len(name))
    found = [tuple(source.choice(EDGES, 3).tolist()) for _ in range(6)]
    a, b, c = (40, 70, 50)
    found += [(a + step, b, c) for step in range(4)]
    found += [(a, b + 3 * step, c) for step in range(3)]
    found += [(a, b, c + step) for step in range(4)]
    found += [(a + step, a + step, c + 7 * step) for step in range(3)]
    return found


def pending(tensors: Sequence[Any]) -> list[Node]:
    nodes = [resolve(each.detach().node) for each in tensors]
    return list(dict.fromkeys(node for node in nodes if node.value is None))


def described(layout: Layout, extents: Extents) -> tuple[Any, ...]:
    """Return all of a plan but the lines of its messages."""
    return (
        layout.kernels,
        layout.keys,
        layout.pieces,
        layout.waits,
        [named.name for named in layout.names],
        layout.buffers,
        layout.arena,
        layout.touched,
        layout.inputs,
        layout.results,
        layout.dtypes,
        layout.numbers,
        [[named.name for named in each] for each in layout.faults],
        *extents.values(),
    )


@pytest.mark.parametrize("name", GRAPHS)
def test_plans_for_unknown_sizes_are_those_of_the_sizes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Kernels are compared by their text, and need not be compiled.
    monkeypatch.setattr(builder, "load_kernels", lambda kernels, _: [*map(print_kernel, kernels)])
    monkeypatch.setattr(builder, "artifact_keys", lambda *_: [])
    variants: dict[Any, list[families.Variant]] = {}
    served = 0
    for sizes in shapes(name):
        roots = pending(GRAPHS[name](*sizes))
        if not roots:
            continue
        walk = Walk(roots)
        entries, wanted = walk.key(roots)
        copies = planning.copied_graph(entries, walk.order)
        expected = described(*PlanBuilder(copies, [copies[each] for each in wanted], CPU).layout())
        skeleton, values = families.skeleton_of(entries)
        known = variants.setdefault((skeleton, wanted), [])
        for variant in known:
            extents = variant.extents_of(*values)
            if extents is not None:
                served += 1
                assert described(variant.layout, Extents(*extents)) == expected, sizes
                break
        else:
            made = planning.variant_of(skeleton, values, walk.order, wanted, CPU)
            assert made is not None, sizes
            extents = made.extents_of(*values)
            assert extents is not None
            assert described(made.layout, Extents(*extents)) == expected, sizes
            known.append(made)
    assert served >= 2


def test_values_of_many_shapes(device: str) -> None:
    source = np.random.default_rng(0)
    for rows, columns in itertools.chain(
        source.integers(2, 40, (12, 2)).tolist(), [(0, 4), (4, 0), (1, 4), (4, 1), (5, 5)]
    ):
        data = source.normal(size=(rows, columns)).astype(np.float32)
        x = pumice.tensor(data, device=device)
        found = ((x - x.mean(0)).exp().sum(-1) + x @ x.T).cpu().numpy()
        shifted = data.astype(np.float64)
        if rows:
            shifted = shifted - shifted.mean(0)
        expected = np.exp(shifted).sum(-1) + data.astype(np.float64) @ data.T.astype(np.float64)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_a_new_size_compiles_and_lowers_nothing() -> None:
    def run(rows: int) -> None:
        x = pumice.tensor(np.ones((rows, 24), np.float32))
        assert ((x * 3).softmax(-1).sum(0) + 1).numpy().shape == (24,)

    for rows in (40, 41, 42):
        run(rows)
    compiled = statistics.kernels_compiled
    built = PlanBuilder.__init__
    calls = []
    try:
        PlanBuilder.__init__ = lambda *given: calls.append(given)  # type: ignore[method-assign]
        for rows in (43, 47, 51):
            run(rows)
    finally:
        PlanBuilder.__init__ = built  # type: ignore[method-assign]
    assert not calls
    assert statistics.kernels_compiled == compiled


def test_faults_name_the_shapes_of_their_own_graph() -> None:
    table = pumice.arange(12)
    for count in (5, 6, 7, 9):
        index = pumice.tensor(np.arange(count))
        assert (table[index] * 2).tolist() == [2 * each for each in range(count)]
        small = pumice.arange(count)
        with pytest.raises(pumice.IndexOutOfRange, match=rf"shape \[{count}\]"):
            (small[pumice.tensor(np.full(count + 1, 50))] * 2).numpy()


def test_convolutions_of_other_numbers_of_images_are_not_planned_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weight = np.random.default_rng(1).normal(size=(2, 3, 3, 3)).astype(np.float32)
    built = PlanBuilder.__init__
    calls = []

    def counted(*given: Any) -> None:
        calls.append(given)
        built(*given)

    monkeypatch.setattr(PlanBuilder, "__init__", counted)
    for count in (*range(4, 8), *range(11, 24)):
        x = np.random.default_rng(count).normal(size=(count, 3, 10, 8)).astype(np.float32)
        found = functional.conv2d(pumice.tensor(x), pumice.tensor(weight)).numpy()
        patches = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
        np.testing.assert_allclose(
            found, np.einsum("ncyxij,ocij->noyx", patches, weight), rtol=1e-4, atol=1e-4
        )
    assert len(calls) <= 9


def test_other_threads_evaluate_while_a_plan_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    x = pumice.tensor(np.ones(6, np.float32)).realize()
    assert ((x + 1) * 2).tolist() == [4.0] * 6  # known to the cache
    making, done = threading.Event(), threading.Event()
    original = planning.layout_of

    def slow(*given: Any) -> Any:
        making.set()
        assert done.wait(20)
        return original(*given)

    monkeypatch.setattr(planning, "layout_of", slow)
    results: list[Any] = []
    fresh = pumice.tensor(np.ones((3, 11), np.float32))
    thread = threading.Thread(target=lambda: results.append((fresh.cosh() - 2).sum(0).tolist()))
    thread.start()
    assert making.wait(20)
    assert ((x + 1) * 2).tolist() == [4.0] * 6
    done.set()
    thread.join()
    np.testing.assert_allclose(results[0], [3 * (np.cosh(1.0) - 2)] * 11, rtol=1e-5)


@pytest.mark.vulkan
def test_launches_stay_short_where_a_plan_serves_other_sizes(vulkan_device: str) -> None:
    """Software devices end loops after 65,535 steps, and plans for short rows have no pieces."""
    for rows in (300, 400, 500, 70000):
        found = pumice.ones(rows, 65, device=vulkan_device).realize().sum(0)
        assert set(found.tolist()) == {float(rows)}
