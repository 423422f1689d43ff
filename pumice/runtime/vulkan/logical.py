"""The logical device: features switched on, one queue, raw memory and buffers."""

from dataclasses import dataclass
from typing import Any

from pumice.runtime.vulkan.api import check, device_functions, ffi, strings
from pumice.runtime.vulkan.constants import (
    ALLOCATE_DEVICE_ADDRESS,
    QUEUE_COMPUTE,
    QUEUE_GRAPHICS,
    QUEUE_TRANSFER,
    SHARING_CONCURRENT,
    BufferUsage,
    MemoryProperty,
    Result,
    Structure,
)
from pumice.runtime.vulkan.instance import Instance
from pumice.runtime.vulkan.physical import (
    BFLOAT16_EXTENSION,
    COOPERATIVE_MATRIX_EXTENSION,
    CORE_FEATURES,
    FEATURES_1_1,
    FEATURES_1_2,
    PORTABILITY_SUBSET,
    SUBGROUP_SIZE,
    SUBGROUP_SIZE_EXTENSION,
    DeviceDescription,
)
from pumice.runtime.vulkan.switches import BFLOAT16_MATRIX, COOPERATIVE_MATRIX

MEMORY_BUDGET = "VK_EXT_memory_budget"
_USAGE = (
    BufferUsage.STORAGE
    | BufferUsage.DEVICE_ADDRESS
    | BufferUsage.TRANSFER_SOURCE
    | BufferUsage.TRANSFER_TARGET
)


class NoMemoryError(Exception):
    """The driver refused memory; the pool turns this into OutOfMemory."""


@dataclass(slots=True)
class Memory:
    """One allocation of the driver with the buffer that covers it.

    `view` is its mapped bytes, None where the host cannot see it.
    """

    buffer: int
    memory: int
    size: int
    address: int
    view: memoryview | None


class LogicalDevice:
    """A device that can be worked with."""

    def __init__(self, of: Instance, description: DeviceDescription) -> None:
        self.description = description
        self._of = of
        self.copy_family = self._copy_family()
        self.handle = self._create()
        self.functions = device_functions(of.functions, self.handle)
        queue = ffi().new("VkQueue *")
        self.functions.vkGetDeviceQueue(self.handle, description.queue_family, 0, queue)
        self.queue = queue[0]
        self.functions.vkGetDeviceQueue(self.handle, self.copy_family, 0, queue)
        self.copy_queue = queue[0]

    def _copy_family(self) -> int:
        """Return the queues that only copy, beside whatever else goes on; else the usual ones."""
        interface, description = ffi(), self.description
        count = interface.new("uint32_t *")
        families_of = self._of.functions.vkGetPhysicalDeviceQueueFamilyProperties
        families_of(description.handle, count, interface.NULL)
        families = interface.new("VkQueueFamilyProperties[]", max(count[0], 1))
        families_of(description.handle, count, families)
        others = QUEUE_GRAPHICS | QUEUE_COMPUTE
        for number in range(count[0]):
            flags = families[number].queueFlags
            if flags & QUEUE_TRANSFER and not flags & others and families[number].queueCount:
                return number
        return description.queue_family

    @property
    def _families(self) -> list[int]:
        return list(dict.fromkeys((self.description.queue_family, self.copy_family)))

    def _create(self) -> Any:
        interface, description = ffi(), self.description
        priority = interface.new("float[1]", [1.0])
        queues = interface.new("VkDeviceQueueCreateInfo[]", len(self._families))
        for queue, family in zip(queues, self._families, strict=True):
            queue.sType = Structure.DEVICE_QUEUE_CREATE_INFO
            queue.queueFamilyIndex = family
            queue.queueCount = 1
            queue.pQueuePriorities = priority
        eleven = interface.new("VkPhysicalDeviceVulkan11Features *")
        twelve = interface.new("VkPhysicalDeviceVulkan12Features *")
        chain = interface.new("VkPhysicalDeviceFeatures2 *")
        eleven.sType = Structure.VULKAN_1_1_FEATURES
        twelve.sType = Structure.VULKAN_1_2_FEATURES
        chain.sType = Structure.FEATURES_2
        chain.pNext, eleven.pNext = eleven, twelve
        for names, target in (
            (CORE_FEATURES, chain.features),
            (FEATURES_1_1, eleven),
            (FEATURES_1_2, twelve),
        ):
            for name in names:
                setattr(target, name, int(description.features[name]))
        _kept = _chain_extensions(twelve, description)
        extension_names, kept = strings(wanted_extensions(description))
        information = interface.new("VkDeviceCreateInfo *")
        information.sType = Structure.DEVICE_CREATE_INFO
        information.pNext = chain
        information.queueCreateInfoCount = len(queues)
        information.pQueueCreateInfos = queues
        information.enabledExtensionCount = len(kept)
        information.ppEnabledExtensionNames = extension_names
        handle = interface.new("VkDevice *")
        create = self._of.functions.vkCreateDevice
        check(
            create(description.handle, information, interface.NULL, handle),
            f"open {description.name}",
        )
        return handle[0]

    def create(self, function: Any, information: Any, action: str) -> int:
        """Call a vkCreate function and return the new handle."""
        handle = ffi().new("uint64_t *")
        check(function(self.handle, information, ffi().NULL, handle), action)
        return int(handle[0])

    # -- memory ---------------------------------------------------------------------------------

    def room(self, heap: int) -> int | None:
        """Return how much more of a heap the process may take; None if the device cannot tell."""
        if MEMORY_BUDGET not in self.description.extensions:
            return None
        interface = ffi()
        budget = interface.new("VkPhysicalDeviceMemoryBudgetPropertiesEXT *")
        budget.sType = Structure.MEMORY_BUDGET_PROPERTIES
        chain = interface.new("VkPhysicalDeviceMemoryProperties2 *")
        chain.sType, chain.pNext = Structure.MEMORY_PROPERTIES_2, budget
        self._of.functions.vkGetPhysicalDeviceMemoryProperties2(self.description.handle, chain)
        return max(int(budget.heapBudget[heap]) - int(budget.heapUsage[heap]), 0)

    def allocate(self, size: int, memory_type: int, dedicated: bool = False) -> Memory:
        """Ask the driver for memory, `dedicated` if one large tensor is to fill it.

        Raises
        ------
        NoMemoryError
            When the driver has none to give.
        """
        interface, functions = ffi(), self.functions
        information, _families = self._buffer_information(size)
        buffer = interface.new("uint64_t *")
        _refuse_or_check(
            functions.vkCreateBuffer(self.handle, information, interface.NULL, buffer),
            "create a buffer",
        )
        needs = interface.new("VkMemoryRequirements *")
        functions.vkGetBufferMemoryRequirements(self.handle, buffer[0], needs)
        flags = interface.new("VkMemoryAllocateFlagsInfo *")
        flags.sType = Structure.MEMORY_ALLOCATE_FLAGS_INFO
        flags.flags = ALLOCATE_DEVICE_ADDRESS
        alone = interface.new("VkMemoryDedicatedAllocateInfo *")
        alone.sType = Structure.MEMORY_DEDICATED_ALLOCATE_INFO
        alone.buffer = buffer[0]
        if dedicated:
            flags.pNext = alone
        request = interface.new("VkMemoryAllocateInfo *")
        request.sType = Structure.MEMORY_ALLOCATE_INFO
        request.pNext = flags
        request.allocationSize = needs.size
        request.memoryTypeIndex = memory_type
        memory = interface.new("uint64_t *")
        try:
            _refuse_or_check(
                functions.vkAllocateMemory(self.handle, request, interface.NULL, memory),
                "allocate memory",
            )
        except BaseException:
            functions.vkDestroyBuffer(self.handle, buffer[0], interface.NULL)
            raise
        return self._bind(int(buffer[0]), int(memory[0]), size, memory_type)

    def _buffer_information(self, size: int) -> tuple[Any, Any]:
        """Return what describes a buffer, and what must live as long."""
        interface, families = ffi(), self._families
        numbers = interface.new("uint32_t[]", families)
        information = interface.new("VkBufferCreateInfo *")
        information.sType = Structure.BUFFER_CREATE_INFO
        information.size = size
        information.usage = int(_USAGE)
        if len(families) > 1:
            information.sharingMode = SHARING_CONCURRENT
            information.queueFamilyIndexCount = len(families)
            information.pQueueFamilyIndices = numbers
        return information, numbers

    def _bind(self, buffer: int, memory: int, size: int, memory_type: int) -> Memory:
        interface, functions = ffi(), self.functions
        made = Memory(buffer, memory, size, 0, None)
        try:
            _refuse_or_check(
                functions.vkBindBufferMemory(self.handle, buffer, memory, 0), "bind memory"
            )
            place = interface.new("VkBufferDeviceAddressInfo *")
            place.sType = Structure.BUFFER_DEVICE_ADDRESS_INFO
            place.buffer = buffer
            made.address = int(functions.vkGetBufferDeviceAddress(self.handle, place))
            properties = self.description.memory_types[memory_type].properties
            if properties & MemoryProperty.HOST_VISIBLE:
                mapped = interface.new("void **")
                _refuse_or_check(
                    functions.vkMapMemory(self.handle, memory, 0, size, 0, mapped), "map memory"
                )
                made.view = memoryview(interface.buffer(mapped[0], size)).cast("B")
        except BaseException:
            self.free(made)
            raise
        return made

    def free(self, memory: Memory) -> None:
        """Give memory back to the driver."""
        null = ffi().NULL
        memory.view = None
        self.functions.vkDestroyBuffer(self.handle, memory.buffer, null)
        self.functions.vkFreeMemory(self.handle, memory.memory, null)

    def memory_type_bits(self) -> int:
        """Return the memory types our buffers may live in, a bit each."""
        interface, functions = ffi(), self.functions
        information, _families = self._buffer_information(1)
        buffer = self.create(functions.vkCreateBuffer, information, "create a buffer")
        needs = interface.new("VkMemoryRequirements *")
        functions.vkGetBufferMemoryRequirements(self.handle, buffer, needs)
        functions.vkDestroyBuffer(self.handle, buffer, interface.NULL)
        return int(needs.memoryTypeBits)

    def destroy(self) -> None:
        self.functions.vkDestroyDevice(self.handle, ffi().NULL)


def _chain_extensions(last: Any, description: DeviceDescription) -> list[Any]:
    """Append the features of extensions that are switched on; return what must stay alive."""
    interface, features = ffi(), description.features
    cooperative = interface.new("VkPhysicalDeviceCooperativeMatrixFeaturesKHR *")
    cooperative.sType = Structure.COOPERATIVE_MATRIX_FEATURES
    cooperative.cooperativeMatrix = 1
    bfloat16 = interface.new("VkPhysicalDeviceShaderBfloat16FeaturesKHR *")
    bfloat16.sType = Structure.BFLOAT16_FEATURES
    bfloat16.shaderBFloat16Type = bfloat16.shaderBFloat16CooperativeMatrix = 1
    sizes = interface.new("VkPhysicalDeviceSubgroupSizeControlFeatures *")
    sizes.sType = Structure.SUBGROUP_SIZE_CONTROL_FEATURES
    sizes.subgroupSizeControl = sizes.computeFullSubgroups = 1
    kept = [
        structure
        for wanted, structure in (
            (features[COOPERATIVE_MATRIX], cooperative),
            (_narrow_matrices(description), bfloat16),
            (features[SUBGROUP_SIZE], sizes),
        )
        if wanted
    ]
    for structure in kept:
        last.pNext = structure
        last = structure
    return kept


def _narrow_matrices(description: DeviceDescription) -> bool:
    """Tell whether matrices of bfloat16 are asked for, which are worth nothing by themselves."""
    return description.features[COOPERATIVE_MATRIX] and description.features[BFLOAT16_MATRIX]


def wanted_extensions(description: DeviceDescription) -> list[str]:
    """Return the extensions to switch on.

    A device that lists the portability subset must be opened with it; nothing that the subset
    leaves out is used, so none of its features is asked for.
    """
    wanted = []
    if PORTABILITY_SUBSET in description.extensions:
        wanted.append(PORTABILITY_SUBSET)
    if MEMORY_BUDGET in description.extensions:
        wanted.append(MEMORY_BUDGET)
    if description.features[COOPERATIVE_MATRIX]:
        wanted.append(COOPERATIVE_MATRIX_EXTENSION)
    if _narrow_matrices(description):
        wanted.append(BFLOAT16_EXTENSION)
    if description.features[SUBGROUP_SIZE] and SUBGROUP_SIZE_EXTENSION in description.extensions:
        wanted.append(SUBGROUP_SIZE_EXTENSION)
    return wanted


def _refuse_or_check(result: int, action: str) -> None:
    if result in (
        Result.OUT_OF_DEVICE_MEMORY,
        Result.OUT_OF_HOST_MEMORY,
        Result.TOO_MANY_OBJECTS,
        Result.MEMORY_MAP_FAILED,
    ):
        raise NoMemoryError(action)
    check(result, action)
