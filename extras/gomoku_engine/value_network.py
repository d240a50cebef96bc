"""A small network for the value of a position, with incrementally updated inputs (NNUE).

Each free cell adds its parts, by its patterns, to the inputs; a stone changes the sums by the parts
of the cells near it. Two integer layers follow, so that all machines compute the same.

Source: Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi",
2018.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.compiled.kernels import inner_kernel

INPUTS = 32  # from each player's cells
HIDDEN_UNITS = 16  # units of the hidden layer
# Fixed-point units of the inputs, of the first layer's weights and of the second layer's.
UNIT, FIRST_UNIT, SECOND_UNIT = 512, 1024, 256
SHIFT = 27  # bits of their product


class ValueNetwork(NamedTuple):
    """A small network for the value of a position: two layers over sums of the cells' parts.

    Attributes:
        parts: int16, (KEY_COUNT, INPUTS) or (0, INPUTS): what a free cell adds to the inputs. The
            first half counts if the owner of the patterns is to move, the second half if not.
        first: int32, (hidden, INPUTS): weights of the first layer, the mover's half first.
        threats: int32, (sets of threats, hidden): inputs of the hidden layer by threats, with bias.
        second: int32, (hidden,): weights of the second layer.
        threat_points: int32, (sets of threats,): points of the threats themselves.
        inputs: int32, (INPUTS,): a buffer.
    """

    parts: Any
    first: Any
    threats: Any
    second: Any
    threat_points: Any
    inputs: Any


NO_NETWORK = ValueNetwork(
    np.zeros((0, INPUTS), np.int16),
    np.zeros((0, INPUTS), np.int32),
    np.zeros((0, 0), np.int32),
    np.zeros(0, np.int32),
    np.zeros(0, np.int32),
    np.zeros(0, np.int32),
)


@inner_kernel
def change_sums(parts, sums, player, key, before):
    """Update the inputs of the network after a change of a cell's key."""
    # LLVM unrolls a loop of fixed length instead of vectorising it. The length is read from the
    # array, which makes the engine three times as fast.
    for i in range(parts.shape[1]):
        sums[player, i] += parts[key, i] - parts[before, i]


@inner_kernel
def copy_sums(source, target):
    """Copy the inputs of the network, (2, INPUTS)."""
    for side in range(2):
        for i in range(INPUTS):
            target[side, i] = source[side, i]


@inner_kernel
def network_points(network, sums, mover, threats):
    """The network's points, for the player to move."""
    half, inputs, other = INPUTS // 2, network.inputs, 1 - mover
    for i in range(half):
        inputs[i] = max(np.int32(sums[mover, i] + sums[other, half + i]), 0)
        inputs[half + i] = max(np.int32(sums[other, i] + sums[mover, half + i]), 0)
    points = np.int64(0)
    for j in range(HIDDEN_UNITS):
        sum_of_unit = np.int32(network.threats[threats, j])
        for i in range(INPUTS):
            sum_of_unit = np.int32(sum_of_unit + np.int32(inputs[i] * network.first[j, i]))
        if sum_of_unit > 0:
            points += np.int64(sum_of_unit) * np.int64(network.second[j])
    return points >> SHIFT
