"""Pieces of work of sizes that meet the kernels for large operands, on any device."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pumice
from pumice import dtypes
from pumice.dtypes import DType
from pumice.nn import functional
from pumice.target import Device
from pumice.tensor.tensor import Tensor
from pumice.testing import cases
from pumice.testing.programs import Program

FLOATS = (dtypes.float32, dtypes.float16, dtypes.bfloat16, dtypes.float64)
WHOLE = (dtypes.int32, dtypes.int64, dtypes.uint8)


class Maker:
    """Makes the inputs of one piece, the same ones each time."""

    def __init__(self, name: str, dtype: DType, device: Device) -> None:
        self.program = Program(steps=[f"{name} {dtype.name}"])
        self._random = cases.generator(name, dtype.name)
        self._dtype = dtype
        self._device = device

    def numbers(self, *shape: int) -> Tensor:
        """Return elements from -1 to 1, or -3 to 3 of an integer dtype."""
        bound = 1.0 if self._dtype.is_floating_point else 3.0
        array = cases.draw(self._random, self._dtype, shape, -bound, bound)
        made: Tensor = pumice.tensor(array, device=self._device)
        if self._dtype.is_floating_point:
            made.requires_grad_()
        self.program.leaves.append(made)
        return made

    def places(self, shape: tuple[int, ...], extent: int) -> Tensor:
        """Return indices below an extent."""
        return pumice.tensor(self._random.integers(0, extent, shape), device=self._device)

    def truths(self, *shape: int) -> Tensor:
        """Return bools."""
        return pumice.tensor(self._random.integers(0, 2, shape).astype(bool), device=self._device)


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of work.

    Attributes
    ----------
    build : function
        Takes a `Maker` and returns what is computed.
    dtypes : tuple of DType
        What it is tried with.
    """

    build: Callable[[Maker], Any]
    dtypes: tuple[DType, ...] = FLOATS


def _layers(make: Maker) -> Tensor:
    hidden = functional.gelu(functional.linear(make.numbers(33, 70), make.numbers(50, 70)))
    return functional.layer_norm(hidden, (50,), make.numbers(50), make.numbers(50))


def _attention(make: Maker) -> Tensor:
    query, key, value = (make.numbers(2, 3, 65, 16) for _ in range(3))
    return functional.scaled_dot_product_attention(query, key, value, is_causal=True)


def _written(make: Maker) -> Tensor:
    copy = make.numbers(300, 41).clone()
    copy[5:200:3, 1:-1] = make.numbers(65, 39)
    return copy.T.flip(0)


def _transfers(make: Maker) -> list[Tensor]:
    """Bytes of every alignment, there and back, and pieces of a whole."""
    whole = make.numbers(100_003).detach()
    return [whole[start : start + 4001].clone() for start in (0, 1, 2, 3, 5, 96_000)]


PIECES: dict[str, Piece] = {
    "transfers": Piece(_transfers, (*FLOATS, *WHOLE, dtypes.bool_, dtypes.int16)),
    "matrix product": Piece(lambda make: make.numbers(129, 257) @ make.numbers(257, 65)),
    "matrix product, transposed": Piece(
        lambda make: make.numbers(200, 130).T @ make.numbers(70, 200).T
    ),
    "matrix product of integers": Piece(
        lambda make: make.numbers(33, 65) @ make.numbers(65, 17), WHOLE
    ),
    "batched product": Piece(lambda make: make.numbers(5, 33, 40) @ make.numbers(5, 40, 70)),
    "matrix times vector": Piece(lambda make: make.numbers(301, 515) @ make.numbers(515)),
    "convolution": Piece(
        lambda make: functional.conv2d(
            make.numbers(2, 5, 19, 21), make.numbers(7, 5, 3, 3), make.numbers(7), padding=1
        )
    ),
    "depthwise convolution": Piece(
        lambda make: functional.conv2d(
            make.numbers(2, 8, 17, 15), make.numbers(8, 1, 3, 3), stride=2, groups=8
        )
    ),
    "pooling": Piece(lambda make: functional.max_pool2d(make.numbers(2, 3, 33, 31), 3, 2)),
    "layers": Piece(_layers),
    "attention": Piece(_attention),
    "softmax": Piece(lambda make: make.numbers(65, 1031).softmax(1)),
    "long sum": Piece(lambda make: make.numbers(300_007).sum(), (*FLOATS, *WHOLE)),
    "sum of columns": Piece(lambda make: make.numbers(2049, 67).sum(0), (*FLOATS, *WHOLE)),
    "variance": Piece(lambda make: make.numbers(37, 2051).var(1)),
    "largest and where": Piece(
        lambda make: make.numbers(5, 70_001).max(1).indices, (dtypes.float32, *WHOLE)
    ),
    "running sum": Piece(lambda make: make.numbers(7, 20_011).cumsum(1), (*FLOATS, dtypes.int32)),
    "running sum of columns": Piece(lambda make: make.numbers(3001, 9).cumsum(0)),
    "sort": Piece(lambda make: list(make.numbers(20_011).sort()), (dtypes.float32, *WHOLE)),
    "sort of rows": Piece(lambda make: list(make.numbers(33, 517).sort(1, descending=True))),
    "top elements": Piece(
        lambda make: list(make.numbers(9, 30_011).topk(50, 1)), (dtypes.float32, dtypes.int32)
    ),
    "rows by index": Piece(lambda make: make.numbers(1001, 33)[make.places((70, 5), 1001)]),
    "sums by index": Piece(
        lambda make: make.numbers(301, 17).index_add(
            0, make.places((2003,), 301), make.numbers(2003, 17)
        ),
        (*FLOATS, dtypes.int32),
    ),
    "choice": Piece(
        lambda make: pumice.where(make.truths(100_003), make.numbers(100_003), make.numbers(1)),
        (*FLOATS, *WHOLE),
    ),
    "writes to parts": Piece(_written, (*FLOATS, *WHOLE)),
    "transposed copy": Piece(lambda make: make.numbers(301, 517).T.contiguous(), (*FLOATS, *WHOLE)),
    "fused chain": Piece(
        lambda make: ((make.numbers(100_003) * 2 + 1).tanh().exp() - make.numbers(1)).sigmoid()
    ),
}
"""What is tried, by name."""


def write(name: str, dtype: DType, device: Device) -> Program:
    """Return the program of a piece."""
    make = Maker(name, dtype, device)
    made = PIECES[name].build(make)
    make.program.results = list(made) if isinstance(made, list) else [made]
    return make.program


def names(unsupported: frozenset[DType] = frozenset()) -> list[tuple[str, DType]]:
    """Return every piece with every dtype that a device can compute with."""
    return [
        (name, dtype)
        for name, piece in PIECES.items()
        for dtype in piece.dtypes
        if dtype not in unsupported
    ]
