"""The public Tensor: its life as an object, gradients and in-place writing.

Operators come from `_generated` (elementwise entries) and `_methods` (functions), both written by
``tools/gen_api.py``.
"""

from __future__ import annotations

import copy
import weakref
from typing import Any, Self

import numpy as np

from pumice.arguments import named
from pumice.autograd import interface
from pumice.dtypes import DType, Scalar, default_float
from pumice.errors import DeviceError, DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build, recording
from pumice.graph.node import Node
from pumice.target import CPU
from pumice.tensor import convert, indexing, printing, products, selection
from pumice.tensor._generated import ElementwiseMethods
from pumice.tensor._methods import FunctionMethods
from pumice.tensor.conversion import ConversionMethods, on_device
from pumice.tensor.core import TensorBase, expand_to, wrap
from pumice.tensor.dlpack import DlpackMethods
from pumice.tensor.histories import Strand
from pumice.tensor.hooks import HookMethods
from pumice.tensor.operands import operand, replace
from pumice.tensor.replaced import replaced
from pumice.tensor.turning import TurningMethods
from pumice.tensor.views import ViewMethods


class Tensor(
    ElementwiseMethods,
    FunctionMethods,
    ViewMethods,
    TurningMethods,
    ConversionMethods,
    DlpackMethods,
    HookMethods,
    TensorBase,
):
    """A multi-dimensional array whose operations are recorded and compiled.

    Parameters
    ----------
    data : Tensor, array or nested sequence of numbers
        A tensor is shared, everything else copied.
    dtype : DType, optional
        Element type; by default that of a tensor, and the default float for everything else
        (`tensor()` looks at the numbers).
    device : str or Device, optional
        Where the elements live; `set_default_device` chooses for None.
    requires_grad : bool
        Whether gradients are collected in ``grad``.
    """

    __slots__ = ()
    __array_priority__ = 1000

    def __init__(
        self,
        data: Any = (),
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> None:
        if isinstance(data, TensorBase) and dtype in (None, data.dtype) and device is None:
            source = data.detach()  # type: ignore[attr-defined]
        else:
            if dtype is None and not isinstance(data, TensorBase):
                dtype = default_float()
            source = convert.tensor(data, dtype=dtype, device=device)
        self._fill(source._cell, source._view, None, source._detached)
        if source is not data and isinstance(data, TensorBase):
            self._aliased = False
        if requires_grad:
            self.requires_grad = True

    @classmethod
    def from_node(cls, node: Node) -> Tensor:
        """Return a tensor over a graph node (for gradients and extensions)."""
        return wrap(node)

    # -- gradients --------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to this tensor."""
        return self._requires or self.node.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Start or stop collecting gradients for this leaf.

        Raises
        ------
        DTypeError
            When the dtype is not floating.
        InvalidArgument
            When the tensor is the result of an operation and the value is False.
        """
        if not requires_grad and not self.is_leaf:
            raise InvalidArgument(
                describe(
                    "requires_grad_",
                    "got False for the result of an operation",
                    "you can only change requires_grad flags of leaf variables; "
                    "detach() returns a tensor without gradients",
                )
            )
        if requires_grad == self._requires:
            return self
        if requires_grad and not self.dtype.is_floating_point:
            raise DTypeError(
                describe(
                    "requires_grad_",
                    f"got a {self.dtype.name} tensor",
                    "only Tensors of floating point dtype can require gradients",
                )
            )
        if not self._requires and self.node.requires_grad:
            return self
        self._requires = requires_grad
        self._base = self._node = None
        if requires_grad and self._detached is None and self._aliased is None:
            self._cell.leaf = weakref.ref(self)
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether the tensor is no result of a recorded operation."""
        return self._requires or not self.node.requires_grad

    @property
    def grad_fn(self) -> str | None:
        """Name of the operation that made this tensor, None for leaves."""
        return None if self.is_leaf else self.node.op.name

    @property
    def grad(self) -> Tensor | None:
        """The gradient collected by `backward`."""
        recorder = recording.active.get()
        if recorder is not None:
            recorder.read_gradient(self)
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None and value.shape != self.shape:
            raise ShapeError(
                describe(
                    "grad",
                    f"got a gradient of shape {list(value.shape)}",
                    f"the tensor has shape {list(self.shape)}",
                )
            )
        recorder = recording.active.get()
        if recorder is not None:
            recorder.write_gradient(self)
        self._grad = value

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the gradient of this tensor to ``grad`` of the leaves it depends on.

        Parameters
        ----------
        gradient : Tensor, optional
            What flows in; may be left out for one element.
        retain_graph : bool, optional
            Whether another backward may follow.
        create_graph : bool
            Whether the gradients can be differentiated themselves.
        inputs : Tensor or sequence of Tensor, optional
            Only these receive gradients.
        """
        interface.backward(
            self,
            gradient,
            retain_graph=retain_graph,
            create_graph=create_graph,
            inputs=inputs,
        )

    def detach(self) -> Tensor:
        """Return an alias through which no gradient flows."""
        recorded = self._requires or self._through is not None or self._cell.node.requires_grad
        strand = Strand() if recorded or self._detached is not None else None
        return self._alias(self._box, None, strand)

    def detach_(self) -> Self:
        """Cut this tensor from the graph that made it."""
        self._requires, self._through, self._detached = False, None, Strand()
        self._base = self._node = None
        return self

    @property
    def data(self) -> Tensor:
        """The values without gradients, sharing memory."""
        return self.detach()

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, TensorBase):
            raise DTypeError(describe("data", f"got {type(value).__name__}", "a Tensor"))
        if value.dtype is not self.dtype and self._requires and not value.dtype.is_floating_point:
            raise DTypeError(describe("data", f"got {value.dtype.name}", "a floating tensor"))
        alias = value.detach()
        if alias._cell is not self._cell or alias._view != self._view:
            replaced.note()
        self._cell, self._view, self._detached = alias._cell, alias._view, alias._detached
        self._aliased = alias._aliased
        self._through = self._base = self._node = None

    # -- writing ----------------------------------------------------------------------------------

    def assign(self, value: Any) -> Self:
        """Write values of the same dtype and device into this tensor's storage.

        Parameters
        ----------
        value : Tensor
            Broadcasts to this tensor's shape.

        Returns
        -------
        Tensor
            self; every alias sees the values, reads made before keep the old ones.

        Raises
        ------
        DTypeError, DeviceError, ShapeError
            When dtype, device or shape do not fit.
        """
        if not isinstance(value, TensorBase):
            value = convert.tensor(value, dtype=self.dtype, device=self.device)
        if value is self:
            return self
        if value.dtype is not self.dtype:
            raise DTypeError(
                describe(
                    "assign",
                    f"got {value.dtype.name} for a {self.dtype.name} tensor",
                    "convert it with .to(), or use copy_()",
                )
            )
        if value.device != self.device:
            raise DeviceError(
                describe(
                    "assign",
                    f"got a tensor on {value.device} for one on {self.device}",
                    "move it with .to(), or use copy_()",
                )
            )
        self._write(build.copy(expand_to("assign", value.node, self.shape)), "assign", True)
        return self

    def copy_(self, source: Any, non_blocking: bool = False) -> Self:
        """Write values of any dtype and device into this tensor's storage.

        Parameters
        ----------
        source : Tensor
            Broadcasts to this tensor's shape.
        non_blocking : bool
            Accepted and ignored.

        Returns
        -------
        Tensor
            self
        """
        if not isinstance(source, TensorBase):
            source = convert.tensor(source, dtype=self.dtype, device=self.device)
        if source is self:
            return self
        node = on_device(source.node, self.device)
        node = build.cast(node, self.dtype)
        self._write(build.copy(expand_to("copy_", node, self.shape)), "copy_", True)
        return self

    def fill_(self, value: Scalar | Tensor) -> Self:
        """Write one number everywhere."""
        number = operand("fill_", value)
        if isinstance(number, Node):
            if number.shape:
                raise ShapeError(
                    describe("fill_", f"got a tensor of shape {list(number.shape)}", "a 0-d one")
                )
            node = build.cast(number, self.dtype)
        else:
            node = build.constant(number, self.dtype, self.shape, self.device)
        self._write(node, "fill_", True)
        return self

    def zero_(self) -> Self:
        """Write zeros everywhere."""
        return self.fill_(0)

    def __getitem__(self, index: Any) -> Tensor:
        return indexing.read(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        indexing.write(self, index, value)

    def __matmul__(self, other: Any) -> Tensor:
        if isinstance(other, np.ndarray):
            other = convert.tensor(other, device=CPU)
        return products.matmul(self, other) if isinstance(other, Tensor) else NotImplemented

    def __rmatmul__(self, other: Any) -> Tensor:
        if isinstance(other, np.ndarray):
            other = convert.tensor(other, device=CPU)
        return products.matmul(other, self) if isinstance(other, Tensor) else NotImplemented

    def __imatmul__(self, other: Any) -> Tensor:
        return replace(self, "matmul_", (self @ other).node)

    def __divmod__(self, other: Tensor | Scalar) -> tuple[Tensor, Tensor]:
        return self // other, self % other

    def where(self, condition: Tensor, other: Tensor | Scalar) -> Tensor:
        """Keep elements where a condition is true. Method form of `pumice.where`."""
        chosen: Tensor = selection.where(condition, self, other)
        return chosen

    def clone(self, *, memory_format: Any = None) -> Tensor:
        """Return a copy; gradients flow through it."""
        return wrap(build.copy(self.node))

    def __array_wrap__(
        self, array: Any, context: Any = None, return_scalar: bool = False
    ) -> Tensor:
        """Return what a function of NumPy made of this tensor: a tensor, as in PyTorch."""
        return convert.from_numpy(np.asarray(array))

    # -- the object -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return printing.represent(self)

    def __format__(self, specification: str) -> str:
        if not self.shape and type(self) is Tensor:
            return format(self.item(), specification)
        return object.__format__(self, specification)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise InvalidArgument(
                describe(
                    "deepcopy",
                    "only leaf tensors support deepcopy",
                    "detach() the tensor first",
                )
            )
        copied: Tensor = type(self).__new__(type(self))
        copied._fill(copy.deepcopy(self._cell, memo), self._view)
        copied._requires = self._requires
        memo[id(self)] = copied
        copied._grad = copy.deepcopy(self._grad, memo)
        for name, value in getattr(self, "__dict__", {}).items():
            setattr(copied, name, copy.deepcopy(value, memo))
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        array = np.ascontiguousarray(self.detach().cpu().numpy())
        bits = array.reshape(-1).view(np.uint8).tobytes()
        state = getattr(self, "__dict__", {})
        place = str(self.device)
        return _rebuild, (type(self), bits, self.dtype, self.shape, self._requires, state, place)

    def is_floating_point(self) -> bool:
        """Tell whether the dtype is floating."""
        return self.dtype.is_floating_point

    def is_signed(self) -> bool:
        """Tell whether the dtype has negative values."""
        return self.dtype.is_signed

    def is_complex(self) -> bool:
        """Tell whether the dtype is complex: never."""
        return False


def _rebuild(
    kind: type[Tensor],
    bits: bytes,
    dtype: DType,
    shape: tuple[int, ...],
    requires_grad: bool,
    state: dict[str, Any],
    place: str,
) -> Tensor:
    """Make a pickled tensor again, on the device it was on."""
    raw = np.frombuffer(bits, np.uint8)
    source = convert.from_bits(raw, dtype, shape).to(place)
    restored = kind.__new__(kind)
    restored._fill(source._cell)
    restored._requires = requires_grad
    for name, value in state.items():
        setattr(restored, name, value)
    return restored


TensorBase.concrete = Tensor
named["Tensor"] = Tensor
