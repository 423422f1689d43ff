"""Loads and stores: scalar, contiguous, reversed, strided and indirect, masked or not.

Lanes that may not touch memory use masked instructions where the CPU has them. Elsewhere a tail of
contiguous elements is copied through the stack, and single lanes are redirected to a stack slot.
"""

from dataclasses import dataclass

from pumice import dtypes
from pumice.backends.llvm.convert import convert
from pumice.backends.llvm.emitter import Asking, Emitter, Operand
from pumice.backends.llvm.types import memory_type, suffix, vector_of
from pumice.dtypes import DType, Kind
from pumice.kernel.ir import Parameter
from pumice.target import CACHE_LINE


@dataclass(frozen=True, slots=True)
class Place:
    """Where a vector instruction reads or writes.

    Attributes
    ----------
    pointer : str
        Base address.
    index : Operand
        Element index, varying.
    mask : str or None
        Vector of active lanes, the tail's included; None when all are.
    prefix : bool
        Whether the mask is exactly the tail's.
    level : int
        Scope to emit into.
    """

    pointer: str
    dtype: DType
    index: Operand
    mask: str | None
    prefix: bool
    level: int

    @property
    def element(self) -> str:
        return memory_type(self.dtype)


def pointer_of(e: Emitter, buffer: Parameter) -> str:
    """Return the address of a buffer's first element."""
    return e.bindings[buffer].text


def _place(
    e: Emitter, buffer: Parameter, index: Operand, mask: Operand | None, level: int
) -> Place:
    active, prefix = e.mask, e.remaining is not None
    if mask is not None and not (mask.constant and mask.text == "true"):
        chosen = e.vector(mask)
        kind = vector_of("i1", e.width)
        active = chosen if active is None else e.value(f"and {kind} {active}, {chosen}", level)
        prefix = False
    return Place(pointer_of(e, buffer), buffer.dtype, index, active, prefix, level)


# -- loads --------------------------------------------------------------------------------------


def emit_load(
    e: Emitter, buffer: Parameter, index: Operand, mask: Operand | None, level: int
) -> Operand:
    """Read one element, or one per lane."""
    index = _as_index(e, index)
    if not index.varying and (mask is None or not mask.varying):
        return _load_uniform(e, buffer, index, None if mask is None else mask.text, level)
    if not index.varying and mask is not None:
        return _load_repeated(e, buffer, index, mask, level)
    place = _place(e, buffer, index, mask, level)
    width = e.width
    if index.step == "1":
        raw = _load_contiguous(e, place, width)
    elif index.step == "-1" and (place.mask is None or _masked_memory(e, place.element)):
        raw = _load_reversed(e, place, width)
    elif index.step == "2" and (place.mask is None or _masked_memory(e, place.element)):
        raw = _load_every_second(e, place, width)
    elif e.machine.gather and place.element not in ("i8", "i16"):
        raw = _gather(e, place, width)
    else:
        raw = _load_lanes(e, place, width)
    return Operand(_to_register(e, raw, buffer.dtype, width, level), buffer.dtype, level, True)


def _as_index(e: Emitter, index: Operand) -> Operand:
    return index if index.dtype.bits == 64 else convert(e, index, dtypes.int64)


def _to_register(e: Emitter, text: str, dtype: DType, width: int, level: int) -> str:
    if dtype.kind is not Kind.BOOL:
        return text
    zero = "zeroinitializer" if width else "0"
    return e.value(f"icmp ne {vector_of('i8', width)} {text}, {zero}", level)


def _from_register(e: Emitter, text: str, dtype: DType, width: int, level: int) -> str:
    if dtype.kind is not Kind.BOOL:
        return text
    return e.value(f"zext {vector_of('i1', width)} {text} to {vector_of('i8', width)}", level)


def _load_uniform(
    e: Emitter, buffer: Parameter, index: Operand, mask: str | None, level: int
) -> Operand:
    element, dtype = memory_type(buffer.dtype), buffer.dtype
    address = e.value(
        f"getelementptr {element}, ptr {pointer_of(e, buffer)}, i64 {index.text}", level
    )
    if mask is not None and mask != "true":
        address = e.value(f"select i1 {mask}, ptr {address}, ptr {e.zero_slot()}", level)
    raw = e.value(f"load {element}, ptr {address}, align {dtype.itemsize}", level)
    return Operand(_to_register(e, raw, dtype, 0, level), dtype, level)


def _load_repeated(
    e: Emitter, buffer: Parameter, index: Operand, mask: Operand, level: int
) -> Operand:
    """One element for all lanes whose mask holds: read it if any lane wants it."""
    place = _place(e, buffer, index, mask, level)
    wanted = any_lane(e, str(place.mask), e.width, level)
    single = _load_uniform(e, buffer, index, wanted, level)
    kind = vector_of(_register(buffer.dtype), e.width)
    text = e.value(
        f"select {vector_of('i1', e.width)} {place.mask}, {kind} {e.vector(single)}, "
        f"{kind} zeroinitializer",
        level,
    )
    return Operand(text, buffer.dtype, level, varying=True)


def _register(dtype: DType) -> str:
    return "i1" if dtype.kind is Kind.BOOL else memory_type(dtype)


def any_lane(e: Emitter, mask: str, width: int, level: int) -> str:
    """Return whether any lane of a mask is set."""
    kind = vector_of("i1", width)
    e.declare(f"declare i1 @llvm.vector.reduce.or.v{width}i1({kind})")
    return e.value(f"call i1 @llvm.vector.reduce.or.v{width}i1({kind} {mask})", level)


def _masked_memory(e: Emitter, element: str) -> bool:
    narrow = element in ("i8", "i16")
    return e.machine.narrow_masks if narrow else e.machine.wide_masks


def _address(e: Emitter, place: Place, offset: int = 0) -> str:
    index = place.index.text
    if offset:
        index = e.value(f"add i64 {index}, {offset}", place.level)
    return e.value(f"getelementptr {place.element}, ptr {place.pointer}, i64 {index}", place.level)


def _masked_load(e: Emitter, place: Place, address: str, mask: str, width: int) -> str:
    kind, bits = vector_of(place.element, width), vector_of("i1", width)
    name = f"@llvm.masked.load.{suffix(place.element, width)}.p0"
    e.declare(f"declare {kind} {name}(ptr, {bits}, {kind})")
    return e.value(
        f"call {kind} {name}(ptr align {place.dtype.itemsize} {address}, {bits} {mask}, "
        f"{kind} zeroinitializer)",
        place.level,
    )


def _load_contiguous(e: Emitter, place: Place, width: int) -> str:
    kind, address = vector_of(place.element, width), _address(e, place)
    if place.mask is None:
        return e.value(f"load {kind}, ptr {address}, align {place.dtype.itemsize}", place.level)
    if _masked_memory(e, place.element):
        return _masked_load(e, place, address, place.mask, width)
    if not place.prefix:
        return _load_lanes(e, place, width)
    slot = e.stack_slot(kind)
    e.line(f"store {kind} zeroinitializer, ptr {slot}", place.level)
    _copy(e, slot, address, place)
    return e.value(f"load {kind}, ptr {slot}", place.level)


def _copy(e: Emitter, target: str, source: str, place: Place) -> None:
    nbytes = e.value(f"mul i64 {e.remaining}, {place.dtype.itemsize}", place.level)
    e.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    e.line(
        f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {nbytes}, i1 false)",
        place.level,
    )


def _reverse(e: Emitter, kind: str, text: str, width: int, level: int) -> str:
    order = ", ".join(f"i32 {lane}" for lane in range(width - 1, -1, -1))
    return e.value(f"shufflevector {kind} {text}, {kind} poison, <{width} x i32> <{order}>", level)


def _load_reversed(e: Emitter, place: Place, width: int) -> str:
    kind, address = vector_of(place.element, width), _address(e, place, 1 - width)
    if place.mask is None:
        raw = e.value(f"load {kind}, ptr {address}, align {place.dtype.itemsize}", place.level)
    else:
        mask = _reverse(e, vector_of("i1", width), place.mask, width, place.level)
        raw = _masked_load(e, place, address, mask, width)
    return _reverse(e, kind, raw, width, place.level)


def _load_every_second(e: Emitter, place: Place, width: int) -> str:
    """Read two vectors, the second one ending with the last element wanted, and pick from both."""
    kind, bits = vector_of(place.element, width), vector_of("i1", width)
    half = width // 2
    parts = []
    for offset, first, parity in ((0, 0, 0), (width - 1, half, 1)):
        address = _address(e, place, offset)
        if place.mask is None:
            parts.append(
                e.value(f"load {kind}, ptr {address}, align {place.dtype.itemsize}", place.level)
            )
            continue
        # Elements in between belong to no lane and are not touched.
        lanes = [first + number // 2 if number % 2 == parity else width for number in range(width)]
        order = ", ".join(f"i32 {lane}" for lane in lanes)
        mask = e.value(
            f"shufflevector {bits} {place.mask}, {bits} zeroinitializer, <{width} x i32> <{order}>",
            place.level,
        )
        parts.append(_masked_load(e, place, address, mask, width))
    chosen = [*range(0, width, 2), *range(width + 1, 2 * width, 2)]
    order = ", ".join(f"i32 {lane}" for lane in chosen)
    return e.value(
        f"shufflevector {kind} {parts[0]}, {kind} {parts[1]}, <{width} x i32> <{order}>",
        place.level,
    )


def _addresses(e: Emitter, place: Place, width: int) -> str:
    lanes = f"<{width} x i64> {e.vector(place.index, width)}"
    return e.value(f"getelementptr {place.element}, ptr {place.pointer}, {lanes}", place.level)


def _all_active(width: int) -> str:
    return "splat (i1 true)" if width else "true"


def _gather(e: Emitter, place: Place, width: int) -> str:
    kind, bits = vector_of(place.element, width), vector_of("i1", width)
    name = f"@llvm.masked.gather.{suffix(place.element, width)}.v{width}p0"
    e.declare(f"declare {kind} {name}(<{width} x ptr>, {bits}, {kind})")
    addresses = _addresses(e, place, width)
    return e.value(
        f"call {kind} {name}(<{width} x ptr> align {place.dtype.itemsize} {addresses}, "
        f"{bits} {place.mask or _all_active(width)}, {kind} zeroinitializer)",
        place.level,
    )


def _lane_address(e: Emitter, place: Place, lane: int, width: int, idle: str) -> str:
    """Return one lane's address, or that of a stack slot when the lane is not active."""
    step, level = place.index.step, place.level
    if step is None:
        lanes = e.vector(place.index, width)
        index = e.value(f"extractelement <{width} x i64> {lanes}, i64 {lane}", level)
    elif lane == 0:
        index = place.index.text
    else:
        offset = e.value(f"mul i64 {step}, {lane}", level)
        index = e.value(f"add i64 {place.index.text}, {offset}", level)
    address = e.value(f"getelementptr {place.element}, ptr {place.pointer}, i64 {index}", level)
    if place.mask is None:
        return address
    active = e.value(f"extractelement <{width} x i1> {place.mask}, i64 {lane}", level)
    return e.value(f"select i1 {active}, ptr {address}, ptr {idle}", level)


def _load_lanes(e: Emitter, place: Place, width: int) -> str:
    kind, text = vector_of(place.element, width), "poison"
    for lane in range(width):
        address = _lane_address(e, place, lane, width, e.zero_slot())
        single = e.value(
            f"load {place.element}, ptr {address}, align {place.dtype.itemsize}", place.level
        )
        text = e.value(
            f"insertelement {kind} {text}, {place.element} {single}, i64 {lane}", place.level
        )
    return text


def emit_prefetch(e: Emitter, buffer: Parameter, at: Operand) -> None:
    """Ask for the cache line of an element, or those of lanes that lie one behind the other.

    What lanes will read is wanted later and need not push other data out of the nearest cache.
    """
    if at.varying and at.step != "1":
        return
    kind, size = memory_type(buffer.dtype), buffer.dtype.itemsize
    first = e.value(f"getelementptr {kind}, ptr {pointer_of(e, buffer)}, i64 {at.text}")
    if not at.varying:
        _ask(e, first, 3)
    elif e.asking is None:
        for offset in range(0, e.width * size, CACHE_LINE):
            _ask(e, e.value(f"getelementptr i8, ptr {first}, i64 {offset}") if offset else first, 2)
    else:
        _ask_in_four_places(e, e.asking, first, size)


def _ask_in_four_places(e: Emitter, asking: Asking, first: str, size: int) -> None:
    """Ask for lines of each quarter of what the loop covers in turn, not for one after the other.

    Memory is slow to begin with a page, and fills the requests of several pages side by side.
    """
    share = asking.shares[size]
    done = e.value(f"sub i64 {asking.position}, {asking.start}")
    passed = e.value(f"mul i64 {done}, {size}")
    back = e.value(f"sub i64 0, {passed}")
    line = e.value(f"lshr i64 {passed}, {CACHE_LINE.bit_length() - 1}")
    quarter, inside = e.value(f"and i64 {line}, 3"), e.value(f"lshr i64 {line}, 2")
    place = e.value(f"add i64 {e.value(f'mul i64 {quarter}, {share}')}, {inside}")
    for number in range(max(e.width * size // CACHE_LINE, 1)):
        if number:
            step = share if number % 4 else e.value(f"sub i64 1, {e.value(f'mul i64 {share}, 3')}")
            place = e.value(f"add i64 {place}, {step}")
        offset = e.value(f"add i64 {e.value(f'mul i64 {place}, {CACHE_LINE}')}, {back}")
        _ask(e, e.value(f"getelementptr i8, ptr {first}, i64 {offset}"), 2)


def _ask(e: Emitter, address: str, nearness: int) -> None:
    e.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    e.line(f"call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 {nearness}, i32 1)")


# -- stores -------------------------------------------------------------------------------------


def emit_store(
    e: Emitter,
    buffer: Parameter,
    index: Operand,
    value: Operand,
    mask: Operand | None,
    streamed: bool = False,
) -> None:
    """Write one element, or one per active lane; past the caches when `streamed`."""
    index, level, width = _as_index(e, index), e.depth, e.width
    if not width:
        _store_scalar(e, buffer, index, value, None if mask is None else mask.text)
        return
    place = _place(e, buffer, index, mask, level)
    text = _from_register(e, e.vector(value), buffer.dtype, width, level)
    if not index.varying:
        place = Place(place.pointer, place.dtype, _spread(e, index), place.mask, False, level)
    if index.step == "1":
        _store_contiguous(e, place, text, width, streamed)
    elif index.step == "-1" and (place.mask is None or _masked_memory(e, place.element)):
        _store_reversed(e, place, text, width)
    elif index.step == "2" and _masked_memory(e, place.element):
        _store_every_second(e, place, text, width)
    elif e.machine.scatter and place.element not in ("i8", "i16"):
        _scatter(e, place, text, width)
    else:
        _store_lanes(e, place, text, width)


def _spread(e: Emitter, index: Operand) -> Operand:
    return Operand(e.vector(index), index.dtype, index.level, varying=True)


def _store_scalar(
    e: Emitter, buffer: Parameter, index: Operand, value: Operand, mask: str | None
) -> None:
    element = memory_type(buffer.dtype)
    address = e.value(f"getelementptr {element}, ptr {pointer_of(e, buffer)}, i64 {index.text}")
    if mask is not None and mask != "true":
        address = e.value(f"select i1 {mask}, ptr {address}, ptr {e.idle_slot()}")
    text = _from_register(e, value.text, buffer.dtype, 0, e.depth)
    e.line(f"store {element} {text}, ptr {address}, align {buffer.dtype.itemsize}")


def _masked_store(e: Emitter, place: Place, text: str, address: str, mask: str, width: int) -> None:
    kind, bits = vector_of(place.element, width), vector_of("i1", width)
    name = f"@llvm.masked.store.{suffix(place.element, width)}.p0"
    e.declare(f"declare void {name}({kind}, ptr, {bits})")
    e.line(
        f"call void {name}({kind} {text}, ptr align {place.dtype.itemsize} {address}, "
        f"{bits} {mask})"
    )


def _store_contiguous(
    e: Emitter, place: Place, text: str, width: int, streamed: bool = False
) -> None:
    kind, address = vector_of(place.element, width), _address(e, place)
    if place.mask is None and streamed:
        _store_streamed(e, place, f"{kind} {text}, ptr {address}", address, width)
    elif place.mask is None:
        e.line(f"store {kind} {text}, ptr {address}, align {place.dtype.itemsize}")
    elif _masked_memory(e, place.element):
        _masked_store(e, place, text, address, place.mask, width)
    elif place.prefix:
        slot = e.stack_slot(kind)
        e.line(f"store {kind} {text}, ptr {slot}")
        _copy(e, address, slot, place)
    else:
        _store_lanes(e, place, text, width)


def _store_streamed(e: Emitter, place: Place, operands: str, address: str, width: int) -> None:
    """Write past the caches where the address allows it, which is known at run time only."""
    alignment = min(width * place.dtype.itemsize, CACHE_LINE)
    number = e.value(f"ptrtoint ptr {address} to i64")
    low = e.value(f"and i64 {number}, {alignment - 1}")
    aligned = e.value(f"icmp eq i64 {low}, 0")
    tag = e.name("stream")
    e.line(f"br i1 {aligned}, label %{tag}, label %{tag}plain, !prof !1\n{tag}:")
    e.line(f"store {operands}, align {alignment}, !nontemporal !2")
    e.line(f"br label %{tag}after\n{tag}plain:")
    e.line(f"store {operands}, align {place.dtype.itemsize}")
    e.line(f"br label %{tag}after\n{tag}after:")
    e.streams = True


def _store_reversed(e: Emitter, place: Place, text: str, width: int) -> None:
    kind, address = vector_of(place.element, width), _address(e, place, 1 - width)
    turned = _reverse(e, kind, text, width, place.level)
    if place.mask is None:
        e.line(f"store {kind} {turned}, ptr {address}, align {place.dtype.itemsize}")
        return
    mask = _reverse(e, vector_of("i1", width), place.mask, width, place.level)
    _masked_store(e, place, turned, address, mask, width)


def _store_every_second(e: Emitter, place: Place, text: str, width: int) -> None:
    """Write two spread vectors, masked: much quicker than a scatter."""
    kind, bits = vector_of(place.element, width), vector_of("i1", width)
    for first in (0, width // 2):
        lanes = [first + number // 2 for number in range(width)]
        order = ", ".join(f"i32 {lane}" for lane in lanes)
        spread = e.value(f"shufflevector {kind} {text}, {kind} poison, <{width} x i32> <{order}>")
        if place.mask is None:
            chosen = ", ".join(f"i1 {int(number % 2 == 0)}" for number in range(width))
            mask = f"<{chosen}>"
        else:
            kept = [lane if number % 2 == 0 else width for number, lane in enumerate(lanes)]
            order = ", ".join(f"i32 {lane}" for lane in kept)
            mask = e.value(
                f"shufflevector {bits} {place.mask}, {bits} zeroinitializer, "
                f"<{width} x i32> <{order}>"
            )
        _masked_store(e, place, spread, _address(e, place, 2 * first), mask, width)


def _scatter(e: Emitter, place: Place, text: str, width: int) -> None:
    kind, bits = vector_of(place.element, width), vector_of("i1", width)
    name = f"@llvm.masked.scatter.{suffix(place.element, width)}.v{width}p0"
    e.declare(f"declare void {name}({kind}, <{width} x ptr>, {bits})")
    addresses = _addresses(e, place, width)
    e.line(
        f"call void {name}({kind} {text}, <{width} x ptr> align {place.dtype.itemsize} "
        f"{addresses}, {bits} {place.mask or _all_active(width)})"
    )


def _store_lanes(e: Emitter, place: Place, text: str, width: int) -> None:
    kind = vector_of(place.element, width)
    for lane in range(width):
        single = e.value(f"extractelement {kind} {text}, i64 {lane}")
        address = _lane_address(e, place, lane, width, e.idle_slot())
        e.line(f"store {place.element} {single}, ptr {address}, align {place.dtype.itemsize}")
