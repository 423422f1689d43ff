"""Measure the largest error of each mathematical function, in units in the last place.

Arguments are random bit patterns over the whole domain, log-uniform and uniform ordinary values
and special values. The exact result comes from mpmath, or with ``--quick`` from NumPy in a wider
type (float64 for float32, the x87 format for float64), which allows millions of arguments.

Without a device the meaning of the entry is evaluated instruction by instruction with NumPy; with
``--device NAME`` (as often as one likes) the compiled function on that device. ``--write`` writes
the table of both devices to ``docs/accuracy.md``.

Run ``python tools/measure_accuracy.py [name ...] [--count N] [--quick] [--device NAME]``.
"""

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
from mpmath import mp, mpf

import pumice
from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.arithmetic import evaluate, number, numpy_dtype
from pumice.kernel.ir import Instruction, Parameter, Role, Value
from pumice.kernel.walk import postorder
from pumice.ops.definition import Elementwise, registry

Array = np.ndarray[Any, Any]
Wide = np.longdouble
ROOT = Path(__file__).resolve().parent.parent
DTYPES = (dtypes.float32, dtypes.float64)
LARGEST_ERROR = 2.0
"""What the functions promise, in units in the last place."""


def wide_copy(array: Array, wide: Any) -> Any:
    return array.astype(wide)


def run(entry: Elementwise, dtype: DType, arrays: Sequence[Array], fused: bool = False) -> Array:
    """Evaluate the meaning of an entry on arrays; `fused` rounds multiply_add once."""
    parameters = [
        Value(Instruction.PARAMETER, dtype, (), Parameter(f"x{i}", Role.SCALAR, dtype))
        for i in range(len(arrays))
    ]
    known: dict[Value, Array] = dict(zip(parameters, arrays, strict=True))
    root: Value = entry.meaning(*parameters)
    with np.errstate(all="ignore"):
        for value in postorder(root, known):
            operands = [known[argument] for argument in value.arguments]
            if value.instruction is Instruction.CONSTANT:
                known[value] = number(value.attribute, value.dtype)
            elif value.instruction is Instruction.MULTIPLY_ADD and fused:
                wide = np.float64 if value.dtype is dtypes.float32 else Wide
                x, y, z = (wide_copy(operand, wide) for operand in operands)
                known[value] = (x * y + z).astype(numpy_dtype(value.dtype))
            elif value.instruction is Instruction.CHECKED:
                known[value] = operands[0]
            else:
                source = value.arguments[0].dtype
                known[value] = evaluate(value.instruction, value.dtype, operands, source)
    result = known[root]
    return np.broadcast_to(result, arrays[0].shape)


def size(entry: Elementwise, dtype: DType) -> int:
    """Return the number of instructions of a meaning."""
    parameters = [
        Value(Instruction.PARAMETER, dtype, (), Parameter(f"x{i}", Role.SCALAR, dtype))
        for i in range(entry.arity)
    ]
    known: set[Value] = set(parameters)
    count = 0
    for value in postorder(entry.meaning(*parameters), known):
        known.add(value)
        count += value.instruction is not Instruction.CONSTANT
    return count


def arguments(entry: Elementwise, dtype: DType, count: int, seed: int) -> list[Array]:
    """Return probing arguments, one array per operand."""
    random = np.random.default_rng(seed)
    kind = numpy_dtype(dtype)
    unsigned = np.uint32 if dtype is dtypes.float32 else np.uint64
    deepest = 30 if dtype is dtypes.float32 else 60

    def one(low: float, high: float) -> list[Array]:
        limit = np.iinfo(unsigned).max
        patterns = random.integers(0, limit, count, dtype=unsigned, endpoint=True).view(kind)
        signs = random.choice([-1.0, 1.0], count)
        ordinary = np.exp2(random.uniform(-deepest, 12, count)) * signs
        middle = np.exp2(random.uniform(-4, 4, count)) * signs
        close = 1 + np.exp2(random.uniform(-deepest, -1, count)) * signs
        inside = random.uniform(low, high, count)
        units = random.uniform(-1, 1, count)
        return [part.astype(kind) for part in (patterns, ordinary, middle, close, inside, units)]

    columns = [one(low, high) for low, high in entry.samples.domain]
    special = np.array(entry.samples.special, kind)
    grids = np.meshgrid(*[special] * entry.arity)
    if entry.arity == 1:
        return [np.concatenate([*columns[0], special])]
    result = []
    for i, column in enumerate(columns):
        same = np.concatenate(column)
        rotated = np.concatenate(column[i:] + column[:i])
        result.append(np.concatenate([same, rotated, grids[i].ravel()]))
    return result


def exact_power(x: mpf, y: mpf) -> mpf:
    return mp.power(x, y)


def exact_log2(x: mpf) -> mpf:
    return mp.log(x, 2)


MPMATH: dict[str, Callable[..., Any]] = {
    "exp": mp.exp,
    "exp2": lambda x: mpf(2) ** x,
    "expm1": mp.expm1,
    "log": mp.log,
    "log2": exact_log2,
    "log10": mp.log10,
    "log1p": mp.log1p,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erfinv": mp.erfinv,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "sinc": mp.sincpi,
    "lgamma": lambda x: mp.loggamma(x).real,
    "digamma": mp.digamma,
    "pow": exact_power,
    "atan2": mp.atan2,
    "hypot": mp.hypot,
    "logaddexp": lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
    "xlogy": lambda x, y: x * mp.log(y),
}

POSITIVE = frozenset(("lgamma", "digamma"))
"""Measured on positive arguments: elsewhere zeros make the relative error of any method large."""

BY_OPERANDS = frozenset(("logaddexp",))
"""Measured in units of the largest operand: the sum may cancel to nearly 0."""

QUICK: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "pow": np.power,
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "logaddexp": np.logaddexp,
    "xlogy": lambda x, y: np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y)),
    "fmod": np.fmod,
    "remainder": np.remainder,
}


def exact(name: str, arrays: Sequence[Array], got: Array) -> Array:
    """Return mpmath's results in the wide type; special arguments keep the computed result."""
    function = MPMATH[name]
    with np.errstate(all="ignore"):  # signalling NaN among the patterns
        result = got.astype(Wide)
    for i, values in enumerate(zip(*arrays, strict=True)):
        if not all(math.isfinite(value) for value in values) or (name == "atan2" and 0 in values):
            continue  # mpmath has no signed zeros
        with mp.workprec(200):
            try:
                value = function(*(mpf(float(v)) for v in values))
            except (ValueError, ZeroDivisionError, OverflowError):
                continue
            if not isinstance(value, mpf) or not mpmath.isfinite(value):
                continue
            high = float(value)
            result[i] = Wide(high) + Wide(float(value - mpf(high))) if math.isfinite(high) else high
    return result


def errors(got: Array, wanted: Array, dtype: DType, scale: Array | None = None) -> Array:
    """Return errors in units in the last place; equal infinities and NaNs count as 0.

    A unit is that of the exact result, or of `scale` where that is larger.
    """
    kind = numpy_dtype(dtype)
    information = np.finfo(kind)
    with np.errstate(all="ignore"):
        rounded = wanted.astype(kind)
        magnitude = np.maximum(np.abs(wanted), Wide(information.tiny))
        if scale is not None:
            magnitude = np.fmax(magnitude, scale)
        exponent = np.floor(np.log2(magnitude))
        unit = np.exp2(exponent - Wide(dtype.mantissa))
        difference = np.abs(got.astype(Wide) - wanted) / unit
        same = (got == rounded) | (np.isnan(got) & np.isnan(wanted))
        limit = np.exp2(Wide(information.maxexp)) * (1 - np.exp2(Wide(-dtype.mantissa - 2)))
        over = np.isinf(got) & (np.abs(wanted) >= limit) & (np.sign(got) == np.sign(wanted))
        difference = np.where(same & ~np.isfinite(difference) | over, 0, difference)
    return np.where(np.isnan(difference), np.inf, difference).astype(np.float64)


def quick_exact(name: str, arrays: Sequence[Array], dtype: DType) -> Array:
    with np.errstate(all="ignore"):
        if dtype is dtypes.float32 and name in ("erf", "erfc"):
            function = np.vectorize(getattr(math, name), otypes=[np.float64])
            return np.asarray(function(arrays[0].astype(np.float64))).astype(Wide)
        wide = [array.astype(Wide) for array in arrays]
        return np.asarray(QUICK[name](*wide)).astype(Wide)


def scale_of(name: str, arrays: Sequence[Array]) -> Array | None:
    """Return the size of the largest operand where a unit may be that of it."""
    if name not in BY_OPERANDS:
        return None
    with np.errstate(all="ignore"):
        scale: Array = np.fmax.reduce([np.abs(array).astype(Wide) for array in arrays])
    return np.where(np.isfinite(scale), scale, 0)


def on_device(name: str, arrays: Sequence[Array], device: str) -> Array:
    """Evaluate the compiled function."""
    operands = [pumice.tensor(array, device=device) for array in arrays]
    result: Array = getattr(pumice, name)(*operands).cpu().numpy()
    return result


Worst = tuple[float, tuple[float, ...]]
"""The largest error and the arguments that show it."""


@dataclass(frozen=True)
class Manner:
    """How errors are measured.

    Attributes
    ----------
    count : int
        Arguments of each kind.
    quick : bool
        Whether NumPy's wider type tells what is exact, instead of mpmath.
    fused : bool
        Whether `multiply_add` rounds once, where no device is named.
    devices : sequence of str
        Where the compiled function runs; none evaluates the meaning.
    seed : int
        Chooses the arguments.
    """

    count: int
    quick: bool = False
    fused: bool = False
    devices: Sequence[str] = ()
    seed: int = 1


def measure(name: str, dtype: DType, manner: Manner) -> list[Worst]:
    """Return the largest error of each device, or of the meaning when none is named."""
    entry: Any = registry[name]
    arrays = arguments(entry, dtype, manner.count, manner.seed)
    if name in POSITIVE:
        arrays = [np.abs(array) for array in arrays]
    if manner.devices:
        results = [on_device(name, arrays, device) for device in manner.devices]
    else:
        results = [run(entry, dtype, arrays, manner.fused)]
    wanted = quick_exact(name, arrays, dtype) if manner.quick else exact(name, arrays, results[0])
    worst = []
    for got in results:
        found = errors(got, wanted, dtype, scale_of(name, arrays))
        at = int(found.argmax())
        worst.append((float(found[at]), tuple(float(array[at]) for array in arrays)))
    return worst


PAGE = ROOT / "docs" / "accuracy.md"
HEADER = """# Accuracy

The largest error found for each mathematical function, in units in the last place of the exact
result, which comes from mpmath with 200 bits. Arguments are random bit patterns over the whole
domain, log-uniform and uniform ordinary values and special values ({count} of each kind). An error
of 0.5 is a result rounded correctly. `lgamma` and `digamma` are measured on positive arguments:
near their zeros below 0 the relative error of any method is large. `logaddexp` is measured in units
of the largest operand. The 16-bit floats compute in float32 and round once more.

Written by `python tools/measure_accuracy.py --write`.

| function | {columns} |
|---|{rules}|
"""


def write_page(rows: Mapping[str, Sequence[float]], options: argparse.Namespace) -> None:
    """Write the table of all functions."""
    columns = [f"{dtype.name}, {name}" for dtype in DTYPES for name in options.device]
    text = HEADER.format(
        count=options.count, columns=" | ".join(columns), rules="|".join(["---:"] * len(columns))
    )
    for name, errors_found in rows.items():
        cells = " | ".join(f"{each:.2f}" for each in errors_found)
        text += f"| [`{name}`](operators/{name}.md) | {cells} |\n"
    PAGE.write_text(text)


def main() -> int:
    """Print one line per function and type; the status tells whether a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--fused", action="store_true")
    parser.add_argument("--device", action="append")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.write:
        options.device, options.names, options.quick = ["cpu", "vulkan"], [], False
    manner = Manner(options.count, options.quick, options.fused, options.device or ())
    known = set(QUICK) | {"erf", "erfc"} if options.quick else set(MPMATH)
    rows: dict[str, list[float]] = {}
    print(f"{'function':12} {'type':8} {'size':>5} {'max ulp':>10}  at")
    for name in options.names or [name for name in MPMATH if name in registry.entries]:
        for dtype in DTYPES:
            if name not in known or (options.quick and name[:3] == "erf" and dtype.bits == 64):
                continue
            entry: Any = registry[name]
            for worst, where in measure(name, dtype, manner):
                rows.setdefault(name, []).append(worst)
                print(f"{name:12} {dtype.name:8} {size(entry, dtype):5} {worst:10.3f}  {where}")
    if options.write:
        write_page(rows, options)
    return int(max(map(max, rows.values())) > LARGEST_ERROR)


if __name__ == "__main__":
    sys.exit(main())
