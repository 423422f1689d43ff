"""Resilient backpropagation."""

from collections.abc import Iterable
from typing import Any, ClassVar, Unpack

from pumice.errors import InvalidArgument, describe
from pumice.optim.optimizer import Choices, Group, check_not_negative
from pumice.optim.stepped import State, SteppedOptimizer
from pumice.tensor.creation import full_like, zeros_like
from pumice.tensor.selection import where
from pumice.tensor.tensor import Tensor


class Rprop(SteppedOptimizer):
    """Steps by the signs of gradients alone, as ``torch.optim.Rprop``.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Parameters, or groups of them with their own options.
    lr : float
        Size of the first step.
    etas : (float, float)
        A step is multiplied by the first when the gradient's sign changed, by the second when it
        did not.
    step_sizes : (float, float)
        Least and largest step.
    maximize : bool
        Climb instead of descend.

    Notes
    -----
    Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning", 1993.
    """

    running: ClassVar[tuple[str, ...]] = ()  # the rate is where step sizes begin

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        *,
        maximize: bool = False,
        **choices: Unpack[Choices],
    ) -> None:
        check_not_negative("Rprop", lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise InvalidArgument(
                describe("Rprop", f"invalid etas: {etas[0]}, {etas[1]}", "0 < first < 1 < second")
            )
        defaults = {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize}
        super().__init__(params, defaults, **choices)

    def buffers(self, group: Group, parameter: Tensor) -> State:
        """Return the state of a parameter that is seen for the first time."""
        return {"prev": zeros_like(parameter), "step_size": full_like(parameter, group["lr"])}

    def updated(
        self, group: Group, state: State, value: Tensor, gradient: Tensor, factors: Any
    ) -> Any:
        """Write the new state and return the new value of a parameter."""
        smaller, larger = group["etas"]
        agreement = gradient * state["prev"].to(gradient.dtype)
        size = state["step_size"].to(gradient.dtype)
        size = where(agreement > 0, size * larger, where(agreement < 0, size * smaller, size))
        size = size.clamp(*group["step_sizes"])
        gradient = where(agreement < 0, 0.0, gradient)
        state["step_size"].copy_(size)
        state["prev"].copy_(gradient)
        return value - gradient.sign() * size
