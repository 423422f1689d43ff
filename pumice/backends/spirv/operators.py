"""Which module an operator by itself is part of, and what of it.

See `operator_module` for what stands there.
"""

import hashlib

from pumice import dtypes
from pumice.backends.spirv.entry_points import NARROW_ENTRY, WIDE_ENTRY, group_of, has_wide
from pumice.backends.spirv.operator_arguments import pushed_axes
from pumice.backends.spirv.operator_parts import part_of
from pumice.kernel.operator import Operator
from pumice.kernel.operators import MOST_AXES, family, family_of
from pumice.ops.definition import OpDef
from pumice.target import Artifact, Target


def shared_module(op: OpDef) -> str:
    """Return the module in which an operator by itself runs.

    Parameters
    ----------
    op : OpDef
        An entry of the registry.

    Returns
    -------
    str
        ``"unary"``, ``"binary"`` or ``"where"``; empty where each kernel is a module of its own.
    """
    return family_of(op)


def operator_artifact(operator: Operator, words: int, target: Target) -> Artifact:
    """Return the code of an operator by itself: constants of the module it is part of."""
    name, operands = family_of(operator.op), operator.op.arity
    constants = (
        family(name).index(operator.op),
        dtypes.ALL.index(operator.dtype),
        sum(1 << place for place, number in enumerate(operator.numbers) if number),
    )
    group = group_of(target)
    part, _ = part_of(operator.op, operator.dtype)
    told = f"{target.identity}\n{name} {constants} {group}"
    length = operands + 1  # the words before are addresses and numbers
    axes = length + 1
    return Artifact(
        key=hashlib.sha256(told.encode()).hexdigest(),
        code=b"",
        entry=f"{part} {NARROW_ENTRY}",
        words=words,
        group=group,
        items_per_group=group,
        constants=constants,
        index_words=tuple(range(length, axes + MOST_AXES * (1 + operands))),
        wide_entry=f"{part} {WIDE_ENTRY}" if has_wide(target) else "",
        pushed_words=tuple(range(length, axes + pushed_axes(operands, target) * (1 + operands))),
        module=name,
    )
