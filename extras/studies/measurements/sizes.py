"""Sizes of trees: the declared bounds of a game, and its counted move sequences."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from ....envs.conformance.perft import perft
from ....envs.registry import make_game
from ....evaluation.report.display import large_number
from ....evaluation.statistics.complexity import size_report
from .first_moves import symmetry_classes
from .measurement import COUNT, LARGE, NUMBER, SHARE, TEXT, Column, Measurement


@dataclasses.dataclass(frozen=True)
class TreeSizes(Measurement):
    """Bounds on the size of games, and their number of move sequences to a depth.

    Attributes:
        boards: the games.
        plies: the depth of the counted sequences.
    """

    boards: tuple[str, ...]
    plies: int = 6

    columns: ClassVar[tuple[Column, ...]] = (
        Column("game", "game", TEXT),
        Column("board", "the board", TEXT),
        Column("states", "states, at most", LARGE),
        Column("depth", "longest game, plies", COUNT),
        Column("branching", "branching, mean", NUMBER),
        Column("minimax", "minimax leaves, at most", LARGE),
        Column("alphabeta", "alpha-beta leaves, best order", LARGE),
        Column("exponent", "log10 of minimax leaves", NUMBER),
        Column("ratio", "log10 of alpha-beta leaves, as a share of it", NUMBER, detail=True),
        Column("sequences", "sequences counted, ended games included", COUNT, detail=True),
        Column("plies", "of this many plies", COUNT, detail=True),
        Column("first", "first moves", COUNT),
        Column("classes", "different by symmetry", COUNT),
        Column("saved", "saved", SHARE, detail=True),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        for spec in self.boards:
            game = make_game(spec)
            sizes = {line.quantity: line.value for line in size_report(game)}
            names = list(sizes)
            minimax = sizes["minimax leaves, at most"]
            alphabeta = sizes["alpha-beta leaves, best order"]
            depth = int(sizes["depth, at most"])
            parts = names[: names.index("depth, at most") - 1]  # then come the states
            states = next(name for name in names if name.startswith("states"))
            branching = next(name for name in reversed(names) if name.startswith("branching"))
            plies = min(self.plies, depth)
            first, classes = (
                len(game.initial_position().legal_actions()),
                len(symmetry_classes(game)),
            )
            exponent = math.log10(minimax)
            yield (
                spec,
                ", ".join(f"{large_number(sizes[part])} {part}" for part in parts),
                sizes[states],
                depth,
                sizes[branching],
                minimax,
                alphabeta,
                exponent,
                math.log10(max(alphabeta, 1)) / max(exponent, 1e-9),
                perft(game.initial_position(), plies),
                plies,
                first,
                classes,
                1 - classes / first,
            )
