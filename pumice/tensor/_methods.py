"""One method per composite function.

Written by tools/gen_api.py; do not edit.
"""

# Methods of a part of Tensor take the whole Tensor as self; == returns a tensor; operators may
# return NotImplemented, so their helpers return Any.
# mypy: disable-error-code="misc, override, no-any-return"
# ruff: noqa: E501, F401, N803

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pumice.dtypes import DType, Scalar
from pumice.tensor import arithmetic as _arithmetic
from pumice.tensor import cholesky_factors as _cholesky_factors
from pumice.tensor import comparison as _comparison
from pumice.tensor import convert as _convert
from pumice.tensor import counting as _counting
from pumice.tensor import creation as _creation
from pumice.tensor import determinants as _determinants
from pumice.tensor import distributions as _distributions
from pumice.tensor import dropout as _dropout
from pumice.tensor import extremes as _extremes
from pumice.tensor import frequencies as _frequencies
from pumice.tensor import gathering as _gathering
from pumice.tensor import grids as _grids
from pumice.tensor import inspection as _inspection
from pumice.tensor import limits as _limits
from pumice.tensor import matrix_aliases as _matrix_aliases
from pumice.tensor import matrix_functions as _matrix_functions
from pumice.tensor import matrix_norms as _matrix_norms
from pumice.tensor import movement as _movement
from pumice.tensor import normalization as _normalization
from pumice.tensor import norms as _norms
from pumice.tensor import orthogonal_aliases as _orthogonal_aliases
from pumice.tensor import padding as _padding
from pumice.tensor import pointwise as _pointwise
from pumice.tensor import product_sums as _product_sums
from pumice.tensor import products as _products
from pumice.tensor import quantiles as _quantiles
from pumice.tensor import random as _random
from pumice.tensor import reductions as _reductions
from pumice.tensor import repeating as _repeating
from pumice.tensor import replacing as _replacing
from pumice.tensor import scans as _scans
from pumice.tensor import scattering as _scattering
from pumice.tensor import selection as _selection
from pumice.tensor import sets as _sets
from pumice.tensor import slicing as _slicing
from pumice.tensor import sorting as _sorting
from pumice.tensor import splitting as _splitting
from pumice.tensor import statistics as _statistics
from pumice.tensor.axes import Dims
from pumice.tensor.core import TensorBase
from pumice.tensor.generator import Generator
from pumice.tensor.matrix_operands import (
    QRResult,
    Reflections,
    SignLogarithm,
    SingularColumns,
    TriangularSolution,
)
from pumice.tensor.operands import replace
from pumice.tensor.padding import Pair
from pumice.tensor.results import Histogram, Located, Parts
from pumice.tensor.spectral import Limit

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


class FunctionMethods(TensorBase):
    """Methods of `Tensor` that call a function of the same name."""

    __slots__ = ()

    def add(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Add two tensors: ``input + alpha * other``. Method form of `pumice.add`."""
        return _arithmetic.add(self, other, alpha=alpha)

    def add_(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Add two tensors: ``input + alpha * other``. In-place form of `pumice.add`."""
        return replace(self, "add_", _arithmetic.add(self, other, alpha=alpha).node)

    def sub(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Subtract: ``input - alpha * other``. Method form of `pumice.sub`."""
        return _arithmetic.sub(self, other, alpha=alpha)

    def sub_(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Subtract: ``input - alpha * other``. In-place form of `pumice.sub`."""
        return replace(self, "sub_", _arithmetic.sub(self, other, alpha=alpha).node)

    def subtract(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Subtract; another name of `sub`. Method form of `pumice.subtract`."""
        return _arithmetic.subtract(self, other, alpha=alpha)

    def subtract_(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Subtract; another name of `sub`. In-place form of `pumice.subtract`."""
        return replace(self, "subtract_", _arithmetic.subtract(self, other, alpha=alpha).node)

    def rsub(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Subtract the first from the second: ``other - alpha * input``. Method form of `pumice.rsub`."""
        return _arithmetic.rsub(self, other, alpha=alpha)

    def div(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Divide two tensors. Method form of `pumice.div`."""
        return _arithmetic.div(self, other, rounding_mode=rounding_mode)

    def div_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Divide two tensors. In-place form of `pumice.div`."""
        return replace(self, "div_", _arithmetic.div(self, other, rounding_mode=rounding_mode).node)

    def divide(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Divide two tensors; another name of `div`. Method form of `pumice.divide`."""
        return _arithmetic.divide(self, other, rounding_mode=rounding_mode)

    def divide_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Divide two tensors; another name of `div`. In-place form of `pumice.divide`."""
        return replace(
            self, "divide_", _arithmetic.divide(self, other, rounding_mode=rounding_mode).node
        )

    def true_divide(self: Tensor, other: Any) -> Tensor:
        """Divide two tensors without rounding; see `div`. Method form of `pumice.true_divide`."""
        return _arithmetic.true_divide(self, other)

    def true_divide_(self: Tensor, other: Any) -> Tensor:
        """Divide two tensors without rounding; see `div`. In-place form of `pumice.true_divide`."""
        return replace(self, "true_divide_", _arithmetic.true_divide(self, other).node)

    def round(self: Tensor, *, decimals: int = 0) -> Tensor:
        """Round to the nearest whole number, half to even. Method form of `pumice.round`."""
        return _arithmetic.round(self, decimals=decimals)

    def round_(self: Tensor, *, decimals: int = 0) -> Tensor:
        """Round to the nearest whole number, half to even. In-place form of `pumice.round`."""
        return replace(self, "round_", _arithmetic.round(self, decimals=decimals).node)

    def float_power(self: Tensor, exponent: Any) -> Tensor:
        """Raise to a power in float64. Method form of `pumice.float_power`."""
        return _arithmetic.float_power(self, exponent)

    def float_power_(self: Tensor, exponent: Any) -> Tensor:
        """Raise to a power in float64. In-place form of `pumice.float_power`."""
        return replace(self, "float_power_", _arithmetic.float_power(self, exponent).node)

    def cholesky_solve(self: Tensor, L: Tensor, upper: bool = False) -> Tensor:
        """Solve ``A X = input`` from the Cholesky factor of A. Method form of `pumice.cholesky_solve`."""
        return _cholesky_factors.cholesky_solve(self, L, upper)

    def cholesky_inverse(self: Tensor, upper: bool = False) -> Tensor:
        """Return the inverse of A from its Cholesky factor. Method form of `pumice.cholesky_inverse`."""
        return _cholesky_factors.cholesky_inverse(self, upper)

    def isclose(
        self: Tensor,
        other: Tensor,
        rtol: float = 1e-05,
        atol: float = 1e-08,
        equal_nan: bool = False,
    ) -> Tensor:
        """Tell where elements differ by at most ``atol + rtol * |other|``. Method form of `pumice.isclose`."""
        return _comparison.isclose(self, other, rtol, atol, equal_nan)

    def allclose(
        self: Tensor,
        other: Tensor,
        rtol: float = 1e-05,
        atol: float = 1e-08,
        equal_nan: bool = False,
    ) -> bool:
        """Tell whether all elements are close; evaluates. See `isclose`. Method form of `pumice.allclose`."""
        return _comparison.allclose(self, other, rtol, atol, equal_nan)

    def array_equal(self: Tensor, other: Tensor) -> bool:
        """Tell whether two tensors have one shape and equal elements; evaluates. Method form of `pumice.array_equal`."""
        return _comparison.array_equal(self, other)

    def nan_to_num(
        self: Tensor,
        nan: float | None = None,
        posinf: float | None = None,
        neginf: float | None = None,
    ) -> Tensor:
        """Replace NaN and infinities by numbers. Method form of `pumice.nan_to_num`."""
        return _comparison.nan_to_num(self, nan, posinf, neginf)

    def nan_to_num_(
        self: Tensor,
        nan: float | None = None,
        posinf: float | None = None,
        neginf: float | None = None,
    ) -> Tensor:
        """Replace NaN and infinities by numbers. In-place form of `pumice.nan_to_num`."""
        return replace(self, "nan_to_num_", _comparison.nan_to_num(self, nan, posinf, neginf).node)

    def new_tensor(
        self: Tensor,
        data: Any,
        *,
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        """Make a tensor from host data, of this tensor's dtype and device unless told otherwise. Method form of `pumice.new_tensor`."""
        return _convert.new_tensor(
            self, data, dtype=dtype, device=device, requires_grad=requires_grad
        )

    def masked_select(
        self: Tensor,
        mask: Tensor,
        *,
        size: int | None = None,
        fill_value: Scalar = 0,
    ) -> Tensor:
        """Return the elements where a mask is true, in row-major order. Method form of `pumice.masked_select`."""
        return _counting.masked_select(self, mask, size=size, fill_value=fill_value)

    def nonzero(
        self: Tensor,
        *,
        as_tuple: bool = False,
        size: int | None = None,
        fill_value: int = 0,
    ) -> Any:
        """Return the positions of elements that are not zero, in row-major order. Method form of `pumice.nonzero`."""
        return _counting.nonzero(self, as_tuple=as_tuple, size=size, fill_value=fill_value)

    def nonzero_static(self: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
        """Return the positions of the first elements that are not zero, as many rows as asked for. Method form of `pumice.nonzero_static`."""
        return _counting.nonzero_static(self, size=size, fill_value=fill_value)

    def argwhere(self: Tensor) -> Tensor:
        """Return the positions of elements that are not zero; see `nonzero`. Method form of `pumice.argwhere`."""
        return _counting.argwhere(self)

    def new_zeros(
        self: Tensor,
        *size: Any,
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        """Return zeros of this tensor's dtype and device. Method form of `pumice.new_zeros`."""
        return _creation.new_zeros(
            self, *size, dtype=dtype, device=device, requires_grad=requires_grad
        )

    def new_ones(
        self: Tensor,
        *size: Any,
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        """Return ones of this tensor's dtype and device. Method form of `pumice.new_ones`."""
        return _creation.new_ones(
            self, *size, dtype=dtype, device=device, requires_grad=requires_grad
        )

    def new_empty(
        self: Tensor,
        *size: Any,
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        """Return a tensor of this one's dtype and device, without meaningful values. Method form of `pumice.new_empty`."""
        return _creation.new_empty(
            self, *size, dtype=dtype, device=device, requires_grad=requires_grad
        )

    def new_full(
        self: Tensor,
        size: Sequence[int],
        fill_value: Scalar,
        *,
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        """Return one number in this tensor's dtype and device. Method form of `pumice.new_full`."""
        return _creation.new_full(
            self, size, fill_value, dtype=dtype, device=device, requires_grad=requires_grad
        )

    def logdet(self: Tensor) -> Tensor:
        """Return the logarithm of the determinant: NaN where that is negative, -inf where it is 0. Method form of `pumice.logdet`."""
        return _determinants.logdet(self)

    def exponential_(
        self: Tensor,
        lambd: float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with exponentially distributed numbers. Method form of `pumice.exponential_`."""
        return _distributions.exponential_(self, lambd, generator=generator)

    def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers of trials up to the first success. Method form of `pumice.geometric_`."""
        return _distributions.geometric_(self, p, generator=generator)

    def cauchy_(
        self: Tensor,
        median: float = 0.0,
        sigma: float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with numbers of a Cauchy distribution. Method form of `pumice.cauchy_`."""
        return _distributions.cauchy_(self, median, sigma, generator=generator)

    def log_normal_(
        self: Tensor,
        mean: float = 1.0,
        std: float = 2.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with exponentials of normal numbers of given mean and standard deviation. Method form of `pumice.log_normal_`."""
        return _distributions.log_normal_(self, mean, std, generator=generator)

    def multinomial(
        self: Tensor,
        num_samples: int,
        replacement: bool = False,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Draw positions of the last axis with probabilities proportional to its elements. Method form of `pumice.multinomial`."""
        return _dropout.multinomial(self, num_samples, replacement, generator=generator)

    def aminmax(self: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
        """Return the smallest and the largest element; see `amin` and `amax`. Method form of `pumice.aminmax`."""
        return _extremes.aminmax(self, dim=dim, keepdim=keepdim)

    def argmax(
        self: Tensor,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        axis: int | None = None,
        keepdims: bool = False,
        select_last_index: bool = False,
    ) -> Tensor:
        """Return the position of the largest element. Method form of `pumice.argmax`."""
        return _extremes.argmax(
            self, dim, keepdim, axis=axis, keepdims=keepdims, select_last_index=select_last_index
        )

    def argmin(
        self: Tensor,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        axis: int | None = None,
        keepdims: bool = False,
        select_last_index: bool = False,
    ) -> Tensor:
        """Return the position of the smallest element; see `argmax`. Method form of `pumice.argmin`."""
        return _extremes.argmin(
            self, dim, keepdim, axis=axis, keepdims=keepdims, select_last_index=select_last_index
        )

    def max(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        """Return the largest element, the largest along an axis, or the larger of two tensors. Method form of `pumice.max`."""
        return _extremes.max(self, dim, keepdim)

    def min(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        """Return the smallest element, the smallest along an axis, or the smaller of two tensors. Method form of `pumice.min`."""
        return _extremes.min(self, dim, keepdim)

    def histogram(
        self: Tensor,
        bins: int | Tensor,
        *,
        range: Sequence[float] | None = None,
        weight: Tensor | None = None,
        density: bool = False,
    ) -> Histogram:
        """Count elements, or add up their weights, in bins. Method form of `pumice.histogram`."""
        return _frequencies.histogram(self, bins, range=range, weight=weight, density=density)

    def gather(
        self: Tensor,
        dim: int,
        index: Tensor,
        *,
        sparse_grad: bool = False,
        mode: str = "raise",
    ) -> Tensor:
        """Read one element per index along an axis. Method form of `pumice.gather`."""
        return _gathering.gather(self, dim, index, sparse_grad=sparse_grad, mode=mode)

    def index_select(self: Tensor, dim: int, index: Tensor, *, mode: str = "raise") -> Tensor:
        """Read whole slices at positions of an axis. Method form of `pumice.index_select`."""
        return _gathering.index_select(self, dim, index, mode=mode)

    def take(self: Tensor, index: Tensor, *, mode: str = "raise") -> Tensor:
        """Read elements at positions of the flattened input. Method form of `pumice.take`."""
        return _gathering.take(self, index, mode=mode)

    def take_along_dim(self: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
        """Read one element per index along an axis; the other axes broadcast. Method form of `pumice.take_along_dim`."""
        return _gathering.take_along_dim(self, indices, dim)

    def diag_embed(self: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
        """Write the last axis onto the diagonal of new axes, zeros elsewhere. Method form of `pumice.diag_embed`."""
        return _grids.diag_embed(self, offset, dim1, dim2)

    def diag(self: Tensor, diagonal: int = 0) -> Tensor:
        """Return the diagonal of a matrix, or a matrix with a vector on its diagonal. Method form of `pumice.diag`."""
        return _grids.diag(self, diagonal)

    def diagflat(self: Tensor, offset: int = 0) -> Tensor:
        """Return a matrix with all elements of a tensor on its diagonal. Method form of `pumice.diagflat`."""
        return _grids.diagflat(self, offset)

    def explain(self: Tensor) -> str:
        """Return the kernels that evaluating a tensor would take, one paragraph each. Method form of `pumice.explain`."""
        return _inspection.explain(self)

    def is_same_size(self: Tensor, other: Tensor) -> bool:
        """Tell whether two tensors have one shape. Method form of `pumice.is_same_size`."""
        return _limits.is_same_size(self, other)

    def inverse(self: Tensor) -> Tensor:
        """Return the inverse, as `pumice.linalg.inv` does. Method form of `pumice.inverse`."""
        return _matrix_aliases.inverse(self)

    def det(self: Tensor) -> Tensor:
        """Return the determinant, as `pumice.linalg.det` does. Method form of `pumice.det`."""
        return _matrix_aliases.det(self)

    def slogdet(self: Tensor) -> SignLogarithm:
        """Return the sign of the determinant and the logarithm of its size. Method form of `pumice.slogdet`."""
        return _matrix_aliases.slogdet(self)

    def matrix_power(self: Tensor, n: int) -> Tensor:
        """Return square matrices multiplied by themselves, as `pumice.linalg.matrix_power` does. Method form of `pumice.matrix_power`."""
        return _matrix_aliases.matrix_power(self, n)

    def cholesky(self: Tensor, upper: bool = False) -> Tensor:
        """Return the lower triangle L with ``input = L @ L.T``, as `pumice.linalg.cholesky` does. Method form of `pumice.cholesky`."""
        return _matrix_aliases.cholesky(self, upper)

    def lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """Solve ``A X = input`` from what `pumice.linalg.lu_factor` gave for A. Method form of `pumice.lu_solve`."""
        return _matrix_aliases.lu_solve(self, LU_data, LU_pivots)

    def triangular_solve(
        self: Tensor,
        A: Tensor,
        upper: bool = True,
        transpose: bool = False,
        unitriangular: bool = False,
    ) -> TriangularSolution:
        """Solve ``A X = input`` for a matrix of which one triangle is read. Method form of `pumice.triangular_solve`."""
        return _matrix_aliases.triangular_solve(self, A, upper, transpose, unitriangular)

    def matrix_exp(self: Tensor) -> Tensor:
        """Return the exponential of square matrices. Method form of `pumice.matrix_exp`."""
        return _matrix_functions.matrix_exp(self)

    def cross(self: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
        """Return the vector product along an axis of extent 3. Method form of `pumice.cross`."""
        return _matrix_norms.cross(self, other, dim=dim)

    def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
        """Swap two axes. Method form of `pumice.transpose`."""
        return _movement.transpose(self, dim0, dim1)

    def swapaxes(self: Tensor, axis0: int, axis1: int) -> Tensor:
        """Swap two axes; the NumPy name of `transpose`. Method form of `pumice.swapaxes`."""
        return _movement.swapaxes(self, axis0, axis1)

    def swapdims(self: Tensor, dim0: int, dim1: int) -> Tensor:
        """Swap two axes; another name of `transpose`. Method form of `pumice.swapdims`."""
        return _movement.swapdims(self, dim0, dim1)

    def t(self: Tensor) -> Tensor:
        """Transpose a matrix; tensors of fewer dimensions are returned as they are. Method form of `pumice.t`."""
        return _movement.t(self)

    def movedim(
        self: Tensor, source: int | Sequence[int], destination: int | Sequence[int]
    ) -> Tensor:
        """Move axes to new places; the others keep their order. Method form of `pumice.movedim`."""
        return _movement.movedim(self, source, destination)

    def moveaxis(
        self: Tensor, source: int | Sequence[int], destination: int | Sequence[int]
    ) -> Tensor:
        """Move axes to new places; the NumPy name of `movedim`. Method form of `pumice.moveaxis`."""
        return _movement.moveaxis(self, source, destination)

    def squeeze(self: Tensor, dim: Dims = None) -> Tensor:
        """Drop axes of extent 1. Method form of `pumice.squeeze`."""
        return _movement.squeeze(self, dim)

    def unsqueeze(self: Tensor, dim: int) -> Tensor:
        """Add an axis of extent 1. Method form of `pumice.unsqueeze`."""
        return _movement.unsqueeze(self, dim)

    def flatten(self: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """Join neighbouring axes into one. Method form of `pumice.flatten`."""
        return _movement.flatten(self, start_dim, end_dim)

    def ravel(self: Tensor) -> Tensor:
        """Return all elements in one axis; see `flatten`. Method form of `pumice.ravel`."""
        return _movement.ravel(self)

    def unflatten(self: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
        """Split one axis into several. Method form of `pumice.unflatten`."""
        return _movement.unflatten(self, dim, sizes)

    def layernorm(self: Tensor, axis: Dims = -1, eps: float = 1e-05) -> Tensor:
        """Give axes mean 0 and variance 1. Method form of `pumice.layernorm`."""
        return _normalization.layernorm(self, axis, eps)

    def norm(
        self: Tensor,
        p: float | str = 2,
        dim: Dims = None,
        keepdim: bool = False,
        dtype: DType | None = None,
    ) -> Tensor:
        """Return the p-norm of elements along axes. Method form of `pumice.norm`."""
        return _norms.norm(self, p, dim, keepdim, dtype)

    def renorm(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
        """Return a copy whose parts along an axis have at most a given norm. Method form of `pumice.renorm`."""
        return _norms.renorm(self, p, dim, maxnorm)

    def renorm_(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
        """Return a copy whose parts along an axis have at most a given norm. In-place form of `pumice.renorm`."""
        return replace(self, "renorm_", _norms.renorm(self, p, dim, maxnorm).node)

    def dist(self: Tensor, other: Tensor, p: float = 2) -> Tensor:
        """Return the p-norm of a difference. Method form of `pumice.dist`."""
        return _norms.dist(self, other, p)

    def qr(self: Tensor, some: bool = True) -> QRResult:
        """Return ``Q, R`` with ``input = Q @ R``, as `pumice.linalg.qr` does. Method form of `pumice.qr`."""
        return _orthogonal_aliases.qr(self, some)

    def geqrf(self: Tensor) -> Reflections:
        """Return the reflections that make a QR factorisation. Method form of `pumice.geqrf`."""
        return _orthogonal_aliases.geqrf(self)

    def orgqr(self: Tensor, input2: Tensor) -> Tensor:
        """Return the first columns of a product of reflections. Method form of `pumice.orgqr`."""
        return _orthogonal_aliases.orgqr(self, input2)

    def svd(self: Tensor, some: bool = True, compute_uv: bool = True) -> SingularColumns:
        """Return ``U, S, V`` with ``input = U @ diag(S) @ V.T``. Method form of `pumice.svd`."""
        return _orthogonal_aliases.svd(self, some, compute_uv)

    def pinverse(self: Tensor, rcond: float = 1e-15) -> Tensor:
        """Return the pseudo-inverse, as `pumice.linalg.pinv` does. Method form of `pumice.pinverse`."""
        return _orthogonal_aliases.pinverse(self, rcond)

    def pad(
        self: Tensor, padding: Sequence[Pair | None], mode: str = "constant", value: Scalar = 0
    ) -> Tensor:
        """Surround a tensor with further elements. Method form of `pumice.pad`."""
        return _padding.pad(self, padding, mode, value)

    def pad_constant(self: Tensor, padding: Sequence[Pair | None], value: Scalar = 0) -> Tensor:
        """Surround a tensor with one number; see `pad`. Method form of `pumice.pad_constant`."""
        return _padding.pad_constant(self, padding, value)

    def deg2rad(self: Tensor) -> Tensor:
        """Convert degrees to radians. Method form of `pumice.deg2rad`."""
        return _pointwise.deg2rad(self)

    def deg2rad_(self: Tensor) -> Tensor:
        """Convert degrees to radians. In-place form of `pumice.deg2rad`."""
        return replace(self, "deg2rad_", _pointwise.deg2rad(self).node)

    def rad2deg(self: Tensor) -> Tensor:
        """Convert radians to degrees. Method form of `pumice.rad2deg`."""
        return _pointwise.rad2deg(self)

    def rad2deg_(self: Tensor) -> Tensor:
        """Convert radians to degrees. In-place form of `pumice.rad2deg`."""
        return replace(self, "rad2deg_", _pointwise.rad2deg(self).node)

    def sgn(self: Tensor) -> Tensor:
        """Return the sign; another name of `sign` (no complex types). Method form of `pumice.sgn`."""
        return _pointwise.sgn(self)

    def sgn_(self: Tensor) -> Tensor:
        """Return the sign; another name of `sign` (no complex types). In-place form of `pumice.sgn`."""
        return replace(self, "sgn_", _pointwise.sgn(self).node)

    def logit(self: Tensor, eps: float | None = None) -> Tensor:
        """Return ``log(x / (1 - x))``, the inverse of sigmoid. Method form of `pumice.logit`."""
        return _pointwise.logit(self, eps)

    def logit_(self: Tensor, eps: float | None = None) -> Tensor:
        """Return ``log(x / (1 - x))``, the inverse of sigmoid. In-place form of `pumice.logit`."""
        return replace(self, "logit_", _pointwise.logit(self, eps).node)

    def frexp(self: Tensor) -> Parts:
        """Take floating numbers apart: ``mantissa * 2**exponent``. Method form of `pumice.frexp`."""
        return _pointwise.frexp(self)

    def mvlgamma(self: Tensor, p: int) -> Tensor:
        """Return the logarithm of the multivariate gamma function. Method form of `pumice.mvlgamma`."""
        return _pointwise.mvlgamma(self, p)

    def mvlgamma_(self: Tensor, p: int) -> Tensor:
        """Return the logarithm of the multivariate gamma function. In-place form of `pumice.mvlgamma`."""
        return replace(self, "mvlgamma_", _pointwise.mvlgamma(self, p).node)

    def ldexp(self: Tensor, other: Tensor) -> Tensor:
        """Return ``input * 2**other``. Method form of `pumice.ldexp`."""
        return _pointwise.ldexp(self, other)

    def ldexp_(self: Tensor, other: Tensor) -> Tensor:
        """Return ``input * 2**other``. In-place form of `pumice.ldexp`."""
        return replace(self, "ldexp_", _pointwise.ldexp(self, other).node)

    def logaddexp2(self: Tensor, other: Tensor) -> Tensor:
        """Return ``log2(2**input + 2**other)`` without overflow. Method form of `pumice.logaddexp2`."""
        return _pointwise.logaddexp2(self, other)

    def gcd(self: Tensor, other: Tensor) -> Tensor:
        """Return the greatest common divisor of integers. Method form of `pumice.gcd`."""
        return _pointwise.gcd(self, other)

    def gcd_(self: Tensor, other: Tensor) -> Tensor:
        """Return the greatest common divisor of integers. In-place form of `pumice.gcd`."""
        return replace(self, "gcd_", _pointwise.gcd(self, other).node)

    def lcm(self: Tensor, other: Tensor) -> Tensor:
        """Return the least common multiple of integers. Method form of `pumice.lcm`."""
        return _pointwise.lcm(self, other)

    def lcm_(self: Tensor, other: Tensor) -> Tensor:
        """Return the least common multiple of integers. In-place form of `pumice.lcm`."""
        return replace(self, "lcm_", _pointwise.lcm(self, other).node)

    def conj(self: Tensor) -> Tensor:
        """Return the conjugate: the input itself (no complex types). Method form of `pumice.conj`."""
        return _pointwise.conj(self)

    def is_conj(self: Tensor) -> bool:
        """Tell whether a tensor is conjugated lazily: never. Method form of `pumice.is_conj`."""
        return _pointwise.is_conj(self)

    def is_neg(self: Tensor) -> bool:
        """Tell whether a tensor is negated lazily: never. Method form of `pumice.is_neg`."""
        return _pointwise.is_neg(self)

    def resolve_conj(self: Tensor) -> Tensor:
        """Return the input itself: nothing is conjugated lazily (no complex types). Method form of `pumice.resolve_conj`."""
        return _pointwise.resolve_conj(self)

    def resolve_neg(self: Tensor) -> Tensor:
        """Return the input itself: nothing is negated lazily. Method form of `pumice.resolve_neg`."""
        return _pointwise.resolve_neg(self)

    def isreal(self: Tensor) -> Tensor:
        """Tell which elements have no imaginary part: all (no complex types). Method form of `pumice.isreal`."""
        return _pointwise.isreal(self)

    def angle(self: Tensor) -> Tensor:
        """Return 0 for positive elements, pi for negative ones, NaN for NaN. Method form of `pumice.angle`."""
        return _pointwise.angle(self)

    def is_nonzero(self: Tensor) -> bool:
        """Tell whether the only element is not zero; evaluates. Method form of `pumice.is_nonzero`."""
        return _pointwise.is_nonzero(self)

    def addmm(
        self: Tensor,
        mat1: Tensor,
        mat2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (mat1 @ mat2)``; with ``beta=0`` input is not read. Method form of `pumice.addmm`."""
        return _product_sums.addmm(self, mat1, mat2, beta=beta, alpha=alpha)

    def addmm_(
        self: Tensor,
        mat1: Tensor,
        mat2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (mat1 @ mat2)``; with ``beta=0`` input is not read. In-place form of `pumice.addmm`."""
        return replace(
            self, "addmm_", _product_sums.addmm(self, mat1, mat2, beta=beta, alpha=alpha).node
        )

    def addmv(
        self: Tensor,
        mat: Tensor,
        vec: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (mat @ vec)``. Method form of `pumice.addmv`."""
        return _product_sums.addmv(self, mat, vec, beta=beta, alpha=alpha)

    def addmv_(
        self: Tensor,
        mat: Tensor,
        vec: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (mat @ vec)``. In-place form of `pumice.addmv`."""
        return replace(
            self, "addmv_", _product_sums.addmv(self, mat, vec, beta=beta, alpha=alpha).node
        )

    def baddbmm(
        self: Tensor,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (batch1 @ batch2)`` for stacks of matrices. Method form of `pumice.baddbmm`."""
        return _product_sums.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def baddbmm_(
        self: Tensor,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (batch1 @ batch2)`` for stacks of matrices. In-place form of `pumice.baddbmm`."""
        return replace(
            self,
            "baddbmm_",
            _product_sums.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha).node,
        )

    def addbmm(
        self: Tensor,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * sum(batch1 @ batch2)`` over stacks of matrices. Method form of `pumice.addbmm`."""
        return _product_sums.addbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def addbmm_(
        self: Tensor,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * sum(batch1 @ batch2)`` over stacks of matrices. In-place form of `pumice.addbmm`."""
        return replace(
            self, "addbmm_", _product_sums.addbmm(self, batch1, batch2, beta=beta, alpha=alpha).node
        )

    def addr(
        self: Tensor,
        vec1: Tensor,
        vec2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * outer(vec1, vec2)``. Method form of `pumice.addr`."""
        return _product_sums.addr(self, vec1, vec2, beta=beta, alpha=alpha)

    def addr_(
        self: Tensor,
        vec1: Tensor,
        vec2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * outer(vec1, vec2)``. In-place form of `pumice.addr`."""
        return replace(
            self, "addr_", _product_sums.addr(self, vec1, vec2, beta=beta, alpha=alpha).node
        )

    def matmul(self: Tensor, other: Tensor) -> Tensor:
        """Return the matrix product. Method form of `pumice.matmul`."""
        return _products.matmul(self, other)

    def dot(self: Tensor, other: Tensor, *, dtype: DType | None = None) -> Tensor:
        """Contract the last axis of the first with the last (1-D) or second-to-last of the second. Method form of `pumice.dot`."""
        return _products.dot(self, other, dtype=dtype)

    def mm(self: Tensor, mat2: Tensor) -> Tensor:
        """Return the product of two matrices; see `matmul`. Method form of `pumice.mm`."""
        return _products.mm(self, mat2)

    def bmm(self: Tensor, mat2: Tensor) -> Tensor:
        """Return the products of two stacks of matrices; see `matmul`. Method form of `pumice.bmm`."""
        return _products.bmm(self, mat2)

    def mv(self: Tensor, vec: Tensor) -> Tensor:
        """Return the product of a matrix and a vector; see `matmul`. Method form of `pumice.mv`."""
        return _products.mv(self, vec)

    def inner(self: Tensor, other: Tensor) -> Tensor:
        """Contract the last axes of both operands; 0-d operands multiply. Method form of `pumice.inner`."""
        return _products.inner(self, other)

    def outer(self: Tensor, vec2: Tensor) -> Tensor:
        """Multiply every element of one vector with every element of another. Method form of `pumice.outer`."""
        return _products.outer(self, vec2)

    def vdot(self: Tensor, other: Tensor) -> Tensor:
        """Return the dot product of two vectors. Method form of `pumice.vdot`."""
        return _products.vdot(self, other)

    def ger(self: Tensor, vec2: Tensor) -> Tensor:
        """Multiply every pair of elements of two vectors; another name of `outer`. Method form of `pumice.ger`."""
        return _products.ger(self, vec2)

    def tensordot(self: Tensor, other: Tensor, dims: int | Sequence[Sequence[int]] = 2) -> Tensor:
        """Contract several axes of two tensors. Method form of `pumice.tensordot`."""
        return _products.tensordot(self, other, dims)

    def trace(self: Tensor) -> Tensor:
        """Return the sum of the main diagonal of a matrix. Method form of `pumice.trace`."""
        return _products.trace(self)

    def kron(self: Tensor, other: Tensor) -> Tensor:
        """Return the Kronecker product: every element times the whole second tensor. Method form of `pumice.kron`."""
        return _products.kron(self, other)

    def quantile(
        self: Tensor,
        q: Any,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        """Return the elements below which given shares of an axis lie. Method form of `pumice.quantile`."""
        return _quantiles.quantile(self, q, dim, keepdim, interpolation=interpolation)

    def nanquantile(
        self: Tensor,
        q: Any,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        """Return `quantile` with NaN left out. Method form of `pumice.nanquantile`."""
        return _quantiles.nanquantile(self, q, dim, keepdim, interpolation=interpolation)

    def cov(
        self: Tensor,
        *,
        correction: int = 1,
        fweights: Tensor | None = None,
        aweights: Tensor | None = None,
    ) -> Tensor:
        """Return the covariances of rows (variables) over columns (observations). Method form of `pumice.cov`."""
        return _quantiles.cov(self, correction=correction, fweights=fweights, aweights=aweights)

    def corrcoef(self: Tensor) -> Tensor:
        """Return the correlations of rows (variables) over columns (observations). Method form of `pumice.corrcoef`."""
        return _quantiles.corrcoef(self)

    def histc(self: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
        """Count elements in equal bins from ``min`` to ``max`` (evaluated when both are equal). Method form of `pumice.histc`."""
        return _quantiles.histc(self, bins, min, max)

    def bernoulli(
        self: Tensor,
        p: float | None = None,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Return 1 with the probability each element gives (or ``p``), else 0. Method form of `pumice.bernoulli`."""
        return _random.bernoulli(self, p, generator=generator)

    def uniform_(
        self: Tensor,
        from_: float = 0.0,
        to: float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with uniform numbers from ``from_`` to ``to``. Method form of `pumice.uniform_`."""
        return _random.uniform_(self, from_, to, generator=generator)

    def normal_(
        self: Tensor,
        mean: float = 0.0,
        std: float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with normal numbers of given mean and standard deviation. Method form of `pumice.normal_`."""
        return _random.normal_(self, mean, std, generator=generator)

    def random_(
        self: Tensor,
        low: int = 0,
        high: int | None = None,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with integers from ``low`` up to, not including, ``high``. Method form of `pumice.random_`."""
        return _random.random_(self, low, high, generator=generator)

    def bernoulli_(self: Tensor, p: float = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1 with probability p, else 0. Method form of `pumice.bernoulli_`."""
        return _random.bernoulli_(self, p, generator=generator)

    def sum(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        dtype: DType | None = None,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Add elements along axes. Method form of `pumice.sum`."""
        return _reductions.sum(self, dim, keepdim, dtype=dtype, axis=axis, keepdims=keepdims)

    def sum_to_size(self: Tensor, *size: Any) -> Tensor:
        """Add up axes until the tensor has a shape that broadcasts to its own. Method form of `pumice.sum_to_size`."""
        return _reductions.sum_to_size(self, *size)

    def prod(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        dtype: DType | None = None,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Multiply elements along axes; parameters as in `sum`. Method form of `pumice.prod`."""
        return _reductions.prod(self, dim, keepdim, dtype=dtype, axis=axis, keepdims=keepdims)

    def amax(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Return the largest element along axes; NaN wins. Method form of `pumice.amax`."""
        return _reductions.amax(self, dim, keepdim, axis=axis, keepdims=keepdims)

    def amin(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Return the smallest element along axes; NaN wins. Parameters as in `amax`. Method form of `pumice.amin`."""
        return _reductions.amin(self, dim, keepdim, axis=axis, keepdims=keepdims)

    def any(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Tell whether some element along axes is not zero (NaN is not). Method form of `pumice.any`."""
        return _reductions.any(self, dim, keepdim, axis=axis, keepdims=keepdims)

    def all(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Tell whether every element along axes is not zero. Method form of `pumice.all`."""
        return _reductions.all(self, dim, keepdim, axis=axis, keepdims=keepdims)

    def count_nonzero(self: Tensor, dim: Dims = None) -> Tensor:
        """Count elements that are not zero along axes. Method form of `pumice.count_nonzero`."""
        return _reductions.count_nonzero(self, dim)

    def repeat(self: Tensor, *repeats: Any) -> Tensor:
        """Repeat whole blocks along axes; see `tile`. Method form of `pumice.repeat`."""
        return _repeating.repeat(self, *repeats)

    def tile(self: Tensor, *dims: Any) -> Tensor:
        """Repeat whole blocks along axes; missing numbers in front count as 1. Method form of `pumice.tile`."""
        return _repeating.tile(self, *dims)

    def repeat_interleave(
        self: Tensor,
        repeats: int | Tensor,
        dim: int | None = None,
        *,
        output_size: int | None = None,
    ) -> Tensor:
        """Repeat each element of an axis in place. Method form of `pumice.repeat_interleave`."""
        return _repeating.repeat_interleave(self, repeats, dim, output_size=output_size)

    def roll(self: Tensor, shifts: int | Sequence[int], dims: Dims = None) -> Tensor:
        """Move elements along axes; those leaving at one end enter at the other. Method form of `pumice.roll`."""
        return _repeating.roll(self, shifts, dims)

    def rot90(self: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
        """Turn the plane of two axes by quarter turns, from the first axis to the second. Method form of `pumice.rot90`."""
        return _repeating.rot90(self, k, dims)

    def index_put(
        self: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False
    ) -> Tensor:
        """Return a copy with elements at positions replaced, or added to. Method form of `pumice.index_put`."""
        return _replacing.index_put(self, indices, values, accumulate)

    def index_put_(
        self: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False
    ) -> Tensor:
        """Return a copy with elements at positions replaced, or added to. In-place form of `pumice.index_put`."""
        return replace(
            self, "index_put_", _replacing.index_put(self, indices, values, accumulate).node
        )

    def put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """Return a copy with elements of the flattened input replaced, or added to. Method form of `pumice.put`."""
        return _replacing.put(self, index, source, accumulate)

    def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """Return a copy with elements of the flattened input replaced, or added to. In-place form of `pumice.put`."""
        return replace(self, "put_", _replacing.put(self, index, source, accumulate).node)

    def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
        """Return a copy with elements where a mask is true taken from ``source``, in order. Method form of `pumice.masked_scatter`."""
        return _replacing.masked_scatter(self, mask, source)

    def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
        """Return a copy with elements where a mask is true taken from ``source``, in order. In-place form of `pumice.masked_scatter`."""
        return replace(self, "masked_scatter_", _replacing.masked_scatter(self, mask, source).node)

    def fill_diagonal_(self: Tensor, fill_value: Scalar, wrap: bool = False) -> Tensor:
        """Write a number along the main diagonal, in place. Method form of `pumice.fill_diagonal_`."""
        return _replacing.fill_diagonal_(self, fill_value, wrap)

    def select_scatter(self: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
        """Return a copy with one element of an axis replaced; see `select`. Method form of `pumice.select_scatter`."""
        return _replacing.select_scatter(self, src, dim, index)

    def slice_scatter(
        self: Tensor,
        src: Tensor,
        dim: int = 0,
        start: int | None = None,
        end: int | None = None,
        step: int = 1,
    ) -> Tensor:
        """Return a copy with a slice of an axis replaced. Method form of `pumice.slice_scatter`."""
        return _replacing.slice_scatter(self, src, dim, start, end, step)

    def diagonal_scatter(
        self: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
    ) -> Tensor:
        """Return a copy with a diagonal replaced; see `diagonal`. Method form of `pumice.diagonal_scatter`."""
        return _replacing.diagonal_scatter(self, src, offset, dim1, dim2)

    def cumsum(
        self: Tensor,
        dim: int = 0,
        *,
        dtype: DType | None = None,
        axis: int | None = None,
    ) -> Tensor:
        """Return running sums along an axis. Method form of `pumice.cumsum`."""
        return _scans.cumsum(self, dim, dtype=dtype, axis=axis)

    def cumsum_(
        self: Tensor,
        dim: int = 0,
        *,
        dtype: DType | None = None,
        axis: int | None = None,
    ) -> Tensor:
        """Return running sums along an axis. In-place form of `pumice.cumsum`."""
        return replace(self, "cumsum_", _scans.cumsum(self, dim, dtype=dtype, axis=axis).node)

    def cumprod(
        self: Tensor,
        dim: int = 0,
        *,
        dtype: DType | None = None,
        axis: int | None = None,
    ) -> Tensor:
        """Return running products along an axis; parameters as in `cumsum`. Method form of `pumice.cumprod`."""
        return _scans.cumprod(self, dim, dtype=dtype, axis=axis)

    def cumprod_(
        self: Tensor,
        dim: int = 0,
        *,
        dtype: DType | None = None,
        axis: int | None = None,
    ) -> Tensor:
        """Return running products along an axis; parameters as in `cumsum`. In-place form of `pumice.cumprod`."""
        return replace(self, "cumprod_", _scans.cumprod(self, dim, dtype=dtype, axis=axis).node)

    def logcumsumexp(self: Tensor, dim: int = 0, *, axis: int | None = None) -> Tensor:
        """Return logarithms of running sums of exponentials along an axis. Method form of `pumice.logcumsumexp`."""
        return _scans.logcumsumexp(self, dim, axis=axis)

    def cummax(self: Tensor, dim: int = 0, *, axis: int | None = None) -> Located:
        """Return running maxima along an axis and where they stand. Method form of `pumice.cummax`."""
        return _scans.cummax(self, dim, axis=axis)

    def cummin(self: Tensor, dim: int = 0, *, axis: int | None = None) -> Located:
        """Return running minima along an axis and where they stand; see `cummax`. Method form of `pumice.cummin`."""
        return _scans.cummin(self, dim, axis=axis)

    def diff(
        self: Tensor,
        n: int = 1,
        dim: int = -1,
        prepend: Tensor | None = None,
        append: Tensor | None = None,
    ) -> Tensor:
        """Return differences of neighbours along an axis, ``n`` times. Method form of `pumice.diff`."""
        return _scans.diff(self, n, dim, prepend, append)

    def scatter(
        self: Tensor,
        dim: int,
        index: Tensor,
        src: Any,
        *,
        reduce: str | None = None,
        mode: str = "raise",
    ) -> Tensor:
        """Return a copy with elements along an axis replaced; the last write to a place wins. Method form of `pumice.scatter`."""
        return _scattering.scatter(self, dim, index, src, reduce=reduce, mode=mode)

    def scatter_(
        self: Tensor,
        dim: int,
        index: Tensor,
        src: Any,
        *,
        reduce: str | None = None,
        mode: str = "raise",
    ) -> Tensor:
        """Return a copy with elements along an axis replaced; the last write to a place wins. In-place form of `pumice.scatter`."""
        return replace(
            self,
            "scatter_",
            _scattering.scatter(self, dim, index, src, reduce=reduce, mode=mode).node,
        )

    def scatter_add(
        self: Tensor,
        dim: int,
        index: Tensor,
        src: Tensor,
        *,
        mode: str = "raise",
    ) -> Tensor:
        """Return a copy with values added along an axis; parameters as in `scatter`. Method form of `pumice.scatter_add`."""
        return _scattering.scatter_add(self, dim, index, src, mode=mode)

    def scatter_add_(
        self: Tensor,
        dim: int,
        index: Tensor,
        src: Tensor,
        *,
        mode: str = "raise",
    ) -> Tensor:
        """Return a copy with values added along an axis; parameters as in `scatter`. In-place form of `pumice.scatter_add`."""
        return replace(
            self, "scatter_add_", _scattering.scatter_add(self, dim, index, src, mode=mode).node
        )

    def scatter_reduce(
        self: Tensor,
        dim: int,
        index: Tensor,
        src: Tensor,
        reduce: str,
        *,
        include_self: bool = True,
        mode: str = "raise",
    ) -> Tensor:
        """Return a copy with values folded into elements along an axis. Method form of `pumice.scatter_reduce`."""
        return _scattering.scatter_reduce(
            self, dim, index, src, reduce, include_self=include_self, mode=mode
        )

    def scatter_reduce_(
        self: Tensor,
        dim: int,
        index: Tensor,
        src: Tensor,
        reduce: str,
        *,
        include_self: bool = True,
        mode: str = "raise",
    ) -> Tensor:
        """Return a copy with values folded into elements along an axis. In-place form of `pumice.scatter_reduce`."""
        return replace(
            self,
            "scatter_reduce_",
            _scattering.scatter_reduce(
                self, dim, index, src, reduce, include_self=include_self, mode=mode
            ).node,
        )

    def index_add(
        self: Tensor,
        dim: int,
        index: Tensor,
        source: Tensor,
        *,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return a copy with slices of ``source`` added at positions of an axis. Method form of `pumice.index_add`."""
        return _scattering.index_add(self, dim, index, source, alpha=alpha)

    def index_add_(
        self: Tensor,
        dim: int,
        index: Tensor,
        source: Tensor,
        *,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return a copy with slices of ``source`` added at positions of an axis. In-place form of `pumice.index_add`."""
        return replace(
            self, "index_add_", _scattering.index_add(self, dim, index, source, alpha=alpha).node
        )

    def index_reduce(
        self: Tensor,
        dim: int,
        index: Tensor,
        source: Tensor,
        reduce: str,
        *,
        include_self: bool = True,
    ) -> Tensor:
        """Return a copy with slices of ``source`` folded into those at positions of an axis. Method form of `pumice.index_reduce`."""
        return _scattering.index_reduce(self, dim, index, source, reduce, include_self=include_self)

    def index_reduce_(
        self: Tensor,
        dim: int,
        index: Tensor,
        source: Tensor,
        reduce: str,
        *,
        include_self: bool = True,
    ) -> Tensor:
        """Return a copy with slices of ``source`` folded into those at positions of an axis. In-place form of `pumice.index_reduce`."""
        return replace(
            self,
            "index_reduce_",
            _scattering.index_reduce(
                self, dim, index, source, reduce, include_self=include_self
            ).node,
        )

    def index_copy(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
        """Return a copy with slices of ``source`` in place of those at positions of an axis. Method form of `pumice.index_copy`."""
        return _scattering.index_copy(self, dim, index, source)

    def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
        """Return a copy with slices of ``source`` in place of those at positions of an axis. In-place form of `pumice.index_copy`."""
        return replace(self, "index_copy_", _scattering.index_copy(self, dim, index, source).node)

    def index_fill(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
        """Return a copy with slices at positions of an axis filled with one number. Method form of `pumice.index_fill`."""
        return _scattering.index_fill(self, dim, index, value)

    def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
        """Return a copy with slices at positions of an axis filled with one number. In-place form of `pumice.index_fill`."""
        return replace(self, "index_fill_", _scattering.index_fill(self, dim, index, value).node)

    def clamp(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
        """Limit elements to a range. Method form of `pumice.clamp`."""
        return _selection.clamp(self, min, max)

    def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
        """Limit elements to a range. In-place form of `pumice.clamp`."""
        return replace(self, "clamp_", _selection.clamp(self, min, max).node)

    def clip(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
        """Limit elements to a range; the NumPy name of `clamp`. Method form of `pumice.clip`."""
        return _selection.clip(self, min, max)

    def clip_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
        """Limit elements to a range; the NumPy name of `clamp`. In-place form of `pumice.clip`."""
        return replace(self, "clip_", _selection.clip(self, min, max).node)

    def masked_fill(self: Tensor, mask: Tensor, value: Any) -> Tensor:
        """Replace elements by a number where a mask is true. Method form of `pumice.masked_fill`."""
        return _selection.masked_fill(self, mask, value)

    def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
        """Replace elements by a number where a mask is true. In-place form of `pumice.masked_fill`."""
        return replace(self, "masked_fill_", _selection.masked_fill(self, mask, value).node)

    def lerp(self: Tensor, end: Tensor, weight: Any) -> Tensor:
        """Interpolate: ``input + weight * (end - input)``, exact at both ends. Method form of `pumice.lerp`."""
        return _selection.lerp(self, end, weight)

    def lerp_(self: Tensor, end: Tensor, weight: Any) -> Tensor:
        """Interpolate: ``input + weight * (end - input)``, exact at both ends. In-place form of `pumice.lerp`."""
        return replace(self, "lerp_", _selection.lerp(self, end, weight).node)

    def addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
        """Return ``input + value * tensor1 * tensor2``. Method form of `pumice.addcmul`."""
        return _selection.addcmul(self, tensor1, tensor2, value=value)

    def addcmul_(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
        """Return ``input + value * tensor1 * tensor2``. In-place form of `pumice.addcmul`."""
        return replace(
            self, "addcmul_", _selection.addcmul(self, tensor1, tensor2, value=value).node
        )

    def addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
        """Return ``input + value * tensor1 / tensor2``; floating operands only. Method form of `pumice.addcdiv`."""
        return _selection.addcdiv(self, tensor1, tensor2, value=value)

    def addcdiv_(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
        """Return ``input + value * tensor1 / tensor2``; floating operands only. In-place form of `pumice.addcdiv`."""
        return replace(
            self, "addcdiv_", _selection.addcdiv(self, tensor1, tensor2, value=value).node
        )

    def triu(self: Tensor, diagonal: int = 0) -> Tensor:
        """Keep the upper triangle of the last two axes, 0 elsewhere. Method form of `pumice.triu`."""
        return _selection.triu(self, diagonal)

    def triu_(self: Tensor, diagonal: int = 0) -> Tensor:
        """Keep the upper triangle of the last two axes, 0 elsewhere. In-place form of `pumice.triu`."""
        return replace(self, "triu_", _selection.triu(self, diagonal).node)

    def tril(self: Tensor, diagonal: int = 0) -> Tensor:
        """Keep the lower triangle of the last two axes, 0 elsewhere; see `triu`. Method form of `pumice.tril`."""
        return _selection.tril(self, diagonal)

    def tril_(self: Tensor, diagonal: int = 0) -> Tensor:
        """Keep the lower triangle of the last two axes, 0 elsewhere; see `triu`. In-place form of `pumice.tril`."""
        return replace(self, "tril_", _selection.tril(self, diagonal).node)

    def unique(
        self: Tensor,
        sorted: bool = True,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> Any:
        """Return each different element (or slice of an axis) once, in ascending order. Method form of `pumice.unique`."""
        return _sets.unique(self, sorted, return_inverse, return_counts, dim)

    def unique_consecutive(
        self: Tensor,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> Any:
        """Drop elements (or slices of an axis) equal to the one before them. Method form of `pumice.unique_consecutive`."""
        return _sets.unique_consecutive(self, return_inverse, return_counts, dim)

    def bincount(self: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
        """Count how often each non-negative integer occurs, or add weights. Method form of `pumice.bincount`."""
        return _sets.bincount(self, weights, minlength)

    def narrow(self: Tensor, dim: int, start: int, length: int) -> Tensor:
        """Take ``length`` elements of one axis. Method form of `pumice.narrow`."""
        return _slicing.narrow(self, dim, start, length)

    def narrow_copy(self: Tensor, dim: int, start: int, length: int) -> Tensor:
        """Return a copy of ``length`` elements of one axis; see `narrow`. Method form of `pumice.narrow_copy`."""
        return _slicing.narrow_copy(self, dim, start, length)

    def select(self: Tensor, dim: int, index: int) -> Tensor:
        """Take one element of an axis and drop the axis. Method form of `pumice.select`."""
        return _slicing.select(self, dim, index)

    def diagonal(self: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
        """Take the diagonal of two axes as a new last axis. Method form of `pumice.diagonal`."""
        return _slicing.diagonal(self, offset, dim1, dim2)

    def fliplr(self: Tensor) -> Tensor:
        """Reverse the second axis; see `flip`. Method form of `pumice.fliplr`."""
        return _slicing.fliplr(self)

    def flipud(self: Tensor) -> Tensor:
        """Reverse the first axis; see `flip`. Method form of `pumice.flipud`."""
        return _slicing.flipud(self)

    def sort(self: Tensor, dim: int = -1, descending: bool = False, stable: bool = True) -> Located:
        """Order elements along an axis. Method form of `pumice.sort`."""
        return _sorting.sort(self, dim, descending, stable)

    def argsort(
        self: Tensor, dim: int = -1, descending: bool = False, stable: bool = True
    ) -> Tensor:
        """Return the indices that `sort` returns. Method form of `pumice.argsort`."""
        return _sorting.argsort(self, dim, descending, stable)

    def msort(self: Tensor) -> Tensor:
        """Return the input ordered along its first axis. Method form of `pumice.msort`."""
        return _sorting.msort(self)

    def topk(
        self: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
    ) -> Located:
        """Return the k largest (or smallest) elements along an axis, in order. Method form of `pumice.topk`."""
        return _sorting.topk(self, k, dim, largest, sorted)

    def kthvalue(self: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Located:
        """Return the k-th smallest element along an axis, counted from 1, and its index. Method form of `pumice.kthvalue`."""
        return _sorting.kthvalue(self, k, dim, keepdim)

    def mode(self: Tensor, dim: int = -1, keepdim: bool = False) -> Located:
        """Return the most frequent element along an axis, and where its last copy stands. Method form of `pumice.mode`."""
        return _sorting.mode(self, dim, keepdim)

    def median(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Located:
        """Return the lower median of all elements, or values and indices along an axis. Method form of `pumice.median`."""
        return _sorting.median(self, dim, keepdim)

    def nanmedian(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Located:
        """Return `median` with NaN left out; NaN where there is nothing else. Method form of `pumice.nanmedian`."""
        return _sorting.nanmedian(self, dim, keepdim)

    def unbind(self: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
        """Return every element of an axis, the axis dropped. Method form of `pumice.unbind`."""
        return _splitting.unbind(self, dim)

    def split(
        self: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
    ) -> tuple[Tensor, ...]:
        """Cut an axis into parts of given lengths. Method form of `pumice.split`."""
        return _splitting.split(self, split_size_or_sections, dim)

    def split_with_sizes(
        self: Tensor, split_sizes: Sequence[int], dim: int = 0
    ) -> tuple[Tensor, ...]:
        """Cut an axis into parts of all given lengths; see `split`. Method form of `pumice.split_with_sizes`."""
        return _splitting.split_with_sizes(self, split_sizes, dim)

    def chunk(self: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """Cut an axis into at most ``chunks`` equal parts; the last may be shorter. Method form of `pumice.chunk`."""
        return _splitting.chunk(self, chunks, dim)

    def tensor_split(
        self: Tensor, indices_or_sections: int | Sequence[int], dim: int = 0
    ) -> tuple[Tensor, ...]:
        """Cut an axis into a number of nearly equal parts, or at given places. Method form of `pumice.tensor_split`."""
        return _splitting.tensor_split(self, indices_or_sections, dim)

    def hsplit(self: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
        """Cut the second axis (the first of a 1-D tensor); see `tensor_split`. Method form of `pumice.hsplit`."""
        return _splitting.hsplit(self, indices_or_sections)

    def vsplit(self: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
        """Cut the first axis of a tensor with at least two; see `tensor_split`. Method form of `pumice.vsplit`."""
        return _splitting.vsplit(self, indices_or_sections)

    def dsplit(self: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
        """Cut the third axis; see `tensor_split`. Method form of `pumice.dsplit`."""
        return _splitting.dsplit(self, indices_or_sections)

    def mean(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        dtype: DType | None = None,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Average elements along axes. Method form of `pumice.mean`."""
        return _statistics.mean(self, dim, keepdim, dtype=dtype, axis=axis, keepdims=keepdims)

    def var(
        self: Tensor,
        dim: Dims = None,
        unbiased: bool | None = None,
        keepdim: bool = False,
        *,
        correction: float | None = 1,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Return the variance along axes. Method form of `pumice.var`."""
        return _statistics.var(
            self, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
        )

    def std(
        self: Tensor,
        dim: Dims = None,
        unbiased: bool | None = None,
        keepdim: bool = False,
        *,
        correction: float | None = 1,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Return the square root of the variance; parameters as in `var`. Method form of `pumice.std`."""
        return _statistics.std(
            self, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
        )

    def softmax(
        self: Tensor,
        dim: int = -1,
        dtype: DType | None = None,
        *,
        axis: int | None = None,
    ) -> Tensor:
        """Turn elements along an axis into positive shares that sum to 1. Method form of `pumice.softmax`."""
        return _statistics.softmax(self, dim, dtype, axis=axis)

    def log_softmax(
        self: Tensor,
        dim: int = -1,
        dtype: DType | None = None,
        *,
        axis: int | None = None,
    ) -> Tensor:
        """Return the logarithm of `softmax`, without underflow; parameters as there. Method form of `pumice.log_softmax`."""
        return _statistics.log_softmax(self, dim, dtype, axis=axis)

    def logsumexp(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Return the logarithm of the sum of exponentials along axes. Method form of `pumice.logsumexp`."""
        return _statistics.logsumexp(self, dim, keepdim, axis=axis, keepdims=keepdims)

    def nansum(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        dtype: DType | None = None,
    ) -> Tensor:
        """Add elements along axes, NaN left out; parameters as in `sum`. Method form of `pumice.nansum`."""
        return _statistics.nansum(self, dim, keepdim, dtype=dtype)

    def nanmean(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        dtype: DType | None = None,
    ) -> Tensor:
        """Average elements along axes, NaN left out; parameters as in `mean`. Method form of `pumice.nanmean`."""
        return _statistics.nanmean(self, dim, keepdim, dtype=dtype)
