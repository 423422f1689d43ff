"""One operation on evaluated tensors takes a short way to its plan, and gives what graphs give."""

import threading

import numpy as np
import pytest

import pumice
from pumice.engine import compiled, single
from pumice.engine.statistics import statistics
from pumice.errors import IntegerDivisionByZero
from pumice.graph.node import Node
from pumice.ops import structure
from pumice.schedule.sources import resolve


def ramp(count=6, start=0.0):
    return pumice.tensor(np.arange(count, dtype=np.float32) + np.float32(start)).realize()


def test_plans_are_built_once_and_found_again() -> None:
    for _ in range(2):
        assert (ramp() + ramp(start=1)).tolist() == [2.0 * i + 1 for i in range(6)]
    plans = statistics.plans_built
    for start in range(5):
        assert (ramp(start=start) + ramp()).tolist() == [2.0 * i + start for i in range(6)]
    assert statistics.plans_built == plans


def test_numbers_are_taken_from_the_operation() -> None:
    for number in (2.0, -0.0, 3, 0.5, float("inf")):
        expected = np.arange(6, dtype=np.float32) + np.float32(number)
        assert np.array_equal((ramp() + number).numpy(), expected)
    assert np.signbit((pumice.zeros(3).realize() * -1.0).numpy()).all()


def test_the_same_operand_twice() -> None:
    x, y = ramp(), ramp(start=1)
    assert (x * y).tolist() == [i * (i + 1.0) for i in range(6)]
    assert (x * x).tolist() == [float(i * i) for i in range(6)]
    assert (y * x).tolist() == [i * (i + 1.0) for i in range(6)]
    for first, second in ((x, y), (y, x), (x, x)):
        for condition in (x > 2, y > 100):
            expected = np.where(condition.numpy(), first.numpy(), second.numpy())
            assert (pumice.where(condition.realize(), first, second).numpy() == expected).all()


@pytest.mark.parametrize("dtype", [pumice.float32, pumice.float64, pumice.int32, pumice.bool])
def test_dtypes_and_shapes_have_plans_of_their_own(dtype) -> None:
    for shape in ((3,), (3, 1), (1, 3), (0,), ()):
        x = pumice.ones(shape, dtype=dtype).realize()
        result = x + x
        assert result.shape == shape
        assert (result.numpy() == (x.numpy() + x.numpy())).all()


def test_gradients_still_flow() -> None:
    leaf = ramp().requires_grad_()
    result = leaf * 3
    result.realize()
    assert result.node.value is not None
    result.sum().backward()
    assert leaf.grad is not None and leaf.grad.tolist() == [3.0] * 6


def test_data_errors_are_raised_each_time() -> None:
    x = pumice.tensor([1, 2]).realize()
    for _ in range(3):
        with pytest.raises(IntegerDivisionByZero):
            (x // pumice.tensor([1, 0])).realize()
        assert (x // pumice.tensor([1, 2])).tolist() == [1, 1]


def test_remembered_plans_are_bounded(monkeypatch) -> None:
    monkeypatch.setattr(single, "MAXIMUM_SINGLES", 4)
    monkeypatch.setattr(single, "_plans", {})
    for count in range(1, 20):
        assert (ramp(count) + 1).tolist() == [i + 1.0 for i in range(count)]
        assert len(single._plans) <= 4


def test_threads_evaluate_one_tensor() -> None:
    wrong = []

    def work(result) -> None:
        if result.realize().tolist() != [2.0 * i for i in range(6)]:
            wrong.append(result)

    for _ in range(30):
        result = ramp() * 2
        threads = [threading.Thread(target=work, args=(result,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_a_value_another_thread_was_faster_with_is_kept() -> None:
    result = (ramp() * 2 + 1).realize()
    kept = result.node.value
    compiled._evaluate([result.node])
    assert result.node.value is kept


def test_what_another_thread_has_settled_resolves_to_itself() -> None:
    node = ramp().detach().node
    settled = Node(structure.DETACH, node.dtype, node.shape, (node,))
    settled.sources = ()
    assert resolve(settled) is settled


def test_an_interrupted_run_leaves_no_fault_for_a_later_one(monkeypatch) -> None:
    one, zero = pumice.tensor([7, 8]).realize(), pumice.tensor([1, 0]).realize()
    with pytest.raises(IntegerDivisionByZero):
        (one // zero).realize()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("pumice.engine.execute.attend", interrupt)
        (one // zero).realize()
    assert (one // pumice.tensor([1, 2]).realize()).tolist() == [7, 4]
