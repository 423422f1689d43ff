"""Adam, and AdamW with its decoupled weight decay."""

import math
from collections.abc import Iterable
from typing import Any, ClassVar, Unpack

from pumice.dtypes import DType
from pumice.optim.optimizer import Choices, Group, check_betas, check_not_negative, is_zero
from pumice.optim.stepped import State, SteppedOptimizer, blend, decay_into
from pumice.tensor.creation import zeros_like
from pumice.tensor.tensor import Tensor


class MomentOptimizer(SteppedOptimizer):
    """An optimizer that averages the gradient and its square, with decays ``betas``."""

    running: ClassVar[tuple[str, ...]] = ("lr", "betas")

    def buffers(self, group: Group, parameter: Tensor) -> State:
        """Return the state of a parameter that is seen for the first time."""
        return {"exp_avg": zeros_like(parameter), "exp_avg_sq": zeros_like(parameter)}

    def averages(self, group: Group, state: State, gradient: Tensor) -> tuple[Tensor, Tensor]:
        """Go on by one step in both averages, and return them."""
        beta1, beta2 = group["betas"]
        mean = blend(state, "exp_avg", gradient, 1 - beta1)
        square = decay_into(state, "exp_avg_sq", beta2, gradient * gradient * (1 - beta2))
        return mean, square


class Adam(MomentOptimizer):
    """Adaptive moments, as ``torch.optim.Adam``.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Parameters, or groups of them with their own options.
    lr : float or 0-d Tensor
        Learning rate.
    betas : (float, float)
        Decay of the averages of the gradient and of its square.
    eps : float
        Added to the denominator.
    weight_decay : float
        L2 penalty, or the decay itself when decoupled.
    amsgrad : bool
        Use the largest average of squares so far.
    maximize : bool
        Climb instead of descend.
    decoupled_weight_decay : bool
        Shrink the parameters directly (which is AdamW).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
        **choices: Unpack[Choices],
    ) -> None:
        check_not_negative(type(self).__name__, lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas(type(self).__name__, betas)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults, **choices)

    def buffers(self, group: Group, parameter: Tensor) -> State:
        """Return the state of a parameter that is seen for the first time."""
        state = super().buffers(group, parameter)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(parameter)
        return state

    def factors(self, group: Group, state: State, computed: DType) -> tuple[Any, Any]:
        """Return the rate and the root of the second moment's bias correction."""
        step = state["step"].to(computed)
        first, second = (bias_correction(beta, step) for beta in group["betas"])
        return group["lr"] / first, second**0.5

    def updated(
        self, group: Group, state: State, value: Tensor, gradient: Tensor, factors: Any
    ) -> Any:
        """Write the new state and return the new value of a parameter."""
        rate, root = factors
        mean, square = self.averages(group, state, gradient)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].to(square.dtype).maximum(square)
            state["max_exp_avg_sq"].copy_(square)
        return value - mean / (square.sqrt() / root + group["eps"]) * rate


class AdamW(Adam):
    """Adam with decoupled weight decay, as ``torch.optim.AdamW``; arguments as `Adam`."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        **choices: Unpack[Choices],
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            maximize=maximize,
            decoupled_weight_decay=True,
            **choices,
        )


def bias_correction(beta: float | Tensor, step: Tensor) -> Any:
    """Return ``1 - beta ** step`` without cancellation."""
    if is_zero(beta):
        return 1.0
    return -(step * (beta.log() if isinstance(beta, Tensor) else math.log(beta))).expm1()
