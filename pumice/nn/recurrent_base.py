"""What recurrent layers share."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

from pumice.dtypes import DType
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.nn import init
from pumice.nn.module import Module
from pumice.nn.parameter import Parameter
from pumice.nn.recurrence import KINDS, Recurrence, State, Weights
from pumice.nn.utils.rnn import PackedSequence
from pumice.tensor import functional
from pumice.tensor.creation import empty, zeros
from pumice.tensor.tensor import Tensor


class RNNBase(Module):
    """Layers of a recurrent network; `RNN`, `LSTM` and `GRU` choose what a step does.

    Parameters
    ----------
    mode : str
        ``"RNN_TANH"``, ``"RNN_RELU"``, ``"LSTM"`` or ``"GRU"``.
    input_size, hidden_size : int
        Features of an input, and of the state.
    num_layers : int
        Layers on top of each other, each reading the outputs of the one below.
    bias : bool
        Whether there are ``bias_ih`` and ``bias_hh``.
    batch_first : bool
        Whether inputs and outputs are (N, steps, features) instead of (steps, N, features).
    dropout : float
        Probability of dropping an output of each layer but the last, in training.
    bidirectional : bool
        Whether each layer also runs from the last step to the first.
    proj_size : int
        Size that the hidden state is projected to, 0 for none; only for an LSTM.
    device, dtype : optional
        Where and what the parameters are.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check()
        for suffix, shapes in self._shapes():
            for name, shape in shapes.items():
                parameter = Parameter(empty(shape, dtype=dtype, device=device))
                self.register_parameter(f"{name}_{suffix}", parameter)
        self.reset_parameters()

    def _check(self) -> None:
        name = type(self).__name__
        if self.mode not in KINDS:
            raise InvalidArgument(describe(name, f"mode {self.mode!r}", f"one of {list(KINDS)}"))
        for attribute in ("hidden_size", "num_layers"):
            if getattr(self, attribute) <= 0:
                raise InvalidArgument(
                    describe(
                        name,
                        f"{attribute} must be greater than zero: it is {getattr(self, attribute)}",
                    )
                )
        if not 0 <= self.dropout <= 1:
            raise InvalidArgument(
                describe(name, f"dropout is {self.dropout}", "a number from 0 to 1")
            )
        if self.proj_size and self.mode != "LSTM":
            raise InvalidArgument(
                describe(name, "proj_size argument is only supported for LSTM, not RNN or GRU")
            )
        if not 0 <= self.proj_size < self.hidden_size:
            raise InvalidArgument(
                describe(name, f"proj_size is {self.proj_size}", "0 or more, less than hidden_size")
            )
        if self.dropout and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                f"dropout expects num_layers greater than 1, but got dropout={self.dropout} and "
                "num_layers=1",
                stacklevel=4,
            )

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _output_size(self) -> int:
        """Features of the hidden state as it leaves a step."""
        return self.proj_size or self.hidden_size

    def _shapes(self) -> list[tuple[str, dict[str, tuple[int, ...]]]]:
        """Return the suffix of each layer and direction, and the shapes of its parameters."""
        rows = KINDS[self.mode].gates * self.hidden_size
        found = []
        for layer in range(self.num_layers):
            width = self._directions * self._output_size if layer else self.input_size
            shapes: dict[str, tuple[int, ...]] = {
                "weight_ih": (rows, width),
                "weight_hh": (rows, self._output_size),
            }
            if self.bias:
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
            if self.proj_size:
                shapes["weight_hr"] = (self.proj_size, self.hidden_size)
            found.append((f"l{layer}", shapes))
            if self.bidirectional:
                found.append((f"l{layer}_reverse", shapes))
        return found

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [
            [getattr(self, f"{name}_{suffix}") for name in shapes]
            for suffix, shapes in self._shapes()
        ]

    def flatten_parameters(self) -> None:
        """Do nothing: parameters need not lie together."""

    def reset_parameters(self) -> None:
        """Draw the parameters again."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(
        self, input: Tensor | PackedSequence, hx: Tensor | tuple[Tensor, Tensor] | None = None
    ) -> tuple[Any, Any]:
        """Run along a sequence.

        Parameters
        ----------
        input : Tensor or PackedSequence
            (steps, N, input_size), (N, steps, input_size) if ``batch_first``, or
            (steps, input_size).
        hx : Tensor or pair of Tensor, optional
            The state before the first step, (layers * directions, N, hidden), zeros by default;
            for an LSTM hidden and cell state.

        Returns
        -------
        (Tensor or PackedSequence, state)
            The outputs of the last layer, both directions joined, and the state of every layer
            and direction after its last step, as ``hx``.
        """
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
        batched = self._check_input(input)
        axis = 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(axis)
        sequence = input.transpose(0, 1) if self.batch_first else input
        states = self._initial(sequence, sequence.shape[1], hx, batched)
        output, states = self._layers(sequence, None, states)
        if self.batch_first:
            output = output.transpose(0, 1)
        if not batched:
            output = output.squeeze(axis)
            states = tuple(state.squeeze(1) for state in states)
        return output, states if len(states) > 1 else states[0]

    def _packed(self, input: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        """Run along sequences of different lengths."""
        self._check_features(input.data)
        counts = [int(count) for count in input.batch_sizes.tolist()]
        states = self._initial(input.data, counts[0], hx, True)
        if hx is not None and input.sorted_indices is not None:
            order = input.sorted_indices
            states = tuple(functional.index_select(state, 1, order) for state in states)
        output, states = self._layers(input.data, counts, states)
        if input.unsorted_indices is not None:
            order = input.unsorted_indices
            states = tuple(functional.index_select(state, 1, order) for state in states)
        return input._replace(data=output), states if len(states) > 1 else states[0]

    def _check_input(self, input: Tensor) -> bool:
        """Refuse an input of a wrong shape; return whether it has a batch axis."""
        name = type(self).__name__
        if input.ndim not in (2, 3):
            raise ShapeError(
                describe(name, f"Expected input to be 2D or 3D, got {input.ndim}D instead")
            )
        self._check_features(input)
        batched = input.ndim == 3
        if not input.shape[1 if batched and self.batch_first else 0]:
            raise ShapeError(describe(name, "Expected sequence length to be larger than 0"))
        return batched

    def _check_features(self, input: Tensor) -> None:
        name = type(self).__name__
        if input.shape[-1] != self.input_size:
            raise ShapeError(
                describe(
                    name,
                    "input.size(-1) must be equal to input_size. "
                    f"Expected {self.input_size}, got {input.shape[-1]}",
                )
            )

    def _initial(self, sequence: Tensor, batch: int, hx: Any, batched: bool) -> State:
        """Return the states before the first step, (layers * directions, N, hidden) each."""
        count = self.num_layers * self._directions
        sizes = (self._output_size, self.hidden_size)[: KINDS[self.mode].states]
        shapes = [(count, batch, size) for size in sizes]
        if hx is None:
            dtype, device = sequence.dtype, sequence.device
            return tuple(zeros(shape, dtype=dtype, device=device) for shape in shapes)
        given: Sequence[Tensor] = (hx,) if isinstance(hx, Tensor) else tuple(hx)
        name = type(self).__name__
        if len(given) != len(shapes) or (isinstance(hx, Tensor) and len(shapes) > 1):
            raise InvalidArgument(
                describe(name, f"hx holds {len(given)} tensors", f"{len(shapes)} states")
            )
        for part, state, shape in zip(("hx[0]", "hx[1]"), given, shapes, strict=False):
            expected = shape if batched else (shape[0], shape[2])
            if tuple(state.shape) != expected:
                raise ShapeError(
                    describe(
                        name,
                        f"Expected hidden {part} size {expected}, got {list(state.shape)}",
                    )
                )
        return tuple(given) if batched else tuple(state.unsqueeze(1) for state in given)

    def _layers(
        self, sequence: Tensor, counts: list[int] | None, states: State
    ) -> tuple[Tensor, State]:
        """Run all layers over (steps, N, features), or packed steps of ``counts`` sequences."""
        kind = KINDS[self.mode]
        suffixes = [suffix for suffix, _ in self._shapes()]
        last: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(self._directions):
                place = layer * self._directions + direction
                recurrence = Recurrence(kind, self._weights(suffixes[place]))
                state = tuple(each[place] for each in states)
                reverse = direction == 1
                if counts is None:
                    output, state = recurrence.run(sequence, state, reverse)
                else:
                    output, state = recurrence.run_packed(sequence, counts, state, reverse)
                outputs.append(output)
                last.append(state)
            sequence = outputs[0] if len(outputs) == 1 else functional.cat(outputs, -1)
            if self.dropout and layer < self.num_layers - 1:
                sequence = functional.dropout(sequence, self.dropout, self.training)
        return sequence, tuple(functional.stack(each) for each in zip(*last, strict=True))

    def _weights(self, suffix: str) -> Weights:
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
        found: list[Any] = [getattr(self, f"{name}_{suffix}", None) for name in names]
        return Weights(*found)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        parts = [f"{self.input_size}, {self.hidden_size}"]
        defaults = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0.0,
            "bidirectional": False,
        }
        parts += [
            f"{name}={getattr(self, name)}"
            for name, default in defaults.items()
            if getattr(self, name) != default
        ]
        return ", ".join(parts)
