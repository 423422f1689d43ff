"""RMSprop."""

from collections.abc import Iterable
from typing import Any, Unpack

from pumice.optim.optimizer import Choices, Group, check_not_negative
from pumice.optim.stepped import State, SteppedOptimizer, blend, decay_into
from pumice.tensor.creation import zeros_like
from pumice.tensor.tensor import Tensor


class RMSprop(SteppedOptimizer):
    """Gradients over the root of their average square, as ``torch.optim.RMSprop``.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Parameters, or groups of them with their own options.
    lr : float or 0-d Tensor
        Learning rate.
    alpha : float
        Decay of the averages.
    eps : float
        Added to the root.
    weight_decay : float
        L2 penalty.
    momentum : float
        Share of the last step that is taken again.
    centered : bool
        Divide by the estimated deviation instead: the average gradient is taken off.
    maximize : bool
        Climb instead of descend.

    Notes
    -----
    Hinton, lecture 6e of "Neural Networks for Machine Learning"; centered: Graves,
    arXiv:1308.0850.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
        **choices: Unpack[Choices],
    ) -> None:
        check_not_negative(
            "RMSprop", lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum
        )
        defaults = {
            "lr": lr,
            "alpha": alpha,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "centered": centered,
            "maximize": maximize,
        }
        super().__init__(params, defaults, **choices)

    def buffers(self, group: Group, parameter: Tensor) -> State:
        """Return the state of a parameter that is seen for the first time."""
        names = ["square_avg"]
        names += ["momentum_buffer"] * (group["momentum"] > 0)
        names += ["grad_avg"] * bool(group["centered"])
        return {name: zeros_like(parameter) for name in names}

    def updated(
        self, group: Group, state: State, value: Tensor, gradient: Tensor, factors: Any
    ) -> Any:
        """Write the new state and return the new value of a parameter."""
        alpha = group["alpha"]
        square = decay_into(state, "square_avg", alpha, gradient * gradient * (1 - alpha))
        if group["centered"]:
            mean = blend(state, "grad_avg", gradient, 1 - alpha)
            square = square - mean * mean
        change = gradient / (square.sqrt() + group["eps"])
        if group["momentum"] > 0:
            change = decay_into(state, "momentum_buffer", group["momentum"], change)
        return value - change * group["lr"]
