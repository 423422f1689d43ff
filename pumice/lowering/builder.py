"""Collecting the parameters of a kernel while its body is written."""

from operator import index as as_number

from pumice import dtypes
from pumice.dtypes import DType
from pumice.graph.node import Node
from pumice.kernel.ir import (
    INDEX,
    Grid,
    Instruction,
    Kernel,
    Parameter,
    Role,
    Statement,
    Value,
    Variable,
    index,
)
from pumice.lowering.steps import Binding, FaultRecord, Memory, Number, Scratch, Step
from pumice.ops.view import Shape


class KernelBuilder:
    """Parameters and bindings of one kernel in the making."""

    def __init__(self) -> None:
        self._parameters: list[Parameter] = []
        self._bindings: list[Binding] = []
        self._buffers: dict[tuple[int, int, DType], Parameter] = {}
        self._numbers: dict[Node, Value] = {}
        self._strides: dict[tuple[int, ...], tuple[Value, ...]] = {}
        self._writes: list[Node | Scratch] = []
        self._locals: list[Parameter] = []
        self.suspects: dict[Node, None] = {}

    def _add(self, parameter: Parameter, binding: Binding) -> Parameter:
        self._parameters.append(parameter)
        self._bindings.append(binding)
        return parameter

    def readable(self, owner: Node | Scratch, dtype: DType, offset: int = 0) -> Parameter:
        """Return the parameter through which memory is read, ``offset`` elements in."""
        key = (id(owner), offset, dtype)
        if key not in self._buffers:
            binding = Memory(owner, offset * dtype.itemsize)
            name = f"in{len(self._buffers)}"
            self._buffers[key] = self._add(Parameter(name, Role.BUFFER, dtype), binding)
        return self._buffers[key]

    def writable(self, owner: Node | Scratch, dtype: DType, offset: int = 0) -> Parameter:
        """Return a parameter through which memory is written (and may be read)."""
        binding = Memory(owner, offset * dtype.itemsize)
        self._writes.append(owner)
        name = f"out{len(self._writes)}"
        return self._add(Parameter(name, Role.BUFFER, dtype, writable=True), binding)

    def local(self, dtype: DType, extent: int, name: str = "local") -> Parameter:
        """Return memory of ``extent`` elements that each grid item has for itself."""
        memory = Parameter(name, Role.LOCAL, dtype, writable=True, extent=as_number(extent))
        self._locals.append(memory)
        return memory

    def size(self, value: int, name: str = "size") -> Value:
        """Return a run-time size or stride."""
        parameter = self._add(Parameter(name, Role.INDEX, INDEX), value)
        return Value(Instruction.PARAMETER, INDEX, (), parameter)

    def number(self, node: Node) -> Value:
        """Return the value of a CONSTANT node, a run-time argument."""
        if node not in self._numbers:
            parameter = self._add(Parameter("scalar", Role.SCALAR, node.dtype), Number(node))
            self._numbers[node] = Value(Instruction.PARAMETER, node.dtype, (), parameter)
        return self._numbers[node]

    def strides(self, values: Shape) -> tuple[Value, ...]:
        """Return strides: 0, 1 and 2 are built into the kernel, others are run-time arguments."""
        if values not in self._strides:
            self._strides[values] = tuple(
                index(value) if value in (0, 1, 2) else self.size(value, "stride")
                for value in values
            )
        return self._strides[values]

    def finish(
        self,
        grid: tuple[tuple[Variable, Value, int], ...],
        body: tuple[Statement, ...],
        cost: int,
        node: Node,
    ) -> Step:
        """Return the step; ``grid`` lists (variable, extent, extent's number)."""
        faults = bool(self.suspects)
        if faults:
            record = Parameter("fault", Role.BUFFER, dtypes.int64, writable=True)
            self._add(record, FaultRecord())
        variables = tuple(variable for variable, _, _ in grid)
        extents = tuple(extent for _, extent, _ in grid)
        kernel = Kernel(
            tuple(self._parameters),
            Grid(variables, extents),
            body,
            faults,
            locals=tuple(self._locals),
        )
        numbers = tuple(number for _, _, number in grid)
        bindings = tuple(self._bindings)
        writes, suspects = tuple(self._writes), tuple(self.suspects)
        return Step(kernel, bindings, numbers, writes, cost, node, suspects)
