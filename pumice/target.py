"""The contract between backends and runtimes: what a device is, and what code for it looks like.

Stage: between 6 and 7.  Takes: nothing.  Gives: Device, Target and Artifact.
"""

from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache

from pumice.dtypes import BY_NAME, DType

CACHE_LINE = 64
"""Bytes of memory that caches hold and ask for together."""
LEAST_SHARED_BYTES = 16384
"""What workgroups share at least on every device that runs them."""
MATRIX_UNIT_BYTES = 16
"""What matrices in shared memory are aligned to, as far as their rows are long enough."""


class DeviceKind(Enum):
    """Families of devices, one backend and one runtime each."""

    CPU = "cpu"
    VULKAN = "vulkan"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Device:
    """Where a tensor lives, printed as PyTorch does: ``cpu``, ``vulkan:0``.

    Made by `device_of` only, so that equal devices are the same object: devices are part of every
    cache key. As a context (``with pumice.device("vulkan"):``) it is the default device inside.
    """

    kind: DeviceKind
    index: int = 0

    @property
    def type(self) -> str:
        """The name of the kind: ``"cpu"`` or ``"vulkan"``."""
        return self.kind.value

    def __repr__(self) -> str:
        return f"device({str(self)!r})"

    def __str__(self) -> str:
        return "cpu" if self.kind is DeviceKind.CPU else f"{self.kind.value}:{self.index}"

    def __enter__(self) -> "Device":
        _defaults.set((*_defaults.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _defaults.set(_defaults.get()[:-1])


@lru_cache(maxsize=64)
def device_of(kind: DeviceKind, index: int = 0) -> Device:
    """Return the one object that stands for a device."""
    return Device(kind, index)


CPU = device_of(DeviceKind.CPU, 0)

_defaults: ContextVar[tuple[Device, ...]] = ContextVar("default devices", default=(CPU,))
"""The default devices of this thread, that of the innermost context last."""


def default_device() -> Device:
    """Return where tensors are made when no device is named."""
    return _defaults.get()[-1]


def set_default_device(device: Device) -> None:
    """Change where tensors are made when no device is named, until the context around ends."""
    _defaults.set((*_defaults.get()[:-1], device))


@dataclass(frozen=True, slots=True)
class Tile:
    """Register tile of a matrix product: rows x columns of accumulators.

    Attributes
    ----------
    step : int
        How many 32-bit words of k one instruction takes, for tiles of narrow elements.
    """

    rows: int
    columns: int
    step: int = 1


@dataclass(frozen=True, slots=True)
class MatrixShape:
    """A product of small matrices that the invocations of a subgroup compute with one instruction.

    Attributes
    ----------
    rows, columns, steps : int
        Of the left operand, of the right one, and those that are summed.
    operand, accumulator : str
        Names of the element types.
    subgroup : int
        Invocations of the subgroups that do it.
    """

    rows: int
    columns: int
    steps: int
    operand: str
    accumulator: str
    subgroup: int

    def __str__(self) -> str:
        sides = f"{self.rows} x {self.columns} x {self.steps}"
        return f"{sides} {self.operand} to {self.accumulator}"

    @property
    def itemsize(self) -> int:
        """Bytes of an element of the operands."""
        return BY_NAME[self.operand].itemsize

    @property
    def unit(self) -> int:
        """Elements of the operands in the 16 bytes that rows of them begin at multiples of."""
        return MATRIX_UNIT_BYTES // self.itemsize

    @property
    def is_usable(self) -> bool:
        """Whether matrices begin at such places in both directions, and finish four by four."""
        sides = (self.rows, self.columns, self.steps)
        return all(side > 0 and side % self.unit == 0 for side in sides)

    def serves(self, operand: DType, accumulator: DType) -> bool:
        """Tell whether products of an element type are computed by it, summed in another."""
        if operand.name != self.operand:
            return False
        integers = not accumulator.is_floating_point and accumulator.itemsize == 4
        return accumulator.name == self.accumulator or (integers and not operand.is_floating_point)


@dataclass(frozen=True, slots=True)
class ProductTile:
    """How a product is cut for a GPU: what a workgroup, a subgroup and an invocation take.

    Attributes
    ----------
    rows, columns : int
        Elements an invocation sums, or a subgroup that multiplies matrices; multiples of 4 where
        anything is staged, of the matrices where they are multiplied.
    group_rows, group_columns : int
        Invocations of a workgroup, or subgroups that multiply matrices.
    subgroup_rows, subgroup_columns : int
        Invocations next to each other that have neighbouring numbers.
    depth : int
        Steps of k that a workgroup holds in shared memory, twice; a multiple of 4. With 0 every
        invocation reads for itself, a grid item of its own.
    matrix : MatrixShape, optional
        What a subgroup multiplies at once. Operands then hold values of its element type, and sums
        of floats are rounded as the device does.
    """

    rows: int
    columns: int
    group_rows: int = 1
    group_columns: int = 1
    subgroup_rows: int = 1
    subgroup_columns: int = 1
    depth: int = 0
    matrix: MatrixShape | None = None

    @property
    def block(self) -> tuple[int, int]:
        """Rows and columns of a grid item."""
        if not self.depth:
            return self.rows, self.columns
        return self.rows * self.group_rows, self.columns * self.group_columns

    @property
    def invocations(self) -> int:
        """Invocations of a workgroup that stages."""
        owners = self.group_rows * self.group_columns
        return owners if self.matrix is None else owners * self.matrix.subgroup

    @property
    def is_even(self) -> bool:
        """Whether each invocation reads as many vectors of four of both operands."""
        return all(size * self.depth % (4 * self.invocations) == 0 for size in self.block)

    def shared_bytes(self, itemsize: int) -> int:
        """Shared memory of a workgroup: both operands twice, each step four elements longer.

        Matrices lie along steps or along lines, each row a unit longer; in the end a subgroup puts
        one of sums in their place.
        """
        matrix = self.matrix
        if matrix is not None:
            depth, unit = self.depth, matrix.unit
            staged = sum(
                max(lines * (depth // unit + 1), depth * (lines // unit + 1))
                for lines in self.block
            )
            sums = self.group_rows * self.group_columns * matrix.rows * matrix.columns
            return max(2 * staged * MATRIX_UNIT_BYTES, sums * 4)
        return 2 * self.depth * (sum(self.block) + 8) * itemsize

    def within(self, shared: int, itemsize: int) -> "ProductTile | None":
        """Return the tile with no more steps than shared memory holds, None if none does."""
        tile = self
        least = 4 if self.matrix is None else self.matrix.steps
        while tile.depth >= least and tile.shared_bytes(itemsize) > shared:
            tile = replace(tile, depth=tile.depth // 2)
        return tile if tile.depth >= least and tile.is_even else None


@dataclass(frozen=True, slots=True)
class Target:
    """What the compiler may assume of a device. Equal targets give equal code.

    Attributes
    ----------
    lanes : int
        Virtual lanes of a LANES loop (fixes the shape of reduction trees).
    identity : str
        Text that names the code generated for it (CPU name and features, or device limits).
    unsupported : frozenset of DType
        Types the device cannot compute with.
    tiles : dict of DType name to Tile
        Register tile of products for each accumulator type; for bfloat16 and int8 that of
        products whose k goes by words of them (`kernel.ir.MultiplyWords`), if there is one.
    block : int
        Elements of the innermost axis one grid item of an elementwise kernel handles.
    grid_lanes : bool
        True when an elementwise innermost axis should be part of the grid (GPU), False when it
        should be a LANES loop (CPU).
    limits : dict
        Backend-specific numbers (workgroup size, shared memory, threads ...). Code may follow
        them in how work is cut, never in what is computed.
    products : tuple of ProductTile
        Tiles of staged products, largest first; those of matrices serve the element types of
        theirs. Without any, a GPU gets its operands packed.
    """

    kind: DeviceKind
    identity: str
    lanes: int
    block: int
    grid_lanes: bool
    tiles: dict[str, Tile]
    unsupported: frozenset[DType] = frozenset()
    limits: dict[str, int] = field(default_factory=dict)
    products: tuple[ProductTile, ...] = ()

    @property
    def near_bytes(self) -> int:
        """Bytes of the nearest data cache."""
        return self.limits.get("near_bytes", 32 << 10)

    @property
    def middle_bytes(self) -> int:
        """Bytes of the cache behind it that a thread may fill."""
        return self.limits.get("middle_bytes", 1 << 20)

    @property
    def shared_bytes(self) -> int:
        """Bytes of memory that a workgroup shares, 0 where there are none."""
        return self.limits.get("shared_memory_bytes", LEAST_SHARED_BYTES if self.grid_lanes else 0)

    @property
    def most_steps(self) -> int:
        """Iterations of loops that an item of a launch may take, 0 for any number."""
        return self.limits.get("steps", 0)

    @property
    def is_software(self) -> bool:
        """Whether shaders run on a processor, which pays for every access to shared memory."""
        return bool(self.limits.get("software", 0))

    @property
    def checks_access(self) -> bool:
        """Whether kernels compare each access with the bounds of its buffer.

        Then more words stand behind those of a kernel: for each of its buffers
        (`kernel.walk.bounded_buffers`) the first element that belongs to it, counted from its
        address, and how many do; last the address of a record for what was outside.
        """
        return bool(self.limits.get("check_access", 0))

    @property
    def sets_apart(self) -> bool:
        """Whether no two temporaries of a plan take the same bytes, or bytes side by side."""
        return bool(self.limits.get("guard", 0))

    @property
    def shares_operators(self) -> bool:
        """Whether operators by themselves are kernels of one form (`kernel.operators`)."""
        return bool(self.limits.get("operators", 0)) and not self.checks_access

    @property
    def branches_cost(self) -> bool:
        """Whether both sides of a branch are run, also where all invocations take the same one."""
        return bool(self.limits.get("branches_cost", 0))

    @property
    def launches_at_once(self) -> int:
        """Among how many launches those are looked for that may run at the same time."""
        return self.limits.get("launches_at_once", 1)

    @property
    def local_tiles(self) -> bool:
        """Whether grid items run one after the other, each with memory to multiply tiles in."""
        return not self.grid_lanes


class Access(Enum):
    """What a kernel did not do, being outside of its buffer: the low byte of a record.

    The rest of the record's first word is the place of the buffer among the parameters, the second
    word the element, counted from the first that belongs to the buffer.
    """

    READ = 64  # data errors (`kernel.ir.FaultCode`) have smaller numbers
    WRITE = 65


BUFFER_SHIFT = 8
"""Bits of `Access` in a record."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """Compiled code of one kernel.

    Attributes
    ----------
    key : str
        Hash of everything the code depends on.
    code : bytes
        An object file (CPU) or SPIR-V words (Vulkan).
    entry : str
        Symbol or entry point.
    words : int
        64-bit argument words the kernel reads.
    group : int
        Invocations per workgroup (Vulkan), 1 on the CPU.
    items_per_group : int
        Grid items one workgroup (or one call, on the CPU) covers.
    constants : tuple of int
        Specialisation constants 1, 2 ... (Vulkan); constant 0 is the group.
    subgroup : int
        Invocations that subgroups must have (Vulkan), 0 for as many as the driver likes.
    index_words : tuple of int
        Which argument words are sizes, strides or offsets.
    space_words : tuple of int
        Argument words whose product with the number of items must fit 31 bits too.
    wide_entry : str
        Entry point for launches where one of those, the number of items or an allocation's bytes
        need more than 31 bits; empty if the device cannot run them.
    pushed_words : tuple of int
        Argument words that are part of a recorded launch (Vulkan); the others are read from memory
        whose address comes first, before the number of items and these.
    module : str
        Name of the code where other artifacts have the same (`Backend.module`); `code` is empty
        then, until a runtime gets it.
    """

    key: str
    code: bytes
    entry: str
    words: int
    group: int = 1
    items_per_group: int = 1
    constants: tuple[int, ...] = ()
    subgroup: int = 0
    index_words: tuple[int, ...] = ()
    space_words: tuple[int, ...] = ()
    wide_entry: str = ""
    pushed_words: tuple[int, ...] = ()
    module: str = ""


PART_SIDES = (1, 2, 4, 8)
"""Rows and columns a part may have."""
MOST_PART_ELEMENTS = 32
"""Elements a part has at most: more would not stay in registers."""


def parts_of(rows: int, columns: int, lanes: int) -> list[tuple[int, int]]:
    """Return rows and columns of the parts in which so many invocations can share a tile."""
    return [
        (height, width)
        for height in PART_SIDES
        for width in PART_SIDES
        if rows % height == 0
        and columns % width == 0
        and (rows // height) * (columns // width) <= lanes
        and height * width <= MOST_PART_ELEMENTS
    ]
