"""Transformer layers and stacks of them, with PyTorch's names and ``state_dict`` keys."""

import copy
from collections.abc import Callable
from typing import Any

from pumice.dtypes import DType
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.nn import init
from pumice.nn.attention import MultiheadAttention
from pumice.nn.container import ModuleList
from pumice.nn.dropout import Dropout
from pumice.nn.linear import Linear
from pumice.nn.module import Module
from pumice.nn.normalization import LayerNorm
from pumice.tensor import functional
from pumice.tensor.creation import full
from pumice.tensor.tensor import Tensor

Activation = str | Callable[[Tensor], Tensor]


def activation_of(name: str, activation: Activation) -> Callable[[Tensor], Tensor]:
    """Return the function that is called ``activation``."""
    if callable(activation):
        return activation
    known: dict[str, Callable[[Tensor], Tensor]] = {
        "relu": functional.relu,
        "gelu": functional.gelu,
    }
    if activation not in known:
        raise InvalidArgument(
            describe(name, f"activation is {activation!r}", "'relu', 'gelu' or a function")
        )
    return known[activation]


def _mixed(
    layer: MultiheadAttention,
    x: Tensor,
    memory: Tensor,
    mask: Tensor | None,
    padding: Tensor | None,
    is_causal: bool,
) -> Tensor:
    """Return what ``x`` finds when it attends to ``memory``."""
    found: Tensor = layer(
        x,
        memory,
        memory,
        attn_mask=mask,
        key_padding_mask=padding,
        need_weights=False,
        is_causal=is_causal,
    )[0]
    return found


class _TransformerLayer(Module):
    """What encoder and decoder layers share: a feed-forward part, norms and dropout.

    Parameters
    ----------
    d_model, nhead : int
        Size of the model and number of heads it is divided among.
    dim_feedforward : int
        Size between the two linear maps.
    dropout : float
        Probability of dropping an element after each part, in training.
    activation : {"relu", "gelu"} or callable
        Between the two linear maps.
    layer_norm_eps : float
        Added to variances.
    batch_first : bool
        Whether the batch is axis 0 (and the sequence axis 1) instead of the reverse.
    norm_first : bool
        Whether each part is normalised before it instead of after.
    bias : bool
        Whether there are biases.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        placed: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.batch_first = batch_first
        self.norm_first = norm_first
        self.activation = activation_of(type(self).__name__, activation)
        heads: dict[str, Any] = {"dropout": dropout, "batch_first": batch_first, **placed}
        self.self_attn = MultiheadAttention(d_model, nhead, **heads)
        self._add_cross_attention(d_model, nhead, heads)
        self.linear1 = Linear(d_model, dim_feedforward, **placed)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **placed)
        for number in range(1, self.parts + 1):
            self.add_module(f"norm{number}", LayerNorm(d_model, layer_norm_eps, **placed))
        for number in range(1, self.parts + 1):
            self.add_module(f"dropout{number}", Dropout(dropout))

    parts = 2

    def _add_cross_attention(self, size: int, heads: int, options: dict[str, Any]) -> None:
        """Add what attends to another sequence; encoders have none."""

    def _residual(self, number: int, x: Tensor, part: Callable[[Tensor], Tensor]) -> Tensor:
        """Return ``x`` and what a part adds to it, normalised before or after."""
        norm, drop = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        result: Tensor = x + drop(part(norm(x) if self.norm_first else x))
        return result if self.norm_first else norm(result)

    def _feed_forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return result


class TransformerEncoderLayer(_TransformerLayer):
    """Self-attention and a feed-forward part; arguments as ``torch.nn.TransformerEncoderLayer``.

    Source: Vaswani et al., "Attention is all you need", arXiv:1706.03762.
    """

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Apply the layer; masks as in `MultiheadAttention`."""

        def attend(x: Tensor) -> Tensor:
            return _mixed(self.self_attn, x, x, src_mask, src_key_padding_mask, is_causal)

        return self._residual(2, self._residual(1, src, attend), self._feed_forward)


class TransformerDecoderLayer(_TransformerLayer):
    """Self-attention, attention to a memory, and a feed-forward part; as in PyTorch."""

    parts = 3

    def _add_cross_attention(self, size: int, heads: int, options: dict[str, Any]) -> None:
        self.multihead_attn = MultiheadAttention(size, heads, **options)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Apply the layer; masks as in `MultiheadAttention`."""

        def attend(x: Tensor) -> Tensor:
            return _mixed(self.self_attn, x, x, tgt_mask, tgt_key_padding_mask, tgt_is_causal)

        def look(x: Tensor) -> Tensor:
            layer, padding = self.multihead_attn, memory_key_padding_mask
            return _mixed(layer, x, memory, memory_mask, padding, memory_is_causal)

        x = self._residual(2, self._residual(1, tgt, attend), look)
        return self._residual(3, x, self._feed_forward)


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after another.

    Parameters
    ----------
    encoder_layer : TransformerEncoderLayer
        Copied with its present parameters.
    num_layers : int
        How often.
    norm : Module, optional
        Applied at the end.
    """

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(encoder_layer) for _ in range(num_layers))
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Apply all layers; the mask goes to each."""
        for layer in self.layers:
            src = layer(
                src,
                src_mask=mask,
                src_key_padding_mask=src_key_padding_mask,
                is_causal=bool(is_causal),
            )
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after another.

    Parameters
    ----------
    decoder_layer : TransformerDecoderLayer
        Copied with its present parameters.
    num_layers : int
        How often.
    norm : Module, optional
        Applied at the end.
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(decoder_layer) for _ in range(num_layers))
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Apply all layers; the masks go to each."""
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder; arguments as ``torch.nn.Transformer``.

    Parameters
    ----------
    d_model, nhead : int
        Size of the model and number of heads it is divided among.
    num_encoder_layers, num_decoder_layers : int
        Layers of each.
    dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias
        As in `TransformerEncoderLayer`.
    custom_encoder, custom_decoder : Module, optional
        Used instead.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        placed: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        shared: list[Any] = [d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps]
        shared += [batch_first, norm_first]

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, **placed)

        if custom_encoder is None:
            layer = TransformerEncoderLayer(*shared, **placed)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        if custom_decoder is None:
            decoding = TransformerDecoderLayer(*shared, **placed)
            custom_decoder = TransformerDecoder(decoding, num_decoder_layers, norm())
        self.encoder = custom_encoder
        self.decoder = custom_decoder
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Encode ``src`` and decode ``tgt`` with it; masks as in `MultiheadAttention`."""
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ShapeError(
                describe(
                    "Transformer",
                    f"src has {src.shape[-1]} features and tgt {tgt.shape[-1]}",
                    f"both must have d_model = {self.d_model}",
                )
            )
        memory = self.encoder(
            src,
            mask=src_mask,
            src_key_padding_mask=src_key_padding_mask,
            is_causal=src_is_causal,
        )
        result: Tensor = self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )
        return result

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: Any = None, dtype: DType | None = None
    ) -> Tensor:
        """Return a mask to add, (sz, sz): minus infinity where the key comes after the query."""
        blocked = full((sz, sz), -float("inf"), dtype=dtype, device=device)
        return blocked.triu(diagonal=1)
