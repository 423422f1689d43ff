"""What a call costs beside its arithmetic: recording, replaying, importing, compiling."""

from functools import partial
from typing import Any

from benchmarks.row import Arrays, FirstCall, Forward, Import, Row, Shapes, Source

Overheads = partial(Row, group="overheads")


def ten(s: Source) -> Arrays:
    return {"x": s.normal(10), "y": s.normal(10)}


def add(t: Any, x: Any, y: Any) -> Any:
    return x + y


def gelu_sum(t: Any, x: Any, y: Any) -> Any:
    return t.nn.functional.gelu(x + y, approximate="tanh").sum(-1)


COMPILED = {
    "mlp_train": "MLP step",
    "cnn_train": "CNN step",
    "gpt2_decode": "GPT-2 word",
    "gpt2_train": "GPT-2 step",
}


def first_calls(warm: bool) -> tuple[Row, ...]:
    """Return the rows of first calls, with compiled code on disk or without."""
    state = "warm" if warm else "cold"
    return tuple(
        Overheads(
            name=f"first_{of}_{state}",
            title=f"first {title}, {'filled' if warm else 'empty'} disk cache",
            task=FirstCall(of, warm),
        )
        for of, title in COMPILED.items()
    )


ROWS = (
    Overheads(
        name="small_add",
        title="add of ten elements, captured",
        inputs=ten,
        function=add,
    ),
    Overheads(
        name="record",
        title="add of ten elements, recorded only",
        inputs=ten,
        function=add,
        task=Forward(captured=False, evaluated=False),
    ),
    Overheads(
        name="record_evaluate",
        title="add of ten elements, recorded and evaluated",
        inputs=ten,
        function=add,
        task=Forward(captured=False),
    ),
    Overheads(
        name="shapes_1000",
        title="1000 shapes through gelu(x + y).sum(-1), compilation included",
        inputs=lambda s: {"x": s.normal(60, 60), "y": s.normal(60, 60)},
        function=gelu_sum,
        task=Shapes(1000),
    ),
    Overheads(name="import", title="import", task=Import()),
    *first_calls(warm=False),
    *first_calls(warm=True),
)
