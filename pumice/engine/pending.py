"""Checks that wait for the next time values of a device are read.

Launches on a GPU go on while Python does; a data error they record is raised when the host reads
something back, without a wait of its own.
"""

from collections.abc import Callable

from pumice.engine.faults import REPORTS
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

    def has(self, device: Device, key: int) -> bool:
        """Tell whether a check waits."""
        with self._lock:
            return key in self._checks.get(device, {})

    def run(self, device: Device) -> None:
        """Run and forget the checks of a device.

        The first data error is raised. What has not been looked at by then, or because of an
        interrupt, is looked at next time.
        """
        if not self._checks:
            return
        with self._lock:
            checks = self._checks.pop(device, {})
        try:
            while checks:
                key = next(iter(checks))
                try:
                    checks[key]()
                except REPORTS:
                    del checks[key]
                    raise
                del checks[key]
        finally:
            if checks:
                with self._lock:
                    self._checks[device] = checks | self._checks.get(device, {})


pending_checks = PendingChecks()
