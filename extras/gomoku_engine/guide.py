"""The patterns of gomoku instead of a network: ``mcts:network=patterns``.

The engine's static value replaces the value head, its move ordering the policy head: both were
fitted to games, the ordering as the logits of a softmax. If moves are forced, the others get no
weight. Each new node is checked for a win by continuous fours, so that the tree has few nodes with
an obvious result.

Source of the combination: Chaslot et al., "Progressive strategies for Monte-Carlo tree search",
New Mathematics and Natural Computation 4, 2008 (knowledge of the game as a bias of the selection);
Silver et al., Science 2018 (a value instead of a playout).
"""

from __future__ import annotations

import math

import numpy as np

from ...agents.own.search_form import blank_records, load_record
from ...agents.policies.policy_file import WHOLE_RETURN, Network
from ...agents.search.puct import PATTERNS, heuristic_network
from ...envs.compiled.kernels import kernel
from ...envs.game import Game
from ...envs.games.gomoku.patterns import CLASSES, LONGEST, WINS_NOW
from ...envs.games.gomoku.rules import Gomoku
from ...envs.specification import SpecificationError
from .engine_kernels import MOST_MOVES
from .fours import find_fours, new_fours_search
from .patterns import PATTERNS_RECORD, list_moves, put_patterns, urgency
from .values import ORDER, POINTS, fitted_rules, static_points

RADIUS = 2  # cells farther from every stone get no weight
FOURS = 60  # node limit of the search for fours at a new node
UNLIKELY = -30.0  # the logit of a move that is not worth trying
CERTAIN = 30.0
SURE = 0.999  # the value of a win that is found but not yet on the board


@kernel
def _evaluate_observations(rules, boards, fours, moves, observations, logits, values):
    """Write logits and values for observations (int8, (N, rows, columns, 2))."""
    empty, position = boards[0], boards[1]
    cells = rules.rows * rules.cols
    for row in range(observations.shape[0]):
        boards[1] = empty
        planes = observations[row]
        count = 0
        for cell in range(cells):
            count += planes[cell // rules.cols, cell % rules.cols, 0]
            count += planes[cell // rules.cols, cell % rules.cols, 1]
        mover = count & 1
        for cell in range(cells):
            for plane in range(2):
                if planes[cell // rules.cols, cell % rules.cols, plane]:
                    player = np.int64(mover if plane == 0 else 1 - mover)
                    put_patterns(rules, position, np.int64(cell), player)
        logits[row, :] = UNLIKELY
        values[row] = _evaluate_position(
            rules, position, np.int64(mover), fours, moves, logits[row]
        )


@kernel
def _evaluate_position(rules, position, mover, fours, moves, logits):
    """Write the logits of a position; returns its value for the player to move."""
    if position.ply == 0:
        logits[rules.rows // 2 * rules.cols + rules.cols // 2] = CERTAIN
        return 0.0
    mine, theirs = CLASSES * mover, CLASSES * (1 - mover)
    action = np.int64(-1)
    if position.classes[mine + WINS_NOW] > 0 or position.classes[theirs + WINS_NOW] == 0:
        action, _, _ = find_fours(rules, position, fours, FOURS)
    if action >= 0:
        logits[action] = CERTAIN
        return SURE
    count, _ = list_moves(rules, RADIUS, position, mover, moves)
    for i in range(count):
        cell = np.int64(moves[i])
        logits[cell] = urgency(rules, position.keys, cell, mover) / ORDER
    return math.tanh(static_points(rules.network, position, mover) / (2 * POINTS))


class PatternsNetwork(Network):
    """Logits and values of positions of gomoku, by patterns.

    Raises:
        SpecificationError: the game has longer rows than patterns cover.
    """

    def __init__(self, game: Game) -> None:
        if game.rules.connect > LONGEST:
            raise SpecificationError(
                f"network={PATTERNS} knows rows of up to {LONGEST}, not {game.spec}"
            )
        super().__init__(PATTERNS, game, PATTERNS, WHOLE_RETURN, PATTERNS)
        self._rules = fitted_rules(game)
        self._boards = blank_records(2, PATTERNS_RECORD)
        load_record(self._rules, game.initial_position().record, self._boards)
        self._fours, self._moves = new_fours_search(), np.zeros(MOST_MOVES, np.int16)

    def run(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits and values for observations of any numeric type."""
        shape = len(observations), self.game.facts.num_actions
        logits, values = np.empty(shape, np.float32), np.empty(len(observations), np.float32)
        planes = np.ascontiguousarray(observations, np.int8)
        buffers = self._boards, self._fours, self._moves
        _evaluate_observations(self._rules, *buffers, planes, logits, values)
        return logits, values

    def evaluate(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same as :meth:`run`: it needs no float32 planes, and its results are finite."""
        return self.run(observations)


@heuristic_network.register(Gomoku)
def _patterns(rules: Gomoku, game: Game) -> Network:
    return PatternsNetwork(game)
