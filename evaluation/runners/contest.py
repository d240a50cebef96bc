"""A contest: agents, game and conditions as plain data, and its games as jobs."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import NamedTuple, Self

from ...agents.agent import Agent
from ...agents.faults import Fault, begin, close, faults_of
from ...agents.human import HumanAgent
from ...agents.registry import make_agent, modules_of, resolve_agent
from ...envs.compiled.sources import PLAYING_FOLDERS
from ...envs.game import Game
from ...envs.specification import SpecificationError
from ...envs.workers.errors import RunnerError
from ...envs.workers.jobs import LOCAL, JobPlace, Jobs, Needs, Work, difference
from ..circumstances import Circumstances, machine_here
from ..conditions import ALWAYS, AUTO, NEVER, USUAL, Conditions
from ..fingerprints import Description, check_identity, describe
from ..match import GameResult, play_match_game
from ..schedule import ScheduledGame
from ..store.store import GameKey
from .at_once import GamesAtOnce, plays_at_once
from .isolation import IsolatedAgent, is_isolated

# duration of a chunk: messages then cost little, and little is lost with a worker
CHUNK_SECONDS = 0.2
LARGEST_CHUNK = 200
FEWEST_AT_ONCE = 32  # with fewer games it does not pay to load the code that plays many at once
MOST_DEATHS = 5  # deaths of workers on one game
# after this many deaths of workers on a game its agents run in separate processes, to identify the
# agent at fault
ATTEMPTS_UNISOLATED = 2


class Contest(NamedTuple):
    """The agents that play each other, their game and the conditions.

    Attributes:
        game: the game.
        agents: the agents' specifications, by their numbers; or agents of this process.
        labels: their names.
        conditions: limits of the agents, and where they run.
        versions: the agents' identities (see :class:`Description`), if known.
        in_worker: whether the games are played in a worker, whose end does no harm.
    """

    game: Game
    agents: tuple[str | Agent, ...]
    labels: tuple[str, ...]
    conditions: Conditions = USUAL
    versions: tuple[str, ...] = ()
    in_worker: bool = False

    @property
    def isolation(self) -> str:
        """Which of the agents, without people, run in separate processes here.

        ``always`` all of them, ``never`` none, ``auto`` some.
        """
        numbers = [number for number in range(len(self.agents)) if not self.is_human(number)]
        isolated = {self._is_isolated(number) for number in numbers}
        return AUTO if len(isolated) > 1 else ALWAYS if True in isolated else NEVER

    def _is_isolated(self, number: int) -> bool:
        agent = self.agents[number]
        mode = self.conditions.isolate
        return isinstance(agent, str) and is_isolated(agent, mode, self.in_worker)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that define the game and the agents; importing them registers both."""
        specs = [agent for agent in self.agents if isinstance(agent, str)]
        modules = (module for spec in specs for module in modules_of(spec, self.game))
        return tuple(dict.fromkeys(modules))

    def agent(self, number: int) -> Agent:
        """The agent of that number.

        Raises:
            SpecificationError: it cannot be created, or its identity has changed. The identity of
                an isolated agent is not known before it is described.
        """
        spec = self.agents[number]
        expected = self.versions[number] if self.versions else None
        if isinstance(spec, Agent):
            return spec
        if self._is_isolated(number):
            usable = self.conditions
            return IsolatedAgent(spec, self.game, 0, usable, self.modules, expected, in_match=True)
        try:
            with faults_of(resolve_agent(spec)[0].foreign, SpecificationError):
                agent = make_agent(spec, self.game)
                description = describe(agent)
        except Fault as fault:
            raise SpecificationError(f"{spec} cannot be made: it {fault}") from None
        check_identity(spec, description, expected)
        return agent

    def is_human(self, number: int) -> bool:
        """Whether the agent of that number is a person at the terminal."""
        agent = self.agents[number]
        agent_class = type(agent) if isinstance(agent, Agent) else resolve_agent(agent)[0]
        return issubclass(agent_class, HumanAgent)

    def describe(self) -> list[Description]:
        """The agents' descriptions of themselves. The agents are created for this and released.

        Raises:
            SpecificationError: one of them cannot be created.
        """
        descriptions: dict[str | Agent, Description] = {}
        for number, spec in enumerate(self.agents):
            if spec not in descriptions:
                agent = self.agent(number)
                try:
                    descriptions[spec] = describe(agent)
                finally:
                    _release(agent, spec)
        return [descriptions[spec] for spec in self.agents]


def _release(agent: Agent, spec: str | Agent) -> None:
    """Close an agent created for a contest; a borrowed one belongs to its owner."""
    if agent is not spec:
        close(agent)


# Games that were finished together, and the circumstances of all of them.
Results = Generator[tuple[list[tuple[ScheduledGame, GameResult]], Circumstances], None, None]


class Arena:
    """The agents of a contest, and their games in this process.

    A game does not depend on earlier games of its agents.

    Attributes:
        contest: the contest.
        isolation: which agents run in separate processes, see :attr:`Contest.isolation`.
        agents: the agents, by their numbers.
    """

    def __init__(self, contest: Contest) -> None:
        self.contest, self.isolation = contest, contest.isolation
        self._games = 0  # played in chunks
        self.agents = [contest.agent(number) for number in range(len(contest.agents))]

    def __enter__(self) -> Self:
        """Create the missing agents; SpecificationError if one cannot be created."""
        try:
            for agent in self.agents:
                describe(agent)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @functools.cached_property
    def isolated(self) -> Arena:
        """The same, with each agent in a separate process."""
        conditions = self.contest.conditions.replace(isolate=ALWAYS)
        return Arena(self.contest._replace(conditions=conditions))

    @functools.cached_property
    def at_once(self) -> GamesAtOnce:
        """The agents, if they can play many games at once."""
        return GamesAtOnce(self.contest.game, self.agents)

    @functools.cached_property
    def plays_at_once(self) -> bool:
        """Whether there are."""
        return plays_at_once(self.agents, self.contest.conditions)

    def get_ready(self) -> dict[str, str]:
        """Let the agents compile and allocate, outside their thinking time.

        Returns:
            Their versions by name. An agent that fails here is omitted, and will forfeit its games.
        """
        versions = {}
        for agent, label in zip(self.agents, self.contest.labels):
            with contextlib.suppress(Fault):
                begin(agent, self.contest.game, seed=0)
                versions[label] = describe(agent).identity
        return versions

    def play(self, game: ScheduledGame) -> GameResult:
        """Play a game."""
        return play_match_game(
            self.contest.game,
            [self.agents[number] for number in game.players],
            game.opening,
            game.seeds,
            [self.contest.labels[number] for number in game.players],
            conditions=self.contest.conditions,
        )

    def play_all(self, games: Sequence[ScheduledGame]) -> list[GameResult]:
        """Play games; games of the same players in parallel if possible and worthwhile."""
        results: dict[GameKey, GameResult] = {}
        self._games += len(games)
        if len(games) > 1 and self._games >= FEWEST_AT_ONCE and self.plays_at_once:
            for players in {game.players for game in games}:
                some = [game for game in games if game.players == players]
                results |= zip((game.key for game in some), self.at_once.play(some) or ())
        return [results.get(game.key) or self.play(game) for game in games]

    def close(self) -> None:
        """Close the agents, ending the processes of isolated ones."""
        for agent, spec in zip(self.agents, self.contest.agents):
            _release(agent, spec)


class Chunk(NamedTuple):
    """Games to play one after the other, and the number of workers that died on them."""

    games: tuple[ScheduledGame, ...]
    deaths: int = 0


class PlayedChunk(NamedTuple):
    """The results of a chunk's games in order, their duration and circumstances.

    ``isolation`` and ``machine`` are as in :class:`Circumstances`; ``at_once``: the agents can play
    many games at once.
    """

    results: list[GameResult]
    seconds: float
    isolation: str
    machine: str
    at_once: bool


class Death(NamedTuple):
    """Instead of a played chunk: a worker died on it, and why."""

    reason: str


class GivenUp(NamedTuple):
    """A game that could not be played, and why."""

    game: ScheduledGame
    reason: str

    def __str__(self) -> str:
        first, second = self.game.players
        return (
            f"game {self.game.pair} of agents {first} and {second} was given up, since every "
            f"worker died on it; the last one {self.reason}"
        )


def _open_arena(contest: Contest, versions: tuple[str, ...]) -> Arena:
    """The agents, ready in the process that plays.

    Raises:
        RunnerError: an agent's version differs from the expected one.
    """
    arena = Arena(contest)
    try:
        differs = difference(arena.get_ready(), dict(zip(contest.labels, versions)))
        if differs:
            raise RunnerError(differs)
    except BaseException:
        arena.close()
        raise
    return arena


def _play(arena: Arena, chunk: Chunk) -> PlayedChunk:
    """Play the games of a chunk, in the process that has the agents."""
    if chunk.deaths >= ATTEMPTS_UNISOLATED:
        arena = arena.isolated
    began = time.perf_counter()
    results = arena.play_all(chunk.games)
    seconds = time.perf_counter() - began
    return PlayedChunk(results, seconds, arena.isolation, machine_here(), arena.plays_at_once)


class _Chunks:
    """Chunks of games: first retries, then the schedule.

    No chunk has more games than were played so far, so that a chunk of slow games is small.

    Args:
        games: the schedule.
        local: whether this process plays. It plays one game at a time, stored before the next one
            begins, or many at once.

    Attributes:
        handed_out: chunks in progress, by their number in this iteration.
        retries: chunks to play again; late ones are left to another iteration.
    """

    def __init__(self, games: Iterable[ScheduledGame], local: bool) -> None:
        self._games, self._local = iter(games), local
        self.handed_out: dict[int, Chunk] = {}
        self.retries: deque[Chunk] = deque()
        self._seconds, self._most = math.inf, 1  # mean duration of a game; games in a chunk

    def __iter__(self) -> Iterator[Chunk]:
        for number in itertools.count():
            chunk = self.retries.popleft() if self.retries else Chunk(self._next_games())
            if not chunk.games:
                return
            self.handed_out[number] = chunk
            yield chunk

    def _next_games(self) -> tuple[ScheduledGame, ...]:
        size = min(int(CHUNK_SECONDS / max(self._seconds, 1e-6)), self._most, LARGEST_CHUNK)
        few = self._local and self._most < FEWEST_AT_ONCE
        return tuple(itertools.islice(self._games, 1 if few else max(size, 1)))

    def count(self, played: PlayedChunk) -> None:
        """Update the estimate with the time of a chunk."""
        seconds = played.seconds / len(played.results)
        known = self._seconds < math.inf
        self._seconds = 0.7 * self._seconds + 0.3 * seconds if known else seconds
        if played.at_once or not self._local:
            self._most += len(played.results)


class GameJobs:
    """The games of a contest as jobs, in this process or elsewhere.

    All places play the same games; only the order in which they finish differs. When a worker dies,
    the games of its chunk are played again one by one. After two deaths all agents of a game run in
    separate processes, so that an agent that ends its process is identified and forfeits.

    Attributes:
        given_up: games on which too many workers died.

    Args:
        contest: the contest.
        place: where its games are played.

    Raises:
        SpecificationError: there is no such place.
    """

    def __init__(self, contest: Contest, place: JobPlace) -> None:
        self.given_up: list[GivenUp] = []
        self._place = place
        self._jobs: Jobs | None = None
        versions: tuple[str, ...] = ()
        if place.runner_of() != LOCAL:  # which compares the versions with its own message
            versions, contest = contest.versions, contest._replace(versions=(), in_worker=True)
        prepare = functools.partial(_open_arena, contest, versions)
        self._work = Work(_play, prepare, Needs(contest.modules, PLAYING_FOLDERS), Death)

    def get_ready(self) -> Jobs:
        """Create the agents and let them compile, so that :meth:`play` starts at once.

        Raises:
            SpecificationError: an agent cannot be created.
            RunnerError: the place cannot play.
        """
        try:
            if self._jobs is None:
                self._jobs = self._place.open(self._work)
            self._jobs.get_ready()
        except BaseException:
            self.close()
            raise
        return self._jobs

    def play(self, games: Iterable[ScheduledGame]) -> Results:
        """Play games; yield each with its result as soon as its chunk is finished.

        ``games`` is iterated lazily, not far ahead of the games in progress. The agents are closed
        when the generator ends or is closed.

        Raises:
            SpecificationError, RunnerError: as :meth:`get_ready`.
        """
        jobs = self.get_ready()
        chunks = _Chunks(games, jobs.runner == LOCAL)
        more = True
        try:
            while more:
                more = False
                for number, played in jobs.results(chunks):
                    more, chunk = True, chunks.handed_out.pop(number)
                    if isinstance(played, Death):
                        self._put_back(chunk, played, chunks)
                        continue
                    chunks.count(played)
                    under = Circumstances(jobs.runner, jobs.count, played.isolation, played.machine)
                    yield list(zip(chunk.games, played.results)), under
        finally:
            self.close()

    def _put_back(self, chunk: Chunk, death: Death, chunks: _Chunks) -> None:
        """Have the games of a chunk played again, or give up one on which too many workers died."""
        deaths = chunk.deaths + 1
        if deaths >= MOST_DEATHS:
            self.given_up += [GivenUp(game, death.reason) for game in chunk.games]
        else:
            chunks.retries.extend(Chunk((game,), deaths) for game in chunk.games)

    def close(self) -> None:
        """Stop everything that was started; the object can be used again."""
        if self._jobs is not None:
            self._jobs.close()
            self._jobs = None
