"""Locks that survive `fork`.

A thread that holds a lock while another one forks does not exist in the child, so nobody would
ever release it there. What these locks guard may be left half changed only by such a thread, and
only in ways that lose its own work.
"""

import os
import threading
import weakref
from typing import TYPE_CHECKING

_locks: "weakref.WeakSet[ForkSafeLock]" = weakref.WeakSet()


if TYPE_CHECKING:

    class _ReentrantLock:
        def __enter__(self) -> bool: ...
        def __exit__(self, *exception: object) -> None: ...
        def acquire(self) -> bool: ...
        def release(self) -> None: ...
        def _at_fork_reinit(self) -> None: ...

else:
    # The interpreter's own type: entering and leaving runs no Python code.
    _ReentrantLock = type(threading.RLock())


class ForkSafeLock(_ReentrantLock):
    """A re-entrant lock that is free in a forked child.

    Parameters
    ----------
    delays_fork : bool
        Whether a fork waits until nobody holds it, because native code keeps locks of its own
        meanwhile. At most one lock of a process may do so.
    """

    def __init__(self, *, delays_fork: bool = False) -> None:
        self.delays_fork = delays_fork
        _locks.add(self)

    def renew(self) -> None:
        """Become free, whoever held it."""
        self._at_fork_reinit()


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
