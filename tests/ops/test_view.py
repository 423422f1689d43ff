"""Views against positions computed one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pumice.ops.view import View


def positions(view: View) -> np.ndarray:
    result = np.full(view.shape, view.offset)
    for axis, (extent, stride) in enumerate(zip(view.shape, view.strides, strict=True)):
        shape = [1] * len(view.shape)
        shape[axis] = extent
        result = result + (np.arange(extent) * stride).reshape(shape)
    return result


@st.composite
def moved(draw: st.DrawFn, start: View) -> View:
    """A view made from another one by the moves tensors offer."""
    view = start
    for _ in range(draw(st.integers(0, 4))):
        rank = len(view.shape)
        kind = draw(st.sampled_from(["permute", "slice", "insert", "expand", "merge"]))
        if kind == "permute" and rank:
            view = view.permute(tuple(draw(st.permutations(range(rank)))))
        elif kind == "slice" and rank:
            axis = draw(st.integers(0, rank - 1))
            extent = view.shape[axis]
            step = draw(st.sampled_from([-2, -1, 1, 2]))
            length = draw(st.integers(1, -(-extent // abs(step))))
            room = extent - 1 - (length - 1) * abs(step)
            low = draw(st.integers(0, room))
            first = low if step > 0 else low + (length - 1) * abs(step)
            view = view.slice_axis(axis, first, length, step)
        elif kind == "insert":
            view = view.insert_axis(draw(st.integers(0, rank)))
        elif kind == "expand":
            wider = [draw(st.integers(1, 3)) if each == 1 else each for each in view.shape]
            view = view.expand(tuple(wider))
        elif kind == "merge" and rank >= 2:
            axis = draw(st.integers(0, rank - 2))
            shape = list(view.shape)
            shape[axis : axis + 2] = [shape[axis] * shape[axis + 1]]
            view = view.reshape(tuple(shape)) or view
    return view


@st.composite
def view_pairs(draw: st.DrawFn) -> tuple[View, View]:
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    inner = draw(moved(View.contiguous(shape)))
    return inner, draw(moved(View.contiguous(inner.shape)))


@given(view_pairs())
@settings(max_examples=400, deadline=None)
def test_compose_reads_what_two_steps_read(pair: tuple[View, View]) -> None:
    inner, outer = pair
    composed = inner.compose(outer)
    expected = positions(inner).reshape(-1)[positions(outer)]
    if composed is not None:
        np.testing.assert_array_equal(positions(composed), expected)


@given(view_pairs())
@settings(max_examples=200, deadline=None)
def test_compose_with_a_plain_move_never_fails(pair: tuple[View, View]) -> None:
    inner, _ = pair
    assert inner.compose(View.contiguous(inner.shape)) is not None


@given(view_pairs())
@settings(max_examples=200, deadline=None)
def test_injective_views_read_each_element_once(pair: tuple[View, View]) -> None:
    view, _ = pair
    read = positions(view).reshape(-1)
    if view.is_injective():
        assert len(np.unique(read)) == len(read)
    low, high = view.bounds()
    assert (read.min(), read.max()) == (low, high)


def test_reshape_that_strides_cannot_express() -> None:
    assert View.contiguous((3, 4)).permute((1, 0)).reshape((12,)) is None


def test_flipped_diagonal_composes() -> None:
    square = View.contiguous((4, 4))
    anti = View((4,), (3,), 3)
    assert square.permute((1, 0)).compose(anti) is not None
