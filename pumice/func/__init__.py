"""Transforms of functions, with the names of `torch.func`.

Stage: above `nn`.
Takes: functions of tensors.
Gives: functions that compute derivatives, or work on batches.
"""

from pumice.func.forward import jvp, linearize
from pumice.func.gradients import grad, grad_and_value, value_and_grad, vjp
from pumice.func.jacobians import hessian, jacfwd, jacrev
from pumice.func.mapping import vmap
from pumice.func.modules import functional_call, stack_module_state

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "stack_module_state",
    "value_and_grad",
    "vjp",
    "vmap",
]
