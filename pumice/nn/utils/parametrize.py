"""Parameters that are computed from others each time they are read.

A parametrized module gets a class of its own, in which the parameter's name is a property; what
it is computed from lies in ``module.parametrizations``, with PyTorch's ``state_dict`` keys.
"""

from collections.abc import Sequence
from typing import Any

from pumice.arguments import guarded
from pumice.autograd import no_grad
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.nn.container import ModuleDict, ModuleList
from pumice.nn.module import Module
from pumice.nn.parameter import Parameter
from pumice.tensor.tensor import Tensor


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, applied one after another, and what they start from.

    The start is the parameter ``original``, or ``original0``, ``original1`` ... when the first
    parametrization's ``right_inverse`` returns several tensors.
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        self._shape = tuple(original.shape)
        start: Any = original
        with no_grad():
            for each in reversed(list(self)):
                if hasattr(each, "right_inverse"):
                    start = each.right_inverse(start)
        trained = isinstance(original, Parameter)
        self.is_tensor = isinstance(start, Tensor)
        self.ntensors = 1 if self.is_tensor else len(start)
        parts = [start] if self.is_tensor else list(start)
        for name, part in zip(self._names(), parts, strict=True):
            if trained:
                same = part is original
                kept = original if same else Parameter(part.detach(), original.requires_grad)
                self.register_parameter(name, kept)  # type: ignore[arg-type]
            else:
                self.register_buffer(name, part)
        if not unsafe and tuple(self().shape) != self._shape:
            raise ShapeError(
                describe(
                    "register_parametrization",
                    f"the result has shape {list(self().shape)}",
                    f"the shape of the parameter, {list(self._shape)}; or unsafe=True",
                )
            )

    def _names(self) -> list[str]:
        if self.is_tensor:
            return ["original"]
        return [f"original{number}" for number in range(self.ntensors)]

    def originals(self) -> list[Tensor]:
        """Return what the value is computed from."""
        return [getattr(self, name) for name in self._names()]

    def right_inverse(self, value: Tensor) -> None:
        """Change what the value is computed from so that the result is ``value``."""
        start: Any = value
        with no_grad():
            for each in reversed(list(self)):
                if not hasattr(each, "right_inverse"):
                    raise InvalidArgument(
                        describe(
                            "right_inverse",
                            f"{type(each).__name__} has no right_inverse",
                            "needed to assign to a parametrized tensor",
                        )
                    )
                start = each.right_inverse(start)
            parts = [start] if self.is_tensor else start
            for kept, part in zip(self.originals(), parts, strict=True):
                kept.copy_(part)

    def forward(self) -> Any:
        """Compute the value."""
        first, *others = list(self)
        value = first(*self.originals())
        for each in others:
            value = each(value)
        return value


@guarded
def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Compute a parameter or buffer of a module by another module from now on.

    Parameters
    ----------
    module : Module
        Whose parameter it is.
    tensor_name : str
        Its name.
    parametrization : Module
        Takes what is trained and returns the value. With a ``right_inverse``, what is trained
        begins with that of the present value. Registered again, it applies after the others.
    unsafe : bool
        Whether the shape may change.

    Returns
    -------
    Module
        The same module.

    Raises
    ------
    InvalidArgument
        When there is no such parameter or buffer.
    ShapeError
        When the shape would change.

    Examples
    --------
    >>> from pumice import nn
    >>> class Symmetric(nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).t()
    >>> layer = nn.Linear(3, 3)
    >>> layer = nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> pumice.allclose(layer.weight, layer.weight.t())
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        _append(module, tensor_name, parametrization, unsafe)
        return module
    original = module._parameters.get(tensor_name)
    if original is None:
        original = module._buffers.get(tensor_name)  # type: ignore[assignment]
    if original is None:
        raise InvalidArgument(
            describe(
                "register_parametrization",
                f"{type(module).__name__} has no parameter or buffer {tensor_name!r}",
            )
        )
    parts = ParametrizationList([parametrization], original, unsafe)
    delattr(module, tensor_name)
    if "parametrizations" not in module._modules:
        module.parametrizations = ModuleDict()
    module.parametrizations[tensor_name] = parts
    _set_class(module)
    return module


def _append(module: Module, name: str, parametrization: Module, unsafe: bool) -> None:
    parts: ParametrizationList = module.parametrizations[name]
    value = parts()
    if not unsafe and parametrization(value).shape != value.shape:
        raise ShapeError(
            describe(
                "register_parametrization",
                f"the result does not have the shape {list(value.shape)} of the parameter",
                "or unsafe=True",
            )
        )
    parts.append(parametrization)
    if hasattr(parametrization, "right_inverse") and all(
        hasattr(each, "right_inverse") for each in parts
    ):
        parts.right_inverse(value)


@guarded
def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return whether a module has parametrized tensors, or one of a given name."""
    parts = module._modules.get("parametrizations")
    if not isinstance(parts, ModuleDict):
        return False
    return len(parts) > 0 if tensor_name is None else tensor_name in parts


@guarded
def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Make a parametrized tensor an ordinary one again.

    Parameters
    ----------
    module : Module
        Whose tensor it is.
    tensor_name : str
        Its name.
    leave_parametrized : bool
        Whether it keeps its present value, or what that is computed from.

    Returns
    -------
    Module
        The same module.

    Raises
    ------
    InvalidArgument
        When the tensor is not parametrized, or is computed from several and would keep them.
    """
    name = "remove_parametrizations"
    if not is_parametrized(module, tensor_name):
        raise InvalidArgument(
            describe(name, f"{type(module).__name__} has no parametrization on {tensor_name!r}")
        )
    parts: ParametrizationList = module.parametrizations[tensor_name]
    originals = parts.originals()
    if not leave_parametrized and len(originals) > 1:
        raise InvalidArgument(
            describe(name, f"{tensor_name!r} is computed from several tensors", "leave its value")
        )
    trained = isinstance(originals[0], Parameter)
    with no_grad():
        value = parts().detach().clone() if leave_parametrized else originals[0]
    del module.parametrizations[tensor_name]
    if not len(module.parametrizations):
        delattr(module, "parametrizations")
    _set_class(module)
    if trained:
        kept = value if isinstance(value, Parameter) else Parameter(value)
        module.register_parameter(tensor_name, kept)
    else:
        module.register_buffer(tensor_name, value)
    return module


def _set_class(module: Module) -> None:
    """Give a module the class in which its parametrized tensors are properties.

    The class is made anew each time, because a copy of the module may share the present one.
    """
    present = type(module)
    base = present.__bases__[0] if "_is_parametrized" in vars(present) else present
    if not is_parametrized(module):
        module.__class__ = base
        return
    members: dict[str, Any] = {name: _property(name) for name in module.parametrizations}
    members |= {"__module__": base.__module__, "_is_parametrized": True}
    module.__class__ = type(f"Parametrized{base.__name__}", (base,), members)


def _property(name: str) -> property:
    def read(self: Module) -> Any:
        return self.parametrizations[name]()

    def write(self: Module, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(read, write)
