"""The compiler's view of a Vulkan device."""

from dataclasses import replace

from pumice import dtypes
from pumice.dtypes import DType
from pumice.runtime.vulkan.constants import PhysicalDeviceType
from pumice.runtime.vulkan.matrices import best_shapes, matrix_tile
from pumice.runtime.vulkan.physical import SUBGROUP_SIZE, DeviceDescription
from pumice.runtime.vulkan.switches import (
    BFLOAT16_MATRIX,
    COOPERATIVE_MATRIX,
    SUBGROUPS,
    WIDE_ACCESS,
)
from pumice.target import DeviceKind, MatrixShape, ProductTile, Target, Tile

LANES = 64
GROUP = 64
STEPS = 16000
"""Loop steps an item may take in one launch. Mesa's software devices end all loops of an invocation
after 65,535 steps, and an invocation may run four items one after the other."""
LAUNCHES_AT_ONCE = 16
"""More small launches side by side would only need more memory at the same time."""
USUAL_SUBGROUP = 32
"""Taken for devices that do not tell."""
PUSH_CONSTANT_BYTES = 128
"""Used on every device, though some offer more, so that a kernel's form depends on no device."""

_FLAGS = {
    "int64": "shaderInt64",
    "float64": "shaderFloat64",
    "int8": "shaderInt8",
    "int16": "shaderInt16",
    "storage8": "storageBuffer8BitAccess",
    "storage16": "storageBuffer16BitAccess",
    "denorm32": "shaderDenormPreserveFloat32",
    "denorm64": "shaderDenormPreserveFloat64",
    "nan32": "shaderSignedZeroInfNanPreserveFloat32",
    "nan64": "shaderSignedZeroInfNanPreserveFloat64",
    "rte32": "shaderRoundingModeRTEFloat32",
    "rte64": "shaderRoundingModeRTEFloat64",
    "float16": "shaderFloat16",
    "cooperative_matrix": COOPERATIVE_MATRIX,
    "wide_access": WIDE_ACCESS,
}
_NEEDED = {
    "float64": (dtypes.float64,),
}


_EMULATED = (
    ("shaderInt64", "int64 and uint64 on pairs of 32-bit words; no tensors of 2 GiB and more"),
    ("storageBuffer8BitAccess", "8-bit elements as parts of 32-bit words"),
    ("storageBuffer16BitAccess", "16-bit elements as parts of 32-bit words"),
    ("shaderFloat16", "float16 arithmetic in float32, rounded after each operation"),
    (COOPERATIVE_MATRIX, "products of cooperative matrices by multiply-adds in registers"),
    (SUBGROUPS, "exchange within a subgroup through shared memory"),
)
"""What is done in another way, by the feature whose absence asks for it."""


def emulated(device: DeviceDescription) -> list[str]:
    """Return what a device is given in another way than by features of its own."""
    return [what for feature, what in _EMULATED if not device.features.get(feature)]


_PRODUCTS = (
    ProductTile(8, 8, group_rows=16, group_columns=16, depth=16),
    ProductTile(8, 8, group_rows=16, group_columns=8, depth=8),
    ProductTile(8, 8, group_rows=8, group_columns=8, depth=8),
    ProductTile(4, 4, group_rows=8, group_columns=8, depth=16),
)
"""Tiles of products, largest first: blocks of 128 x 128, 128 x 64, 64 x 64 and 32 x 32."""


def product_tiles(invocations: int, shared: int, subgroup: int) -> tuple[ProductTile, ...]:
    """Return the tiles of products a device can take, given what a workgroup may have.

    A subgroup takes a block of tiles that is as square as can be, so that it reads the least of
    shared memory.
    """
    found = []
    for tile in _PRODUCTS:
        within = tile.within(shared, 4)
        if tile.invocations > invocations or within is None:
            continue
        rows = columns = 1
        while rows * columns < min(subgroup, tile.invocations):
            if columns <= rows and columns < tile.group_columns or rows == tile.group_rows:
                columns *= 2
            else:
                rows *= 2
        found.append(replace(within, subgroup_rows=rows, subgroup_columns=columns))
    return tuple(found)


def matrix_tiles(shape: MatrixShape, invocations: int, shared: int) -> tuple[ProductTile, ...]:
    """Return the tiles of products of matrices a device can take, largest first."""
    made = [matrix_tile(plain, shape) for plain in _PRODUCTS]
    fitted = [tile.within(shared, shape.itemsize) for tile in made if tile is not None]
    return tuple(tile for tile in fitted if tile is not None and tile.invocations <= invocations)


_MATRIX_FEATURES = {
    "float16": "shaderFloat16",
    "bfloat16": BFLOAT16_MATRIX,
    "int8": "shaderInt8",
    "uint8": "shaderInt8",
}
"""What a device must have for matrices of an element type besides those themselves."""


def used_matrices(device: DeviceDescription) -> tuple[MatrixShape, ...]:
    """Return the products of small matrices that a device is used for, one per element type."""
    features = device.features
    needed = (COOPERATIVE_MATRIX, SUBGROUP_SIZE, "vulkanMemoryModel")
    if not all(features.get(name) for name in needed):
        return ()
    listed = (each for each in device.matrices if features.get(_MATRIX_FEATURES[each.operand]))
    return best_shapes(listed)


def _packed_tile(dtype: DType) -> Tile:
    """Return the tile of packed panels: software devices take long to compile larger ones."""
    if dtype is dtypes.float32:
        return Tile(16, 8)
    return Tile(4, 4) if dtype.itemsize == 8 else Tile(8, 8)


def _products(device: DeviceDescription, as_gpu: bool) -> tuple[ProductTile, ...]:
    """Return no tiles for devices whose shared memory is no nearer than any other."""
    if device.type is PhysicalDeviceType.CPU and not as_gpu:
        return ()
    invocations = device.limits["maxComputeWorkGroupInvocations"]
    shared = device.limits["maxComputeSharedMemorySize"]
    plain = product_tiles(invocations, shared, device.subgroup_sizes[0] or USUAL_SUBGROUP)
    matrices = [matrix_tiles(each, invocations, shared) for each in used_matrices(device)]
    return sum(matrices, plain)


def _measured(
    products: tuple[ProductTile, ...], tuned: tuple[ProductTile, ...]
) -> tuple[ProductTile, ...]:
    """Return tiles with those that were measured in place of others for the same matrices."""
    known = {tile.matrix for tile in products}
    better = [tile for tile in tuned if tile.matrix in known]
    measured = {tile.matrix for tile in better}
    return (*better, *(tile for tile in products if tile.matrix not in measured))


def target_of(
    device: DeviceDescription,
    as_gpu: bool = False,
    tuned: tuple[ProductTile, ...] = (),
    check_access: bool = False,
    guard: bool = False,
) -> Target:
    """Return what the compiler may assume.

    With `as_gpu` a software device gets the kernels that suit real ones. `tuned` are tiles of
    products that were measured on it. For `check_access` and `guard` see
    `Target.checks_access` and `Target.sets_apart`.
    """
    flags = {name: int(device.features.get(feature, False)) for name, feature in _FLAGS.items()}
    limits = flags | {
        "index_bits": 64 if flags["int64"] else 32,
        "group": GROUP,
        "steps": STEPS,
        "launches_at_once": LAUNCHES_AT_ONCE,
        "operators": 1,
        "push_constant_bytes": PUSH_CONSTANT_BYTES,
        "subgroup": device.subgroup_sizes[0] if device.features.get(SUBGROUPS) else 0,
        "shared_memory_bytes": device.limits["maxComputeSharedMemorySize"],
        "software": int(device.type is PhysicalDeviceType.CPU),
        "check_access": int(check_access),
        "branches_cost": int(device.type is PhysicalDeviceType.CPU and not as_gpu),
    }
    if guard:
        limits["guard"] = 1
    unsupported: set[DType] = set()
    for name, needing in _NEEDED.items():
        if not flags[name]:
            unsupported.update(needing)
    products = _products(device, as_gpu)
    products = _measured(products, tuned)
    listed = " ".join(f"{name}={limits[name]}" for name in sorted(limits))
    return Target(
        kind=DeviceKind.VULKAN,
        identity=f"vulkan {listed} {products}",
        lanes=LANES,
        block=1,
        grid_lanes=True,
        tiles={each.name: _packed_tile(each) for each in dtypes.ALL},
        unsupported=frozenset(unsupported),
        limits=limits,
        products=products,
    )
