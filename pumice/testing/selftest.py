"""The checks of `pumice selftest`: each operator on one device against its reference on the CPU.

Run as a module this is the process that does the checks, since a broken driver may end it:

    python -m pumice.testing.selftest DEVICE [SWITCH ...]

does without some features of the device, reads names of checks from its input and prints a line of
JSON before and after each.
"""

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TextIO

import numpy as np

import pumice
from pumice.dtypes import DType
from pumice.engine import memory
from pumice.engine.devices import parse_device, runtime_of, switch_off
from pumice.engine.realize import realize
from pumice.errors import DeviceError
from pumice.graph import build
from pumice.numpy_types import to_numpy
from pumice.ops.definition import Elementwise
from pumice.target import Device
from pumice.testing import cases, expect, pieces, running
from pumice.testing.cases import ElementwiseCase, ReductionCase

PROGRAMS = 30
"""Random programs, which mix operators of every kind."""
_FOLDS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((517,), (0,)),
    ((7, 65), (1,)),
    ((65, 7), (0,)),
    ((5, 6, 7), (0, 2)),
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to try.

    Attributes
    ----------
    name : str
        Operator or piece of work, and dtype.
    run : callable
        Tries it on a device; raises AssertionError where the result is wrong.
    """

    name: str
    run: Callable[[Device], None]


def checks(unsupported: frozenset[DType] = frozenset()) -> list[Check]:
    """Return every check for a device that cannot compute with some dtypes."""
    found: list[Check] = []
    found += [
        Check(f"{each.entry.name} {each.dtype.name}", partial(_elementwise, each))
        for each in cases.elementwise_cases()
        if each.dtype not in unsupported
    ]
    found += [
        Check(f"{each.entry.name} {each.dtype.name}", partial(_reduction, each))
        for each in cases.reduction_cases()
        if not {each.dtype, each.entry.result(each.dtype)} & unsupported
    ]
    found += [
        Check(f"{name}, {dtype.name}", partial(_piece, name, dtype))
        for name, dtype in pieces.names(unsupported)
    ]
    found += [Check(f"random program {seed}", partial(_program, seed)) for seed in range(PROGRAMS)]
    return found


def apply(entry: Elementwise, *operands: Any) -> Any:
    """Call an entry as a user does, or through the graph where it has no public function."""
    if entry.function:
        return getattr(pumice, entry.name)(*operands)
    if entry.method:
        return getattr(operands[0], entry.name)(*operands[1:])
    nodes = [getattr(operand, "node", operand) for operand in operands]
    return pumice.Tensor.from_node(build.elementwise(entry, *nodes))


def _elementwise(case: ElementwiseCase, device: Device) -> None:
    ordinary = cases.ordinary_operands(case.entry, case.dtype, [(cases.COUNT,)] * case.entry.arity)
    for operands in (ordinary, cases.special_operands(case.entry, case.dtype)):
        tensors = [pumice.tensor(operand, device=device) for operand in operands]
        got = apply(case.entry, *tensors).cpu().numpy()
        expect.check_elementwise(case.entry, case.dtype, operands, got, str(case))


def _reduction(case: ReductionCase, device: Device) -> None:
    for shape, axes in _FOLDS:
        array = folded_operand(case, shape)
        tensor = pumice.tensor(array, device=device)
        node = build.reduce(case.entry, tensor.node, axes)
        realize([node])
        assert node.value is not None
        got = memory.download(node.value, node.dtype, node.shape)
        expect.check_reduction(case.entry, array, axes, case.dtype, got)


def folded_operand(case: ReductionCase, shape: tuple[int, ...]) -> cases.Array:
    """Return elements whose fold neither over- nor underflows."""
    random = cases.generator(case, shape)
    if case.dtype.is_floating_point:
        signs = np.where(random.random(shape) < 0.5, -1.0, 1.0)
        made: cases.Array = random.uniform(0.8, 1.2, shape) * signs
        return made.astype(to_numpy(case.dtype))
    return cases.draw(random, case.dtype, shape, -3, 3)


def _piece(name: str, dtype: DType, device: Device) -> None:
    running.check_written(lambda: pieces.write(name, dtype, device))


def _program(seed: int, device: Device) -> None:
    running.check_program(seed, device)


# -- the process that runs them --------------------------------------------------------------------


def work(device: Device, names: Iterable[str], output: TextIO) -> int:
    """Run the checks of these names; the status is 3 after a device was lost."""
    known = {check.name: check for check in checks(runtime_of(device).target.unsupported)}
    for name in names:
        _say(output, start=name)
        if name not in known:
            _say(output, name=name, problem="", refused="yes")
            continue
        try:
            known[name].run(device)
        except AssertionError as error:
            _say(output, name=name, problem=str(error))
        except Exception as error:  # whatever goes wrong is what the user wants to hear of
            _say(output, name=name, problem=f"{type(error).__name__}: {error}")
            if isinstance(error, DeviceError) and "lost" in str(error):
                return 3
        else:
            _say(output, name=name, problem="")
    return 0


def _say(output: TextIO, **facts: str) -> None:
    output.write(json.dumps(facts) + "\n")
    output.flush()


def main() -> int:
    """Run the checks that the input names on the device of the command line."""
    names = [line.strip() for line in sys.stdin if line.strip()]
    device = parse_device(sys.argv[1])
    switch_off(device, sys.argv[2:])
    return work(device, names, sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
