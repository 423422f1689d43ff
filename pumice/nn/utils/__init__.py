"""Tools for gradients, parameters, sequences and whole modules, with PyTorch's names.

Stage: 1 of 7, part of `nn`.
Takes: modules, parameters or tensors.
Gives: the same, changed.

gradients.py clips, vectors.py flattens parameters, fusion.py folds batch norm into the layer
before it, parametrize.py and parametrizations.py compute a parameter from others, rnn.py pads
and packs sequences of different lengths.
"""

from pumice.nn.utils import parametrizations, parametrize, rnn
from pumice.nn.utils.fusion import (
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
)
from pumice.nn.utils.gradients import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from pumice.nn.utils.vectors import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "rnn",
    "vector_to_parameters",
]
