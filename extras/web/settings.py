"""Settings of the server, and the limits on what a visitor may ask for."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ...envs.workers.processors import available_processors
from ...evaluation.conditions import Conditions

MIB = 1 << 20
MOST_AFTER_COMPILING = 180 * MIB  # of a search process; one with more is restarted

LONGEST_BODY = 32_768  # bytes of a request
LONGEST_SPEC = 300  # characters of a game or an agent
LONGEST_NAME = 12  # characters of a move
LONGEST_MOVES = 6_000  # characters of all moves: a game of dots and boxes on the largest board
LONGEST_POSITION = 1_000  # characters of a board: 15 × 15 boxes
MOST_MOVES = 1_024
MOST_ACTIONS = 512  # of a game: 19 × 19 cells, or 15 × 15 boxes

# The limits of numbers that a visitor sets for an agent; larger defaults are lowered.
MOST: dict[str, float] = {
    "time": 10.0,
    "depth": 12,
    "nodes": 20_000_000,
    "simulations": 50_000,
    "threads": 1,
    "memory": 128,
    "table": 64,
    "batch": 64,
    "endgame": 16,
}

SESSION_SECONDS = 3600.0  # after which an idle session expires
MOST_SESSIONS = 5_000
REQUESTS_AT_ONCE, REQUESTS_A_SECOND = 120.0, 30.0  # of a session
ADDRESS_AT_ONCE, ADDRESS_A_SECOND = 1_000.0, 150.0  # of an address: a class may share one
GAMES_AT_ONCE, GAMES_A_SECOND = 120.0, 0.2  # of an address: games that are kept
MOST_GAMES = 100_000  # of browsers, in a store
ALL_AT_ONCE, ALL_A_SECOND = 2_000.0, 600.0  # of all sessions together


@dataclasses.dataclass(frozen=True)
class ServerSettings:
    """The settings of the server.

    Attributes:
        host: the address that it listens on.
        port: its port; 0: any free port.
        allow_hosts: further names under which visitors reach it.
        behind_proxy: whether to trust the headers ``X-Forwarded-…`` of a proxy on this machine.
        store: the store of finished games, if any.
        agents: specifications of agents that read files or start programs, available to all
            visitors.
        workers: number of search processes. With two or more, one of them is for short searches.
        waiting: number of searches that may wait for one of them.
        move_seconds: time limit of a search.
        memory_bytes: memory limit of a search process.
        presets_first: whether the processes load the agents of the presets in advance.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    allow_hosts: tuple[str, ...] = ()
    behind_proxy: bool = False
    store: Path | None = None
    agents: tuple[str, ...] = ()
    workers: int = max(2, min(8, available_processors()))
    waiting: int = 64
    move_seconds: float = 20.0
    memory_bytes: int = 1024 * MIB
    presets_first: bool = True

    @property
    def conditions(self) -> Conditions:
        """The limits of a search process."""
        memory = str(self.memory_bytes)
        return Conditions(move_timeout=self.move_seconds, memory_limit=memory)
