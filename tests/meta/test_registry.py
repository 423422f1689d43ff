"""Every operator entry is complete, and every public name is documented."""

import inspect
from typing import Any

import pytest

import pumice
from pumice.ops.definition import Elementwise, OpDef, Reduction, Samples, Scan, registry
from pumice.testing import cases
from pumice.testing.public import public_names

ENTRIES = list(registry.entries.values())
ELEMENTWISE = list(registry.elementwise())
PUBLIC = [entry for entry in ENTRIES if isinstance(entry, Elementwise) and entry.function]


def name_of(entry: OpDef) -> str:
    return entry.name


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_gradient_or_the_reason_for_none(entry: OpDef) -> None:
    assert (entry.gradient is None) == bool(entry.no_gradient)


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_reference_exists(entry: Any) -> None:
    assert callable(entry.reference)


@pytest.mark.parametrize("entry", ELEMENTWISE, ids=name_of)
def test_elementwise_entry_is_complete(entry: Elementwise) -> None:
    samples: Samples = entry.samples
    assert entry.parameters, "no operands"
    assert callable(entry.meaning)
    assert 1 <= len(samples.domain) <= entry.arity
    assert all(low < high for low, high in samples.domain)
    assert samples.ulp >= 0
    assert any(cases.accepts(entry, case) for case in pumice.dtypes.ALL)
    if entry.singular:
        assert entry.gradient is not None, "only a gradient can be singular"
    if entry.commutative:
        assert entry.arity == 2


@pytest.mark.parametrize("entry", ELEMENTWISE, ids=name_of)
def test_documentation_has_every_part(entry: Elementwise) -> None:
    summary = entry.doc.strip().splitlines()[0]
    assert summary.endswith("."), "the first line is a sentence"
    if not entry.function:
        return
    for title in ("Parameters", "Returns", "Examples"):
        assert f"\n{title}\n{'-' * len(title)}\n" in entry.doc, f"no section {title}"
    for name in entry.parameters:
        assert f"{name} :" in entry.doc, f"operand {name} is not described"


@pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if isinstance(entry, Reduction | Scan)], ids=name_of
)
def test_fold_is_complete(entry: Any) -> None:
    for dtype in pumice.dtypes.ALL:
        assert entry.accumulator(dtype) in pumice.dtypes.ALL
        assert entry.result(dtype) in pumice.dtypes.ALL
        assert isinstance(entry.identity(entry.accumulator(dtype)), bool | int | float)


@pytest.mark.parametrize("entry", PUBLIC, ids=name_of)
def test_entry_is_public(entry: Elementwise) -> None:
    for name in (entry.name, *entry.aliases):
        assert callable(getattr(pumice, name)), f"pumice.{name}"
        if entry.method:
            assert callable(getattr(pumice.Tensor, name)), f"Tensor.{name}"
    if entry.method and entry.inplace:
        assert callable(getattr(pumice.Tensor, f"{entry.name}_")), f"Tensor.{entry.name}_"


def test_public_names_are_exported_explicitly() -> None:
    """A strict type checker sees no name that `__all__` does not list."""
    assert set(pumice.__all__) == set(public_names())


@pytest.mark.parametrize("name", public_names())
def test_public_name_is_documented(name: str) -> None:
    value = public_names()[name]
    if callable(value):
        assert inspect.getdoc(value), f"pumice.{name} has no docstring"


@pytest.mark.parametrize("name", [name for name in dir(pumice.Tensor) if not name.startswith("_")])
def test_tensor_method_is_documented(name: str) -> None:
    assert inspect.getdoc(getattr(pumice.Tensor, name)), f"Tensor.{name} has no docstring"
