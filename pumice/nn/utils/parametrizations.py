"""Weight and spectral normalization as parametrizations."""

from typing import Any

from pumice.arguments import guarded
from pumice.autograd import no_grad
from pumice.errors import InvalidArgument, describe
from pumice.nn.functional import normalize
from pumice.nn.module import Module
from pumice.nn.transposed_convolution import TransposedConvolution
from pumice.nn.utils.parametrize import register_parametrization
from pumice.tensor.creation import empty
from pumice.tensor.tensor import Tensor

FIRST_ITERATIONS = 15
"""Power iterations when a spectral norm is attached, so that it starts near the truth."""


class _WeightNorm(Module):
    """A weight as a length and a direction for each slice of an axis."""

    def __init__(self, dim: int | None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, length: Tensor, direction: Tensor) -> Any:
        """Return the weight."""
        return direction * (length / self._norm(direction))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Return the length and direction of a weight."""
        return self._norm(weight), weight

    def _norm(self, weight: Tensor) -> Tensor:
        if self.dim is None or self.dim == -1:
            return weight.norm()
        return weight.norm(2.0, [axis for axis in range(weight.ndim) if axis != self.dim], True)


@guarded
def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Train the length and the direction of a weight apart.

    Parameters
    ----------
    module : Module
        Whose weight it is.
    name : str
        Its name.
    dim : int or None
        The axis whose slices have lengths of their own; None or -1 for one length.

    Returns
    -------
    Module
        The same module, with ``parametrizations.weight.original0`` (length) and ``original1``.

    Notes
    -----
    Salimans and Kingma, arXiv:1602.07868.

    Examples
    --------
    >>> from pumice import nn
    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(20, 40))
    >>> layer.parametrizations.weight.original0.shape
    (40, 1)
    """
    return register_parametrization(module, name, _WeightNorm(dim))


class _SpectralNorm(Module):
    """A weight over its largest singular value, found by power iteration."""

    def __init__(self, weight: Tensor, iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        if iterations <= 0:
            raise InvalidArgument(
                describe("spectral_norm", f"n_power_iterations is {iterations}", "1 or more")
            )
        self.dim = dim if dim >= 0 else dim + weight.ndim
        self.eps = eps
        self.n_power_iterations = iterations
        if weight.ndim > 1:
            matrix = self._matrix(weight.detach())
            rows, columns = matrix.shape
            kind: dict[str, Any] = {"dtype": weight.dtype, "device": weight.device}
            self.register_buffer("_u", normalize(empty(rows, **kind).normal_(), dim=0, eps=eps))
            self.register_buffer("_v", normalize(empty(columns, **kind).normal_(), dim=0, eps=eps))
            self._iterate(matrix, FIRST_ITERATIONS)

    def _matrix(self, weight: Tensor) -> Tensor:
        axes = [self.dim, *(axis for axis in range(weight.ndim) if axis != self.dim)]
        return weight.permute(*axes).flatten(1)

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with no_grad():
            for _ in range(times):
                self._u.copy_(normalize(matrix @ self._v, dim=0, eps=self.eps))
                self._v.copy_(normalize(matrix.t() @ self._u, dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Any:
        """Return the weight over its norm."""
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix.detach(), self.n_power_iterations)
        left, right = self._u.clone(), self._v.clone()
        return weight / (left @ (matrix @ right))

    def right_inverse(self, value: Tensor) -> Tensor:
        """Return the value itself: it may have any norm."""
        return value


@guarded
def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value each time it is read.

    Parameters
    ----------
    module : Module
        Whose weight it is.
    name : str
        Its name.
    n_power_iterations : int
        Steps of the power method per reading, in training.
    eps : float
        Lower bound of norms.
    dim : int, optional
        The axis of outputs: 1 for transposed convolutions, 0 for others.

    Returns
    -------
    Module
        The same module.

    Notes
    -----
    Miyato et al., arXiv:1802.05957.

    Examples
    --------
    >>> from pumice import nn
    >>> layer = nn.utils.parametrizations.spectral_norm(nn.Linear(20, 40))
    >>> sorted(layer.state_dict())[1:]
    ['parametrizations.weight.0._u', 'parametrizations.weight.0._v', \
'parametrizations.weight.original']
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise InvalidArgument(
            describe("spectral_norm", f"{type(module).__name__} has no parameter {name!r}")
        )
    if dim is None:
        dim = 1 if isinstance(module, TransposedConvolution) else 0
    made = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return register_parametrization(module, name, made)
