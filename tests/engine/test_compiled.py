"""Compiled graphs against the graph interpreter, on each device."""

import numpy as np
import pytest

from pumice.engine import memory
from pumice.engine.devices import parse_device, runtime_of
from pumice.engine.realize import realize
from pumice.graph.interpret import interpret
from pumice.graph.verify import verify_graph
from pumice.graph.walk import topological
from pumice.schedule.fuse import fuse
from pumice.schedule.rewrite import rewrite
from pumice.schedule.verify import verify_schedule
from pumice.target import CPU
from tests.engine.graphs import CASES, Case, Source
from tests.required import computes_with

TOLERANCE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 2e-5}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_compiled_agrees_with_the_interpreter(case: Case, device: str) -> None:
    if case.name.endswith("float64") and not computes_with(device, "float64"):
        return
    nodes = case.make(Source(parse_device(device)))
    leaves = {
        node: memory.download(node.value, node.dtype, node.shape)
        for node in topological(nodes)
        if node.value is not None
    }
    expected = interpret(nodes, leaves)
    realize(nodes)
    for node, wanted in zip(nodes, expected, strict=True):
        assert node.value is not None
        found = memory.download(node.value, node.dtype, node.shape)
        if wanted.dtype.kind in "iub":
            np.testing.assert_array_equal(found, wanted)
            continue
        bound = TOLERANCE.get(wanted.dtype, 1e-2)
        np.testing.assert_allclose(
            found.astype(np.float64), wanted.astype(np.float64), rtol=bound, atol=bound
        )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_schedules_are_well_formed(case: Case) -> None:
    nodes = case.make(Source(parse_device("cpu")))
    order, wanted = rewrite(topological(nodes), nodes, runtime_of(CPU).target)
    verify_graph(wanted)
    verify_schedule(fuse(order, wanted), wanted)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_number_of_kernels(case: Case) -> None:
    from pumice.engine.builder import PlanBuilder
    from pumice.target import CPU

    nodes = case.make(Source(CPU))
    steps = PlanBuilder(topological(nodes), nodes, CPU).steps
    assert len(steps) == case.kernels
