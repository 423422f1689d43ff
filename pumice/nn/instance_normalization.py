"""Layers that normalise each sample's channels, or each element by its neighbours."""

from typing import Any

from pumice.autograd import expect
from pumice.dtypes import DType
from pumice.errors import ShapeError, describe
from pumice.nn.module import Module
from pumice.nn.normalization import BatchNorm
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor


class _InstanceNorm(BatchNorm):
    """Normalises every channel of every sample by itself.

    Parameters
    ----------
    num_features : int
        Channels, the extent of axis 1 (0 without a batch axis).
    eps : float
        Added to the variance.
    momentum : float
        Weight of a new batch in the running statistics.
    affine : bool
        Whether there are a weight and a bias per channel.
    track_running_stats : bool
        Whether statistics are kept and used in evaluation.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        name = type(self).__name__
        rank = self.ranks[0]
        if input.ndim not in (rank, rank - 1):
            raise ShapeError(
                describe(name, f"expected {rank - 1}D or {rank}D input (got {input.ndim}D input)")
            )
        batched = input if input.ndim == rank else input.unsqueeze(0)
        if self.affine and batched.shape[1] != self.num_features:
            raise ShapeError(
                describe(
                    name,
                    f"got {batched.shape[1]} channels (shape {list(input.shape)})",
                    f"this layer has {self.num_features}",
                )
            )
        result = functional.instance_norm(
            batched,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        expect(buffer.node for buffer in self.buffers(recurse=False))
        return result if input.ndim == rank else result.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (N, C, L) or (C, L); as ``torch.nn.InstanceNorm1d``."""

    ranks = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (N, C, H, W) or (C, H, W); as ``torch.nn.InstanceNorm2d``."""

    ranks = (4,)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of (N, C, D, H, W), or without N; as ``torch.nn.InstanceNorm3d``."""

    ranks = (5,)


class LocalResponseNorm(Module):
    """Divides each element by a power of the mean square of neighbouring channels.

    Parameters
    ----------
    size : int
        Channels that are looked at.
    alpha, beta, k : float
        The divisor is ``(k + alpha * mean square) ** beta``.

    Notes
    -----
    Krizhevsky, Sutskever and Hinton, "ImageNet classification", 2012, section 3.3.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
