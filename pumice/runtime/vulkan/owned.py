"""The lock of a device, which belongs to the process that started it."""

from pumice.errors import DeviceError, describe
from pumice.locks import ForkSafeLock


class OwnedLock(ForkSafeLock):
    """A re-entrant lock that refuses to be taken in a forked process.

    The threads and the queues of a driver do not follow a fork; a call would wait for ever. It
    refuses too when the device has been lost. What is done often calls `acquire`, which is the
    interpreter's own, after a look at `usable`.

    Attributes
    ----------
    is_ours : bool
        Whether this process started the device.
    usable : bool
        Whether it did, and the device has not been lost since.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_ours = self.usable = True
        self._loss = ""

    def renew(self) -> None:
        """Become free, and refuse: this is a forked process."""
        super().renew()
        self.is_ours = self.usable = False

    def give_up(self, loss: str) -> None:
        """Refuse from now on, with the message of the error by which the device was lost."""
        self._loss = loss
        self.usable = False

    def check(self) -> None:
        """Raise in a forked process, and when the device is lost."""
        if self._loss:
            raise DeviceError(self._loss)
        if not self.is_ours:
            raise DeviceError(
                describe(
                    "vulkan",
                    "the device was started before this process was forked",
                    "start worker processes with the 'spawn' method, or keep to the CPU in them",
                )
            )

    def __enter__(self) -> bool:
        self.check()
        return super().__enter__()
