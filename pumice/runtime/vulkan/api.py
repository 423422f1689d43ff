"""The Vulkan loader: where it is, its functions, its return codes."""

import ctypes.util
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from cffi import FFI

from pumice.config import config
from pumice.errors import DeviceError, OutOfMemory
from pumice.runtime.vulkan.constants import Result
from pumice.runtime.vulkan.functions import DEVICE, GLOBAL, INSTANCE
from pumice.runtime.vulkan.structures import STRUCTURES

_STANDARD_NAMES = (
    "libvulkan.so.1",
    "libvulkan.so",
    "vulkan-1.dll",
    "libvulkan.1.dylib",
    "libvulkan.dylib",
    "libMoltenVK.dylib",
    "libGLX_nvidia.so.0",
)
"""The last two are drivers, which serve where no loader is installed."""
DRIVER_INTERFACE = 5
"""The agreement between loaders and drivers of which no more is used than the first function."""
_PROTOTYPE = re.compile(r"([\w \*]+?)\s*\b(vk\w+)\(([^)]*)\);")


class DeviceLostError(DeviceError):
    """The driver has given a device up."""


Table = Any
"""A namespace with one callable per Vulkan function."""


def _pointer_types(prototypes: str) -> str:
    """Turn prototypes into types of function pointers, which is what the loader hands out."""
    return _PROTOTYPE.sub(r"typedef \1 (*PFN_\2)(\3);", prototypes)


@lru_cache(maxsize=1)
def ffi() -> Any:
    """Return the cffi interface with all declarations."""
    interface = FFI()
    interface.cdef(STRUCTURES)
    for prototypes in (GLOBAL, INSTANCE, DEVICE):
        interface.cdef(_pointer_types(prototypes))
    interface.cdef("void *vkGetInstanceProcAddr(VkInstance, const char *);")
    interface.cdef("void *vk_icdGetInstanceProcAddr(VkInstance, const char *);")
    interface.cdef("VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *);")
    interface.cdef(
        "typedef uint32_t (*MessengerCallback)(int, uint32_t, "
        "const VkDebugUtilsMessengerCallbackDataEXT *, void *);"
    )
    return interface


def _candidates() -> list[str]:
    chosen = config().vulkan_library
    if chosen:
        return [chosen]
    found = ctypes.util.find_library("vulkan")
    return ([found] if found else []) + list(_STANDARD_NAMES)


@lru_cache(maxsize=1)
def loader() -> Any:
    """Open the Vulkan loader.

    Raises
    ------
    DeviceError
        When there is none, with what was tried.
    """
    tried = _candidates()
    for name in tried:
        try:
            return ffi().dlopen(name)
        except OSError:
            continue
    raise DeviceError(
        f"Vulkan: no loader library found (tried {', '.join(tried)}); install the driver of your "
        "GPU with its Vulkan loader (package libvulkan1 and mesa-vulkan-drivers on Debian and "
        "Ubuntu, MoltenVK on macOS), or set PUMICE_VULKAN_LIBRARY to its path"
    )


@lru_cache(maxsize=1)
def resolver() -> Callable[[Any, bytes], Any]:
    """Return what finds the functions: the loader's, or a driver's own where there is no loader."""
    library = loader()
    if _has(library, "vkGetInstanceProcAddr"):
        return library.vkGetInstanceProcAddr  # type: ignore[no-any-return]
    if _has(library, "vk_icdNegotiateLoaderICDInterfaceVersion"):
        version = ffi().new("uint32_t *", DRIVER_INTERFACE)
        if library.vk_icdNegotiateLoaderICDInterfaceVersion(version) >= 0:
            return library.vk_icdGetInstanceProcAddr  # type: ignore[no-any-return]
    raise DeviceError("Vulkan: the library found is neither a loader nor a driver")


def _has(library: Any, name: str) -> bool:
    try:
        getattr(library, name)
    except AttributeError:
        return False
    return True


def functions(prototypes: str, resolve: Callable[[bytes], Any]) -> Table:
    """Look up every function of a list; missing ones are None."""
    interface = ffi()
    table = SimpleNamespace()
    for _, name, _ in _PROTOTYPE.findall(prototypes):
        address = resolve(name.encode())
        found = interface.cast(f"PFN_{name}", address) if address != interface.NULL else None
        setattr(table, name, found)
    return table


@lru_cache(maxsize=1)
def global_functions() -> Table:
    """Return the functions that need no instance."""
    resolve, null = resolver(), ffi().NULL
    return functions(GLOBAL, lambda name: resolve(null, name))


def instance_functions(instance: Any) -> Table:
    resolve = resolver()
    return functions(INSTANCE, lambda name: resolve(instance, name))


def device_functions(of_instance: Table, device: Any) -> Table:
    return functions(DEVICE, lambda name: of_instance.vkGetDeviceProcAddr(device, name))


def result_name(result: int) -> str:
    try:
        return f"VK_ERROR_{Result(result).name}"
    except ValueError:
        return f"VkResult {result}"


def check(result: int, action: str) -> int:
    """Raise when a return code is an error; return it otherwise."""
    if result >= 0:
        return result
    if result == Result.DEVICE_LOST:
        raise DeviceLostError(
            f"Vulkan: the device was lost while trying to {action}; its contents are gone. A "
            "driver reset or a kernel that ran too long are the usual causes; other devices "
            "keep working, this one does again in a new process"
        )
    if result in (Result.OUT_OF_HOST_MEMORY, Result.OUT_OF_DEVICE_MEMORY):
        raise OutOfMemory(
            f"Vulkan: could not {action}, the driver is out of memory ({result_name(result)}); "
            "let go of tensors and call pumice.empty_cache(), then try again"
        )
    raise DeviceError(f"Vulkan: could not {action} ({result_name(result)})")


def strings(values: Iterable[str]) -> tuple[Any, list[Any]]:
    """Return a C array of strings, and what must stay alive with it."""
    interface = ffi()
    kept = [interface.new("char[]", value.encode()) for value in values]
    return interface.new("char *[]", kept), kept


def text(field: Any) -> str:
    """Return a fixed-size C string."""
    return bytes(ffi().string(field)).decode(errors="replace")
