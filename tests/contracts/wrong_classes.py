"""Calls of layers, optimizers and schedules, made from the names of their parameters."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pumice
from pumice import nn, optim
from pumice.testing.public import package_members
from tests.contracts.wrong_calls import Call

ABSTRACT = ("Module", "Optimizer", "Parameter", "RNNBase", "RNNCellBase", "LRScheduler")

GIVEN: dict[str, Any] = {
    "T_0": 3,
    "T_max": 3,
    "base_lr": 0.1,
    "decoder_layer": nn.TransformerDecoderLayer(4, 2),
    "dim": 1,
    "encoder_layer": nn.TransformerEncoderLayer(4, 2),
    "gamma": 0.5,
    "groups": 2,
    "kernel_size": 2,
    "lr_lambda": lambda epoch: 1.0,
    "max_lr": 0.2,
    "milestones": [2],
    "nhead": 2,
    "norm_type": 2.0,
    "num_groups": 2,
    "num_heads": 2,
    "num_layers": 1,
    "output_size": 2,
    "padding": 1,
    "params": [pumice.ones(2, requires_grad=True)],
    "schedulers": [],
    "size": 2,
    "step_size": 2,
    "total_steps": 5,
    "threshold": 0.5,
    "unflattened_size": (2, 2),
    "value": 0.5,
}
"""What a constructor is given for a parameter it needs; 4 for all others."""

SHAPES = ((2, 4), (2, 4, 4), (2, 4, 4, 4), (2, 4, 4, 4, 4))


def constructor_calls() -> Iterator[Call]:
    """Yield a call of each class."""
    for package, path in ((nn, "nn"), (optim, "optim"), (optim.lr_scheduler, "lr_scheduler")):
        for name, kind in package_members(package).items():
            if not inspect.isclass(kind) or name in ABSTRACT or name == "ChainedScheduler":
                continue
            needed = {
                each.name: GIVEN.get(each.name, 4)
                for each in inspect.signature(kind).parameters.values()
                if each.default is each.empty
                and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
            }
            if "optimizer" in needed:
                needed["optimizer"] = optim.SGD([pumice.ones(2, requires_grad=True)], 0.1)
            if name == "SequentialLR":
                steps = [optim.lr_scheduler.ConstantLR(needed["optimizer"]) for _ in range(2)]
                needed["schedulers"] = steps
            if name == "OneCycleLR":
                needed["total_steps"] = 5
            yield Call(f"{path}.{name}", kind, (), needed)


def layer_calls() -> Iterator[Call]:
    """Yield a call of each layer that takes tensors of equal shapes."""
    for made in constructor_calls():
        kind: Any = made.function
        if not issubclass(kind, nn.Module) or kind.forward is nn.Module.forward:
            continue
        layer = made.function(**made.keywords)
        needed = [
            each.name
            for each in inspect.signature(layer.forward).parameters.values()
            if each.default is each.empty
            and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        ]
        for shape in SHAPES:
            given = dict.fromkeys(needed, pumice.ones(shape))
            try:
                layer(**given)
            except pumice.PumiceError:
                continue
            yield Call(f"a {made.name}", _called(layer), (), given)
            break


def _called(layer: Any) -> Callable[..., Any]:
    """Return a function that calls a layer and has the signature of its forward."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        return layer(*arguments, **keywords)

    call.__dict__["__signature__"] = inspect.signature(layer.forward)
    return call
