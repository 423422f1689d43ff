"""Tensors on a device that claims cooperative matrices, which loops then stand for."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from secrets import token_hex
from typing import Any

import numpy as np
import pytest

import pumice
import pumice.nn.functional as F  # noqa: N812
from pumice.engine import devices, tuning
from pumice.engine.devices import parse_device
from pumice.runtime.vulkan import VulkanRuntime
from pumice.runtime.vulkan.limits import target_of
from pumice.target import DeviceKind, MatrixShape, device_of
from tests.backends.matrix_loops import EmulatingBackend
from tests.required import every_feature

pytestmark = pytest.mark.vulkan
PLACE = 7
"""The number of the device, which no real one has."""
SHAPES = (
    (16, 16, 16, "float16", "float32"),
    (16, 16, 16, "bfloat16", "float32"),
    (16, 16, 32, "int8", "int32"),
    (16, 16, 32, "uint8", "uint32"),
)
RANDOM = np.random.default_rng(3)


@pytest.fixture(scope="module")
def emulated(vulkan_device: str) -> Iterator[EmulatingBackend]:
    """A device with matrices beside the real ones, and what compiles for it."""
    with every_feature():  # matrices need some
        runtime = VulkanRuntime(validation=True)
    description = runtime.description
    shapes = tuple(MatrixShape(*each, description.subgroup_sizes[0]) for each in SHAPES)
    there = dict.fromkeys(
        ("cooperativeMatrix", "shaderBFloat16CooperativeMatrix", "shaderFloat16", "shaderInt8"),
        True,
    )
    claimed = replace(description, matrices=shapes, features=description.features | there)
    target = target_of(claimed, as_gpu=True)
    # Nothing that other runs have left on disk counts.
    identity = f"{target.identity} in loops {token_hex(8)}"
    runtime._target = replace(target, identity=identity)
    backend = EmulatingBackend()
    before = devices._backend
    device = device_of(DeviceKind.VULKAN, PLACE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(devices._runtimes, device, runtime)
        own = {DeviceKind.VULKAN: backend}
        patch.setattr(devices, "_backend", lambda kind: own.get(kind) or before(kind))
        yield backend
    assert runtime.validation_messages() == []


def both(
    emulated: EmulatingBackend,
    function: Callable[..., Any],
    *arrays: Any,
    dtype: Any = None,
    new: bool = True,
) -> tuple[Any, Any]:
    """Return what a function gives on the device, by matrices, and on the CPU.

    Kernels serve every size, so only functions that are `new` make new ones.
    """
    kind = dtype or pumice.float16
    before = len(emulated.rewritten)
    found = []
    for device in (f"vulkan:{PLACE}", "cpu"):
        tensors = [pumice.tensor(each).to(kind).to(device) for each in arrays]
        result = function(*tensors)
        listed = result if isinstance(result, tuple) else (result,)
        assert all(each.dtype == kind for each in listed)
        wide = pumice.float64 if kind.is_floating_point else pumice.int64
        found.append([each.detach().cpu().to(wide).numpy() for each in listed])
    assert len(emulated.rewritten) > before or not new, "no matrices were multiplied"
    return found[0], found[1]


def close(found: tuple[Any, Any], dtype: Any = None) -> None:
    step = 2.0 ** (-8 if dtype is pumice.bfloat16 else -11)
    for mine, right in zip(*found, strict=True):
        np.testing.assert_allclose(mine, right, rtol=2 * step, atol=2 * step * np.abs(right).max())


def normal(*shape: int) -> Any:
    return (RANDOM.normal(size=shape) / 4).astype(np.float32)


@pytest.mark.parametrize("dtype", [pumice.float16, pumice.bfloat16], ids=str)
def test_products(emulated: EmulatingBackend, dtype: Any) -> None:
    for m, n, k in ((33, 70, 41), (5, 200, 16), (130, 129, 7)):
        sides = normal(m, k), normal(k, n)
        found = both(emulated, lambda x, y: x @ y, *sides, dtype=dtype, new=m == 33)
        close(found, dtype)


def test_views(emulated: EmulatingBackend) -> None:
    """Transposes, steps, broadcast batches and reversed operands; kernels may serve several."""
    x, y = normal(3, 20, 50), normal(48, 60)
    for number, function in enumerate(
        (
            lambda x, y: x[:, :, 1:49].transpose(1, 2) @ y[::3, :20].T[:20],
            lambda x, y: x.flip(2)[..., ::2] @ y[20:45],
            lambda x, y: pumice.cat([x[0], x[1]], 1)[:, :48] @ y,
        )
    ):
        close(both(emulated, function, x, y, new=number == 0))


def test_fusion(emulated: EmulatingBackend) -> None:
    """One kernel has the product, what goes into it and what comes after it."""
    arrays = normal(40, 36), normal(50, 36), normal(50), normal(40, 50)
    before = len(emulated.rewritten)

    def layer(x: Any, weight: Any, bias: Any, residual: Any) -> Any:
        return F.gelu(F.linear(F.relu(x), weight, bias)) + residual

    close(both(emulated, layer, *arrays))
    assert len(emulated.rewritten) == before + 1


def test_results_of_other_types(emulated: EmulatingBackend) -> None:
    def wide(x: Any, y: Any) -> Any:
        return (x @ y).float().sum(0).half(), (x @ y > 0).half()

    close(both(emulated, wide, normal(30, 33), normal(33, 40)))


def test_parts_of_k(emulated: EmulatingBackend) -> None:
    close(both(emulated, lambda x, y: F.relu(x @ y), normal(20, 1100), normal(1100, 24)))
    close(both(emulated, lambda x, y: x @ y, normal(2, 9, 600), normal(2, 600, 17)))


def test_convolution_and_gradients(emulated: EmulatingBackend) -> None:
    def step(image: Any, weight: Any) -> Any:
        parts = [each.requires_grad_(True) for each in (image, weight)]
        out = F.conv2d(image, weight, stride=2, padding=1)
        return (out, *pumice.autograd.grad((out * out).sum(), parts))

    close(both(emulated, step, normal(2, 6, 11, 9) / 4, normal(10, 6, 3, 3) / 4))


def test_integers(emulated: EmulatingBackend) -> None:
    """Sums wrap as those of other ways do."""
    x, y = (RANDOM.integers(-128, 128, shape) for shape in ((37, 70), (70, 45)))
    mine, right = both(emulated, lambda x, y: x @ y, x, y, dtype=pumice.int8)
    np.testing.assert_array_equal(mine[0], right[0])


def test_captured(emulated: EmulatingBackend) -> None:
    function = pumice.jit(lambda x, y: F.relu(x @ y) * 2)
    for size in (40, 56, 40):
        arrays = normal(size, 32), normal(32, 48)
        x, y = (pumice.tensor(each).half().to(f"vulkan:{PLACE}") for each in arrays)
        right = F.relu(x.cpu() @ y.cpu()) * 2
        close(([function(x, y).cpu().float().numpy()], [right.float().numpy()]))


def test_other_products_stay_as_they_are(emulated: EmulatingBackend) -> None:
    before = len(emulated.rewritten)
    device = f"vulkan:{PLACE}"
    x, y = (pumice.tensor(normal(20, 20)).to(device) for _ in range(2))
    np.testing.assert_allclose((x @ y).cpu().numpy(), x.cpu().numpy() @ y.cpu().numpy(), rtol=1e-4)
    thin = x.half()[:2] @ y.half()
    assert thin.cpu().isfinite().all()
    assert len(emulated.rewritten) == before


def test_tiles_of_matrices_are_measured(emulated: EmulatingBackend) -> None:
    device = parse_device(f"vulkan:{PLACE}")
    tiles = [each for each in devices.runtime_of(device).target.products if each.matrix]
    assert {each.matrix.operand for each in tiles if each.matrix} == {each[3] for each in SHAPES}
    smallest = [each for each in tiles if each.block == (32, 32)][:2]
    timings = [tuning.measure(device, each, 1) for each in smallest]
    assert all(each.rate > 0 for each in timings)
    assert tuning.chosen(timings) == smallest
