"""Locks that survive `fork`.

A thread that holds a lock while another one forks does not exist in the child, so nobody would
ever release it there. What these locks guard may be left half changed only by such a thread, and
only in ways that lose its own work.
"""

import os
import threading
import weakref

_locks: "weakref.WeakSet[ForkSafeLock]" = weakref.WeakSet()


class ForkSafeLock:
    """A re-entrant lock that is free in a forked child.

    Parameters
    ----------
    delays_fork : bool
        Whether a fork waits until nobody holds it, because native code keeps locks of its own
        meanwhile. At most one lock of a process may do so.
    """

    __slots__ = ("__weakref__", "_lock", "delays_fork")

    def __init__(self, *, delays_fork: bool = False) -> None:
        self._lock = threading.RLock()
        self.delays_fork = delays_fork
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Become free, whoever held it."""
        self._lock = threading.RLock()


def _before_fork() -> None:
    for lock in list(_locks):
        if lock.delays_fork:
            lock.__enter__()


def _in_parent() -> None:
    for lock in list(_locks):
        if lock.delays_fork:
            lock.__exit__()


def _in_child() -> None:
    for lock in list(_locks):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)
