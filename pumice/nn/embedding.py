"""Tables of vectors looked up by index."""

from typing import Any

from pumice.autograd import no_grad
from pumice.dtypes import DType
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.nn import init
from pumice.nn.module import Module
from pumice.nn.parameter import Parameter
from pumice.tensor import functional
from pumice.tensor.creation import empty
from pumice.tensor.tensor import Tensor


class Embedding(Module):
    """Returns the rows of a table.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        Rows and columns of the table.
    padding_idx : int, optional
        A row that starts as zeros and receives no gradient.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise InvalidArgument(
                describe(
                    "Embedding",
                    f"padding_idx {padding_idx} is out of range",
                    f"it must be within num_embeddings {num_embeddings}",
                )
            )
        if padding_idx is not None and padding_idx < 0:
            padding_idx += num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        shape = (num_embeddings, embedding_dim)
        if _weight is None:
            table = empty(shape, dtype=dtype, device=device)
            self.weight = Parameter(table, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            if _weight.shape != shape:
                raise ShapeError(
                    describe(
                        "Embedding",
                        f"the weight has shape {list(_weight.shape)}",
                        f"num_embeddings and embedding_dim ask for {list(shape)}",
                    )
                )
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> "Embedding":
        """Return a layer over a given table."""
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze)

    def reset_parameters(self) -> None:
        """Draw the table again."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].zero_()

    def forward(self, input: Tensor) -> Tensor:
        """Look up."""
        return functional.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"


class EmbeddingBag(Module):
    """Folds the rows of each bag of indices, as ``torch.nn.EmbeddingBag``.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        Rows and columns of the table.
    mode : {"sum", "mean", "max"}
        How a bag is folded.
    include_last_offset : bool
        Whether the last offset is the end of the last bag.
    padding_idx : int, optional
        A row that starts as zeros, does not take part and receives no gradient.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        mode: str = "mean",
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.mode = mode
        self.include_last_offset = include_last_offset
        self.padding_idx = padding_idx
        if _weight is None:
            shape = (num_embeddings, embedding_dim)
            self.weight = Parameter(empty(shape, dtype=dtype, device=device))
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        """Draw the table again."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].zero_()

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """Look up and fold."""
        return functional.embedding_bag(
            input,
            self.weight,
            offsets,
            mode=self.mode,
            per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset,
            padding_idx=self.padding_idx,
        )

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += f", mode={self.mode!r}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"
