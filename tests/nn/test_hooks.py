"""Hooks of modules, against the same hooks in PyTorch."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import func

LIBRARIES: list[Any] = [pumice, torch]
X = np.array([[1.0, -2.0], [3.0, 0.5]], dtype=np.float32)


def layer_of(library: Any) -> Any:
    layer = library.nn.Linear(2, 2)
    with library.no_grad():
        layer.weight.copy_(library.tensor([[1.0, 2.0], [3.0, 4.0]]))
        layer.bias.zero_()
    return layer


def told(values: Any) -> Any:
    if isinstance(values, (tuple, list)):
        return [told(each) for each in values]
    return None if values is None else values.detach().numpy().tolist()


def both(check: Any) -> None:
    """Run a check in both libraries: it returns what must be equal."""
    ours, theirs = (check(library) for library in LIBRARIES)
    assert ours == theirs


class TestForward:
    def test_order_and_changes(self) -> None:
        def check(library: Any) -> Any:
            layer, log = layer_of(library), []
            layer.register_forward_pre_hook(lambda m, a: log.append("second"))
            layer.register_forward_pre_hook(lambda m, a: (a[0] * 2,), prepend=True)
            layer.register_forward_pre_hook(lambda m, a: a[0] + 1)
            layer.register_forward_hook(lambda m, a, o: log.append(told((a, o))))
            layer.register_forward_hook(lambda m, a, o: o * 10)
            last = layer.register_forward_hook(lambda m, a, o: log.append(told(o)), prepend=True)
            first = layer(library.tensor(X))
            last.remove()
            return log, told(first), told(layer(library.tensor(X)))

        both(check)

    def test_keywords(self) -> None:
        def check(library: Any) -> Any:
            class Scaled(library.nn.Module):  # type: ignore[misc, name-defined]
                def forward(self, x: Any, scale: float = 1.0) -> Any:
                    return x * scale

            layer, log = Scaled(), []
            layer.register_forward_pre_hook(
                lambda m, a, k: (a, {"scale": k["scale"] + 1}), with_kwargs=True
            )
            layer.register_forward_hook(lambda m, a, k, o: log.append(dict(k)), with_kwargs=True)
            return told(layer(library.tensor(X), scale=2.0)), log

        both(check)

    def test_always_called(self) -> None:
        def check(library: Any) -> Any:
            class Broken(library.nn.Module):  # type: ignore[misc, name-defined]
                def forward(self, x: Any) -> Any:
                    raise KeyError("broken")

            layer, log = Broken(), []
            layer.register_forward_hook(lambda m, a, o: log.append(("always", o)), always_call=True)
            layer.register_forward_hook(lambda m, a, o: log.append(("never", o)))
            with pytest.raises(KeyError):
                layer(library.tensor(X))
            return log

        both(check)

    def test_a_copy_keeps_them(self) -> None:
        layer = layer_of(pumice)
        layer.register_forward_hook(lambda m, a, o: o * 0)
        assert told(copy.deepcopy(layer)(pumice.tensor(X))) == [[0, 0], [0, 0]]


class TestBackward:
    def test_gradients_seen_and_changed(self) -> None:
        def check(library: Any) -> Any:
            layer, log = layer_of(library), []
            layer.register_full_backward_pre_hook(lambda m, g: log.append(told(g)))
            layer.register_full_backward_pre_hook(lambda m, g: (g[0] * 2,))
            layer.register_full_backward_hook(lambda m, i, o: log.append(told((i, o))))
            layer.register_full_backward_hook(lambda m, i, o: (i[0] * 5,))
            x = library.tensor(X, requires_grad=True)
            (layer(x) ** 2).sum().backward()
            return log, told(x.grad), told(layer.weight.grad)

        both(check)

    @pytest.mark.filterwarnings("ignore:Full backward hook is firing:UserWarning")
    def test_no_input_requires_a_gradient(self) -> None:
        def check(library: Any) -> Any:
            layer, log = layer_of(library), []
            layer.register_full_backward_hook(lambda m, i, o: log.append(told((i, o))))
            layer(library.tensor(X)).sum().backward()
            return log

        both(check)

    def test_several_inputs_and_outputs(self) -> None:
        def check(library: Any) -> Any:
            class Pair(library.nn.Module):  # type: ignore[misc, name-defined]
                def forward(self, x: Any, k: float, y: Any) -> Any:
                    return x * y, y * k

            layer, log = Pair(), []
            layer.register_full_backward_hook(lambda m, i, o: log.append(told((i, o))))
            x = library.tensor(X, requires_grad=True)
            y = library.tensor(X)
            first, second = layer(x, 3.0, y)
            first.sum().backward()
            # Where PyTorch shows zeros for what requires no gradient, None is shown here.
            inputs, outputs = log[0]
            inputs[2] = inputs[2] if np.any(inputs[2]) else None
            return inputs, outputs, told(x.grad), second.requires_grad

        both(check)

    def test_under_transforms(self) -> None:
        layer = layer_of(pumice)
        layer.register_full_backward_hook(lambda m, i, o: (i[0] * 2,))
        x = pumice.tensor(X)
        weights = {name: value.detach() for name, value in layer.named_parameters()}
        f = lambda x: (func.functional_call(layer, weights, x) ** 2).sum()  # noqa: E731
        wanted = [told(func.grad(f)(row)) for row in x]
        assert told(func.vmap(func.grad(f))(x)) == wanted
        tangent = func.jvp(f, (x[0],), (pumice.ones(2),))[1]
        assert tangent.item() * 2 == sum(wanted[0])

    def test_errors(self) -> None:
        layer = layer_of(pumice)
        with layer.register_full_backward_hook(lambda m, i, o: (i[0], i[0])):
            x = pumice.tensor(X, requires_grad=True)
            with pytest.raises(pumice.InvalidArgument, match="returned 2 gradients; 1 are"):
                layer(x).sum().backward()
        with layer.register_forward_pre_hook(lambda m, a, k: a, with_kwargs=True):  # noqa: SIM117
            with pytest.raises(pumice.InvalidArgument, match="args and kwargs"):
                layer(pumice.tensor(X))
