"""What a captured function returns, and which of it shares memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pumice.graph.node import Node
from pumice.ops.view import View
from pumice.tensor.core import Cell, TensorBase, wrap_filled

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Where the elements of a returned tensor are.

    Attributes
    ----------
    home : int or source
        A result of the plan, or what finds a cell that was there before the call.
    view : View or None
        The part of it, None for all.
    """

    home: Any
    view: View | None


def results_of(
    returned: Sequence[TensorBase],
    names: Mapping[Cell, Any],
    computed: Callable[[Node], Node],
) -> tuple[list[Node], list[Result] | None]:
    """Return the nodes a plan computes for returned tensors, and where each of those is.

    Tensors that alias each other or a tensor that was there before do so after a replay too. The
    list is None when each has memory of its own, as most have.
    """
    count = Counter([tensor._cell for tensor in returned])
    wanted: list[Node] = []
    results: list[Result] = []
    places: dict[Cell, int] = {}
    for tensor in returned:
        cell = tensor._cell
        plain = tensor._through is None and not tensor._requires
        if plain and cell in names:
            results.append(Result(names[cell], tensor._view))
        elif plain and count[cell] > 1:
            if cell not in places:
                places[cell] = len(wanted)
                wanted.append(computed(cell.node))
            results.append(Result(places[cell], tensor._view))
        else:
            results.append(Result(len(wanted), None))
            wanted.append(computed(tensor.node))
    own = [result.home for result in results] == list(range(len(results)))
    return wanted, None if own else results


def same_results(
    first: Sequence[Result] | None,
    second: Sequence[Result] | None,
    same_source: Callable[[Any, Any], bool],
) -> bool:
    """Tell whether two captures returned the same."""
    if first is None or second is None:
        return first is second
    return len(first) == len(second) and all(
        mine.view == theirs.view
        and (
            mine.home == theirs.home
            if isinstance(mine.home, int) or isinstance(theirs.home, int)
            else same_source(mine.home, theirs.home)
        )
        for mine, theirs in zip(first, second, strict=True)
    )


def tensors_of(
    results: Sequence[Result] | None, nodes: Sequence[Node], cell_of: Callable[[Any], Cell]
) -> list[Tensor]:
    """Return the tensors of a replay from what its plan computed."""
    made = [wrap_filled(node) for node in nodes]
    if results is None:
        return made
    tensors: list[Tensor] = []
    for result in results:
        home = result.home
        cell = made[home]._cell if isinstance(home, int) else cell_of(home)
        tensor: Tensor = object.__new__(TensorBase.concrete)
        tensor._fill(cell, result.view)
        tensors.append(tensor)
    return tensors
