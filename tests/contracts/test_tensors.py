"""Promises about tensors: writes, folds, scans, padding, products and creation."""

import numpy as np
import pytest

import pumice
from pumice import errors
from pumice.nn import functional
from tests.contracts.promise import host, on, promise, same

NAN, INF = float("nan"), float("inf")


@promise("3.1")
def test_broadcasting_functions(device: str) -> None:
    a, b = on(device, [[1], [2]]), on(device, [0.5, 1.5, 2.5])
    first, second = pumice.broadcast_tensors(a, b)
    assert first.shape == second.shape == (2, 3)
    assert first.dtype is pumice.int64
    left, right = pumice.broadcasted(a, b)
    assert left.dtype is right.dtype is pumice.float32
    same(left, np.array([[1, 1, 1], [2, 2, 2]], np.float32))
    swapped = pumice.broadcasted(a, b, reverse=True)
    same(swapped[0], host(right))
    same(swapped[1], host(left))


@promise("3.2")
def test_assign(device: str) -> None:
    t = on(device, [1.0, 2.0, 3.0, 4.0])
    earlier = t * 10
    alias = t[1:3]
    assert t.assign(on(device, 7.0)) is t
    same(earlier, np.array([10, 20, 30, 40], np.float32))
    same(alias, np.array([7, 7], np.float32))
    alias.assign(on(device, [8.0, 9.0]))
    same(t, np.array([7, 8, 9, 7], np.float32))
    t[1:].assign(t[:-1])
    same(t, np.array([7, 7, 8, 9], np.float32))
    t.assign(t.flip(0))
    same(t, np.array([9, 8, 7, 7], np.float32))
    t.assign(t)
    same(t, np.array([9, 8, 7, 7], np.float32))
    with pytest.raises(errors.DTypeError):
        t.assign(on(device, [1, 2, 3, 4]))
    with pytest.raises(errors.ShapeError):
        t.assign(on(device, [1.0, 2.0]))
    same(t.copy_(on(device, [1, 2, 3, 4])), np.array([1, 2, 3, 4], np.float32))
    if device != "cpu":
        with pytest.raises(errors.DeviceError):
            t.assign(pumice.zeros(4))
        same(t.copy_(pumice.zeros(4)), np.zeros(4, np.float32))


@promise("3.3")
def test_mean_and_variance(device: str) -> None:
    x = on(device, [[1, 2], [3, 6]])
    assert x.mean().dtype is x.var().dtype is x.std().dtype is pumice.float32
    same(x.mean(), np.float32(3.0))
    assert x.var().item() == pytest.approx(14 / 3)
    assert x.var(correction=0).item() == pytest.approx(3.5)
    assert x.std(correction=0).item() == pytest.approx(3.5**0.5)
    assert x.var(correction=4).isnan().item()
    assert x.std(correction=4).isnan().item()
    assert on(device, [2.0]).var().isnan().item()
    assert on(device, [2.0]).std().isnan().item()
    same(x.mean(axis=0, keepdims=True), np.array([[2.0, 4.0]], np.float32))
    same(x.var(axis=1, keepdims=True, correction=0), np.array([[0.25], [2.25]], np.float32))
    same(x.mean(dim=1, keepdim=True), np.array([[1.5], [4.5]], np.float32))


@promise("3.4")
def test_layernorm(device: str) -> None:
    x = on(device, [1.0, 2.0, 3.0, 4.0])
    expected = (np.arange(1, 5) - 2.5) / np.sqrt(1.25 + 1e-5)
    np.testing.assert_allclose(host(pumice.layernorm(x)), expected, rtol=1e-6)
    wide = on(device, [[1.0, 3.0], [2.0, 6.0]])
    expected = (host(wide) - host(wide).mean(0)) / np.sqrt(host(wide).var(0) + 0.5)
    np.testing.assert_allclose(host(pumice.layernorm(wide, axis=0, eps=0.5)), expected, rtol=1e-6)
    np.testing.assert_allclose(
        host(functional.layer_norm(wide, (2,))), [[-1, 1], [-1, 1]], rtol=1e-4
    )


@promise("3.5")
def test_logsumexp_family(device: str) -> None:
    assert on(device, [-INF, -INF]).logsumexp().item() == -INF
    assert on(device, [INF, 1.0]).logsumexp().item() == INF
    assert on(device, [[1000.0, 1000.0]]).logsumexp().item() == pytest.approx(1000.6931)
    same(on(device, [1000.0, 0.0]).log_softmax(), np.array([0.0, -1000.0], np.float32))
    rows = on(device, [[0.0, 0.0], [-INF, -INF]]).softmax()
    same(rows, np.array([[0.5, 0.5], [NAN, NAN]], np.float32))
    assert np.isnan(host(on(device, [-INF, -INF]).log_softmax())).all()
    half = on(device, [1.0, 2.0], pumice.float16).softmax(-1, dtype=pumice.float32)
    assert half.dtype is pumice.float32
    np.testing.assert_allclose(host(half), [0.26894143, 0.7310586], rtol=1e-6)
    scanned = host(on(device, [-INF, -INF, 0.0, 0.0]).logcumsumexp(0))
    assert scanned[:2].tolist() == [-INF, -INF]
    np.testing.assert_allclose(scanned[2:], [0.0, np.log(2)], rtol=1e-6)


@promise("3.6")
def test_positions_of_extremes(device: str) -> None:
    x = on(device, [[1, 3, 3], [0, 0, 2]])
    assert x.argmax().dtype is x.argmin().dtype is pumice.int64
    assert x.argmax().item() == 1
    assert x.argmin().item() == 3
    assert pumice.argmax(x, select_last_index=True).item() == 2
    assert pumice.argmin(x, select_last_index=True).item() == 4
    assert pumice.argmax(x, 1).tolist() == [1, 2]
    assert pumice.argmin(x, 1, select_last_index=True).tolist() == [0, 1]
    bad = on(device, [1.0, NAN, 5.0, NAN])
    assert bad.argmax().item() == bad.argmin().item() == 1


@promise("3.7")
def test_scans(device: str) -> None:
    x = on(device, [[1, 2], [3, 1], [3, 2]])
    same(pumice.cumsum(x), [[1, 2], [4, 3], [7, 5]])
    same(pumice.cumprod(x), [[1, 2], [3, 2], [9, 4]])
    values, places = pumice.cummax(x)
    same(values, [[1, 2], [3, 2], [3, 2]])
    same(places, [[0, 0], [1, 0], [2, 2]])
    values, places = pumice.cummin(x, 1)
    same(values, [[1, 1], [3, 1], [3, 2]])
    same(places, [[0, 0], [0, 1], [0, 1]])
    tied = on(device, [2.0, 2.0, 1.0, 2.0])
    assert pumice.cummax(tied)[1].tolist() == [0, 1, 1, 3]
    assert pumice.logcumsumexp(on(device, [0.0])).tolist() == [0.0]


@promise("3.8")
def test_joining(device: str) -> None:
    a, b = on(device, [[1, 2]]), on(device, [[0.5, 1.5]])
    same(pumice.cat([a, b]), np.array([[1, 2], [0.5, 1.5]], np.float32))
    assert pumice.cat([on(device, [True]), on(device, [2])]).tolist() == [1, 2]
    assert pumice.cat([pumice.zeros(0, device=device), b, b], 1).shape == (1, 4)
    assert pumice.stack([a, b], 1).shape == (1, 2, 2)
    with pytest.raises(errors.ShapeError):
        pumice.cat([a, on(device, [[1, 2, 3]])])
    with pytest.raises(errors.ShapeError):
        pumice.stack([a, on(device, [[1, 2, 3]])])


@promise("3.9")
def test_padding(device: str) -> None:
    x = on(device, [1, 2, 3, 4])
    same(pumice.pad(x, [(1, 2)]), [0, 1, 2, 3, 4, 0, 0])
    same(pumice.pad(x, [(-1, 2)], mode="circular"), [2, 3, 4, 1, 2])
    same(pumice.pad(x, [(2, 1)], mode="reflect"), [3, 2, 1, 2, 3, 4, 3])
    same(pumice.pad(x, [(2, 1)], mode="replicate"), [1, 1, 1, 2, 3, 4, 4])
    same(pumice.pad(x, [(1, 0)], value=1.5), np.array([1.5, 1, 2, 3, 4], np.float32))
    same(pumice.pad_constant(x, [(0, 1)], 7), [1, 2, 3, 4, 7])
    same(pumice.pad(on(device, [[1], [2]]), [None, (1, 0)]), [[0, 1], [0, 2]])
    with pytest.raises(errors.PumiceError):
        pumice.pad(x, [(4, 0)], mode="reflect")
    with pytest.raises(errors.PumiceError):
        pumice.pad(x, [(5, 0)], mode="circular")
    same(pumice.pad(x, [(4, 0)], mode="circular"), [1, 2, 3, 4, 1, 2, 3, 4])
    same(functional.pad(on(device, [[1, 2]]), [1, 0, 0, 1]), [[0, 1, 2], [0, 0, 0]])


@promise("3.10")
def test_dot(device: str) -> None:
    a = np.random.default_rng(0).normal(size=(2, 1, 3, 4))
    w = np.random.default_rng(1).normal(size=(5, 4, 6))
    out = pumice.dot(on(device, a), on(device, w))
    assert out.shape == (2, 5, 3, 6)
    np.testing.assert_allclose(host(out), a @ w, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(host(pumice.matmul(on(device, a), on(device, w))), a @ w, rtol=1e-9)
    row = on(device, [1.0, 2.0])
    assert pumice.dot(row, row).item() == 5.0
    small = pumice.ones(1, 300, dtype=pumice.int8, device=device)
    assert pumice.dot(small, small.reshape(300, 1), dtype=pumice.int32).item() == 300
    with pytest.raises(errors.ShapeError):
        pumice.dot(on(device, 1.0), row)


@promise("3.17")
def test_attention(device: str) -> None:
    random = np.random.default_rng(2)
    q, k, v = (on(device, random.normal(size=(1, 3, 4)).astype(np.float32)) for _ in range(3))
    attend = functional.scaled_dot_product_attention
    scores = host(q) @ host(k).swapaxes(1, 2) / 2.0

    def weights(x: np.ndarray) -> np.ndarray:
        shifted = np.exp(x - x.max(-1, keepdims=True))
        return shifted / shifted.sum(-1, keepdims=True)

    np.testing.assert_allclose(host(attend(q, k, v)), weights(scores) @ host(v), rtol=1e-5)
    added = random.normal(size=(3, 3)).astype(np.float32)
    np.testing.assert_allclose(
        host(attend(q, k, v, on(device, added))), weights(scores + added) @ host(v), rtol=1e-5
    )
    lower = np.tril(np.ones((3, 3), bool))
    causal = weights(np.where(lower, scores, -np.inf)) @ host(v)
    np.testing.assert_allclose(host(attend(q, k, v, is_causal=True)), causal, rtol=1e-5)
    np.testing.assert_allclose(host(attend(q, k, v, on(device, lower))), causal, rtol=1e-5)
    none = on(device, [[False] * 3, [True] * 3, [True] * 3])
    same(attend(q, k, v, none)[:, 0], np.zeros((1, 4), np.float32))
    with pytest.raises(errors.PumiceError):
        attend(q, k, v, on(device, lower), is_causal=True)


@promise("3.18")
def test_convolution_and_pooling(device: str) -> None:
    x = on(device, [[[1.0, 2.0, 3.0, 4.0, 5.0]]])
    w = on(device, [[[1.0, 10.0, 100.0]]])
    same(functional.conv1d(x, w), np.array([[[321, 432, 543]]], np.float32))
    same(functional.conv1d(x, w, stride=2), np.array([[[321, 543]]], np.float32))
    same(functional.conv1d(x, w, dilation=2), np.array([[[531]]], np.float32))
    assert functional.conv1d(x, w, padding="same").shape == (1, 1, 5)
    same(functional.conv1d(x, w, padding="valid"), np.array([[[321, 432, 543]]], np.float32))
    grouped = functional.conv2d(
        pumice.ones(1, 4, 3, 3, device=device), pumice.ones(4, 2, 2, 2, device=device), groups=2
    )
    same(grouped, np.full((1, 4, 2, 2), 8.0, np.float32))
    volume = pumice.ones(1, 2, 3, 3, 3, device=device)
    out = functional.conv3d(volume, pumice.ones(1, 2, 3, 3, 3, device=device))
    same(out, np.full((1, 1, 1, 1, 1), 54.0, np.float32))
    same(functional.max_pool1d(x, 2), np.array([[[2, 4]]], np.float32))
    same(functional.avg_pool1d(x, 2), np.array([[[1.5, 3.5]]], np.float32))
    assert functional.max_pool3d(volume, 3).shape == (1, 2, 1, 1, 1)


@promise("3.19")
def test_creation(device: str) -> None:
    def ranged(*arguments: float) -> list[float]:
        return pumice.arange(*arguments, device=device).tolist()

    assert ranged(5) == [0, 1, 2, 3, 4]
    assert ranged(1, 7, 2) == [1, 3, 5]
    assert ranged(3, 0, -1) == [3, 2, 1]
    assert ranged(3, 5, -1) == []
    assert pumice.arange(3, device=device).dtype is pumice.int64
    assert pumice.arange(3.0, device=device).dtype is pumice.float32
    with pytest.raises(errors.PumiceError):
        ranged(1, 2, 0)
    line = pumice.linspace(0.1, 0.7, 7, device=device).tolist()
    assert line[0] == np.float32(0.1)
    assert line[-1] == np.float32(0.7)
    assert pumice.linspace(3, 5, 1, device=device).tolist() == [3.0]
    with pytest.raises(errors.PumiceError):
        pumice.linspace(0, 1, -1, device=device)
    with pytest.raises(errors.PumiceError):
        pumice.linspace(0, 1, 3, dtype=pumice.bool, device=device)
    same(pumice.eye(2, 3, device=device), np.eye(2, 3, dtype=np.float32))
    with pytest.raises(errors.PumiceError):
        pumice.eye(-1, device=device)
