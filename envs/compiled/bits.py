"""Operations on 64-bit sets (uint64)."""

from __future__ import annotations

import numpy as np

from .kernels import kernel

ONE, TWO, FOUR, FIFTY_SIX = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
PAIRS = np.uint64(0x5555555555555555)
NIBBLES = np.uint64(0x3333333333333333)
BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
SUM = np.uint64(0x0101010101010101)


@kernel
def count_bits(x):
    """The number of bits set. LLVM compiles this sum of halves to one instruction."""
    x = x - ((x >> ONE) & PAIRS)
    x = (x & NIBBLES) + ((x >> TWO) & NIBBLES)
    x = (x + (x >> FOUR)) & BYTES
    return np.int64((x * SUM) >> FIFTY_SIX)


@kernel
def lowest_bit_index(x):
    """The index of the lowest bit set; ``x`` must not be zero."""
    return count_bits((x & (~x + ONE)) - ONE)
