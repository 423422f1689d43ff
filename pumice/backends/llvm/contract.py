"""Matrix products of packed panels.

Tiles are numbered so that a run of them shares a panel of the right operand while the panels of the
left one they use stay in the second-level cache: ``batch, group of row panels, column panel, row
panel of the group``. A tile is accumulated in registers over a block of k, in one block when the
panels are small, then spilled and finished by the epilogue with lanes along columns. An element is
always summed in the order of k, so blocking does not change results.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pumice.backends.llvm.emitter import Emitter, Operand, ScopeKind
from pumice.backends.llvm.evaluate import scalar_of
from pumice.backends.llvm.loops import conditional, counted_loop, emit_statements, run_lanes
from pumice.backends.llvm.micro import MicroKernel, micro_function
from pumice.backends.llvm.types import memory_type, scalar_type, vector_of
from pumice.backends.llvm.widths import lane_width
from pumice.dtypes import DType
from pumice.kernel.ir import INDEX, Contract, Instruction, Loop, LoopKind, index
from pumice.target import Target

CACHE = 1 << 20
"""Bytes of panels to keep near: half of a common second-level cache."""
GROUP = 24
BLOCK = 512


@dataclass(frozen=True, slots=True)
class _Product:
    """A contraction with its sizes as text."""

    contract: Contract
    m: str
    n: str
    k: str
    row_panels: str
    column_panels: str
    group: str
    block: str
    tiles: str
    left: str
    right: str

    @property
    def area(self) -> int:
        return self.contract.rows * self.contract.columns


def emit_contract(e: Emitter, contract: Contract, target: Target) -> None:
    """Emit the tiles begin..end."""
    for name in ("smin", "smax"):
        e.declare(f"declare i64 @llvm.{name}.i64(i64, i64)")
    product = _prepare(e, contract)
    _while_tiles(e, product, target)


def _least(e: Emitter, first: str, second: str) -> str:
    return e.value(f"call i64 @llvm.smin.i64(i64 {first}, i64 {second})")


def _most(e: Emitter, first: str, second: str) -> str:
    return e.value(f"call i64 @llvm.smax.i64(i64 {first}, i64 {second})")


def _panels(e: Emitter, extent: str, size: int) -> str:
    return e.value(f"udiv i64 {e.value(f'add i64 {extent}, {size - 1}')}, {size}")


def _prepare(e: Emitter, contract: Contract) -> _Product:
    m, n, k = (scalar_of(e, value) for value in (contract.m, contract.n, contract.k))
    row_panels = _panels(e, m, contract.rows)
    column_panels = _panels(e, n, contract.columns)
    # one block of k when a few panels of it fit the cache, else blocks and a group of scratch tiles
    itemsize = contract.left.dtype.itemsize
    narrow = CACHE // (itemsize * (4 * contract.rows + contract.columns))
    whole = e.value(f"icmp sle i64 {k}, {narrow}")
    block = e.value(f"select i1 {whole}, i64 {_most(e, k, '1')}, i64 {BLOCK}")
    fitting = e.value(f"sdiv i64 {CACHE // (itemsize * contract.rows)}, {block}")
    group = _most(e, _least(e, fitting, str(GROUP)), "1")
    tiles = e.stack_slot(
        scalar_type(contract.accumulator), (GROUP * contract.rows + 2) * contract.columns + 64
    )
    left, right = (e.bindings[buffer].text for buffer in (contract.left, contract.right))
    return _Product(contract, m, n, k, row_panels, column_panels, group, block, tiles, left, right)


def _while_tiles(e: Emitter, p: _Product, target: Target) -> None:
    """Walk runs of tiles that share a column panel."""
    tag = e.name("tiles")
    e.line(f"br label %{tag}enter\n{tag}enter:\nbr label %{tag}head\n{tag}head:")
    e.line(f"%{tag}t = phi i64 [%begin, %{tag}enter], [%{tag}n, %{tag}latch]")
    e.line(f"%{tag}m = icmp slt i64 %{tag}t, %end")
    e.line(f"br i1 %{tag}m, label %{tag}body, label %{tag}exit\n{tag}body:")
    position = f"%{tag}t"
    per_batch = e.value(f"mul i64 {p.row_panels}, {p.column_panels}")
    batch = e.value(f"udiv i64 {position}, {per_batch}")
    inside = e.value(f"urem i64 {position}, {per_batch}")
    per_group = e.value(f"mul i64 {p.group}, {p.column_panels}")
    first = e.value(f"mul i64 {e.value(f'udiv i64 {inside}, {per_group}')}, {p.group}")
    rest = e.value(f"urem i64 {inside}, {per_group}")
    rows = _least(e, p.group, e.value(f"sub i64 {p.row_panels}, {first}"))
    column = e.value(f"udiv i64 {rest}, {rows}")
    skipped = e.value(f"urem i64 {rest}, {rows}")
    row = e.value(f"add i64 {first}, {skipped}")
    left_over = e.value(f"sub i64 %end, {position}")
    count = _least(e, left_over, e.value(f"sub i64 {rows}, {skipped}"))
    _run(e, p, target, (batch, row, column), count)
    e.line(f"br label %{tag}latch\n{tag}latch:")
    e.line(f"%{tag}n = add i64 {position}, {count}")
    e.line(f"br label %{tag}head\n{tag}exit:")


def _run(e: Emitter, p: _Product, target: Target, place: tuple[str, str, str], count: str) -> None:
    """Multiply and finish `count` tiles below each other: one by one when k is one block, so that
    a tile is finished while it is near, else block after block of k."""
    single = e.value(f"icmp sge i64 {p.block}, {p.k}")
    step = e.value(f"select i1 {single}, i64 1, i64 {count}")
    rounds = e.value(f"select i1 {single}, i64 {count}, i64 1")
    blocks = _most(e, e.value(f"udiv i64 {_rounded(e, p.k, p.block)}, {p.block}"), "1")

    def one_round(number: str, _: list[str]) -> list[str]:
        first = e.value(f"add i64 {place[1]}, {e.value(f'mul i64 {number}, {step}')}")
        here = (place[0], first, place[2])

        def one_block(k_block: str, _: list[str]) -> list[str]:
            def one_tile(tile: str, _: list[str]) -> list[str]:
                _multiply(e, p, here, tile, k_block)
                return []

            counted_loop(e, "0", step, 1, [], [], one_tile)
            return []

        def finish(tile: str, _: list[str]) -> list[str]:
            _epilogue(e, p, target, here, tile)
            return []

        counted_loop(e, "0", blocks, 1, [], [], one_block)
        counted_loop(e, "0", step, 1, [], [], finish)
        return []

    counted_loop(e, "0", rounds, 1, [], [], one_round)


def _rounded(e: Emitter, extent: str, size: str) -> str:
    return e.value(f"add i64 {extent}, {e.value(f'sub i64 {size}, 1')}")


def _panel(e: Emitter, base: str, dtype: DType, panel: str, k: str, start: str, size: int) -> str:
    """Return the address of a panel's elements from k = start on."""
    depth = e.value(f"add i64 {e.value(f'mul i64 {panel}, {k}')}, {start}")
    offset = e.value(f"mul i64 {depth}, {size}")
    return e.value(f"getelementptr {memory_type(dtype)}, ptr {base}, i64 {offset}")


def _tile(e: Emitter, p: _Product, tile: str) -> str:
    offset = e.value(f"mul i64 {tile}, {p.area}")
    element = scalar_type(p.contract.accumulator)
    return e.value(f"getelementptr {element}, ptr {p.tiles}, i64 {offset}")


def _multiply(
    e: Emitter, p: _Product, place: tuple[str, str, str], tile: str, k_block: str
) -> None:
    c = p.contract
    start = e.value(f"mul i64 {k_block}, {p.block}")
    depth = _least(e, p.block, e.value(f"sub i64 {p.k}, {start}"))
    row = e.value(f"add i64 {place[1]}, {tile}")
    left_panel = e.value(f"add i64 {e.value(f'mul i64 {place[0]}, {p.row_panels}')}, {row}")
    right_panel = e.value(
        f"add i64 {e.value(f'mul i64 {place[0]}, {p.column_panels}')}, {place[2]}"
    )
    left = _panel(e, p.left, c.left.dtype, left_panel, p.k, start, c.rows)
    right = _panel(e, p.right, c.right.dtype, right_panel, p.k, start, c.columns)
    target = _tile(e, p, tile)
    micro = MicroKernel(
        c.rows,
        c.columns,
        c.columns,
        c.accumulator,
        c.left.dtype,
        c.right.dtype,
        left_row=1,
        left_step=c.rows,
        right_step=c.columns,
    )
    name = micro_function(e, micro)
    fresh = e.value(f"icmp eq i64 {start}, 0")
    # The strides are built in and no column is masked.
    e.line(
        f"call void {name}(i64 {depth}, ptr {left}, ptr {right}, ptr {target}, i1 {fresh}, "
        "i64 0, i64 0, i64 0, i64 0)"
    )


@dataclass(frozen=True, slots=True)
class _Finish:
    """One finished tile and where it lies in the result."""

    product: _Product
    target: Target
    batch: str
    buffer: str
    first_row: str
    first_column: str
    rows: str


def _epilogue(
    e: Emitter, p: _Product, target: Target, place: tuple[str, str, str], tile: str
) -> None:
    """Run the epilogue statements over the part of a finished tile that lies in the result."""
    c = p.contract
    panel = e.value(f"add i64 {place[1]}, {tile}")
    first_row = e.value(f"mul i64 {panel}, {c.rows}")
    first_column = e.value(f"mul i64 {place[2]}, {c.columns}")
    rows = _least(e, str(c.rows), e.value(f"sub i64 {p.m}, {first_row}"))
    stop = e.value(f"add i64 {first_column}, {c.columns}")
    finish = _Finish(p, target, place[0], _tile(e, p, tile), first_row, first_column, rows)
    inside = e.value(f"icmp sle i64 {stop}, {p.n}")
    beyond = e.value(f"xor i1 {inside}, true")
    conditional(e, inside, [], [], partial(_rows, e, finish, _whole_row))
    conditional(e, beyond, [], [], partial(_rows, e, finish, _partial_row))


def _rows(
    e: Emitter, f: _Finish, one: Callable[[Emitter, _Finish, Loop, int, str], None]
) -> list[str]:
    c = f.product.contract
    element = scalar_type(c.accumulator)
    loop = Loop(c.column, index(0), index(c.columns), LoopKind.LANES, c.epilogue)
    width = lane_width(loop, e.machine)
    while c.columns % width:
        width //= 2

    def one_row(row: str, _: list[str]) -> list[str]:
        offset = e.value(f"mul i64 {row}, {c.columns}")
        line = e.value(f"getelementptr {element}, ptr {f.buffer}, i64 {offset}")
        number = e.value(f"add i64 {f.first_row}, {row}")
        e.bind(("variable", c.batch), Operand(f.batch, INDEX, e.depth))
        e.bind(("variable", c.row), Operand(number, INDEX, e.depth))
        one(e, f, loop, width, line)
        return []

    counted_loop(e, "0", f.rows, 1, [], [], one_row)
    return []


def _take(e: Emitter, f: _Finish, line: str, offset: str, width: int) -> None:
    """Bind the accumulator to a row's elements from an offset on."""
    dtype = f.product.contract.accumulator
    element = scalar_type(dtype)
    address = e.value(f"getelementptr {element}, ptr {line}, i64 {offset}")
    text = e.value(f"load {vector_of(element, width)}, ptr {address}, align {dtype.itemsize}")
    e.bind(Instruction.ACCUMULATOR, Operand(text, dtype, e.depth, varying=True))


def _whole_row(e: Emitter, f: _Finish, loop: Loop, width: int, line: str) -> None:
    """All columns of the tile, written out."""
    for offset in range(0, f.product.contract.columns, width):
        e.open(ScopeKind.PLAIN)
        e.width = width
        position = e.value(f"add i64 {f.first_column}, {offset}")
        e.bind(("variable", loop.variable), Operand(position, INDEX, e.depth, True, step="1"))
        _take(e, f, line, str(offset), width)
        emit_statements(e, loop.body, f.target.lanes)
        e.width = 0
        e.scopes[-2].lines += e.scopes[-1].lines
        e.close()


def _partial_row(e: Emitter, f: _Finish, loop: Loop, width: int, line: str) -> None:
    """The columns up to the result's edge; the tile itself may be read beyond it."""

    def take(position: str) -> None:
        _take(e, f, line, e.value(f"sub i64 {position}, {f.first_column}"), width)

    run_lanes(e, loop, f.first_column, f.product.n, width, f.target.lanes, take)
