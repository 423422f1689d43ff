"""Learning rates that change from epoch to epoch, with PyTorch's names."""

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
