"""What is put in order: keys, and the places they stand for.

A key is an unsigned integer that sorts as the element it was made from.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pumice import dtypes
from pumice.dtypes import DType, Kind
from pumice.graph.node import Node
from pumice.kernel.ir import Parameter, Value, load
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.loops import minimum
from pumice.lowering.steps import Scratch

KEY_TYPES = {1: dtypes.uint8, 2: dtypes.uint16, 4: dtypes.uint32, 8: dtypes.uint64}


def ordered_key(value: Value, descending: bool) -> Value:
    """Return an unsigned integer that sorts as the value does: NaN last ascending, -0.0 as 0.0."""
    dtype = value.dtype
    if dtype.kind is Kind.BOOL:
        key = value.cast(dtypes.uint8)
    elif dtype.kind is Kind.UNSIGNED:
        key = value
    else:
        unsigned = KEY_TYPES[dtype.itemsize]
        sign = 1 << (dtype.bits - 1)
        if dtype.is_floating_point:
            # Every NaN becomes the same largest key. The bits tell -0.0 from 0.0 on every device;
            # some drivers leave out an addition of 0.
            wide = value.cast(dtypes.float32) if dtype.is_small_float else value
            bits = value.bitcast(unsigned)
            bits = bits.eq(sign).select(0, bits)
            key = ((bits & sign).ne(0)).select(~bits, bits | sign)
            key = wide.ne(wide).select(key.const((1 << dtype.bits) - 1), key)
        else:
            key = value.bitcast(unsigned) ^ sign
    return ~key if descending else key


ElementAt = Callable[[Value, Value], tuple[Value, Value]]
"""From (row, position) to (key, place); called anew for each use."""


@dataclass(frozen=True, slots=True, eq=False)
class Ordering:
    """Rows of keys and places; the places of some keys of each row are wanted, in order.

    Attributes
    ----------
    node : Node
        Gets ``rows * count`` places, int64, if nothing else does.
    start, count : int
        Which: the first few keys, or a single one anywhere.
    elements : function
        Given the builder of a kernel, returns what reads an element in it.
    key_bits : int
        Bits of the keys that may be set, all of them if 0.
    result : Scratch or None
        Gets the places instead, in the place type.
    """

    node: Node
    rows: int
    length: int
    start: int
    count: int
    key_type: DType
    place_type: DType
    elements: Callable[[KernelBuilder], ElementAt]
    key_bits: int = 0
    result: Scratch | None = None

    def output(self, builder: KernelBuilder) -> Parameter:
        """Return what a kernel writes the places to."""
        if self.result is None:
            return builder.writable(self.node, dtypes.int64)
        return builder.writable(self.result, self.place_type)

    def among(self, keys: Scratch, places: Scratch, length: int) -> "Ordering":
        """Return the same order of the keys in memory, of which each row has so many."""

        def elements(builder: KernelBuilder) -> ElementAt:
            return stored_elements(builder, self, keys, places, length)

        return replace(self, length=length, start=0, elements=elements, key_bits=0)


def stored_elements(
    builder: KernelBuilder, ordering: Ordering, keys: Scratch, places: Scratch, length: int
) -> ElementAt:
    """Return what reads keys and places that lie in memory row by row."""
    key, place = (
        builder.readable(keys, ordering.key_type),
        builder.readable(places, ordering.place_type),
    )
    size = builder.size(length, "length")
    return lambda row, at: (load(key, row * size + at), load(place, row * size + at))


def run_ends(
    at: Value, count: Value, value_at: Callable[[Value], Value]
) -> tuple[Value, Value, Value]:
    """Return a value of a sequence, and whether it begins and whether it ends a run of equals."""
    own = value_at(at)
    before, after = value_at((at > 0).select(at - 1, at)), value_at(minimum(at + 1, count - 1))
    return own, at.eq(0) | before.ne(own), at.eq(count - 1) | after.ne(own)
