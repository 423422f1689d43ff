"""A lazy tensor library and compiler with PyTorch's names.

Stage: above all others.
Takes: nothing.
Gives: the public names.
"""

import importlib
import math
import typing

import pumice.ops.entries  # noqa: F401 - fills the registry of operators
from pumice import linalg as linalg
from pumice.autograd import (
    GraphReleasedError,
    enable_grad,
    grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from pumice.dtypes import (
    DType,
    bfloat16,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    uint8,
    uint16,
    uint32,
    uint64,
)
from pumice.dtypes import bool_ as bool
from pumice.dtypes import float16 as half
from pumice.dtypes import float32 as float
from pumice.dtypes import float64 as double
from pumice.dtypes import int16 as short
from pumice.dtypes import int32 as int
from pumice.dtypes import int64 as long
from pumice.engine.devices import parse_device as device
from pumice.errors import (
    DeviceError,
    DTypeError,
    IndexOutOfRange,
    IntegerDivisionByZero,
    InternalError,
    InvalidArgument,
    LinAlgError,
    OutOfMemory,
    PumiceError,
    ShapeError,
    UnsupportedOperation,
)
from pumice.interop import load, save
from pumice.target import Device
from pumice.tensor import _public
from pumice.tensor._public import *  # noqa: F403
from pumice.tensor.generator import Generator
from pumice.tensor.jit import jit
from pumice.tensor.tensor import Tensor

__version__ = "0.1.0"

inf = math.inf
nan = math.nan
pi = math.pi
e = math.e
newaxis = None
dtype = DType

_SUBMODULES = frozenset(
    ("autograd", "data", "func", "interop", "nn", "optim", "testing", "utils", "vulkan")
)
_ELSEWHERE = {"load": "pumice.interop", "save": "pumice.interop"}

_HINTS = {
    "amp": "nothing is cast by itself: convert with .to(); 16-bit floats sum in float32",
    "autocast": "nothing is cast by itself: convert with .to(); 16-bit floats sum in float32",
    "backends": "pumice.vulkan and the environment variables of the guide choose what is used",
    "checkpoint": "it is pumice.utils.checkpoint",
    "compile": "pumice.jit captures a function",
    "complex64": "there are no complex numbers",
    "complex128": "there are no complex numbers",
    "cuda": "every GPU is a Vulkan device: device='vulkan'; pumice.vulkan has the functions",
    "fft": "there are no complex numbers, so no Fourier transforms",
    "functional": "the functions are pumice's own; those of layers are in pumice.nn.functional",
    "get_num_threads": "the environment variable PUMICE_THREADS sets the number",
    "grad_and_value": "it is pumice.func.value_and_grad",
    "hub": "there is none: load weights with pumice.load",
    "set_num_threads": "set the environment variable PUMICE_THREADS before the first import",
    "sparse": "tensors are dense; index_add and scatter_reduce work by positions",
    "use_deterministic_algorithms": "every result is the same in every run",
    "vmap": "it is pumice.func.vmap",
}
"""Names that users of PyTorch look for, and what to use instead."""


def __getattr__(name: str) -> typing.Any:
    """Import a part of the package when it is first named; `import pumice` stays fast."""
    if name in _SUBMODULES:
        return importlib.import_module(f"pumice.{name}")
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(_ELSEWHERE[name]), name)
    hint = f"; {_HINTS[name]}" if name in _HINTS else ""
    raise AttributeError(f"module 'pumice' has no attribute {name!r}{hint}")


__all__ = [
    "DType",
    "DTypeError",
    "Device",
    "DeviceError",
    "Generator",
    "GraphReleasedError",
    "IndexOutOfRange",
    "IntegerDivisionByZero",
    "InternalError",
    "InvalidArgument",
    "LinAlgError",
    "OutOfMemory",
    "PumiceError",
    "ShapeError",
    "Tensor",
    "UnsupportedOperation",
    "bfloat16",
    "bool",
    "device",
    "double",
    "dtype",
    "e",
    "enable_grad",
    "float",
    "float16",
    "float32",
    "float64",
    "grad",
    "half",
    "inf",
    "inference_mode",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "jit",
    "load",
    "long",
    "nan",
    "newaxis",
    "no_grad",
    "pi",
    "promote_types",
    "save",
    "set_grad_enabled",
    "short",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
__all__ += _public.__all__
