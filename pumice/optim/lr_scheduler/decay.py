"""Rates that shrink or grow along a formula."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any

from pumice.errors import InvalidArgument, describe
from pumice.optim.lr_scheduler.base import LRScheduler, per_group
from pumice.optim.optimizer import Optimizer

Function = Callable[[int], float]


class StepLR(LRScheduler):
    """Multiply the learning rate by ``gamma`` every ``step_size`` epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, epoch: int) -> float:
        """Return the learning rate of an epoch."""
        return base * self.gamma ** (epoch // self.step_size)


class MultiStepLR(LRScheduler):
    """Multiply the learning rate by ``gamma`` at each epoch in ``milestones``."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = sorted(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, epoch: int) -> float:
        """Return the learning rate of an epoch."""
        return base * self.gamma ** bisect_right(self.milestones, epoch)


class ExponentialLR(LRScheduler):
    """Multiply the learning rate by ``gamma`` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, epoch: int) -> float:
        """Return the learning rate of an epoch."""
        return base * float(self.gamma**epoch)


class ConstantLR(LRScheduler):
    """Multiply the learning rate by ``factor`` during the first ``total_iters`` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < factor <= 1:
            raise InvalidArgument(
                describe("ConstantLR", f"factor is {factor}", "above 0 and at most 1")
            )
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, epoch: int) -> float:
        """Return the learning rate of an epoch."""
        return base * self.factor if epoch < self.total_iters else base


class LinearLR(LRScheduler):
    """Go from ``start_factor`` to ``end_factor`` of the rate along a line; a warm-up, say."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise InvalidArgument(
                describe("LinearLR", f"start_factor is {start_factor}", "above 0 and at most 1")
            )
        if not 0 <= end_factor <= 1:
            raise InvalidArgument(describe("LinearLR", f"end_factor is {end_factor}", "0 to 1"))
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, epoch: int) -> float:
        """Return the learning rate of an epoch."""
        done = min(epoch, self.total_iters) / self.total_iters
        return base * (self.start_factor + (self.end_factor - self.start_factor) * done)


class PolynomialLR(LRScheduler):
    """Go to zero in ``total_iters`` epochs along a power of what is left."""

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, epoch: int) -> float:
        """Return the learning rate of an epoch."""
        left = 1 - min(epoch, self.total_iters) / self.total_iters
        return base * float(left**self.power)


class LambdaLR(LRScheduler):
    """Multiply the first learning rate by what a function of the epoch returns.

    Parameters
    ----------
    optimizer : Optimizer
        Whose rates are set.
    lr_lambda : callable or list of callable
        One function, or one for each group.
    last_epoch : int
        The epoch before the present one.
    """

    chained = False

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Function | list[Function], last_epoch: int = -1
    ) -> None:
        self.lr_lambdas = per_group("LambdaLR", "lr_lambda", lr_lambda, optimizer.param_groups)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rate that each group has from the present epoch on."""
        functions = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * function(self.last_epoch) for function, base in functions]


class MultiplicativeLR(LRScheduler):
    """Multiply the present learning rate by what a function of the epoch returns.

    Parameters
    ----------
    optimizer : Optimizer
        Whose rates are set.
    lr_lambda : callable or list of callable
        One function, or one for each group.
    last_epoch : int
        The epoch before the present one.
    """

    chained = False

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Function | list[Function], last_epoch: int = -1
    ) -> None:
        groups = optimizer.param_groups
        self.lr_lambdas = per_group("MultiplicativeLR", "lr_lambda", lr_lambda, groups)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rate that each group has from the present epoch on."""
        present: list[Any] = [float(group["lr"]) for group in self.optimizer.param_groups]
        if self.last_epoch == 0:
            return present
        functions = zip(self.lr_lambdas, present, strict=True)
        return [rate * function(self.last_epoch) for function, rate in functions]


class CosineAnnealingLR(LRScheduler):
    """Lower the learning rate along half a cosine over ``T_max`` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: int,  # noqa: N803 - PyTorch's name
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, epoch: int) -> float:
        """Return the learning rate of an epoch."""
        phase = math.cos(math.pi * epoch / self.T_max)
        return self.eta_min + (base - self.eta_min) * (1 + phase) / 2
