"""Cooperative matrices: which a device lists, and which of them products are computed by.

Drivers tell shapes for subgroups as they are by default, so pipelines that use them ask for
subgroups of that size.
"""

from collections.abc import Iterable
from typing import Any

from pumice.runtime.vulkan.api import check, ffi
from pumice.runtime.vulkan.constants import (
    SCOPE_SUBGROUP,
    STAGE_COMPUTE,
    Component,
    Structure,
)
from pumice.target import MatrixShape, ProductTile

ROW_BYTES = 64
"""Bytes of steps that a half of shared memory holds of each line, if they fit."""
_TYPES = {
    (Component.FLOAT16, Component.FLOAT32): ("float16", "float32"),
    (Component.BFLOAT16, Component.FLOAT32): ("bfloat16", "float32"),
    (Component.SINT8, Component.SINT32): ("int8", "int32"),
    (Component.UINT8, Component.SINT32): ("uint8", "int32"),
    (Component.UINT8, Component.UINT32): ("uint8", "uint32"),
}
"""Element types of operands and of sums, by what the device calls them."""


def listed_shapes(functions: Any, handle: Any, subgroup: int) -> tuple[MatrixShape, ...]:
    """Return the shapes a device lists for compute shaders, of element types that are known."""
    interface = ffi()
    stages = interface.new("VkPhysicalDeviceCooperativeMatrixPropertiesKHR *")
    chain = interface.new("VkPhysicalDeviceProperties2 *")
    stages.sType = Structure.COOPERATIVE_MATRIX_DEVICE_PROPERTIES
    chain.sType, chain.pNext = Structure.PROPERTIES_2, stages
    functions.vkGetPhysicalDeviceProperties2(handle, chain)
    call = functions.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR
    if call is None or not stages.cooperativeMatrixSupportedStages & STAGE_COMPUTE:
        return ()
    count = interface.new("uint32_t *")
    check(call(handle, count, interface.NULL), "list cooperative matrices")
    listed = interface.new("VkCooperativeMatrixPropertiesKHR[]", max(count[0], 1))
    for each in listed:
        each.sType = Structure.COOPERATIVE_MATRIX_PROPERTIES
    check(call(handle, count, listed), "list cooperative matrices")
    found: dict[MatrixShape, None] = {}
    for place in range(count[0]):
        each = listed[place]
        alike = each.AType == each.BType and each.CType == each.ResultType
        types = _TYPES.get((each.AType, each.CType)) if alike else None
        if types and each.scope == SCOPE_SUBGROUP and not each.saturatingAccumulation:
            found[MatrixShape(each.MSize, each.NSize, each.KSize, *types, subgroup)] = None
    return tuple(found)


def best_shapes(shapes: Iterable[MatrixShape]) -> tuple[MatrixShape, ...]:
    """Return the shape to use for each element type: that of the most multiply-adds."""
    found: dict[str, MatrixShape] = {}
    for each in shapes:
        known = found.get(each.operand)
        if each.is_usable and (known is None or _worth(each) > _worth(known)):
            found[each.operand] = each
    return tuple(found.values())


def _worth(shape: MatrixShape) -> tuple[int, ...]:
    rows, columns, steps = shape.rows, shape.columns, shape.steps
    return (
        rows * columns * steps,
        min(rows, columns),
        steps,
        rows,
        int(shape.accumulator == "int32"),
    )


def matrix_tile(plain: ProductTile, shape: MatrixShape) -> ProductTile | None:
    """Return the tile of matrices with the block of another tile and at most its invocations.

    Subgroups own parts of the block that are as square as can be.
    """
    rows, columns = plain.block
    wanted = plain.invocations // shape.subgroup
    if not wanted or rows % shape.rows or columns % shape.columns:
        return None
    down = across = 1
    while down * across < wanted:
        by_rows = rows // down % (2 * shape.rows) == 0
        by_columns = columns // across % (2 * shape.columns) == 0
        if by_rows and (rows // down >= columns // across or not by_columns):
            down *= 2
        elif by_columns:
            across *= 2
        else:
            break
    depth = ROW_BYTES // shape.itemsize
    if depth % shape.steps:
        depth = shape.steps
    return ProductTile(rows // down, columns // across, down, across, depth=depth, matrix=shape)
