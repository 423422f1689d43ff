"""Folds over axes. A reduction keeps its axes with extent 1; `tensor/` drops them on request."""

from typing import Any

from pumice.dtypes import DType, Kind, accumulation_dtype, bool_, int64
from pumice.ops.definition import Reduction, register

NAN = float("nan")


def lowest(dtype: DType) -> bool | int | float:
    """Return the identity of a maximum."""
    match dtype.kind:
        case Kind.BOOL:
            return False
        case Kind.UNSIGNED:
            return 0
        case Kind.SIGNED:
            return -(1 << (dtype.bits - 1))
        case _:
            return float("-inf")


def highest(dtype: DType) -> bool | int | float:
    """Return the identity of a minimum."""
    match dtype.kind:
        case Kind.BOOL:
            return True
        case Kind.UNSIGNED:
            return int((1 << dtype.bits) - 1)
        case Kind.SIGNED:
            return int((1 << (dtype.bits - 1)) - 1)
        case _:
            return float("inf")


def _sum_result(dtype: DType) -> DType:
    return dtype if dtype.is_floating_point else int64


def _sum_accumulator(dtype: DType) -> DType:
    return accumulation_dtype(dtype) if dtype.is_floating_point else int64


def _same(dtype: DType) -> DType:
    return dtype


def _bool(dtype: DType) -> DType:
    return bool_


def _is_nan(x: Any) -> Any:
    return x.ne(x)


def _larger(x: Any, y: Any) -> Any:
    if not x.dtype.is_floating_point:
        return (x < y).select(y, x) if x.dtype.kind is not Kind.BOOL else x | y
    return _is_nan(y).select(NAN, (x < y).select(y, x))


def _smaller(x: Any, y: Any) -> Any:
    if not x.dtype.is_floating_point:
        return (y < x).select(y, x) if x.dtype.kind is not Kind.BOOL else x & y
    return _is_nan(y).select(NAN, (y < x).select(y, x))


def _prefer_second(better: Any, x: Any, i: Any, y: Any, j: Any) -> tuple[Any, Any]:
    """Choose the second pair when it is better, or equally good and earlier."""
    equal = x.eq(y)
    if x.dtype.is_floating_point:
        x_nan, y_nan = _is_nan(x), _is_nan(y)
        equal = equal | (x_nan & y_nan)
        better = (better & ~x_nan) | (y_nan & ~x_nan)
    second = better | (equal & (j < i))
    return second.select(y, x), second.select(j, i)


def _replace(better: Any, x: Any, i: Any, y: Any, j: Any) -> tuple[Any, Any]:
    """Choose the second pair, which comes later, when it is better."""
    if x.dtype.is_floating_point:
        better = better & ~_is_nan(x)
    return better.select(y, x), better.select(j, i)


def _larger_later(x: Any, i: Any, y: Any, j: Any) -> tuple[Any, Any]:
    better = (~x & y) if x.dtype.kind is Kind.BOOL else ~(y <= x)
    return _replace(better, x, i, y, j)


def _smaller_later(x: Any, i: Any, y: Any, j: Any) -> tuple[Any, Any]:
    better = (x & ~y) if x.dtype.kind is Kind.BOOL else ~(x <= y)
    return _replace(better, x, i, y, j)


def _first_largest(x: Any, i: Any, y: Any, j: Any) -> tuple[Any, Any]:
    better = (~x & y) if x.dtype.kind is Kind.BOOL else x < y
    return _prefer_second(better, x, i, y, j)


def _first_smallest(x: Any, i: Any, y: Any, j: Any) -> tuple[Any, Any]:
    better = (x & ~y) if x.dtype.kind is Kind.BOOL else y < x
    return _prefer_second(better, x, i, y, j)


def _extreme_gradient(g: Any, out: Any, x: Any, axes: Any, build: Any) -> Any:
    """Share the gradient evenly among the elements that attain the extreme."""
    attains = x.eq(out) | (_is_nan(x) & _is_nan(out))
    share = build.reduce(SUM, attains.cast(g.dtype), axes)
    return attains.select(g / build.expand(share, x.shape), 0)


def _product_gradient(g: Any, out: Any, x: Any, axes: Any, build: Any) -> Any:
    """Multiply by the product of the other elements, found without dividing by zero."""
    is_zero = x.eq(0)
    zeros = build.expand(build.reduce(SUM, is_zero.cast(g.dtype), axes), x.shape)
    others = build.expand(build.reduce(PROD, is_zero.select(1, x), axes), x.shape)
    alone = is_zero & zeros.eq(1)
    no_zero = zeros.eq(0)
    return alone.select(g * others, no_zero.select(g * (others / is_zero.select(1, x)), 0))


def _wide(np: Any, x: Any) -> Any:
    return np.float64 if x.dtype.kind not in "biu" else np.int64


SUM = register(
    Reduction(
        name="sum",
        identity=lambda dtype: 0,
        combine=lambda x, y: x + y,
        accumulator=_sum_accumulator,
        result=_sum_result,
        reference=lambda np, x, axes: x.sum(axis=axes, keepdims=True, dtype=_wide(np, x)),
        gradient=lambda g, out, x: g,
    )
)
PROD = register(
    Reduction(
        name="prod",
        identity=lambda dtype: 1,
        combine=lambda x, y: x * y,
        accumulator=_sum_accumulator,
        result=_sum_result,
        reference=lambda np, x, axes: x.prod(axis=axes, keepdims=True, dtype=_wide(np, x)),
        gradient=_product_gradient,
        gradient_needs_axes=True,
    )
)
AMAX = register(
    Reduction(
        name="amax",
        identity=lowest,
        combine=_larger,
        accumulator=_same,
        result=_same,
        reference=lambda np, x, axes: x.max(axis=axes, keepdims=True),
        gradient=_extreme_gradient,
        gradient_needs_axes=True,
    )
)
AMIN = register(
    Reduction(
        name="amin",
        identity=highest,
        combine=_smaller,
        accumulator=_same,
        result=_same,
        reference=lambda np, x, axes: x.min(axis=axes, keepdims=True),
        gradient=_extreme_gradient,
        gradient_needs_axes=True,
    )
)
ANY = register(
    Reduction(
        name="any",
        identity=lambda dtype: False,
        combine=lambda x, y: x | y,
        accumulator=_bool,
        result=_bool,
        reference=lambda np, x, axes: x.astype(bool).any(axis=axes, keepdims=True),
        no_gradient="its result is bool",
    )
)
ALL = register(
    Reduction(
        name="all",
        identity=lambda dtype: True,
        combine=lambda x, y: x & y,
        accumulator=_bool,
        result=_bool,
        reference=lambda np, x, axes: x.astype(bool).all(axis=axes, keepdims=True),
        no_gradient="its result is bool",
    )
)


def _flat_argument(np: Any, x: Any, axes: Any, choose: Any) -> Any:
    """Return positions within the reduced axes flattened in order."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    moved = x.transpose(kept + list(axes))
    outer = moved.shape[: len(kept)]
    flat = moved.reshape((*outer, int(np.prod([x.shape[axis] for axis in axes]))))
    shape = tuple(1 if axis in axes else x.shape[axis] for axis in range(x.ndim))
    return choose(flat, axis=-1).astype(np.int64).reshape(shape)


ARGMAX = register(
    Reduction(
        name="argmax",
        identity=lowest,
        combine=_first_largest,
        follow=_larger_later,
        accumulator=_same,
        result=lambda dtype: int64,
        reference=lambda np, x, axes: _flat_argument(np, x, axes, np.argmax),
        with_index=True,
        no_gradient="its result is an index",
    )
)
ARGMIN = register(
    Reduction(
        name="argmin",
        identity=highest,
        combine=_first_smallest,
        follow=_smaller_later,
        accumulator=_same,
        result=lambda dtype: int64,
        reference=lambda np, x, axes: _flat_argument(np, x, axes, np.argmin),
        with_index=True,
        no_gradient="its result is an index",
    )
)
