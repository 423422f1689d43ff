"""Four elements at a time: vector types and constants, and vectors in memory.

`VectorTypes` offers what `Types` does with a vector in place of each scalar, so `Narrow`, `Casts`
and `Arithmetic` emit vector code unchanged. In memory four elements are 32- or 64-bit words, which
needs no narrow types and makes one access of up to 16 bytes.
"""

from contextlib import nullcontext

from pumice.backends.spirv.arithmetic import Arithmetic
from pumice.backends.spirv.casts import Casts
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.narrow import Narrow
from pumice.backends.spirv.opcodes import ALIGNED, Op, StorageClass
from pumice.backends.spirv.types import Register, Types
from pumice.backends.spirv.values import Values
from pumice.dtypes import DType, Kind
from pumice.kernel.ir import Parameter
from pumice.target import Access

WIDTH = 4


class VectorTypes(Types):
    """Vector types and splat constants beside the scalar types of a module."""

    def __init__(self, scalar: Types) -> None:
        self.__dict__.update(scalar.__dict__)
        self.scalar = scalar
        self.uint = self._vector(scalar.uint)
        self.boolean = self._vector(scalar.boolean)

    def _vector(self, type_id: int) -> int:
        if type_id == self.scalar.pair:  # no vectors of vectors
            return self.module.intern_type(Op.TYPE_ARRAY, type_id, self.scalar.unsigned(WIDTH))
        return self.module.intern_type(Op.TYPE_VECTOR, type_id, WIDTH)

    @property
    def pair(self) -> int:
        return self._vector(self.scalar.pair)

    def number(self, value: bool | int | float, register: Register) -> int:
        if register is Register.PAIR:
            return self._splat(self.pair, self.scalar.number(value, register))
        return super().number(value, register)

    def integer(self, bits: int) -> int:
        return self._vector(self.scalar.integer(bits))

    def floating(self, bits: int) -> int:
        return self._vector(self.scalar.floating(bits))

    def _splat(self, type_id: int, constant: int) -> int:
        return self.composite(type_id, [constant] * WIDTH)

    def composite(self, type_id: int, constants: list[int]) -> int:
        """Return a vector constant."""
        return self.module.intern_constant(Op.CONSTANT_COMPOSITE, type_id, *constants)

    def truth(self, value: bool) -> int:
        return self._splat(self.boolean, self.scalar.truth(value))

    def unsigned(self, value: int, bits: int = 32) -> int:
        return self._splat(self.integer(bits), self.scalar.unsigned(value, bits))

    def real(self, value: float, bits: int = 32) -> int:
        return self._splat(self.floating(bits), self.scalar.real(value, bits))


class VectorCode(Code):
    """Emits vector instructions into the body of a scalar `Code`, which keeps control flow."""

    def __init__(self, code: Code) -> None:
        super().__init__(code.module, VectorTypes(code.types))
        self._body = code.instructions


class Vectors:
    """Vector instructions, and four neighbouring elements as one value in memory.

    Buffers are addressed in blocks of four elements once `declare` has been called for them where
    it dominates the accesses.
    """

    def __init__(self, code: Code, values: Values) -> None:
        self._code = code
        self._values = values
        self._scalar = code.types
        self._pointers: dict[Parameter, int] = {}
        self._vector = vector = VectorCode(code)
        self.types = self._types = VectorTypes(code.types)
        vector.types = self.types
        self.narrow = Narrow(vector)
        self.casts = Casts(vector, self.narrow)
        self.arithmetic = Arithmetic(vector, self.narrow)

    def select(self, type_id: int, condition: int, chosen: int, other: int) -> int:
        return self._vector.select(type_id, condition, chosen, other)

    def declare(self, buffer: Parameter) -> int | None:
        """Make a buffer addressable; return the bits of its address that must be 0, once."""
        if buffer in self._pointers:
            return None
        code, scalar = self._code, self._scalar
        word = self._values.arguments.words[buffer]
        stride = buffer.dtype.itemsize * WIDTH
        pointer = scalar.buffer_pointer(self.type_of(buffer.dtype), stride, coherent=False)
        self._pointers[buffer] = code.emit(Op.CONVERT_U_TO_PTR, pointer, word)
        low = code.emit(Op.U_CONVERT, scalar.uint, word)
        mask = scalar.unsigned(self.alignment(buffer.dtype) - 1)
        return code.emit(Op.BITWISE_AND, scalar.uint, low, mask)

    def _place(self, buffer: Parameter, block: int) -> int:
        scalar = self._scalar
        memory = self.type_of(buffer.dtype)
        pointer = scalar.pointer(StorageClass.PHYSICAL_STORAGE_BUFFER, memory)
        zero = scalar.unsigned(0)
        return self._code.emit(Op.ACCESS_CHAIN, pointer, self._pointers[buffer], zero, block)

    def load(self, buffer: Parameter, block: int) -> int:
        """Read a block into a vector register."""
        mask = self._mask(Access.READ, buffer, block)
        if mask is None:
            return self._load(buffer, block)
        before = self._code.block
        with self._code.when(mask):
            loaded = self._load(buffer, block)
            inside = self._code.block
        zero, register = self._types.constant(0, buffer.dtype), self._types.register(buffer.dtype)
        return self._code.phi(register, (loaded, inside), (zero, before))

    def _mask(self, access: Access, buffer: Parameter, block: int) -> int | None:
        if not self._values.bounds.active:
            return None
        scalar = self._scalar
        index = scalar.integer(scalar.index_bits)
        at = self._code.emit(Op.I_MUL, index, block, scalar.index(WIDTH))
        return self._values.bounds.mask(access, buffer, at, count=WIDTH)

    def _load(self, buffer: Parameter, block: int) -> int:
        return self.unpack(self._read(buffer, block), buffer.dtype)

    def _read(self, buffer: Parameter, block: int) -> int:
        dtype = buffer.dtype
        place, memory = self._place(buffer, block), self.type_of(dtype)
        return self._code.emit(Op.LOAD, memory, place, ALIGNED, self.alignment(dtype))

    def load_words(self, buffer: Parameter, block: int) -> int:
        """Read a block of narrow elements as the one or two 32-bit words that they are."""
        if self._values.bounds.active:
            return self.words(self.load(buffer, block), buffer.dtype)
        word = self._read(buffer, block)
        if buffer.dtype.itemsize == 1:
            return word
        return self._code.emit(Op.BITCAST, self._pair(), word)

    def store(self, buffer: Parameter, block: int, value: int) -> None:
        """Write a vector register to a block."""
        mask = self._mask(Access.WRITE, buffer, block)
        with nullcontext() if mask is None else self._code.when(mask):
            self._store(buffer, block, value)

    def _store(self, buffer: Parameter, block: int, value: int) -> None:
        dtype = buffer.dtype
        word = self.pack(value, dtype)
        place = self._place(buffer, block)
        self._code.effect(Op.STORE, place, word, ALIGNED, self.alignment(dtype))

    def type_of(self, dtype: DType) -> int:
        """Return the type four elements have in memory."""
        module, scalar = self._code.module, self._scalar
        match dtype.itemsize:
            case 1:
                return scalar.uint
            case 2:
                return scalar.integer(64)
            case size:
                return module.intern_type(Op.TYPE_VECTOR, scalar.integer(64), size // 2)

    def alignment(self, dtype: DType) -> int:
        return min(dtype.itemsize * WIDTH, 16)

    def _shifts(self, *shifts: int) -> int:
        types = self._types
        constants = [self._scalar.unsigned(shift) for shift in shifts]
        return types.composite(types.uint, constants)

    def _pair(self) -> int:
        return self._code.module.intern_type(Op.TYPE_VECTOR, self._scalar.uint, 2)

    def unpack(self, word: int, dtype: DType) -> int:
        """Turn what was loaded into a vector register."""
        vector, types = self._vector, self._types
        if dtype.itemsize > 2:
            return vector.emit(Op.BITCAST, types.register(dtype), word)
        if dtype.itemsize == 2:
            pair = vector.emit(Op.BITCAST, self._pair(), word)
            halves = vector.emit(Op.VECTOR_SHUFFLE, types.uint, pair, pair, 0, 0, 1, 1)
            shifts, mask = self._shifts(0, 16, 0, 16), 0xFFFF
        else:
            halves = vector.emit(Op.COMPOSITE_CONSTRUCT, types.uint, word, word, word, word)
            shifts, mask = self._shifts(0, 8, 16, 24), 0xFF
        shifted = vector.emit(Op.SHIFT_RIGHT_LOGICAL, types.uint, halves, shifts)
        fields = vector.emit(Op.BITWISE_AND, types.uint, shifted, types.unsigned(mask))
        if dtype.kind is Kind.BOOL:
            return vector.truth(Op.I_NOT_EQUAL, fields, types.unsigned(0))
        if dtype.is_small_float:
            return self.narrow.from_bits(fields, dtype)
        return self.narrow.wrap(fields, dtype)

    def pack(self, value: int, dtype: DType) -> int:
        """Turn a vector register into what is stored."""
        vector, memory = self._vector, self.type_of(dtype)
        if dtype.itemsize > 2:
            same = memory == self._types.register(dtype)
            return value if same else vector.emit(Op.BITCAST, memory, value)
        words = self.words(value, dtype)
        return vector.emit(Op.BITCAST, memory, words) if dtype.itemsize == 2 else words

    def words_type(self, dtype: DType) -> int:
        """Return the type of four narrow elements as 32-bit words."""
        return self._scalar.uint if dtype.itemsize == 1 else self._pair()

    def words(self, value: int, dtype: DType) -> int:
        """Turn a vector register of narrow elements into the one or two words that they are."""
        vector, types = self._vector, self._types
        if dtype.kind is Kind.BOOL:
            one, zero = types.unsigned(1), types.unsigned(0)
            value = vector.select(types.uint, value, one, zero)
        elif dtype.is_small_float:
            value = self.narrow.to_bits(value, dtype)
        half = dtype.itemsize == 2
        fields = vector.emit(
            Op.BITWISE_AND, types.uint, value, types.unsigned(0xFFFF if half else 0xFF)
        )
        shifts = self._shifts(0, 16, 0, 16) if half else self._shifts(0, 8, 16, 24)
        placed = vector.emit(Op.SHIFT_LEFT_LOGICAL, types.uint, fields, shifts)
        pair = self._pair()
        even = vector.emit(Op.VECTOR_SHUFFLE, pair, placed, placed, 0, 2)
        odd = vector.emit(Op.VECTOR_SHUFFLE, pair, placed, placed, 1, 3)
        joined = vector.emit(Op.BITWISE_OR, pair, even, odd)
        if half:
            return joined
        low = vector.emit(Op.COMPOSITE_EXTRACT, self._scalar.uint, joined, 0)
        high = vector.emit(Op.COMPOSITE_EXTRACT, self._scalar.uint, joined, 1)
        return vector.emit(Op.BITWISE_OR, self._scalar.uint, low, high)
