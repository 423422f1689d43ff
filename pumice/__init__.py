"""A lazy tensor library and compiler with PyTorch's names.

Stage: above all others.
Takes: nothing.
Gives: the public names.
"""

import importlib
import math
from types import ModuleType

import pumice.ops.entries  # noqa: F401 - fills the registry of operators
from pumice.autograd import (
    GraphReleasedError,
    enable_grad,
    grad,
    is_grad_enabled,
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
from pumice.errors import (
    DeviceError,
    DTypeError,
    IndexOutOfRange,
    IntegerDivisionByZero,
    InternalError,
    InvalidArgument,
    OutOfMemory,
    PumiceError,
    ShapeError,
    UnsupportedOperation,
)
from pumice.interop import load, save
from pumice.target import Device
from pumice.tensor import linalg
from pumice.tensor._public import *  # noqa: F403
from pumice.tensor.jit import jit
from pumice.tensor.tensor import Tensor

__version__ = "0.1.0"

inf = math.inf
nan = math.nan
pi = math.pi
e = math.e
newaxis = None
dtype = DType
device = Device

_SUBMODULES = frozenset(
    ("autograd", "data", "interop", "nn", "optim", "random", "special", "testing")
)


def __getattr__(name: str) -> ModuleType:
    """Import a part of the package when it is first named; `import pumice` stays fast."""
    if name in _SUBMODULES:
        return importlib.import_module(f"pumice.{name}")
    raise AttributeError(f"module 'pumice' has no attribute {name!r}")
