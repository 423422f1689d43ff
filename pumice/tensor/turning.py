"""Tensor methods that change the axes of the tensor itself; no element moves."""

# Methods of a part of Tensor take the whole Tensor as self.
# mypy: disable-error-code="misc"

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pumice.errors import InvalidArgument, describe
from pumice.graph.node import gradient_mode
from pumice.tensor import movement
from pumice.tensor.axes import Dims
from pumice.tensor.core import TensorBase
from pumice.tensor.replaced import replaced

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


class TurningMethods(TensorBase):
    """In-place movement methods of `Tensor`: its shape changes, its aliases keep theirs."""

    __slots__ = ()

    def t_(self: Tensor) -> Tensor:
        """Transpose this matrix in place. In-place form of `pumice.t`.

        Raises
        ------
        InvalidArgument
            For a leaf that requires grad, and for a tensor with hooks.

        Examples
        --------
        >>> import pumice
        >>> x = pumice.zeros(2, 3)
        >>> x.t_().shape, x.shape
        ((3, 2), (3, 2))
        """
        return _become(self, "t_", movement.t)

    def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
        """Swap two axes in place. In-place form of `pumice.transpose`.

        Raises
        ------
        InvalidArgument
            For a leaf that requires grad, and for a tensor with hooks.

        Examples
        --------
        >>> import pumice
        >>> pumice.zeros(2, 3, 4).transpose_(0, 2).shape
        (4, 3, 2)
        """
        return _become(self, "transpose_", lambda tensor: movement.transpose(tensor, dim0, dim1))

    def swapaxes_(self: Tensor, axis0: int, axis1: int) -> Tensor:
        """Swap two axes in place; the NumPy name of `transpose_`."""
        return _become(self, "swapaxes_", lambda tensor: movement.swapaxes(tensor, axis0, axis1))

    def swapdims_(self: Tensor, dim0: int, dim1: int) -> Tensor:
        """Swap two axes in place; another name of `transpose_`."""
        return _become(self, "swapdims_", lambda tensor: movement.swapdims(tensor, dim0, dim1))

    def squeeze_(self: Tensor, dim: Dims = None) -> Tensor:
        """Drop axes of extent 1 in place. In-place form of `pumice.squeeze`.

        Raises
        ------
        InvalidArgument
            For a leaf that requires grad, and for a tensor with hooks.

        Examples
        --------
        >>> import pumice
        >>> pumice.zeros(1, 3, 1).squeeze_().shape
        (3,)
        """
        return _become(self, "squeeze_", lambda tensor: movement.squeeze(tensor, dim))

    def unsqueeze_(self: Tensor, dim: int) -> Tensor:
        """Add an axis of extent 1 in place. In-place form of `pumice.unsqueeze`.

        Raises
        ------
        InvalidArgument
            For a leaf that requires grad, and for a tensor with hooks.

        Examples
        --------
        >>> import pumice
        >>> pumice.zeros(3).unsqueeze_(0).shape
        (1, 3)
        """
        return _become(self, "unsqueeze_", lambda tensor: movement.unsqueeze(tensor, dim))

    def as_strided_(
        self: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
    ) -> Tensor:
        """Become a strided box over the whole storage. In-place form of `as_strided`.

        Raises
        ------
        InvalidArgument
            For a leaf that requires grad or a view of one, and for a tensor with hooks.
        ShapeError
            When the box leaves the storage.

        Examples
        --------
        >>> import pumice
        >>> pumice.arange(4).as_strided_((2, 2), (1, 1))
        tensor([[0, 1],
                [1, 2]])
        """
        if self._through is not None:
            raise _refused("as_strided_", "a view of a leaf that requires grad")
        return _become(
            self, "as_strided_", lambda tensor: tensor.as_strided(size, stride, storage_offset)
        )


def _refused(operator: str, what: str) -> InvalidArgument:
    return InvalidArgument(
        describe(
            operator,
            f"{what} cannot change its axes in place",
            f"{operator[:-1]}() returns an alias with other axes",
        )
    )


def _become(tensor: Tensor, operator: str, move: Callable[[Tensor], Tensor]) -> Tensor:
    """Make a tensor what an alias of it is."""
    # What was derived from a leaf or a tensor with hooks reads through it, by its axes.
    if tensor._requires:
        raise _refused(operator, "a leaf that requires grad")
    if tensor._is_hooked():
        raise _refused(operator, "a tensor with hooks")
    if gradient_mode.get() and tensor._is_leaf_view():
        raise _refused(operator, "a view of a leaf that requires grad")
    # An alias made under no_grad would have lost the gradient.
    token = gradient_mode.set(True)
    try:
        alias = move(tensor)
    finally:
        gradient_mode.reset(token)
    replaced.turn(tensor)
    tensor._view, tensor._through = alias._view, alias._through
    tensor._base = tensor._node = None
    return tensor
