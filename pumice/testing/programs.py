"""Random programs: a few tensors and a chain of public functions applied to them.

A program is told by its seed. What an operator takes follows from its entry, so an operator that
is added takes part without being named here; the functions composed of operators are listed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import pumice
from pumice import dtypes
from pumice.dtypes import DType
from pumice.nn import functional
from pumice.ops.definition import Elementwise, Reduction, Scan, registry
from pumice.target import Device
from pumice.tensor.tensor import Tensor
from pumice.testing import cases

LEAVES = 4
OPERATIONS = 12
LARGEST = 3000
"""Elements of a tensor that further functions may still enlarge."""
_DTYPES = (
    *(dtypes.float32,) * 4,
    dtypes.float64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.int64,
    dtypes.int32,
    dtypes.int16,
    dtypes.int8,
    dtypes.uint8,
    dtypes.bool_,
)


@dataclass
class Program:
    """What a seed gives.

    Attributes
    ----------
    leaves : list of Tensor
        Its inputs; those of a floating dtype require gradients.
    results : list of Tensor
        What it computes, nothing of it evaluated yet.
    steps : list of str
        The functions called, for messages.
    """

    leaves: list[Tensor] = field(default_factory=list)
    results: list[Tensor] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)


class Author:
    """Writes one program."""

    def __init__(self, seed: int, device: Device, unsupported: frozenset[DType]) -> None:
        self.random = np.random.default_rng(seed)
        self._device = device
        self._dtypes = [each for each in _DTYPES if each not in unsupported]
        self.program = Program()
        self.pool: list[Tensor] = []

    def write(self) -> Program:
        """Return the program."""
        for _ in range(LEAVES):
            self.pool.append(self._leaf())
        for _ in range(OPERATIONS):
            self._step()
        chosen = self.random.choice(len(self.pool), size=2, replace=False)
        self.program.results = [self.pool[-1], *(self.pool[each] for each in chosen)]
        return self.program

    # -- choosing -------------------------------------------------------------------------------

    def number(self, low: int, high: int) -> int:
        """Return a whole number with ``low <= number < high``."""
        return int(self.random.integers(low, high))

    def chance(self, probability: float) -> bool:
        return bool(self.random.random() < probability)

    def pick(self, among: Any) -> Any:
        return among[self.number(0, len(among))]

    def axis(self, tensor: Tensor) -> int:
        return self.number(-tensor.ndim, tensor.ndim)

    def _shape(self) -> tuple[int, ...]:
        rank = self.number(0, 5)
        return tuple(0 if self.chance(0.01) else self.number(1, 9) for _ in range(rank))

    def fresh(self, shape: tuple[int, ...], dtype: DType) -> Tensor:
        """Return numbers of a few magnitudes."""
        high = 1.0 if dtype.kind is dtypes.Kind.UNSIGNED else -4.0
        array = cases.draw(self.random, dtype, shape, min(high, 0.0), 4.0)
        return pumice.tensor(array, device=self._device)

    def indices(self, shape: tuple[int, ...], extent: int) -> Tensor:
        """Return positions on an axis."""
        return pumice.tensor(self.random.integers(0, extent, shape), device=self._device)

    def _leaf(self) -> Tensor:
        dtype = self.pick(self._dtypes)
        shape = self._shape()
        made = self.fresh(shape, dtype)
        if dtype.is_floating_point:
            made.requires_grad_()
        self.program.leaves.append(made)
        if len(shape) > 1 and self.chance(0.3):
            return made.permute(*(int(each) for each in self.random.permutation(len(shape))))
        return made

    def floating(self, tensor: Tensor) -> Tensor:
        """Return a tensor of floats with values that stay small."""
        wanted = tensor if tensor.dtype.is_floating_point else tensor.float()
        return wanted.tanh()

    def like(self, tensor: Tensor) -> Tensor:
        """Return an operand that fits: one of the pool, or new, perhaps to be broadcast."""
        fitting = [each for each in self.pool if each.shape == tensor.shape]
        if self.chance(0.5):
            return self.pick(fitting) if fitting else tensor
        shape = tuple(1 if self.chance(0.3) else extent for extent in tensor.shape)
        return self.fresh(shape[self.number(0, len(shape) + 1) :], tensor.dtype)

    # -- writing --------------------------------------------------------------------------------

    def _step(self) -> None:
        tensor = self.pick(self.pool[-4:] if self.chance(0.7) else self.pool)
        kind = self.pick(KINDS)
        made = kind(self, tensor)
        if made is None:
            return
        self.program.steps.append(f"{kind.__name__.strip('_')}: {made.dtype} {list(made.shape)}")
        if made.numel() <= LARGEST:
            self.pool.append(made)


Kind = Callable[[Author, Tensor], Tensor | None]


def _elementwise(author: Author, tensor: Tensor) -> Tensor | None:
    """Apply any entry that takes the dtype."""
    entries = [entry for entry in registry.elementwise() if cases.accepts(entry, tensor.dtype)]
    entry: Elementwise = author.pick([each for each in entries if not each.condition_first])
    operands: list[Any] = [_allowed(entry, 0, tensor)]
    while len(operands) < entry.arity:
        if cases.can_fail(entry, tensor.dtype):
            operands.append(author.number(1, 5))
        elif author.chance(0.3):
            operands.append(author.number(0, 4))
        else:
            other = author.like(tensor)
            if not cases.accepts(entry, pumice.result_type(tensor, other)):
                other = other.to(tensor.dtype)
            operands.append(_allowed(entry, len(operands), other))
    function = getattr(pumice, entry.name, None)
    if function is None or not entry.function:
        return None
    result: Tensor = function(*operands)
    return result


def _allowed(entry: Elementwise, position: int, tensor: Tensor) -> Tensor:
    """Return an operand for which the entry promises its accuracy."""
    low, high = cases.operand_domain(entry, position)
    wanted = tensor.detach() if entry.gradient is None else tensor
    if low >= 0 and tensor.dtype.is_floating_point:
        wanted = wanted.clamp(low, high)
    return wanted


def _reduction(author: Author, tensor: Tensor) -> Tensor | None:
    entry: Reduction = author.pick(
        [e for e in registry.entries.values() if isinstance(e, Reduction)]
    )
    if not tensor.ndim or not tensor.numel():
        return None
    if entry.with_index and tensor.dtype is dtypes.bool_:
        return None  # refused: bool has no order
    function: Any = getattr(pumice, entry.name)
    wanted = tensor if author.chance(0.5) or not tensor.dtype.is_floating_point else tensor.tanh()
    return function(wanted, author.axis(tensor), keepdim=author.chance(0.5))  # type: ignore[no-any-return]


def _first(result: Any) -> Tensor:
    """Return a result, or the values where a function gives values and places."""
    found: Tensor = result if isinstance(result, Tensor) else result[0]
    return found


def _statistic(author: Author, tensor: Tensor) -> Tensor | None:
    if not tensor.ndim or not tensor.numel():
        return None
    name = author.pick(("mean", "var", "logsumexp", "softmax", "log_softmax", "norm", "median"))
    wanted, axis = author.floating(tensor), author.axis(tensor)
    if name == "norm":
        return wanted.norm(dim=axis)
    result: Any = getattr(wanted, name)(axis)
    return _first(result)


def _scan(author: Author, tensor: Tensor) -> Tensor | None:
    scans = [each for each in registry.entries.values() if isinstance(each, Scan)]
    entry: Scan = author.pick([each for each in scans if hasattr(pumice, each.name)])
    if not tensor.ndim:
        return None
    function: Any = getattr(pumice, entry.name)
    return _first(function(author.floating(tensor), author.axis(tensor)))


def _cast(author: Author, tensor: Tensor) -> Tensor:
    return tensor.to(author.pick(author._dtypes))


def _movement(author: Author, tensor: Tensor) -> Tensor | None:
    if not tensor.ndim:
        return tensor.expand(author.number(1, 4), author.number(1, 4))
    axis = author.axis(tensor)
    extent = tensor.shape[axis]
    match author.number(0, 8):
        case 0:
            return tensor.permute(*(int(each) for each in author.random.permutation(tensor.ndim)))
        case 1:
            return tensor.flip(axis)
        case 2:
            start = author.number(0, extent + 1)
            index: list[Any] = [slice(None)] * tensor.ndim
            index[axis] = slice(start, author.number(start, extent + 1), author.number(1, 4))
            return tensor[tuple(index)]
        case 3:
            return tensor.reshape(-1)
        case 4:
            return tensor.unsqueeze(axis).expand(*_widened(author, tensor, axis))
        case 5:
            return tensor.roll(author.number(-3, 4), axis)
        case 6:
            return tensor.select(axis, author.number(0, extent)) if extent else None
        case _:
            return tensor.movedim(axis, author.axis(tensor))


def _widened(author: Author, tensor: Tensor, axis: int) -> tuple[int, ...]:
    shape = list(tensor.unsqueeze(axis).shape)
    shape[axis if axis >= 0 else axis + len(shape)] = author.number(1, 4)
    return tuple(shape)


def _join(author: Author, tensor: Tensor) -> Tensor | None:
    others = [each for each in author.pool if each.shape == tensor.shape]
    if not tensor.ndim:
        return pumice.stack([tensor, author.pick(others)])
    joined = pumice.cat if author.chance(0.6) else pumice.stack
    return joined([tensor, author.pick(others), tensor], author.axis(tensor))


def _pad(author: Author, tensor: Tensor) -> Tensor | None:
    if not tensor.ndim or not tensor.numel():
        return None
    widths = [author.number(0, 3) for _ in range(2 * author.number(1, tensor.ndim + 1))]
    return functional.pad(tensor, widths, value=author.number(0, 3))


def _order(author: Author, tensor: Tensor) -> Tensor | None:
    if not tensor.ndim or not tensor.numel():
        return None
    axis, largest = author.axis(tensor), author.chance(0.5)
    match author.number(0, 3):
        case 0:
            return tensor.sort(axis, descending=largest).values
        case 1:
            return tensor.argsort(axis, descending=largest, stable=True)
        case _:
            count = author.number(1, tensor.shape[axis] + 1)
            return tensor.topk(count, axis, largest=largest).values


def _indexed(author: Author, tensor: Tensor) -> Tensor | None:
    if not tensor.ndim or not tensor.numel():
        return None
    axis = author.axis(tensor)
    extent, rows = tensor.shape[axis], author.number(1, 6)
    shape = list(tensor.shape)
    shape[axis] = rows
    match author.number(0, 6):
        case 0:
            return tensor.index_select(axis, author.indices((rows,), extent))
        case 1:
            return tensor.gather(axis, author.indices(tuple(shape), extent))
        case 2:
            places = author.indices(tuple(shape), extent)
            return tensor.scatter(axis, places, author.fresh(tuple(shape), tensor.dtype))
        case 3:
            places = author.indices(tuple(shape), extent)
            value = author.fresh(tuple(shape), tensor.dtype)
            reduce = author.pick(("sum", "amax", "amin"))
            return tensor.scatter_reduce(axis, places, value, reduce)
        case 4:
            value = author.fresh(tuple(shape), tensor.dtype)
            return tensor.index_add(axis, author.indices((rows,), extent), value)
        case _:
            return tensor[author.indices((rows, 2), tensor.shape[0])]


def _choice(author: Author, tensor: Tensor) -> Tensor:
    condition = author.like(tensor) > 0
    chosen: Tensor = pumice.where(condition, tensor, author.like(tensor))
    return chosen


def _product(author: Author, tensor: Tensor) -> Tensor | None:
    if tensor.ndim < 1 or not tensor.numel():
        return None
    wanted = tensor if tensor.dtype.is_integral else author.floating(tensor)
    shape = (*tensor.shape[:-2], tensor.shape[-1], author.number(1, 9))
    return wanted @ author.fresh(shape, wanted.dtype)


def _window(author: Author, tensor: Tensor) -> Tensor | None:
    if tensor.ndim < 3 or not tensor.numel():
        return None
    image = author.floating(tensor)
    image = image.reshape(-1, *image.shape[-3:]) if image.ndim > 3 else image.unsqueeze(0)
    size = min(author.number(1, 4), image.shape[2], image.shape[3])
    match author.number(0, 3):
        case 0:
            return _first(functional.max_pool2d(image, size, stride=author.number(1, 3)))
        case 1:
            return functional.avg_pool2d(image, size, stride=author.number(1, 3))
        case _:
            weight = author.fresh((author.number(1, 5), image.shape[1], size, size), image.dtype)
            padding = author.number(0, 2)
            return functional.conv2d(image, weight, stride=author.number(1, 3), padding=padding)


def _write(author: Author, tensor: Tensor) -> Tensor | None:
    """Write to part of a copy."""
    if not tensor.ndim or not tensor.numel():
        return None
    copy = tensor.clone()
    place = author.number(0, tensor.shape[0])
    match author.number(0, 3):
        case 0:
            copy[place] = author.number(0, 3)
        case 1:
            copy[place:] = author.fresh(tuple(copy[place:].shape), tensor.dtype)
        case _:
            copy.masked_fill_(author.like(tensor).expand(tensor.shape) > 1, 2)
    return copy


KINDS: tuple[Kind, ...] = (
    *(_elementwise,) * 5,
    *(_movement,) * 3,
    *(_reduction,) * 2,
    _statistic,
    _scan,
    _cast,
    _join,
    _pad,
    _order,
    _indexed,
    _indexed,
    _choice,
    _product,
    _window,
    _write,
)
"""What a step may do, the more often it stands here the more often done."""


def write(seed: int, device: Device, unsupported: frozenset[DType] = frozenset()) -> Program:
    """Return the program of a seed.

    Parameters
    ----------
    seed : int
        Tells the program.
    device : Device
        Where its tensors are.
    unsupported : frozenset of DType
        Types the device cannot compute with.
    """
    return Author(seed, device, unsupported).write()
