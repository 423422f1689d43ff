"""The text of kernels: canonical, complete, linear in size."""

import struct
import time
from collections.abc import Callable

import pytest

from pumice import dtypes
from pumice.errors import InternalError
from pumice.kernel.ir import (
    INDEX,
    Contract,
    Grid,
    Instruction,
    Kernel,
    Let,
    Loop,
    LoopKind,
    Parameter,
    Role,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.kernel.printer import constant_text, print_kernel
from pumice.target import MatrixShape, ProductTile


def store_of(value: Value) -> Kernel:
    out = Parameter("out", Role.BUFFER, value.dtype, writable=True)
    return Kernel((out,), Grid((), ()), (Store(out, index(0), value),))


def test_golden(
    name: str, build: Callable[[str], Kernel], golden: Callable[[str, str], None]
) -> None:
    golden(name, print_kernel(build(name)))


def test_equal_structure_gives_equal_text(name: str, build: Callable[[str], Kernel]) -> None:
    assert print_kernel(build(name)) == print_kernel(build(name))


def test_names_do_not_matter() -> None:
    def copy(buffer_name: str, variable_name: str) -> Kernel:
        source = Parameter(buffer_name, Role.BUFFER, dtypes.float32)
        target = Parameter("out", Role.BUFFER, dtypes.float32, writable=True)
        i = Variable(variable_name)
        at = Value(Instruction.VARIABLE, INDEX, (), i)
        body = (Store(target, at, load(source, at)),)
        return Kernel((source, target), Grid((i,), (index(4),)), body)

    assert print_kernel(copy("a", "i")) == print_kernel(copy("b", "j"))


def test_streamed_stores_differ_from_others() -> None:
    out = Parameter("out", Role.BUFFER, dtypes.float32, writable=True)
    value = constant(1.0, dtypes.float32)
    texts = [
        print_kernel(Kernel((out,), Grid((), ()), (Store(out, index(0), value, streamed=hint),)))
        for hint in (False, True)
    ]
    assert "  store p0[0] = 0x1.0000000000000p+0" in texts[0]
    assert texts[1] == texts[0].replace("store", "stream")


def test_constants_are_printed_by_their_bits() -> None:
    quiet, other = (
        struct.unpack("<d", struct.pack("<Q", bits))[0]
        for bits in (0x7FF8000000000000, 0x7FF8000000000001)
    )
    numbers = [0.0, -0.0, quiet, other, float("inf"), float("-inf"), 0.1, 0.1 + 2**-56]
    texts = {print_kernel(store_of(constant(number, dtypes.float64))) for number in numbers}
    assert len(texts) == len(numbers)
    assert constant_text(1) != constant_text(1.0) != constant_text(True)


@pytest.mark.parametrize("first", dtypes.ALL)
def test_conversions_name_both_types(first: dtypes.DType) -> None:
    texts = set()
    for second in dtypes.ALL:
        if second is first:
            continue
        source = Parameter("a", Role.SCALAR, second)
        value = Value(Instruction.PARAMETER, second, (), source).cast(first)
        out = Parameter("out", Role.BUFFER, first, writable=True)
        body = (Store(out, index(0), value),)
        texts.add(print_kernel(Kernel((source, out), Grid((), ()), body)).splitlines()[2])
    assert len(texts) == len(dtypes.ALL) - 1


def test_every_instruction_and_writability_shows() -> None:
    x = Value(Instruction.PARAMETER, dtypes.int32, (), Parameter("x", Role.SCALAR, dtypes.int32))
    twos = (Instruction.ADD, Instruction.SUB, Instruction.MUL, Instruction.QUOTIENT)
    texts = set()
    for instruction in twos:
        value = Value(instruction, dtypes.int32, (x, x))
        out = Parameter("out", Role.BUFFER, dtypes.int32, writable=True)
        parameters = (x.attribute, out)
        texts.add(print_kernel(Kernel(parameters, Grid((), ()), (Store(out, index(0), value),))))
    assert len(texts) == len(twos)
    readable = Kernel((Parameter("a", Role.BUFFER, dtypes.int8),), Grid((), ()), ())
    writable = Kernel((Parameter("a", Role.BUFFER, dtypes.int8, True),), Grid((), ()), ())
    assert print_kernel(readable) != print_kernel(writable)


def test_shared_values_are_printed_once() -> None:
    value = constant(1.5, dtypes.float64)
    source = Parameter("x", Role.SCALAR, dtypes.float64)
    value = Value(Instruction.PARAMETER, dtypes.float64, (), source)
    for _ in range(100):
        value = value + value
    out = Parameter("out", Role.BUFFER, dtypes.float64, writable=True)
    text = print_kernel(Kernel((source, out), Grid((), ()), (Store(out, index(0), value),)))
    assert text.count("add.f64") == 100


def test_a_value_is_printed_again_outside_the_scope_that_had_it() -> None:
    n = Parameter("n", Role.INDEX, INDEX)
    out = Parameter("out", Role.BUFFER, INDEX, writable=True)
    double = Value(Instruction.PARAMETER, INDEX, (), n) * 2
    loop = Loop(Variable("i"), index(0), index(3), LoopKind.SERIAL, (Let(double),))
    inside_first = Kernel((n, out), Grid((), ()), (loop, Let(double)))
    outside_first = Kernel((n, out), Grid((), ()), (Let(double), loop))
    assert print_kernel(inside_first).count("mul.index") == 2
    assert print_kernel(outside_first).count("mul.index") == 1


def test_deep_chains_are_fast() -> None:
    source = Parameter("x", Role.SCALAR, dtypes.float32)
    value = Value(Instruction.PARAMETER, dtypes.float32, (), source)
    for _ in range(20_000):
        value = value * 1.25
    out = Parameter("out", Role.BUFFER, dtypes.float32, writable=True)
    kernel = Kernel((source, out), Grid((), ()), (Store(out, index(0), value),))
    start = time.process_time()
    text = print_kernel(kernel)
    assert text.count("\n") == 20_003
    assert time.process_time() - start < 1.0


def test_a_variable_outside_its_loop_is_refused() -> None:
    stray = Value(Instruction.VARIABLE, INDEX, (), Variable("i"))
    with pytest.raises(InternalError, match="variable .* is used outside its scope"):
        print_kernel(store_of(stray))


def test_products_tell_their_matrices() -> None:
    shape = MatrixShape(16, 8, 16, "float16", "float32", 32)
    n, p = index(4), [Variable(name) for name in "brcp"]
    zero = constant(0.0, dtypes.float32)
    tile = ProductTile(32, 16, 2, 4, depth=32, matrix=shape)
    contract = Contract(zero, zero, n, n, n, n, *p, tile, ())
    text = print_kernel(Kernel((), Grid((), ()), (contract,)))
    assert "tile 32x16 group 2x4 matrix 16x8x16 float16 to float32 depth 32" in text
