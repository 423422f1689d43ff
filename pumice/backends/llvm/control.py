"""Control flow as text: counted loops and branches with values that go through them."""

from collections.abc import Callable

from pumice.backends.llvm.emitter import Emitter, ScopeKind
from pumice.backends.llvm.types import iota

Body = Callable[[str, list[str]], list[str]]


def counted_loop(
    e: Emitter,
    start: str,
    stop: str,
    step: int | str,
    kinds: list[str],
    initial: list[str],
    body: Body,
) -> list[str]:
    """Emit ``for i in range(start, stop, step)`` with carried values; return their last ones.

    With a `step` above 1 the last iteration may begin anywhere before ``stop``.
    """
    tag = e.name("loop")
    names = [f"%{tag}c{position}" for position in range(len(kinds))]
    e.open(ScopeKind.PREHEADER)
    e.open(ScopeKind.LOOP)
    following = body(f"%{tag}i", names)
    inner = e.close()
    before = e.close()
    e.line(f"br label %{tag}guard\n{tag}guard:\n%{tag}any = icmp slt i64 {start}, {stop}")
    e.line(f"br i1 %{tag}any, label %{tag}before, label %{tag}exit\n{tag}before:")
    e.scopes[-1].lines += before
    e.line(f"br label %{tag}enter\n{tag}enter:\nbr label %{tag}body\n{tag}body:")
    e.line(f"%{tag}i = phi i64 [{start}, %{tag}enter], [%{tag}n, %{tag}latch]")
    for kind, name, first, last in zip(kinds, names, initial, following, strict=True):
        e.line(f"{name} = phi {kind} [{first}, %{tag}enter], [{last}, %{tag}latch]")
    e.scopes[-1].lines += inner
    e.line(f"br label %{tag}latch\n{tag}latch:\n%{tag}n = add nsw i64 %{tag}i, {step}")
    e.line(f"%{tag}m = icmp slt i64 %{tag}n, {stop}")
    e.line(f"br i1 %{tag}m, label %{tag}body, label %{tag}done")
    e.line(f"{tag}done:\nbr label %{tag}exit\n{tag}exit:")
    return _merge(e, tag, kinds, (initial, f"{tag}guard"), (following, f"{tag}done"))


def conditional(
    e: Emitter,
    test: str,
    kinds: list[str],
    otherwise: list[str],
    body: Callable[[], list[str]],
) -> list[str]:
    """Emit ``if test: body()``; return its results, or `otherwise`."""
    tag = e.name("if")
    e.open(ScopeKind.PLAIN)
    results = body()
    inner = e.close()
    # What the body computes in outer scopes stands in front of the branch: it is known after it.
    e.line(f"br label %{tag}test\n{tag}test:")
    e.line(f"br i1 {test}, label %{tag}then, label %{tag}exit\n{tag}then:")
    e.scopes[-1].lines += inner
    e.line(f"br label %{tag}done\n{tag}done:\nbr label %{tag}exit\n{tag}exit:")
    return _merge(e, tag, kinds, (otherwise, f"{tag}test"), (results, f"{tag}done"))


def choice(
    e: Emitter,
    test: str,
    kinds: list[str],
    body: Callable[[], list[str]],
    otherwise: Callable[[], list[str]],
) -> list[str]:
    """Emit ``if test: body() else: otherwise()``; return the results of the one that ran."""
    tag = e.name("choice")
    sides = []
    for side in (body, otherwise):
        e.open(ScopeKind.PLAIN)
        results = side()
        sides.append((results, e.close()))
    (first, lines), (second, other_lines) = sides
    # What a side computes in outer scopes stands in front of the branch, as in `conditional`.
    e.line(f"br i1 {test}, label %{tag}then, label %{tag}else\n{tag}then:")
    e.scopes[-1].lines += lines
    e.line(f"br label %{tag}done\n{tag}done:\nbr label %{tag}exit\n{tag}else:")
    e.scopes[-1].lines += other_lines
    e.line(f"br label %{tag}last\n{tag}last:\nbr label %{tag}exit\n{tag}exit:")
    return _merge(e, tag, kinds, (first, f"{tag}done"), (second, f"{tag}last"))


def _merge(
    e: Emitter,
    tag: str,
    kinds: list[str],
    first: tuple[list[str], str],
    second: tuple[list[str], str],
) -> list[str]:
    names = [f"%{tag}r{position}" for position in range(len(kinds))]
    for kind, name, a, b in zip(kinds, names, first[0], second[0], strict=True):
        e.line(f"{name} = phi {kind} [{a}, %{first[1]}], [{b}, %{second[1]}]")
    return names


def split(e: Emitter, start: str, stop: str, width: int) -> tuple[str, str, str]:
    """Return the iterations in whole vectors, the rest, and where the rest begins."""
    if not start.startswith("%") and not stop.startswith("%"):
        total = max(int(stop) - int(start), 0)
        whole = total // width * width
        return str(whole), str(total - whole), str(int(start) + whole)
    e.declare("declare i64 @llvm.smax.i64(i64, i64)")
    count = stop if start == "0" else e.value(f"sub i64 {stop}, {start}")
    bounded = e.value(f"call i64 @llvm.smax.i64(i64 {count}, i64 0)")
    whole_text = e.value(f"and i64 {bounded}, {-width}")
    rest = e.value(f"and i64 {bounded}, {width - 1}")
    return whole_text, rest, e.value(f"add i64 {start}, {whole_text}")


def start_tail(e: Emitter, rest: str) -> None:
    small = e.value(f"trunc i64 {rest} to i32") if rest.startswith("%") else rest
    bound = e.splat(small, "i32", e.width, e.depth)
    e.remaining, e.mask_level = rest, e.depth
    e.mask = e.value(f"icmp ult <{e.width} x i32> {iota('i32', e.width)}, {bound}")
