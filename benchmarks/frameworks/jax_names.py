"""PyTorch's names in terms of JAX, as far as rows use them.

Each is what a user of JAX would write.
"""

import importlib
from types import SimpleNamespace
from typing import Any

jax: Any = importlib.import_module("jax")
jnp: Any = importlib.import_module("jax.numpy")
lax: Any = importlib.import_module("jax.lax")

LETTERS = {1: "W", 2: "HW", 3: "DHW"}


def convolve(
    x: Any, w: Any, bias: Any = None, stride: int = 1, padding: int = 0, groups: int = 1
) -> Any:
    space = LETTERS[x.ndim - 2]
    result = lax.conv_general_dilated(
        x,
        w,
        (stride,) * len(space),
        [(padding, padding)] * len(space),
        dimension_numbers=("NC" + space, "OI" + space, "NC" + space),
        feature_group_count=groups,
    )
    return result if bias is None else result + bias.reshape(-1, *[1] * len(space))


def conv_transpose2d(x: Any, w: Any, bias: Any, stride: int, padding: int) -> Any:
    edge = w.shape[-1] - 1 - padding
    return lax.conv_general_dilated(
        x,
        jnp.flip(jnp.swapaxes(w, 0, 1), (2, 3)),
        (1, 1),
        [(edge, edge)] * 2,
        lhs_dilation=(stride, stride),
        dimension_numbers=("NCHW", "OIHW", "NCHW"),
    )


def max_pool2d(x: Any, size: int, stride: int | None = None, padding: int = 0) -> Any:
    step = size if stride is None else stride
    edges = [(0, 0), (0, 0), (padding, padding), (padding, padding)]
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, size, size), (1, 1, step, step), edges)


def layer_norm(x: Any, shape: Any, w: Any = 1.0, b: Any = 0.0) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * w + b


def rms_norm(x: Any, shape: Any, w: Any, eps: float) -> Any:
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + eps) * w


def batch_norm(x: Any, mean: Any, variance: Any, w: Any, b: Any, training: bool = False) -> Any:
    shape = (1, -1, *[1] * (x.ndim - 2))
    if training:
        axes = (0, *range(2, x.ndim))
        mean, variance = x.mean(axes), x.var(axes)
    gain = w * lax.rsqrt(variance + 1e-5)
    return (x - mean.reshape(shape)) * gain.reshape(shape) + b.reshape(shape)


def attention(q: Any, k: Any, v: Any, is_causal: bool = False) -> Any:
    scores = q @ jnp.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5
    if is_causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    return jax.nn.softmax(scores, -1) @ v


def cross_entropy(x: Any, y: Any) -> Any:
    return -jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1).mean()


def linear(x: Any, w: Any, b: Any = None) -> Any:
    return x @ w.T if b is None else x @ w.T + b


def div(x: Any, y: Any, rounding_mode: str) -> Any:
    return jnp.floor_divide(x, y)


def sort(x: Any) -> Any:
    return lax.sort((x, lax.iota(jnp.int32, x.size)), num_keys=1)


def histc(x: Any, bins: int, low: float, high: float) -> Any:
    return jnp.histogram(x, bins, (low, high))[0]


def kthvalue(x: Any, k: int) -> Any:
    place = jnp.argsort(x)[k - 1]
    return x[place], place


def cummax(x: Any, axis: int) -> Any:
    best = lax.cummax(x, axis)
    return best, lax.cummax(jnp.where(x == best, jnp.arange(x.size), 0), axis)


FUNCTIONAL = SimpleNamespace(
    batch_norm=batch_norm,
    conv2d=convolve,
    conv3d=convolve,
    conv_transpose2d=conv_transpose2d,
    cross_entropy=cross_entropy,
    embedding=lambda i, w: w[i],
    gelu=lambda x, approximate: jax.nn.gelu(x, approximate=True),
    layer_norm=layer_norm,
    linear=linear,
    max_pool2d=max_pool2d,
    relu=jax.nn.relu,
    rms_norm=rms_norm,
    scaled_dot_product_attention=attention,
    softmax=jax.nn.softmax,
)

NAMES = SimpleNamespace(
    bincount=jnp.bincount,
    cat=jnp.concatenate,
    cummax=cummax,
    cumsum=jnp.cumsum,
    div=div,
    einsum=jnp.einsum,
    eq=jnp.equal,
    gather=lambda x, axis, i: jnp.take_along_axis(x, i, axis),
    histc=histc,
    kthvalue=kthvalue,
    masked_select=lambda x, m: x[m],
    matmul=jnp.matmul,
    median=jnp.median,
    nn=SimpleNamespace(functional=FUNCTIONAL),
    nonzero=jnp.argwhere,
    permute=jnp.permute_dims,
    scan=lax.scan,
    searchsorted=jnp.searchsorted,
    sigmoid=jax.nn.sigmoid,
    sort=sort,
    stack=jnp.stack,
    take_along_dim=jnp.take_along_axis,
    tanh=jnp.tanh,
    topk=lax.top_k,
    unique=jnp.unique,
    where=jnp.where,
    zeros=lambda *shape: jnp.zeros(shape),
)
