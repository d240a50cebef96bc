"""Learning curves as figures: runs, and several seeds as one."""

from __future__ import annotations

import json
from contextlib import contextmanager

import numpy as np
import pytest
from command_line import invoke
from plyground.training import TrainingError, curves
from plyground.training.curves import average, draw_curves
from plyground.training.folder import FORMAT

OPPONENTS = ("random", "greedy", "alphabeta:depth=2")
STEPS = (1000, 2000, 3000)


def write_run(folder, seed, steps=STEPS, opponents=OPPONENTS, scores=None, **settings):
    """A run's folder as far as figures read it."""
    folder.mkdir(parents=True)
    description = {"algorithm": "ppo", "game": "tic_tac_toe", "game_version": 0, "seed": seed}
    facts = {"format": FORMAT, "description": description | settings}
    (folder / "run.json").write_text(json.dumps(facts))
    rows = []
    for number, step in enumerate(steps):
        rows.append({"step": step, "kind": "update", "time/cpu_seconds": step / 100})
        for opponent in opponents:
            score = scores[number] if scores else 0.1 * (number + seed)
            row = {"step": step, "kind": "evaluation", "opponent": opponent, "score": score}
            rows.append(row | {"low": score - 0.05, "high": score + 0.05})
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def seeds(tmp_path):
    """The folders of three seeds."""
    return [write_run(tmp_path / f"seed_{seed}", seed) for seed in (1, 2, 3)]


@pytest.fixture
def drawn(monkeypatch):
    """The figures that are written, laid out as they are written."""
    figures, write = [], curves.figure_in

    @contextmanager
    def keep(*arguments):
        with write(*arguments) as figure:
            yield figure
            figure.draw_without_rendering()
            figures.append(figure)

    monkeypatch.setattr(curves, "figure_in", keep)
    return figures


# -- averages --


@pytest.mark.parametrize(
    ("statistic", "value", "low", "high"),
    # rliable 1.2.0: get_interval_estimates by aggregate_iqm and aggregate_mean, 50,000 samples
    [("iqm", 0.589, 0.418, 0.745), ("mean", 0.577, 0.46, 0.6925)],
)
def test_averages_and_their_intervals_are_those_of_rliable(statistic, value, low, high):
    scores = [
        [0.63, 0.3, 0.8, 0.25, 1.0],
        [0.9, 0.87, 0.47, 0.45, 0.79],
        [0.78, 0.01, 0.3, 0.5, 0.62],
        [0.23, 0.82, 0.28, 0.55, 0.99],
    ]
    ours = average(np.array(scores)[:, :, None], statistic)
    assert ours[0] == pytest.approx(value)
    assert (ours[1][0], ours[2][0]) == pytest.approx((low, high), abs=0.01)


def test_the_bootstrap_draws_seeds_of_each_opponent_by_themselves():
    """Opponents that differ are no spread: seeds that agree leave none."""
    scores = np.array([[0.1] * 4, [0.9] * 4])[:, :, None]
    assert average(scores, "mean") == pytest.approx((0.5, 0.5, 0.5))


# -- pictures --


def lines_of(figure):
    """The lines of the first panel, by their places in the legend."""
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    return dict(zip(names, figure.axes[0].get_lines()))


def test_seeds_are_drawn_as_one_curve_for_each_opponent_and_one_for_all(seeds, tmp_path, drawn):
    result = invoke(["curves", *seeds, "--group-by", "seed", "--out", tmp_path / "a.png"])
    assert result.exit_code == 0, result.stderr
    lines = lines_of(drawn[0])
    assert list(lines) == [*OPPONENTS, "all opponents"]
    for line in lines.values():
        assert line.get_xdata() == pytest.approx([0.001, 0.002, 0.003])
        assert line.get_ydata() == pytest.approx([20, 30, 40])  # of 10, 20, 30 and so on
    assert drawn[0].axes[0].get_title() == "tic_tac_toe, interquartile mean of 3 seeds"


def test_seeds_that_were_measured_at_other_steps_are_interpolated(tmp_path, drawn):
    ends = {1: ((1000, 3000), [0.2, 0.6]), 2: ((2000, 4000), [0.4, 0.4])}
    runs = [
        write_run(tmp_path / str(seed), seed, steps, ["random"], scores)
        for seed, (steps, scores) in ends.items()
    ]
    draw_curves(runs, tmp_path / "a.png", "seed", "mean")
    line = lines_of(drawn[0])["random"]
    assert line.get_xdata() == pytest.approx([0.002, 0.003])
    assert line.get_ydata() == pytest.approx([40, 50])


def test_runs_of_other_settings_stand_beside_each_other(seeds, tmp_path, drawn):
    others = [write_run(tmp_path / "b" / str(seed), seed, channels=64) for seed in (1, 2)]
    draw_curves([*seeds, *others], tmp_path / "a.png", "seed")
    titles = [axes.get_title() for axes in drawn[0].axes]
    assert [title.split("\n")[0][-7:] for title in titles] == ["3 seeds", "2 seeds"]
    assert titles[1].endswith("/b")


def test_what_cannot_be_averaged_is_refused(seeds, tmp_path):
    alone = write_run(tmp_path / "alone", 1, channels=64)
    with pytest.raises(TrainingError, match=r"no other run differs from .*alone only in"):
        draw_curves([*seeds, alone], tmp_path / "a.png", "seed")
    later = write_run(tmp_path / "later", 4, steps=(9000,))
    with pytest.raises(TrainingError, match="have no evaluation in common"):
        draw_curves([*seeds, later], tmp_path / "a.png", "seed")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--group-by", "game"], "runs cannot be grouped by 'game'"),
        (["--group-by", "seed", "--statistic", "median"], "there is no statistic 'median'"),
        (["--size", "wide"], "--size wide is not possible"),
        (["--size", "3.4"], "WIDTHxHEIGHT"),
        (["--size", "0x500"], "with 1 to 100 inches each"),
    ],
)
def test_options_that_are_not_possible_are_refused(seeds, options, complaint, tmp_path):
    result = invoke(["curves", *seeds, *options, "--out", tmp_path / "a.png"])
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert not (tmp_path / "a.png").exists()


@pytest.mark.parametrize("size", [None, (3.4, 2.8), (7, 3)])
@pytest.mark.parametrize("group_by", ["", "seed"])
def test_the_legend_hides_nothing_and_all_is_on_the_picture(seeds, tmp_path, drawn, size, group_by):
    draw_curves(seeds[:2], tmp_path / "a.png", group_by, size=size)
    (figure,) = drawn
    legend, page = figure.legends[0].get_window_extent(), figure.bbox
    for box in (axes.get_tightbbox() for axes in figure.axes):
        assert not box.overlaps(legend)
        assert page.x0 <= box.x0 <= box.x1 <= page.x1
        assert page.y0 <= box.y0 <= box.y1 <= page.y1
    assert page.x0 <= legend.x0 <= legend.x1 <= page.x1
    if size:
        assert tuple(figure.get_size_inches()) == size


def test_more_opponents_than_colours_have_lines_of_their_own(tmp_path, drawn):
    names = [f"alphabeta:depth={depth}" for depth in range(1, 25)]
    draw_curves([write_run(tmp_path / "run", 1, opponents=names)], tmp_path / "a.png")
    lines = lines_of(drawn[0]).values()
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(names)
