"""Result dtypes, pair by pair, against PyTorch."""

from typing import Any

import pytest
import torch

import pumice
from pumice import dtypes
from pumice.dtypes import DType
from tests.tensor.peers import dtype_of, torch_dtype

SCALARS = (True, 3, 2.5)


def _torch_result(first: Any, second: Any) -> DType | None:
    try:
        return dtype_of(torch.result_type(first, second))
    except RuntimeError:
        return None


def _operands(dtype: DType) -> list[tuple[Any, Any]]:
    kind = torch_dtype(dtype)
    return [
        (pumice.zeros(2, dtype=dtype), torch.zeros(2, dtype=kind)),
        (pumice.zeros((), dtype=dtype), torch.zeros((), dtype=kind)),
    ]


@pytest.mark.parametrize("first", dtypes.ALL, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("second", dtypes.ALL, ids=lambda dtype: dtype.name)
def test_pairs(first: DType, second: DType) -> None:
    for ours, theirs in _operands(first):
        for our_other, their_other in _operands(second):
            wanted = _torch_result(theirs, their_other)
            if wanted is None and dtypes.bool_ in (first, second):
                # PyTorch refuses bool with the wider unsigned types; here bool never matters.
                unsigned = second if first is dtypes.bool_ else first
                assert pumice.result_type(ours, our_other) is unsigned
            elif wanted is None:
                with pytest.raises(pumice.DTypeError, match="has no common type"):
                    pumice.result_type(ours, our_other)
            else:
                assert pumice.result_type(ours, our_other) is wanted


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("number", SCALARS)
def test_numbers(dtype: DType, number: Any) -> None:
    for ours, theirs in _operands(dtype):
        wanted = _torch_result(theirs, number)
        assert pumice.result_type(ours, number) is wanted
        assert (ours * number).dtype is dtype_of((theirs * number).dtype)


@pytest.mark.parametrize("source", dtypes.ALL, ids=lambda dtype: dtype.name)
def test_can_cast(source: DType) -> None:
    for destination in dtypes.ALL:
        wanted = torch.can_cast(torch_dtype(source), torch_dtype(destination))
        assert pumice.can_cast(source, destination) is wanted


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "int32", "uint8", "bool"])
def test_reductions_follow_torch(name: str) -> None:
    ours = pumice.ones(3, dtype=dtypes.BY_NAME[name])
    theirs = torch.ones(3, dtype=getattr(torch, name))
    for reduction in ("sum", "prod", "amax", "any", "all", "cumsum"):
        arguments = (0,) if reduction == "cumsum" else ()
        result = getattr(ours, reduction)(*arguments)
        assert result.dtype is dtype_of(getattr(theirs, reduction)(*arguments).dtype), reduction
