"""The modules whose functions are public, in the order they are documented."""

from pumice.tensor import (
    convert,
    creation,
    gathering,
    joining,
    movement,
    products,
    reductions,
    selection,
    slicing,
    statistics,
)

MODULES = (
    convert,
    creation,
    gathering,
    joining,
    movement,
    products,
    reductions,
    selection,
    slicing,
    statistics,
)
