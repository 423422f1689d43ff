"""Which functions write the kernels of a graph, found by lowering it and watching."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from types import CodeType
from typing import Any

from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.lowering import lower as groups
from pumice.lowering import matrices
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.memo import LoweringMemo, signature
from pumice.lowering.steps import Step
from pumice.lowering.update import lower_update
from pumice.ops.definition import OpDef, Scan
from pumice.schedule import fuse as fusion
from pumice.schedule.items import Group, GroupKind
from pumice.schedule.rewrite import rewrite
from pumice.schedule.waiting import without_waiting
from pumice.target import Target
from reference.catalogue import Page
from reference.samples import sample


class _Writers(LoweringMemo):
    """In place of a memo: remembers who wrote the kernels of each group, and gives no steps."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[Any, tuple[CodeType, ...]] = {}
        self.found: dict[CodeType, None] = {}

    def steps(
        self,
        group: Group,
        is_stored: Callable[[Node], bool],
        target: Target,
        in_place: bool,
        lower: Callable[[], list[Step]],
    ) -> list[Step]:
        key = (signature(group, is_stored)[0], in_place, id(target))
        if key not in self._known:
            with _noting() as found:
                lower()
            self._known[key] = tuple(found)
        self.found.update(dict.fromkeys(self._known[key]))
        return []


@contextmanager
def _noting() -> Iterator[dict[CodeType, None]]:
    """Note the functions that make the launch of a kernel."""
    found: dict[CodeType, None] = {}
    make = Step.__init__

    def noted(step: Step, *arguments: Any, **keywords: Any) -> None:
        frame = sys._getframe(1)
        if frame.f_code is KernelBuilder.finish.__code__ and frame.f_back is not None:
            frame = frame.f_back
        if frame.f_code is not replace.__code__:
            found[frame.f_code] = None
        make(step, *arguments, **keywords)

    Step.__init__ = noted  # type: ignore[method-assign, assignment]
    try:
        yield found
    finally:
        Step.__init__ = make  # type: ignore[method-assign]


@lru_cache(maxsize=1)
def _memo() -> _Writers:
    return _Writers()


@lru_cache(maxsize=4096)
def writers(page: Page, target_of: Callable[[], Target]) -> tuple[CodeType, ...]:
    """Return the functions that write the kernels of a page's sample for a device."""
    call, memo, target = sample(page), _memo(), target_of()
    memo.found = {}
    for roots in call.graphs if call is not None else []:
        rewritten = rewrite(topological(roots), roots, target)
        groups.lower(fusion.fuse(*without_waiting(*rewritten)), target, memo)
    return tuple(memo.found)


def entrances(operations: Iterable[OpDef]) -> list[CodeType]:
    """Return the functions that lower the groups which operations begin."""
    found: dict[CodeType, None] = {}
    for op in operations:
        kind = GroupKind.SCAN if isinstance(op, Scan) else fusion._KINDS.get(op, GroupKind.LOOP)
        if kind is GroupKind.MATRICES:
            found[matrices._LOWERINGS[op].__code__] = None
        elif kind is GroupKind.UPDATE:
            found[lower_update.__code__] = None
        else:
            found[groups._LOWERINGS[kind].__code__] = None
    return list(found)
