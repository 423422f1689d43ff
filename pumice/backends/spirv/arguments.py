"""How a kernel's argument words reach the shader.

Push constants belong to a recorded command buffer, which is submitted again with other memory and
other numbers. So they hold what stays: the address of a buffer with the words that change, the
number of grid items, and, where all of them fit, sizes and strides. `Artifact.pushed_words` tells
the runtime which words those are; the buffer holds the others, in order.
"""

from collections.abc import Sequence

from pumice import dtypes
from pumice.backends.spirv.casts import Casts
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.narrow import Narrow
from pumice.backends.spirv.opcodes import ALIGNED, Decoration, Op, StorageClass
from pumice.backends.spirv.pairs import Pairs
from pumice.backends.spirv.types import Register
from pumice.dtypes import DType, Kind
from pumice.kernel.ir import INDEX, Kernel, Parameter, Role
from pumice.kernel.walk import bounded_buffers
from pumice.target import Target

WORD = 8
DEFAULT_PUSH_BYTES = 128
PUSHED_FIRST = 2
"""The address of the other words and the number of items stand before the pushed words."""


def pushed_words(kernel: Kernel, target: Target) -> tuple[int, ...]:
    """Return which argument words stand in push constants."""
    limit = target.limits.get("push_constant_bytes", DEFAULT_PUSH_BYTES)
    places = tuple(at for at, each in enumerate(kernel.parameters) if each.role is Role.INDEX)
    return places if (len(places) + PUSHED_FIRST) * WORD <= limit else ()


def has_vectors(target: Target) -> bool:
    """Tell whether four elements can be one access: where addresses are known as numbers."""
    return bool(target.limits.get("int64", 0) and target.limits.get("wide_access", 1))


class Arguments:
    """Loads every parameter once, at the start of the function."""

    def __init__(
        self,
        code: Code,
        kernel: Kernel,
        target: Target,
        coherent: frozenset[Parameter],
    ) -> None:
        self._code = code
        self._types = code.types
        self._kernel = kernel
        self._coherent = coherent
        pushed = frozenset(pushed_words(kernel, target))
        self._pushed = [each for at, each in enumerate(kernel.parameters) if at in pushed]
        self._stored = [each for at, each in enumerate(kernel.parameters) if at not in pushed]
        self._fault = kernel.parameters[-1] if kernel.faults else None
        self._access_record: Parameter | None = None
        self._bounds: dict[Parameter, tuple[Parameter, Parameter]] = {}
        self._aliases: dict[Parameter, Parameter] = {}
        if target.checks_access:
            self._check(kernel)
        # Without 64-bit integers an address is a pair of words.
        self._wide = bool(target.limits.get("int64", 0))
        self.has_words = has_vectors(target)
        """Whether `words` may be used, so that vectors can be accessed."""
        pair = code.module.intern_type(Op.TYPE_VECTOR, self._types.uint, 2)
        self._address = self._types.integer(64) if self._wide else pair
        self.ids: dict[Parameter, int] = {}
        self.words: dict[Parameter, int] = {}  # addresses as numbers
        self.items = 0

    def _check(self, kernel: Kernel) -> None:
        """Ask for the words that a target which checks accesses gets behind those of a kernel."""
        for buffer in bounded_buffers(kernel):
            ends = Parameter("first", Role.INDEX, INDEX), Parameter("count", Role.INDEX, INDEX)
            self._bounds[buffer] = ends
            self._stored += ends
        self._access_record = Parameter("accesses", Role.BUFFER, dtypes.int64, writable=True)
        self._stored.append(self._access_record)

    @property
    def checks_access(self) -> bool:
        """Whether accesses are compared with the bounds of their buffers."""
        return self._access_record is not None

    @property
    def _to_pointer(self) -> Op:
        return Op.CONVERT_U_TO_PTR if self._wide else Op.BITCAST

    def _pointer(self, buffer: Parameter) -> int:
        types = self._types
        if buffer in (self._fault, self._access_record):
            return types.buffer_pointer(types.uint, 4, coherent=False)
        memory = types.memory(buffer.dtype)
        if not self._wide:
            types.allow_small(buffer.dtype)
        return types.buffer_pointer(memory, buffer.dtype.itemsize, buffer in self._coherent)

    def _member(self, parameter: Parameter) -> int:
        types = self._types
        match parameter.role:
            case Role.BUFFER:
                return self._address
            case Role.INDEX:
                return types.integer(types.index_bits)
            case Role.SCALAR | Role.LOCAL:
                kind = types.kind(parameter.dtype)
                narrow = kind is Register.BOOL or parameter.dtype.is_small_float
                return types.uint if narrow else types.of(kind)

    def load(self, narrow: Narrow, casts: Casts) -> None:
        """Emit the loads."""
        types = self._types
        items = types.integer(types.index_bits)
        pushed = [self._address, items, *[self._member(each) for each in self._pushed]]
        stored = [self._member(each) for each in self._stored]
        root = self._push_constants(self._block(pushed))
        storage = StorageClass.PUSH_CONSTANT
        self.items = self._read(root, storage, 1, items)
        for position, parameter in enumerate(self._pushed, start=PUSHED_FIRST):
            self.ids[parameter] = self._read(root, storage, position, pushed[position])
        block = self._block(stored)
        for position in range(len(stored)):
            self._code.module.decorate_member(block, position, Decoration.NON_WRITABLE)
        pointer = types.pointer(StorageClass.PHYSICAL_STORAGE_BUFFER, block)
        place = self._read(root, storage, 0, self._address)
        words = self._code.emit(self._to_pointer, pointer, place)
        storage = StorageClass.PHYSICAL_STORAGE_BUFFER
        for position, (parameter, member) in enumerate(zip(self._stored, stored, strict=True)):
            loaded = self._read(words, storage, position, member)
            if parameter.role is Role.BUFFER:
                self.words[parameter] = loaded
                if not types.in_words(parameter.dtype):
                    loaded = self._code.emit(self._to_pointer, self._pointer(parameter), loaded)
            elif parameter.role is Role.SCALAR:
                loaded = self._scalar(loaded, parameter.dtype, narrow, casts)
            self.ids[parameter] = loaded

    def _block(self, members: Sequence[int]) -> int:
        """Return a structure with a member in each word."""
        return self._code.module.declare_struct(members, range(0, len(members) * WORD, WORD))

    def _push_constants(self, block: int) -> int:
        module = self._code.module
        pointer = self._types.pointer(StorageClass.PUSH_CONSTANT, block)
        variable = module.declare(Op.VARIABLE, pointer, StorageClass.PUSH_CONSTANT)
        module.use_global(variable)
        return variable

    def _read(self, root: int, storage: StorageClass, position: int, type_id: int) -> int:
        pointer = self._types.pointer(storage, type_id)
        at = self._code.emit(Op.ACCESS_CHAIN, pointer, root, self._types.unsigned(position))
        alignment = (ALIGNED, WORD) if storage is StorageClass.PHYSICAL_STORAGE_BUFFER else ()
        return self._code.emit(Op.LOAD, type_id, at, *alignment)

    def _scalar(self, word: int, dtype: DType, narrow: Narrow, casts: Casts) -> int:
        code, types = self._code, self._types
        if dtype.kind is Kind.BOOL:
            low = code.emit(Op.BITWISE_AND, types.uint, word, types.unsigned(0xFF))
            return code.truth(Op.I_NOT_EQUAL, low, types.unsigned(0))
        if dtype.is_small_float:
            low = code.emit(Op.BITWISE_AND, types.uint, word, types.unsigned(0xFFFF))
            return narrow.from_bits(low, dtype)
        return narrow.wrap(word, dtype) if dtype.itemsize <= 2 else word

    # -- elements -------------------------------------------------------------------------------

    def element(self, buffer: Parameter, at: int) -> tuple[int, int]:
        """Return a pointer to an element and the type it has in memory."""
        types = self._types
        memory = types.memory(buffer.dtype)
        pointer = types.pointer(StorageClass.PHYSICAL_STORAGE_BUFFER, memory)
        zero = types.unsigned(0)
        return self._code.emit(Op.ACCESS_CHAIN, pointer, self.ids[buffer], zero, at), memory

    def word(self, buffer: Parameter, at: int) -> tuple[int, int]:
        """Return a pointer to the word that holds a small element, and how far it is shifted."""
        code, types = self._code, self._types
        size = types.index(buffer.dtype.itemsize)
        offset = code.emit(Op.I_MUL, types.integer(types.index_bits), at, size)
        if self._wide:
            long = types.integer(64)
            if types.index_bits == 32:
                offset = code.emit(Op.S_CONVERT, long, offset)
            place = code.emit(Op.I_ADD, long, self.words[buffer], offset)
            start = code.emit(Op.BITWISE_AND, long, place, types.unsigned(-4, 64))
            low = code.emit(Op.U_CONVERT, types.uint, place)
        else:
            pairs = Pairs(code)
            place = pairs.add(self.words[buffer], pairs.extend(offset, signed=True))
            low = pairs.low(place)
            rounded = code.emit(Op.BITWISE_AND, types.uint, low, types.unsigned(-4))
            start = pairs.make(rounded, pairs.high(place))
        block = types.buffer_pointer(types.uint, 4, buffer in self._coherent)
        zero = types.unsigned(0)
        pointer = types.pointer(StorageClass.PHYSICAL_STORAGE_BUFFER, types.uint)
        whole = code.emit(self._to_pointer, block, start)
        inside = code.emit(Op.BITWISE_AND, types.uint, low, types.unsigned(3))
        shift = code.emit(Op.SHIFT_LEFT_LOGICAL, types.uint, inside, types.unsigned(3))
        return code.emit(Op.ACCESS_CHAIN, pointer, whole, zero, zero), shift

    def bounds(self, buffer: Parameter) -> tuple[int, int]:
        """Return the first element that belongs to a buffer, and how many do."""
        first, count = self._bounds[buffer]
        return self.ids[first], self.ids[count]

    def place_of(self, parameter: Parameter) -> int:
        """Return the place of a parameter among those of its kernel."""
        return self._kernel.parameters.index(self._aliases.get(parameter, parameter))

    def alias(self, buffer: Parameter, dtype: DType) -> Parameter:
        """Return a buffer as one of another element type of the same size, only to be read."""
        made = Parameter(buffer.name, Role.BUFFER, dtype)
        self._aliases[made] = buffer
        for known in (self.ids, self.words):
            known[made] = known[buffer]
        if buffer in self._bounds:
            self._bounds[made] = self._bounds[buffer]
        return made

    def record_fault(self, fault_code: int, low: int, high: int) -> None:
        """Store a fault unless one is stored already."""
        assert self._fault is not None
        self._record(self._fault, self._types.unsigned(fault_code), low, high)

    def record_access(self, access: int, low: int, high: int) -> None:
        """Store what an access outside its buffer was, unless one is stored already."""
        assert self._access_record is not None
        self._record(self._access_record, access, low, high)

    def _record(self, record: Parameter, number: int, low: int, high: int) -> None:
        code, types = self._code, self._types
        pointer = types.pointer(StorageClass.PHYSICAL_STORAGE_BUFFER, types.uint)
        zero, device = types.unsigned(0), types.unsigned(types.atomic_scope)

        def slot(position: int) -> int:
            at = types.unsigned(position)
            return code.emit(Op.ACCESS_CHAIN, pointer, self.ids[record], zero, at)

        operands: Sequence[int] = (slot(0), device, zero, zero, number, zero)
        before = code.emit(Op.ATOMIC_COMPARE_EXCHANGE, types.uint, *operands)
        with code.when(code.truth(Op.I_EQUAL, before, zero)):
            code.effect(Op.STORE, slot(2), low, ALIGNED, 4)
            code.effect(Op.STORE, slot(3), high, ALIGNED, 4)
