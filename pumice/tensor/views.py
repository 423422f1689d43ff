"""Tensor methods that take shapes and axes as separate arguments, and the transposes."""

# Methods of a part of Tensor take the whole Tensor as self.
# mypy: disable-error-code="misc"

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, overload

from pumice.arguments import guarded
from pumice.dtypes import DType
from pumice.errors import DTypeError, ShapeError, describe
from pumice.graph import build
from pumice.ops.view import Shape, View
from pumice.tensor import movement, slicing
from pumice.tensor.axes import Dims, check_extents, inferred_shape, shape_argument
from pumice.tensor.core import TensorBase, wrap

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


class ViewMethods(TensorBase):
    """Movement methods of `Tensor`."""

    __slots__ = ()

    def view(self: Tensor, *shape: Any) -> Tensor:
        """Return an alias of another shape, or of another dtype of the same size.

        Parameters
        ----------
        shape : int or sequence of int, or DType
            New extents, one may be -1; or the type to read the bits as.

        Returns
        -------
        Tensor
            An alias (a copy for a dtype).

        Raises
        ------
        ShapeError
            When strides cannot express it; `reshape` copies then.
        """
        if len(shape) == 1 and isinstance(shape[0], DType):
            return self._bits(shape[0])
        wanted = inferred_shape("view", shape_argument("view", shape), prod(self.shape))
        alias = self._reshaped(wanted)
        if alias is None:
            raise ShapeError(
                describe(
                    "view",
                    f"shape {list(wanted)} is not compatible with the tensor's shape "
                    f"{list(self.shape)} and strides {self.stride()}",
                    "use reshape(), which copies where it must",
                )
            )
        return alias

    def _bits(self, dtype: DType) -> Tensor:
        if dtype.itemsize != self.dtype.itemsize:
            raise DTypeError(
                describe(
                    "view",
                    f"{self.dtype.name} and {dtype.name} differ in size",
                    "allowed are types of the same number of bytes",
                )
            )
        return wrap(build.bitcast(self.node, dtype))

    def view_as(self: Tensor, other: Tensor) -> Tensor:
        """Return an alias of another tensor's shape."""
        return self.view(other.shape)

    def reshape(self: Tensor, *shape: Any) -> Tensor:
        """Return the same elements in another shape. Method form of `pumice.reshape`."""
        return movement.reshape(self, shape_argument("reshape", shape))

    def reshape_as(self: Tensor, other: Tensor) -> Tensor:
        """Return the same elements in another tensor's shape."""
        return movement.reshape(self, other.shape)

    def expand(self: Tensor, *sizes: Any) -> Tensor:
        """Repeat axes of extent 1 without copying. Method form of `pumice.broadcast_to`."""
        return movement.broadcast_to(self, shape_argument("expand", sizes))

    def expand_as(self: Tensor, other: Tensor) -> Tensor:
        """Repeat axes of extent 1 to another tensor's shape."""
        return movement.broadcast_to(self, other.shape)

    def broadcast_to(self: Tensor, *size: Any) -> Tensor:
        """Repeat axes of extent 1 without copying. Method form of `pumice.broadcast_to`."""
        return movement.broadcast_to(self, shape_argument("broadcast_to", size))

    def permute(self: Tensor, *order: Any, dims: Sequence[int] | None = None) -> Tensor:
        """Reorder the axes. Method form of `pumice.permute`."""
        given = order if dims is None else (dims,)
        return movement.permute(self, shape_argument("permute", given))

    def flip(self: Tensor, *axes: Any, dims: Dims | None = None) -> Tensor:
        """Reverse axes. Method form of `pumice.flip`."""
        if dims is None:
            dims = axes[0] if len(axes) == 1 else axes
        return slicing.flip(self, dims)

    def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
        """Return overlapping windows of an axis as a new last axis."""
        return slicing.unfold_windows(self, dimension, size, step)

    @guarded
    def as_strided(
        self, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
    ) -> Tensor:
        """Return a strided box over this tensor's whole storage, in elements.

        Raises
        ------
        ShapeError
            When the box leaves the storage.
        """
        shape = check_extents("as_strided", shape_argument("as_strided", (size,)))
        strides = shape_argument("as_strided", (stride,))
        if len(shape) != len(strides):
            raise ShapeError(
                describe("as_strided", f"{len(strides)} strides for {len(shape)} axes", "one each")
            )
        offset = self._box.offset if storage_offset is None else index(storage_offset)
        box = View(shape, strides, offset)
        total = prod(self._cell.node.shape)
        if box.numel:
            low, high = box.bounds()
            if low < 0 or high >= total:
                raise ShapeError(
                    describe(
                        "as_strided",
                        f"elements {low} to {high} are addressed",
                        f"the storage has {total}",
                    )
                )
        if self._requires or self._through is not None or self._is_hooked():
            return wrap(build.view(self.contiguous().node, box))
        return self._alias(box, None, self._detached)

    @property
    def T(self: Tensor) -> Tensor:
        """The axes in reverse order."""
        order = tuple(reversed(range(len(self.shape))))
        return self._derive(lambda view: view.permute(order))

    @property
    def mT(self: Tensor) -> Tensor:
        """The last two axes swapped."""
        if len(self.shape) < 2:
            raise ShapeError(
                describe("mT", f"got a tensor of {len(self.shape)} dimensions", "at least 2")
            )
        return movement.transpose(self, -2, -1)

    @property
    def H(self: Tensor) -> Tensor:
        """The conjugate transpose of a matrix (the transpose: no complex types)."""
        return movement.t(self)

    @property
    def mH(self: Tensor) -> Tensor:
        """The last two axes swapped (no complex types)."""
        return self.mT

    def adjoint(self: Tensor) -> Tensor:
        """Swap the last two axes (no complex types). Method form of `pumice.adjoint`."""
        return movement.adjoint(self)

    @property
    def real(self: Tensor) -> Tensor:
        """The tensor itself (no complex types)."""
        return self

    # -- layout -----------------------------------------------------------------------------------

    @overload
    def size(self, dim: None = None) -> Shape: ...
    @overload
    def size(self, dim: int) -> int: ...
    def size(self, dim: int | None = None) -> Shape | int:
        """Return the shape, or the extent of one axis."""
        if dim is None:
            return self.shape
        return self.shape[_own_axis("size", dim, len(self.shape))]

    @overload
    def stride(self, dim: None = None) -> Shape: ...
    @overload
    def stride(self, dim: int) -> int: ...
    def stride(self, dim: int | None = None) -> Shape | int:
        """Return the strides in elements, or that of one axis."""
        strides = self._box.strides
        return strides if dim is None else strides[_own_axis("stride", dim, len(strides))]

    @property
    def strides(self) -> Shape:
        """Strides in bytes, as NumPy's; 0 along broadcast axes."""
        return tuple(stride * self.dtype.itemsize for stride in self._box.strides)

    def storage_offset(self) -> int:
        """Return the place of the first element in the storage, in elements."""
        return self._box.offset

    def is_contiguous(self) -> bool:
        """Tell whether elements lie in row-major order without gaps."""
        return self._view is None or self._view.is_contiguous()

    def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
        """Return this tensor, or a row-major copy when it is not contiguous."""
        return self if self.is_contiguous() else wrap(build.copy(self.node))

    def dim(self) -> int:
        """Return the number of axes."""
        return len(self.shape)

    def ndimension(self) -> int:
        """Return the number of axes."""
        return len(self.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def numel(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    def nelement(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    def element_size(self) -> int:
        """Return the bytes of one element."""
        return self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return prod(self.shape) * self.dtype.itemsize


def _own_axis(operator: str, dim: int, rank: int) -> int:
    if not -rank <= dim < rank:
        raise ShapeError(describe(operator, f"dimension {dim} does not exist", f"{rank} axes"))
    return dim
