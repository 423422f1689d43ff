"""Bandwidth of a streaming copy: each thread copies its part past the cache."""

import ctypes
from functools import partial

import numpy as np

from benchmarks.limits.native import Native, fastest, vector_bytes
from benchmarks.row import Array

ALIGNMENT = 64
UNROLL = 4


def copy_text(width: int) -> str:
    """Return a function that copies ``size`` bytes, a multiple of the unrolled step."""
    vector = f"<{width // 4} x i32>"
    lines = [
        "define void @copy(ptr noalias %to, ptr noalias %from, i64 %size) {",
        "entry:",
        "br label %loop",
        "loop:",
        "%at = phi i64 [0, %entry], [%next, %loop]",
    ]
    for part in range(UNROLL):
        lines += [
            f"%offset{part} = add i64 %at, {part * width}",
            f"%source{part} = getelementptr i8, ptr %from, i64 %offset{part}",
            f"%value{part} = load {vector}, ptr %source{part}, align {width}",
        ]
    for part in range(UNROLL):
        lines += [
            f"%target{part} = getelementptr i8, ptr %to, i64 %offset{part}",
            f"store {vector} %value{part}, ptr %target{part}, align {width}, !nontemporal !0",
        ]
    lines += [
        f"%next = add i64 %at, {UNROLL * width}",
        "%more = icmp ult i64 %next, %size",
        "br i1 %more, label %loop, label %done",
        "done:",
        "fence seq_cst",  # streamed stores are there before the function returns
        "ret void",
        "}",
        "!0 = !{i32 1}",
    ]
    return "\n".join(lines)


def aligned(size: int) -> Array:
    """Return ``size`` bytes that start at a multiple of the alignment, touched already."""
    room = np.zeros(size + ALIGNMENT, np.uint8)
    room[:] = 1  # each page is there before it is timed
    start = -room.ctypes.data % ALIGNMENT
    return room[start : start + size]


class Copier:
    """Copies a buffer piece by piece, each piece with several threads.

    A piece is short, so that some piece meets a quiet moment of the machine; the whole is far
    larger than a cache, so that no piece is still there when its turn comes again.
    """

    def __init__(self, size: int, pieces: int, threads: int) -> None:
        width = vector_bytes()
        step = pieces * threads * UNROLL * width
        self.size = max(size // step, 1) * step
        self.source, self.target = aligned(self.size), aligned(self.size)
        self.native = Native(copy_text(width))
        address = ctypes.c_void_p
        copy = self.native.function("copy", None, address, address, ctypes.c_int64)
        part = self.size // (pieces * threads)
        first, second = self.target.ctypes.data, self.source.ctypes.data
        parts = [
            partial(copy, first + part * index, second + part * index, part)
            for index in range(pieces * threads)
        ]
        self.pieces = [parts[index : index + threads] for index in range(0, len(parts), threads)]


def copy_bandwidth(size: int, threads: int, seconds: float, pieces: int = 8) -> float:
    """Return bytes read and written per second when copying ``size`` bytes."""
    copier = Copier(size, pieces, threads)
    return 2 * copier.size / pieces / fastest(copier.pieces, seconds)
