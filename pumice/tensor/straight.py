"""Replays of functions of whole tensors that give new tensors, written out as Python code.

Such a call costs less than looping over its arguments does, so what `quick.Quick` does in loops is
written argument by argument and result by result: the text below, repeated for each, is compiled
once per capture.
"""

from collections.abc import Callable, Sequence
from typing import Any

from pumice.dtypes import DType, defaults
from pumice.engine import profile
from pumice.engine.execute import attend, enter
from pumice.engine.faults import LineOf
from pumice.engine.plan import Plan
from pumice.engine.statistics import statistics
from pumice.graph import recording
from pumice.graph.node import Storage, filled_node, gradient_mode
from pumice.ops import structure
from pumice.ops.view import Shape
from pumice.target import default_device
from pumice.tensor.core import TensorBase, wrap_filled
from pumice.tensor.replaced import replaced
from pumice.tensor.structure import Constant, Leaf

_HEADING = """\
def call(arguments):
    if (
        len(arguments) != {count}
        or recorder() is not None
        or observer() is not None
        or gradients() is not mode
        or replaced.count != when
        or defaults.float is not float_dtype
        or default_device() is not home
    ):
        return NotImplemented
    ({names}) = arguments
"""

_ARGUMENT = """\
    if (
        type({tensor}) is not kind
        or {tensor}._view is not None
        or {tensor}._requires
        or {tensor}._detached
        or {tensor}._through is not None
    ):
        return NotImplemented
    node = {tensor}._cell.node
    value{place} = node.value
    if (
        value{place} is None
        or node.dtype is not dtype{place}
        or node.shape != shape{place}
        or value{place}.device is not device
        or node.requires_grad
    ):
        return NotImplemented
"""

_END = """\
    {different}
    {allocations}
    statistics.runs += 1
    statistics.launches += launches
    statistics.last_launches = launches
{run}"""

_MEMORY = "memory{place} = allocate({nbytes})"

_RUN = """\
    code = run({addresses})
    if code:
        attend(plan, code)
"""

_SHARED_RUN = """\
    enter(plan, ({addresses},), line_of)
"""

_RESULT = """\
    made{number} = wrap(
        fill(buffer, Storage(memory{place}, 0, device), result_dtype{number}, result_shape{number})
    )
"""


def _modes() -> dict[str, Any]:
    """Return what the call looks at before its arguments, and the values it expects there."""
    return {
        "recorder": recording.active.get,
        "observer": profile.active.get,
        "gradients": gradient_mode.get,
        "mode": gradient_mode.get(),
        "replaced": replaced,
        "defaults": defaults,
        "float_dtype": defaults.float,
        "default_device": default_device,
        "home": default_device(),
    }


def straight_call(
    plan: Plan,
    run: Callable[..., int],
    inputs: Sequence[int],
    bits: Sequence[int],
    kinds: Sequence[tuple[Shape, DType]],
    outputs: Any,
    when: int,
    line_of: LineOf | None,
) -> Callable[[tuple[Any, ...]], Any]:
    """Return what replays a plan on a tuple of arguments, NotImplemented for other ones.

    ``inputs`` tells which argument each input of the plan is, ``bits`` are its numbers, ``kinds``
    the shape and dtype of each argument, ``outputs`` is the structure of what is returned, ``when``
    what `replaced.replaced` was at the capture, ``line_of`` tells the lines of data errors.
    """
    names = [f"tensor{place}" for place in range(len(kinds))]
    scope = _scope(plan) | {"when": when, "run": run, "line_of": line_of}
    text = _HEADING.format(count=len(kinds), names="".join([f"{name}, " for name in names]))
    for place, (shape, dtype) in enumerate(kinds):
        scope[f"shape{place}"], scope[f"dtype{place}"] = shape, dtype
        text += _ARGUMENT.format(tensor=names[place], place=place)
    pairs = [
        f"{first}._cell is {second}._cell"
        for place, first in enumerate(names)
        for second in names[:place]
    ]
    memory = [*plan.outputs, plan.arena] if plan.arena else plan.outputs
    addresses = [f"value{place}.address" for place in inputs]
    addresses += [f"memory{place}.address" for place in range(len(memory))]
    addresses += [str(each) for each in bits]
    # Threads share the fault records of a plan, so they take turns there.
    running = _RUN if plan.fault_lock is None else _SHARED_RUN
    text += _END.format(
        different=f"if {' or '.join(pairs)}: return NotImplemented" if pairs else "",
        allocations="; ".join(
            [_MEMORY.format(place=place, nbytes=nbytes) for place, nbytes in enumerate(memory)]
        ),
        run=running.format(addresses=", ".join(addresses)),
    )
    results = zip(plan.results, plan.result_types, strict=True)
    for number, (place, (dtype, shape)) in enumerate(results):
        scope[f"result_dtype{number}"], scope[f"result_shape{number}"] = dtype, shape
        text += _RESULT.format(number=number, place=place)
    text += f"    return {_put_together(outputs, scope)}\n"
    exec(compile(text, "<replay>", "exec"), scope)
    found: Callable[[tuple[Any, ...]], Any] = scope["call"]
    return found


def _scope(plan: Plan) -> dict[str, Any]:
    """Return the names that the text of every replay of a plan uses."""
    return _modes() | {
        "kind": TensorBase.concrete,
        "device": plan.device,
        "allocate": plan.runtime.allocate,
        "statistics": statistics,
        "launches": len(plan.launches),
        "attend": attend,
        "enter": enter,
        "plan": plan,
        "wrap": wrap_filled,
        "fill": filled_node,
        "buffer": structure.BUFFER,
        "Storage": Storage,
    }


def _put_together(outputs: Any, scope: dict[str, Any]) -> str:
    """Return the text that makes of results what `structure.unflatten` does."""

    def kept(value: Any) -> str:
        name = f"kept{len(scope)}"
        scope[name] = value
        return name

    if isinstance(outputs, Leaf):
        return f"made{outputs.number}"
    if isinstance(outputs, Constant):
        return kept(outputs.value)
    if isinstance(outputs, tuple) and len(outputs) == 2 and isinstance(outputs[0], type):
        kind, parts = outputs
        if kind is dict:
            pairs = [f"{kept(key)}: {_put_together(each, scope)}" for key, each in parts]
            return f"{{{', '.join(pairs)}}}"
        values = "".join([f"{_put_together(each, scope)}, " for each in parts])
        if kind is tuple or hasattr(kind, "_fields"):
            return f"({values})" if kind is tuple else f"{kept(kind)}({values})"
        return f"[{values}]" if kind is list else f"{kept(kind)}([{values}])"
    return kept(outputs)
