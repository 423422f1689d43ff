"""Every entry tells how much code it is, about as much as compiling it really has."""

import pytest

import pumice
from pumice import dtypes
from pumice.kernel.ir import Instruction, Value
from pumice.kernel.walk import LEAVES, reached
from pumice.ops.definition import Elementwise, registry
from pumice.ops.size import code_size

ENTRIES = [entry for entry in registry.entries.values() if isinstance(entry, Elementwise)]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64, dtypes.int64, dtypes.bool_])
def test_size_is_that_of_the_expression(entry, dtype):
    try:
        computed = entry.computation_dtype(dtype)
    except pumice.PumiceError:
        return
    operands = [computed] * len(entry.parameters)
    if entry.condition_first:
        operands[0] = dtypes.bool_
    values = [Value(Instruction.VARIABLE, each) for each in operands]
    found = [each for each in reached((entry.meaning(*values),)) if each.instruction not in LEAVES]
    size = code_size(entry, tuple(operands))
    # What nobody uses is counted too, but not by much.
    assert max(len(found), 1) <= size <= 1.5 * len(found) + 4


def test_small_floats_are_computed_wide():
    assert code_size(registry.entries["exp"], (dtypes.bfloat16,)) == code_size(
        registry.entries["exp"], (dtypes.float32,)
    )
