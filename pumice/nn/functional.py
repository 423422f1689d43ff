"""The functions behind the layers, under PyTorch's module name."""

from pumice.tensor.functional import *  # noqa: F403
