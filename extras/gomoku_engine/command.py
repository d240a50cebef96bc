"""The command ``gomocup``: plyground as an engine for managers of the Gomocup protocol."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from typing import Annotated

from ...commands.app import command
from ...commands.common import option
from ...envs.games.gomoku.gomocup import GAME
from ...envs.loading.interruption import leave_at_once
from ...envs.registry import make_game
from ...envs.specification import SpecificationError
from .gomocup.brain import Brain

LONGEST_LINE = 10_000  # characters; the rest of a longer line is treated as another line
AGENT = make_game(GAME).profile.engine or "mcts"


@command(purpose="Play and look")
def gomocup(
    *,
    agent: Annotated[
        str,
        option("AGENT", "The agent that plays, such as gomoku or mcts:time=2,network=patterns."),
    ] = AGENT,
) -> None:
    r"""Play as an engine of the Gomocup protocol, over standard input and output.

    Managers such as Piskvork, c-gomoku-cli and Yixin-Board start it. The manager sets the time
    limits. If the agent sets time=, that is the maximum for a move.

    [bold]Examples[/bold]

    plyground gomocup

    plyground gomocup --agent mcts:time=2,network=patterns

    printf 'START 15\nINFO timeout_turn 300\nTURN 7,7\nEND\n' | plyground gomocup
    """
    try:
        manager, here = os.dup(sys.stdout.fileno()), sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):
        raise SpecificationError("an engine needs standard input and standard output") from None
    # Output of an agent or a library must not be mistaken for an answer.
    sys.stdout.flush()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def send(line: str) -> None:
        os.write(manager, line.encode("ascii", "replace") + b"\n")

    brain = Brain(agent, send)
    lines: queue.SimpleQueue[tuple[str, float]] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(here, lines, brain), daemon=True)
    reader.start()
    while True:
        line, arrival = lines.get()
        if not brain.answer(line, arrival):
            brain.close()
            leave_at_once(0)  # Python's shutdown would take long


def _read(descriptor: int, lines: queue.SimpleQueue[tuple[str, float]], brain: Brain) -> None:
    """Forward the manager's lines with their times; the end of the input is END.

    END during the choice of a move ends the process at once. Earlier commands that are waiting are
    still answered.
    """
    with open(descriptor, "rb", closefd=False) as stream:
        while True:
            raw = stream.readline(LONGEST_LINE)
            arrival = time.perf_counter()
            line = raw.decode("utf-8", "replace") if raw else "END"
            ends = line.strip().upper() == "END"
            if ends and brain.thinking and lines.empty():
                leave_at_once(0)
            lines.put((line, arrival))
            if ends:
                return
