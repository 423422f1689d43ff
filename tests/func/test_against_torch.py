"""Every kind of operation under every transform gives what `torch.func` gives."""

from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import func
from pumice.autograd.batching import rule_of
from pumice.ops import structure
from pumice.ops.definition import registry
from tests.func.cases import CASES, Case

BATCH = 3

# PyTorch says so where it maps example by example.
pytestmark = pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning")


def both(arrays: Any) -> tuple[list[Any], list[Any]]:
    return [pumice.tensor(each) for each in arrays], [torch.tensor(each) for each in arrays]


def close(got: Any, wanted: Any) -> None:
    if isinstance(wanted, (tuple, list)):
        assert len(got) == len(wanted)
        for ours, theirs in zip(got, wanted, strict=True):
            close(ours, theirs)
        return
    assert tuple(got.shape) == tuple(wanted.shape)
    np.testing.assert_allclose(got.detach().numpy(), wanted.detach().numpy(), rtol=1e-9, atol=1e-10)


def name_of(case: Case) -> str:
    return case.name


def test_every_operation_can_be_batched() -> None:
    leaves = {structure.BUFFER, structure.CONSTANT, structure.EMPTY, structure.IOTA}
    for entry in registry.entries.values():
        if entry not in leaves:
            assert callable(rule_of(entry))


every_case = pytest.mark.parametrize("case", CASES, ids=name_of)


@every_case
def test_vmap(case: Case) -> None:
    ours, theirs = both(case.arrays(BATCH))
    close(func.vmap(case.ours)(*ours), _each(case, theirs))


@every_case
def test_vmap_over_one_argument(case: Case) -> None:
    ours, theirs = both(case.arrays())
    moved, _ = both([np.stack([case.arrays()[0]] * BATCH, -1) * [1.0, 1.5, 0.5]])
    pieces = [
        case.theirs(torch.tensor(case.arrays()[0] * factor), *theirs[1:])
        for factor in (1.0, 1.5, 0.5)
    ]
    in_dims = (-1, *(None for _ in ours[1:]))
    close(func.vmap(case.ours, in_dims)(moved[0], *ours[1:]), torch.stack(pieces))


def _each(case: Case, tensors: list[Any]) -> Any:
    """Apply PyTorch example by example: not all its operators can be mapped."""
    return torch.stack([case.theirs(*each) for each in zip(*tensors, strict=True)])


@every_case
def test_jacobians(case: Case) -> None:
    ours, theirs = both(case.arrays())
    places = tuple(range(len(ours)))
    wanted = torch.func.jacrev(case.theirs, places)(*theirs)
    close(func.jacrev(case.ours, places)(*ours), wanted)
    close(func.jacfwd(case.ours, places)(*ours), wanted)


@every_case
def test_jvp(case: Case) -> None:
    ours, theirs = both(case.arrays())
    # Eighths, which a case that computes in float32 holds exactly.
    directions = [
        np.round(np.cos(np.arange(each.size)) * 8).reshape(each.shape) / 8 for each in case.arrays()
    ]
    moves, moved = both(directions)
    value, tangent = func.jvp(case.ours, tuple(ours), tuple(moves))
    close(value, case.theirs(*theirs))
    # PyTorch's own jvp gives NaN for logcumsumexp, whose backward it differentiates twice.
    jacobians = torch.autograd.functional.jacobian(case.theirs, tuple(theirs))
    parts = [
        (jacobian * direction).flatten(tangent.ndim).sum(-1)
        for jacobian, direction in zip(jacobians, moved, strict=True)
    ]
    close(tangent, torch.stack(parts).sum(0))


@every_case
def test_gradients_of_each_example(case: Case) -> None:
    ours, theirs = both(case.arrays(BATCH))
    places = tuple(range(len(ours)))
    found = func.vmap(func.grad(lambda *args: (case.ours(*args) ** 2).sum(), places))(*ours)
    wanted = [
        torch.func.grad(lambda *args: (case.theirs(*args) ** 2).sum(), places)(*each)
        for each in zip(*theirs, strict=True)
    ]
    close(found, [torch.stack(parts) for parts in zip(*wanted, strict=True)])


@every_case
def test_gradient_through_a_mapped_function(case: Case) -> None:
    ours, theirs = both(case.arrays(BATCH))
    places = tuple(range(len(ours)))
    found = func.grad(lambda *args: (func.vmap(case.ours)(*args) ** 2).sum(), places)(*ours)
    wanted = torch.func.grad(lambda *args: (_each(case, list(args)) ** 2).sum(), places)(*theirs)
    close(found, wanted)


@every_case
def test_hessian(case: Case) -> None:
    ours, theirs = both(case.arrays())
    found = func.hessian(lambda *args: (case.ours(*args) ** 2).sum())(*ours)
    first = torch.func.grad(lambda *args: (case.theirs(*args) ** 2).sum())
    wanted = torch.autograd.functional.jacobian(lambda x: first(x, *theirs[1:]), theirs[0])
    close(found, wanted)


@every_case
def test_captured_and_replayed(case: Case) -> None:
    ours, _ = both(case.arrays(BATCH))
    plain = func.vmap(func.grad(lambda *args: (case.ours(*args) ** 2).sum()))
    captured = pumice.jit(plain)
    wanted = plain(*ours).numpy()
    for _ in range(3):
        np.testing.assert_array_equal(captured(*ours).numpy(), wanted)
