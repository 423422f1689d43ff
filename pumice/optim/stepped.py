"""What optimizers with a step count and running averages share."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from pumice import dtypes
from pumice.dtypes import DType, accumulation_dtype, promote_types
from pumice.optim.optimizer import Group, Optimizer
from pumice.tensor.creation import full
from pumice.tensor.tensor import Tensor

State = dict[str, Any]


class SteppedOptimizer(Optimizer):
    """An optimizer that counts its steps; a subclass gives `buffers`, `factors` and `updated`.

    The count is a tensor, shared by the parameters that always moved together, so a step captured
    by `jit` replays exactly and what depends on the count alone is computed once. 16-bit
    parameters are computed in float32 and rounded once per step.
    """

    counters: ClassVar[Mapping[str, float]] = {"step": 0.0}
    """The shared numbers of the state, and what each begins with."""
    running: ClassVar[tuple[str, ...]] = ("lr",)

    def update_group(self, group: Group, parameters: list[Tensor]) -> None:
        """Write new values into the parameters of a group that have a gradient."""
        self._start(group, parameters)
        self._separate(parameters)
        counts: dict[int, tuple[State, DType]] = {}
        for parameter in parameters:
            state = self.state[parameter]
            computed = accumulation_dtype(parameter.dtype)
            _, widest = counts.get(id(state["step"]), (state, computed))
            counts[id(state["step"])] = state, promote_types(computed, widest)
        for state, computed in counts.values():
            self.advance(group, state, computed)
        known: dict[tuple[int, DType], Any] = {}
        for parameter in parameters:
            state = self.state[parameter]
            computed = accumulation_dtype(parameter.dtype)
            key = (id(state["step"]), computed)
            if key not in known:
                known[key] = self.factors(group, state, computed)
            value, gradient = self._decayed(group, parameter, computed)
            parameter.copy_(self.updated(group, state, value, gradient, known[key]))

    def advance(self, group: Group, state: State, computed: DType) -> None:
        """Go on by one step in the shared numbers of ``state``.

        ``computed`` is the widest type that the parameters that share them are computed in.
        """
        state["step"].add_(1)

    def factors(self, group: Group, state: State, computed: DType) -> Any:
        """Return what depends on the options and the shared numbers only."""
        return None

    @abstractmethod
    def buffers(self, group: Group, parameter: Tensor) -> State:
        """Return the state of a parameter that is seen for the first time."""

    @abstractmethod
    def updated(
        self, group: Group, state: State, value: Tensor, gradient: Tensor, factors: Any
    ) -> Any:
        """Write the new state and return the new value of a parameter."""

    def _decayed(self, group: Group, parameter: Tensor, computed: DType) -> tuple[Tensor, Tensor]:
        """Return a parameter and its gradient after the weight decay."""
        value = parameter.detach().to(computed)
        assert parameter.grad is not None
        gradient = parameter.grad.to(computed)
        if group.get("maximize"):
            gradient = -gradient
        decay = group.get("weight_decay", 0)
        if decay != 0:
            if group.get("decoupled_weight_decay"):
                value = value * (1 - group["lr"] * decay)
            else:
                gradient = gradient + value * decay
        return value, gradient

    def _start(self, group: Group, parameters: list[Tensor]) -> None:
        """Give parameters seen for the first time their state; they share the counters."""
        shared: dict[Any, State] = {}
        for parameter in parameters:
            if parameter in self.state:
                continue
            device = parameter.device
            if device not in shared:
                shared[device] = {
                    name: full((), first, dtype=dtypes.float32, device=device)
                    for name, first in self.counters.items()
                }
            self.state[parameter] = shared[device] | self.buffers(group, parameter.detach())

    def _separate(self, parameters: list[Tensor]) -> None:
        """Give parameters that sit out counters of their own, which stand still."""
        present = {id(parameter) for parameter in parameters}
        moving = {id(self.state[parameter]["step"]) for parameter in parameters}
        left: dict[int, State] = {}
        for parameter, state in self.state.items():
            step = id(state["step"])
            if id(parameter) not in present and step in moving:
                if step not in left:
                    left[step] = {name: state[name].clone() for name in self.counters}
                state.update(left[step])

    def after_load(self) -> None:
        """Let parameters with equal counters share them again."""
        shared: dict[Any, State] = {}
        for parameter, state in self.state.items():
            key = (parameter.device, *(float(state[name].item()) for name in self.counters))
            state.update(shared.setdefault(key, {name: state[name] for name in self.counters}))


def blend(state: State, name: str, target: Tensor, weight: float) -> Tensor:
    """Move an average of the state towards ``target`` by ``weight``, and return it."""
    earlier = state[name].to(target.dtype)
    average: Tensor = earlier + (target - earlier) * weight
    state[name].copy_(average)
    return average


def decay_into(state: State, name: str, kept: float, added: Tensor) -> Tensor:
    """Shrink an average of the state to ``kept`` of it, add ``added``, and return it."""
    average: Tensor = state[name].to(added.dtype) * kept + added
    state[name].copy_(average)
    return average
