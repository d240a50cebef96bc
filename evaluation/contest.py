"""What a process needs to know to play games of a tournament, as plain data, and the playing of them in this process."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from ..agents import Agent, make_agent
from ..envs.game import Game
from .match import GameResult, play_game
from .store import GameKey


class Contest(NamedTuple):
    """Who plays what: the game, and the agents' specifications and names by their numbers."""

    game: Game
    agents: tuple[str, ...]
    labels: tuple[str, ...]


class ScheduledGame(NamedTuple):
    """A game to be played: the pair it belongs to, the agents' numbers by seat, the opening, the seed for each seat."""

    pair: int
    players: tuple[int, int]
    opening: tuple[int, ...]
    seeds: tuple[int, int]

    @property
    def key(self) -> GameKey:
        """What identifies the game within its tournament."""
        return self.pair, *self.players


class Arena:
    """The agents of a contest, alive in this process. Which games they have played before makes no difference to a game."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self._agents: list[Agent] = [make_agent(spec, contest.game) for spec in contest.agents]

    def get_ready(self) -> None:
        """Let the agents compile and allocate, which is no thinking time. An agent that fails in this will forfeit its games."""
        for agent in self._agents:
            with contextlib.suppress(Exception):
                agent.get_ready(self.contest.game)

    def play(self, game: ScheduledGame) -> GameResult:
        """Play a game."""
        agents = [self._agents[number] for number in game.players]
        names = [self.contest.labels[number] for number in game.players]
        return play_game(self.contest.game, agents, game.opening, game.seeds, names)
