"""The counts of tools/roofline.py: nothing beats the least, known products are counted right."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).parents[2] / "tools" / "roofline.py"
spec = importlib.util.spec_from_file_location("roofline", PATH)
assert spec is not None
assert spec.loader is not None
roofline: Any = importlib.util.module_from_spec(spec)
sys.modules["roofline"] = roofline
spec.loader.exec_module(roofline)


@pytest.mark.parametrize("name", roofline.PRODUCTS)
def test_shares_are_shares(name: str) -> None:
    sizes = roofline.PRODUCTS[name]
    for gpu in roofline.GPUS:
        work = roofline.work_of(sizes, roofline.target_for(gpu))
        assert work.bytes_moved >= work.least_bytes
        assert 0 < roofline.share(work, sizes, gpu) <= 1


def test_a_square_product_is_counted() -> None:
    work = roofline.work_of((1, 1024, 1024, 1024), roofline.target_for(roofline.GPUS[2]))
    assert work.tile.block == (128, 128)
    assert work.flops == 2 * 1024**3
    assert work.bytes_moved == 4 * (2 * 8 + 1) * 1024**2
    assert work.least_bytes == 4 * 3 * 1024**2
