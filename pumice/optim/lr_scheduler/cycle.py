"""Rates that rise and fall."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from pumice.errors import InvalidArgument, describe
from pumice.optim.lr_scheduler.base import LRScheduler, per_group, write_rate
from pumice.optim.optimizer import Group, Optimizer


class CosineAnnealingWarmRestarts(LRScheduler):
    """Fall along half a cosine and start again, each time for ``T_mult`` as long.

    Parameters
    ----------
    optimizer : Optimizer
        Whose rates are set.
    T_0 : int
        Epochs to the first restart.
    T_mult : int
        How much longer each cycle is than the one before.
    eta_min : float
        The lowest rate.
    last_epoch : int
        The epoch before the present one.

    Notes
    -----
    Loshchilov and Hutter, "SGDR", arXiv:1608.03983.
    """

    chained = False

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803 - PyTorch's name
        T_mult: int = 1,  # noqa: N803 - PyTorch's name
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        for option, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise InvalidArgument(
                    describe(type(self).__name__, f"{option} is {value}", "a positive integer")
                )
        self.T_0 = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def step(self, epoch: float | None = None) -> None:
        """Go to the next epoch, or to the given one, which may be a fraction."""
        if epoch is None:
            super().step()
            return
        if epoch < 0:
            raise InvalidArgument(describe(type(self).__name__, f"epoch is {epoch}", "0 or more"))
        self.last_epoch = math.floor(epoch)
        self.write([self.rate(base, epoch) for base in self.base_lrs])

    def rate(self, base: float, epoch: float) -> float:
        """Return the learning rate of an epoch."""
        length = self.T_0
        if self.T_mult == 1:
            epoch = epoch % length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * epoch / length)) / 2


class CyclicLR(LRScheduler):
    """Go up and down between two rates, as ``torch.optim.lr_scheduler.CyclicLR``.

    Parameters
    ----------
    optimizer : Optimizer
        Whose rates, and momenta, are set.
    base_lr, max_lr : float or list of float
        Lowest and highest rate, once or for each group.
    step_size_up, step_size_down : int
        Steps of each half; down takes as long as up by default.
    mode : {"triangular", "triangular2", "exp_range"}
        The height of each cycle: constant, halved each time, or ``gamma ** steps``.
    gamma : float
        For ``"exp_range"``.
    scale_fn, scale_mode : callable, {"cycle", "iterations"}
        A height of one's own, by the cycle or by the step.
    cycle_momentum : bool
        Let the momentum go the other way, from ``max_momentum`` to ``base_momentum``.
    base_momentum, max_momentum : float or list of float
        Its limits.
    last_epoch : int
        The step before the present one.

    Notes
    -----
    Smith, arXiv:1506.01186.
    """

    chained = False

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise InvalidArgument(
                describe("CyclicLR", f"mode is {mode!r}", "triangular, triangular2 or exp_range")
            )
        lowest = per_group("CyclicLR", "base_lr", base_lr, groups)
        if last_epoch == -1:
            for group, rate in zip(groups, lowest, strict=True):
                write_rate(group, rate)
                group["initial_lr"] = rate
        self.max_lrs = per_group("CyclicLR", "max_lr", max_lr, groups)
        self.step_size_up = step_size_up
        self.step_size_down = step_size_up if step_size_down is None else step_size_down
        self.mode = mode
        self.gamma = gamma
        self.scale_fn = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else _scale_mode(mode)
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            check_momentum("CyclicLR", groups)
            self.base_momentums = per_group("CyclicLR", "base_momentum", base_momentum, groups)
            self.max_momentums = per_group("CyclicLR", "max_momentum", max_momentum, groups)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rate that each group has from the present step on."""
        height = self._height()
        rates = zip(self.base_lrs, self.max_lrs, strict=True)
        return [base + (most - base) * height for base, most in rates]

    def write(self, rates: list[float]) -> None:
        """Set the rates and momenta of the groups."""
        super().write(rates)
        if self.cycle_momentum:
            height = self._height()
            limits = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (least, most) in zip(self.optimizer.param_groups, limits, strict=True):
                write_momentum(group, most - (most - least) * height)

    def _height(self) -> float:
        """Return how far up the rate is, from 0 to 1, times the height of the cycle."""
        total = self.step_size_up + self.step_size_down
        cycle = 1 + self.last_epoch // total
        position = self.last_epoch % total
        if position <= self.step_size_up:
            share = position / self.step_size_up
        else:
            share = (total - position) / self.step_size_down
        return share * self._scale(cycle if self.scale_mode == "cycle" else self.last_epoch)

    def _scale(self, place: float) -> float:
        if self.scale_fn is not None:
            return self.scale_fn(place)
        if self.mode == "triangular2":
            return float(2.0 ** (1 - place))
        return float(self.gamma**place) if self.mode == "exp_range" else 1.0


class Phase(NamedTuple):
    """One stretch of `OneCycleLR`: its last step and what the rate and momentum go between."""

    last_step: float
    rates: tuple[str, str]
    momenta: tuple[str, str]


class OneCycleLR(LRScheduler):
    """Go up to a large rate and down to a tiny one, once, as in PyTorch.

    Parameters
    ----------
    optimizer : Optimizer
        Whose rates, and momenta, are set.
    max_lr : float or list of float
        The highest rate, once or for each group.
    total_steps : int, optional
        Steps of the cycle; or `epochs` times `steps_per_epoch`.
    epochs, steps_per_epoch : int, optional
        Instead of `total_steps`.
    pct_start : float
        Share of the steps in which the rate rises.
    anneal_strategy : {"cos", "linear"}
        Its shape.
    cycle_momentum : bool
        Let the momentum go the other way, from ``max_momentum`` to ``base_momentum``.
    base_momentum, max_momentum : float or list of float
        Its limits.
    div_factor, final_div_factor : float
        The first rate is ``max_lr / div_factor``, the last one that over ``final_div_factor``.
    three_phase : bool
        Come down to the first rate as fast as it went up, and then to the last.
    last_epoch : int
        The step before the present one.

    Notes
    -----
    Smith and Topin, "Super-convergence", arXiv:1708.07120.
    """

    chained = False

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        if not 0.0 <= pct_start <= 1.0:
            raise InvalidArgument(describe("OneCycleLR", f"pct_start is {pct_start}", "0 to 1"))
        if anneal_strategy not in ("cos", "linear"):
            raise InvalidArgument(
                describe(
                    "OneCycleLR", f"anneal_strategy is {anneal_strategy!r}", "'cos' or 'linear'"
                )
            )
        self.anneal_strategy = anneal_strategy
        self._phases = _phases(self.total_steps, pct_start, three_phase)
        if last_epoch == -1:
            highest = per_group("OneCycleLR", "max_lr", max_lr, groups)
            for group, most in zip(groups, highest, strict=True):
                group["max_lr"] = most
                group["initial_lr"] = most / div_factor
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            check_momentum("OneCycleLR", groups)
        if cycle_momentum and last_epoch == -1:
            least = per_group("OneCycleLR", "base_momentum", base_momentum, groups)
            most = per_group("OneCycleLR", "max_momentum", max_momentum, groups)
            for group, low, high in zip(groups, least, most, strict=True):
                group["base_momentum"] = low
                group["max_momentum"] = high
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rate that each group has from the present step on."""
        if self.last_epoch > self.total_steps:
            raise InvalidArgument(
                describe(
                    "OneCycleLR",
                    f"tried to step {self.last_epoch} times",
                    f"the total number of steps is {self.total_steps}",
                )
            )
        phase, done = self._position()
        groups = self.optimizer.param_groups
        return [self._between(group, phase.rates, done) for group in groups]

    def write(self, rates: list[float]) -> None:
        """Set the rates and momenta of the groups."""
        super().write(rates)
        if self.cycle_momentum:
            phase, done = self._position()
            for group in self.optimizer.param_groups:
                write_momentum(group, self._between(group, phase.momenta, done))

    def _position(self) -> tuple[Phase, float]:
        """Return the present phase, and how much of it is over."""
        first = 0.0
        for phase in self._phases:
            if self.last_epoch <= phase.last_step or phase is self._phases[-1]:
                break
            first = phase.last_step
        return phase, (self.last_epoch - first) / (phase.last_step - first)

    def _between(self, group: Group, names: tuple[str, str], done: float) -> float:
        start, end = (float(group[name]) for name in names)
        if self.anneal_strategy == "linear":
            return (end - start) * done + start
        return end + (start - end) / 2 * (1 + math.cos(math.pi * done))

    def state_dict(self) -> dict[str, Any]:
        """Return what `load_state_dict` needs."""
        return super().state_dict() | {"_phases": [tuple(phase) for phase in self._phases]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a saved position."""
        phases = [Phase(*phase) for phase in state_dict["_phases"]]
        super().load_state_dict(state_dict | {"_phases": phases})


def _phases(total_steps: int, rising: float, three: bool) -> list[Phase]:
    """Return the phases of a cycle of so many steps, a share of which rises."""
    up = Phase(
        rising * total_steps - 1, ("initial_lr", "max_lr"), ("max_momentum", "base_momentum")
    )
    if not three:
        down = ("max_lr", "min_lr")
        return [up, Phase(total_steps - 1, down, ("base_momentum", "max_momentum"))]
    return [
        up,
        Phase(
            2 * rising * total_steps - 2,
            ("max_lr", "initial_lr"),
            ("base_momentum", "max_momentum"),
        ),
        Phase(total_steps - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum")),
    ]


def _total_steps(total: int | None, epochs: int | None, each: int | None) -> int:
    if total is None and epochs is not None and each is not None:
        total = epochs * each
    if total is None or total <= 0:
        raise InvalidArgument(
            describe(
                "OneCycleLR",
                f"got total_steps={total}, epochs={epochs}, steps_per_epoch={each}",
                "a positive total_steps, or epochs and steps_per_epoch",
            )
        )
    return total


def _scale_mode(mode: str) -> str:
    return "iterations" if mode == "exp_range" else "cycle"


def check_momentum(name: str, groups: list[Group]) -> None:
    """Raise where an optimizer has no momentum to cycle."""
    for group in groups:
        if "momentum" not in group and "betas" not in group:
            raise InvalidArgument(
                describe(
                    name,
                    "optimizer must support momentum or beta1 with `cycle_momentum` option enabled",
                    "cycle_momentum=False",
                )
            )


def write_momentum(group: Group, momentum: float) -> None:
    """Set a group's momentum, or the first of its betas."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum
