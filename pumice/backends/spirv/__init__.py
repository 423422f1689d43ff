"""Kernels as SPIR-V modules, written word by word.

Stage: 6 of 7.
Takes: `Kernel`, a Vulkan `Target`.
Gives: `Artifact` holding a SPIR-V 1.5 module with one compute entry point.
"""

from pumice.backends.spirv.backend import SpirvBackend

__all__ = ["SpirvBackend"]
