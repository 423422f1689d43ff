"""Splitting flattened positions into those of single axes."""

from math import prod

from pumice.kernel.ir import Value
from pumice.lowering.builder import KernelBuilder
from pumice.ops.view import Shape


def decode(
    builder: KernelBuilder, position: Value, shape: Shape, groups: list[tuple[int, ...]]
) -> tuple[Value, ...]:
    """Split a flattened position into the positions of merged axes."""
    values: list[Value] = []
    rest = position
    for number, members in enumerate(reversed(groups)):
        if number == len(groups) - 1:
            values.append(rest)
            break
        extent = builder.size(prod(shape[axis] for axis in members), "extent")
        values.append(rest.modulus(extent))
        rest = rest.quotient(extent)
    return tuple(reversed(values))
