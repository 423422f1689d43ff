"""Values several loop nests of a row need: computed in the first, kept in local memory.

The exponentials of a softmax are summed in one nest and divided in the next::

    lanes i: local[i] = exp(x[i] - top); total += local[i]
    lanes i: out[i] = local[i] * share
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from pumice.kernel.ir import Parameter, Statement, Store, load
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import Expressions, Frame, IsStored, Reading, reading_order
from pumice.lowering.stages import Stage
from pumice.ops.view import View, contiguous_strides
from pumice.schedule.sources import weight_of

DEAR = 8
LONGEST_ROW = 1 << 15
MOST_KEPT = 2


@dataclass(slots=True)
class KeptValues:
    """What the stages of one kernel keep.

    Attributes
    ----------
    first : dict of Reading to Stage
        Where each kept reading is computed.
    memory : dict of Reading to Parameter
        The local each lies in, once it is computed.
    """

    rank: int
    first: dict[Reading, Stage] = field(default_factory=dict)
    memory: dict[Reading, Parameter] = field(default_factory=dict)

    def load_known(self, expressions: Expressions, stage: Stage, frame: Frame) -> None:
        """Let a stage read what earlier ones have kept."""
        for reading, local in self.memory.items():
            if reading[1].shape == stage.shape:
                at = expressions.position(self._place(stage), frame)
                expressions.provide(reading, frame, load(local, at))

    def stores(
        self, builder: KernelBuilder, expressions: Expressions, stage: Stage, frame: Frame
    ) -> tuple[Statement, ...]:
        """Return the statements that keep what a stage computes first."""
        result = []
        for reading, home in self.first.items():
            if home is stage:
                local = builder.local(reading[0].dtype, LONGEST_ROW)
                self.memory[reading] = local
                at = expressions.position(self._place(stage), frame)
                result.append(Store(local, at, expressions.value(*reading, frame)))
        return tuple(result)

    def _place(self, stage: Stage) -> View:
        inner = stage.shape[self.rank :]
        return View(stage.shape, (0,) * self.rank + contiguous_strides(inner))


def kept_values(stages: Sequence[Stage], rank: int, is_leaf: IsStored) -> KeptValues:
    """Return the dear values that several stages of the same rows need."""
    kept = KeptValues(rank)
    seen: dict[Reading, Stage] = {}
    for stage in stages:
        if not stage.inner or prod(stage.shape[rank:]) > LONGEST_ROW:
            continue
        for reading in reading_order(stage.readings, is_leaf):
            node, view = reading
            if is_leaf(node) or weight_of(node) < DEAR or view.shape != stage.shape:
                continue
            home = seen.setdefault(reading, stage)
            if home is not stage and len(kept.first) < MOST_KEPT and _moves(view, rank):
                kept.first[reading] = home
    return kept


def _moves(view: View, rank: int) -> bool:
    """Tell whether a reading changes along the row: what does not is computed once anyway."""
    return any(
        stride and extent > 1
        for stride, extent in zip(view.strides[rank:], view.shape[rank:], strict=True)
    )
