"""Functions of the Vulkan registry that the runtime calls, by the level they belong to."""

GLOBAL = """
VkResult vkCreateInstance(const VkInstanceCreateInfo *, const void *, VkInstance *);
VkResult vkEnumerateInstanceVersion(uint32_t *);
VkResult vkEnumerateInstanceLayerProperties(uint32_t *, VkLayerProperties *);
VkResult vkEnumerateInstanceExtensionProperties(const char *, uint32_t *, VkExtensionProperties
  *);
"""

INSTANCE = """
void vkDestroyInstance(VkInstance, const void *);
VkResult vkEnumeratePhysicalDevices(VkInstance, uint32_t *, VkPhysicalDevice *);
void vkGetPhysicalDeviceProperties2(VkPhysicalDevice, VkPhysicalDeviceProperties2 *);
void vkGetPhysicalDeviceFeatures2(VkPhysicalDevice, VkPhysicalDeviceFeatures2 *);
void vkGetPhysicalDeviceMemoryProperties2(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2 *);
void vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, uint32_t *,
  VkQueueFamilyProperties *);
VkResult vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(VkPhysicalDevice, uint32_t *,
  VkCooperativeMatrixPropertiesKHR *);
VkResult vkEnumerateDeviceExtensionProperties(VkPhysicalDevice, const char *, uint32_t *,
  VkExtensionProperties *);
VkResult vkCreateDevice(VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *);
void * vkGetDeviceProcAddr(VkDevice, const char *);
VkResult vkCreateDebugUtilsMessengerEXT(VkInstance, const VkDebugUtilsMessengerCreateInfoEXT *,
  const void *, uint64_t *);
void vkDestroyDebugUtilsMessengerEXT(VkInstance, uint64_t, const void *);
"""

DEVICE = """
void vkDestroyDevice(VkDevice, const void *);
void vkGetDeviceQueue(VkDevice, uint32_t, uint32_t, VkQueue *);
VkResult vkDeviceWaitIdle(VkDevice);
VkResult vkAllocateMemory(VkDevice, const VkMemoryAllocateInfo *, const void *, uint64_t *);
void vkFreeMemory(VkDevice, uint64_t, const void *);
VkResult vkMapMemory(VkDevice, uint64_t, uint64_t, uint64_t, uint32_t, void **);
void vkUnmapMemory(VkDevice, uint64_t);
VkResult vkCreateBuffer(VkDevice, const VkBufferCreateInfo *, const void *, uint64_t *);
void vkDestroyBuffer(VkDevice, uint64_t, const void *);
void vkGetBufferMemoryRequirements(VkDevice, uint64_t, VkMemoryRequirements *);
VkResult vkBindBufferMemory(VkDevice, uint64_t, uint64_t, uint64_t);
uint64_t vkGetBufferDeviceAddress(VkDevice, const VkBufferDeviceAddressInfo *);
VkResult vkCreateShaderModule(VkDevice, const VkShaderModuleCreateInfo *, const void *, uint64_t
  *);
void vkDestroyShaderModule(VkDevice, uint64_t, const void *);
VkResult vkCreatePipelineCache(VkDevice, const VkPipelineCacheCreateInfo *, const void *, uint64_t
  *);
void vkDestroyPipelineCache(VkDevice, uint64_t, const void *);
VkResult vkGetPipelineCacheData(VkDevice, uint64_t, size_t *, void *);
VkResult vkCreatePipelineLayout(VkDevice, const VkPipelineLayoutCreateInfo *, const void *,
  uint64_t *);
void vkDestroyPipelineLayout(VkDevice, uint64_t, const void *);
VkResult vkCreateComputePipelines(VkDevice, uint64_t, uint32_t, const VkComputePipelineCreateInfo
  *, const void *, uint64_t *);
void vkDestroyPipeline(VkDevice, uint64_t, const void *);
VkResult vkCreateCommandPool(VkDevice, const VkCommandPoolCreateInfo *, const void *, uint64_t *);
void vkDestroyCommandPool(VkDevice, uint64_t, const void *);
VkResult vkAllocateCommandBuffers(VkDevice, const VkCommandBufferAllocateInfo *, VkCommandBuffer
  *);
VkResult vkBeginCommandBuffer(VkCommandBuffer, const VkCommandBufferBeginInfo *);
VkResult vkEndCommandBuffer(VkCommandBuffer);
void vkCmdBindPipeline(VkCommandBuffer, int, uint64_t);
void vkCmdPushConstants(VkCommandBuffer, uint64_t, uint32_t, uint32_t, uint32_t, const void *);
void vkCmdDispatch(VkCommandBuffer, uint32_t, uint32_t, uint32_t);
void vkCmdPipelineBarrier(VkCommandBuffer, uint32_t, uint32_t, uint32_t, uint32_t, const
  VkMemoryBarrier *, uint32_t, const void *, uint32_t, const void *);
void vkCmdCopyBuffer(VkCommandBuffer, uint64_t, uint64_t, uint32_t, const VkBufferCopy *);
VkResult vkCreateQueryPool(VkDevice, const VkQueryPoolCreateInfo *, const void *, uint64_t *);
void vkDestroyQueryPool(VkDevice, uint64_t, const void *);
void vkCmdResetQueryPool(VkCommandBuffer, uint64_t, uint32_t, uint32_t);
void vkCmdWriteTimestamp(VkCommandBuffer, uint32_t, uint64_t, uint32_t);
VkResult vkGetQueryPoolResults(VkDevice, uint64_t, uint32_t, uint32_t, size_t, void *, uint64_t,
  uint32_t);
VkResult vkQueueSubmit(VkQueue, uint32_t, const VkSubmitInfo *, uint64_t);
VkResult vkCreateSemaphore(VkDevice, const VkSemaphoreCreateInfo *, const void *, uint64_t *);
void vkDestroySemaphore(VkDevice, uint64_t, const void *);
VkResult vkWaitSemaphores(VkDevice, const VkSemaphoreWaitInfo *, uint64_t);
VkResult vkGetSemaphoreCounterValue(VkDevice, uint64_t, uint64_t *);
"""
