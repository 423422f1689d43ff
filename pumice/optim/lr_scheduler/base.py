"""What all schedules of learning rates share."""

from typing import Any, ClassVar

from pumice.arguments import Guarded
from pumice.errors import InvalidArgument, describe
from pumice.graph import recording
from pumice.optim.optimizer import Group, Optimizer
from pumice.tensor.tensor import Tensor


class LRScheduler(Guarded):
    """Base of the schedules: ``step()`` once per epoch sets each group's ``lr``.

    A subclass gives `rate`, or overrides `get_lr`. Kernels take the rate as an argument, so a new
    one compiles nothing, and a step captured by `jit` reads it in each replay. A rate that is a
    tensor is written to.

    Parameters
    ----------
    optimizer : Optimizer
        Its groups' ``lr`` is set; the first value is kept in ``initial_lr``.
    last_epoch : int
        The epoch before the present one, when a run is continued.
    """

    chained: ClassVar[bool] = True
    """Whether a step scales the present rate, so several schedules of one optimizer combine."""

    eta_min: float = 0.0
    """The rate below which a schedule does not go; what lies above it is scaled."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        for position, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _number(group["lr"]))
            elif "initial_lr" not in group:
                raise InvalidArgument(
                    describe(
                        type(self).__name__,
                        f"param 'initial_lr' is not specified in param_groups[{position}]",
                        "needed to go on from last_epoch",
                    )
                )
        self.base_lrs = [_number(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._last_lr: list[float] = []
        self.step()

    def rate(self, base: float, epoch: int) -> float:
        """Return the learning rate of an epoch, when nothing else changes it."""
        raise NotImplementedError(f"{type(self).__name__} needs a rate")

    def get_lr(self) -> list[float]:
        """Return the rate that each group has from the present epoch on."""
        groups = zip(self.optimizer.param_groups, self.base_lrs, strict=True)
        return [self._next(group, base) for group, base in groups]

    def _next(self, group: Group, base: float) -> float:
        wanted = self.rate(base, self.last_epoch)
        if not self.chained:
            return wanted
        before = base if self.last_epoch == 0 else self.rate(base, self.last_epoch - 1)
        present = _number(group["lr"])
        if before == wanted:
            return present
        if before == self.eta_min:
            return wanted
        share = (wanted - self.eta_min) / (before - self.eta_min)
        return self.eta_min + (present - self.eta_min) * share

    def step(self) -> None:
        """Go to the next epoch."""
        self.last_epoch += 1
        self.write(self.get_lr())

    def restart(self) -> None:
        """Go to the first epoch, whatever the present rates are."""
        self.last_epoch = 0
        if self.chained:
            self.write([self.rate(base, 0) for base in self.base_lrs])
        else:
            self.write(self.get_lr())

    def write(self, rates: list[float]) -> None:
        """Set the rates of the groups."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            write_rate(group, rate)
        self._last_lr = list(rates)

    def get_last_lr(self) -> list[float]:
        """Return the learning rate of each group that the last step set."""
        return list(self._last_lr)

    def state_dict(self) -> dict[str, Any]:
        """Return what `load_state_dict` needs; functions are not saved."""
        return {
            key: value
            for key, value in vars(self).items()
            if key != "optimizer" and not _is_function(value)
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a saved position."""
        vars(self).update(state_dict)


def write_rate(group: Group, rate: float) -> None:
    """Set a group's rate; one that is a tensor stays the same tensor."""
    if recording.active.get() is not None:
        got = "got a step inside of a captured function, which a replay would leave out"
        raise InvalidArgument(describe("lr_scheduler", got, "a step after the call"))
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(rate)
        # Elements in memory are what a captured step reads; a number would be part of it.
        group["lr"].realize()
    else:
        group["lr"] = rate


def per_group(name: str, option: str, value: Any, groups: list[Group]) -> list[Any]:
    """Return an option that may be given once or once for each group as a list."""
    if not isinstance(value, list | tuple):
        return [value] * len(groups)
    if len(value) != len(groups):
        raise InvalidArgument(
            describe(
                name, f"{option} has {len(value)} values", f"one for each of {len(groups)} groups"
            )
        )
    return list(value)


def _number(rate: float | Tensor) -> float:
    return float(rate.item()) if isinstance(rate, Tensor) else float(rate)


def _is_function(value: Any) -> bool:
    return callable(value) or (
        isinstance(value, list) and bool(value) and all(callable(each) for each in value)
    )
