"""Stochastic gradient descent."""

from collections.abc import Iterable
from typing import Any, ClassVar, Unpack

from pumice.errors import InvalidArgument, describe
from pumice.optim.optimizer import Choices, Group, Optimizer, check_not_negative, is_zero
from pumice.tensor.tensor import Tensor


class SGD(Optimizer):
    """Gradient descent with momentum, as ``torch.optim.SGD``.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Parameters, or groups of them with their own options.
    lr : float or 0-d Tensor
        Learning rate.
    momentum, dampening, weight_decay : float
        As in PyTorch.
    nesterov : bool
        Look ahead along the momentum.
    maximize : bool
        Climb instead of descend.
    """

    running: ClassVar[tuple[str, ...]] = ("lr", "momentum")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        **choices: Unpack[Choices],
    ) -> None:
        check_not_negative("SGD", lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise InvalidArgument(
                describe("SGD", "Nesterov momentum requires a momentum and zero dampening")
            )
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(params, defaults, **choices)

    def update_group(self, group: Group, parameters: list[Tensor]) -> None:
        """Write new values into the parameters of a group that have a gradient."""
        for parameter in parameters:
            gradient = parameter.grad
            assert gradient is not None
            if group["maximize"]:
                gradient = -gradient
            if group["weight_decay"] != 0:
                gradient = gradient + parameter * group["weight_decay"]
            if not is_zero(group["momentum"]):
                gradient = self._with_momentum(group, parameter, gradient)
            parameter.copy_(parameter - gradient * group["lr"])

    def _with_momentum(self, group: Group, parameter: Tensor, gradient: Tensor) -> Tensor:
        state = self.state.setdefault(parameter, {})
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = state["momentum_buffer"] = gradient.clone()
        else:
            buffer.copy_(buffer * group["momentum"] + gradient * (1 - group["dampening"]))
        result: Tensor = buffer
        return gradient + result * group["momentum"] if group["nesterov"] else result
