"""Replays of functions of whole tensors that give one new tensor, written out as Python code.

Such a call costs less than looping over its arguments does, so what `quick.Quick` does in loops is
written argument by argument: the text below, repeated for each, is compiled once per capture.
"""

from collections.abc import Callable, Sequence
from typing import Any

from pumice.dtypes import DType, defaults
from pumice.engine import profile
from pumice.engine.execute import attend
from pumice.engine.plan import Plan
from pumice.engine.statistics import statistics
from pumice.graph import recording
from pumice.graph.node import Storage, filled_node, gradient_mode
from pumice.ops import structure
from pumice.ops.view import Shape
from pumice.target import default_device
from pumice.tensor.core import TensorBase, replaced, wrap_filled

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
    output = allocate(nbytes)
    statistics.runs += 1
    statistics.launches += launches
    statistics.last_launches = launches
    {arena}
    code = run({addresses})
    if code:
        attend(plan, code)
    return wrap(fill(buffer, Storage(output, 0, device), dtype, shape))
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
    when: int,
) -> Callable[[tuple[Any, ...]], Any]:
    """Return what replays a plan on a tuple of arguments, NotImplemented for other ones.

    ``inputs`` tells which argument each input of the plan is, ``bits`` are its numbers, ``kinds``
    the shape and dtype of each argument, ``when`` what `core.replaced` was at the capture.
    """
    count = len(kinds)
    names = [f"tensor{place}" for place in range(count)]
    scope: dict[str, Any] = _modes() | {
        "when": when,
        "kind": TensorBase.concrete,
        "device": plan.device,
        "allocate": plan.runtime.allocate,
        "nbytes": plan.outputs[0],
        "statistics": statistics,
        "launches": len(plan.launches),
        "run": run,
        "attend": attend,
        "plan": plan,
        "wrap": wrap_filled,
        "fill": filled_node,
        "buffer": structure.BUFFER,
        "Storage": Storage,
        "dtype": plan.result_types[0][0],
        "shape": plan.result_types[0][1],
    }
    text = _HEADING.format(count=count, names="".join([f"{name}, " for name in names]))
    for place, (shape, dtype) in enumerate(kinds):
        scope[f"shape{place}"], scope[f"dtype{place}"] = shape, dtype
        text += _ARGUMENT.format(tensor=names[place], place=place)
    pairs = [
        f"{first}._cell is {second}._cell"
        for place, first in enumerate(names)
        for second in names[:place]
    ]
    different = f"if {' or '.join(pairs)}: return NotImplemented" if pairs else ""
    addresses = [f"value{place}.address" for place in inputs] + ["output.address"]
    arena = ""
    if plan.arena:
        arena = f"memory = allocate({plan.arena})"
        addresses.append("memory.address")
    addresses += [str(each) for each in bits]
    text += _END.format(different=different, arena=arena, addresses=", ".join(addresses))
    exec(compile(text, "<replay>", "exec"), scope)
    found: Callable[[tuple[Any, ...]], Any] = scope["call"]
    return found
