"""Random programs over every operator, dtype and layout agree with the interpreter.

``tools/random_programs.py`` runs as many as one likes.
"""

import numpy as np
import pytest

import pumice
from pumice.engine.devices import parse_device
from pumice.graph.interpret import evaluate
from pumice.testing import agreement, programs
from pumice.testing.running import check_program

PROGRAMS = 24


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_program(seed: int, device: str) -> None:
    assert check_program(seed, parse_device(device)).steps


def test_a_seed_always_gives_the_same_program() -> None:
    first, second = (programs.write(3, parse_device("cpu")) for _ in range(2))
    assert first.steps == second.steps
    assert [each.shape for each in first.results] == [each.shape for each in second.results]


@pytest.mark.parametrize("name", ["exp", "sum", "cumsum", "square"])
@pytest.mark.parametrize("scale", [1.0, 1e-10])
def test_a_wrong_value_is_noticed(name: str, scale: float) -> None:
    x = pumice.tensor([3.0, 1.0, 2.0]) * scale
    made = getattr(x, name)(0) if name == "cumsum" else getattr(x, name)()
    node = made.node
    while not node.op.name.startswith(name):
        node = node.sources[0]
    values = dict.fromkeys(node.sources, x.numpy())
    right = evaluate(node, [x.numpy()])
    agreement.check_node(node, values, right)
    with pytest.raises(AssertionError):
        agreement.check_node(node, values, right * np.float32(1.001))
