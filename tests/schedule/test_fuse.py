"""What shares a kernel, as text: read a change here as a change of every compiled program."""

from collections.abc import Callable

import pytest

from pumice import dtypes
from pumice.engine.devices import runtime_of
from pumice.graph import build
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.schedule.fuse import fuse
from pumice.schedule.lifetimes import place
from pumice.schedule.printer import print_schedule
from pumice.schedule.rewrite import rewrite
from pumice.target import CPU
from tests.engine.graphs import CASES, Source, total, unary

SHOWN = (
    "softmax",
    "softmax_columns",
    "layer_norm",
    "product_bias_relu",
    "convolution_relu",
    "momentum_step",
    "in_place_chain",
    "diamond",
    "siblings",
)


def printed(nodes: list[Node]) -> str:
    order, wanted = rewrite(topological(nodes), nodes, runtime_of(CPU).target)
    text = print_schedule(fuse(order, wanted))
    return "\n".join(line for line in text.splitlines() if not line.startswith("  at:")) + "\n"


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name in SHOWN], ids=lambda c: c.name
)
def test_schedule_text(case: object, golden: Callable[[str, str], None]) -> None:
    golden(case.name, printed(case.make(Source(CPU))))


def test_temporaries_share_bytes_only_when_never_alive_together() -> None:
    sizes = {"a": 1000, "b": 1000, "c": 500}
    offsets, arena = place(sizes, [["a"], ["a", "b"], ["b", "c"]])
    assert offsets["a"] != offsets["b"]
    assert offsets["c"] == offsets["a"]
    assert arena == 2048


def test_a_temporary_nobody_touches_takes_nothing() -> None:
    assert place({"a": 64}, []) == ({}, 0)


def test_a_mean_and_its_gradient_share_the_loop_over_rows() -> None:
    """The count that both divide by does not put the mean in front of the gradient."""
    s = Source(CPU)
    x, kept = s.normal(40, 3000), s.integers(0, 2, 40)
    count = total(kept.cast(dtypes.float32), 0)
    powers = unary("exp", x)
    sums = total(powers, 1)
    mean = total(build.reshape(unary("log", sums), (40,)), 0) / count
    scale = unary("sqrt", count) * 3.0
    gradient = powers * build.expand(build.reshape(scale, (1, 1)) / sums, x.shape)
    order, wanted = rewrite(topological([mean, gradient]), [mean, gradient], runtime_of(CPU).target)
    groups = fuse(order, wanted).groups
    assert len(groups) == 3
