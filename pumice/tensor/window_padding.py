"""``nn.functional.pad``: PyTorch's form, a flat list that starts at the last axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pumice.errors import ShapeError, describe
from pumice.tensor.core import wrap
from pumice.tensor.marks import functional
from pumice.tensor.operands import tensor_node
from pumice.tensor.padding import padded

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@functional
def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Surround the last axes with further elements.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    pad : sequence of int
        (before, after) of the last axis, then of the one before it, ...; negative counts remove.
    mode : str
        ``"constant"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
    value : number, optional
        For mode "constant", converted to the input's dtype; 0 by default.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the list is odd or longer than twice the number of axes.

    Examples
    --------
    >>> import pumice
    >>> pumice.nn.functional.pad(pumice.tensor([[1, 2]]), (1, 0)).tolist()
    [[0, 1, 2]]
    """
    node = tensor_node("pad", input)
    counts = [int(count) for count in pad]
    if len(counts) % 2 or len(counts) > 2 * len(node.shape):
        raise ShapeError(
            describe(
                "pad",
                f"{len(counts)} numbers for shape {list(node.shape)}",
                "an even number, at most two per axis",
            )
        )
    pairs = [(counts[place], counts[place + 1]) for place in range(0, len(counts), 2)]
    pairs += [(0, 0)] * (len(node.shape) - len(pairs))
    if mode == "circular":
        # PyTorch removes before it wraps, unlike `pumice.pad`.
        removed = [(min(before, 0), min(after, 0)) for before, after in pairs]
        node = padded("pad", node, removed[::-1], "constant", 0)
        pairs = [(max(before, 0), max(after, 0)) for before, after in pairs]
    fill = 0.0 if value is None else value
    number = fill if node.dtype.is_floating_point else int(fill)
    return wrap(padded("pad", node, pairs[::-1], mode, number))
