"""Applying operators to tensors and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pumice.dtypes import DType, Scalar, accumulation_dtype
from pumice.errors import DTypeError, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.definition import Elementwise, registry
from pumice.target import CPU
from pumice.tensor.convert import tensor
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.marks import public

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def operand(operator: str, value: Any) -> Node | Scalar:
    """Return the node of a tensor, or a Python number as it is."""
    if isinstance(value, TensorBase):
        return value.node
    if isinstance(value, (bool, int, float)):
        return value
    item = getattr(value, "item", None)
    if item is not None and getattr(value, "shape", None) == ():
        number: Scalar = item()
        return number
    raise DTypeError(
        describe(
            operator,
            f"got an operand of type {type(value).__name__}",
            "allowed are tensors and Python numbers",
        )
    )


def tensor_node(operator: str, value: Any, name: str = "input") -> Node:
    """Return the node of an argument that must be a tensor."""
    if isinstance(value, TensorBase):
        return value.node
    raise DTypeError(
        describe(
            operator,
            f"argument '{name}' must be a Tensor, not {type(value).__name__}",
            "make one with tensor()",
        )
    )


def entry(name: str) -> Elementwise:
    """Return an elementwise entry by name."""
    found: Any = registry.entries[name]
    result: Elementwise = found
    return result


def widened(node: Node) -> Node:
    """Return an operand in the type it is computed in; 16-bit floats are rounded at the end."""
    return build.cast(node, accumulation_dtype(node.dtype))


def call(name: str, *operands: Node | Scalar) -> Node:
    """Apply an elementwise entry to nodes and numbers."""
    return build.elementwise(entry(name), *operands)


def unary(op: Elementwise, value: Any) -> Tensor:
    """Apply an entry of one operand."""
    if isinstance(value, TensorBase):
        return wrap(build.elementwise(op, value.node))
    return wrap(build.elementwise(op, tensor_node(op.name, value)))


def elementwise(op: Elementwise, *values: Any) -> Tensor:
    """Apply an entry to tensors and numbers."""
    nodes = [
        value.node if isinstance(value, TensorBase) else operand(op.name, value) for value in values
    ]
    return wrap(build.elementwise(op, *nodes))


def binary(op: Elementwise, first: Any, second: Any) -> Any:
    """Apply an entry for a Python operator, or let the other operand's type try."""
    if isinstance(first, TensorBase) and isinstance(second, TensorBase):
        return wrap(build.elementwise(op, first.node, second.node))
    if isinstance(first, TensorBase) and type(second) in (int, float):
        return wrap(build.elementwise(op, first.node, second))
    left: Any = first.node if isinstance(first, TensorBase) else first
    right: Any = second.node if isinstance(second, TensorBase) else second
    for value in (left, right):
        if not isinstance(value, (Node, bool, int, float)):
            if not is_operand(value):
                return NotImplemented
            left, right = with_array(op.name, first), with_array(op.name, second)
    return wrap(build.elementwise(op, left, right))


def with_array(operator: str, value: Any) -> Node | Scalar:
    """Return an operand of a Python operator, which may be a NumPy array as well."""
    if isinstance(value, np.ndarray) and value.shape:
        return tensor(value, device=CPU).node
    return operand(operator, value)


def binary_inplace(op: Elementwise, operator: str, target: Tensor, value: Any) -> Any:
    """Apply an entry for an in-place Python operator."""
    if not is_operand(value):
        return NotImplemented
    result = build.elementwise(op, target.node, with_array(operator, value))
    return replace(target, operator, result)


def is_operand(value: object) -> bool:
    """Tell whether Python operators accept this on either side of a tensor."""
    return isinstance(value, (TensorBase, bool, int, float, np.ndarray)) or (
        getattr(value, "shape", None) == () and hasattr(value, "item")
    )


def replace(target: Tensor, operator: str, result: Node, overwrites: bool = False) -> Tensor:
    """Store the result of an in-place operator; it must keep shape and family of dtype.

    ``overwrites`` as in `TensorBase._write`.
    """
    if result.shape != target.shape:
        raise ShapeError(
            describe(
                operator,
                f"the result has shape {list(result.shape)}",
                f"it must keep the target's shape {list(target.shape)}",
            )
        )
    if not can_cast(result.dtype, target.dtype):
        raise DTypeError(
            describe(
                operator,
                f"the result type {result.dtype.name} can't be cast to the desired output type "
                f"{target.dtype.name}",
                "convert the tensor first",
            )
        )
    target._write(result, operator, overwrites)
    return target


@public
def can_cast(source: DType, destination: DType) -> bool:
    """Tell whether a conversion keeps the family: no float to integer, nothing to bool.

    Parameters
    ----------
    source, destination : DType
        Element types.

    Returns
    -------
    bool

    Examples
    --------
    >>> import pumice
    >>> pumice.can_cast(pumice.float32, pumice.int32)
    False
    """
    if source.is_floating_point and not destination.is_floating_point:
        return False
    return source.name == "bool" or destination.name != "bool"
