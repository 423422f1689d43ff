"""The functions of `pumice`.

Written by tools/gen_api.py; do not edit.
"""

# Methods of a part of Tensor take the whole Tensor as self; == returns a tensor; operators may
# return NotImplemented, so their helpers return Any.
# mypy: disable-error-code="misc, override, no-any-return"
# ruff: noqa: N803

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType, Scalar
from pumice.tensor import arithmetic as _arithmetic
from pumice.tensor import cholesky_factors as _cholesky_factors
from pumice.tensor import comparison as _comparison
from pumice.tensor import convolution as _convolution
from pumice.tensor import counting as _counting
from pumice.tensor import creation as _creation
from pumice.tensor import determinants as _determinants
from pumice.tensor import dropout as _dropout
from pumice.tensor import einsum as _einsum
from pumice.tensor import extremes as _extremes
from pumice.tensor import frequencies as _frequencies
from pumice.tensor import gathering as _gathering
from pumice.tensor import grids as _grids
from pumice.tensor import joining as _joining
from pumice.tensor import margins as _margins
from pumice.tensor import matrix_aliases as _matrix_aliases
from pumice.tensor import matrix_functions as _matrix_functions
from pumice.tensor import matrix_norms as _matrix_norms
from pumice.tensor import normalization as _normalization
from pumice.tensor import norms as _norms
from pumice.tensor import orthogonal_aliases as _orthogonal_aliases
from pumice.tensor import padding as _padding
from pumice.tensor import pointwise as _pointwise
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
from pumice.tensor import sorting as _sorting
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
from pumice.tensor.comparison import (
    allclose,
    array_equal,
    broadcast_shapes,
    broadcast_tensors,
    is_tensor,
    result_type,
)
from pumice.tensor.convert import (
    as_tensor,
    asarray,
    from_numpy,
    frombuffer,
    new_tensor,
    tensor,
)
from pumice.tensor.convolution import Sizes
from pumice.tensor.distributions import (
    cauchy_,
    exponential_,
    geometric_,
    log_normal_,
)
from pumice.tensor.dlpack import (
    from_dlpack,
)
from pumice.tensor.generator import Generator
from pumice.tensor.grids import (
    meshgrid,
    unravel_index,
)
from pumice.tensor.inspection import (
    empty_cache,
    explain,
    memory_stats,
    profile,
    synchronize,
)
from pumice.tensor.limits import (
    clone,
    detach,
    finfo,
    get_default_device,
    get_default_dtype,
    iinfo,
    is_floating_point,
    is_same_size,
    is_signed,
    numel,
    set_default_device,
    set_default_dtype,
)
from pumice.tensor.matrix_operands import (
    LUResult,
    QRResult,
    Reflections,
    SignLogarithm,
    SingularColumns,
    TriangularSolution,
)
from pumice.tensor.movement import (
    adjoint,
    as_strided,
    broadcast_to,
    flatten,
    moveaxis,
    movedim,
    permute,
    ravel,
    reshape,
    squeeze,
    swapaxes,
    swapdims,
    t,
    transpose,
    unflatten,
    unsqueeze,
)
from pumice.tensor.operands import (
    can_cast,
)
from pumice.tensor.outputs import chosen, made_as, made_on, store, takes_out
from pumice.tensor.padding import Pair
from pumice.tensor.pointwise import (
    is_complex,
    is_conj,
    is_neg,
    is_nonzero,
)
from pumice.tensor.printing import (
    get_printoptions,
    printoptions,
    set_printoptions,
)
from pumice.tensor.random import (
    bernoulli_,
    get_rng_state,
    initial_seed,
    manual_seed,
    normal_,
    random_,
    seed,
    set_rng_state,
    uniform_,
)
from pumice.tensor.replacing import (
    fill_diagonal_,
)
from pumice.tensor.results import Histogram, Located, Parts
from pumice.tensor.slicing import (
    diagonal,
    flip,
    fliplr,
    flipud,
    narrow,
    narrow_copy,
    select,
)
from pumice.tensor.slopes import (
    gradient,
)
from pumice.tensor.splitting import (
    chunk,
    dsplit,
    hsplit,
    split,
    split_with_sizes,
    tensor_split,
    unbind,
    vsplit,
)

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@takes_out(_arithmetic.add)
def add(input: Tensor, other: Any, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    result = _arithmetic.add(input, other, alpha=alpha)
    return result if out is None else store("add", result, out)


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
    result = _product_sums.addbmm(input, batch1, batch2, beta=beta, alpha=alpha)
    return result if out is None else store("addbmm", result, out)


@takes_out(_selection.addcdiv)
def addcdiv(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    result = _selection.addcdiv(input, tensor1, tensor2, value=value)
    return result if out is None else store("addcdiv", result, out)


@takes_out(_selection.addcmul)
def addcmul(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    result = _selection.addcmul(input, tensor1, tensor2, value=value)
    return result if out is None else store("addcmul", result, out)


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
    result = _product_sums.addmm(input, mat1, mat2, beta=beta, alpha=alpha)
    return result if out is None else store("addmm", result, out)


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
    result = _product_sums.addmv(input, mat, vec, beta=beta, alpha=alpha)
    return result if out is None else store("addmv", result, out)


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
    result = _product_sums.addr(input, vec1, vec2, beta=beta, alpha=alpha)
    return result if out is None else store("addr", result, out)


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
    result = _reductions.all(input, dim, keepdim, axis=axis, keepdims=keepdims)
    return result if out is None else store("all", result, out)


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
    result = _reductions.amax(input, dim, keepdim, axis=axis, keepdims=keepdims)
    return result if out is None else store("amax", result, out)


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
    result = _reductions.amin(input, dim, keepdim, axis=axis, keepdims=keepdims)
    return result if out is None else store("amin", result, out)


@takes_out(_extremes.aminmax)
def aminmax(
    input: Tensor,
    *,
    dim: int | None = None,
    keepdim: bool = False,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    result = _extremes.aminmax(input, dim=dim, keepdim=keepdim)
    return result if out is None else store("aminmax", result, out)


@takes_out(_pointwise.angle)
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.angle(input)
    return result if out is None else store("angle", result, out)


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
    result = _reductions.any(input, dim, keepdim, axis=axis, keepdims=keepdims)
    return result if out is None else store("any", result, out)


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
    result = _ranges.arange(
        start,
        end,
        step,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("arange", result, out)


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
    result = _extremes.argmax(
        input, dim, keepdim, axis=axis, keepdims=keepdims, select_last_index=select_last_index
    )
    return result if out is None else store("argmax", result, out)


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
    result = _extremes.argmin(
        input, dim, keepdim, axis=axis, keepdims=keepdims, select_last_index=select_last_index
    )
    return result if out is None else store("argmin", result, out)


@takes_out(_sorting.argsort)
def argsort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    stable: bool = True,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _sorting.argsort(input, dim, descending, stable)
    return result if out is None else store("argsort", result, out)


@takes_out(_counting.argwhere)
def argwhere(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _counting.argwhere(input)
    return result if out is None else store("argwhere", result, out)


@takes_out(_joining.atleast_1d)
def atleast_1d(*tensors: Any, out: Tensor | Sequence[Tensor] | None = None) -> Any:
    result = _joining.atleast_1d(*tensors)
    return result if out is None else store("atleast_1d", result, out)


@takes_out(_joining.atleast_2d)
def atleast_2d(*tensors: Any, out: Tensor | Sequence[Tensor] | None = None) -> Any:
    result = _joining.atleast_2d(*tensors)
    return result if out is None else store("atleast_2d", result, out)


@takes_out(_joining.atleast_3d)
def atleast_3d(*tensors: Any, out: Tensor | Sequence[Tensor] | None = None) -> Any:
    result = _joining.atleast_3d(*tensors)
    return result if out is None else store("atleast_3d", result, out)


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
    result = _product_sums.baddbmm(input, batch1, batch2, beta=beta, alpha=alpha)
    return result if out is None else store("baddbmm", result, out)


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
    result = _tapers.bartlett_window(
        window_length,
        periodic,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("bartlett_window", result, out)


@takes_out(_random.bernoulli)
def bernoulli(
    input: Tensor,
    p: float | None = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _random.bernoulli(input, p, generator=generator)
    return result if out is None else store("bernoulli", result, out)


@takes_out(_sets.bincount)
def bincount(
    input: Tensor,
    weights: Tensor | None = None,
    minlength: int = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _sets.bincount(input, weights, minlength)
    return result if out is None else store("bincount", result, out)


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
    result = _tapers.blackman_window(
        window_length,
        periodic,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("blackman_window", result, out)


@takes_out(_grids.block_diag)
def block_diag(*tensors: Tensor, out: Tensor | None = None) -> Tensor:
    result = _grids.block_diag(*tensors)
    return result if out is None else store("block_diag", result, out)


@takes_out(_products.bmm)
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _products.bmm(input, mat2)
    return result if out is None else store("bmm", result, out)


@takes_out(_comparison.broadcasted)
def broadcasted(
    a: Tensor | float,
    b: Tensor | float,
    reverse: bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    result = _comparison.broadcasted(a, b, reverse)
    return result if out is None else store("broadcasted", result, out)


@takes_out(_sorting.bucketize)
def bucketize(
    input: Any,
    boundaries: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _sorting.bucketize(input, boundaries, out_int32=out_int32, right=right)
    return result if out is None else store("bucketize", result, out)


@takes_out(_grids.cartesian_prod)
def cartesian_prod(*tensors: Tensor, out: Tensor | None = None) -> Tensor:
    result = _grids.cartesian_prod(*tensors)
    return result if out is None else store("cartesian_prod", result, out)


@takes_out(_joining.cat)
def cat(
    tensors: Sequence[Tensor],
    dim: int = 0,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _joining.cat(tensors, dim, axis=axis)
    return result if out is None else store("cat", result, out)


@takes_out(_margins.cdist)
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "",
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _margins.cdist(x1, x2, p, compute_mode)
    return result if out is None else store("cdist", result, out)


@takes_out(_matrix_aliases.cholesky)
def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    result = _matrix_aliases.cholesky(input, upper)
    return result if out is None else store("cholesky", result, out)


@takes_out(_cholesky_factors.cholesky_inverse)
def cholesky_inverse(L: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    result = _cholesky_factors.cholesky_inverse(L, upper)
    return result if out is None else store("cholesky_inverse", result, out)


@takes_out(_cholesky_factors.cholesky_solve)
def cholesky_solve(
    input: Tensor,
    L: Tensor,
    upper: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _cholesky_factors.cholesky_solve(input, L, upper)
    return result if out is None else store("cholesky_solve", result, out)


@takes_out(_selection.clamp)
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    result = _selection.clamp(input, min, max)
    return result if out is None else store("clamp", result, out)


@takes_out(_selection.clip)
def clip(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    result = _selection.clip(input, min, max)
    return result if out is None else store("clip", result, out)


@takes_out(_joining.column_stack)
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    result = _joining.column_stack(tensors)
    return result if out is None else store("column_stack", result, out)


@takes_out(_grids.combinations)
def combinations(
    input: Tensor,
    r: int = 2,
    with_replacement: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _grids.combinations(input, r, with_replacement)
    return result if out is None else store("combinations", result, out)


@takes_out(_joining.concat)
def concat(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    result = _joining.concat(tensors, dim)
    return result if out is None else store("concat", result, out)


@takes_out(_joining.concatenate)
def concatenate(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    result = _joining.concatenate(tensors, dim)
    return result if out is None else store("concatenate", result, out)


@takes_out(_pointwise.conj)
def conj(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.conj(input)
    return result if out is None else store("conj", result, out)


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
    result = _convolution.conv1d(input, weight, bias, stride, padding, dilation, groups)
    return result if out is None else store("conv1d", result, out)


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
    result = _convolution.conv2d(input, weight, bias, stride, padding, dilation, groups)
    return result if out is None else store("conv2d", result, out)


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
    result = _convolution.conv3d(input, weight, bias, stride, padding, dilation, groups)
    return result if out is None else store("conv3d", result, out)


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
    result = _transposed_convolution.conv_transpose1d(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )
    return result if out is None else store("conv_transpose1d", result, out)


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
    result = _transposed_convolution.conv_transpose2d(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )
    return result if out is None else store("conv_transpose2d", result, out)


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
    result = _transposed_convolution.conv_transpose3d(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )
    return result if out is None else store("conv_transpose3d", result, out)


@takes_out(_quantiles.corrcoef)
def corrcoef(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _quantiles.corrcoef(input)
    return result if out is None else store("corrcoef", result, out)


@takes_out(_reductions.count_nonzero)
def count_nonzero(input: Tensor, dim: Dims = None, *, out: Tensor | None = None) -> Tensor:
    result = _reductions.count_nonzero(input, dim)
    return result if out is None else store("count_nonzero", result, out)


@takes_out(_quantiles.cov)
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _quantiles.cov(input, correction=correction, fweights=fweights, aweights=aweights)
    return result if out is None else store("cov", result, out)


@takes_out(_matrix_norms.cross)
def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    result = _matrix_norms.cross(input, other, dim=dim)
    return result if out is None else store("cross", result, out)


@takes_out(_scans.cummax)
def cummax(
    input: Tensor,
    dim: int = 0,
    *,
    axis: int | None = None,
    out: Sequence[Tensor] | None = None,
) -> Located:
    result = _scans.cummax(input, dim, axis=axis)
    return result if out is None else store("cummax", result, out)


@takes_out(_scans.cummin)
def cummin(
    input: Tensor,
    dim: int = 0,
    *,
    axis: int | None = None,
    out: Sequence[Tensor] | None = None,
) -> Located:
    result = _scans.cummin(input, dim, axis=axis)
    return result if out is None else store("cummin", result, out)


@takes_out(_scans.cumprod)
def cumprod(
    input: Tensor,
    dim: int = 0,
    *,
    dtype: DType | None = None,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _scans.cumprod(input, dim, dtype=chosen(dtype, out), axis=axis)
    return result if out is None else store("cumprod", result, out)


@takes_out(_scans.cumsum)
def cumsum(
    input: Tensor,
    dim: int = 0,
    *,
    dtype: DType | None = None,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _scans.cumsum(input, dim, dtype=chosen(dtype, out), axis=axis)
    return result if out is None else store("cumsum", result, out)


@takes_out(_quantiles.cumulative_trapezoid)
def cumulative_trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: float = 1,
    dim: int = -1,
    out: Tensor | None = None,
) -> Tensor:
    result = _quantiles.cumulative_trapezoid(y, x, dx=dx, dim=dim)
    return result if out is None else store("cumulative_trapezoid", result, out)


@takes_out(_pointwise.deg2rad)
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.deg2rad(input)
    return result if out is None else store("deg2rad", result, out)


@takes_out(_matrix_aliases.det)
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _matrix_aliases.det(input)
    return result if out is None else store("det", result, out)


@takes_out(_grids.diag)
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    result = _grids.diag(input, diagonal)
    return result if out is None else store("diag", result, out)


@takes_out(_grids.diag_embed)
def diag_embed(
    input: Tensor,
    offset: int = 0,
    dim1: int = -2,
    dim2: int = -1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _grids.diag_embed(input, offset, dim1, dim2)
    return result if out is None else store("diag_embed", result, out)


@takes_out(_grids.diagflat)
def diagflat(input: Tensor, offset: int = 0, *, out: Tensor | None = None) -> Tensor:
    result = _grids.diagflat(input, offset)
    return result if out is None else store("diagflat", result, out)


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
    result = _replacing.diagonal_scatter(input, src, offset, dim1, dim2)
    return result if out is None else store("diagonal_scatter", result, out)


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
    result = _scans.diff(input, n, dim, prepend, append)
    return result if out is None else store("diff", result, out)


@takes_out(_norms.dist)
def dist(input: Tensor, other: Tensor, p: float = 2, *, out: Tensor | None = None) -> Tensor:
    result = _norms.dist(input, other, p)
    return result if out is None else store("dist", result, out)


@takes_out(_arithmetic.div)
def div(
    input: Tensor,
    other: Any,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _arithmetic.div(input, other, rounding_mode=rounding_mode)
    return result if out is None else store("div", result, out)


@takes_out(_arithmetic.divide)
def divide(
    input: Tensor,
    other: Any,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _arithmetic.divide(input, other, rounding_mode=rounding_mode)
    return result if out is None else store("divide", result, out)


@takes_out(_products.dot)
def dot(
    input: Tensor,
    other: Tensor,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _products.dot(input, other, dtype=chosen(dtype, out))
    return result if out is None else store("dot", result, out)


@takes_out(_joining.dstack)
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    result = _joining.dstack(tensors)
    return result if out is None else store("dstack", result, out)


@takes_out(_einsum.einsum)
def einsum(equation: str, *operands: Tensor, out: Tensor | None = None) -> Tensor:
    result = _einsum.einsum(equation, *operands)
    return result if out is None else store("einsum", result, out)


@takes_out(_creation.empty)
def empty(
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _creation.empty(
        *size, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
    )
    return result if out is None else store("empty", result, out)


@takes_out(_creation.empty_like)
def empty_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _creation.empty_like(
        input, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
    )
    return result if out is None else store("empty_like", result, out)


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
    result = _ranges.eye(
        n, m, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
    )
    return result if out is None else store("eye", result, out)


@takes_out(_pointwise.fill)
def fill(input: Tensor, value: Any, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.fill(input, value)
    return result if out is None else store("fill", result, out)


@takes_out(_arithmetic.float_power)
def float_power(input: Tensor, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    result = _arithmetic.float_power(input, exponent)
    return result if out is None else store("float_power", result, out)


@takes_out(_pointwise.frexp)
def frexp(input: Tensor, *, out: Sequence[Tensor] | None = None) -> Parts:
    result = _pointwise.frexp(input)
    return result if out is None else store("frexp", result, out)


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
    result = _creation.full(
        size,
        fill_value,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("full", result, out)


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
    result = _creation.full_like(
        input,
        fill_value,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("full_like", result, out)


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
    result = _gathering.gather(input, dim, index, sparse_grad=sparse_grad, mode=mode)
    return result if out is None else store("gather", result, out)


@takes_out(_pointwise.gcd)
def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.gcd(input, other)
    return result if out is None else store("gcd", result, out)


@takes_out(_orthogonal_aliases.geqrf)
def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> Reflections:
    result = _orthogonal_aliases.geqrf(input)
    return result if out is None else store("geqrf", result, out)


@takes_out(_products.ger)
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _products.ger(input, vec2)
    return result if out is None else store("ger", result, out)


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
    result = _tapers.hann_window(
        window_length,
        periodic,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("hann_window", result, out)


@takes_out(_quantiles.histc)
def histc(
    input: Tensor,
    bins: int = 100,
    min: float = 0,
    max: float = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _quantiles.histc(input, bins, min, max)
    return result if out is None else store("histc", result, out)


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
    result = _frequencies.histogram(input, bins, range=range, weight=weight, density=density)
    return result if out is None else store("histogram", result, out)


@takes_out(_joining.hstack)
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    result = _joining.hstack(tensors)
    return result if out is None else store("hstack", result, out)


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
    result = _scattering.index_add(input, dim, index, source, alpha=alpha)
    return result if out is None else store("index_add", result, out)


@takes_out(_scattering.index_copy)
def index_copy(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _scattering.index_copy(input, dim, index, source)
    return result if out is None else store("index_copy", result, out)


@takes_out(_scattering.index_fill)
def index_fill(
    input: Tensor,
    dim: int,
    index: Tensor,
    value: Any,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _scattering.index_fill(input, dim, index, value)
    return result if out is None else store("index_fill", result, out)


@takes_out(_replacing.index_put)
def index_put(
    input: Tensor,
    indices: Sequence[Any],
    values: Tensor,
    accumulate: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _replacing.index_put(input, indices, values, accumulate)
    return result if out is None else store("index_put", result, out)


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
    result = _scattering.index_reduce(input, dim, index, source, reduce, include_self=include_self)
    return result if out is None else store("index_reduce", result, out)


@takes_out(_gathering.index_select)
def index_select(
    input: Tensor,
    dim: int,
    index: Tensor,
    *,
    mode: str = "raise",
    out: Tensor | None = None,
) -> Tensor:
    result = _gathering.index_select(input, dim, index, mode=mode)
    return result if out is None else store("index_select", result, out)


@takes_out(_products.inner)
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _products.inner(input, other)
    return result if out is None else store("inner", result, out)


@takes_out(_matrix_aliases.inverse)
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _matrix_aliases.inverse(input)
    return result if out is None else store("inverse", result, out)


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
    result = _comparison.isclose(input, other, rtol, atol, equal_nan)
    return result if out is None else store("isclose", result, out)


@takes_out(_sets.isin)
def isin(
    elements: Any,
    test_elements: Any,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _sets.isin(elements, test_elements, assume_unique=assume_unique, invert=invert)
    return result if out is None else store("isin", result, out)


@takes_out(_pointwise.isreal)
def isreal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.isreal(input)
    return result if out is None else store("isreal", result, out)


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
    result = _tapers.kaiser_window(
        window_length,
        periodic,
        beta,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("kaiser_window", result, out)


@takes_out(_products.kron)
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _products.kron(input, other)
    return result if out is None else store("kron", result, out)


@takes_out(_sorting.kthvalue)
def kthvalue(
    input: Tensor,
    k: int,
    dim: int = -1,
    keepdim: bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> Located:
    result = _sorting.kthvalue(input, k, dim, keepdim)
    return result if out is None else store("kthvalue", result, out)


@takes_out(_normalization.layernorm)
def layernorm(
    input: Tensor,
    axis: Dims = -1,
    eps: float = 1e-05,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _normalization.layernorm(input, axis, eps)
    return result if out is None else store("layernorm", result, out)


@takes_out(_pointwise.lcm)
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.lcm(input, other)
    return result if out is None else store("lcm", result, out)


@takes_out(_pointwise.ldexp)
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.ldexp(input, other)
    return result if out is None else store("ldexp", result, out)


@takes_out(_selection.lerp)
def lerp(input: Tensor, end: Tensor, weight: Any, *, out: Tensor | None = None) -> Tensor:
    result = _selection.lerp(input, end, weight)
    return result if out is None else store("lerp", result, out)


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
    result = _ranges.linspace(
        start,
        end,
        steps,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("linspace", result, out)


@takes_out(_statistics.log_softmax)
def log_softmax(
    input: Tensor,
    dim: int = -1,
    dtype: DType | None = None,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _statistics.log_softmax(input, dim, chosen(dtype, out), axis=axis)
    return result if out is None else store("log_softmax", result, out)


@takes_out(_pointwise.logaddexp2)
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.logaddexp2(input, other)
    return result if out is None else store("logaddexp2", result, out)


@takes_out(_scans.logcumsumexp)
def logcumsumexp(
    input: Tensor,
    dim: int = 0,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _scans.logcumsumexp(input, dim, axis=axis)
    return result if out is None else store("logcumsumexp", result, out)


@takes_out(_determinants.logdet)
def logdet(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _determinants.logdet(input)
    return result if out is None else store("logdet", result, out)


@takes_out(_pointwise.logit)
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.logit(input, eps)
    return result if out is None else store("logit", result, out)


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
    result = _statistics.logsumexp(input, dim, keepdim, axis=axis, keepdims=keepdims)
    return result if out is None else store("logsumexp", result, out)


@takes_out(_matrix_aliases.lu_solve)
def lu_solve(
    input: Tensor,
    LU_data: Tensor,
    LU_pivots: Tensor,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _matrix_aliases.lu_solve(input, LU_data, LU_pivots)
    return result if out is None else store("lu_solve", result, out)


@takes_out(_matrix_aliases.lu_unpack)
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> LUResult:
    result = _matrix_aliases.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)
    return result if out is None else store("lu_unpack", result, out)


@takes_out(_selection.masked_fill)
def masked_fill(input: Tensor, mask: Tensor, value: Any, *, out: Tensor | None = None) -> Tensor:
    result = _selection.masked_fill(input, mask, value)
    return result if out is None else store("masked_fill", result, out)


@takes_out(_replacing.masked_scatter)
def masked_scatter(
    input: Tensor,
    mask: Tensor,
    source: Tensor,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _replacing.masked_scatter(input, mask, source)
    return result if out is None else store("masked_scatter", result, out)


@takes_out(_counting.masked_select)
def masked_select(
    input: Tensor,
    mask: Tensor,
    *,
    size: int | None = None,
    fill_value: Scalar = 0,
    out: Tensor | None = None,
) -> Tensor:
    result = _counting.masked_select(input, mask, size=size, fill_value=fill_value)
    return result if out is None else store("masked_select", result, out)


@takes_out(_products.matmul)
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _products.matmul(input, other)
    return result if out is None else store("matmul", result, out)


@takes_out(_matrix_functions.matrix_exp)
def matrix_exp(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _matrix_functions.matrix_exp(A)
    return result if out is None else store("matrix_exp", result, out)


@takes_out(_matrix_aliases.matrix_power)
def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    result = _matrix_aliases.matrix_power(input, n)
    return result if out is None else store("matrix_power", result, out)


@takes_out(_extremes.max)
def max(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    result = _extremes.max(input, dim, keepdim)
    return result if out is None else store("max", result, out)


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
    result = _statistics.mean(
        input, dim, keepdim, dtype=chosen(dtype, out), axis=axis, keepdims=keepdims
    )
    return result if out is None else store("mean", result, out)


@takes_out(_sorting.median)
def median(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Tensor | Located:
    result = _sorting.median(input, dim, keepdim)
    return result if out is None else store("median", result, out)


@takes_out(_extremes.min)
def min(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    result = _extremes.min(input, dim, keepdim)
    return result if out is None else store("min", result, out)


@takes_out(_products.mm)
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _products.mm(input, mat2)
    return result if out is None else store("mm", result, out)


@takes_out(_sorting.mode)
def mode(
    input: Tensor,
    dim: int = -1,
    keepdim: bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> Located:
    result = _sorting.mode(input, dim, keepdim)
    return result if out is None else store("mode", result, out)


@takes_out(_sorting.msort)
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _sorting.msort(input)
    return result if out is None else store("msort", result, out)


@takes_out(_dropout.multinomial)
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _dropout.multinomial(input, num_samples, replacement, generator=generator)
    return result if out is None else store("multinomial", result, out)


@takes_out(_products.mv)
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _products.mv(input, vec)
    return result if out is None else store("mv", result, out)


@takes_out(_pointwise.mvlgamma)
def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.mvlgamma(input, p)
    return result if out is None else store("mvlgamma", result, out)


@takes_out(_comparison.nan_to_num)
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _comparison.nan_to_num(input, nan, posinf, neginf)
    return result if out is None else store("nan_to_num", result, out)


@takes_out(_statistics.nanmean)
def nanmean(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _statistics.nanmean(input, dim, keepdim, dtype=chosen(dtype, out))
    return result if out is None else store("nanmean", result, out)


@takes_out(_sorting.nanmedian)
def nanmedian(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Tensor | Located:
    result = _sorting.nanmedian(input, dim, keepdim)
    return result if out is None else store("nanmedian", result, out)


@takes_out(_quantiles.nanquantile)
def nanquantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    result = _quantiles.nanquantile(input, q, dim, keepdim, interpolation=interpolation)
    return result if out is None else store("nanquantile", result, out)


@takes_out(_statistics.nansum)
def nansum(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _statistics.nansum(input, dim, keepdim, dtype=chosen(dtype, out))
    return result if out is None else store("nansum", result, out)


@takes_out(_creation.new_empty)
def new_empty(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _creation.new_empty(
        input,
        *size,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("new_empty", result, out)


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
    result = _creation.new_full(
        input,
        size,
        fill_value,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("new_full", result, out)


@takes_out(_creation.new_ones)
def new_ones(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _creation.new_ones(
        input,
        *size,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("new_ones", result, out)


@takes_out(_creation.new_zeros)
def new_zeros(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _creation.new_zeros(
        input,
        *size,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("new_zeros", result, out)


@takes_out(_counting.nonzero)
def nonzero(
    input: Tensor,
    *,
    as_tuple: bool = False,
    size: int | None = None,
    fill_value: int = 0,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    result = _counting.nonzero(input, as_tuple=as_tuple, size=size, fill_value=fill_value)
    return result if out is None else store("nonzero", result, out)


@takes_out(_counting.nonzero_static)
def nonzero_static(
    input: Tensor,
    *,
    size: int,
    fill_value: int = -1,
    out: Tensor | None = None,
) -> Tensor:
    result = _counting.nonzero_static(input, size=size, fill_value=fill_value)
    return result if out is None else store("nonzero_static", result, out)


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
    result = _norms.norm(input, p, dim, keepdim, chosen(dtype, out))
    return result if out is None else store("norm", result, out)


@takes_out(_random.normal)
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _random.normal(
        mean, std, size, generator=generator, dtype=made_as(dtype, out), device=made_on(device, out)
    )
    return result if out is None else store("normal", result, out)


@takes_out(_gathering.one_hot)
def one_hot(
    index: Tensor,
    num_classes: int = -1,
    *,
    mode: str = "raise",
    out: Tensor | None = None,
) -> Tensor:
    result = _gathering.one_hot(index, num_classes, mode=mode)
    return result if out is None else store("one_hot", result, out)


@takes_out(_creation.ones)
def ones(
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _creation.ones(
        *size, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
    )
    return result if out is None else store("ones", result, out)


@takes_out(_creation.ones_like)
def ones_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _creation.ones_like(
        input, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
    )
    return result if out is None else store("ones_like", result, out)


@takes_out(_orthogonal_aliases.orgqr)
def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _orthogonal_aliases.orgqr(input, input2)
    return result if out is None else store("orgqr", result, out)


@takes_out(_products.outer)
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _products.outer(input, vec2)
    return result if out is None else store("outer", result, out)


@takes_out(_padding.pad)
def pad(
    input: Tensor,
    padding: Sequence[Pair | None],
    mode: str = "constant",
    value: Scalar = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _padding.pad(input, padding, mode, value)
    return result if out is None else store("pad", result, out)


@takes_out(_padding.pad_constant)
def pad_constant(
    input: Tensor,
    padding: Sequence[Pair | None],
    value: Scalar = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _padding.pad_constant(input, padding, value)
    return result if out is None else store("pad_constant", result, out)


@takes_out(_orthogonal_aliases.pinverse)
def pinverse(input: Tensor, rcond: float = 1e-15, *, out: Tensor | None = None) -> Tensor:
    result = _orthogonal_aliases.pinverse(input, rcond)
    return result if out is None else store("pinverse", result, out)


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
    result = _reductions.prod(
        input, dim, keepdim, dtype=chosen(dtype, out), axis=axis, keepdims=keepdims
    )
    return result if out is None else store("prod", result, out)


@takes_out(_replacing.put)
def put(
    input: Tensor,
    index: Tensor,
    source: Tensor,
    accumulate: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _replacing.put(input, index, source, accumulate)
    return result if out is None else store("put", result, out)


@takes_out(_orthogonal_aliases.qr)
def qr(input: Tensor, some: bool = True, *, out: Sequence[Tensor] | None = None) -> QRResult:
    result = _orthogonal_aliases.qr(input, some)
    return result if out is None else store("qr", result, out)


@takes_out(_quantiles.quantile)
def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    result = _quantiles.quantile(input, q, dim, keepdim, interpolation=interpolation)
    return result if out is None else store("quantile", result, out)


@takes_out(_pointwise.rad2deg)
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.rad2deg(input)
    return result if out is None else store("rad2deg", result, out)


@takes_out(_random.rand)
def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _random.rand(
        *size,
        generator=generator,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("rand", result, out)


@takes_out(_random.rand_like)
def rand_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _random.rand_like(
        input, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
    )
    return result if out is None else store("rand_like", result, out)


@takes_out(_random.randint)
def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _random.randint(
        low, high, size, generator=generator, dtype=made_as(dtype, out), device=made_on(device, out)
    )
    return result if out is None else store("randint", result, out)


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
    result = _random.randint_like(
        input,
        low,
        high,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("randint_like", result, out)


@takes_out(_random.randn)
def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _random.randn(
        *size,
        generator=generator,
        dtype=made_as(dtype, out),
        device=made_on(device, out),
        requires_grad=requires_grad,
    )
    return result if out is None else store("randn", result, out)


@takes_out(_random.randn_like)
def randn_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _random.randn_like(
        input, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
    )
    return result if out is None else store("randn_like", result, out)


@takes_out(_random.randperm)
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _random.randperm(
        n, generator=generator, dtype=made_as(dtype, out), device=made_on(device, out)
    )
    return result if out is None else store("randperm", result, out)


@takes_out(_pointwise.real)
def real(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.real(input)
    return result if out is None else store("real", result, out)


@takes_out(_norms.renorm)
def renorm(
    input: Tensor,
    p: float,
    dim: int,
    maxnorm: float,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _norms.renorm(input, p, dim, maxnorm)
    return result if out is None else store("renorm", result, out)


@takes_out(_repeating.repeat)
def repeat(input: Tensor, *repeats: Any, out: Tensor | None = None) -> Tensor:
    result = _repeating.repeat(input, *repeats)
    return result if out is None else store("repeat", result, out)


@takes_out(_repeating.repeat_interleave)
def repeat_interleave(
    input: Tensor,
    repeats: int | Tensor,
    dim: int | None = None,
    *,
    output_size: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _repeating.repeat_interleave(input, repeats, dim, output_size=output_size)
    return result if out is None else store("repeat_interleave", result, out)


@takes_out(_pointwise.resolve_conj)
def resolve_conj(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.resolve_conj(input)
    return result if out is None else store("resolve_conj", result, out)


@takes_out(_pointwise.resolve_neg)
def resolve_neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.resolve_neg(input)
    return result if out is None else store("resolve_neg", result, out)


@takes_out(_repeating.roll)
def roll(
    input: Tensor,
    shifts: int | Sequence[int],
    dims: Dims = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _repeating.roll(input, shifts, dims)
    return result if out is None else store("roll", result, out)


@takes_out(_repeating.rot90)
def rot90(
    input: Tensor,
    k: int = 1,
    dims: Sequence[int] = (0, 1),
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _repeating.rot90(input, k, dims)
    return result if out is None else store("rot90", result, out)


@takes_out(_arithmetic.round)
def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    result = _arithmetic.round(input, decimals=decimals)
    return result if out is None else store("round", result, out)


@takes_out(_joining.row_stack)
def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    result = _joining.row_stack(tensors)
    return result if out is None else store("row_stack", result, out)


@takes_out(_arithmetic.rsub)
def rsub(input: Tensor, other: Any, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    result = _arithmetic.rsub(input, other, alpha=alpha)
    return result if out is None else store("rsub", result, out)


@takes_out(_creation.scalar_tensor)
def scalar_tensor(
    s: Scalar,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _creation.scalar_tensor(
        s, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
    )
    return result if out is None else store("scalar_tensor", result, out)


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
    result = _scattering.scatter(input, dim, index, src, reduce=reduce, mode=mode)
    return result if out is None else store("scatter", result, out)


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
    result = _scattering.scatter_add(input, dim, index, src, mode=mode)
    return result if out is None else store("scatter_add", result, out)


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
    result = _scattering.scatter_reduce(
        input, dim, index, src, reduce, include_self=include_self, mode=mode
    )
    return result if out is None else store("scatter_reduce", result, out)


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
    result = _sorting.searchsorted(
        sorted_sequence, input, out_int32=out_int32, right=right, side=side, sorter=sorter
    )
    return result if out is None else store("searchsorted", result, out)


@takes_out(_replacing.select_scatter)
def select_scatter(
    input: Tensor,
    src: Tensor,
    dim: int,
    index: int,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _replacing.select_scatter(input, src, dim, index)
    return result if out is None else store("select_scatter", result, out)


@takes_out(_pointwise.sgn)
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _pointwise.sgn(input)
    return result if out is None else store("sgn", result, out)


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
    result = _replacing.slice_scatter(input, src, dim, start, end, step)
    return result if out is None else store("slice_scatter", result, out)


@takes_out(_matrix_aliases.slogdet)
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> SignLogarithm:
    result = _matrix_aliases.slogdet(input)
    return result if out is None else store("slogdet", result, out)


@takes_out(_statistics.softmax)
def softmax(
    input: Tensor,
    dim: int = -1,
    dtype: DType | None = None,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _statistics.softmax(input, dim, chosen(dtype, out), axis=axis)
    return result if out is None else store("softmax", result, out)


@takes_out(_sorting.sort)
def sort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    stable: bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> Located:
    result = _sorting.sort(input, dim, descending, stable)
    return result if out is None else store("sort", result, out)


@takes_out(_joining.stack)
def stack(
    tensors: Sequence[Tensor],
    dim: int = 0,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = _joining.stack(tensors, dim, axis=axis)
    return result if out is None else store("stack", result, out)


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
    result = _statistics.std(
        input, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
    )
    return result if out is None else store("std", result, out)


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
    result = _statistics.std_mean(
        input, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
    )
    return result if out is None else store("std_mean", result, out)


@takes_out(_arithmetic.sub)
def sub(input: Tensor, other: Any, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    result = _arithmetic.sub(input, other, alpha=alpha)
    return result if out is None else store("sub", result, out)


@takes_out(_arithmetic.subtract)
def subtract(input: Tensor, other: Any, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    result = _arithmetic.subtract(input, other, alpha=alpha)
    return result if out is None else store("subtract", result, out)


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
    result = _reductions.sum(
        input, dim, keepdim, dtype=chosen(dtype, out), axis=axis, keepdims=keepdims
    )
    return result if out is None else store("sum", result, out)


@takes_out(_reductions.sum_to_size)
def sum_to_size(input: Tensor, *size: Any, out: Tensor | None = None) -> Tensor:
    result = _reductions.sum_to_size(input, *size)
    return result if out is None else store("sum_to_size", result, out)


@takes_out(_orthogonal_aliases.svd)
def svd(
    input: Tensor,
    some: bool = True,
    compute_uv: bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> SingularColumns:
    result = _orthogonal_aliases.svd(input, some, compute_uv)
    return result if out is None else store("svd", result, out)


@takes_out(_gathering.take)
def take(input: Tensor, index: Tensor, *, mode: str = "raise", out: Tensor | None = None) -> Tensor:
    result = _gathering.take(input, index, mode=mode)
    return result if out is None else store("take", result, out)


@takes_out(_gathering.take_along_dim)
def take_along_dim(
    input: Tensor,
    indices: Tensor,
    dim: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _gathering.take_along_dim(input, indices, dim)
    return result if out is None else store("take_along_dim", result, out)


@takes_out(_products.tensordot)
def tensordot(
    input: Tensor,
    other: Tensor,
    dims: int | Sequence[Sequence[int]] = 2,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _products.tensordot(input, other, dims)
    return result if out is None else store("tensordot", result, out)


@takes_out(_repeating.tile)
def tile(input: Tensor, *dims: Any, out: Tensor | None = None) -> Tensor:
    result = _repeating.tile(input, *dims)
    return result if out is None else store("tile", result, out)


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
    result = _sorting.topk(input, k, dim, largest, sorted)
    return result if out is None else store("topk", result, out)


@takes_out(_products.trace)
def trace(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _products.trace(input)
    return result if out is None else store("trace", result, out)


@takes_out(_quantiles.trapezoid)
def trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: float = 1,
    dim: int = -1,
    out: Tensor | None = None,
) -> Tensor:
    result = _quantiles.trapezoid(y, x, dx=dx, dim=dim)
    return result if out is None else store("trapezoid", result, out)


@takes_out(_quantiles.trapz)
def trapz(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: float = 1,
    dim: int = -1,
    out: Tensor | None = None,
) -> Tensor:
    result = _quantiles.trapz(y, x, dx=dx, dim=dim)
    return result if out is None else store("trapz", result, out)


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
    result = _matrix_aliases.triangular_solve(input, A, upper, transpose, unitriangular)
    return result if out is None else store("triangular_solve", result, out)


@takes_out(_selection.tril)
def tril(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    result = _selection.tril(input, diagonal)
    return result if out is None else store("tril", result, out)


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
    result = _grids.tril_indices(row, col, offset, dtype=dtype, device=made_on(device, out))
    return result if out is None else store("tril_indices", result, out)


@takes_out(_selection.triu)
def triu(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    result = _selection.triu(input, diagonal)
    return result if out is None else store("triu", result, out)


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
    result = _grids.triu_indices(row, col, offset, dtype=dtype, device=made_on(device, out))
    return result if out is None else store("triu_indices", result, out)


@takes_out(_arithmetic.true_divide)
def true_divide(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    result = _arithmetic.true_divide(input, other)
    return result if out is None else store("true_divide", result, out)


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
    result = _sets.unique(input, sorted, return_inverse, return_counts, dim)
    return result if out is None else store("unique", result, out)


@takes_out(_sets.unique_consecutive)
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    result = _sets.unique_consecutive(input, return_inverse, return_counts, dim)
    return result if out is None else store("unique_consecutive", result, out)


@takes_out(_grids.vander)
def vander(
    x: Tensor,
    N: int | None = None,
    increasing: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    result = _grids.vander(x, N, increasing)
    return result if out is None else store("vander", result, out)


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
    result = _statistics.var(
        input, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
    )
    return result if out is None else store("var", result, out)


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
    result = _statistics.var_mean(
        input, dim, unbiased, keepdim, correction=correction, axis=axis, keepdims=keepdims
    )
    return result if out is None else store("var_mean", result, out)


@takes_out(_products.vdot)
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = _products.vdot(input, other)
    return result if out is None else store("vdot", result, out)


@takes_out(_joining.vstack)
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    result = _joining.vstack(tensors)
    return result if out is None else store("vstack", result, out)


@takes_out(_selection.where)
def where(
    condition: Tensor,
    input: Any = None,
    other: Any = None,
    *,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    result = _selection.where(condition, input, other)
    return result if out is None else store("where", result, out)


@takes_out(_creation.zeros)
def zeros(
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _creation.zeros(
        *size, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
    )
    return result if out is None else store("zeros", result, out)


@takes_out(_creation.zeros_like)
def zeros_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    result = _creation.zeros_like(
        input, dtype=made_as(dtype, out), device=made_on(device, out), requires_grad=requires_grad
    )
    return result if out is None else store("zeros_like", result, out)


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
