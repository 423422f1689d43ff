"""What operations on whole matrices share: packed results, triangles, products.

A factorisation gives several tensors. Its node holds all of them, one matrix after the other in
one row per matrix of the batch; `Packing` says where each lies, and views read them. Whole numbers
(places, the number of a failing column) are kept in the matrix's floating type, which holds them
exactly.
"""

from dataclasses import dataclass
from math import prod
from typing import Any

from pumice.dtypes import accumulation_dtype, int64
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import document
from pumice.ops.structure import Contraction, Indexing
from pumice.ops.view import Shape, View, contiguous_strides

SINGULAR, NOT_POSITIVE_DEFINITE = 3, 4


@dataclass(frozen=True, slots=True)
class Packing:
    """Where the parts of a packed result lie.

    Attributes
    ----------
    parts : tuple of (name, shape)
        In the order they lie in.
    """

    parts: tuple[tuple[str, Shape], ...]

    @property
    def size(self) -> int:
        """How many elements one matrix of the batch gives."""
        return sum(prod(shape) for _, shape in self.parts)

    def shape(self, name: str) -> Shape:
        """Return the shape of a part."""
        return dict(self.parts)[name]

    def offset(self, name: str) -> int:
        """Return where a part begins."""
        total = 0
        for each, shape in self.parts:
            if each == name:
                return total
            total += prod(shape)
        raise KeyError(name)

    def view(self, packed: Shape, name: str) -> View:
        """Return the view that reads a part of a packed node of some shape."""
        shape = self.shape(name)
        strides = (*contiguous_strides(packed)[:-1], *contiguous_strides(shape))
        return View((*packed[:-1], *shape), strides, self.offset(name))

    def pack(self, np: Any, lead: Shape, arrays: dict[str, Any]) -> Any:
        """Return NumPy arrays as one."""
        rows = [np.reshape(arrays[name], (*lead, prod(shape))) for name, shape in self.parts]
        return np.concatenate(rows, axis=-1)


def part(build: Any, packed: Any, packing: Packing, name: str) -> Any:
    """Return a part of a packed node."""
    return build.view(packed, packing.view(packed.shape, name))


def swapped(build: Any, node: Any) -> Any:
    """Return the transposed matrices."""
    rank = len(node.shape)
    return build.permute(node, (*range(rank - 2), rank - 1, rank - 2))


def product(build: Any, left: Any, right: Any) -> Any:
    """Return the matrix product of equally batched matrices."""
    spec = Contraction(len(left.shape) - 2, 1, 1, 1, accumulation_dtype(left.dtype))
    return build.contract(left, swapped(build, right), spec)


def _places(build: Any, node: Any) -> tuple[Any, Any]:
    rows, columns = node.shape[-2:]
    return build.iota((rows, 1)), build.iota((1, columns))


def lower(build: Any, node: Any, diagonal: int = 0) -> Any:
    """Return matrices with zeros above a diagonal."""
    rows, columns = _places(build, node)
    return build.expand(columns <= rows + diagonal, node.shape).select(node, 0)


def upper(build: Any, node: Any, diagonal: int = 0) -> Any:
    """Return matrices with zeros below a diagonal."""
    rows, columns = _places(build, node)
    return build.expand(columns >= rows + diagonal, node.shape).select(node, 0)


def on_diagonal(build: Any, node: Any) -> Any:
    """Return where the row is the column, in the shape of a node."""
    rows, columns = _places(build, node)
    return build.expand(rows.eq(columns), node.shape)


def columns_of(build: Any, node: Any, start: int, count: int) -> Any:
    """Return some neighbouring columns."""
    return build.slice_axis(node, len(node.shape) - 1, start, count)


def rows_of(build: Any, node: Any, start: int, count: int) -> Any:
    """Return some neighbouring rows."""
    return build.slice_axis(node, len(node.shape) - 2, start, count)


def picked_rows(build: Any, node: Any, places: Any) -> Any:
    """Return rows in another order; ``places`` (..., rows) holds whole numbers."""
    rank = len(node.shape)
    shape = (*node.shape[:-2], places.shape[-1], node.shape[-1])
    column = build.reshape(build.cast(places, int64), (*places.shape, 1))
    axes = tuple(0 if axis == rank - 2 else -1 - axis for axis in range(rank))
    return build.gather(node, (build.expand(column, shape),), Indexing(axes, fill=True), shape)


def _checked_entry(name: str, code: int, doc: str) -> Elementwise:
    def meaning(x: Any, problem: Any) -> Any:
        found = problem.fail_if(problem >= 1, code)
        return (found >= 1).select(float("nan"), x)

    return register(
        Elementwise(
            name=name,
            parameters=("input", "problem"),
            accepts=Accepts.ONLY_FLOAT,
            meaning=meaning,
            reference=lambda np, x, problem: np.where(problem >= 1, np.nan, x),
            gradient=lambda g, out, x, problem: (g, None),
            samples=Samples(domain=((-3.0, 3.0), (0.0, 0.5)), smooth=False),
            method=False,
            function=False,
            inplace=False,
            doc=document(
                doc,
                {"input": "What was computed.", "problem": "Number of the failing column, or 0."},
                returns="``input``; NaN where there is a problem, which is reported.",
                notes="Gradient: ``g``.",
            ),
        )
    )


CHECKED_ENTRIES = {
    name: _checked_entry(f"linalg.{name}", code, doc)
    for name, code, doc in (
        ("solve", SINGULAR, "Pass a solution on, reporting a singular matrix."),
        ("inv", SINGULAR, "Pass an inverse on, reporting a singular matrix."),
        ("lu_factor", SINGULAR, "Pass factors on, reporting a singular matrix."),
        ("cholesky", NOT_POSITIVE_DEFINITE, "Pass a factor on, reporting a failure."),
    )
}
"""Entries that raise where an operation on matrices failed, by the operation's name."""
