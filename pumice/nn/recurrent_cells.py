"""Single steps of recurrent networks."""

import math
from typing import Any

from pumice.dtypes import DType
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.nn import init
from pumice.nn.module import Module
from pumice.nn.parameter import Parameter
from pumice.nn.recurrence import KINDS, Recurrence, State, Weights
from pumice.nn.recurrent import rnn_mode
from pumice.tensor.creation import empty, zeros
from pumice.tensor.tensor import Tensor


class RNNCellBase(Module):
    """One step of a recurrent network; subclasses choose which."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        bias: bool,
        device: Any,
        dtype: DType | None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = KINDS[mode].gates * hidden_size

        def parameter(*shape: int) -> Parameter:
            return Parameter(empty(shape, dtype=dtype, device=device))

        self.weight_ih = parameter(rows, input_size)
        self.weight_hh = parameter(rows, hidden_size)
        self.register_parameter("bias_ih", parameter(rows) if bias else None)
        self.register_parameter("bias_hh", parameter(rows) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters again."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0.0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _advance(self, input: Tensor, state: State | None) -> State:
        """Return the state after one step."""
        name = type(self).__name__
        if input.ndim not in (1, 2):
            raise ShapeError(
                describe(name, f"Expected input to be 1D or 2D, got {input.ndim}D instead")
            )
        if input.shape[-1] != self.input_size:
            raise ShapeError(
                describe(
                    name,
                    f"input has inconsistent input_size: got {input.shape[-1]} "
                    f"expected {self.input_size}",
                )
            )
        kind = KINDS[self.mode]
        shape = (*input.shape[:-1], self.hidden_size)
        if state is None:
            state = (zeros(shape, dtype=input.dtype, device=input.device),) * kind.states
        for part in state:
            if tuple(part.shape) != shape:
                raise ShapeError(
                    describe(name, f"Expected hidden size {shape}, got {list(part.shape)}")
                )
        if input.ndim == 1:
            input = input.unsqueeze(0)
            state = tuple(part.unsqueeze(0) for part in state)
        weights = Weights(self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        recurrence = Recurrence(kind, weights)
        state = recurrence.step(recurrence.given(input.unsqueeze(0))[0], state)
        return state if len(shape) == 2 else tuple(part.squeeze(0) for part in state)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias else f"{text}, bias=False"


class RNNCell(RNNCellBase):
    """One step of `RNN`.

    Parameters
    ----------
    input_size, hidden_size : int
        Features of an input, and of the state.
    bias : bool
        Whether there are ``bias_ih`` and ``bias_hh``.
    nonlinearity : str
        ``"tanh"`` or ``"relu"``.

    Examples
    --------
    >>> pumice.nn.RNNCell(3, 5)(pumice.zeros(4, 3)).shape
    (4, 5)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        mode = rnn_mode("RNNCell", nonlinearity)
        super().__init__(mode, input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the state after an input (N, features) or (features)."""
        return self._advance(input, None if hx is None else (hx,))[0]

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        text = super().extra_repr()
        plain = self.nonlinearity == "tanh"
        return text if plain else f"{text}, nonlinearity={self.nonlinearity}"


class LSTMCell(RNNCellBase):
    """One step of `LSTM`.

    Parameters
    ----------
    input_size, hidden_size : int
        Features of an input, and of the state.
    bias : bool
        Whether there are ``bias_ih`` and ``bias_hh``.

    Examples
    --------
    >>> hidden, cell = pumice.nn.LSTMCell(3, 5)(pumice.zeros(4, 3))
    >>> hidden.shape, cell.shape
    ((4, 5), (4, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__("LSTM", input_size, hidden_size, bias, device, dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return hidden and cell state after an input (N, features) or (features)."""
        if hx is not None and (isinstance(hx, Tensor) or len(hx) != 2):
            raise InvalidArgument(describe("LSTMCell", "hx must be a hidden and a cell state"))
        hidden, cell = self._advance(input, None if hx is None else tuple(hx))
        return hidden, cell


class GRUCell(RNNCellBase):
    """One step of `GRU`.

    Parameters
    ----------
    input_size, hidden_size : int
        Features of an input, and of the state.
    bias : bool
        Whether there are ``bias_ih`` and ``bias_hh``.

    Examples
    --------
    >>> pumice.nn.GRUCell(3, 5)(pumice.zeros(3)).shape
    (5,)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__("GRU", input_size, hidden_size, bias, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the state after an input (N, features) or (features)."""
        return self._advance(input, None if hx is None else (hx,))[0]
