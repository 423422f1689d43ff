"""After backward a result that is kept for its number keeps nothing of the graph alive."""

import gc
import weakref
from collections.abc import Callable

import pytest

import pumice
from pumice import Tensor
from pumice.graph.node import Node

LOSSES: dict[str, Callable[[Tensor], Tensor]] = {
    "sum": lambda h: h.sum(),
    "mean of squares": lambda h: (h * h).mean(),
    "scaled view": lambda h: h.reshape(-1)[:3].sum() * 2,
    "with a plain term": lambda h: h.sum() + pumice.ones(1, requires_grad=True).sum(),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("keep", [lambda loss: loss, lambda loss: loss.detach()])
def test_a_kept_loss_frees_the_activations(name: str, keep: Callable[[Tensor], Tensor]) -> None:
    weight = pumice.ones(4, 4, requires_grad=True)
    hidden = (pumice.ones(2, 4) @ weight).exp()
    activation: weakref.ref[Node] = weakref.ref(hidden.node)
    loss = LOSSES[name](hidden)
    del hidden
    loss.backward()
    assert weight.grad is not None
    weight.grad.tolist()
    loss.item()
    kept = keep(loss)
    gc.collect()
    assert activation() is None
    assert kept.item() > 0


def test_a_second_backward_still_names_what_was_freed() -> None:
    leaf = pumice.ones(3, requires_grad=True)
    loss = leaf.exp().sum()
    loss.backward()
    with pytest.raises(pumice.GraphReleasedError, match="freed what exp .* had saved"):
        loss.backward()
    loss.item()
    with pytest.raises(pumice.GraphReleasedError, match="a second time"):
        loss.backward()


def test_linear_graphs_and_retained_ones_can_be_passed_again() -> None:
    leaf = pumice.ones(3, requires_grad=True)
    linear = (leaf * 2)[1:].sum()
    linear.backward()
    linear.item()
    linear.backward()
    assert leaf.grad is not None and leaf.grad.tolist() == [0, 4, 4]
    other = pumice.ones(3, requires_grad=True)
    curved = (other * other).sum()
    curved.backward(retain_graph=True)
    curved.item()
    curved.backward()
    assert other.grad is not None and other.grad.tolist() == [4, 4, 4]
