"""Matrix products of every dtype against numpy."""

import numpy as np
import pytest

import pumice
from pumice.dtypes import DType
from tests.backends.llvm_support import numpy_dtype

DTYPES = ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(1, 70, 90), (20, 21, 22), (90, 1, 70)])
def test_integers_wrap(device: str, name: str, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    dtype: DType = getattr(pumice, name)
    kind = numpy_dtype(dtype)
    random = np.random.default_rng(3)
    low, high = (0, 100) if kind.kind == "u" else (-50, 50)
    left = random.integers(low, high, (m, k)).astype(kind)
    right = random.integers(low, high, (k, n)).astype(kind)
    found = pumice.tensor(left, device=device) @ pumice.tensor(right, device=device)
    assert found.dtype is dtype
    np.testing.assert_array_equal(found.cpu().numpy(), left @ right)


LAYOUTS = {
    "rows": lambda t: t,
    "turned": lambda t: t.transpose(-1, -2).contiguous().transpose(-1, -2),
    "every_other": lambda t: t.repeat_interleave(2, dim=-1)[..., ::2],
    "offset": lambda t: pumice.cat([t[..., :1], t], dim=-1)[..., 1:],
}


@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("second", LAYOUTS)
@pytest.mark.parametrize("shape", [(40, 36, 67), (3, 70, 64), (33, 9, 8)])
def test_widened_bytes(device: str, first: str, second: str, shape: tuple[int, int, int]) -> None:
    """Bytes converted to int32 are multiplied as bytes where a device can."""
    m, n, k = shape
    random = np.random.default_rng(4)
    left = random.integers(-128, 128, (m, k)).astype(np.int8)
    right = random.integers(0, 256, (k, n)).astype(np.uint8)
    x = LAYOUTS[first](pumice.tensor(left, device=device))
    y = LAYOUTS[second](pumice.tensor(right, device=device))
    for each in (x, y):
        each.sum().item()  # evaluates: operands are then read where they lie
    found = x.to(pumice.int32) @ y.to(pumice.int32)
    wanted = left.astype(np.int32) @ right.astype(np.int32)
    np.testing.assert_array_equal(found.cpu().numpy(), wanted)
    batches = x.to(pumice.int32).expand(3, m, k) @ y.to(pumice.int32)
    np.testing.assert_array_equal(batches.cpu().numpy(), np.broadcast_to(wanted, (3, m, n)))
    scaled = (x.to(pumice.int32) @ y.to(pumice.int32)).to(pumice.float32) * 0.5 + 1
    np.testing.assert_array_equal(scaled.cpu().numpy(), wanted.astype(np.float32) * 0.5 + 1)


def test_quantised_bytes_are_multiplied_as_bytes() -> None:
    """A product of what was just rounded to bytes, and one that still needs the wide values."""
    random = np.random.default_rng(5)
    raw = random.normal(size=(50, 80)).astype(np.float32) * 40
    x = pumice.tensor(raw).round().clamp(-128, 127).to(pumice.int8)
    wide = x.to(pumice.int32)
    found, total = wide @ wide.T, wide.sum()
    whole = np.clip(np.round(raw), -128, 127).astype(np.int32)
    np.testing.assert_array_equal(found.numpy(), whole @ whole.T)
    assert total.item() == whole.sum()


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize(
    "shape", [(11, 15, 7), (70, 90, 40), (3, 200, 33), (1, 64, 65), (64, 33, 1)]
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_integers_of_every_layout(
    dtype: str, shape: tuple[int, int, int], turned: tuple[bool, bool], device: str
) -> None:
    random = np.random.default_rng(5)
    m, k, n = shape
    limits = np.iinfo(dtype)
    sides = []
    for (rows, columns), turn in zip(((m, k), (k, n)), turned, strict=True):
        drawn = random.integers(limits.min, limits.max, (rows, columns), dtype, endpoint=True)
        whole = np.ascontiguousarray(drawn.T) if turn else drawn
        tensor = pumice.tensor(whole, device=device)
        sides.append((drawn, tensor.T if turn else tensor))
    (left, ours), (right, theirs) = sides
    with np.errstate(all="ignore"):
        expected = left @ right
    np.testing.assert_array_equal((ours @ theirs).cpu().numpy(), expected)
