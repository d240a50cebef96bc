"""The engine's evaluation of patterns, fitted to games of self-play.

The value of a position is the sum of its free cells' points, the points of the threats on the
board, and the output of a small network. Each cell counts by the codes of its four directions and
by the pairs of these codes, for either player; the inputs of the network are sums over the cells of
each player, updated stone by stone. The order of the moves is a sum over codes and pairs too.

The weights are in ``freestyle.npz`` and ``caro.npz``, written by
``benchmarks/extras/gomoku_engine/fit_patterns.py`` from games of
``benchmarks/extras/gomoku_engine/pattern_games.py``.

Sources: Österlund, "Texel's tuning method", chess programming wiki, 2014; Nasu, "Efficiently
updatable neural-network-based evaluation functions for computer shogi", 2018.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...agents.own.search_form import search_form
from ...envs.compiled.kernels import inner_kernel
from ...envs.game import Game
from ...envs.games.gomoku.patterns import (
    CARO,
    CLASSES,
    DOUBLE_THREE,
    FIVE,
    FOUR_THREE,
    KEY_COUNT,
    KEYS,
    MAKES_FOUR,
    MAKES_THREE,
    OPEN_FOUR,
    WINS_IN_THREE,
    WINS_SOON,
)
from .value_network import FIRST_UNIT, INPUTS, SECOND_UNIT, UNIT, ValueNetwork, network_points

# The files of the weights and their SHA-256, so that an agent's fingerprint covers the weights.
FREESTYLE_WEIGHTS = (
    "freestyle.npz",
    "493d00d39dfcc2a67760d166d4726919b5445c435876538333c51d2e92e0220a",
)
CARO_WEIGHTS = ("caro.npz", "a327dca471a2a7eebe71dbf540dc3cac45f4410355983d003754d95f73de0d12")

POINTS = 250  # per unit of log odds
FINE = 16  # cell values are in sixteenths of a point
ORDER = 256  # ordering points per unit of logits

COMBINATIONS = list(itertools.combinations_with_replacement(range(KEYS.size), 4))
PAIRS = list(itertools.combinations_with_replacement(range(KEYS.size), 2))
# The kinds of cells whose presence is a threat: four of the mover, five of the opponent.
THREAT_KINDS = 9
THREAT_PAIRS = [(i, j) for i in range(THREAT_KINDS) for j in range(i)]


def parts_of(codes: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Counts of each code and each pair of codes among a cell's four, (10 + 55,).

    Code 0 (nothing) and its pair with itself do not count.
    """
    counts = np.zeros(KEYS.size + len(PAIRS), np.float32)
    for code in codes:
        counts[code] += 1
    for pair in itertools.combinations(sorted(codes), 2):
        counts[KEYS.size + PAIRS.index(pair)] += 1
    counts[[0, KEYS.size]] = 0
    return counts


def with_pairs(threats: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A column for each kind of threat, 0 or 1, and for each pair of kinds, (rows, 9 + 36)."""
    pairs = np.stack([threats[:, i] & threats[:, j] for i, j in THREAT_PAIRS], 1)
    return np.concatenate([threats, pairs], 1)


class Weights(NamedTuple):
    """The fitted weights, in units of log odds.

    Attributes:
        cells: (65, 1 + INPUTS): for each code and pair its value and its part of the inputs.
        first: (INPUTS, HIDDEN_UNITS): weights of the first layer.
        threats: (45, HIDDEN_UNITS): weights of threats and pairs of threats in the first layer.
        bias: (HIDDEN_UNITS,): bias of the first layer.
        second: (HIDDEN_UNITS,): weights of the second layer.
        threat_values: (46,): values of the threats, of their pairs, and of the move.
        order: (65, 2): ordering values of each code and pair, for the mover and the opponent.
    """

    cells: Any
    first: Any
    threats: Any
    bias: Any
    second: Any
    threat_values: Any
    order: Any


def load_weights(name: str, digest: str) -> Weights:
    """The weights in a file of this folder.

    Raises:
        RuntimeError: it is not the file of this version.
    """
    path = Path(__file__).with_name(name)
    if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        raise RuntimeError(f"{path} is not the file of this version of plyground")
    with np.load(path) as file:
        return Weights(**{field: file[field] for field in Weights._fields})


def _by_key(columns: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    """A table by key from values by combination, rounded and clipped."""
    table = np.zeros((KEY_COUNT, *columns.shape[1:]), dtype)
    limits = np.iinfo(dtype)
    for codes, values in zip(COMBINATIONS, columns, strict=True):
        table[KEYS[list(codes)].sum()] = np.clip(np.rint(values), limits.min, limits.max)
    return table


@functools.cache
def _tables(name: str, digest: str) -> dict[str, Any]:
    """The fitted fields of the search form's rules."""
    weights = load_weights(name, digest)
    matrix = np.array([parts_of(codes) for codes in COMBINATIONS])
    highest = np.array([codes[-1] for codes in COMBINATIONS])
    wins = 8000 * (2 * (highest == FIVE) + (highest == OPEN_FOUR))
    cells, order = matrix @ weights.cells, ORDER * (matrix @ weights.order)
    threats = np.arange(1 << THREAT_KINDS)[:, None] >> np.arange(THREAT_KINDS) & 1
    columns = with_pairs(threats)
    threat_values = columns @ weights.threat_values[:-1] + weights.threat_values[-1]
    network = ValueNetwork(
        _by_key(UNIT * cells[:, 1:], np.int16),
        np.rint(FIRST_UNIT * weights.first.T).astype(np.int32),
        np.rint(UNIT * FIRST_UNIT * (columns @ weights.threats + weights.bias)).astype(np.int32),
        np.rint(POINTS * SECOND_UNIT * weights.second).astype(np.int32),
        np.rint(POINTS * threat_values).astype(np.int32),
        np.zeros(INPUTS, np.int32),
    )
    return {
        "values": _by_key(POINTS * FINE * cells[:, 0], np.int16),
        "own_order": _by_key(wins + order[:, 0], np.int16),
        "other_order": _by_key(order[:, 1], np.int16),
        "network": network,
    }


def fitted_rules(game: Game) -> Any:
    """The rules of the search form by patterns, with the fitted values and orders."""
    rules = search_form(game, "patterns").rules
    return rules._replace(**_tables(*(CARO_WEIGHTS if rules.rule >= CARO else FREESTYLE_WEIGHTS)))


@inner_kernel
def static_points(network, position, mover):
    """The static value of a position without a five or a four, for the player to move."""
    classes = position.classes
    mine, theirs = CLASSES * mover, CLASSES * (1 - mover)
    points = (np.int64(position.score[mover]) - np.int64(position.score[1 - mover])) // FINE
    threats = (
        (classes[mine + MAKES_THREE] > 0) * 1
        + (classes[mine + MAKES_FOUR] > 0) * 2
        + (classes[mine + DOUBLE_THREE] > 0) * 4
        + (classes[mine + FOUR_THREE] > 0) * 8
        + (classes[theirs + MAKES_THREE] > 0) * 16
        + (classes[theirs + MAKES_FOUR] > 0) * 32
        + (classes[theirs + DOUBLE_THREE] > 0) * 64
        + (classes[theirs + FOUR_THREE] > 0) * 128
        + (classes[theirs + WINS_SOON] > 0) * 256
    )
    points += network.threat_points[threats]
    points += network_points(network, position.sums, mover, threats)
    return points + WINS_IN_THREE * (classes[mine + WINS_SOON] > 0)
