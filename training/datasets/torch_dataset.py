"""A dataset for PyTorch's loaders."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import Dataset as MapDataset

from .file import Dataset


class TorchDataset(MapDataset[dict[str, Any]]):
    """The columns of a :class:`~plyground.datasets.Dataset` as tensors, one dictionary a position.

    ``key`` becomes int64 with the same bits, because few operations of PyTorch know uint64.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._tensors = {
            name: torch.from_numpy(array.view("int64") if name == "key" else array)
            for name, array in dataset.arrays.items()
        }

    def __len__(self) -> int:
        return len(self._tensors["value"])

    def __getitem__(self, index: Any) -> dict[str, Any]:
        return {name: tensor[index] for name, tensor in self._tensors.items()}
