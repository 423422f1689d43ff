"""Loading tensors by name."""

from typing import Any, NamedTuple

from pumice.autograd import no_grad
from pumice.errors import InvalidArgument
from pumice.tensor.tensor import Tensor


class IncompatibleKeys(NamedTuple):
    """The names that only one side has."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def load_into(
    owner: str, own: dict[str, Tensor], given: dict[str, Any], strict: bool
) -> IncompatibleKeys:
    """Copy the given tensors into the owner's tensors of the same names."""
    missing = [name for name in own if name not in given]
    unexpected = [name for name in given if name not in own]
    problems = []
    if strict and unexpected:
        listed = ", ".join(f'"{name}"' for name in unexpected)
        problems.append(f"Unexpected key(s) in state_dict: {listed}. ")
    if strict and missing:
        listed = ", ".join(f'"{name}"' for name in missing)
        problems.append(f"Missing key(s) in state_dict: {listed}. ")
    for name, target in own.items():
        if name in given:
            problems += _mismatch(name, target, given[name])
    if problems:
        details = "\n\t".join(problems)
        raise InvalidArgument(f"Error(s) in loading state_dict for {owner}:\n\t{details}")
    with no_grad():
        for name, target in own.items():
            if name in given:
                target.copy_(given[name])
    return IncompatibleKeys(missing, unexpected)


def _mismatch(name: str, target: Tensor, value: Any) -> list[str]:
    if not isinstance(value, Tensor):
        return [
            f'While copying the parameter named "{name}", expected a Tensor but got '
            f"{type(value).__name__}."
        ]
    if value.shape != target.shape:
        return [
            f"size mismatch for {name}: copying a param with shape {list(value.shape)} from "
            f"checkpoint, the shape in current model is {list(target.shape)}."
        ]
    return []
