"""Peak of fused multiply-adds: chains of them in registers, enough to hide their latency."""

import ctypes
from functools import partial

from benchmarks.limits.native import Native, fastest, vector_bytes

CHAINS = 12
"""Independent chains: latency (4 or 5 cycles) times two units, and some to spare."""
STEPS = 1 << 20
BYTES = {"float": 4, "double": 8}


def fma_text(element: str, width: int) -> str:
    """Return a function that makes ``steps`` multiply-adds in each chain and returns a sum."""
    lanes = width // BYTES[element]
    vector = f"<{lanes} x {element}>"
    suffix = f"v{lanes}f{8 * BYTES[element]}"
    lines = [
        f"declare {vector} @llvm.fma.{suffix}({vector}, {vector}, {vector})",
        f"define {element} @chains(i64 %steps, {element} %factor) {{",
        "entry:",
        f"%one = insertelement {vector} poison, {element} %factor, i64 0",
        f"%m = shufflevector {vector} %one, {vector} poison, <{lanes} x i32> zeroinitializer",
        "br label %loop",
        "loop:",
        "%step = phi i64 [0, %entry], [%next, %loop]",
    ]
    lines += [
        f"%a{chain} = phi {vector} [%m, %entry], [%b{chain}, %loop]" for chain in range(CHAINS)
    ]
    lines += [
        f"%b{chain} = call {vector} @llvm.fma.{suffix}({vector} %a{chain}, {vector} %m, "
        f"{vector} %m)"
        for chain in range(CHAINS)
    ]
    lines += [
        "%next = add i64 %step, 1",
        "%more = icmp ult i64 %next, %steps",
        "br i1 %more, label %loop, label %done",
        "done:",
        f"%s0 = fadd {vector} %b0, zeroinitializer",
    ]
    lines += [f"%s{chain} = fadd {vector} %s{chain - 1}, %b{chain}" for chain in range(1, CHAINS)]
    lines += [
        f"%result = extractelement {vector} %s{CHAINS - 1}, i64 0",
        f"ret {element} %result",
        "}",
    ]
    return "\n".join(lines)


def fma_peak(element: str, threads: int, seconds: float, steps: int = STEPS) -> float:
    """Return operations per second, two for each multiply-add, of ``float`` or ``double``."""
    width = vector_bytes()
    native = Native(fma_text(element, width))
    number = ctypes.c_float if element == "float" else ctypes.c_double
    chains = native.function("chains", number, ctypes.c_int64, number)
    work = [partial(chains, steps, 0.5)] * threads
    operations = 2.0 * threads * steps * CHAINS * (width // BYTES[element])
    return operations / fastest([work], seconds)
