"""What all optimizers share: parameter groups, state, saving and loading."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, TypedDict, Unpack

from pumice.arguments import Guarded
from pumice.autograd import enable_grad, no_grad, take_expected
from pumice.dtypes import float32, float64
from pumice.engine.devices import lacks
from pumice.errors import DTypeError, InvalidArgument, UnsupportedOperation, describe
from pumice.graph import recording
from pumice.graph.recording import depend, watch
from pumice.tensor.core import evaluate, wrap
from pumice.tensor.tensor import Tensor

Group = dict[str, Any]
Closure = Callable[[], Any]


class Choices(TypedDict, total=False):
    """How PyTorch shall compute a step. Here every step is compiled as one, so nothing changes.

    ``differentiable`` must be False: steps record nothing that gradients could pass.
    """

    foreach: bool | None
    fused: bool | None
    capturable: bool
    differentiable: bool


def check_choices(name: str, choices: Choices) -> None:
    """Refuse what cannot be had, and what PyTorch refuses."""
    unknown = sorted(set(choices) - set(Choices.__annotations__))
    if unknown:
        raise DTypeError(f"{name}.__init__() got an unexpected keyword argument {unknown[0]!r}")
    if choices.get("fused") and choices.get("foreach"):
        raise InvalidArgument(describe(name, "`fused` and `foreach` cannot be `True` together"))
    if choices.get("differentiable"):
        raise UnsupportedOperation(
            describe(name, "got differentiable=True", "a step is no function to differentiate here")
        )


class Optimizer(Guarded):
    """Base of all optimizers; a subclass gives `update_group`.

    All take PyTorch's ``foreach``, ``fused`` and ``capturable``, without effect: see `Choices`.

    Attributes
    ----------
    running : tuple of str
        Options that `update_group` takes as tensors too. In a captured step those that are
        Python floats, not 0, may change from call to call.
    param_groups : list of dict
        Parameters under ``"params"`` and the options they are updated with.
    state : dict
        For each parameter, tensors kept from step to step. What changes from step to step is a
        tensor (the step count too), so a captured step replays exactly.
    """

    running: ClassVar[tuple[str, ...]] = ()

    def __init__(self, params: Iterable[Any], defaults: Group, **choices: Unpack[Choices]) -> None:
        check_choices(self._name, choices)
        self.defaults = defaults
        self.state: dict[Tensor, dict[str, Any]] = {}
        self.param_groups: list[Group] = []
        if isinstance(params, Tensor):
            raise InvalidArgument(
                describe(self._name, "params is a single Tensor", "give an iterable of tensors")
            )
        groups = list(params)
        if not groups:
            raise InvalidArgument(
                describe(self._name, "optimizer got an empty parameter list", "give at least one")
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    @property
    def _name(self) -> str:
        return type(self).__name__

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters with options of their own; options left out take the defaults."""
        given = param_group["params"]
        parameters = [given] if isinstance(given, Tensor) else list(given)
        group = {**self.defaults, **param_group, "params": parameters}
        known = {id(parameter) for parameter in self._parameters()}
        for position, parameter in enumerate(parameters):
            if not isinstance(parameter, Tensor):
                raise InvalidArgument(
                    describe(
                        self._name,
                        f"parameter {position} is {type(parameter).__name__}",
                        "optimizers update tensors",
                    )
                )
            if not parameter.is_leaf:
                raise InvalidArgument(
                    describe(
                        self._name,
                        f"can't optimize a non-leaf Tensor (parameter {position})",
                        "give the tensors that hold the values",
                    )
                )
            if id(parameter) in known:
                raise InvalidArgument(
                    describe(
                        self._name,
                        "some parameters appear in more than one parameter "
                        f"group, or twice (parameter {position})",
                    )
                )
            known.add(id(parameter))
        self.param_groups.append(group)

    def _parameters(self) -> Iterator[Tensor]:
        for group in self.param_groups:
            yield from group["params"]

    def _watched(self) -> list[Any]:
        """Return what a captured step knows by identity; see `graph.recording.Watchable`."""
        kept = [each for values in self.state.values() for each in values.values()]
        return [*self._parameters(), *kept]

    def _held(self) -> tuple[()]:
        return ()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or set them to zero."""
        for parameter in self._parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                with no_grad():
                    parameter.grad.zero_()

    def step(self, closure: Closure | None = None) -> Any:
        """Update the parameters from their gradients.

        Parameters
        ----------
        closure : callable, optional
            Evaluates the model again and returns the loss.

        Returns
        -------
        The loss, when a closure is given.
        """
        watch(self)
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                running = self._running(group)
                depend(partial(_numbers, group, tuple(running)), f"the options of {self._name}")
                updated = [each for each in group["params"] if each.grad is not None]
                if updated:
                    self.update_group({**group, **running} if running else group, updated)
        if recording.active.get() is None:
            self._evaluate()
        return loss

    def _running(self, group: Group) -> Group:
        """Return, as tensors, options that a captured step reads anew in each run."""
        recorder = recording.active.get()
        found: Group = {}
        if recorder is None or not group["params"]:
            return found
        dtype = float32 if lacks(group["params"][0].device, float64) else float64
        for name in self.running:
            option = group.get(name)
            if _is_running(option):
                node = recorder.number(partial(_first, group, name), dtype)
                if node is not None:
                    found[name] = _with_first(option, wrap(node))
        return found

    def update_group(self, group: Group, parameters: list[Tensor]) -> None:
        """Write new values into the parameters of a group that have a gradient."""
        raise NotImplementedError(f"{self._name} needs an update_group")

    def _evaluate(self) -> None:
        """Evaluate everything the step wrote, and what else waits for it, in one run.

        Left to itself a loop that never looks at a value would stack one step on another.
        """
        written: list[Tensor] = [*self._parameters()]
        for values in self.state.values():
            written += [value for value in values.values() if isinstance(value, Tensor)]
        evaluate([*written, *(wrap(root) for root in take_expected())])

    def state_dict(self) -> dict[str, Any]:
        """Return the state and the options, with parameters numbered in order."""
        numbers = {id(parameter): number for number, parameter in enumerate(self._parameters())}
        groups = [
            {**group, "params": [numbers[id(each)] for each in group["params"]]}
            for group in self.param_groups
        ]
        state = {numbers[id(each)]: dict(values) for each, values in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned for an optimizer of the same parameters."""
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise InvalidArgument(
                describe(
                    self._name,
                    "loaded state dict has a different number of parameter groups "
                    f"({len(saved)}, here {len(self.param_groups)})",
                )
            )
        by_number: dict[int, Tensor] = {}
        for position, (theirs, ours) in enumerate(zip(saved, self.param_groups, strict=True)):
            if len(theirs["params"]) != len(ours["params"]):
                raise InvalidArgument(
                    describe(
                        self._name,
                        "loaded state dict contains a parameter group that doesn't match the size "
                        f"of optimizer's group ({len(theirs['params'])} and "
                        f"{len(ours['params'])} in group {position})",
                    )
                )
            by_number.update(zip(theirs["params"], ours["params"], strict=True))
        for theirs, ours in zip(saved, self.param_groups, strict=True):
            ours.update({key: value for key, value in theirs.items() if key != "params"})
        self.state = {
            by_number[int(number)]: {
                key: self._adopted(key, value, by_number[int(number)])
                for key, value in values.items()
            }
            for number, values in state_dict["state"].items()
        }
        self.after_load()

    def after_load(self) -> None:
        """Restore what a subclass derives from loaded state."""

    @staticmethod
    def _adopted(key: str, value: Any, parameter: Tensor) -> Any:
        if not isinstance(value, Tensor):
            return value
        if key == "step":
            return value.detach().to(device=parameter.device).clone()
        return value.detach().to(device=parameter.device, dtype=parameter.dtype).clone()

    def __repr__(self) -> str:
        lines = [f"{self._name} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def _is_running(option: Any) -> bool:
    """Tell whether an option can be a number of each run: 0 may leave out a term.

    Of several numbers, as the betas of Adam, the first can: schedules change it with the rate.
    """
    first = option[0] if type(option) is tuple else option
    return type(first) is float and first != 0.0


def _first(group: Group, name: str) -> float:
    """Return the number of an option that each run asks for."""
    option = group[name]
    return float(option[0] if type(option) is tuple else option)


def _with_first(option: Any, value: Any) -> Any:
    """Return an option with another value for the number that each run asks for."""
    return (value, *option[1:]) if type(option) is tuple else value


def is_zero(option: Any) -> bool:
    """Tell whether an option leaves out a term; a tensor does not."""
    return not isinstance(option, Tensor) and option == 0


def _numbers(group: Group, running: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the options that are Python values; a captured step holds only while they do.

    Those that each run reads anew need only stay such options.
    """
    return {
        key: _with_first(value, None) if key in running and _is_running(value) else value
        for key, value in group.items()
        if key != "params" and not isinstance(value, Tensor)
    }


def check_not_negative(name: str, **options: Any) -> None:
    """Raise for a number below zero; tensors are not looked at."""
    for option, value in options.items():
        if not isinstance(value, Tensor) and not value >= 0.0:
            raise InvalidArgument(describe(name, f"invalid {option}: {value}", "0 or more"))


def check_fraction(name: str, option: str, value: float) -> None:
    """Raise for a number outside of 0 up to but not including 1."""
    if not 0.0 <= value < 1.0:
        raise InvalidArgument(
            describe(name, f"invalid {option}: {value}", "0 up to but not including 1")
        )


def check_betas(name: str, betas: tuple[float, float]) -> None:
    """Raise for a decay outside of 0 up to but not including 1."""
    for position, beta in enumerate(betas):
        check_fraction(name, f"beta parameter at index {position}", beta)
