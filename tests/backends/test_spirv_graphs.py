"""The modules of whole graphs are valid SPIR-V, with the device's limits and the least ones."""

from typing import Any

import pytest
from spirv_support import compile_valid

from pumice.graph.walk import topological
from pumice.kernel.passes.pipeline import optimise
from pumice.lowering.lower import lower
from pumice.schedule.fuse import fuse
from pumice.schedule.rewrite import rewrite
from pumice.schedule.sources import is_available
from pumice.target import CPU
from tests.engine.graphs import CASES, Case, Source


@pytest.mark.vulkan
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_modules_are_valid(case: Case, vulkan_runtime: Any) -> None:
    nodes = case.make(Source(CPU))
    order, wanted = rewrite(topological(nodes), nodes, vulkan_runtime.target)
    steps = lower(fuse(order, wanted), vulkan_runtime.target)
    assert steps or all(is_available(node) or node.numel == 0 for node in wanted)
    for step in steps:
        compile_valid(optimise(step.kernel), vulkan_runtime.target)
