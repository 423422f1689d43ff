"""The code that measures the machine does what it is said to do."""

import ctypes

import numpy as np
import pytest

from benchmarks.limits.bandwidth import PAGE, UNROLL, Copier, copy_bandwidth
from benchmarks.limits.native import Native, vector_bytes
from benchmarks.limits.peak import BYTES, CHAINS, fma_peak, fma_text


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_byte_is_copied(threads: int) -> None:
    copier = Copier(1_000_000, pieces=3, threads=threads)
    copier.source[:] = np.random.default_rng(0).integers(0, 256, copier.size)
    copier.target[:] = 0
    for piece in copier.pieces:
        assert len(piece) == threads
        for part in piece:
            part()
    np.testing.assert_array_equal(copier.target, copier.source)
    assert 0 <= 1_000_000 - copier.size < 3 * threads * UNROLL * PAGE


@pytest.mark.parametrize("element", ["float", "double"])
@pytest.mark.parametrize("width", [16, vector_bytes()])
def test_every_chain_makes_every_step(element: str, width: int) -> None:
    number = ctypes.c_float if element == "float" else ctypes.c_double
    native = Native(fma_text(element, width))
    chains = native.function("chains", number, ctypes.c_int64, number)
    value = 0.5
    for _ in range(5):
        value = value * 0.5 + 0.5
    assert chains(5, 0.5) == CHAINS * value


def test_the_loop_holds_one_instruction_a_chain() -> None:
    text = fma_text("float", 32)
    assert text.count("= call <8 x float> @llvm.fma.v8f32") == CHAINS
    assert set(BYTES) == {"float", "double"}


def test_measurements_are_plausible() -> None:
    assert 1e8 < copy_bandwidth(1 << 22, 1, 0.01) < 1e13
    assert 1e8 < fma_peak("float", 1, 0.01, steps=1 << 12) < 1e13
