"""Optimizers with PyTorch's names, arguments and state.

Stage: 1 of 7, beside `nn`.
Takes: parameters with their ``grad``.
Gives: writes into the parameters.
"""

from pumice.optim import lr_scheduler
from pumice.optim.adam import Adam, AdamW
from pumice.optim.lr_scheduler import (
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LRScheduler,
    MultiStepLR,
    StepLR,
)
from pumice.optim.optimizer import Optimizer
from pumice.optim.sgd import SGD

__all__ = [
    "SGD",
    "Adam",
    "AdamW",
    "CosineAnnealingLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "MultiStepLR",
    "Optimizer",
    "StepLR",
    "lr_scheduler",
]
