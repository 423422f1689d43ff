"""The Vulkan instance: one per process, with or without the validation layer."""

from collections import deque
from functools import lru_cache
from typing import Any

from pumice.errors import DeviceError
from pumice.runtime.vulkan.api import (
    check,
    ffi,
    global_functions,
    instance_functions,
    result_name,
    strings,
    text,
)
from pumice.runtime.vulkan.constants import (
    API_VERSION_1_2,
    API_VERSION_1_3,
    INSTANCE_ENUMERATE_PORTABILITY,
    MESSAGE_GENERAL,
    MESSAGE_PERFORMANCE,
    MESSAGE_VALIDATION,
    SEVERITY_ERROR,
    SEVERITY_WARNING,
    VALIDATE_SYNCHRONIZATION,
    Structure,
)

VALIDATION_LAYER = "VK_LAYER_KHRONOS_validation"
DEBUG_UTILS = "VK_EXT_debug_utils"
PORTABILITY = "VK_KHR_portability_enumeration"
MESSAGES_KEPT = 1000


class Instance:
    """A Vulkan instance and what it prints."""

    def __init__(self, validation: bool) -> None:
        self.validation = validation
        self.messages: deque[str] = deque(maxlen=MESSAGES_KEPT)
        self.version = _loader_version()
        extensions = _extensions()
        chosen = [PORTABILITY] if PORTABILITY in extensions else []
        layers: list[str] = []
        if validation:
            _require_validation(extensions)
            layers.append(VALIDATION_LAYER)
            chosen.append(DEBUG_UTILS)
        self.handle = self._create(layers, chosen)
        self.functions = instance_functions(self.handle)
        if validation:
            self._listen()

    def _create(self, layers: list[str], extensions: list[str]) -> Any:
        interface = ffi()
        name = interface.new("char[]", b"pumice")
        application = interface.new("VkApplicationInfo *")
        application.sType = Structure.APPLICATION_INFO
        application.pApplicationName = application.pEngineName = name
        application.apiVersion = min(self.version, API_VERSION_1_3)
        layer_names, kept_layers = strings(layers)
        extension_names, kept_extensions = strings(extensions)
        information = interface.new("VkInstanceCreateInfo *")
        information.sType = Structure.INSTANCE_CREATE_INFO
        information.flags = INSTANCE_ENUMERATE_PORTABILITY if PORTABILITY in extensions else 0
        information.pApplicationInfo = application
        information.enabledLayerCount = len(kept_layers)
        information.ppEnabledLayerNames = layer_names
        information.enabledExtensionCount = len(kept_extensions)
        information.ppEnabledExtensionNames = extension_names
        enabled = interface.new("int[1]", [VALIDATE_SYNCHRONIZATION])
        features = interface.new("VkValidationFeaturesEXT *")
        features.sType = Structure.VALIDATION_FEATURES
        features.enabledValidationFeatureCount = 1
        features.pEnabledValidationFeatures = enabled
        if layers:
            information.pNext = features
        handle = interface.new("VkInstance *")
        result = global_functions().vkCreateInstance(information, interface.NULL, handle)
        if result < 0:
            raise DeviceError(
                f"Vulkan: the loader found no usable driver ({result_name(result)}); install the "
                "Vulkan driver of your GPU (package mesa-vulkan-drivers on Debian and Ubuntu)"
            )
        return handle[0]

    def _listen(self) -> None:
        interface = ffi()

        def receive(severity: int, kinds: int, data: Any, user: Any) -> int:
            self.messages.append(bytes(interface.string(data.pMessage)).decode(errors="replace"))
            return 0

        self._callback = interface.callback("MessengerCallback", receive)
        information = interface.new("VkDebugUtilsMessengerCreateInfoEXT *")
        information.sType = Structure.DEBUG_UTILS_MESSENGER_CREATE_INFO
        information.messageSeverity = SEVERITY_WARNING | SEVERITY_ERROR
        information.messageType = MESSAGE_GENERAL | MESSAGE_VALIDATION | MESSAGE_PERFORMANCE
        information.pfnUserCallback = interface.cast("void *", self._callback)
        messenger = interface.new("uint64_t *")
        check(
            self.functions.vkCreateDebugUtilsMessengerEXT(
                self.handle, information, interface.NULL, messenger
            ),
            "listen to the validation layer",
        )


@lru_cache(maxsize=2)
def instance(validation: bool) -> Instance:
    """Return the instance of this process; it lives as long as the process."""
    return Instance(validation)


def _loader_version() -> int:
    enumerate_version = global_functions().vkEnumerateInstanceVersion
    number = ffi().new("uint32_t *")
    if enumerate_version is None or enumerate_version(number) < 0:
        number[0] = 0
    if number[0] < API_VERSION_1_2:
        raise DeviceError("Vulkan: the loader is older than Vulkan 1.2; update the GPU driver")
    return int(number[0])


def _extensions() -> set[str]:
    interface, table = ffi(), global_functions()
    count = interface.new("uint32_t *")
    call = table.vkEnumerateInstanceExtensionProperties
    check(call(interface.NULL, count, interface.NULL), "list instance extensions")
    found = interface.new("VkExtensionProperties[]", max(count[0], 1))
    check(call(interface.NULL, count, found), "list instance extensions")
    return {text(found[position].extensionName) for position in range(count[0])}


def _require_validation(extensions: set[str]) -> None:
    interface, table = ffi(), global_functions()
    count = interface.new("uint32_t *")
    call = table.vkEnumerateInstanceLayerProperties
    if call is None:  # a driver without a loader
        raise DeviceError("Vulkan: layers need the Vulkan loader, which is not installed")
    check(call(count, interface.NULL), "list layers")
    found = interface.new("VkLayerProperties[]", max(count[0], 1))
    check(call(count, found), "list layers")
    layers = {text(found[position].layerName) for position in range(count[0])}
    if VALIDATION_LAYER not in layers or DEBUG_UTILS not in extensions:
        raise DeviceError(
            f"Vulkan: {VALIDATION_LAYER} is not installed; install it (package "
            "vulkan-validationlayers on Debian and Ubuntu) or unset PUMICE_VULKAN_VALIDATION"
        )
