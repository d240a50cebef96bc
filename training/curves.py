"""Learning curves: what runs reached against each opponent in their evaluations, as a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .folder import METRICS, RATING, TrainingError, ratings_in, read_metrics, read_run


def read_curves(run: Path) -> tuple[dict[str, list[dict[str, Any]]], list[tuple[int, float]]]:
    """A run's evaluations by opponent, and (step, seconds of processor time) of its updates.

    Raises:
        TrainingError: no run folder, or one without evaluations.
    """
    read_run(run)
    curves: dict[str, list[dict[str, Any]]] = {}
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
        raise TrainingError(f"{run / METRICS} holds no evaluations and no ratings")
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


def draw_curves(runs: Sequence[Path], out: Path) -> None:
    """Draw the scores of runs over their steps, side by side, with 95 % intervals.

    The upper axis shows minutes of processor time. Below are the ratings of snapshots, if any.

    Args:
        runs: run folders.
        out: the picture, in any format that matplotlib writes.

    Raises:
        TrainingError: a folder that holds neither evaluations nor ratings, or a picture that cannot
            be written.
    """
    curves_of_runs = [read_curves(run) for run in runs]
    ratings_of_runs = [read_ratings(run) for run in runs]
    height = 2 if any(ratings_of_runs) else 1
    with figure_in(out, (6.4 * len(runs), 1.2 + 3.4 * height)) as figure:
        for index, (run, (curves, clock)) in enumerate(zip(runs, curves_of_runs)):
            axes = figure.add_subplot(height, len(runs), index + 1)
            _draw_run(axes, str(read_run(run)["description"]["game"]), curves, clock)
            if ratings_of_runs[index]:
                place = height, len(runs), len(runs) + index + 1
                _draw_ratings(figure.add_subplot(*place, sharex=axes), ratings_of_runs[index])


@contextmanager
def figure_in(out: Path, size: tuple[float, float]) -> Iterator[Any]:
    """A figure of matplotlib, which is written when the body ends.

    Args:
        out: the picture, in any format that matplotlib writes.
        size: its width and height, in inches.

    Raises:
        ImportError: matplotlib is not installed.
        TrainingError: the picture cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError('drawing needs matplotlib: pip install "plyground[train]"') from error
    figure = Figure(figsize=size, layout="constrained")
    yield figure
    try:
        figure.savefig(out, dpi=110)
    except (OSError, ValueError) as error:
        raise TrainingError(f"{out} could not be written: {error}") from error


def _draw_run(
    axes: Any, title: str, curves: dict[str, list[dict[str, Any]]], clock: list[tuple[int, float]]
) -> None:
    for opponent, rows in curves.items():
        steps = [row["step"] / 1e6 for row in rows]
        (line,) = axes.plot(
            steps, [100 * row["score"] for row in rows], label=opponent, linewidth=1.6
        )
        low, high = ([100 * row[bound] for row in rows] for bound in ("low", "high"))
        axes.fill_between(steps, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.set(
        xlabel="million steps",
        ylabel="score in %, with 95 % interval",
        ylim=(0, 101),
        xlim=(0, None),
    )
    axes.grid(alpha=0.3)
    if curves:
        axes.legend(loc="lower right", fontsize=8)
    per_million = 1e6 * clock[-1][1] / 60 / max(clock[-1][0], 1)
    minutes = axes.secondary_xaxis(
        "top",
        functions=(lambda steps: steps * per_million, lambda time: time / max(per_million, 1e-9)),
    )
    minutes.set_xlabel("minutes of processor time")
    axes.set_title(title, fontsize=11, fontweight="bold")


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
