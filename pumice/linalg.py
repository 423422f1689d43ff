"""Linear algebra, under PyTorch's module name."""

from pumice.errors import LinAlgError as LinAlgError
from pumice.tensor.linear_algebra import *  # noqa: F403
