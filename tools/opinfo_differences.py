"""Where pumice differs from PyTorch on purpose, for `opinfo.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

ABSENT = {
    "_": "internal to PyTorch",
    "torch.": "internal to PyTorch",
    "jiterator": "needs CUDA",
    **dict.fromkeys(
        (
            *("fft.", "complex", "polar", "cdouble", "cfloat", "chalf", "imag", "conj_physical"),
            *("view_as_complex", "view_as_real", "stft", "istft"),
        ),
        "complex numbers",
    ),
    "sparse": "sparse layouts",
    "masked.": "masked tensors",
}
"""Why operators whose names begin so are not in pumice."""

RANDOM = frozenset(
    (
        "bernoulli",
        "cauchy",
        "empty",
        "empty_like",
        "exponential",
        "geometric",
        "log_normal",
        "multinomial",
        "new_empty",
        "nn.functional.alpha_dropout",
        "nn.functional.dropout",
        "nn.functional.dropout2d",
        "nn.functional.dropout3d",
        "normal",
        "rand_like",
        "randint",
        "randint_like",
        "randn",
        "randn_like",
        "uniform",
    )
)
"""Operators whose results can agree in dtype and shape only."""

TIED = frozenset(("kthvalue", "median", "mode", "topk"))
"""Operators whose index among equal elements PyTorch leaves open."""

PROCESSED = frozenset(("linalg.eigh", "linalg.svd", "svd"))
"""Operators whose vectors may have either sign: what PyTorch makes of results is compared."""

TRIANGLES = {"cholesky_inverse": 0, "cholesky_solve": 1}
"""Operators that read a triangle of an argument: PyTorch also gives what is not read a gradient."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A declared difference: why, and for which samples and dtypes."""

    reason: str
    applies: Callable[[Any, str], bool] = lambda sample, dtype: True


def unstable(sample: Any, dtype: str) -> bool:
    """Tell whether PyTorch leaves the order of equal elements open."""
    return not sample.kwargs.get("stable") and dtype not in ("float32", "float64")


def narrow_weights(sample: Any, dtype: str) -> bool:
    """Tell whether PyTorch computes with float32 weights of float64 observations."""
    return dtype == "float64" and sample.kwargs.get("aweights") is not None


def whole(sample: Any, dtype: str) -> bool:
    """Tell whether elements are integers."""
    return "int" in dtype


def unsigned(sample: Any, dtype: str) -> bool:
    """Tell whether elements have no sign."""
    return dtype == "uint8"


def repeated(sample: Any, dtype: str) -> bool:
    """Tell whether places lie in more than one window."""
    kernel, stride = sample.kwargs.get("kernel_size"), sample.kwargs.get("stride")
    return dtype == "float64" and stride not in (None, kernel)


def dropping(sample: Any, dtype: str) -> bool:
    """Tell whether a sample draws random numbers."""
    return bool(sample.kwargs.get("training") or sample.kwargs.get("dropout_p"))


def exact(sample: Any, dtype: str) -> bool:
    """Tell whether elements are whole."""
    return "int" in dtype or dtype == "bool"


def logical(sample: Any, dtype: str) -> bool:
    """Tell whether elements are bool."""
    return dtype == "bool"


def derived(sample: Any, dtype: str) -> bool:
    """Tell whether gradients are compared."""
    return dtype == "float64"


def flat(sample: Any, dtype: str) -> bool:
    """Tell whether there are no axes but one."""
    return len(sample.input.shape) < 2


def empty(sample: Any, dtype: str) -> bool:
    """Tell whether there are no elements."""
    return dtype == "float64" and not any(each.numel() for each in sample.input)


def tuned(sample: Any, dtype: str) -> bool:
    """Tell whether an embedding is asked to change its weights or its gradient."""
    return any(sample.kwargs.get(name) for name in ("max_norm", "scale_grad_by_freq", "sparse"))


def nuclear(sample: Any, dtype: str) -> bool:
    """Tell whether the nuclear norm is asked for."""
    return "nuc" in (*sample.args, sample.kwargs.get("p"))


def narrow(sample: Any, dtype: str) -> bool:
    """Tell whether elements have 16 bits, of either kind."""
    return dtype in ("float16", "bfloat16")


def half(sample: Any, dtype: str) -> bool:
    """Tell whether elements have 16 bits."""
    return dtype == "float16"


MEAN = (Difference("means of integers are floating", whole),)
EMBEDDING = (Difference("max_norm, scale_grad_by_freq and sparse are refused", tuned),)
WIDE = (Difference("16 bits are computed in float32", narrow),)
UNPOOL = (Difference("of repeated places, only the last one counts", repeated),)

DIFFERENCES: dict[str, tuple[Difference, ...]] = {
    "argsort": (Difference("order of equal elements", unstable),),
    "cat": (Difference("nothing joined has no gradient", empty),),
    "zero_": (Difference("no gradient", derived),),
    "nn.functional.embedding": EMBEDDING,
    "nn.functional.embedding_bag": EMBEDDING,
    "norm": (Difference("needs singular values", nuclear),),
    "fill": (Difference("no gradient", derived),),
    "trapezoid": (Difference("differences of integers do not wrap", whole),),
    "trapz": (Difference("differences of integers do not wrap", whole),),
    "cumulative_trapezoid": (Difference("differences of integers do not wrap", whole),),
    "nextafter": (Difference("no gradient", derived),),
    "nn.functional.avg_pool1d": MEAN,
    "nn.functional.avg_pool2d": MEAN,
    "nn.functional.avg_pool3d": MEAN,
    "nn.functional.batch_norm": (Difference("an axis of channels is needed", flat),),
    "nn.functional.rrelu": (Difference("random values", dropping),),
    "nn.functional.scaled_dot_product_attention": (Difference("random values", dropping),),
    "sinc": (Difference("exactly 0 at whole numbers", exact),),
    "square": (Difference("bool is refused", logical),),
    "nn.functional.ctc_loss": (Difference("PyTorch takes inputs for normalised", derived),),
    "nn.functional.interpolate": (Difference("pixels are rounded once", unsigned),),
    "nn.functional.local_response_norm": MEAN,
    "nn.functional.max_unpool1d": UNPOOL,
    "nn.functional.max_unpool2d": UNPOOL,
    "nn.functional.max_unpool3d": UNPOOL,
    "nn.functional.soft_margin_loss": (Difference("large scores do not overflow", half),),
    "nn.functional.softmin": (Difference("elements are converted, then negated", unsigned),),
    "cov": (Difference("weights are rounded to float32", narrow_weights),),
    "linalg.eig": (Difference("complex numbers"),),
    "linalg.eigvals": (Difference("complex numbers"),),
    "matrix_exp": WIDE,
    "nn.functional.grid_sample": WIDE,
    "equal": (Difference("elementwise; `array_equal` compares whole tensors"),),
    "sort": (Difference("order of equal elements", unstable),),
}


def difference(name: str, sample: Any, dtype: str) -> str:
    """Return the reason for which a sample is not compared, an empty text if it is."""
    for each in DIFFERENCES.get(name, ()):
        if each.applies(sample, dtype):
            return each.reason
    return ""


def number(sample: Any, dtype: str) -> bool:
    """Tell whether a number stands where PyTorch wants a tensor."""
    first = sample.args[0] if sample.args else None
    return any(isinstance(each, int | float) for each in (sample.input, first))


def negative(sample: Any, dtype: str) -> bool:
    """Tell whether a weight is negative."""
    weights = [sample.kwargs.get(name) for name in ("fweights", "aweights")]
    return any(each is not None and each.numel() and each.min() < 0 for each in weights)


def deep(sample: Any, dtype: str) -> bool:
    """Tell whether there are more axes than PyTorch reduces."""
    return len(sample.input.shape) > 64


def into(sample: Any, dtype: str) -> bool:
    """Tell whether results are written into a tensor."""
    return "out" in sample.kwargs


def backward(sample: Any, dtype: str) -> bool:
    """Tell whether steps lead away from the end."""
    end, step = sample.args
    return bool(np.isfinite(end - sample.input) and (end - sample.input) * step < 0)


def unlikely(sample: Any, dtype: str) -> bool:
    """Tell whether probabilities are floating numbers, whatever they are."""
    return bool(sample.input.dtype.is_floating_point)


def without_channels(sample: Any, dtype: str) -> bool:
    """Tell whether there are no channels."""
    return len(sample.input.shape) > 0 and sample.input.shape[0] == 0


NUMBERS = (
    "__radd__ __rand__ __rmul__ __ror__ __rxor__ atan2 bitwise_and bitwise_left_shift bitwise_or "
    "bitwise_right_shift bitwise_xor clamp_max clamp_min copysign eq fmax fmin fmod ge gt "
    "heaviside le logical_and logical_or logical_xor lt maximum minimum ne pow remainder rsub xlogy"
)
POOL = (Difference("without channels there is no result", without_channels),)
DEEP = (Difference("any number of axes is reduced", deep),)
OUT = (Difference("out= may have any dtype that can be written to in place", into),)

PERMITTED: dict[str, tuple[Difference, ...]] = {
    **dict.fromkeys(NUMBERS.split(), (Difference("numbers stand for tensors", number),)),
    **dict.fromkeys(("amax", "amin"), DEEP),
    "aminmax": (*DEEP, *OUT),
    "gather": OUT,
    **dict.fromkeys(("nn.functional.max_pool1d", "nn.functional.max_pool3d"), POOL),
    "arange": (Difference("a step away from the end gives nothing", backward),),
    "cov": (Difference("values of weights are not looked at", negative),),
    "mean": (Difference("means of integers are floating"),),
    "multinomial": (Difference("values of probabilities are not looked at", unlikely),),
}
"""Wrong inputs that are taken on purpose."""


def permitted(name: str, sample: Any) -> str:
    """Return the reason for which pumice takes wrong inputs, an empty text if it should not."""
    for each in PERMITTED.get(name, ()):
        if each.applies(sample, ""):
            return each.reason
    return ""


def triangle(name: str, sample: Any) -> Callable[[int, Any], Any]:
    """Return what keeps the part that is compared of the gradient of an input."""
    place = TRIANGLES.get(name)
    kept = np.triu if sample.kwargs.get("upper") else np.tril
    return lambda number, array: kept(array) if number == place else array


def remark(name: str) -> str:
    """Return what is compared in a way of its own."""
    if name in PROCESSED:
        return "vectors may have either sign"
    return "gradients of the triangle that is read" if name in TRIANGLES else ""
