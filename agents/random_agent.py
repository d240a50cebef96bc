"""The random agent: every legal action is equally likely."""

from __future__ import annotations

import numpy as np

from ..envs import rules as r
from ..envs.game import Game, Position
from .agent import Agent, Decision
from .registry import register_agent


@register_agent("random")
class RandomAgent(Agent):
    """Plays a uniformly random legal action."""

    summary = "a uniformly random legal action"

    def prepare(self, game: Game) -> None:
        self._scratch = np.empty(game.facts.num_actions, np.int16)
        r.random_action(
            game.rules, game.initial_position().record, self.stream.copy(), self._scratch
        )

    def decide(self, position: Position) -> Decision:
        return Decision(
            int(r.random_action(position.game.rules, position.record, self.stream, self._scratch))
        )
