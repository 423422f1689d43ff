"""Learning rates that change from epoch to epoch, with PyTorch's names.

Stage: 1 of 7, part of `optim`.
Takes: an optimizer.
Gives: the ``lr`` of its groups, and the momentum where a schedule cycles it.

base.py holds what all share, decay.py formulas that fall or rise once, cycle.py those that do it
again, combined.py schedules made of schedules, plateau.py the one that looks at a metric.
"""

from pumice.optim.lr_scheduler.base import LRScheduler
from pumice.optim.lr_scheduler.combined import ChainedScheduler, SequentialLR
from pumice.optim.lr_scheduler.cycle import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from pumice.optim.lr_scheduler.decay import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from pumice.optim.lr_scheduler.plateau import ReduceLROnPlateau

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
