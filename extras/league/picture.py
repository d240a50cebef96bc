"""A league as a picture: its table, its mixtures, and how far they can be exploited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...envs.loading.texts import visible
from ...training.curves import figure_in
from .psro import read_league

LEGIBLE = 20  # members whose scores are written into the cells of a table
DARK = 0.3  # a score that is further from 1/2 has a dark cell


def draw_league(folder: Path, out: Path) -> None:
    """Draw a league: the table of scores, the mixture and its exploitability over the rounds.

    Args:
        folder: of the league.
        out: the picture, in any format that matplotlib writes.

    Raises:
        TrainingError: the folder holds no league, or the picture cannot be written.
    """
    curve = read_league(folder)
    with figure_in(out, (15, 5.2)) as figure:
        table, mixtures, gains = figure.subplots(1, 3)
        _draw_table(figure, table, [*map(visible, curve.names)], curve.scores)
        rounds = np.arange(1, len(curve.mixtures) + 1)
        bottom = np.zeros(len(rounds))
        for name, weights in zip(curve.names, curve.mixtures.T):
            if weights.max() > 0:
                mixtures.bar(rounds, 100 * weights, bottom=100 * bottom, label=name, width=0.85)
                bottom = bottom + weights
        title = "the mixture after each round"
        mixtures.set(title=title, xlabel="round", ylabel="weight in %", xticks=rounds)
        mixtures.legend(fontsize=7, loc="upper left")
        gains.plot(rounds, 100 * curve.exploitability, marker="o", linewidth=1.6)
        gains.set(
            title="exploitability of the mixture",
            xlabel="round",
            ylabel="best member's score against it, above 50 %",
            ylim=(0, None),
            xticks=rounds,
        )
        gains.grid(alpha=0.3)


def _draw_table(figure: Any, axes: Any, names: list[str], scores: Any) -> None:
    image = axes.imshow(100 * scores, cmap="RdBu", vmin=0, vmax=100)
    figure.colorbar(image, ax=axes, label="score of the row in %", shrink=0.8)
    places = range(len(names))
    axes.set_xticks(places, names, rotation=90, fontsize=7)
    axes.set_yticks(places, names, fontsize=7)
    if len(names) <= LEGIBLE:
        for row in places:
            for column in places:
                text = f"{100 * scores[row, column]:.0f}"
                colour = "white" if abs(scores[row, column] - 0.5) > DARK else "black"
                axes.text(column, row, text, ha="center", va="center", fontsize=7, color=colour)
    axes.set_title("the members against each other")
