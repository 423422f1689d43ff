"""Rows in JAX, jitted; the state of a training step is donated."""

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.frameworks import Prepared, shapes
from benchmarks.row import Array, Data, Forward, Gradient, Row, Shapes, Training, Update

Step = Callable[[Any, Any], Any]


def prepare(_: str, row: Row, data: Data) -> Prepared:
    """Make a row ready."""
    jax: Any = importlib.import_module("jax")
    if any(each.dtype == np.float64 for each in data.inputs.values()):
        jax.config.update("jax_enable_x64", True)
    names: Any = importlib.import_module("benchmarks.frameworks.jax_names").NAMES
    function = row.function_for("jax")
    inputs = [jax.numpy.asarray(each) for each in data.inputs.values()]
    parameters = {name: jax.numpy.asarray(each) for name, each in data.parameters.items()}
    first = (parameters,) if row.parameters else ()

    bound = partial(function, names)
    match row.task:
        case Forward():
            call = forward(jax, row.task, bound, [*first, *inputs])
        case Gradient():
            call = gradient(jax, row.task, bound, data, inputs)
        case Training():
            call = training(jax, row.task, bound, parameters, inputs)
        case Update():
            call = update(jax, row.task, parameters, dict(zip(data.inputs, inputs, strict=True)))
        case Shapes():
            call = many_shapes(jax, row.task, bound, data)
        case _:
            raise TypeError(f"{row.name} is not timed by calls")
    return Prepared(call, lambda: [to_array(each) for each in jax.tree.leaves(call())])


def to_array(value: Any) -> Array:
    array: Array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def forward(
    jax: Any, task: Forward, function: Callable[..., Any], inputs: list[Any]
) -> Callable[[], Any]:
    """Return a call that adds as little as possible: the row may take microseconds."""
    called = jax.jit(function) if task.captured else function
    if not task.evaluated:
        return partial(called, *inputs)
    if task.several:
        return lambda: jax.block_until_ready(called(*inputs))
    return lambda: called(*inputs).block_until_ready()


def gradient(
    jax: Any, task: Gradient, function: Callable[..., Any], data: Data, inputs: list[Any]
) -> Callable[[], Any]:
    names = [name for name in data.inputs if name != task.upstream]

    def both(*values: Any) -> Any:
        given = dict(zip(data.inputs, values, strict=True))

        def of(*differentiated: Any) -> Any:
            used = given | dict(zip(task.of, differentiated, strict=True))
            return function(*(used[name] for name in names))

        result, pull = jax.vjp(of, *(given[name] for name in task.of))
        upstream = given[task.upstream] if task.upstream else jax.numpy.ones_like(result)
        return result, *pull(upstream)

    jitted = jax.jit(both)
    return lambda: jax.block_until_ready(jitted(*inputs))


def sgd(jax: Any) -> tuple[Callable[[Any], Any], Step]:
    """Return how to start and make a step of SGD with momentum."""

    def start(parameters: Any) -> Any:
        return parameters, jax.tree.map(jax.numpy.zeros_like, parameters)

    def step(state: Any, gradients: Any) -> Any:
        parameters, speed = state
        speed = jax.tree.map(lambda v, g: 0.9 * v + g, speed, gradients)
        return jax.tree.map(lambda p, v: p - 1e-3 * v, parameters, speed), speed

    return start, step


def adam(jax: Any) -> tuple[Callable[[Any], Any], Step]:
    """Return how to start and make a step of Adam."""
    sqrt = jax.numpy.sqrt

    def start(parameters: Any) -> Any:
        zeros = jax.tree.map(jax.numpy.zeros_like, parameters)
        return parameters, zeros, jax.tree.map(jax.numpy.zeros_like, parameters), 0

    def step(state: Any, gradients: Any) -> Any:
        parameters, mean, square, count = state
        count = count + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradients)
        square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, square, gradients)
        rate, scale = 1e-3 / (1 - 0.9**count), 1 / (1 - 0.999**count)

        def moved(p: Any, m: Any, v: Any) -> Any:
            return p - rate * m / (sqrt(v * scale) + 1e-8)

        return jax.tree.map(moved, parameters, mean, square), mean, square, count

    return start, step


OPTIMIZERS = {"sgd": sgd, "adam": adam}


def training(
    jax: Any, task: Training, loss: Callable[..., Any], parameters: Any, inputs: list[Any]
) -> Callable[[], Any]:
    start, step = OPTIMIZERS[task.optimizer](jax)

    def both(state: Any, *values: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(state[0], *values)
        return step(state, gradients), value

    jitted = jax.jit(both, donate_argnums=0)
    state = [start(parameters)]

    def call() -> Any:
        state[0], value = jitted(state[0], *inputs)
        jax.block_until_ready((state[0], value))
        return value

    return call


def update(jax: Any, task: Update, parameters: Any, gradients: Any) -> Callable[[], Any]:
    start, step = OPTIMIZERS[task.optimizer](jax)
    jitted = jax.jit(step, donate_argnums=0)
    state = [start(parameters)]

    def call() -> Any:
        state[0] = jax.block_until_ready(jitted(state[0], gradients))
        return state[0][0]

    return call


def many_shapes(
    jax: Any, task: Shapes, function: Callable[..., Any], data: Data
) -> Callable[[], Any]:
    jitted = jax.jit(function)
    inputs = [
        [jax.numpy.asarray(each[:height, :width]) for each in data.inputs.values()]
        for height, width in shapes(task.count)
    ]
    return lambda: jax.block_until_ready([jitted(*each) for each in inputs])
