"""Rows in a namespace that has PyTorch's names: pumice and PyTorch themselves."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.frameworks import Prepared, shapes
from benchmarks.row import (
    Array,
    Data,
    Forward,
    Gradient,
    Row,
    Shapes,
    Training,
    Update,
)

OPTIMIZERS: dict[str, Callable[..., Any]] = {
    "sgd": lambda optim, parameters: optim.SGD(parameters, lr=1e-3, momentum=0.9),
    "adam": lambda optim, parameters: optim.Adam(parameters, lr=1e-3),
}


@dataclass(frozen=True, slots=True)
class Torchlike:
    """A framework with PyTorch's names.

    Attributes
    ----------
    t : module
        The framework.
    family : str
        Which variant of a row's function it takes.
    tensor, array : callable
        Make a tensor of an array and an array of a tensor.
    capture : callable
        Compiles a function.
    lazy : bool
        Whether a tensor has no value before it is realized.
    captures_gradients : bool
        Whether a captured function may differentiate; otherwise only the forward is captured.
    wait : callable or None
        Returns when the device is done, where a realized tensor may still be on its way.
    """

    t: Any
    family: str
    tensor: Callable[[Array], Any]
    array: Callable[[Any], Array]
    capture: Callable[[Callable[..., Any]], Callable[..., Any]]
    lazy: bool
    captures_gradients: bool
    wait: Callable[[], None] | None = None

    def prepare(self, row: Row, data: Data) -> Prepared:
        """Make a row ready."""
        match row.task:
            case Forward():
                call = self.forward(row, row.task, data)
            case Gradient():
                call = self.gradient(row, row.task, data)
            case Training():
                call = self.training(row, row.task, data)
            case Update():
                return self.update(row.task, data)
            case Shapes():
                call = self.shapes(row, row.task, data)
            case _:
                raise TypeError(f"{row.name} is not timed by calls")
        differentiated = isinstance(row.task, Gradient | Training)
        return Prepared(
            call,
            lambda: [self.array(each) for each in leaves(call())],
            nullcontext if differentiated else self.t.no_grad,
        )

    def bound(self, row: Row, data: Data) -> Callable[..., Any]:
        """Return the function with namespace and parameters filled in."""
        function = row.function_for(self.family)
        if row.parameters is None:
            return partial(function, self.t)
        parameters = {name: self.tensor(each) for name, each in data.parameters.items()}
        return partial(function, self.t, parameters)

    def finished(
        self, function: Callable[..., Any], inputs: list[Any], several: bool = False
    ) -> Callable[[], Any]:
        """Return a call whose results are there when it returns.

        It adds as little as possible: a row may take no longer than a few calls in Python.
        """
        wait = self.wait
        if not self.lazy:
            return partial(function, *inputs)
        if not several and wait is None:
            return lambda: function(*inputs).realize()

        def call() -> Any:
            result = function(*inputs)
            evaluate(result)
            if wait is not None:
                wait()
            return result

        return call

    def forward(self, row: Row, task: Forward, data: Data) -> Callable[[], Any]:
        function = self.bound(row, data)
        inputs = [self.tensor(each) for each in data.inputs.values()]
        if task.captured:
            function = self.capture(function)
        if not task.evaluated:
            return partial(function, *inputs)
        return self.finished(function, inputs, task.several)

    def gradient(self, row: Row, task: Gradient, data: Data) -> Callable[[], Any]:
        names = [name for name in data.inputs if name != task.upstream]
        inputs = {name: self.tensor(each) for name, each in data.inputs.items()}
        for name in task.of:
            inputs[name].requires_grad_()
        forward = self.bound(row, data)
        if not self.captures_gradients:
            forward = self.capture(forward)

        def function(*values: Any) -> Any:
            given = dict(zip(inputs, values, strict=True))
            result = forward(*(given[name] for name in names))
            upstream = given[task.upstream] if task.upstream else None
            of = [given[name] for name in task.of]
            return (result.detach(), *self.t.autograd.grad(result, of, upstream))

        if self.captures_gradients:
            function = self.capture(function)
        return self.finished(function, list(inputs.values()), several=True)

    def training(self, row: Row, task: Training, data: Data) -> Callable[[], Any]:
        t, function = self.t, row.function_for(self.family)
        parameters = {
            name: t.nn.Parameter(self.tensor(each)) for name, each in data.parameters.items()
        }
        optimizer = OPTIMIZERS[task.optimizer](t.optim, list(parameters.values()))

        def step(*inputs: Any) -> Any:
            optimizer.zero_grad()
            loss = function(t, parameters, *inputs)
            loss.backward()
            optimizer.step()
            return loss.detach()

        inputs = [self.tensor(each) for each in data.inputs.values()]
        return self.finished(self.capture(step), inputs)

    def update(self, task: Update, data: Data) -> Prepared:
        t = self.t
        parameters = {
            name: t.nn.Parameter(self.tensor(each)) for name, each in data.parameters.items()
        }
        for name, parameter in parameters.items():
            parameter.grad = self.tensor(data.inputs[name])
        optimizer = OPTIMIZERS[task.optimizer](t.optim, list(parameters.values()))
        step = self.capture(lambda: optimizer.step())

        def call() -> None:
            step()
            if self.lazy:
                evaluate(list(parameters.values()))

        def outcome() -> list[Array]:
            call()
            return [self.array(each.detach()) for each in parameters.values()]

        return Prepared(call, outcome)

    def shapes(self, row: Row, task: Shapes, data: Data) -> Callable[[], Any]:
        function = self.bound(row, data)
        if self.family == "torch":
            function = self.capture(function)
        inputs = [
            [self.tensor(each[:height, :width].copy()) for each in data.inputs.values()]
            for height, width in shapes(task.count)
        ]
        calls = [self.finished(function, each) for each in inputs]
        return lambda: [call() for call in calls]


def evaluate(result: Any) -> None:
    """Wait until the values of all tensors of a nested result are there."""
    for tensor in leaves(result):
        tensor.realize()


def leaves(result: Any) -> list[Any]:
    """Return the tensors of a nested result."""
    if result is None:
        return []
    if isinstance(result, (tuple, list)):
        return [leaf for each in result for leaf in leaves(each)]
    return [result]
