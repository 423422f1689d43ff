"""Tensors that a module trains."""

from pumice.tensor.tensor import Tensor


class Parameter(Tensor):
    """A tensor that a `Module` registers when it is assigned as an attribute.

    Parameters
    ----------
    data : Tensor
        The initial value; its memory is shared, not copied.
    requires_grad : bool
        Whether gradients are collected for it.
    """

    __slots__ = ()

    def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
        super().__init__(data)
        if requires_grad:
            self.requires_grad = True

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"
