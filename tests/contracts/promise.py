"""The mark that ties a test to a line of docs/contracts.md."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import pumice

Test = TypeVar("Test", bound=Callable[..., Any])


def promise(*numbers: str) -> Callable[[Test], Test]:
    """Mark a test as that of some lines."""

    def mark(test: Test) -> Test:
        test.__dict__["promises"] = numbers
        return test

    return mark


def on(device: str, value: Any, dtype: Any = None, requires_grad: bool = False) -> Any:
    """Return a tensor on a device."""
    return pumice.tensor(value, dtype=dtype, device=device, requires_grad=requires_grad)


def host(found: Any) -> Any:
    """Return the values of a tensor on any device as a NumPy array."""
    return found.detach().cpu().numpy()


def same(found: Any, expected: Any) -> None:
    """Check values, NaN and the signs of zeros included."""
    left, right = np.asarray(host(found)), np.asarray(expected)
    np.testing.assert_array_equal(left, right)
    if right.dtype.kind == "f":
        np.testing.assert_array_equal(
            np.signbit(np.where(np.isnan(left), 0, left)),
            np.signbit(np.where(np.isnan(right), 0, right)),
        )
