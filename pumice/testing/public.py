"""The public names, as a user finds them."""

import inspect
from types import ModuleType
from typing import Any

import pumice
from pumice import autograd, data, func, linalg, nn, optim, utils, vulkan

NAMESPACES: dict[str, ModuleType] = {
    "": pumice,
    "nn.functional": nn.functional,
    "linalg": linalg,
}
"""Where functions on tensors are offered; what is in several belongs to the first."""


def public_names(namespace: str = "") -> dict[str, Any]:
    """Return what ``pumice``, or a namespace of it, offers by name, its modules left out."""
    return {
        name: value
        for name, value in sorted(vars(NAMESPACES[namespace]).items())
        if not name.startswith("_") and not inspect.ismodule(value)
    }


PACKAGES: dict[str, ModuleType] = {
    "nn": nn,
    "nn.init": nn.init,
    "nn.utils": nn.utils,
    "nn.utils.parametrize": nn.utils.parametrize,
    "nn.utils.parametrizations": nn.utils.parametrizations,
    "nn.utils.rnn": nn.utils.rnn,
    "optim": optim,
    "optim.lr_scheduler": optim.lr_scheduler,
    "data": data,
    "func": func,
    "utils.checkpoint": utils.checkpoint,
    "vulkan": vulkan,
    "autograd": autograd,
    "autograd.functional": autograd.functional,
}
"""What else has a page of its own."""


def package_members(package: ModuleType) -> dict[str, Any]:
    """Return the public classes and functions of a package, in order of their names."""
    listed = getattr(package, "__all__", None)
    if listed is None:
        listed = [
            name
            for name, value in vars(package).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == package.__name__
        ]
    found = {name: getattr(package, name) for name in sorted(listed)}
    return {
        name: value
        for name, value in found.items()
        if inspect.isclass(value) or inspect.isfunction(value)
    }
