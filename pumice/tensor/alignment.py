"""The loss of label sequences that are not aligned with their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.tensor.convert import as_tensor
from pumice.tensor.creation import full
from pumice.tensor.joining import stack
from pumice.tensor.marks import functional
from pumice.tensor.ranges import arange
from pumice.tensor.regression import reduced
from pumice.tensor.selection import where

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

INFINITY = float("inf")


@functional
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return the negative log likelihood of label sequences over all their alignments.

    Parameters
    ----------
    log_probs : Tensor
        (T, N, C) or (T, C), floating; log probabilities of the classes in each frame.
    targets : Tensor
        (N, S) padded, or all labels one after another; integer, without ``blank``.
    input_lengths, target_lengths : Tensor or sequence of int
        (N) or 0-d; the frames and the labels of each sample.
    blank : int
        The class that stands for no label.
    reduction : str
        ``"mean"`` divides each loss by its target length and averages, ``"sum"``, ``"none"``.
    zero_infinity : bool
        Whether infinite losses, of targets longer than their inputs, count as 0.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError, InvalidArgument
        For arguments that do not fit each other.

    Notes
    -----
    Graves et al., "Connectionist temporal classification", ICML 2006: the forward variables of
    the labels with blanks between them, one frame after another. Gradient: by the chain rule.

    Examples
    --------
    >>> import pumice
    >>> frames = pumice.zeros(2, 1, 3).log_softmax(-1)
    >>> target = pumice.tensor([[1]])
    >>> pumice.nn.functional.ctc_loss(frames, target, [2], [1])
    tensor(1.0986)
    """
    name = "ctc_loss"
    batched = _batched(name, log_probs, targets, blank)
    count = batched.shape[1]
    frames = _lengths(name, "input_lengths", input_lengths, count, log_probs.device)
    _check_given(name, input_lengths, batched.shape[0])
    labels = _lengths(name, "target_lengths", target_lengths, count, log_probs.device)
    padded = targets if targets.ndim == 2 else _padded(targets, labels)
    loss = _loss(batched, padded, frames, labels, blank)
    if zero_infinity:
        loss = where(loss == INFINITY, 0.0, loss)
    if reduction == "mean":
        loss = loss / labels.clamp(min=1).to(loss.dtype)
    if log_probs.ndim == 2:
        loss = loss.squeeze(0)
    return reduced(name, loss.node, reduction)


def _batched(name: str, log_probs: Tensor, targets: Tensor, blank: int) -> Tensor:
    """Return log probabilities with a batch axis, if the arguments fit."""
    batched = log_probs if log_probs.ndim == 3 else log_probs.unsqueeze(1)
    if log_probs.ndim not in (2, 3) or targets.ndim not in (1, 2):
        raise ShapeError(
            describe(
                name,
                f"got log_probs {list(log_probs.shape)} and targets {list(targets.shape)}",
                "(T, N, C) or (T, C), with (N, S) or (sum of lengths)",
            )
        )
    if not 0 <= blank < batched.shape[2]:
        raise InvalidArgument(
            describe(name, f"blank is {blank}", f"a class, 0 to {batched.shape[2] - 1}")
        )
    if targets.ndim == 2 and targets.shape[0] != batched.shape[1]:
        raise ShapeError(
            describe(
                name,
                f"got targets {list(targets.shape)} for {batched.shape[1]} samples",
                "one row a sample",
            )
        )
    if not targets.dtype.is_integral:
        raise DTypeError(describe(name, f"targets are {targets.dtype.name}", "integers"))
    return batched


def _check_given(name: str, lengths: Any, steps: int) -> None:
    """Refuse lengths that are known now and do not fit; those in tensors are data."""
    if hasattr(lengths, "node"):
        return
    known = [lengths] if isinstance(lengths, int) else list(lengths)
    if not all(0 <= each <= steps for each in known):
        raise InvalidArgument(describe(name, f"input_lengths are {known}", f"0 to {steps}"))


def _lengths(name: str, argument: str, given: Any, count: int, device: Any) -> Any:
    lengths: Any = as_tensor(given, device=device).to(dtypes.int64).reshape(-1)
    if lengths.shape != (count,):
        raise ShapeError(
            describe(name, f"{argument} has {lengths.shape[0]} elements", f"{count}, one a sample")
        )
    return lengths


def _padded(targets: Any, lengths: Any) -> Any:
    """Return labels that lie one after another as rows; what is too long is never looked at."""
    ends = lengths.cumsum(0)
    place = (ends - lengths).unsqueeze(1) + arange(targets.shape[0], device=targets.device)
    return targets[place.clamp(max=max(targets.shape[0] - 1, 0))]


def _loss(log_probs: Any, targets: Any, frames: Any, labels: Any, blank: int) -> Any:
    """Return the loss of each sample of (T, N, C)."""
    steps, count, _ = log_probs.shape
    length = 2 * targets.shape[1] + 1
    device, dtype = log_probs.device, log_probs.dtype
    states: Any = full((count, length), blank, dtype=dtypes.int64, device=device)
    states[:, 1::2] = targets
    # A blank between two labels may be left out unless they are equal.
    skips: Any = full((count, length), False, dtype=dtypes.bool_, device=device)
    skips[:, 2:] = (states[:, 2:] != blank) & (states[:, 2:] != states[:, :-2])
    emitted = log_probs.gather(2, states.unsqueeze(0).expand(steps, count, length))
    never: Any = full((count, length), -INFINITY, dtype=dtype, device=device)
    alpha = where(arange(length, device=device) < 2, emitted[0], never)
    for step in range(1, steps):
        one = never.clone()
        one[:, 1:] = alpha[:, :-1]
        two = never.clone()
        two[:, 2:] = alpha[:, :-2]
        reached = alpha.logaddexp(one).logaddexp(where(skips, two, never)) + emitted[step]
        alpha = where((frames > step).unsqueeze(1), reached, alpha)
    ends = alpha.gather(1, stack([2 * labels, 2 * labels - 1], 1).clamp(min=0))
    last_label = where(labels > 0, ends[:, 1], -INFINITY)
    loss = -ends[:, 0].logaddexp(last_label)
    # Without frames there is one alignment of no labels, and none of others.
    without: Any = full((count,), INFINITY, dtype=dtype, device=device)
    return where(frames > 0, loss, where(labels > 0, without, 0.0))
