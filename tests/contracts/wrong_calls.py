"""Calls that work, from the examples of docstrings, and the same with a wrong argument."""

import doctest
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import pumice
from pumice.testing.public import NAMESPACES, PACKAGES, package_members, public_names

PACKAGE = pumice.__path__[0]
REFUSED = re.compile("positional argument|unexpected keyword argument|required keyword-only")


@dataclass(frozen=True, slots=True)
class Call:
    """A call that works: a function and its arguments by parameter."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]

    def bound(self) -> inspect.BoundArguments:
        """Return the arguments by the names of parameters."""
        return inspect.signature(self.function).bind(*self.arguments, **self.keywords)


def wrong_values() -> dict[str, Any]:
    """Return values of which few functions take many."""
    return {
        "None": None,
        "a text": "a",
        "bytes": b"a",
        "an object": object(),
        "a list of texts": ["a"],
        "a list of None": [None],
        "a list of lists": [[1, [2]]],
        "a float": 1.5,
        "an int": 3,
        "a negative int": -7,
        "a complex number": 1j,
        "a bool": True,
        "an empty tuple": (),
        "a dict": {"a": 1},
        "a function": lambda: None,
        "a class": int,
        "an array": np.ones(2),
        "a tensor": pumice.ones(2, 3),
    }


def example_calls() -> dict[str, Call]:
    """Return one call of each public function, the first of its example."""
    found: dict[str, Call] = {}
    known: set[int] = set()
    for namespace in NAMESPACES:
        for name, function in public_names(namespace).items():
            takes = inspect.isfunction(function) and inspect.signature(function).parameters
            if not takes or id(function) in known:
                continue
            known.add(id(function))
            path = f"{namespace}.{name}".strip(".")
            call = _first_call(path, name, function, function.__doc__ or "")
            if call is not None:
                found[path] = call
    for package in PACKAGES:
        for name, function in package_members(PACKAGES[package]).items():
            text = function.__doc__ or ""
            if inspect.isfunction(function) and ">>>" in text:
                call = _first_call(f"{package}.{name}", name, function, text)
                if call is not None:
                    found[f"{package}.{name}"] = call
    return found


def _first_call(path: str, name: str, function: Callable[..., Any], text: str) -> Call | None:
    """Run an example with a spy in the function's place."""
    calls: list[Call] = []

    def spy(*arguments: Any, **keywords: Any) -> Any:
        kept = tuple(copied(each) for each in arguments)
        calls.append(Call(path, function, kept, {k: copied(v) for k, v in keywords.items()}))
        return function(*arguments, **keywords)

    homes = [
        module
        for module in (*NAMESPACES.values(), *PACKAGES.values())
        if vars(module).get(name) is function
    ]
    names = {"pumice": pumice}
    for home in homes:
        setattr(home, name, spy)
    try:
        for example in doctest.DocTestParser().get_examples(text):
            exec(compile(example.source, path, "exec"), names)  # all: what is set is set back
    finally:
        for home in homes:
            setattr(home, name, function)
    return calls[0] if calls else None


def method_calls(functions: Mapping[str, Call]) -> Iterator[Call]:
    """Yield the same calls as those of methods, where there is one."""
    for call in functions.values():
        owner = call.arguments[0] if call.arguments else None
        own = call.name.rpartition(".")[2]
        for name in (own, own + "_"):
            method = getattr(pumice.Tensor, name, None)
            if not isinstance(owner, pumice.Tensor) or not inspect.isfunction(method):
                continue
            try:
                inspect.signature(method).bind(*call.arguments, **call.keywords)
            except TypeError:
                continue
            yield Call(f"Tensor.{name}", method, call.arguments, call.keywords)


def copied(value: Any) -> Any:
    """Return a value that a call may write to."""
    if isinstance(value, pumice.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad and value.is_leaf)
    if isinstance(value, pumice.optim.Optimizer):
        return pumice.optim.SGD([pumice.ones(2, requires_grad=True)], 0.1)
    if type(value) in (list, tuple):
        return type(value)(copied(each) for each in value)
    return value


def replaced(call: Call, parameter: str, value: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments with another value for one of them."""
    bound = call.bound()
    kinds = inspect.signature(call.function).parameters
    arguments = {name: copied(each) for name, each in bound.arguments.items()}
    kind = kinds[parameter].kind
    arguments[parameter] = (value,) if kind is inspect.Parameter.VAR_POSITIONAL else value
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    gap = False
    for name, each in kinds.items():
        if name not in arguments:
            gap = True
        elif each.kind is inspect.Parameter.VAR_POSITIONAL:
            positional += arguments[name]
        elif each.kind is inspect.Parameter.VAR_KEYWORD:
            keywords |= arguments[name]
        elif each.kind is inspect.Parameter.KEYWORD_ONLY or gap:
            keywords[name] = arguments[name]
        else:
            positional.append(arguments[name])
    return tuple(positional), keywords


def parameters(call: Call) -> list[str]:
    """Return the parameters that get wrong values."""
    found = inspect.signature(call.function).parameters
    skipped = "self" if call.name.startswith("Tensor.") else ""
    return [
        name
        for name, each in found.items()
        if each.kind is not inspect.Parameter.VAR_KEYWORD and name != skipped
    ]


def evaluate(value: Any) -> None:
    """Compute what a call returned."""
    if isinstance(value, pumice.Tensor):
        value.realize()
    elif isinstance(value, (list, tuple)):
        for each in value:
            evaluate(each)


def bare(error: BaseException) -> str:
    """Return where an error that is none of pumice's comes from, an empty text for others.

    Code of the user that pumice calls may raise what it likes. Python itself refuses calls with
    too few, too many or misspelled arguments.
    """
    if isinstance(error, pumice.PumiceError) or REFUSED.search(str(error)):
        return ""
    trace, place = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith(PACKAGE):
            place = f"{code.co_filename.removeprefix(PACKAGE)}:{trace.tb_lineno} {code.co_name}"
        elif not code.co_filename.startswith((sys.prefix, sys.base_prefix)):
            place = ""
        trace = trace.tb_next
    return f"{type(error).__name__}: {error} ({place})" if place else ""
