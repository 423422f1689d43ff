"""The kernels some graphs become, as text: read a change here as a change of compiled code."""

from collections.abc import Callable

import pytest

from pumice.engine.builder import PlanBuilder
from pumice.graph.walk import topological
from pumice.kernel.passes.pipeline import optimise
from pumice.kernel.printer import print_kernel
from pumice.kernel.verify import verify_kernel
from pumice.target import CPU
from tests.engine.graphs import CASES, Case, Source

SHOWN = (
    "add",
    "transposed_large",
    "sum_rows",
    "sum_long",
    "sum_columns_long",
    "softmax",
    "pad",
    "cumsum_rows",
    "embedding",
    "scatter_add",
)


def kernels(case: Case) -> list[str]:
    nodes = case.make(Source(CPU))
    steps = PlanBuilder(topological(nodes), nodes, CPU).steps
    found = [optimise(step.kernel) for step in steps]
    for kernel in found:
        verify_kernel(kernel)
    return [print_kernel(kernel) for kernel in found]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name in SHOWN], ids=lambda case: case.name
)
def test_kernel_text(case: Case, golden: Callable[[str, str], None]) -> None:
    golden(case.name, "\n".join(kernels(case)))


def test_only_large_results_go_past_the_caches() -> None:
    def text(extent: int) -> str:
        case = Case("double", lambda s: [(x := s.normal(extent, extent)) + x], 1)
        return "\n".join(kernels(case))

    small, large = text(256), text(1 << 11)
    assert "stream" not in small
    assert "store" not in large and large.count("stream") == small.count("store") == 1
