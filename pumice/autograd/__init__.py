"""Gradients: reverse mode on the graph, and PyTorch's interface to it.

Stage: 3 of 7.
Takes: `Node` objects (or tensors over them) and what to differentiate by.
Gives: `Node` objects that compute the gradients.
"""

from pumice.autograd import functional
from pumice.autograd.anomaly import (
    AnomalyError,
    detect_anomaly,
    is_anomaly_enabled,
    set_detect_anomaly,
)
from pumice.autograd.check import GradcheckError, gradcheck, gradgradcheck
from pumice.autograd.function import Function, FunctionContext
from pumice.autograd.interface import backward, grad
from pumice.autograd.mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from pumice.autograd.pending import expect, take_expected
from pumice.autograd.reverse import GraphReleasedError, gradients

__all__ = [
    "AnomalyError",
    "Function",
    "FunctionContext",
    "GradcheckError",
    "GraphReleasedError",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "expect",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "gradients",
    "inference_mode",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "take_expected",
]
