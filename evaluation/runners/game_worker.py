"""A worker that plays games of a tournament in another process.

It runs in a process of :mod:`~plyground.evaluation.runners.processes`, or as an actor of Ray.
"""

from __future__ import annotations

import pickle
import sys
import time
from multiprocessing.connection import Connection
from typing import NamedTuple

from ...envs.registry import import_modules
from ...envs.specification import SpecificationError
from ...envs.workers.cluster import versions_here
from ..circumstances import machine_here
from ..match import GameResult
from .contest import Arena, Contest, ScheduledGame
from .isolation import ALWAYS
from .messages import Service

# deaths of workers over a game after which its agents play from processes of their own, so that the
# agent at fault is known
ATTEMPTS_UNISOLATED = 2


class Chunk(NamedTuple):
    """Games to be played one after the other, and how often a worker has died over them."""

    games: tuple[ScheduledGame, ...]
    deaths: int = 0


class ChunkResult(NamedTuple):
    """The results of a chunk's games in their order, how long they took, and under what.

    ``isolation`` and ``machine`` are those of :class:`Circumstances`.
    """

    results: list[GameResult]
    seconds: float
    isolation: str
    machine: str


class GameWorker(Service):
    """Plays chunks of games of a contest."""

    def get_ready(self, message: bytes) -> dict[str, str]:
        """Let the agents of a contest compile, as :func:`pack` packs it.

        Returns the versions of all that decides how they play.
        """
        modules, folder, contest = pickle.loads(message)
        if folder not in sys.path:
            sys.path.append(folder)
        import_modules(modules)
        # The runner compares the versions with those of the tournament.
        self._contest: Contest = pickle.loads(contest)._replace(versions=(), in_worker=True)
        self._arena = Arena(self._contest)
        self._isolated: Arena | None = None
        return versions(self._contest, self._arena.get_ready())

    def play(self, chunk: Chunk) -> ChunkResult:
        """Play the games of a chunk."""
        arena = self._arena
        if chunk.deaths >= ATTEMPTS_UNISOLATED:
            if self._isolated is None:
                conditions = self._contest.conditions._replace(isolation=ALWAYS)
                self._isolated = Arena(self._contest._replace(conditions=conditions))
            arena = self._isolated
        began = time.perf_counter()
        results = [arena.play(game) for game in chunk.games]
        seconds = time.perf_counter() - began
        return ChunkResult(results, seconds, arena.isolation, machine_here())


def pack(contest: Contest, folder: str) -> bytes:
    """A contest as a message; ``folder`` is where the user's own modules may lie.

    Raises:
        SpecificationError: the game or an agent is defined where no other process finds it.
    """
    if "__main__" in contest.modules:
        raise SpecificationError(
            "other processes do not find what the main script defines; put the game or agent into "
            "a module and import it"
        )
    return pickle.dumps((contest.modules, folder, pickle.dumps(contest)))


def versions(contest: Contest, agents: tuple[str | None, ...]) -> dict[str, str]:
    """The versions of everything that decides how a contest's agents play, by name.

    Agents whose version is not known are left out.
    """
    here = versions_here("envs", "agents", "evaluation")
    made = {label: version for label, version in zip(contest.labels, agents) if version is not None}
    return {**here, **made}


def serve(connection: Connection) -> None:
    """Play games until the other end of the connection is closed."""
    GameWorker().serve(connection)
