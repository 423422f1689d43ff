"""Adam, and AdamW with its decoupled weight decay."""

import math
from collections.abc import Iterable
from typing import Any

from pumice import dtypes
from pumice.dtypes import DType, accumulation_dtype
from pumice.errors import InvalidArgument, describe
from pumice.optim.optimizer import Group, Optimizer, check_not_negative
from pumice.tensor.creation import zeros, zeros_like
from pumice.tensor.tensor import Tensor


class Adam(Optimizer):
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
    ) -> None:
        check_not_negative(type(self).__name__, lr=lr, eps=eps, weight_decay=weight_decay)
        for position, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise InvalidArgument(
                    describe(
                        type(self).__name__,
                        f"invalid beta parameter at index {position}: {beta}",
                        "0 up to but not including 1",
                    )
                )
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def update_group(self, group: Group, parameters: list[Tensor]) -> None:
        """Write new values into the parameters of a group that have a gradient."""
        self._start(group, parameters)
        steps = self._advance(parameters)
        corrections: dict[tuple[int, DType], tuple[Any, Any]] = {}
        for parameter in parameters:
            step = steps[id(parameter)]
            computed = accumulation_dtype(parameter.dtype)
            key = (id(step), computed)
            if key not in corrections:
                exact = step.to(computed)
                first, second = (_bias_correction(beta, exact) for beta in group["betas"])
                corrections[key] = (group["lr"] / first, second**0.5)
            self._update(group, parameter, computed, *corrections[key])

    def _update(
        self, group: Group, parameter: Tensor, computed: DType, rate: Any, root: Any
    ) -> None:
        """Update one parameter; 16-bit ones are computed in float32 and rounded once."""
        beta1, beta2 = group["betas"]
        state = self.state[parameter]
        value = parameter.detach().to(computed)
        assert parameter.grad is not None
        gradient = parameter.grad.to(computed)
        if group["maximize"]:
            gradient = -gradient
        if group["weight_decay"] != 0:
            if group.get("decoupled_weight_decay"):
                value = value * (1 - group["lr"] * group["weight_decay"])
            else:
                gradient = gradient + value * group["weight_decay"]
        mean = state["exp_avg"].to(computed)
        mean = mean + (gradient - mean) * (1 - beta1)
        square = state["exp_avg_sq"].to(computed) * beta2 + gradient * gradient * (1 - beta2)
        state["exp_avg"].copy_(mean)
        state["exp_avg_sq"].copy_(square)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].to(computed).maximum(square)
            state["max_exp_avg_sq"].copy_(square)
        denominator = square.sqrt() / root + group["eps"]
        parameter.copy_(value - mean / denominator * rate)

    def _start(self, group: Group, parameters: list[Tensor]) -> None:
        """Give parameters seen for the first time their state; they share one step count."""
        shared: dict[Any, Tensor] = {}
        for parameter in parameters:
            if parameter in self.state:
                continue
            device = parameter.device
            if device not in shared:
                shared[device] = zeros((), dtype=dtypes.float32, device=device)
            blank = parameter.detach()
            state = {
                "step": shared[device],
                "exp_avg": zeros_like(blank),
                "exp_avg_sq": zeros_like(blank),
            }
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros_like(blank)
            self.state[parameter] = state

    def _advance(self, parameters: list[Tensor]) -> dict[int, Tensor]:
        """Add one to the step counts; parameters that sit out get a count of their own."""
        present = {id(parameter) for parameter in parameters}
        moving = {id(self.state[parameter]["step"]) for parameter in parameters}
        left: dict[int, Tensor] = {}
        for parameter, state in self.state.items():
            step = state["step"]
            if id(parameter) not in present and id(step) in moving:
                state["step"] = left.setdefault(id(step), step.clone())
        steps = {id(parameter): self.state[parameter]["step"] for parameter in parameters}
        for step in {id(step): step for step in steps.values()}.values():
            step.add_(1)
        return steps

    def after_load(self) -> None:
        """Let parameters with equal step counts share one tensor again."""
        shared: dict[tuple[Any, float], Tensor] = {}
        for parameter, state in self.state.items():
            step = state["step"]
            state["step"] = shared.setdefault((parameter.device, float(step.item())), step)


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
        )


def _bias_correction(beta: float, step: Tensor) -> Any:
    """Return ``1 - beta ** step`` without cancellation."""
    return 1.0 if beta == 0.0 else -(step * math.log(beta)).expm1()
