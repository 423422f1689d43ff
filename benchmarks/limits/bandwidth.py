"""Bandwidth of a streaming copy: each thread copies its part past the cache.

It goes along four pages at a time, a line of each in turn: what a CPU asks for ahead ends with a
page, so that one page after the other is copied at 70 to 80 % of that.
"""

import ctypes
from functools import partial

import numpy as np

from benchmarks.limits.native import Native, fastest, vector_bytes
from benchmarks.row import Array

ALIGNMENT = 4096
PAGE = 4096
UNROLL = 4
"""Pages at a time."""


def copy_text(width: int) -> str:
    """Return a function that copies ``size`` bytes, a multiple of some pages."""
    vector = f"<{width // 4} x i32>"
    lines = [
        "define void @copy(ptr noalias %to, ptr noalias %from, i64 %size) {",
        "entry:",
        "br label %pages",
        "pages:",
        "%first = phi i64 [0, %entry], [%following, %further]",
        "br label %loop",
        "loop:",
        "%inside = phi i64 [0, %pages], [%next, %loop]",
        "%at = add i64 %first, %inside",
    ]
    for part in range(UNROLL):
        lines += [
            f"%offset{part} = add i64 %at, {part * PAGE}",
            f"%source{part} = getelementptr i8, ptr %from, i64 %offset{part}",
            f"%value{part} = load {vector}, ptr %source{part}, align {width}",
        ]
    for part in range(UNROLL):
        lines += [
            f"%target{part} = getelementptr i8, ptr %to, i64 %offset{part}",
            f"store {vector} %value{part}, ptr %target{part}, align {width}, !nontemporal !0",
        ]
    lines += [
        f"%next = add i64 %inside, {width}",
        f"%more = icmp ult i64 %next, {PAGE}",
        "br i1 %more, label %loop, label %further",
        "further:",
        f"%following = add i64 %first, {UNROLL * PAGE}",
        "%left = icmp ult i64 %following, %size",
        "br i1 %left, label %pages, label %done",
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
        step = pieces * threads * UNROLL * PAGE
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
