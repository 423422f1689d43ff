"""The public names, as a user finds them."""

import inspect
from typing import Any

import pumice


def public_names() -> dict[str, Any]:
    """Return what ``pumice`` offers by name, its modules left out."""
    return {
        name: value
        for name, value in sorted(vars(pumice).items())
        if not name.startswith("_") and not inspect.ismodule(value)
    }
