"""Learning curves: a figure of the scores of runs against each opponent in their evaluations.

Runs that differ only in their seeds are drawn as one curve: the interquartile mean, with a band by
stratified bootstrap. Source: Agarwal et al., "Deep reinforcement learning at the edge of the
statistical precipice", NeurIPS 2021, whose library rliable computes both in the same way.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..envs.loading.texts import show_plainly
from ..envs.specification import check_names
from .folder import METRICS, RATING, TrainingError, ratings_in, read_metrics, read_run

Curves = dict[str, list[dict[str, Any]]]  # rows with step, score, low and high, by opponent
Floats = npt.NDArray[np.float64]

SEED, ALL = "seed", "all opponents"
# The statistic of several seeds: its name, and the share trimmed at either end.
STATISTICS = {"iqm": ("interquartile mean", 0.25), "mean": ("mean", 0.0)}
SAMPLES = 2000  # bootstrap samples
FONTS: Any = {  # TrueType: journals refuse Type 3; a name may contain dollar signs
    "pdf.fonttype": 42, "ps.fonttype": 42, "text.parse_math": False
}  # fmt: skip
DASHES = ("-", "--", "-.", ":")  # distinguish more opponents than there are colours
COLOURS = 10
WIDTH, LEAST, USUAL = 6.4, 7.0, 10.0  # inches of a panel; points of letters in narrow ones, in it
LETTER, HANDLE = 0.008, 0.5  # inches of the legend: of a letter, each point of it; of a line


class _Panel(NamedTuple):
    """A panel: a run, or runs that differ only in their seeds.

    Attributes:
        title: the title.
        curves: the scores.
        clock: a step, and the CPU seconds until then.
        ratings: ratings of the snapshots.
    """

    title: str
    curves: Curves
    clock: tuple[float, float]
    ratings: list[dict[str, Any]]


def read_curves(run: Path) -> tuple[Curves, list[tuple[int, float]]]:
    """A run's evaluations by opponent, and (step, CPU seconds) of its updates.

    Raises:
        TrainingError: not a run folder, or one without evaluations.
    """
    read_run(run)
    curves: Curves = {}
    clock = [(0, 0.0)]
    try:
        for row in read_metrics(run):
            if row["kind"] == "evaluation":
                numbers = {name: float(row[name]) for name in ("score", "low", "high")}
                curves.setdefault(str(row["opponent"]), []).append(row | numbers)
            elif row["kind"] != RATING:
                clock.append((row["step"], float(row["time/cpu_seconds"])))
    except (KeyError, TypeError, ValueError) as error:
        raise TrainingError(f"{run / METRICS} is damaged: {error!r} in {row}") from None
    if not curves and not ratings_in(run):
        raise TrainingError(f"{run / METRICS} has no evaluations and no ratings")
    return curves, clock


def read_ratings(run: Path) -> list[dict[str, Any]]:
    """The newest ratings of a run's snapshots, by step.

    Raises:
        TrainingError: one of them is damaged.
    """
    rows = list(ratings_in(run).values())
    try:
        return [row | {name: float(row[name]) for name in ("elo", "low", "high")} for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise TrainingError(f"{run / METRICS} is damaged: {error!r} in a rating") from None


def draw_curves(
    runs: Sequence[Path],
    out: Path,
    group_by: str = "",
    statistic: str = "iqm",
    size: tuple[float, float] | None = None,
) -> None:
    """Draw the scores of runs over their steps, in one panel each, with 95 % intervals.

    The upper axis shows minutes of CPU time. Below are the ratings of snapshots, if any.

    Args:
        runs: run folders.
        out: the image file, in any format that matplotlib writes.
        group_by: ``"seed"`` draws runs that differ only in the seed as one, without ratings; empty:
            each run alone.
        statistic: statistic of several seeds, one of :data:`STATISTICS`; see :func:`average`.
        size: width and height in inches; None: chosen by the content.

    Raises:
        SpecificationError: no such group or statistic.
        TrainingError: a folder without evaluations and ratings; a run with only one seed, or seeds
            without a common step; an image that cannot be written.
        ImportError: matplotlib, or scipy for several seeds, is not installed.
    """
    check_names("runs cannot be grouped by", [group_by or SEED], [SEED])
    check_names("there is no statistic", [statistic], STATISTICS)
    panels = _panels_of_seeds(runs, statistic) if group_by else [_panel_of(run) for run in runs]
    height = 2 if any(panel.ratings for panel in panels) else 1
    names = dict.fromkeys(name for panel in panels for name in panel.curves if name != ALL)
    styles = {
        name: {"color": f"C{place % COLOURS}", "linestyle": DASHES[place // COLOURS % len(DASHES)]}
        for place, name in enumerate(names)
    } | {ALL: {"color": "black", "linestyle": "-"}}
    size = size or (WIDTH * len(panels), 1.4 + 3.4 * height)
    letters = min(max(USUAL * size[0] / len(panels) / WIDTH, LEAST), USUAL)
    with figure_in(out, size, letters) as figure:
        lines: dict[str, Any] = {}
        for index, panel in enumerate(panels):
            axes = figure.add_subplot(height, len(panels), index + 1)
            lines |= _draw_panel(axes, panel, styles)
            if panel.ratings:
                place = height, len(panels), len(panels) + index + 1
                _draw_ratings(figure.add_subplot(*place, sharex=axes), panel.ratings)
        if lines:  # below the curves, so that it hides none
            points = max(0.8 * letters, LEAST)
            width = LETTER * points * max(map(len, lines)) + HANDLE
            columns = min(max(int(size[0] / width), 1), len(lines))
            below: dict[str, Any] = {"loc": "outside lower center", "frameon": False}
            below |= {"fontsize": points, "ncols": columns}
            figure.legend(lines.values(), lines.keys(), **below)


def _panel_of(run: Path) -> _Panel:
    curves, clock = read_curves(run)
    game = str(read_run(run)["description"]["game"])
    return _Panel(game, curves, clock[-1], read_ratings(run))


def _panels_of_seeds(runs: Sequence[Path], statistic: str) -> list[_Panel]:
    """A panel for each group of runs whose descriptions differ only in the seed."""
    groups: dict[str, list[Path]] = {}
    for run in runs:
        description = read_run(run)["description"] | {SEED: 0}
        groups.setdefault(json.dumps(description, sort_keys=True), []).append(run)
    panels = []
    for description, group in groups.items():
        if len(group) == 1:
            raise TrainingError(f"no other run differs from {group[0]} only in its seed")
        curves, clocks = zip(*map(read_curves, group))
        steps, seconds = np.mean([clock[-1] for clock in clocks], axis=0)
        game, name = json.loads(description)["game"], STATISTICS[statistic][0]
        title = f"{game}, {name} of {len(group)} seeds"
        if len(groups) > 1:
            title += f"\n{os.path.commonpath(group)}"
        try:
            averages = _average_curves(curves, statistic)
        except ValueError:
            raise TrainingError(
                f"the runs in {group[0].parent} have no evaluation in common"
            ) from None
        panels.append(_Panel(title, averages, (steps, seconds), []))
    return panels


def _average_curves(seeds: Sequence[Curves], statistic: str) -> Curves:
    """The curves of several seeds as one, and the curve of all opponents together.

    Seeds evaluated at different steps are interpolated, up to the last step that all have reached.

    Raises:
        ValueError: there is no common step.
    """
    opponents = [name for name in seeds[0] if all(name in curves for curves in seeds)]
    rows = {name: [curves[name] for curves in seeds] for name in opponents}
    each = [run for runs in rows.values() for run in runs]
    first, last = max(run[0]["step"] for run in each), min(run[-1]["step"] for run in each)
    steps = sorted({row["step"] for run in each for row in run if first <= row["step"] <= last})
    if not steps:
        raise ValueError("there is no common step")
    scores = np.array(
        [
            [
                np.interp(steps, [row["step"] for row in run], [row["score"] for row in run])
                for run in runs
            ]
            for runs in rows.values()
        ]
    )
    parts = {name: scores[[place]] for place, name in enumerate(opponents)}
    if len(opponents) > 1:
        parts[ALL] = scores
    return {
        name: [
            dict(zip(("step", "score", "low", "high"), numbers))
            for numbers in zip(steps, *average(part, statistic))
        ]
        for name, part in parts.items()
    }


def average(scores: Floats, statistic: str) -> tuple[Floats, Floats, Floats]:
    """The average over opponents and seeds, and its 95 % interval.

    The interval is the percentile interval of a stratified bootstrap: for each opponent the seeds
    are drawn with replacement.

    Args:
        scores: float64[opponents, seeds, steps].
        statistic: one of :data:`STATISTICS`. The interquartile mean drops a quarter of all scores
            at either end, rounded down: none if there are fewer than four.

    Returns:
        The average, and the ends of the interval: three arrays float64[steps].

    Raises:
        ImportError: scipy is not installed.
    """
    try:
        from scipy.stats import trim_mean
    except ImportError as error:
        raise ImportError('several seeds need scipy: pip install "plyground[train]"') from error
    opponents, seeds, steps = scores.shape
    share = STATISTICS[statistic][1]
    value = trim_mean(scores.reshape(-1, steps), share, axis=0)
    drawn = np.random.default_rng(0).integers(seeds, size=(SAMPLES, opponents, seeds))
    samples = scores[np.arange(opponents)[:, None], drawn].reshape(SAMPLES, -1, steps)
    low, high = np.percentile(trim_mean(samples, share, axis=1), (2.5, 97.5), axis=0)
    return value, low, high


@contextmanager
def figure_in(out: Path, size: tuple[float, float], letters: float = USUAL) -> Iterator[Any]:
    """A matplotlib figure, which is written when the body ends.

    Args:
        out: the image file, in any format that matplotlib writes.
        size: width and height in inches.
        letters: font size in points.

    Raises:
        ImportError: matplotlib is not installed.
        TrainingError: the image cannot be written.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError('drawing needs matplotlib: pip install "plyground[train]"') from error
    with mpl.rc_context(FONTS | {"font.size": letters}):
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        show_plainly(figure)
        try:
            figure.savefig(out, dpi=110)
        except (OSError, ValueError) as error:
            raise TrainingError(f"{out} could not be written: {error}") from error


def _draw_panel(axes: Any, panel: _Panel, styles: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Draw the scores; the lines by opponent."""
    lines = {}
    for opponent, rows in panel.curves.items():
        steps = [row["step"] / 1e6 for row in rows]
        scores = [100 * row["score"] for row in rows]
        (lines[opponent],) = axes.plot(steps, scores, linewidth=1.6, **styles[opponent])
        low, high = ([100 * row[bound] for row in rows] for bound in ("low", "high"))
        colour = styles[opponent]["color"]
        axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set(
        xlabel="million steps", ylabel="score in %, 95 % interval", ylim=(0, 101), xlim=(0, None)
    )
    axes.grid(alpha=0.3)
    per_million = 1e6 * panel.clock[1] / 60 / max(panel.clock[0], 1)
    minutes = axes.secondary_xaxis(
        "top",
        functions=(lambda steps: steps * per_million, lambda time: time / max(per_million, 1e-9)),
    )
    minutes.set_xlabel("minutes of processor time")
    axes.set_title(panel.title, fontsize="medium", fontweight="bold")
    return lines


def _draw_ratings(axes: Any, rows: list[dict[str, Any]]) -> None:
    steps, elo = [row["step"] / 1e6 for row in rows], [row["elo"] for row in rows]
    margins = [row["high"] - row["elo"] for row in rows]
    axes.errorbar(steps, elo, margins, marker="o", capsize=3, linewidth=1.6)
    axes.set(
        xlabel="million steps",
        ylabel=f"Elo with 95 % interval\n({rows[-1].get('anchor', '')})",
        xlim=(0, None),
    )
    axes.grid(alpha=0.3)
