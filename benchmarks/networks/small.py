"""Small networks: a perceptron, a convolutional network, an LSTM."""

from collections.abc import Callable
from typing import Any

from benchmarks.row import Arrays, Source, elements


def mlp_parameters(s: Source) -> Arrays:
    return dense_parameters(s, s(784, 30), s(512, 20), s(512, 25), 10)


def dense_parameters(s: Source, *sizes: int) -> Arrays:
    """Return weights and biases of layers between vectors of these sizes."""
    parameters: Arrays = {}
    for layer, (inputs, outputs) in enumerate(zip(sizes, sizes[1:], strict=False)):
        parameters[f"{layer}.weight"] = s.normal(outputs, inputs, scale=inputs**-0.5)
        parameters[f"{layer}.bias"] = s.normal(outputs, scale=0.01)
    return parameters


def mlp_loss(t: Any, p: Any, x: Any, y: Any) -> Any:
    functional = t.nn.functional
    last = len(p) // 2 - 1
    for layer in range(last):
        x = functional.relu(functional.linear(x, p[f"{layer}.weight"], p[f"{layer}.bias"]))
    return functional.cross_entropy(functional.linear(x, p[f"{last}.weight"], p[f"{last}.bias"]), y)


def mlp_flop(p: Arrays, x: Any, *_: Any) -> float:
    """Return the operations of a step: forward, weight gradients, input gradients but the first."""
    weights = [p[f"{layer}.weight"].size for layer in range(len(p) // 2)]
    return 2.0 * int(x.shape[0]) * (3 * sum(weights) - weights[0])


def cnn_parameters(s: Source) -> Arrays:
    first, second, hidden, side = s(32, 4), s(64, 6), s(128, 9), s(12, 4)
    flat = second * side * side
    return {
        "conv1.weight": s.normal(first, 1, 3, 3, scale=0.3),
        "conv1.bias": s.normal(first, scale=0.01),
        "conv2.weight": s.normal(second, first, 3, 3, scale=(9 * first) ** -0.5),
        "conv2.bias": s.normal(second, scale=0.01),
        "fc1.weight": s.normal(hidden, flat, scale=flat**-0.5),
        "fc1.bias": s.normal(hidden, scale=0.01),
        "fc2.weight": s.normal(10, hidden, scale=hidden**-0.5),
        "fc2.bias": s.normal(10, scale=0.01),
    }


def cnn_loss(t: Any, p: Any, x: Any, y: Any) -> Any:
    functional = t.nn.functional
    x = functional.relu(functional.conv2d(x, p["conv1.weight"], p["conv1.bias"]))
    x = functional.relu(functional.conv2d(x, p["conv2.weight"], p["conv2.bias"]))
    x = functional.max_pool2d(x, 2).reshape(y.shape[0], -1)
    x = functional.relu(functional.linear(x, p["fc1.weight"], p["fc1.bias"]))
    return functional.cross_entropy(functional.linear(x, p["fc2.weight"], p["fc2.bias"]), y)


def cnn_flop(p: Arrays, x: Any, *_: Any) -> float:
    """Return the operations of a step: forward, weight gradients, input gradients but the first."""
    batch, _, height, width = x.shape
    first = p["conv1.weight"].size * (height - 2) * (width - 2)
    others = p["conv2.weight"].size * (height - 4) * (width - 4)
    others += p["fc1.weight"].size + p["fc2.weight"].size
    return 2.0 * float(batch * (2 * first + 3 * others))


def lstm_parameters(s: Source) -> Arrays:
    size, inputs = s(256, 12), s(256, 7)
    scale = size**-0.5
    return {
        "weight_ih": s.normal(4 * size, inputs, scale=scale),
        "weight_hh": s.normal(4 * size, size, scale=scale),
        "bias_ih": s.normal(4 * size, scale=scale),
        "bias_hh": s.normal(4 * size, scale=scale),
    }


def lstm_step(t: Any, p: Any, projected: Any, h: Any, c: Any) -> tuple[Any, Any]:
    """Return the next hidden and cell state; ``projected`` is what the input adds to the gates."""
    size = h.shape[1]
    gates = projected + t.nn.functional.linear(h, p["weight_hh"], p["bias_hh"])
    enter, forget, change, leave = (gates[:, i * size : (i + 1) * size] for i in range(4))
    c = t.sigmoid(forget) * c + t.sigmoid(enter) * t.tanh(change)
    return t.sigmoid(leave) * t.tanh(c), c


def lstm(t: Any, p: Any, x: Any) -> Any:
    """Return the hidden states of all steps, steps first."""
    size = p["weight_hh"].shape[1]
    projected = t.nn.functional.linear(x, p["weight_ih"], p["bias_ih"])
    h = c = t.zeros(x.shape[1], size)
    states = []
    for step in range(x.shape[0]):
        h, c = lstm_step(t, p, projected[step], h, c)
        states.append(h)
    return t.stack(states)


def lstm_of_layer(t: Any, p: Any, x: Any) -> Any:
    """pumice's layer, reading the parameters of the row."""
    layer = t.nn.LSTM(x.shape[2], p["weight_hh"].shape[1])
    for name, value in p.items():
        delattr(layer, f"{name}_l0")
        setattr(layer, f"{name}_l0", value)
    return layer(x)[0]


def lstm_of_torch(t: Any, p: Any, x: Any) -> Any:
    """PyTorch has a fused operator, which its layer calls."""
    start = t.zeros(1, x.shape[1], p["weight_hh"].shape[1])
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    weights = [p[name] for name in names]
    trained = weights[0].requires_grad
    return t.lstm(x, (start, start), weights, True, 1, 0.0, trained, False, False)[0]


def lstm_of_jax(t: Any, p: Any, x: Any) -> Any:
    """JAX has `scan`, which compiles one step."""
    projected = t.nn.functional.linear(x, p["weight_ih"], p["bias_ih"])
    start = t.zeros(x.shape[1], p["weight_hh"].shape[1])

    def step(state: Any, row: Any) -> Any:
        h, c = lstm_step(t, p, row, *state)
        return (h, c), h

    return t.scan(step, (start, start), projected)[1]


def lstm_loss(network: Callable[..., Any]) -> Callable[..., Any]:
    """Return the mean square of the hidden states, as a loss."""
    return lambda t, p, x: (network(t, p, x) ** 2).mean()


def lstm_flop(p: Arrays, x: Any) -> float:
    weights = p["weight_ih"].size + p["weight_hh"].size
    return 2.0 * elements(x.shape[:2]) * weights
