"""Products, attention, sorts and scans give the same bits however many threads share the work."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import hashlib
import pumice

pumice.manual_seed(0)
digest = hashlib.sha256()


def note(*tensors):
    for tensor in tensors:
        digest.update(tensor.detach().float().numpy().tobytes())


for m, n, k in ((1, 300, 2000), (17, 333, 1000), (200, 10, 9000), (513, 700, 65), (3, 5, 20000)):
    for dtype in (pumice.float32, pumice.float64, pumice.bfloat16):
        left = pumice.randn(m, k).to(dtype)
        right = pumice.randn(n, k).to(dtype)
        turned = left.t().contiguous().t()
        note(left @ right.t(), right @ left.t(), turned @ right.t().contiguous())
query, key, value = (pumice.randn(2, 3, 150, 40, requires_grad=True) for _ in range(3))
out = pumice.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
out.square().sum().backward()
note(out, query.grad, key.grad, value.grad)
row = pumice.randn(300_000)
note(*row.sort(), *row.topk(40), row.cumsum(0), row.softmax(0), row.sum())
print(digest.hexdigest())
"""


def digest(threads: int) -> str:
    settings = os.environ | {"PUMICE_THREADS": str(threads)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=settings, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def alone() -> str:
    return digest(1)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_same_bits(alone: str, threads: int) -> None:
    assert digest(threads) == alone
