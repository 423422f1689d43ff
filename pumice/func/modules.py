"""Modules as functions of their parameters."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pumice.arguments import guarded
from pumice.errors import InvalidArgument, describe
from pumice.nn.module import Module
from pumice.tensor.core import wrap
from pumice.tensor.joining import stack
from pumice.tensor.tensor import Tensor


@guarded
def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other tensors in place of its parameters and buffers.

    Parameters
    ----------
    module : Module
        What is called.
    parameter_and_buffer_dicts : dict or sequence of dict
        Tensors by dotted name; several dicts must not share names.
    args : any
        The positional arguments: a tuple of them, or a single one.
    kwargs : dict, optional
        The keyword arguments.
    tie_weights : bool
        Whether a parameter that has several names is replaced under all of them.
    strict : bool
        Whether every parameter and buffer must be given.

    Returns
    -------
    any
        What the module returns.

    Raises
    ------
    InvalidArgument
        For a name that the module does not have, one given twice, or (``strict``) one missing.

    Notes
    -----
    What the module writes to a buffer that was given goes to the tensor given. The module must not
    be used by another thread meanwhile.

    Examples
    --------
    >>> import pumice
    >>> layer = pumice.nn.Linear(1, 1)
    >>> weights = {"weight": pumice.tensor([[2.0]]), "bias": pumice.tensor([1.0])}
    >>> pumice.func.functional_call(layer, weights, pumice.tensor([3.0]))
    tensor([7.])
    """
    given = _merged(parameter_and_buffer_dicts)
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*positional, **(kwargs or {}))


def _merged(dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    if isinstance(dicts, Mapping):
        return dict(dicts)
    merged: dict[str, Tensor] = {}
    for each in dicts:
        for name, tensor in each.items():
            if name in merged:
                raise InvalidArgument(
                    describe("functional_call", f"{name!r} is given twice", "once")
                )
            merged[name] = tensor
    return merged


def _places(module: Module) -> dict[str, tuple[dict[str, Any], str]]:
    """Return where each parameter and buffer is kept, by dotted name."""
    found: dict[str, tuple[dict[str, Any], str]] = {}
    for path, part in module.named_modules(remove_duplicate=False):
        for kept in (part._parameters, part._buffers):
            for name, value in kept.items():
                if value is not None:
                    found[f"{path}.{name}" if path else name] = (kept, name)
    return found


@contextmanager
def _replaced(
    module: Module, given: Mapping[str, Tensor], tie_weights: bool, strict: bool
) -> Iterator[None]:
    places = _places(module)
    unknown = [name for name in given if name not in places]
    missing = [name for name in places if name not in given]
    if unknown or (strict and missing):
        what, names = ("no", unknown) if unknown else ("also", missing)
        raise InvalidArgument(
            describe(
                "functional_call",
                f"{type(module).__name__} has {what} {', '.join(map(repr, names))}",
                f"its parameters and buffers are {', '.join(map(repr, places))}",
            )
        )
    wanted = dict(given)
    if tie_weights:
        _tie(places, wanted)
    before = {name: places[name][0][places[name][1]] for name in wanted}
    try:
        for name, tensor in wanted.items():
            kept, key = places[name]
            kept[key] = tensor
        yield
    finally:
        for name, tensor in before.items():
            kept, key = places[name]
            kept[key] = tensor


def _tie(places: dict[str, tuple[dict[str, Any], str]], wanted: dict[str, Tensor]) -> None:
    """Give a tensor that has several names the same replacement under each."""
    names: dict[int, list[str]] = {}
    for name, (kept, key) in places.items():
        names.setdefault(id(kept[key]), []).append(name)
    for tied in names.values():
        given = [name for name in tied if name in wanted]
        if not given:
            continue
        if any(wanted[name] is not wanted[given[0]] for name in given):
            raise InvalidArgument(
                describe(
                    "functional_call",
                    f"{', '.join(map(repr, given))} are one tensor and get different ones",
                    "the same for each, or tie_weights=False",
                )
            )
        for name in tied:
            wanted[name] = wanted[given[0]]


@guarded
def stack_module_state(
    models: Sequence[Module],
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Return the parameters and the buffers of models of one kind, stacked for `vmap`.

    Parameters
    ----------
    models : sequence of Module
        All of the same class, with the same shapes.

    Returns
    -------
    (parameters, buffers)
        Dicts by dotted name; the stacked parameters are leaves that require a gradient if the
        models' do.

    Raises
    ------
    InvalidArgument
        Without models, or when they differ in class or mode.

    Examples
    --------
    >>> import pumice
    >>> models = [pumice.nn.Linear(2, 3) for _ in range(4)]
    >>> parameters, _ = pumice.func.stack_module_state(models)
    >>> parameters["weight"].shape
    (4, 3, 2)
    """
    if not models:
        raise InvalidArgument(describe("stack_module_state", "got no models", "at least one"))
    first = models[0]
    if any(type(each) is not type(first) or each.training != first.training for each in models):
        raise InvalidArgument(
            describe("stack_module_state", "the models differ in class or mode", "all the same")
        )
    parameters = {
        name: _stacked([dict(each.named_parameters())[name] for each in models])
        for name, _ in first.named_parameters()
    }
    buffers = {
        name: _stacked([dict(each.named_buffers())[name] for each in models])
        for name, _ in first.named_buffers()
    }
    return parameters, buffers


def _stacked(tensors: Sequence[Tensor]) -> Tensor:
    whole = wrap(stack([tensor.detach() for tensor in tensors]).node)
    return whole.requires_grad_() if tensors[0].requires_grad else whole
