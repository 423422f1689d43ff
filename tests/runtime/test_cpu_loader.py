"""Linking kernels where the address space is full of holes and large mappings."""

import subprocess
import sys

PROGRAM = """
import ctypes, mmap, sys
import llvmlite.binding as llvm
from pumice.runtime.cpu.loader import Loader

PRIVATE = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS}
SIZE = 100_000
loader = Loader()
machine = llvm.Target.from_default_triple().create_target_machine(
    opt=2, reloc="pic", codemodel="small"
)

def code():
    table = ",".join(f"i64 {SIZE + place}" for place in range(SIZE))
    text = f'''
    target triple = "{llvm.get_process_triple()}"
    @table = internal constant [{SIZE} x i64] [{table}]
    define i64 @entry(i64 %at) nounwind {{
      %place = getelementptr [{SIZE} x i64], ptr @table, i64 0, i64 %at
      %item = load i64, ptr %place
      ret i64 %item
    }}
    '''
    with llvm.create_context() as context, llvm.parse_assembly(text, context=context) as module:
        return machine.emit_object(module)

image = code()
kept = []
for _ in range(10):
    hole = mmap.mmap(-1, mmap.PAGESIZE, **PRIVATE)
    kept.append(mmap.mmap(-1, 3 << 30, **PRIVATE))
    hole.close()  # the code fits here, its table does not
    library = loader._link(image, ("entry",))
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library["entry"])
    assert function(0) == SIZE and function(SIZE - 1) == 2 * SIZE - 1
    kept.append(library)
"""


def test_kernels_are_linked_between_large_mappings() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
