"""Mutation: aliases see writes, earlier reads keep their values (design.md D3)."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

import pumice
from pumice import Tensor
from pumice.graph.node import Node
from pumice.tensor import core

VIEWS: dict[str, Callable[[Tensor], Tensor]] = {
    "row": lambda x: x[1],
    "column": lambda x: x[:, 2],
    "transposed": lambda x: x.t(),
    "strided": lambda x: x[::2, ::3],
    "reversed": lambda x: x[::-1, ::-1],
    "reshaped": lambda x: x.view(2, 3, 4),
    "flattened": lambda x: x.flatten(),
    "unsqueezed": lambda x: x.unsqueeze(1),
    "narrowed": lambda x: x.narrow(1, 1, 3),
    "diagonal": lambda x: x.diagonal(1),
    "permuted part": lambda x: x.view(2, 2, 6).permute(2, 0, 1)[1:4],
    "swapped and reshaped": lambda x: x.t().unflatten(0, (2, 3)),
    "chunk": lambda x: x.chunk(2, 1)[1],
    "windows apart": lambda x: x.unfold(1, 2, 2),
    "detached": lambda x: x.detach(),
    "data": lambda x: x.data,
    "whole": lambda x: x[...],
}


def _torch_view(name: str, x: torch.Tensor) -> torch.Tensor:
    if name == "reversed":
        return x  # compared through NumPy below
    return VIEWS[name](x)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("name", [name for name in VIEWS if name != "reversed"])
def test_writes_through_views(name: str) -> None:
    theirs = torch.arange(24.0).reshape(4, 6)
    ours = pumice.arange(24.0).reshape(4, 6)
    before = ours + 0
    their_view, our_view = _torch_view(name, theirs), VIEWS[name](ours)
    assert our_view.stride() == their_view.stride()
    assert our_view.storage_offset() == their_view.storage_offset()
    their_view.mul_(3)
    our_view.mul_(3)
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
    their_view.copy_(their_view.clone() + 1)
    our_view.copy_(our_view.clone() + 1)
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
    theirs.add_(100)
    ours.add_(100)
    np.testing.assert_array_equal(our_view.numpy(), their_view.numpy())
    np.testing.assert_array_equal(before.numpy(), np.arange(24.0).reshape(4, 6))


def test_write_through_a_reversed_view() -> None:
    array = np.arange(24.0).reshape(4, 6)
    tensor = pumice.arange(24.0, dtype=pumice.float64).reshape(4, 6)
    array[::-1, ::-1][0] = 7
    tensor[::-1, ::-1][0] = 7
    np.testing.assert_array_equal(tensor.numpy(), array)


def test_reads_before_a_write_keep_their_values_in_any_order_of_evaluation() -> None:
    for first in (0, 1):
        tensor = pumice.zeros(3)
        early = tensor + 1
        tensor.fill_(5)
        late = tensor + 1
        pair = (early, late)
        pair[first].realize()
        assert early.tolist() == [1, 1, 1]
        assert late.tolist() == [6, 6, 6]


def test_overlapping_source_acts_as_copied_first() -> None:
    tensor = pumice.arange(6)
    tensor[1:] = tensor[:-1]
    assert tensor.tolist() == [0, 0, 1, 2, 3, 4]
    tensor[:] = tensor.flip(0)
    assert tensor.tolist() == [4, 3, 2, 1, 0, 0]
    square = pumice.arange(9).reshape(3, 3)
    square.copy_(square.t())
    assert square.tolist() == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]


def test_swap_of_rows() -> None:
    tensor = pumice.arange(4).reshape(2, 2)
    tensor[0], tensor[1] = tensor[1] + 0, tensor[0] + 0
    assert tensor.tolist() == [[2, 3], [0, 1]]


def test_copies_are_independent() -> None:
    tensor = pumice.zeros(2)
    for copy in (tensor.clone(), tensor.flip(0), pumice.tensor(tensor), tensor.to(pumice.int32)):
        copy.fill_(9)
        assert tensor.tolist() == [0, 0]
    other = pumice.ones(2)
    tensor.copy_(other)
    tensor.add_(1)
    assert other.tolist() == [1, 1]


def test_assign() -> None:
    tensor = pumice.zeros(2, 3)
    view = tensor[1]
    early = tensor.sum()
    assert tensor.assign(pumice.ones(3)) is tensor
    assert view.tolist() == [1, 1, 1]
    assert early.item() == 0
    assert tensor.assign(tensor) is tensor
    view.assign(pumice.tensor([4.0, 5.0, 6.0]))
    assert tensor.tolist() == [[1, 1, 1], [4, 5, 6]]
    tensor[0].assign(tensor[1])
    assert tensor[0].tolist() == [4, 5, 6]


def test_assign_refuses_what_copy_converts() -> None:
    tensor = pumice.zeros(2)
    with pytest.raises(pumice.DTypeError, match=r"got int64 for a float32 tensor.*use copy_\(\)"):
        tensor.assign(pumice.tensor([1, 2]))
    with pytest.raises(pumice.ShapeError, match="does not broadcast"):
        tensor.assign(pumice.zeros(3))
    assert tensor.copy_(pumice.tensor([1, 2])).tolist() == [1.0, 2.0]
    whole = pumice.zeros(2, dtype=pumice.int32).copy_(pumice.tensor([1.7, -2.7]))
    assert whole.tolist() == [1, -2]


def test_expanded_tensors_cannot_be_written() -> None:
    with pytest.raises(RuntimeError, match="share one memory location"):
        pumice.zeros(1, 3).expand(2, 3).add_(1)
    with pytest.raises(RuntimeError, match="share one memory location"):
        pumice.zeros(5).unfold(0, 3, 1).fill_(1)


def test_in_place_on_leaves() -> None:
    leaf = pumice.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf tensor that requires grad is being used"):
        leaf.add_(1)
    with pytest.raises(RuntimeError, match="a view of a leaf tensor that requires grad"):
        leaf[0] = 3
    with pumice.no_grad():
        leaf.add_(1)
        leaf[0] = 7
    leaf.data.mul_(2)
    leaf.detach()[1] = 0
    assert leaf.tolist() == [14, 0]
    assert leaf.requires_grad and leaf.is_leaf
    (leaf * leaf).sum().backward()
    assert leaf.grad is not None and leaf.grad.tolist() == [28, 0]


def test_in_place_on_results_is_differentiated() -> None:
    for module in (pumice, torch):
        leaf = module.tensor([1.0, 2.0, 3.0], requires_grad=True)
        result = leaf * 2
        part = result[1:]
        part.mul_(leaf[:2])
        result[0] = 5
        result.sum().backward()
        assert leaf.grad.tolist() == [4.0, 8.0, 4.0]


def test_gradients_flow_through_aliases_of_leaves() -> None:
    leaf = pumice.arange(6.0).reshape(2, 3).requires_grad_()
    (leaf.t()[1] * pumice.tensor([1.0, 10.0])).sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [[0, 1, 0], [0, 10, 0]]
    strided = pumice.arange(6.0).reshape(3, 2).t().requires_grad_()
    (strided.reshape(-1) * pumice.arange(6.0)).sum().backward()
    assert strided.grad is not None
    assert strided.grad.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_aliases_made_under_no_grad_take_no_part() -> None:
    leaf = pumice.ones(2, 2, requires_grad=True)
    with pumice.no_grad():
        silent = leaf.t()
        assert not silent.requires_grad
    loud = leaf.t()
    with pumice.no_grad():
        assert loud.sum().item() == 4
    assert loud.requires_grad
    assert not (silent * 1).requires_grad


def test_detach_shares_memory_without_gradient() -> None:
    leaf = pumice.ones(2, requires_grad=True)
    result = leaf * 3
    cut = result.detach()
    assert not cut.requires_grad
    cut.fill_(1)
    assert result.tolist() == [1, 1]
    again = (leaf * 3).detach()
    again += leaf
    assert again.requires_grad
    again.sum().backward()
    assert leaf.grad is not None and leaf.grad.tolist() == [1, 1]


def test_set_data_replaces_the_storage() -> None:
    leaf = pumice.ones(2, requires_grad=True)
    leaf.data = pumice.zeros(3)
    assert leaf.shape == (3,) and leaf.requires_grad
    leaf.sum().backward()
    assert leaf.grad is not None and leaf.grad.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pumice.ones(2, dtype=pumice.int32).add_(1.5), "can't be cast to the desired"),
        (lambda: pumice.ones(2, dtype=pumice.bool).mul_(3), "can't be cast to the desired"),
        (lambda: pumice.ones(2).add_(pumice.ones(3, 2)), r"it must keep the target's shape \[2\]"),
        (lambda: pumice.ones(2).fill_(pumice.ones(2)), "a 0-d one"),
    ],
)
def test_bad_in_place_results(call: Callable[[], Tensor], text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        call()


def test_in_place_operators_keep_identity_and_dtype() -> None:
    tensor = pumice.ones(3, dtype=pumice.int32)
    same = tensor
    tensor += 2
    tensor *= 3
    tensor -= 1
    tensor //= 3
    tensor **= 2
    tensor <<= 1
    tensor |= 1
    assert tensor is same and tensor.tolist() == [9, 9, 9]
    assert tensor.dtype is pumice.int32


def _depth(tensor: Tensor) -> int:
    node: Node = tensor._cell.node
    return node.depth


def test_graphs_stay_bounded() -> None:
    total = pumice.zeros(4)
    other = pumice.zeros(4)
    for _ in range(3 * core.DEPTH_LIMIT):
        total = total + 1
        other.add_(1)
        assert _depth(total) <= core.DEPTH_LIMIT + 1
        assert _depth(other) <= core.DEPTH_LIMIT + 1
    assert total.tolist() == [3 * core.DEPTH_LIMIT] * 4
    assert other.tolist() == [3 * core.DEPTH_LIMIT] * 4
