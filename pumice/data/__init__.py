"""Datasets and batches.

Stage: 1 of 7, beside `nn` and `optim`.
Takes: tensors, or objects with ``__getitem__``.
Gives: batches in an order that is a function of seed and epoch.
"""

from pumice.data.dataset import Dataset, IterableDataset, TensorDataset, collate
from pumice.data.digits import load_digits
from pumice.data.loader import DataLoader
from pumice.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from pumice.data.subset import ConcatDataset, Subset, random_split

default_collate = collate

__all__ = [
    "BatchSampler",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "load_digits",
    "random_split",
]
