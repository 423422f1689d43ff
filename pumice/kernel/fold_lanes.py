"""What the kernel interpreter does with the partial results of virtual lanes.

Partial results are arrays with one row per lane of a frame and one column per virtual lane.
"""

from collections.abc import Callable, Sequence

import numpy as np

from pumice.kernel.arithmetic import Array
from pumice.kernel.frame import Frame
from pumice.kernel.ir import RUNNING_GROUP, Fold, Value
from pumice.kernel.printer import fold_operands

Evaluate = Callable[[Frame, Value], Array]


def merged(
    evaluate: Evaluate, frame: Frame, fold: Fold, first: Sequence[Array], second: Sequence[Array]
) -> list[Array]:
    """Combine partial results; ``first`` may have a single column."""
    left, right = fold_operands(fold, "left"), fold_operands(fold, "right")
    shape = second[0].shape
    child = Frame(shape[0] * shape[1], frame, np.repeat(np.arange(frame.size), shape[1]))
    for operands, parts in ((left, first), (right, second)):
        for operand, part in zip(operands, parts, strict=True):
            child.values[operand] = np.broadcast_to(part, shape).reshape(-1)
    combined = fold.combine(left, right)
    return [child.spread(evaluate(child, value)).reshape(shape) for value in combined]


def joined_lanes(
    evaluate: Evaluate, frame: Frame, fold: Fold, parts: Sequence[Array]
) -> Sequence[Array]:
    """Merge virtual lanes in a tree: lane l with lane l + half, half after half."""
    half = parts[0].shape[1] // 2
    while half:
        first, second = [part[:, :half] for part in parts], [part[:, half:] for part in parts]
        parts = merged(evaluate, frame, fold, first, second)
        half //= 2
    return parts


def running_values(
    evaluate: Evaluate,
    frame: Frame,
    fold: Fold,
    before: Sequence[Array],
    parts: Sequence[Array],
) -> list[Array]:
    """Return the running values of a group of iterations, behind those ``before`` it."""
    distance = 1
    while distance < RUNNING_GROUP:
        earlier, own = (
            [part[:, :-distance] for part in parts],
            [part[:, distance:] for part in parts],
        )
        new = merged(evaluate, frame, fold, earlier, own)
        parts = [
            np.concatenate((old[:, :distance], taken), 1)
            for old, taken in zip(parts, new, strict=True)
        ]
        distance *= 2
    return merged(evaluate, frame, fold, before, parts)
