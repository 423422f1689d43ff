"""What a kernel computes that is one operator and nothing else."""

from dataclasses import dataclass

from pumice.dtypes import DType
from pumice.ops.definition import Elementwise


@dataclass(frozen=True, slots=True)
class Operator:
    """What a kernel in the form of `kernel/operators.py` computes.

    Attributes
    ----------
    op : Elementwise
        The entry.
    dtype : DType
        What it computes in, and the type of its operands (but of a condition).
    numbers : tuple of bool
        Which operands are numbers.
    """

    op: Elementwise
    dtype: DType
    numbers: tuple[bool, ...]

    @property
    def text(self) -> str:
        """What it is, for the text of its kernel."""
        numbers = "".join("n" if each else "t" for each in self.numbers)
        return f"{self.op.name}.{self.dtype.name} {numbers}"
