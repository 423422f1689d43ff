"""Types and constants, and how each element type is held in registers and in memory.

Registers are wider than memory, which asks the least of a device and keeps one rule per family:

- bool is a SPIR-V bool, a byte in memory;
- 8- and 16-bit integers are 32-bit integers, sign- or zero-extended;
- float16 and bfloat16 are 32-bit floats holding a value of the narrow type, 16 bits in memory;
- all integer types are unsigned to SPIR-V; the instruction chosen carries the sign;
- where the device lacks 64-bit integers they are pairs of 32-bit ones.
"""

import struct
from enum import Enum, auto

import ml_dtypes
import numpy as np

from pumice import dtypes
from pumice.backends.spirv.module import Module
from pumice.backends.spirv.opcodes import Capability, Decoration, Op, Scope, StorageClass
from pumice.dtypes import DType, Kind
from pumice.errors import DeviceError
from pumice.kernel.ir import INDEX
from pumice.target import Target


class Register(Enum):
    """What a value is while it is computed with."""

    BOOL = auto()
    INT32 = auto()
    INT64 = auto()
    PAIR = auto()
    FLOAT32 = auto()
    FLOAT64 = auto()

    @property
    def bits(self) -> int:
        return {Register.BOOL: 1, Register.INT32: 32, Register.FLOAT32: 32}.get(self, 64)


class Types:
    """Types and constants of one module, for one target and one width of index arithmetic."""

    def __init__(self, module: Module, target: Target, index_bits: int) -> None:
        self.module = module
        self._limits = target.limits
        self.index_bits = index_bits
        self.void = module.intern_type(Op.TYPE_VOID)
        self.boolean = module.intern_type(Op.TYPE_BOOL)
        self.uint = module.intern_type(Op.TYPE_INT, 32, 0)
        self._blocks: dict[tuple[int, int, bool], int] = {}
        self.float_widths: set[int] = set()

    @property
    def atomic_scope(self) -> Scope:
        """Who sees atomic accesses; Vulkan's memory model asks more for the whole device."""
        return Scope.QUEUE_FAMILY if self.module.vulkan_memory else Scope.DEVICE

    def _need(self, feature: str, what: str) -> None:
        if not self._limits.get(feature, 0):
            raise DeviceError(f"the Vulkan device cannot run this kernel: it lacks {what}")

    def in_words(self, dtype: DType) -> bool:
        """Tell whether elements are parts of 32-bit words to the device.

        Bit casts to pointers to 8- or 16-bit types, which stand for conversions of addresses where
        there are no 64-bit integers, need arithmetic of that width too.
        """
        if dtype.itemsize > 2:
            return False
        has, bits = self._limits.get, dtype.bits
        return not has(f"storage{bits}", 0) or not (has("int64", 0) or has(f"int{bits}", 0))

    def allow_small(self, dtype: DType) -> None:
        """Ask for the arithmetic that bit casts to pointers to small types need."""
        if dtype.itemsize == 1:
            self.module.require(Capability.INT8)
        elif dtype.itemsize == 2:
            self.module.require(Capability.INT16)

    # -- types ----------------------------------------------------------------------------------

    def integer(self, bits: int) -> int:
        if bits == 64:
            self._need("int64", "64-bit integers (shaderInt64)")
            self.module.require(Capability.INT64)
        elif bits == 16:
            self._need("storage16", "16-bit memory access (storageBuffer16BitAccess)")
            self.module.require(Capability.STORAGE_BUFFER16_BIT_ACCESS)
        elif bits == 8:
            self._need("storage8", "8-bit memory access (storageBuffer8BitAccess)")
            self.module.require(Capability.STORAGE_BUFFER8_BIT_ACCESS)
        return self.module.intern_type(Op.TYPE_INT, bits, 0)

    def floating(self, bits: int) -> int:
        if bits == 64:
            self._need("float64", "64-bit floats (shaderFloat64)")
            self.module.require(Capability.FLOAT64)
        self.float_widths.add(bits)
        return self.module.intern_type(Op.TYPE_FLOAT, bits)

    def pointer(self, storage: StorageClass, pointee: int) -> int:
        return self.module.intern_type(Op.TYPE_POINTER, storage, pointee)

    def kind(self, dtype: DType) -> Register:
        """Return the register family of an element type."""
        if dtype is INDEX:
            return Register.INT64 if self.index_bits == 64 else Register.INT32
        if dtype.kind is Kind.BOOL:
            return Register.BOOL
        if dtype.is_floating_point:
            return Register.FLOAT64 if dtype is dtypes.float64 else Register.FLOAT32
        if dtype.itemsize < 8:
            return Register.INT32
        return Register.INT64 if self._limits.get("int64", 0) else Register.PAIR

    def register(self, dtype: DType) -> int:
        return self.of(self.kind(dtype))

    def of(self, register: Register) -> int:
        match register:
            case Register.BOOL:
                return self.boolean
            case Register.INT32 | Register.INT64:
                return self.integer(register.bits)
            case Register.PAIR:
                return self.pair
            case Register.FLOAT32 | Register.FLOAT64:
                return self.floating(register.bits)

    @property
    def pair(self) -> int:
        """The type of two words, low first."""
        return self.module.intern_type(Op.TYPE_VECTOR, self.uint, 2)

    def memory(self, dtype: DType) -> int:
        """Return the type an element has in a buffer."""
        if self.kind(dtype) is Register.PAIR:
            return self.pair
        if dtype in (dtypes.float32, dtypes.float64):
            return self.floating(dtype.bits)
        return self.integer(dtype.bits)

    def buffer_pointer(self, memory: int, stride: int, coherent: bool) -> int:
        """Return the type of the address of a buffer of elements."""
        key = (memory, stride, coherent)
        block = self._blocks.get(key)
        if block is None:
            elements = self.module.declare_array(Op.TYPE_RUNTIME_ARRAY, memory, stride=stride)
            block = self.module.declare_struct((elements,), (0,))
            if coherent:
                self.module.decorate_member(block, 0, Decoration.COHERENT)
            self._blocks[key] = block
        return self.pointer(StorageClass.PHYSICAL_STORAGE_BUFFER, block)

    # -- constants ------------------------------------------------------------------------------

    def truth(self, value: bool) -> int:
        op = Op.CONSTANT_TRUE if value else Op.CONSTANT_FALSE
        return self.module.intern_constant(op, self.boolean)

    def unsigned(self, value: int, bits: int = 32) -> int:
        """Return an integer constant, wrapped to its width."""
        value &= (1 << bits) - 1
        words = (value,) if bits == 32 else (value & 0xFFFFFFFF, value >> 32)
        return self.module.intern_constant(Op.CONSTANT, self.integer(bits), *words)

    def real(self, value: float, bits: int = 32) -> int:
        """Return a float constant, rounded to its width."""
        if bits == 64:
            words = struct.unpack("<2I", struct.pack("<d", value))
        else:
            with np.errstate(over="ignore"):
                words = (int(np.float32(value).view(np.uint32)),)
        return self.module.intern_constant(Op.CONSTANT, self.floating(bits), *words)

    def number(self, value: bool | int | float, register: Register) -> int:
        """Return a constant of a register family."""
        match register:
            case Register.BOOL:
                return self.truth(bool(value))
            case Register.INT32 | Register.INT64:
                return self.unsigned(int(value), register.bits)
            case Register.PAIR:
                words = (self.unsigned(int(value)), self.unsigned(int(value) >> 32))
                return self.module.intern_constant(Op.CONSTANT_COMPOSITE, self.pair, *words)
            case Register.FLOAT32 | Register.FLOAT64:
                return self.real(float(value), register.bits)

    def constant(self, value: bool | int | float, dtype: DType) -> int:
        """Return a constant of an element type, rounded as memory of that type would."""
        if dtype.is_small_float:
            narrow = ml_dtypes.bfloat16 if dtype is dtypes.bfloat16 else np.float16
            with np.errstate(over="ignore"):
                value = float(np.float32(value).astype(narrow))
        return self.number(value, self.kind(dtype))

    def index(self, value: int) -> int:
        return self.unsigned(value, self.index_bits)
