"""Vulkan devices: memory, pipelines, command buffers.

Stage: 7 of 7.
Takes: `Artifact` with SPIR-V, argument words.
Gives: results in device memory.
"""

from pumice.runtime.vulkan.physical import DeviceDescription, enumerate_devices
from pumice.runtime.vulkan.runtime import VulkanRuntime

__all__ = ["DeviceDescription", "VulkanRuntime", "enumerate_devices"]
