"""Checks that wait for the next time values of a device are read.

Launches on a GPU go on while Python does; a data error they record is raised when the host reads
something back, without a wait of its own.
"""

from collections.abc import Callable

from pumice.locks import ForkSafeLock
from pumice.target import Device

Check = Callable[[], None]


class PendingChecks:
    """At most one check per key and device."""

    def __init__(self) -> None:
        self._checks: dict[Device, dict[int, Check]] = {}
        self._lock = ForkSafeLock()

    def add(self, device: Device, key: int, check: Check) -> None:
        """Run ``check`` at the next read; a later one of the same key replaces it."""
        with self._lock:
            self._checks.setdefault(device, {})[key] = check

    def run(self, device: Device) -> None:
        """Run and forget the checks of a device; the first error is raised."""
        if not self._checks:
            return
        with self._lock:
            checks = self._checks.pop(device, {})
        for check in checks.values():
            check()


pending_checks = PendingChecks()
