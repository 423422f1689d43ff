"""What all modules have in common: the names of their entry points and how these treat floats."""

from pumice.backends.spirv.module import Module
from pumice.backends.spirv.opcodes import Capability, ExecutionMode
from pumice.target import Target

DEFAULT_GROUP = 64
NARROW_ENTRY = "main"
WIDE_ENTRY = "wide"
_FLOAT_CONTROLS = (
    ("denorm", Capability.DENORM_PRESERVE, ExecutionMode.DENORM_PRESERVE),
    (
        "nan",
        Capability.SIGNED_ZERO_INF_NAN_PRESERVE,
        ExecutionMode.SIGNED_ZERO_INF_NAN_PRESERVE,
    ),
    ("rte", Capability.ROUNDING_MODE_RTE, ExecutionMode.ROUNDING_MODE_RTE),
)


def group_of(target: Target) -> int:
    """Return the invocations of a workgroup whose invocations run by themselves."""
    return target.limits.get("group", DEFAULT_GROUP)


def has_wide(target: Target) -> bool:
    """Tell whether there is an entry point with 64-bit index arithmetic."""
    return target.limits.get("index_bits", 64) == 64


def float_controls(module: Module, target: Target, widths: set[int], main: int) -> None:
    """Ask an entry point to keep subnormals and NaN and to round to nearest, where it can."""
    for name, capability, mode in _FLOAT_CONTROLS:
        for width in sorted(widths):
            if target.limits.get(f"{name}{width}", 0):
                module.require(capability)
                module.execution_mode(main, mode, width)
