"""Recurrent layers."""

from typing import Any

from pumice.dtypes import DType
from pumice.errors import InvalidArgument, describe
from pumice.nn.recurrent_base import RNNBase


class RNN(RNNBase):
    """An Elman network: ``h' = tanh(x @ W_ih.T + b_ih + h @ W_hh.T + b_hh)``.

    Parameters
    ----------
    input_size, hidden_size, num_layers : int
        As in `RNNBase`, and so are the others.
    nonlinearity : str
        ``"tanh"`` or ``"relu"``.

    Examples
    --------
    >>> layer = pumice.nn.RNN(3, 5, num_layers=2)
    >>> output, state = layer(pumice.zeros(7, 4, 3))
    >>> output.shape, state.shape
    ((7, 4, 5), (2, 4, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            rnn_mode("RNN", nonlinearity),
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """A long short-term memory.

    With the gates ``i, f, g, o`` computed from ``x @ W_ih.T + b_ih + h @ W_hh.T + b_hh``:
    ``c' = sigmoid(f) * c + sigmoid(i) * tanh(g)`` and ``h' = sigmoid(o) * tanh(c')``, multiplied
    by ``W_hr.T`` where ``proj_size`` is given.

    Parameters
    ----------
    input_size, hidden_size, num_layers : int
        As in `RNNBase`, and so are the others.

    Examples
    --------
    >>> layer = pumice.nn.LSTM(3, 5, batch_first=True, bidirectional=True)
    >>> output, (hidden, cell) = layer(pumice.zeros(4, 7, 3))
    >>> output.shape, hidden.shape, cell.shape
    ((4, 7, 10), (2, 4, 5), (2, 4, 5))
    """

    def __init__(
        self,
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
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )


class GRU(RNNBase):
    """A gated recurrent unit.

    With ``r, z, n`` for the parts of ``x @ W_ih.T + b_ih`` and ``h @ W_hh.T + b_hh``:
    ``r = sigmoid(r_x + r_h)``, ``z = sigmoid(z_x + z_h)``, ``n = tanh(n_x + r * n_h)`` and
    ``h' = (1 - z) * n + z * h``.

    Parameters
    ----------
    input_size, hidden_size, num_layers : int
        As in `RNNBase`, and so are the others.

    Examples
    --------
    >>> layer = pumice.nn.GRU(3, 5)
    >>> output, state = layer(pumice.zeros(7, 3))
    >>> output.shape, state.shape
    ((7, 5), (1, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )


def rnn_mode(name: str, nonlinearity: str) -> str:
    """Return the mode of an Elman network."""
    if nonlinearity not in ("tanh", "relu"):
        raise InvalidArgument(
            describe(name, f"Unknown nonlinearity {nonlinearity!r}", "'tanh' or 'relu'")
        )
    return f"RNN_{nonlinearity.upper()}"
