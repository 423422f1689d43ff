"""Kernel IR as text.

The text depends on structure alone: names are numbered in the order they appear, constants are
printed by their bits, every shared value is printed once in each scope that needs it. Equal text
therefore means equal code, and the text serves as cache key.

Example::

    kernel(buffer f32 p0, buffer f32 p1 writable, index p2)
      grid v0 < p2
        %0 = load p0[v0]
        %1 = add.f32 %0, 0x1.8000000000000p+0
        store p1[v0] = %1
"""

import struct
from collections.abc import Mapping
from typing import Any

from pumice import dtypes
from pumice.dtypes import DType, Kind
from pumice.errors import InternalError
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Contract,
    Fold,
    If,
    Instruction,
    Kernel,
    Let,
    Loop,
    Multiply,
    MultiplyWords,
    Parameter,
    Prefetch,
    Role,
    Statement,
    Store,
    Transpose,
    Value,
    Variable,
)
from pumice.kernel.walk import LEAVES, multiply_parts, postorder

_LETTER = {Kind.UNSIGNED: "u", Kind.SIGNED: "i", Kind.FLOAT: "f"}
_SHORT: dict[DType, str] = {
    dtype: f"{_LETTER[dtype.kind]}{dtype.bits}"
    for dtype in dtypes.ALL
    if dtype not in (dtypes.bool_, dtypes.bfloat16)
} | {dtypes.bool_: "bool", dtypes.bfloat16: "bf16", INDEX: "index"}
_MNEMONIC = {instruction: instruction.name.lower() for instruction in Instruction}
_PREFIX: dict[tuple[Instruction, DType], str] = {
    (instruction, dtype): f"{_MNEMONIC[instruction]}.{short} "
    for instruction in Instruction
    for dtype, short in _SHORT.items()
}
_OF_OPERAND = frozenset((Instruction.EQ, Instruction.NE, Instruction.LT, Instruction.LE))
_CONVERSIONS = frozenset((Instruction.CAST, Instruction.BITCAST))


def print_kernel(kernel: Kernel) -> str:
    """Return the canonical text of a kernel."""
    printer = _Printer()
    printer.kernel(kernel)
    return "\n".join(printer.lines) + "\n"


def constant_text(value: bool | int | float) -> str:
    """Return a text from which the bits of a number can be read."""
    if isinstance(value, float):
        if value != value:
            return f"nan:{struct.unpack('<Q', struct.pack('<d', value))[0]:#x}"
        return value.hex()
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def fold_operands(fold: Fold, side: str) -> tuple[Value, ...]:
    """Return fresh scalars that stand for one operand of `Fold.combine`."""
    return tuple(
        Value(
            Instruction.PARAMETER,
            carry.dtype,
            (),
            Parameter(f"{side}{position}", Role.SCALAR, carry.dtype),
        )
        for position, carry in enumerate(fold.carries)
    )


class _Printer:
    """Text of one kernel, and the names given so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.indent = ""
        self.values: dict[Value, str] = {}
        self.parameters: dict[Parameter, str] = {}
        self.variables: dict[Variable, str] = {}
        self.carries: dict[Carry, str] = {}
        self.count = 0

    # -- values ---------------------------------------------------------------------------------

    def use(self, root: Value) -> str:
        """Print what a value needs and return its name."""
        values = self.values
        for value in postorder(root, values):
            if value.instruction in LEAVES:
                values[value] = self._leaf(value)
            else:
                name = f"%{self.count}"
                self.count += 1
                self.lines.append(f"{self.indent}{name} = {self._expression(value)}")
                values[value] = name
        return values[root]

    def _leaf(self, value: Value) -> str:
        attribute = value.attribute
        match value.instruction:
            case Instruction.CONSTANT:
                return constant_text(attribute)
            case Instruction.PARAMETER:
                return self._named(self.parameters, attribute, "parameter")
            case Instruction.VARIABLE:
                return self._named(self.variables, attribute, "variable")
            case Instruction.CARRIED:
                return self._named(self.carries, attribute, "carry")
            case Instruction.RESULT:
                return f"result({self._named(self.carries, attribute, 'carry')})"
            case _:
                return "accumulator"

    @staticmethod
    def _named(names: Mapping[Any, str], key: object, what: str) -> str:
        name = names.get(key)
        if name is None:
            raise InternalError(f"print_kernel: {what} {key} is used outside its scope")
        return name

    def _expression(self, value: Value) -> str:
        instruction = value.instruction
        names = [self.values[operand] for operand in value.arguments]
        if instruction is Instruction.LOAD:
            buffer = self._named(self.parameters, value.attribute, "parameter")
            mask = f" if {names[1]}" if len(names) > 1 else ""
            return f"load {buffer}[{names[0]}]{mask}"
        if instruction in _CONVERSIONS:
            source = _SHORT[value.arguments[0].dtype]
            return f"{_MNEMONIC[instruction]}.{source}.{_SHORT[value.dtype]} {names[0]}"
        dtype = value.arguments[0].dtype if instruction in _OF_OPERAND else value.dtype
        text = _PREFIX[instruction, dtype] + ", ".join(names)
        if instruction is Instruction.CHECKED:
            return f"{text} fault {value.attribute.name.lower()}"
        return text

    # -- statements -----------------------------------------------------------------------------

    def kernel(self, kernel: Kernel) -> None:
        described = []
        for parameter in kernel.parameters:
            name = self.parameters[parameter] = f"p{len(self.parameters)}"
            writable = " writable" if parameter.writable else ""
            role = parameter.role.name.lower()
            dtype = "" if parameter.dtype is INDEX else f" {_SHORT[parameter.dtype]}"
            described.append(f"{role}{dtype} {name}{writable}")
        faults = " faults" if kernel.faults else ""
        operator = "" if kernel.operator is None else f" {kernel.operator.text}"
        self.lines.append(f"kernel({', '.join(described)}){faults}{operator}")
        self.indent = "  "
        for local in kernel.locals:
            name = self.parameters[local] = f"p{len(self.parameters)}"
            self._line(f"local {_SHORT[local.dtype]} {name}[{local.extent}]")
        bounds = [self.use(extent) for extent in kernel.grid.extents]
        names = [self._variable(variable) for variable in kernel.grid.variables]
        pairs = ", ".join(f"{name} < {bound}" for name, bound in zip(names, bounds, strict=True))
        self.lines.append(f"  grid {pairs}".rstrip())
        self._body(kernel.body)

    def _variable(self, variable: Variable) -> str:
        name = self.variables[variable] = f"v{len(self.variables)}"
        return name

    def _enter(self) -> int:
        self.indent += "  "
        return len(self.values)

    def _leave(self, mark: int) -> None:
        """Forget the values of a scope: they were the last ones to get a name."""
        self.indent = self.indent[:-2]
        values = self.values
        while len(values) > mark:
            values.popitem()

    def _body(self, body: tuple[Statement, ...]) -> None:
        mark = self._enter()
        for statement in body:
            self._statement(statement)
        self._leave(mark)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Let(value=value):
                self._line(f"let {self.use(value)}")
            case Store(buffer=buffer, at=at, value=value, mask=mask, streamed=streamed):
                target = self._named(self.parameters, buffer, "parameter")
                address, stored = self.use(at), self.use(value)
                condition = "" if mask is None else f" if {self.use(mask)}"
                verb = "stream" if streamed else "store"
                self._line(f"{verb} {target}[{address}] = {stored}{condition}")
            case Loop():
                self._loop(statement)
            case If(condition=condition_value, body=body):
                self._line(f"if {self.use(condition_value)}")
                self._body(body)
            case Contract():
                self._contract(statement)
            case Multiply():
                self._multiply(statement)
            case MultiplyWords():
                self._multiply_words(statement)
            case Transpose():
                self._transpose(statement)
            case Prefetch(buffer=buffer, at=at):
                source = self._named(self.parameters, buffer, "parameter")
                self._line(f"prefetch {source}[{self.use(at)}]")
            case _:
                raise InternalError(f"print_kernel: unknown statement {statement!r}")

    def _line(self, text: str) -> None:
        self.lines.append(self.indent + text)

    def _loop(self, loop: Loop) -> None:
        start, stop = self.use(loop.start), self.use(loop.stop)
        initials = [[self.use(carry.initial) for carry in fold.carries] for fold in loop.folds]
        variable = self._variable(loop.variable)
        self._line(f"{loop.kind.name.lower()} {variable} in {start}..{stop}")
        mark = self._enter()
        for fold, values in zip(loop.folds, initials, strict=True):
            for carry, initial in zip(fold.carries, values, strict=True):
                name = self.carries[carry] = f"c{len(self.carries)}"
                self._line(f"carry {name}: {_SHORT[carry.dtype]} = {initial}")
        for statement in loop.body:
            self._statement(statement)
        for fold in loop.folds:
            # All folds step together, so their next values may share parts.
            following = ", ".join([self.use(value) for value in fold.next])
            self._line(f"fold {self._carried(fold)} next {following}")
        self._leave(mark)
        for fold in loop.folds:
            if fold.combine is not None:
                self._combine(fold)

    def _carried(self, fold: Fold) -> str:
        return ", ".join(self.carries[carry] for carry in fold.carries)

    def _combine(self, fold: Fold) -> None:
        """Print the merging of partial results, which happens after the loop."""
        left, right = fold_operands(fold, "l"), fold_operands(fold, "r")
        mark = self._enter()
        for side, operands in (("l", left), ("r", right)):
            for position, operand in enumerate(operands):
                self.values[operand] = f"{side}{position}"
        combined = ", ".join([self.use(value) for value in fold.combine(left, right)])
        self._line(f"combine {self._carried(fold)} by {combined}")
        self._leave(mark)

    def _contract(self, contract: Contract) -> None:
        sizes = [self.use(size) for size in (contract.batches, contract.m, contract.n)]
        tile = contract.tile
        cut = f"{tile.rows}x{tile.columns}" + (" packed" if contract.packed else "")
        if tile.depth:
            within = f"subgroup {tile.subgroup_rows}x{tile.subgroup_columns}"
            if tile.matrix is not None:
                within = f"matrix {tile.matrix}".replace(" x ", "x")
            cut += f" group {tile.group_rows}x{tile.group_columns} {within} depth {tile.depth}"
        names = [
            self._variable(variable)
            for variable in (contract.batch, contract.row, contract.column, contract.step)
        ]
        self._line(f"contract sizes {' '.join(sizes)} tile {cut} at {' '.join(names)}")
        mark = self._enter()
        self._line(f"steps {self.use(contract.k)}")
        self._leave(mark)
        for name, value in (("left", contract.left), ("right", contract.right)):
            mark = self._enter()
            self._line(f"{name} {self.use(value)}")
            self._leave(mark)
        self._body(contract.epilogue)

    def _multiply(self, multiply: Multiply) -> None:
        tile, left, right = (
            self._named(self.parameters, buffer, "parameter")
            for buffer in (multiply.tile, multiply.left, multiply.right)
        )
        used = [self.use(value) for value in multiply.operands]
        split, place, last = multiply_parts(multiply)
        at, fresh, left_at, row, step, right_at, right_step, depth, *width = used[:split]
        repeats = "".join(
            f" repeat {used[first]} by {used[first + 1]} {used[first + 2]}"
            for first in range(split, place, 3)
        )
        if multiply.result is not None:
            result = self._named(self.parameters, multiply.result, "parameter")
            repeats += f" to {result}[{used[place]}: {used[place + 1]}]"
        hints = "".join(
            f" ahead {self._named(self.parameters, buffer, 'parameter')}"
            f"[{used[first]}: {used[first + 1]}] shift {used[first + 2]} lines {used[first + 3]}"
            for buffer, first in zip(multiply.ahead, range(last, len(used), 4), strict=True)
        )
        self._line(
            f"multiply {tile}[{at}] pitch {multiply.pitch} fresh {fresh} "
            f"by {left}[{left_at}: {row} {step}] x {right}[{right_at}: {right_step}] "
            f"depth {depth} tile {multiply.rows}x{multiply.columns}"
            + (f" width {width[0]}" if width else "")
            + repeats
            + hints
        )

    def _multiply_words(self, multiply: MultiplyWords) -> None:
        tile, left, right = (
            self._named(self.parameters, buffer, "parameter")
            for buffer in (multiply.tile, multiply.left, multiply.right)
        )
        at, fresh, left_at, row, right_at, depth = (self.use(each) for each in multiply.operands)
        self._line(
            f"multiply words {tile}[{at}] fresh {fresh} by {left}[{left_at}: {row}] "
            f"x {right}[{right_at}] of {_SHORT[multiply.kind]} depth {depth} "
            f"tile {multiply.rows}x{multiply.columns}"
        )

    def _transpose(self, transpose: Transpose) -> None:
        target, source = (
            self._named(self.parameters, buffer, "parameter")
            for buffer in (transpose.target, transpose.source)
        )
        at, source_at, row, depth, *width = (self.use(value) for value in transpose.operands)
        self._line(
            f"transpose {target}[{at}] pitch {transpose.pitch} from {source}[{source_at}: {row}] "
            f"depth {depth} columns {transpose.columns}" + (f" width {width[0]}" if width else "")
        )
