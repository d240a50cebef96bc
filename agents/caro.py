"""The levels of caro: ``easy``, ``medium``, ``hard``, and three modes for the 10×10 board.

They reproduce the two course projects on caro that this suite started from, except ``hard``, whose
evaluation is corrected; ``caro15_hard`` is the original. ``medium`` and ``caro10_heuristic`` are
the agents below; the others are presets of agents that play every game.
"""

from __future__ import annotations

import numpy as np

from ..envs import rules as r
from ..envs.boards.stones import DIRECTIONS, count_run
from ..envs.compiled.kernels import kernel
from ..envs.compiled.randomness import random_below
from ..envs.game import Game, Position
from ..envs.games.gomoku.heuristics import evaluate_windows
from ..envs.games.gomoku.rules import Gomoku, row_wins
from ..envs.specification import SpecificationError
from .agent import Agent
from .decision import Decision, PlainScores, Score
from .registry import register_agent, register_preset

FULL_ROW = 100_000
DEFENCE = 2  # the opponent's points on a cell count twice
NO_CHOICE = np.iinfo(np.int64).min  # the points of a cell that must not be played


@kernel
def _shape_points(rules, cells, action, row_step, col_step):
    """The points of the run through the stone on ``action`` in one direction.

    A winning row scores 100,000. Otherwise, with two open ends / one: one stone missing 10,000 /
    5,000, two 1,000 / 100, three 50 / 10, more 1 / 1. Without an open end, and for a row too long
    to win, 0.
    """
    if row_wins(rules, cells, action, row_step, col_step):
        return FULL_ROW
    length, open_ends = 1, 0
    for sign in (1, -1):
        run = count_run(
            cells, rules.rows, rules.cols, action, sign * row_step, sign * col_step, cells[action]
        )
        length += run
        row, column = (
            action // rules.cols + sign * (run + 1) * row_step,
            action % rules.cols + sign * (run + 1) * col_step,
        )
        open_ends += (
            0 <= row < rules.rows
            and 0 <= column < rules.cols
            and cells[row * rules.cols + column] == 0
        )
    if open_ends == 0 or length >= rules.connect:
        return 0
    missing = rules.connect - length
    if missing == 1:
        return 10_000 if open_ends == 2 else 5_000
    if missing == 2:
        return 1_000 if open_ends == 2 else 100
    if missing == 3:
        return 50 if open_ends == 2 else 10
    return 1


@kernel
def _grade_cells(rules, cells, player, points):
    """Fill ``points`` (int64, one for each cell): attack plus twice the defence.

    Cells that are not free get NO_CHOICE.
    """
    for cell in range(rules.rows * rules.cols):
        if cells[cell] != 0:
            points[cell] = NO_CHOICE
            continue
        attack, defence = 0, 0
        for row_step, col_step in DIRECTIONS:
            cells[cell] = player + 1
            attack += _shape_points(rules, cells, cell, row_step, col_step)
            cells[cell] = 2 - player
            defence += _shape_points(rules, cells, cell, row_step, col_step)
        cells[cell] = 0
        points[cell] = attack + DEFENCE * defence


@kernel
def _grade_candidates(rules, position, player, candidates, points):
    """Fill ``points`` (int64, one for each cell): attack minus defence.

    Attack is the value of all windows of the board after a stone of ``player`` on the cell, defence
    their value after a stone of the opponent. Both are from the side of ``player``. Cells that are
    not next to a stone get NO_CHOICE. ``position`` is modified and restored.
    """
    points[:] = NO_CHOICE
    cells = position.cells
    for i in range(r.candidates(rules, position, 1, candidates)):
        cell = np.int64(candidates[i])
        cells[cell] = player + 1
        attack = evaluate_windows(rules, cells, player)
        cells[cell] = 2 - player
        points[cell] = attack - evaluate_windows(rules, cells, player)
        cells[cell] = 0


class _CellGrader(Agent):
    """Base of the agents that score cells and play one of the best."""

    def check_game(self, game: Game) -> None:
        if not isinstance(game.rules, Gomoku):
            raise SpecificationError(f"{self.name} plays gomoku, not {game.name}")

    def prepare(self, game: Game) -> None:
        self._points = np.empty(game.facts.num_actions, np.int64)
        self._grade(game.initial_position())

    def _grade(self, position: Position) -> None:
        """Fill the points."""
        raise NotImplementedError

    def _choose(self, best: np.ndarray) -> int:
        """One of the best cells, which are in ascending order."""
        raise NotImplementedError

    def _choose_action(self, position: Position) -> int:
        self._grade(position)
        return self._choose(np.flatnonzero(self._points == self._points.max()))

    def decide(self, position: Position) -> Decision:
        action = self._choose_action(position)
        graded = np.flatnonzero(self._points > NO_CHOICE)
        values = {int(cell): float(self._points[cell]) for cell in graded}
        score, scores = Score(values[action], "points"), PlainScores(values, "points")
        return Decision(action, score, scores, nodes=graded.size, depth=1)


@register_agent("medium")
class Medium(_CellGrader):
    """Plays the cell where attack + 2 × defence is highest.

    Attack is the points of the player's own stone there, defence the points of an opponent's stone.
    Ties go to the cell nearest to the centre (by the larger of the distances along rows and
    columns), then to one at random. It looks one stone ahead: by the formula, blocking an
    opponent's five (2 × 100,000) comes before completing its own.
    """

    summary = "caro level: own shapes plus twice the opponent's, one stone ahead"

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        row, column = np.divmod(np.arange(game.facts.num_actions), game.rules.cols)
        self._from_centre = (
            np.maximum(abs(2 * row - game.rules.rows + 1), abs(2 * column - game.rules.cols + 1))
            // 2
        )
        self._compiled(random_below, self.stream.copy(), 1)

    def _grade(self, position: Position) -> None:
        cells = np.array(position.record.cells)  # a copy: scoring puts stones on it
        self._compiled(_grade_cells, position.game.rules, cells, position.to_move, self._points)

    def _choose(self, best: np.ndarray) -> int:
        nearest = best[self._from_centre[best] == self._from_centre[best].min()]
        return int(nearest[self._compiled(random_below, self.stream, nearest.size)])


@register_agent("caro10_heuristic")
class AttackMinusDefence(_CellGrader):
    """Plays the cell next to a stone where attack − defence is highest.

    Attack is the value of the board by the heuristic ``caro10`` after the player's own stone there,
    defence the value after an opponent's stone there, both from the player's side. Ties go to the
    first action; on an empty board it plays the centre.
    """

    summary = "caro 10×10: all windows after its own stone, less those after the opponent's"

    def prepare(self, game: Game) -> None:
        self._candidates = np.empty(game.facts.num_actions, np.int16)
        super().prepare(game)

    @property
    def deterministic(self) -> bool:
        return True

    def _grade(self, position: Position) -> None:
        record = position.copy().record  # scoring puts stones on it
        rules, player = position.game.rules, position.to_move
        self._compiled(_grade_candidates, rules, record, player, self._candidates, self._points)

    def _choose(self, best: np.ndarray) -> int:
        return int(best[0])


register_preset("easy", "random", "caro level: a random free cell")
register_preset(
    "hard",
    "alphabeta:depth=3,radius=2,heuristic=caro15_open,win_in_one=yes",
    "caro level: alpha-beta, depth 3, cells within distance 2 of a stone",
)
register_preset(
    "caro15_hard",
    "textbook:depth=3,radius=2,heuristic=caro15",
    "caro 15×15: the course project's own hard level, which scores runs whether they can grow",
)
register_preset(
    "caro10_minimax",
    "minimax:depth=3,radius=1,heuristic=caro10,resistance=no",
    "caro 10×10: minimax, depth 3, cells next to a stone",
)
register_preset(
    "caro10_alphabeta",
    "textbook:depth=4,radius=1,heuristic=caro10,values=yes",
    "caro 10×10: alpha-beta, depth 4, cells next to a stone",
)
