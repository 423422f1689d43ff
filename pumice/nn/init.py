"""Initial values, with the names and defaults of ``torch.nn.init``."""

import math
from typing import Any

from pumice.arguments import guarded
from pumice.autograd import no_grad
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.tensor.random import rand_like, randn_like
from pumice.tensor.ranges import eye
from pumice.tensor.tensor import Tensor

_GAINS: dict[str, float] = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0,
    "conv_transpose3d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5.0 / 3.0,
    "relu": math.sqrt(2.0),
    "selu": 0.75,
}


@guarded
def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the recommended gain of a nonlinearity."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        allowed = ", ".join([*_GAINS, "leaky_relu"])
        raise InvalidArgument(
            describe(
                "calculate_gain", f"unsupported nonlinearity {nonlinearity!r}", f"one of {allowed}"
            )
        )
    return _GAINS[nonlinearity]


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Fill with uniform numbers from ``a`` to ``b``."""
    return tensor.copy_(rand_like(tensor.detach()) * (b - a) + a)


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Fill with normal numbers."""
    return tensor.copy_(randn_like(tensor.detach()) * std + mean)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    return tensor.fill_(val)


@guarded
def ones_(tensor: Tensor) -> Tensor:
    """Fill with 1."""
    return constant_(tensor, 1.0)


@guarded
def zeros_(tensor: Tensor) -> Tensor:
    """Fill with 0."""
    return constant_(tensor, 0.0)


def _fans(tensor: Tensor) -> tuple[int, int]:
    if len(tensor.shape) < 2:
        raise ShapeError(
            describe(
                "init",
                "Fan in and fan out can not be computed for tensor with fewer than 2 "
                f"dimensions, got shape {list(tensor.shape)}",
            )
        )
    receptive = math.prod(tensor.shape[2:])
    return tensor.shape[1] * receptive, tensor.shape[0] * receptive


@guarded
def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Fill uniformly so that variance is kept forward and backward."""
    bound = gain * math.sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound)


@guarded
def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Fill normally so that variance is kept forward and backward."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))))


def _kaiming_deviation(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise InvalidArgument(
            describe("kaiming", f"mode {mode!r} is not supported", "'fan_in' or 'fan_out'")
        )
    fan_in, fan_out = _fans(tensor)
    fan = fan_in if mode == "fan_in" else fan_out
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


@guarded
def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """Fill uniformly so that a rectifier keeps variance."""
    bound = math.sqrt(3.0) * _kaiming_deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


@guarded
def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """Fill normally so that a rectifier keeps variance."""
    return normal_(tensor, 0.0, _kaiming_deviation(tensor, a, mode, nonlinearity))


@guarded
def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0
) -> Tensor:
    """Fill normally, within ``a`` to ``b`` only; by the inverse of the distribution function."""
    low, high = (math.erf((bound - mean) / (std * math.sqrt(2.0))) for bound in (a, b))
    with no_grad():
        drawn = rand_like(tensor) * (high - low) + low
        values = drawn.erfinv() * (std * math.sqrt(2.0)) + mean
        return tensor.copy_(values.clamp(a, b))


@guarded
def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with 1 on the diagonal and 0 elsewhere."""
    if tensor.ndim != 2:
        raise ShapeError(describe("eye_", f"got shape {list(tensor.shape)}", "2 dimensions"))
    with no_grad():
        return tensor.copy_(eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


@guarded
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it passes on its input, as far as there is any."""
    if tensor.ndim not in (3, 4, 5):
        raise ShapeError(describe("dirac_", f"got shape {list(tensor.shape)}", "3 to 5 dimensions"))
    outputs, inputs, *kernel = tensor.shape
    if outputs % groups:
        raise InvalidArgument(
            describe("dirac_", f"{outputs} outputs in {groups} groups", "a multiple of groups")
        )
    middle = tuple(extent // 2 for extent in kernel)
    each = outputs // groups
    with no_grad():
        tensor.zero_()
        one = eye(each, inputs, dtype=tensor.dtype, device=tensor.device).repeat(groups, 1)
        tensor[(slice(None), slice(None), *middle)] = one
    return tensor


@guarded
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01) -> Tensor:
    """Fill a matrix normally, and a share of each column with 0."""
    if tensor.ndim != 2:
        raise ShapeError(describe("sparse_", f"got shape {list(tensor.shape)}", "2 dimensions"))
    zeros = math.ceil(sparsity * tensor.shape[0])
    with no_grad():
        rank = rand_like(tensor).argsort(0).argsort(0)
        return tensor.copy_((randn_like(tensor) * std).masked_fill(rank < zeros, 0.0))


def default_bias_(bias: Tensor, weight: Tensor) -> Tensor:
    """Fill a bias as linear and convolution layers do: uniform within ``1 / sqrt(fan_in)``."""
    fan_in, _ = _fans(weight)
    bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
    return uniform_(bias, -bound, bound)


__all__: list[Any] = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]
