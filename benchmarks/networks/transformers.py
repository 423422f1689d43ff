"""A transformer block, GPT-2 and ViT."""

from typing import Any

from benchmarks.row import Array, Arrays, Source

WEIGHTS = {"qkv": (3, 1), "out": (1, 1), "up": (4, 1), "down": (1, 4)}
"""The products of a block: rows and columns of the weight, in widths."""


def block_parameters(s: Source, prefix: str, width: int) -> Arrays:
    """Return the parameters of a pre-norm block, four times as wide inside."""
    scale = 0.02 if width > 64 else width**-0.5
    parameters: Arrays = {}
    for name, (outputs, inputs) in WEIGHTS.items():
        shape = (outputs * width, inputs * width)
        parameters[f"{prefix}{name}.weight"] = s.normal(*shape, scale=scale)
        parameters[f"{prefix}{name}.bias"] = s.normal(outputs * width, scale=0.01)
    for name in ("norm1", "norm2"):
        parameters[f"{prefix}{name}.weight"] = 1 + s.normal(width, scale=0.1)
        parameters[f"{prefix}{name}.bias"] = s.normal(width, scale=0.1)
    return parameters


def linear(t: Any, p: Any, name: str, x: Any) -> Any:
    return t.nn.functional.linear(x, p[f"{name}.weight"], p[f"{name}.bias"])


def norm(t: Any, p: Any, name: str, x: Any) -> Any:
    width = x.shape[-1]
    return t.nn.functional.layer_norm(x, (width,), p[f"{name}.weight"], p[f"{name}.bias"])


def block(t: Any, p: Any, prefix: str, x: Any, heads: int, causal: bool) -> Any:
    batch, length, width = x.shape
    h = linear(t, p, f"{prefix}qkv", norm(t, p, f"{prefix}norm1", x))
    h = t.permute(h.reshape(batch, length, 3, heads, width // heads), (2, 0, 3, 1, 4))
    a = t.nn.functional.scaled_dot_product_attention(h[0], h[1], h[2], is_causal=causal)
    a = t.permute(a, (0, 2, 1, 3)).reshape(batch, length, width)
    x = x + linear(t, p, f"{prefix}out", a)
    h = linear(t, p, f"{prefix}up", norm(t, p, f"{prefix}norm2", x))
    h = t.nn.functional.gelu(h, approximate="tanh")
    return x + linear(t, p, f"{prefix}down", h)


def heads_of(width: int) -> int:
    """Return the number of heads: 64 wide each, or two in a small network."""
    return width // 64 if width >= 128 else 2


def layers_of(p: Any) -> int:
    return sum(1 for name in p if name.endswith("qkv.weight"))


def block_flop(width: int, batch: int, length: int, causal: bool) -> float:
    """Return the operations of one block forward."""
    products = 2.0 * batch * length * 12 * width * width
    attention = 4.0 * batch * length * length * width
    return products + (attention / 2 if causal else attention)


def one_block(t: Any, p: Any, x: Any) -> Any:
    return block(t, p, "", x, heads_of(x.shape[-1]), causal=True)


def gpt2_parameters(s: Source) -> Arrays:
    width, words, places = s(768, 24), s(50257, 67), s(1024, 16)
    parameters = {
        "words": s.normal(words, width, scale=0.02),
        "places": s.normal(places, width, scale=0.02),
        "norm.weight": 1 + s.normal(width, scale=0.1),
        "norm.bias": s.normal(width, scale=0.1),
    }
    for layer in range(s(12, 2)):
        parameters |= block_parameters(s, f"{layer}.", width)
    return parameters


def gpt2_loss(t: Any, p: Any, words: Any, following: Any) -> Any:
    """Return the mean cross entropy of the next words; the output is tied to the embedding."""
    batch, length = words.shape
    width = p["words"].shape[1]
    x = t.nn.functional.embedding(words, p["words"]) + p["places"][:length]
    for layer in range(layers_of(p)):
        x = block(t, p, f"{layer}.", x, heads_of(width), causal=True)
    x = t.nn.functional.linear(norm(t, p, "norm", x), p["words"])
    x = x.reshape(batch * length, -1)
    return t.nn.functional.cross_entropy(x, following.reshape(batch * length))


def gpt2_flop(p: Arrays, words: Array, *_: Any) -> float:
    """Return the operations of a step: three times the forward ones."""
    batch, length = words.shape
    count, width = p["words"].shape
    forward = layers_of(p) * block_flop(width, batch, length, causal=True)
    return 3 * (forward + 2.0 * float(batch * length * count * width))


def decode_parameters(s: Source) -> Arrays:
    """Return the weights of GPT-2 small and the keys and values of the words so far."""
    width, length = s(768, 24), s(256, 9)
    heads = heads_of(width)
    parameters = {"words": s.normal(s(50257, 67), width, scale=0.02)}
    for layer in range(s(12, 2)):
        for name, (outputs, inputs) in WEIGHTS.items():
            shape = (outputs * width, inputs * width)
            parameters[f"{layer}.{name}.weight"] = s.normal(*shape, scale=0.02)
        for name in ("keys", "values"):
            parameters[f"{layer}.{name}"] = s.normal(1, heads, length, width // heads)
    return parameters


def decode(t: Any, p: Any, x: Any) -> Any:
    """Return the most probable word after one more, of which ``x`` is the embedding."""
    functional = t.nn.functional
    width = x.shape[1]
    heads = heads_of(width)
    for layer in range(layers_of(p)):
        h = functional.linear(functional.layer_norm(x, (width,)), p[f"{layer}.qkv.weight"])
        h = h.reshape(1, 3, heads, 1, width // heads)
        keys = t.cat([p[f"{layer}.keys"], h[:, 1]], 2)
        values = t.cat([p[f"{layer}.values"], h[:, 2]], 2)
        a = functional.scaled_dot_product_attention(h[:, 0], keys, values).reshape(1, width)
        x = x + functional.linear(a, p[f"{layer}.out.weight"])
        h = functional.linear(functional.layer_norm(x, (width,)), p[f"{layer}.up.weight"])
        h = functional.gelu(h, approximate="tanh")
        x = x + functional.linear(h, p[f"{layer}.down.weight"])
    return functional.linear(functional.layer_norm(x, (width,)), p["words"]).argmax(-1)


def vit_parameters(s: Source) -> Arrays:
    width, patch = s(768, 24), s(16, 4)
    positions = s(224, 20) // patch
    parameters = {
        "patch.weight": s.normal(width, 3, patch, patch, scale=0.02),
        "patch.bias": s.normal(width, scale=0.01),
        "class": s.normal(1, 1, width),
        "places": s.normal(1, positions * positions + 1, width, scale=0.02),
        "norm.weight": 1 + s.normal(width, scale=0.1),
        "norm.bias": s.normal(width, scale=0.1),
        "head.weight": s.normal(s(1000, 11), width, scale=0.02),
        "head.bias": s.normal(s(1000, 11), scale=0.01),
    }
    for layer in range(s(12, 2)):
        parameters |= block_parameters(s, f"{layer}.", width)
    return parameters


def vit(t: Any, p: Any, x: Any) -> Any:
    """Return the scores of each class for a batch of images."""
    weight = p["patch.weight"]
    batch, width, patch = x.shape[0], weight.shape[0], weight.shape[-1]
    x = t.nn.functional.conv2d(x, weight, p["patch.bias"], stride=patch)
    x = t.permute(x.reshape(batch, width, -1), (0, 2, 1))
    x = t.cat([p["class"], x], 1) + p["places"]
    for layer in range(layers_of(p)):
        x = block(t, p, f"{layer}.", x, heads_of(width), causal=False)
    return linear(t, p, "head", norm(t, p, "norm", x)[:, 0])


def vit_flop(p: Arrays, x: Array) -> float:
    """Return the operations of the patches, the blocks and the head."""
    patch, head = p["patch.weight"], p["head.weight"]
    length, width = int(p["places"].shape[1]), int(p["places"].shape[2])
    batch = int(x.shape[0])
    forward = layers_of(p) * block_flop(width, batch, length, causal=False)
    return forward + 2.0 * batch * (patch.size * (length - 1) + head.size)
