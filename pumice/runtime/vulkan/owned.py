"""The lock of a device, which belongs to the process that started it."""

import os
import threading

from pumice.errors import DeviceError, describe


class OwnedLock:
    """A re-entrant lock that refuses to be taken in a forked process.

    The threads and the queues of a driver do not follow a fork; a call would wait for ever.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()

    @property
    def is_ours(self) -> bool:
        """Whether this process started the device."""
        return self._process == os.getpid()

    def check(self) -> None:
        """Raise in a forked process."""
        if not self.is_ours:
            raise DeviceError(
                describe(
                    "vulkan",
                    "the device was started before this process was forked",
                    "start worker processes with the 'spawn' method, or keep to the CPU in them",
                )
            )

    def __enter__(self) -> None:
        self.check()
        self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()
