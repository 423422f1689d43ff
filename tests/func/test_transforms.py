"""What transforms promise beyond values: structures, nesting, writes, random numbers, errors."""

from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import func, nn
from pumice.autograd import Function


def numbers(*shape: int, seed: int = 0) -> pumice.Tensor:
    return pumice.tensor(np.random.default_rng(seed).standard_normal(shape))


def same(got: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(
        got.detach().numpy(), wanted.detach().numpy(), rtol=tolerance, atol=tolerance
    )


# PyTorch compiles helpers with a function of its own that it deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 5)
        self.second = nn.Linear(5, 2)

    def forward(self, x: Any) -> Any:
        return self.second(self.first(x).tanh())


def networks() -> tuple[Network, Any, dict[str, Any], dict[str, Any]]:
    """Return one network, its like in PyTorch, and the weights of both."""
    ours = Network().double()
    theirs = torch.nn.ModuleDict({"first": torch.nn.Linear(3, 5), "second": torch.nn.Linear(5, 2)})
    theirs.double()
    weights = {name: value.detach().clone() for name, value in ours.named_parameters()}
    theirs.load_state_dict({name: torch.tensor(each.numpy()) for name, each in weights.items()})
    return ours, theirs, weights, {n: v.detach() for n, v in theirs.named_parameters()}


def run(theirs: Any, weights: Any, x: Any) -> Any:
    hidden = torch.tanh(x @ weights["first.weight"].T + weights["first.bias"])
    return hidden @ weights["second.weight"].T + weights["second.bias"]


class TestNetworks:
    def test_gradients_of_each_example(self) -> None:
        ours, theirs, weights, values = networks()
        x, y = numbers(4, 3), numbers(4, 2, seed=1)

        def loss(weights: Any, x: Any, y: Any) -> Any:
            return ((func.functional_call(ours, weights, x) - y) ** 2).sum()

        found = func.vmap(func.grad(loss), (None, 0, 0))(weights, x, y)
        wanted = torch.func.vmap(
            torch.func.grad(lambda w, x, y: ((run(theirs, w, x) - y) ** 2).sum()), (None, 0, 0)
        )(values, torch.tensor(x.numpy()), torch.tensor(y.numpy()))
        assert set(found) == set(wanted)
        for name, value in wanted.items():
            same(found[name], value)
            assert not found[name].requires_grad

    def test_hessian_of_a_loss(self) -> None:
        ours, theirs, weights, values = networks()
        x = numbers(4, 3)
        found = func.hessian(lambda w: (func.functional_call(ours, w, x) ** 2).mean())(weights)
        wanted = torch.func.hessian(
            lambda w: (run(theirs, w, torch.tensor(x.numpy())) ** 2).mean()
        )(values)
        for first in wanted:
            for second in wanted:
                same(found[first][second], wanted[first][second])

    def test_jit_of_everything(self) -> None:
        ours, _, weights, _ = networks()
        loss = lambda w, x: (func.functional_call(ours, w, x) ** 2).sum()  # noqa: E731
        plain = func.vmap(func.grad(loss), (None, 0))
        captured = pumice.jit(plain)
        x = numbers(4, 3)
        wanted = plain(weights, x)["first.weight"].numpy()
        for _ in range(4):
            found = captured(weights, x)["first.weight"].numpy()
            np.testing.assert_array_equal(found, wanted)
        other = numbers(4, 3, seed=7)
        same(captured(weights, other)["first.weight"], plain(weights, other)["first.weight"])

    def test_an_ensemble(self) -> None:
        models = [Network() for _ in range(3)]
        weights, buffers = func.stack_module_state(models)
        x = numbers(4, 3).float()
        found = (
            func.vmap(lambda w, b: func.functional_call(models[0], (w, b), x), randomness="error")(
                weights, buffers
            )
            if buffers
            else func.vmap(lambda w: func.functional_call(models[0], w, x))(weights)
        )
        for place, model in enumerate(models):
            same(found[place], model(x), 1e-6)
        found.sum().backward()
        assert weights["first.weight"].grad is not None


class TestNesting:
    def test_levels_are_kept_apart(self) -> None:
        inner = lambda x: func.grad(lambda y: x * y)(x)  # noqa: E731
        assert func.grad(lambda x: x * inner(x))(pumice.tensor(3.0)).item() == 6.0
        constant = func.grad(lambda x: x * func.grad(lambda y: y * 2.0)(pumice.tensor(1.0)))
        assert constant(pumice.tensor(3.0)).item() == 2.0

    def test_mapped_twice(self) -> None:
        x, y = numbers(3, 4), numbers(2, 4, seed=1)
        rows = func.vmap(lambda a: func.vmap(lambda b: (a * b).sum())(y))
        same(rows(x), x @ y.T)

    def test_forward_over_reverse_over_forward(self) -> None:
        f = lambda x: (x**4).sum()  # noqa: E731
        x = numbers(3)
        third = func.jacfwd(func.hessian(f))(x)
        wanted = torch.func.jacfwd(torch.func.hessian(lambda x: (x**4).sum()))(
            torch.tensor(x.numpy())
        )
        same(third, wanted)

    def test_results_can_be_differentiated_by_outer_tensors(self) -> None:
        w = pumice.tensor([2.0, 3.0], requires_grad=True)
        slope = func.grad(lambda x: (w * x * x).sum())(pumice.tensor([1.0, 4.0]))
        assert slope.requires_grad
        slope.sum().backward()
        assert w.grad is not None and w.grad.tolist() == [2.0, 8.0]
        with pumice.no_grad():
            assert not func.grad(lambda x: (w * x * x).sum())(pumice.ones(2)).requires_grad

    def test_a_gradient_needs_nothing_from_outside(self) -> None:
        x = pumice.tensor([1.0, 2.0])
        assert not func.grad(lambda x: (x**3).sum())(x).requires_grad
        value, slope = func.value_and_grad(lambda x: (x**3).sum())(x)
        assert not value.requires_grad and not slope.requires_grad
        twice = func.grad(lambda x: func.grad(lambda y: (y**3).sum())(pumice.ones(2)).sum() * x)
        assert not twice(pumice.tensor(1.0)).requires_grad

    def test_no_grad_inside_and_outside(self) -> None:
        def f(x: Any) -> Any:
            with pumice.no_grad():
                constant = x**2
            return x**2 - constant

        assert func.grad(f)(pumice.tensor(3.0)).item() == 6.0
        assert func.jvp(f, (pumice.tensor(3.0),), (pumice.tensor(1.0),))[1].item() == 6.0
        with pumice.no_grad():
            assert func.grad(lambda x: x**2)(pumice.tensor(3.0)).item() == 6.0

    def test_detach_cuts_both_modes(self) -> None:
        f = lambda x: x * x.detach()  # noqa: E731
        assert func.grad(f)(pumice.tensor(3.0)).item() == 3.0
        assert func.jvp(f, (pumice.tensor(3.0),), (pumice.tensor(1.0),))[1].item() == 3.0

    def test_autograd_inside_a_mapped_function(self) -> None:
        x = pumice.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = x**2
        rows = func.vmap(lambda v: pumice.autograd.grad(y, x, v, retain_graph=True)[0])
        assert rows(pumice.eye(3)).tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3, x * 2

    @staticmethod
    def backward(ctx: Any, g: Any, h: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * x * x * g + 2 * h


class TestFunction:
    """A user's operation has a backward only; everything else follows from it."""

    def test_every_transform(self) -> None:
        x = numbers(3)
        both = lambda x: Cube.apply(x)[0] * Cube.apply(x)[1]  # noqa: E731
        plain = lambda x: x**3 * (x * 2)  # noqa: E731
        same(func.jacrev(both)(x), func.jacrev(plain)(x))
        same(func.jacfwd(both)(x), func.jacfwd(plain)(x))
        rows = numbers(2, 3)
        same(func.vmap(both)(rows), plain(rows))
        each = func.vmap(func.grad(lambda x: both(x).sum()))
        same(each(rows), func.vmap(func.grad(lambda x: plain(x).sum()))(rows))
        outer = func.grad(lambda x: (func.vmap(both)(x) ** 2).sum())
        same(outer(rows), func.grad(lambda x: (plain(x) ** 2).sum())(rows))
        direction = numbers(2, 3, seed=5)
        moved = func.jvp(func.vmap(both), (rows,), (direction,))[1]
        same(moved, func.jvp(plain, (rows,), (direction,))[1])


class TestStructures:
    def test_arguments_and_results(self) -> None:
        x = {"a": numbers(3, 2), "b": [numbers(2, 3, seed=1)]}
        f = lambda x, k: {"sum": x["a"] + x["b"][0], "pair": (x["a"] * k, x["b"][0])}  # noqa: E731
        found = func.vmap(f, ({"a": 0, "b": [1]}, None), {"sum": 1, "pair": (0, -1)})(x, 2.0)
        same(found["sum"], (x["a"] + x["b"][0].T).T)
        same(found["pair"][0], x["a"] * 2)
        same(found["pair"][1], x["b"][0])

    def test_keywords_are_mapped(self) -> None:
        x, y = numbers(3, 2), numbers(3, 2, seed=1)
        same(func.vmap(lambda x, y: x * y)(x, y=y), x * y)

    def test_gradients_in_the_structure_of_the_argument(self) -> None:
        f = lambda a, p: (p["x"] * a).sum() * p["y"][0]  # noqa: E731
        a, p = numbers(3), {"x": numbers(3, seed=1), "y": (numbers(seed=2),)}
        found = func.grad(f, (0, 1))(a, p)
        same(found[0], p["x"] * p["y"][0])
        same(found[1]["x"], a * p["y"][0])
        same(found[1]["y"][0], (a * p["x"]).sum())

    def test_auxiliary_results(self) -> None:
        f = lambda x: ((x**2).sum(), {"twice": x * 2})  # noqa: E731
        x = numbers(3)
        slope, aux = func.grad(f, has_aux=True)(x)
        same(slope, 2 * x)
        same(aux["twice"], 2 * x)
        assert not aux["twice"].requires_grad
        (value, _), slope = func.value_and_grad(f, has_aux=True)(x)
        same(value, (x**2).sum())
        slope, (value, _) = func.grad_and_value(f, has_aux=True)(x)
        same(slope, 2 * x)
        output, back, aux = func.vjp(f, x, has_aux=True)
        same(back(pumice.tensor(1.0, dtype=pumice.float64))[0], 2 * x)
        jacobian, aux = func.jacfwd(lambda x: (x**2, x), has_aux=True)(x)
        same(jacobian, pumice.diag(2 * x))
        jacobian, aux = func.jacrev(lambda x: (x**2, x), has_aux=True)(x)
        same(jacobian, pumice.diag(2 * x))

    def test_what_does_not_depend_gives_zeros(self) -> None:
        x, y = numbers(2), numbers(2, seed=1)
        assert func.grad(lambda x, y: (y**2).sum(), (0,))(x, y)[0].tolist() == [0, 0]
        assert func.jacrev(lambda x, y: y * 2)(x, y).tolist() == [[0, 0], [0, 0]]
        assert func.jacfwd(lambda x, y: y * 2)(x, y).tolist() == [[0, 0], [0, 0]]
        with pytest.raises(pumice.InvalidArgument, match="does not depend"):
            func.jvp(lambda x: y, (x,), (x,), strict=True)

    def test_linearize(self) -> None:
        x = numbers(3)
        value, push = func.linearize(lambda x: x.sin(), x)
        same(value, x.sin())
        for seed in range(2):
            direction = numbers(3, seed=seed)
            same(push(direction), direction * x.cos())

    def test_empty(self) -> None:
        x = pumice.zeros(0, 3)
        assert func.vmap(lambda row: row.sum() * row)(x).shape == (0, 3)
        assert func.jacrev(lambda x: x[:0])(pumice.ones(2)).shape == (0, 2)
        assert func.jacfwd(lambda x: x[:0])(pumice.ones(2)).shape == (0, 2)
        assert func.jacfwd(lambda x: x.sum())(pumice.ones(0)).shape == (0,)

    @pytest.mark.parametrize("chunk_size", [1, 2, 5, 9])
    def test_chunks(self, chunk_size: int) -> None:
        x = numbers(5, 3)
        f = lambda row, k: (row * k, row.sum())  # noqa: E731
        whole = func.vmap(f, (0, None), (1, 0))(x, x[0])
        found = func.vmap(f, (0, None), (1, 0), chunk_size=chunk_size)(x, x[0])
        for ours, wanted in zip(found, whole, strict=True):
            same(ours, wanted)
        cube = lambda x: x**3  # noqa: E731
        same(func.jacrev(cube, chunk_size=chunk_size)(x), func.jacrev(cube)(x))
        same(func.jacfwd(cube, chunk_size=chunk_size)(x), func.jacfwd(cube)(x))


class TestWrites:
    def test_a_write_reaches_the_mapped_argument(self) -> None:
        x = pumice.arange(6.0).reshape(2, 3)
        func.vmap(lambda row: row.mul_(2), 1)(x)
        assert x.tolist() == [[0, 2, 4], [6, 8, 10]]

    def test_a_constant_may_be_written_outside(self) -> None:
        seen = pumice.zeros(2)

        def f(x: Any) -> Any:
            seen.add_(1)
            return x * 2

        func.vmap(f)(pumice.ones(3))
        func.grad(lambda x: f(x))(pumice.tensor(1.0))
        assert seen.tolist() == [2, 2]

    @pytest.mark.parametrize("transform", ["vmap", "grad", "jvp"])
    def test_a_stand_in_may_not_leave(self, transform: str) -> None:
        seen = pumice.zeros(2)

        def f(x: Any) -> Any:
            seen.add_(x)
            return x.sum()

        with pytest.raises(pumice.InvalidArgument, match=f"{transform}.*tensor from outside"):
            if transform == "vmap":
                func.vmap(f)(pumice.ones(3))
            elif transform == "grad":
                func.grad(f)(pumice.tensor(1.0))
            else:
                func.jvp(f, (pumice.tensor(1.0),), (pumice.tensor(1.0),))
        assert seen.tolist() == [0, 0]

    def test_the_argument_differentiated_by_may_not_be_written(self) -> None:
        with pytest.raises(pumice.InvalidArgument, match="grad.*writes to an argument"):
            func.grad(lambda x: x.mul_(2).sum())(pumice.ones(2))

    def test_gradients_may_not_gather_outside(self) -> None:
        w = pumice.ones(2, requires_grad=True)

        def f(x: Any) -> Any:
            (x * w).sum().backward()
            return x

        with pytest.raises(pumice.InvalidArgument, match="grad of a tensor from outside"):
            func.vmap(f)(pumice.ones(3, 2))
        assert w.grad is None


class TestRandomness:
    def test_refused_by_default(self) -> None:
        with pytest.raises(pumice.InvalidArgument, match="randomness"):
            func.vmap(lambda x: x + pumice.rand(2))(pumice.zeros(3))

    def test_the_same_for_all(self) -> None:
        found = func.vmap(lambda x: x + pumice.rand(2), randomness="same")(pumice.zeros(3))
        assert (found == found[0]).all().item()

    @pytest.mark.parametrize("draw", ["rand", "randn", "double"])
    def test_different_for_each(self, draw: str) -> None:
        def f(x: Any) -> Any:
            if draw == "double":
                return pumice.rand(100, dtype=pumice.float64) + x
            return getattr(pumice, draw)(100) + x

        found = func.vmap(f, randomness="different")(pumice.zeros(3))
        nested = func.vmap(func.vmap(f, randomness="different"), randomness="different")
        for values in (found, nested(pumice.zeros(2, 3)).reshape(6, 100)):
            assert len(np.unique(values.numpy())) > values.numel() * 0.99

    def test_every_dropout_of_its_own_also_when_replayed(self) -> None:
        f = func.vmap(
            func.grad(lambda x: nn.functional.dropout(x, 0.5).sum()), randomness="different"
        )
        captured = pumice.jit(f)
        x = pumice.ones(4, 200)
        pumice.manual_seed(3)
        plain = [f(x).numpy() for _ in range(4)]
        pumice.manual_seed(3)
        for wanted in plain:
            np.testing.assert_array_equal(captured(x).numpy(), wanted)
        assert not (plain[0] == plain[1]).all()
        assert not (plain[0][0] == plain[0][1]).all()


class TestErrors:
    def test_vmap(self) -> None:
        x = pumice.ones(3, 2)
        with pytest.raises(pumice.InvalidArgument, match=r"vmap.*value.*test_transforms"):
            func.vmap(lambda x: x if x.sum() > 0 else -x)(x)
        with pytest.raises(pumice.InvalidArgument, match="nothing is mapped"):
            func.vmap(lambda x: x, None)(x)
        with pytest.raises(pumice.ShapeError, match="lengths"):
            func.vmap(lambda x, y: x)(x, pumice.ones(2))
        with pytest.raises(pumice.InvalidArgument, match="in_dims"):
            func.vmap(lambda x: x, (0, 0))(x)
        with pytest.raises(pumice.ShapeError, match="in_dims is 2"):
            func.vmap(lambda x: x, 2)(x)
        with pytest.raises(pumice.InvalidArgument, match="out_dims"):
            func.vmap(lambda x: (x, x), out_dims=(0, 0, 0))(x)
        with pytest.raises(pumice.InvalidArgument, match="out_dims is None"):
            func.vmap(lambda x: x, out_dims=None)(x)
        with pytest.raises(pumice.ShapeError, match="out_dims is 5"):
            func.vmap(lambda x: x, out_dims=5)(x)
        with pytest.raises(pumice.DTypeError, match="returned a float"):
            func.vmap(lambda x: 1.0)(x)
        with pytest.raises(pumice.DTypeError, match="mapped over axis 0 is a float"):
            func.vmap(lambda x, y: x)(x, 1.0)
        with pytest.raises(pumice.InvalidArgument, match="randomness"):
            func.vmap(lambda x: x, randomness="some")
        with pytest.raises(pumice.InvalidArgument, match="chunk_size"):
            func.vmap(lambda x: x, chunk_size=0)
        with pytest.raises(pumice.ShapeError, match="mul"):
            func.vmap(lambda x: x * pumice.ones(5))(x)

    def test_gradients(self) -> None:
        x = pumice.ones(2)
        with pytest.raises(pumice.ShapeError, match="must be a scalar"):
            func.grad(lambda x: x)(x)
        with pytest.raises(pumice.DTypeError, match="int64"):
            func.grad(lambda x: x.sum())(pumice.arange(3))
        with pytest.raises(pumice.DTypeError, match="hold a float"):
            func.grad(lambda x: x)(1.0)
        with pytest.raises(pumice.DTypeError, match="returned a float"):
            func.grad(lambda x: 1.0)(x)
        with pytest.raises(pumice.InvalidArgument, match="argnums"):
            func.grad(lambda x: x.sum(), 1)(x)
        with pytest.raises(pumice.InvalidArgument, match="twice"):
            func.grad(lambda x: x.sum(), (0, -1))(x)
        with pytest.raises(pumice.InvalidArgument, match="has_aux"):
            func.grad(lambda x: x.sum(), has_aux=True)(x)
        _, back = func.vjp(lambda x: x * 2, x)
        with pytest.raises(pumice.ShapeError, match="cotangents"):
            back(pumice.ones(3))
        with pytest.raises(pumice.InvalidArgument, match="nested"):
            back((x, x))
        with pytest.raises(pumice.ShapeError, match="tangents"):
            func.jvp(lambda x: x, (x,), (pumice.ones(3),))
        with pytest.raises(pumice.DTypeError, match="tangents"):
            func.jvp(lambda x: x, (x,), (pumice.ones(2).double(),))
        with pytest.raises(pumice.InvalidArgument, match="primals"):
            func.jvp(lambda x: x, x, x)  # type: ignore[arg-type]

    def test_functional_call(self) -> None:
        layer = nn.Linear(2, 2)
        with pytest.raises(pumice.InvalidArgument, match="has no 'wieght'"):
            func.functional_call(layer, {"wieght": pumice.ones(2, 2)}, pumice.ones(2))
        with pytest.raises(pumice.InvalidArgument, match="given twice"):
            func.functional_call(layer, [{"bias": layer.bias}] * 2, pumice.ones(2))
        with pytest.raises(pumice.InvalidArgument, match="also 'bias'"):
            func.functional_call(layer, {"weight": layer.weight}, pumice.ones(2), strict=True)

    def test_functional_call_puts_everything_back(self) -> None:
        layer = nn.BatchNorm1d(2)
        before = dict(layer.named_parameters())
        mean = pumice.zeros(2)
        func.functional_call(layer, {"running_mean": mean}, pumice.ones(4, 2))
        assert mean.tolist() != [0, 0] and layer.running_mean.tolist() == [0, 0]
        assert all(value is before[name] for name, value in layer.named_parameters())

    def test_tied_weights(self) -> None:
        class Tied(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.first = nn.Linear(2, 2, bias=False)
                self.second = nn.Linear(2, 2, bias=False)
                self.second.weight = self.first.weight

            def forward(self, x: Any) -> Any:
                return self.second(self.first(x))

        twice = {"first.weight": pumice.eye(2) * 2}
        model = Tied()
        assert func.functional_call(model, twice, pumice.ones(1, 2)).tolist() == [[4, 4]]
        once = func.functional_call(model, twice, pumice.ones(1, 2), tie_weights=False)
        same(once, model.second(pumice.ones(1, 2) * 2), 1e-6)


def test_on_each_device(device: str) -> None:
    x = pumice.arange(6.0, device=device).reshape(2, 3)
    f = lambda x: (x.sin() * x.cumsum(0)).sort().values.sum()  # noqa: E731
    host = x.cpu()
    same(func.vmap(func.grad(f))(x).cpu(), func.vmap(func.grad(f))(host), 1e-5)
    same(func.hessian(f)(x[0]).cpu(), func.hessian(f)(host[0]), 1e-5)
