"""Finding the operation whose gradient is the first to be NaN."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Self

from pumice.errors import PumiceError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.definition import registry

Watch = Callable[[Node, Node, Sequence[Node | None]], None]

_checking: ContextVar[bool] = ContextVar("anomaly", default=False)


class AnomalyError(PumiceError, RuntimeError):
    """A gradient became NaN under `detect_anomaly`."""


class detect_anomaly:  # noqa: N801 - PyTorch's name
    """Look for NaN in every gradient inside, and raise naming the line of the forward.

    Each gradient is evaluated as soon as it is recorded, so a backward takes many times as long.
    Where an operation was called is always known, so nothing has to be on during the forward.

    Parameters
    ----------
    check_nan : bool
        Whether gradients are looked at.

    Raises
    ------
    AnomalyError
        At the first NaN that did not arrive with the gradient of the result.

    Examples
    --------
    >>> import pumice
    >>> x = pumice.tensor(-1.0, requires_grad=True)
    >>> try:
    ...     with pumice.autograd.detect_anomaly():
    ...         x.sqrt().backward()
    ... except pumice.autograd.AnomalyError as error:
    ...     print(str(error).split(" at ")[0])
    backward: sqrt
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        self._tokens: list[Token[bool]] = []

    def __enter__(self) -> Self:
        self._tokens.append(_checking.set(self._check_nan))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _checking.reset(self._tokens.pop())


class set_detect_anomaly(detect_anomaly):  # noqa: N801 - PyTorch's name
    """Switch `detect_anomaly` on or off, at once or for the extent of a ``with`` statement."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__(mode and check_nan)
        self._tokens.append(_checking.set(mode and check_nan))

    def __enter__(self) -> Self:
        return self


def is_anomaly_enabled() -> bool:
    """Tell whether gradients are looked at."""
    return _checking.get()


def watcher(handle: type[Any]) -> Watch | None:
    """Return what looks at gradients, None when nothing does."""
    if not _checking.get():
        return None

    def watch(node: Node, g: Node, parts: Sequence[Node | None]) -> None:
        wrong = [place for place, part in enumerate(parts) if part is not None and nan_in(part)]
        if wrong and not nan_in(g):
            at = f" at {node.line[0]}:{node.line[1]}" if node.line else ""
            raise AnomalyError(
                describe(
                    "backward",
                    f"{node.op.name}{at} returned NaN in the gradient of its operand {wrong[0]}",
                )
            )

    def nan_in(node: Node) -> bool:
        isnan: Any = registry["isnan"]
        axes = tuple(range(len(node.shape)))
        found = handle.from_node(build.reduce(reduction.ANY, isnan(node), axes))
        return bool(found.numpy(force=True).any())

    return watch
