"""Work on a Vulkan device, PyTorch on the CPU beside it.

The first rows are those of which figures of vkml's Vulkan backend are known, measured with Mesa's
software driver on two cores, with PyTorch in the same run.
"""

from functools import partial
from typing import Any

from benchmarks.networks import small
from benchmarks.row import Array, Arrays, Quoted, Row, Source, Training, nbytes, product_flop, total

Vulkan = partial(Row, group="vulkan", device="vulkan")
Vkml = partial(Quoted, "vkml")


def pair(s: Source) -> Arrays:
    return {"x": s.normal(s(1 << 20, 10007)), "y": s.normal(s(1 << 20, 10007))}


def square(s: Source) -> Arrays:
    return {"x": s.normal(s(1024, 37), s(1024, 67))}


def three(x: Array, y: Array) -> float:
    return 3 * x.nbytes


def product(size: int, milliseconds: float, torch: float) -> Row:
    """Return the row of a square matrix product."""
    return Vulkan(
        name=f"vulkan_matmul_{size}",
        title=f"matrix product, {size} cubed",
        inputs=lambda s: {
            "x": s.normal(s(size, 37), s(size, 67)),
            "y": s.normal(s(size, 67), s(size, 29)),
        },
        function=lambda t, x, y: x @ y,
        moved=lambda x, y: nbytes(x, y) + 4 * x.shape[0] * y.shape[1],
        flop=lambda x, y: product_flop(x.shape[0], *y.shape),
        quoted=Vkml(milliseconds, torch),
    )


def layer_norm(t: Any, x: Any) -> Any:
    return t.nn.functional.layer_norm(x, (x.shape[-1],))


def indexed(s: Source) -> Arrays:
    count, rows = s(65536, 301), s(1000, 23)
    return {
        "x": s.normal(rows, s(16, 5)),
        "index": s.integers(0, rows, count),
        "y": s.normal(count, s(16, 5)),
    }


QUOTED = (
    Vulkan(
        name="vulkan_add",
        title="add of two 2^20 float32",
        inputs=pair,
        function=lambda t, x, y: x + y,
        moved=three,
        flop=lambda x, y: x.size,
        quoted=Vkml(10.5, 0.28),
    ),
    Vulkan(
        name="vulkan_gelu",
        title="gelu(x + y) of 2^20 float32",
        inputs=pair,
        function=lambda t, x, y: t.nn.functional.gelu(x + y),
        moved=three,
        flop=lambda x, y: 20 * x.size,
        quoted=Vkml(26.7, 0.60),
    ),
    Vulkan(
        name="vulkan_sum",
        title="sum of 2^22 float32",
        inputs=lambda s: {"x": s.normal(s(1 << 22, 10007))},
        function=lambda t, x: x.sum(),
        moved=lambda x: x.nbytes,
        flop=lambda x: x.size,
        quoted=Vkml(112, 0.43),
    ),
    Vulkan(
        name="vulkan_softmax",
        title="softmax of 1024 x 1024",
        inputs=square,
        function=lambda t, x: t.nn.functional.softmax(x, -1),
        moved=lambda x: 2 * x.nbytes,
        flop=lambda x: 15 * x.size,
        quoted=Vkml(74.9, 0.41),
    ),
    Vulkan(
        name="vulkan_layer_norm",
        title="layer norm of 1024 x 1024",
        inputs=square,
        function=layer_norm,
        moved=lambda x: 2 * x.nbytes,
        flop=lambda x: 8 * x.size,
        quoted=Vkml(178, 0.42),
    ),
    Vulkan(
        name="vulkan_where",
        title="where(x > y, x, y) of 2^20 float32",
        inputs=pair,
        function=lambda t, x, y: t.where(t.greater(x, y), x, y),
        moved=three,
        quoted=Vkml(27.6, 3.5),
    ),
    Vulkan(
        name="vulkan_small_add",
        title="add of ten elements",
        inputs=lambda s: {"x": s.normal(10), "y": s.normal(10)},
        function=lambda t, x, y: x + y,
        moved=three,
        quoted=Vkml(0.047),
    ),
    product(256, 57.8, 0.14),
    product(512, 463, 1.0),
    product(1024, 3677, 7.6),
    Vulkan(
        name="vulkan_conv",
        title="convolution 3x3, 8 x 32 x 28 x 28 to 64 channels",
        inputs=lambda s: {
            "x": s.normal(s(8, 2), s(32, 5), s(28, 9), s(28, 11)),
            "w": s.normal(s(64, 7), s(32, 5), 3, 3),
        },
        function=lambda t, x, w: t.nn.functional.conv2d(x, w, padding=1),
        moved=lambda x, w: nbytes(x, w) + x.nbytes * w.shape[0] / w.shape[1],
        flop=lambda x, w: 2.0 * x[:, 0].size * w.size,
        quoted=Vkml(372, 0.97),
    ),
    Vulkan(
        name="vulkan_mlp",
        title="MLP 784-128-10, batch 64, SGD step with momentum",
        parameters=lambda s: small.dense_parameters(s, s(784, 30), s(128, 20), 10),
        inputs=lambda s: {"x": s.normal(s(64, 7), s(784, 30)), "y": s.integers(0, 10, s(64, 7))},
        function=small.mlp_loss,
        task=Training("sgd"),
        moved=lambda p, x, y: 6 * total(p) + x.nbytes,
        flop=small.mlp_flop,
        quoted=Vkml(61.1, 0.69),
    ),
)

OTHERS = (
    Vulkan(
        name="vulkan_sum_axis0",
        title="sum over axis 0 of 1024 x 1024",
        inputs=square,
        function=lambda t, x: x.sum(0),
        moved=lambda x: x.nbytes,
        flop=lambda x: x.size,
    ),
    Vulkan(
        name="vulkan_cumsum",
        title="cumsum over axis 1 of 1024 x 1024",
        inputs=square,
        function=lambda t, x: t.cumsum(x, -1),
        moved=lambda x: 2 * x.nbytes,
        flop=lambda x: x.size,
    ),
    Vulkan(
        name="vulkan_sort",
        title="sort of 2^20 float32",
        inputs=lambda s: {"x": s.normal(s(1 << 20, 10007))},
        function=lambda t, x: t.sort(x)[0],
        moved=lambda x: 2 * x.nbytes,
    ),
    Vulkan(
        name="vulkan_sort_rows",
        title="sort of the rows of 1024 x 1024",
        inputs=square,
        function=lambda t, x: t.sort(x, -1)[0],
        moved=lambda x: 2 * x.nbytes,
    ),
    Vulkan(
        name="vulkan_sort_short",
        title="sort of the rows of 4096 x 64",
        inputs=lambda s: {"x": s.normal(s(4096, 37), s(64, 23))},
        function=lambda t, x: t.sort(x, -1)[0],
        moved=lambda x: 2 * x.nbytes,
    ),
    Vulkan(
        name="vulkan_topk",
        title="50 largest of 64 x 32768",
        inputs=lambda s: {"x": s.normal(s(64, 13), s(32768, 2111))},
        function=lambda t, x: t.topk(x, 50)[0],
        moved=lambda x: x.nbytes,
    ),
    Vulkan(
        name="vulkan_median",
        title="median of the rows of 1024 x 1024",
        inputs=square,
        function=lambda t, x: t.median(x, -1)[0],
        moved=lambda x: x.nbytes,
    ),
    Vulkan(
        name="vulkan_index_add",
        title="65536 rows of 16 added into 1000 places",
        inputs=indexed,
        function=lambda t, x, index, y: x.index_add(0, index, y),
        moved=lambda x, index, y: nbytes(x, x, index, y),
        flop=lambda x, index, y: y.size,
    ),
)

ROWS = (*QUOTED, *OTHERS)
