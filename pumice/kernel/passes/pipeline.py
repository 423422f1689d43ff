"""The passes every kernel goes through before a backend sees it."""

from collections.abc import Callable

from pumice.config import config
from pumice.kernel.ir import Kernel
from pumice.kernel.passes.hoist import hoist
from pumice.kernel.passes.number import number
from pumice.kernel.passes.simplify import simplify
from pumice.kernel.verify import verify_kernel

PASSES: tuple[Callable[[Kernel], Kernel], ...] = (simplify, number, hoist)


def optimise(kernel: Kernel) -> Kernel:
    """Return an equivalent, cheaper kernel; verified around each pass when the settings say so."""
    verify = config().verify
    if verify:
        verify_kernel(kernel)
    for improve in PASSES:
        kernel = improve(kernel)
        if verify:
            verify_kernel(kernel)
    return kernel
