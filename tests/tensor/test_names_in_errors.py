"""Errors name the public function that the user called, not the one inside that noticed."""

from collections.abc import Callable
from typing import Any

import pytest

import pumice
from pumice import nn
from pumice.errors import PumiceError
from tests.required import computes_with

F = nn.functional
X, SQUARE = pumice.ones(2, 3), pumice.ones(3, 3)
WORDS = pumice.tensor([0, 9])

AT_THE_CALL: dict[str, Callable[[], Any]] = {
    "linear": lambda: F.linear(X, pumice.ones(4, 5)),
    "linear of a module": lambda: nn.Linear(5, 4)(X),
    "embedding": lambda: F.embedding(pumice.ones(2), SQUARE),
    "einsum": lambda: pumice.einsum("ij,kl->ijkl", X, 3),
    "concat": lambda: pumice.concat([X, pumice.ones(5)]),
    "bilinear": lambda: F.bilinear(X, X, pumice.ones(1, 4, 4)),
    "multiply": lambda: pumice.multiply(X, pumice.ones(5)),
    "addmm": lambda: pumice.addmm(X, X, X),
    "cosine_similarity": lambda: F.cosine_similarity(X, pumice.ones(2, 5)),
    "mse_loss": lambda: F.mse_loss(X, pumice.ones(4)),
    "cov": lambda: pumice.cov(pumice.ones(2, 2, 2)),
    "matmul": lambda: X @ X,
    "add": lambda: X + pumice.ones(5),
    "softmax": lambda: X.softmax(7),
}


@pytest.mark.parametrize("name", AT_THE_CALL)
def test_at_the_call(name: str) -> None:
    with pytest.raises(PumiceError) as caught:
        AT_THE_CALL[name]()
    text = str(caught.value)
    assert text.startswith((f"{name.partition(' ')[0]}:", f"{name.partition(' ')[0]} ("))
    assert __file__ in text


AT_EVALUATION: dict[str, Callable[[str], Any]] = {
    "embedding": lambda device: F.embedding(WORDS.to(device), SQUARE.to(device)),
    "embedding of a module": lambda device: nn.Embedding(3, 3).to(device)(WORDS.to(device)),
    "cross_entropy": lambda device: F.cross_entropy(X.to(device), WORDS.to(device)),
    "nll_loss": lambda device: F.nll_loss(X.to(device), WORDS.to(device)),
    "cross_entropy of a module": lambda device: nn.CrossEntropyLoss()(
        X.to(device), WORDS.to(device)
    ),
    "index_select": lambda device: pumice.index_select(X.to(device), 1, WORDS.to(device)),
    "take_along_dim": lambda device: X.to(device).take_along_dim(
        pumice.full((2, 3), 7, device=device), 1
    ),
    "index_add": lambda device: pumice.index_add(
        X.to(device), 1, WORDS.to(device), pumice.ones(2, 2, device=device)
    ),
    "div": lambda device: pumice.div(
        WORDS.to(device), pumice.zeros_like(WORDS.to(device)), rounding_mode="trunc"
    ),
    "floor_divide": lambda device: WORDS.to(device) // 0,
    "binary_cross_entropy": lambda device: F.binary_cross_entropy(X.to(device) * 1.5, X.to(device)),
}


@pytest.mark.parametrize("name", AT_EVALUATION)
def test_at_evaluation(name: str, device: str) -> None:
    with pytest.raises(PumiceError) as caught:
        AT_EVALUATION[name](device).tolist()
    text = str(caught.value)
    assert text.startswith(f"{name.partition(' ')[0]}:"), text
    assert __file__ in text


def test_plans_that_functions_share_name_the_one_that_ran(device: str) -> None:
    table = pumice.tensor([[1.0], [2.0]], device=device)
    place = pumice.tensor([5, 1], device=device)
    texts = []
    for call in (lambda: table.index_select(0, place), lambda: F.embedding(place, table)):
        with pytest.raises(IndexError) as caught:
            call().tolist()
        texts.append(str(caught.value).partition(":")[0])
    assert texts == ["index_select", "embedding"]


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [("float32", 1.5), ("float64", -1e-300), ("float16", 2.0), ("bfloat16", -0.5)],
)
def test_a_value_that_is_no_probability(kind: str, wrong: float, device: str) -> None:
    if not computes_with(device, kind):
        return
    dtype = getattr(pumice, kind)
    for value in (wrong, float("nan")):
        x = pumice.tensor([0.0, 1.0, 0.5, value], dtype=dtype, device=device)
        loss = F.binary_cross_entropy(x, pumice.zeros_like(x))  # records, and says nothing yet
        with pytest.raises(
            pumice.InvalidArgument, match=f"is {value}; all must be between 0 and 1"
        ):
            loss.item()
    right = pumice.tensor([0.0, 1.0, 0.5, 0.25], dtype=dtype, device=device, requires_grad=True)
    F.binary_cross_entropy(right[2:], pumice.ones(2, dtype=dtype, device=device)).backward()
    assert right.grad is not None
    assert right.grad.tolist() == [0, 0, -1, -2]


@pytest.mark.parametrize("call", [F.cross_entropy, F.nll_loss], ids=["cross_entropy", "nll_loss"])
def test_class_numbers_are_integers(call: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"float32.*must be integers.*\.long\(\)"):
        call(X, pumice.tensor([0.0, 1.0]))
