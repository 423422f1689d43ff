"""Seeing what pumice does: kernels, memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pumice.engine.devices import parse_device, runtime_of
from pumice.target import CPU
from pumice.tensor.marks import method, public
from pumice.tensor.operands import tensor_node

if TYPE_CHECKING:
    from pumice.engine.profile import Profile
    from pumice.tensor.tensor import Tensor


@method
def explain(input: Tensor) -> str:
    """Return the kernels that evaluating a tensor would take, one paragraph each.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    str
        For each kernel in order: what it stores, the loops it runs over, the operations fused
        into it and the line that asked for it.

    Examples
    --------
    >>> import pumice
    >>> x = pumice.ones(4, 8)
    >>> print(pumice.explain(x.exp().sum(dim=1) * 2).splitlines()[1])
      computes: exp sum mul
    """
    # The compiler is imported when it is first needed.
    from pumice.engine import explain as engine

    return engine.explain([tensor_node("explain", input)])


@public
def profile() -> Profile:
    """Time every kernel that runs inside a ``with`` block, on this thread.

    Kernels run one by one and are waited for, so their times add up to a little more than the same
    work takes otherwise; operations that are only recorded inside the block do not run.

    Returns
    -------
    Profile
        Prints as a table: milliseconds, share and number of launches for each kernel, with the
        operation it ends with, the shape of its result and the line that asked for it. Its
        ``kernels``, ``by_operation()``, ``seconds`` and ``kernel_seconds`` hold the figures.

    Examples
    --------
    >>> import pumice
    >>> x = pumice.ones(64, 64)
    >>> with pumice.profile() as times:
    ...     total = (x @ x).sum().item()
    >>> [each.calls for each in times.kernels if each.kernel.name == "sum"]
    [1]
    """
    # The compiler is imported when it is first needed.
    from pumice.engine.profile import Profile

    return Profile()


@public
def memory_stats(device: Any = CPU) -> dict[str, int]:
    """Return the bytes of device memory in use.

    Parameters
    ----------
    device : str or Device
        The CPU by default.

    Returns
    -------
    dict
        ``live`` (in tensors and running plans), ``peak`` (its highest value), ``cached`` (kept for
        reuse) and ``limit`` (what both may come to), in bytes.

    Examples
    --------
    >>> import pumice
    >>> sorted(pumice.memory_stats())
    ['cached', 'limit', 'live', 'peak']
    """
    found = runtime_of(parse_device(device)).memory_statistics()
    return {
        "live": found.live,
        "peak": found.peak,
        "cached": found.cached,
        "limit": found.limit,
    }


@public
def empty_cache(device: Any = CPU) -> None:
    """Give memory that is kept for reuse back to the system.

    Parameters
    ----------
    device : str or Device
        The CPU by default.

    Examples
    --------
    >>> import pumice
    >>> pumice.empty_cache()
    """
    runtime_of(parse_device(device)).empty_cache()


@public
def synchronize(device: Any = CPU) -> None:
    """Wait until everything given to a device is done.

    Parameters
    ----------
    device : str or Device
        The CPU by default, which is never behind.

    Examples
    --------
    >>> import pumice
    >>> pumice.synchronize()
    """
    runtime_of(parse_device(device)).synchronize()
