"""A residual network of bottleneck blocks with the sizes of ResNet-50."""

from typing import Any

from benchmarks.row import Array, Arrays, Source

BLOCKS = (3, 4, 6, 3)
EXPANSION = 4


def parameters(s: Source) -> Arrays:
    width = s(64, 4)
    found = convolution(s, "stem", width, 3, 7)
    channels = width
    for stage, blocks in enumerate(BLOCKS):
        inner = width << stage
        for index in range(s(blocks, 2 if stage == 1 else 1)):
            prefix = f"{stage}.{index}."
            found |= convolution(s, f"{prefix}1", inner, channels, 1)
            found |= convolution(s, f"{prefix}2", inner, inner, 3)
            found |= convolution(s, f"{prefix}3", EXPANSION * inner, inner, 1)
            if index == 0:
                found |= convolution(s, f"{prefix}skip", EXPANSION * inner, channels, 1)
            channels = EXPANSION * inner
    found["head.weight"] = s.normal(s(1000, 11), channels, scale=channels**-0.5)
    found["head.bias"] = s.normal(s(1000, 11), scale=0.01)
    return found


def convolution(s: Source, name: str, outputs: int, inputs: int, window: int) -> Arrays:
    """Return the parameters of a convolution and of the batch norm after it."""
    scale = (inputs * window * window) ** -0.5
    return {
        f"{name}.weight": s.normal(outputs, inputs, window, window, scale=scale),
        f"{name}.gain": 1 + s.normal(outputs, scale=0.1),
        f"{name}.shift": s.normal(outputs, scale=0.1),
        f"{name}.mean": s.normal(outputs, scale=0.1),
        f"{name}.variance": 1 + s.normal(outputs, scale=0.1) ** 2,
    }


def convolved(t: Any, p: Any, name: str, x: Any, stride: int = 1) -> Any:
    """Return the result of a convolution and its batch norm, as in inference."""
    weight = p[f"{name}.weight"]
    x = t.nn.functional.conv2d(x, weight, None, stride=stride, padding=weight.shape[-1] // 2)
    statistics = (p[f"{name}.mean"], p[f"{name}.variance"])
    return t.nn.functional.batch_norm(x, *statistics, p[f"{name}.gain"], p[f"{name}.shift"])


def forward(t: Any, p: Any, x: Any) -> Any:
    """Return the scores of each class for a batch of images."""
    relu = t.nn.functional.relu
    x = t.nn.functional.max_pool2d(relu(convolved(t, p, "stem", x, 2)), 3, 2, 1)
    for prefix, stride in blocks_of(p):
        skip = x
        if f"{prefix}skip.weight" in p:
            skip = convolved(t, p, f"{prefix}skip", x, stride)
        x = relu(convolved(t, p, f"{prefix}1", x))
        x = relu(convolved(t, p, f"{prefix}2", x, stride))
        x = relu(convolved(t, p, f"{prefix}3", x) + skip)
    return t.nn.functional.linear(x.mean((2, 3)), p["head.weight"], p["head.bias"])


def blocks_of(p: Any) -> list[tuple[str, int]]:
    """Return the prefix and the stride of each block: a stage but the first halves the size."""
    prefixes = [name.removesuffix("1.weight") for name in p if name.endswith(".1.weight")]
    return [(prefix, 2 if prefix[2:] == "0." and prefix[0] != "0" else 1) for prefix in prefixes]


def flop(p: Arrays, x: Array) -> float:
    """Return the operations of the convolutions and of the last layer."""
    side = half(x.shape[-1])
    products = p["stem.weight"].size * side * side
    side = half(side)
    for prefix, stride in blocks_of(p):
        products += p[f"{prefix}1.weight"].size * side * side
        side = half(side) if stride == 2 else side
        for name in ("2", "3", "skip"):
            weight = p.get(f"{prefix}{name}.weight")
            products += 0 if weight is None else weight.size * side * side
    return 2.0 * float(x.shape[0] * (products + p["head.weight"].size))


def half(side: int) -> int:
    return (side - 1) // 2 + 1
