"""Learning rates that change from epoch to epoch."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any

from pumice.optim.optimizer import Optimizer
from pumice.tensor.tensor import Tensor


class LRScheduler:
    """Base of the schedules: ``step()`` once per epoch sets each group's ``lr``.

    Kernels take the rate as an argument, so a new one compiles nothing. A rate that is a tensor
    is written to, and then a step captured by `jit` need not be captured again either.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [float(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    def rate(self, base: float) -> float:
        """Return the learning rate of the present epoch."""
        raise NotImplementedError(f"{type(self).__name__} needs a rate")

    def step(self) -> None:
        """Go to the next epoch."""
        self.last_epoch += 1
        for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            rate = self.rate(base)
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    def get_last_lr(self) -> list[float]:
        """Return the present learning rate of each group."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return what `load_state_dict` needs."""
        return {key: value for key, value in vars(self).items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a saved position."""
        vars(self).update(state_dict)


class StepLR(LRScheduler):
    """Multiply the learning rate by ``gamma`` every ``step_size`` epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float) -> float:
        """Return the learning rate of the present epoch."""
        return base * self.gamma ** (self.last_epoch // self.step_size)


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

    def rate(self, base: float) -> float:
        """Return the learning rate of the present epoch."""
        return base * self.gamma ** bisect_right(self.milestones, self.last_epoch)


class ExponentialLR(LRScheduler):
    """Multiply the learning rate by ``gamma`` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float) -> float:
        """Return the learning rate of the present epoch."""
        return base * float(self.gamma**self.last_epoch)


class LambdaLR(LRScheduler):
    """Multiply the first learning rate by what a function returns for the epoch."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float], last_epoch: int = -1
    ) -> None:
        self.lr_lambda = lr_lambda
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float) -> float:
        """Return the learning rate of the present epoch."""
        return base * self.lr_lambda(self.last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return what `load_state_dict` needs; the function is not saved."""
        return {key: value for key, value in super().state_dict().items() if key != "lr_lambda"}


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

    def rate(self, base: float) -> float:
        """Return the learning rate of the present epoch."""
        phase = math.cos(math.pi * self.last_epoch / self.T_max)
        return self.eta_min + (base - self.eta_min) * (1 + phase) / 2
