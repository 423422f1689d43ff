"""Run PyTorch's own operator samples through pumice and compare values and gradients.

    python tools/opinfo.py                       every operator, and writes docs/parity.md
    python tools/opinfo.py add nn.functional.pad  only these, and prints what differs
    python tools/opinfo.py --device vulkan       on another device
    python tools/opinfo.py --part 3/20           the third of twenty parts of the operators

PyTorch ships a database of operators with sample inputs for its own tests. Each operator that
pumice has under the same name is called with them as a function, as a method and in place, and
with the inputs that PyTorch's tests expect it to refuse. Differences on purpose are declared in
`opinfo_differences.py`, with their reasons. Results are kept in a folder, so that a run may come
in parts; the page is written from all of them, once every operator has run on the CPU.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
from opinfo_compare import (
    Unsupported,
    copied,
    differs,
    function_of,
    gradients_differ,
    ours,
    rebuilt,
    shapes_differ,
    tensors_in,
)
from opinfo_differences import (
    ABSENT,
    PROCESSED,
    RANDOM,
    TIED,
    difference,
    permitted,
    remark,
    triangle,
)
from torch.testing._internal.common_methods_invocations import op_db

import pumice
from pumice.errors import InternalError, PumiceError

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "parity.md"
KEPT = ROOT / "build" / "opinfo"
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
GRADIENT_DTYPE = "float64"
MAIN = ("float32", "float64", "int64")
MOST_SAMPLES = 16
FEW_SAMPLES = 3
MOST_ELEMENTS = 1 << 18
SECONDS = 60


@dataclass(slots=True)
class Outcome:
    """What became of an operator's samples.

    ``passed`` agree, ``failures`` say how others differ. ``refused`` counts the wrong inputs that
    raise here as they do in PyTorch, ``unsupported`` what is not compared, by the reason.
    """

    name: str
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    unsupported: Counter[str] = field(default_factory=Counter)
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """Where samples run, in which dtypes, and how many of each dtype at most."""

    device: str
    dtypes: Sequence[str]
    samples: int


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
    if name in PROCESSED:
        found, expected = (sample.output_process_fn_grad(each) for each in (found, expected))
    if name in TIED and isinstance(expected, tuple):
        found, expected = found[:1], expected[:1]
    text = differs(found, expected)
    if not text and leaves:
        text = gradients_differ(found, own_leaves, expected, leaves, triangle(name, sample))
    return text


def accepted(call: Call, sample: Any, device: str) -> str | None:
    """Run wrong inputs; return how pumice takes them, None where PyTorch takes them too."""
    positional, named = copied(arguments_of(sample)[0]), copied(arguments_of(sample)[1])
    own = [ours(each, device) for each in positional]
    own_named = {key: ours(each, device) for key, each in named.items()}
    try:
        call.theirs(*positional, **named)
    except Exception as expected:
        wanted = expected
    else:
        return None
    try:
        for each in tensors_in([call.ours(*own, **own_named)]):
            each.cpu().numpy()
    except InternalError as problem:
        return f"{type(problem).__name__}: {problem}"
    except (PumiceError, TypeError):
        return ""
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return f"accepted where PyTorch says {str(wanted).partition(chr(10))[0][:160]!r}"


def samples_of(operator: Any, dtype: torch.dtype, gradients: bool, most: int) -> list[Any]:
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
    most = most if main else min(most, FEW_SAMPLES)
    return small[:: max(1, -(-len(small) // most))]


def wrong_inputs_of(operator: Any) -> list[Any]:
    """Return the inputs that PyTorch's tests expect to be refused."""
    if operator.error_inputs_func is None:
        return []
    try:
        return [each.sample_input for each in operator.error_inputs("cpu")]
    except Exception:
        return []


def run_operator(operator: Any, outcome: Outcome, run: Run) -> None:
    """Run all samples of one operator and note what became of them."""
    calls = calls_of(operator)
    for dtype_name in run.dtypes:
        dtype = getattr(torch, dtype_name)
        if dtype not in operator.supported_dtypes("cpu"):
            continue
        gradients = dtype_name == GRADIENT_DTYPE and operator.supports_autograd
        for sample in samples_of(operator, dtype, gradients, run.samples):
            for number, call in enumerate(calls):
                if number and dtype_name not in MAIN:
                    continue
                reason = difference(operator.name, sample, dtype_name)
                if reason:
                    outcome.unsupported[reason] += 1
                    continue
                attempt = partial(check, call, sample, run.device, operator.name)
                text = tried(outcome, attempt)
                if text:
                    where = f"{call.kind}{dtype_name} ({described(sample)})"
                    outcome.failures.append(f"{where}: {text}")
                outcome.passed += text == ""
    for sample in wrong_inputs_of(operator):
        reason = permitted(operator.name, sample)
        if reason:
            outcome.unsupported[reason] += 1
            continue
        text = tried(outcome, partial(accepted, calls[0], sample, run.device))
        if text:
            outcome.failures.append(f"wrong input ({described(sample)}): {text}")
        outcome.refused += text == ""


def tried(outcome: Outcome, attempt: Callable[[], str | None]) -> str | None:
    """Run a sample; return how it differs, None where it is not compared."""
    try:
        with deadline():
            return attempt()
    except Unsupported as problem:
        outcome.unsupported[str(problem)] += 1
        return None
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}".replace("\n", " ")[:220]


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


Outcomes = dict[str, Outcome]


def totals(outcomes: Outcomes) -> str:
    """Return how many operators and samples agree."""
    every = outcomes.values()
    clean = sum(not each.failures and each.passed > 0 for each in every)
    passed, failed = sum(each.passed for each in every), sum(len(each.failures) for each in every)
    refused = sum(each.refused for each in every)
    wrong = sum(bool(each.failures) for each in every)
    rest = len(outcomes) - clean - wrong
    return (
        f"{clean} operators agree on every sample, {wrong} do not, and {rest} "
        f"have none that is compared; {passed} samples agree, {refused} wrong inputs raise, and "
        f"{failed} samples or wrong inputs differ."
    )


def page(known: dict[str, Outcomes], absent: Sequence[str]) -> str:
    """Return the text of docs/parity.md."""
    main, other = known["cpu"], known.get("vulkan", {})
    lines = [
        "<!-- Written by tools/opinfo.py. -->",
        "",
        "# Parity with PyTorch",
        "",
        f"PyTorch {torch.__version__.partition('+')[0]}'s own samples of its operators, run "
        "through pumice as functions, methods and in place; values are compared in all dtypes "
        "both have, gradients in float64. Inputs that PyTorch's tests expect to be refused must "
        "raise an error of pumice's. `python tools/opinfo.py` writes this page.",
        "",
        f"On the CPU {totals(main)} {len(absent)} operators are not in pumice.",
    ]
    if other:
        lines += ["", f"On Vulkan, with fewer samples of each, {totals(other)}"]
    lines += [
        "",
        "| operator | agree | raise | differ | on Vulkan agree | raise | differ | remarks |",
        "|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    for name in sorted(main):
        lines.append(f"| `{name}` | {counts(main[name])} | {counts(other.get(name))} | ")
        lines[-1] += f"{remarks(main[name])} |"
    lines += ["", "## Not in pumice", "", "| operator | reason |", "|---|---|"]
    lines += [f"| `{name}` | {reason_for_absence(name)} |" for name in sorted(absent)]
    return "\n".join(lines) + "\n"


def counts(outcome: Outcome | None) -> str:
    """Return the numbers of one operator on one device."""
    if outcome is None:
        return "- | - | -"
    return f"{outcome.passed} | {outcome.refused} | {len(outcome.failures)}"


def remarks(outcome: Outcome) -> str:
    """Return what is compared in a way of its own, and what is not compared."""
    found = [remark(outcome.name)] if remark(outcome.name) else []
    found += [f"{count} not compared: {text}" for text, count in outcome.unsupported.most_common()]
    return "; ".join(found)


def show(outcome: Outcome, most: int) -> None:
    """Print one line per operator, and some of its failures."""
    verdict = "FAIL" if outcome.failures else "ok  "
    skipped = sum(outcome.unsupported.values())
    print(
        f"{verdict} {outcome.name}: {outcome.passed} agree, {outcome.refused} raise, "
        f"{len(outcome.failures)} differ, {skipped} not compared",
        flush=True,
    )
    for text in outcome.failures[:most]:
        print(f"       {text}", flush=True)


def read(folder: Path) -> dict[str, Outcomes]:
    """Return the results of earlier runs, by device."""
    found: dict[str, Outcomes] = {}
    for path in sorted(folder.glob("*/*.json")):
        fields = json.loads(path.read_text())
        outcome = Outcome(**{**fields, "unsupported": Counter(fields["unsupported"])})
        found.setdefault(path.parent.name, {})[outcome.name] = outcome
    return found


def write(folder: Path, outcome: Outcome) -> None:
    """Keep the result of an operator for later runs."""
    folder.mkdir(parents=True, exist_ok=True)
    fields = {each: getattr(outcome, each) for each in Outcome.__slots__}
    (folder / f"{outcome.name}.json").write_text(json.dumps(fields))


def part_of(names: Sequence[str], part: str) -> list[str]:
    """Return one part, as ``3/20`` counts them, of some names."""
    number, _, count = part.partition("/")
    return list(names)[int(number) - 1 :: int(count)]


def parsed() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="operators; all of them by default")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--samples", type=int, default=MOST_SAMPLES, help="most of one dtype")
    parser.add_argument("--part", default="1/1", help="which part of the operators, say 3/20")
    parser.add_argument("--results", type=Path, default=KEPT, help="where results are kept")
    parser.add_argument("--failures", type=int, default=4, help="how many to print per operator")
    return parser.parse_args()


def main() -> int:
    """Run the command line."""
    options = parsed()
    warnings.simplefilter("ignore")
    present = [each for each in op_db if calls_of(each)]
    named = dict.fromkeys(each.name for each in present)
    absent = [name for name in dict.fromkeys(each.name for each in op_db) if name not in named]
    wanted = part_of(options.names or list(named), options.part)
    run = Run(options.device, options.dtypes.split(","), options.samples)
    outcomes: Outcomes = {}
    for name in wanted:
        outcome = outcomes[name] = Outcome(name)
        for operator in (each for each in present if each.name == name):
            torch.manual_seed(0)
            random.seed(0)
            run_operator(operator, outcome, run)
        show(outcome, options.failures)
        write(options.results / options.device, outcome)
    print(totals(outcomes))
    known = read(options.results)
    if known.get("cpu", {}).keys() >= named.keys():
        PAGE.write_text(page(known, absent))
    return 1 if any(each.failures for each in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
