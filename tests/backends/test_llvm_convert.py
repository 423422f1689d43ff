"""Conversions agree with the interpreter, and with PyTorch where PyTorch agrees with itself."""

import numpy as np
import pytest

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.ir import Kernel, Loop, LoopKind, Store, Variable, index, load
from tests.backends.llvm_support import (
    TARGETS,
    at,
    buffer,
    check,
    kernel,
    numpy_dtype,
    run_compiled,
    same_bits,
    size,
)
from tests.backends.test_llvm_elementwise import map_kernel, sample

TARGET = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
HARD = [np.nan, np.inf, -np.inf, 300.0, -1.0, 1e10, -1e10, 3e9, 1e19, 1e20, -1e20, 65536.5]
HARD += [2147483648.0, -2147483649.0, -129.7, 255.9, 9.3e18, 2.0**63, 1.8e19, -0.0, 0.99, -0.99]


def cast_kernel(source: DType, results: list[DType]) -> Kernel:
    """Return a kernel that converts to every type, in lanes and one by one."""
    a, n = buffer("a", source), size("n")
    outs = [buffer(f"o{k}", dtype, True) for k, dtype in enumerate(results)]
    loops = []
    for part, kind in enumerate((LoopKind.LANES, LoopKind.SERIAL)):
        i = Variable("i")
        value = load(a, at(i))
        stores = [Store(out, at(i) + at(n) * part, value.cast(out.dtype)) for out in outs]
        loops.append(Loop(i, index(0), at(n), kind, tuple(stores)))
    return kernel([a, n, *outs], [], *loops)


@TARGET
@pytest.mark.parametrize("source", dtypes.ALL, ids=repr)
def test_every_pair(source, target):
    values = sample(source, 97)
    if source.is_floating_point:
        with np.errstate(all="ignore"):
            values[20 : 20 + len(HARD)] = np.array(HARD).astype(values.dtype)
    results = [dtype for dtype in dtypes.ALL if dtype is not source]
    outs = [np.zeros(2 * 97, numpy_dtype(dtype)) for dtype in results]
    check(cast_kernel(source, results), [values, 97, *outs], target)


@pytest.mark.parametrize("source", dtypes.FLOATS, ids=repr)
def test_integers_as_torch(source):
    torch = pytest.importorskip("torch")
    given = torch.tensor(HARD * 4, dtype=torch.float64).to(getattr(torch, source.name))
    raw = given.view(torch.int16) if source.itemsize == 2 else given
    values = raw.numpy().view(numpy_dtype(source))
    # PyTorch's scalar and vector paths give different uint32
    results = [d for d in dtypes.ALL if d.is_integral and d is not dtypes.uint32]
    expected = [given.to(getattr(torch, result.name)).numpy() for result in results]
    actual = [np.zeros(2 * len(values), numpy_dtype(result)) for result in results]
    run_compiled(cast_kernel(source, results), [values, len(values), *actual])
    for result, got, wanted in zip(results, actual, expected, strict=True):
        same_bits(got, np.concatenate([wanted, wanted]), result.name)


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
