"""Random numbers: pure functions of a seed, the number of the draw and the position."""

from __future__ import annotations

import secrets
import threading
from math import pi, prod
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType, Scalar
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.graph import build, recording
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.view import Shape
from pumice.tensor.axes import axis_of, check_extents, shape_argument
from pumice.tensor.convert import device_of
from pumice.tensor.core import TensorBase, call, replace, tensor_node, wrap
from pumice.tensor.marks import functional, method, public
from pumice.tensor.reductions import float_node
from pumice.tensor.statistics import softmax_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

DEFAULT_SEED = 67280421310721


class Generator:
    """A stream of random numbers: a seed and how many draws were made from it."""

    def __init__(self, device: Any = None) -> None:
        self._lock = threading.Lock()
        self._seed = DEFAULT_SEED
        self._draws = 0

    def manual_seed(self, seed: int) -> Generator:
        """Start again from a seed and return self."""
        with self._lock:
            self._seed = int(seed) & 0xFFFFFFFFFFFFFFFF
            self._draws = 0
        return self

    def seed(self) -> int:
        """Start again from a seed of the system and return it."""
        chosen = secrets.randbits(63)
        self.manual_seed(chosen)
        return chosen

    def initial_seed(self) -> int:
        """Return the seed."""
        return self._seed

    def get_state(self) -> tuple[int, int]:
        """Return the seed and the number of draws."""
        with self._lock:
            return self._seed, self._draws

    def set_state(self, state: tuple[int, int]) -> None:
        """Go back to an earlier state."""
        with self._lock:
            self._seed, self._draws = state

    def draw(self, count: int = 1) -> tuple[int, int]:
        """Take the next draws; return the seed and the number of the first of them."""
        with self._lock:
            self._draws += count
            return self._seed, self._draws - count


default_generator = Generator()


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
    """Start the default generator from a seed of the system and return it."""
    return default_generator.seed()


@public
def initial_seed() -> int:
    """Return the seed of the default generator."""
    return default_generator.initial_seed()


@public
def get_rng_state() -> tuple[int, int]:
    """Return the state of the default generator."""
    return default_generator.get_state()


@public
def set_rng_state(state: tuple[int, int]) -> None:
    """Take the default generator back to an earlier state."""
    default_generator.set_state(state)


# -- bits and distributions, as nodes -------------------------------------------------------------


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


class Draw:
    """One draw of a shape: every call of `bits` gives 32 fresh bits per element."""

    def __init__(self, shape: Shape, device: Any, generator: Generator | None) -> None:
        self.shape = check_extents("random", shape)
        source = generator or default_generator
        seed, number = source.draw()
        self._device = device_of(device)
        self._seed = build.constant(_signed(seed), dtypes.int64, shape, self._device)
        self._number = build.constant(number, dtypes.int64, shape, self._device)
        recorder = recording.active.get()
        if recorder is not None:
            recorder.draw(source, self._seed, self._number)
        self._total = prod(shape)
        self._used = 0

    def bits(self) -> Node:
        """Return uint32 bits; further calls read further positions of the same draw."""
        place = build.iota(self.shape, self._device)
        if self._used:
            place = place + self._used * self._total
        self._used += 1
        return call("philox", place, self._seed, self._number)

    def wide_bits(self) -> Node:
        """Return int64 numbers from 0 to 2**62 - 1."""
        high, low = (build.cast(self.bits(), dtypes.int64) for _ in range(2))
        return _joined(high, low)

    def uniform(self, dtype: DType) -> Node:
        """Return numbers from 0 to 1, 1 excluded, each a multiple of the dtype's half step."""
        if dtype is dtypes.float64:
            whole = call("bitwise_right_shift", self.wide_bits(), 62 - 53)
            return build.cast(whole, dtype) * 2.0**-53
        kept = dtype.mantissa + 1
        whole = call("bitwise_right_shift", self.bits(), 32 - kept)
        exact = build.cast(whole, dtypes.float32) * 2.0**-kept
        return build.cast(exact, dtype)

    def normal(self, dtype: DType) -> Node:
        """Return numbers of mean 0 and variance 1 (Box-Muller)."""
        wide = dtype if dtype is dtypes.float64 else dtypes.float32
        radius = call("sqrt", call("log", 1 - self.uniform(wide)) * -2.0)
        return build.cast(radius * call("cos", self.uniform(wide) * (2 * pi)), dtype)

    def below(self, low: int, high: int) -> Node:
        """Return int64 numbers from low up to, not including, high."""
        extent = high - low
        if extent <= 1 << 31:
            product = build.cast(self.bits(), dtypes.int64) * extent
            return call("bitwise_right_shift", product, 32) + low
        return call("remainder", self.wide_bits(), extent) + low


def _joined(high: Node, low: Node) -> Node:
    """Return 31 bits of each of two numbers as one."""
    upper = call("bitwise_right_shift", high, 1)
    return upper * (1 << 31) + call("bitwise_right_shift", low, 1)


def _float_dtype(operator: str, dtype: DType | None) -> DType:
    chosen = dtype or dtypes.DEFAULT_FLOAT
    if not chosen.is_floating_point:
        raise DTypeError(describe(operator, f"got {chosen.name}", "allowed are floating types"))
    return chosen


def _made(node: Node, requires_grad: bool) -> Tensor:
    result = wrap(node)
    return result.requires_grad_() if requires_grad else result


@public
def rand(
    *size: Any,
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
        The CPU by default. Every device gives the same numbers.
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
    *size: Any,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return normal numbers of mean 0 and variance 1; parameters as in `rand`."""
    draw = Draw(shape_argument("randn", size), device, generator)
    return _made(draw.normal(_float_dtype("randn", dtype)), requires_grad)


@public
def rand_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return uniform numbers of another tensor's shape, dtype and device; see `rand`."""
    draw = Draw(input.shape, device or input.device, None)
    return _made(draw.uniform(_float_dtype("rand_like", dtype or input.dtype)), requires_grad)


@public
def randn_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return normal numbers of another tensor's shape, dtype and device; see `randn`."""
    draw = Draw(input.shape, device or input.device, None)
    return _made(draw.normal(_float_dtype("randn_like", dtype or input.dtype)), requires_grad)


@public
def randint(
    low: int,
    high: Any = None,
    size: Any = None,
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
        The CPU by default.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When the range is empty.
    """
    if size is None:
        low, high, size = 0, low, high
    if low >= high:
        raise InvalidArgument(describe("randint", f"from {low} to {high}", "low < high"))
    draw = Draw(shape_argument("randint", (size,)), device, generator)
    return wrap(build.cast(draw.below(low, high), dtype or dtypes.int64))


@public
def randint_like(
    input: Tensor, low: int, high: int | None = None, *, dtype: DType | None = None
) -> Tensor:
    """Return random integers of another tensor's shape and dtype; see `randint`."""
    if high is None:
        low, high = 0, low
    return randint(low, high, input.shape, dtype=dtype or input.dtype, device=input.device)


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
        The CPU by default.

    Returns
    -------
    Tensor
    """
    keys = Draw((n,), device, generator).wide_bits()
    return wrap(build.cast(build.argsort(keys, False), dtype or dtypes.int64))


@public
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
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
        The CPU by default.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When ``std`` is a negative number.
    """
    if not isinstance(std, TensorBase) and std < 0:
        raise InvalidArgument(describe("normal", f"got std={std}", "it must not be negative"))
    tensors = [value for value in (mean, std) if isinstance(value, TensorBase)]
    if tensors:
        shape = build.broadcast_shapes("normal", *(each.shape for each in tensors))
        dtype, device = dtype or tensors[0].dtype, tensors[0].device
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
    """Return 1 with the probability each element gives (or ``p``), else 0."""
    node = float_node("bernoulli", tensor_node("bernoulli", input))
    shares = Draw(node.shape, node.device, generator).uniform(dtypes.float32)
    chance = build.cast(node, dtypes.float32) if p is None else p
    return wrap(build.cast(call("less", shares, chance), node.dtype))


@method
def uniform_(
    input: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with uniform numbers from ``from_`` to ``to``."""
    draw = Draw(input.shape, input.device, generator)
    node = draw.uniform(_float_dtype("uniform_", input.dtype)) * (to - from_) + from_
    return replace(input, "uniform_", node)


@method
def normal_(
    input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with normal numbers of given mean and standard deviation."""
    draw = Draw(input.shape, input.device, generator)
    node = draw.normal(_float_dtype("normal_", input.dtype)) * std + mean
    return replace(input, "normal_", node)


@method
def random_(
    input: Tensor, low: int = 0, high: int | None = None, *, generator: Generator | None = None
) -> Tensor:
    """Fill with integers from ``low`` up to, not including, ``high``."""
    limit = 1 << min(input.dtype.bits - 1, 53) if high is None else high
    node = Draw(input.shape, input.device, generator).below(low, limit)
    return replace(input, "random_", build.cast(node, input.dtype))


@method
def bernoulli_(input: Tensor, p: float = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with 1 with probability p, else 0."""
    draw = Draw(input.shape, input.device, generator).uniform(dtypes.float32)
    return replace(input, "bernoulli_", build.cast(draw < p, input.dtype))


def dropped_out(node: Node, p: float, shape: Shape | None = None) -> Node:
    """Zero elements with probability p and scale the others up."""
    if p == 1:
        return node * 0
    draw = Draw(node.shape if shape is None else shape, node.device, None)
    kept = build.expand(draw.uniform(dtypes.float32) >= p, node.shape)
    return kept.select(node * (1 / (1 - p)), 0)


def check_probability(operator: str, p: Scalar) -> None:
    """Refuse what is no probability."""
    if not 0 <= p <= 1:
        raise InvalidArgument(describe(operator, f"got p={p}", "a number from 0 to 1"))


@functional
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero elements with probability p and scale the others by ``1 / (1 - p)``.

    Parameters
    ----------
    input : Tensor
        Floating.
    p : float
        Probability, 0 to 1.
    training : bool
        False returns the input.
    inplace : bool
        Write into the input.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When p is no probability.
    """
    check_probability("dropout", p)
    if not training or p == 0:
        return input
    node = dropped_out(tensor_node("dropout", input), p)
    return replace(input, "dropout_", node) if inplace else wrap(node)


def _channel_shape(shape: Shape, kept: int) -> Shape:
    return (*shape[:kept], *(1 for _ in shape[kept:]))


def _channels_dropped(
    operator: str, input: Tensor, p: float, training: bool, inplace: bool, count: int
) -> Tensor:
    check_probability(operator, p)
    if not training or p == 0:
        return input
    node = tensor_node(operator, input)
    kept = len(node.shape) - count
    result = dropped_out(node, p, _channel_shape(node.shape, kept))
    return replace(input, operator + "_", result) if inplace else wrap(result)


@functional
def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels of (N, C, L) with probability p; see `dropout`."""
    return _channels_dropped("dropout1d", input, p, training, inplace, 1)


@functional
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels of (N, C, H, W) with probability p; see `dropout`."""
    return _channels_dropped("dropout2d", input, p, training, inplace, 2)


@functional
def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels of (N, C, D, H, W) with probability p; see `dropout`."""
    return _channels_dropped("dropout3d", input, p, training, inplace, 3)


@functional
def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Set elements to the saturation of SELU with probability p, keeping mean and variance."""
    check_probability("alpha_dropout", p)
    if not training or p == 0:
        return input
    node = tensor_node("alpha_dropout", input)
    low = -1.7580993408473766
    scale = ((1 - p) * (1 + p * low * low)) ** -0.5 if p < 1 else 0.0
    kept = Draw(node.shape, node.device, None).uniform(dtypes.float32) >= p
    result = kept.select(node, low) * scale + -scale * low * p
    return replace(input, "alpha_dropout_", result) if inplace else wrap(result)


@method
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Draw positions of the last axis with probabilities proportional to its elements.

    Parameters
    ----------
    input : Tensor
        1-D or 2-D, not negative.
    num_samples : int
        Draws per row.
    replacement : bool
        Whether a position can be drawn again.
    generator : Generator, optional
        The stream to draw from.

    Returns
    -------
    Tensor
        int64

    Raises
    ------
    InvalidArgument
        When more distinct samples are asked for than there are positions.
    """
    node = float_node("multinomial", tensor_node("multinomial", input))
    if not 1 <= len(node.shape) <= 2:
        raise InvalidArgument(
            describe("multinomial", f"got shape {list(node.shape)}", "one or two axes")
        )
    extent = node.shape[-1]
    if num_samples < 1 or (not replacement and num_samples > extent):
        raise InvalidArgument(
            describe("multinomial", f"{num_samples} samples of {extent}", "1 to the extent")
        )
    lead = node.shape[:-1]
    draws = num_samples if replacement else 1
    shape = (*lead, draws, extent)
    # The largest of logarithms plus Gumbel noise falls on each position in proportion.
    noise = Draw(shape, node.device, generator).uniform(dtypes.float64)
    gumbel = -call("log", -call("log", noise + 2.0**-54))
    logs = call("log", build.cast(build.reshape(node, (*lead, 1, extent)), dtypes.float64))
    keys = call("add", gumbel, logs)
    if not replacement:
        order = build.argsort(build.reshape(keys, (*lead, extent)), True)
        return wrap(build.slice_axis(order, len(lead), 0, num_samples))
    found = build.reduce(reduction.ARGMAX, keys, (len(shape) - 1,))
    return wrap(build.reshape(found, (*lead, num_samples)))


@functional
def gumbel_softmax(
    logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Return a random softmax, or (``hard``) its one-hot with the soft one's gradient."""
    node = float_node("gumbel_softmax", tensor_node("gumbel_softmax", logits))
    noise = Draw(node.shape, node.device, None).uniform(dtypes.float64)
    gumbel = build.cast(-call("log", -call("log", noise + 2.0**-54)), node.dtype)
    axis = axis_of("gumbel_softmax", dim, len(node.shape))
    soft = softmax_node((node + gumbel) / tau, axis)
    if not hard:
        return wrap(soft)
    best = build.reduce(reduction.AMAX, soft, (axis,))
    chosen = build.cast(soft.eq(build.expand(best, soft.shape)), soft.dtype)
    return wrap(build.detach(chosen) - build.detach(soft) + soft)
