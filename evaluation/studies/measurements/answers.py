"""Answers: what agents play in given positions, and whether it is right."""

from __future__ import annotations

import dataclasses
import time

from ....agents import make_agent
from ....envs.game import Position
from ....envs.registry import make_game
from ....envs.specification import SpecificationError
from ...move_quality import MoveJudge
from .measurement import SECONDS, TEXT, YES, Column, Measurement, Row, Workplace

MEMORY_MB = 64


@dataclasses.dataclass(frozen=True)
class Case:
    """A position and what is right in it.

    Attributes:
        name: what the position shows.
        game: the game.
        moves: the moves that lead to it, by name, separated by commas.
        right: the right moves by name; empty where the exact solver tells.
    """

    name: str
    game: str
    moves: str
    right: tuple[str, ...] = ()

    def position(self) -> Position:
        """The position itself."""
        return make_game(self.game).position(self.moves.split(",") if self.moves else [])


@dataclasses.dataclass(frozen=True)
class Answers(Measurement):
    """Every agent's move in every position, judged by the solver or by the declared moves.

    Attributes:
        cases: the positions.
        agents: the agents' specifications.
        seed: decides the agents' random choices.
    """

    cases: tuple[Case, ...]
    agents: tuple[str, ...]
    seed: int = 1

    columns = (
        Column("position", "position", TEXT),
        Column("agent", "agent", TEXT),
        Column("move", "plays", TEXT),
        Column("right", "right", YES),
        Column("best", "right moves", TEXT),
        Column("judge", "judged by", TEXT),
        Column("time", "CPU time", SECONDS, timed=True),
    )

    def games(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(case.game for case in self.cases))

    def measure(self, workplace: Workplace) -> list[Row]:
        return [row for case in self.cases for row in self._rows(case)]

    def _rows(self, case: Case) -> list[Row]:
        position = case.position()
        name = position.game.action_to_text
        if case.right:
            best, judge = set(case.right), "declaration"
        else:
            values = MoveJudge(position.game, MEMORY_MB).values(position)
            if values is None:
                raise SpecificationError(f"the position {case.name!r} was not solved in time")
            highest = max(values.values())
            best = {name(action) for action, value in values.items() if value == highest}
            judge = "solver"
        rows = []
        for spec in self.agents:
            agent = make_agent(spec, position.game, seed=self.seed)
            agent.get_ready(position.game)
            began = time.process_time()
            move = name(agent.act(position))
            rows.append(
                {
                    "position": case.name,
                    "agent": spec,
                    "move": move,
                    "right": move in best,
                    "best": " · ".join(sorted(best)),
                    "judge": judge,
                    "time": time.process_time() - began,
                }
            )
        return rows

    def finding(self, rows: list[Row]) -> str:
        right = {
            agent: sum(row["right"] for row in rows if row["agent"] == agent)
            for agent in self.agents
        }
        told = ", ".join(f"{agent} in {count}" for agent, count in right.items())
        return f"Of {len(self.cases)} positions the agents play a right move: {told}."

    def pictures(self) -> list[tuple[str, str]]:
        return [(case.name, case.position().to_svg()) for case in self.cases]
