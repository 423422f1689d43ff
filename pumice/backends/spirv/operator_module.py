"""One module for all operators of a family: all unary ones, all binary ones, and `where`.

An entry point and specialisation constants choose the element type and the operator. Entry points,
because drivers read only what one reaches, but all of that before they know that a way is not
taken: there is one for all short operators on an element type, and one for each long operator.
They share the functions that find, read and write elements.

Operators are written by the same expressions and instructions as kernels of several operators, so
they compute the same bits. What a device has decides what stands in its modules. Four neighbouring
elements are computed at a time, or one where addresses are no numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product

from pumice import dtypes
from pumice.backends.spirv.arguments import has_vectors
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.entry_points import (
    NARROW_ENTRY,
    WIDE_ENTRY,
    float_controls,
    group_of,
    has_wide,
)
from pumice.backends.spirv.grid import Position, declare_group
from pumice.backends.spirv.module import Instruction as Words
from pumice.backends.spirv.module import Module
from pumice.backends.spirv.opcodes import Decoration, ExecutionMode, Op
from pumice.backends.spirv.operator_arguments import OperatorArguments, Place, place_of
from pumice.backends.spirv.operator_blocks import OperatorBlock
from pumice.backends.spirv.operator_parts import Case, Part, parts_of
from pumice.backends.spirv.types import Types
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.vectors import VectorTypes
from pumice.dtypes import DType
from pumice.kernel.ir import Parameter, Value
from pumice.kernel.operators import family, operand_dtypes
from pumice.target import Target

OPERATOR, DTYPE, NUMBERS = 1, 2, 3
"""Specialisation constants: the place of the entry in its family and of the element type in
`dtypes.ALL`, and a bit for each operand that is a number."""


def operator_module(name: str, target: Target) -> bytes:
    """Return the module of a family of operators for what a device has."""
    return _Writer(name, target).write()


class _Writer:
    """Writes one module."""

    def __init__(self, name: str, target: Target) -> None:
        self._target = target
        self._parts = parts_of(name, target)
        self._first = family(name)[0]
        self._operands = self._first.arity
        self._module = module = Module()
        uint = module.intern_type(Op.TYPE_INT, 32, 0)
        self._size = declare_group(module, uint, group_of(target))
        constants = [module.declare(Op.SPEC_CONSTANT, uint, 0) for _ in range(3)]
        for place, each in zip((OPERATOR, DTYPE, NUMBERS), constants, strict=True):
            module.decorate(each, Decoration.SPEC_ID, place)
        self._operator, self._dtype, self._numbers = constants
        self._types = types = Types(module, target, target.limits.get("index_bits", 64))
        self._index = types.integer(types.index_bits)
        members = [self._index] * (2 * self._operands + 1)
        self._place = module.intern_type(Op.TYPE_STRUCT, *members, uint)
        self._functions: list[Words] = []
        self._known: dict[tuple[str, DType], int] = {}
        self._pushed = self._arguments(Code(module, types)).declare()

    def write(self) -> bytes:
        """Return the words of the module."""
        module, target = self._module, self._target
        widths = [(NARROW_ENTRY, 32), (WIDE_ENTRY, 64)][: 1 + has_wide(target)]
        bodies = {name: self._body(part) for name, part in self._parts.items()}
        places: dict[int, int] = {}
        for (name, body), (width, bits) in product(bodies.items(), widths):
            interface = module.interface if places else ()
            main = module.entry_point(f"{name} {width}", interface)
            if bits not in places:
                module.use_global(self._pushed)
                places[bits] = self._finder(bits)
            self._entry(main, places[bits], body)
            module.execution_mode(main, ExecutionMode.LOCAL_SIZE, group_of(target), 1, 1)
            float_controls(module, target, self._types.float_widths, main)
        return module.assemble(self._functions)

    # -- functions ------------------------------------------------------------------------------

    def _arguments(self, code: Code) -> OperatorArguments:
        return OperatorArguments(code, self._operands, self._target)

    def _function(
        self,
        result: int,
        parameters: Sequence[int],
        emit: Callable[..., int],
        types: Types | None = None,
        identity: int = 0,
    ) -> int:
        """Add a function, of which `emit` writes the body and returns what it gives, 0 if void."""
        module = self._module
        code = Code(module, types or self._types)
        identity = identity or module.new_id()
        signature = module.intern_type(Op.TYPE_FUNCTION, result, *parameters)
        code.effect(Op.FUNCTION, result, identity, 0, signature)
        given = [code.emit(Op.FUNCTION_PARAMETER, each) for each in parameters]
        code.begin(module.new_id())
        found = emit(code, *given)
        if found:
            code.effect(Op.RETURN_VALUE, found)
        else:
            code.effect(Op.RETURN)
        code.effect(Op.FUNCTION_END)
        self._functions += code.instructions
        return identity

    def _entry(self, main: int, finder: int, body: int) -> None:
        """Write an entry point: find the elements, and compute them if there are any."""
        void, last = self._types.void, 2 * self._operands + 1

        def emit(code: Code) -> int:
            place = code.emit(Op.FUNCTION_CALL, self._place, finder)
            count = code.emit(Op.COMPOSITE_EXTRACT, code.types.uint, place, last)
            with code.when(code.truth(Op.I_NOT_EQUAL, count, code.types.unsigned(0))):
                code.emit(Op.FUNCTION_CALL, void, body, place)
            return 0

        self._function(void, (), emit, identity=main)

    def _finder(self, bits: int) -> int:
        """Write the function that finds the elements of an invocation, in so many bits."""
        types = Types(self._module, self._target, bits)

        def emit(code: Code) -> int:
            arguments = self._arguments(code)
            arguments.open(self._pushed)
            position = Position(code, self._size)
            item = position.invocation(position.lane())
            place = place_of(code, arguments, item)
            indices = [*place.offsets, *place.steps, place.output]
            if types.index_bits < self._types.index_bits:
                indices = [code.emit(Op.S_CONVERT, self._index, each) for each in indices]
            return code.emit(Op.COMPOSITE_CONSTRUCT, self._place, *indices, place.count)

        return self._function(self._place, (), emit, types)

    def _reader(self, dtype: DType) -> int:
        """Return the function that reads four elements of an operand."""
        if ("read", dtype) not in self._known:
            types = self._types
            word, index, uint = types.integer(64), self._index, types.uint
            loops = self._target.is_software

            def emit(code: Code, word: int, offset: int, step: int, count: int, number: int) -> int:
                arguments = self._arguments(code)
                values = Values(code, arguments)
                block = OperatorBlock(code, values, count, loops)
                known = arguments.number(dtype, word, values.narrow, values.casts)
                buffer = arguments.buffer(dtype, word)
                return code.either(
                    number,
                    lambda: [block.repeated(dtype, known)],
                    lambda: [block.read(buffer, offset, step)],
                    block.register(dtype),
                )[0]

            register = VectorTypes(types).register(dtype)
            parameters = (word, index, index, uint, types.boolean)
            self._known["read", dtype] = self._function(register, parameters, emit)
        return self._known["read", dtype]

    def _writer(self, dtype: DType) -> int:
        """Return the function that writes four elements of the result."""
        if ("write", dtype) not in self._known:
            types = self._types
            loops = self._target.is_software

            def emit(code: Code, word: int, offset: int, count: int, vector: int) -> int:
                arguments = self._arguments(code)
                block = OperatorBlock(code, Values(code, arguments), count, loops)
                block.write(arguments.buffer(dtype, word, writable=True), offset, vector)
                return 0

            register = VectorTypes(types).register(dtype)
            parameters = (types.integer(64), self._index, types.uint, register)
            self._known["write", dtype] = self._function(types.void, parameters, emit)
        return self._known["write", dtype]

    # -- operators ------------------------------------------------------------------------------

    def _body(self, part: Part) -> int:
        """Write the function that computes the operators of an entry point."""
        operands = self._operands
        compute = self._blocks if has_vectors(self._target) else self._elements

        def emit(code: Code, place: int) -> int:
            *found, output = [
                code.emit(Op.COMPOSITE_EXTRACT, self._index, place, member)
                for member in range(2 * operands + 1)
            ]
            count = code.emit(Op.COMPOSITE_EXTRACT, code.types.uint, place, 2 * operands + 1)
            arguments = self._arguments(code)
            arguments.open(self._pushed)
            compute(code, arguments, part, Place(found[:operands], found[operands:], output, count))
            return 0

        return self._function(self._types.void, (self._place,), emit)

    def _is_number(self, code: Code, operand: int) -> int:
        """Emit whether an operand is a number."""
        types = code.types
        bit = code.emit(Op.BITWISE_AND, types.uint, self._numbers, types.unsigned(1 << operand))
        return code.truth(Op.I_NOT_EQUAL, bit, types.unsigned(0))

    def _blocks(self, code: Code, arguments: OperatorArguments, part: Part, place: Place) -> None:
        """Emit the operators of an entry point for four elements at a time."""
        vectors = VectorTypes(code.types)
        values = Values(code, arguments)
        block = OperatorBlock(code, values, place.count, self._target.is_software)
        output = arguments.word_of(self._operands)
        elements = []
        for operand in range(self._operands):
            given = (
                arguments.word_of(operand),
                place.offsets[operand],
                place.steps[operand],
                place.count,
                self._is_number(code, operand),
            )
            elements.append(self._read(code, part, operand, given))

        def compute(case: Case) -> int:
            return block.value(case.value, _leaves(case, elements))

        def write(cases: Sequence[Case]) -> int:
            result = cases[0].result
            register, zero = vectors.register(result), vectors.constant(0, result)
            ways = {case.number: partial(compute, case) for case in cases}
            vector = _chosen(code, self._operator, ways, register, zero)

            def stored(dtype: DType) -> int:
                converted = result is part.dtype
                wanted = dtype if converted else result
                found = block.cast(vector, result, dtype) if converted else vector
                given = (output, place.output, place.count, found)
                code.emit(Op.FUNCTION_CALL, code.types.void, self._writer(wanted), *given)
                return 0

            _run(code, self._dtype, {_number(each): partial(stored, each) for each in part.types})
            return 0

        self._by_result(code, part, write)

    def _read(self, code: Code, part: Part, operand: int, given: Sequence[int]) -> int:
        """Return four elements of an operand, converted to what is computed in."""
        vectors = VectorTypes(code.types)
        dtype = operand_dtypes(self._first, part.dtype)[operand]

        def read(each: DType) -> int:
            source = operand_dtypes(self._first, each)[operand]
            register = vectors.register(source)
            return code.emit(Op.FUNCTION_CALL, register, self._reader(source), *given)

        ways = {_number(each): partial(read, each) for each in part.types}
        zero = vectors.constant(0, dtype)
        return _chosen(code, self._dtype, ways, vectors.register(dtype), zero)

    def _by_result(self, code: Code, part: Part, write: Callable[[Sequence[Case]], int]) -> None:
        """Emit operators that give the same element type together."""
        groups: dict[DType, list[Case]] = {}
        for case in part.cases:
            groups.setdefault(case.result, []).append(case)
        if len(groups) == 1:
            write(part.cases)
            return
        code.switch(
            self._operator,
            [([case.number for case in each], partial(write, each)) for each in groups.values()],
        )

    def _elements(self, code: Code, arguments: OperatorArguments, part: Part, place: Place) -> None:
        """Emit the operators of an entry point for one element after the other."""
        _run(
            code,
            self._dtype,
            {
                _number(each): partial(self._one_by_one, code, arguments, part, place, each)
                for each in part.types
            },
        )

    def _one_by_one(
        self, code: Code, arguments: OperatorArguments, part: Part, place: Place, dtype: DType
    ) -> int:
        types, values = code.types, Values(code, arguments)
        sources = operand_dtypes(self._first, dtype)
        words = [arguments.word_of(each) for each in range(self._operands + 1)]
        frame = code.loop([(types.uint, types.unsigned(0))])
        number = at = frame.phis[0]
        code.test(frame, code.truth(Op.U_LESS_THAN, number, place.count))
        if types.index_bits == 64:
            at = code.emit(Op.U_CONVERT, self._index, number)
        elements = []
        for operand, source in enumerate(sources):
            moved = code.emit(Op.I_MUL, self._index, at, place.steps[operand])
            element = code.emit(Op.I_ADD, self._index, place.offsets[operand], moved)
            known = arguments.number(source, words[operand], values.narrow, values.casts)
            buffer = arguments.buffer(source, words[operand])
            elements += code.either(
                self._is_number(code, operand),
                partial(_alone, known),
                partial(_loaded, values, buffer, element),
                types.register(source),
            )
        place_of_result = code.emit(Op.I_ADD, self._index, place.output, at)

        def compute(case: Case) -> int:
            with values.fresh_scope():
                for leaf, element in _leaves(case, elements).items():
                    values.provide(leaf, element)
                return values.value(case.value)

        def write(cases: Sequence[Case]) -> int:
            result = cases[0].result
            register, zero = types.register(result), types.constant(0, result)
            ways = {case.number: partial(compute, case) for case in cases}
            found = _chosen(code, self._operator, ways, register, zero)
            if result is part.dtype:
                found, result = values.casts.cast(found, result, dtype), dtype
            buffer = arguments.buffer(result, words[-1], writable=True)
            values.store(buffer, place_of_result, found)
            return 0

        self._by_result(code, part, write)
        code.end(frame, [code.emit(Op.I_ADD, types.uint, number, types.unsigned(1))])
        return 0


def _number(dtype: DType) -> int:
    return dtypes.ALL.index(dtype)


def _leaves(case: Case, elements: Sequence[int]) -> dict[Value, int]:
    return {
        leaf: element
        for leaf, element in zip(case.operands, elements, strict=True)
        if leaf is not None
    }


def _alone(value: int) -> list[int]:
    return [value]


def _loaded(values: Values, buffer: Parameter, at: int) -> list[int]:
    return [values.load(buffer, at)]


def _run(code: Code, number: int, ways: Mapping[int, Callable[[], int]]) -> list[tuple[int, int]]:
    """Emit the way that a constant chooses; the only one always runs."""
    if len(ways) == 1:
        (way,) = ways.values()
        return [(way(), code.block)]
    return code.switch(number, [((each,), way) for each, way in ways.items()])


def _chosen(
    code: Code, number: int, ways: Mapping[int, Callable[[], int]], register: int, zero: int
) -> int:
    """Return what the way that a constant chooses gives."""
    before = code.block
    given = _run(code, number, ways)
    return given[0][0] if len(ways) == 1 else code.phi(register, (zero, before), *given)
