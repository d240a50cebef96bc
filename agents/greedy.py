"""The greedy agent: it wins at once, else blocks, else takes the best evaluation one ply ahead."""

from __future__ import annotations

import numpy as np

from ..envs.game import Game, Position
from .agent import Agent
from .decision import Decision, PlainScores, Score, score_of_position
from .lookahead import LETS_WIN, LOSES, WINS, choose_graded, new_lookahead
from .own.heuristics import HEURISTIC, heuristic_index
from .registry import register_agent


@register_agent("greedy")
class Greedy(Agent):
    """Wins at once, else blocks, else takes the best evaluation after its own move.

    Among moves that lose at once it prefers the best margin, then the best evaluation. Ties are
    broken at random.
    """

    summary = "wins at once, else blocks, else the best evaluation one ply ahead"
    parameters = (HEURISTIC,)

    def check_game(self, game: Game) -> None:
        heuristic_index(game, self.options["heuristic"])

    def prepare(self, game: Game) -> None:
        self._heuristic = heuristic_index(game, self.options["heuristic"])
        self._buffers = new_lookahead(game, self.options["heuristic"])
        self._actions, self._grades = self._buffers.actions, self._buffers.grades
        self._points = self._buffers.points
        self._choose(game.initial_position(), self.stream.copy())

    def _choose(self, position: Position, rng: np.ndarray) -> tuple[int, int, int, int]:
        rules, record, buffers = position.game.rules, position.record, self._buffers
        choice: tuple[int, int, int, int] = self._compiled(
            choose_graded, rules, record, self._heuristic, buffers, rng
        )
        return choice

    def _choose_action(self, position: Position) -> int:
        return int(self._actions[self._choose(position, self.stream)[0]])

    def decide(self, position: Position) -> Decision:
        best, count, ending, worst = self._choose(position, self.stream)
        actions = self._actions[:count].tolist()
        points = self._points[:count].astype(float).tolist()
        action = actions[best]
        if ending == 0 and worst > LETS_WIN:  # in most positions: all are estimates
            plain = PlainScores(dict(zip(actions, points)), "points")
            return Decision(action, Score(points[best], "points"), plain, nodes=count, depth=1)
        scores = {action: self._score(position, action, i) for i, action in enumerate(actions)}
        score = score_of_position(action, scores, position.game.facts.max_return)
        return Decision(action, score, scores, nodes=count, depth=1)

    def _score(self, position: Position, action: int, index: int) -> Score:
        """The score of one action: a result where it ends the game or lets the opponent end it."""
        grade, points = int(self._grades[index]), float(self._points[index])
        if grade in (WINS, LOSES) or self._heuristic < 0 or points == 0:
            child = position.after(action)
            if child.is_over:
                return Score(child.returns[position.to_move], "return", "exact", 1)
        if grade in (LETS_WIN, LOSES) and position.game.facts.max_return == 1.0:
            return Score(-1.0, "return", "exact", 2)
        return Score(points, "points")
