"""All parameters as one vector, and back."""

from collections.abc import Iterable

from pumice.arguments import guarded
from pumice.autograd import no_grad
from pumice.errors import ShapeError, describe
from pumice.tensor.joining import cat
from pumice.tensor.tensor import Tensor


@guarded
def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return the elements of all parameters one after another.

    Parameters
    ----------
    parameters : iterable of Tensor
        In the order of the vector.

    Returns
    -------
    Tensor
        1-D; gradients flow back to the parameters.

    Examples
    --------
    >>> from pumice import nn
    >>> layer = nn.Linear(3, 2)
    >>> nn.utils.parameters_to_vector(layer.parameters()).shape
    (8,)
    """
    return cat([each.reshape(-1) for each in parameters])


@guarded
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Write the elements of a vector into parameters, one after another.

    Parameters
    ----------
    vec : Tensor
        1-D; what `parameters_to_vector` returned.
    parameters : iterable of Tensor
        What is written to.

    Raises
    ------
    ShapeError
        When the vector has fewer or more elements than the parameters.
    """
    given = list(parameters)
    total = sum(each.numel() for each in given)
    if vec.shape != (total,):
        raise ShapeError(
            describe(
                "vector_to_parameters",
                f"vec has shape {list(vec.shape)}",
                f"[{total}], the elements of the parameters",
            )
        )
    place = 0
    with no_grad():
        for each in given:
            each.copy_(vec[place : place + each.numel()].reshape(each.shape))
            place += each.numel()
