"""The greedy agent: win at once, else do not let the opponent win at once, else the best evaluation
one ply ahead.
"""

from __future__ import annotations

import numpy as np

from ..envs import rules as r
from ..envs.compiled.kernels import kernel
from ..envs.compiled.randomness import random_below
from ..envs.game import Game, Position
from ..envs.specification import Parameter
from .agent import Agent, Decision, heuristic_index
from .registry import register_agent

WINS, HOLDS, LETS_WIN, LOSES = 3, 2, 1, 0  # what an action does, the best first


@kernel
def grade_actions(rules, position, heuristic, children, actions, replies, grades, points):
    """Grade every legal action and evaluate what it leads to; returns how many there are.

    ``children`` are two spare records, ``actions`` and ``replies`` int16 buffers of num_actions;
    ``grades`` and ``points`` (int64, num_actions) are filled in the order of ``actions``.
    """
    count = r.legal_actions(rules, position, actions)
    mover = r.to_move(rules, position)
    for i in range(count):
        children[0] = position
        r.play(rules, children[0], np.int64(actions[i]))
        points[i] = 0
        if r.is_over(rules, children[0]):
            result = r.returns(rules, children[0], mover)
            grades[i] = WINS if result > 0 else LOSES if result < 0 else HOLDS
            continue
        grades[i] = HOLDS
        if heuristic >= 0:
            points[i] = r.evaluate(rules, children[0], mover, heuristic)
        opponent = r.to_move(rules, children[0])
        if opponent == mover:
            continue
        for j in range(r.legal_actions(rules, children[0], replies)):
            children[1] = children[0]
            r.play(rules, children[1], np.int64(replies[j]))
            if r.is_over(rules, children[1]) and r.returns(rules, children[1], opponent) > 0:
                grades[i] = LETS_WIN
                break
    return count


@register_agent("greedy")
class Greedy(Agent):
    """Wins at once, else blocks, else takes the best evaluation after its own move; ties are broken
    at random.
    """

    summary = "wins at once, else blocks, else the best evaluation one ply ahead"
    parameters = (
        Parameter(
            "heuristic",
            str,
            "default",
            "what values a position: a heuristic of the game, default or none",
        ),
    )

    def check_game(self, game: Game) -> None:
        heuristic_index(game, self.options["heuristic"])

    def prepare(self, game: Game) -> None:
        count = game.facts.num_actions
        self._children = game.new_records(2)
        self._actions, self._replies = np.empty(count, np.int16), np.empty(count, np.int16)
        self._grades, self._points = np.empty(count, np.int64), np.empty(count, np.int64)
        self._grade(game.initial_position())
        random_below(self.rng.copy(), 1)

    def _grade(self, position: Position) -> int:
        heuristic = heuristic_index(position.game, self.options["heuristic"])
        buffers = (self._children, self._actions, self._replies, self._grades, self._points)
        return int(grade_actions(position.game.rules, position.record, heuristic, *buffers))

    def decide(self, position: Position) -> Decision:
        count = self._grade(position)
        grades, points = self._grades[:count], self._points[:count]
        best = np.flatnonzero(grades == grades.max())
        best = best[points[best] == points[best].max()]
        chosen = best[int(random_below(self.rng, best.size))]
        values = {int(action): float(value) for action, value in zip(self._actions[:count], points)}
        return Decision(
            int(self._actions[chosen]),
            float(points[chosen]),
            "points",
            values,
            nodes=count,
            depth=1,
        )
