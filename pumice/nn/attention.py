"""Multi-head attention."""

import math
from typing import Any

from pumice.dtypes import DType, bool_
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.nn import init
from pumice.nn.linear import Linear
from pumice.nn.module import Module
from pumice.nn.parameter import Parameter
from pumice.tensor import functional
from pumice.tensor.creation import empty, zeros
from pumice.tensor.tensor import Tensor


class MultiheadAttention(Module):
    """Attention with several heads, as ``torch.nn.MultiheadAttention``.

    Parameters
    ----------
    embed_dim, num_heads : int
        Size of the model and number of heads it is divided among.
    dropout : float
        Probability of dropping an attention weight in training.
    bias : bool
        Whether the projections have biases.
    add_bias_kv : bool
        Whether a learned position is added to keys and values.
    add_zero_attn : bool
        Whether a position of zeros is added to keys and values.
    kdim, vdim : int, optional
        Sizes of keys and values, ``embed_dim`` by default.
    batch_first : bool
        Whether the batch is axis 0 (and the sequence axis 1) instead of the reverse.

    Notes
    -----
    A bool mask says True where attention is *not* allowed, the opposite of
    `scaled_dot_product_attention`.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise InvalidArgument(
                describe(
                    "MultiheadAttention",
                    f"embed_dim {embed_dim} is not divisible by num_heads {num_heads}",
                    "both must be positive",
                )
            )
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        self.batch_first = batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._add_projections(bias, add_bias_kv, device, dtype)
        self.reset_parameters()

    def _add_projections(
        self, bias: bool, add_bias_kv: bool, device: Any, dtype: DType | None
    ) -> None:
        size = self.embed_dim

        def parameter(*shape: int) -> Parameter:
            return Parameter(empty(shape, dtype=dtype, device=device))

        if self.kdim == size and self.vdim == size:
            self.in_proj_weight = parameter(3 * size, size)
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(name, None)
        else:
            self.q_proj_weight = parameter(size, size)
            self.k_proj_weight = parameter(size, self.kdim)
            self.v_proj_weight = parameter(size, self.vdim)
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", parameter(3 * size) if bias else None)
        self.out_proj = Linear(size, size, bias=bias, device=device, dtype=dtype)
        self.register_parameter("bias_k", parameter(1, 1, size) if add_bias_kv else None)
        self.register_parameter("bias_v", parameter(1, 1, size) if add_bias_kv else None)

    def reset_parameters(self) -> None:
        """Draw the parameters again."""
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = self._parameters[name]
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        if self.bias_k is not None:
            init.xavier_normal_(self.bias_k)
            init.xavier_normal_(self.bias_v)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from queries to keys and return values mixed accordingly.

        Parameters
        ----------
        query, key, value : Tensor
            (L, N, E), (S, N, kdim) and (S, N, vdim); batch first when so configured; or without N.
        key_padding_mask : Tensor, optional
            (N, S); True (or an added number) for keys to ignore.
        need_weights : bool
            Whether attention weights are returned.
        attn_mask : Tensor, optional
            (L, S) or (N * num_heads, L, S); True where attention is not allowed, or added numbers.
        average_attn_weights : bool
            Whether returned weights are averaged over heads.
        is_causal : bool
            A hint that ``attn_mask`` is causal; the mask must still be given.

        Returns
        -------
        (Tensor, Tensor or None)
        """
        if is_causal and attn_mask is None:
            raise InvalidArgument(
                describe("MultiheadAttention", "Need attn_mask if specifying the is_causal hint")
            )
        batched = _check_ranks(query, key, value)
        axis = 0 if self.batch_first else 1
        if not batched:
            query, key, value = (part.unsqueeze(axis) for part in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        if not self.batch_first:
            query, key, value = (part.transpose(0, 1) for part in (query, key, value))
        q, k, v = self._projected(query, key, value)
        k, v, added = self._extended(k, v)
        mask = self._mask(q, k.shape[1], added, key_padding_mask, attn_mask)
        mixed, weights = self._attend(q, k, v, mask, need_weights)
        output = self.out_proj(mixed)
        if not self.batch_first:
            output = output.transpose(0, 1)
        if weights is not None and average_attn_weights:
            weights = weights.mean(1)
        if not batched:
            output = output.squeeze(axis)
            weights = None if weights is None else weights.squeeze(0)
        return output, weights

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        if self.in_proj_weight is not None:
            weights = list(self.in_proj_weight.chunk(3))
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        biases: list[Any] = [None] * 3
        if self.in_proj_bias is not None:
            biases = list(self.in_proj_bias.chunk(3))
        return [
            functional.linear(part, weight, bias)
            for part, weight, bias in zip((query, key, value), weights, biases, strict=True)
        ]

    def _extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, int]:
        """Return keys and values with the extra positions, and how many were added."""
        added = 0
        batch, _, size = k.shape
        if self.bias_k is not None:
            k = functional.cat([k, self.bias_k.expand(batch, 1, size)], 1)
            v = functional.cat([v, self.bias_v.expand(batch, 1, size)], 1)
            added += 1
        if self.add_zero_attn:
            blank = zeros((batch, 1, size), dtype=k.dtype, device=k.device)
            k, v = functional.cat([k, blank], 1), functional.cat([v, blank], 1)
            added += 1
        return k, v, added

    def _mask(
        self,
        q: Tensor,
        keys: int,
        added: int,
        key_padding_mask: Tensor | None,
        attn_mask: Tensor | None,
    ) -> Tensor | None:
        """Return all masks as one that is added to scores of shape (N, heads, L, S)."""
        batch, queries, _ = q.shape
        total: Tensor | None = None
        if attn_mask is not None:
            if attn_mask.ndim == 3:
                shape: tuple[int, ...] = (batch, self.num_heads, queries, keys - added)
            else:
                shape = (1, 1, queries, keys - added)
            if math.prod(attn_mask.shape) != math.prod(shape):
                raise ShapeError(
                    describe(
                        "MultiheadAttention",
                        f"attn_mask has shape {list(attn_mask.shape)}",
                        f"({queries}, {keys - added}) or "
                        f"({batch * self.num_heads}, {queries}, {keys - added})",
                    )
                )
            total = _additive(attn_mask, q.dtype).reshape(shape)
        if key_padding_mask is not None:
            if key_padding_mask.shape != (batch, keys - added):
                raise ShapeError(
                    describe(
                        "MultiheadAttention",
                        f"key_padding_mask has shape {list(key_padding_mask.shape)}",
                        f"({batch}, {keys - added})",
                    )
                )
            padding = _additive(key_padding_mask, q.dtype).reshape(batch, 1, 1, keys - added)
            total = padding if total is None else total + padding
        if total is not None and added:
            total = functional.pad(total, [0, added])
        return total

    def _attend(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        batch, queries, size = q.shape
        q, k, v = (
            part.reshape(batch, part.shape[1], self.num_heads, self.head_dim).transpose(1, 2)
            for part in (q, k, v)
        )
        rate = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            scores = q * (1.0 / math.sqrt(self.head_dim)) @ k.transpose(2, 3)
            weights = functional.softmax(scores if mask is None else scores + mask, dim=-1)
            if rate:
                weights = functional.dropout(weights, rate)
            mixed = weights @ v
        else:
            mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=rate)
        return mixed.transpose(1, 2).reshape(batch, queries, size), weights


def _check_ranks(query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Return whether there is a batch axis, the same for all three."""
    if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
        raise ShapeError(
            describe(
                "MultiheadAttention",
                f"got {query.ndim}-D query, {key.ndim}-D key and {value.ndim}-D value",
                "all three must be 3-D (batched) or 2-D",
            )
        )
    return query.ndim == 3


def _additive(mask: Tensor, dtype: DType) -> Tensor:
    """Return a mask as numbers to add: minus infinity where a bool mask is True."""
    if mask.dtype is not bool_:
        return mask.to(dtype)
    return zeros((), dtype=dtype, device=mask.device).masked_fill(mask, -math.inf)
