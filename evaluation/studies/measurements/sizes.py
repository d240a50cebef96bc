"""Sizes of trees: what a game declares about its board, and its move sequences counted."""

from __future__ import annotations

import dataclasses
import math

from ....envs.conformance.perft import perft
from ....envs.registry import make_game
from ...report.display import large_number
from ...statistics.complexity import SizeLine, size_report
from .measurement import COUNT, NUMBER, TEXT, Column, Measurement, Row, Workplace


@dataclasses.dataclass(frozen=True)
class TreeSizes(Measurement):
    """Bounds on the size of games, and how many move sequences they have to a depth.

    Attributes:
        boards: the games.
        plies: the depth to which sequences are counted.
    """

    boards: tuple[str, ...]
    plies: int = 6

    columns = (
        Column("game", "game", TEXT),
        Column("board", "the board", TEXT),
        Column("states", "states, at most", TEXT),
        Column("depth", "longest game, plies", COUNT),
        Column("branching", "branching, mean", NUMBER),
        Column("minimax", "minimax leaves, at most", TEXT),
        Column("alphabeta", "alpha-beta leaves, best order", TEXT),
        Column("exponent", "log10 of minimax leaves", NUMBER),
        Column("ratio", "log10 of alpha-beta leaves, as a share of it", NUMBER),
        Column("sequences", "sequences counted, ended games included", COUNT),
        Column("plies", "of this many plies", COUNT),
    )

    def measure(self, workplace: Workplace) -> list[Row]:
        return [self._row(spec) for spec in self.boards]

    def _row(self, spec: str) -> Row:
        game = make_game(spec)
        lines = {line.quantity: line for line in size_report(game)}
        branching = next(
            line.value for name, line in reversed(lines.items()) if name.startswith("branching")
        )
        minimax = lines["minimax leaves, at most"].value
        alphabeta = lines["alpha-beta leaves, best order"].value
        depth = int(lines["depth, at most"].value)
        parts = [line for name, line in lines.items()][: list(lines).index("depth, at most") - 1]
        plies = min(self.plies, depth)
        return {
            "game": spec,
            "board": ", ".join(f"{large_number(part.value)} {part.quantity}" for part in parts),
            "states": large_number(_states(lines)),
            "depth": depth,
            "branching": branching,
            "minimax": large_number(minimax),
            "alphabeta": large_number(alphabeta),
            "exponent": math.log10(minimax),
            "ratio": math.log10(max(alphabeta, 1)) / max(math.log10(minimax), 1e-9),
            "sequences": perft(game.initial_position(), plies),
            "plies": plies,
        }

    def finding(self, rows: list[Row]) -> str:
        largest = max(rows, key=lambda row: row["exponent"])
        return (
            f"Of the boards listed {largest['game']} has the largest tree: {largest['minimax']} "
            f"leaves at most for minimax, {largest['alphabeta']} for alpha-beta with the best "
            f"order of moves."
        )


def _states(lines: dict[str, SizeLine]) -> int | float:
    return next(line.value for name, line in lines.items() if name.startswith("states"))
