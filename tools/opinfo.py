"""Run PyTorch's own operator samples through pumice and compare values and gradients.

    python tools/opinfo.py                       every operator, and writes docs/parity.md
    python tools/opinfo.py add nn.functional.pad  only these, and prints what differs
    python tools/opinfo.py --device vulkan       on another device; writes nothing
    python tools/opinfo.py --results DIR add     again, the other operators as they were in DIR

PyTorch ships a database of operators with sample inputs for its own tests. Each operator that
pumice has under the same name is called with them as a function, as a method and in place.
Differences on purpose are declared in `opinfo_differences.py`, with their reasons.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from opinfo_differences import ABSENT, RANDOM, TIED, difference
from torch.testing._internal.common_methods_invocations import op_db

import pumice

PAGE = Path(__file__).resolve().parents[1] / "docs" / "parity.md"
DTYPES = (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
)
TOLERANCE = {"float64": 1e-7, "float32": 2e-4, "float16": 6e-3, "bfloat16": 4e-2}
GRADIENT_DTYPE = "float64"
MAIN = ("float32", "float64", "int64")
MOST_SAMPLES = 16
FEW_SAMPLES = 3
MOST_ELEMENTS = 1 << 18
SECONDS = 60


class Unsupported(Exception):
    """An argument that pumice has nothing for."""


@dataclass(slots=True)
class Outcome:
    """What became of an operator's samples."""

    name: str
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    unsupported: Counter[str] = field(default_factory=Counter)


# -- the two sides --------------------------------------------------------------------------------


class Namespace:
    """Stands for ``torch`` in the small wrappers some operators have in the database."""

    def __getattr__(self, name: str) -> Any:
        return getattr(pumice, name, None) or getattr(pumice.Tensor, name)


def counterpart(name: str) -> Callable[..., Any] | None:
    """Return pumice's function or method of a name, None where there is none."""
    owner: Any = pumice
    *path, last = name.split(".")
    for each in path:
        owner = getattr(owner, each, None)
    found = getattr(owner, last, None)
    if found is None and not path:
        found = getattr(pumice.Tensor, last, None)
    return found if callable(found) else None


def function_of(operator: Any) -> Callable[..., Any] | None:
    """Return what to call on pumice's side; wrappers of the database are called on pumice."""
    found = counterpart(operator.name)
    wrapper = operator.op
    if found is None or not isinstance(wrapper, types.FunctionType):
        return found
    if not wrapper.__module__.startswith("torch.testing._internal"):
        return found
    namespace = {**wrapper.__globals__, "torch": Namespace(), "np": np}
    return types.FunctionType(
        wrapper.__code__, namespace, None, wrapper.__defaults__, wrapper.__closure__
    )


def copied(value: Any) -> Any:
    """Return a value whose tensors are new leaves."""
    if isinstance(value, torch.Tensor):
        fresh = value.detach().clone()
        return fresh.requires_grad_(value.requires_grad)
    return rebuilt(value, copied)


def rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a container with its items changed; anything else as it is."""
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, tuple | list):
        return type(value)(change(each) for each in value)
    if isinstance(value, dict):
        return {key: change(each) for key, each in value.items()}
    if isinstance(value, slice):
        return slice(*(change(each) for each in (value.start, value.stop, value.step)))
    return value


def ours(value: Any, device: str) -> Any:
    """Return pumice's counterpart of an argument."""
    match value:
        case torch.Tensor():
            return our_tensor(value, device)
        case torch.dtype():
            found = getattr(pumice, str(value).removeprefix("torch."), None)
            if found is None:
                raise Unsupported(f"no dtype {str(value).removeprefix('torch.')}")
            return found
        case torch.device():
            return device
        case torch.layout() | torch.memory_format() | torch.Generator():
            raise Unsupported(f"an argument of type {type(value).__name__}")
        case torch.nn.Module():
            raise Unsupported("a module of PyTorch")
        case complex():
            raise Unsupported("complex numbers")
        case str() if value == "cpu":
            return device
        case _:
            return rebuilt(value, lambda each: ours(each, device))


def our_tensor(value: torch.Tensor, device: str) -> Any:
    """Return a pumice tensor with the same elements, strides and dtype."""
    if value.is_complex():
        raise Unsupported("complex numbers")
    if value.layout != torch.strided:
        raise Unsupported("sparse layouts")
    if not hasattr(pumice, str(value.dtype).removeprefix("torch.")):
        raise Unsupported(f"no dtype {str(value.dtype).removeprefix('torch.')}")
    made: Any = pumice.from_dlpack(value.detach().clone()).to(device)
    return made.clone().requires_grad_() if value.requires_grad else made


def tensors_in(value: Any) -> Iterator[Any]:
    """Yield the tensors of either library in nested arguments or results."""
    if isinstance(value, torch.Tensor | pumice.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from tensors_in(each)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


# -- comparing ------------------------------------------------------------------------------------


def array_of(value: Any) -> Any:
    """Return elements as float64, or as they are where they are whole."""
    detached = value.detach().cpu()
    if isinstance(detached, torch.Tensor):
        detached = detached.resolve_conj().resolve_neg()
        wide = detached.dtype.is_floating_point
        return (detached.to(torch.float64) if wide else detached).numpy(force=True)
    array = detached.numpy()
    return array.astype(np.float64) if detached.dtype.is_floating_point else array


def close(found: Any, expected: Any, name: str, floor: float = 0.0) -> str:
    """Return how two arrays differ, an empty text if they do not.

    Errors are measured by the largest element, or by the ``floor``.
    """
    if found.shape != expected.shape:
        return f"shape {found.shape} instead of {expected.shape}"
    if expected.dtype.kind in "iub":
        wrong = found != expected
    else:
        bound = TOLERANCE.get(name, 1e-7)
        finite = np.abs(expected[np.isfinite(expected)])
        scale = max(float(finite.max()) if finite.size else 0.0, floor)
        wrong = ~np.isclose(found, expected, bound, bound * 0.1 * scale, equal_nan=True)
    if not wrong.any():
        return ""
    at = tuple(int(each[0]) for each in np.nonzero(wrong)) if wrong.shape else ()
    count = int(wrong.sum())
    return f"{count} of {wrong.size} differ, at {at} {found[at]!r} instead of {expected[at]!r}"


def differs(found: Any, expected: Any) -> str:
    """Return how a result differs from PyTorch's."""
    if isinstance(expected, torch.Tensor):
        if not isinstance(found, pumice.Tensor):
            return f"a {type(found).__name__} instead of a tensor"
        wanted = str(expected.dtype).removeprefix("torch.")
        if found.dtype.name != wanted:
            return f"dtype {found.dtype.name} instead of {wanted}"
        if tuple(found.shape) != tuple(expected.shape):
            return f"shape {tuple(found.shape)} instead of {tuple(expected.shape)}"
        return close(array_of(found), array_of(expected), wanted)
    if isinstance(expected, tuple | list):
        if not isinstance(found, tuple | list) or len(found) != len(expected):
            return f"{type(found).__name__} instead of {len(expected)} results"
        pairs = zip(found, expected, strict=True)
        return next((text for each in pairs if (text := differs(*each))), "")
    if isinstance(expected, bool | int | float):
        if type(found) is not type(expected):
            return f"{type(found).__name__} instead of {type(expected).__name__}"
        return close(np.asarray(found), np.asarray(expected), "float64")
    if isinstance(expected, torch.dtype):
        return "" if str(found).split(".")[-1] == str(expected).split(".")[-1] else f"{found}"
    return "" if expected is None and found is None else f"unexpected {type(expected).__name__}"


def gradients_differ(
    found: Any, found_inputs: Sequence[Any], expected: Any, inputs: Sequence[Any]
) -> str:
    """Compare the gradients of all inputs for one random direction."""
    random = torch.Generator().manual_seed(3)
    results = [each for each in tensors_in(expected) if each.requires_grad]
    own = [each for each in tensors_in(found) if each.requires_grad]
    if len(results) != len(own):
        return f"{len(own)} results with a gradient instead of {len(results)}"
    if not results:
        return ""
    directions = [torch.randn(each.shape, generator=random, dtype=each.dtype) for each in results]
    try:
        wanted = torch.autograd.grad(results, inputs, directions, allow_unused=True)
    except (NotImplementedError, RuntimeError):
        return ""
    seeds = [ours(each, str(one.device)) for each, one in zip(directions, own, strict=True)]
    given = pumice.autograd.grad(own, found_inputs, seeds, allow_unused=True)
    for number, (mine, theirs) in enumerate(zip(given, wanted, strict=True)):
        zero = torch.zeros_like(inputs[number])
        reference = zero if theirs is None else theirs
        got = ours(zero, "cpu") if mine is None else mine
        name = str(reference.dtype).removeprefix("torch.")
        text = close(array_of(got), array_of(reference), name, floor=1.0)
        if text:
            return f"gradient of input {number}: {text}"
    return ""


# -- running --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """One way to call an operator on one sample."""

    kind: str
    theirs: Callable[..., Any]
    ours: Callable[..., Any]


def calls_of(operator: Any) -> list[Call]:
    """Return the function, the method and the in-place method, as far as both sides have them."""
    found = []
    function = function_of(operator)
    if function is not None:
        found.append(Call("", operator.op, function))
    name = operator.name
    for kind, method, variant in (
        ("method ", name, operator.method_variant),
        ("in place ", f"{name}_", operator.inplace_variant),
    ):
        own = getattr(pumice.Tensor, method, None)
        plain = isinstance(variant, types.MethodDescriptorType) or "." not in name
        if variant is not None and own is not None and plain and own is not function:
            found.append(Call(kind, variant, own))
    return found


def arguments_of(sample: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return positional and named arguments of a sample."""
    return [sample.input, *sample.args], dict(sample.kwargs)


def described(sample: Any) -> str:
    """Return a sample in a few words."""

    def text(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return f"<{list(value.shape)}>"
        return rebuilt(value, text)

    positional, named = arguments_of(sample)
    shown = [str(text(each)) for each in positional]
    shown += [f"{name}={text(each)}" for name, each in named.items()]
    return ", ".join(shown)[:160].replace("'", "")


def check(call: Call, sample: Any, device: str, name: str) -> str | None:
    """Run one sample on both sides; return how they differ, None where PyTorch refuses it."""
    positional, named = copied(arguments_of(sample)[0]), copied(arguments_of(sample)[1])
    own = [ours(each, device) for each in positional]
    own_named = {key: ours(each, device) for key, each in named.items()}
    in_place = call.kind == "in place "
    leaves = [each for each in tensors_in([positional, named]) if each.requires_grad]
    own_leaves = [each for each in tensors_in([own, own_named]) if each.requires_grad]
    if in_place:
        positional[0], own[0] = positional[0].clone(), own[0].clone()
    try:
        expected = call.theirs(*positional, **named)
    except Exception:
        return None
    if in_place and expected.shape != sample.input.shape:
        raise Unsupported("PyTorch grows the tensor in place")
    found = call.ours(*own, **own_named)
    if name in RANDOM:
        return shapes_differ(found, expected)
    if name in TIED and isinstance(expected, tuple):
        found, expected = found[:1], expected[:1]
    text = differs(found, expected)
    if not text and leaves:
        text = gradients_differ(found, own_leaves, expected, leaves)
    return text


def shapes_differ(found: Any, expected: Any) -> str:
    """Compare what random results must share: dtypes and shapes."""
    for mine, theirs in zip(tensors_in(found), tensors_in(expected), strict=True):
        if mine.dtype.name != str(theirs.dtype).removeprefix("torch."):
            return f"dtype {mine.dtype.name} instead of {theirs.dtype}"
        if tuple(mine.shape) != tuple(theirs.shape):
            return f"shape {tuple(mine.shape)} instead of {tuple(theirs.shape)}"
    return ""


def samples_of(operator: Any, dtype: torch.dtype, gradients: bool) -> list[Any]:
    """Return the samples of a dtype that are small enough, fewer for the less usual dtypes."""
    try:
        found = list(operator.sample_inputs("cpu", dtype, requires_grad=gradients))
    except Exception:
        return []
    small = [
        each
        for each in found
        if sum(one.numel() for one in tensors_in(arguments_of(each)[0])) <= MOST_ELEMENTS
    ]
    main = str(dtype).removeprefix("torch.") in MAIN
    most = MOST_SAMPLES if main else FEW_SAMPLES
    return small[:: max(1, -(-len(small) // most))]


def run_operator(operator: Any, outcome: Outcome, device: str, wanted: Sequence[str]) -> None:
    """Run all samples of one operator and note what became of them."""
    calls = calls_of(operator)
    for dtype_name in wanted:
        dtype = getattr(torch, dtype_name)
        if dtype not in operator.supported_dtypes("cpu"):
            continue
        gradients = dtype_name == GRADIENT_DTYPE and operator.supports_autograd
        for sample in samples_of(operator, dtype, gradients):
            for number, call in enumerate(calls):
                if number and dtype_name not in MAIN:
                    continue
                note(operator, outcome, call, sample, device, dtype_name)


def note(
    operator: Any, outcome: Outcome, call: Call, sample: Any, device: str, dtype_name: str
) -> None:
    """Run one sample and count its result."""
    reason = difference(operator.name, sample, dtype_name)
    if reason:
        outcome.unsupported[reason] += 1
        return
    try:
        with deadline():
            text = check(call, sample, device, operator.name)
    except Unsupported as problem:
        outcome.unsupported[str(problem)] += 1
        return
    except Exception as problem:
        text = f"{type(problem).__name__}: {problem}".replace("\n", " ")[:220]
    if text is None:
        return
    if text:
        where = f"{call.kind}{dtype_name} ({described(sample)})"
        outcome.failures.append(f"{where}: {text}")
    else:
        outcome.passed += 1


class deadline:  # noqa: N801 - reads as a statement
    """Raises TimeoutError where a sample takes too long."""

    def __enter__(self) -> None:
        def late(*_: Any) -> None:
            raise TimeoutError(f"more than {SECONDS} s")

        signal.signal(signal.SIGALRM, late)
        signal.alarm(SECONDS)

    def __exit__(self, *_: object) -> None:
        signal.alarm(0)


# -- reporting ------------------------------------------------------------------------------------


def reason_for_absence(name: str) -> str:
    """Return why pumice has no operator of a name."""
    for start, reason in ABSENT.items():
        if name.startswith(start):
            return reason
    return "not in pumice"


def page(outcomes: Sequence[Outcome], absent: Sequence[str]) -> str:
    """Return the text of docs/parity.md."""
    passed = sum(each.passed for each in outcomes)
    failed = sum(len(each.failures) for each in outcomes)
    clean = sum(not each.failures and each.passed > 0 for each in outcomes)
    lines = [
        "<!-- Written by tools/opinfo.py. -->",
        "",
        "# Parity with PyTorch",
        "",
        f"PyTorch {torch.__version__.partition('+')[0]}'s own samples of its operators, run "
        "through pumice on the CPU as functions, methods and in place; values are compared in all "
        "dtypes both have, gradients in float64. `python tools/opinfo.py` writes this page.",
        "",
        f"{clean} of {len(outcomes)} operators agree on every sample; of the samples {passed} "
        f"agree and {failed} do not. {len(absent)} operators are not in pumice.",
        "",
        "| operator | agree | differ | not compared |",
        "|---|---:|---:|---|",
    ]
    for each in sorted(outcomes, key=lambda one: one.name):
        reasons = "; ".join(f"{count} {text}" for text, count in each.unsupported.most_common())
        lines.append(f"| `{each.name}` | {each.passed} | {len(each.failures)} | {reasons} |")
    lines += ["", "## Not in pumice", "", "| operator | reason |", "|---|---|"]
    lines += [f"| `{name}` | {reason_for_absence(name)} |" for name in sorted(absent)]
    return "\n".join(lines) + "\n"


def show(outcome: Outcome, most: int) -> None:
    """Print one line per operator, and some of its failures."""
    verdict = "FAIL" if outcome.failures else "ok  "
    skipped = sum(outcome.unsupported.values())
    print(
        f"{verdict} {outcome.name}: {outcome.passed} agree, {len(outcome.failures)} differ, "
        f"{skipped} not compared",
        flush=True,
    )
    for text in outcome.failures[:most]:
        print(f"       {text}", flush=True)


def read(folder: Path | None) -> dict[str, Outcome]:
    """Return the results of earlier runs."""
    found = {}
    for path in sorted(folder.glob("*.json")) if folder is not None else ():
        name, passed, failures, unsupported = json.loads(path.read_text())
        found[name] = Outcome(name, passed, failures, Counter(unsupported))
    return found


def write(folder: Path | None, outcome: Outcome) -> None:
    """Keep the result of an operator for later runs."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        fields = [outcome.name, outcome.passed, outcome.failures, outcome.unsupported]
        (folder / f"{outcome.name}.json").write_text(json.dumps(fields))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="operators; all of them by default")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--results", type=Path, help="a folder that keeps results between runs")
    parser.add_argument("--failures", type=int, default=4, help="how many to print per operator")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    known = read(options.results)
    outcomes: dict[str, Outcome] = {}
    absent: dict[str, None] = {}
    for operator in op_db:
        if not calls_of(operator):
            absent[operator.name] = None
            continue
        if options.names and operator.name not in options.names:
            continue
        outcome = outcomes.setdefault(operator.name, Outcome(operator.name))
        before = len(outcome.failures)
        torch.manual_seed(0)
        run_operator(operator, outcome, options.device, options.dtypes.split(","))
        if len(outcome.failures) > before or operator.variant_test_name == "":
            show(outcome, options.failures)
        write(options.results, outcome)
    passed = sum(each.passed for each in outcomes.values())
    failed = sum(len(each.failures) for each in outcomes.values())
    wrong = sum(bool(each.failures) for each in outcomes.values())
    print(
        f"{len(outcomes)} operators, {wrong} with differences; "
        f"samples: {passed} agree, {failed} differ"
    )
    known |= outcomes
    if options.device == "cpu" and known.keys() | absent.keys() >= {each.name for each in op_db}:
        PAGE.write_text(page(list(known.values()), list(absent)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
