"""Layers that normalise by mean and variance."""

from typing import Any

from pumice import dtypes
from pumice.autograd import expect
from pumice.dtypes import DType
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.nn.module import Module
from pumice.nn.parameter import Parameter
from pumice.tensor import functional
from pumice.tensor.convert import tensor
from pumice.tensor.creation import ones, zeros
from pumice.tensor.tensor import Tensor

Extents = int | list[int] | tuple[int, ...]


class BatchNorm(Module):
    """Normalises each channel over the batch and keeps running statistics for evaluation.

    Parameters
    ----------
    num_features : int
        Channels, the extent of axis 1.
    eps : float
        Added to the variance.
    momentum : float or None
        Weight of a new batch in the running statistics; None averages all batches equally.
    affine : bool
        Whether there are a weight and a bias per channel.
    track_running_stats : bool
        Whether running statistics are kept; without them evaluation uses the batch too.
    """

    ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        shape = (num_features,)
        weight = Parameter(ones(shape, dtype=dtype, device=device)) if affine else None
        shift = Parameter(zeros(shape, dtype=dtype, device=device)) if affine and bias else None
        self.register_parameter("weight", weight)
        self.register_parameter("bias", shift)
        mean = variance = count = None
        if track_running_stats:
            mean = zeros(shape, dtype=dtype, device=device)
            variance = ones(shape, dtype=dtype, device=device)
            count = tensor(0, dtype=dtypes.int64, device=device)
        self.register_buffer("running_mean", mean)
        self.register_buffer("running_var", variance)
        self.register_buffer("num_batches_tracked", count)

    def reset_running_stats(self) -> None:
        """Forget the running statistics."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        name = type(self).__name__
        if input.ndim not in self.ranks:
            allowed = " or ".join(f"{rank}D" for rank in self.ranks)
            raise ShapeError(describe(name, f"expected {allowed} input (got {input.ndim}D input)"))
        if input.shape[1] != self.num_features:
            raise ShapeError(
                describe(
                    name,
                    f"got {input.shape[1]} channels (shape {list(input.shape)})",
                    f"this layer has {self.num_features}",
                )
            )
        use_batch = self.training or self.running_mean is None
        result = functional.batch_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            use_batch,
            self._share_of_this_batch(),
            self.eps,
        )
        # Nobody looks at these during training, and they must not keep every step's graph.
        expect(buffer.node for buffer in self.buffers(recurse=False))
        return result

    def _share_of_this_batch(self) -> Any:
        """Count the batch; return its weight in the running statistics, a number or a node."""
        if not (self.training and self.track_running_stats):
            return 0.0
        self.num_batches_tracked.add_(1)
        if self.momentum is not None:
            return self.momentum
        return (1.0 / self.num_batches_tracked.to(dtypes.float32)).node

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L); arguments as ``torch.nn.BatchNorm1d``."""

    ranks = (2, 3)


class BatchNorm2d(BatchNorm):
    """Batch normalisation of (N, C, H, W); arguments as ``torch.nn.BatchNorm2d``."""

    ranks = (4,)


class BatchNorm3d(BatchNorm):
    """Batch normalisation of (N, C, D, H, W); arguments as ``torch.nn.BatchNorm3d``."""

    ranks = (5,)


class LayerNorm(Module):
    """Normalises over the last axes.

    Parameters
    ----------
    normalized_shape : int or sequence of int
        Extents of the axes that are normalised together.
    eps : float
        Added to the variance.
    elementwise_affine, bias : bool
        Whether there are a weight and a bias.
    """

    def __init__(
        self,
        normalized_shape: Extents,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape
        weight = ones(shape, dtype=dtype, device=device) if elementwise_affine else None
        shift = zeros(shape, dtype=dtype, device=device) if elementwise_affine and bias else None
        self.register_parameter("weight", None if weight is None else Parameter(weight))
        self.register_parameter("bias", None if shift is None else Parameter(shift))

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides by the root of the mean square over the last axes."""

    def __init__(
        self,
        normalized_shape: Extents,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        weight = None
        if elementwise_affine:
            weight = Parameter(ones(self.normalized_shape, dtype=dtype, device=device))
        self.register_parameter("weight", weight)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """Normalises groups of channels of each sample."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise InvalidArgument(
                describe(
                    "GroupNorm",
                    f"num_channels {num_channels} is not divisible by num_groups {num_groups}",
                )
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        shape = (num_channels,)
        weight = Parameter(ones(shape, dtype=dtype, device=device)) if affine else None
        shift = Parameter(zeros(shape, dtype=dtype, device=device)) if affine and bias else None
        self.register_parameter("weight", weight)
        self.register_parameter("bias", shift)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


def _shape(value: Extents) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)
