"""In-place operators write every element of their target and no other, whatever its strides.

Operands that overlap the target count with the values they had.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pumice
from tests.tensor.peers import floats

TARGETS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda base: base.t()[:4, :5],
    "backwards": lambda base: base[7::-2, 5:0:-1],
}
Y, PLACES = floats(4, 5, seed=1), np.array([[3, 0, 1, 1, 2]])

WRITES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add_": lambda x, y, i: x.add_(y, alpha=2),
    "sub_": lambda x, y, i: x.sub_(y),
    "mul_": lambda x, y, i: x.mul_(y),
    "div_": lambda x, y, i: x.div_(y),
    "pow_": lambda x, y, i: x.pow_(2),
    "exp_": lambda x, y, i: x.exp_(),
    "clamp_": lambda x, y, i: x.clamp_(-0.5, 0.5),
    "addcmul_": lambda x, y, i: x.addcmul_(y, y),
    "addcdiv_": lambda x, y, i: x.addcdiv_(y, y + 9),
    "lerp_": lambda x, y, i: x.lerp_(y, 0.25),
    "triu_": lambda x, y, i: x.triu_(),
    "masked_fill_": lambda x, y, i: x.masked_fill_(y > 0, 3),
    "scatter_": lambda x, y, i: x.scatter_(0, i, y),
    "scatter_add_": lambda x, y, i: x.scatter_add_(0, i, y),
    "index_add_": lambda x, y, i: x.index_add_(1, i[0], y),
    "index_copy_": lambda x, y, i: x.index_copy_(0, i[0, :2], y[:2]),
    "cumsum_": lambda x, y, i: x.cumsum_(1),
    "copy_": lambda x, y, i: x.copy_(y),
    "fill_": lambda x, y, i: x.fill_(2),
    "+=": lambda x, y, i: x.__iadd__(y),
    "a mask": lambda x, y, i: x.__setitem__(y > 0, 0),
    "a list": lambda x, y, i: x.__setitem__([0, 2], y[:2]),
    "its own transpose": lambda x, y, i: x[:4, :4].add_(x[:4, :4].t()),
    "its own neighbours": lambda x, y, i: x[1:].mul_(x[:-1]),
    "itself backwards": lambda x, y, i: x.copy_(x[::-1]),
}


@pytest.mark.parametrize("layout", TARGETS)
def test_only_the_target_is_written(layout: str, device: str) -> None:
    y, places = pumice.tensor(Y, device=device), pumice.tensor(PLACES, device=device)
    for name, write in WRITES.items():
        start = floats(8, 7)
        base = pumice.tensor(start, device=device)
        target = TARGETS[layout](base)
        plain = target.clone()
        write(target, y, places)
        write(plain, y, places)
        expected = pumice.tensor(start, device=device)
        TARGETS[layout](expected).copy_(plain)
        np.testing.assert_array_equal(base.cpu().numpy(), expected.cpu().numpy(), name)
        assert base.tolist() != start.tolist(), name
