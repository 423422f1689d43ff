"""The native code a program is entered through, as LLVM IR: a function Python calls directly.

It is a builtin function of the interpreter (``METH_FASTCALL``), bound to the address of a header,
and takes one integer per slot: an address, or the bits of a number. It copies the template of the
argument words, adds each slot where it is wanted and runs the rows of the program, so a whole
graph costs Python one call.

Header, in 64-bit words:

====  ===========================================================================
0     address of the program's table, and its rows
2     address of the template, and its words
4     address of the patches (word, slot), and their count
6     slots
7     address of the pool's state
8     mode: keep the interpreter's lock, release it, or also share the work
9     address of the fault records (two words each), and their count
====  ===========================================================================

The result is 0, or `runtime.base.FAULTS` when a fault record was set, plus `NO_WORKERS` when work
was to be shared and no worker has been started.
"""

HEADER_WORDS = 11
KEEP_LOCK, RELEASE_LOCK, SHARE = 0, 1, 2
NO_WORKERS = 2

PYTHON_SYMBOLS = (
    "PyErr_BadArgument",
    "PyErr_Occurred",
    "PyEval_RestoreThread",
    "PyEval_SaveThread",
    "PyLong_AsUnsignedLongLongMask",
    "PyLong_AsVoidPtr",
    "PyLong_FromSsize_t",
    "PyMem_RawFree",
    "PyMem_RawMalloc",
)

ENTRY = """
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i64 @PyLong_AsUnsignedLongLongMask(ptr)
declare ptr @PyLong_AsVoidPtr(ptr)
declare ptr @PyLong_FromSsize_t(i64)
declare ptr @PyErr_Occurred()
declare i32 @PyErr_BadArgument()
declare ptr @PyMem_RawMalloc(i64)
declare void @PyMem_RawFree(ptr)

define internal i64 @fill(ptr %h, ptr %words, ptr %slots, ptr %args) {
entry:
  %templatep = getelementptr i64, ptr %h, i64 2
  %countp = getelementptr i64, ptr %h, i64 3
  %patchesp = getelementptr i64, ptr %h, i64 4
  %changesp = getelementptr i64, ptr %h, i64 5
  %wantedp = getelementptr i64, ptr %h, i64 6
  %template = load ptr, ptr %templatep
  %count = load i64, ptr %countp
  %patches = load ptr, ptr %patchesp
  %changes = load i64, ptr %changesp
  %wanted = load i64, ptr %wantedp
  br label %copy
copy:
  %i = phi i64 [0, %entry], [%i1, %copying]
  %copied = icmp sge i64 %i, %count
  br i1 %copied, label %read, label %copying
copying:
  %from = getelementptr i64, ptr %template, i64 %i
  %to = getelementptr i64, ptr %words, i64 %i
  %word = load i64, ptr %from
  store i64 %word, ptr %to
  %i1 = add i64 %i, 1
  br label %copy
read:
  %j = phi i64 [0, %copy], [%j1, %reading]
  %complete = icmp sge i64 %j, %wanted
  br i1 %complete, label %check, label %reading
reading:
  %argp = getelementptr ptr, ptr %args, i64 %j
  %arg = load ptr, ptr %argp
  %value = call i64 @PyLong_AsUnsignedLongLongMask(ptr %arg)
  %slotp = getelementptr i64, ptr %slots, i64 %j
  store i64 %value, ptr %slotp
  %j1 = add i64 %j, 1
  br label %read
check:
  %raised = call ptr @PyErr_Occurred()
  %fine = icmp eq ptr %raised, null
  br i1 %fine, label %patch, label %bad
patch:
  %k = phi i64 [0, %check], [%k1, %patching]
  %patched = icmp sge i64 %k, %changes
  br i1 %patched, label %good, label %patching
patching:
  %pair = shl i64 %k, 1
  %wherep = getelementptr i64, ptr %patches, i64 %pair
  %whichp = getelementptr i64, ptr %wherep, i64 1
  %where = load i64, ptr %wherep
  %which = load i64, ptr %whichp
  %sourcep = getelementptr i64, ptr %slots, i64 %which
  %targetp = getelementptr i64, ptr %words, i64 %where
  %addend = load i64, ptr %sourcep
  %base = load i64, ptr %targetp
  %sum = add i64 %base, %addend
  store i64 %sum, ptr %targetp
  %k1 = add i64 %k, 1
  br label %patch
good:
  ret i64 1
bad:
  ret i64 0
}

define internal i64 @faults(ptr %h) {
entry:
  %recordsp = getelementptr i64, ptr %h, i64 9
  %countp = getelementptr i64, ptr %h, i64 10
  %records = load ptr, ptr %recordsp
  %count = load i64, ptr %countp
  br label %head
head:
  %i = phi i64 [0, %entry], [%i1, %body]
  %any = phi i64 [0, %entry], [%more, %body]
  %end = icmp sge i64 %i, %count
  br i1 %end, label %exit, label %body
body:
  %at = shl i64 %i, 1
  %codep = getelementptr i64, ptr %records, i64 %at
  %code = load i64, ptr %codep
  %more = or i64 %any, %code
  %i1 = add i64 %i, 1
  br label %head
exit:
  %set = icmp ne i64 %any, 0
  %result = zext i1 %set to i64
  ret i64 %result
}

define internal i64 @execute(ptr %h, ptr %words) {
entry:
  %tablep = getelementptr i64, ptr %h, i64 0
  %rowsp = getelementptr i64, ptr %h, i64 1
  %statep = getelementptr i64, ptr %h, i64 7
  %modep = getelementptr i64, ptr %h, i64 8
  %table = load ptr, ptr %tablep
  %rows = load i64, ptr %rowsp
  %state = load ptr, ptr %statep
  %mode = load i64, ptr %modep
  %kept = icmp eq i64 %mode, 0
  br i1 %kept, label %quick, label %long
quick:
  call void @run(ptr %state, ptr %table, i64 %rows, ptr %words, i64 0)
  ret i64 0
long:
  %thread = call ptr @PyEval_SaveThread()
  %shared = icmp eq i64 %mode, 2
  %share = zext i1 %shared to i64
  call void @run(ptr %state, ptr %table, i64 %rows, ptr %words, i64 %share)
  call void @PyEval_RestoreThread(ptr %thread)
  br i1 %shared, label %workers, label %alone
workers:
  %countp = getelementptr i64, ptr %state, i64 36
  %count = load i64, ptr %countp
  %none = icmp eq i64 %count, 0
  %code = select i1 %none, i64 2, i64 0
  ret i64 %code
alone:
  ret i64 0
}

define ptr @enter(ptr %self, ptr %args, i64 %nargs) {
entry:
  %h = call ptr @PyLong_AsVoidPtr(ptr %self)
  %wantedp = getelementptr i64, ptr %h, i64 6
  %wanted = load i64, ptr %wantedp
  %same = icmp eq i64 %wanted, %nargs
  br i1 %same, label %begin, label %mismatch
mismatch:
  %e = call i32 @PyErr_BadArgument()
  ret ptr null
begin:
  %countp = getelementptr i64, ptr %h, i64 3
  %count = load i64, ptr %countp
  %both = add i64 %count, %wanted
  %full = add i64 %both, 1
  %bytes = shl i64 %full, 3
  %words = call ptr @PyMem_RawMalloc(i64 %bytes)
  %empty = icmp eq ptr %words, null
  br i1 %empty, label %mismatch, label %filling
filling:
  %slots = getelementptr i64, ptr %words, i64 %count
  %filled = call i64 @fill(ptr %h, ptr %words, ptr %slots, ptr %args)
  %good = icmp ne i64 %filled, 0
  br i1 %good, label %go, label %fail
fail:
  call void @PyMem_RawFree(ptr %words)
  ret ptr null
go:
  %executed = call i64 @execute(ptr %h, ptr %words)
  call void @PyMem_RawFree(ptr %words)
  %faulty = call i64 @faults(ptr %h)
  %code = or i64 %executed, %faulty
  %result = call ptr @PyLong_FromSsize_t(i64 %code)
  ret ptr %result
}
"""
