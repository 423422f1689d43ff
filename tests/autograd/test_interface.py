"""`grad` and `backward` on tensors."""

import threading

import numpy as np
import pytest

from pumice import dtypes
from pumice.autograd import (
    GraphReleasedError,
    backward,
    enable_grad,
    grad,
    gradcheck,
    gradgradcheck,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from pumice.errors import DTypeError, InvalidArgument, ShapeError, UnsupportedOperation
from pumice.tensor.convert import tensor
from pumice.tensor.tensor import Tensor


def leaf(*numbers: float) -> Tensor:
    return tensor(list(numbers), dtype=dtypes.float64, requires_grad=True)


def test_backward_fills_grad_of_leaves() -> None:
    x, y, constant = leaf(1.0, 2.0), leaf(3.0, 4.0), tensor([5.0, 6.0], dtype=dtypes.float64)
    (x * y * constant).sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    assert x.grad.tolist() == [15.0, 24.0]
    assert y.grad.tolist() == [5.0, 12.0]
    assert constant.grad is None
    assert not x.grad.requires_grad


def test_backward_accumulates_in_place() -> None:
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    assert x.grad is first
    assert first is not None
    assert first.tolist() == [5.0, 7.0]


def test_backward_by_chosen_inputs_only() -> None:
    x, y = leaf(1.0), leaf(2.0)
    (x * y).sum().backward(inputs=[x])
    assert x.grad is not None
    assert y.grad is None


def test_backward_of_several_tensors() -> None:
    x = leaf(1.0, 2.0)
    backward([x * 2, (x * x).sum()], [tensor([1.0, 10.0], dtype=dtypes.float64), None])
    assert x.grad is not None
    assert x.grad.tolist() == [4.0, 24.0]


def test_graph_written_before_a_leaf_changed() -> None:
    x = leaf(3.0)
    out = x * x
    with no_grad():
        x.fill_(100.0)
    assert grad(out, x, retain_graph=True)[0].item() == 6.0
    out.backward()
    assert x.grad is not None
    assert x.grad.item() == 6.0


def test_evaluating_first_changes_nothing() -> None:
    x = leaf(1.0, 2.0)
    out = (x * x).sum()
    assert out.item() == 5.0
    out.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 4.0]


def test_loss_is_readable_after_backward() -> None:
    x = leaf(1.0, 2.0)
    out = (x * x).sum()
    out.backward()
    assert out.item() == 5.0


def test_second_order() -> None:
    x = leaf(2.0)
    (first,) = grad(x**3, x, create_graph=True)
    assert first.requires_grad
    (second,) = grad(first, x)
    assert first.item() == 12.0
    assert second.item() == 12.0
    assert not second.requires_grad


def test_unused_input() -> None:
    x, y = leaf(1.0), leaf(2.0)
    with pytest.raises(InvalidArgument, match="grad: .*not have been used in the graph: input 1"):
        grad(x * 2, [x, y])
    assert grad(x * 2, [x, y], allow_unused=True)[1] is None


def test_input_without_gradient() -> None:
    x, y = leaf(1.0), tensor([2.0])
    with pytest.raises(InvalidArgument, match="does not require grad: input 0.*requires_grad_"):
        grad(x * 2, [y])


def test_output_must_be_scalar_or_have_a_gradient() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(ShapeError, match=r"created only for scalar outputs.*shape \[2\]"):
        (x * 2).backward()
    with pytest.raises(ShapeError, match=r"Mismatch in shape: gradient 0 has shape \[1\]"):
        (x * 2).backward(tensor([1.0]))
    with pytest.raises(InvalidArgument, match="got 1 tensors and 2 gradients"):
        backward(x * 2, [None, None])


def test_comparison_says_why() -> None:
    x = leaf(1.0)
    with pytest.raises(UnsupportedOperation, match="greater passes no gradient: .*bool"):
        (x > 0).backward()


def test_plain_tensor_says_why() -> None:
    with pytest.raises(UnsupportedOperation, match="no tensor that it depends on requires"):
        tensor([1.0]).backward()


def test_no_grad_says_why() -> None:
    x = leaf(1.0)
    with no_grad():
        out = x * 2
    with pytest.raises(UnsupportedOperation, match="mul passes no gradient: it ran under no_grad"):
        out.backward()


def test_second_backward_raises() -> None:
    x = leaf(1.0)
    out = x * x
    out.backward()
    with pytest.raises(GraphReleasedError, match="retain_graph=True"):
        out.backward()
    assert isinstance(GraphReleasedError("x"), RuntimeError)


def test_modes_nest_and_decorate() -> None:
    x = leaf(1.0)
    with no_grad():
        assert not is_grad_enabled()
        assert not (x * 2).requires_grad
        with enable_grad():
            assert (x * 2).requires_grad
        with set_grad_enabled(True):
            assert is_grad_enabled()
        assert not is_grad_enabled()

    @no_grad()
    def silent(depth: int) -> bool:
        return is_grad_enabled() if depth == 0 else silent(depth - 1)

    @set_grad_enabled(False)
    def silenced() -> bool:
        return is_grad_enabled()

    assert not silent(3)
    assert not silenced()
    assert is_grad_enabled()
    set_grad_enabled(False)
    assert not is_grad_enabled()
    set_grad_enabled(True)
    assert is_grad_enabled()


def test_mode_is_restored_after_an_exception() -> None:
    with pytest.raises(ZeroDivisionError), no_grad():
        raise ZeroDivisionError
    assert is_grad_enabled()


def test_mode_belongs_to_the_thread() -> None:
    seen: list[bool] = []
    with no_grad():
        worker = threading.Thread(target=lambda: seen.append(is_grad_enabled()))
        worker.start()
        worker.join()
    assert seen == [True]


def test_gradcheck_on_tensors() -> None:
    x = tensor(np.array([[0.5, 1.5], [2.5, 0.7]]), requires_grad=True)
    y = tensor(np.array([1.5, 0.4]), requires_grad=True)
    assert gradcheck(lambda a, b: (a * b).sum(0), (x, y))
    assert gradgradcheck(lambda a, b: (a * a / b).sum(0), (x, y))


def test_gradcheck_needs_float64() -> None:
    x = tensor([1.0], requires_grad=True)
    with pytest.raises(DTypeError, match="gradcheck: input 0 is float32; float64 is needed"):
        gradcheck(lambda a: a * a, x)


def test_where_of_log_at_zero() -> None:
    """The unchosen branch is singular there; its gradient must not reach the leaf as NaN."""
    x = leaf(0.0, 2.0)
    x.log().where(x > 0, 0.0).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 0.5]
