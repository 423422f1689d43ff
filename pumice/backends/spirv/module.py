"""A SPIR-V module being built: numbered ids, interned declarations, sections, words."""

import struct
from array import array
from collections.abc import Hashable, Iterable, Sequence

from pumice.backends.spirv.opcodes import (
    MAGIC,
    VERSION,
    AddressingModel,
    BuiltIn,
    Capability,
    Decoration,
    ExecutionMode,
    ExecutionModel,
    MemoryModel,
    Op,
    StorageClass,
)

Instruction = list[int]
"""Opcode and operands; the length is packed into the first word when the module is written."""

EXTENDED_SET = "GLSL.std.450"


def text_words(text: str) -> list[int]:
    """Return a string as SPIR-V stores it: little-endian words, at least one zero byte."""
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return list(struct.unpack(f"<{len(data) // 4}I", data))


class Module:
    """Sections of one module. Its entry points share types, constants and capabilities."""

    def __init__(self) -> None:
        self._next_id = 1
        self._interned: dict[tuple[int, ...], int] = {}
        self._capabilities: set[int] = {
            Capability.SHADER,
            Capability.PHYSICAL_STORAGE_BUFFER_ADDRESSES,
        }
        self._extensions: list[str] = []
        self._modes: list[Instruction] = []
        self._annotations: list[Instruction] = []
        self._declarations: list[Instruction] = []
        self._entries: list[tuple[int, str, list[int]]] = []
        self._shared: dict[Hashable, int] = {}
        self._inputs: dict[BuiltIn, int] = {}
        self.extended = self.new_id()
        self.vulkan_memory = False
        """Whether Vulkan's memory model holds: accesses say which other invocations know of."""

    def new_id(self) -> int:
        result = self._next_id
        self._next_id += 1
        return result

    def require(self, capability: Capability) -> None:
        self._capabilities.add(capability)

    def extend(self, *extensions: str) -> None:
        """Use extensions of SPIR-V."""
        self._extensions += [each for each in extensions if each not in self._extensions]

    def use_vulkan_memory(self) -> None:
        """Take Vulkan's memory model; before any instruction is written."""
        self.vulkan_memory = True
        self.require(Capability.VULKAN_MEMORY_MODEL)

    def intern_type(self, op: Op, *operands: int) -> int:
        """Declare a type once and return its id."""
        key = (op, *operands)
        found = self._interned.get(key)
        if found is None:
            found = self._interned[key] = self.new_id()
            self._declarations.append([op, found, *operands])
        return found

    def intern_constant(self, op: Op, type_id: int, *operands: int) -> int:
        """Declare a constant once and return its id."""
        key = (op, type_id, *operands)
        found = self._interned.get(key)
        if found is None:
            found = self._interned[key] = self.declare(op, type_id, *operands)
        return found

    def declare(self, op: Op, type_id: int, *operands: int) -> int:
        """Declare a constant or global variable that is not shared with an equal one."""
        result = self.new_id()
        self._declarations.append([op, type_id, result, *operands])
        return result

    def declare_struct(self, members: Iterable[int], offsets: Iterable[int]) -> int:
        """Declare a Block structure with explicit offsets."""
        result = self.new_id()
        self._declarations.append([Op.TYPE_STRUCT, result, *members])
        self.decorate(result, Decoration.BLOCK)
        for position, offset in enumerate(offsets):
            self.decorate_member(result, position, Decoration.OFFSET, offset)
        return result

    def declare_array(self, op: Op, *operands: int, stride: int) -> int:
        """Declare an array type with a stride; never shared, since strides may differ."""
        result = self.new_id()
        self._declarations.append([op, result, *operands])
        self.decorate(result, Decoration.ARRAY_STRIDE, stride)
        return result

    def entry_point(self, name: str, interface: Iterable[int] = ()) -> int:
        """Start an entry point that uses global variables; return the id of its function."""
        self._entries.append((self.new_id(), name, list(interface)))
        return self._entries[-1][0]

    @property
    def interface(self) -> Sequence[int]:
        """The global variables of the entry point last started."""
        return self._entries[-1][2]

    def use_global(self, variable: int) -> None:
        """List a global variable in the interface of the entry point last started."""
        if variable not in self.interface:
            self._entries[-1][2].append(variable)

    def shared_variable(self, key: Hashable, pointer: int) -> int:
        """Return a variable in shared memory, one for all entry points, and list it."""
        if key not in self._shared:
            self._shared[key] = self.declare(Op.VARIABLE, pointer, StorageClass.WORKGROUP)
        self.use_global(self._shared[key])
        return self._shared[key]

    def input_variable(self, builtin: BuiltIn, pointer: int) -> int:
        """Return an input that the device provides, one for all entry points, and list it."""
        if builtin not in self._inputs:
            self._inputs[builtin] = self.declare(Op.VARIABLE, pointer, StorageClass.INPUT)
            self.decorate(self._inputs[builtin], Decoration.BUILT_IN, builtin)
        self.use_global(self._inputs[builtin])
        return self._inputs[builtin]

    def decorate(self, target: int, decoration: Decoration, *operands: int) -> None:
        self._annotations.append([Op.DECORATE, target, decoration, *operands])

    def decorate_member(
        self, target: int, member: int, decoration: Decoration, *operands: int
    ) -> None:
        self._annotations.append([Op.MEMBER_DECORATE, target, member, decoration, *operands])

    def execution_mode(self, function: int, mode: ExecutionMode, *operands: int) -> None:
        self._modes.append([Op.EXECUTION_MODE, function, mode, *operands])

    def assemble(self, functions: Iterable[Instruction]) -> bytes:
        """Return the words of the whole module."""
        sections: list[Instruction] = [[Op.CAPABILITY, each] for each in sorted(self._capabilities)]
        sections += [[Op.EXTENSION, *text_words(each)] for each in self._extensions]
        sections.append([Op.EXT_INST_IMPORT, self.extended, *text_words(EXTENDED_SET)])
        memory = MemoryModel.VULKAN if self.vulkan_memory else MemoryModel.GLSL450
        sections.append([Op.MEMORY_MODEL, AddressingModel.PHYSICAL_STORAGE_BUFFER64, memory])
        for function, name, interface in self._entries:
            words = text_words(name)
            sections.append(
                [Op.ENTRY_POINT, ExecutionModel.GL_COMPUTE, function, *words, *interface]
            )
        sections += self._modes
        sections += self._annotations
        sections += self._declarations
        sections += functions
        assembled = array("I", (MAGIC, VERSION, 0, self._next_id, 0))
        for each in sections:
            assembled.append(len(each) << 16 | each[0])
            assembled.extend(each[1:])
        return assembled.tobytes()
