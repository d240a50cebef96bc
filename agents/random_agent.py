"""The random agent: every legal action is equally likely."""

from __future__ import annotations

import numpy as np

from ..envs import rules as r
from ..envs.game import Game, Position
from .agent import Agent
from .decision import Decision
from .registry import register_agent


@register_agent("random")
class RandomAgent(Agent):
    """Plays a uniformly random legal action."""

    summary = "a uniformly random legal action"

    def prepare(self, game: Game) -> None:
        self._scratch = np.empty(game.facts.num_actions, np.int16)
        self._draw(game.initial_position(), self.stream.copy())

    def _draw(self, position: Position, stream: np.ndarray) -> int:
        rules, record = position.game.rules, position.record
        return int(self._compiled(r.random_action, rules, record, stream, self._scratch))

    def decide(self, position: Position) -> Decision:
        return Decision(self._choose_action(position))

    def _choose_action(self, position: Position) -> int:
        return self._draw(position, self.stream)
