"""Submission: command buffers, one timeline, and what must stay alive until the device is done."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pumice.errors import DeviceError, OutOfMemory
from pumice.runtime.vulkan.api import DeviceLostError, check, ffi
from pumice.runtime.vulkan.constants import (
    FOREVER,
    ONE_TIME_SUBMIT,
    POOL_RESET_COMMAND_BUFFER,
    POOL_TRANSIENT,
    SEMAPHORE_TIMELINE,
    SIMULTANEOUS_USE,
    Access,
    Stage,
    Structure,
)
from pumice.runtime.vulkan.logical import LogicalDevice

IN_FLIGHT_LIMIT = 256
"""Submissions that the device may be behind the host, so that what they keep stays bounded."""

_COPIES = Access.TRANSFER_READ | Access.TRANSFER_WRITE
_SHADERS = Access.SHADER_READ | Access.SHADER_WRITE


@dataclass(slots=True)
class _Submission:
    value: int
    commands: Any
    keep: Sequence[object]


class Queue:
    """One queue with a timeline. The runtime's lock guards all methods but `wait` and `poll`.

    When the device turns out to be lost, `lost` is called with what happened.

    Attributes
    ----------
    first : (Queue, int) or None
        Another queue and a value of its timeline for which the next submission, and so all later
        ones, wait on the device.
    """

    def __init__(
        self, device: LogicalDevice, lost: Callable[[str], None], copies: bool = False
    ) -> None:
        self._device = device
        self._lost = lost
        self._handle = device.copy_queue if copies else device.queue
        family = device.copy_family if copies else device.description.queue_family
        only_copies = family != device.description.queue_family
        self._stages = Stage.TRANSFER if only_copies else Stage.COMPUTE | Stage.TRANSFER
        self.first: tuple[Queue, int] | None = None
        self._functions = device.functions
        self.submitted = 0
        self.completed = 0
        self._in_flight: deque[_Submission] = deque()
        self._free: list[Any] = []
        self.semaphore = self._create_timeline()
        self._pool = self._create_pool(family)
        self._prepare_structures()

    def _create_timeline(self) -> int:
        interface = ffi()
        kind = interface.new("VkSemaphoreTypeCreateInfo *")
        kind.sType = Structure.SEMAPHORE_TYPE_CREATE_INFO
        kind.semaphoreType = SEMAPHORE_TIMELINE
        information = interface.new("VkSemaphoreCreateInfo *")
        information.sType = Structure.SEMAPHORE_CREATE_INFO
        information.pNext = kind
        create = self._functions.vkCreateSemaphore
        return self._device.create(create, information, "create a timeline")

    def _create_pool(self, family: int) -> int:
        information = ffi().new("VkCommandPoolCreateInfo *")
        information.sType = Structure.COMMAND_POOL_CREATE_INFO
        information.flags = POOL_RESET_COMMAND_BUFFER | POOL_TRANSIENT
        information.queueFamilyIndex = family
        create = self._functions.vkCreateCommandPool
        return self._device.create(create, information, "create a command pool")

    def _prepare_structures(self) -> None:
        """Fill once what every submission passes again, since filling costs more than calling."""
        interface = ffi()
        self._begin_once = interface.new("VkCommandBufferBeginInfo *")
        self._begin_once.sType = Structure.COMMAND_BUFFER_BEGIN_INFO
        self._begin_once.flags = ONE_TIME_SUBMIT
        self._begin_reusable = interface.new("VkCommandBufferBeginInfo *")
        self._begin_reusable.sType = Structure.COMMAND_BUFFER_BEGIN_INFO
        self._begin_reusable.flags = SIMULTANEOUS_USE
        self._between = interface.new("VkMemoryBarrier *")
        self._between.sType = Structure.MEMORY_BARRIER
        self._between.srcAccessMask = int(Access.SHADER_WRITE)
        self._between.dstAccessMask = int(Access.SHADER_READ | Access.SHADER_WRITE)
        self._after = interface.new("VkMemoryBarrier *")
        self._after.sType = Structure.MEMORY_BARRIER
        accesses = _COPIES | _SHADERS if self._stages & Stage.COMPUTE else _COPIES
        writes = accesses & (Access.SHADER_WRITE | Access.TRANSFER_WRITE)
        self._after.srcAccessMask = int(writes)
        self._after.dstAccessMask = int(accesses | Access.HOST_READ | Access.HOST_WRITE)
        self._work, self._work_and_host = int(self._stages), int(self._stages | Stage.HOST)
        self._compute = int(Stage.COMPUTE)
        self._value = interface.new("uint64_t *")
        self._signals = interface.new("uint64_t[1]", [self.semaphore])
        self._commands = interface.new("VkCommandBuffer[1]")
        self._timeline = interface.new("VkTimelineSemaphoreSubmitInfo *")
        self._timeline.sType = Structure.TIMELINE_SEMAPHORE_SUBMIT_INFO
        self._timeline.signalSemaphoreValueCount = 1
        self._timeline.pSignalSemaphoreValues = self._value
        self._first_semaphore = interface.new("uint64_t *")
        self._first_value = interface.new("uint64_t *")
        self._first_stages = interface.new("uint32_t *", int(self._stages))
        self._timeline.pWaitSemaphoreValues = self._first_value
        self._submit = interface.new("VkSubmitInfo *")
        self._submit.sType = Structure.SUBMIT_INFO
        self._submit.pNext = self._timeline
        self._submit.commandBufferCount = 1
        self._submit.pCommandBuffers = self._commands
        self._submit.pWaitSemaphores = self._first_semaphore
        self._submit.pWaitDstStageMask = self._first_stages
        self._submit.signalSemaphoreCount = 1
        self._submit.pSignalSemaphores = self._signals

    # -- recording ------------------------------------------------------------------------------

    def begin(self, once: bool) -> Any:
        """Return a command buffer ready for recording, for one submission or for many."""
        commands = self._free.pop() if self._free else self._new_commands()
        begin = self._begin_once if once else self._begin_reusable
        check(self._functions.vkBeginCommandBuffer(commands, begin), "record commands")
        return commands

    def _new_commands(self) -> Any:
        interface = ffi()
        information = interface.new("VkCommandBufferAllocateInfo *")
        information.sType = Structure.COMMAND_BUFFER_ALLOCATE_INFO
        information.commandPool = self._pool
        information.commandBufferCount = 1
        made = interface.new("VkCommandBuffer[1]")
        allocate = self._functions.vkAllocateCommandBuffers
        check(allocate(self._device.handle, information, made), "create a command buffer")
        return made[0]

    def barrier(self, commands: Any) -> None:
        """Make what dispatches wrote so far visible to those that follow in the command buffer."""
        null = ffi().NULL
        self._functions.vkCmdPipelineBarrier(
            commands, self._compute, self._compute, 0, 1, self._between, 0, null, 0, null
        )

    def finish(self, commands: Any) -> None:
        """Close a command buffer.

        A last barrier makes the results visible to later submissions and to the host.
        """
        functions, null = self._functions, ffi().NULL
        functions.vkCmdPipelineBarrier(
            commands, self._work, self._work_and_host, 0, 1, self._after, 0, null, 0, null
        )
        check(functions.vkEndCommandBuffer(commands), "record commands")

    def recycle(self, commands: Any) -> None:
        """Take back a command buffer whose last submission is done."""
        self._free.append(commands)

    def submit(self, commands: Any) -> int:
        """Submit a closed command buffer; return the timeline value that tells it is done."""
        value = self.submitted + 1
        try:
            self._send(commands, value)
            self.submitted = value
        except (DeviceError, OutOfMemory):
            raise
        except BaseException:
            self._catch_up(value)
            raise
        if value - self.poll() > IN_FLIGHT_LIMIT:
            self.wait(value - IN_FLIGHT_LIMIT)
        return value

    def _send(self, commands: Any, value: int) -> None:
        self._value[0] = value
        if commands is None:
            self._submit.commandBufferCount = 0
        else:
            self._submit.commandBufferCount = 1
            self._commands[0] = commands
        if self.first is not None:
            other, reached = self.first
            self._first_semaphore[0], self._first_value[0] = other.semaphore, reached
            self._submit.waitSemaphoreCount = self._timeline.waitSemaphoreValueCount = 1
        submit = self._functions.vkQueueSubmit
        self._check(submit(self._handle, 1, self._submit, 0), "submit work")
        if self.first is not None:
            self._submit.waitSemaphoreCount = self._timeline.waitSemaphoreValueCount = 0
            self.first = None

    def _catch_up(self, value: int) -> None:
        """See to an interrupt that came when a value may or may not have been submitted already.

        One more is submitted, which is reached after all work before it in either case.
        """
        self.submitted = value + 1
        self._send(None, self.submitted)

    def submit_once(self, commands: Any, keep: Sequence[object]) -> int:
        """Submit a command buffer that is taken back when it is done."""
        value = self.submit(commands)
        self._in_flight.append(_Submission(value, commands, keep))
        self.reclaim()
        return value

    def _check(self, result: int, action: str) -> None:
        try:
            check(result, action)
        except DeviceLostError as error:
            self._lost(str(error))
            raise

    # -- completion -----------------------------------------------------------------------------

    def poll(self) -> int:
        """Return the timeline value reached."""
        if self.completed < self.submitted:
            value = ffi().new("uint64_t *")
            get = self._functions.vkGetSemaphoreCounterValue
            self._check(get(self._device.handle, self.semaphore, value), "ask for progress")
            self.completed = max(self.completed, int(value[0]))
        return self.completed

    def wait(self, value: int) -> None:
        """Block until the timeline has reached a value."""
        if value <= self.completed:
            return
        interface = ffi()
        semaphores = interface.new("uint64_t[1]", [self.semaphore])
        values = interface.new("uint64_t[1]", [value])
        information = interface.new("VkSemaphoreWaitInfo *")
        information.sType = Structure.SEMAPHORE_WAIT_INFO
        information.semaphoreCount = 1
        information.pSemaphores = semaphores
        information.pValues = values
        wait = self._functions.vkWaitSemaphores
        self._check(wait(self._device.handle, information, FOREVER), "wait for the device")
        self.completed = max(self.completed, value)

    def reclaim(self) -> None:
        """Let go of what finished submissions kept."""
        done = self.poll()
        while self._in_flight and self._in_flight[0].value <= done:
            self._free.append(self._in_flight.popleft().commands)

    def destroy(self) -> None:
        """Wait for the device and release its objects."""
        self._functions.vkDeviceWaitIdle(self._device.handle)
        self.completed = self.submitted
        self._in_flight.clear()
        null = ffi().NULL
        self._functions.vkDestroyCommandPool(self._device.handle, self._pool, null)
        self._functions.vkDestroySemaphore(self._device.handle, self.semaphore, null)
