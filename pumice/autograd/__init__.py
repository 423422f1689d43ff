"""Gradients: reverse mode on the graph, and PyTorch's interface to it.

Stage: 3 of 7.
Takes: `Node` objects (or tensors over them) and what to differentiate by.
Gives: `Node` objects that compute the gradients.
"""

from pumice.autograd.check import GradcheckError, gradcheck, gradgradcheck
from pumice.autograd.function import Function, FunctionContext
from pumice.autograd.interface import backward, grad
from pumice.autograd.mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from pumice.autograd.pending import expect, take_expected
from pumice.autograd.reverse import GraphReleasedError, gradients

__all__ = [
    "Function",
    "FunctionContext",
    "GradcheckError",
    "GraphReleasedError",
    "backward",
    "enable_grad",
    "expect",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "gradients",
    "is_grad_enabled",
    "no_grad",
    "set_grad_enabled",
    "take_expected",
]
