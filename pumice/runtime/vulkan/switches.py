"""Switches: features that can be turned off by name, for devices whose driver gets them wrong."""

from collections.abc import Iterable, Mapping

from pumice.errors import InvalidArgument

SUBGROUPS = "subgroups"
COOPERATIVE_MATRIX = "cooperativeMatrix"
BFLOAT16_MATRIX = "shaderBFloat16CooperativeMatrix"
WIDE_ACCESS = "wideAccess"

SWITCHES: Mapping[str, tuple[str, ...]] = {
    "float64": ("shaderFloat64",),
    "int64": ("shaderInt64",),
    "float16": ("shaderFloat16",),
    "int16": ("shaderInt16",),
    "int8": ("shaderInt8",),
    "storage16": ("storageBuffer16BitAccess",),
    "storage8": ("storageBuffer8BitAccess",),
    "subgroups": (SUBGROUPS,),
    "cooperative_matrix": (COOPERATIVE_MATRIX, BFLOAT16_MATRIX),
    "wide_access": (WIDE_ACCESS,),
    "float_controls": (
        "shaderDenormPreserveFloat32",
        "shaderDenormPreserveFloat64",
        "shaderRoundingModeRTEFloat32",
        "shaderRoundingModeRTEFloat64",
        "shaderSignedZeroInfNanPreserveFloat32",
        "shaderSignedZeroInfNanPreserveFloat64",
    ),
}
"""What each switch turns off, by the names of `DeviceDescription.features`."""


def features_off(names: Iterable[str]) -> frozenset[str]:
    """Return the features that switches turn off.

    Raises
    ------
    InvalidArgument
        For a name that is no switch.
    """
    off: set[str] = set()
    for name in names:
        if name not in SWITCHES:
            raise InvalidArgument(
                f"Vulkan: there is no switch {name!r}; there are {', '.join(SWITCHES)}"
            )
        off.update(SWITCHES[name])
    return frozenset(off)
