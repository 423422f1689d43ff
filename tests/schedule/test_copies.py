"""A copy of something computed costs nothing, and has memory of its own all the same."""

import numpy as np
import pytest

import pumice
from pumice.engine.devices import runtime_of
from pumice.engine.realize import realize
from pumice.engine.statistics import statistics
from pumice.graph.walk import topological
from pumice.ops import structure
from pumice.schedule.rewrite import rewrite
from pumice.target import CPU


def data(*shape):
    return pumice.rand(*shape).realize()


def copies(*tensors):
    """Return how many copies are left in the graph that is compiled."""
    nodes = [tensor.node for tensor in tensors]
    order, _ = rewrite(topological(nodes), nodes, runtime_of(CPU).target)
    return sum(node.op is structure.COPY and node.value is None for node in order)


def test_copies_of_computed_values_disappear():
    x = data(4, 5)
    assert copies((x + 1).clone()) == 0
    assert copies((x + 1).clone() * 2) == 0
    assert copies(x.sum(0).clone(), x.cumsum(0).clone(), (x @ x.t()).clone()) == 0


def test_copies_that_move_or_keep_apart_stay():
    x = data(4, 5)
    assert copies(x.clone()) == 1
    assert copies((x + 1).t().clone()) == 1
    total = x + 1
    assert copies(total, total.clone()) == 1
    assert copies(total.clone(), total) == 1
    assert copies(total.clone(), total.clone(), total.clone()) == 2


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 0, 3, 2)])
def test_memory_is_apart(order):
    x = data(4, 5)
    total = x * 3 + 1
    made = [total, total.clone(), total.clone(), total.reshape(5, 4).clone()]
    expected = x.numpy() * np.float32(3) + np.float32(1)
    realize([made[place].node for place in order])
    assert len({made[place].node.value.address for place in range(4)}) == 4
    for tensor in made:
        assert np.array_equal(tensor.numpy().reshape(4, 5), expected)
    for place, tensor in enumerate(made):
        tensor.numpy()[...] = place
    for place, tensor in enumerate(made):
        assert (tensor.numpy() == place).all()


def test_an_optimizer_step_is_one_pass_over_memory():
    parameter = pumice.nn.Parameter(data(100))
    parameter.grad = data(100)
    optimizer = pumice.optim.Adam([parameter])
    step = pumice.jit(lambda: optimizer.step())
    for _ in range(4):
        step()
    step()
    assert statistics.last_launches == 2  # the step count, and everything else
