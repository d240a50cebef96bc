"""Cost: the processor time that agents take for a move, and searches of equal cost.

Processor time does not depend on what else the machine does, as seconds of a clock would.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from ....agents import make_agent
from ....agents.agent import Agent
from ....envs.files import written_whole
from ....envs.game import Game, Position
from ...openings import Openings
from ...store.store import StoredGame

COUNT_BLANK = "{count}"  # in a specification: the nodes or simulations of equal cost
FIRST_COUNT, LEAST_COUNT = 1000, 16
TRIALS = 3  # each with the count that the one before suggests
TRIAL_POSITIONS, MOST_TRIAL_PLIES = 8, 12
SAMPLE = 40  # positions of its games in which an agent's time is taken


def seconds_per_move(agent: Agent, positions: Iterable[Position]) -> float:
    """The mean processor time of an agent's decisions in some positions."""
    total, count = 0.0, 0
    for position in positions:
        if not count:
            agent.get_ready(position.game)
        agent.reset(count)
        began = time.process_time()
        agent.act(position)
        total, count = total + time.process_time() - began, count + 1
    return total / max(count, 1)


def with_equal_cost(specs: Sequence[str], game: Game, seconds: float, path: Path) -> list[str]:
    """Specifications whose blank ``{count}`` is filled so that a move takes so much processor time.

    The counts are kept in a file, so that a pool that was stopped goes on with the same agents.
    An agent with ``threads=N`` may take N times as much: it needs as many processors.
    """
    counts: dict[str, int] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    missing = [spec for spec in specs if COUNT_BLANK in spec and spec not in counts]
    if missing:
        plies = min(MOST_TRIAL_PLIES, game.facts.longest_game // 4)
        openings = Openings(game, f"random:{plies}", 1)
        openings.find(TRIAL_POSITIONS)
        positions = [game.position(openings[index]) for index in range(TRIAL_POSITIONS)]
        counts |= {spec: _count(spec, game, seconds, positions) for spec in missing}
        with written_whole(path) as file:
            file.write(json.dumps(counts).encode())
    return [spec.replace(COUNT_BLANK, str(counts.get(spec, 0))) for spec in specs]


def _count(spec: str, game: Game, seconds: float, positions: Sequence[Position]) -> int:
    count = FIRST_COUNT
    for _ in range(TRIALS):
        agent = make_agent(spec.replace(COUNT_BLANK, str(count)), game)
        budget = seconds * agent.options.get("threads", 1)
        cost = seconds_per_move(agent, positions)
        count = max(LEAST_COUNT, round(count * budget / max(cost, 1e-6)))
    digits = len(str(count)) - 2  # more than two digits would be noise
    return round(count, -max(digits, 0))


def positions_of(number: int, game: Game, games: Sequence[StoredGame]) -> list[Position]:
    """Some positions in which an agent was to move, spread over its games."""
    beginnings: list[tuple[int, ...]] = []
    for entry in games:
        position = game.initial_position()
        for ply, action in enumerate(entry.result.moves):
            if ply >= len(entry.opening) and entry.players[position.to_move] == number:
                beginnings.append(entry.result.moves[:ply])
            position.play(action)
    step = max(1, len(beginnings) // SAMPLE)
    return [game.position(actions) for actions in beginnings[::step][:SAMPLE]]
