"""The functions of `pumice`.

Written by tools/gen_api.py; do not edit.
"""

# Methods of a part of Tensor take the whole Tensor as self; == returns a tensor; operators may
# return NotImplemented, so their helpers return Any.
# mypy: disable-error-code="misc, override, no-any-return"
# ruff: noqa: F401, N803

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pumice import dtypes
from pumice.arguments import integer, lenient_truth, refuse, truth
from pumice.dtypes import DType, Scalar
from pumice.tensor import arithmetic as _arithmetic
from pumice.tensor import cholesky_factors as _cholesky_factors
from pumice.tensor import comparison as _comparison
from pumice.tensor import convert as _convert
from pumice.tensor import convolution as _convolution
from pumice.tensor import counting as _counting
from pumice.tensor import creation as _creation
from pumice.tensor import determinants as _determinants
from pumice.tensor import distributions as _distributions
from pumice.tensor import dlpack as _dlpack
from pumice.tensor import dropout as _dropout
from pumice.tensor import einsum as _einsum
from pumice.tensor import extremes as _extremes
from pumice.tensor import frequencies as _frequencies
from pumice.tensor import gathering as _gathering
from pumice.tensor import grids as _grids
from pumice.tensor import inspection as _inspection
from pumice.tensor import joining as _joining
from pumice.tensor import limits as _limits
from pumice.tensor import margins as _margins
from pumice.tensor import matrix_aliases as _matrix_aliases
from pumice.tensor import matrix_functions as _matrix_functions
from pumice.tensor import matrix_norms as _matrix_norms
from pumice.tensor import movement as _movement
from pumice.tensor import normalization as _normalization
from pumice.tensor import norms as _norms
from pumice.tensor import operands as _operands
from pumice.tensor import orthogonal_aliases as _orthogonal_aliases
from pumice.tensor import padding as _padding
from pumice.tensor import pointwise as _pointwise
from pumice.tensor import printing as _printing
from pumice.tensor import product_sums as _product_sums
from pumice.tensor import products as _products
from pumice.tensor import quantiles as _quantiles
from pumice.tensor import random as _random
from pumice.tensor import ranges as _ranges
from pumice.tensor import reductions as _reductions
from pumice.tensor import repeating as _repeating
from pumice.tensor import replacing as _replacing
from pumice.tensor import scans as _scans
from pumice.tensor import scattering as _scattering
from pumice.tensor import selection as _selection
from pumice.tensor import sets as _sets
from pumice.tensor import slicing as _slicing
from pumice.tensor import slopes as _slopes
from pumice.tensor import sorting as _sorting
from pumice.tensor import splitting as _splitting
from pumice.tensor import statistics as _statistics
from pumice.tensor import tapers as _tapers
from pumice.tensor import transposed_convolution as _transposed_convolution
from pumice.tensor._generated import (
    abs,
    absolute,
    acos,
    acosh,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    clamp_max,
    clamp_min,
    copysign,
    cos,
    cosh,
    digamma,
    eq,
    equal,
    erf,
    erfc,
    erfinv,
    exp,
    exp2,
    expm1,
    fix,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    frac,
    ge,
    greater,
    greater_equal,
    gt,
    heaviside,
    hypot,
    isfinite,
    isinf,
    isnan,
    isneginf,
    isposinf,
    le,
    less,
    less_equal,
    lgamma,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    maximum,
    minimum,
    mul,
    multiply,
    ne,
    neg,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    reciprocal,
    relu,
    remainder,
    rsqrt,
    sigmoid,
    sign,
    signbit,
    sin,
    sinc,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
    trunc,
    xlogy,
)
from pumice.tensor.axes import Dims
from pumice.tensor.convolution import Sizes
from pumice.tensor.generator import Generator
from pumice.tensor.inspection import (
    empty_cache,
    memory_stats,
    profile,
    synchronize,
)
from pumice.tensor.limits import (
    FloatLimits,
    IntegerLimits,
    get_default_device,
    get_default_dtype,
    set_default_device,
)
from pumice.tensor.matrix_operands import (
    LUResult,
    QRResult,
    Reflections,
    SignLogarithm,
    SingularColumns,
    TriangularSolution,
)
from pumice.tensor.outputs import chosen, made_as, made_on, stands_for, store, takes_out
from pumice.tensor.padding import Pair
from pumice.tensor.printing import (
    get_printoptions,
    printoptions,
)
from pumice.tensor.random import (
    get_rng_state,
    initial_seed,
    seed,
)
from pumice.tensor.results import Histogram, Located, Parts

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@takes_out(_arithmetic.add)
def add(input: Tensor, other: Any, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    try:
        result = _arithmetic.add(input, other, alpha=alpha)
        return result if out is None else store("add", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_product_sums.addbmm)
def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Scalar = 1,
    alpha: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _product_sums.addbmm(input, batch1, batch2, beta=beta, alpha=alpha)
        return result if out is None else store("addbmm", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_selection.addcdiv)
def addcdiv(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _selection.addcdiv(input, tensor1, tensor2, value=value)
        return result if out is None else store("addcdiv", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_selection.addcmul)
def addcmul(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _selection.addcmul(input, tensor1, tensor2, value=value)
        return result if out is None else store("addcmul", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_product_sums.addmm)
def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Scalar = 1,
    alpha: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _product_sums.addmm(input, mat1, mat2, beta=beta, alpha=alpha)
        return result if out is None else store("addmm", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_product_sums.addmv)
def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: Scalar = 1,
    alpha: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _product_sums.addmv(input, mat, vec, beta=beta, alpha=alpha)
        return result if out is None else store("addmv", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_product_sums.addr)
def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: Scalar = 1,
    alpha: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _product_sums.addr(input, vec1, vec2, beta=beta, alpha=alpha)
        return result if out is None else store("addr", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.adjoint)
def adjoint(input: Tensor) -> Tensor:
    try:
        return _movement.adjoint(input)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_reductions.all)
def all(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _reductions.all(input, dim, keepdim, axis=axis, keepdims=keepdims)
        return result if out is None else store("all", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_comparison.allclose)
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    try:
        if equal_nan is not False:
            truth(equal_nan)
        return _comparison.allclose(input, other, rtol, atol, equal_nan)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_reductions.amax)
def amax(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _reductions.amax(input, dim, keepdim, axis=axis, keepdims=keepdims)
        return result if out is None else store("amax", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_reductions.amin)
def amin(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _reductions.amin(input, dim, keepdim, axis=axis, keepdims=keepdims)
        return result if out is None else store("amin", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_extremes.aminmax)
def aminmax(
    input: Tensor,
    *,
    dim: int | None = None,
    keepdim: bool = False,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _extremes.aminmax(input, dim=dim, keepdim=keepdim)
        return result if out is None else store("aminmax", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.angle)
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.angle(input)
        return result if out is None else store("angle", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_reductions.any)
def any(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _reductions.any(input, dim, keepdim, axis=axis, keepdims=keepdims)
        return result if out is None else store("any", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_ranges.arange)
def arange(
    start: Scalar,
    end: Scalar | None = None,
    step: Scalar = 1,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _ranges.arange(
            start,
            end,
            step,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("arange", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_extremes.argmax)
def argmax(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    select_last_index: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        if select_last_index is not False:
            truth(select_last_index)
        result = _extremes.argmax(
            input, dim, keepdim, axis=axis, keepdims=keepdims, select_last_index=select_last_index
        )
        return result if out is None else store("argmax", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_extremes.argmin)
def argmin(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    select_last_index: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        if select_last_index is not False:
            truth(select_last_index)
        result = _extremes.argmin(
            input, dim, keepdim, axis=axis, keepdims=keepdims, select_last_index=select_last_index
        )
        return result if out is None else store("argmin", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sorting.argsort)
def argsort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    stable: bool = True,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if descending is not False:
            truth(descending)
        if stable is not True:
            truth(stable)
        result = _sorting.argsort(input, dim, descending, stable)
        return result if out is None else store("argsort", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_counting.argwhere)
def argwhere(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _counting.argwhere(input)
        return result if out is None else store("argwhere", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_comparison.array_equal)
def array_equal(input: Tensor, other: Tensor) -> bool:
    try:
        return _comparison.array_equal(input, other)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.as_strided)
def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    try:
        if storage_offset is not None and type(storage_offset) is not int:
            integer(storage_offset)
        return _movement.as_strided(input, size, stride, storage_offset)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_convert.as_tensor)
def as_tensor(data: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
    try:
        return _convert.as_tensor(data, dtype, device)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_convert.asarray)
def asarray(data: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
    try:
        return _convert.asarray(data, dtype, device)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.atleast_1d)
def atleast_1d(
    *tensors: Tensor | Sequence[Tensor], out: Tensor | Sequence[Tensor] | None = None
) -> Any:
    try:
        result = _joining.atleast_1d(*tensors)
        return result if out is None else store("atleast_1d", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.atleast_2d)
def atleast_2d(
    *tensors: Tensor | Sequence[Tensor], out: Tensor | Sequence[Tensor] | None = None
) -> Any:
    try:
        result = _joining.atleast_2d(*tensors)
        return result if out is None else store("atleast_2d", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.atleast_3d)
def atleast_3d(
    *tensors: Tensor | Sequence[Tensor], out: Tensor | Sequence[Tensor] | None = None
) -> Any:
    try:
        result = _joining.atleast_3d(*tensors)
        return result if out is None else store("atleast_3d", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_product_sums.baddbmm)
def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Scalar = 1,
    alpha: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _product_sums.baddbmm(input, batch1, batch2, beta=beta, alpha=alpha)
        return result if out is None else store("baddbmm", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_tapers.bartlett_window)
def bartlett_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(window_length) is not int:
            integer(window_length)
        if periodic is not True:
            truth(periodic)
        if requires_grad is not False:
            truth(requires_grad)
        result = _tapers.bartlett_window(
            window_length,
            periodic,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("bartlett_window", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_random.bernoulli)
def bernoulli(
    input: Tensor,
    p: float | None = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _random.bernoulli(input, p, generator=generator)
        return result if out is None else store("bernoulli", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_random.bernoulli_)
def bernoulli_(input: Tensor, p: float = 0.5, *, generator: Generator | None = None) -> Tensor:
    try:
        return _random.bernoulli_(input, p, generator=generator)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sets.bincount)
def bincount(
    input: Tensor,
    weights: Tensor | None = None,
    minlength: int = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(minlength) is not int:
            integer(minlength)
        result = _sets.bincount(input, weights, minlength)
        return result if out is None else store("bincount", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_tapers.blackman_window)
def blackman_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(window_length) is not int:
            integer(window_length)
        if periodic is not True:
            truth(periodic)
        if requires_grad is not False:
            truth(requires_grad)
        result = _tapers.blackman_window(
            window_length,
            periodic,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("blackman_window", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_grids.block_diag)
def block_diag(*tensors: Tensor, out: Tensor | None = None) -> Tensor:
    try:
        result = _grids.block_diag(*tensors)
        return result if out is None else store("block_diag", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.bmm)
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _products.bmm(input, mat2)
        return result if out is None else store("bmm", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_comparison.broadcast_shapes)
def broadcast_shapes(*shapes: int | tuple[int, ...]) -> tuple[int, ...]:
    try:
        return _comparison.broadcast_shapes(*shapes)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_comparison.broadcast_tensors)
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    try:
        return _comparison.broadcast_tensors(*tensors)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.broadcast_to)
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    try:
        return _movement.broadcast_to(input, size)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_comparison.broadcasted)
def broadcasted(
    a: Tensor | float,
    b: Tensor | float,
    reverse: bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    try:
        if reverse is not False:
            truth(reverse)
        result = _comparison.broadcasted(a, b, reverse)
        return result if out is None else store("broadcasted", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sorting.bucketize)
def bucketize(
    input: Any,
    boundaries: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if out_int32 is not False:
            truth(out_int32)
        if right is not False:
            truth(right)
        result = _sorting.bucketize(input, boundaries, out_int32=out_int32, right=right)
        return result if out is None else store("bucketize", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_operands.can_cast)
def can_cast(source: DType, destination: DType) -> bool:
    try:
        return _operands.can_cast(source, destination)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_grids.cartesian_prod)
def cartesian_prod(*tensors: Tensor, out: Tensor | None = None) -> Tensor:
    try:
        result = _grids.cartesian_prod(*tensors)
        return result if out is None else store("cartesian_prod", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.cat)
def cat(
    tensors: Sequence[Tensor],
    dim: int = 0,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _joining.cat(tensors, dim, axis=axis)
        return result if out is None else store("cat", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_distributions.cauchy_)
def cauchy_(
    input: Tensor,
    median: float = 0.0,
    sigma: float = 1.0,
    *,
    generator: Generator | None = None,
) -> Tensor:
    try:
        return _distributions.cauchy_(input, median, sigma, generator=generator)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_margins.cdist)
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "",
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _margins.cdist(x1, x2, p, compute_mode)
        return result if out is None else store("cdist", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_aliases.cholesky)
def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    try:
        if upper is not False:
            truth(upper)
        result = _matrix_aliases.cholesky(input, upper)
        return result if out is None else store("cholesky", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_cholesky_factors.cholesky_inverse)
def cholesky_inverse(L: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    try:
        if upper is not False:
            truth(upper)
        result = _cholesky_factors.cholesky_inverse(L, upper)
        return result if out is None else store("cholesky_inverse", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_cholesky_factors.cholesky_solve)
def cholesky_solve(
    input: Tensor,
    L: Tensor,
    upper: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if upper is not False:
            truth(upper)
        result = _cholesky_factors.cholesky_solve(input, L, upper)
        return result if out is None else store("cholesky_solve", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_splitting.chunk)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    try:
        if type(chunks) is not int:
            integer(chunks)
        return _splitting.chunk(input, chunks, dim)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_selection.clamp)
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _selection.clamp(input, min, max)
        return result if out is None else store("clamp", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_selection.clip)
def clip(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _selection.clip(input, min, max)
        return result if out is None else store("clip", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_limits.clone)
def clone(input: Tensor) -> Tensor:
    try:
        return _limits.clone(input)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.column_stack)
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        result = _joining.column_stack(tensors)
        return result if out is None else store("column_stack", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_grids.combinations)
def combinations(
    input: Tensor,
    r: int = 2,
    with_replacement: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(r) is not int:
            integer(r)
        if with_replacement is not False:
            truth(with_replacement)
        result = _grids.combinations(input, r, with_replacement)
        return result if out is None else store("combinations", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.concat)
def concat(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _joining.concat(tensors, dim)
        return result if out is None else store("concat", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.concatenate)
def concatenate(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _joining.concatenate(tensors, dim)
        return result if out is None else store("concatenate", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.conj)
def conj(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.conj(input)
        return result if out is None else store("conj", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_convolution.conv1d)
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(groups) is not int:
            integer(groups)
        result = _convolution.conv1d(input, weight, bias, stride, padding, dilation, groups)
        return result if out is None else store("conv1d", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_convolution.conv2d)
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(groups) is not int:
            integer(groups)
        result = _convolution.conv2d(input, weight, bias, stride, padding, dilation, groups)
        return result if out is None else store("conv2d", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_convolution.conv3d)
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(groups) is not int:
            integer(groups)
        result = _convolution.conv3d(input, weight, bias, stride, padding, dilation, groups)
        return result if out is None else store("conv3d", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_transposed_convolution.conv_transpose1d)
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(groups) is not int:
            integer(groups)
        result = _transposed_convolution.conv_transpose1d(
            input, weight, bias, stride, padding, output_padding, groups, dilation
        )
        return result if out is None else store("conv_transpose1d", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_transposed_convolution.conv_transpose2d)
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(groups) is not int:
            integer(groups)
        result = _transposed_convolution.conv_transpose2d(
            input, weight, bias, stride, padding, output_padding, groups, dilation
        )
        return result if out is None else store("conv_transpose2d", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_transposed_convolution.conv_transpose3d)
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(groups) is not int:
            integer(groups)
        result = _transposed_convolution.conv_transpose3d(
            input, weight, bias, stride, padding, output_padding, groups, dilation
        )
        return result if out is None else store("conv_transpose3d", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_quantiles.corrcoef)
def corrcoef(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _quantiles.corrcoef(input)
        return result if out is None else store("corrcoef", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_reductions.count_nonzero)
def count_nonzero(input: Tensor, dim: Dims = None, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _reductions.count_nonzero(input, dim)
        return result if out is None else store("count_nonzero", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_quantiles.cov)
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(correction) is not int:
            integer(correction)
        result = _quantiles.cov(input, correction=correction, fweights=fweights, aweights=aweights)
        return result if out is None else store("cov", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_norms.cross)
def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    try:
        result = _matrix_norms.cross(input, other, dim=dim)
        return result if out is None else store("cross", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scans.cummax)
def cummax(
    input: Tensor,
    dim: int = 0,
    *,
    axis: int | None = None,
    out: Sequence[Tensor] | None = None,
) -> Located:
    try:
        result = _scans.cummax(input, dim, axis=axis)
        return result if out is None else store("cummax", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scans.cummin)
def cummin(
    input: Tensor,
    dim: int = 0,
    *,
    axis: int | None = None,
    out: Sequence[Tensor] | None = None,
) -> Located:
    try:
        result = _scans.cummin(input, dim, axis=axis)
        return result if out is None else store("cummin", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scans.cumprod)
def cumprod(
    input: Tensor,
    dim: int = 0,
    *,
    dtype: DType | None = None,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _scans.cumprod(input, dim, dtype=chosen(dtype, out), axis=axis)
        return result if out is None else store("cumprod", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scans.cumsum)
def cumsum(
    input: Tensor,
    dim: int = 0,
    *,
    dtype: DType | None = None,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _scans.cumsum(input, dim, dtype=chosen(dtype, out), axis=axis)
        return result if out is None else store("cumsum", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_quantiles.cumulative_trapezoid)
def cumulative_trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: float = 1,
    dim: int = -1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _quantiles.cumulative_trapezoid(y, x, dx=dx, dim=dim)
        return result if out is None else store("cumulative_trapezoid", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.deg2rad)
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.deg2rad(input)
        return result if out is None else store("deg2rad", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_aliases.det)
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _matrix_aliases.det(input)
        return result if out is None else store("det", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_limits.detach)
def detach(input: Tensor) -> Tensor:
    try:
        return _limits.detach(input)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_grids.diag)
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(diagonal) is not int:
            integer(diagonal)
        result = _grids.diag(input, diagonal)
        return result if out is None else store("diag", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_grids.diag_embed)
def diag_embed(
    input: Tensor,
    offset: int = 0,
    dim1: int = -2,
    dim2: int = -1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(offset) is not int:
            integer(offset)
        result = _grids.diag_embed(input, offset, dim1, dim2)
        return result if out is None else store("diag_embed", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_grids.diagflat)
def diagflat(input: Tensor, offset: int = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(offset) is not int:
            integer(offset)
        result = _grids.diagflat(input, offset)
        return result if out is None else store("diagflat", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_slicing.diagonal)
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    try:
        if type(offset) is not int:
            integer(offset)
        return _slicing.diagonal(input, offset, dim1, dim2)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_replacing.diagonal_scatter)
def diagonal_scatter(
    input: Tensor,
    src: Tensor,
    offset: int = 0,
    dim1: int = 0,
    dim2: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(offset) is not int:
            integer(offset)
        result = _replacing.diagonal_scatter(input, src, offset, dim1, dim2)
        return result if out is None else store("diagonal_scatter", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scans.diff)
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(n) is not int:
            integer(n)
        result = _scans.diff(input, n, dim, prepend, append)
        return result if out is None else store("diff", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_norms.dist)
def dist(input: Tensor, other: Tensor, p: float = 2, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _norms.dist(input, other, p)
        return result if out is None else store("dist", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_arithmetic.div)
def div(
    input: Tensor,
    other: Any,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _arithmetic.div(input, other, rounding_mode=rounding_mode)
        return result if out is None else store("div", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_arithmetic.divide)
def divide(
    input: Tensor,
    other: Any,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _arithmetic.divide(input, other, rounding_mode=rounding_mode)
        return result if out is None else store("divide", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.dot)
def dot(
    input: Tensor,
    other: Tensor,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _products.dot(input, other, dtype=chosen(dtype, out))
        return result if out is None else store("dot", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_splitting.dsplit)
def dsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    try:
        return _splitting.dsplit(input, indices_or_sections)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.dstack)
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        result = _joining.dstack(tensors)
        return result if out is None else store("dstack", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_einsum.einsum)
def einsum(equation: str, *operands: Tensor, out: Tensor | None = None) -> Tensor:
    try:
        result = _einsum.einsum(equation, *operands)
        return result if out is None else store("einsum", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.empty)
def empty(
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.empty(
            *size,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("empty", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.empty_like)
def empty_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.empty_like(
            input,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("empty_like", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_inspection.explain)
def explain(input: Tensor) -> str:
    try:
        return _inspection.explain(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_distributions.exponential_)
def exponential_(
    input: Tensor,
    lambd: float = 1.0,
    *,
    generator: Generator | None = None,
) -> Tensor:
    try:
        return _distributions.exponential_(input, lambd, generator=generator)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_ranges.eye)
def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(n) is not int:
            integer(n)
        if m is not None and type(m) is not int:
            integer(m)
        if requires_grad is not False:
            truth(requires_grad)
        result = _ranges.eye(
            n,
            m,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("eye", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.fill)
def fill(input: Tensor, value: Any, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.fill(input, value)
        return result if out is None else store("fill", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_replacing.fill_diagonal_)
def fill_diagonal_(input: Tensor, fill_value: Scalar, wrap: bool = False) -> Tensor:
    try:
        if wrap is not False:
            truth(wrap)
        return _replacing.fill_diagonal_(input, fill_value, wrap)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_limits.finfo)
def finfo(dtype: DType | None = None) -> FloatLimits:
    try:
        return _limits.finfo(dtype)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.flatten)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    try:
        if type(start_dim) is not int:
            integer(start_dim)
        if type(end_dim) is not int:
            integer(end_dim)
        return _movement.flatten(input, start_dim, end_dim)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_slicing.flip)
def flip(input: Tensor, dims: Dims) -> Tensor:
    try:
        return _slicing.flip(input, dims)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_slicing.fliplr)
def fliplr(input: Tensor) -> Tensor:
    try:
        return _slicing.fliplr(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_slicing.flipud)
def flipud(input: Tensor) -> Tensor:
    try:
        return _slicing.flipud(input)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_arithmetic.float_power)
def float_power(input: Tensor, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _arithmetic.float_power(input, exponent)
        return result if out is None else store("float_power", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.frexp)
def frexp(input: Tensor, *, out: Sequence[Tensor] | None = None) -> Parts:
    try:
        result = _pointwise.frexp(input)
        return result if out is None else store("frexp", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_dlpack.from_dlpack)
def from_dlpack(source: Any) -> Tensor:
    try:
        return _dlpack.from_dlpack(source)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_convert.from_numpy)
def from_numpy(array: NDArray[Any]) -> Tensor:
    try:
        return _convert.from_numpy(array)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_convert.frombuffer)
def frombuffer(
    buffer: Any,
    *,
    dtype: DType,
    count: int = -1,
    offset: int = 0,
    requires_grad: bool = False,
) -> Tensor:
    try:
        if type(count) is not int:
            integer(count)
        if type(offset) is not int:
            integer(offset)
        if requires_grad is not False:
            truth(requires_grad)
        return _convert.frombuffer(
            buffer, dtype=dtype, count=count, offset=offset, requires_grad=requires_grad
        )
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.full)
def full(
    size: int | Sequence[int],
    fill_value: Scalar | Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.full(
            size,
            fill_value,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("full", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.full_like)
def full_like(
    input: Tensor,
    fill_value: Scalar,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.full_like(
            input,
            fill_value,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("full_like", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_gathering.gather)
def gather(
    input: Tensor,
    dim: int,
    index: Tensor,
    *,
    sparse_grad: bool = False,
    mode: str = "raise",
    out: Tensor | None = None,
) -> Tensor:
    try:
        if sparse_grad is not False:
            truth(sparse_grad)
        result = _gathering.gather(input, dim, index, sparse_grad=sparse_grad, mode=mode)
        return result if out is None else store("gather", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.gcd)
def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.gcd(input, other)
        return result if out is None else store("gcd", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_distributions.geometric_)
def geometric_(input: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    try:
        return _distributions.geometric_(input, p, generator=generator)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal_aliases.geqrf)
def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> Reflections:
    try:
        result = _orthogonal_aliases.geqrf(input)
        return result if out is None else store("geqrf", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.ger)
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _products.ger(input, vec2)
        return result if out is None else store("ger", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_slopes.gradient)
def gradient(
    input: Tensor,
    *,
    spacing: float | Sequence[float | Tensor] = 1,
    dim: Dims = None,
    edge_order: int = 1,
) -> tuple[Tensor, ...]:
    try:
        if type(edge_order) is not int:
            integer(edge_order)
        return _slopes.gradient(input, spacing=spacing, dim=dim, edge_order=edge_order)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_tapers.hamming_window)
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(window_length) is not int:
            integer(window_length)
        if periodic is not True:
            truth(periodic)
        if requires_grad is not False:
            truth(requires_grad)
        result = _tapers.hamming_window(
            window_length,
            periodic,
            alpha,
            beta,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("hamming_window", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_tapers.hann_window)
def hann_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(window_length) is not int:
            integer(window_length)
        if periodic is not True:
            truth(periodic)
        if requires_grad is not False:
            truth(requires_grad)
        result = _tapers.hann_window(
            window_length,
            periodic,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("hann_window", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_quantiles.histc)
def histc(
    input: Tensor,
    bins: int = 100,
    min: float = 0,
    max: float = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(bins) is not int:
            integer(bins)
        result = _quantiles.histc(input, bins, min, max)
        return result if out is None else store("histc", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_frequencies.histogram)
def histogram(
    input: Tensor,
    bins: int | Tensor,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: Sequence[Tensor] | None = None,
) -> Histogram:
    try:
        if density is not False:
            truth(density)
        result = _frequencies.histogram(input, bins, range=range, weight=weight, density=density)
        return result if out is None else store("histogram", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_splitting.hsplit)
def hsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    try:
        return _splitting.hsplit(input, indices_or_sections)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.hstack)
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        result = _joining.hstack(tensors)
        return result if out is None else store("hstack", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_limits.iinfo)
def iinfo(dtype: DType) -> IntegerLimits:
    try:
        return _limits.iinfo(dtype)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scattering.index_add)
def index_add(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    *,
    alpha: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _scattering.index_add(input, dim, index, source, alpha=alpha)
        return result if out is None else store("index_add", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scattering.index_copy)
def index_copy(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _scattering.index_copy(input, dim, index, source)
        return result if out is None else store("index_copy", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scattering.index_fill)
def index_fill(
    input: Tensor,
    dim: int,
    index: Tensor,
    value: Any,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _scattering.index_fill(input, dim, index, value)
        return result if out is None else store("index_fill", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_replacing.index_put)
def index_put(
    input: Tensor,
    indices: Sequence[Any],
    values: Tensor,
    accumulate: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if accumulate is not False:
            truth(accumulate)
        result = _replacing.index_put(input, indices, values, accumulate)
        return result if out is None else store("index_put", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scattering.index_reduce)
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if include_self is not True:
            truth(include_self)
        result = _scattering.index_reduce(
            input, dim, index, source, reduce, include_self=include_self
        )
        return result if out is None else store("index_reduce", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_gathering.index_select)
def index_select(
    input: Tensor,
    dim: int,
    index: Tensor,
    *,
    mode: str = "raise",
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _gathering.index_select(input, dim, index, mode=mode)
        return result if out is None else store("index_select", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.inner)
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _products.inner(input, other)
        return result if out is None else store("inner", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_aliases.inverse)
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _matrix_aliases.inverse(input)
        return result if out is None else store("inverse", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_pointwise.is_complex)
def is_complex(input: Tensor) -> bool:
    try:
        return _pointwise.is_complex(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_pointwise.is_conj)
def is_conj(input: Tensor) -> bool:
    try:
        return _pointwise.is_conj(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_limits.is_floating_point)
def is_floating_point(input: Tensor) -> bool:
    try:
        return _limits.is_floating_point(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_pointwise.is_neg)
def is_neg(input: Tensor) -> bool:
    try:
        return _pointwise.is_neg(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_pointwise.is_nonzero)
def is_nonzero(input: Tensor) -> bool:
    try:
        return _pointwise.is_nonzero(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_limits.is_same_size)
def is_same_size(input: Tensor, other: Tensor) -> bool:
    try:
        return _limits.is_same_size(input, other)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_limits.is_signed)
def is_signed(input: Tensor) -> bool:
    try:
        return _limits.is_signed(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_comparison.is_tensor)
def is_tensor(value: object) -> bool:
    try:
        return _comparison.is_tensor(value)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_comparison.isclose)
def isclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if equal_nan is not False:
            truth(equal_nan)
        result = _comparison.isclose(input, other, rtol, atol, equal_nan)
        return result if out is None else store("isclose", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sets.isin)
def isin(
    elements: Any,
    test_elements: Any,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if assume_unique is not False:
            truth(assume_unique)
        if invert is not False:
            truth(invert)
        result = _sets.isin(elements, test_elements, assume_unique=assume_unique, invert=invert)
        return result if out is None else store("isin", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.isreal)
def isreal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.isreal(input)
        return result if out is None else store("isreal", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_tapers.kaiser_window)
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(window_length) is not int:
            integer(window_length)
        if periodic is not True:
            truth(periodic)
        if requires_grad is not False:
            truth(requires_grad)
        result = _tapers.kaiser_window(
            window_length,
            periodic,
            beta,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("kaiser_window", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.kron)
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _products.kron(input, other)
        return result if out is None else store("kron", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sorting.kthvalue)
def kthvalue(
    input: Tensor,
    k: int,
    dim: int = -1,
    keepdim: bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> Located:
    try:
        if type(k) is not int:
            integer(k)
        if keepdim is not False:
            truth(keepdim)
        result = _sorting.kthvalue(input, k, dim, keepdim)
        return result if out is None else store("kthvalue", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_normalization.layernorm)
def layernorm(
    input: Tensor,
    axis: Dims = -1,
    eps: float = 1e-05,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _normalization.layernorm(input, axis, eps)
        return result if out is None else store("layernorm", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.lcm)
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.lcm(input, other)
        return result if out is None else store("lcm", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.ldexp)
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.ldexp(input, other)
        return result if out is None else store("ldexp", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_selection.lerp)
def lerp(input: Tensor, end: Tensor, weight: Any, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _selection.lerp(input, end, weight)
        return result if out is None else store("lerp", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_ranges.linspace)
def linspace(
    start: float,
    end: float,
    steps: int,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(steps) is not int:
            integer(steps)
        if requires_grad is not False:
            truth(requires_grad)
        result = _ranges.linspace(
            start,
            end,
            steps,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("linspace", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_distributions.log_normal_)
def log_normal_(
    input: Tensor,
    mean: float = 1.0,
    std: float = 2.0,
    *,
    generator: Generator | None = None,
) -> Tensor:
    try:
        return _distributions.log_normal_(input, mean, std, generator=generator)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_statistics.log_softmax)
def log_softmax(
    input: Tensor,
    dim: int = -1,
    dtype: DType | None = None,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _statistics.log_softmax(input, dim, chosen(dtype, out), axis=axis)
        return result if out is None else store("log_softmax", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.logaddexp2)
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.logaddexp2(input, other)
        return result if out is None else store("logaddexp2", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scans.logcumsumexp)
def logcumsumexp(
    input: Tensor,
    dim: int = 0,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _scans.logcumsumexp(input, dim, axis=axis)
        return result if out is None else store("logcumsumexp", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_determinants.logdet)
def logdet(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _determinants.logdet(input)
        return result if out is None else store("logdet", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.logit)
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.logit(input, eps)
        return result if out is None else store("logit", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_ranges.logspace)
def logspace(
    start: float,
    end: float,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(steps) is not int:
            integer(steps)
        if requires_grad is not False:
            truth(requires_grad)
        result = _ranges.logspace(
            start,
            end,
            steps,
            base,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("logspace", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_statistics.logsumexp)
def logsumexp(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _statistics.logsumexp(input, dim, keepdim, axis=axis, keepdims=keepdims)
        return result if out is None else store("logsumexp", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_aliases.lu_solve)
def lu_solve(
    input: Tensor,
    LU_data: Tensor,
    LU_pivots: Tensor,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _matrix_aliases.lu_solve(input, LU_data, LU_pivots)
        return result if out is None else store("lu_solve", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_aliases.lu_unpack)
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> LUResult:
    try:
        if unpack_data is not True:
            truth(unpack_data)
        if unpack_pivots is not True:
            truth(unpack_pivots)
        result = _matrix_aliases.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)
        return result if out is None else store("lu_unpack", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_random.manual_seed)
def manual_seed(seed: int) -> Generator:
    try:
        if type(seed) is not int:
            integer(seed)
        return _random.manual_seed(seed)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_selection.masked_fill)
def masked_fill(input: Tensor, mask: Tensor, value: Any, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _selection.masked_fill(input, mask, value)
        return result if out is None else store("masked_fill", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_replacing.masked_scatter)
def masked_scatter(
    input: Tensor,
    mask: Tensor,
    source: Tensor,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _replacing.masked_scatter(input, mask, source)
        return result if out is None else store("masked_scatter", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_counting.masked_select)
def masked_select(
    input: Tensor,
    mask: Tensor,
    *,
    size: int | None = None,
    fill_value: Scalar = 0,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if size is not None and type(size) is not int:
            integer(size)
        result = _counting.masked_select(input, mask, size=size, fill_value=fill_value)
        return result if out is None else store("masked_select", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.matmul)
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _products.matmul(input, other)
        return result if out is None else store("matmul", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_functions.matrix_exp)
def matrix_exp(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _matrix_functions.matrix_exp(A)
        return result if out is None else store("matrix_exp", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_aliases.matrix_power)
def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(n) is not int:
            integer(n)
        result = _matrix_aliases.matrix_power(input, n)
        return result if out is None else store("matrix_power", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_extremes.max)
def max(
    input: Tensor,
    dim: Tensor | Dims = None,
    keepdim: bool = False,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _extremes.max(input, dim, keepdim)
        return result if out is None else store("max", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_statistics.mean)
def mean(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    axis: Dims = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _statistics.mean(
            input, dim, keepdim, dtype=chosen(dtype, out), axis=axis, keepdims=keepdims
        )
        return result if out is None else store("mean", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sorting.median)
def median(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Tensor | Located:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _sorting.median(input, dim, keepdim)
        return result if out is None else store("median", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_grids.meshgrid)
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str = "ij") -> tuple[Tensor, ...]:
    try:
        return _grids.meshgrid(*tensors, indexing=indexing)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_extremes.min)
def min(
    input: Tensor,
    dim: Tensor | Dims = None,
    keepdim: bool = False,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _extremes.min(input, dim, keepdim)
        return result if out is None else store("min", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.mm)
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _products.mm(input, mat2)
        return result if out is None else store("mm", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sorting.mode)
def mode(
    input: Tensor,
    dim: int = -1,
    keepdim: bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> Located:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _sorting.mode(input, dim, keepdim)
        return result if out is None else store("mode", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.moveaxis)
def moveaxis(
    input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]
) -> Tensor:
    try:
        return _movement.moveaxis(input, source, destination)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.movedim)
def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    try:
        return _movement.movedim(input, source, destination)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sorting.msort)
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _sorting.msort(input)
        return result if out is None else store("msort", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_dropout.multinomial)
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(num_samples) is not int:
            integer(num_samples)
        if replacement is not False:
            truth(replacement)
        result = _dropout.multinomial(input, num_samples, replacement, generator=generator)
        return result if out is None else store("multinomial", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.mv)
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _products.mv(input, vec)
        return result if out is None else store("mv", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.mvlgamma)
def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(p) is not int:
            integer(p)
        result = _pointwise.mvlgamma(input, p)
        return result if out is None else store("mvlgamma", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_comparison.nan_to_num)
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _comparison.nan_to_num(input, nan, posinf, neginf)
        return result if out is None else store("nan_to_num", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_statistics.nanmean)
def nanmean(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _statistics.nanmean(input, dim, keepdim, dtype=chosen(dtype, out))
        return result if out is None else store("nanmean", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sorting.nanmedian)
def nanmedian(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Tensor | Located:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _sorting.nanmedian(input, dim, keepdim)
        return result if out is None else store("nanmedian", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_quantiles.nanquantile)
def nanquantile(
    input: Tensor,
    q: Tensor | float | Sequence[float],
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _quantiles.nanquantile(input, q, dim, keepdim, interpolation=interpolation)
        return result if out is None else store("nanquantile", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_statistics.nansum)
def nansum(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _statistics.nansum(input, dim, keepdim, dtype=chosen(dtype, out))
        return result if out is None else store("nansum", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_slicing.narrow)
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    try:
        if type(start) is not int:
            integer(start)
        if type(length) is not int:
            integer(length)
        return _slicing.narrow(input, dim, start, length)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_repeating.narrow_copy)
def narrow_copy(
    input: Tensor,
    dim: int,
    start: int,
    length: int,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(start) is not int:
            integer(start)
        if type(length) is not int:
            integer(length)
        result = _repeating.narrow_copy(input, dim, start, length)
        return result if out is None else store("narrow_copy", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.new_empty)
def new_empty(
    input: Tensor,
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.new_empty(
            input,
            *size,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("new_empty", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.new_full)
def new_full(
    input: Tensor,
    size: Sequence[int],
    fill_value: Scalar,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.new_full(
            input,
            size,
            fill_value,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("new_full", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.new_ones)
def new_ones(
    input: Tensor,
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.new_ones(
            input,
            *size,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("new_ones", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_convert.new_tensor)
def new_tensor(
    input: Tensor,
    data: Any,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        return _convert.new_tensor(
            input, data, dtype=dtype, device=device, requires_grad=requires_grad
        )
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.new_zeros)
def new_zeros(
    input: Tensor,
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.new_zeros(
            input,
            *size,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("new_zeros", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_counting.nonzero)
def nonzero(
    input: Tensor,
    *,
    as_tuple: bool = False,
    size: int | None = None,
    fill_value: int = 0,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    try:
        if as_tuple is not False:
            truth(as_tuple)
        if size is not None and type(size) is not int:
            integer(size)
        if type(fill_value) is not int:
            integer(fill_value)
        result = _counting.nonzero(input, as_tuple=as_tuple, size=size, fill_value=fill_value)
        return result if out is None else store("nonzero", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_counting.nonzero_static)
def nonzero_static(
    input: Tensor,
    *,
    size: int,
    fill_value: int = -1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(size) is not int:
            integer(size)
        if type(fill_value) is not int:
            integer(fill_value)
        result = _counting.nonzero_static(input, size=size, fill_value=fill_value)
        return result if out is None else store("nonzero_static", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_norms.norm)
def norm(
    input: Tensor,
    p: float | str = 2,
    dim: Dims = None,
    keepdim: bool = False,
    dtype: DType | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _norms.norm(input, p, dim, keepdim, chosen(dtype, out))
        return result if out is None else store("norm", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_random.normal)
def normal(
    mean: Tensor | float = 0.0,
    std: Tensor | float = 1.0,
    size: int | Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _random.normal(
            mean,
            std,
            size,
            generator=generator,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
        )
        return result if out is None else store("normal", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_random.normal_)
def normal_(
    input: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    *,
    generator: Generator | None = None,
) -> Tensor:
    try:
        return _random.normal_(input, mean, std, generator=generator)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_limits.numel)
def numel(input: Tensor) -> int:
    try:
        return _limits.numel(input)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_gathering.one_hot)
def one_hot(
    index: Tensor,
    num_classes: int = -1,
    *,
    mode: str = "raise",
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(num_classes) is not int:
            integer(num_classes)
        result = _gathering.one_hot(index, num_classes, mode=mode)
        return result if out is None else store("one_hot", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.ones)
def ones(
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.ones(
            *size,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("ones", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.ones_like)
def ones_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.ones_like(
            input,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("ones_like", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal_aliases.orgqr)
def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _orthogonal_aliases.orgqr(input, input2)
        return result if out is None else store("orgqr", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.outer)
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _products.outer(input, vec2)
        return result if out is None else store("outer", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_padding.pad)
def pad(
    input: Tensor,
    padding: Sequence[Pair | None],
    mode: str = "constant",
    value: Scalar = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _padding.pad(input, padding, mode, value)
        return result if out is None else store("pad", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_padding.pad_constant)
def pad_constant(
    input: Tensor,
    padding: Sequence[Pair | None],
    value: Scalar = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _padding.pad_constant(input, padding, value)
        return result if out is None else store("pad_constant", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.permute)
def permute(input: Tensor, dims: Sequence[int]) -> Tensor:
    try:
        return _movement.permute(input, dims)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal_aliases.pinverse)
def pinverse(input: Tensor, rcond: float = 1e-15, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _orthogonal_aliases.pinverse(input, rcond)
        return result if out is None else store("pinverse", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_reductions.prod)
def prod(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    axis: Dims = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _reductions.prod(
            input, dim, keepdim, dtype=chosen(dtype, out), axis=axis, keepdims=keepdims
        )
        return result if out is None else store("prod", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_replacing.put)
def put(
    input: Tensor,
    index: Tensor,
    source: Tensor,
    accumulate: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if accumulate is not False:
            truth(accumulate)
        result = _replacing.put(input, index, source, accumulate)
        return result if out is None else store("put", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal_aliases.qr)
def qr(input: Tensor, some: bool = True, *, out: Sequence[Tensor] | None = None) -> QRResult:
    try:
        if some is not True:
            truth(some)
        result = _orthogonal_aliases.qr(input, some)
        return result if out is None else store("qr", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_quantiles.quantile)
def quantile(
    input: Tensor,
    q: Tensor | float | Sequence[float],
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _quantiles.quantile(input, q, dim, keepdim, interpolation=interpolation)
        return result if out is None else store("quantile", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.rad2deg)
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.rad2deg(input)
        return result if out is None else store("rad2deg", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_random.rand)
def rand(
    *size: int | Sequence[int],
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _random.rand(
            *size,
            generator=generator,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("rand", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_random.rand_like)
def rand_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _random.rand_like(
            input,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("rand_like", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_random.randint)
def randint(
    low: int,
    high: int | Sequence[int] | None = None,
    size: int | Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(low) is not int:
            integer(low)
        result = _random.randint(
            low,
            high,
            size,
            generator=generator,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
        )
        return result if out is None else store("randint", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_random.randint_like)
def randint_like(
    input: Tensor,
    low: int,
    high: int | None = None,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(low) is not int:
            integer(low)
        if high is not None and type(high) is not int:
            integer(high)
        if requires_grad is not False:
            truth(requires_grad)
        result = _random.randint_like(
            input,
            low,
            high,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("randint_like", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_random.randn)
def randn(
    *size: int | Sequence[int],
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _random.randn(
            *size,
            generator=generator,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("randn", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_random.randn_like)
def randn_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _random.randn_like(
            input,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("randn_like", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_random.random_)
def random_(
    input: Tensor,
    low: int = 0,
    high: int | None = None,
    *,
    generator: Generator | None = None,
) -> Tensor:
    try:
        if type(low) is not int:
            integer(low)
        if high is not None and type(high) is not int:
            integer(high)
        return _random.random_(input, low, high, generator=generator)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_random.randperm)
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(n) is not int:
            integer(n)
        result = _random.randperm(
            n, generator=generator, dtype=made_as(dtype, out), device=made_on(device, out)
        )
        return result if out is None else store("randperm", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.ravel)
def ravel(input: Tensor) -> Tensor:
    try:
        return _movement.ravel(input)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.real)
def real(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.real(input)
        return result if out is None else store("real", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_norms.renorm)
def renorm(
    input: Tensor,
    p: float,
    dim: int,
    maxnorm: float,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _norms.renorm(input, p, dim, maxnorm)
        return result if out is None else store("renorm", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_repeating.repeat)
def repeat(input: Tensor, *repeats: int | Sequence[int], out: Tensor | None = None) -> Tensor:
    try:
        result = _repeating.repeat(input, *repeats)
        return result if out is None else store("repeat", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_repeating.repeat_interleave)
def repeat_interleave(
    input: Tensor,
    repeats: int | Tensor,
    dim: int | None = None,
    *,
    output_size: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if output_size is not None and type(output_size) is not int:
            integer(output_size)
        result = _repeating.repeat_interleave(input, repeats, dim, output_size=output_size)
        return result if out is None else store("repeat_interleave", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.reshape)
def reshape(input: Tensor, shape: Sequence[int]) -> Tensor:
    try:
        return _movement.reshape(input, shape)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.resolve_conj)
def resolve_conj(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.resolve_conj(input)
        return result if out is None else store("resolve_conj", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.resolve_neg)
def resolve_neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.resolve_neg(input)
        return result if out is None else store("resolve_neg", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_comparison.result_type)
def result_type(first: Tensor | float, second: Tensor | float) -> DType:
    try:
        return _comparison.result_type(first, second)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_repeating.roll)
def roll(
    input: Tensor,
    shifts: int | Sequence[int],
    dims: Dims = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _repeating.roll(input, shifts, dims)
        return result if out is None else store("roll", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_repeating.rot90)
def rot90(
    input: Tensor,
    k: int = 1,
    dims: Sequence[int] = (0, 1),
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(k) is not int:
            integer(k)
        result = _repeating.rot90(input, k, dims)
        return result if out is None else store("rot90", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_arithmetic.round)
def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    try:
        if type(decimals) is not int:
            integer(decimals)
        result = _arithmetic.round(input, decimals=decimals)
        return result if out is None else store("round", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.row_stack)
def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        result = _joining.row_stack(tensors)
        return result if out is None else store("row_stack", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_arithmetic.rsub)
def rsub(input: Tensor, other: Any, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    try:
        result = _arithmetic.rsub(input, other, alpha=alpha)
        return result if out is None else store("rsub", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.scalar_tensor)
def scalar_tensor(
    s: Scalar,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.scalar_tensor(
            s, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
        )
        return result if out is None else store("scalar_tensor", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scattering.scatter)
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any,
    *,
    reduce: str | None = None,
    mode: str = "raise",
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _scattering.scatter(input, dim, index, src, reduce=reduce, mode=mode)
        return result if out is None else store("scatter", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scattering.scatter_add)
def scatter_add(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    *,
    mode: str = "raise",
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _scattering.scatter_add(input, dim, index, src, mode=mode)
        return result if out is None else store("scatter_add", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_scattering.scatter_reduce)
def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    mode: str = "raise",
    out: Tensor | None = None,
) -> Tensor:
    try:
        if include_self is not True:
            truth(include_self)
        result = _scattering.scatter_reduce(
            input, dim, index, src, reduce, include_self=include_self, mode=mode
        )
        return result if out is None else store("scatter_reduce", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sorting.searchsorted)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if out_int32 is not False:
            truth(out_int32)
        if right is not False:
            truth(right)
        result = _sorting.searchsorted(
            sorted_sequence, input, out_int32=out_int32, right=right, side=side, sorter=sorter
        )
        return result if out is None else store("searchsorted", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_slicing.select)
def select(input: Tensor, dim: int, index: int) -> Tensor:
    try:
        if type(index) is not int:
            integer(index)
        return _slicing.select(input, dim, index)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_replacing.select_scatter)
def select_scatter(
    input: Tensor,
    src: Tensor,
    dim: int,
    index: int,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(index) is not int:
            integer(index)
        result = _replacing.select_scatter(input, src, dim, index)
        return result if out is None else store("select_scatter", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_limits.set_default_dtype)
def set_default_dtype(d: DType) -> None:
    try:
        return _limits.set_default_dtype(d)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_printing.set_printoptions)
def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    try:
        if precision is not None and type(precision) is not int:
            integer(precision)
        if edgeitems is not None and type(edgeitems) is not int:
            integer(edgeitems)
        if linewidth is not None and type(linewidth) is not int:
            integer(linewidth)
        if sci_mode is not None:
            truth(sci_mode)
        return _printing.set_printoptions(
            precision, threshold, edgeitems, linewidth, profile, sci_mode
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_random.set_rng_state)
def set_rng_state(state: tuple[int, int]) -> None:
    try:
        return _random.set_rng_state(state)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_pointwise.sgn)
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _pointwise.sgn(input)
        return result if out is None else store("sgn", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_replacing.slice_scatter)
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if start is not None and type(start) is not int:
            integer(start)
        if end is not None and type(end) is not int:
            integer(end)
        if type(step) is not int:
            integer(step)
        result = _replacing.slice_scatter(input, src, dim, start, end, step)
        return result if out is None else store("slice_scatter", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_aliases.slogdet)
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> SignLogarithm:
    try:
        result = _matrix_aliases.slogdet(input)
        return result if out is None else store("slogdet", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_statistics.softmax)
def softmax(
    input: Tensor,
    dim: int = -1,
    dtype: DType | None = None,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _statistics.softmax(input, dim, chosen(dtype, out), axis=axis)
        return result if out is None else store("softmax", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sorting.sort)
def sort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    stable: bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> Located:
    try:
        if descending is not False:
            truth(descending)
        if stable is not True:
            truth(stable)
        result = _sorting.sort(input, dim, descending, stable)
        return result if out is None else store("sort", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_splitting.split)
def split(
    input: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    try:
        return _splitting.split(input, split_size_or_sections, dim)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_splitting.split_with_sizes)
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    try:
        return _splitting.split_with_sizes(input, split_sizes, dim)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.squeeze)
def squeeze(input: Tensor, dim: Dims = None) -> Tensor:
    try:
        return _movement.squeeze(input, dim)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.stack)
def stack(
    tensors: Sequence[Tensor],
    dim: int = 0,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _joining.stack(tensors, dim, axis=axis)
        return result if out is None else store("stack", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_statistics.std)
def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if unbiased is not None:
            truth(unbiased)
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _statistics.std(
            input, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
        )
        return result if out is None else store("std", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_statistics.std_mean)
def std_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool = False,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    try:
        if unbiased is not None:
            truth(unbiased)
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _statistics.std_mean(
            input, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
        )
        return result if out is None else store("std_mean", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_arithmetic.sub)
def sub(input: Tensor, other: Any, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    try:
        result = _arithmetic.sub(input, other, alpha=alpha)
        return result if out is None else store("sub", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_arithmetic.subtract)
def subtract(input: Tensor, other: Any, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    try:
        result = _arithmetic.subtract(input, other, alpha=alpha)
        return result if out is None else store("subtract", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_reductions.sum)
def sum(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    axis: Dims = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _reductions.sum(
            input, dim, keepdim, dtype=chosen(dtype, out), axis=axis, keepdims=keepdims
        )
        return result if out is None else store("sum", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_reductions.sum_to_size)
def sum_to_size(input: Tensor, *size: Any, out: Tensor | None = None) -> Tensor:
    try:
        result = _reductions.sum_to_size(input, *size)
        return result if out is None else store("sum_to_size", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal_aliases.svd)
def svd(
    input: Tensor,
    some: bool = True,
    compute_uv: bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> SingularColumns:
    try:
        if some is not True:
            truth(some)
        if compute_uv is not True:
            truth(compute_uv)
        result = _orthogonal_aliases.svd(input, some, compute_uv)
        return result if out is None else store("svd", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.swapaxes)
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    try:
        return _movement.swapaxes(input, axis0, axis1)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.swapdims)
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    try:
        return _movement.swapdims(input, dim0, dim1)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.t)
def t(input: Tensor) -> Tensor:
    try:
        return _movement.t(input)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_gathering.take)
def take(input: Tensor, index: Tensor, *, mode: str = "raise", out: Tensor | None = None) -> Tensor:
    try:
        result = _gathering.take(input, index, mode=mode)
        return result if out is None else store("take", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_gathering.take_along_dim)
def take_along_dim(
    input: Tensor,
    indices: Tensor,
    dim: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _gathering.take_along_dim(input, indices, dim)
        return result if out is None else store("take_along_dim", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_convert.tensor)
def tensor(
    data: Any, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        return _convert.tensor(data, dtype, device, requires_grad)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_splitting.tensor_split)
def tensor_split(
    input: Tensor, indices_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    try:
        return _splitting.tensor_split(input, indices_or_sections, dim)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.tensordot)
def tensordot(
    input: Tensor,
    other: Tensor,
    dims: int | Sequence[Sequence[int]] = 2,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _products.tensordot(input, other, dims)
        return result if out is None else store("tensordot", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_repeating.tile)
def tile(input: Tensor, *dims: int | Sequence[int], out: Tensor | None = None) -> Tensor:
    try:
        result = _repeating.tile(input, *dims)
        return result if out is None else store("tile", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sorting.topk)
def topk(
    input: Tensor,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> Located:
    try:
        if type(k) is not int:
            integer(k)
        if largest is not True:
            truth(largest)
        if sorted is not True:
            truth(sorted)
        result = _sorting.topk(input, k, dim, largest, sorted)
        return result if out is None else store("topk", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.trace)
def trace(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _products.trace(input)
        return result if out is None else store("trace", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.transpose)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    try:
        return _movement.transpose(input, dim0, dim1)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_quantiles.trapezoid)
def trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: float = 1,
    dim: int = -1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _quantiles.trapezoid(y, x, dx=dx, dim=dim)
        return result if out is None else store("trapezoid", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_quantiles.trapz)
def trapz(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: float = 1,
    dim: int = -1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = _quantiles.trapz(y, x, dx=dx, dim=dim)
        return result if out is None else store("trapz", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_aliases.triangular_solve)
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> TriangularSolution:
    try:
        if upper is not True:
            truth(upper)
        if transpose is not False:
            truth(transpose)
        if unitriangular is not False:
            truth(unitriangular)
        result = _matrix_aliases.triangular_solve(input, A, upper, transpose, unitriangular)
        return result if out is None else store("triangular_solve", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_selection.tril)
def tril(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(diagonal) is not int:
            integer(diagonal)
        result = _selection.tril(input, diagonal)
        return result if out is None else store("tril", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_grids.tril_indices)
def tril_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DType = dtypes.int64,
    device: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(row) is not int:
            integer(row)
        if type(col) is not int:
            integer(col)
        if type(offset) is not int:
            integer(offset)
        result = _grids.tril_indices(row, col, offset, dtype=dtype, device=made_on(device, out))
        return result if out is None else store("tril_indices", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_selection.triu)
def triu(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(diagonal) is not int:
            integer(diagonal)
        result = _selection.triu(input, diagonal)
        return result if out is None else store("triu", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_grids.triu_indices)
def triu_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DType = dtypes.int64,
    device: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(row) is not int:
            integer(row)
        if type(col) is not int:
            integer(col)
        if type(offset) is not int:
            integer(offset)
        result = _grids.triu_indices(row, col, offset, dtype=dtype, device=made_on(device, out))
        return result if out is None else store("triu_indices", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_arithmetic.true_divide)
def true_divide(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _arithmetic.true_divide(input, other)
        return result if out is None else store("true_divide", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_splitting.unbind)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    try:
        return _splitting.unbind(input, dim)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.unflatten)
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    try:
        return _movement.unflatten(input, dim, sizes)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_random.uniform_)
def uniform_(
    input: Tensor,
    from_: float = 0.0,
    to: float = 1.0,
    *,
    generator: Generator | None = None,
) -> Tensor:
    try:
        return _random.uniform_(input, from_, to, generator=generator)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sets.unique)
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    try:
        if sorted is not True:
            truth(sorted)
        if return_inverse is not False:
            truth(return_inverse)
        if return_counts is not False:
            truth(return_counts)
        result = _sets.unique(input, sorted, return_inverse, return_counts, dim)
        return result if out is None else store("unique", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_sets.unique_consecutive)
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    try:
        if return_inverse is not False:
            truth(return_inverse)
        if return_counts is not False:
            truth(return_counts)
        result = _sets.unique_consecutive(input, return_inverse, return_counts, dim)
        return result if out is None else store("unique_consecutive", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_grids.unravel_index)
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    try:
        return _grids.unravel_index(indices, shape)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_movement.unsqueeze)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    try:
        return _movement.unsqueeze(input, dim)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_grids.vander)
def vander(
    x: Tensor,
    N: int | None = None,
    increasing: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if N is not None and type(N) is not int:
            integer(N)
        if increasing is not False:
            truth(increasing)
        result = _grids.vander(x, N, increasing)
        return result if out is None else store("vander", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_statistics.var)
def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if unbiased is not None:
            truth(unbiased)
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _statistics.var(
            input, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
        )
        return result if out is None else store("var", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_statistics.var_mean)
def var_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool = False,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    try:
        if unbiased is not None:
            truth(unbiased)
        if keepdim is not False:
            truth(keepdim)
        if keepdims is not False:
            truth(keepdims)
        result = _statistics.var_mean(
            input, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
        )
        return result if out is None else store("var_mean", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_products.vdot)
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _products.vdot(input, other)
        return result if out is None else store("vdot", result, out)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_splitting.vsplit)
def vsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    try:
        return _splitting.vsplit(input, indices_or_sections)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_joining.vstack)
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        result = _joining.vstack(tensors)
        return result if out is None else store("vstack", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_selection.where)
def where(
    condition: Tensor,
    input: Any = None,
    other: Any = None,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    try:
        result = _selection.where(condition, input, other)
        return result if out is None else store("where", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.zeros)
def zeros(
    *size: int | Sequence[int],
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.zeros(
            *size,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("zeros", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_creation.zeros_like)
def zeros_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if requires_grad is not False:
            truth(requires_grad)
        result = _creation.zeros_like(
            input,
            dtype=made_as(dtype, out),
            device=made_on(device, out),
            requires_grad=requires_grad,
        )
        return result if out is None else store("zeros_like", result, out)
    except Exception as error:
        refuse(error)
        raise


__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addr",
    "adjoint",
    "all",
    "allclose",
    "amax",
    "amin",
    "aminmax",
    "angle",
    "any",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "array_equal",
    "as_strided",
    "as_tensor",
    "asarray",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "baddbmm",
    "bartlett_window",
    "bernoulli",
    "bernoulli_",
    "bincount",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman_window",
    "block_diag",
    "bmm",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "broadcasted",
    "bucketize",
    "can_cast",
    "cartesian_prod",
    "cat",
    "cauchy_",
    "cdist",
    "ceil",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "clone",
    "column_stack",
    "combinations",
    "concat",
    "concatenate",
    "conj",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "copysign",
    "corrcoef",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "deg2rad",
    "det",
    "detach",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "diff",
    "digamma",
    "dist",
    "div",
    "divide",
    "dot",
    "dsplit",
    "dstack",
    "einsum",
    "empty",
    "empty_cache",
    "empty_like",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "explain",
    "expm1",
    "exponential_",
    "eye",
    "fill",
    "fill_diagonal_",
    "finfo",
    "fix",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "frexp",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "gather",
    "gcd",
    "ge",
    "geometric_",
    "geqrf",
    "ger",
    "get_default_device",
    "get_default_dtype",
    "get_printoptions",
    "get_rng_state",
    "gradient",
    "greater",
    "greater_equal",
    "gt",
    "hamming_window",
    "hann_window",
    "heaviside",
    "histc",
    "histogram",
    "hsplit",
    "hstack",
    "hypot",
    "iinfo",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "index_select",
    "initial_seed",
    "inner",
    "inverse",
    "is_complex",
    "is_conj",
    "is_floating_point",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "is_tensor",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "kaiser_window",
    "kron",
    "kthvalue",
    "layernorm",
    "lcm",
    "ldexp",
    "le",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_normal_",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logspace",
    "logsumexp",
    "lt",
    "lu_solve",
    "lu_unpack",
    "manual_seed",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "max",
    "maximum",
    "mean",
    "median",
    "memory_stats",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "mode",
    "moveaxis",
    "movedim",
    "msort",
    "mul",
    "multinomial",
    "multiply",
    "mv",
    "mvlgamma",
    "nan_to_num",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "narrow",
    "narrow_copy",
    "ne",
    "neg",
    "negative",
    "new_empty",
    "new_full",
    "new_ones",
    "new_tensor",
    "new_zeros",
    "nextafter",
    "nonzero",
    "nonzero_static",
    "norm",
    "normal",
    "normal_",
    "not_equal",
    "numel",
    "one_hot",
    "ones",
    "ones_like",
    "orgqr",
    "outer",
    "pad",
    "pad_constant",
    "permute",
    "pinverse",
    "positive",
    "pow",
    "printoptions",
    "prod",
    "profile",
    "put",
    "qr",
    "quantile",
    "rad2deg",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "random_",
    "randperm",
    "ravel",
    "real",
    "reciprocal",
    "relu",
    "remainder",
    "renorm",
    "repeat",
    "repeat_interleave",
    "reshape",
    "resolve_conj",
    "resolve_neg",
    "result_type",
    "roll",
    "rot90",
    "round",
    "row_stack",
    "rsqrt",
    "rsub",
    "scalar_tensor",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "seed",
    "select",
    "select_scatter",
    "set_default_device",
    "set_default_dtype",
    "set_printoptions",
    "set_rng_state",
    "sgn",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "slice_scatter",
    "slogdet",
    "softmax",
    "sort",
    "split",
    "split_with_sizes",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "std_mean",
    "sub",
    "subtract",
    "sum",
    "sum_to_size",
    "svd",
    "swapaxes",
    "swapdims",
    "synchronize",
    "t",
    "take",
    "take_along_dim",
    "tan",
    "tanh",
    "tensor",
    "tensor_split",
    "tensordot",
    "tile",
    "topk",
    "trace",
    "transpose",
    "trapezoid",
    "trapz",
    "triangular_solve",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "unbind",
    "unflatten",
    "uniform_",
    "unique",
    "unique_consecutive",
    "unravel_index",
    "unsqueeze",
    "vander",
    "var",
    "var_mean",
    "vdot",
    "vsplit",
    "vstack",
    "where",
    "xlogy",
    "zeros",
    "zeros_like",
]
