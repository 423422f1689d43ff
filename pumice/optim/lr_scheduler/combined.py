"""Schedules made of other schedules."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from pumice.arguments import Guarded
from pumice.errors import InvalidArgument, describe
from pumice.optim.lr_scheduler.base import LRScheduler, write_rate
from pumice.optim.optimizer import Optimizer


class _Combined(Guarded):
    """What schedules of schedules share."""

    def __init__(self, optimizer: Optimizer | None, schedulers: Sequence[LRScheduler]) -> None:
        name = type(self).__name__
        if not schedulers:
            raise InvalidArgument(describe(name, "got no schedulers", "at least one"))
        self.optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        for position, schedule in enumerate(schedulers):
            if schedule.optimizer is not self.optimizer:
                raise InvalidArgument(
                    describe(
                        name,
                        f"the scheduler at {position} belongs to a different optimizer",
                        "all schedulers must share one",
                    )
                )
        self._schedulers = list(schedulers)
        self._last_lr: list[float] = []

    def get_last_lr(self) -> list[float]:
        """Return the learning rate of each group that the last step set."""
        return list(self._last_lr)

    def state_dict(self) -> dict[str, Any]:
        """Return what `load_state_dict` needs."""
        own = {k: v for k, v in vars(self).items() if k not in ("optimizer", "_schedulers")}
        return own | {"_schedulers": [schedule.state_dict() for schedule in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a saved position."""
        vars(self).update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for schedule, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            schedule.load_state_dict(state)


class ChainedScheduler(_Combined):
    """Step several schedules at once; their factors multiply.

    Parameters
    ----------
    schedulers : sequence of LRScheduler
        All of one optimizer.
    optimizer : Optimizer, optional
        That optimizer.
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        super().__init__(optimizer, schedulers)
        self._last_lr = self._schedulers[-1].get_last_lr()

    def step(self) -> None:
        """Go to the next epoch."""
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = self._schedulers[-1].get_last_lr()


class SequentialLR(_Combined):
    """Follow one schedule after another; each begins anew at its milestone.

    Parameters
    ----------
    optimizer : Optimizer
        Whose rates are set.
    schedulers : sequence of LRScheduler
        What is followed.
    milestones : list of int
        The epochs at which the second and the later ones take over.
    last_epoch : int
        The epoch before the present one.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        super().__init__(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise InvalidArgument(
                describe(
                    "SequentialLR",
                    f"got {len(schedulers)} schedulers and {len(milestones)} milestones",
                    "one milestone less than schedulers",
                )
            )
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            write_rate(group, float(group["initial_lr"]))
        for schedule in self._schedulers:
            schedule.last_epoch -= 1
        self._schedulers[0].step()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self) -> None:
        """Go to the next epoch."""
        self.last_epoch += 1
        position = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[position]
        if position > 0 and self._milestones[position - 1] == self.last_epoch:
            schedule.restart()
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()
