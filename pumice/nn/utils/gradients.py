"""What is done to the gradients of parameters between ``backward`` and ``step``."""

from collections.abc import Iterable

from pumice.arguments import guarded
from pumice.autograd import no_grad
from pumice.errors import InvalidArgument, describe
from pumice.tensor.convert import tensor
from pumice.tensor.joining import stack
from pumice.tensor.tensor import Tensor

SMALL = 1e-6
"""Added to the norm that is divided by, as PyTorch does."""


@guarded
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale gradients so that the norm of all of them together is at most ``max_norm``.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those without a gradient are passed over.
    max_norm : float
        The largest norm allowed.
    norm_type : float
        The p of the norm; may be infinite.
    error_if_nonfinite : bool
        Look at the norm at once, and fail when it is infinite or NaN. Not possible inside `jit`.

    Returns
    -------
    Tensor
        The norm before scaling.

    Raises
    ------
    InvalidArgument
        See ``error_if_nonfinite``.
    """
    given = list(_listed(parameters))
    total = _norm("clip_grad_norm_", _gradients(given), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(given, max_norm, total)
    return total


@guarded
def get_total_norm(
    tensors: Tensor | Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """Return the norm of all tensors together.

    Parameters
    ----------
    tensors : Tensor or iterable of Tensor
        Usually gradients.
    norm_type : float
        The p of the norm; may be infinite.
    error_if_nonfinite : bool
        Look at the norm at once, and fail when it is infinite or NaN. Not possible inside `jit`.

    Returns
    -------
    Tensor
        0-d.

    Raises
    ------
    InvalidArgument
        See ``error_if_nonfinite``.
    """
    return _norm("get_total_norm", list(_listed(tensors)), norm_type, error_if_nonfinite)


@guarded
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor
) -> None:
    """Scale gradients whose norm is known so that it is at most ``max_norm``.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those without a gradient are passed over.
    max_norm : float
        The largest norm allowed.
    total_norm : Tensor
        The norm of all of them together, from `get_total_norm`.
    """
    with no_grad():
        scale = (max_norm / (total_norm + SMALL)).clamp(max=1.0)
        for each in _gradients(parameters):
            each.mul_(scale.to(each.dtype))


@guarded
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Limit every element of every gradient to ``-clip_value`` to ``clip_value``.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those without a gradient are passed over.
    clip_value : float
        The largest magnitude allowed.
    """
    with no_grad():
        for each in _gradients(parameters):
            each.clamp_(-clip_value, clip_value)


def _norm(name: str, tensors: list[Tensor], norm_type: float, error_if_nonfinite: bool) -> Tensor:
    if not tensors:
        return tensor(0.0)
    with no_grad():
        total = stack([each.norm(norm_type) for each in tensors]).norm(norm_type)
        if error_if_nonfinite and not total.isfinite().item():
            raise InvalidArgument(
                describe(name, f"the norm of the gradients is {total.item()}", "a finite norm")
            )
    return total


def _listed(given: Tensor | Iterable[Tensor]) -> Iterable[Tensor]:
    return [given] if isinstance(given, Tensor) else given


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [each.grad for each in _listed(parameters) if each.grad is not None]
