"""The functions of `pumice.nn.functional`.

Written by tools/gen_api.py; do not edit.
"""

# Methods of a part of Tensor take the whole Tensor as self; == returns a tensor; operators may
# return NotImplemented, so their helpers return Any.
# mypy: disable-error-code="misc, override, no-any-return"
# ruff: noqa: F401

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pumice.arguments import integer, lenient_truth, refuse, truth
from pumice.dtypes import DType, Scalar
from pumice.tensor import activations as _activations
from pumice.tensor import adaptive_pooling as _adaptive_pooling
from pumice.tensor import alignment as _alignment
from pumice.tensor import attention as _attention
from pumice.tensor import bags as _bags
from pumice.tensor import dropout as _dropout
from pumice.tensor import gathering as _gathering
from pumice.tensor import grid_sampling as _grid_sampling
from pumice.tensor import interpolation as _interpolation
from pumice.tensor import layers as _layers
from pumice.tensor import losses as _losses
from pumice.tensor import margins as _margins
from pumice.tensor import normalization as _normalization
from pumice.tensor import norms as _norms
from pumice.tensor import pooling as _pooling
from pumice.tensor import power_pooling as _power_pooling
from pumice.tensor import products as _products
from pumice.tensor import regression as _regression
from pumice.tensor import statistics as _statistics
from pumice.tensor import window_padding as _window_padding
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
from pumice.tensor._public import (
    add,
    addbmm,
    addcdiv,
    addcmul,
    addmm,
    addmv,
    addr,
    adjoint,
    all,
    allclose,
    amax,
    amin,
    aminmax,
    angle,
    any,
    arange,
    argmax,
    argmin,
    argsort,
    argwhere,
    array_equal,
    as_strided,
    as_tensor,
    asarray,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    baddbmm,
    bartlett_window,
    bernoulli,
    bernoulli_,
    bincount,
    blackman_window,
    block_diag,
    bmm,
    broadcast_shapes,
    broadcast_tensors,
    broadcast_to,
    broadcasted,
    bucketize,
    can_cast,
    cartesian_prod,
    cat,
    cauchy_,
    cdist,
    cholesky,
    cholesky_inverse,
    cholesky_solve,
    chunk,
    clamp,
    clip,
    clone,
    column_stack,
    combinations,
    concat,
    concatenate,
    conj,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    corrcoef,
    count_nonzero,
    cov,
    cross,
    cummax,
    cummin,
    cumprod,
    cumsum,
    cumulative_trapezoid,
    deg2rad,
    det,
    detach,
    diag,
    diag_embed,
    diagflat,
    diagonal,
    diagonal_scatter,
    diff,
    dist,
    div,
    divide,
    dot,
    dsplit,
    dstack,
    einsum,
    empty,
    empty_cache,
    empty_like,
    explain,
    exponential_,
    eye,
    fill,
    fill_diagonal_,
    finfo,
    flatten,
    flip,
    fliplr,
    flipud,
    float_power,
    frexp,
    from_dlpack,
    from_numpy,
    frombuffer,
    full,
    full_like,
    gather,
    gcd,
    geometric_,
    geqrf,
    ger,
    get_default_device,
    get_default_dtype,
    get_printoptions,
    get_rng_state,
    gradient,
    hamming_window,
    hann_window,
    histc,
    histogram,
    hsplit,
    hstack,
    iinfo,
    index_add,
    index_copy,
    index_fill,
    index_put,
    index_reduce,
    index_select,
    initial_seed,
    inner,
    inverse,
    is_complex,
    is_conj,
    is_floating_point,
    is_neg,
    is_nonzero,
    is_same_size,
    is_signed,
    is_tensor,
    isclose,
    isin,
    isreal,
    kaiser_window,
    kron,
    kthvalue,
    layernorm,
    lcm,
    ldexp,
    lerp,
    linspace,
    log_normal_,
    log_softmax,
    logaddexp2,
    logcumsumexp,
    logdet,
    logit,
    logspace,
    logsumexp,
    lu_solve,
    lu_unpack,
    manual_seed,
    masked_fill,
    masked_scatter,
    masked_select,
    matmul,
    matrix_exp,
    matrix_power,
    max,
    mean,
    median,
    memory_stats,
    meshgrid,
    min,
    mm,
    mode,
    moveaxis,
    movedim,
    msort,
    multinomial,
    mv,
    mvlgamma,
    nan_to_num,
    nanmean,
    nanmedian,
    nanquantile,
    nansum,
    narrow,
    narrow_copy,
    new_empty,
    new_full,
    new_ones,
    new_tensor,
    new_zeros,
    nonzero,
    nonzero_static,
    norm,
    normal,
    normal_,
    numel,
    one_hot,
    ones,
    ones_like,
    orgqr,
    outer,
    pad_constant,
    permute,
    pinverse,
    printoptions,
    prod,
    profile,
    put,
    qr,
    quantile,
    rad2deg,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    random_,
    randperm,
    ravel,
    real,
    renorm,
    repeat,
    repeat_interleave,
    reshape,
    resolve_conj,
    resolve_neg,
    result_type,
    roll,
    rot90,
    round,
    row_stack,
    rsub,
    scalar_tensor,
    scatter,
    scatter_add,
    scatter_reduce,
    searchsorted,
    seed,
    select,
    select_scatter,
    set_default_device,
    set_default_dtype,
    set_printoptions,
    set_rng_state,
    sgn,
    slice_scatter,
    slogdet,
    softmax,
    sort,
    split,
    split_with_sizes,
    squeeze,
    stack,
    std,
    std_mean,
    sub,
    subtract,
    sum,
    sum_to_size,
    svd,
    swapaxes,
    swapdims,
    synchronize,
    t,
    take,
    take_along_dim,
    tensor,
    tensor_split,
    tensordot,
    tile,
    topk,
    trace,
    transpose,
    trapezoid,
    trapz,
    triangular_solve,
    tril,
    tril_indices,
    triu,
    triu_indices,
    true_divide,
    unbind,
    unflatten,
    uniform_,
    unique,
    unique_consecutive,
    unravel_index,
    unsqueeze,
    vander,
    var,
    var_mean,
    vdot,
    vsplit,
    vstack,
    where,
    zeros,
    zeros_like,
)
from pumice.tensor.convolution import Sizes
from pumice.tensor.outputs import stands_for

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@stands_for(_adaptive_pooling.adaptive_avg_pool1d)
def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    try:
        return _adaptive_pooling.adaptive_avg_pool1d(input, output_size)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_adaptive_pooling.adaptive_avg_pool2d)
def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    try:
        return _adaptive_pooling.adaptive_avg_pool2d(input, output_size)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_adaptive_pooling.adaptive_avg_pool3d)
def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    try:
        return _adaptive_pooling.adaptive_avg_pool3d(input, output_size)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_layers.adaptive_max_pool1d)
def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    try:
        if return_indices is not False:
            lenient_truth(return_indices)
        return _layers.adaptive_max_pool1d(input, output_size, return_indices)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_layers.adaptive_max_pool2d)
def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    try:
        if return_indices is not False:
            lenient_truth(return_indices)
        return _layers.adaptive_max_pool2d(input, output_size, return_indices)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_layers.adaptive_max_pool3d)
def adaptive_max_pool3d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    try:
        if return_indices is not False:
            lenient_truth(return_indices)
        return _layers.adaptive_max_pool3d(input, output_size, return_indices)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_grid_sampling.affine_grid)
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool = False) -> Tensor:
    try:
        if align_corners is not False:
            lenient_truth(align_corners)
        return _grid_sampling.affine_grid(theta, size, align_corners)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_dropout.alpha_dropout)
def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    try:
        if training is not False:
            lenient_truth(training)
        if inplace is not False:
            lenient_truth(inplace)
        return _dropout.alpha_dropout(input, p, training, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_pooling.avg_pool1d)
def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    try:
        if ceil_mode is not False:
            lenient_truth(ceil_mode)
        if count_include_pad is not True:
            lenient_truth(count_include_pad)
        return _pooling.avg_pool1d(
            input, kernel_size, stride, padding, ceil_mode, count_include_pad
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_pooling.avg_pool2d)
def avg_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    try:
        if ceil_mode is not False:
            lenient_truth(ceil_mode)
        if count_include_pad is not True:
            lenient_truth(count_include_pad)
        if divisor_override is not None and type(divisor_override) is not int:
            integer(divisor_override)
        return _pooling.avg_pool2d(
            input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_pooling.avg_pool3d)
def avg_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    try:
        if ceil_mode is not False:
            lenient_truth(ceil_mode)
        if count_include_pad is not True:
            lenient_truth(count_include_pad)
        if divisor_override is not None and type(divisor_override) is not int:
            integer(divisor_override)
        return _pooling.avg_pool3d(
            input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_normalization.batch_norm)
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    try:
        if training is not False:
            lenient_truth(training)
        return _normalization.batch_norm(
            input, running_mean, running_var, weight, bias, training, momentum, eps
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_layers.bilinear)
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    try:
        return _layers.bilinear(input1, input2, weight, bias)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_losses.binary_cross_entropy)
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: None = None,
    reduce: None = None,
    reduction: str = "mean",
) -> Tensor:
    try:
        return _losses.binary_cross_entropy(input, target, weight, size_average, reduce, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_losses.binary_cross_entropy_with_logits)
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: None = None,
    reduce: None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    try:
        return _losses.binary_cross_entropy_with_logits(
            input, target, weight, size_average, reduce, reduction, pos_weight
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.celu)
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.celu(input, alpha, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_interpolation.channel_shuffle)
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    try:
        if type(groups) is not int:
            integer(groups)
        return _interpolation.channel_shuffle(input, groups)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.cosine_embedding_loss)
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    try:
        return _margins.cosine_embedding_loss(input1, input2, target, margin, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_norms.cosine_similarity)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor:
    try:
        return _norms.cosine_similarity(x1, x2, dim, eps)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_losses.cross_entropy)
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: None = None,
    ignore_index: int = -100,
    reduce: None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    try:
        if type(ignore_index) is not int:
            integer(ignore_index)
        return _losses.cross_entropy(
            input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_alignment.ctc_loss)
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    try:
        if type(blank) is not int:
            integer(blank)
        if zero_infinity is not False:
            lenient_truth(zero_infinity)
        return _alignment.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_dropout.dropout)
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    try:
        if training is not True:
            lenient_truth(training)
        if inplace is not False:
            lenient_truth(inplace)
        return _dropout.dropout(input, p, training, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_dropout.dropout1d)
def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    try:
        if training is not True:
            lenient_truth(training)
        if inplace is not False:
            lenient_truth(inplace)
        return _dropout.dropout1d(input, p, training, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_dropout.dropout2d)
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    try:
        if training is not True:
            lenient_truth(training)
        if inplace is not False:
            lenient_truth(inplace)
        return _dropout.dropout2d(input, p, training, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_dropout.dropout3d)
def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    try:
        if training is not True:
            lenient_truth(training)
        if inplace is not False:
            lenient_truth(inplace)
        return _dropout.dropout3d(input, p, training, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.elu)
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.elu(input, alpha, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_gathering.embedding)
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    try:
        if padding_idx is not None and type(padding_idx) is not int:
            integer(padding_idx)
        if scale_grad_by_freq is not False:
            lenient_truth(scale_grad_by_freq)
        if sparse is not False:
            lenient_truth(sparse)
        return _gathering.embedding(
            input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_bags.embedding_bag)
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    try:
        if scale_grad_by_freq is not False:
            lenient_truth(scale_grad_by_freq)
        if sparse is not False:
            lenient_truth(sparse)
        if include_last_offset is not False:
            lenient_truth(include_last_offset)
        if padding_idx is not None and type(padding_idx) is not int:
            integer(padding_idx)
        return _bags.embedding_bag(
            input,
            weight,
            offsets,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            per_sample_weights,
            include_last_offset,
            padding_idx,
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_interpolation.fold)
def fold(
    input: Tensor,
    output_size: Sequence[int],
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    try:
        return _interpolation.fold(input, output_size, kernel_size, dilation, padding, stride)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.gaussian_nll_loss)
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | Scalar,
    full: bool = False,
    eps: float = 1e-06,
    reduction: str = "mean",
) -> Tensor:
    try:
        if full is not False:
            lenient_truth(full)
        return _margins.gaussian_nll_loss(input, target, var, full, eps, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.gelu)
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    try:
        return _activations.gelu(input, approximate)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.glu)
def glu(input: Tensor, dim: int = -1) -> Tensor:
    try:
        return _activations.glu(input, dim)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_grid_sampling.grid_sample)
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    try:
        if align_corners is not False:
            lenient_truth(align_corners)
        return _grid_sampling.grid_sample(input, grid, mode, padding_mode, align_corners)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_normalization.group_norm)
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    try:
        if type(num_groups) is not int:
            integer(num_groups)
        return _normalization.group_norm(input, num_groups, weight, bias, eps)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_dropout.gumbel_softmax)
def gumbel_softmax(
    logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    try:
        if hard is not False:
            lenient_truth(hard)
        return _dropout.gumbel_softmax(logits, tau, hard, eps, dim)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.hardshrink)
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    try:
        return _activations.hardshrink(input, lambd)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.hardsigmoid)
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.hardsigmoid(input, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.hardswish)
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.hardswish(input, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.hardtanh)
def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.hardtanh(input, min_val, max_val, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.hinge_embedding_loss)
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    try:
        return _margins.hinge_embedding_loss(input, target, margin, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_regression.huber_loss)
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    try:
        return _regression.huber_loss(input, target, reduction, delta)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_normalization.instance_norm)
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    try:
        if use_input_stats is not True:
            lenient_truth(use_input_stats)
        return _normalization.instance_norm(
            input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_interpolation.interpolate)
def interpolate(
    input: Tensor,
    size: Sizes | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    try:
        if align_corners is not None:
            lenient_truth(align_corners)
        if recompute_scale_factor is not None:
            lenient_truth(recompute_scale_factor)
        if antialias is not False:
            lenient_truth(antialias)
        return _interpolation.interpolate(
            input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_regression.kl_div)
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: None = None,
    reduce: None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    try:
        if log_target is not False:
            lenient_truth(log_target)
        return _regression.kl_div(input, target, size_average, reduce, reduction, log_target)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_regression.l1_loss)
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    try:
        return _regression.l1_loss(input, target, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_normalization.layer_norm)
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    try:
        return _normalization.layer_norm(input, normalized_shape, weight, bias, eps)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.leaky_relu)
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.leaky_relu(input, negative_slope, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_products.linear)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    try:
        return _products.linear(input, weight, bias)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_layers.local_response_norm)
def local_response_norm(
    input: Tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    try:
        if type(size) is not int:
            integer(size)
        return _layers.local_response_norm(input, size, alpha, beta, k)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.logsigmoid)
def logsigmoid(input: Tensor) -> Tensor:
    try:
        return _activations.logsigmoid(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_power_pooling.lp_pool1d)
def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    try:
        if ceil_mode is not False:
            lenient_truth(ceil_mode)
        return _power_pooling.lp_pool1d(input, norm_type, kernel_size, stride, ceil_mode)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_power_pooling.lp_pool2d)
def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    try:
        if ceil_mode is not False:
            lenient_truth(ceil_mode)
        return _power_pooling.lp_pool2d(input, norm_type, kernel_size, stride, ceil_mode)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_power_pooling.lp_pool3d)
def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    try:
        if ceil_mode is not False:
            lenient_truth(ceil_mode)
        return _power_pooling.lp_pool3d(input, norm_type, kernel_size, stride, ceil_mode)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.margin_ranking_loss)
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    try:
        return _margins.margin_ranking_loss(input1, input2, target, margin, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_pooling.max_pool1d)
def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    try:
        if ceil_mode is not False:
            lenient_truth(ceil_mode)
        if return_indices is not False:
            lenient_truth(return_indices)
        return _pooling.max_pool1d(
            input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_pooling.max_pool2d)
def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    try:
        if ceil_mode is not False:
            lenient_truth(ceil_mode)
        if return_indices is not False:
            lenient_truth(return_indices)
        return _pooling.max_pool2d(
            input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_pooling.max_pool3d)
def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    try:
        if ceil_mode is not False:
            lenient_truth(ceil_mode)
        if return_indices is not False:
            lenient_truth(return_indices)
        return _pooling.max_pool3d(
            input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_layers.max_unpool1d)
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    try:
        return _layers.max_unpool1d(input, indices, kernel_size, stride, padding, output_size)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_layers.max_unpool2d)
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    try:
        return _layers.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_layers.max_unpool3d)
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    try:
        return _layers.max_unpool3d(input, indices, kernel_size, stride, padding, output_size)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.mish)
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.mish(input, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_regression.mse_loss)
def mse_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None
) -> Tensor:
    try:
        return _regression.mse_loss(input, target, reduction, weight)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.multi_margin_loss)
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    try:
        if type(p) is not int:
            integer(p)
        return _margins.multi_margin_loss(input, target, p, margin, weight, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.multilabel_margin_loss)
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    try:
        return _margins.multilabel_margin_loss(input, target, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.multilabel_soft_margin_loss)
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    try:
        return _margins.multilabel_soft_margin_loss(input, target, weight, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_losses.nll_loss)
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: None = None,
    ignore_index: int = -100,
    reduce: None = None,
    reduction: str = "mean",
) -> Tensor:
    try:
        if type(ignore_index) is not int:
            integer(ignore_index)
        return _losses.nll_loss(
            input, target, weight, size_average, ignore_index, reduce, reduction
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_norms.normalize)
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    try:
        return _norms.normalize(input, p, dim, eps)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_window_padding.pad)
def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    try:
        return _window_padding.pad(input, pad, mode, value)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.pairwise_distance)
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False
) -> Tensor:
    try:
        if keepdim is not False:
            lenient_truth(keepdim)
        return _margins.pairwise_distance(x1, x2, p, eps, keepdim)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_norms.pdist)
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    try:
        return _norms.pdist(input, p)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_interpolation.pixel_shuffle)
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    try:
        if type(upscale_factor) is not int:
            integer(upscale_factor)
        return _interpolation.pixel_shuffle(input, upscale_factor)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_interpolation.pixel_unshuffle)
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    try:
        if type(downscale_factor) is not int:
            integer(downscale_factor)
        return _interpolation.pixel_unshuffle(input, downscale_factor)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.poisson_nll_loss)
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-08,
    reduction: str = "mean",
) -> Tensor:
    try:
        if log_input is not True:
            lenient_truth(log_input)
        if full is not False:
            lenient_truth(full)
        return _margins.poisson_nll_loss(input, target, log_input, full, eps, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.prelu)
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    try:
        return _activations.prelu(input, weight)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.quick_gelu)
def quick_gelu(input: Tensor) -> Tensor:
    try:
        return _activations.quick_gelu(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.relu6)
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.relu6(input, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_normalization.rms_norm)
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    try:
        return _normalization.rms_norm(input, normalized_shape, weight, eps)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_layers.rrelu)
def rrelu(
    input: Tensor,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    try:
        if training is not False:
            lenient_truth(training)
        if inplace is not False:
            lenient_truth(inplace)
        return _layers.rrelu(input, lower, upper, training, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_attention.scaled_dot_product_attention)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    try:
        if is_causal is not False:
            lenient_truth(is_causal)
        if enable_gqa is not False:
            lenient_truth(enable_gqa)
        return _attention.scaled_dot_product_attention(
            query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.selu)
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.selu(input, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.silu)
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.silu(input, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_regression.smooth_l1_loss)
def smooth_l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    try:
        return _regression.smooth_l1_loss(input, target, reduction, beta)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.soft_margin_loss)
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    try:
        return _margins.soft_margin_loss(input, target, reduction)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_statistics.softmin)
def softmin(input: Tensor, dim: int = -1, dtype: DType | None = None) -> Tensor:
    try:
        return _statistics.softmin(input, dim, dtype)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.softplus)
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    try:
        return _activations.softplus(input, beta, threshold)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.softshrink)
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    try:
        return _activations.softshrink(input, lambd)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.softsign)
def softsign(input: Tensor) -> Tensor:
    try:
        return _activations.softsign(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.tanhshrink)
def tanhshrink(input: Tensor) -> Tensor:
    try:
        return _activations.tanhshrink(input)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_activations.threshold)
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    try:
        if inplace is not False:
            lenient_truth(inplace)
        return _activations.threshold(input, threshold, value, inplace)
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.triplet_margin_loss)
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    try:
        if swap is not False:
            lenient_truth(swap)
        return _margins.triplet_margin_loss(
            anchor, positive, negative, margin, p, eps, swap, reduction
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_margins.triplet_margin_with_distance_loss)
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    try:
        if swap is not False:
            lenient_truth(swap)
        return _margins.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=distance_function,
            margin=margin,
            swap=swap,
            reduction=reduction,
        )
    except Exception as error:
        refuse(error)
        raise


@stands_for(_interpolation.unfold)
def unfold(
    input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> Tensor:
    try:
        return _interpolation.unfold(input, kernel_size, dilation, padding, stride)
    except Exception as error:
        refuse(error)
        raise


__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addr",
    "adjoint",
    "affine_grid",
    "all",
    "allclose",
    "alpha_dropout",
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
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "baddbmm",
    "bartlett_window",
    "batch_norm",
    "bernoulli",
    "bernoulli_",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
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
    "celu",
    "channel_shuffle",
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
    "cosine_embedding_loss",
    "cosine_similarity",
    "count_nonzero",
    "cov",
    "cross",
    "cross_entropy",
    "ctc_loss",
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
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "dsplit",
    "dstack",
    "einsum",
    "elu",
    "embedding",
    "embedding_bag",
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
    "fold",
    "frac",
    "frexp",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "gather",
    "gaussian_nll_loss",
    "gcd",
    "ge",
    "gelu",
    "geometric_",
    "geqrf",
    "ger",
    "get_default_device",
    "get_default_dtype",
    "get_printoptions",
    "get_rng_state",
    "glu",
    "gradient",
    "greater",
    "greater_equal",
    "grid_sample",
    "group_norm",
    "gt",
    "gumbel_softmax",
    "hamming_window",
    "hann_window",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "heaviside",
    "hinge_embedding_loss",
    "histc",
    "histogram",
    "hsplit",
    "hstack",
    "huber_loss",
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
    "instance_norm",
    "interpolate",
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
    "kl_div",
    "kron",
    "kthvalue",
    "l1_loss",
    "layer_norm",
    "layernorm",
    "lcm",
    "ldexp",
    "le",
    "leaky_relu",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linear",
    "linspace",
    "local_response_norm",
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
    "logsigmoid",
    "logspace",
    "logsumexp",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "lt",
    "lu_solve",
    "lu_unpack",
    "manual_seed",
    "margin_ranking_loss",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "max",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "maximum",
    "mean",
    "median",
    "memory_stats",
    "meshgrid",
    "min",
    "minimum",
    "mish",
    "mm",
    "mode",
    "moveaxis",
    "movedim",
    "mse_loss",
    "msort",
    "mul",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
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
    "nll_loss",
    "nonzero",
    "nonzero_static",
    "norm",
    "normal",
    "normal_",
    "normalize",
    "not_equal",
    "numel",
    "one_hot",
    "ones",
    "ones_like",
    "orgqr",
    "outer",
    "pad",
    "pad_constant",
    "pairwise_distance",
    "pdist",
    "permute",
    "pinverse",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "positive",
    "pow",
    "prelu",
    "printoptions",
    "prod",
    "profile",
    "put",
    "qr",
    "quantile",
    "quick_gelu",
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
    "relu6",
    "remainder",
    "renorm",
    "repeat",
    "repeat_interleave",
    "reshape",
    "resolve_conj",
    "resolve_neg",
    "result_type",
    "rms_norm",
    "roll",
    "rot90",
    "round",
    "row_stack",
    "rrelu",
    "rsqrt",
    "rsub",
    "scalar_tensor",
    "scaled_dot_product_attention",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "seed",
    "select",
    "select_scatter",
    "selu",
    "set_default_device",
    "set_default_dtype",
    "set_printoptions",
    "set_rng_state",
    "sgn",
    "sigmoid",
    "sign",
    "signbit",
    "silu",
    "sin",
    "sinc",
    "sinh",
    "slice_scatter",
    "slogdet",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
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
    "tanhshrink",
    "tensor",
    "tensor_split",
    "tensordot",
    "threshold",
    "tile",
    "topk",
    "trace",
    "transpose",
    "trapezoid",
    "trapz",
    "triangular_solve",
    "tril",
    "tril_indices",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "unbind",
    "unflatten",
    "unfold",
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
