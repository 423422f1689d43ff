"""Windows folded by items of a GPU, written out: the same bits as in loops, and few accesses."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pumice
from pumice.backends.spirv import SpirvBackend
from pumice.engine import memory
from pumice.engine.devices import parse_device, runtime_of
from pumice.engine.plan import number_bits
from pumice.graph.interpret import interpret
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.kernel.ir import Instruction, Loop
from pumice.kernel.passes.pipeline import optimise
from pumice.kernel.walk import all_statements, all_values
from pumice.lowering import window_items
from pumice.lowering.lower import lower
from pumice.lowering.memo import LoweringMemo
from pumice.lowering.steps import Memory, Number, Scratch, Step
from pumice.runtime.base import Launch
from pumice.schedule.fuse import fuse
from pumice.schedule.rewrite import rewrite
from pumice.schedule.sources import resolve
from pumice.target import Target
from tests.backends.spirv_support import FULL
from tests.lowering.interpreted import run
from tests.tensor.peers import floats

TARGET = replace(FULL, limits=FULL.limits | {"shared_memory_bytes": 16384})
Shape = tuple[int, ...]

CASES: list[tuple[Shape, Shape, dict[str, Any]]] = [
    ((2, 9, 6, 14), (9, 1, 3, 3), {"padding": 1}),
    ((1, 12, 11, 37), (12, 1, 5, 5), {"padding": 2}),
    ((3, 8, 9, 8), (8, 1, 3, 3), {"stride": 2, "padding": 1}),
    ((2, 8, 13, 15), (8, 1, 3, 2), {"stride": (1, 3), "dilation": (2, 1)}),
    ((2, 8, 12, 17), (16, 1, 5, 5), {"padding": 3}),
    ((2, 8, 9, 10), (8, 1, 7, 7), {"padding": 3}),
    ((2, 10, 33), (10, 1, 4), {"padding": 2}),
    ((1, 8, 4, 5, 9), (8, 1, 2, 3, 3), {"padding": (0, 1, 1)}),
    ((1, 8, 3, 2), (8, 1, 3, 3), {"padding": 1}),
]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let items of small images take several rows."""
    monkeypatch.setattr(window_items, "FEWEST_ITEMS", 1)
    return monkeypatch


def lowered(node: Node, target: Target = TARGET) -> tuple[list[Step], Any]:
    """Lower a graph; return its launches, and its value as they compute it."""
    node = resolve(node)
    order, (wanted,) = rewrite(topological([node]), [node], target)
    steps = lower(fuse(order, [wanted]), target, LoweringMemo())
    leaves = {
        each: memory.download(each.value, each.dtype, each.shape)
        for each in topological([node])
        if each.value is not None
    }
    return steps, run(steps, leaves, wanted).reshape(node.shape)


def expected(node: Node) -> Any:
    node = resolve(node)
    leaves = {
        each: memory.download(each.value, each.dtype, each.shape)
        for each in topological([node])
        if each.value is not None
    }
    return interpret([node], leaves)[0]


def convolve(
    image: Shape, weight: Shape, options: dict[str, Any], device: str = "cpu"
) -> tuple[Any, Any, Any]:
    """Return the result of a depthwise convolution and its gradients, not evaluated."""
    rank = len(image) - 2
    operator = getattr(pumice.nn.functional, f"conv{rank}d")
    x = pumice.tensor(floats(*image), device=device).requires_grad_(True)
    w = pumice.tensor(floats(*weight, seed=1), device=device).requires_grad_(True)
    result = operator(x, w, None, **options, groups=image[1])
    g = pumice.tensor(floats(*result.shape, seed=2), device=device)
    return (result, *pumice.autograd.grad(result, (x, w), g))


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5 * np.abs(wanted).max())


@pytest.mark.parametrize(("image", "weight", "options"), CASES, ids=str)
def test_depthwise_and_its_weights(image: Shape, weight: Shape, options: dict[str, Any]) -> None:
    result, _, to_weight = convolve(image, weight, options)
    for each in (result, to_weight):
        close(lowered(each.node)[1], expected(each.node))


@pytest.mark.vulkan
@pytest.mark.parametrize(("image", "weight", "options"), CASES[::2], ids=str)
def test_compiled(image: Shape, weight: Shape, options: dict[str, Any], vulkan_device: str) -> None:
    results = []
    for device in ("cpu", vulkan_device):
        found = convolve(image, weight, options, device)
        results.append([each.cpu().detach().numpy() for each in found])
    for one, other in zip(*results, strict=True):
        close(one, other)


@pytest.mark.parametrize("rows", [(4, 2), (2,), ()], ids=str)
def test_same_bits_for_any_number_of_rows(rows: Shape, few: pytest.MonkeyPatch) -> None:
    for case in CASES:
        node = convolve(*case)[0].node
        few.setattr(window_items, "ROWS", rows)
        few.setattr(window_items, "MOST_TAPS", 49)
        _, found = lowered(node)
        few.setattr(window_items, "MOST_TAPS", 0)
        _, loops = lowered(node)
        np.testing.assert_array_equal(found.view(np.uint8), loops.view(np.uint8))


def loads(step: Step) -> int:
    values = all_values(optimise(step.kernel))
    return sum(each.instruction is Instruction.LOAD for each in values)


def test_elements_of_rows_are_read_once() -> None:
    x, w = pumice.tensor(floats(2, 8, 16, 20)), pumice.tensor(floats(8, 1, 3, 3))
    result = pumice.nn.functional.conv2d(x, w, padding=1, groups=8)
    (step,), _ = lowered(result.node)
    assert step.grid == (2, 8, 4, 20) or step.grid == (8, 2, 4, 20)
    assert not any(isinstance(each, Loop) for each in all_statements(step.kernel.body))
    assert loads(step) == (4 + 2) * 3 + 9
    strided = pumice.nn.functional.conv2d(x, w, padding=1, stride=2, groups=8)
    (step,), _ = lowered(strided.node)
    assert loads(step) == (2 * 4 + 1) * 3 + 9


def epilogues(x: Any, w: Any) -> dict[str, Callable[[], Any]]:
    functional = pumice.nn.functional
    bias = pumice.tensor(floats(8, seed=5))
    return {
        "bias and activation": lambda: functional.conv2d(x, w, bias, padding=1, groups=8).relu(),
        "residual": lambda: functional.conv2d(x, w, padding=1, groups=8) * 2 + x,
        "computed input": lambda: functional.conv2d(x.exp(), w, padding=1, groups=8),
        "mean": lambda: functional.avg_pool2d(x, 3, stride=1, padding=1),
        "maximum": lambda: functional.max_pool2d(x, 3, stride=2, padding=1),
        "whole numbers": lambda: functional.conv2d(
            x.to(pumice.int32), w.to(pumice.int32), groups=8
        ),
    }


@pytest.mark.parametrize("name", epilogues(None, None))
def test_what_goes_in_and_comes_after(name: str) -> None:
    x, w = pumice.tensor(floats(2, 8, 9, 13)) * 4, pumice.tensor(floats(8, 1, 3, 3)) * 4
    x.realize()
    w.realize()
    node = epilogues(x, w)[name]().node
    close(lowered(node)[1], expected(node))


def test_weight_gradients_read_rows_once() -> None:
    *_, to_weight = convolve((40, 16, 9, 20), (16, 1, 3, 3), {"padding": 1})
    (parts, total), found = lowered(to_weight.node)
    groups = -(-40 // -(-4096 // 180))
    assert parts.grid == (16, groups) and total.grid == (144,)
    assert loads(parts) == 1 + 9
    close(found, expected(to_weight.node))


def on_device(steps: list[Step], node: Node, wanted: Node, device: str) -> Any:
    """Run launches that were lowered for another device."""
    runtime: Any = runtime_of(parse_device(device))
    target = replace(runtime.target, limits=runtime.target.limits | {"software": 0})
    places: dict[Any, Any] = {}
    for each in topological([node]):
        if each.value is not None:
            array = memory.download(each.value, each.dtype, each.shape)
            places[each] = runtime.allocate(array.nbytes)
            runtime.write(places[each], 0, memoryview(array.tobytes()))
    for step in steps:
        words = []
        for parameter, binding in zip(step.kernel.parameters, step.bindings, strict=True):
            match binding:
                case Memory(owner=owner, offset=offset):
                    if owner not in places:
                        held = isinstance(owner, Scratch)
                        size = owner.nbytes if held else owner.numel * owner.dtype.itemsize
                        places[owner] = runtime.allocate(size)
                    words.append(places[owner].address + offset)
                case Number(node=constant):
                    words.append(number_bits(constant.argument.value, parameter.dtype))
                case _:
                    words.append(binding)
        kernels = runtime.load(SpirvBackend().compile([optimise(step.kernel)], target))
        program = runtime.prepare([Launch(kernels[0], 0, len(words), step.items)])
        runtime.run(program, np.array(words, np.int64), list(places.values()))
    found = runtime.read(places[wanted], 0, wanted.numel * wanted.dtype.itemsize)
    return np.frombuffer(found, np.float32).reshape(node.shape)


@pytest.mark.vulkan
@pytest.mark.parametrize(("image", "weight", "options"), CASES[:4], ids=str)
def test_weight_gradients_on_a_device(
    image: Shape, weight: Shape, options: dict[str, Any], vulkan_device: str
) -> None:
    node = resolve(convolve(image, weight, options)[2].node)
    order, (wanted,) = rewrite(topological([node]), [node], TARGET)
    steps = lower(fuse(order, [wanted]), TARGET, LoweringMemo())
    close(on_device(steps, node, wanted, vulkan_device), expected(node))
