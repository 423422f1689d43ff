"""Where pumice differs from PyTorch on purpose, for `opinfo.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ABSENT = {
    "_": "internal to PyTorch",
    "torch.": "internal to PyTorch",
    "jiterator": "needs CUDA",
    "fft.": "complex numbers",
    "sparse": "sparse layouts",
    "masked.": "masked tensors",
}
"""Why operators whose names begin so are not in pumice."""

RANDOM = frozenset(
    (
        "bernoulli",
        "empty",
        "empty_like",
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


@dataclass(frozen=True, slots=True)
class Difference:
    """A declared difference: why, and for which samples and dtypes."""

    reason: str
    applies: Callable[[Any, str], bool] = lambda sample, dtype: True


def unstable(sample: Any, dtype: str) -> bool:
    """Tell whether PyTorch leaves the order of equal elements open."""
    return not sample.kwargs.get("stable") and dtype not in ("float32", "float64")


def grows(sample: Any, dtype: str) -> bool:
    """Tell whether the in-place form would have to grow its tensor, which PyTorch does."""
    return len(sample.input.shape) < 2


def narrow_weights(sample: Any, dtype: str) -> bool:
    """Tell whether PyTorch computes with float32 weights of float64 observations."""
    return dtype == "float64" and sample.kwargs.get("aweights") is not None


def whole(sample: Any, dtype: str) -> bool:
    """Tell whether elements are integers."""
    return "int" in dtype


def unsigned(sample: Any, dtype: str) -> bool:
    """Tell whether elements have no sign."""
    return dtype == "uint8"


def half(sample: Any, dtype: str) -> bool:
    """Tell whether elements have 16 bits."""
    return dtype == "float16"


MEAN = (Difference("means of integers are floating", whole),)

DIFFERENCES: dict[str, tuple[Difference, ...]] = {
    "argsort": (Difference("order of equal elements", unstable),),
    "nn.functional.avg_pool1d": MEAN,
    "nn.functional.avg_pool2d": MEAN,
    "nn.functional.avg_pool3d": MEAN,
    "nn.functional.interpolate": (Difference("pixels are rounded once", unsigned),),
    "nn.functional.local_response_norm": MEAN,
    "nn.functional.soft_margin_loss": (Difference("large scores do not overflow", half),),
    "nn.functional.softmin": (Difference("elements are converted, then negated", unsigned),),
    "cov": (Difference("weights are rounded to float32", narrow_weights),),
    "equal": (Difference("elementwise; `array_equal` compares whole tensors"),),
    "sort": (Difference("order of equal elements", unstable),),
}


def difference(name: str, sample: Any, dtype: str) -> str:
    """Return the reason for which a sample is not compared, an empty text if it is."""
    for each in DIFFERENCES.get(name, ()):
        if each.applies(sample, dtype):
            return each.reason
    return ""
