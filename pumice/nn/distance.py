"""Distances of pairs of vectors as modules."""

from pumice.nn.module import Module
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor


class CosineSimilarity(Module):
    """Cosine of the angle between vectors along an axis.

    Parameters
    ----------
    dim : int
        The axis.
    eps : float
        Lower bound of each norm.
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Apply the function."""
        return functional.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """Norm of the difference of vectors along the last axis.

    Parameters
    ----------
    p : float
        Order of the norm.
    eps : float
        Added to the difference.
    keepdim : bool
        Whether the last axis stays, with one element.
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Apply the function."""
        return functional.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
