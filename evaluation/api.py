"""Evaluations in one call: ratings, a sequential test, move quality."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..agents.bots import as_policy, players_of
from ..agents.faults import warn_of_faults
from ..envs.pictures.tables import ResultList
from ..envs.registry import make_game
from ..envs.workers.errors import RunnerError as RunnerError  # noqa: PLC0414 (exported)
from ..envs.workers.jobs import HERE
from ..envs.workers.jobs import JobPlace as JobPlace  # noqa: PLC0414
from .move_quality.judge import MoveJudge
from .move_quality.positions import ask_agents, sample_positions
from .move_quality.qualities import Quality, qualities
from .plan import DEFAULT_OPENING, Plan
from .runners.isolation import make_safe_agent
from .sequential_test import SprtMatch, SprtState
from .statistics.ratings import Ratings
from .statistics.sprt import Hypotheses
from .store.store import Store
from .tournament import Tournament, distinct_labels


def ratings(
    tournament: Tournament | Plan,
    anchor: tuple[str, float] | None = None,
    *,
    place: JobPlace = HERE,
) -> Ratings:
    """The Elo ratings of a tournament's agents, with 95 % intervals.

    Args:
        tournament: a tournament, rated by the games in its store; or a plan, which is played
            for this and not stored.
        anchor: an agent's name and its fixed rating; without it the mean rating is 0.
        place: where the games of a plan are played; by default in this process.

    Raises:
        SpecificationError: the plan cannot be played.
        RatingsError: there are no games, or the anchor is not one of the agents.
    """
    if isinstance(tournament, Tournament):
        rated = tournament.table().ratings(anchor)
        rated.opening = tournament.plan.opening
        return rated
    with _temporary_store() as store:
        one = Tournament(tournament, store, place=place)
        one.run()
        return ratings(one, anchor)


def sprt(
    game: str,
    first: str,
    second: str,
    *,
    elo0: float = 0.0,
    elo1: float = 20.0,
    pairs: int | None = None,
    opening: str = DEFAULT_OPENING,
    seed: int = 1,
    store: Store | None = None,
    place: JobPlace = HERE,
) -> SprtState:
    """Test whether the first agent is stronger than the second, with as few games as needed.

    Args:
        game: the game's specification.
        first: the agent under test.
        second: the agent to compare it with.
        elo0: the Elo difference (first minus second) under the hypothesis H0.
        elo1: the Elo difference under H1.
        pairs: maximum number of pairs of games (default: 10,000).
        opening: where openings come from.
        seed: decides the openings, and the random choices of the agents.
        store: keeps the games, so that the test can be continued; by default none are kept.
        place: where the games are played; by default in this process.

    Returns:
        How the test ended: ``verdict`` is ``"H0"``, ``"H1"``, or None if the agents would only
        repeat games or all pairs were played.

    Raises:
        SpecificationError: the match cannot be played, or the hypotheses cannot be tested.
    """
    plan = Plan(game, (first, second), pairs, opening, seed)
    with _temporary_store() if store is None else contextlib.nullcontext(store) as games:
        return SprtMatch(plan, Hypotheses(elo0, elo1), games, place).run()


def quality(game: str, agents: Any, *, positions: int = 100, seed: int = 1) -> list[Quality]:
    """How often agents choose an optimal move in random positions, judged by the exact solver.

    Args:
        game: the specification of a game that has a solver.
        agents: what :func:`~plyground.agents.bots.as_policy` takes, or a sequence of these.
        positions: the number of positions in which each agent moves.
        seed: decides the positions, and the random choices of the agents.

    Returns:
        For each agent, all its moves, then those of each third of the game.

    Raises:
        SpecificationError: the game has no solver, or an agent cannot play it.
    """
    judge, agents = MoveJudge(make_game(game)), players_of(agents)
    players = [
        make_safe_agent(agent, judge.game)
        if isinstance(agent, str)
        else as_policy(agent, judge.game)
        for agent in agents
    ]
    names = (a if isinstance(a, str) else str(player) for a, player in zip(agents, players))
    labels = distinct_labels(tuple(names))
    sample = sample_positions(judge, positions, seed)
    evidence = ask_agents(judge, sample, players, labels, seed)
    warn_of_faults(evidence.fault_lines)
    return ResultList(qualities(evidence))


@contextlib.contextmanager
def _temporary_store() -> Iterator[Store]:
    """A temporary store."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.db") as store:
        yield store
