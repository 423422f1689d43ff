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

from pumice.arguments import integer, refuse, truth
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
        try:
            return _arithmetic.add(self, other, alpha=alpha)
        except Exception as error:
            refuse(error)
            raise

    def add_(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Add two tensors: ``input + alpha * other``. In-place form of `pumice.add`."""
        try:
            return replace(self, "add_", _arithmetic.add(self, other, alpha=alpha).node)
        except Exception as error:
            refuse(error)
            raise

    def sub(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Subtract: ``input - alpha * other``. Method form of `pumice.sub`."""
        try:
            return _arithmetic.sub(self, other, alpha=alpha)
        except Exception as error:
            refuse(error)
            raise

    def sub_(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Subtract: ``input - alpha * other``. In-place form of `pumice.sub`."""
        try:
            return replace(self, "sub_", _arithmetic.sub(self, other, alpha=alpha).node)
        except Exception as error:
            refuse(error)
            raise

    def subtract(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Subtract; another name of `sub`. Method form of `pumice.subtract`."""
        try:
            return _arithmetic.subtract(self, other, alpha=alpha)
        except Exception as error:
            refuse(error)
            raise

    def subtract_(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Subtract; another name of `sub`. In-place form of `pumice.subtract`."""
        try:
            return replace(self, "subtract_", _arithmetic.subtract(self, other, alpha=alpha).node)
        except Exception as error:
            refuse(error)
            raise

    def rsub(self: Tensor, other: Any, *, alpha: Scalar = 1) -> Tensor:
        """Subtract the first from the second: ``other - alpha * input``. Method form of `pumice.rsub`."""
        try:
            return _arithmetic.rsub(self, other, alpha=alpha)
        except Exception as error:
            refuse(error)
            raise

    def div(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Divide two tensors. Method form of `pumice.div`."""
        try:
            return _arithmetic.div(self, other, rounding_mode=rounding_mode)
        except Exception as error:
            refuse(error)
            raise

    def div_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Divide two tensors. In-place form of `pumice.div`."""
        try:
            return replace(
                self, "div_", _arithmetic.div(self, other, rounding_mode=rounding_mode).node
            )
        except Exception as error:
            refuse(error)
            raise

    def divide(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Divide two tensors; another name of `div`. Method form of `pumice.divide`."""
        try:
            return _arithmetic.divide(self, other, rounding_mode=rounding_mode)
        except Exception as error:
            refuse(error)
            raise

    def divide_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Divide two tensors; another name of `div`. In-place form of `pumice.divide`."""
        try:
            return replace(
                self, "divide_", _arithmetic.divide(self, other, rounding_mode=rounding_mode).node
            )
        except Exception as error:
            refuse(error)
            raise

    def true_divide(self: Tensor, other: Any) -> Tensor:
        """Divide two tensors without rounding; see `div`. Method form of `pumice.true_divide`."""
        try:
            return _arithmetic.true_divide(self, other)
        except Exception as error:
            refuse(error)
            raise

    def true_divide_(self: Tensor, other: Any) -> Tensor:
        """Divide two tensors without rounding; see `div`. In-place form of `pumice.true_divide`."""
        try:
            return replace(self, "true_divide_", _arithmetic.true_divide(self, other).node)
        except Exception as error:
            refuse(error)
            raise

    def round(self: Tensor, *, decimals: int = 0) -> Tensor:
        """Round to the nearest whole number, half to even. Method form of `pumice.round`."""
        try:
            if type(decimals) is not int:
                integer(decimals)
            return _arithmetic.round(self, decimals=decimals)
        except Exception as error:
            refuse(error)
            raise

    def round_(self: Tensor, *, decimals: int = 0) -> Tensor:
        """Round to the nearest whole number, half to even. In-place form of `pumice.round`."""
        try:
            if type(decimals) is not int:
                integer(decimals)
            return replace(self, "round_", _arithmetic.round(self, decimals=decimals).node)
        except Exception as error:
            refuse(error)
            raise

    def float_power(self: Tensor, exponent: Any) -> Tensor:
        """Raise to a power in float64. Method form of `pumice.float_power`."""
        try:
            return _arithmetic.float_power(self, exponent)
        except Exception as error:
            refuse(error)
            raise

    def float_power_(self: Tensor, exponent: Any) -> Tensor:
        """Raise to a power in float64. In-place form of `pumice.float_power`."""
        try:
            return replace(self, "float_power_", _arithmetic.float_power(self, exponent).node)
        except Exception as error:
            refuse(error)
            raise

    def cholesky_solve(self: Tensor, L: Tensor, upper: bool = False) -> Tensor:
        """Solve ``A X = input`` from the Cholesky factor of A. Method form of `pumice.cholesky_solve`."""
        try:
            if upper is not False:
                truth(upper)
            return _cholesky_factors.cholesky_solve(self, L, upper)
        except Exception as error:
            refuse(error)
            raise

    def cholesky_inverse(self: Tensor, upper: bool = False) -> Tensor:
        """Return the inverse of A from its Cholesky factor. Method form of `pumice.cholesky_inverse`."""
        try:
            if upper is not False:
                truth(upper)
            return _cholesky_factors.cholesky_inverse(self, upper)
        except Exception as error:
            refuse(error)
            raise

    def isclose(
        self: Tensor,
        other: Tensor,
        rtol: float = 1e-05,
        atol: float = 1e-08,
        equal_nan: bool = False,
    ) -> Tensor:
        """Tell where elements differ by at most ``atol + rtol * |other|``. Method form of `pumice.isclose`."""
        try:
            if equal_nan is not False:
                truth(equal_nan)
            return _comparison.isclose(self, other, rtol, atol, equal_nan)
        except Exception as error:
            refuse(error)
            raise

    def allclose(
        self: Tensor,
        other: Tensor,
        rtol: float = 1e-05,
        atol: float = 1e-08,
        equal_nan: bool = False,
    ) -> bool:
        """Tell whether all elements are close; evaluates. See `isclose`. Method form of `pumice.allclose`."""
        try:
            if equal_nan is not False:
                truth(equal_nan)
            return _comparison.allclose(self, other, rtol, atol, equal_nan)
        except Exception as error:
            refuse(error)
            raise

    def array_equal(self: Tensor, other: Tensor) -> bool:
        """Tell whether two tensors have one shape and equal elements; evaluates. Method form of `pumice.array_equal`."""
        try:
            return _comparison.array_equal(self, other)
        except Exception as error:
            refuse(error)
            raise

    def nan_to_num(
        self: Tensor,
        nan: float | None = None,
        posinf: float | None = None,
        neginf: float | None = None,
    ) -> Tensor:
        """Replace NaN and infinities by numbers. Method form of `pumice.nan_to_num`."""
        try:
            return _comparison.nan_to_num(self, nan, posinf, neginf)
        except Exception as error:
            refuse(error)
            raise

    def nan_to_num_(
        self: Tensor,
        nan: float | None = None,
        posinf: float | None = None,
        neginf: float | None = None,
    ) -> Tensor:
        """Replace NaN and infinities by numbers. In-place form of `pumice.nan_to_num`."""
        try:
            return replace(
                self, "nan_to_num_", _comparison.nan_to_num(self, nan, posinf, neginf).node
            )
        except Exception as error:
            refuse(error)
            raise

    def new_tensor(
        self: Tensor,
        data: Any,
        *,
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        """Make a tensor from host data, of this tensor's dtype and device unless told otherwise. Method form of `pumice.new_tensor`."""
        try:
            if requires_grad is not False:
                truth(requires_grad)
            return _convert.new_tensor(
                self, data, dtype=dtype, device=device, requires_grad=requires_grad
            )
        except Exception as error:
            refuse(error)
            raise

    def masked_select(
        self: Tensor,
        mask: Tensor,
        *,
        size: int | None = None,
        fill_value: Scalar = 0,
    ) -> Tensor:
        """Return the elements where a mask is true, in row-major order. Method form of `pumice.masked_select`."""
        try:
            if size is not None and type(size) is not int:
                integer(size)
            return _counting.masked_select(self, mask, size=size, fill_value=fill_value)
        except Exception as error:
            refuse(error)
            raise

    def nonzero(
        self: Tensor,
        *,
        as_tuple: bool = False,
        size: int | None = None,
        fill_value: int = 0,
    ) -> Any:
        """Return the positions of elements that are not zero, in row-major order. Method form of `pumice.nonzero`."""
        try:
            if as_tuple is not False:
                truth(as_tuple)
            if size is not None and type(size) is not int:
                integer(size)
            if type(fill_value) is not int:
                integer(fill_value)
            return _counting.nonzero(self, as_tuple=as_tuple, size=size, fill_value=fill_value)
        except Exception as error:
            refuse(error)
            raise

    def nonzero_static(self: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
        """Return the positions of the first elements that are not zero, as many rows as asked for. Method form of `pumice.nonzero_static`."""
        try:
            if type(size) is not int:
                integer(size)
            if type(fill_value) is not int:
                integer(fill_value)
            return _counting.nonzero_static(self, size=size, fill_value=fill_value)
        except Exception as error:
            refuse(error)
            raise

    def argwhere(self: Tensor) -> Tensor:
        """Return the positions of elements that are not zero; see `nonzero`. Method form of `pumice.argwhere`."""
        try:
            return _counting.argwhere(self)
        except Exception as error:
            refuse(error)
            raise

    def new_zeros(
        self: Tensor,
        *size: int | Sequence[int],
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        """Return zeros of this tensor's dtype and device. Method form of `pumice.new_zeros`."""
        try:
            if requires_grad is not False:
                truth(requires_grad)
            return _creation.new_zeros(
                self, *size, dtype=dtype, device=device, requires_grad=requires_grad
            )
        except Exception as error:
            refuse(error)
            raise

    def new_ones(
        self: Tensor,
        *size: int | Sequence[int],
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        """Return ones of this tensor's dtype and device. Method form of `pumice.new_ones`."""
        try:
            if requires_grad is not False:
                truth(requires_grad)
            return _creation.new_ones(
                self, *size, dtype=dtype, device=device, requires_grad=requires_grad
            )
        except Exception as error:
            refuse(error)
            raise

    def new_empty(
        self: Tensor,
        *size: int | Sequence[int],
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        """Return a tensor of this one's dtype and device, without meaningful values. Method form of `pumice.new_empty`."""
        try:
            if requires_grad is not False:
                truth(requires_grad)
            return _creation.new_empty(
                self, *size, dtype=dtype, device=device, requires_grad=requires_grad
            )
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if requires_grad is not False:
                truth(requires_grad)
            return _creation.new_full(
                self, size, fill_value, dtype=dtype, device=device, requires_grad=requires_grad
            )
        except Exception as error:
            refuse(error)
            raise

    def logdet(self: Tensor) -> Tensor:
        """Return the logarithm of the determinant: NaN where that is negative, -inf where it is 0. Method form of `pumice.logdet`."""
        try:
            return _determinants.logdet(self)
        except Exception as error:
            refuse(error)
            raise

    def exponential_(
        self: Tensor,
        lambd: float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with exponentially distributed numbers. Method form of `pumice.exponential_`."""
        try:
            return _distributions.exponential_(self, lambd, generator=generator)
        except Exception as error:
            refuse(error)
            raise

    def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers of trials up to the first success. Method form of `pumice.geometric_`."""
        try:
            return _distributions.geometric_(self, p, generator=generator)
        except Exception as error:
            refuse(error)
            raise

    def cauchy_(
        self: Tensor,
        median: float = 0.0,
        sigma: float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with numbers of a Cauchy distribution. Method form of `pumice.cauchy_`."""
        try:
            return _distributions.cauchy_(self, median, sigma, generator=generator)
        except Exception as error:
            refuse(error)
            raise

    def log_normal_(
        self: Tensor,
        mean: float = 1.0,
        std: float = 2.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with exponentials of normal numbers of given mean and standard deviation. Method form of `pumice.log_normal_`."""
        try:
            return _distributions.log_normal_(self, mean, std, generator=generator)
        except Exception as error:
            refuse(error)
            raise

    def multinomial(
        self: Tensor,
        num_samples: int,
        replacement: bool = False,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Draw positions of the last axis with probabilities proportional to its elements. Method form of `pumice.multinomial`."""
        try:
            if type(num_samples) is not int:
                integer(num_samples)
            if replacement is not False:
                truth(replacement)
            return _dropout.multinomial(self, num_samples, replacement, generator=generator)
        except Exception as error:
            refuse(error)
            raise

    def aminmax(self: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
        """Return the smallest and the largest element; see `amin` and `amax`. Method form of `pumice.aminmax`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _extremes.aminmax(self, dim=dim, keepdim=keepdim)
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            if select_last_index is not False:
                truth(select_last_index)
            return _extremes.argmax(
                self,
                dim,
                keepdim,
                axis=axis,
                keepdims=keepdims,
                select_last_index=select_last_index,
            )
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            if select_last_index is not False:
                truth(select_last_index)
            return _extremes.argmin(
                self,
                dim,
                keepdim,
                axis=axis,
                keepdims=keepdims,
                select_last_index=select_last_index,
            )
        except Exception as error:
            refuse(error)
            raise

    def max(self: Tensor, dim: Tensor | Dims = None, keepdim: bool = False) -> Any:
        """Return the largest element, the largest along an axis, or the larger of two tensors. Method form of `pumice.max`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _extremes.max(self, dim, keepdim)
        except Exception as error:
            refuse(error)
            raise

    def min(self: Tensor, dim: Tensor | Dims = None, keepdim: bool = False) -> Any:
        """Return the smallest element, the smallest along an axis, or the smaller of two tensors. Method form of `pumice.min`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _extremes.min(self, dim, keepdim)
        except Exception as error:
            refuse(error)
            raise

    def histogram(
        self: Tensor,
        bins: int | Tensor,
        *,
        range: Sequence[float] | None = None,
        weight: Tensor | None = None,
        density: bool = False,
    ) -> Histogram:
        """Count elements, or add up their weights, in bins. Method form of `pumice.histogram`."""
        try:
            if density is not False:
                truth(density)
            return _frequencies.histogram(self, bins, range=range, weight=weight, density=density)
        except Exception as error:
            refuse(error)
            raise

    def gather(
        self: Tensor,
        dim: int,
        index: Tensor,
        *,
        sparse_grad: bool = False,
        mode: str = "raise",
    ) -> Tensor:
        """Read one element per index along an axis. Method form of `pumice.gather`."""
        try:
            if sparse_grad is not False:
                truth(sparse_grad)
            return _gathering.gather(self, dim, index, sparse_grad=sparse_grad, mode=mode)
        except Exception as error:
            refuse(error)
            raise

    def index_select(self: Tensor, dim: int, index: Tensor, *, mode: str = "raise") -> Tensor:
        """Read whole slices at positions of an axis. Method form of `pumice.index_select`."""
        try:
            return _gathering.index_select(self, dim, index, mode=mode)
        except Exception as error:
            refuse(error)
            raise

    def take(self: Tensor, index: Tensor, *, mode: str = "raise") -> Tensor:
        """Read elements at positions of the flattened input. Method form of `pumice.take`."""
        try:
            return _gathering.take(self, index, mode=mode)
        except Exception as error:
            refuse(error)
            raise

    def take_along_dim(self: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
        """Read one element per index along an axis; the other axes broadcast. Method form of `pumice.take_along_dim`."""
        try:
            return _gathering.take_along_dim(self, indices, dim)
        except Exception as error:
            refuse(error)
            raise

    def diag_embed(self: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
        """Write the last axis onto the diagonal of new axes, zeros elsewhere. Method form of `pumice.diag_embed`."""
        try:
            if type(offset) is not int:
                integer(offset)
            return _grids.diag_embed(self, offset, dim1, dim2)
        except Exception as error:
            refuse(error)
            raise

    def diag(self: Tensor, diagonal: int = 0) -> Tensor:
        """Return the diagonal of a matrix, or a matrix with a vector on its diagonal. Method form of `pumice.diag`."""
        try:
            if type(diagonal) is not int:
                integer(diagonal)
            return _grids.diag(self, diagonal)
        except Exception as error:
            refuse(error)
            raise

    def diagflat(self: Tensor, offset: int = 0) -> Tensor:
        """Return a matrix with all elements of a tensor on its diagonal. Method form of `pumice.diagflat`."""
        try:
            if type(offset) is not int:
                integer(offset)
            return _grids.diagflat(self, offset)
        except Exception as error:
            refuse(error)
            raise

    def explain(self: Tensor) -> str:
        """Return the kernels that evaluating a tensor would take, one paragraph each. Method form of `pumice.explain`."""
        try:
            return _inspection.explain(self)
        except Exception as error:
            refuse(error)
            raise

    def is_same_size(self: Tensor, other: Tensor) -> bool:
        """Tell whether two tensors have one shape. Method form of `pumice.is_same_size`."""
        try:
            return _limits.is_same_size(self, other)
        except Exception as error:
            refuse(error)
            raise

    def inverse(self: Tensor) -> Tensor:
        """Return the inverse, as `pumice.linalg.inv` does. Method form of `pumice.inverse`."""
        try:
            return _matrix_aliases.inverse(self)
        except Exception as error:
            refuse(error)
            raise

    def det(self: Tensor) -> Tensor:
        """Return the determinant, as `pumice.linalg.det` does. Method form of `pumice.det`."""
        try:
            return _matrix_aliases.det(self)
        except Exception as error:
            refuse(error)
            raise

    def slogdet(self: Tensor) -> SignLogarithm:
        """Return the sign of the determinant and the logarithm of its size. Method form of `pumice.slogdet`."""
        try:
            return _matrix_aliases.slogdet(self)
        except Exception as error:
            refuse(error)
            raise

    def matrix_power(self: Tensor, n: int) -> Tensor:
        """Return square matrices multiplied by themselves, as `pumice.linalg.matrix_power` does. Method form of `pumice.matrix_power`."""
        try:
            if type(n) is not int:
                integer(n)
            return _matrix_aliases.matrix_power(self, n)
        except Exception as error:
            refuse(error)
            raise

    def cholesky(self: Tensor, upper: bool = False) -> Tensor:
        """Return the lower triangle L with ``input = L @ L.T``, as `pumice.linalg.cholesky` does. Method form of `pumice.cholesky`."""
        try:
            if upper is not False:
                truth(upper)
            return _matrix_aliases.cholesky(self, upper)
        except Exception as error:
            refuse(error)
            raise

    def lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """Solve ``A X = input`` from what `pumice.linalg.lu_factor` gave for A. Method form of `pumice.lu_solve`."""
        try:
            return _matrix_aliases.lu_solve(self, LU_data, LU_pivots)
        except Exception as error:
            refuse(error)
            raise

    def triangular_solve(
        self: Tensor,
        A: Tensor,
        upper: bool = True,
        transpose: bool = False,
        unitriangular: bool = False,
    ) -> TriangularSolution:
        """Solve ``A X = input`` for a matrix of which one triangle is read. Method form of `pumice.triangular_solve`."""
        try:
            if upper is not True:
                truth(upper)
            if transpose is not False:
                truth(transpose)
            if unitriangular is not False:
                truth(unitriangular)
            return _matrix_aliases.triangular_solve(self, A, upper, transpose, unitriangular)
        except Exception as error:
            refuse(error)
            raise

    def matrix_exp(self: Tensor) -> Tensor:
        """Return the exponential of square matrices. Method form of `pumice.matrix_exp`."""
        try:
            return _matrix_functions.matrix_exp(self)
        except Exception as error:
            refuse(error)
            raise

    def cross(self: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
        """Return the vector product along an axis of extent 3. Method form of `pumice.cross`."""
        try:
            return _matrix_norms.cross(self, other, dim=dim)
        except Exception as error:
            refuse(error)
            raise

    def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
        """Swap two axes. Method form of `pumice.transpose`."""
        try:
            return _movement.transpose(self, dim0, dim1)
        except Exception as error:
            refuse(error)
            raise

    def swapaxes(self: Tensor, axis0: int, axis1: int) -> Tensor:
        """Swap two axes; the NumPy name of `transpose`. Method form of `pumice.swapaxes`."""
        try:
            return _movement.swapaxes(self, axis0, axis1)
        except Exception as error:
            refuse(error)
            raise

    def swapdims(self: Tensor, dim0: int, dim1: int) -> Tensor:
        """Swap two axes; another name of `transpose`. Method form of `pumice.swapdims`."""
        try:
            return _movement.swapdims(self, dim0, dim1)
        except Exception as error:
            refuse(error)
            raise

    def t(self: Tensor) -> Tensor:
        """Transpose a matrix; tensors of fewer dimensions are returned as they are. Method form of `pumice.t`."""
        try:
            return _movement.t(self)
        except Exception as error:
            refuse(error)
            raise

    def movedim(
        self: Tensor, source: int | Sequence[int], destination: int | Sequence[int]
    ) -> Tensor:
        """Move axes to new places; the others keep their order. Method form of `pumice.movedim`."""
        try:
            return _movement.movedim(self, source, destination)
        except Exception as error:
            refuse(error)
            raise

    def moveaxis(
        self: Tensor, source: int | Sequence[int], destination: int | Sequence[int]
    ) -> Tensor:
        """Move axes to new places; the NumPy name of `movedim`. Method form of `pumice.moveaxis`."""
        try:
            return _movement.moveaxis(self, source, destination)
        except Exception as error:
            refuse(error)
            raise

    def squeeze(self: Tensor, dim: Dims = None) -> Tensor:
        """Drop axes of extent 1. Method form of `pumice.squeeze`."""
        try:
            return _movement.squeeze(self, dim)
        except Exception as error:
            refuse(error)
            raise

    def unsqueeze(self: Tensor, dim: int) -> Tensor:
        """Add an axis of extent 1. Method form of `pumice.unsqueeze`."""
        try:
            return _movement.unsqueeze(self, dim)
        except Exception as error:
            refuse(error)
            raise

    def flatten(self: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """Join neighbouring axes into one. Method form of `pumice.flatten`."""
        try:
            if type(start_dim) is not int:
                integer(start_dim)
            if type(end_dim) is not int:
                integer(end_dim)
            return _movement.flatten(self, start_dim, end_dim)
        except Exception as error:
            refuse(error)
            raise

    def ravel(self: Tensor) -> Tensor:
        """Return all elements in one axis; see `flatten`. Method form of `pumice.ravel`."""
        try:
            return _movement.ravel(self)
        except Exception as error:
            refuse(error)
            raise

    def unflatten(self: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
        """Split one axis into several. Method form of `pumice.unflatten`."""
        try:
            return _movement.unflatten(self, dim, sizes)
        except Exception as error:
            refuse(error)
            raise

    def layernorm(self: Tensor, axis: Dims = -1, eps: float = 1e-05) -> Tensor:
        """Give axes mean 0 and variance 1. Method form of `pumice.layernorm`."""
        try:
            return _normalization.layernorm(self, axis, eps)
        except Exception as error:
            refuse(error)
            raise

    def norm(
        self: Tensor,
        p: float | str = 2,
        dim: Dims = None,
        keepdim: bool = False,
        dtype: DType | None = None,
    ) -> Tensor:
        """Return the p-norm of elements along axes. Method form of `pumice.norm`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _norms.norm(self, p, dim, keepdim, dtype)
        except Exception as error:
            refuse(error)
            raise

    def renorm(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
        """Return a copy whose parts along an axis have at most a given norm. Method form of `pumice.renorm`."""
        try:
            return _norms.renorm(self, p, dim, maxnorm)
        except Exception as error:
            refuse(error)
            raise

    def renorm_(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
        """Return a copy whose parts along an axis have at most a given norm. In-place form of `pumice.renorm`."""
        try:
            return replace(self, "renorm_", _norms.renorm(self, p, dim, maxnorm).node)
        except Exception as error:
            refuse(error)
            raise

    def dist(self: Tensor, other: Tensor, p: float = 2) -> Tensor:
        """Return the p-norm of a difference. Method form of `pumice.dist`."""
        try:
            return _norms.dist(self, other, p)
        except Exception as error:
            refuse(error)
            raise

    def qr(self: Tensor, some: bool = True) -> QRResult:
        """Return ``Q, R`` with ``input = Q @ R``, as `pumice.linalg.qr` does. Method form of `pumice.qr`."""
        try:
            if some is not True:
                truth(some)
            return _orthogonal_aliases.qr(self, some)
        except Exception as error:
            refuse(error)
            raise

    def geqrf(self: Tensor) -> Reflections:
        """Return the reflections that make a QR factorisation. Method form of `pumice.geqrf`."""
        try:
            return _orthogonal_aliases.geqrf(self)
        except Exception as error:
            refuse(error)
            raise

    def orgqr(self: Tensor, input2: Tensor) -> Tensor:
        """Return the first columns of a product of reflections. Method form of `pumice.orgqr`."""
        try:
            return _orthogonal_aliases.orgqr(self, input2)
        except Exception as error:
            refuse(error)
            raise

    def svd(self: Tensor, some: bool = True, compute_uv: bool = True) -> SingularColumns:
        """Return ``U, S, V`` with ``input = U @ diag(S) @ V.T``. Method form of `pumice.svd`."""
        try:
            if some is not True:
                truth(some)
            if compute_uv is not True:
                truth(compute_uv)
            return _orthogonal_aliases.svd(self, some, compute_uv)
        except Exception as error:
            refuse(error)
            raise

    def pinverse(self: Tensor, rcond: float = 1e-15) -> Tensor:
        """Return the pseudo-inverse, as `pumice.linalg.pinv` does. Method form of `pumice.pinverse`."""
        try:
            return _orthogonal_aliases.pinverse(self, rcond)
        except Exception as error:
            refuse(error)
            raise

    def pad(
        self: Tensor, padding: Sequence[Pair | None], mode: str = "constant", value: Scalar = 0
    ) -> Tensor:
        """Surround a tensor with further elements. Method form of `pumice.pad`."""
        try:
            return _padding.pad(self, padding, mode, value)
        except Exception as error:
            refuse(error)
            raise

    def pad_constant(self: Tensor, padding: Sequence[Pair | None], value: Scalar = 0) -> Tensor:
        """Surround a tensor with one number; see `pad`. Method form of `pumice.pad_constant`."""
        try:
            return _padding.pad_constant(self, padding, value)
        except Exception as error:
            refuse(error)
            raise

    def deg2rad(self: Tensor) -> Tensor:
        """Convert degrees to radians. Method form of `pumice.deg2rad`."""
        try:
            return _pointwise.deg2rad(self)
        except Exception as error:
            refuse(error)
            raise

    def deg2rad_(self: Tensor) -> Tensor:
        """Convert degrees to radians. In-place form of `pumice.deg2rad`."""
        try:
            return replace(self, "deg2rad_", _pointwise.deg2rad(self).node)
        except Exception as error:
            refuse(error)
            raise

    def rad2deg(self: Tensor) -> Tensor:
        """Convert radians to degrees. Method form of `pumice.rad2deg`."""
        try:
            return _pointwise.rad2deg(self)
        except Exception as error:
            refuse(error)
            raise

    def rad2deg_(self: Tensor) -> Tensor:
        """Convert radians to degrees. In-place form of `pumice.rad2deg`."""
        try:
            return replace(self, "rad2deg_", _pointwise.rad2deg(self).node)
        except Exception as error:
            refuse(error)
            raise

    def sgn(self: Tensor) -> Tensor:
        """Return the sign; another name of `sign` (no complex types). Method form of `pumice.sgn`."""
        try:
            return _pointwise.sgn(self)
        except Exception as error:
            refuse(error)
            raise

    def sgn_(self: Tensor) -> Tensor:
        """Return the sign; another name of `sign` (no complex types). In-place form of `pumice.sgn`."""
        try:
            return replace(self, "sgn_", _pointwise.sgn(self).node)
        except Exception as error:
            refuse(error)
            raise

    def logit(self: Tensor, eps: float | None = None) -> Tensor:
        """Return ``log(x / (1 - x))``, the inverse of sigmoid. Method form of `pumice.logit`."""
        try:
            return _pointwise.logit(self, eps)
        except Exception as error:
            refuse(error)
            raise

    def logit_(self: Tensor, eps: float | None = None) -> Tensor:
        """Return ``log(x / (1 - x))``, the inverse of sigmoid. In-place form of `pumice.logit`."""
        try:
            return replace(self, "logit_", _pointwise.logit(self, eps).node)
        except Exception as error:
            refuse(error)
            raise

    def frexp(self: Tensor) -> Parts:
        """Take floating numbers apart: ``mantissa * 2**exponent``. Method form of `pumice.frexp`."""
        try:
            return _pointwise.frexp(self)
        except Exception as error:
            refuse(error)
            raise

    def mvlgamma(self: Tensor, p: int) -> Tensor:
        """Return the logarithm of the multivariate gamma function. Method form of `pumice.mvlgamma`."""
        try:
            if type(p) is not int:
                integer(p)
            return _pointwise.mvlgamma(self, p)
        except Exception as error:
            refuse(error)
            raise

    def mvlgamma_(self: Tensor, p: int) -> Tensor:
        """Return the logarithm of the multivariate gamma function. In-place form of `pumice.mvlgamma`."""
        try:
            if type(p) is not int:
                integer(p)
            return replace(self, "mvlgamma_", _pointwise.mvlgamma(self, p).node)
        except Exception as error:
            refuse(error)
            raise

    def ldexp(self: Tensor, other: Tensor) -> Tensor:
        """Return ``input * 2**other``. Method form of `pumice.ldexp`."""
        try:
            return _pointwise.ldexp(self, other)
        except Exception as error:
            refuse(error)
            raise

    def ldexp_(self: Tensor, other: Tensor) -> Tensor:
        """Return ``input * 2**other``. In-place form of `pumice.ldexp`."""
        try:
            return replace(self, "ldexp_", _pointwise.ldexp(self, other).node)
        except Exception as error:
            refuse(error)
            raise

    def logaddexp2(self: Tensor, other: Tensor) -> Tensor:
        """Return ``log2(2**input + 2**other)`` without overflow. Method form of `pumice.logaddexp2`."""
        try:
            return _pointwise.logaddexp2(self, other)
        except Exception as error:
            refuse(error)
            raise

    def gcd(self: Tensor, other: Tensor) -> Tensor:
        """Return the greatest common divisor of integers. Method form of `pumice.gcd`."""
        try:
            return _pointwise.gcd(self, other)
        except Exception as error:
            refuse(error)
            raise

    def gcd_(self: Tensor, other: Tensor) -> Tensor:
        """Return the greatest common divisor of integers. In-place form of `pumice.gcd`."""
        try:
            return replace(self, "gcd_", _pointwise.gcd(self, other).node)
        except Exception as error:
            refuse(error)
            raise

    def lcm(self: Tensor, other: Tensor) -> Tensor:
        """Return the least common multiple of integers. Method form of `pumice.lcm`."""
        try:
            return _pointwise.lcm(self, other)
        except Exception as error:
            refuse(error)
            raise

    def lcm_(self: Tensor, other: Tensor) -> Tensor:
        """Return the least common multiple of integers. In-place form of `pumice.lcm`."""
        try:
            return replace(self, "lcm_", _pointwise.lcm(self, other).node)
        except Exception as error:
            refuse(error)
            raise

    def conj(self: Tensor) -> Tensor:
        """Return the conjugate: the input itself (no complex types). Method form of `pumice.conj`."""
        try:
            return _pointwise.conj(self)
        except Exception as error:
            refuse(error)
            raise

    def is_conj(self: Tensor) -> bool:
        """Tell whether a tensor is conjugated lazily: never. Method form of `pumice.is_conj`."""
        try:
            return _pointwise.is_conj(self)
        except Exception as error:
            refuse(error)
            raise

    def is_neg(self: Tensor) -> bool:
        """Tell whether a tensor is negated lazily: never. Method form of `pumice.is_neg`."""
        try:
            return _pointwise.is_neg(self)
        except Exception as error:
            refuse(error)
            raise

    def resolve_conj(self: Tensor) -> Tensor:
        """Return the input itself: nothing is conjugated lazily (no complex types). Method form of `pumice.resolve_conj`."""
        try:
            return _pointwise.resolve_conj(self)
        except Exception as error:
            refuse(error)
            raise

    def resolve_neg(self: Tensor) -> Tensor:
        """Return the input itself: nothing is negated lazily. Method form of `pumice.resolve_neg`."""
        try:
            return _pointwise.resolve_neg(self)
        except Exception as error:
            refuse(error)
            raise

    def isreal(self: Tensor) -> Tensor:
        """Tell which elements have no imaginary part: all (no complex types). Method form of `pumice.isreal`."""
        try:
            return _pointwise.isreal(self)
        except Exception as error:
            refuse(error)
            raise

    def angle(self: Tensor) -> Tensor:
        """Return 0 for positive elements, pi for negative ones, NaN for NaN. Method form of `pumice.angle`."""
        try:
            return _pointwise.angle(self)
        except Exception as error:
            refuse(error)
            raise

    def is_nonzero(self: Tensor) -> bool:
        """Tell whether the only element is not zero; evaluates. Method form of `pumice.is_nonzero`."""
        try:
            return _pointwise.is_nonzero(self)
        except Exception as error:
            refuse(error)
            raise

    def addmm(
        self: Tensor,
        mat1: Tensor,
        mat2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (mat1 @ mat2)``; with ``beta=0`` input is not read. Method form of `pumice.addmm`."""
        try:
            return _product_sums.addmm(self, mat1, mat2, beta=beta, alpha=alpha)
        except Exception as error:
            refuse(error)
            raise

    def addmm_(
        self: Tensor,
        mat1: Tensor,
        mat2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (mat1 @ mat2)``; with ``beta=0`` input is not read. In-place form of `pumice.addmm`."""
        try:
            return replace(
                self, "addmm_", _product_sums.addmm(self, mat1, mat2, beta=beta, alpha=alpha).node
            )
        except Exception as error:
            refuse(error)
            raise

    def addmv(
        self: Tensor,
        mat: Tensor,
        vec: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (mat @ vec)``. Method form of `pumice.addmv`."""
        try:
            return _product_sums.addmv(self, mat, vec, beta=beta, alpha=alpha)
        except Exception as error:
            refuse(error)
            raise

    def addmv_(
        self: Tensor,
        mat: Tensor,
        vec: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (mat @ vec)``. In-place form of `pumice.addmv`."""
        try:
            return replace(
                self, "addmv_", _product_sums.addmv(self, mat, vec, beta=beta, alpha=alpha).node
            )
        except Exception as error:
            refuse(error)
            raise

    def baddbmm(
        self: Tensor,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (batch1 @ batch2)`` for stacks of matrices. Method form of `pumice.baddbmm`."""
        try:
            return _product_sums.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha)
        except Exception as error:
            refuse(error)
            raise

    def baddbmm_(
        self: Tensor,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (batch1 @ batch2)`` for stacks of matrices. In-place form of `pumice.baddbmm`."""
        try:
            return replace(
                self,
                "baddbmm_",
                _product_sums.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha).node,
            )
        except Exception as error:
            refuse(error)
            raise

    def addbmm(
        self: Tensor,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * sum(batch1 @ batch2)`` over stacks of matrices. Method form of `pumice.addbmm`."""
        try:
            return _product_sums.addbmm(self, batch1, batch2, beta=beta, alpha=alpha)
        except Exception as error:
            refuse(error)
            raise

    def addbmm_(
        self: Tensor,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * sum(batch1 @ batch2)`` over stacks of matrices. In-place form of `pumice.addbmm`."""
        try:
            return replace(
                self,
                "addbmm_",
                _product_sums.addbmm(self, batch1, batch2, beta=beta, alpha=alpha).node,
            )
        except Exception as error:
            refuse(error)
            raise

    def addr(
        self: Tensor,
        vec1: Tensor,
        vec2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * outer(vec1, vec2)``. Method form of `pumice.addr`."""
        try:
            return _product_sums.addr(self, vec1, vec2, beta=beta, alpha=alpha)
        except Exception as error:
            refuse(error)
            raise

    def addr_(
        self: Tensor,
        vec1: Tensor,
        vec2: Tensor,
        *,
        beta: Scalar = 1,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * outer(vec1, vec2)``. In-place form of `pumice.addr`."""
        try:
            return replace(
                self, "addr_", _product_sums.addr(self, vec1, vec2, beta=beta, alpha=alpha).node
            )
        except Exception as error:
            refuse(error)
            raise

    def matmul(self: Tensor, other: Tensor) -> Tensor:
        """Return the matrix product. Method form of `pumice.matmul`."""
        try:
            return _products.matmul(self, other)
        except Exception as error:
            refuse(error)
            raise

    def dot(self: Tensor, other: Tensor, *, dtype: DType | None = None) -> Tensor:
        """Contract the last axis of the first with the last (1-D) or second-to-last of the second. Method form of `pumice.dot`."""
        try:
            return _products.dot(self, other, dtype=dtype)
        except Exception as error:
            refuse(error)
            raise

    def mm(self: Tensor, mat2: Tensor) -> Tensor:
        """Return the product of two matrices; see `matmul`. Method form of `pumice.mm`."""
        try:
            return _products.mm(self, mat2)
        except Exception as error:
            refuse(error)
            raise

    def bmm(self: Tensor, mat2: Tensor) -> Tensor:
        """Return the products of two stacks of matrices; see `matmul`. Method form of `pumice.bmm`."""
        try:
            return _products.bmm(self, mat2)
        except Exception as error:
            refuse(error)
            raise

    def mv(self: Tensor, vec: Tensor) -> Tensor:
        """Return the product of a matrix and a vector; see `matmul`. Method form of `pumice.mv`."""
        try:
            return _products.mv(self, vec)
        except Exception as error:
            refuse(error)
            raise

    def inner(self: Tensor, other: Tensor) -> Tensor:
        """Contract the last axes of both operands; 0-d operands multiply. Method form of `pumice.inner`."""
        try:
            return _products.inner(self, other)
        except Exception as error:
            refuse(error)
            raise

    def outer(self: Tensor, vec2: Tensor) -> Tensor:
        """Multiply every element of one vector with every element of another. Method form of `pumice.outer`."""
        try:
            return _products.outer(self, vec2)
        except Exception as error:
            refuse(error)
            raise

    def vdot(self: Tensor, other: Tensor) -> Tensor:
        """Return the dot product of two vectors. Method form of `pumice.vdot`."""
        try:
            return _products.vdot(self, other)
        except Exception as error:
            refuse(error)
            raise

    def ger(self: Tensor, vec2: Tensor) -> Tensor:
        """Multiply every pair of elements of two vectors; another name of `outer`. Method form of `pumice.ger`."""
        try:
            return _products.ger(self, vec2)
        except Exception as error:
            refuse(error)
            raise

    def tensordot(self: Tensor, other: Tensor, dims: int | Sequence[Sequence[int]] = 2) -> Tensor:
        """Contract several axes of two tensors. Method form of `pumice.tensordot`."""
        try:
            return _products.tensordot(self, other, dims)
        except Exception as error:
            refuse(error)
            raise

    def trace(self: Tensor) -> Tensor:
        """Return the sum of the main diagonal of a matrix. Method form of `pumice.trace`."""
        try:
            return _products.trace(self)
        except Exception as error:
            refuse(error)
            raise

    def kron(self: Tensor, other: Tensor) -> Tensor:
        """Return the Kronecker product: every element times the whole second tensor. Method form of `pumice.kron`."""
        try:
            return _products.kron(self, other)
        except Exception as error:
            refuse(error)
            raise

    def quantile(
        self: Tensor,
        q: Tensor | float | Sequence[float],
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        """Return the elements below which given shares of an axis lie. Method form of `pumice.quantile`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _quantiles.quantile(self, q, dim, keepdim, interpolation=interpolation)
        except Exception as error:
            refuse(error)
            raise

    def nanquantile(
        self: Tensor,
        q: Tensor | float | Sequence[float],
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        """Return `quantile` with NaN left out. Method form of `pumice.nanquantile`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _quantiles.nanquantile(self, q, dim, keepdim, interpolation=interpolation)
        except Exception as error:
            refuse(error)
            raise

    def cov(
        self: Tensor,
        *,
        correction: int = 1,
        fweights: Tensor | None = None,
        aweights: Tensor | None = None,
    ) -> Tensor:
        """Return the covariances of rows (variables) over columns (observations). Method form of `pumice.cov`."""
        try:
            if type(correction) is not int:
                integer(correction)
            return _quantiles.cov(self, correction=correction, fweights=fweights, aweights=aweights)
        except Exception as error:
            refuse(error)
            raise

    def corrcoef(self: Tensor) -> Tensor:
        """Return the correlations of rows (variables) over columns (observations). Method form of `pumice.corrcoef`."""
        try:
            return _quantiles.corrcoef(self)
        except Exception as error:
            refuse(error)
            raise

    def histc(self: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
        """Count elements in equal bins from ``min`` to ``max`` (evaluated when both are equal). Method form of `pumice.histc`."""
        try:
            if type(bins) is not int:
                integer(bins)
            return _quantiles.histc(self, bins, min, max)
        except Exception as error:
            refuse(error)
            raise

    def bernoulli(
        self: Tensor,
        p: float | None = None,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Return 1 with the probability each element gives (or ``p``), else 0. Method form of `pumice.bernoulli`."""
        try:
            return _random.bernoulli(self, p, generator=generator)
        except Exception as error:
            refuse(error)
            raise

    def uniform_(
        self: Tensor,
        from_: float = 0.0,
        to: float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with uniform numbers from ``from_`` to ``to``. Method form of `pumice.uniform_`."""
        try:
            return _random.uniform_(self, from_, to, generator=generator)
        except Exception as error:
            refuse(error)
            raise

    def normal_(
        self: Tensor,
        mean: float = 0.0,
        std: float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with normal numbers of given mean and standard deviation. Method form of `pumice.normal_`."""
        try:
            return _random.normal_(self, mean, std, generator=generator)
        except Exception as error:
            refuse(error)
            raise

    def random_(
        self: Tensor,
        low: int = 0,
        high: int | None = None,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with integers from ``low`` up to, not including, ``high``. Method form of `pumice.random_`."""
        try:
            if type(low) is not int:
                integer(low)
            if high is not None and type(high) is not int:
                integer(high)
            return _random.random_(self, low, high, generator=generator)
        except Exception as error:
            refuse(error)
            raise

    def bernoulli_(self: Tensor, p: float = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1 with probability p, else 0. Method form of `pumice.bernoulli_`."""
        try:
            return _random.bernoulli_(self, p, generator=generator)
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            return _reductions.sum(self, dim, keepdim, dtype=dtype, axis=axis, keepdims=keepdims)
        except Exception as error:
            refuse(error)
            raise

    def sum_to_size(self: Tensor, *size: Any) -> Tensor:
        """Add up axes until the tensor has a shape that broadcasts to its own. Method form of `pumice.sum_to_size`."""
        try:
            return _reductions.sum_to_size(self, *size)
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            return _reductions.prod(self, dim, keepdim, dtype=dtype, axis=axis, keepdims=keepdims)
        except Exception as error:
            refuse(error)
            raise

    def amax(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Return the largest element along axes; NaN wins. Method form of `pumice.amax`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            return _reductions.amax(self, dim, keepdim, axis=axis, keepdims=keepdims)
        except Exception as error:
            refuse(error)
            raise

    def amin(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Return the smallest element along axes; NaN wins. Parameters as in `amax`. Method form of `pumice.amin`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            return _reductions.amin(self, dim, keepdim, axis=axis, keepdims=keepdims)
        except Exception as error:
            refuse(error)
            raise

    def any(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Tell whether some element along axes is not zero (NaN is not). Method form of `pumice.any`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            return _reductions.any(self, dim, keepdim, axis=axis, keepdims=keepdims)
        except Exception as error:
            refuse(error)
            raise

    def all(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Tell whether every element along axes is not zero. Method form of `pumice.all`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            return _reductions.all(self, dim, keepdim, axis=axis, keepdims=keepdims)
        except Exception as error:
            refuse(error)
            raise

    def count_nonzero(self: Tensor, dim: Dims = None) -> Tensor:
        """Count elements that are not zero along axes. Method form of `pumice.count_nonzero`."""
        try:
            return _reductions.count_nonzero(self, dim)
        except Exception as error:
            refuse(error)
            raise

    def repeat(self: Tensor, *repeats: int | Sequence[int]) -> Tensor:
        """Repeat whole blocks along axes; see `tile`. Method form of `pumice.repeat`."""
        try:
            return _repeating.repeat(self, *repeats)
        except Exception as error:
            refuse(error)
            raise

    def tile(self: Tensor, *dims: int | Sequence[int]) -> Tensor:
        """Repeat whole blocks along axes; missing numbers in front count as 1. Method form of `pumice.tile`."""
        try:
            return _repeating.tile(self, *dims)
        except Exception as error:
            refuse(error)
            raise

    def repeat_interleave(
        self: Tensor,
        repeats: int | Tensor,
        dim: int | None = None,
        *,
        output_size: int | None = None,
    ) -> Tensor:
        """Repeat each element of an axis in place. Method form of `pumice.repeat_interleave`."""
        try:
            if output_size is not None and type(output_size) is not int:
                integer(output_size)
            return _repeating.repeat_interleave(self, repeats, dim, output_size=output_size)
        except Exception as error:
            refuse(error)
            raise

    def roll(self: Tensor, shifts: int | Sequence[int], dims: Dims = None) -> Tensor:
        """Move elements along axes; those leaving at one end enter at the other. Method form of `pumice.roll`."""
        try:
            return _repeating.roll(self, shifts, dims)
        except Exception as error:
            refuse(error)
            raise

    def rot90(self: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
        """Turn the plane of two axes by quarter turns, from the first axis to the second. Method form of `pumice.rot90`."""
        try:
            if type(k) is not int:
                integer(k)
            return _repeating.rot90(self, k, dims)
        except Exception as error:
            refuse(error)
            raise

    def narrow_copy(self: Tensor, dim: int, start: int, length: int) -> Tensor:
        """Return a copy of ``length`` elements of one axis; see `narrow`. Method form of `pumice.narrow_copy`."""
        try:
            if type(start) is not int:
                integer(start)
            if type(length) is not int:
                integer(length)
            return _repeating.narrow_copy(self, dim, start, length)
        except Exception as error:
            refuse(error)
            raise

    def index_put(
        self: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False
    ) -> Tensor:
        """Return a copy with elements at positions replaced, or added to. Method form of `pumice.index_put`."""
        try:
            if accumulate is not False:
                truth(accumulate)
            return _replacing.index_put(self, indices, values, accumulate)
        except Exception as error:
            refuse(error)
            raise

    def index_put_(
        self: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False
    ) -> Tensor:
        """Return a copy with elements at positions replaced, or added to. In-place form of `pumice.index_put`."""
        try:
            if accumulate is not False:
                truth(accumulate)
            return replace(
                self, "index_put_", _replacing.index_put(self, indices, values, accumulate).node
            )
        except Exception as error:
            refuse(error)
            raise

    def put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """Return a copy with elements of the flattened input replaced, or added to. Method form of `pumice.put`."""
        try:
            if accumulate is not False:
                truth(accumulate)
            return _replacing.put(self, index, source, accumulate)
        except Exception as error:
            refuse(error)
            raise

    def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """Return a copy with elements of the flattened input replaced, or added to. In-place form of `pumice.put`."""
        try:
            if accumulate is not False:
                truth(accumulate)
            return replace(self, "put_", _replacing.put(self, index, source, accumulate).node)
        except Exception as error:
            refuse(error)
            raise

    def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
        """Return a copy with elements where a mask is true taken from ``source``, in order. Method form of `pumice.masked_scatter`."""
        try:
            return _replacing.masked_scatter(self, mask, source)
        except Exception as error:
            refuse(error)
            raise

    def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
        """Return a copy with elements where a mask is true taken from ``source``, in order. In-place form of `pumice.masked_scatter`."""
        try:
            return replace(
                self, "masked_scatter_", _replacing.masked_scatter(self, mask, source).node
            )
        except Exception as error:
            refuse(error)
            raise

    def fill_diagonal_(self: Tensor, fill_value: Scalar, wrap: bool = False) -> Tensor:
        """Write a number along the main diagonal, in place. Method form of `pumice.fill_diagonal_`."""
        try:
            if wrap is not False:
                truth(wrap)
            return _replacing.fill_diagonal_(self, fill_value, wrap)
        except Exception as error:
            refuse(error)
            raise

    def select_scatter(self: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
        """Return a copy with one element of an axis replaced; see `select`. Method form of `pumice.select_scatter`."""
        try:
            if type(index) is not int:
                integer(index)
            return _replacing.select_scatter(self, src, dim, index)
        except Exception as error:
            refuse(error)
            raise

    def slice_scatter(
        self: Tensor,
        src: Tensor,
        dim: int = 0,
        start: int | None = None,
        end: int | None = None,
        step: int = 1,
    ) -> Tensor:
        """Return a copy with a slice of an axis replaced. Method form of `pumice.slice_scatter`."""
        try:
            if start is not None and type(start) is not int:
                integer(start)
            if end is not None and type(end) is not int:
                integer(end)
            if type(step) is not int:
                integer(step)
            return _replacing.slice_scatter(self, src, dim, start, end, step)
        except Exception as error:
            refuse(error)
            raise

    def diagonal_scatter(
        self: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
    ) -> Tensor:
        """Return a copy with a diagonal replaced; see `diagonal`. Method form of `pumice.diagonal_scatter`."""
        try:
            if type(offset) is not int:
                integer(offset)
            return _replacing.diagonal_scatter(self, src, offset, dim1, dim2)
        except Exception as error:
            refuse(error)
            raise

    def cumsum(
        self: Tensor,
        dim: int = 0,
        *,
        dtype: DType | None = None,
        axis: int | None = None,
    ) -> Tensor:
        """Return running sums along an axis. Method form of `pumice.cumsum`."""
        try:
            return _scans.cumsum(self, dim, dtype=dtype, axis=axis)
        except Exception as error:
            refuse(error)
            raise

    def cumsum_(
        self: Tensor,
        dim: int = 0,
        *,
        dtype: DType | None = None,
        axis: int | None = None,
    ) -> Tensor:
        """Return running sums along an axis. In-place form of `pumice.cumsum`."""
        try:
            return replace(self, "cumsum_", _scans.cumsum(self, dim, dtype=dtype, axis=axis).node)
        except Exception as error:
            refuse(error)
            raise

    def cumprod(
        self: Tensor,
        dim: int = 0,
        *,
        dtype: DType | None = None,
        axis: int | None = None,
    ) -> Tensor:
        """Return running products along an axis; parameters as in `cumsum`. Method form of `pumice.cumprod`."""
        try:
            return _scans.cumprod(self, dim, dtype=dtype, axis=axis)
        except Exception as error:
            refuse(error)
            raise

    def cumprod_(
        self: Tensor,
        dim: int = 0,
        *,
        dtype: DType | None = None,
        axis: int | None = None,
    ) -> Tensor:
        """Return running products along an axis; parameters as in `cumsum`. In-place form of `pumice.cumprod`."""
        try:
            return replace(self, "cumprod_", _scans.cumprod(self, dim, dtype=dtype, axis=axis).node)
        except Exception as error:
            refuse(error)
            raise

    def logcumsumexp(self: Tensor, dim: int = 0, *, axis: int | None = None) -> Tensor:
        """Return logarithms of running sums of exponentials along an axis. Method form of `pumice.logcumsumexp`."""
        try:
            return _scans.logcumsumexp(self, dim, axis=axis)
        except Exception as error:
            refuse(error)
            raise

    def cummax(self: Tensor, dim: int = 0, *, axis: int | None = None) -> Located:
        """Return running maxima along an axis and where they stand. Method form of `pumice.cummax`."""
        try:
            return _scans.cummax(self, dim, axis=axis)
        except Exception as error:
            refuse(error)
            raise

    def cummin(self: Tensor, dim: int = 0, *, axis: int | None = None) -> Located:
        """Return running minima along an axis and where they stand; see `cummax`. Method form of `pumice.cummin`."""
        try:
            return _scans.cummin(self, dim, axis=axis)
        except Exception as error:
            refuse(error)
            raise

    def diff(
        self: Tensor,
        n: int = 1,
        dim: int = -1,
        prepend: Tensor | None = None,
        append: Tensor | None = None,
    ) -> Tensor:
        """Return differences of neighbours along an axis, ``n`` times. Method form of `pumice.diff`."""
        try:
            if type(n) is not int:
                integer(n)
            return _scans.diff(self, n, dim, prepend, append)
        except Exception as error:
            refuse(error)
            raise

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
        try:
            return _scattering.scatter(self, dim, index, src, reduce=reduce, mode=mode)
        except Exception as error:
            refuse(error)
            raise

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
        try:
            return replace(
                self,
                "scatter_",
                _scattering.scatter(self, dim, index, src, reduce=reduce, mode=mode).node,
            )
        except Exception as error:
            refuse(error)
            raise

    def scatter_add(
        self: Tensor,
        dim: int,
        index: Tensor,
        src: Tensor,
        *,
        mode: str = "raise",
    ) -> Tensor:
        """Return a copy with values added along an axis; parameters as in `scatter`. Method form of `pumice.scatter_add`."""
        try:
            return _scattering.scatter_add(self, dim, index, src, mode=mode)
        except Exception as error:
            refuse(error)
            raise

    def scatter_add_(
        self: Tensor,
        dim: int,
        index: Tensor,
        src: Tensor,
        *,
        mode: str = "raise",
    ) -> Tensor:
        """Return a copy with values added along an axis; parameters as in `scatter`. In-place form of `pumice.scatter_add`."""
        try:
            return replace(
                self, "scatter_add_", _scattering.scatter_add(self, dim, index, src, mode=mode).node
            )
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if include_self is not True:
                truth(include_self)
            return _scattering.scatter_reduce(
                self, dim, index, src, reduce, include_self=include_self, mode=mode
            )
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if include_self is not True:
                truth(include_self)
            return replace(
                self,
                "scatter_reduce_",
                _scattering.scatter_reduce(
                    self, dim, index, src, reduce, include_self=include_self, mode=mode
                ).node,
            )
        except Exception as error:
            refuse(error)
            raise

    def index_add(
        self: Tensor,
        dim: int,
        index: Tensor,
        source: Tensor,
        *,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return a copy with slices of ``source`` added at positions of an axis. Method form of `pumice.index_add`."""
        try:
            return _scattering.index_add(self, dim, index, source, alpha=alpha)
        except Exception as error:
            refuse(error)
            raise

    def index_add_(
        self: Tensor,
        dim: int,
        index: Tensor,
        source: Tensor,
        *,
        alpha: Scalar = 1,
    ) -> Tensor:
        """Return a copy with slices of ``source`` added at positions of an axis. In-place form of `pumice.index_add`."""
        try:
            return replace(
                self,
                "index_add_",
                _scattering.index_add(self, dim, index, source, alpha=alpha).node,
            )
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if include_self is not True:
                truth(include_self)
            return _scattering.index_reduce(
                self, dim, index, source, reduce, include_self=include_self
            )
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if include_self is not True:
                truth(include_self)
            return replace(
                self,
                "index_reduce_",
                _scattering.index_reduce(
                    self, dim, index, source, reduce, include_self=include_self
                ).node,
            )
        except Exception as error:
            refuse(error)
            raise

    def index_copy(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
        """Return a copy with slices of ``source`` in place of those at positions of an axis. Method form of `pumice.index_copy`."""
        try:
            return _scattering.index_copy(self, dim, index, source)
        except Exception as error:
            refuse(error)
            raise

    def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
        """Return a copy with slices of ``source`` in place of those at positions of an axis. In-place form of `pumice.index_copy`."""
        try:
            return replace(
                self, "index_copy_", _scattering.index_copy(self, dim, index, source).node
            )
        except Exception as error:
            refuse(error)
            raise

    def index_fill(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
        """Return a copy with slices at positions of an axis filled with one number. Method form of `pumice.index_fill`."""
        try:
            return _scattering.index_fill(self, dim, index, value)
        except Exception as error:
            refuse(error)
            raise

    def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
        """Return a copy with slices at positions of an axis filled with one number. In-place form of `pumice.index_fill`."""
        try:
            return replace(
                self, "index_fill_", _scattering.index_fill(self, dim, index, value).node
            )
        except Exception as error:
            refuse(error)
            raise

    def clamp(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
        """Limit elements to a range. Method form of `pumice.clamp`."""
        try:
            return _selection.clamp(self, min, max)
        except Exception as error:
            refuse(error)
            raise

    def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
        """Limit elements to a range. In-place form of `pumice.clamp`."""
        try:
            return replace(self, "clamp_", _selection.clamp(self, min, max).node)
        except Exception as error:
            refuse(error)
            raise

    def clip(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
        """Limit elements to a range; the NumPy name of `clamp`. Method form of `pumice.clip`."""
        try:
            return _selection.clip(self, min, max)
        except Exception as error:
            refuse(error)
            raise

    def clip_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
        """Limit elements to a range; the NumPy name of `clamp`. In-place form of `pumice.clip`."""
        try:
            return replace(self, "clip_", _selection.clip(self, min, max).node)
        except Exception as error:
            refuse(error)
            raise

    def masked_fill(self: Tensor, mask: Tensor, value: Any) -> Tensor:
        """Replace elements by a number where a mask is true. Method form of `pumice.masked_fill`."""
        try:
            return _selection.masked_fill(self, mask, value)
        except Exception as error:
            refuse(error)
            raise

    def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
        """Replace elements by a number where a mask is true. In-place form of `pumice.masked_fill`."""
        try:
            return replace(self, "masked_fill_", _selection.masked_fill(self, mask, value).node)
        except Exception as error:
            refuse(error)
            raise

    def lerp(self: Tensor, end: Tensor, weight: Any) -> Tensor:
        """Interpolate: ``input + weight * (end - input)``, exact at both ends. Method form of `pumice.lerp`."""
        try:
            return _selection.lerp(self, end, weight)
        except Exception as error:
            refuse(error)
            raise

    def lerp_(self: Tensor, end: Tensor, weight: Any) -> Tensor:
        """Interpolate: ``input + weight * (end - input)``, exact at both ends. In-place form of `pumice.lerp`."""
        try:
            return replace(self, "lerp_", _selection.lerp(self, end, weight).node)
        except Exception as error:
            refuse(error)
            raise

    def addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
        """Return ``input + value * tensor1 * tensor2``. Method form of `pumice.addcmul`."""
        try:
            return _selection.addcmul(self, tensor1, tensor2, value=value)
        except Exception as error:
            refuse(error)
            raise

    def addcmul_(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
        """Return ``input + value * tensor1 * tensor2``. In-place form of `pumice.addcmul`."""
        try:
            return replace(
                self, "addcmul_", _selection.addcmul(self, tensor1, tensor2, value=value).node
            )
        except Exception as error:
            refuse(error)
            raise

    def addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
        """Return ``input + value * tensor1 / tensor2``; floating operands only. Method form of `pumice.addcdiv`."""
        try:
            return _selection.addcdiv(self, tensor1, tensor2, value=value)
        except Exception as error:
            refuse(error)
            raise

    def addcdiv_(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
        """Return ``input + value * tensor1 / tensor2``; floating operands only. In-place form of `pumice.addcdiv`."""
        try:
            return replace(
                self, "addcdiv_", _selection.addcdiv(self, tensor1, tensor2, value=value).node
            )
        except Exception as error:
            refuse(error)
            raise

    def triu(self: Tensor, diagonal: int = 0) -> Tensor:
        """Keep the upper triangle of the last two axes, 0 elsewhere. Method form of `pumice.triu`."""
        try:
            if type(diagonal) is not int:
                integer(diagonal)
            return _selection.triu(self, diagonal)
        except Exception as error:
            refuse(error)
            raise

    def triu_(self: Tensor, diagonal: int = 0) -> Tensor:
        """Keep the upper triangle of the last two axes, 0 elsewhere. In-place form of `pumice.triu`."""
        try:
            if type(diagonal) is not int:
                integer(diagonal)
            return replace(self, "triu_", _selection.triu(self, diagonal).node)
        except Exception as error:
            refuse(error)
            raise

    def tril(self: Tensor, diagonal: int = 0) -> Tensor:
        """Keep the lower triangle of the last two axes, 0 elsewhere; see `triu`. Method form of `pumice.tril`."""
        try:
            if type(diagonal) is not int:
                integer(diagonal)
            return _selection.tril(self, diagonal)
        except Exception as error:
            refuse(error)
            raise

    def tril_(self: Tensor, diagonal: int = 0) -> Tensor:
        """Keep the lower triangle of the last two axes, 0 elsewhere; see `triu`. In-place form of `pumice.tril`."""
        try:
            if type(diagonal) is not int:
                integer(diagonal)
            return replace(self, "tril_", _selection.tril(self, diagonal).node)
        except Exception as error:
            refuse(error)
            raise

    def unique(
        self: Tensor,
        sorted: bool = True,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> Any:
        """Return each different element (or slice of an axis) once, in ascending order. Method form of `pumice.unique`."""
        try:
            if sorted is not True:
                truth(sorted)
            if return_inverse is not False:
                truth(return_inverse)
            if return_counts is not False:
                truth(return_counts)
            return _sets.unique(self, sorted, return_inverse, return_counts, dim)
        except Exception as error:
            refuse(error)
            raise

    def unique_consecutive(
        self: Tensor,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> Any:
        """Drop elements (or slices of an axis) equal to the one before them. Method form of `pumice.unique_consecutive`."""
        try:
            if return_inverse is not False:
                truth(return_inverse)
            if return_counts is not False:
                truth(return_counts)
            return _sets.unique_consecutive(self, return_inverse, return_counts, dim)
        except Exception as error:
            refuse(error)
            raise

    def bincount(self: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
        """Count how often each non-negative integer occurs, or add weights. Method form of `pumice.bincount`."""
        try:
            if type(minlength) is not int:
                integer(minlength)
            return _sets.bincount(self, weights, minlength)
        except Exception as error:
            refuse(error)
            raise

    def narrow(self: Tensor, dim: int, start: int, length: int) -> Tensor:
        """Take ``length`` elements of one axis. Method form of `pumice.narrow`."""
        try:
            if type(start) is not int:
                integer(start)
            if type(length) is not int:
                integer(length)
            return _slicing.narrow(self, dim, start, length)
        except Exception as error:
            refuse(error)
            raise

    def select(self: Tensor, dim: int, index: int) -> Tensor:
        """Take one element of an axis and drop the axis. Method form of `pumice.select`."""
        try:
            if type(index) is not int:
                integer(index)
            return _slicing.select(self, dim, index)
        except Exception as error:
            refuse(error)
            raise

    def diagonal(self: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
        """Take the diagonal of two axes as a new last axis. Method form of `pumice.diagonal`."""
        try:
            if type(offset) is not int:
                integer(offset)
            return _slicing.diagonal(self, offset, dim1, dim2)
        except Exception as error:
            refuse(error)
            raise

    def fliplr(self: Tensor) -> Tensor:
        """Reverse the second axis; see `flip`. Method form of `pumice.fliplr`."""
        try:
            return _slicing.fliplr(self)
        except Exception as error:
            refuse(error)
            raise

    def flipud(self: Tensor) -> Tensor:
        """Reverse the first axis; see `flip`. Method form of `pumice.flipud`."""
        try:
            return _slicing.flipud(self)
        except Exception as error:
            refuse(error)
            raise

    def sort(self: Tensor, dim: int = -1, descending: bool = False, stable: bool = True) -> Located:
        """Order elements along an axis. Method form of `pumice.sort`."""
        try:
            if descending is not False:
                truth(descending)
            if stable is not True:
                truth(stable)
            return _sorting.sort(self, dim, descending, stable)
        except Exception as error:
            refuse(error)
            raise

    def argsort(
        self: Tensor, dim: int = -1, descending: bool = False, stable: bool = True
    ) -> Tensor:
        """Return the indices that `sort` returns. Method form of `pumice.argsort`."""
        try:
            if descending is not False:
                truth(descending)
            if stable is not True:
                truth(stable)
            return _sorting.argsort(self, dim, descending, stable)
        except Exception as error:
            refuse(error)
            raise

    def msort(self: Tensor) -> Tensor:
        """Return the input ordered along its first axis. Method form of `pumice.msort`."""
        try:
            return _sorting.msort(self)
        except Exception as error:
            refuse(error)
            raise

    def topk(
        self: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
    ) -> Located:
        """Return the k largest (or smallest) elements along an axis, in order. Method form of `pumice.topk`."""
        try:
            if type(k) is not int:
                integer(k)
            if largest is not True:
                truth(largest)
            if sorted is not True:
                truth(sorted)
            return _sorting.topk(self, k, dim, largest, sorted)
        except Exception as error:
            refuse(error)
            raise

    def kthvalue(self: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Located:
        """Return the k-th smallest element along an axis, counted from 1, and its index. Method form of `pumice.kthvalue`."""
        try:
            if type(k) is not int:
                integer(k)
            if keepdim is not False:
                truth(keepdim)
            return _sorting.kthvalue(self, k, dim, keepdim)
        except Exception as error:
            refuse(error)
            raise

    def mode(self: Tensor, dim: int = -1, keepdim: bool = False) -> Located:
        """Return the most frequent element along an axis, and where its last copy stands. Method form of `pumice.mode`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _sorting.mode(self, dim, keepdim)
        except Exception as error:
            refuse(error)
            raise

    def median(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Located:
        """Return the lower median of all elements, or values and indices along an axis. Method form of `pumice.median`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _sorting.median(self, dim, keepdim)
        except Exception as error:
            refuse(error)
            raise

    def nanmedian(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Located:
        """Return `median` with NaN left out; NaN where there is nothing else. Method form of `pumice.nanmedian`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _sorting.nanmedian(self, dim, keepdim)
        except Exception as error:
            refuse(error)
            raise

    def unbind(self: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
        """Return every element of an axis, the axis dropped. Method form of `pumice.unbind`."""
        try:
            return _splitting.unbind(self, dim)
        except Exception as error:
            refuse(error)
            raise

    def split(
        self: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
    ) -> tuple[Tensor, ...]:
        """Cut an axis into parts of given lengths. Method form of `pumice.split`."""
        try:
            return _splitting.split(self, split_size_or_sections, dim)
        except Exception as error:
            refuse(error)
            raise

    def split_with_sizes(
        self: Tensor, split_sizes: Sequence[int], dim: int = 0
    ) -> tuple[Tensor, ...]:
        """Cut an axis into parts of all given lengths; see `split`. Method form of `pumice.split_with_sizes`."""
        try:
            return _splitting.split_with_sizes(self, split_sizes, dim)
        except Exception as error:
            refuse(error)
            raise

    def chunk(self: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """Cut an axis into at most ``chunks`` equal parts; the last may be shorter. Method form of `pumice.chunk`."""
        try:
            if type(chunks) is not int:
                integer(chunks)
            return _splitting.chunk(self, chunks, dim)
        except Exception as error:
            refuse(error)
            raise

    def tensor_split(
        self: Tensor, indices_or_sections: int | Sequence[int], dim: int = 0
    ) -> tuple[Tensor, ...]:
        """Cut an axis into a number of nearly equal parts, or at given places. Method form of `pumice.tensor_split`."""
        try:
            return _splitting.tensor_split(self, indices_or_sections, dim)
        except Exception as error:
            refuse(error)
            raise

    def hsplit(self: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
        """Cut the second axis (the first of a 1-D tensor); see `tensor_split`. Method form of `pumice.hsplit`."""
        try:
            return _splitting.hsplit(self, indices_or_sections)
        except Exception as error:
            refuse(error)
            raise

    def vsplit(self: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
        """Cut the first axis of a tensor with at least two; see `tensor_split`. Method form of `pumice.vsplit`."""
        try:
            return _splitting.vsplit(self, indices_or_sections)
        except Exception as error:
            refuse(error)
            raise

    def dsplit(self: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
        """Cut the third axis; see `tensor_split`. Method form of `pumice.dsplit`."""
        try:
            return _splitting.dsplit(self, indices_or_sections)
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            return _statistics.mean(self, dim, keepdim, dtype=dtype, axis=axis, keepdims=keepdims)
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if unbiased is not None:
                truth(unbiased)
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            return _statistics.var(
                self, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
            )
        except Exception as error:
            refuse(error)
            raise

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
        try:
            if unbiased is not None:
                truth(unbiased)
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            return _statistics.std(
                self, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
            )
        except Exception as error:
            refuse(error)
            raise

    def softmax(
        self: Tensor,
        dim: int = -1,
        dtype: DType | None = None,
        *,
        axis: int | None = None,
    ) -> Tensor:
        """Turn elements along an axis into positive shares that sum to 1. Method form of `pumice.softmax`."""
        try:
            return _statistics.softmax(self, dim, dtype, axis=axis)
        except Exception as error:
            refuse(error)
            raise

    def log_softmax(
        self: Tensor,
        dim: int = -1,
        dtype: DType | None = None,
        *,
        axis: int | None = None,
    ) -> Tensor:
        """Return the logarithm of `softmax`, without underflow; parameters as there. Method form of `pumice.log_softmax`."""
        try:
            return _statistics.log_softmax(self, dim, dtype, axis=axis)
        except Exception as error:
            refuse(error)
            raise

    def logsumexp(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        keepdims: bool = False,
    ) -> Tensor:
        """Return the logarithm of the sum of exponentials along axes. Method form of `pumice.logsumexp`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            if keepdims is not False:
                truth(keepdims)
            return _statistics.logsumexp(self, dim, keepdim, axis=axis, keepdims=keepdims)
        except Exception as error:
            refuse(error)
            raise

    def nansum(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        dtype: DType | None = None,
    ) -> Tensor:
        """Add elements along axes, NaN left out; parameters as in `sum`. Method form of `pumice.nansum`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _statistics.nansum(self, dim, keepdim, dtype=dtype)
        except Exception as error:
            refuse(error)
            raise

    def nanmean(
        self: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        dtype: DType | None = None,
    ) -> Tensor:
        """Average elements along axes, NaN left out; parameters as in `mean`. Method form of `pumice.nanmean`."""
        try:
            if keepdim is not False:
                truth(keepdim)
            return _statistics.nanmean(self, dim, keepdim, dtype=dtype)
        except Exception as error:
            refuse(error)
            raise
