"""Every elementwise entry has a full docstring, samples for each operand, and a gradient.

An entry without a gradient says why. That the examples print what they show
is tested with the rest of the documentation.
"""

import pytest

from pumice.ops.definition import Elementwise, registry

ENTRIES = tuple(registry.elementwise())


def test_public_functions_have_examples() -> None:
    missing = [entry.name for entry in ENTRIES if entry.function and ">>>" not in entry.doc]
    assert missing == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_entry_is_complete(entry: Elementwise) -> None:
    for title in ("Parameters", "Returns", "Notes"):
        assert f"\n{title}\n{'-' * len(title)}\n" in entry.doc
    for parameter in entry.parameters:
        assert f"\n{parameter} : Tensor\n" in entry.doc
    assert max(len(line) for line in entry.doc.splitlines()) <= 100
    assert (entry.gradient is None) == bool(entry.no_gradient)
    assert len(entry.samples.domain) == entry.arity
