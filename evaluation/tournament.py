"""Tournaments: which games to play, and playing those not yet stored."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from ..agents.agent import Agent
from ..agents.bots import as_policy
from ..agents.faults import AgentFaults, warn_of_faults
from ..envs import __version__
from ..envs.game import Game
from ..envs.registry import make_game
from ..envs.specification import SpecificationError
from ..envs.workers.jobs import HERE, LOCAL, JobPlace
from .fingerprints import Description, Sources, changes, sources_of
from .openings import Openings
from .plan import DEFAULT_PAIRS, Plan
from .runners.contest import Contest, GameJobs, GivenUp
from .runners.isolation import make_safe_agent
from .schedule import MEETINGS, Schedule, ScheduledGame
from .statistics.cross_table import CrossTable
from .statistics.sprt import TEST, Hypotheses
from .statistics.withdrawals import Withdrawals, Withdrawn
from .store.store import GameKey, Store, StoredGame, StoredTournament, StoreError


class ChangedSourcesError(StoreError):
    """The store has games of other rules or other agents under the same name."""


class Tournament:
    """A checked plan, bound to the store of its games.

    Args:
        plan: what to play, and under which conditions.
        store: the store of finished games, also those of an interrupted run.
        place: where the games are played; by default in this process.
        on_changed: called if the stored games of this tournament were played by other sources of
            the rules or agents, with a text about the changes. True begins a new tournament for the
            present sources.
        hypotheses: the hypotheses of a sequential test. A test has separate games: hypotheses
            chosen after seeing games prove nothing.

    Raises:
        SpecificationError: the plan cannot be played.
        ChangedSourcesError: the sources have changed, and no new tournament is to begin.
        StoreError: the store cannot be read. The tournament is entered when first needed, see
            :meth:`enter`.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        place: JobPlace = HERE,
        on_changed: Callable[[str], bool] = lambda change: False,
        hypotheses: Hypotheses | None = None,
    ) -> None:
        self.game: Game = make_game(plan.game)
        if len(plan.agents) < 2:
            raise SpecificationError(
                f"a tournament needs at least two agents, not {len(plan.agents)}"
            )
        players = _players(plan.agents, self.game, place)
        self.labels: list[str] = distinct_labels(tuple(map(str, players)))
        contest = Contest(self.game, players, tuple(self.labels), plan)
        agents = [
            agent._replace(label=label) for agent, label in zip(contest.describe(), self.labels)
        ]
        versions = tuple(agent.identity for agent in agents)
        self._jobs = GameJobs(contest._replace(versions=versions), place)
        self.openings: Openings = Openings(plan, self.game, make_safe_agent)
        self.plan: Plan = plan.replace(
            game=self.game.spec, agents=tuple(agent.spec for agent in agents)
        )
        self._store, self._agents = store, agents
        self.settings: dict[str, Any] = _identity(
            self.plan.replace(**self.openings.settings), self.game, agents
        )
        default = default_name(self.settings)
        if hypotheses is not None:
            default = f"test {default}"
            self.settings[TEST] = vars(hypotheses)
        self._sources = sources_of(self.game, tuple(agent.sources for agent in agents))
        self.name: str = self._name_for_sources(plan.name or default, on_changed)
        self._deterministic = [agent.deterministic for agent in agents]
        if plan.balanced is None:
            self.openings.find(1)  # refuse impossible openings now; a judge may take long
        else:
            self.openings.recall(store.openings(self.name))

    def find_openings(self, on_judged: Callable[[int, int], None] | None = None) -> None:
        """Choose the openings of all pairs; see :meth:`Openings.find`.

        This takes time if a judge chooses them.
        """
        if self.plan.pairs is None and self.openings.listed:
            self.openings.find(on_judged=on_judged)
        else:
            self.openings.find(self.plan.pairs or DEFAULT_PAIRS, on_judged)

    @functools.cached_property
    def schedule(self) -> Schedule:
        """The games of the plan."""
        pairs = self.plan.pairs or (self.openings.find() if self.openings.listed else DEFAULT_PAIRS)
        return Schedule(
            MEETINGS[self.plan.format](len(self.plan.agents)),
            self.openings,
            pairs,
            self.plan.seed,
            self._deterministic,
        )

    @property
    def is_in_store(self) -> bool:
        """Whether the store already has this tournament."""
        return self._store.has_tournament(self.name)

    def enter(self, command: str | None = None) -> int:
        """Enter the tournament in the store if it is not there; returns its number.

        ``command`` is its command line, for reports.

        Raises:
            StoreError: the store holds another tournament under this name, or cannot be written.
        """
        return self._store.enter_tournament(
            self.name,
            self.settings,
            self._agents,
            self.schedule.pairs,
            command,
            self._sources.of_play,
        )

    def _name_for_sources(self, name: str, on_changed: Callable[[str], bool]) -> str:
        """The name of the tournament with games of the present sources."""
        present = self._store.tournament(name)
        if present is None or present.settings != self.settings:  # the latter is refused later
            return name
        then = Sources.from_store(
            present.sources or {}, [agent.sources for agent in present.agents]
        )
        differences = changes(then, self._sources, self.labels)
        if not differences:
            return name
        own_name = f"{name} (code {self._sources.digest})"
        if self._store.has_tournament(own_name):
            return own_name
        message = (
            f"{self._store.path} has games of this tournament ({name}) that were played by other "
            f"code; changed: {', '.join(differences)}"
        )
        if on_changed(message):
            return own_name
        raise ChangedSourcesError(
            f"{message}; old and new games are not comparable. --changed new begins a "
            f"new tournament for the present code"
        )

    @property
    def digest(self) -> str:
        """The digest of its stored content, including times; see ``verify --expect``.

        Raises:
            StoreError: the store holds it no longer.
        """
        return self._store.digest(self._entry.number)

    @property
    def games_digest(self) -> str:
        """The digest of its stored games: the same wherever they are played again.

        Raises:
            StoreError: the store holds it no longer.
        """
        return self._store.games_digest(self._entry.number)

    @property
    def _entry(self) -> StoredTournament:
        entry = self._store.tournament(self.name)
        if entry is None:
            raise StoreError(f"the store {self._store.path} holds {self.name} no longer")
        return entry

    @functools.cached_property
    def _number(self) -> int:
        return self.enter()

    def played(self) -> Iterator[StoredGame]:
        """The games of this plan that the store holds."""
        return self._store.games(self._number, self.schedule.pairs)

    def table(self) -> CrossTable:
        """The results of every agent against every other in the games that the store holds."""
        return CrossTable(self.labels, self.game, self.played())

    def _repr_html_(self) -> str:
        """Notebooks show the table."""
        return self.table()._repr_html_()

    @property
    def given_up(self) -> list[GivenUp]:
        """The games that failed on every worker that tried them."""
        return self._jobs.given_up

    def get_ready(self) -> None:
        """Create the agents where they play, and let them compile, outside their thinking time."""
        self._jobs.get_ready()

    def run(
        self,
        on_game: Callable[[StoredGame], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        """Play the missing games.

        Each is committed to the store before it is counted and ``on_game`` is called with it. Then
        ``stop`` is asked whether to leave the rest for a later run.

        Another process may play the same tournament: a game that it committed first is not
        counted again. At the end, or after Ctrl-C, the store is read back from its file. Forfeits
        and games that could not be played are reported in one
        :class:`~plyground.agents.FaultWarning`.

        Raises:
            StoreError: the store cannot be written, or its file was removed, replaced or damaged.
        """
        faults = [AgentFaults(label) for label in self.labels]
        try:
            self._play(on_game, stop, faults)
        except KeyboardInterrupt:
            self._store.check_readable()
            raise
        finally:
            warn_of_faults([*filter(None, faults), *map(str, self.given_up)])
        self._store.check_readable()

    def _play(
        self,
        on_game: Callable[[StoredGame], None] | None,
        stop: Callable[[], bool] | None,
        faults: list[AgentFaults],
    ) -> None:
        keys, withdrawals = self._store.game_keys(self._number), self._withdrawals()
        missing = self._missing(keys, withdrawals.withdrawn)
        with contextlib.closing(self._jobs.play(missing)) as results:
            for played, circumstances in results:
                games = [StoredGame(*game[:4], result, circumstances) for game, result in played]
                for game in games:
                    withdrawals.add(game)
                # a test that ends with a game keeps none of the games played with it
                for some in [[game] for game in games] if TEST in self.settings else [games]:
                    added = self._store.add_all(self._number, some)
                    if len(added) < len(some):
                        keys |= self._store.game_keys(self._number)
                    for game in added:
                        for seat, player in enumerate(game.players):
                            own = game.result.forfeited == seat
                            faults[player].add(
                                game.result.reason, game.result.fault if own else None
                            )
                        if on_game is not None:
                            on_game(game)
                        if stop is not None and stop():
                            return
        self._store.set_left_out(self._number, self.schedule.left_out)

    def _missing(self, keys: set[GameKey], withdrawn: set[int]) -> Iterator[ScheduledGame]:
        """The games to play; both sets may grow meanwhile."""
        return (
            game
            for game in self.schedule
            if game.key not in keys and withdrawn.isdisjoint(game.players)
        )

    @property
    def missing(self) -> int:
        """The number of missing games, without those of withdrawn agents."""
        keys, withdrawn = self._store.game_keys(self._number), self._withdrawals().withdrawn
        return sum(1 for _ in self._missing(keys, withdrawn))

    def withdrawn(self) -> Withdrawn:
        """The withdrawn agents, and the games that are not played because of them."""
        agents = self._withdrawals().withdrawn
        if not agents:
            return Withdrawn({}, 0)
        keys = self._store.game_keys(self._number)
        missing = [
            game
            for game in self.schedule
            if game.key not in keys and not agents.isdisjoint(game.players)
        ]
        return Withdrawn(
            {agent: sum(agent in game.players for game in missing) for agent in sorted(agents)},
            len(missing),
        )

    def _withdrawals(self) -> Withdrawals:
        return Withdrawals(
            len(self.labels),
            self.plan.withdraw_after,
            functools.partial(self._store.latest, self._number),
        )


def _players(agents: tuple[Any, ...], game: Game, place: JobPlace) -> tuple[str | Agent, ...]:
    """Specifications unchanged, other objects as agents."""
    players = tuple(agent if isinstance(agent, str) else as_policy(agent, game) for agent in agents)
    objects = [player for player in players if isinstance(player, Agent)]
    if objects and place.runner_of() != LOCAL:
        raise SpecificationError(
            f"{objects[0]} is an object of this process and cannot play in other processes; "
            f"use a specification, such as python:MODULE:NAME or policy:FILE"
        )
    return players


def distinct_labels(specs: tuple[str, ...]) -> list[str]:
    """Names to show: the specifications as given, numbered if repeated."""
    labels: list[str] = []
    for index, spec in enumerate(specs):
        before = specs[:index].count(spec)
        labels.append(f"{spec} #{before + 1}" if before else spec)
    return labels


def _identity(plan: Plan, game: Game, agents: list[Description]) -> dict[str, Any]:
    """Everything that decides which games are played, except how many."""
    return plan.identity() | {
        "rules": f"{game.declaration.game_id} of plyground {__version__}",
        "agents": [agent.spec for agent in agents],
        "agent versions": [agent.version for agent in agents],
    }


def default_name(settings: dict[str, Any]) -> str:
    """A name unique to these settings: a hash of canonical JSON."""
    canonical = json.dumps(settings, sort_keys=True, separators=(",", ":"))
    digest = hashlib.blake2b(canonical.encode(), digest_size=4).hexdigest()
    return f"{settings['game']} {digest}"
