"""What all optimizers share."""

from typing import Any

import pytest

import pumice
from pumice import dtypes, optim
from pumice.errors import InvalidArgument
from pumice.tensor.convert import tensor
from pumice.tensor.tensor import Tensor


def parameter(*numbers: float) -> Tensor:
    return tensor(list(numbers), requires_grad=True)


def step_once(optimizer: optim.Optimizer, *parameters: Tensor) -> None:
    optimizer.zero_grad()
    for each in parameters:
        (each * each).sum().backward()
    optimizer.step()


def test_parameters_stay_the_same_objects_and_leaves() -> None:
    x = parameter(1.0, 2.0)
    step_once(optim.SGD([x], lr=0.25), x)
    assert x.tolist() == [0.5, 1.0]
    assert x.is_leaf
    assert x.requires_grad


def test_everything_is_evaluated_after_a_step() -> None:
    """A loop that never looks at a value must not grow."""
    x = parameter(1.0)
    optimizer = optim.Adam([x], lr=0.1)
    optimizer.zero_grad()
    loss = (x * x).sum()
    loss.backward()
    optimizer.step()
    assert loss.node.value is not None
    tensors = [x, *(value for value in optimizer.state[x].values())]
    assert all(each.detach().node.depth <= 1 for each in tensors)


def test_step_count_is_one_tensor_for_all() -> None:
    x, y = parameter(1.0), parameter(2.0)
    optimizer = optim.Adam([x, y])
    step_once(optimizer, x, y)
    step_once(optimizer, x, y)
    count = optimizer.state[x]["step"]
    assert count is optimizer.state[y]["step"]
    assert count.dtype is dtypes.float32
    assert count.item() == 2.0


def test_zero_grad() -> None:
    x = parameter(1.0)
    optimizer = optim.SGD([x], lr=0.1)
    (x * x).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert x.grad is not None
    assert x.grad.tolist() == [0.0]
    optimizer.zero_grad()
    assert x.grad is None
    optimizer.step()
    assert x.tolist() == [1.0]


def test_closure() -> None:
    x = parameter(1.0)
    optimizer = optim.SGD([x], lr=0.5)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 1.0
    assert x.tolist() == [0.0]


def test_lr_may_be_a_tensor() -> None:
    x = parameter(1.0)
    rate = tensor(0.25)
    optimizer = optim.SGD([x], lr=rate)
    step_once(optimizer, x)
    rate.fill_(0.5)
    step_once(optimizer, x)
    assert x.tolist() == [0.0]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x: optim.SGD([x], lr=-1.0), r"SGD: invalid lr: -1.0; 0 or more"),
        (lambda x: optim.SGD([x], lr=0.1, nesterov=True), "Nesterov momentum requires"),
        (lambda x: optim.Adam([x], betas=(0.9, 1.0)), "invalid beta parameter at index 1: 1.0"),
        (lambda x: optim.SGD([], lr=0.1), "empty parameter list"),
        (lambda x: optim.SGD(x, lr=0.1), "params is a single Tensor"),
        (lambda x: optim.SGD([x, 3], lr=0.1), "parameter 1 is int; optimizers update tensors"),
        (lambda x: optim.SGD([x * 2], lr=0.1), "can't optimize a non-leaf Tensor"),
        (lambda x: optim.SGD([x, x], lr=0.1), "more than one parameter group"),
    ],
)
def test_wrong_arguments(make: Any, text: str) -> None:
    with pytest.raises(InvalidArgument, match=text):
        make(parameter(1.0))


def test_state_dict_must_fit() -> None:
    x, y = parameter(1.0), parameter(2.0)
    saved = optim.SGD([x, y], lr=0.1).state_dict()
    with pytest.raises(InvalidArgument, match="doesn't match the size of optimizer's group"):
        optim.SGD([x], lr=0.1).load_state_dict(saved)
    grouped = optim.SGD([{"params": [x]}, {"params": [y]}], lr=0.1)
    with pytest.raises(InvalidArgument, match="different number of parameter groups"):
        grouped.load_state_dict(saved)


def test_repr() -> None:
    assert "lr: 0.1" in repr(optim.SGD([parameter(1.0)], lr=0.1))


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop"])
def test_choices_of_how_a_step_is_computed(name: str) -> None:
    """They change nothing here; what PyTorch refuses is refused."""
    kind = getattr(optim, name)
    steps = []
    for choices in ({}, {"fused": True}, {"foreach": True, "capturable": True}, {"fused": None}):
        weight = pumice.tensor([1.0, -2.0], requires_grad=True)
        optimizer = kind([weight], lr=0.1, **choices)
        (weight * weight).sum().backward()
        optimizer.step()
        steps.append(weight.tolist())
    assert all(step == steps[0] for step in steps)
    weight = pumice.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=f"{name}: `fused` and `foreach` cannot be `True`"):
        kind([weight], fused=True, foreach=True)
    with pytest.raises(NotImplementedError, match="differentiable=True"):
        kind([weight], differentiable=True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'fast'"):
        kind([weight], fast=True)
