"""Conversions agree with the interpreter, and with PyTorch where PyTorch agrees with itself."""

import numpy as np
import pytest

from pumice import dtypes
from pumice.kernel.ir import LoopKind
from tests.backends.llvm_support import TARGETS, numpy_dtype, run_compiled, same_bits
from tests.backends.test_llvm_elementwise import check, map_kernel, sample

TARGET = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
HARD = [np.nan, np.inf, -np.inf, 300.0, -1.0, 1e10, -1e10, 3e9, 1e19, 1e20, -1e20, 65536.5]
HARD += [2147483648.0, -2147483649.0, -129.7, 255.9, 9.3e18, 2.0**63, 1.8e19, -0.0, 0.99, -0.99]


@TARGET
@pytest.mark.parametrize("source", dtypes.ALL, ids=repr)
def test_every_pair(source, target):
    values = sample(source, 97)
    if source.is_floating_point:
        with np.errstate(all="ignore"):
            values[20 : 20 + len(HARD)] = np.array(HARD).astype(values.dtype)
    for result in dtypes.ALL:
        if result is source:
            continue
        for kind in (LoopKind.LANES, LoopKind.SERIAL):
            code = map_kernel(result, [source], lambda x, r=result: x.cast(r), kind)
            check(code, [values, np.zeros(97, numpy_dtype(result)), 97], target)


@pytest.mark.parametrize("source", dtypes.FLOATS, ids=repr)
def test_integers_as_torch(source):
    torch = pytest.importorskip("torch")
    given = torch.tensor(HARD * 4, dtype=torch.float64).to(getattr(torch, source.name))
    raw = given.view(torch.int16) if source.itemsize == 2 else given
    values = raw.numpy().view(numpy_dtype(source))
    for result in dtypes.ALL:
        if not result.is_integral or result is dtypes.uint32:
            continue  # PyTorch's scalar and vector paths give different uint32
        expected = given.to(getattr(torch, result.name)).numpy()
        code = map_kernel(result, [source], lambda x, r=result: x.cast(r))
        actual = np.zeros_like(expected)
        run_compiled(code, [values, actual, len(values)])
        same_bits(actual, expected, result.name)


@TARGET
@pytest.mark.parametrize("small", [dtypes.float16, dtypes.bfloat16], ids=repr)
def test_all_small_floats_round_trip(small, target):
    every = np.arange(1 << 16, dtype=np.uint16).view(numpy_dtype(small))
    up = map_kernel(dtypes.float32, [small], lambda x: x.cast(dtypes.float32))
    down = map_kernel(small, [dtypes.float32], lambda x: x.cast(small))
    wide = check(up, [every, np.zeros(1 << 16, np.float32), 1 << 16], target)[1]
    # neighbours of the halfway points between two small floats
    bits = wide.view(np.uint32)
    step = np.uint32(1 << (12 if small is dtypes.float16 else 15))
    near = np.concatenate([bits + step, bits + step - 1, bits + step + 1]).view(np.float32)
    check(down, [wide, np.zeros(1 << 16, every.dtype), 1 << 16], target)
    check(down, [near, np.zeros(near.size, every.dtype), near.size], target)
