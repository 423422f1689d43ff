"""The loss of unaligned label sequences, against PyTorch."""

from typing import Any

import numpy as np
import pytest
import torch

from pumice import nn
from pumice.errors import DTypeError, InvalidArgument, ShapeError
from pumice.nn import functional
from pumice.tensor.convert import tensor
from tests.nn.test_against_torch import close

FRAMES, SAMPLES, CLASSES = 9, 4, 5
LOGITS = np.random.default_rng(0).normal(size=(FRAMES, SAMPLES, CLASSES)).astype(np.float32)
TARGETS = np.array([[1, 2, 2, 4], [3, 3, 3, 0], [1, 0, 0, 0], [4, 1, 4, 1]])
INPUTS, LABELS = [9, 7, 5, 8], [4, 3, 0, 4]


def both(given: Any, targets: Any, inputs: Any, labels: Any, **options: Any) -> None:
    mine = tensor(given, requires_grad=True)
    other = torch.tensor(given, requires_grad=True)
    loss = nn.CTCLoss(**options)(mine.log_softmax(-1), tensor(targets), tensor(inputs), labels)
    expected = torch.nn.CTCLoss(**options)(
        other.log_softmax(-1), torch.tensor(targets), torch.tensor(inputs), torch.tensor(labels)
    )
    close(loss, expected, "loss")
    loss.sum().backward()
    expected.sum().backward()
    assert mine.grad is not None
    assert other.grad is not None
    close(mine.grad, other.grad, "gradient")


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_padded_targets(reduction: str) -> None:
    both(LOGITS, TARGETS, INPUTS, LABELS, reduction=reduction)


def test_targets_one_after_another_and_another_blank() -> None:
    parts = [row[:length] for row, length in zip(TARGETS, LABELS, strict=True)]
    both(LOGITS, np.concatenate(parts), INPUTS, LABELS)
    both(LOGITS[..., ::-1].copy(), 4 - TARGETS, INPUTS, LABELS, blank=4)


def test_without_batch() -> None:
    both(LOGITS[:, 0], TARGETS[0], np.array(9), np.array(4))


def test_too_long_a_target() -> None:
    inputs = [3, 7, 5, 8]
    both(LOGITS, TARGETS, inputs, LABELS, reduction="none", zero_infinity=True)
    loss = functional.ctc_loss(
        tensor(LOGITS).log_softmax(-1), tensor(TARGETS), inputs, LABELS, reduction="none"
    )
    assert loss.tolist()[0] == float("inf")


@pytest.mark.parametrize("labels", [[4, 3, 0, 4], [4, 0, 2, 4]])
def test_no_frames(labels: list[int]) -> None:
    both(LOGITS, TARGETS, [9, 0, 0, 8], labels, reduction="none", zero_infinity=True)


def test_wrong_arguments() -> None:
    frames = tensor(LOGITS)
    with pytest.raises(InvalidArgument, match="ctc_loss: blank is 5; a class, 0 to 4"):
        functional.ctc_loss(frames, tensor(TARGETS), INPUTS, LABELS, blank=5)
    with pytest.raises(ShapeError, match="input_lengths has 3 elements; 4, one a sample"):
        functional.ctc_loss(frames, tensor(TARGETS), INPUTS[:3], LABELS)
    with pytest.raises(ShapeError, match=r"got log_probs \[5\] and targets"):
        functional.ctc_loss(frames[0, 0], tensor(TARGETS), INPUTS, LABELS)
    with pytest.raises(InvalidArgument, match=r"input_lengths are \[10, 7, 5, 8\]; 0 to 9"):
        functional.ctc_loss(frames, tensor(TARGETS), [10, 7, 5, 8], LABELS)
    with pytest.raises(ShapeError, match=r"got targets \[3, 4\] for 4 samples"):
        functional.ctc_loss(frames, tensor(TARGETS[:3]), INPUTS, LABELS)
    with pytest.raises(DTypeError, match="targets are float32; integers"):
        functional.ctc_loss(frames, tensor(TARGETS.astype(np.float32)), INPUTS, LABELS)
