"""Scaled dot product attention."""

from functools import partial
from typing import Any

from benchmarks.row import Array, Arrays, Gradient, Row, Source

Attention = partial(Row, group="attention")


def heads(s: Source) -> Arrays:
    shape = (1, s(12, 2), s(1024, 37), s(64, 16))
    return {name: s.normal(*shape) for name in ("q", "k", "v")}


def causal(t: Any, q: Any, k: Any, v: Any) -> Any:
    return t.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def full(t: Any, q: Any, k: Any, v: Any) -> Any:
    return t.nn.functional.scaled_dot_product_attention(q, k, v)


def flop(q: Array, *_: Array) -> float:
    """Return the operations of the two products, all positions."""
    return 4.0 * q.size * int(q.shape[-2])


ROWS = (
    Attention(
        name="sdpa",
        title="causal attention 12 x 1024 x 64",
        inputs=heads,
        function=causal,
        moved=lambda q, k, v: 4 * q.nbytes,
        flop=lambda q, k, v: flop(q) / 2,
    ),
    Attention(
        name="sdpa_full",
        title="attention 12 x 1024 x 64",
        inputs=heads,
        function=full,
        moved=lambda q, k, v: 4 * q.nbytes,
        flop=flop,
    ),
    Attention(
        name="sdpa_grad",
        title="causal attention 12 x 1024 x 64, forward and backward",
        inputs=lambda s: {**heads(s), "upstream": s.normal(1, s(12, 2), s(1024, 37), s(64, 16))},
        function=causal,
        task=Gradient(of=("q", "k", "v"), upstream="upstream"),
        moved=lambda q, k, v, upstream: 8 * q.nbytes,
        flop=lambda q, k, v, upstream: 3.5 * flop(q) / 2,
    ),
)
