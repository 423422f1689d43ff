"""The generated interface: up to date, complete, with PyTorch's parameter names."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import pumice
from pumice.ops.definition import registry
from pumice.tensor import _public, functional
from pumice.tensor.functions import MODULES

ROOT = Path(__file__).resolve().parents[2]


def test_generated_files_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "tools/gen_api.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_import_loads_no_compiler() -> None:
    code = "import sys, pumice; print([m for m in sys.modules if m in ('llvmlite', 'cffi')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_every_elementwise_entry_is_offered() -> None:
    for entry in registry.elementwise():
        for name in (entry.name, *entry.aliases):
            if entry.function:
                assert hasattr(pumice, name), name
            if entry.method:
                assert hasattr(pumice.Tensor, name), name
            if entry.method and entry.inplace and entry.result is None:
                assert hasattr(pumice.Tensor, name + "_"), name


@pytest.mark.parametrize("name", sorted({*_public.__all__, *functional.__all__}))
def test_functions_are_documented(name: str) -> None:
    function = getattr(functional, name)
    assert inspect.getdoc(function)
    assert "return" in function.__annotations__


def test_marked_functions_have_one_home() -> None:
    seen: dict[str, str] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if getattr(value, "public", False) and value.__module__ == module.__name__:
                assert name not in seen, (name, seen.get(name), module.__name__)
                seen[name] = module.__name__


def test_methods_and_functions_agree() -> None:
    tensor = pumice.tensor([[0.25, -0.5], [0.75, 0.1]])
    for name in ("exp", "sin", "sum", "softmax", "amax", "triu", "square", "sort"):
        by_method, by_function = getattr(tensor, name)(), getattr(pumice, name)(tensor)
        first = by_method[0] if isinstance(by_method, tuple) else by_method
        second = by_function[0] if isinstance(by_function, tuple) else by_function
        assert first.tolist() == second.tolist(), name


def test_operators() -> None:
    a, b = pumice.tensor([7, -7]), pumice.tensor([2, 2])
    x, y = torch.tensor([7, -7]), torch.tensor([2, 2])
    for text in (
        "a + b",
        "a - b",
        "a * b",
        "a / b",
        "a // b",
        "a % b",
        "a ** b",
        "a & b",
        "a | b",
        "a ^ b",
        "a << b",
        "a >> b",
        "a == b",
        "a != b",
        "a < b",
        "a <= b",
        "a > b",
        "a >= b",
        "-a",
        "~a",
        "abs(a)",
        "3 + a",
        "3 - a",
        "3 * a",
        "3 / b",
        "3 // b",
        "9 % b",
        "2 ** b",
        "a + 1.5",
        "a * True",
        "1 == a",
        "2 < a",
        "divmod(a, b)[0]",
        "divmod(a, b)[1]",
        "+a",
    ):
        ours = eval(text, {"a": a, "b": b, "abs": abs, "divmod": divmod})
        theirs = eval(text, {"a": x, "b": y, "abs": abs, "divmod": lambda p, q: (p // q, p % q)})
        assert ours.tolist() == theirs.tolist(), text
        assert ours.dtype.name == str(theirs.dtype).removeprefix("torch."), text


def test_foreign_operands() -> None:
    tensor = pumice.tensor([1.0])
    assert (tensor == None) is False  # noqa: E711 - what is tested
    with pytest.raises(TypeError):
        tensor + "a"  # type: ignore[operator]
    with pytest.raises(TypeError):
        tensor @ 3  # type: ignore[operator]
    assert hash(tensor) == hash(tensor)
    assert len({tensor, tensor, pumice.tensor([1.0])}) == 2


@pytest.mark.parametrize(
    ("name", "text"), [("cuda", "device='vulkan'"), ("compile", "pumice.jit"), ("foo", "'foo'$")]
)
def test_a_missing_name_says_what_to_use(name: str, text: str) -> None:
    with pytest.raises(AttributeError, match=text):
        getattr(pumice, name)


def test_devices_print_as_they_are_made() -> None:
    assert repr(pumice.device("cpu")) == "device('cpu')"
    assert repr(pumice.device("vulkan")) == "device('vulkan:0')"


@pytest.mark.parametrize("name", ["autocast", "amp", "vmap", "fft", "sparse", "set_num_threads"])
def test_names_of_pytorch_have_hints(name: str) -> None:
    assert not hasattr(pumice, name)
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; .{{10}}"):
        getattr(pumice, name)
