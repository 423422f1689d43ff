"""The base class, containers, and what they say when something is wrong."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import dtypes, nn
from pumice.errors import InvalidArgument, ShapeError
from pumice.tensor.convert import tensor
from pumice.tensor.random import manual_seed
from pumice.tensor.tensor import Tensor


class Model(nn.Module):
    """Two layers, a list, a buffer and a tied parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 2)])
        self.scale = nn.Parameter(tensor([2.0]))
        self.register_buffer("offset", tensor([1.0]))
        self.register_buffer("scratch", tensor([0.0]), persistent=False)
        self.number = 5

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x).relu()
        for layer in self.rest:
            x = layer(x)
        return x * self.scale + self.offset


NAMES = [
    "first.weight",
    "first.bias",
    "rest.0.weight",
    "rest.0.bias",
    "rest.1.weight",
    "rest.1.bias",
]


def test_names() -> None:
    model = Model()
    assert [name for name, _ in model.named_parameters()] == ["scale", *NAMES]
    assert [name for name, _ in model.named_buffers()] == ["offset", "scratch"]
    assert list(model.state_dict()) == ["scale", "offset", *NAMES]
    assert [name for name, _ in model.named_modules()] == ["", "first", "rest", "rest.0", "rest.1"]
    assert model.get_submodule("rest.1") is model.rest[1]
    assert model.get_parameter("rest.1.bias") is model.rest[1].bias
    assert model.number == 5
    assert len(list(model.children())) == 2


def test_tied_parameters_are_yielded_once() -> None:
    model = Model()
    model.rest[1].bias = model.rest[0].bias
    assert len(list(model.parameters())) == 6
    assert "rest.1.bias" in model.state_dict()


def test_replacing_attributes() -> None:
    model = Model()
    model.scale = None
    assert "scale" not in dict(model.named_parameters())
    model.first = nn.Identity()
    assert isinstance(model.first, nn.Identity)
    with pytest.raises(TypeError, match="cannot assign 'Tensor' as parameter 'weight'"):
        model.rest[0].weight = tensor([1.0])
    del model.first
    with pytest.raises(AttributeError, match="'Model' object has no attribute 'first'"):
        _ = model.first


def test_assigning_before_init() -> None:
    class Early(nn.Module):
        def __init__(self) -> None:
            self.layer = nn.Linear(1, 1)

    with pytest.raises(AttributeError, match=r"cannot assign Linear before Module.__init__\(\)"):
        Early()


def test_registering_wrong_things() -> None:
    model = Model()
    with pytest.raises(KeyError, match="t contain"):
        model.register_buffer("a.b", tensor([1.0]))
    with pytest.raises(KeyError, match="t be empty"):
        model.register_buffer("", tensor([1.0]))
    with pytest.raises(KeyError, match="attribute 'forward' already exists"):
        model.add_module("forward", nn.Identity())
    with pytest.raises(TypeError, match="'float' object to buffer"):
        model.register_buffer("x", 1.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'Tensor' object to parameter 'p'"):
        model.register_parameter("p", tensor([1.0]))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        nn.ModuleList([3])  # type: ignore[list-item]


def test_missing_forward() -> None:
    with pytest.raises(NotImplementedError, match=r"Module \[ModuleDict\] is missing"):
        nn.ModuleDict()(1)


def test_state_dict_round_trip() -> None:
    first, second = Model(), Model()
    x = tensor([[1.0, -2.0, 0.5]])
    assert first(x).tolist() != second(x).tolist()
    result = second.load_state_dict(first.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    assert first(x).tolist() == second(x).tolist()


def test_state_dict_is_a_view_and_loading_copies() -> None:
    model = Model()
    state = model.state_dict()
    assert not state["scale"].requires_grad
    state["scale"].fill_(7.0)
    assert model.scale.tolist() == [7.0]
    other = Model()
    other.load_state_dict(state)
    state["scale"].fill_(9.0)
    assert other.scale.tolist() == [7.0]
    assert other.scale.requires_grad


def test_load_state_dict_names_every_problem() -> None:
    model = Model()
    state = dict(model.state_dict())
    del state["offset"]
    state["extra"] = tensor([1.0])
    state["first.weight"] = tensor([[1.0]])
    with pytest.raises(InvalidArgument) as caught:
        model.load_state_dict(state)
    text = str(caught.value)
    assert text.startswith("Error(s) in loading state_dict for Model:\n\t")
    assert 'Unexpected key(s) in state_dict: "extra". ' in text
    assert 'Missing key(s) in state_dict: "offset". ' in text
    assert (
        "size mismatch for first.weight: copying a param with shape [1, 1] from checkpoint, "
        "the shape in current model is [4, 3]." in text
    )
    state["first.weight"] = model.first.weight
    result = model.load_state_dict(state, strict=False)
    assert result.missing_keys == ["offset"]
    assert result.unexpected_keys == ["extra"]
    with pytest.raises(InvalidArgument, match='"scale", expected a Tensor but got float'):
        model.load_state_dict({"scale": 1.0}, strict=False)  # type: ignore[dict-item]


def test_a_failed_load_changes_nothing() -> None:
    model = Model()
    before = model.scale.tolist()
    with pytest.raises(InvalidArgument):
        model.load_state_dict({"scale": tensor([99.0])})
    assert model.scale.tolist() == before


def test_train_and_eval() -> None:
    model = nn.Sequential(nn.Dropout(0.5), nn.Sequential(nn.Dropout(0.5)))
    x = tensor(np.ones(64, np.float32))
    assert 0.0 in model(x).tolist()
    model.eval()
    assert not any(module.training for module in model.modules())
    assert model(x).tolist() == [1.0] * 64
    assert model.train()[1][0].training


def test_dtype_conversion_keeps_objects() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    weight = model[0].weight
    model(tensor([[1.0, 2.0], [2.0, 1.0]])).sum().backward()
    model.double()
    assert model[0].weight is weight
    assert weight.dtype is dtypes.float64
    assert weight.requires_grad
    assert weight.is_leaf
    assert weight.grad is not None
    assert weight.grad.dtype is dtypes.float64
    assert model[1].num_batches_tracked.dtype is dtypes.int64
    assert model.to(dtypes.float16)[1].running_mean.dtype is dtypes.float16
    assert model.to("cpu") is model
    with pytest.raises(InvalidArgument, match="got int32; only floating"):
        model.to(dtypes.int32)


def test_freezing_and_zero_grad() -> None:
    model = Model()
    model(tensor([[1.0, 2.0, 3.0]])).sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    model.zero_grad(set_to_none=False)
    assert model.scale.grad is not None
    assert model.scale.grad.tolist() == [0.0]
    model.zero_grad()
    assert model.scale.grad is None
    model.requires_grad_(False)
    assert not model(tensor([[1.0, 2.0, 3.0]])).requires_grad


def test_apply_visits_children_first() -> None:
    seen: list[str] = []
    nn.Sequential(nn.ReLU(), nn.Tanh()).apply(lambda module: seen.append(type(module).__name__))
    assert seen == ["ReLU", "Tanh", "Sequential"]


def test_containers() -> None:
    layers: Any = nn.Sequential({"a": nn.ReLU(), "b": nn.Tanh()})
    assert isinstance(layers.a, nn.ReLU)
    assert isinstance(layers[-1], nn.Tanh)
    assert len(layers[1:]) == 1
    assert len(layers.append(nn.Identity())) == 3
    modules = nn.ModuleList([nn.ReLU()])
    modules.insert(0, nn.Tanh())
    modules[1] = nn.Sigmoid()
    assert [type(each).__name__ for each in modules] == ["Tanh", "Sigmoid"]
    assert len(modules[:1]) == 1
    named = nn.ModuleDict({"x": nn.ReLU()})
    named["y"] = nn.Linear(1, 1)
    assert list(named) == ["x", "y"]
    assert "y" in named
    assert [name for name, _ in named.named_parameters()] == ["y.weight", "y.bias"]
    del named["x"]
    assert list(named.keys()) == ["y"]


def test_repr_of_nested_modules() -> None:
    text = repr(Model())
    assert text == (
        "Model(\n"
        "  (first): Linear(in_features=3, out_features=4, bias=True)\n"
        "  (rest): ModuleList(\n"
        "    (0): Linear(in_features=4, out_features=4, bias=True)\n"
        "    (1): Linear(in_features=4, out_features=2, bias=True)\n"
        "  )\n"
        ")"
    )
    assert repr(nn.ModuleList([nn.ReLU(), nn.ReLU()])) == "ModuleList(\n  (0-1): 2 x ReLU()\n)"


def test_copies_are_independent() -> None:
    model = Model()
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.scale.tolist() == model.scale.tolist()
        assert isinstance(other.scale, nn.Parameter)
        other.scale.data.fill_(9.0)
        assert model.scale.tolist() == [2.0]


def test_same_seed_same_parameters() -> None:
    states = []
    for _ in range(2):
        manual_seed(3)
        states.append({name: value.tolist() for name, value in Model().state_dict().items()})
    assert states[0] == states[1]


def test_initial_values_have_the_promised_range() -> None:
    layer = nn.Conv2d(8, 64, 3)
    bound = 1 / np.sqrt(8 * 9)
    weight = layer.weight.detach().numpy()
    assert np.abs(weight).max() <= bound
    assert np.abs(weight).max() > 0.98 * bound
    assert abs(weight.std() / (bound / np.sqrt(3)) - 1) < 0.05
    normal = nn.init.kaiming_normal_(tensor(np.zeros((256, 64), np.float32)), nonlinearity="relu")
    assert abs(normal.numpy().std() / np.sqrt(2 / 64) - 1) < 0.05
    uniform = nn.init.xavier_uniform_(tensor(np.zeros((256, 64), np.float32)), gain=2.0)
    assert np.abs(uniform.numpy()).max() <= 2 * np.sqrt(6 / 320)
    assert nn.init.constant_(tensor([0.0, 1.0]), 4.0).tolist() == [4.0, 4.0]
    with pytest.raises(ShapeError, match="fewer than 2 dimensions"):
        nn.init.xavier_normal_(tensor([1.0]))
    with pytest.raises(InvalidArgument, match="unsupported nonlinearity 'sine'"):
        nn.init.calculate_gain("sine")
    with pytest.raises(InvalidArgument, match="mode 'fan'"):
        nn.init.kaiming_uniform_(tensor([[1.0]]), mode="fan")


def test_inplace_activation_writes_its_input() -> None:
    x = tensor([-1.0, 2.0])
    out = nn.ReLU(inplace=True)(x)
    assert out is x
    assert x.tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: nn.Conv2d(4, 6, 3, groups=3), InvalidArgument, "not divisible by groups 3"),
        (lambda: nn.Conv2d(4, 6, 3, groups=0), InvalidArgument, "groups is 0; 1 or more"),
        (lambda: nn.Conv2d(4, 6, 3, padding="full"), InvalidArgument, "padding 'full'"),
        (
            lambda: nn.Conv2d(4, 6, 3, padding="same", stride=2),
            InvalidArgument,
            "not supported for strided",
        ),
        (lambda: nn.Conv2d(4, 6, 3, padding_mode="mirror"), InvalidArgument, "'mirror'"),
        (lambda: nn.BatchNorm2d(3)(tensor([[1.0]])), ShapeError, r"expected 4D input \(got 2D"),
        (lambda: nn.BatchNorm1d(3)(tensor([[1.0]])), ShapeError, "got 1 channels .*has 3"),
        (lambda: nn.GroupNorm(2, 3), InvalidArgument, "not divisible by num_groups"),
        (lambda: nn.Dropout(1.5), InvalidArgument, "dropout probability is 1.5"),
        (lambda: nn.Embedding(3, 2, padding_idx=3), InvalidArgument, "padding_idx 3 is out of"),
        (
            lambda: nn.Embedding.from_pretrained(tensor([[1.0]]), padding_idx=4),
            InvalidArgument,
            "padding_idx 4",
        ),
        (lambda: nn.MSELoss("average"), InvalidArgument, "average is not a valid value"),
        (lambda: nn.MultiheadAttention(5, 2), InvalidArgument, "not divisible by num_heads"),
    ],
)
def test_wrong_arguments(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_attention_checks_shapes() -> None:
    layer = nn.MultiheadAttention(4, 2)
    x = tensor(np.zeros((3, 2, 4), np.float32))
    with pytest.raises(ShapeError, match="2-D key"):
        layer(x, x[0], x)
    with pytest.raises(ShapeError, match=r"attn_mask has shape \[2, 2\]; \(3, 3\) or \(4, 3, 3\)"):
        layer(x, x, x, attn_mask=tensor([[True, False], [False, True]]))
    with pytest.raises(ShapeError, match=r"key_padding_mask has shape \[1, 1\]; \(2, 3\)"):
        layer(x, x, x, key_padding_mask=tensor([[True]]))
    with pytest.raises(InvalidArgument, match="is_causal hint"):
        layer(x, x, x, is_causal=True)


def test_a_sequence_changes_as_a_list_does() -> None:
    first, second, third, fourth = nn.Linear(1, 2), nn.Tanh(), nn.Linear(2, 3), nn.ReLU()
    model = nn.Sequential(first, second)
    model.extend([third]).insert(1, fourth)
    assert list(model) == [first, fourth, second, third]
    assert list(model.state_dict()) == ["0.weight", "0.bias", "3.weight", "3.bias"]
    model[1] = second
    assert model.pop(-1) is third
    del model[0]
    assert list(model) == [second, second] and list(model._modules) == ["0", "1"]


def test_a_refused_module_changes_nothing() -> None:
    for make in (lambda: nn.Sequential(nn.Tanh()), lambda: nn.ModuleList([nn.Tanh()])):
        model: Any = make()
        for change in (
            lambda m: m.insert(0, "x"),
            lambda m: m.__setitem__(0, "x"),
            lambda m: m.extend([nn.Tanh(), "x"]),
        ):
            with pytest.raises(TypeError, match="str is not a Module subclass"):
                change(model)
            assert len(model) == 1
        assert len(model + make()) == 2
        model += [nn.ReLU()]
        assert len(model) == 2


def test_a_replacement_keeps_its_place() -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(1, 1), nn.Linear(1, 1)
            self.first, self.second = (nn.Parameter(pumice.ones(1)) for _ in range(2))

    model = Two()
    names = list(model.state_dict())
    model.a = nn.Linear(1, 1)
    model.first = nn.Parameter(pumice.zeros(1))
    assert list(model.state_dict()) == names
    named = nn.ModuleDict({"a": nn.Tanh(), "b": nn.ReLU()})
    named["a"] = nn.ReLU()
    assert list(named) == ["a", "b"]
