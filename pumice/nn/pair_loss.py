"""Losses of rankings, pairs of embeddings, margins and distributions; as PyTorch's."""

from collections.abc import Callable
from typing import Any

from pumice.errors import InvalidArgument, describe
from pumice.nn.loss import Loss, TargetLoss, WeightedLoss
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor


class MarginRankingLoss(Loss):
    """``max(0, -target * (input1 - input2) + margin)``."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return functional.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class CosineEmbeddingLoss(Loss):
    """Cosine distance where the target is 1, cosine similarity over ``margin`` where it is -1."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return functional.cosine_embedding_loss(input1, input2, target, self.margin, self.reduction)


class HingeEmbeddingLoss(TargetLoss):
    """x where the target is 1, ``max(0, margin - x)`` where it is -1."""

    function = "hinge_embedding_loss"
    options = ("margin",)

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin


class SoftMarginLoss(TargetLoss):
    """``log(1 + exp(-target * input))``."""

    function = "soft_margin_loss"


class MultiLabelSoftMarginLoss(WeightedLoss):
    """Mean over classes of the binary cross entropy of logits."""

    function = "multilabel_soft_margin_loss"
    options = ("weight",)


class MultiMarginLoss(WeightedLoss):
    """How far other classes come within ``margin`` of the target class, to the power ``p``."""

    function = "multi_margin_loss"
    options = ("p", "margin", "weight")

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, reduction)
        self.p = p
        self.margin = margin


class MultiLabelMarginLoss(TargetLoss):
    """How far other classes come within 1 of each target class."""

    function = "multilabel_margin_loss"


class PoissonNLLLoss(TargetLoss):
    """Negative log likelihood of counts from a Poisson distribution."""

    function = "poisson_nll_loss"
    options = ("log_input", "full", "eps")

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-8,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps


class GaussianNLLLoss(Loss):
    """Negative log likelihood of normal distributions with given variances."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Compute the loss."""
        return functional.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


class TripletMarginLoss(Loss):
    """How far the positive is not nearer to the anchor than the negative by ``margin``."""

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        if margin <= 0:
            raise InvalidArgument(
                describe(type(self).__name__, f"margin is {margin}", "greater than 0")
            )
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compute the loss."""
        return functional.triplet_margin_loss(
            anchor,
            positive,
            negative,
            self.margin,
            self.p,
            self.eps,
            self.swap,
            self.reduction,
        )


class TripletMarginWithDistanceLoss(Loss):
    """`TripletMarginLoss` with a distance of one's own."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        if margin <= 0:
            raise InvalidArgument(
                describe(type(self).__name__, f"margin is {margin}", "greater than 0")
            )
        self.distance_function = distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compute the loss."""
        return functional.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class CTCLoss(Loss):
    """Negative log likelihood of label sequences over all alignments with the frames.

    Parameters
    ----------
    blank : int
        The class that stands for no label.
    reduction : str
        ``"mean"`` divides each loss by its target length first.
    zero_infinity : bool
        Whether infinite losses, of targets longer than their inputs, count as 0.
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any
    ) -> Tensor:
        """Compute the loss."""
        return functional.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )
