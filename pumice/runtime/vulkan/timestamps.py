"""When the device's own clock says that dispatches ended."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pumice.runtime.vulkan.api import check, ffi
from pumice.runtime.vulkan.constants import (
    QUERY_RESULT_64,
    QUERY_RESULT_WAIT,
    QUERY_TIMESTAMP,
    Stage,
    Structure,
)
from pumice.runtime.vulkan.instance import Instance
from pumice.runtime.vulkan.logical import LogicalDevice


class Timer:
    """One mark at the beginning of a command buffer and one after each dispatch."""

    def __init__(self, device: LogicalDevice, pool: int, count: int, clock: "Clock") -> None:
        self._device = device
        self._functions = device.functions
        self._pool = pool
        self._count = count
        self._clock = clock
        self._marked = 0

    def begin(self, commands: Any) -> None:
        """Set the first mark, when what was submitted before has ended."""
        self._functions.vkCmdResetQueryPool(commands, self._pool, 0, self._count)
        self.mark(commands)

    def mark(self, commands: Any) -> None:
        """Set a mark when the dispatches so far have ended."""
        write = self._functions.vkCmdWriteTimestamp
        write(commands, int(Stage.COMPUTE), self._pool, self._marked)
        self._marked += 1

    def read(self) -> list[float]:
        """Return the seconds between marks; the work must be done."""
        data = np.empty(self._count, np.uint64)
        get, flags = self._functions.vkGetQueryPoolResults, QUERY_RESULT_64 | QUERY_RESULT_WAIT
        pointer = ffi().from_buffer("char[]", data)
        result = get(
            self._device.handle, self._pool, 0, self._count, data.nbytes, pointer, 8, flags
        )
        check(result, "read the device's clock")
        return self._clock.seconds(data)


class Clock:
    """The clock of a device's queue.

    Attributes
    ----------
    bits : int
        How many bits of a time mean something; 0 when the device has no clock for this queue.
    period : float
        Seconds of a tick.
    """

    def __init__(self, instance: Instance, device: LogicalDevice) -> None:
        self._device = device
        interface, description = ffi(), device.description
        count = interface.new("uint32_t *")
        families_of = instance.functions.vkGetPhysicalDeviceQueueFamilyProperties
        families_of(description.handle, count, interface.NULL)
        families = interface.new("VkQueueFamilyProperties[]", count[0])
        families_of(description.handle, count, families)
        self.bits = int(families[description.queue_family].timestampValidBits)
        chain = interface.new("VkPhysicalDeviceProperties2 *")
        chain.sType = Structure.PROPERTIES_2
        instance.functions.vkGetPhysicalDeviceProperties2(description.handle, chain)
        self.period = float(chain.properties.limits.timestampPeriod) * 1e-9

    def seconds(self, ticks: Any) -> list[float]:
        """Return the seconds between times, which begin at 0 again when their bits are used up."""
        mask = np.uint64((1 << self.bits) - 1)
        between = (ticks[1:] - ticks[:-1]) & mask
        found: list[float] = (between * self.period).tolist()
        return found

    @contextmanager
    def timer(self, count: int) -> Iterator[Timer]:
        """Make room for some marks."""
        device, interface = self._device, ffi()
        information = interface.new("VkQueryPoolCreateInfo *")
        information.sType = Structure.QUERY_POOL_CREATE_INFO
        information.queryType = QUERY_TIMESTAMP
        information.queryCount = count
        functions = device.functions
        pool = device.create(functions.vkCreateQueryPool, information, "create a query pool")
        try:
            yield Timer(device, pool, count, self)
        finally:
            functions.vkDestroyQueryPool(device.handle, pool, interface.NULL)
