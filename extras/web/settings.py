"""Settings of the server, and the limits on what a visitor may ask for."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...commands.common import flag, option
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
    """The settings of the server: the options of ``plyground web``.

    Attributes:
        waiting: number of searches that may wait for a search process, see :mod:`.turns`.
        move_seconds: time limit of a search.
        memory_bytes: memory limit of a search process.
    """

    host: Annotated[str, option("ADDRESS", "Address to listen on.")] = "127.0.0.1"
    port: Annotated[int, option("N", "Port; 0: any free port.", low=0, high=65535)] = 8000
    allow_hosts: Annotated[
        tuple[str, ...],
        option(
            "NAME", "A further host name under which visitors reach the server.", name="allow-host"
        ),
    ] = ()
    behind_proxy: Annotated[
        bool, flag("Trust the X-Forwarded-… headers of a proxy on this machine.")
    ] = False
    store: Annotated[
        Path | None, option("FILE", "Store of finished games, also shown on the pages.")
    ] = None
    agents: Annotated[
        tuple[str, ...],
        option(
            "AGENT",
            "An agent that reads files or starts programs, available to all visitors.",
            name="agent",
        ),
    ] = ()
    workers: Annotated[
        int,
        option("N", "Number of search processes (default: one per processor).", low=1, high=64),
    ] = max(2, min(8, available_processors()))
    no_warm_up: Annotated[bool, flag("Load agents at their first use, not in advance.")] = False
    waiting: Annotated[int, Parameter(parse=False)] = 64
    move_seconds: Annotated[float, Parameter(parse=False)] = 20.0
    memory_bytes: Annotated[int, Parameter(parse=False)] = 1024 * MIB

    @property
    def conditions(self) -> Conditions:
        """The limits of a search process."""
        memory = str(self.memory_bytes)
        return Conditions(move_timeout=self.move_seconds, memory_limit=memory)
