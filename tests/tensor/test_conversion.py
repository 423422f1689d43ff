"""Values to Python, NumPy and other libraries, and memory shared with them."""

import copy
import gc
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import dtypes
from pumice.dtypes import DType
from tests.required import computes_with
from tests.tensor.peers import torch_dtype


def test_numbers() -> None:
    assert pumice.tensor(2.5).item() == 2.5 and isinstance(pumice.tensor(2.5).item(), float)
    assert isinstance(pumice.tensor([[3]]).item(), int)
    assert pumice.tensor(True).item() is True
    assert float(pumice.tensor(3)) == 3.0 and int(pumice.tensor(3.9)) == 3
    assert [10, 20, 30][pumice.tensor(1)] == 20
    assert bool(pumice.tensor(0.5)) and not bool(pumice.tensor([0]))
    assert list(range(5))[pumice.tensor(1) : pumice.tensor(3)] == [1, 2]
    assert pumice.tensor(1.5, dtype=pumice.bfloat16).item() == 1.5
    assert len(pumice.zeros(3, 2)) == 3
    assert [row.tolist() for row in pumice.tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    assert 2 in pumice.tensor([1, 2]) and 5 not in pumice.tensor([1, 2])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pumice.zeros(2).item(), "a tensor with 2 elements cannot be converted"),
        (lambda: bool(pumice.zeros(2)), "more than one value is ambiguous"),
        (lambda: bool(pumice.zeros(0)), "no value is ambiguous"),
        (lambda: [1][pumice.tensor(0.0)], "only integer tensors"),
        (lambda: len(pumice.tensor(1)), "0-d tensor has no length"),
        (lambda: iter(pumice.tensor(1)), "cannot iterate over a 0-d tensor"),
        (lambda: pumice.ones(1, requires_grad=True).numpy(), "requires grad"),
        (lambda: (pumice.ones(1, requires_grad=True) * 2).numpy(), "use tensor.detach"),
        (lambda: pumice.zeros(2).view(pumice.float64), "differ in size"),
        (lambda: pumice.zeros(2).to(3), "got an argument of type int"),
        (lambda: pumice.from_numpy([1]), "allowed is a NumPy array"),
        (lambda: pumice.from_dlpack(3), "an object with __dlpack__"),
        (lambda: torch.from_dlpack(pumice.ones(1, requires_grad=True)), "requires gradient"),
        (lambda: pumice.zeros(2).as_strided((3,), (1,)), "the storage has 2"),
        (lambda: copy.deepcopy(pumice.ones(1, requires_grad=True) * 2), "only leaf tensors"),
    ],
)
def test_bad_conversions(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(pumice.PumiceError, match=text):
        call()


@pytest.mark.parametrize("source", dtypes.ALL, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("target", dtypes.ALL, ids=lambda dtype: dtype.name)
def test_casts_against_torch(source: DType, target: DType) -> None:
    values = [0.0, 1.0, 2.7, 100.0]
    ours = pumice.tensor(values).to(source).to(target)
    theirs = torch.tensor(values).to(torch_dtype(source)).to(torch_dtype(target))
    assert ours.dtype is target
    assert ours.tolist() == theirs.tolist()


def test_to_returns_self_when_nothing_changes() -> None:
    tensor = pumice.zeros(2)
    assert tensor.to(pumice.float32) is tensor and tensor.to("cpu") is tensor
    assert tensor.to(tensor) is tensor and tensor.float() is tensor
    assert tensor.to("cpu", pumice.int64).dtype is pumice.int64
    assert tensor.to(pumice.float32, copy=True) is not tensor
    assert tensor.contiguous() is tensor


def test_gradients_flow_through_casts() -> None:
    leaf = pumice.ones(2, requires_grad=True)
    (leaf.double() * 3).sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.dtype is pumice.float32 and leaf.grad.tolist() == [3, 3]


def test_bits() -> None:
    tensor = pumice.tensor([1.0, -2.0])
    assert (
        tensor.view(pumice.int32).tolist() == torch.tensor([1.0, -2.0]).view(torch.int32).tolist()
    )
    assert tensor.view(pumice.int32).bitcast(pumice.float32).tolist() == [1.0, -2.0]


def test_numpy_shares_memory() -> None:
    tensor = pumice.arange(6).reshape(2, 3)
    early = tensor * 2
    array = tensor.t().numpy()
    assert array.strides == (8, 24)
    array[0, 1] = 70
    assert tensor.tolist() == [[0, 1, 2], [70, 4, 5]]
    assert early.tolist() == [[0, 2, 4], [6, 8, 10]]
    tensor[0, 0] = 9
    assert array[0, 0] == 9
    assert np.asarray(pumice.ones(2)).dtype == np.float32
    assert np.array(pumice.ones(2), dtype=np.int64).tolist() == [1, 1]
    assert pumice.ones(2, dtype=pumice.bfloat16).numpy().dtype.name == "bfloat16"


def test_from_numpy_shares_memory_and_reads_keep_their_values() -> None:
    array = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    tensor = pumice.from_numpy(array)
    early = tensor + 1
    array[0, 0] = 100
    assert early.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert tensor[0, 0].item() == 100
    tensor.add_(1)
    assert array.tolist() == [[101, 2, 3], [4, 5, 6]]
    reverse = pumice.from_numpy(array[::-1, ::2])
    assert reverse.stride() == (-3, 2)
    reverse.zero_()
    assert array.tolist() == [[0, 2, 0], [0, 5, 0]]
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    pumice.from_numpy(frozen).add_(1)
    assert frozen.tolist() == [0, 0]
    swapped = np.arange(3, dtype=">i4")
    assert pumice.from_numpy(swapped).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "dtype",
    [d for d in dtypes.ALL if d not in (dtypes.uint16, dtypes.uint32, dtypes.uint64)],
    ids=lambda dtype: dtype.name,
)
def test_dlpack_both_ways(dtype: DType) -> None:
    theirs = torch.tensor([[0, 1, 1], [1, 0, 1]], dtype=torch_dtype(dtype)).t()
    ours = pumice.from_dlpack(theirs)
    assert ours.dtype is dtype and ours.stride() == theirs.stride()
    assert ours.tolist() == theirs.tolist()
    theirs[0, 0] = 1
    assert ours[0, 0].item() == 1
    ours.fill_(0)
    assert not theirs.any()
    back = torch.from_dlpack(ours)
    assert back.data_ptr() == theirs.data_ptr()
    back[2, 1] = 1
    assert ours[2, 1].item() == 1


def test_dlpack_gives_memory_back() -> None:
    tensor = pumice.arange(3)
    capsule = tensor.__dlpack__()
    assert tensor._cell.is_exposed()
    del capsule
    gc.collect()
    assert not tensor._cell.is_exposed()
    consumer = np.from_dlpack(tensor)
    assert tensor._cell.is_exposed()
    assert consumer.tolist() == [0, 1, 2]
    del consumer
    gc.collect()
    assert not tensor._cell.is_exposed()
    versioned = tensor.__dlpack__(max_version=(1, 0))
    assert "dltensor_versioned" in repr(versioned)
    assert pumice.from_dlpack(versioned).tolist() == [0, 1, 2]
    with pytest.raises(pumice.PumiceError):
        pumice.from_dlpack(versioned)
    assert tensor.__dlpack_device__() == (1, 0)
    assert pumice.from_dlpack(np.zeros((0, 3))).shape == (0, 3)


def test_pickle_and_deepcopy() -> None:
    for dtype in (pumice.float32, pumice.bfloat16, pumice.bool):
        tensor = pumice.tensor([[0.0, 1.0], [2.0, 3.0]]).to(dtype).t()
        restored = pickle.loads(pickle.dumps(tensor))
        assert restored.dtype is dtype and restored.tolist() == tensor.tolist()
    leaf = pumice.ones(2, requires_grad=True)
    leaf.sum().backward()
    twin = copy.deepcopy(leaf)
    twin.data.fill_(5)
    assert leaf.tolist() == [1, 1] and twin.requires_grad
    assert twin.grad is not None and twin.grad is not leaf.grad
    assert pickle.loads(pickle.dumps(leaf)).requires_grad


def test_copies_share_what_their_originals_share(device: str) -> None:
    base = pumice.arange(6.0, device=device)
    row, leaf = base[3:], base.view(2, 3).t()
    parts = copy.deepcopy({"base": base, "row": [row, row], "leaf": leaf})
    parts["row"][0].fill_(9)
    assert parts["row"][0] is parts["row"][1]
    assert parts["base"].tolist() == [0, 1, 2, 9, 9, 9]
    assert parts["leaf"].tolist() == [[0, 9], [1, 9], [2, 9]]
    assert parts["leaf"].stride() == leaf.stride()
    assert base.tolist() == [0, 1, 2, 3, 4, 5]
    first, second = copy.deepcopy(base), copy.deepcopy(row)
    second.fill_(8)
    assert first.tolist() == [0, 1, 2, 3, 4, 5]


def test_copies_of_a_detached_result_have_no_history() -> None:
    x = pumice.ones(2, requires_grad=True)
    twin = copy.deepcopy((x * 2).detach())
    assert not twin.requires_grad and twin.tolist() == [2, 2]


def test_copies_take_gradients_and_attributes_along() -> None:
    class Named(pumice.Tensor):
        """A tensor with attributes."""

    tensor = Named([1.0, 2.0])
    tensor.notes = ["a"]  # type: ignore[attr-defined]
    tensor.itself = tensor  # type: ignore[attr-defined]
    tensor.grad = pumice.ones(2)
    twin, gradient = copy.deepcopy((tensor, tensor.grad))
    assert type(twin) is Named and twin.grad is gradient and gradient is not tensor.grad
    assert twin.notes == ["a"] and twin.notes is not tensor.notes  # type: ignore[attr-defined]
    assert twin.itself is twin  # type: ignore[attr-defined]


def test_copies_of_shared_host_memory_keep_its_numbers() -> None:
    array = np.zeros(3, np.float32)
    tensor = pumice.from_numpy(array)
    twin = copy.deepcopy(tensor)
    array[:] = 7
    assert twin.tolist() == [0, 0, 0] and tensor.tolist() == [7, 7, 7]


def test_pickles_return_to_their_device(device: str) -> None:
    tensor = pumice.arange(4.0, device=device)[1:]
    restored = pickle.loads(pickle.dumps([tensor, tensor]))
    assert restored[0] is restored[1]
    assert restored[0].device == tensor.device and restored[0].tolist() == [1, 2, 3]
    model = pumice.nn.Linear(2, 1).to(device)
    twin = pickle.loads(pickle.dumps(model))
    x = pumice.ones(1, 2, device=device)
    assert twin(x).tolist() == model(x).tolist()


def test_generators_are_copied_with_their_state() -> None:
    source = pumice.Generator().manual_seed(3)
    pumice.rand(2, generator=source)
    for twin in (pickle.loads(pickle.dumps(source)), copy.deepcopy(source)):
        assert twin.get_state() == source.get_state()
        assert pumice.rand(3, generator=twin).tolist() != []
        assert twin.get_state() != source.get_state()


def test_layout_queries() -> None:
    tensor = pumice.zeros(2, 3, dtype=pumice.float64)
    part = tensor.t()[1:]
    assert (part.size(), part.size(-1), part.stride(), part.stride(0)) == ((2, 2), 2, (1, 3), 1)
    assert (part.strides, part.storage_offset(), part.is_contiguous()) == ((8, 24), 1, False)
    assert (tensor.dim(), tensor.ndim, tensor.numel(), tensor.nbytes) == (2, 2, 6, 48)
    assert (tensor.element_size(), tensor.itemsize) == (8, 8)
    assert tensor.data_ptr() + 8 == part.data_ptr()
    assert tensor.is_floating_point() and tensor.is_signed() and not tensor.is_complex()
    assert str(tensor.device) == "cpu"


def test_gradient_of_a_moved_leaf() -> None:
    leaf = pumice.ones(2, requires_grad=True)
    moved = leaf.to("cpu")
    assert moved is leaf


def test_comparison_has_no_backward() -> None:
    leaf = pumice.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="does not require grad.*its result is bool|bool"):
        (leaf > 0).any().backward()


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_through_bool(dtype: DType, device: str) -> None:
    """What is not zero is one, also where both conversions run in one kernel."""
    if not computes_with(device, dtype.name):
        return
    numbers = pumice.tensor([0, 1, 4, 100]).to(dtype).to(device)
    assert numbers.bool().float().tolist() == [0.0, 1.0, 1.0, 1.0]
    assert numbers.bool().int().sum().item() == 3


ARRAYS: dict[str, Any] = {
    "float64": np.array([1.5, -2.0, 4.0]),
    "float32": np.array([1.5, -2.0, 4.0], np.float32),
    "int64": np.array([3, -2, 4]),
    "a column": np.array([[1.0], [2.0]], np.float32),
    "bool": np.array([True, False, True]),
    "0-d": np.array(2.5),
}


SYMBOLS = ("+", "-", "*", "/", "<", "==", "**", "//")
PAIRS = [(name, symbol) for name in ARRAYS for symbol in SYMBOLS if (name, symbol) != ("bool", "-")]


@pytest.mark.parametrize(("name", "symbol"), PAIRS)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_operators_with_arrays_give_tensors(name: str, symbol: str, dtype: str) -> None:
    """In both orders, with the promotion of two tensors."""
    array = ARRAYS[name]
    plain = [1, 2, 4]
    own = pumice.tensor(plain, dtype=getattr(pumice, dtype))
    peer = torch.tensor(plain, dtype=getattr(torch, dtype))
    if symbol in ("//", "**") and (dtype == "int64" or name == "bool"):
        own, peer = own.float(), peer.float()
    code = compile(f"a {symbol} b", "expression", "eval")
    value = torch.tensor(array) if array.shape else float(array)
    for ours, theirs in (
        ({"a": own, "b": array}, {"a": peer, "b": value}),
        ({"a": array, "b": own}, {"a": value, "b": peer}),
    ):
        got, wanted = eval(code, ours), eval(code, theirs)
        assert isinstance(got, pumice.Tensor)
        assert got.dtype.name == str(wanted.dtype).removeprefix("torch.")
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-6)


def test_arrays_in_place_and_in_products() -> None:
    x = pumice.ones(3)
    x += np.array([1.0, 2.0, 3.0])
    assert x.dtype is pumice.float32
    assert x.tolist() == [2, 3, 4]
    square = np.arange(9, dtype=np.float32).reshape(3, 3)
    for product in (square @ x, x @ square.T):
        assert isinstance(product, pumice.Tensor)
        assert product.tolist() == (square @ x.numpy()).tolist()
    weight = pumice.ones(3, requires_grad=True)
    (square * weight).sum().backward()
    assert weight.grad is not None
    assert weight.grad.tolist() == square.sum(0).tolist()
    made = np.sqrt(pumice.tensor([4.0, 9.0]))
    assert isinstance(made, pumice.Tensor)
    assert made.tolist() == [2, 3]


@pytest.mark.vulkan
def test_arrays_live_on_the_cpu(vulkan_device: str) -> None:
    x = pumice.ones(2, device=vulkan_device)
    for call in (lambda: x + np.ones(2), lambda: np.ones(2) * x, lambda: x @ np.ones(2, "f")):
        with pytest.raises(pumice.DeviceError, match="vulkan:0 and cpu|cpu and vulkan:0"):
            call()


def test_the_class_makes_default_floats() -> None:
    """As PyTorch's class does; `tensor()` looks at the numbers."""
    for data in ([1, 2], [[True]], np.array([1, 2]), []):
        ours, theirs = pumice.Tensor(data), torch.Tensor(data)
        assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.")
        assert ours.tolist() == theirs.tolist()
    assert pumice.Tensor([1, 2], dtype=pumice.int64).dtype is pumice.int64
    whole = pumice.tensor([1, 2])
    assert pumice.Tensor(whole).dtype is pumice.int64
