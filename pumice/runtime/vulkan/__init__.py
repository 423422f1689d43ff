"""Vulkan devices: memory, pipelines, command buffers.

Stage: 7 of 7.
Takes: `Artifact` with SPIR-V, argument words.
Gives: results in device memory.
"""

from pumice.runtime.vulkan.physical import DeviceDescription
from pumice.runtime.vulkan.runtime import VulkanRuntime
from pumice.runtime.vulkan.selection import enumerate_devices

__all__ = ["DeviceDescription", "VulkanRuntime", "enumerate_devices"]
