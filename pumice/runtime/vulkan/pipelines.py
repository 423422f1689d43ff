"""Compute pipelines, kept by artifact key, and the driver's pipeline cache on disk."""

import hashlib
import struct
from collections import OrderedDict, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from pumice.errors import DeviceError, OutOfMemory
from pumice.files import replace_file
from pumice.runtime.vulkan.api import check, ffi
from pumice.runtime.vulkan.constants import STAGE_COMPUTE, STAGE_FULL_SUBGROUPS, Structure
from pumice.runtime.vulkan.logical import LogicalDevice
from pumice.target import Artifact

PIPELINES_KEPT = 4096
_MAGIC = b"pumice-vulkan-1\n"
_DIGEST_BYTES = 32
_HEADER = struct.Struct("<IIII16s")


class Pipeline:
    """A kernel ready to run. `handle` is 0 until the kernel is first needed in that width."""

    __slots__ = ("artifact", "handle", "retired", "wide_handle")

    def __init__(self, artifact: Artifact, retired: deque[int]) -> None:
        self.artifact = artifact
        self.handle = 0
        self.wide_handle = 0
        self.retired = retired

    def __del__(self) -> None:
        self.retired.extend({self.handle, self.wide_handle} - {0})


class Pipelines:
    """Creates pipelines. The runtime's lock guards all methods."""

    def __init__(
        self, device: LogicalDevice, push_bytes: int, directory: Path | None, threads: int
    ) -> None:
        self._device = device
        self._threads = threads
        self._kept: OrderedDict[str, Pipeline] = OrderedDict()
        self._retired: deque[int] = deque()
        self._modules: dict[str, int] = {}  # those that artifacts share, by name
        self.modules_created = self.pipelines_created = 0
        self._file = None if directory is None else directory / _file_name(device)
        self._saved_size = 0
        self.layout = self._create_layout(push_bytes)
        self._cache = self._create_cache()

    def _create_layout(self, push_bytes: int) -> int:
        interface = ffi()
        pushed = interface.new("VkPushConstantRange[1]")
        pushed[0].stageFlags = STAGE_COMPUTE
        pushed[0].size = push_bytes
        information = interface.new("VkPipelineLayoutCreateInfo *")
        information.sType = Structure.PIPELINE_LAYOUT_CREATE_INFO
        information.pushConstantRangeCount = 1
        information.pPushConstantRanges = pushed
        create = self._device.functions.vkCreatePipelineLayout
        return self._device.create(create, information, "create a pipeline layout")

    def _create_cache(self) -> int:
        interface = ffi()
        data = self._read()
        self._saved_size = len(data)
        information = interface.new("VkPipelineCacheCreateInfo *")
        information.sType = Structure.PIPELINE_CACHE_CREATE_INFO
        information.initialDataSize = len(data)
        kept = interface.from_buffer(data)
        information.pInitialData = kept
        create = self._device.functions.vkCreatePipelineCache
        try:
            return self._device.create(create, information, "create a pipeline cache")
        except (DeviceError, OutOfMemory):
            # A driver may refuse data that it once wrote itself; then it starts afresh.
            information.initialDataSize = 0
            return self._device.create(create, information, "create a pipeline cache")

    # -- loading --------------------------------------------------------------------------------

    def load(self, artifacts: Sequence[Artifact]) -> list[Pipeline]:
        """Return a pipeline for each artifact, creating those not kept on several threads."""
        missing = {each.key: each for each in artifacts if each.key not in self._kept}
        for each in missing.values():
            if each.module and each.module not in self._modules:
                self._modules[each.module] = self._create_module(each)
                self.modules_created += 1
        if len(missing) > 1:
            # Drivers compile on the calling thread and outside the GIL.
            with ThreadPoolExecutor(min(len(missing), self._threads)) as executor:
                made = list(executor.map(self._create, missing.values()))
        else:
            made = [self._create(each) for each in missing.values()]
        self._kept.update(zip(missing, made, strict=True))
        self._count(made)
        loaded = []
        for artifact in artifacts:
            self._kept.move_to_end(artifact.key)
            loaded.append(self._kept[artifact.key])
        while len(self._kept) > PIPELINES_KEPT:
            self._kept.popitem(last=False)
        self._destroy_retired()
        return loaded

    def _count(self, made: Sequence[Pipeline]) -> None:
        self.pipelines_created += len(made)
        self.modules_created += sum(not each.artifact.module for each in made)

    def __len__(self) -> int:
        return len(self._kept)

    def _create(self, artifact: Artifact) -> Pipeline:
        limit = self._device.description.limits["maxComputeWorkGroupInvocations"]
        if artifact.group > limit:
            raise DeviceError(
                f"{self._device.description.name}: the kernel needs workgroups of "
                f"{artifact.group} invocations, the device allows {limit}"
            )
        made = Pipeline(artifact, self._retired)
        if artifact.entry == artifact.wide_entry:
            made.handle = made.wide_handle = self._create_pipeline(artifact, artifact.entry)
        else:
            made.handle = self._create_pipeline(artifact, artifact.entry)
        return made

    def widen(self, pipeline: Pipeline) -> int:
        """Return the pipeline for large launches, creating it when first asked for."""
        if not pipeline.wide_handle:
            artifact = pipeline.artifact
            if not artifact.wide_entry:
                raise DeviceError(
                    f"{self._device.description.name}: tensors with 2**31 and more bytes or "
                    "elements need 64-bit integers (shaderInt64), which the device lacks"
                )
            pipeline.wide_handle = self._create_pipeline(artifact, artifact.wide_entry)
            self._count([pipeline])
        return pipeline.wide_handle

    def _create_pipeline(self, artifact: Artifact, entry: str) -> int:
        shared = self._modules.get(artifact.module)
        if shared is not None:
            return self._specialise(shared, entry, artifact)
        module = self._create_module(artifact)
        try:
            return self._specialise(module, entry, artifact)
        finally:
            self._destroy_module(module)

    def _create_module(self, artifact: Artifact) -> int:
        interface, functions = ffi(), self._device.functions
        code = interface.new("uint32_t[]", len(artifact.code) // 4)
        interface.memmove(code, artifact.code, len(artifact.code))
        information = interface.new("VkShaderModuleCreateInfo *")
        information.sType = Structure.SHADER_MODULE_CREATE_INFO
        information.codeSize = len(artifact.code)
        information.pCode = code
        return self._device.create(functions.vkCreateShaderModule, information, "load a shader")

    def _destroy_module(self, module: int) -> None:
        self._device.functions.vkDestroyShaderModule(self._device.handle, module, ffi().NULL)

    def _specialise(self, module: int, entry: str, artifact: Artifact) -> int:
        interface, numbers = ffi(), (artifact.group, *artifact.constants)
        data = interface.new("uint32_t[]", list(numbers))
        places = [(number, 4 * number, 4) for number in range(len(numbers))]
        entry_map = interface.new("VkSpecializationMapEntry[]", places)
        constants = interface.new("VkSpecializationInfo *")
        constants.mapEntryCount = len(numbers)
        constants.pMapEntries = entry_map
        constants.dataSize = 4 * len(numbers)
        constants.pData = data
        name = interface.new("char[]", entry.encode())
        information = interface.new("VkComputePipelineCreateInfo *")
        information.sType = Structure.COMPUTE_PIPELINE_CREATE_INFO
        information.layout = self.layout
        information.basePipelineIndex = -1
        information.stage.sType = Structure.PIPELINE_SHADER_STAGE_CREATE_INFO
        information.stage.stage = STAGE_COMPUTE
        information.stage.module = module
        information.stage.pName = name
        information.stage.pSpecializationInfo = constants
        size = interface.new("VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *")
        if artifact.subgroup:
            size.sType = Structure.REQUIRED_SUBGROUP_SIZE_CREATE_INFO
            size.requiredSubgroupSize = artifact.subgroup
            information.stage.pNext = size
            information.stage.flags = STAGE_FULL_SUBGROUPS
        handle = interface.new("uint64_t *")
        create = self._device.functions.vkCreateComputePipelines
        device = self._device.handle
        check(
            create(device, self._cache, 1, information, interface.NULL, handle),
            "create a pipeline",
        )
        return int(handle[0])

    def _destroy_retired(self) -> None:
        """Destroy pipelines nobody holds; programs in flight hold theirs."""
        while self._retired:
            handle = self._retired.popleft()
            self._device.functions.vkDestroyPipeline(self._device.handle, handle, ffi().NULL)

    # -- the file -------------------------------------------------------------------------------

    def _read(self) -> bytes:
        """Return what an earlier process saved; nothing if the file is missing or damaged.

        What another driver wrote is left out here: not every driver looks before it reads.
        """
        if self._file is None:
            return b""
        try:
            content = self._file.read_bytes()
        except OSError:
            return b""
        body = content[len(_MAGIC) + _DIGEST_BYTES :]
        ours = content == self._sealed(body) and body[: _HEADER.size] == self._header()
        return body if ours else b""

    def _sealed(self, body: bytes) -> bytes:
        """Return the content of a file, by which damage shows."""
        return _MAGIC + hashlib.sha256(body).digest() + body

    def _header(self) -> bytes:
        """Return what a driver's cache begins with (VkPipelineCacheHeaderVersionOne)."""
        of = self._device.description
        return _HEADER.pack(_HEADER.size, 1, of.vendor, of.device, of.pipeline_cache_uuid)

    def save(self) -> None:
        """Write the driver's cache to disk if it has grown. Failing to is no error."""
        if self._file is None:
            return
        interface, get = ffi(), self._device.functions.vkGetPipelineCacheData
        size = interface.new("size_t *")
        if get(self._device.handle, self._cache, size, interface.NULL) != 0:
            return
        if size[0] <= self._saved_size:
            return
        data = interface.new("char[]", size[0])
        if get(self._device.handle, self._cache, size, data) != 0:
            return
        body = bytes(interface.buffer(data, size[0]))
        with suppress(OSError):
            replace_file(self._file, self._sealed(body))

    def destroy(self) -> None:
        """Save the cache and release everything; the device must be idle."""
        self.save()
        functions, device, null = self._device.functions, self._device.handle, ffi().NULL
        self._destroy_retired()
        for pipeline in self._kept.values():
            for handle in {pipeline.handle, pipeline.wide_handle} - {0}:
                functions.vkDestroyPipeline(device, handle, null)
        for module in self._modules.values():
            self._destroy_module(module)
        functions.vkDestroyPipelineCache(device, self._cache, null)
        functions.vkDestroyPipelineLayout(device, self.layout, null)


def _file_name(device: LogicalDevice) -> str:
    description = device.description
    version = ".".join(str(part) for part in description.api_version)
    driver = hashlib.sha256(description.driver.encode()).hexdigest()[:12]
    uuid = description.pipeline_cache_uuid.hex()
    return f"vulkan-{description.vendor:x}-{description.device:x}-{version}-{driver}-{uuid}.bin"
