"""Relatives of Adam: Adamax, NAdam and RAdam."""

from collections.abc import Iterable
from typing import Any, ClassVar, Unpack

from pumice.dtypes import DType
from pumice.optim.adam import MomentOptimizer, bias_correction
from pumice.optim.optimizer import Choices, Group, check_betas, check_not_negative
from pumice.optim.stepped import State, SteppedOptimizer, blend
from pumice.tensor.creation import zeros_like
from pumice.tensor.selection import where
from pumice.tensor.tensor import Tensor

WARM_UP_DECAY = 0.96
"""How fast NAdam's momentum goes from half of beta1 to beta1, per scaled step."""

LEAST_LENGTH = 5.0
"""Length of RAdam's average from which the variance of its step is finite enough to use."""


class Adamax(SteppedOptimizer):
    """Adam with the largest gradient in place of the root mean square, as in PyTorch.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Parameters, or groups of them with their own options.
    lr : float or 0-d Tensor
        Learning rate.
    betas : (float, float)
        Decay of the average of the gradient and of its largest magnitude.
    eps : float
        Added to the magnitudes.
    weight_decay : float
        L2 penalty.
    maximize : bool
        Climb instead of descend.

    Notes
    -----
    Kingma and Ba, arXiv:1412.6980, section 7.
    """

    running: ClassVar[tuple[str, ...]] = ("lr", "betas")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
        **choices: Unpack[Choices],
    ) -> None:
        check_not_negative("Adamax", lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas("Adamax", betas)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults, **choices)

    def buffers(self, group: Group, parameter: Tensor) -> State:
        """Return the state of a parameter that is seen for the first time."""
        return {"exp_avg": zeros_like(parameter), "exp_inf": zeros_like(parameter)}

    def factors(self, group: Group, state: State, computed: DType) -> Any:
        """Return the rate over the bias correction."""
        return group["lr"] / bias_correction(group["betas"][0], state["step"].to(computed))

    def updated(
        self, group: Group, state: State, value: Tensor, gradient: Tensor, factors: Any
    ) -> Any:
        """Write the new state and return the new value of a parameter."""
        beta1, beta2 = group["betas"]
        mean = blend(state, "exp_avg", gradient, 1 - beta1)
        largest = state["exp_inf"].to(gradient.dtype) * beta2
        largest = largest.maximum(gradient.abs() + group["eps"])
        state["exp_inf"].copy_(largest)
        return value - mean / largest * factors


class NAdam(MomentOptimizer):
    """Adam with Nesterov momentum, as ``torch.optim.NAdam``.

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
    momentum_decay : float
        How fast the momentum grows to ``betas[0]``.
    decoupled_weight_decay : bool
        Shrink the parameters directly.
    maximize : bool
        Climb instead of descend.

    Notes
    -----
    Dozat, "Incorporating Nesterov momentum into Adam", 2016.
    """

    counters = {"step": 0.0, "mu_product": 1.0}

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        **choices: Unpack[Choices],
    ) -> None:
        check_not_negative(
            "NAdam", lr=lr, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay
        )
        check_betas("NAdam", betas)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults, **choices)

    def advance(self, group: Group, state: State, computed: DType) -> None:
        """Go on by one step in the shared numbers of ``state``.

        The product is kept in float32, as PyTorch keeps it; a momentum is rounded only for it.
        """
        super().advance(group, state, computed)
        product = state["mu_product"]
        product.mul_(_momentum(group, state["step"].to(computed)).to(product.dtype))

    def factors(self, group: Group, state: State, computed: DType) -> tuple[Any, Any, Any]:
        """Return the shares of gradient and average, and the root's bias correction."""
        step = state["step"].to(computed)
        product = state["mu_product"].to(computed)
        following = _momentum(group, step + 1)
        of_gradient = (1 - _momentum(group, step)) * group["lr"] / (1 - product)
        of_mean = following * group["lr"] / (1 - product * following)
        return of_gradient, of_mean, bias_correction(group["betas"][1], step)

    def updated(
        self, group: Group, state: State, value: Tensor, gradient: Tensor, factors: Any
    ) -> Any:
        """Write the new state and return the new value of a parameter."""
        of_gradient, of_mean, correction = factors
        mean, square = self.averages(group, state, gradient)
        denominator = (square / correction).sqrt() + group["eps"]
        return value - gradient / denominator * of_gradient - mean / denominator * of_mean


class RAdam(MomentOptimizer):
    """Adam that waits until its variance can be estimated, as ``torch.optim.RAdam``.

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
    decoupled_weight_decay : bool
        Shrink the parameters directly.
    maximize : bool
        Climb instead of descend.

    Notes
    -----
    Liu et al., "On the variance of the adaptive learning rate and beyond", arXiv:1908.03265.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        **choices: Unpack[Choices],
    ) -> None:
        check_not_negative("RAdam", lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas("RAdam", betas)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults, **choices)

    def factors(self, group: Group, state: State, computed: DType) -> tuple[Any, Any, Any]:
        """Return the rate, what the adaptive step is multiplied by, and whether it is used."""
        beta1, beta2 = group["betas"]
        step = state["step"].to(computed)
        correction = bias_correction(beta2, step)
        longest = 2 / (1 - beta2) - 1
        length = longest - step * beta2**step * 2 / correction
        variance = (length - 4) * (length - 2) * longest
        variance = variance / ((longest - 4) * (longest - 2) * length)
        usable = length > LEAST_LENGTH
        rectified = where(usable, variance, 1.0).sqrt() * correction**0.5
        return group["lr"] / bias_correction(beta1, step), rectified, usable

    def updated(
        self, group: Group, state: State, value: Tensor, gradient: Tensor, factors: Any
    ) -> Any:
        """Write the new state and return the new value of a parameter."""
        rate, rectified, usable = factors
        mean, square = self.averages(group, state, gradient)
        adaptive = rectified / (square.sqrt() + group["eps"])
        return value - mean * where(usable, adaptive, 1.0) * rate


def _momentum(group: Group, step: Tensor) -> Tensor:
    """Return NAdam's momentum of a step."""
    warm_up: Tensor = WARM_UP_DECAY ** (step * group["momentum_decay"])
    momentum: Tensor = (1 - warm_up * 0.5) * group["betas"][0]
    return momentum
