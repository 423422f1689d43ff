"""What a schedule consists of."""

from dataclasses import dataclass, field
from enum import Enum, auto

from pumice.graph.node import Node
from pumice.ops.view import Shape, View


class GroupKind(Enum):
    """Which lowering a group takes."""

    LOOP = auto()  # elementwise results and reductions, with everything fused into them
    CONTRACT = auto()
    SCAN = auto()
    SCATTER = auto()
    SORT = auto()
    UPDATE = auto()
    ATTENTION = auto()
    ATTENTION_GRADIENT = auto()
    MATRICES = auto()  # a factorisation, or the solution of systems


@dataclass(slots=True)
class Space:
    """An index space that loops run over.

    Attributes
    ----------
    shape : tuple of int
        Extents, in the order views of this space index them.
    inner : tuple of int
        Axes iterated for each outer item: those a reduction runs over.
    """

    shape: Shape
    inner: tuple[int, ...]

    @property
    def outer(self) -> tuple[int, ...]:
        return tuple(axis for axis in range(len(self.shape)) if axis not in self.inner)

    @property
    def outer_shape(self) -> Shape:
        return tuple(self.shape[axis] for axis in self.outer)

    @property
    def inner_shape(self) -> Shape:
        return tuple(self.shape[axis] for axis in self.inner)


@dataclass(slots=True, eq=False)
class Group:
    """Nodes computed together.

    Attributes
    ----------
    root : Node
        The node whose elements the group stores.
    main : Space
        The index space of the root (of its source, when the root is a reduction).
    settled : bool
        Whether the inner axes of `main` are decided.
    reductions : dict of Node to View
        Reductions computed inside for each outer item: the view that reads the reduction's source
        over its own space (outer axes, then the reduced axes).
    contract : Node or None
        A product whose epilogue this group is.
    inverse : View or None
        With `contract`: reads the main space from the product's index space.
    extra : list of Node
        Further nodes whose elements are stored on the way: over the main space, or results of
        the same attention.
    side : dict of Node to View
        Reductions of the group that are stored too, for other groups: the view from the outer
        axes to their elements.
    weight : int
        Rough size of the code, to bound compile time.
    """

    root: Node
    kind: GroupKind
    main: Space
    settled: bool = False
    reductions: dict[Node, View] = field(default_factory=dict)
    contract: Node | None = None
    inverse: View | None = None
    weight: int = 0
    extra: list[Node] = field(default_factory=list)
    side: dict[Node, View] = field(default_factory=dict)
    spaces: dict[Node, Space] = field(default_factory=dict)

    @property
    def stored(self) -> list[Node]:
        """All nodes the group gives memory to."""
        return [*self.side, *self.extra, self.root]

    def space_of(self, reduction: Node) -> Space:
        """Return the space a fused reduction runs over."""
        if reduction not in self.spaces:
            outer = len(self.main.outer)
            shape = self.reductions[reduction].shape
            self.spaces[reduction] = Space(shape, tuple(range(outer, len(shape))))
        return self.spaces[reduction]


@dataclass(slots=True, eq=False)
class Reading:
    """One way a group reads a node: through ``view``, over ``space``."""

    group: Group
    space: Space
    view: View


@dataclass(slots=True)
class Schedule:
    """Groups in an order that respects their dependences.

    Attributes
    ----------
    materialised : dict of Node to None
        Nodes that get memory, in the order they are computed (leaves not included).
    in_place : set of Node
        Updates that may write into the memory of their base.
    """

    groups: list[Group]
    materialised: dict[Node, None]
    in_place: set[Node]
