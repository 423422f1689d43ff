"""Optimizers with PyTorch's names, arguments and state.

Stage: 1 of 7, beside `nn`.
Takes: parameters with their ``grad``.
Gives: writes into the parameters.
"""

from pumice.optim import lr_scheduler
from pumice.optim.adagrad import Adadelta, Adagrad
from pumice.optim.adam import Adam, AdamW
from pumice.optim.adamax import Adamax, NAdam, RAdam
from pumice.optim.optimizer import Optimizer
from pumice.optim.rmsprop import RMSprop
from pumice.optim.rprop import Rprop
from pumice.optim.sgd import SGD

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]
