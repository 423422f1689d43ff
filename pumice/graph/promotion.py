"""What the promotion of operands asks of them one by one."""

from pumice import dtypes
from pumice.dtypes import DType, Scalar, promote_types
from pumice.graph.node import Node
from pumice.ops.definition import Elementwise


def join_types(first: DType | None, second: DType) -> DType:
    """Return the common dtype of what was found so far and another one."""
    return second if first is None else promote_types(first, second)


def family_of(dtype: DType) -> int:
    """Rank bool, integers, floats and complex numbers; signedness does not matter."""
    return 1 if dtype.is_integral else int(dtype.kind)


def is_finer(op: Elementwise, operands: tuple[Node | Scalar, ...], computed: DType) -> bool:
    """Tell whether a number that is not rounded first is none of a 16-bit float's.

    A tensor without axes counts as a number where it is the last operand, as in PyTorch.
    """
    for position in op.unrounded:
        operand = operands[position]
        if not isinstance(operand, Node):
            if not dtypes.holds(computed, operand):
                return True
        elif position == len(operands) - 1 and not operand.shape and operand.dtype is not computed:
            return operand.dtype.itemsize > 1
    return False
