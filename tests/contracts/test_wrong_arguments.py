"""Wrong arguments are refused by pumice, with the operator and the parameter, never by accident.

Each public function is called as in the example of its documentation, with one argument after the
other replaced by things that are not what it takes.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import nn, optim
from tests.contracts.promise import promise
from tests.contracts.wrong_calls import (
    REFUSED,
    Call,
    bare,
    evaluate,
    example_calls,
    method_calls,
    parameters,
    replaced,
    wrong_values,
)
from tests.contracts.wrong_classes import constructor_calls, layer_calls

F = nn.functional

EVERY = tuple(wrong_values())

GLOBAL = ("set_default_device", "set_default_dtype", "set_printoptions", "save", "load")
"""Functions that would change what the others do, or files."""

NEVER = ("a text", "bytes", "an object", "a list of texts", "a dict", "a function", "a class")
"""What hardly any parameter takes."""

UNUSED = {
    ("nn.functional.batch_norm", "momentum"),
    ("nn.functional.instance_norm", "momentum"),
    ("nn.functional.poisson_nll_loss", "eps"),
    ("Tensor.clone", "memory_format"),
}
"""Numbers that a call does not use and so does not look at, and an argument without effect."""


SHARES = 24
"""Into how many tests the calls are divided."""


@lru_cache(maxsize=1)
def every_call() -> list[Call]:
    """Return the calls of functions and methods; examples run for it, so only when needed."""
    functions = example_calls()
    calls = (*functions.values(), *method_calls(functions))
    return [call for call in calls if call.name.rpartition(".")[2] not in GLOBAL]


def share(number: int) -> list[Call]:
    """Return the calls of one test."""
    return every_call()[number::SHARES]


def outcomes(
    call: Call, kinds: Iterable[str] = EVERY
) -> Iterator[tuple[str, str, BaseException | None]]:
    """Yield what wrong values for parameters lead to."""
    for parameter in parameters(call):
        for described in kinds:
            value = wrong_values()[described]
            arguments, keywords = replaced(call, parameter, value)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    evaluate(call.function(*arguments, **keywords))
            except Exception as error:
                yield parameter, described, error
            else:
                yield parameter, described, None


def accidents(calls: Iterable[Call]) -> list[str]:
    """Return the wrong arguments that end in an error which is none of pumice's."""
    return [
        f"{call.name}: {parameter} = {value}: {place}"
        for call in calls
        for parameter, value, error in outcomes(call)
        if error is not None and (place := bare(error))
    ]


@pytest.mark.slow
def test_most_functions_are_called() -> None:
    assert len(every_call()) > 850


@promise("0.5")
@pytest.mark.slow
@pytest.mark.parametrize("number", range(SHARES))
def test_functions_and_methods(number: int) -> None:
    found = accidents(share(number))
    assert not found, "\n".join(found)


@promise("0.5")
def test_constructors() -> None:
    calls = list(constructor_calls())
    assert len(calls) > 150
    found = accidents(calls)
    assert not found, "\n".join(found)


@promise("0.5")
def test_layers() -> None:
    calls = list(layer_calls())
    assert len(calls) > 100
    found = accidents(calls)
    assert not found, "\n".join(found)


def theirs(call: Call) -> Callable[..., Any] | None:
    """Return PyTorch's function of the same name, if it takes the call as it works here."""
    namespace, _, name = call.name.rpartition(".")
    home = {"": torch, "Tensor": torch.Tensor, "linalg": torch.linalg}.get(namespace)
    home = torch.nn.functional if namespace == "nn.functional" else home
    function: Callable[..., Any] | None = getattr(home, name, None)
    if function is None:
        return None
    try:
        function(*as_torch(call.arguments), **as_torch(call.keywords))
    except Exception:
        return None
    return function


def as_torch(value: Any) -> Any:
    """Return the same arguments for PyTorch."""
    match value:
        case pumice.Tensor():
            return torch.from_numpy(value.detach().numpy().copy())
        case pumice.DType():
            return getattr(torch, value.name)
        case list() | tuple():
            return type(value)(as_torch(each) for each in value)
        case Mapping():
            return {name: as_torch(each) for name, each in value.items()}
        case _:
            return value


@pytest.mark.slow
@pytest.mark.parametrize("number", range(SHARES))
def test_nothing_is_taken_that_pytorch_refuses(number: int) -> None:
    taken = []
    for call in share(number):
        function = theirs(call)
        if function is None:
            continue
        for parameter, described, error in outcomes(call, NEVER):
            if error is not None or (call.name, parameter) in UNUSED:
                continue
            given, keywords = replaced(call, parameter, wrong_values()[described])
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    function(*as_torch(given), **as_torch(keywords))
            except TypeError as problem:
                if not REFUSED.search(str(problem)):
                    taken.append(f"{call.name}: {parameter} = {described}: {problem}")
            except Exception:
                continue
    assert not taken, "\n".join(taken)


X = pumice.ones(2, 3)

TEXTS: dict[str, tuple[Callable[[], Any], str]] = {
    "a method": (lambda: X.flip([1.5]), r"flip: dim must be an int, not float \(at"),
    "a function": (
        lambda: pumice.reshape("a", (2,)),
        "reshape: argument 'input' is str 'a'; allowed is Tensor",
    ),
    "a layer": (
        lambda: nn.LSTM(3, 2)(X, 1.5),
        "LSTM: argument 'hx' is float 1.5; allowed are Tensor, tuple of 2 .* or None",
    ),
    "a flag": (
        lambda: X.sum(0, keepdim="yes"),
        "sum: argument 'keepdim' is str 'yes'; allowed is bool",
    ),
    "a count": (lambda: pumice.topk(X, 1.5), "topk: argument 'k' is float 1.5; allowed is int"),
    "a number": (
        lambda: pumice.add(X, X, alpha="a"),
        "add: argument 'alpha' is str 'a'; allowed are",
    ),
    "a dtype": (
        lambda: pumice.zeros(2, dtype="a"),
        "zeros: argument 'dtype' is str 'a'; allowed are DType or None",
    ),
    "an optimizer": (
        lambda: optim.SGD(None),
        "SGD: argument 'params' is None; allowed is iterable",
    ),
    "a transform": (
        lambda: pumice.func.vjp(3, X),
        "vjp: argument 'func' is int 3; allowed is callable",
    ),
}


@promise("0.5")
@pytest.mark.parametrize("name", TEXTS)
def test_what_errors_say(name: str) -> None:
    call, text = TEXTS[name]
    with pytest.raises(TypeError, match=text) as caught:
        call()
    assert isinstance(caught.value, pumice.PumiceError)
    assert f"(at {__file__}:" in str(caught.value)


def test_an_outer_function_names_its_own_argument() -> None:
    with pytest.raises(TypeError, match="^dist: argument 'other' is str 'a'"):
        pumice.dist(X, "a")  # type: ignore[arg-type]


def test_errors_of_users_pass() -> None:
    class Mine(nn.Module):
        def forward(self, x: int) -> Any:
            return x.nothing  # type: ignore[attr-defined]

    with pytest.raises(AttributeError, match="nothing") as caught:
        Mine()("a")
    assert not isinstance(caught.value, pumice.PumiceError)

    def distance(a: Any, b: Any) -> Any:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="^mine$"):
        F.triplet_margin_with_distance_loss(X, X, X, distance_function=distance)
    with pytest.raises(ValueError, match="^mine$"):
        pumice.func.vjp(lambda x: distance(x, x), X)


def test_numbers_of_numpy_are_numbers() -> None:
    one = np.int32(1)
    assert X.sum(one, keepdim=np.True_).shape == (2, 1)
    assert pumice.topk(X, one).values.shape == (2, 1)
    assert X.transpose(np.int64(0), True).shape == (3, 2)
    assert pumice.add(X, X, alpha=np.float32(2.0)).tolist() == [[3.0] * 3] * 2
    assert pumice.full((one, np.uint8(2)), np.float64(0.5)).tolist() == [[0.5, 0.5]]
    assert nn.Linear(np.int64(3), one)(X).shape == (2, 1)
    assert F.dropout(X, np.float32(0.0), training=1).shape == (2, 3)  # type: ignore[arg-type]


def test_integers_that_no_tensor_holds(device: str) -> None:
    whole = pumice.ones(2, dtype=pumice.int64, device=device)
    for call in (lambda: whole + (1 << 70), lambda: pumice.full((2,), -(1 << 64), device=device)):
        with pytest.raises(pumice.InvalidArgument, match="does not fit int64"):
            call()
    assert (pumice.ones(2, device=device) + (1 << 70)).tolist() == [float(1 << 70)] * 2
