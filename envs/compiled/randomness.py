"""Random numbers inside kernels: splitmix64, one 64-bit state per stream.

numba's own ``np.random`` keeps one hidden state per thread; with an explicit state, agents in
different threads or games in one batch are independent, and the same seed gives the same game
everywhere. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
2014.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np

from .kernels import inner_kernel, kernel

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
# Constants by which keys and hashes distinguish the players, or the player to move.
SALT_1, SALT_2 = np.uint64(0xD6E8FEB86659FD93), np.uint64(0xA0761D6478BD642F)
UNIT = 2.0**-53  # the distance between neighbouring numbers of `random_unit`
SHIFT_11 = np.uint64(11)
SHIFT_30, SHIFT_27, SHIFT_31, SHIFT_32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


def new_stream(*seeds: int) -> np.ndarray:
    """A random stream (uint64 array of length 1) that depends on all of the seeds."""
    return np.random.SeedSequence([seed & (2**64 - 1) for seed in seeds]).generate_state(
        1, np.uint64
    )


def new_streams(seeds: np.ndarray) -> np.ndarray:
    """The streams of :func:`new_stream` for many seeds, in one call.

    Args:
        seeds: uint64, (n,).

    Returns:
        uint64, (n, 1).
    """
    scramble = _Scrambling(0x43B0D7E5, 0x931E8875)
    none = np.zeros(len(seeds), np.uint32)
    entropy = seeds.astype(np.uint32), (seeds >> SHIFT_32).astype(np.uint32), none, none
    pool = [scramble(words) for words in entropy]
    for source, target in itertools.permutations(range(4), 2):
        mixed = pool[target] * np.uint32(0xCA01F9DD)
        mixed -= scramble(pool[source]) * np.uint32(0x4973F715)
        pool[target] = mixed ^ (mixed >> np.uint32(16))
    scramble = _Scrambling(0x8B51F9DD, 0x58F38DED)
    low, high = (scramble(words).astype(np.uint64) for words in pool[:2])
    return (low | (high << SHIFT_32)).reshape(-1, 1)


class _Scrambling:
    """The scrambling of 32-bit words in numpy's SeedSequence, whose algorithm numpy guarantees."""

    def __init__(self, constant: int, multiplier: int) -> None:
        self._constant, self._multiplier = constant, multiplier

    def __call__(self, words: np.ndarray) -> np.ndarray:
        words = words ^ np.uint32(self._constant)
        self._constant = self._constant * self._multiplier & 0xFFFFFFFF
        words *= np.uint32(self._constant)
        return words ^ (words >> np.uint32(16))


@kernel
def mix64(x):
    """Scramble a uint64: every bit of the result depends on every bit of ``x``."""
    x = (x ^ (x >> SHIFT_30)) * MIX_1
    x = (x ^ (x >> SHIFT_27)) * MIX_2
    return x ^ (x >> SHIFT_31)


@kernel
def random_bits(rng):
    """The next 64 random bits of the stream ``rng`` (uint64 array of length 1)."""
    rng[0] += GAMMA
    return mix64(rng[0])


@kernel
def random_below(rng, bound):
    """A whole number from 0 up to, not including, ``bound`` (at most 2^31).

    Its bias is below 2^-32 * bound.
    """
    return np.int64(((random_bits(rng) >> SHIFT_32) * np.uint64(bound)) >> SHIFT_32)


@inner_kernel
def random_unit(rng):
    """A random number from 0 up to, not including, 1."""
    return np.float64(random_bits(rng) >> SHIFT_11) * UNIT


class RandomNumbers(random.Random):
    """The random numbers of a stream for Python code, with the methods of :class:`random.Random`.

    Args:
        stream: their source; uint64 array of length 1, which changes with every number.
    """

    def __init__(self, stream: np.ndarray) -> None:
        self._stream = stream
        super().__init__()

    def seed(self, *arguments: Any, **keywords: Any) -> None:
        """Do nothing: the stream is already seeded."""

    def random(self) -> float:
        """A number from 0 up to, not including, 1."""
        return float(random_bits(self._stream) >> SHIFT_11) * UNIT

    def getrandbits(self, k: int) -> int:
        """A whole number of this many random bits."""
        words = -(-k // 64)
        bits = sum(int(random_bits(self._stream)) << 64 * number for number in range(words))
        return bits & ((1 << k) - 1)

    def integers(self, low: int, high: int | None = None) -> int:
        """A whole number from 0 up to, not including, ``low``; or from ``low`` to ``high``."""
        return self.randrange(low) if high is None else self.randrange(low, high)

    def getstate(self) -> tuple[Any, ...]:
        """The state of the stream."""
        return (int(self._stream[0]),)

    def setstate(self, state: tuple[Any, ...]) -> None:
        """Continue from a state of :meth:`getstate`."""
        self._stream[0] = state[0]
