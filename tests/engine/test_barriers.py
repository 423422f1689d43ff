"""A plan waits between launches only where one needs what another did."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import pumice
from pumice.engine.builder import PlanBuilder
from pumice.engine.compiled import realize_compiled
from pumice.engine.devices import parse_device, runtime_of
from pumice.engine.keys import Walk
from pumice.engine.plan import Plan
from pumice.lowering.steps import Memory, Scratch
from pumice.schedule.sources import resolve
from tests.runtime.tables import Counting, replaced

functional = pumice.nn.functional
pytestmark = pytest.mark.vulkan


def zeros(*shape: int, dtype: Any = np.float32) -> Any:
    return pumice.tensor(np.zeros(shape, dtype)).to("vulkan")


def classifier() -> Sequence[Any]:
    x, w, v = zeros(40, 30), zeros(50, 30).requires_grad_(), zeros(10, 50).requires_grad_()
    loss = functional.cross_entropy(functional.relu(x @ w.T) @ v.T, zeros(40, dtype=np.int64))
    loss.backward()
    return [loss.detach(), *(each.detach() - 0.1 * each.grad for each in (w, v))]


def written() -> Sequence[Any]:
    x, y = zeros(30, 40) * 1, zeros(20, 40) + 1
    x[3] = 3.0
    x[:, 5:] += 1
    y[1:] = y[:-1] * 2
    return [x, y.sum(0), (x @ y.T).softmax(-1)]


def apart() -> Sequence[Any]:
    return [(zeros(300 + 10 * step, 50).sum(1).cumsum(0).exp() + 1).sum() for step in range(7)]


GRAPHS: dict[str, Callable[[], Sequence[Any]]] = {
    "classifier": classifier,
    "written": written,
    "apart": apart,
    "ordered": lambda: [*zeros(50, 3000).sort(-1), zeros(7000).cumsum(0), zeros(40, 9).argmax()],
    "attended": lambda: [functional.scaled_dot_product_attention(*[zeros(2, 100, 16)] * 3) * 2],
}


def plan_of(roots: Sequence[Any]) -> tuple[PlanBuilder, Plan]:
    nodes = [resolve(each.detach().node) for each in roots]
    device = parse_device("vulkan")
    builder = PlanBuilder(Walk(nodes).order, nodes, device)
    return builder, builder.build()


def accesses(builder: PlanBuilder, plan: Plan) -> list[list[tuple[int, int, int, bool]]]:
    """Return for each launch the slot, first byte, last byte and direction of its accesses."""
    slots = dict(zip(plan.buffer_words.tolist(), plan.buffer_slots.tolist(), strict=True))
    found = []
    for step, launch in zip(builder.steps, plan.commands, strict=True):
        rows = []
        for place, (parameter, binding) in enumerate(
            zip(step.kernel.parameters, step.bindings, strict=True)
        ):
            if isinstance(binding, Memory):
                owner = binding.owner
                nbytes = (
                    owner.nbytes
                    if isinstance(owner, Scratch)
                    else owner.numel * owner.dtype.itemsize
                )
                word = launch.first_word + place
                start = int(plan.template[word]) - binding.offset
                rows.append((slots[word], start, start + nbytes, parameter.writable))
        found.append(rows)
    return found


@pytest.mark.parametrize("name", GRAPHS)
def test_launches_side_by_side_touch_nothing_that_one_writes(vulkan_device: str, name: str) -> None:
    builder, plan = plan_of(GRAPHS[name]())
    before: list[tuple[int, int, int, bool]] = []
    for launch, rows in zip(plan.commands, accesses(builder, plan), strict=True):
        if launch.waits:
            before = []
        for slot, start, stop, writes in rows:
            for other, begin, end, wrote in before:
                together = slot == other and start < end and begin < stop
                assert not (together and (writes or wrote)), launch
        before += rows


@pytest.mark.parametrize("name", GRAPHS)
def test_a_plan_is_one_submission_with_a_barrier_per_batch(vulkan_device: str, name: str) -> None:
    _, plan = plan_of(GRAPHS[name]())
    launches = [each for each in plan.commands if each.items]
    batches = sum(each.waits for each in plan.commands)
    runtime: Any = runtime_of(parse_device("vulkan"))
    roots = GRAPHS[name]()
    runtime.synchronize()
    with replaced(runtime, Counting(runtime._device.functions)) as table:
        realize_compiled([each.detach().node for each in roots])
    assert table.calls["vkQueueSubmit"] == 1
    assert table.calls["vkCmdDispatch"] == len(launches)
    # The last one is for what comes after the plan.
    assert table.calls["vkCmdPipelineBarrier"] == batches - 1 + 1


@pytest.mark.parametrize("name", ["apart", "classifier"])
def test_launches_that_know_nothing_of_each_other_share_barriers(
    vulkan_device: str, name: str
) -> None:
    _, plan = plan_of(GRAPHS[name]())
    assert 2 * sum(each.waits for each in plan.commands) <= len(plan.commands)
