"""The replay window: the newest samples of self-play, in chunks, each a file in the run's folder.

A chunk contains the samples of one update's self-play. Every position is stored as its canonical
image under the game's symmetries, so that equal positions have equal keys. The learner gets the
distinct positions of the window, with the averages of their samples. Samples and positions are on
the device of the learner.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional

from ...envs.game import Game
from ..checkpoints import refusing_checkpoint
from ..folder import TrainingError, write_file
from ..symmetry import observation_symmetries

KEPT_CHECKPOINTS = 3
KEY_SEED = 0x706C7967
SIGN = -(2**63)  # torch sorts signed numbers: flipping this bit keeps the order of unsigned ones
BITS = (7, 6, 5, 4, 3, 2, 1, 0)  # bits of a byte, as numpy packs them
MULTIPLIER = 0x9E3779B97F4A7C15 - 2**64


class ReplayChunk(NamedTuple):
    """Samples, as tensors of one device with the samples as first axis.

    Attributes:
        keys: int64, of the canonical observations.
        observations: uint8, canonical, as packed bits.
        policies: float16, (N, num_actions).
        results: float32, (N, 3): win, draw, loss.
        values: float32: targets of the value.
        nearness: float32: how near the end is, from 0 to 1.
    """

    keys: torch.Tensor
    observations: torch.Tensor
    policies: torch.Tensor
    results: torch.Tensor
    values: torch.Tensor
    nearness: torch.Tensor


class Positions(NamedTuple):
    """Distinct positions as tensors, like :class:`ReplayChunk`, with their sample counts."""

    observations: torch.Tensor
    policies: torch.Tensor
    results: torch.Tensor
    values: torch.Tensor
    nearness: torch.Tensor
    counts: torch.Tensor


class Canonical:
    """Converts observations and policies to their canonical image.

    Args:
        game: the game.
        device: the device of all tensors.

    Attributes:
        game: the game.
        cells: int64, (symmetries, entries of an observation): see
            :func:`~..symmetry.observation_symmetries`.
        actions: int64, (symmetries, num_actions): actions in the game, for those in the image.
    """

    def __init__(self, game: Game, device: torch.device) -> None:
        self.game: Game = game
        self.cells: torch.Tensor = torch.from_numpy(observation_symmetries(game)).to(device)
        actions = np.argsort(game.symmetries, axis=1)
        self.actions: torch.Tensor = torch.from_numpy(actions).to(device)
        random = np.random.default_rng(KEY_SEED)
        weights = random.integers(0, 2**64, self.cells.shape[1], np.uint64) | np.uint64(1)
        # an entry's weight in the key of each image
        places = torch.argsort(self.cells, dim=1)
        self._weights = torch.from_numpy(weights.view(np.int64)).to(device)[places]

    def keys(self, observations: torch.Tensor) -> torch.Tensor:
        """Hashes of all images of flat observations: int64, (symmetries, N)."""
        keys = self._weights.new_zeros((len(self._weights), len(observations)))
        for column, weights in zip(observations.T.contiguous(), self._weights.T):
            keys.addcmul_(column.long()[None], weights[:, None])
        keys ^= _shifted(keys, 31)
        keys *= MULTIPLIER
        signed: torch.Tensor = keys ^ _shifted(keys, 29) ^ SIGN
        return signed

    def __call__(
        self, observations: torch.Tensor, policies: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Keys, packed observations and policies of the images with the smallest keys.

        Args:
            observations: int8, (N, rows, columns, planes).
            policies: (N, num_actions).
        """
        flat = observations.reshape(len(observations), self.cells.shape[1])
        keys, symmetries = self.keys(flat).min(dim=0)
        images = flat.gather(1, self.cells[symmetries])
        return keys, packed_bits(images), policies.gather(1, self.actions[symmetries])


def _shifted(keys: Any, places: int) -> Any:
    """Keys shifted to the right as unsigned numbers, which torch has few functions for."""
    return (keys >> places) & (2 ** (64 - places) - 1)


def packed_bits(values: torch.Tensor) -> torch.Tensor:
    """Rows of 0 and 1 as bits, uint8, as numpy packs them."""
    rows = functional.pad(values.byte(), (0, -values.shape[1] % 8))
    bits = rows.reshape(len(rows), rows.shape[1] // 8, 8) << rows.new_tensor(BITS)
    return bits.sum(2, dtype=torch.uint8)


class ReplayWindow:
    """The samples of the newest chunks, sorted by position.

    Args:
        device: the device of the samples.

    Attributes:
        chunks: the name and the number of samples of each chunk, the oldest first.
    """

    def __init__(self, device: torch.device) -> None:
        self.chunks: list[tuple[str, int]] = []
        self._device = device
        self._samples: tuple[torch.Tensor, ...] = ()  # as in chunks
        self._order = torch.zeros(0, dtype=torch.int64, device=device)  # of the samples, by key
        self._fresh: list[ReplayChunk] = []  # chunks not yet merged into the samples

    def __len__(self) -> int:
        return sum(count for _, count in self.chunks)

    def add(self, name: str, chunk: ReplayChunk, most: float = math.inf) -> None:
        """Add a chunk; the oldest are dropped while at least ``most`` samples remain."""
        self.chunks.append((name, len(chunk.keys)))
        self._fresh.append(chunk)
        while len(self) - self.chunks[0][1] >= most:
            del self.chunks[0]

    def _merge_fresh(self) -> None:
        """Append the fresh chunks to the samples, all at once, and remove dropped ones."""
        # those of a checkpoint come from files, those of self-play from its device
        fresh = [
            torch.cat([part.to(self._device) for part in parts]) for parts in zip(*self._fresh)
        ]
        old = self._samples or tuple(part[:0] for part in fresh)
        left = len(old[0]) + len(fresh[0]) - len(self)
        stays = [part[left:] for part in old]
        fresh = [part[max(left - len(old[0]), 0) :] for part in fresh]
        order = self._order[self._order >= left] - left
        self._order = _merge(stays[0], order, fresh[0])
        self._samples = tuple(torch.cat(parts) for parts in zip(stays, fresh))
        self._fresh = []

    def positions(self) -> Positions:
        """The distinct positions, each with the averages of its samples."""
        if self._fresh:
            self._merge_fresh()
        whole = dict(zip(ReplayChunk._fields, self._samples))
        order = self._order
        _, counts = torch.unique_consecutive(whole["keys"][order], return_counts=True)
        ends = counts.cumsum(0)
        newest = order[ends - 1]

        def mean(values: torch.Tensor) -> torch.Tensor:
            sums = torch.segment_reduce(values[order].float(), "sum", lengths=counts, unsafe=True)
            averages: torch.Tensor = sums / counts.reshape(-1, *(1,) * (values.ndim - 1)).float()
            return averages

        return Positions(
            whole["observations"][newest],
            mean(whole["policies"]).half(),
            mean(whole["results"]),
            mean(whole["values"]),
            mean(whole["nearness"]),
            counts,
        )


class WindowFolder(ReplayWindow):
    """A replay window whose chunks are files too, as long as a checkpoint needs them.

    A chunk is written with the first checkpoint that needs it.

    Args:
        folder: where the files are.
        device: where the samples are kept.
    """

    def __init__(self, folder: Path, device: torch.device) -> None:
        super().__init__(device)
        self._folder = folder
        self._unwritten: dict[str, ReplayChunk] = {}
        self._digests: dict[str, str] = {}  # of the files
        self._chunks_of_checkpoints: deque[set[str]] = deque(maxlen=KEPT_CHECKPOINTS)

    def add(self, name: str, chunk: ReplayChunk, most: float = math.inf) -> None:
        """As :meth:`ReplayWindow.add`."""
        super().add(name, chunk, most)
        self._unwritten[name] = chunk

    def _write(self, name: str, chunk: ReplayChunk) -> None:
        """Write a file.

        Raises:
            TrainingError: it cannot be written.
        """
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise TrainingError(f"{self._folder} cannot be created: {error.strerror}") from error
        data = write_chunk(chunk)
        digest = hashlib.sha256(data)
        self._digests[name] = digest.hexdigest()
        write_file(self._folder / name, digest.digest() + data)

    # -- checkpoints --

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint; files not needed by the newest checkpoints are removed.

        Raises:
            TrainingError: a file cannot be written.
        """
        names = [name for name, _ in self.chunks]
        for name in self._unwritten.keys() & names:
            self._write(name, self._unwritten[name])
        self._unwritten = {}
        self._chunks_of_checkpoints.append(set(names))
        if len(self._chunks_of_checkpoints) == KEPT_CHECKPOINTS:
            needs = set().union(*self._chunks_of_checkpoints)
            for path in self._folder.glob("*.chunk"):
                if path.name not in needs:
                    with contextlib.suppress(OSError):
                        path.unlink()
        return {"window": names, "window_digests": [self._digests[name] for name in names]}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore :meth:`state`.

        Raises:
            TrainingError: a file is missing or damaged.
        """
        names = state["window"]
        for name, digest in zip(names, state["window_digests"], strict=True):
            super().add(name, self._read(name, digest))
        self._chunks_of_checkpoints = deque([set(names)], KEPT_CHECKPOINTS)

    def _read(self, name: str, digest: str) -> ReplayChunk:
        path = self._folder / name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise TrainingError(f"{path} cannot be read: {error.strerror}") from error
        size = hashlib.sha256().digest_size
        present = hashlib.sha256(data[size:])
        if present.digest() != data[:size]:
            raise TrainingError(f"{path}, a part of the replay window, is damaged")
        if digest != present.hexdigest():
            raise TrainingError(f"{path} is not the part of the replay window of this run")
        self._digests[name] = present.hexdigest()
        with refusing_checkpoint(path):
            return read_chunk(data[size:])


def _merge(keys: torch.Tensor, order: torch.Tensor, fresh: torch.Tensor) -> torch.Tensor:
    """The order of samples followed by fresh ones, by key, equal ones by age.

    Args:
        keys: int64, of the samples.
        order: int64: the samples by their keys.
        fresh: int64, the keys of the fresh samples.
    """
    fresh, index = fresh.sort(stable=True)
    places = torch.searchsorted(keys[order], fresh, right=True)
    places += torch.arange(len(fresh), device=keys.device)
    merged = torch.empty(len(order) + len(fresh), dtype=torch.int64, device=keys.device)
    is_old = torch.ones(len(merged), dtype=torch.bool, device=keys.device)
    is_old[places] = False
    merged[places] = index + len(keys)
    merged[is_old] = order
    return merged


def write_chunk(chunk: ReplayChunk) -> bytes:
    """A chunk as the content of a file: arrays, the keys as unsigned numbers."""
    arrays = {name: values.cpu().numpy() for name, values in chunk._asdict().items()}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays | {"keys": (arrays["keys"] ^ SIGN).view(np.uint64)})
    return buffer.getvalue()


def read_chunk(data: bytes) -> ReplayChunk:
    """The inverse of :func:`write_chunk`; executes no code."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = {**file}
    keys = arrays["keys"].astype(np.uint64, copy=False).view(np.int64) ^ SIGN
    return ReplayChunk(**{k: torch.from_numpy(v) for k, v in (arrays | {"keys": keys}).items()})
