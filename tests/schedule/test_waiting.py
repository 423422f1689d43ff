"""What waits is computed later, and costs nothing else."""

from typing import Any

import numpy as np

from pumice.engine import memory
from pumice.engine.devices import runtime_of
from pumice.engine.realize import realize
from pumice.graph import build
from pumice.graph.interpret import interpret
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.ops import structure
from pumice.ops.definition import registry
from pumice.ops.structure import Contraction
from pumice.schedule.fuse import fuse
from pumice.schedule.items import Schedule
from pumice.schedule.rewrite import rewrite
from pumice.schedule.verify import verify_schedule
from pumice.schedule.waiting import without_waiting
from pumice.target import CPU
from tests.engine.graphs import Source

EXP: Any = registry["exp"]


def product(left: Node, right: Node) -> Node:
    return build.contract(left, right, Contraction(0, 1, 1, 1, left.dtype))


def scheduled(nodes: list[Node]) -> tuple[Schedule, list[Node]]:
    rewritten = rewrite(topological(nodes), nodes, runtime_of(CPU).target)
    order, wanted, waits = without_waiting(*rewritten)
    assert all(node.op is not structure.AFTER for node in order)
    schedule = fuse(order, wanted, waits)
    verify_schedule(schedule, wanted)
    return schedule, wanted


def test_a_copy_of_a_product_comes_after_what_it_waits_for() -> None:
    source = Source(CPU)
    x, w = (source.put(source.random.random((64, 64), np.float32)) for _ in range(2))
    first = product(x, w)
    chain = product(product(EXP(first * -1.0), w), w)
    second = product(build.after(x, (chain,)), w)
    result = product(EXP(second * -1.0), chain)
    schedule, (wanted,) = scheduled([result])
    places = {group.contract or group.root: place for place, group in enumerate(schedule.groups)}
    products = [node for node in places if node.op is structure.CONTRACT and node.sources[1] is w]
    again = [node for node in products if node.sources[0] is x]
    last = max(places[node] for node in products if node not in again)
    assert len(again) == 2, "equal operations that wait are not merged"
    assert max(places[node] for node in again) > last
    value = interpret([result], {node: host(node) for node in (x, w)})[0]
    realize((result,))
    assert result.value is not None
    found = memory.download(result.value, result.dtype, result.shape)
    np.testing.assert_allclose(found, value, rtol=1e-3)
    assert wanted is not None


def host(node: Node) -> Any:
    assert node.value is not None
    return memory.download(node.value, node.dtype, node.shape)


def test_waiting_passes_through_other_waiting() -> None:
    source = Source(CPU)
    x, w = source.normal(8, 8), source.normal(8, 8)
    a, b = product(x, w), product(w, x)
    both = build.after(a, (b,))
    late = EXP(build.after(x, (both,)))
    order, wanted, waits = without_waiting(topological([late, a, b]), [late, a, b])
    assert set(waits[wanted[0]]) == {a, b}
    assert order.index(a) < order.index(wanted[0]) and order.index(b) < order.index(wanted[0])


def test_a_graph_that_waits_for_nothing_is_left_alone() -> None:
    node = EXP(Source(CPU).normal(4))
    order, wanted, waits = without_waiting(topological([node]), [node])
    assert order[-1] is node and wanted == [node] and not waits


def test_what_only_waits_is_the_tensor_itself() -> None:
    x = Source(CPU).normal(4)
    node = build.after(x, (EXP(x),))
    realize((node,))
    assert node.value is x.value
