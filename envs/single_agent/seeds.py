"""The random streams of many games."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .batch_kernels import seed_streams


def streams_of(seed: int | Sequence[int | None] | None, num_games: int) -> np.ndarray:
    """The random streams of this many games, uint64 of shape (N, 1).

    Game i gets ``seed + i``, or element i of a sequence of seeds. Without a seed the streams are
    unpredictable.

    Raises:
        ValueError: a number of seeds that is not N.
    """
    drawn = np.random.SeedSequence().generate_state(num_games, np.uint64)
    if seed is None:
        seeds = drawn
    elif isinstance(seed, (int, np.integer)):
        seeds = np.uint64(int(seed) & (2**64 - 1)) + np.arange(num_games, dtype=np.uint64)
    else:
        if len(seed) != num_games:
            raise ValueError(f"{len(seed)} seeds were given for {num_games} games")
        seeds = np.array(
            [drawn[i] if one is None else int(one) & (2**64 - 1) for i, one in enumerate(seed)],
            np.uint64,
        )
    streams = np.zeros((num_games, 1), np.uint64)
    seed_streams(seeds, streams)
    return streams
