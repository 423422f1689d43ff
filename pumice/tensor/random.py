"""Random numbers: pure functions of a seed, the number of the draw and the position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.arguments import integer
from pumice.dtypes import DType
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.axes import shape_argument
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.generator import Draw, Generator, default_generator
from pumice.tensor.marks import method, public
from pumice.tensor.operands import call, replace, tensor_node
from pumice.tensor.reductions import float_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@public
def manual_seed(seed: int) -> Generator:
    """Start the default generator again from a seed.

    Examples
    --------
    >>> import pumice
    >>> _ = pumice.manual_seed(0)
    >>> first = pumice.rand(3)
    >>> _ = pumice.manual_seed(0)
    >>> bool((first == pumice.rand(3)).all())
    True
    """
    return default_generator.manual_seed(seed)


@public
def seed() -> int:
    """Start the default generator from a seed of the system and return it.

    Examples
    --------
    >>> first = pumice.seed()
    >>> first == pumice.initial_seed()
    True
    """
    return default_generator.seed()


@public
def initial_seed() -> int:
    """Return the seed of the default generator.

    Examples
    --------
    >>> pumice.manual_seed(3).initial_seed() == pumice.initial_seed()
    True
    """
    return default_generator.initial_seed()


@public
def get_rng_state() -> tuple[int, int]:
    """Return the state of the default generator.

    Examples
    --------
    >>> state, first = pumice.get_rng_state(), pumice.rand(1).item()
    >>> pumice.set_rng_state(state)
    >>> pumice.rand(1).item() == first
    True
    """
    return default_generator.get_state()


@public
def set_rng_state(state: tuple[int, int]) -> None:
    """Take the default generator back to an earlier state.

    Examples
    --------
    >>> state, first = pumice.get_rng_state(), pumice.rand(1).item()
    >>> pumice.set_rng_state(state)
    >>> pumice.rand(1).item() == first
    True
    """
    default_generator.set_state(state)


# -- bits and distributions, as nodes -------------------------------------------------------------


def _float_dtype(operator: str, dtype: DType | None) -> DType:
    chosen = dtypes.default_float() if dtype is None else dtype
    if not chosen.is_floating_point:
        raise DTypeError(describe(operator, f"got {chosen.name}", "allowed are floating types"))
    return chosen


def _made(node: Node, requires_grad: bool) -> Tensor:
    result = wrap(node)
    return result.requires_grad_() if requires_grad else result


@public
def rand(
    *size: int | Sequence[int],
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return uniform numbers from 0 to 1, 1 excluded.

    Parameters
    ----------
    size : int or sequence of int
        The shape.
    generator : Generator, optional
        The stream to draw from.
    dtype : DType, optional
        Floating; float32 by default.
    device : str or Device, optional
        `set_default_device` chooses for None. Every device gives the same numbers.
    requires_grad : bool
        Whether gradients are collected.

    Returns
    -------
    Tensor

    Notes
    -----
    Philox4x32-10 of the seed, the number of the draw and the position of the element.

    Examples
    --------
    >>> import pumice
    >>> pumice.rand(2, 3).shape
    (2, 3)
    """
    draw = Draw(shape_argument("rand", size), device, generator)
    return _made(draw.uniform(_float_dtype("rand", dtype)), requires_grad)


@public
def randn(
    *size: int | Sequence[int],
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return normal numbers of mean 0 and variance 1; parameters as in `rand`.

    Examples
    --------
    >>> pumice.randn(2, 3).shape
    (2, 3)
    """
    draw = Draw(shape_argument("randn", size), device, generator)
    return _made(draw.normal(_float_dtype("randn", dtype)), requires_grad)


@public
def rand_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return uniform numbers of another tensor's shape, dtype and device; see `rand`.

    Examples
    --------
    >>> pumice.rand_like(pumice.ones(2, 3)).shape
    (2, 3)
    """
    draw = Draw(input.shape, input.device if device is None else device, None)
    return _made(
        draw.uniform(_float_dtype("rand_like", input.dtype if dtype is None else dtype)),
        requires_grad,
    )


@public
def randn_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return normal numbers of another tensor's shape, dtype and device; see `randn`.

    Examples
    --------
    >>> pumice.randn_like(pumice.ones(2, 3)).shape
    (2, 3)
    """
    draw = Draw(input.shape, input.device if device is None else device, None)
    return _made(
        draw.normal(_float_dtype("randn_like", input.dtype if dtype is None else dtype)),
        requires_grad,
    )


@public
def randint(
    low: int,
    high: int | Sequence[int] | None = None,
    size: int | Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
) -> Tensor:
    """Return integers from ``low`` up to, not including, ``high``.

    Parameters
    ----------
    low, high : int
        With ``randint(high, size)`` low is 0.
    size : sequence of int
        The shape.
    generator : Generator, optional
        The stream to draw from.
    dtype : DType, optional
        int64 by default.
    device : str or Device, optional
        `set_default_device` chooses for None.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When the range is empty.

    Examples
    --------
    >>> pumice.randint(5, 6, (3,))
    tensor([5, 5, 5])
    """
    limit: Any = high
    if size is None:
        low, limit, size = 0, low, limit
    integer(low)
    integer(limit)
    if low >= limit:
        raise InvalidArgument(describe("randint", f"from {low} to {limit}", "low < high"))
    draw = Draw(shape_argument("randint", (size,)), device, generator)
    return wrap(build.cast(draw.below(low, limit), dtypes.int64 if dtype is None else dtype))


@public
def randint_like(
    input: Tensor,
    low: int,
    high: int | None = None,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return random integers of another tensor's shape and dtype; see `randint`.

    Examples
    --------
    >>> pumice.randint_like(pumice.ones(3), 5, 6)
    tensor([5., 5., 5.])
    """
    if high is None:
        low, high = 0, low
    place, kind = (
        input.device if device is None else device,
        input.dtype if dtype is None else dtype,
    )
    result = randint(low, high, input.shape, dtype=kind, device=place)
    return result.requires_grad_() if requires_grad else result


@public
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
) -> Tensor:
    """Return the numbers 0 to n - 1 in random order.

    Parameters
    ----------
    n : int
        How many.
    generator : Generator, optional
        The stream to draw from.
    dtype : DType, optional
        int64 by default.
    device : str or Device, optional
        `set_default_device` chooses for None.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> pumice.randperm(4).sort().values
    tensor([0, 1, 2, 3])
    """
    keys = Draw((n,), device, generator).wide_bits()
    return wrap(build.cast(build.argsort(keys, False), dtypes.int64 if dtype is None else dtype))


@public
def normal(
    mean: Tensor | float = 0.0,
    std: Tensor | float = 1.0,
    size: int | Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
) -> Tensor:
    """Return normal numbers of given mean and standard deviation.

    Parameters
    ----------
    mean, std : number or Tensor
        Tensors broadcast and give the shape.
    size : sequence of int, optional
        The shape, when both are numbers.
    generator : Generator, optional
        The stream to draw from.
    dtype : DType, optional
        float32 by default.
    device : str or Device, optional
        `set_default_device` chooses for None.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When ``std`` is a negative number.

    Examples
    --------
    >>> pumice.normal(3.0, 0.0, (2,))
    tensor([3., 3.])
    """
    if not isinstance(std, TensorBase) and std < 0:
        raise InvalidArgument(describe("normal", f"got std={std}", "it must not be negative"))
    tensors = [value for value in (mean, std) if isinstance(value, TensorBase)]
    if tensors:
        shape = build.broadcast_shapes("normal", *(each.shape for each in tensors))
        dtype, device = tensors[0].dtype if dtype is None else dtype, tensors[0].device
    else:
        shape = shape_argument("normal", (() if size is None else size,))
    node = Draw(shape, device, generator).normal(_float_dtype("normal", dtype))
    scale = std.node if isinstance(std, TensorBase) else std
    shift = mean.node if isinstance(mean, TensorBase) else mean
    return wrap(call("add", call("mul", node, scale), shift))


@method
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None
) -> Tensor:
    """Return 1 with the probability each element gives (or ``p``), else 0.

    Examples
    --------
    >>> pumice.bernoulli(pumice.tensor([0., 1., 1.]))
    tensor([0., 1., 1.])
    """
    node = float_node("bernoulli", tensor_node("bernoulli", input))
    shares = Draw(node.shape, node.device, generator).uniform(dtypes.float32)
    chance = build.cast(node, dtypes.float32) if p is None else p
    return wrap(build.cast(call("less", shares, chance), node.dtype))


@method
def uniform_(
    input: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with uniform numbers from ``from_`` to ``to``.

    Examples
    --------
    >>> pumice.uniform_(pumice.zeros(3), 2.0, 2.0)
    tensor([2., 2., 2.])
    """
    if from_ > to:
        raise InvalidArgument(describe("uniform_", f"from {from_} to {to}", "from_ <= to"))
    draw = Draw(input.shape, input.device, generator)
    node = draw.uniform(_float_dtype("uniform_", input.dtype)) * (to - from_) + from_
    return replace(input, "uniform_", node, True)


@method
def normal_(
    input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with normal numbers of given mean and standard deviation.

    Examples
    --------
    >>> pumice.normal_(pumice.zeros(3), 2.0, 0.0)
    tensor([2., 2., 2.])
    """
    if std < 0:
        raise InvalidArgument(describe("normal_", f"got std={std}", "it must not be negative"))
    draw = Draw(input.shape, input.device, generator)
    node = draw.normal(_float_dtype("normal_", input.dtype)) * std + mean
    return replace(input, "normal_", node, True)


@method
def random_(
    input: Tensor, low: int = 0, high: int | None = None, *, generator: Generator | None = None
) -> Tensor:
    """Fill with integers from ``low`` up to, not including, ``high``.

    Examples
    --------
    >>> pumice.random_(pumice.zeros(3), 5, 6)
    tensor([5., 5., 5.])
    """
    limit = 1 << min(input.dtype.bits - 1, 53) if high is None else high
    node = Draw(input.shape, input.device, generator).below(low, limit)
    return replace(input, "random_", build.cast(node, input.dtype), True)


@method
def bernoulli_(input: Tensor, p: float = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with 1 with probability p, else 0.

    Examples
    --------
    >>> pumice.bernoulli_(pumice.zeros(3), 1.0)
    tensor([1., 1., 1.])
    """
    draw = Draw(input.shape, input.device, generator).uniform(dtypes.float32)
    return replace(input, "bernoulli_", build.cast(draw < p, input.dtype), True)
