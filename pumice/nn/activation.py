"""Activation functions as modules.

Each class applies the function of `functional` with the same meaning; the arguments are PyTorch's.
"""

from typing import Any

from pumice.dtypes import DType
from pumice.errors import ShapeError, describe
from pumice.nn.module import Module
from pumice.nn.parameter import Parameter
from pumice.tensor import functional
from pumice.tensor.creation import full
from pumice.tensor.tensor import Tensor


class _Activation(Module):
    """A function of one tensor with fixed arguments.

    ``function`` names the function in `functional`, ``options`` the attributes that it takes by
    name; ``inplace`` writes the result into the input.
    """

    function = ""
    options: tuple[str, ...] = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        apply: Any = getattr(functional, self.function)
        result: Tensor = apply(input, **{name: getattr(self, name) for name in self.options})
        return input.copy_(result) if self.inplace else result

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        parts = [f"{name}={getattr(self, name)}" for name in self.options]
        return ", ".join([*parts, "inplace=True"] if self.inplace else parts)


class ReLU(_Activation):
    """The positive part."""

    function = "relu"


class ReLU6(_Activation):
    """The positive part, at most 6."""

    function = "relu6"


class SELU(_Activation):
    """Self-normalising exponential unit."""

    function = "selu"


class SiLU(_Activation):
    """``x * sigmoid(x)``."""

    function = "silu"


class Mish(_Activation):
    """``x * tanh(softplus(x))``."""

    function = "mish"


class Hardswish(_Activation):
    """``x * relu6(x + 3) / 6``."""

    function = "hardswish"

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return ""


class Hardsigmoid(_Activation):
    """``relu6(x + 3) / 6``."""

    function = "hardsigmoid"

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return ""


class _Plain(_Activation):
    """An activation without arguments."""

    def __init__(self) -> None:
        super().__init__()


class Sigmoid(_Plain):
    """``1 / (1 + exp(-x))``."""

    function = "sigmoid"


class Tanh(_Plain):
    """Hyperbolic tangent."""

    function = "tanh"


class LogSigmoid(_Plain):
    """Logarithm of the sigmoid."""

    function = "logsigmoid"


class Softsign(_Plain):
    """``x / (1 + |x|)``."""

    function = "softsign"


class Tanhshrink(_Plain):
    """``x - tanh(x)``."""

    function = "tanhshrink"


class LeakyReLU(_Activation):
    """The positive part plus a fraction of the negative one."""

    function = "leaky_relu"
    options = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope


class ELU(_Activation):
    """``x`` where positive, ``alpha * (exp(x) - 1)`` elsewhere."""

    function = "elu"
    options = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha


class CELU(_Activation):
    """`ELU` with a continuous derivative for every alpha."""

    function = "celu"
    options = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha


class GELU(_Activation):
    """``x`` times the normal distribution function, or its tanh approximation."""

    function = "gelu"
    options = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"approximate={self.approximate!r}"


class Softplus(_Activation):
    """``log(1 + exp(beta * x)) / beta``, linear above the threshold."""

    function = "softplus"
    options = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold


class Hardtanh(_Activation):
    """The input limited to a range."""

    function = "hardtanh"
    options = ("min_val", "max_val")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.min_val = min_val
        self.max_val = max_val


class Threshold(_Activation):
    """The input where it exceeds the threshold, ``value`` elsewhere."""

    function = "threshold"
    options = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value


class _Shrink(_Activation):
    options = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return str(self.lambd)


class Hardshrink(_Shrink):
    """The input outside ``[-lambd, lambd]``, 0 inside."""

    function = "hardshrink"


class Softshrink(_Shrink):
    """The input moved towards 0 by ``lambd``."""

    function = "softshrink"


class Softmax(_Activation):
    """Exponentials that sum to 1 along an axis."""

    function = "softmax"
    options = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


class LogSoftmax(_Activation):
    """Logarithm of the softmax along an axis."""

    function = "log_softmax"
    options = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


class Softmin(_Activation):
    """Softmax of the negated input."""

    function = "softmin"
    options = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


class GLU(_Activation):
    """The first half of an axis gated by the second."""

    function = "glu"
    options = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim


class PReLU(Module):
    """`LeakyReLU` with slopes that are learned, one or one per channel."""

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(full((num_parameters,), init, dtype=dtype, device=device))

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"num_parameters={self.num_parameters}"


class Softmax2d(Module):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        if input.ndim not in (3, 4):
            raise ShapeError(
                describe("Softmax2d", f"expected 3D or 4D input (got {input.ndim}D input)")
            )
        return functional.softmax(input, dim=-3)


class RReLU(Module):
    """`LeakyReLU` with a slope drawn for each element in training, and their mean otherwise."""

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"lower={self.lower}, upper={self.upper}"
