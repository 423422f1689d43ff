"""Hooks on tensors: what they see, what they change, and when."""

from typing import Any

import pytest
import torch

import pumice
from pumice import func


class TestRegisterHook:
    def test_on_a_leaf(self) -> None:
        x = pumice.tensor([1.0, 2.0], requires_grad=True)
        seen: list[Any] = []
        first = x.register_hook(lambda g: seen.append(g.tolist()))
        x.register_hook(lambda g: g * 10)
        x.register_hook(lambda g: seen.append(g.tolist()))
        (x * x).sum().backward()
        assert seen == [[2, 4], [20, 40]]
        assert x.grad is not None and x.grad.tolist() == [20, 40]
        first.remove()
        first.remove()
        (x * x).sum().backward()
        assert len(seen) == 3 and x.grad.tolist() == [40, 80]

    def test_on_a_result_read_before_and_after(self) -> None:
        x = pumice.tensor([1.0, 2.0], requires_grad=True)
        y = x * 3
        before = y.sum()
        seen: list[Any] = []
        y.register_hook(lambda g: seen.append(g.tolist()))
        (before + (y * y).sum()).backward()
        assert seen == [[7, 13]]

    def test_it_changes_what_flows_on(self) -> None:
        x = pumice.tensor(2.0, requires_grad=True)
        y = x * 3
        y.register_hook(lambda g: g * 0 + 5)
        (y * y).backward()
        assert x.grad is not None and x.grad.item() == 15.0

    def test_in_the_gradients_asked_for(self) -> None:
        x = pumice.tensor(2.0, requires_grad=True)
        y = x * 3
        y.register_hook(lambda g: g * 2)
        x.register_hook(lambda g: g + 1)
        slopes = pumice.grad(y * y, (x, y))
        assert [slope.item() for slope in slopes] == [73.0, 24.0]

    @pytest.mark.parametrize("take", ["row", "transpose", "reshape", "index"])
    def test_on_a_view(self, take: str) -> None:
        x = pumice.arange(6.0).reshape(2, 3).requires_grad_()
        other = torch.arange(6.0).reshape(2, 3).requires_grad_()
        results: list[Any] = []
        for tensor in (x, other):
            base: Any = tensor * 2
            view = base.T
            view.register_hook(lambda g: g * 10)
            part = {
                "row": lambda v: v[0],
                "transpose": lambda v: v.T,
                "reshape": lambda v: v.reshape(6),
                "index": lambda v: v[1:, 0],
            }[take](view)
            (part * part).sum().backward()
            results.append(tensor.grad.tolist())
        assert results[0] == results[1]

    def test_on_a_view_of_a_leaf(self) -> None:
        x = pumice.arange(4.0).requires_grad_()
        row = x[1:]
        row.register_hook(lambda g: g * 10)
        row[1:].sum().backward()
        assert x.grad is not None and x.grad.tolist() == [0, 0, 10, 10]

    def test_a_hooked_result_can_be_written_to(self) -> None:
        x = pumice.ones(3, requires_grad=True)
        y = x * 2
        y.register_hook(lambda g: g * 10)
        part = y[1:]
        part.mul_(3)
        y.sum().backward()
        assert x.grad is not None and x.grad.tolist() == [20, 60, 60]

    def test_in_a_context(self) -> None:
        x = pumice.ones(2, requires_grad=True)
        with x.register_hook(lambda g: g * 2):
            x.sum().backward()
        x.sum().backward()
        assert x.grad is not None and x.grad.tolist() == [3, 3]

    def test_a_leaf_that_was_written_to(self) -> None:
        x = pumice.ones(2, requires_grad=True)
        calls: list[Any] = []
        x.register_hook(lambda g: calls.append(g.tolist()))
        total = x.sum()
        with pumice.no_grad():
            x.mul_(3)
        (total + (x * 2).sum()).backward()
        assert calls == [[3, 3]]

    def test_second_order(self) -> None:
        results: list[Any] = []
        for library in (pumice, torch):
            x: Any = library.tensor(2.0, requires_grad=True)  # type: ignore[attr-defined]
            y = x * x
            y.register_hook(lambda g: g * g)
            (slope,) = library.autograd.grad(y * y, x, create_graph=True)
            # The hook is called again where the second gradient passes.
            (second,) = library.autograd.grad(slope, x)
            results.append((slope.item(), second.item()))
        assert results[0] == results[1]

    def test_under_transforms(self) -> None:
        def f(x: Any) -> Any:
            y = x * 2
            y.register_hook(lambda g: g.clamp(max=1.0))
            return (y * y).sum()

        rows = pumice.tensor([[0.1, 5.0], [5.0, 0.2]])
        wanted = [func.grad(f)(row).tolist() for row in rows]
        assert func.vmap(func.grad(f))(rows).tolist() == wanted
        assert func.grad(lambda x: func.vmap(f)(x).sum())(rows).tolist() == wanted

    def test_captured(self) -> None:
        x = pumice.tensor([1.0, 2.0], requires_grad=True)
        x.register_hook(lambda g: g * 10)

        @pumice.jit
        def step(scale: Any) -> Any:
            x.grad = None
            (x * scale).sum().backward()
            return x.grad

        for scale in (1.0, 2.0, 3.0, 4.0):
            assert step(pumice.tensor(scale)).tolist() == [10 * scale] * 2

    def test_errors(self) -> None:
        with pytest.raises(pumice.InvalidArgument, match="register_hook.*doesn't require"):
            pumice.ones(2).register_hook(lambda g: g)
        x = pumice.ones(2, requires_grad=True)
        with x.register_hook(lambda g: g.sum()):  # noqa: SIM117
            with pytest.raises(pumice.ShapeError, match=r"shape \[\].*keep the shape \[2\]"):
                x.sum().backward()
        with x.register_hook(lambda g: 1):  # type: ignore[arg-type, return-value]  # noqa: SIM117
            with pytest.raises(pumice.DTypeError, match="returned 1"):
                x.sum().backward()


class TestRetainGrad:
    def test_it_keeps_and_adds(self) -> None:
        x = pumice.ones(2, requires_grad=True)
        y = x * 3
        assert not y.retains_grad
        y.retain_grad()
        y.retain_grad()
        y.register_hook(lambda g: g * 2)
        assert y.retains_grad and not x.retains_grad
        y.sum().backward(retain_graph=True)
        y.sum().backward()
        assert y.grad is not None and y.grad.tolist() == [4, 4]

    def test_a_leaf_keeps_its_own(self) -> None:
        x = pumice.ones(2, requires_grad=True)
        x.retain_grad()
        x.sum().backward()
        assert x.grad is not None and x.grad.tolist() == [1, 1] and not x.retains_grad

    def test_errors(self) -> None:
        with pytest.raises(pumice.InvalidArgument, match="retain_grad"):
            pumice.ones(2).retain_grad()


class TestPostAccumulate:
    def test_an_optimizer_in_the_backward(self) -> None:
        x = pumice.ones(2, requires_grad=True)

        def step(leaf: Any) -> None:
            with pumice.no_grad():
                leaf.sub_(leaf.grad)
            leaf.grad = None

        handle = x.register_post_accumulate_grad_hook(step)
        (x * 3).sum().backward()
        assert x.tolist() == [-2, -2] and x.grad is None
        handle.remove()
        (x * 3).sum().backward()
        assert x.grad is not None and x.tolist() == [-2, -2]

    def test_not_for_grad(self) -> None:
        x = pumice.ones(2, requires_grad=True)
        calls: list[Any] = []
        x.register_post_accumulate_grad_hook(calls.append)
        pumice.grad(x.sum(), x)
        assert not calls

    def test_errors(self) -> None:
        y = pumice.ones(2, requires_grad=True) * 2
        with pytest.raises(pumice.InvalidArgument, match="non-leaf"):
            y.register_post_accumulate_grad_hook(lambda leaf: None)
