"""Accesses that are compared with the bounds of their buffers (`Target.checks_access`).

One outside is not made: a load gives 0 and a store does nothing. The first of an invocation is
noted in memory of its own and recorded when the invocation ends, so that an access costs a
comparison and no branch but the one around itself.
"""

from collections.abc import Callable

from pumice.backends.spirv.arguments import Arguments
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Op
from pumice.kernel.ir import Parameter, Role
from pumice.target import BUFFER_SHIFT, Access


class Bounds:
    """The checks of one entry point; none where the target asks for none."""

    def __init__(self, code: Code, arguments: Arguments) -> None:
        self._code = code
        self._types = code.types
        self._arguments = arguments
        self._index = code.types.integer(code.types.index_bits)
        self.active = arguments.checks_access
        if self.active:
            self._found, self._where = code.variable(code.types.uint), code.variable(self._index)
            code.effect(Op.STORE, self._found, code.types.unsigned(0))
            code.effect(Op.STORE, self._where, code.types.index(0))

    def mask(
        self, access: Access, buffer: Parameter, at: int, mask: int | None = None, count: int = 1
    ) -> int | None:
        """Return the condition under which an access to some elements in a row is made.

        None means always.
        """
        if not self.active or buffer.role is Role.LOCAL:
            return mask
        code, types = self._code, self._types
        first, held = self._arguments.bounds(buffer)
        place = code.emit(Op.I_SUB, self._index, at, first)
        inside = code.truth(Op.U_LESS_THAN, place, held)
        if count > 1:
            last = code.emit(Op.I_ADD, self._index, place, types.index(count - 1))
            inside = code.truth(Op.LOGICAL_AND, inside, code.truth(Op.U_LESS_THAN, last, held))
        outside = code.truth(Op.LOGICAL_NOT, inside)
        if mask is not None:
            outside = code.truth(Op.LOGICAL_AND, outside, mask)
            inside = code.truth(Op.LOGICAL_AND, inside, mask)
        number = self._arguments.place_of(buffer) << BUFFER_SHIFT | access.value
        self._note(outside, number, place)
        return inside

    def _note(self, outside: int, number: int, place: int) -> None:
        """Keep what was asked for, unless something is noted already."""
        code, types = self._code, self._types
        known = code.emit(Op.LOAD, types.uint, self._found)
        none = code.truth(Op.I_EQUAL, known, types.unsigned(0))
        new = code.truth(Op.LOGICAL_AND, outside, none)
        code.effect(
            Op.STORE, self._found, code.select(types.uint, new, types.unsigned(number), known)
        )
        before = code.emit(Op.LOAD, self._index, self._where)
        code.effect(Op.STORE, self._where, code.select(self._index, new, place, before))

    def report(self, halves: Callable[[int], tuple[int, int]]) -> None:
        """Record what was noted, at the end of the invocation; `halves` are words of an index."""
        if not self.active:
            return
        code, types = self._code, self._types
        found = code.emit(Op.LOAD, types.uint, self._found)
        with code.when(code.truth(Op.I_NOT_EQUAL, found, types.unsigned(0))):
            low, high = halves(code.emit(Op.LOAD, self._index, self._where))
            self._arguments.record_access(found, low, high)
