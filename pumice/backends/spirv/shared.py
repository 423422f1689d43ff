"""Memory of a grid item: arrays in the shared memory of the workgroup that runs it."""

from collections.abc import Iterable

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Op, StorageClass
from pumice.backends.spirv.types import Register
from pumice.errors import DeviceError
from pumice.kernel.ir import Parameter


def require_shared(needed: int, most: int) -> None:
    """Refuse a kernel that needs more shared memory than workgroups have."""
    if needed > most:
        raise DeviceError(
            f"the Vulkan device cannot run this kernel: it needs {needed} bytes of shared "
            f"memory, and workgroups have {most}"
        )


def shared_bytes(memories: Iterable[Parameter]) -> int:
    """Return what locals take: elements are held as registers hold them."""
    return sum(each.extent * max(each.dtype.itemsize, 4) for each in memories)


class SharedMemory:
    """Loads and stores of locals. An element has the type of the register it comes from."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._arrays: dict[Parameter, int] = {}

    def _kind(self, memory: Parameter) -> Register:
        kind = self._code.types.kind(memory.dtype)
        return Register.INT32 if kind is Register.BOOL else kind

    def _place(self, memory: Parameter, at: int) -> tuple[int, int]:
        """Return a pointer to an element and its type."""
        module, types = self._code.module, self._code.types
        element = types.of(self._kind(memory))
        if memory not in self._arrays:
            length = types.unsigned(max(memory.extent, 1))
            array = module.intern_type(Op.TYPE_ARRAY, element, length)
            pointer = types.pointer(StorageClass.WORKGROUP, array)
            self._arrays[memory] = module.shared_variable(memory, pointer)
        pointer = types.pointer(StorageClass.WORKGROUP, element)
        return self._code.emit(Op.ACCESS_CHAIN, pointer, self._arrays[memory], at), element

    def load(self, memory: Parameter, at: int) -> int:
        """Read an element into a register."""
        code, types = self._code, self._code.types
        pointer, element = self._place(memory, at)
        loaded = code.emit(Op.LOAD, element, pointer)
        if types.kind(memory.dtype) is Register.BOOL:
            return code.truth(Op.I_NOT_EQUAL, loaded, types.unsigned(0))
        return loaded

    def store(self, memory: Parameter, at: int, value: int) -> None:
        """Write a register to an element."""
        code, types = self._code, self._code.types
        if types.kind(memory.dtype) is Register.BOOL:
            value = code.select(types.uint, value, types.unsigned(1), types.unsigned(0))
        pointer, _ = self._place(memory, at)
        code.effect(Op.STORE, pointer, value)
