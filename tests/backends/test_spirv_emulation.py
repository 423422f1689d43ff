"""64-bit integers and small elements on devices without them: the same bits as on the CPU."""

import subprocess
import sys
from os import environ
from pathlib import Path

import pytest

PAIRS = """
EDGES = [0, 1, -1, 2, -3, 2**31 - 1, 2**31, -(2**31) - 1, 2**32 - 1, 2**32, -(2**32), 2**53 + 1,
         2**62 + 12345, 2**63 - 1, -(2**63), -(2**63) + 1, 2**40 + 2**16, 2**40 + 3 * 2**15]
edges = np.array(EDGES, np.int64)
shifts = random.integers(0, 63, 300)
left = np.concatenate([np.repeat(edges, len(edges)), random.integers(-2**63, 2**63 - 1, 300)])
right = random.integers(-2**63, 2**63 - 1, 300) >> shifts
right = np.concatenate([np.tile(edges, len(edges)), right])
WORK = dict(
    add=lambda x, y, d, s: x + y,
    sub=lambda x, y, d, s: x - y,
    mul=lambda x, y, d, s: x * y,
    floor=lambda x, y, d, s: x // d,
    remainder=lambda x, y, d, s: x % d,
    truncated=lambda x, y, d, s: pumice.div(x, d, rounding_mode="trunc"),
    bits=lambda x, y, d, s: (x & y) ^ (~x | y),
    negative=lambda x, y, d, s: -x,
    absolute=lambda x, y, d, s: x.abs(),
    left=lambda x, y, d, s: x << s,
    right=lambda x, y, d, s: x >> s,
    less=lambda x, y, d, s: x < y,
    at_most=lambda x, y, d, s: x <= y,
    equal=lambda x, y, d, s: x == y,
    different=lambda x, y, d, s: x != y,
    smaller=lambda x, y, d, s: pumice.minimum(x, y),
    float32=lambda x, y, d, s: x.float(),
    float64=lambda x, y, d, s: x.double(),
    int32=lambda x, y, d, s: x.int(),
    int8=lambda x, y, d, s: x.char(),
    truth=lambda x, y, d, s: x.bool(),
    total=lambda x, y, d, s: x.sum(),
    place=lambda x, y, d, s: x.argmax(),
    sorted=lambda x, y, d, s: x.sort().values,
    running=lambda x, y, d, s: x.cumsum(0),
    product=lambda x, y, d, s: x[:165].reshape(11, 15) @ y[:105].reshape(15, 7),
)
for kind in (np.int64, np.uint64):
    divisors = np.where(right == 0, 7, right)
    arrays = [each.astype(kind) for each in (left, right, divisors, right & 63)]
    for name, work in WORK.items():
        if name not in ("negative", "product") or kind is np.int64:
            compare(f"{name} {kind.__name__}", lambda *operands: work(*operands), arrays)
reals = random.normal(size=200) * 2.0 ** random.integers(-9, 70, 200)
reals = np.concatenate([reals, [0, -0.0, 2.0**63, -2.0**63, np.inf, -np.inf, np.nan, 0.5, -0.9]])
for real in (np.float32, np.float64):
    for wanted in (pumice.int64, pumice.uint64):
        compare(f"{real.__name__} to {wanted}", lambda x: x.to(wanted), [reals.astype(real)])
"""

PARTS = """
def written(x):
    copy = x.clone()
    copy[1:600:3] = x[2:202]
    copy[5] = 1
    return copy


WORK = (
    lambda x: x[1:].clone()[2:] + x[3:].clone(),
    lambda x: x[3:900:7],
    lambda x: x.flip(0)[5:],
    lambda x: x[:1000].reshape(10, 100).T.contiguous(),
    lambda x: x.sort().values,
    lambda x: (x > 3) | (x < -5),
    lambda x: x[pumice.tensor([3, 1, 999], device=x.device)],
    lambda x: x.max(),
    lambda x: pumice.where(x > 2, x, x[:1]),
    lambda x: x[:7].exp() if x.dtype.is_floating_point else x[:7],
    written,
)
for name in ("bool_", "uint8", "int8", "uint16", "int16", "float16", "bfloat16"):
    array = cases.draw(random, getattr(pumice.dtypes, name), (1003,), -100, 100)
    for number, work in enumerate(WORK):
        compare(f"{name} {number}", work, [array])
"""

COMMON = """
import numpy as np
import pumice
from pumice.engine.devices import parse_device, runtime_of
from pumice.testing import cases

random = np.random.default_rng(0)


def compare(name, work, arrays):
    got = work(*(pumice.tensor(each, device="vulkan") for each in arrays)).cpu()
    wanted = work(*(pumice.tensor(each) for each in arrays))
    assert got.dtype is wanted.dtype and got.shape == wanted.shape, name
    if got.dtype.is_floating_point:
        got, wanted = got.double(), wanted.double()
    same = np.array_equal(got.numpy(), wanted.numpy(), equal_nan=got.dtype.is_floating_point)
    assert same, (name, got, wanted)
"""

ENDING = """
assert runtime_of(parse_device("vulkan")).validation_messages() == []
print("all the same")
"""


@pytest.mark.vulkan
@pytest.mark.parametrize(
    ("work", "off"),
    [
        (PAIRS, "int64"),
        (PARTS, "storage8,storage16"),
        (PARTS, "int64,int8,int16"),
        (PARTS, "int64,int8,int16,storage8,storage16,wide_access"),
    ],
    ids=["pairs", "parts", "parts of pairs", "everything"],
)
def test_what_is_emulated_gives_the_same_bits(
    vulkan_device: str, tmp_path: Path, work: str, off: str
) -> None:
    program = tmp_path / "work.py"  # a file, so that failures show their lines
    program.write_text(COMMON + work + ENDING)
    result = subprocess.run(
        [sys.executable, str(program)],
        env=environ | {"PUMICE_VULKAN_DISABLE": off, "PUMICE_VULKAN_VALIDATION": "1"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "all the same\n"
