"""Modules that hold other modules."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from pumice.nn.module import Module, all_modules
from pumice.nn.parameter import Parameter
from pumice.tensor.tensor import Tensor


class ModuleSequence(Module):
    """What Sequential and ModuleList share: modules in order, changed as a list is."""

    def __iter__(self) -> Iterator[Module]:
        return iter(_present(self))

    def __len__(self) -> int:
        return len(self._modules)

    def __setitem__(self, index: int, module: Module) -> None:
        self.add_module(list(self._modules)[index], *all_modules([module]))

    def __delitem__(self, index: int | slice) -> None:
        kept: list[Module] = _present(self)
        del kept[index]
        self._become(kept)

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in all_modules(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Add a module before a position; later ones move up."""
        kept: list[Module] = _present(self)
        kept.insert(index, *all_modules([module]))
        self._become(kept)
        return self

    def pop(self, index: int | slice) -> Any:
        """Take a module out and return it."""
        found = self[index]
        del self[index]
        return found

    def __getitem__(self, index: int | slice) -> Any:
        raise NotImplementedError

    def _become(self, modules: list[Module]) -> None:
        self._modules.clear()
        self.extend(modules)


class Sequential(ModuleSequence):
    """Modules applied one after another.

    Parameters
    ----------
    args : Module, or one dict of Module
        The modules in order.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for position, module in enumerate(args):
                self.add_module(str(position), module)

    def forward(self, input: Any) -> Any:
        """Apply the modules in order."""
        for module in self:
            input = module(input)
        return input

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return Sequential(dict(list(self._modules.items())[index]))
        return _present(self)[index]

    def __add__(self, other: "Sequential") -> "Sequential":
        return Sequential(*self, *other)


class ModuleList(ModuleSequence):
    """A list of modules; it has no ``forward``."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return ModuleList(_present(self)[index])
        return _present(self)[index]

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        groups: list[list[Any]] = []
        for position, module in enumerate(self):
            text = repr(module)
            if groups and groups[-1][2] == text:
                groups[-1][1] = position
            else:
                groups.append([position, position, text])
        if not groups:
            return f"{self._get_name()}()"
        lines = []
        for first, last, text in groups:
            label, count = (f"{first}-{last}", last - first + 1)
            head = f"({first}): " if count == 1 else f"({label}): {count} x "
            lines.append(head + text.replace("\n", "\n  "))
        body = "".join(f"  {line}\n" for line in lines)
        return f"{self._get_name()}(\n{body})"


class ModuleDict(Module):
    """Modules by name; it has no ``forward``."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def update(self, modules: Mapping[str, Module]) -> None:
        """Add or replace modules."""
        for name, module in modules.items():
            self[name] = module

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._modules.keys()

    def values(self) -> Iterable[Any]:
        """Return the modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return names and modules."""
        return self._modules.items()


class ParameterList(Module):
    """A list of parameters; tensors that are not parameters become ones."""

    def __init__(self, values: Iterable[Tensor] | None = None) -> None:
        super().__init__()
        self.extend(values or ())

    def append(self, value: Tensor) -> Self:
        """Add a parameter at the end."""
        self.register_parameter(str(len(self)), as_parameter(value))
        return self

    def extend(self, values: Iterable[Tensor]) -> Self:
        """Add parameters at the end."""
        for value in values:
            self.append(value)
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._parameters.values()))

    def __len__(self) -> int:
        return len(self._parameters)

    def __getitem__(self, index: int | slice) -> Any:
        values: list[Any] = list(self._parameters.values())
        return ParameterList(values[index]) if isinstance(index, slice) else values[index]

    def __setitem__(self, index: int, value: Tensor) -> None:
        self._parameters[list(self._parameters)[index]] = as_parameter(value)


class ParameterDict(Module):
    """Parameters by name; tensors that are not parameters become ones."""

    def __init__(self, parameters: Mapping[str, Tensor] | None = None) -> None:
        super().__init__()
        self.update(parameters or {})

    def update(self, parameters: Mapping[str, Tensor]) -> None:
        """Add or replace parameters."""
        for name, value in parameters.items():
            self[name] = value

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Tensor) -> None:
        self.register_parameter(key, as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._parameters[key]

    def __contains__(self, key: object) -> bool:
        return key in self._parameters

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._parameters.keys()

    def values(self) -> Iterable[Any]:
        """Return the parameters."""
        return self._parameters.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return names and parameters."""
        return self._parameters.items()


def as_parameter(value: Tensor) -> Parameter:
    """Return a tensor as a parameter."""
    return value if isinstance(value, Parameter) else Parameter(value)


def _present(container: Module) -> list[Any]:
    return list(container._modules.values())
