"""Adagrad and Adadelta."""

from collections.abc import Iterable
from typing import Any, Unpack

from pumice.dtypes import DType
from pumice.optim.optimizer import Choices, Group, check_fraction, check_not_negative
from pumice.optim.stepped import State, SteppedOptimizer, decay_into
from pumice.tensor.creation import full_like, zeros_like
from pumice.tensor.tensor import Tensor


class Adagrad(SteppedOptimizer):
    """Gradients over the root of the sum of all their squares, as ``torch.optim.Adagrad``.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Parameters, or groups of them with their own options.
    lr : float or 0-d Tensor
        Learning rate.
    lr_decay : float
        The rate at step t (from 0) is ``lr / (1 + t * lr_decay)``.
    weight_decay : float
        L2 penalty.
    initial_accumulator_value : float
        What the sum of squares begins with.
    eps : float
        Added to the root.
    maximize : bool
        Climb instead of descend.

    Notes
    -----
    Duchi, Hazan and Singer, "Adaptive subgradient methods", JMLR 12, 2011.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
        **choices: Unpack[Choices],
    ) -> None:
        check_not_negative(
            "Adagrad",
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "eps": eps,
            "maximize": maximize,
        }
        super().__init__(params, defaults, **choices)

    def buffers(self, group: Group, parameter: Tensor) -> State:
        """Return the state of a parameter that is seen for the first time."""
        return {"sum": full_like(parameter, group["initial_accumulator_value"])}

    def factors(self, group: Group, state: State, computed: DType) -> Any:
        """Return the rate of this step."""
        if group["lr_decay"] == 0:
            return group["lr"]
        return group["lr"] / ((state["step"].to(computed) - 1) * group["lr_decay"] + 1)

    def updated(
        self, group: Group, state: State, value: Tensor, gradient: Tensor, factors: Any
    ) -> Any:
        """Write the new state and return the new value of a parameter."""
        total = decay_into(state, "sum", 1.0, gradient * gradient)
        return value - gradient / (total.sqrt() + group["eps"]) * factors


class Adadelta(SteppedOptimizer):
    """Steps in the units of the parameters, as ``torch.optim.Adadelta``.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Parameters, or groups of them with their own options.
    lr : float or 0-d Tensor
        What each step is multiplied by.
    rho : float
        Decay of the averages of squares.
    eps : float
        Added inside both roots.
    weight_decay : float
        L2 penalty.
    maximize : bool
        Climb instead of descend.

    Notes
    -----
    Zeiler, arXiv:1212.5701.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
        **choices: Unpack[Choices],
    ) -> None:
        check_not_negative("Adadelta", lr=lr, eps=eps, weight_decay=weight_decay)
        check_fraction("Adadelta", "rho", rho)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults, **choices)

    def buffers(self, group: Group, parameter: Tensor) -> State:
        """Return the state of a parameter that is seen for the first time."""
        return {"square_avg": zeros_like(parameter), "acc_delta": zeros_like(parameter)}

    def updated(
        self, group: Group, state: State, value: Tensor, gradient: Tensor, factors: Any
    ) -> Any:
        """Write the new state and return the new value of a parameter."""
        rho, eps = group["rho"], group["eps"]
        square = decay_into(state, "square_avg", rho, gradient * gradient * (1 - rho))
        earlier = state["acc_delta"].to(gradient.dtype)
        change = (earlier + eps).sqrt() / (square + eps).sqrt() * gradient
        decay_into(state, "acc_delta", rho, change * change * (1 - rho))
        return value - change * group["lr"]
