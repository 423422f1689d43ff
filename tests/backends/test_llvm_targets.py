"""Code for other systems: it cannot run here, but it must assemble; and what artifacts promise."""

import pytest

from pumice import dtypes
from pumice.backends.llvm.assembler import assemble
from pumice.backends.llvm.backend import LlvmBackend
from pumice.backends.llvm.machine import machine_of
from pumice.errors import InternalError
from pumice.kernel.ir import (
    Carry,
    FaultCode,
    Fold,
    Kernel,
    Store,
    Variable,
    constant,
    index,
    load,
)
from pumice.runtime.cpu.host import host_target
from pumice.runtime.cpu.pool_code import pool_text
from pumice.target import DeviceKind, Target
from tests.backends.llvm_support import AVX2, BASELINE, HOST, at, buffer, kernel, lanes, size
from tests.backends.test_llvm_multiply import in_place
from tests.backends.test_llvm_transpose import turned

F32 = dtypes.float32
FOREIGN = {
    "aarch64-unknown-linux-gnu": "neoverse-n1",
    "arm64-apple-macosx": "apple-m1",
    "x86_64-pc-windows-msvc": "x86-64-v3",
}


def foreign(triple: str) -> Target:
    identity = f"22.1.0|{triple}|{FOREIGN[triple]}|"
    tiles = host_target("", "generic").tiles
    return Target(DeviceKind.CPU, identity, 32, 4096, False, tiles)


def samples() -> list[Kernel]:
    """Return kernels that use most of the generator."""
    a, half, out = buffer("a", F32), buffer("h", dtypes.float16), buffer("o", F32, True)
    fault, n, i = buffer("fault", dtypes.int64, True), size("n"), Variable("i")
    total = Carry("t", F32, constant(0, F32))
    fold = Fold((total,), (total.now + load(a, at(i) * 3),), lambda x, y: (x[0] + y[0],))
    value = load(half, at(i)).cast(F32).multiply_add(load(a, at(i), at(i) < 9), 1.0).floor()
    checked = value.fail_if(value < 0, FaultCode.INDEX_OUT_OF_RANGE.value)
    whole = checked.cast(dtypes.int64).quotient(7).cast(dtypes.uint8).cast(F32)
    mapped = kernel(
        [a, half, out, n, fault], [], lanes(i, at(n), Store(out, at(i), whole)), faults=True
    )
    summed = kernel(
        [a, out, n], [], lanes(i, at(n), folds=[fold]), Store(out, index(0), total.result)
    )
    products = [in_place(F32, F32, 8, 12), in_place(dtypes.bfloat16, F32, 4, 8)]
    return [mapped, summed, *products, turned(F32, F32, 12, 12, masked=True)]


@pytest.mark.parametrize("triple", FOREIGN)
def test_other_systems_assemble(triple):
    artifacts = LlvmBackend().compile(samples(), foreign(triple))
    assert all(len(artifact.code) > 200 for artifact in artifacts)
    assert len(assemble(pool_text(triple), foreign(triple))) > 200


def test_machine_facts():
    assert machine_of(AVX2.identity).vector_bits == 256
    assert machine_of(AVX2.identity).gather and not machine_of(AVX2.identity).scatter
    assert machine_of(BASELINE.identity).vector_bits == 128
    assert not machine_of(BASELINE.identity).fused
    arm = machine_of(foreign("aarch64-unknown-linux-gnu").identity)
    assert (arm.vector_bits, arm.fused, arm.wide_masks, arm.is_x86) == (128, True, False, False)


def test_artifacts_are_reproducible_and_named_by_what_they_depend_on():
    kernels = samples()
    first, second = LlvmBackend().compile(kernels, HOST), LlvmBackend().compile(samples(), HOST)
    assert [a.code for a in first] == [a.code for a in second]
    assert [a.key for a in first] == [a.key for a in second]
    assert len({a.key for a in first}) == len(kernels)
    assert [a.words for a in first] == [len(k.parameters) for k in kernels]
    other = LlvmBackend().compile(kernels[:1], AVX2)
    assert other[0].key != first[0].key
    assert LlvmBackend().compile([], HOST) == []


def test_many_kernels_compile_side_by_side():
    out, i = buffer("o", F32, True), Variable("i")
    kernels = [
        kernel([out], [], lanes(i, index(64), Store(out, at(i), constant(number, F32))))
        for number in range(30)
    ]
    together = LlvmBackend().compile(kernels, HOST)
    alone = [LlvmBackend().compile([k], HOST)[0] for k in kernels]
    assert [a.code for a in together] == [a.code for a in alone]


def test_invalid_code_is_our_bug():
    with pytest.raises(InternalError, match="generated code is not valid"):
        assemble("define void @f() { ret i32 0 }", HOST)
