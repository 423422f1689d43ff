"""Datasets and batches.

Stage: 1 of 7, beside `nn` and `optim`.
Takes: tensors, or objects with ``__getitem__``.
Gives: batches in an order that is a function of seed and epoch.
"""

from pumice.data.dataset import Dataset, TensorDataset
from pumice.data.digits import load_digits
from pumice.data.loader import DataLoader

__all__ = ["DataLoader", "Dataset", "TensorDataset", "load_digits"]
