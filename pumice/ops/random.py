"""Entry of the random bits: Philox4x32-10, a counter-based generator."""

from typing import Any

from pumice.dtypes import int64, uint32
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import document
from pumice.ops.vocabulary import ScalarOperand

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
RANGE = (0.0, 1e6)


def _words(x: ScalarOperand) -> tuple[Any, Any]:
    """Return the lower and upper 32 bits of a 64-bit integer."""
    return x.cast(uint32), (x >> 32).cast(uint32)


def _philox(position: ScalarOperand, seed: ScalarOperand, draw: ScalarOperand) -> Any:
    """Encrypt the counter (position / 4, draw) with the seed and take one of its four words."""
    counter = [*_words(position >> 2), *_words(draw)]
    key = list(_words(seed))
    for step in range(ROUNDS):
        if step:
            key = [part + weyl for part, weyl in zip(key, WEYL, strict=True)]
        first, second = (
            counter[0].const(MULTIPLIERS[0]),
            counter[2].const(MULTIPLIERS[1]),
        )
        counter = [
            counter[2].high_product(second) ^ counter[1] ^ key[0],
            counter[2] * second,
            counter[0].high_product(first) ^ counter[3] ^ key[1],
            counter[0] * first,
        ]
    lane = position & 3
    low = lane.eq(0).select(counter[0], counter[1])
    high = lane.eq(2).select(counter[2], counter[3])
    return (lane < 2).select(low, high)


def _reference(np: Any, position: Any, seed: Any, draw: Any) -> Any:
    mask = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    position, seed, draw = (
        np.asarray(each).astype(np.int64).astype(np.uint64) for each in (position, seed, draw)
    )
    block = (position.astype(np.int64) >> np.int64(2)).astype(np.uint64)
    counter = [block & mask, block >> half, draw & mask, draw >> half]
    key = [seed & mask, seed >> half]
    for step in range(ROUNDS):
        if step:
            key = [(part + np.uint64(weyl)) & mask for part, weyl in zip(key, WEYL, strict=True)]
        first = counter[0] * np.uint64(MULTIPLIERS[0])
        second = counter[2] * np.uint64(MULTIPLIERS[1])
        counter = [
            (second >> half) ^ counter[1] ^ key[0],
            second & mask,
            (first >> half) ^ counter[3] ^ key[1],
            first & mask,
        ]
    lane = position & np.uint64(3)
    shape = np.broadcast_shapes(*(each.shape for each in counter), lane.shape)
    words = [np.broadcast_to(each, shape) for each in counter]
    return np.select([lane == 0, lane == 1, lane == 2], words[:3], words[3]).astype(np.uint32)


philox = register(
    Elementwise(
        name="philox",
        parameters=("position", "seed", "draw"),
        accepts=Accepts.INTEGER,
        meaning=lambda *words: _philox(*(word.cast(int64) for word in words)),
        reference=_reference,
        samples=Samples(domain=(RANGE, RANGE, RANGE), smooth=False),
        result=uint32,
        method=False,
        function=False,
        inplace=False,
        no_gradient="random bits have no derivative",
        doc=document(
            "Return 32 random bits as a pure function of three integers.",
            {
                "position": "Which element of a draw.",
                "seed": "The key, as 64 bits.",
                "draw": "Which draw from this seed.",
            },
            returns="uint32",
            notes="Philox4x32-10: element ``position`` is word ``position % 4`` of block "
            "``position // 4``.\nThere is no gradient.",
        ),
    )
)
