"""One kernel as the text of an LLVM module."""

from pumice.backends.llvm.control import counted_loop
from pumice.backends.llvm.emitter import Emitter, Operand
from pumice.backends.llvm.evaluate import scalar_of
from pumice.backends.llvm.loops import emit_statements
from pumice.backends.llvm.machine import machine_of
from pumice.backends.llvm.types import memory_type, scalar_type
from pumice.backends.llvm.words import shape_registers
from pumice.dtypes import Kind
from pumice.kernel.expansion import without_fused
from pumice.kernel.ir import INDEX, Kernel, Parameter, Role
from pumice.kernel.walk import written_buffers
from pumice.target import Target


def module_text(kernel: Kernel, target: Target, entry: str) -> str:
    """Return the LLVM IR of ``void entry(ptr words, i64 begin, i64 end)``."""
    machine = machine_of(target.identity)
    if not machine.fused:
        kernel = without_fused(kernel)
    e = Emitter(machine, written_buffers(kernel))
    _bind_parameters(e, kernel.parameters)
    for local in kernel.locals:
        text = e.stack_slot(memory_type(local.dtype), local.extent)
        e.bindings[local] = Operand(text, INDEX, 0)
    if kernel.faults:
        e.fault = kernel.parameters[-1]
    opening = e.scopes[0].lines
    e.scopes[0].lines = []
    _grid(e, kernel, target)
    if e.tiles:
        opening += shape_registers(e)
        e.line("call void @llvm.x86.tilerelease()")
    if e.streams and machine.is_x86:  # such stores are not ordered by whatever tells other threads
        e.declare("declare void @llvm.x86.sse.sfence()")
        e.line("call void @llvm.x86.sse.sfence()")
    attributes = (
        f'nounwind "prefer-vector-width"="{machine.vector_bits}" '
        f'"min-legal-vector-width"="{machine.vector_bits}" "no-trapping-math"="true"'
    )
    lines = [
        f'target triple = "{machine.triple}"',
        f"define void @{entry}(ptr noalias %words, i64 %begin, i64 %end) #0 {{",
        "entry:",
        *e.allocas,
        *opening,
        *e.scopes[0].lines,
        "ret void\n}",
        *e.functions,
        *e.declarations,
        *(
            f"attributes #{n} = {{ {extra}{attributes} }}"
            for n, extra in ((0, ""), (1, "noinline "))
        ),
        '!0 = !{!"branch_weights", i32 1, i32 1000000}',
        '!1 = !{!"branch_weights", i32 1000, i32 1}\n!2 = !{i32 1}',
    ]
    return "\n".join(lines)


def _bind_parameters(e: Emitter, parameters: tuple[Parameter, ...]) -> None:
    for position, parameter in enumerate(parameters):
        address = e.value(f"getelementptr i64, ptr %words, i64 {position}")
        if parameter.role is Role.BUFFER:
            text, dtype = e.value(f"load ptr, ptr {address}, align 8"), INDEX
        elif parameter.role is Role.INDEX:
            text, dtype = e.value(f"load i64, ptr {address}, align 8"), parameter.dtype
        else:
            dtype = parameter.dtype
            text = e.value(f"load {memory_type(dtype)}, ptr {address}, align 8")
            if dtype.kind is Kind.BOOL:
                text = e.value(f"icmp ne i8 {text}, 0")
        e.bindings[parameter] = Operand(text, dtype, 0)


def _grid(e: Emitter, kernel: Kernel, target: Target) -> None:
    """Run the items begin..end: variables by division once, then stepped like an odometer."""
    variables = kernel.grid.variables
    if not variables:
        emit_statements(e, kernel.body, target.lanes)
        return
    extents = [scalar_of(e, extent) for extent in kernel.grid.extents]
    starts, rest = [], "%begin"
    for extent in reversed(extents[1:]):
        starts.append(e.value(f"urem i64 {rest}, {extent}"))
        rest = e.value(f"udiv i64 {rest}, {extent}")
    starts = [rest, *reversed(starts)]
    single = len(variables) == 1

    def body(position: str, names: list[str]) -> list[str]:
        texts = [position] if single else names
        for variable, text in zip(variables, texts, strict=True):
            e.bind(("variable", variable), Operand(text, INDEX, e.depth))
        emit_statements(e, kernel.body, target.lanes)
        return [] if single else _step(e, names, extents)

    kinds = [] if single else [scalar_type(INDEX)] * len(variables)
    counted_loop(e, "%begin", "%end", 1, kinds, [] if single else starts, body)


def _step(e: Emitter, names: list[str], extents: list[str]) -> list[str]:
    following, carry = [], "1"
    for name, extent in zip(reversed(names[1:]), reversed(extents[1:]), strict=True):
        more = e.value(f"add i64 {name}, {carry}")
        full = e.value(f"icmp eq i64 {more}, {extent}")
        following.append(e.value(f"select i1 {full}, i64 0, i64 {more}"))
        carry = e.value(f"zext i1 {full} to i64")
    following.append(e.value(f"add i64 {names[0]}, {carry}"))
    return list(reversed(following))
