"""Operations with a gradient of the user's own."""

from typing import Any

import pytest

from pumice import dtypes
from pumice.autograd import Function, grad, gradcheck, gradgradcheck
from pumice.errors import InvalidArgument, ShapeError
from pumice.tensor.convert import tensor
from pumice.tensor.tensor import Tensor


def leaf(*numbers: float) -> Tensor:
    return tensor(list(numbers), dtype=dtypes.float64, requires_grad=True)


class Cube(Function):
    """Saves its input."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


class Exponential(Function):
    """Saves its output."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        out = x.exp()
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (out,) = ctx.saved_tensors
        return g * out


class SumAndProduct(Function):
    """Two outputs, and an argument that is no tensor."""

    calls = 0

    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: float, y: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x, y)
        ctx.scale = scale
        return (x + y) * scale, x * y

    @staticmethod
    def backward(ctx: Any, g: Tensor, h: Tensor) -> tuple[Any, ...]:
        SumAndProduct.calls += 1
        assert ctx.needs_input_grad[1] is False
        x, y = ctx.saved_tensors
        return g * ctx.scale + h * y, None, g * ctx.scale + h * x


@pytest.mark.parametrize("function", [Cube, Exponential])
def test_both_orders(function: type[Function]) -> None:
    x = leaf(0.5, -1.5)
    assert gradcheck(function.apply, x)
    assert gradgradcheck(function.apply, x)


def test_the_given_gradient_is_used() -> None:
    class Wrong(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return g * 7

    x = leaf(1.0)
    out = Wrong.apply(x)
    assert out.item() == 2.0
    out.backward()
    assert x.grad is not None
    assert x.grad.item() == 7.0


def test_several_outputs_call_backward_once() -> None:
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    assert gradcheck(lambda a, b: SumAndProduct.apply(a, 1.5, b), (x, y))
    SumAndProduct.calls = 0
    total, product = SumAndProduct.apply(x, 2.0, y)
    (total + product).sum().backward()
    assert SumAndProduct.calls == 1
    assert x.grad is not None
    assert x.grad.tolist() == [7.0, 9.0]


def test_missing_output_gradient_is_zero() -> None:
    x, y = leaf(2.0), leaf(5.0)
    _, product = SumAndProduct.apply(x, 2.0, y)
    assert [each.item() for each in grad(product, (x, y))] == [5.0, 2.0]


def test_missing_output_gradient_may_be_none() -> None:
    seen: list[Any] = []

    class Pair(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx: Any, g: Tensor | None, h: Tensor | None) -> Any:
            seen.append(g)
            return h

    x = leaf(1.0)
    Pair.apply(x)[1].backward()
    assert seen == [None]


def test_marked_output_has_no_gradient() -> None:
    class Split(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
            whole = x.floor()
            ctx.mark_non_differentiable(whole)
            return whole, x - whole

        @staticmethod
        def backward(ctx: Any, g: Tensor, h: Tensor) -> Tensor:
            return h

    whole, part = Split.apply(leaf(2.5))
    assert not whole.requires_grad
    assert part.requires_grad


def test_setup_context() -> None:
    class Square(Function):
        @staticmethod
        def forward(x: Tensor) -> Tensor:
            return x * x

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return ctx.saved_tensors[0] * g * 2  # type: ignore[no-any-return]

    assert gradcheck(Square.apply, leaf(1.0, -2.0))


def test_saved_values_survive_a_later_write() -> None:
    x = tensor([2.0], dtype=dtypes.float64)
    weight = leaf(3.0)

    class Scale(Function):
        @staticmethod
        def forward(ctx: Any, w: Tensor) -> Tensor:
            ctx.save_for_backward(x)
            return w * x

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return g * ctx.saved_tensors[0]  # type: ignore[no-any-return]

    out = Scale.apply(weight)
    x.fill_(100.0)
    out.backward()
    assert weight.grad is not None
    assert weight.grad.item() == 2.0


def test_wrong_number_and_shape_of_gradients() -> None:
    class Two(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Any:
            return g, g

    class Short(Two):
        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Any:
            return g.sum()

    x = leaf(1.0, 2.0)
    with pytest.raises(InvalidArgument, match=r"Two.backward: .*expected 1, got 2"):
        Two.apply(x).sum().backward()
    with pytest.raises(ShapeError, match=r"Short.backward: .*shape \[\] for argument 0.*\[2\]"):
        Short.apply(x).sum().backward()
