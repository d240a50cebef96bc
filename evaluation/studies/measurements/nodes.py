"""Nodes: what searches visit to a depth, and how much less than the first of them."""

from __future__ import annotations

import dataclasses
import time

from ....agents import make_agent
from ....envs.game import Position
from ....envs.registry import make_game
from ...openings import Openings
from .measurement import (
    COUNT,
    NUMBER,
    SECONDS,
    SHARE,
    TEXT,
    YES,
    Column,
    Measurement,
    Row,
    Workplace,
    percent_text,
    span,
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Task:
    """Positions of a game that are searched to some depths.

    Attributes:
        game: the game.
        depths: in plies.
        plies: random moves that lead to each position; 0: the start.
        positions: how many.
    """

    game: str
    depths: tuple[int, ...]
    plies: int = 0
    positions: int = 1


@dataclasses.dataclass(frozen=True)
class Nodes(Measurement):
    """The nodes of searches in the same positions.

    Attributes:
        tasks: what is searched.
        variants: a name and a specification for each search; ``{depth}`` stands for the depth. The
            first one is what the others are compared with.
        seed: decides the positions.
        skip: (variant, depth) from which on a variant is left out because it takes too long.
    """

    tasks: tuple[Task, ...]
    variants: tuple[tuple[str, str], ...]
    seed: int = 1
    skip: tuple[tuple[str, int], ...] = ()

    columns = (
        Column("game", "game", TEXT),
        Column("plies", "after plies", COUNT),
        Column("positions", "positions", COUNT),
        Column("depth", "depth", COUNT),
        Column("search", "search", TEXT),
        Column("nodes", "nodes a move", NUMBER),
        Column("fewer", "fewer than the first", SHARE),
        Column("branching", "effective branching", NUMBER),
        Column("same", "same values", YES),
        Column("time", "CPU time a move", SECONDS, timed=True),
    )

    def games(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(task.game for task in self.tasks))

    def agents_named(self) -> tuple[str, ...]:
        return tuple(spec for _, spec in self.variants)

    def measure(self, workplace: Workplace) -> list[Row]:
        return [
            row
            for task in self.tasks
            for depth in task.depths
            for row in self._rows(task, depth, self._positions(task))
        ]

    def _positions(self, task: Task) -> list[Position]:
        game = make_game(task.game)
        openings = Openings(game, f"random:{task.plies}", self.seed)
        found = openings.find(task.positions)
        return [game.position(openings[index]) for index in range(min(found, task.positions))]

    def _rows(self, task: Task, depth: int, positions: list[Position]) -> list[Row]:
        rows: list[Row] = []
        first: Row | None = None  # stays None at depths at which the first variant is left out
        for name, spec in self.variants:
            if any(name == skipped and depth >= least for skipped, least in self.skip):
                continue
            agent = make_agent(spec.replace("{depth}", str(depth)), task.game)
            agent.get_ready(positions[0].game)
            nodes, values, began = 0, [], time.process_time()
            for position in positions:
                decision = agent.analyse(position)
                nodes += decision.nodes
                values.append((decision.value, decision.mate_in))
                agent.reset(0)
            seconds = (time.process_time() - began) / len(positions)
            mean = nodes / len(positions)
            rows.append(
                {
                    "game": task.game,
                    "plies": task.plies,
                    "positions": len(positions),
                    "depth": depth,
                    "search": name,
                    "nodes": mean,
                    "fewer": 1 - mean / first["nodes"] if first else None,
                    "branching": mean ** (1 / depth),
                    "same": values == first["values"] if first else None,
                    "values": values,
                    "time": seconds,
                }
            )
            if name == self.variants[0][0]:
                first = rows[-1]
        for row in rows:
            del row["values"]
        return rows

    def finding(self, rows: list[Row]) -> str:
        first = self.variants[0][0]
        if len(self.variants) == 1:
            deepest = max(rows, key=lambda row: row["nodes"])
            return (
                f"{first} visits {span([row['nodes'] for row in rows], '{:,.0f}'.format)} nodes a "
                f"move, most on {deepest['game']} to depth {deepest['depth']}."
            )
        told = []
        for name, _ in self.variants[1:]:
            shares = [
                1 - row["fewer"]
                for row in rows
                if row["search"] == name and row["fewer"] is not None
            ]
            if shares:
                told.append(f"{name} {span(shares, percent_text)}")
        return f"In proportion to the nodes of {first}: {'; '.join(told)}."
