"""The replay window: the newest samples of self-play, in chunks, each a file of the run's folder.

A chunk holds what one update's self-play brought. Every position is kept as its canonical image
under the game's symmetries, so that equal positions have equal keys. What the learner is given are
the distinct positions of the window, with the averages of all their samples.
"""

from __future__ import annotations

import io
import math
from typing import Any, NamedTuple

import numpy as np

from ...envs.game import Game
from ..symmetry import observation_symmetries

KEY_SEED = 0x706C7967


class ReplayChunk(NamedTuple):
    """Samples, as arrays with the samples as first axis.

    Attributes:
        keys: uint64, of the canonical observations.
        observations: uint8, canonical, as packed bits.
        policies: float16, (N, num_actions).
        results: float32, (N, 3): win, draw, loss.
        values: float32: what the search's value should be.
        nearness: float32: how near the end is, from 0 to 1.
        weights: float32: how much the sample counts.
        replies: int16: the action that was played next, −1: none.
        soon: float32: the mean value of the searches that follow, the nearest with most weight.
        finals: uint8: the observation of the game's end, as ``observations``; none: not learnt.
    """

    keys: np.ndarray
    observations: np.ndarray
    policies: np.ndarray
    results: np.ndarray
    values: np.ndarray
    nearness: np.ndarray
    weights: np.ndarray
    replies: np.ndarray
    soon: np.ndarray
    finals: np.ndarray


class Positions(NamedTuple):
    """Distinct positions; as :class:`ReplayChunk`, with how often each was met.

    Replies and finals are those of the newest sample.
    """

    observations: np.ndarray
    policies: np.ndarray
    results: np.ndarray
    values: np.ndarray
    nearness: np.ndarray
    weights: np.ndarray
    replies: np.ndarray
    soon: np.ndarray
    finals: np.ndarray
    counts: np.ndarray


class Canonical:
    """Brings observations and policies into their canonical image."""

    def __init__(self, game: Game) -> None:
        self.cells: np.ndarray = observation_symmetries(game)
        self._forward = game.symmetries.astype(np.int64)
        self.actions: np.ndarray[tuple[Any, ...], np.dtype] = np.argsort(self._forward, axis=1)
        width = self.cells.shape[1]
        random = np.random.default_rng(KEY_SEED)
        self._weights = random.integers(0, 2**64, width, np.uint64) | np.uint64(1)

    def keys(self, observations: np.ndarray) -> np.ndarray:
        """A hash (uint64) of each row of flat observations."""
        keys = np.zeros(len(observations), np.uint64)
        for column in range(observations.shape[1]):
            keys += observations[:, column].astype(np.uint64) * self._weights[column]
        keys ^= keys >> np.uint64(31)
        keys *= np.uint64(0x9E3779B97F4A7C15)
        return keys ^ (keys >> np.uint64(29))

    def __call__(
        self, observations: np.ndarray, policies: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Keys, flat observations and policies of the images with the smallest keys; symmetries."""
        flat = observations.reshape(len(observations), math.prod(observations.shape[1:]))
        keys = np.stack([self.keys(flat[:, cells]) for cells in self.cells])
        symmetries = np.argmin(keys, axis=0)
        image_policies = np.take_along_axis(policies, self.actions[symmetries], axis=1)
        keys = keys[symmetries, np.arange(len(flat))]
        return keys, self.images(observations, symmetries), image_policies, symmetries

    def images(self, observations: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
        """Flat observations under a symmetry for each; none of none."""
        flat = observations.reshape(len(observations), math.prod(observations.shape[1:]))
        return np.take_along_axis(flat, self.cells[symmetries[: len(flat)]], axis=1)

    def image_actions(self, actions: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
        """Actions under a symmetry for each; −1 stays."""
        return np.where(actions < 0, -1, self._forward[symmetries, actions]).astype(np.int16)


class ReplayWindow:
    """The newest chunks, each with its name."""

    def __init__(self) -> None:
        self.chunks: list[tuple[str, ReplayChunk]] = []

    def __len__(self) -> int:
        return sum(len(chunk.keys) for _, chunk in self.chunks)

    def add(self, name: str, chunk: ReplayChunk, most: int) -> None:
        """Take in a chunk; the oldest leave as long as ``most`` samples remain."""
        self.chunks.append((name, chunk))
        while len(self) - len(self.chunks[0][1].keys) >= most:
            del self.chunks[0]

    def positions(self) -> Positions:
        """The distinct positions, each with the averages of its samples."""
        whole = ReplayChunk(*(np.concatenate(parts) for parts in zip(*(c for _, c in self.chunks))))
        order = np.argsort(whole.keys, kind="stable")
        keys = whole.keys[order]
        first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        counts = np.diff(np.append(first, len(keys)))

        newest = order[first + counts - 1]

        def mean(values: np.ndarray) -> np.ndarray:
            sums = np.add.reduceat(values[order].astype(np.float32), first, axis=0)
            shape = (-1,) + (1,) * (values.ndim - 1)
            averages: np.ndarray = sums / counts.reshape(shape).astype(np.float32)
            return averages

        return Positions(
            whole.observations[order[first]],
            mean(whole.policies).astype(np.float16),
            mean(whole.results),
            mean(whole.values),
            mean(whole.nearness),
            mean(whole.weights),
            whole.replies[newest],
            mean(whole.soon),
            whole.finals[newest] if len(whole.finals) else whole.finals,
            counts,
        )


def window_size(samples: int, smallest: int, largest: int, exponent: float) -> int:
    """How many samples the window holds after so many in all: it grows like a power of them.

    Source: Wu, "Accelerating self-play learning in Go", 2019.
    """
    if samples <= smallest:
        return smallest
    growth = ((samples / smallest) ** exponent - 1.0) / exponent
    return int(min(largest, smallest * (1.0 + 0.4 * growth)))


def write_chunk(chunk: ReplayChunk) -> bytes:
    """A chunk as the content of a file."""
    buffer = io.BytesIO()
    np.savez(buffer, **chunk._asdict())
    return buffer.getvalue()


def read_chunk(data: bytes) -> ReplayChunk:
    """The inverse of :func:`write_chunk`; nothing is executed."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return ReplayChunk(**file)
