"""Replays of plain tensors take a short way; whatever it does not expect takes the long one."""

import threading

import numpy as np
import pytest

import pumice
from pumice.engine.statistics import statistics
from pumice.errors import IndexOutOfRange


def ready(function, *arguments, **keywords):
    """Return the captured function, ready to be replayed the short way."""
    captured = pumice.jit(function)
    for _ in range(3):
        captured(*arguments, **keywords)
    assert captured._quick is not None
    return captured


def ramp(count=6, start=0.0):
    return pumice.tensor(np.arange(count, dtype=np.float32) + np.float32(start))


def test_results_follow_the_arguments() -> None:
    add = ready(lambda x, y: x + y * 2, ramp(), ramp())
    for start in range(5):
        result = add(ramp(start=start), ramp())
        assert result.tolist() == [start + 3.0 * i for i in range(6)]
        assert result.dtype is pumice.float32


def test_results_are_never_overwritten() -> None:
    double = ready(lambda x: x * 2, ramp())
    results = [double(ramp(start=start)) for start in range(10)]
    for start, result in enumerate(results):
        assert result.tolist() == [2.0 * (start + i) for i in range(6)]


def test_keywords_in_their_order() -> None:
    subtract = ready(lambda x, y: x - y, x=ramp(), y=ramp())
    assert subtract(x=ramp(start=5), y=ramp()).tolist() == [5.0] * 6
    assert subtract(y=ramp(start=5), x=ramp()).tolist() == [-5.0] * 6
    assert subtract(ramp(start=1), ramp()).tolist() == [1.0] * 6


def test_several_results_in_structures() -> None:
    both = ready(lambda x, y: {"sum": x + y, "rest": (x - y, [x])}, ramp(), ramp())
    found = both(ramp(start=2), ramp())
    assert found["sum"].tolist() == [2.0 + 2 * i for i in range(6)]
    assert found["rest"][0].tolist() == [2.0] * 6
    assert found["rest"][1][0].tolist() == ramp(start=2).tolist()


def test_several_new_results_are_written_out() -> None:
    def found(x, y):
        return {"pair": (x + y, [x - y]), 3: pumice.cummax(x, 0), "none": None, "half": 0.5}

    captured = ready(found, ramp(), ramp())
    assert captured._straight is not None
    result = captured(ramp(start=2), ramp())
    assert list(result) == ["pair", 3, "none", "half"]
    assert type(result["pair"]) is tuple and type(result["pair"][1]) is list
    assert result["pair"][0].tolist() == [2.0 + 2 * i for i in range(6)]
    assert result["pair"][1][0].tolist() == [2.0] * 6
    assert type(result[3]).__name__ == "cummax"
    assert result[3].values.tolist() == ramp(start=2).tolist()
    assert result[3].indices.tolist() == list(range(6))
    assert result["none"] is None and result["half"] == 0.5


def test_other_arguments_take_the_long_way() -> None:
    add = ready(lambda x, y: x + y, ramp(), ramp())
    assert add(ramp(4), ramp(4)).tolist() == [0.0, 2.0, 4.0, 6.0]
    assert add(ramp().to(pumice.int32), ramp().to(pumice.int32)).dtype is pumice.int32
    x = ramp()
    for _ in range(3):
        assert add(x, x).tolist() == [2.0 * i for i in range(6)]
    assert add(ramp(12)[::2], ramp()).tolist() == [3.0 * i for i in range(6)]
    assert add(ramp(), 1).tolist() == [i + 1.0 for i in range(6)]
    leaf = ramp().requires_grad_()
    with pytest.raises(RuntimeError, match="requires grad"):
        add(leaf, ramp())
    with pumice.no_grad():
        assert add(leaf, ramp()).tolist() == [2.0 * i for i in range(6)]


def test_arguments_that_are_not_evaluated() -> None:
    add = ready(lambda x, y: x + y, ramp(), ramp())
    assert add(ramp() * 3, ramp().exp().log()).numpy() == pytest.approx(np.arange(6) * 4, abs=1e-5)


def test_tensors_from_outside_are_read_anew() -> None:
    weight = ramp()
    scale = ready(lambda x: x * weight, ramp())
    weight += 1
    assert scale(ramp()).tolist() == [i * (i + 1.0) for i in range(6)]
    weight.copy_(ramp(start=3))
    assert scale(ramp()).tolist() == [i * (i + 3.0) for i in range(6)]


def test_a_call_inside_another_capture_is_captured() -> None:
    double = ready(lambda x: x * 2, ramp())
    outer = pumice.jit(lambda x: double(x) + 1)
    for start in range(4):
        assert outer(ramp(start=start)).tolist() == [2.0 * (start + i) + 1 for i in range(6)]


def test_data_errors_are_raised() -> None:
    table = ramp()
    take = ready(lambda i: pumice.take(table, i), pumice.tensor([1, 2]))
    runs = statistics.runs
    with pytest.raises(IndexOutOfRange):
        take(pumice.tensor([1, 99]))
    assert statistics.runs == runs + 1
    assert take(pumice.tensor([3, 0])).tolist() == [3.0, 0.0]


def test_data_errors_of_calls_that_are_written_out() -> None:
    take = ready(lambda x, i: (pumice.take(x, i), x + 1), ramp(), pumice.tensor([1, 2]))
    assert take._straight is not None
    for _ in range(2):
        with pytest.raises(IndexOutOfRange, match=r"index 99 .*test_jit_quick"):
            take(ramp(), pumice.tensor([1, 99]))
        assert take(ramp(), pumice.tensor([3, 0]))[0].tolist() == [3.0, 0.0]


def test_threads_share_a_captured_function() -> None:
    double = ready(lambda x: (x * 2).sum(), ramp())
    wrong = []

    def work(start: int) -> None:
        for _ in range(200):
            if double(ramp(start=start)).item() != 2 * (6 * start + 15):
                wrong.append(start)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_functions_with_effects_have_no_short_way() -> None:
    total = ramp()
    captured = pumice.jit(lambda x: total.add_(x).sum())
    for _ in range(4):
        captured(ramp())
    assert captured._quick is None
    assert total.tolist() == [5.0 * i for i in range(6)]
    noisy = pumice.jit(lambda x: x + pumice.rand(6))
    seen = {tuple(noisy(ramp()).tolist()) for _ in range(5)}
    assert len(seen) == 5


def test_threads_each_get_their_own_data_errors() -> None:
    source = ramp()
    pick = ready(lambda x, places: x[places] * 2, source, pumice.tensor([0, 1]))
    good, bad = pumice.tensor([1, 2]), pumice.tensor([1, 9])
    entered, plan = threading.Event(), pick._quick._plan
    call = plan.call

    def slow(*words):
        code = call(*words)
        if threading.current_thread() is not other:
            entered.set()
            other.join(0.1)  # the other thread waits, or takes this thread's error
        return code

    found = []
    other = threading.Thread(target=lambda: (entered.wait(), found.append(pick(source, good))))
    other.start()
    plan.call = slow
    try:
        with pytest.raises(IndexOutOfRange):
            pick(source, bad)
    finally:
        plan.call = call
    other.join()
    assert found[0].tolist() == [2.0, 4.0]


def test_tensors_given_other_memory_are_captured_anew() -> None:
    weight = ramp()
    scale = ready(lambda x: x * weight, ramp(start=1))
    weight.data = ramp(start=5)
    for _ in range(4):
        assert scale(ramp(start=1)).tolist() == [(i + 1.0) * (i + 5) for i in range(6)]
    layer = pumice.nn.Linear(6, 2)
    apply = pumice.jit(layer)
    with pumice.no_grad():
        for _ in range(3):
            apply(ramp())
        layer.double()
        assert apply(ramp().double()).dtype is pumice.float64
        for _ in range(3):
            result = apply(ramp().double())
            assert result.tolist() == layer(ramp().double()).tolist()


@pytest.mark.parametrize("count", [1, 3, 9])
def test_a_single_result_of_some_arguments(count: int) -> None:
    def chain(*matrices):
        """Keep products in temporaries, and read the first argument again."""
        product = matrices[0]
        for each in matrices:
            product = product @ each * 0.5
        return product + matrices[0]

    matrices = [pumice.tensor(np.eye(5, dtype=np.float32) * (i + 1)) for i in range(count)]
    captured = ready(chain, *matrices)
    assert (captured._straight is not None) == (count < 9)
    factor = np.prod(0.5 * np.arange(1, count + 1))
    for scale in (1.0, 3.0):
        given = [matrices[0] * scale, *matrices[1:]]
        found = captured(*given).numpy()
        expected = np.eye(5) * (factor * scale**2 + scale)
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    with pytest.raises(IndexError):
        captured()
