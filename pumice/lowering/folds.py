"""Loop nests that fold: the loops of a reduction, with everything fused into them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pumice.dtypes import DType, int32, int64
from pumice.graph.node import Node
from pumice.kernel.ir import Carry, Fold, Loop, LoopKind, Statement, Value, Variable, constant
from pumice.ops.definition import Reduction

Merge = Callable[[tuple[Value, ...], tuple[Value, ...]], tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class LoopAxis:
    """One loop to be written: its variable and bounds."""

    variable: Variable
    start: Value
    stop: Value


def accumulator_dtypes(op: Reduction, dtype: DType, count: int) -> tuple[DType, ...]:
    """Return the dtypes a reduction of so many elements carries."""
    carried = op.accumulator(dtype)
    if not op.with_index:
        return (carried,)
    return (carried, int32 if count < 1 << 31 else int64)


def identities(op: Reduction, carried: Sequence[DType]) -> tuple[Value, ...]:
    """Return the starting values of a reduction's carries.

    The place is the first: where nothing beats the identity, each element is equal to it.
    """
    start = constant(op.identity(carried[0]), carried[0])
    return (start, *(constant(0, place) for place in carried[1:]))


def combine(op: Reduction) -> Merge:
    """Return the function that merges two partial results."""

    def merged(first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
        if op.with_index:
            value, position = op.combine(first[0], first[1], second[0], second[1])
            return (value, position)
        return (op.combine(first[0], second[0]),)

    return merged


def follow(op: Reduction) -> Merge:
    """Return the function that takes in what comes later than all there was so far."""
    if op.follow is None:
        return combine(op)
    taken = op.follow

    def taken_in(first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
        value, place = taken(*first, *second)
        return (value, place)

    return taken_in


@dataclass(frozen=True, slots=True)
class Folding:
    """One reduction to be computed by a loop nest: its entry, and elements as they are carried."""

    op: Reduction
    elements: tuple[Value, ...]

    @property
    def starts(self) -> tuple[Value, ...]:
        """Starting values of the carries."""
        return identities(self.op, [element.dtype for element in self.elements])


def fold_nest(
    foldings: Sequence[Folding],
    axes: Sequence[LoopAxis],
    lanes: bool,
    body: tuple[Statement, ...] = (),
    lanes_around: bool = False,
) -> tuple[list[Statement], list[tuple[Value, ...]]]:
    """Return the statements that fold over the axes, and the results of each folding.

    What ``body`` holds is done for each element.

    The innermost loop is a LANES loop when ``lanes``, or the outermost when ``lanes_around``; other
    loops run in order, and each combines the results of the one inside it.
    """
    last = 0 if lanes_around else len(axes) - 1
    results: list[tuple[Value, ...]] = [folding.elements for folding in foldings]
    for number, axis in reversed(list(enumerate(axes))):
        folds = []
        finished = []
        for folding, inner in zip(foldings, results, strict=True):
            carries = tuple(Carry("fold", start.dtype, start) for start in folding.starts)
            merge = combine(folding.op)
            following = follow(folding.op)(tuple(carry.now for carry in carries), inner)
            folds.append(Fold(carries, following, merge))
            finished.append(tuple(carry.result for carry in carries))
        kind = LoopKind.LANES if lanes and number == last else LoopKind.SERIAL
        loop = Loop(axis.variable, axis.start, axis.stop, kind, body, tuple(folds))
        body = (loop,)
        results = finished
    if not axes:
        results = [follow(folding.op)(folding.starts, folding.elements) for folding in foldings]
    return list(body), results


def result_value(node: Node, carried: tuple[Value, ...]) -> Value:
    """Return the value of a reduction node from its finished carries."""
    op = node.op
    assert isinstance(op, Reduction)
    return (carried[1] if op.with_index else carried[0]).cast(node.dtype)
