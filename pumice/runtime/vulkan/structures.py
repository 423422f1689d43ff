"""Structures of the Vulkan registry that the runtime uses, as C declarations for cffi.

Enumerations are ``int``, flags and booleans ``uint32_t``, handles of objects ``uint64_t`` (the
registry makes them 64 bits wide everywhere) and handles of dispatchable objects pointers.
"""

STRUCTURES = """
typedef int VkResult;
typedef void *VkInstance;
typedef void *VkPhysicalDevice;
typedef void *VkDevice;
typedef void *VkQueue;
typedef void *VkCommandBuffer;
typedef struct VkApplicationInfo { int sType; const void *pNext; const char *pApplicationName;
  uint32_t applicationVersion; const char *pEngineName; uint32_t engineVersion, apiVersion; }
  VkApplicationInfo;
typedef struct VkInstanceCreateInfo { int sType; const void *pNext; uint32_t flags; const
  VkApplicationInfo *pApplicationInfo; uint32_t enabledLayerCount; const char *const
  *ppEnabledLayerNames; uint32_t enabledExtensionCount; const char *const
  *ppEnabledExtensionNames; } VkInstanceCreateInfo;
typedef struct VkLayerProperties { char layerName[256]; uint32_t specVersion,
  implementationVersion; char description[256]; } VkLayerProperties;
typedef struct VkExtensionProperties { char extensionName[256]; uint32_t specVersion; }
  VkExtensionProperties;
typedef struct VkPhysicalDeviceLimits { uint32_t maxImageDimension1D, maxImageDimension2D,
  maxImageDimension3D, maxImageDimensionCube, maxImageArrayLayers, maxTexelBufferElements,
  maxUniformBufferRange, maxStorageBufferRange, maxPushConstantsSize, maxMemoryAllocationCount,
  maxSamplerAllocationCount; uint64_t bufferImageGranularity, sparseAddressSpaceSize; uint32_t
  maxBoundDescriptorSets, maxPerStageDescriptorSamplers, maxPerStageDescriptorUniformBuffers,
  maxPerStageDescriptorStorageBuffers, maxPerStageDescriptorSampledImages,
  maxPerStageDescriptorStorageImages, maxPerStageDescriptorInputAttachments, maxPerStageResources,
  maxDescriptorSetSamplers, maxDescriptorSetUniformBuffers, maxDescriptorSetUniformBuffersDynamic,
  maxDescriptorSetStorageBuffers, maxDescriptorSetStorageBuffersDynamic,
  maxDescriptorSetSampledImages, maxDescriptorSetStorageImages, maxDescriptorSetInputAttachments,
  maxVertexInputAttributes, maxVertexInputBindings, maxVertexInputAttributeOffset,
  maxVertexInputBindingStride, maxVertexOutputComponents, maxTessellationGenerationLevel,
  maxTessellationPatchSize, maxTessellationControlPerVertexInputComponents,
  maxTessellationControlPerVertexOutputComponents, maxTessellationControlPerPatchOutputComponents,
  maxTessellationControlTotalOutputComponents, maxTessellationEvaluationInputComponents,
  maxTessellationEvaluationOutputComponents, maxGeometryShaderInvocations,
  maxGeometryInputComponents, maxGeometryOutputComponents, maxGeometryOutputVertices,
  maxGeometryTotalOutputComponents, maxFragmentInputComponents, maxFragmentOutputAttachments,
  maxFragmentDualSrcAttachments, maxFragmentCombinedOutputResources, maxComputeSharedMemorySize,
  maxComputeWorkGroupCount[3], maxComputeWorkGroupInvocations, maxComputeWorkGroupSize[3],
  subPixelPrecisionBits, subTexelPrecisionBits, mipmapPrecisionBits, maxDrawIndexedIndexValue,
  maxDrawIndirectCount; float maxSamplerLodBias, maxSamplerAnisotropy; uint32_t maxViewports,
  maxViewportDimensions[2]; float viewportBoundsRange[2]; uint32_t viewportSubPixelBits; size_t
  minMemoryMapAlignment; uint64_t minTexelBufferOffsetAlignment, minUniformBufferOffsetAlignment,
  minStorageBufferOffsetAlignment; int32_t minTexelOffset; uint32_t maxTexelOffset; int32_t
  minTexelGatherOffset; uint32_t maxTexelGatherOffset; float minInterpolationOffset,
  maxInterpolationOffset; uint32_t subPixelInterpolationOffsetBits, maxFramebufferWidth,
  maxFramebufferHeight, maxFramebufferLayers, framebufferColorSampleCounts,
  framebufferDepthSampleCounts, framebufferStencilSampleCounts,
  framebufferNoAttachmentsSampleCounts, maxColorAttachments, sampledImageColorSampleCounts,
  sampledImageIntegerSampleCounts, sampledImageDepthSampleCounts, sampledImageStencilSampleCounts,
  storageImageSampleCounts, maxSampleMaskWords, timestampComputeAndGraphics; float
  timestampPeriod; uint32_t maxClipDistances, maxCullDistances, maxCombinedClipAndCullDistances,
  discreteQueuePriorities; float pointSizeRange[2], lineWidthRange[2], pointSizeGranularity,
  lineWidthGranularity; uint32_t strictLines, standardSampleLocations; uint64_t
  optimalBufferCopyOffsetAlignment, optimalBufferCopyRowPitchAlignment, nonCoherentAtomSize; }
  VkPhysicalDeviceLimits;
typedef struct VkPhysicalDeviceSparseProperties { uint32_t residencyStandard2DBlockShape,
  residencyStandard2DMultisampleBlockShape, residencyStandard3DBlockShape,
  residencyAlignedMipSize, residencyNonResidentStrict; } VkPhysicalDeviceSparseProperties;
typedef struct VkPhysicalDeviceProperties { uint32_t apiVersion, driverVersion, vendorID,
  deviceID; int deviceType; char deviceName[256]; uint8_t pipelineCacheUUID[16];
  VkPhysicalDeviceLimits limits; VkPhysicalDeviceSparseProperties sparseProperties; }
  VkPhysicalDeviceProperties;
typedef struct VkPhysicalDeviceProperties2 { int sType; void *pNext; VkPhysicalDeviceProperties
  properties; } VkPhysicalDeviceProperties2;
typedef struct VkPhysicalDeviceFeatures { uint32_t robustBufferAccess, fullDrawIndexUint32,
  imageCubeArray, independentBlend, geometryShader, tessellationShader, sampleRateShading,
  dualSrcBlend, logicOp, multiDrawIndirect, drawIndirectFirstInstance, depthClamp, depthBiasClamp,
  fillModeNonSolid, depthBounds, wideLines, largePoints, alphaToOne, multiViewport,
  samplerAnisotropy, textureCompressionETC2, textureCompressionASTC_LDR, textureCompressionBC,
  occlusionQueryPrecise, pipelineStatisticsQuery, vertexPipelineStoresAndAtomics,
  fragmentStoresAndAtomics, shaderTessellationAndGeometryPointSize, shaderImageGatherExtended,
  shaderStorageImageExtendedFormats, shaderStorageImageMultisample,
  shaderStorageImageReadWithoutFormat, shaderStorageImageWriteWithoutFormat,
  shaderUniformBufferArrayDynamicIndexing, shaderSampledImageArrayDynamicIndexing,
  shaderStorageBufferArrayDynamicIndexing, shaderStorageImageArrayDynamicIndexing,
  shaderClipDistance, shaderCullDistance, shaderFloat64, shaderInt64, shaderInt16,
  shaderResourceResidency, shaderResourceMinLod, sparseBinding, sparseResidencyBuffer,
  sparseResidencyImage2D, sparseResidencyImage3D, sparseResidency2Samples,
  sparseResidency4Samples, sparseResidency8Samples, sparseResidency16Samples,
  sparseResidencyAliased, variableMultisampleRate, inheritedQueries; } VkPhysicalDeviceFeatures;
typedef struct VkPhysicalDeviceFeatures2 { int sType; void *pNext; VkPhysicalDeviceFeatures
  features; } VkPhysicalDeviceFeatures2;
typedef struct VkMemoryType { uint32_t propertyFlags, heapIndex; } VkMemoryType;
typedef struct VkMemoryHeap { uint64_t size; uint32_t flags; } VkMemoryHeap;
typedef struct VkPhysicalDeviceMemoryProperties { uint32_t memoryTypeCount; VkMemoryType
  memoryTypes[32]; uint32_t memoryHeapCount; VkMemoryHeap memoryHeaps[16]; }
  VkPhysicalDeviceMemoryProperties;
typedef struct VkPhysicalDeviceMemoryProperties2 { int sType; void *pNext;
  VkPhysicalDeviceMemoryProperties memoryProperties; } VkPhysicalDeviceMemoryProperties2;
typedef struct VkExtent3D { uint32_t width, height, depth; } VkExtent3D;
typedef struct VkQueueFamilyProperties { uint32_t queueFlags, queueCount, timestampValidBits;
  VkExtent3D minImageTransferGranularity; } VkQueueFamilyProperties;
typedef struct VkDeviceQueueCreateInfo { int sType; const void *pNext; uint32_t flags,
  queueFamilyIndex, queueCount; const float *pQueuePriorities; } VkDeviceQueueCreateInfo;
typedef struct VkDeviceCreateInfo { int sType; const void *pNext; uint32_t flags,
  queueCreateInfoCount; const VkDeviceQueueCreateInfo *pQueueCreateInfos; uint32_t
  enabledLayerCount; const char *const *ppEnabledLayerNames; uint32_t enabledExtensionCount; const
  char const **ppEnabledExtensionNames; const VkPhysicalDeviceFeatures *pEnabledFeatures; }
  VkDeviceCreateInfo;
typedef struct VkDebugUtilsMessengerCreateInfoEXT { int sType; const void *pNext; uint32_t flags,
  messageSeverity, messageType; void *pfnUserCallback, *pUserData; }
  VkDebugUtilsMessengerCreateInfoEXT;
typedef struct VkMemoryAllocateInfo { int sType; const void *pNext; uint64_t allocationSize;
  uint32_t memoryTypeIndex; } VkMemoryAllocateInfo;
typedef struct VkBufferCreateInfo { int sType; const void *pNext; uint32_t flags; uint64_t size;
  uint32_t usage; int sharingMode; uint32_t queueFamilyIndexCount; const uint32_t
  *pQueueFamilyIndices; } VkBufferCreateInfo;
typedef struct VkMemoryRequirements { uint64_t size, alignment; uint32_t memoryTypeBits; }
  VkMemoryRequirements;
typedef struct VkBufferDeviceAddressInfo { int sType; const void *pNext; uint64_t buffer; }
  VkBufferDeviceAddressInfo;
typedef struct VkShaderModuleCreateInfo { int sType; const void *pNext; uint32_t flags; size_t
  codeSize; const uint32_t *pCode; } VkShaderModuleCreateInfo;
typedef struct VkPipelineCacheCreateInfo { int sType; const void *pNext; uint32_t flags; size_t
  initialDataSize; const void *pInitialData; } VkPipelineCacheCreateInfo;
typedef struct VkPushConstantRange { uint32_t stageFlags, offset, size; } VkPushConstantRange;
typedef struct VkPipelineLayoutCreateInfo { int sType; const void *pNext; uint32_t flags,
  setLayoutCount; const uint64_t *pSetLayouts; uint32_t pushConstantRangeCount; const
  VkPushConstantRange *pPushConstantRanges; } VkPipelineLayoutCreateInfo;
typedef struct VkSpecializationMapEntry { uint32_t constantID, offset; size_t size; }
  VkSpecializationMapEntry;
typedef struct VkSpecializationInfo { uint32_t mapEntryCount; const VkSpecializationMapEntry
  *pMapEntries; size_t dataSize; const void *pData; } VkSpecializationInfo;
typedef struct VkPipelineShaderStageCreateInfo { int sType; const void *pNext; uint32_t flags; int
  stage; uint64_t module; const char *pName; const VkSpecializationInfo *pSpecializationInfo; }
  VkPipelineShaderStageCreateInfo;
typedef struct VkComputePipelineCreateInfo { int sType; const void *pNext; uint32_t flags;
  VkPipelineShaderStageCreateInfo stage; uint64_t layout, basePipelineHandle; int32_t
  basePipelineIndex; } VkComputePipelineCreateInfo;
typedef struct VkCommandPoolCreateInfo { int sType; const void *pNext; uint32_t flags,
  queueFamilyIndex; } VkCommandPoolCreateInfo;
typedef struct VkCommandBufferAllocateInfo { int sType; const void *pNext; uint64_t commandPool;
  int level; uint32_t commandBufferCount; } VkCommandBufferAllocateInfo;
typedef struct VkCommandBufferInheritanceInfo { int sType; const void *pNext; uint64_t renderPass;
  uint32_t subpass; uint64_t framebuffer; uint32_t occlusionQueryEnable, queryFlags,
  pipelineStatistics; } VkCommandBufferInheritanceInfo;
typedef struct VkCommandBufferBeginInfo { int sType; const void *pNext; uint32_t flags; const
  VkCommandBufferInheritanceInfo *pInheritanceInfo; } VkCommandBufferBeginInfo;
typedef struct VkMemoryBarrier { int sType; const void *pNext; uint32_t srcAccessMask,
  dstAccessMask; } VkMemoryBarrier;
typedef struct VkBufferCopy { uint64_t srcOffset, dstOffset, size; } VkBufferCopy;
typedef struct VkSubmitInfo { int sType; const void *pNext; uint32_t waitSemaphoreCount; const
  uint64_t *pWaitSemaphores; const uint32_t *pWaitDstStageMask; uint32_t commandBufferCount; const
  VkCommandBuffer *pCommandBuffers; uint32_t signalSemaphoreCount; const uint64_t
  *pSignalSemaphores; } VkSubmitInfo;
typedef struct VkQueryPoolCreateInfo { int sType; const void *pNext; uint32_t flags; int queryType;
  uint32_t queryCount, pipelineStatistics; } VkQueryPoolCreateInfo;
typedef struct VkSemaphoreCreateInfo { int sType; const void *pNext; uint32_t flags; }
  VkSemaphoreCreateInfo;
typedef struct VkSemaphoreWaitInfo { int sType; const void *pNext; uint32_t flags, semaphoreCount;
  const uint64_t *pSemaphores, *pValues; } VkSemaphoreWaitInfo;
typedef struct VkPhysicalDeviceVulkan11Features { int sType; void *pNext; uint32_t
  storageBuffer16BitAccess, uniformAndStorageBuffer16BitAccess, storagePushConstant16,
  storageInputOutput16, multiview, multiviewGeometryShader, multiviewTessellationShader,
  variablePointersStorageBuffer, variablePointers, protectedMemory, samplerYcbcrConversion,
  shaderDrawParameters; } VkPhysicalDeviceVulkan11Features;
typedef struct VkPhysicalDeviceVulkan12Features { int sType; void *pNext; uint32_t
  samplerMirrorClampToEdge, drawIndirectCount, storageBuffer8BitAccess,
  uniformAndStorageBuffer8BitAccess, storagePushConstant8, shaderBufferInt64Atomics,
  shaderSharedInt64Atomics, shaderFloat16, shaderInt8, descriptorIndexing,
  shaderInputAttachmentArrayDynamicIndexing, shaderUniformTexelBufferArrayDynamicIndexing,
  shaderStorageTexelBufferArrayDynamicIndexing, shaderUniformBufferArrayNonUniformIndexing,
  shaderSampledImageArrayNonUniformIndexing, shaderStorageBufferArrayNonUniformIndexing,
  shaderStorageImageArrayNonUniformIndexing, shaderInputAttachmentArrayNonUniformIndexing,
  shaderUniformTexelBufferArrayNonUniformIndexing,
  shaderStorageTexelBufferArrayNonUniformIndexing, descriptorBindingUniformBufferUpdateAfterBind,
  descriptorBindingSampledImageUpdateAfterBind, descriptorBindingStorageImageUpdateAfterBind,
  descriptorBindingStorageBufferUpdateAfterBind,
  descriptorBindingUniformTexelBufferUpdateAfterBind,
  descriptorBindingStorageTexelBufferUpdateAfterBind, descriptorBindingUpdateUnusedWhilePending,
  descriptorBindingPartiallyBound, descriptorBindingVariableDescriptorCount,
  runtimeDescriptorArray, samplerFilterMinmax, scalarBlockLayout, imagelessFramebuffer,
  uniformBufferStandardLayout, shaderSubgroupExtendedTypes, separateDepthStencilLayouts,
  hostQueryReset, timelineSemaphore, bufferDeviceAddress, bufferDeviceAddressCaptureReplay,
  bufferDeviceAddressMultiDevice, vulkanMemoryModel, vulkanMemoryModelDeviceScope,
  vulkanMemoryModelAvailabilityVisibilityChains, shaderOutputViewportIndex, shaderOutputLayer,
  subgroupBroadcastDynamicId; } VkPhysicalDeviceVulkan12Features;
typedef struct VkPhysicalDeviceVulkan11Properties { int sType; void *pNext; uint8_t
  deviceUUID[16], driverUUID[16], deviceLUID[8]; uint32_t deviceNodeMask, deviceLUIDValid,
  subgroupSize, subgroupSupportedStages, subgroupSupportedOperations,
  subgroupQuadOperationsInAllStages; int pointClippingBehavior; uint32_t maxMultiviewViewCount,
  maxMultiviewInstanceIndex, protectedNoFault, maxPerSetDescriptors; uint64_t
  maxMemoryAllocationSize; } VkPhysicalDeviceVulkan11Properties;
typedef struct VkConformanceVersion { uint8_t major, minor, subminor, patch; }
  VkConformanceVersion;
typedef struct VkPhysicalDeviceVulkan12Properties { int sType; void *pNext; int driverID; char
  driverName[256], driverInfo[256]; VkConformanceVersion conformanceVersion; int
  denormBehaviorIndependence, roundingModeIndependence; uint32_t
  shaderSignedZeroInfNanPreserveFloat16, shaderSignedZeroInfNanPreserveFloat32,
  shaderSignedZeroInfNanPreserveFloat64, shaderDenormPreserveFloat16, shaderDenormPreserveFloat32,
  shaderDenormPreserveFloat64, shaderDenormFlushToZeroFloat16, shaderDenormFlushToZeroFloat32,
  shaderDenormFlushToZeroFloat64, shaderRoundingModeRTEFloat16, shaderRoundingModeRTEFloat32,
  shaderRoundingModeRTEFloat64, shaderRoundingModeRTZFloat16, shaderRoundingModeRTZFloat32,
  shaderRoundingModeRTZFloat64, maxUpdateAfterBindDescriptorsInAllPools,
  shaderUniformBufferArrayNonUniformIndexingNative,
  shaderSampledImageArrayNonUniformIndexingNative,
  shaderStorageBufferArrayNonUniformIndexingNative,
  shaderStorageImageArrayNonUniformIndexingNative,
  shaderInputAttachmentArrayNonUniformIndexingNative, robustBufferAccessUpdateAfterBind,
  quadDivergentImplicitLod, maxPerStageDescriptorUpdateAfterBindSamplers,
  maxPerStageDescriptorUpdateAfterBindUniformBuffers,
  maxPerStageDescriptorUpdateAfterBindStorageBuffers,
  maxPerStageDescriptorUpdateAfterBindSampledImages,
  maxPerStageDescriptorUpdateAfterBindStorageImages,
  maxPerStageDescriptorUpdateAfterBindInputAttachments, maxPerStageUpdateAfterBindResources,
  maxDescriptorSetUpdateAfterBindSamplers, maxDescriptorSetUpdateAfterBindUniformBuffers,
  maxDescriptorSetUpdateAfterBindUniformBuffersDynamic,
  maxDescriptorSetUpdateAfterBindStorageBuffers,
  maxDescriptorSetUpdateAfterBindStorageBuffersDynamic,
  maxDescriptorSetUpdateAfterBindSampledImages, maxDescriptorSetUpdateAfterBindStorageImages,
  maxDescriptorSetUpdateAfterBindInputAttachments, supportedDepthResolveModes,
  supportedStencilResolveModes, independentResolveNone, independentResolve,
  filterMinmaxSingleComponentFormats, filterMinmaxImageComponentMapping; uint64_t
  maxTimelineSemaphoreValueDifference; uint32_t framebufferIntegerColorSampleCounts; }
  VkPhysicalDeviceVulkan12Properties;
typedef struct VkPhysicalDeviceMemoryBudgetPropertiesEXT { int sType; void *pNext; uint64_t
  heapBudget[16], heapUsage[16]; } VkPhysicalDeviceMemoryBudgetPropertiesEXT;
typedef struct VkMemoryAllocateFlagsInfo { int sType; const void *pNext; uint32_t flags,
  deviceMask; } VkMemoryAllocateFlagsInfo;
typedef struct VkMemoryDedicatedAllocateInfo { int sType; const void *pNext; uint64_t image,
  buffer; } VkMemoryDedicatedAllocateInfo;
typedef struct VkSemaphoreTypeCreateInfo { int sType; const void *pNext; int semaphoreType;
  uint64_t initialValue; } VkSemaphoreTypeCreateInfo;
typedef struct VkTimelineSemaphoreSubmitInfo { int sType; const void *pNext; uint32_t
  waitSemaphoreValueCount; const uint64_t *pWaitSemaphoreValues; uint32_t
  signalSemaphoreValueCount; const uint64_t *pSignalSemaphoreValues; }
  VkTimelineSemaphoreSubmitInfo;
typedef struct VkValidationFeaturesEXT { int sType; const void *pNext; uint32_t
  enabledValidationFeatureCount; const int *pEnabledValidationFeatures; uint32_t
  disabledValidationFeatureCount; const int *pDisabledValidationFeatures; }
  VkValidationFeaturesEXT;
typedef struct VkPhysicalDeviceSubgroupSizeControlProperties { int sType; void *pNext; uint32_t
  minSubgroupSize, maxSubgroupSize, maxComputeWorkgroupSubgroups, requiredSubgroupSizeStages; }
  VkPhysicalDeviceSubgroupSizeControlProperties;
typedef struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR { int sType; void *pNext; uint32_t
  cooperativeMatrix, cooperativeMatrixRobustBufferAccess; }
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR;
typedef struct VkPhysicalDeviceCooperativeMatrixPropertiesKHR { int sType; void *pNext; uint32_t
  cooperativeMatrixSupportedStages; } VkPhysicalDeviceCooperativeMatrixPropertiesKHR;
typedef struct VkCooperativeMatrixPropertiesKHR { int sType; void *pNext; uint32_t MSize, NSize,
  KSize; int AType, BType, CType, ResultType; uint32_t saturatingAccumulation; int scope; }
  VkCooperativeMatrixPropertiesKHR;
typedef struct VkPhysicalDeviceShaderBfloat16FeaturesKHR { int sType; void *pNext; uint32_t
  shaderBFloat16Type, shaderBFloat16DotProduct, shaderBFloat16CooperativeMatrix; }
  VkPhysicalDeviceShaderBfloat16FeaturesKHR;
typedef struct VkPhysicalDeviceSubgroupSizeControlFeatures { int sType; void *pNext; uint32_t
  subgroupSizeControl, computeFullSubgroups; } VkPhysicalDeviceSubgroupSizeControlFeatures;
typedef struct VkPipelineShaderStageRequiredSubgroupSizeCreateInfo { int sType; void *pNext;
  uint32_t requiredSubgroupSize; } VkPipelineShaderStageRequiredSubgroupSizeCreateInfo;
typedef struct VkDebugUtilsMessengerCallbackDataEXT { int sType; const void *pNext; uint32_t flags;
  const char *pMessageIdName; int32_t messageIdNumber; const char *pMessage; uint32_t
  queueLabelCount; const void *pQueueLabels; uint32_t cmdBufLabelCount; const void *pCmdBufLabels;
  uint32_t objectCount; const void *pObjects; } VkDebugUtilsMessengerCallbackDataEXT;
"""
