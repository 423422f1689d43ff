"""Which launches may use 32-bit index arithmetic.

The runtime makes sure that sizes, strides, the number of items and the bytes of each allocation
need at most 31 bits. Then every address is right even if its computation wraps on the way, since
it is right modulo 2**32. What is left are indices that are compared, divided or used as data: a
product in them, the place in a flattened space say, may exceed 31 bits although each factor does
not. For kernels with such indices the iterations as a whole must fit 31 bits as well.
"""

from collections import Counter

from pumice.kernel.ir import (
    INDEX,
    Contract,
    Instruction,
    Kernel,
    Loop,
    Parameter,
    Statement,
    Value,
)
from pumice.kernel.walk import all_values, children

_EXACT = frozenset(
    (
        Instruction.QUOTIENT,
        Instruction.MODULUS,
        Instruction.EQ,
        Instruction.NE,
        Instruction.LT,
        Instruction.LE,
        Instruction.CAST,
        Instruction.CHECKED,
        Instruction.SHR,
    )
)

_DATA = frozenset((Instruction.CAST, Instruction.CHECKED))


def space_words(kernel: Kernel) -> tuple[int, ...] | None:
    """Return the argument words whose product with the items must fit 31 bits.

    None when 32-bit arithmetic is never safe.
    """
    if not _has_exact_products(kernel, _EXACT):
        return ()
    if any(isinstance(statement, Contract) for statement in kernel.body):
        # Places of a product are bounded by one size each and what is compared by the extents of
        # tensors, but positions used as data may be those of a space that is nowhere in memory.
        return None if _has_exact_products(kernel, _DATA) else ()
    positions = {parameter: at for at, parameter in enumerate(kernel.parameters)}
    words = []
    for extent in _deepest(kernel.body).elements():
        if not isinstance(extent, Parameter):
            return None
        words.append(positions[extent])
    return tuple(sorted(words))


def _has_exact_products(kernel: Kernel, users: frozenset[Instruction]) -> bool:
    """Tell whether a product of indices reaches something that needs its exact value."""
    products: set[Value] = set()
    for value in all_values(kernel):
        inside = any(argument in products for argument in value.arguments)
        first = value.arguments[0].dtype if value.arguments else None
        if first is INDEX and value.instruction in users and inside:
            return True
        if value.dtype is INDEX and (inside or _is_product(value)):
            products.add(value)
    return False


def _is_product(value: Value) -> bool:
    if value.instruction is Instruction.SHL:
        return True
    if value.instruction is not Instruction.MUL:
        return False
    return all(each.instruction is not Instruction.CONSTANT for each in value.arguments)


def _deepest(body: tuple[Statement, ...]) -> Counter[Parameter | Value]:
    """Return the extents of nested loops, each as often as it occurs in the deepest nest."""
    total: Counter[Parameter | Value] = Counter()
    for statement in body:
        inner = _deepest(children(statement))
        if isinstance(statement, Loop):
            inner += _most_iterations(statement)
        total |= inner
    return total


def _most_iterations(loop: Loop) -> Counter[Parameter | Value]:
    """Return parameters whose product bounds the iterations of a loop, constants left out.

    Pieces of an axis begin at a place and end so many further on, or where the axis does. A stop
    that is not understood is returned.
    """
    start, stop = loop.start, loop.stop
    while start.instruction is stop.instruction is Instruction.ADD:
        if start.arguments[0] is not stop.arguments[0]:
            break
        start, stop = start.arguments[1], stop.arguments[1]
    for end in _least_of(stop):
        if end.instruction is Instruction.ADD and start in end.arguments:
            first, second = end.arguments
            found = _bound(second if first is start else first)
            if found is not None:
                return found
    found = _bound(stop)
    return Counter({stop: 1}) if found is None else found


def _bound(value: Value) -> Counter[Parameter | Value] | None:
    """Return parameters whose product is no less than an extent, but for constants."""
    match value.instruction:
        case Instruction.CONSTANT:
            return Counter()
        case Instruction.PARAMETER:
            return Counter((value.attribute,))
        case Instruction.QUOTIENT | Instruction.SUB:  # of numbers that are not negative
            return _bound(value.arguments[0])
        case Instruction.ADD if value.arguments[1].instruction is Instruction.CONSTANT:
            return _bound(value.arguments[0])
        case Instruction.SELECT:
            known = [_bound(each) for each in _least_of(value) if each is not value]
            bounds = [each for each in known if each is not None]
            return min(bounds, key=lambda each: each.total()) if bounds else None
    return None


def _least_of(value: Value) -> list[Value]:
    """Return the values of which one is the least."""
    if value.instruction is Instruction.SELECT:
        test, first, second = value.arguments
        if test.instruction is Instruction.LT and test.arguments == (first, second):
            return [*_least_of(first), *_least_of(second)]
    return [value]
