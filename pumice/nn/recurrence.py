"""What one step of a recurrent network does, and how it is repeated along a sequence.

Gates have an axis of their own, (gates, N, hidden), so each is read as one block. What the inputs
add to the gates is one product for all steps; a step then has one product, of the state by
weights that were brought into the order of that product once, and one elementwise kernel.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from pumice.tensor import functional
from pumice.tensor.tensor import Tensor

State = tuple[Tensor, ...]
Step = Callable[[Tensor, Tensor, State], State]
"""Takes what the input adds to the gates, what the hidden state adds, and the state."""


def tanh_step(given: Tensor, hidden: Tensor, state: State) -> State:
    """Return the next state of an Elman network."""
    return (functional.tanh(given + hidden),)


def relu_step(given: Tensor, hidden: Tensor, state: State) -> State:
    """Return the next state of an Elman network with ReLU."""
    return (functional.relu(given + hidden),)


def lstm_step(given: Tensor, hidden: Tensor, state: State) -> State:
    """Return the next hidden and cell state of a long short-term memory."""
    gates = (given + hidden).chunk(4, 1)
    enter, forget, leave = (functional.sigmoid(gates[place]) for place in (0, 1, 3))
    cell = forget * state[1] + enter * functional.tanh(gates[2])
    return leave * functional.tanh(cell), cell


def gru_step(given: Tensor, hidden: Tensor, state: State) -> State:
    """Return the next state of a gated recurrent unit."""
    givens, hiddens = given.chunk(3, 1), hidden.chunk(3, 1)
    reset, update = (functional.sigmoid(givens[place] + hiddens[place]) for place in (0, 1))
    change = functional.tanh(givens[2] + reset * hiddens[2])
    return (change + update * (state[0] - change),)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of recurrent network.

    Attributes
    ----------
    gates : int
        How many there are; weights hold them one after the other.
    states : int
        How many tensors a state is made of; the first is the output.
    step : callable
        From one state to the next.
    separate : bool
        Whether the hidden part of a gate is used on its own, so that its bias must stay with it.
    """

    gates: int
    states: int
    step: Step
    separate: bool = False


KINDS = {
    "RNN_TANH": Kind(1, 1, tanh_step),
    "RNN_RELU": Kind(1, 1, relu_step),
    "LSTM": Kind(4, 2, lstm_step),
    "GRU": Kind(3, 1, gru_step, separate=True),
}


@dataclass(frozen=True, slots=True)
class Weights:
    """The parameters of one direction of one layer, as PyTorch shapes them."""

    input: Tensor
    hidden: Tensor
    input_bias: Tensor | None = None
    hidden_bias: Tensor | None = None
    projection: Tensor | None = None


class Recurrence:
    """A kind of network with weights, ready for steps.

    Parameters
    ----------
    kind : Kind
        What a step does.
    weights : Weights
        What it does it with.
    """

    def __init__(self, kind: Kind, weights: Weights) -> None:
        self._kind = kind
        self._weights = weights
        self._hidden = weights.hidden.t().contiguous()
        self._bias: Tensor | None = None
        if weights.hidden_bias is not None and kind.separate:
            self._bias = weights.hidden_bias
        self._projection: Tensor | None = None
        if weights.projection is not None:
            self._projection = weights.projection.t().contiguous()

    def given(self, input: Tensor) -> Tensor:
        """Return what inputs (steps, N, features) add: (steps, N, gates * hidden)."""
        weights, bias = self._weights, self._weights.input_bias
        if bias is not None and weights.hidden_bias is not None and not self._kind.separate:
            bias = bias + weights.hidden_bias
        return functional.linear(input, weights.input, bias)

    def step(self, given: Tensor, state: State) -> State:
        """Return the state after a step; ``given`` is (N, gates * hidden)."""
        hidden = state[0] @ self._hidden
        if self._bias is not None:
            hidden = hidden + self._bias
        following = self._kind.step(given, hidden, state)
        if self._projection is not None:
            following = (following[0] @ self._projection, *following[1:])
        return following

    def run(self, input: Tensor, state: State, reverse: bool) -> tuple[Tensor, State]:
        """Return the outputs of all steps (steps, N, output) and the last state."""
        given = self.given(input)
        outputs: list[Tensor] = []
        places = range(input.shape[0])
        for place in reversed(places) if reverse else places:
            state = self.step(given[place], state)
            outputs.append(state[0])
        return functional.stack(outputs[::-1] if reverse else outputs), state

    def run_packed(
        self, input: Tensor, counts: list[int], state: State, reverse: bool
    ) -> tuple[Tensor, State]:
        """Do the same for packed sequences, of which the first ``counts[t]`` have step t.

        A sequence keeps its state before its first step and after its last.
        """
        given = self.given(input)
        starts = [0, *accumulate(counts)]
        outputs: list[Tensor] = []
        places = range(len(counts))
        for place in reversed(places) if reverse else places:
            active = counts[place]
            now = tuple(each[:active] for each in state)
            now = self.step(given[starts[place] : starts[place + 1]], now)
            outputs.append(now[0])
            if active < state[0].shape[0]:
                pairs = zip(now, state, strict=True)
                now = tuple(functional.cat([new, old[active:]]) for new, old in pairs)
            state = now
        return functional.cat(outputs[::-1] if reverse else outputs), state
