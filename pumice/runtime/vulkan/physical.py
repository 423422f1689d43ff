"""The Vulkan devices of the machine: what they are, and whether pumice can use them."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from pumice.errors import InvalidArgument
from pumice.runtime.vulkan.api import check, ffi, text
from pumice.runtime.vulkan.constants import (
    API_VERSION_1_2,
    API_VERSION_1_3,
    FLOAT_CONTROLS_INDEPENDENT,
    FLOAT_CONTROLS_INDEPENDENT_32,
    HEAP_DEVICE_LOCAL,
    QUEUE_COMPUTE,
    STAGE_COMPUTE,
    SUBGROUP_OPERATIONS_USED,
    PhysicalDeviceType,
    Structure,
)
from pumice.runtime.vulkan.instance import Instance
from pumice.runtime.vulkan.matrices import listed_shapes
from pumice.runtime.vulkan.switches import (
    BFLOAT16_MATRIX,
    COOPERATIVE_MATRIX,
    SUBGROUPS,
    WIDE_ACCESS,
)
from pumice.target import MatrixShape

REQUIRED_FEATURES = ("bufferDeviceAddress", "scalarBlockLayout", "timelineSemaphore")
CORE_FEATURES = ("shaderInt64", "shaderFloat64", "shaderInt16")
FEATURES_1_1 = ("storageBuffer16BitAccess",)
FEATURES_1_2 = (
    *REQUIRED_FEATURES,
    "storageBuffer8BitAccess",
    "shaderFloat16",
    "shaderInt8",
    "vulkanMemoryModel",
    "vulkanMemoryModelDeviceScope",
)
COOPERATIVE_MATRIX_EXTENSION = "VK_KHR_cooperative_matrix"
BFLOAT16_EXTENSION = "VK_KHR_shader_bfloat16"
SUBGROUP_SIZE_EXTENSION = "VK_EXT_subgroup_size_control"
SUBGROUP_SIZE = "subgroupSizeControl"
LARGEST_GROUP = 256
"""Invocations of the largest workgroup that asks for a size of its subgroups."""
PORTABILITY_SUBSET = "VK_KHR_portability_subset"
MINIMUM_LIMITS = {
    "maxComputeWorkGroupInvocations": 128,
    "maxComputeSharedMemorySize": 16384,
    "maxComputeWorkGroupCount": 65535,
    "maxPushConstantsSize": 128,
    "maxMemoryAllocationCount": 4096,
    "maxMemoryAllocationSize": 1 << 30,
}
"""What every Vulkan device offers at least."""


@dataclass(frozen=True, slots=True)
class Heap:
    """A memory heap of a device."""

    size: int
    device_local: bool


@dataclass(frozen=True, slots=True)
class MemoryType:
    """A kind of memory: its heap and its properties."""

    heap: int
    properties: int


@dataclass(frozen=True, slots=True)
class DeviceDescription:
    """A Vulkan device as `pumice devices` shows it.

    Attributes
    ----------
    index : int
        The number in ``vulkan:0``.
    usable, reason
        Whether pumice can use it, and what it lacks if not.
    features : dict
        The features pumice asks about, and whether the device has them.
    uuid, driver_uuid
        What the driver tells the device, and itself, apart from others by.
    subgroup_sizes : tuple of int
        Invocations of a subgroup: as the driver chooses, the least and the most that can be
        asked for (the same where none can).
    matrices : tuple of MatrixShape
        Products of small matrices that the device lists for a subgroup.
    limits : dict
        The limits pumice works with (the guaranteed minimum under PUMICE_VULKAN_MINIMUM).
    """

    index: int
    name: str
    type: PhysicalDeviceType
    usable: bool
    reason: str
    driver: str
    api_version: tuple[int, int, int]
    vendor: int
    device: int
    uuid: bytes
    driver_uuid: bytes
    pipeline_cache_uuid: bytes
    features: dict[str, bool]
    limits: dict[str, int]
    heaps: tuple[Heap, ...]
    memory_types: tuple[MemoryType, ...]
    queue_family: int
    subgroup_sizes: tuple[int, int, int]
    matrices: tuple[MatrixShape, ...]
    extensions: frozenset[str]
    handle: Any = field(repr=False, compare=False)

    def without(self, names: Collection[str]) -> "DeviceDescription":
        """Return the device as if it lacked some optional features."""
        optional = [name for name in self.features if name not in REQUIRED_FEATURES]
        unknown = [name for name in names if name not in optional]
        if unknown:
            raise InvalidArgument(
                f"{self.name}: {', '.join(unknown)} cannot be switched off; "
                f"what can is {', '.join(optional)}"
            )
        return replace(self, features=self.features | dict.fromkeys(names, False))


def examine_all(of: Instance, minimum: bool) -> list[DeviceDescription]:
    """Return the devices of an instance in the order the loader lists them."""
    interface = ffi()
    count = interface.new("uint32_t *")
    call = of.functions.vkEnumeratePhysicalDevices
    check(call(of.handle, count, interface.NULL), "list devices")
    handles = interface.new("VkPhysicalDevice[]", max(count[0], 1))
    check(call(of.handle, count, handles), "list devices")
    return [
        _Examination(of, handles[position]).describe(position, minimum)
        for position in range(count[0])
    ]


class _Examination:
    """Queries of one physical device."""

    def __init__(self, of: Instance, handle: Any) -> None:
        self._functions = of.functions
        self._handle = handle
        interface = ffi()
        self._twelve = interface.new("VkPhysicalDeviceVulkan12Properties *")
        self._twelve.sType = Structure.VULKAN_1_2_PROPERTIES
        self._eleven = interface.new("VkPhysicalDeviceVulkan11Properties *")
        self._eleven.sType = Structure.VULKAN_1_1_PROPERTIES
        self._eleven.pNext = self._twelve
        chain = interface.new("VkPhysicalDeviceProperties2 *")
        chain.sType = Structure.PROPERTIES_2
        of.functions.vkGetPhysicalDeviceProperties2(handle, chain)
        self._recent = chain.properties.apiVersion >= API_VERSION_1_2
        if self._recent:
            chain.pNext = self._eleven
            of.functions.vkGetPhysicalDeviceProperties2(handle, chain)
        self._properties = chain.properties
        self._kept = chain
        self.type = PhysicalDeviceType(self._properties.deviceType)

    def describe(self, index: int, minimum: bool) -> DeviceDescription:
        properties, version = self._properties, self._properties.apiVersion
        extensions = self._extensions()
        features = self._features(extensions, minimum) if self._recent else {}
        heaps, types = self._memory()
        family = self._queue_family()
        reason = self._refusal(features, family)
        return DeviceDescription(
            index=index,
            name=text(properties.deviceName),
            type=self.type,
            usable=not reason,
            reason=reason,
            driver=f"{text(self._twelve.driverName)} {text(self._twelve.driverInfo)}".strip(),
            api_version=(version >> 22, (version >> 12) & 0x3FF, version & 0xFFF),
            vendor=properties.vendorID,
            device=properties.deviceID,
            uuid=bytes(self._eleven.deviceUUID),
            driver_uuid=bytes(self._eleven.driverUUID),
            pipeline_cache_uuid=bytes(properties.pipelineCacheUUID),
            features=features,
            limits=self._limits(minimum),
            heaps=heaps,
            memory_types=types,
            queue_family=family,
            subgroup_sizes=self._subgroup_sizes(extensions),
            matrices=self._matrices(features),
            extensions=extensions,
            handle=self._handle,
        )

    def _refusal(self, features: dict[str, bool], family: int) -> str:
        if not self._recent:
            return "its driver is older than Vulkan 1.2; update it"
        missing = [name for name in REQUIRED_FEATURES if not features[name]]
        if missing:
            return f"its driver lacks {', '.join(missing)}; a newer driver may offer it"
        return "" if family >= 0 else "it has no queue for compute"

    def _features(self, extensions: frozenset[str], minimum: bool) -> dict[str, bool]:
        interface = ffi()
        eleven = interface.new("VkPhysicalDeviceVulkan11Features *")
        twelve = interface.new("VkPhysicalDeviceVulkan12Features *")
        cooperative = interface.new("VkPhysicalDeviceCooperativeMatrixFeaturesKHR *")
        bfloat16 = interface.new("VkPhysicalDeviceShaderBfloat16FeaturesKHR *")
        sizes = interface.new("VkPhysicalDeviceSubgroupSizeControlFeatures *")
        chain = interface.new("VkPhysicalDeviceFeatures2 *")
        eleven.sType = Structure.VULKAN_1_1_FEATURES
        twelve.sType = Structure.VULKAN_1_2_FEATURES
        chain.sType = Structure.FEATURES_2
        chain.pNext, eleven.pNext = eleven, twelve
        last = twelve
        for structure, kind, known in (
            (
                cooperative,
                Structure.COOPERATIVE_MATRIX_FEATURES,
                COOPERATIVE_MATRIX_EXTENSION in extensions,
            ),
            (bfloat16, Structure.BFLOAT16_FEATURES, BFLOAT16_EXTENSION in extensions),
            (sizes, Structure.SUBGROUP_SIZE_CONTROL_FEATURES, self._has_sizes(extensions)),
        ):
            structure.sType = kind
            if known:  # only then does the driver know the structure
                last.pNext = structure
                last = structure
        self._functions.vkGetPhysicalDeviceFeatures2(self._handle, chain)
        found = {name: bool(getattr(chain.features, name)) for name in CORE_FEATURES}
        found |= {name: bool(getattr(eleven, name)) for name in FEATURES_1_1}
        found |= {name: bool(getattr(twelve, name)) for name in FEATURES_1_2}
        # With the one but not the other, atomic accesses of other kernels would not be allowed.
        found["vulkanMemoryModel"] &= found["vulkanMemoryModelDeviceScope"]
        found[SUBGROUPS] = self._subgroup_operations() and not minimum
        found[COOPERATIVE_MATRIX] = bool(cooperative.cooperativeMatrix) and not minimum
        narrow = bfloat16.shaderBFloat16Type and bfloat16.shaderBFloat16CooperativeMatrix
        found[BFLOAT16_MATRIX] = bool(narrow) and found[COOPERATIVE_MATRIX]
        controlled = sizes.subgroupSizeControl and sizes.computeFullSubgroups
        found[SUBGROUP_SIZE] = bool(controlled) and self._sizes_serve(extensions)
        found[WIDE_ACCESS] = True
        return found | self._float_controls()

    def _subgroup_operations(self) -> bool:
        """Tell whether compute shaders have the operations between invocations that are used."""
        stages = self._eleven.subgroupSupportedStages
        operations = self._eleven.subgroupSupportedOperations
        used = SUBGROUP_OPERATIONS_USED
        return bool(stages & STAGE_COMPUTE) and operations & used == used

    def _has_sizes(self, extensions: frozenset[str]) -> bool:
        recent = self._properties.apiVersion >= API_VERSION_1_3
        return recent or SUBGROUP_SIZE_EXTENSION in extensions

    def _size_control(self) -> Any:
        """Return what the driver says of sizes of subgroups."""
        interface = ffi()
        sizes = interface.new("VkPhysicalDeviceSubgroupSizeControlProperties *")
        chain = interface.new("VkPhysicalDeviceProperties2 *")
        sizes.sType = Structure.SUBGROUP_SIZE_CONTROL_PROPERTIES
        chain.sType, chain.pNext = Structure.PROPERTIES_2, sizes
        self._functions.vkGetPhysicalDeviceProperties2(self._handle, chain)
        return sizes

    def _subgroup_sizes(self, extensions: frozenset[str]) -> tuple[int, int, int]:
        usual = int(self._eleven.subgroupSize) if self._recent else 1
        if not self._has_sizes(extensions):
            return usual, usual, usual
        sizes = self._size_control()
        return usual, int(sizes.minSubgroupSize), int(sizes.maxSubgroupSize)

    def _sizes_serve(self, extensions: frozenset[str]) -> bool:
        """Tell whether compute pipelines may ask for subgroups of the usual size."""
        usual, least, most = self._subgroup_sizes(extensions)
        sizes = self._size_control()
        group = min(self._properties.limits.maxComputeWorkGroupInvocations, LARGEST_GROUP)
        return (
            bool(sizes.requiredSubgroupSizeStages & STAGE_COMPUTE)
            and least <= usual <= most
            and sizes.maxComputeWorkgroupSubgroups * usual >= group
        )

    def _matrices(self, features: dict[str, bool]) -> tuple[MatrixShape, ...]:
        if not features.get(COOPERATIVE_MATRIX):
            return ()
        return listed_shapes(self._functions, self._handle, int(self._eleven.subgroupSize))

    def _float_controls(self) -> dict[str, bool]:
        """Tell which float behaviour may be asked for; widths may have to agree."""
        twelve = self._twelve
        found = {}
        for name, independence in (
            ("shaderDenormPreserveFloat", twelve.denormBehaviorIndependence),
            ("shaderRoundingModeRTEFloat", twelve.roundingModeIndependence),
            ("shaderSignedZeroInfNanPreserveFloat", FLOAT_CONTROLS_INDEPENDENT),
        ):
            single = bool(getattr(twelve, f"{name}32"))
            double = bool(getattr(twelve, f"{name}64"))
            if independence not in (FLOAT_CONTROLS_INDEPENDENT, FLOAT_CONTROLS_INDEPENDENT_32):
                single = double = single and double
            found[f"{name}32"], found[f"{name}64"] = single, double
        return found

    def _limits(self, minimum: bool) -> dict[str, int]:
        limits = self._properties.limits
        found = {
            "maxComputeWorkGroupInvocations": min(
                limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]
            ),
            "maxComputeSharedMemorySize": limits.maxComputeSharedMemorySize,
            "maxComputeWorkGroupCount": min(limits.maxComputeWorkGroupCount),
            "maxPushConstantsSize": limits.maxPushConstantsSize,
            "maxMemoryAllocationCount": limits.maxMemoryAllocationCount,
            "maxMemoryAllocationSize": self._eleven.maxMemoryAllocationSize or 1 << 30,
        }
        if minimum:
            found = {name: min(value, MINIMUM_LIMITS[name]) for name, value in found.items()}
        return found

    def _memory(self) -> tuple[tuple[Heap, ...], tuple[MemoryType, ...]]:
        chain = ffi().new("VkPhysicalDeviceMemoryProperties2 *")
        chain.sType = Structure.MEMORY_PROPERTIES_2
        self._functions.vkGetPhysicalDeviceMemoryProperties2(self._handle, chain)
        found = chain.memoryProperties
        heaps = tuple(
            Heap(heap.size, bool(heap.flags & HEAP_DEVICE_LOCAL))
            for heap in (found.memoryHeaps[each] for each in range(found.memoryHeapCount))
        )
        types = tuple(
            MemoryType(kind.heapIndex, kind.propertyFlags)
            for kind in (found.memoryTypes[each] for each in range(found.memoryTypeCount))
        )
        return heaps, types

    def _queue_family(self) -> int:
        interface = ffi()
        count = interface.new("uint32_t *")
        call = self._functions.vkGetPhysicalDeviceQueueFamilyProperties
        call(self._handle, count, interface.NULL)
        families = interface.new("VkQueueFamilyProperties[]", max(count[0], 1))
        call(self._handle, count, families)
        for position in range(count[0]):
            if families[position].queueFlags & QUEUE_COMPUTE and families[position].queueCount:
                return position
        return -1

    def _extensions(self) -> frozenset[str]:
        interface = ffi()
        count = interface.new("uint32_t *")
        call = self._functions.vkEnumerateDeviceExtensionProperties
        check(call(self._handle, interface.NULL, count, interface.NULL), "list extensions")
        found = interface.new("VkExtensionProperties[]", max(count[0], 1))
        check(call(self._handle, interface.NULL, count, found), "list extensions")
        return frozenset(text(found[each].extensionName) for each in range(count[0]))
