"""Reach: which boards exact search solves from the start, and at what cost."""

from __future__ import annotations

import dataclasses
import time

from ....agents import make_agent
from ....agents.solvers.solver import make_solver
from ....envs.registry import make_game
from .measurement import COUNT, SECONDS, TEXT, YES, Column, Measurement, Row, Workplace


@dataclasses.dataclass(frozen=True)
class Reach(Measurement):
    """Every way of solving on the boards that it is asked about.

    Attributes:
        boards: the games, the smallest first.
        ways: name, agent (``solver`` for the exact solver; ``{depth}`` stands for the longest
            game) and how many of the boards it is tried on.
        memory_mb: the most memory of the solver's table.
    """

    boards: tuple[str, ...]
    ways: tuple[tuple[str, str, int], ...]
    memory_mb: int = 256

    columns = (
        Column("game", "board", TEXT),
        Column("plies", "longest game, plies", COUNT),
        Column("way", "way", TEXT),
        Column("solved", "solved", YES),
        Column("result", "for the first player", TEXT),
        Column("move", "a best move", TEXT),
        Column("nodes", "nodes", COUNT),
        Column("time", "CPU time", SECONDS, timed=True),
    )

    def agents_named(self) -> tuple[str, ...]:
        return tuple(spec for _, spec, _ in self.ways)

    def measure(self, workplace: Workplace) -> list[Row]:
        return [
            self._row(board, name, spec)
            for index, board in enumerate(self.boards)
            for name, spec, boards in self.ways
            if index < boards
        ]

    def _row(self, board: str, name: str, spec: str) -> Row:
        game = make_game(board)
        start, longest = game.initial_position(), game.facts.longest_game
        if spec == "solver":
            solver = make_solver(game, self.memory_mb)
            solver.leave_out_tables()
            solver.solve(game.position([0]))  # compiles
            solver.clear()
            began = time.process_time()
            solution = solver.solve(start)
            action, nodes, result = solution.best_action, solution.nodes, solution.result
        else:
            agent = make_agent(spec.replace("{depth}", str(longest)), game)
            agent.get_ready(game)
            began = time.process_time()
            decision = agent.analyse(start)
            action, nodes = decision.action, decision.nodes
            value = decision.value if decision.exact else None
            result = None if value is None else (value > 0) - (value < 0)
        words = {1: "win", 0: "draw", -1: "loss", None: "-"}
        return {
            "game": board,
            "plies": longest,
            "way": name,
            "solved": result is not None,
            "result": words[result],
            "move": game.action_to_text(action),
            "nodes": nodes,
            "time": time.process_time() - began,
        }

    def finding(self, rows: list[Row]) -> str:
        told = []
        for name, _, _ in self.ways:
            solved = [row for row in rows if row["way"] == name and row["solved"]]
            if solved:
                last = max(solved, key=lambda row: row["plies"])
                told.append(f"{name} {last['game']} with {last['nodes']:,} nodes")
        return f"The largest boards solved: {'; '.join(told)}."
