"""Builds the NumPy-style docstrings of the entries from their differing parts."""

from textwrap import fill

INPUT = "The operand."
FIRST = "The first operand."
SECOND = "The second operand. Shapes broadcast, dtypes promote."


def section(title: str, body: str) -> str:
    """Return a titled section, or nothing for an empty body."""
    return f"\n\n{title}\n{'-' * len(title)}\n{body}" if body else ""


def document(
    summary: str,
    parameters: dict[str, str],
    *,
    returns: str = "Elementwise result.",
    raises: str = "",
    notes: str = "",
    example: str = "",
) -> str:
    """Compose one docstring; `example` is a doctest without indentation."""
    listed = "\n".join(f"{name} : Tensor\n    {text}" for name, text in parameters.items())
    return (
        summary
        + section("Parameters", listed)
        + section("Returns", f"Tensor\n    {returns}")
        + section("Raises", raises)
        + section("Notes", fill(" ".join(notes.split()), 92) if notes else "")
        + section("Examples", example)
    )


def unary(summary: str, *, returns: str = "", notes: str = "", example: str = "") -> str:
    """Return the docstring of a function of one tensor."""
    return document(
        summary,
        {"input": INPUT},
        returns=returns or "Elementwise result with the shape of `input`.",
        notes=notes,
        example=example,
    )


def binary(
    summary: str, *, returns: str = "", raises: str = "", notes: str = "", example: str = ""
) -> str:
    """Return the docstring of a function of two tensors."""
    return document(
        summary,
        {"input": FIRST, "other": SECOND},
        returns=returns or "Elementwise result with the broadcast shape.",
        raises=raises,
        notes=notes,
        example=example,
    )
