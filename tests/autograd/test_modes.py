"""Modes around gradients: inference, anomaly detection, and the default dtype."""

from collections.abc import Iterator
from threading import Thread
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import func, nn
from pumice.autograd import AnomalyError, detect_anomaly, set_detect_anomaly
from pumice.autograd.anomaly import is_anomaly_enabled


class TestInference:
    def test_no_gradients_inside(self) -> None:
        x = pumice.ones(2, requires_grad=True)
        with pumice.inference_mode():
            assert pumice.is_inference_mode_enabled() and not pumice.is_grad_enabled()
            y = x * 2
            with pumice.inference_mode(False):
                assert pumice.is_grad_enabled() and not pumice.is_inference_mode_enabled()
        assert not y.requires_grad and pumice.is_grad_enabled()
        assert not pumice.is_inference_mode_enabled()

    def test_as_a_decorator(self) -> None:
        @pumice.inference_mode
        def bare(x: Any) -> Any:
            """What it is."""
            return x * 2, pumice.is_inference_mode_enabled()

        @pumice.inference_mode()
        def called(x: Any) -> Any:
            return x * 2, pumice.is_inference_mode_enabled()

        x = pumice.ones(2, requires_grad=True)
        for function in (bare, called):
            y, enabled = function(x)
            assert enabled and not y.requires_grad
        assert bare.__doc__ == "What it is."

    def test_results_are_ordinary(self) -> None:
        with pumice.inference_mode():
            y = pumice.ones(2)
        x = pumice.ones(2, requires_grad=True)
        (x * y).sum().backward()
        assert x.grad is not None and x.grad.tolist() == [1, 1]


class TestAnomaly:
    def test_it_names_the_line(self) -> None:
        x = pumice.tensor([4.0, -1.0], requires_grad=True)
        y = x * 2
        z = y.sqrt()  # here
        told = pytest.raises(AnomalyError, match=r"sqrt at .*test_modes\.py:\d+ returned NaN")
        with told, detect_anomaly():
            z.sum().backward()

    def test_silent_where_nothing_is_wrong(self) -> None:
        x = pumice.tensor([4.0, 1.0], requires_grad=True)
        with detect_anomaly():
            assert is_anomaly_enabled()
            (x.sqrt() * x).sum().backward()
        assert x.grad is not None and x.grad.tolist() == [3.0, 1.5]
        assert not is_anomaly_enabled()

    def test_a_nan_that_arrives_is_not_blamed(self) -> None:
        x = pumice.tensor(1.0, requires_grad=True)
        with detect_anomaly():
            (x * 2).backward(pumice.tensor(float("nan")))

    def test_off(self) -> None:
        x = pumice.tensor(-1.0, requires_grad=True)
        with detect_anomaly(check_nan=False):
            x.sqrt().backward()
        with set_detect_anomaly(True):
            with set_detect_anomaly(False):
                x.sqrt().backward()
            with pytest.raises(AnomalyError):
                x.sqrt().backward()
        x.sqrt().backward()

    def test_under_transforms(self) -> None:
        with pytest.raises(AnomalyError, match="sqrt"), detect_anomaly():
            func.grad(lambda x: x.sqrt())(pumice.tensor(-1.0))
        told = pytest.raises(pumice.InvalidArgument, match="differs between examples")
        with told, detect_anomaly():
            func.vmap(func.grad(lambda x: x.sqrt()))(pumice.tensor([-1.0]))


class TestDefaultDtype:
    @pytest.fixture(autouse=True)
    def restored(self) -> Iterator[None]:
        yield
        pumice.set_default_dtype(pumice.float32)

    @pytest.mark.parametrize("dtype", [pumice.float64, pumice.float16, pumice.bfloat16])
    def test_where_it_is_used(self, dtype: Any) -> None:
        before = (pumice.arange(3) / 2).dtype, pumice.arange(3).sin().dtype
        assert before == (pumice.float32, pumice.float32)
        pumice.set_default_dtype(dtype)
        assert pumice.get_default_dtype() is dtype
        whole = pumice.arange(3)
        made = [
            pumice.tensor(1.5),
            pumice.tensor([1.0, 2.0]),
            pumice.zeros(2),
            pumice.ones(2),
            pumice.empty(2),
            pumice.full((2,), 1.5),
            pumice.rand(2),
            pumice.randn(2),
            pumice.eye(2),
            pumice.linspace(0, 1, 3),
            pumice.arange(0.0, 1.0, 0.5),
            whole / 2,
            whole * 2.5,
            whole.sin(),
            whole.mean(),
            nn.Linear(2, 2).weight,
            nn.Linear(2, 2)(pumice.ones(1, 2)),
        ]
        assert [each.dtype for each in made] == [dtype] * len(made)
        assert pumice.finfo().bits == pumice.finfo(dtype).bits
        assert "dtype" not in repr(pumice.zeros(2)) and "int64" not in repr(whole)
        assert "float32" in repr(pumice.zeros(2, dtype=pumice.float32))

    def test_what_is_named_stays(self) -> None:
        pumice.set_default_dtype(pumice.float64)
        x = pumice.ones(2, dtype=pumice.float32)
        assert (x * 2.5).dtype is pumice.float32
        assert pumice.tensor(np.ones(2, np.float32)).dtype is pumice.float32

    def test_captured_again(self) -> None:
        double = pumice.jit(lambda x: x / 2)
        x = pumice.arange(3)
        for dtype in (pumice.float32, pumice.float64, pumice.float32):
            pumice.set_default_dtype(dtype)
            for _ in range(4):
                assert double(x).dtype is dtype

    def test_for_all_threads(self) -> None:
        pumice.set_default_dtype(pumice.float64)
        found: list[Any] = []
        thread = Thread(target=lambda: found.append(pumice.tensor(1.0).dtype))
        thread.start()
        thread.join()
        assert found == [pumice.float64]

    def test_errors(self) -> None:
        for wrong in (pumice.int64, "float64"):
            with pytest.raises(pumice.DTypeError, match="set_default_dtype"):
                pumice.set_default_dtype(wrong)  # type: ignore[arg-type]
