"""Helpers: build kernels by hand, run them on a Vulkan device and interpreted, compare."""

import subprocess
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.backends.spirv import SpirvBackend
from pumice.dtypes import DType
from pumice.kernel.interpret import interpret_kernel
from pumice.kernel.ir import (
    INDEX,
    Contract,
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
from pumice.runtime.base import Launch
from pumice.target import Artifact, DeviceKind, Target, Tile

Array = NDArray[Any]

ALL_FEATURES = dict.fromkeys(
    ("int64", "float64", "storage8", "storage16", "denorm32", "nan32", "rte32"), 1
)
FULL = Target(
    DeviceKind.VULKAN,
    "vulkan with everything",
    64,
    1,
    True,
    {"float32": Tile(4, 4)},
    frozenset(),
    ALL_FEATURES | {"index_bits": 64, "group": 64, "push_constant_bytes": 128},
)
NARROW = Target(
    DeviceKind.VULKAN,
    "vulkan with nothing",
    64,
    1,
    True,
    {"float32": Tile(4, 4)},
    frozenset((dtypes.int64, dtypes.uint64, dtypes.float64)),
    {"index_bits": 32, "group": 64, "push_constant_bytes": 128},
)


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


def _validator() -> str:
    """Return the newest validator there is: the package's knows more than the system's."""
    newest = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/bin/spirv-val"
    return str(newest) if newest.exists() else "spirv-val"


def validate(code: bytes, environment: str = "vulkan1.2") -> None:
    """Run spirv-val on a module."""
    command = [_validator(), "--target-env", environment, "--scalar-block-layout", "-"]
    result = subprocess.run(command, input=code, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr.decode()


def compile_valid(code: Kernel, target: Target) -> Artifact:
    """Verify and compile a kernel, and validate the module."""
    verify_kernel(code)
    (artifact,) = SpirvBackend().compile([code], target)
    assert target.checks_access or artifact.words == len(code.parameters)
    if artifact.module:
        return replace(artifact, code=valid_module(artifact.module, target))
    validate(artifact.code)
    return artifact


def valid_module(name: str, target: Target) -> bytes:
    """Return the module of a family of operators, validated when it is first asked for."""
    key = (name, target.identity)
    if key not in _modules:
        _modules[key] = SpirvBackend().module(name, target)
        validate(_modules[key])
    return _modules[key]


_modules: dict[tuple[str, str], bytes] = {}


def _items(code: Kernel, arguments: Sequence[Any]) -> int:
    known = dict(zip(code.parameters, arguments, strict=True))

    def number(value: Value) -> int:
        match value.instruction:
            case Instruction.CONSTANT:
                return int(value.attribute)
            case Instruction.PARAMETER:
                return int(known[value.attribute])
            case other:
                raise AssertionError(f"extent uses {other}")

    if code.body and isinstance(code.body[0], Contract):
        c = code.body[0]
        rows, columns = c.tile.block
        return number(c.batches) * -(-number(c.m) // rows) * -(-number(c.n) // columns)
    return int(np.prod([number(extent) for extent in code.grid.extents], dtype=np.int64))


Compiled = Callable[[Kernel, Target], Artifact]


def run_kernel(
    runtime: Any,
    code: Kernel,
    arguments: Sequence[Any],
    shift: int = 0,
    behind: Sequence[int] = (),
    compiled: Compiled = compile_valid,
) -> list[Any]:
    """Run a kernel on a device; return the arguments, buffers as the device left them.

    Buffers start `shift` elements into their memory, so that they can be misaligned. Words
    `behind` those of the parameters are for targets that check accesses.
    """
    (loaded,) = runtime.load([compiled(code, runtime.target)])
    words, places = [], {}
    for parameter, argument in zip(code.parameters, arguments, strict=True):
        if parameter.role is Role.BUFFER:
            skipped = shift * argument.itemsize
            place = runtime.allocate(argument.nbytes + skipped)
            runtime.write(place, skipped, memoryview(argument.tobytes()))
            places[parameter] = place
            words.append(place.address + skipped)
        elif parameter.role is Role.INDEX:
            words.append(int(argument))
        else:
            raw = np.array(argument, numpy_dtype(parameter.dtype)).tobytes()
            words.append(int.from_bytes(raw.ljust(8, b"\0"), "little", signed=True))
    words += behind
    launch = Launch(loaded, 0, len(words), _items(code, arguments))
    program = runtime.prepare([launch])
    runtime.run(program, np.array(words, np.int64), list(places.values()))
    results: list[Any] = []
    for parameter, argument in zip(code.parameters, arguments, strict=True):
        if parameter in places:
            raw = runtime.read(places[parameter], shift * argument.itemsize, argument.nbytes)
            argument = np.frombuffer(raw, argument.dtype).reshape(argument.shape)
        results.append(argument)
    return results


def check(
    runtime: Any,
    code: Kernel,
    arguments: Sequence[Any],
    exact: bool = True,
    shift: int = 0,
    compiled: Compiled = compile_valid,
) -> list[Any]:
    """Run on the device and interpreted and compare every buffer; return the device's."""
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    interpret_kernel(code, expected, runtime.target.lanes)
    actual = run_kernel(runtime, code, arguments, shift, compiled=compiled)
    for parameter, a, b in zip(code.parameters, actual, expected, strict=True):
        if isinstance(a, np.ndarray):
            same_bits(a, b, parameter.name) if exact else np.testing.assert_allclose(a, b, 1e-5)
    assert runtime.validation_messages() == []
    return actual


def same_bits(actual: Array, expected: Array, name: str = "") -> None:
    """Compare bits; any NaN equals any other."""
    differ = actual.view(np.uint8) != expected.view(np.uint8)
    wrong = differ.reshape(*actual.shape, -1).any(-1)
    if actual.dtype.kind not in "iub":
        wrong &= ~((actual != actual) & (expected != expected))
    places = np.argwhere(wrong)[:5].tolist()
    assert not wrong.any(), (
        f"{name}: {wrong.sum()} of {wrong.size} differ, first at {places}: "
        f"{actual[wrong][:5]} != {expected[wrong][:5]}"
    )
