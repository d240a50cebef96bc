"""Where the output is no terminal, long work tells now and then how far it is."""

from __future__ import annotations

import io
import re
import threading

import pytest
from plyground.evaluation.report import progress_lines
from plyground.evaluation.report.display import TournamentProgress, show_progress, show_steps
from plyground.evaluation.report.progress_lines import ProgressLines, clock
from rich.console import Console


class Lines(list):
    """Collects lines, and lets the test wait for them."""

    def __init__(self):
        super().__init__()
        self.came = threading.Semaphore(0)

    def __call__(self, line):
        self.append(line)
        self.came.release()


def test_the_newest_progress_is_printed_again_and_again():
    lines = Lines()
    with ProgressLines(lines, seconds=0.01) as progress:
        assert not lines.came.acquire(timeout=0.1)  # there is no progress yet
        progress.show(0.5, "step 5")
        progress.show(0.75, "step 6")
        for _ in range(2):  # also where it does not change
            assert lines.came.acquire(timeout=30)
    assert re.fullmatch(r"75 %  step 6  left 0:00:00  spent 0:00:00", lines[-1])
    count = len(lines)
    assert not lines.came.acquire(blocking=False) or len(lines) == count


def test_the_time_left_is_that_of_the_share_that_is_left_of_this_run(monkeypatch):
    now = 100.0
    monkeypatch.setattr(progress_lines.time, "monotonic", lambda: now)
    progress = ProgressLines(print)
    progress.show(0.5, "resumed")
    assert progress._line() == "50 %  resumed  left ?  spent 0:00:00"
    now += 600
    progress.show(0.6, "step 6")
    assert progress._line() == "60 %  step 6  left 0:40:00  spent 0:10:00"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00:00"), (59.6, "0:01:00"), (3723, "1:02:03")]
)
def test_durations_are_written_as_on_a_clock(seconds, text):
    assert clock(seconds) == text


def test_steps_and_games_are_told_where_there_is_no_terminal(monkeypatch):
    console = Console(file=io.StringIO(), width=40)
    monkeypatch.setattr(ProgressLines.__init__, "__defaults__", (0.01,))
    lines = Lines()
    monkeypatch.setattr(console, "print", lambda text, soft_wrap: lines(str(text)))
    with show_steps("solving", console) as progress:
        progress(3, 1200)
        assert lines.came.acquire(timeout=30)
    assert lines[-1].startswith("0 %  solving: 3 of 1,200  left")
    games = TournamentProgress(2000, 1000)
    with show_progress(games, console):
        games._table.count = lambda game: None
        games.count(None)
        assert lines.came.acquire(timeout=30)
    assert any(line.startswith("50 %  1,001 of 2,000 games") for line in lines)
