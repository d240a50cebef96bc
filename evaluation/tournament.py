"""Tournaments: which games are to be played, and playing those that the store does not hold yet."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..agents import Agent, make_agent
from ..envs.game import Game
from ..envs.registry import make_game
from ..envs.specification import SpecificationError
from ..envs.version import __version__
from .contest import Contest, ScheduledGame
from .engines import Engine, LocalEngine
from .openings import random_openings
from .store import AgentEntry, Store, StoredGame

LARGEST_SEED = 2**63 - 1


class Plan(NamedTuple):
    """What a tournament is to be: with the same plan the same games are played, on any machine.

    Attributes:
        game: the game's specification.
        agents: the agents' specifications; one may stand there several times.
        pairs: pairs of games between each two agents. A pair is one opening played twice, with seats swapped. All meetings
            go through the same openings; a plan with more pairs begins with the games of one with fewer.
        opening_plies: random actions before the agents take over.
        seed: decides the openings, and the random choices of the agents.
    """

    game: str
    agents: tuple[str, ...]
    pairs: int = 10
    opening_plies: int = 2
    seed: int = 1


def round_robin(count: int) -> Iterator[tuple[int, int]]:
    """Everybody against everybody: the pairings of ``count`` agents."""
    return ((first, second) for first in range(count) for second in range(first + 1, count))


def agent_seed(seed: int, pair: int, players: tuple[int, int], seat: int) -> int:
    """The seed of one seat in one game, from 0 to 2^63 − 1: a hash of all that tells the game and the seat from others."""
    text = f"{seed} {pair} {players[0]} {players[1]} {seat}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1


class Tournament:
    """A plan, checked, and bound to the store that keeps its games.

    Args:
        plan: what to play.
        store: where finished games go, and from where a tournament that was stopped is taken up again.
        name: what the tournament is called in the store; by default a name made from the plan.
        engine: where the games are played; by default in this process.

    Raises:
        SpecificationError: the plan cannot be played.
        StoreError: the store holds another tournament under this name.
    """

    def __init__(self, plan: Plan, store: Store, name: str | None = None, engine: Engine | None = None) -> None:
        self.game: Game = make_game(plan.game)
        _check(plan, self.game)
        agents = [make_agent(spec, self.game) for spec in plan.agents]  # to see what they are; those that play are made by the engine
        self.plan = plan._replace(game=self.game.spec, agents=tuple(agent.spec for agent in agents))
        self.labels = distinct_labels(plan.agents)
        self._engine = engine or LocalEngine()
        self._contest = Contest(self.game, plan.agents, tuple(self.labels))
        next(random_openings(self.game, plan.opening_plies, plan.seed))  # refuse now what cannot be opened so
        self._store = store
        entries = [AgentEntry(label, agent.spec, agent.options, agent_version(agent)) for label, agent in zip(self.labels, agents)]
        self.settings = _settings(self.plan, self.game, entries)
        self._number = store.enter_tournament(name or default_name(self.settings), self.settings, entries, plan.pairs)

    @property
    def total(self) -> int:
        """How many games the plan has."""
        count = len(self.plan.agents)
        return self.plan.pairs * count * (count - 1)

    def schedule(self) -> Iterator[ScheduledGame]:
        """All games in the order they are played: pair by pair, so that standings mean something early."""
        openings = random_openings(self.game, self.plan.opening_plies, self.plan.seed)
        for pair in range(self.plan.pairs):
            opening = next(openings)
            for first, second in round_robin(len(self.plan.agents)):
                for players in ((first, second), (second, first)):
                    seeds = agent_seed(self.plan.seed, pair, players, 0), agent_seed(self.plan.seed, pair, players, 1)
                    yield ScheduledGame(pair, players, opening, seeds)

    def played(self) -> Iterator[StoredGame]:
        """The games of this plan that the store holds."""
        return self._store.games(self._number, self.plan.pairs)

    def get_ready(self) -> None:
        """Let the engine make the agents and compile, which is no thinking time."""
        self._engine.get_ready(self._contest)

    def run(self, on_game: Callable[[StoredGame], None] | None = None) -> None:
        """Play the missing games. Each is committed to the store before it is counted and ``on_game`` is told of it.

        Another process may be working on the same tournament: a game it has committed first is not counted again.
        """
        finished = self._store.finished(self._number)
        missing = (scheduled for scheduled in self.schedule() if scheduled.key not in finished)
        with contextlib.closing(self._engine), contextlib.closing(self._engine.play(self._contest, missing)) as results:
            for scheduled, result in results:
                stored = StoredGame(scheduled.pair, scheduled.players, scheduled.opening, scheduled.seeds, result)
                if not self._store.add(self._number, stored):
                    finished |= self._store.finished(self._number)
                elif on_game is not None:
                    on_game(stored)


def _check(plan: Plan, game: Game) -> None:
    if len(plan.agents) < 2:
        raise SpecificationError(f"a tournament needs at least two agents, not {len(plan.agents)}")
    if plan.pairs < 1:
        raise SpecificationError(f"a tournament has at least one pair of games, not {plan.pairs}")
    if not 0 <= plan.seed <= LARGEST_SEED:
        raise SpecificationError(f"a tournament's seed is a whole number from 0 to 2^63 - 1, not {plan.seed}")
    if plan.opening_plies >= game.facts.longest_game:
        raise SpecificationError(
            f"{game.spec} lasts at most {game.facts.longest_game} plies; an opening of {plan.opening_plies} plies leaves nothing to play"
        )


def agent_version(agent: Agent) -> str:
    """The version of an agent's program: its own ``version`` where it has one, else that of plyground."""
    return getattr(agent, "version", f"plyground {__version__}")


def distinct_labels(specs: tuple[str, ...]) -> list[str]:
    """Names to show: the specifications as they were given, numbered where one stands there twice."""
    labels: list[str] = []
    for index, spec in enumerate(specs):
        before = specs[:index].count(spec)
        labels.append(f"{spec} #{before + 1}" if before else spec)
    return labels


def _settings(plan: Plan, game: Game, agents: list[AgentEntry]) -> dict[str, Any]:
    """Everything that decides which games are played, except how many."""
    return {
        "game": plan.game,
        "rules": f"{game.declaration.game_id} of plyground {__version__}",
        "agents": [agent.spec for agent in agents],
        "agent versions": [agent.version for agent in agents],
        "schedule": "round robin",
        "openings": f"{plan.opening_plies} random plies",
        "seed": plan.seed,
    }


def default_name(settings: dict[str, Any]) -> str:
    """A name that only tournaments with the same settings share."""
    digest = hashlib.blake2b(repr(sorted(settings.items())).encode(), digest_size=4).hexdigest()
    return f"{settings['game']} {digest}"
