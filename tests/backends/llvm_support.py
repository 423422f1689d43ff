"""Helpers: build kernels by hand, run them compiled and interpreted, compare the bits."""

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.backends.llvm.backend import LlvmBackend
from pumice.dtypes import DType
from pumice.kernel.interpret import interpret_kernel
from pumice.kernel.ir import (
    INDEX,
    Grid,
    Instruction,
    Kernel,
    Loop,
    LoopKind,
    Parameter,
    Role,
    Statement,
    Value,
    Variable,
    index,
)
from pumice.kernel.verify import verify_kernel
from pumice.runtime.cpu.host import host_target
from pumice.runtime.cpu.loader import LoadedKernel, Loader
from pumice.target import Target

Array = NDArray[Any]

HOST = host_target()
_HOST_FEATURES = HOST.identity.split("|")[3]


def _without(prefixes: tuple[str, ...]) -> str:
    return ",".join(
        f"-{name[1:]}" if name[1:].startswith(prefixes) else name
        for name in _HOST_FEATURES.split(",")
    )


AVX2 = host_target(_without(("avx512", "avx10", "amx")), cpu="x86-64-v3")
BASELINE = host_target("", cpu="x86-64")
VECTORS = host_target(_without(("amx",)))
"""The host without tile registers."""
TARGETS = {"host": HOST, "avx2": AVX2, "baseline": BASELINE}


def numpy_dtype(dtype: DType) -> np.dtype[Any]:
    if dtype is INDEX:
        return np.dtype(np.int64)
    if dtype is dtypes.bfloat16:
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(dtype.name)


def buffer(name: str, dtype: DType, writable: bool = False) -> Parameter:
    return Parameter(name, Role.BUFFER, dtype, writable)


def size(name: str) -> Parameter:
    return Parameter(name, Role.INDEX, INDEX)


def scalar(name: str, dtype: DType) -> Parameter:
    return Parameter(name, Role.SCALAR, dtype)


def at(item: Parameter | Variable) -> Value:
    """Return a parameter or variable as a value."""
    if isinstance(item, Variable):
        return Value(Instruction.VARIABLE, INDEX, (), item)
    return Value(Instruction.PARAMETER, item.dtype, (), item)


def lanes(variable: Variable, stop: Value, *body: Statement, folds: Any = ()) -> Loop:
    return Loop(variable, index(0), stop, LoopKind.LANES, body, tuple(folds))


def serial(variable: Variable, stop: Value, *body: Statement, folds: Any = ()) -> Loop:
    return Loop(variable, index(0), stop, LoopKind.SERIAL, body, tuple(folds))


def kernel(
    parameters: Sequence[Parameter],
    grid: Sequence[tuple[Variable, Value]],
    *body: Statement,
    faults: bool = False,
) -> Kernel:
    variables, extents = tuple(v for v, _ in grid), tuple(e for _, e in grid)
    return Kernel(tuple(parameters), Grid(variables, extents), body, faults)


@lru_cache(maxsize=1)
def _loader() -> Loader:
    return Loader()


@lru_cache(maxsize=8)
def _compiled(code: Kernel, identity: str) -> LoadedKernel:
    target = next(t for t in (*TARGETS.values(), VECTORS) if t.identity == identity)
    (artifact,) = LlvmBackend().compile([code], target)
    assert artifact.words == len(code.parameters)
    (loaded,) = _loader().load([artifact])
    return loaded


def word(parameter: Parameter, argument: Any) -> int:
    """Return an argument as the 64-bit word a kernel reads."""
    if parameter.role is Role.BUFFER:
        return int(argument.ctypes.data)
    if parameter.role is Role.INDEX:
        return int(argument)
    raw = np.array(argument, numpy_dtype(parameter.dtype)).tobytes()
    return int.from_bytes(raw.ljust(8, b"\0"), "little", signed=True)


def run_compiled(
    code: Kernel, arguments: Sequence[Any], target: Target = HOST, chunk: int | None = None
) -> None:
    """Compile for a target and run the whole grid on this thread, in chunks of items."""
    loaded = _compiled(code, target.identity)
    words = np.array(
        [word(p, a) for p, a in zip(code.parameters, arguments, strict=True)], np.int64
    )
    entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(loaded.address)
    items = _items(code, arguments)
    step = chunk or max(items, 1)
    for first in range(0, items, step):
        entry(words.ctypes.data, first, min(first + step, items))


def _items(code: Kernel, arguments: Sequence[Any]) -> int:
    known = dict(zip(code.parameters, arguments, strict=True))

    def number(value: Value) -> int:
        match value.instruction:
            case Instruction.CONSTANT:
                return int(value.attribute)
            case Instruction.PARAMETER:
                return int(known[value.attribute])
            case Instruction.ADD:
                return number(value.arguments[0]) + number(value.arguments[1])
            case Instruction.QUOTIENT:
                return number(value.arguments[0]) // number(value.arguments[1])
            case other:
                raise AssertionError(f"extent uses {other}")

    return int(np.prod([number(extent) for extent in code.grid.extents], dtype=np.int64))


def check(
    code: Kernel,
    arguments: Sequence[Any],
    target: Target = HOST,
    chunk: int | None = None,
    exact: bool = True,
) -> list[Any]:
    """Run compiled and interpreted; every buffer must hold the same bits. Return the buffers."""
    verify_kernel(code)
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    interpret_kernel(code, expected, target.lanes)
    actual = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    run_compiled(code, actual, target, chunk)
    for parameter, a, b in zip(code.parameters, actual, expected, strict=True):
        if isinstance(a, np.ndarray):
            same_bits(a, b, parameter.name) if exact else np.testing.assert_allclose(a, b, 1e-5)
    return actual


def same_bits(actual: Array, expected: Array, name: str = "") -> None:
    """Compare bits; any NaN equals any other."""
    differ = actual.view(np.uint8) != expected.view(np.uint8)
    wrong = differ.reshape(actual.size, actual.itemsize).any(-1)
    if actual.dtype.kind not in "iub":
        with np.errstate(invalid="ignore"):
            wrong &= ~((actual != actual) & (expected != expected))
    places = np.argwhere(wrong)[:5].tolist()
    assert not wrong.any(), (
        f"{name}: {wrong.sum()} of {wrong.size} differ, first at {places}: "
        f"{actual[wrong][:5]} != {expected[wrong][:5]}"
    )
