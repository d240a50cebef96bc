"""Comparison of two stores: the ratings of the agents they share at the same game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.text import Text

from ..statistics.intervals import QUANTILE
from .display import Name, plain_table
from .report import TournamentReport

Number = tuple[float, float]  # a value, and half the width of its 95 % interval


class ComparedAgent(NamedTuple):
    """An agent of two tournaments.

    Attributes:
        label: its name.
        elo: its ratings relative to the mean of the shared agents.
        scores: its scores in both, against all opponents.
        games: the number of games that count in each.
        difference: the second rating minus the first.
    """

    label: str
    elo: tuple[Number, Number]
    scores: tuple[float | None, float | None]
    games: tuple[int, int]
    difference: Number


class Comparison(NamedTuple):
    """Two tournaments of the same game.

    Attributes:
        game: the game.
        names: of the tournaments.
        agents: the shared agents, in the order of the first tournament's ratings.
    """

    game: str
    names: tuple[str, str]
    agents: list[ComparedAgent]

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain data."""
        return {
            "game": self.game,
            "tournaments": list(self.names),
            "agents": [agent._asdict() for agent in self.agents],
        }


def compare(
    first: Sequence[TournamentReport], second: Sequence[TournamentReport]
) -> list[Comparison]:
    """The tournaments of two stores that have the same game and share at least two agents.

    Ratings of different pools have different zeros. They are compared relative to the mean of the
    shared agents; the intervals of the differences assume that the games of the two stores are
    independent.
    """
    comparisons = []
    for one in first:
        for two in second:
            game = one.tournament.settings.get("game")
            if game == two.tournament.settings.get("game"):
                agents = _compared(one, two)
                names = one.tournament.name, two.tournament.name
                comparisons += [Comparison(str(game), names, agents)] if agents else []
    return comparisons


def _compared(one: TournamentReport, two: TournamentReport) -> list[ComparedAgent]:
    if one.ratings is None or two.ratings is None:
        return []
    common = [one.labels[number] for number in one.ratings.order()]
    common = [label for label in common if label in two.labels]
    if len(common) < 2:
        return []
    agents = []
    for label in common:
        (elo_1, margin_1), (elo_2, margin_2) = (_rating(each, label, common) for each in (one, two))
        rows = [each.table.rows[each.labels.index(label)] for each in (one, two)]
        agents.append(
            ComparedAgent(
                label,
                ((elo_1, margin_1), (elo_2, margin_2)),
                (rows[0].total.score, rows[1].total.score),
                (rows[0].total.games, rows[1].total.games),
                (elo_2 - elo_1, math.hypot(margin_1, margin_2)),
            )
        )
    return agents


def _rating(report: TournamentReport, label: str, common: Sequence[str]) -> Number:
    """An agent's rating relative to the mean of some agents."""
    assert report.ratings is not None
    weights = np.zeros(len(report.labels))
    weights[[report.labels.index(each) for each in common]] = -1 / len(common)
    weights[report.labels.index(label)] += 1
    variance = float(weights @ report.ratings.covariance @ weights)
    return float(weights @ report.ratings.elo), QUANTILE * math.sqrt(max(0.0, variance))


def print_comparisons(comparisons: Sequence[Comparison], console: Console) -> None:
    """Show comparisons as text."""
    for comparison in comparisons:
        console.print(Text("\n".join(["", *comparison.names]), "bold"))
        console.print("Elo against the mean of the agents that both have\n")
        table = plain_table("agent", "first", "±", "second", "±", "difference", "±")
        for agent in comparison.agents:
            numbers = (*agent.elo[0], *agent.elo[1])
            table.add_row(
                Name(agent.label),
                *(f"{number:.0f}" for number in numbers),
                f"{agent.difference[0]:+.0f}",
                f"{agent.difference[1]:.0f}",
            )
        console.print(table)
