"""The worker pool's native code, as LLVM IR.

State, in 64-bit words, one cache line per group:

====  ===========================================================================
0     job number, odd while the job is open; -1 stops the workers
8     workers inside a job
16    function, words, items, chunk of the job
24    next item
32    workers asleep
36    workers there are
40    1 while a program shares its work; others then run alone
====  ===========================================================================

A worker enters a job by counting itself in and reading the job number again; the launcher leaves by
making the number even and waiting until nobody is inside. So a worker the system has not scheduled
holds nobody up, and a job's words are never read after it has ended.

A program is a table of rows ``function, first word, items, chunk``; a row whose chunk holds all
items runs on the caller.
"""

import sys

from pumice.runtime.cpu.entry_code import ENTRY

ROW = 4
STATE_WORDS = 48
WORKERS = 36
SPINS = 4000

_LINUX_FUTEX = {"x86_64": 202, "aarch64": 98}
_X86_PAUSE = ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()")
_ARM_PAUSE = ("declare void @llvm.aarch64.isb(i32)", "call void @llvm.aarch64.isb(i32 15)")
_PAUSES = {
    "x86_64": _X86_PAUSE,
    "i686": _X86_PAUSE,
    "aarch64": _ARM_PAUSE,
    "arm64": _ARM_PAUSE,
}

_BODY = """
define internal void @share(ptr %s) {{
entry:
  %fnp = getelementptr i64, ptr %s, i64 16
  %wordsp = getelementptr i64, ptr %s, i64 17
  %itemsp = getelementptr i64, ptr %s, i64 18
  %chunkp = getelementptr i64, ptr %s, i64 19
  %nextp = getelementptr i64, ptr %s, i64 24
  %fn = load ptr, ptr %fnp
  %words = load ptr, ptr %wordsp
  %items = load i64, ptr %itemsp
  %chunk = load i64, ptr %chunkp
  br label %take
take:
  %first = atomicrmw add ptr %nextp, i64 %chunk seq_cst
  %more = icmp slt i64 %first, %items
  br i1 %more, label %run, label %exit
run:
  %last = add i64 %first, %chunk
  %over = icmp sgt i64 %last, %items
  %end = select i1 %over, i64 %items, i64 %last
  call void %fn(ptr %words, i64 %first, i64 %end)
  br label %take
exit:
  ret void
}}

define void @worker(ptr %s) {{
entry:
  %activep = getelementptr i64, ptr %s, i64 8
  %sleepersp = getelementptr i64, ptr %s, i64 32
  br label %wait
wait:
  %last = phi i64 [0, %entry], [%job, %leave]
  br label %look
look:
  %spins = phi i64 [0, %wait], [%spun, %pause], [0, %awake]
  %job = load atomic i64, ptr %s seq_cst, align 8
  %stop = icmp eq i64 %job, -1
  br i1 %stop, label %exit, label %check
check:
  %bit = and i64 %job, 1
  %open = icmp ne i64 %bit, 0
  %new = icmp ne i64 %job, %last
  %enter = and i1 %open, %new
  br i1 %enter, label %join, label %idle
idle:
  %tired = icmp sgt i64 %spins, {spins}
  br i1 %tired, label %sleep, label %pause
pause:
  {pause}
  %spun = add i64 %spins, 1
  br label %look
sleep:
  %s0 = atomicrmw add ptr %sleepersp, i64 1 seq_cst
  call void @doze(ptr %s, i64 %job)
  %s1 = atomicrmw sub ptr %sleepersp, i64 1 seq_cst
  br label %awake
awake:
  br label %look
join:
  %a0 = atomicrmw add ptr %activep, i64 1 seq_cst
  %again = load atomic i64, ptr %s seq_cst, align 8
  %same = icmp eq i64 %again, %job
  br i1 %same, label %run, label %leave
run:
  call void @share(ptr %s)
  br label %leave
leave:
  %a1 = atomicrmw sub ptr %activep, i64 1 seq_cst
  br label %wait
exit:
  ret void
}}

define internal void @together(ptr %s, ptr %fn, ptr %words, i64 %items, i64 %chunk) {{
entry:
  %activep = getelementptr i64, ptr %s, i64 8
  %fnp = getelementptr i64, ptr %s, i64 16
  %wordsp = getelementptr i64, ptr %s, i64 17
  %itemsp = getelementptr i64, ptr %s, i64 18
  %chunkp = getelementptr i64, ptr %s, i64 19
  %nextp = getelementptr i64, ptr %s, i64 24
  %sleepersp = getelementptr i64, ptr %s, i64 32
  store ptr %fn, ptr %fnp
  store ptr %words, ptr %wordsp
  store i64 %items, ptr %itemsp
  store i64 %chunk, ptr %chunkp
  store atomic i64 0, ptr %nextp seq_cst, align 8
  %old = atomicrmw add ptr %s, i64 1 seq_cst
  %sleepers = load atomic i64, ptr %sleepersp seq_cst, align 8
  %any = icmp ne i64 %sleepers, 0
  br i1 %any, label %wake, label %work
wake:
  call void @rouse(ptr %s)
  br label %work
work:
  call void @share(ptr %s)
  %closed = atomicrmw add ptr %s, i64 1 seq_cst
  br label %wait
wait:
  %spins = phi i64 [0, %work], [%spun, %next]
  %inside = load atomic i64, ptr %activep seq_cst, align 8
  %nobody = icmp eq i64 %inside, 0
  br i1 %nobody, label %exit, label %pause
pause:
  {pause}
  %spun = add i64 %spins, 1
  %low = and i64 %spun, 4095
  %long = icmp eq i64 %low, 0
  br i1 %long, label %yield, label %next
yield:
  call void @give_way()
  br label %next
next:
  br label %wait
exit:
  ret void
}}

define internal void @rows(ptr %s, ptr %table, i64 %count, ptr %words, i64 %workers) {{
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%n, %next]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %row, label %exit
row:
  %at = mul i64 %i, {row}
  %r0 = getelementptr i64, ptr %table, i64 %at
  %r1 = getelementptr i64, ptr %r0, i64 1
  %r2 = getelementptr i64, ptr %r0, i64 2
  %r3 = getelementptr i64, ptr %r0, i64 3
  %fn = load ptr, ptr %r0
  %first = load i64, ptr %r1
  %items = load i64, ptr %r2
  %chunk = load i64, ptr %r3
  %own = getelementptr i64, ptr %words, i64 %first
  %small = icmp sge i64 %chunk, %items
  %single = icmp eq i64 %workers, 0
  %alone = or i1 %small, %single
  br i1 %alone, label %here, label %shared
here:
  call void %fn(ptr %own, i64 0, i64 %items)
  br label %next
shared:
  call void @together(ptr %s, ptr %fn, ptr %own, i64 %items, i64 %chunk)
  br label %next
next:
  %n = add i64 %i, 1
  br label %head
exit:
  ret void
}}

define void @run(ptr %s, ptr %table, i64 %count, ptr %words, i64 %share) {{
entry:
  %workersp = getelementptr i64, ptr %s, i64 36
  %busyp = getelementptr i64, ptr %s, i64 40
  %sharing = icmp ne i64 %share, 0
  br i1 %sharing, label %ask, label %alone
ask:
  %asked = cmpxchg ptr %busyp, i64 0, i64 1 seq_cst seq_cst
  %free = extractvalue {{i64, i1}} %asked, 1
  br i1 %free, label %together, label %alone
together:
  %workers = load i64, ptr %workersp
  call void @rows(ptr %s, ptr %table, i64 %count, ptr %words, i64 %workers)
  store atomic i64 0, ptr %busyp seq_cst, align 8
  ret void
alone:
  call void @rows(ptr %s, ptr %table, i64 %count, ptr %words, i64 0)
  ret void
}}

define void @stop(ptr %s) {{
  store atomic i64 -1, ptr %s seq_cst, align 8
  call void @rouse(ptr %s)
  ret void
}}
"""

_FUTEX = """
declare i64 @syscall(i64, ...)
declare i32 @sched_yield()
define internal void @doze(ptr %s, i64 %job) {{
  %low = trunc i64 %job to i32
  %r = call i64 (i64, ...) @syscall(i64 {futex}, ptr %s, i32 128, i32 %low, ptr null)
  ret void
}}
define internal void @rouse(ptr %s) {{
  %r = call i64 (i64, ...) @syscall(i64 {futex}, ptr %s, i32 129, i32 2147483647)
  ret void
}}
define internal void @give_way() {{
  %r = call i32 @sched_yield()
  ret void
}}
"""

_NAP = """
declare void @pumice_nap(i32)
define internal void @doze(ptr %s, i64 %job) {{
  call void @pumice_nap(i32 {nap})
  ret void
}}
define internal void @rouse(ptr %s) {{
  ret void
}}
define internal void @give_way() {{
  call void @pumice_nap(i32 0)
  ret void
}}
"""


def uses_futex(triple: str) -> bool:
    """Return whether waiting threads sleep in the kernel until woken."""
    return sys.platform == "linux" and triple.split("-")[0] in _LINUX_FUTEX


def pool_text(triple: str, portable: bool = False) -> str:
    """Return the pool's module; `portable` naps instead of using futexes."""
    family = triple.split("-")[0]
    declaration, pause = _PAUSES.get(family, ("", ""))
    if uses_futex(triple) and not portable:
        waiting = _FUTEX.format(futex=_LINUX_FUTEX[family])
    else:
        waiting = _NAP.format(nap=1 if sys.platform == "win32" else 200)
    body = _BODY.format(pause=pause, spins=SPINS, row=ROW)
    return f'target triple = "{triple}"\n{declaration}\n{waiting}{body}{ENTRY}'
