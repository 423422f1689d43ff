"""Streams of random numbers, and the bits and distributions drawn from them."""

from __future__ import annotations

import os
from math import pi, prod
from operator import index
from typing import Any

from pumice import dtypes
from pumice.arguments import guarded
from pumice.dtypes import DType
from pumice.graph import build, recording
from pumice.graph.node import Node
from pumice.locks import ForkSafeLock
from pumice.ops.view import Shape
from pumice.tensor.axes import check_extents
from pumice.tensor.convert import device_of
from pumice.tensor.operands import call

DEFAULT_SEED = 67280421310721


class Generator:
    """A stream of random numbers: a seed and how many draws were made from it."""

    def __init__(self, device: Any = None) -> None:
        self._lock = ForkSafeLock()
        self._seed = DEFAULT_SEED
        self._draws = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (), self.get_state()

    def __setstate__(self, state: tuple[int, int]) -> None:
        self.set_state(state)

    @guarded
    def manual_seed(self, seed: int) -> Generator:
        """Start again from a seed and return self."""
        with self._lock:
            self._seed = int(seed) & 0xFFFFFFFFFFFFFFFF
            self._draws = 0
        return self

    def seed(self) -> int:
        """Start again from a seed of the system and return it."""
        chosen = int.from_bytes(os.urandom(8)) >> 1
        self.manual_seed(chosen)
        return chosen

    def initial_seed(self) -> int:
        """Return the seed."""
        return self._seed

    def get_state(self) -> tuple[int, int]:
        """Return the seed and the number of draws."""
        with self._lock:
            return self._seed, self._draws

    @guarded
    def set_state(self, state: tuple[int, int]) -> None:
        """Go back to an earlier state."""
        seed, draws = (index(each) for each in state)
        with self._lock:
            self._seed, self._draws = seed, draws

    def draw(self, count: int = 1) -> tuple[int, int]:
        """Take the next draws; return the seed and the number of the first of them."""
        with self._lock:
            self._draws += count
            return self._seed, self._draws - count


default_generator = Generator()


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


class Draw:
    """One draw of a shape: every call of `bits` gives 32 fresh bits per element."""

    def __init__(self, shape: Shape, device: Any, generator: Generator | None) -> None:
        self.shape = check_extents("random", shape)
        source = default_generator if generator is None else generator
        seed, number = source.draw()
        self._device = device_of(device)
        self._seed = build.constant(_signed(seed), dtypes.int64, shape, self._device)
        self._number = build.constant(number, dtypes.int64, shape, self._device)
        recorder = recording.active.get()
        if recorder is not None:
            recorder.draw(source, self._seed, self._number)
        self._total = prod(shape)
        self._used = 0

    def bits(self) -> Node:
        """Return uint32 bits; further calls read further positions of the same draw."""
        place = build.iota(self.shape, self._device)
        if self._used:
            place = place + self._used * self._total
        self._used += 1
        return call("philox", place, self._seed, self._number)

    def wide_bits(self) -> Node:
        """Return int64 numbers from 0 to 2**62 - 1."""
        high, low = (build.cast(self.bits(), dtypes.int64) for _ in range(2))
        return _joined(high, low)

    def uniform(self, dtype: DType) -> Node:
        """Return numbers from 0 to 1, 1 excluded, each a multiple of the dtype's half step."""
        if dtype is dtypes.float64:
            whole = call("bitwise_right_shift", self.wide_bits(), 62 - 53)
            return build.cast(whole, dtype) * 2.0**-53
        kept = dtype.mantissa + 1
        whole = call("bitwise_right_shift", self.bits(), 32 - kept)
        exact = build.cast(whole, dtypes.float32) * 2.0**-kept
        return build.cast(exact, dtype)

    def normal(self, dtype: DType) -> Node:
        """Return numbers of mean 0 and variance 1 (Box-Muller)."""
        wide = dtype if dtype is dtypes.float64 else dtypes.float32
        radius = call("sqrt", call("log", 1 - self.uniform(wide)) * -2.0)
        return build.cast(radius * call("cos", self.uniform(wide) * (2 * pi)), dtype)

    def below(self, low: int, high: int) -> Node:
        """Return int64 numbers from low up to, not including, high."""
        extent = high - low
        if extent <= 1 << 31:
            product = build.cast(self.bits(), dtypes.int64) * extent
            return call("bitwise_right_shift", product, 32) + low
        return call("remainder", self.wide_bits(), extent) + low


def _joined(high: Node, low: Node) -> Node:
    """Return 31 bits of each of two numbers as one."""
    upper = call("bitwise_right_shift", high, 1)
    return upper * (1 << 31) + call("bitwise_right_shift", low, 1)
