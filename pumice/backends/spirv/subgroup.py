"""Exchange of values between the invocations of a subgroup, without memory.

Subgroups have 4 to 128 invocations, and drivers choose. Only runs of eight are used, so a kernel
is the same for every size from 8 on, and so are its results.
"""

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Capability, Op, Scope
from pumice.backends.spirv.types import Register
from pumice.target import Target

RUN = 8
"""Invocations that exchange values."""


def subgroups_suffice(target: Target) -> bool:
    """Tell whether kernels for a target exchange values within subgroups.

    Processors that run shaders do so element by element and are quicker through memory.
    """
    large = target.limits.get("subgroup", 0) >= RUN
    return large and target.lanes % RUN == 0 and not target.is_software


class Subgroup:
    """The subgroup of an invocation, which knows its number in it.

    Invocations of a workgroup of one dimension are numbered through its subgroups, so eight of
    them from a multiple of eight on are neighbours in a subgroup too.
    """

    def __init__(self, code: Code, number: int) -> None:
        self._code = code
        self._number = number
        code.module.require(Capability.GROUP_NON_UNIFORM)
        code.module.require(Capability.GROUP_NON_UNIFORM_SHUFFLE)

    def neighbour(self, value: int, kind: Register, step: int) -> int:
        """Return the value of the invocation whose number differs in one bit."""
        types = self._code.types
        other = self._code.emit(Op.BITWISE_XOR, types.uint, self._number, types.unsigned(step))
        return self._from(value, kind, other)

    def first_of_run(self, value: int, kind: Register) -> int:
        """Return the value of the first of the eight."""
        types, mask = self._code.types, (1 << 32) - RUN
        first = self._code.emit(Op.BITWISE_AND, types.uint, self._number, types.unsigned(mask))
        return self._from(value, kind, first)

    def _from(self, value: int, kind: Register, number: int) -> int:
        """Return a value of another invocation; 64 bits travel as two words, a truth as one."""
        code, types = self._code, self._code.types
        scope = types.unsigned(Scope.SUBGROUP)
        type_id = types.of(kind)
        if kind is Register.BOOL:
            word = code.select(types.uint, value, types.unsigned(1), types.unsigned(0))
            moved = code.emit(Op.GROUP_NON_UNIFORM_SHUFFLE, types.uint, scope, word, number)
            return code.truth(Op.I_NOT_EQUAL, moved, types.unsigned(0))
        if kind.bits == 32:
            return code.emit(Op.GROUP_NON_UNIFORM_SHUFFLE, type_id, scope, value, number)
        pair = code.module.intern_type(Op.TYPE_VECTOR, types.uint, 2)
        words = code.emit(Op.BITCAST, pair, value)
        moved = code.emit(Op.GROUP_NON_UNIFORM_SHUFFLE, pair, scope, words, number)
        return code.emit(Op.BITCAST, type_id, moved)
