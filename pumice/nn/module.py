"""The base of all layers."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, Self

from pumice.arguments import refuse_call
from pumice.autograd import no_grad
from pumice.dtypes import DType
from pumice.errors import DeviceError, DTypeError, InvalidArgument, describe
from pumice.graph import recording
from pumice.nn.hooks import HookedModule
from pumice.nn.parameter import Parameter
from pumice.nn.state import load_into
from pumice.tensor.tensor import Tensor


class Module(HookedModule):
    """A layer or a model: parameters, buffers and other modules, found by attribute name.

    Subclasses call ``super().__init__()`` first, assign parameters and modules as attributes and
    define ``forward``.

    Attributes
    ----------
    training : bool
        Whether layers such as dropout behave as in training.
    """

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, "Module | None"]
    _transient: set[str]

    def __init__(self) -> None:
        # `__setattr__` below looks into these, so they are set without it.
        vars(self).update(_parameters={}, _buffers={}, _modules={}, _transient=set())
        vars(self)["training"] = True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output; defined by each subclass."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        recording.watch(self)
        hooks = vars(self).get("_hooks")
        try:
            if hooks is None:
                return self.forward(*args, **kwargs)
            return hooks.call(self, args, kwargs)
        except Exception as error:
            refuse_call(error, self.forward, args, kwargs, type(self).__name__)
            raise

    def _watched(self) -> list[Any]:
        """Return what a captured function knows by identity; see `graph.recording.Watchable`."""
        own = vars(self)
        found = [type(self), *own.values(), *self._parameters.values()]
        found += self._buffers.values()
        found += self._modules.values()
        hooks = own.get("_hooks")
        return found if hooks is None else [*found, *hooks.watched()]

    def _held(self) -> "Iterator[Module]":
        return (each for each in self._modules.values() if each is not None)

    # -- attributes -------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if "_parameters" not in vars(self):
            if isinstance(value, (Parameter, Module)):
                raise AttributeError(
                    f"cannot assign {type(value).__name__} before Module.__init__() call"
                )
            object.__setattr__(self, name, value)
            return
        if isinstance(value, Parameter):
            self._forget(name, self._parameters)
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._forget(name, self._modules)
            self._modules[name] = value
        elif name in self._parameters:
            self._assign_parameter(name, value)
        elif name in self._modules and value is None:
            self._modules[name] = None
        elif name in self._buffers and (value is None or isinstance(value, Tensor)):
            self._buffers[name] = value
        else:
            self._forget(name)
            object.__setattr__(self, name, value)

    def _assign_parameter(self, name: str, value: Any) -> None:
        if value is not None:
            raise TypeError(
                f"cannot assign '{type(value).__name__}' as parameter '{name}' "
                "(pumice.nn.Parameter or None expected)"
            )
        self._parameters[name] = None

    def _forget(self, name: str, kept: dict[str, Any] | None = None) -> None:
        """Take a name away, but from where it is about to be given a new value in its place."""
        vars(self).pop(name, None)
        for registered in (self._parameters, self._buffers, self._modules):
            if registered is not kept:
                registered.pop(name, None)
        self._transient.discard(name)

    def __getattr__(self, name: str) -> Any:
        for kind in ("_parameters", "_buffers", "_modules"):
            registered = vars(self).get(kind)
            if registered is not None and name in registered:
                return registered[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        known = (vars(self), self._parameters, self._buffers, self._modules)
        if not any(name in registered for registered in known):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        self._forget(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._parameters, *self._buffers, *self._modules]

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None reserves the name."""
        self._check_name(name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise DTypeError(
                describe(
                    "register_parameter",
                    f"cannot assign '{type(param).__name__}' object to parameter '{name}' "
                    "(pumice.nn.Parameter or None required)",
                )
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is saved and moved with the module but not trained."""
        self._check_name(name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise DTypeError(
                describe(
                    "register_buffer",
                    f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' "
                    "(pumice Tensor or None required)",
                )
            )
        self._buffers[name] = tensor
        if persistent:
            self._transient.discard(name)
        else:
            self._transient.add(name)

    def add_module(self, name: str, module: "Module | None") -> None:
        """Add a child under a name."""
        self._check_name(name, self._modules)
        if module is not None and not isinstance(module, Module):
            what = f"{type(module).__name__} is not a Module subclass"
            raise DTypeError(describe(type(self).__name__, what))
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, name: str, registered: dict[str, Any]) -> None:
        if "." in name:
            raise KeyError(f'name can\'t contain ".", got: {name!r}')
        if name == "":
            raise KeyError('name can\'t be empty string ""')
        if hasattr(self, name) and name not in registered:
            raise KeyError(f"attribute '{name}' already exists")

    # -- walking ----------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """Yield the direct children, each once."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator["Module"]:
        """Yield the direct children."""
        for _, module in self.named_children():
            yield module

    def named_modules(
        self, memo: set[int] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, "Module"]]:
        """Yield this module and all below it with dotted names."""
        memo = set() if memo is None else memo
        if remove_duplicate and id(self) in memo:
            return
        memo.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, below, remove_duplicate)

    def modules(self) -> Iterator["Module"]:
        """Yield this module and all below it."""
        for _, module in self.named_modules():
            yield module

    def _named_members(
        self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix) if recurse else iter([(prefix, self)])
        for path, module in modules:
            for name, value in vars(module)[kind].items():
                if value is None or (remove_duplicate and id(value) in seen):
                    continue
                seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield parameters with dotted names, each once."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield parameters, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield buffers with dotted names, each once."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> "Module":
        """Return the module of a dotted name."""
        module: Module = self
        for name in target.split(".") if target else ():
            found = module._modules.get(name)
            if found is None:
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = found
        return module

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter of a dotted name."""
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._parameters.get(name)
        if found is None:
            raise AttributeError(f"{type(self).__name__} has no parameter `{target}`")
        return found

    # -- modes and conversion ---------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Switch this module and all below to training, or away from it."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Switch to evaluation."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Switch gradients of all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad = requires_grad
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                with no_grad():
                    parameter.grad.zero_()

    def apply(self, fn: Callable[["Module"], Any]) -> Self:
        """Call a function on every module, children first."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move parameters and buffers to a device, and floating ones to a dtype."""
        wanted = [value for value in (*args, *kwargs.values()) if isinstance(value, DType)]
        if wanted and not wanted[0].is_floating_point:
            raise InvalidArgument(
                describe("Module.to", f"got {wanted[0].name}", "only floating dtypes are accepted")
            )
        places = tuple(value for value in args if not isinstance(value, DType))
        named = {key: value for key, value in kwargs.items() if key != "dtype"}

        def convert(tensor: Tensor) -> Tensor:
            if tensor.dtype.is_floating_point:
                return tensor.to(*args, **kwargs)
            return tensor.to(*places, **named) if places or named else tensor

        return self._convert(convert)

    def _convert(self, convert: Callable[[Tensor], Tensor]) -> Self:
        for tensor in (*self.parameters(), *self.buffers()):
            gradient = tensor.grad
            tensor.grad = None
            tensor.data = convert(tensor.detach())
            tensor.grad = None if gradient is None else convert(gradient.detach())
        return self

    def cpu(self) -> Self:
        """Move to the CPU."""
        return self.to("cpu")

    def vulkan(self, index: int = 0) -> Self:
        """Move to a Vulkan device."""
        return self.to(f"vulkan:{index}")

    def cuda(self, *arguments: Any, **keywords: Any) -> NoReturn:
        """Raise and say what to write: GPUs are Vulkan devices here."""
        raise DeviceError(
            describe("cuda", "there is no CUDA here", "every GPU is a Vulkan device: .to('vulkan')")
        )

    def float(self) -> Self:
        """Convert floating parameters and buffers to float32."""
        return self._convert(lambda each: each.float() if each.dtype.is_floating_point else each)

    def double(self) -> Self:
        """Convert floating parameters and buffers to float64."""
        return self._convert(lambda each: each.double() if each.dtype.is_floating_point else each)

    def half(self) -> Self:
        """Convert floating parameters and buffers to float16."""
        return self._convert(lambda each: each.half() if each.dtype.is_floating_point else each)

    def bfloat16(self) -> Self:
        """Convert floating parameters and buffers to bfloat16."""
        return self._convert(lambda each: each.bfloat16() if each.dtype.is_floating_point else each)

    # -- saving -----------------------------------------------------------------------------------

    def state_dict(self, prefix: str = "") -> dict[str, Tensor]:
        """Return parameters and persistent buffers by dotted name, detached but not copied."""
        found: dict[str, Tensor] = {}
        for path, module in self.named_modules(prefix=prefix.rstrip("."), remove_duplicate=False):
            for name, value in (*module._parameters.items(), *module._buffers.items()):
                if value is not None and name not in module._transient:
                    found[f"{path}.{name}" if path else name] = value.detach()
        return found

    def load_state_dict(self, state_dict: dict[str, Tensor], strict: bool = True) -> Any:
        """Copy values by name into parameters and buffers.

        Parameters
        ----------
        state_dict : dict
            What `state_dict` returned, here or in PyTorch (as pumice tensors).
        strict : bool
            Whether every name must be present on both sides.

        Returns
        -------
        IncompatibleKeys
            ``missing_keys`` and ``unexpected_keys``.

        Raises
        ------
        InvalidArgument
            Naming every missing or unexpected key and every size that differs.
        """
        return load_into(type(self).__name__, self.state_dict(), state_dict, strict)

    # -- text -------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        children = [
            f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()
        ]
        lines = extra.split("\n") if extra else []
        if not children and len(lines) <= 1:
            return f"{self._get_name()}({extra})"
        body = "".join(f"  {line}\n" for line in [*lines, *children])
        return f"{self._get_name()}(\n{body})"


def _indented(text: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(f"  {line}" for line in rest)])


def all_modules(values: Iterable[Any]) -> list[Module]:
    """Return the values as a list, or raise for one that is no module."""
    found = list(values)
    for value in found:
        if not isinstance(value, Module):
            what = f"{type(value).__name__} is not a Module subclass"
            raise DTypeError(describe("modules", what))
    return found
