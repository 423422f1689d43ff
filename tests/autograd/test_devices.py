"""Gradients computed by compiled kernels of each device, against the interpreter's.

`test_entries` shows by finite differences that the interpreter's are right.
"""

from typing import Any

import numpy as np

from pumice import dtypes
from pumice.autograd import grad, gradients
from pumice.graph import build
from pumice.ops.definition import Elementwise, registry
from pumice.tensor.convert import tensor
from pumice.tensor.core import evaluate, wrap
from pumice.tensor.tensor import Tensor
from pumice.testing.cases import operand_domain
from pumice.testing.gradients import evaluate as interpreted
from pumice.testing.gradients import host_node

ENTRIES = [
    entry
    for entry in registry.elementwise()
    if entry.gradient is not None and entry.samples.smooth and not entry.condition_first
]


def arrays(entry: Elementwise) -> list[Any]:
    random = np.random.default_rng(len(entry.name))
    result = []
    for position in range(entry.arity):
        low, high = operand_domain(entry, position)
        low, high = max(low, -20.0), min(high, 20.0)
        margin = (high - low) * 0.05
        result.append(random.uniform(low + margin, high - margin, 37).astype(np.float32))
    return result


def test_first_order_of_every_entry(device: str) -> None:
    """All entries go in one run, as compiling them one by one would take long."""
    expected, wanted = [], []
    for entry in ENTRIES:
        values = arrays(entry)
        nodes = [build.leaf(host_node(value)) for value in values]
        out = build.elementwise(entry, *nodes)
        seed = build.constant(1, out.dtype, out.shape)
        expected += interpreted([each for each in gradients([out], [seed], nodes) if each])
        leaves = [tensor(value, device=device, requires_grad=True) for value in values]
        result = wrap(build.elementwise(entry, *[leaf.node for leaf in leaves]))
        found = grad(result.sum(), leaves, allow_unused=True)
        wanted += [(entry.name, part) for part in found if part is not None]
    evaluate([part for _, part in wanted])
    for (name, part), reference in zip(wanted, expected, strict=True):
        np.testing.assert_allclose(
            part.cpu().numpy(), reference, rtol=2e-5, atol=2e-6, err_msg=name
        )


def network(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """A bit of everything: product, broadcast, row program, indexing, views, scan."""
    hidden = (x @ weight + bias).tanh()
    rows = hidden.softmax(-1)
    picked = rows[:, ::2].cumsum(0).flip(0)
    return (picked * hidden[:, 1:3].exp()).sum() + hidden.transpose(0, 1).amax(0).mean()


def test_network_of_both_orders(device: str) -> None:
    random = np.random.default_rng(0)
    values = [random.normal(size=shape) for shape in ((3, 5), (5, 4), (4,))]

    def run(kind: Any) -> list[Any]:
        leaves = [kind(value) for value in values]
        first = grad(network(*leaves), leaves, create_graph=True)
        second = grad(sum((part * part).sum() for part in first), leaves)
        return [each.detach().cpu().numpy() for each in (*first, *second)]

    on_device = run(
        lambda value: tensor(value.astype(np.float32), device=device, requires_grad=True)
    )
    reference = run(lambda value: tensor(value, dtype=dtypes.float64, requires_grad=True))
    for mine, exact in zip(on_device, reference, strict=True):
        np.testing.assert_allclose(mine, exact, rtol=1e-4, atol=1e-5)


def test_values_survive_evaluation_between_forward_and_backward(device: str) -> None:
    x = tensor([1.0, 2.0, 3.0], device=device, requires_grad=True)
    hidden = x.exp()
    hidden.realize()
    (hidden * hidden).sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.cpu().numpy(), 2 * np.exp([2.0, 4.0, 6.0]), rtol=1e-6)
