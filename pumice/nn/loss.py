"""Losses as modules; the arguments are PyTorch's."""

from typing import Any

from pumice.errors import InvalidArgument, describe
from pumice.nn.module import Module
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor


class Loss(Module):
    """A function that ends with a reduction over samples; a subclass gives ``forward``."""

    reductions: tuple[str, ...] = ("none", "mean", "sum")

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in self.reductions:
            raise InvalidArgument(
                describe(
                    type(self).__name__,
                    f"{reduction} is not a valid value for reduction",
                    f"one of {', '.join(self.reductions)}",
                )
            )
        self.reduction = reduction


class TargetLoss(Loss):
    """A function of input and target.

    ``function`` names the function in `functional`, ``options`` the attributes that it takes by
    name besides ``reduction``.
    """

    function = ""
    options: tuple[str, ...] = ()

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        apply: Any = getattr(functional, self.function)
        named = {name: getattr(self, name) for name in self.options}
        result: Tensor = apply(input, target, reduction=self.reduction, **named)
        return result


class L1Loss(TargetLoss):
    """Absolute difference."""

    function = "l1_loss"


class MSELoss(TargetLoss):
    """Squared difference."""

    function = "mse_loss"


class SmoothL1Loss(TargetLoss):
    """Squared difference near 0, absolute beyond ``beta``."""

    function = "smooth_l1_loss"
    options = ("beta",)

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta


class HuberLoss(TargetLoss):
    """Squared difference near 0, ``delta`` times the absolute one beyond."""

    function = "huber_loss"
    options = ("delta",)

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta


class WeightedLoss(TargetLoss):
    """A loss with a weight tensor, kept as a buffer."""

    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)


class NLLLoss(WeightedLoss):
    """Negative log likelihood of class indices."""

    function = "nll_loss"
    options = ("weight", "ignore_index")

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index


class CrossEntropyLoss(WeightedLoss):
    """Log softmax and negative log likelihood of class indices or probabilities."""

    function = "cross_entropy"
    options = ("weight", "ignore_index", "label_smoothing")

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing


class BCELoss(WeightedLoss):
    """Binary cross entropy of probabilities."""

    function = "binary_cross_entropy"
    options = ("weight",)


class BCEWithLogitsLoss(WeightedLoss):
    """Binary cross entropy of logits."""

    function = "binary_cross_entropy_with_logits"
    options = ("weight", "pos_weight")

    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)


class KLDivLoss(TargetLoss):
    """Kullback-Leibler divergence from log probabilities."""

    reductions = (*Loss.reductions, "batchmean")
    function = "kl_div"
    options = ("log_target",)

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction)
        self.log_target = log_target
