"""QR, singular values and the pseudo-inverse under the names they have in ``pumice`` itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice.graph import build
from pumice.tensor import orthogonal, spectral
from pumice.tensor.core import wrap
from pumice.tensor.marks import method
from pumice.tensor.matrix_operands import QRResult, Reflections, SingularColumns, matrices, turned

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@method
def qr(input: Tensor, some: bool = True) -> QRResult:
    """Return ``Q, R`` with ``input = Q @ R``, as `pumice.linalg.qr` does.

    Parameters
    ----------
    input : Tensor
        (..., m, n), float32 or float64.
    some : bool
        Mode "reduced", else "complete".

    Returns
    -------
    Q, R : Tensor

    Examples
    --------
    >>> import pumice
    >>> Q, R = pumice.qr(pumice.tensor([[3.], [4.]]))
    >>> R
    tensor([[-5.]])
    """
    return orthogonal.qr(input, "reduced" if some else "complete")


@method
def geqrf(input: Tensor) -> Reflections:
    """Return the reflections that make a QR factorisation.

    Parameters
    ----------
    input : Tensor
        (..., m, n), float32 or float64.

    Returns
    -------
    a, tau : Tensor
        R, with the vectors of the reflections below its diagonal, and their factors. There is no
        gradient.

    Examples
    --------
    >>> import pumice
    >>> pumice.geqrf(pumice.tensor([[3.], [4.]])).tau
    tensor([1.6000])
    """
    return orthogonal.reflections(input)


@method
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """Return the first columns of a product of reflections.

    Parameters
    ----------
    input, input2 : Tensor
        What `geqrf` gives; see `pumice.linalg.householder_product`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.orgqr(*pumice.geqrf(pumice.tensor([[3.], [4.]])))
    tensor([[-0.6000],
            [-0.8000]])
    """
    return orthogonal.householder_product(input, input2)


@method
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> SingularColumns:
    """Return ``U, S, V`` with ``input = U @ diag(S) @ V.T``.

    Parameters
    ----------
    input : Tensor
        (..., m, n), float32 or float64.
    some : bool
        Only as many vectors as singular values.
    compute_uv : bool
        Compute vectors, else zeros stand for them.

    Returns
    -------
    U, S, V : Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.svd(pumice.tensor([[0., 2.], [1., 0.]])).S
    tensor([2., 1.])
    """
    node = matrices("svd", input, "input")
    left, values, right = orthogonal.singular_nodes("svd", node, not some and compute_uv)
    if not compute_uv:
        rows, columns = node.shape[-2:]
        lead = node.shape[:-2]
        left = build.constant(0, node.dtype, (*lead, rows, rows), node.device)
        right = build.constant(0, node.dtype, (*lead, columns, columns), node.device)
    return SingularColumns(wrap(left), wrap(values), wrap(turned(right)))


@method
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Return the pseudo-inverse, as `pumice.linalg.pinv` does.

    Parameters
    ----------
    input : Tensor
        (..., m, n), float32 or float64.
    rcond : float
        Singular values up to this times the largest count as 0.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.pinverse(pumice.tensor([[2.], [0.]]))
    tensor([[0.5000, 0.0000]])
    """
    return spectral.pinv(input, rcond)
