"""Whole models and training steps."""

from functools import partial

from benchmarks.networks import resnet, small, transformers
from benchmarks.row import Arrays, Row, Source, Training, Update, nbytes, total

Models = partial(Row, group="models")

LSTM_VARIANTS = {
    "pumice": small.lstm_of_layer,
    "torch": small.lstm_of_torch,
    "jax": small.lstm_of_jax,
}
"""Each framework's own; PyTorch's layer calls the operator."""


def digits(s: Source) -> Arrays:
    batch = s(256, 9)
    return {"x": s.normal(batch, s(784, 30)), "y": s.integers(0, 10, batch)}


def pictures(s: Source) -> Arrays:
    batch, side = s(64, 5), s(28, 12)
    return {"x": s.normal(batch, 1, side, side), "y": s.integers(0, 10, batch)}


def text(s: Source) -> Arrays:
    shape = (2, s(256, 11))
    return {
        "words": s.integers(0, s(50257, 67), *shape),
        "following": s.integers(0, s(50257, 67), *shape),
    }


def network(name: str, title: str, batch: int) -> Row:
    """Return the row of a ResNet-50-shaped forward pass."""
    return Models(
        name=name,
        title=title,
        parameters=resnet.parameters,
        inputs=lambda s: {"x": s.normal(s(batch, 2), 3, s(224, 40), s(224, 40))},
        function=resnet.forward,
        moved=lambda p, x: total(p) + x.nbytes,
        flop=resnet.flop,
    )


ROWS = (
    Models(
        name="mlp_train",
        title="MLP 784-512-512-10, batch 256, SGD step",
        parameters=small.mlp_parameters,
        inputs=digits,
        function=small.mlp_loss,
        task=Training("sgd"),
        moved=lambda p, x, y: 6 * total(p) + x.nbytes,
        flop=small.mlp_flop,
    ),
    Models(
        name="cnn_train",
        title="CNN, batch 64, Adam step",
        parameters=small.cnn_parameters,
        inputs=pictures,
        function=small.cnn_loss,
        task=Training("adam"),
        moved=lambda p, x, y: 8 * total(p) + x.nbytes,
        flop=small.cnn_flop,
    ),
    Models(
        name="block_fwd",
        title="transformer block forward, 4 x 256 x 512",
        parameters=lambda s: transformers.block_parameters(s, "", s(512, 32)),
        inputs=lambda s: {"x": s.normal(s(4, 2), s(256, 13), s(512, 32))},
        function=transformers.one_block,
        moved=lambda p, x: total(p) + 2 * x.nbytes,
        flop=lambda p, x: transformers.block_flop(x.shape[2], x.shape[0], x.shape[1], causal=True),
    ),
    Models(
        name="gpt2_decode",
        title="GPT-2 small, one word after 256",
        parameters=transformers.decode_parameters,
        inputs=lambda s: {"x": s.normal(1, s(768, 24))},
        function=transformers.decode,
        moved=lambda p, x: total(p),
        flop=lambda p, x: 0.5 * total(p),
    ),
    Models(
        name="gpt2_train",
        title="GPT-2 small, 2 x 256 words, Adam step",
        parameters=transformers.gpt2_parameters,
        inputs=text,
        function=transformers.gpt2_loss,
        task=Training("adam"),
        moved=lambda p, words, following: 8 * total(p),
        flop=transformers.gpt2_flop,
    ),
    network("resnet50_b1", "ResNet-50 shaped forward, batch 1", 1),
    network("resnet50_b8", "ResNet-50 shaped forward, batch 8", 8),
    Models(
        name="vit_b16",
        title="ViT-B/16 forward, batch 1",
        parameters=transformers.vit_parameters,
        inputs=lambda s: {"x": s.normal(1, 3, s(224, 20), s(224, 20))},
        function=transformers.vit,
        moved=lambda p, x: total(p),
        flop=transformers.vit_flop,
    ),
    Models(
        name="lstm",
        title="LSTM 256, 128 steps, batch 16",
        parameters=small.lstm_parameters,
        inputs=lambda s: {"x": s.normal(s(128, 6), s(16, 3), s(256, 7))},
        function=small.lstm,
        variants=LSTM_VARIANTS,
        moved=lambda p, x: total(p) + 2 * x.nbytes,
        flop=small.lstm_flop,
    ),
    Models(
        name="lstm_train",
        title="LSTM 256, 128 steps, batch 16, SGD step",
        parameters=small.lstm_parameters,
        inputs=lambda s: {"x": s.normal(s(128, 6), s(16, 3), s(256, 7))},
        function=small.lstm_loss(small.lstm),
        variants={name: small.lstm_loss(each) for name, each in LSTM_VARIANTS.items()},
        task=Training("sgd"),
        moved=lambda p, x: 8 * total(p) + 2 * x.nbytes,
        flop=lambda p, x: small.lstm_flop(p, x) * 3 - 2.0 * x.size * p["weight_ih"].shape[0],
    ),
    Models(
        name="adam_100m",
        title="Adam step over 100 M parameters",
        parameters=lambda s: {"w": s.normal(s(10, 3), s(10_000_000, 1001), scale=0.1)},
        inputs=lambda s: {"w": s.normal(s(10, 3), s(10_000_000, 1001), scale=0.1)},
        task=Update("adam"),
        moved=lambda p, g: nbytes(g) + 6 * total(p),
        flop=lambda p, g: 12 * g.size,
    ),
)
