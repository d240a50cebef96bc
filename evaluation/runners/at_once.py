"""Many parallel games of two compiled agents, with the same moves as games one at a time."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...agents.agent import Agent
from ...agents.compiled_opponents import (
    compiled_form,
    new_games,
    set_out,
    turns_of,
)
from ...envs.compiled.calls import KernelCalls
from ...envs.compiled.kernels import announce_compilation
from ...envs.compiled.randomness import new_streams
from ...envs.game import Game, Position
from ..conditions import WALL, Conditions
from ..match import GameResult
from ..schedule import ScheduledGame


def plays_at_once(agents: Sequence[Agent], conditions: Conditions) -> bool:
    """Whether these agents can play many games at once under these conditions.

    Each agent needs a compiled form. The loop over the games is compiled too, so no move can be
    timed or adjudicated by its score, and no progress can be reported.
    """
    if conditions.is_timed or conditions.is_adjudicated or conditions.clock != WALL:
        return False
    return all(
        agent.on_progress is None and compiled_form(agent, in_match=True) is not None
        for agent in agents
    )


class GamesAtOnce:
    """Plays many games of agents at once.

    Args:
        game: the game.
        agents: the agents, by their numbers; see :func:`plays_at_once`.
    """

    def __init__(self, game: Game, agents: Sequence[Agent]) -> None:
        self._game = game
        self._most = sys.maxsize  # games at once
        self._turns = [self._turns_of(agent) for agent in agents]
        self._set_out = KernelCalls()
        for number in range(len(agents)):  # compilation is not thinking time
            streams = new_streams(np.zeros(2, np.uint64))[:, None]
            self._play((number, number), new_games(game, streams))

    def _turns_of(self, agent: Agent) -> tuple[KernelCalls, Any, Any]:
        """How an agent moves: the caller of the kernel, the kernel, the agent's form."""
        make = compiled_form(agent, in_match=True)
        assert make is not None
        form = make(self._game)
        kernel, most = turns_of(form)
        self._most = min(self._most, most)
        return KernelCalls(), kernel, form

    def play(self, games: Sequence[ScheduledGame]) -> list[GameResult] | None:
        """The results of games of the same two agents in the same seats.

        The time of an agent is distributed over the moves of the games. None if an agent could not
        choose: playing one game at a time shows why.
        """
        results: list[GameResult] = []
        for first in range(0, len(games), self._most):
            some = self._play_some(games[first : first + self._most])
            if some is None:
                return None
            results += some
        return results

    def _play_some(self, games: Sequence[ScheduledGame]) -> list[GameResult] | None:
        """As :meth:`play`, for no more games than all agents can play at once."""
        seeds = np.array([game.seeds for game in games], np.uint64)
        streams = np.stack([new_streams(seeds[:, 0]), new_streams(seeds[:, 1])])
        under_way = new_games(self._game, streams)
        openings = {game.opening for game in games}
        starts = {opening: self._game.position(opening).record for opening in openings}
        for number, game in enumerate(games):
            under_way.positions[number] = starts[game.opening]
        seconds = self._play(games[0].players, under_way)
        if seconds is None:
            return None
        shares = seconds / np.maximum(under_way.asked.sum(axis=1), 1)
        lasted, asked = (shares[:, None] * under_way.asked).T.tolist(), under_way.asked.T.tolist()
        rows = zip(games, under_way.positions, under_way.moves, lasted, asked, strict=True)
        return [self._result(*row) for row in rows]

    def _play(self, players: tuple[int, int], under_way: Any) -> np.ndarray | None:
        """Play to the end; returns the seconds of each seat, None if one could not choose."""
        rules, seconds = self._game.rules, np.zeros(2)
        with announce_compilation(f"games at once of {self._game.name}"):
            self._set_out(set_out, rules, under_way)
            while under_way.waiting.any():
                for seat, player in enumerate(players):
                    call, kernel, form = self._turns[player]
                    began = time.perf_counter()
                    if not call(kernel, form, seat, rules, under_way):
                        return None
                    seconds[seat] += time.perf_counter() - began
        return seconds

    def _result(
        self, game: ScheduledGame, record: Any, moves: Any, seconds: list[float], asked: list[int]
    ) -> GameResult:
        position = Position(self._game, record)
        outcome = position.outcome
        assert outcome is not None
        played = (*game.opening, *moves[: sum(asked)].tolist())
        (first, second), (asked_first, asked_second) = seconds, asked
        return GameResult(
            played,
            position.returns,
            outcome.reason,
            None,
            None,
            (first, second),
            (asked_first, asked_second),
        )
