"""Groups are lowered once: a template gives the steps that lowering the group again would give."""

import gc
import weakref
from functools import partial

import pytest

import pumice
from pumice.engine.builder import PlanBuilder
from pumice.engine.devices import runtime_of
from pumice.graph.walk import topological
from pumice.kernel.printer import print_kernel
from pumice.lowering import lower as lowering
from pumice.lowering.lower import lower
from pumice.lowering.memo import LoweringMemo, signature
from pumice.lowering.steps import Memory, Number
from pumice.target import CPU

F = pumice.nn.functional


def graphs():
    """Return groups of every kind, fused and not."""
    generator = pumice.Generator().manual_seed(5)

    def data(*shape):
        return pumice.randn(*shape, generator=generator).realize()

    x, y, w, index = data(6, 8), data(6, 8), data(8, 8), pumice.tensor([2, 0, 5]).realize()
    return {
        "loop": (x * 2 + y).exp(),
        "two outputs": ((x * y + 1), (x * y + 1) * 3),
        "softmax": (x + 1).softmax(-1),
        "columns": (x * y).sum(0),
        "long row": data(1, 5000).sum(),
        "product": F.gelu(x @ w + 1),
        "gather": x[index] * 2,
        "scatter": x.index_add(0, index, y[:3]),
        "sort": (x * 3).sort(-1)[0],
        "scan": x.cumsum(1) + y,
        "cat": pumice.cat([x, y * 2], 1),
        "division": pumice.tensor([4, 5]).realize() // pumice.tensor([2, 3]).realize(),
    }


def described(steps):
    """Return steps as comparable values: texts, and owners by the order they appear in."""
    seen = {}
    found = []
    for step in steps:
        bindings = []
        for binding in step.bindings:
            match binding:
                case Memory(owner=owner, offset=offset):
                    bindings.append((seen.setdefault(owner, len(seen)), offset))
                case Number(node=node):
                    bindings.append(("number", node.argument.value))
                case _:
                    bindings.append(binding)
        owners = [seen[owner] for owner in step.writes]
        names = [node.op.name for node in (step.node, *step.suspects)]
        sizes = [getattr(owner, "nbytes", None) for owner in seen]
        text = print_kernel(step.kernel)
        found.append((text, bindings, owners, sizes, names, step.grid, step.cost))
    return found


def schedule_of(value):
    tensors = value if isinstance(value, tuple) else (value,)
    nodes = [tensor.node for tensor in tensors]
    return PlanBuilder(topological(nodes), nodes, CPU).schedule


def is_stored(schedule, node):
    return node.value is not None or node in schedule.materialised


@pytest.mark.parametrize("name", list(graphs()))
def test_templates_give_what_lowering_gives(name, monkeypatch):
    target = runtime_of(CPU).target
    monkeypatch.setattr(lowering, "_memo", LoweringMemo())
    first = described(lower(schedule_of(graphs()[name]), target))
    calls = []
    original = lowering._lower_group
    monkeypatch.setattr(
        lowering, "_lower_group", lambda *each: calls.append(each) or original(*each)
    )
    again = described(lower(schedule_of(graphs()[name]), target))
    assert not calls
    assert again == first


def test_kernels_of_repeated_layers_are_the_same_objects():
    x, w = pumice.ones(6, 8).realize(), pumice.ones(8, 8).realize()
    hidden = x
    for _ in range(9):
        hidden = F.gelu(hidden @ w)
    nodes = [hidden.node]
    steps = PlanBuilder(topological(nodes), nodes, CPU).steps
    assert len({id(step.kernel) for step in steps}) <= 3 < 9 <= len(steps)


def test_what_differs_has_a_signature_of_its_own():
    x, y, wide = pumice.rand(6, 8), pumice.rand(6, 8), pumice.rand(6, 9)
    for tensor in (x, y, wide):
        tensor.realize()
    made = [
        x + y, x + x, x - y, wide + wide, x.double() + y.double(), x + y.t().reshape(6, 8),
        x.sum(0), x.sum(1), x.cumsum(0), x.cumsum(1), (x + y).sum(1), x + 1, 1 + x, x * 1,
    ]  # fmt: skip
    seen = []
    for tensor in made:
        schedule = schedule_of(tensor)
        known = partial(is_stored, schedule)
        seen.append(tuple(signature(group, known)[0] for group in schedule.groups))
    assert len(set(seen)) == len(made)


def test_templates_keep_no_tensor_alive():
    x = pumice.ones(6, 8).realize()
    x.node  # noqa: B018
    storage = weakref.ref(x.node.value)
    result = (x * 5 + 2).sum(1).realize()
    del x
    gc.collect()
    assert storage() is None
    assert result.tolist() == [56.0] * 6
