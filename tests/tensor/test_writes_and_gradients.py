"""Writes that are not recorded, and leaves made of detached tensors, behave as PyTorch's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import Tensor
from tests.required import computes_with

MODULES = (pumice, torch)


def _square(module: Any) -> tuple[Any, Any]:
    leaf = module.tensor([1.0, 2.0, 3.0], requires_grad=True)
    return leaf, leaf * leaf


WRITES: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x.fill_(5.0),
    "scaled": lambda x: x.mul_(10.0),
    "through a slice": lambda x: x[1:].mul_(3.0),
    "an element": lambda x: x.__setitem__(1, 7.0),
    "by a mask": lambda x: x.__setitem__(x > 3, 0.0),
    "through a reshape": lambda x: x.view(3, 1).add_(1.0),
    "twice": lambda x: (x.add_(1.0), x[:2].zero_()),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("way", ["no_grad", "detach", "data"])
def test_a_write_that_is_not_recorded_changes_numbers_only(name: str, way: str) -> None:
    results = []
    for module in MODULES:
        leaf, result = _square(module)
        early = result * 1
        if way == "no_grad":
            with module.no_grad():
                WRITES[name](result)
        else:
            WRITES[name](result.detach() if way == "detach" else result.data)
        assert result.requires_grad
        (result * module.tensor([1.0, 2.0, 3.0])).sum().backward()
        results.append((result.tolist(), early.tolist(), leaf.grad.tolist()))
    assert results[0] == results[1]


def test_unrecorded_writes_do_not_pile_up() -> None:
    _, result = _square(pumice)
    for _ in range(50):
        with pumice.no_grad():
            result.mul_(0.5)
        result.tolist()
    node = result.node
    below = [node]
    seen = set()
    while below:
        each = below.pop()
        if each not in seen:
            seen.add(each)
            below += each.sources
    assert len(seen) < 10


VIEWS: dict[str, Callable[[Any], Any]] = {
    "row": lambda x: x[0],
    "slice": lambda x: x[1:],
    "transposed": lambda x: x.t()[1],
    "chunk": lambda x: x.chunk(3)[1],
    "reshaped": lambda x: x.view(-1)[2:5],
}


def _detached(module: Any) -> Any:
    return (module.ones(3, 2, requires_grad=True) * 2).detach().requires_grad_()


def _of_detached_leaf(module: Any) -> Any:
    return module.ones(3, 2, requires_grad=True).detach().requires_grad_()


def _with_new_data(module: Any) -> Any:
    leaf = module.ones(3, 2, requires_grad=True)
    leaf.data = leaf.data * 2
    return leaf


def _detached_in_place(module: Any) -> Any:
    return (module.ones(3, 2, requires_grad=True) * 2).detach_().requires_grad_()


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("make", [_detached, _of_detached_leaf, _with_new_data, _detached_in_place])
def test_views_of_leaves_that_were_detached_collect_gradients(
    make: Callable[[Any], Any], name: str
) -> None:
    found = []
    for module in MODULES:
        leaf = make(module)
        view = VIEWS[name](leaf)
        assert view.requires_grad
        (view * view).sum().backward()
        found.append(leaf.grad.tolist())
    assert found[0] == found[1]
    with pumice.no_grad():
        silent = VIEWS[name](make(pumice))
    assert not silent.requires_grad


def test_parameters_of_a_moved_module_that_are_read_in_parts_are_trained() -> None:
    module = pumice.nn.MultiheadAttention(4, 2).to("cpu")
    x = pumice.ones(3, 1, 4)
    module(x, x, x)[0].sum().backward()
    assert [name for name, each in module.named_parameters() if each.grad is None] == []


def test_results_cannot_be_told_to_need_no_gradient() -> None:
    _, result = _square(pumice)
    with pytest.raises(RuntimeError, match=r"requires_grad_: got False.*detach\(\)"):
        result.requires_grad_(False)
    plain = pumice.ones(2)
    assert not plain.requires_grad_(False).requires_grad


def test_a_replay_does_not_lose_gradients() -> None:
    weight = pumice.ones(2, requires_grad=True)

    @pumice.jit
    def double(x: Tensor) -> Tensor:
        return x * 2

    @pumice.jit
    def scale(x: Tensor) -> Tensor:
        return weight * x

    for _ in range(3):
        double(pumice.ones(2))
        with pumice.no_grad():
            scale(pumice.ones(2))
    calls: list[Callable[[], Any]] = [
        lambda: double(weight),
        lambda: double(weight * 1),
        lambda: double(weight[:]),
        lambda: scale(pumice.ones(2)),
    ]
    for call in calls:
        with pytest.raises(pumice.InvalidArgument, match="a returned tensor requires grad"):
            call()
    assert double((weight * 3).detach()).tolist() == [6, 6]


def test_random_programs_of_views_and_writes() -> None:
    for seed in range(60):
        results = []
        for module in MODULES:
            draw = np.random.RandomState(seed)
            leaf = module.tensor(draw.randint(-4, 5, (3, 4)) / 4.0, requires_grad=True)
            pool = [leaf * 1, module.tensor(draw.randint(-4, 5, (4,)) / 4.0)]
            for _ in range(8):
                one = pool[draw.randint(len(pool))]
                axis = draw.randint(one.ndim) if one.ndim else 0
                match draw.randint(5):
                    case 0 if one.ndim:
                        pool.append(one.select(axis, draw.randint(one.shape[axis])))
                    case 1 if one.ndim:
                        pool.append(one.transpose(0, axis)[1:])
                    case 2:
                        pool.append((one * 1.5).sum(-1) if one.ndim else one * 2)
                    case 3:
                        one.mul_(0.5)
                    case 4:
                        with module.no_grad():
                            one.add_(1.0)
            total = sum((each * (place + 1.0)).sum() for place, each in enumerate(pool))
            total.backward()
            results.append([each.tolist() for each in pool] + [leaf.grad.tolist()])
        for ours, theirs in zip(*results, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


OVERWRITES: dict[str, Callable[[Any, Any], Any]] = {
    "zero_": lambda y, other: y.zero_(),
    "fill_": lambda y, other: y.fill_(3.0),
    "copy_": lambda y, other: y.copy_(other.detach()),
    "copy_ with a gradient": lambda y, other: y.copy_(other),
    "every element": lambda y, other: y.__setitem__(slice(None), 2.0),
    "an element": lambda y, other: y.__setitem__(1, 2.0),
    "its own double": lambda y, other: y.__setitem__(slice(None), y * 2),
    "twice": lambda y, other: (y.fill_(1.0), y.zero_()),
    "and on": lambda y, other: y.zero_().add_(other),
    "through a reshape": lambda y, other: y.view(3, 1).zero_(),
}


@pytest.mark.parametrize("name", OVERWRITES)
def test_what_is_overwritten_has_a_gradient_of_zero(name: str, device: str) -> None:
    results = []
    for module in MODULES:
        place = {"device": device} if module is pumice else {}
        leaf = module.tensor([1.0, 2.0, 3.0], requires_grad=True, **place)
        other = module.tensor([4.0, 5.0, 6.0], requires_grad=True, **place)
        result = leaf * leaf
        OVERWRITES[name](result, other)
        assert result.requires_grad
        (result * result).sum().backward()
        grads = [None if each.grad is None else each.grad.tolist() for each in (leaf, other)]
        results.append((result.tolist(), *grads))
    assert results[0] == results[1]


def test_random_numbers_overwrite_too() -> None:
    for fill in (Tensor.normal_, Tensor.uniform_):
        leaf = pumice.ones(3, requires_grad=True)
        result = leaf * 2
        fill(result)
        (found,) = pumice.grad(result.sum(), leaf)
        assert found.tolist() == [0, 0, 0]


def test_overwriting_again_and_again_keeps_nothing() -> None:
    leaf = pumice.ones(3, requires_grad=True)
    result = leaf * 2
    for number in range(1000):
        result.fill_(float(number))
    assert result.node.depth < 10
    (found,) = pumice.grad(result.sum(), leaf)
    assert found.tolist() == [0, 0, 0]


OLDER_VIEWS: dict[str, Callable[[Any], Any]] = {
    "a row": lambda b: b[0],
    "a column": lambda b: b[:, 1],
    "everything": lambda b: b.view(2, 3),
    "a view of a view": lambda b: b.t()[0],
    "nothing": lambda b: b[:0],
}


@pytest.mark.parametrize("name", OLDER_VIEWS)
@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "bfloat16"])
def test_a_view_made_before_its_base_became_a_leaf(name: str, kind: str, device: str) -> None:
    if not computes_with(device, kind):
        return
    for library in MODULES:
        own = {"device": device} if library is pumice else {}
        base = library.ones(2, 3, dtype=getattr(library, kind), **own)
        view, apart = OLDER_VIEWS[name](base), base.detach()
        base.requires_grad_()
        for write in (lambda x: x.mul_(2), lambda x: x.copy_(x + 1), lambda x: x.zero_()):
            with pytest.raises(RuntimeError, match="a view of a leaf"):
                write(view)
        with library.no_grad():
            view.mul_(2)
        apart.add_(1)
        base.requires_grad_(False)
        view.mul_(3)
        assert base.max().item() == (2 if name == "nothing" else 9)


def test_a_view_may_be_a_leaf_beside_others(device: str) -> None:
    for library in MODULES:
        own = {"device": device} if library is pumice else {}
        base = library.ones(2, 3, **own)
        view, other = base[0], base[0]
        view.requires_grad_()
        base.mul_(2)
        other.mul_(2)
        assert view.tolist() == [4.0, 4.0, 4.0]
        made = library.nn.Parameter(base)
        base[1].mul_(3)
        assert made[1].tolist() == [6.0, 6.0, 6.0]
        detached = base.detach()
        part = detached[0]
        base.requires_grad_()
        part.zero_()
        assert base[0].tolist() == [0.0, 0.0, 0.0]
