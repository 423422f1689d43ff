"""Rates that are lowered when a measured quantity stops improving."""

import math
from typing import Any

from pumice.arguments import Guarded
from pumice.errors import InvalidArgument, describe
from pumice.optim.lr_scheduler.base import per_group, write_rate
from pumice.optim.optimizer import Optimizer


class ReduceLROnPlateau(Guarded):
    """Multiply the rate by ``factor`` after ``patience`` epochs without improvement.

    Parameters
    ----------
    optimizer : Optimizer
        Whose rates are set.
    mode : {"min", "max"}
        Whether a lower or a higher metric is better.
    factor : float
        Below 1.
    patience : int
        Epochs that may pass without improvement.
    threshold, threshold_mode : float, {"rel", "abs"}
        By how much a metric must be better to count, as a share of the best or as such.
    cooldown : int
        Epochs after a reduction that are not counted.
    min_lr : float or list of float
        The lowest rate, once or for each group.
    eps : float
        A reduction that changes less than this is left out.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        name = "ReduceLROnPlateau"
        if factor >= 1.0:
            raise InvalidArgument(describe(name, f"factor is {factor}", "below 1.0"))
        if mode not in ("min", "max"):
            raise InvalidArgument(describe(name, f"mode is {mode!r}", "'min' or 'max'"))
        if threshold_mode not in ("rel", "abs"):
            raise InvalidArgument(
                describe(name, f"threshold_mode is {threshold_mode!r}", "'rel' or 'abs'")
            )
        self.optimizer = optimizer
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.min_lrs = per_group(name, "min_lr", min_lr, optimizer.param_groups)
        self.eps = eps
        self.last_epoch = 0
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        self._last_lr = [float(group["lr"]) for group in optimizer.param_groups]

    def step(self, metrics: Any) -> None:
        """Go to the next epoch, with its metric: a number or a tensor of one element."""
        metric = float(metrics)
        self.last_epoch += 1
        if self.is_better(metric, self.best):
            self.best = metric
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]

    @property
    def in_cooldown(self) -> bool:
        """Whether a reduction is too recent for the metric to count."""
        return self.cooldown_counter > 0

    def is_better(self, metric: float, best: float) -> bool:
        """Return whether a metric counts as an improvement."""
        margin = self.threshold * (best if self.threshold_mode == "rel" else 1.0)
        if self.threshold_mode == "rel" and math.isinf(best):
            margin = 0.0
        return metric < best - margin if self.mode == "min" else metric > best + margin

    def _reduce(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            present = float(group["lr"])
            lower = max(present * self.factor, least)
            if present - lower > self.eps:
                write_rate(group, lower)

    def get_last_lr(self) -> list[float]:
        """Return the learning rate of each group after the last step."""
        return list(self._last_lr)

    def state_dict(self) -> dict[str, Any]:
        """Return what `load_state_dict` needs."""
        return {key: value for key, value in vars(self).items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a saved position."""
        vars(self).update(state_dict)
