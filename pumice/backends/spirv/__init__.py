"""Kernels as SPIR-V modules, written word by word.

Stage: 6 of 7.
Takes: `Kernel`, a Vulkan `Target`.
Gives: `Artifact` holding a SPIR-V 1.5 module, or the name of one that operators share.
"""

from pumice.backends.spirv.backend import SpirvBackend
from pumice.backends.spirv.operators import shared_module

__all__ = ["SpirvBackend", "shared_module"]
