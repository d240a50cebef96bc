"""Runs whose length is a time: when they are measured, what schedules follow, what they say."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from plyground import make_game
from plyground.training import clock as clock_module
from plyground.training import run as run_module
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.api import train
from plyground.training.folder import read_metrics
from plyground.training.measurements import Measurements
from plyground.training.run import TrainingRun

pytestmark = pytest.mark.thorough

GAME = make_game("tic_tac_toe")
SECONDS = 10  # of an update by the clock


class Learner:
    """Learns nothing and takes time for it; on a busy machine it gets a share of it."""

    stage, step, updates = "nobody", 0, 0

    def __init__(self, clock, share=lambda update: 1.0, learns=True, saving=0.0):
        self.clock, self.share, self.learns, self.saving = clock, share, learns, saving
        self.progresses, self.saved = [], []

    def train(self, settings, folder, **options):
        """As the learners of the package do."""
        with TrainingRun(GAME, settings, 1, folder, {}, **options) as run:
            run.resume(self)
            while run.goes_on():
                self.progresses.append(run.progress)
                self.clock.wall += SECONDS
                self.clock.processor += SECONDS * self.share(self.step)
                self.step += 1
                self.updates += self.learns
                run.log({})
                run.measure(lambda path: path.write_text("a policy"))
                run.save()
        return run

    def state(self):
        self.clock.wall += self.saving
        self.saved.append(self.clock.wall)
        return {"step": self.step, "updates": self.updates}

    def load_state(self, state):
        self.step, self.updates = state["step"], state["updates"]


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(wall=0.0, processor=0.0)
    times = SimpleNamespace(monotonic=lambda: now.wall, process_time=lambda: now.processor)
    for module in (clock_module, run_module):
        monkeypatch.setattr(module, "time", times)
    return now


def run(folder, learner, seconds, *texts):
    """The run in a folder, and what it said."""
    notes = []
    settings = AlphaZeroSettings.for_game(GAME, {"hours": seconds / 3600}, texts)
    row = {"opponent": "nobody", "score": 0.5, "low": 0.0, "high": 1.0}
    run = learner.train(settings, folder, on_note=notes.append, evaluate=lambda player: [row])
    return run, notes


def steps_of_evaluations(folder):
    return [row["step"] for row in read_metrics(folder) if row["kind"] == "evaluation"]


def test_a_run_that_has_become_longer_is_measured_as_often_as_any(clock, tmp_path):
    run(tmp_path / "run", Learner(clock), 400, "evaluations=4")
    assert steps_of_evaluations(tmp_path / "run") == [10, 20, 30, 40]
    run(tmp_path / "run", Learner(clock), 800, "evaluations=4")
    assert steps_of_evaluations(tmp_path / "run")[4:] == [60, 80]


def test_a_run_that_ends_before_it_has_learnt_says_so(clock, tmp_path):
    result, notes = run(tmp_path / "run", Learner(clock, learns=False), SECONDS)
    assert not result.finished_now
    assert notes[-1].startswith("the network has not learnt yet: the run ended before its first")
    result, notes = run(tmp_path / "run", Learner(clock), 2 * SECONDS)
    assert result.finished_now
    assert not any("not learnt" in note for note in notes)


def test_schedules_follow_the_work_and_not_the_clock_on_a_busy_machine(clock, tmp_path):
    quiet, busy, stalled = (
        Learner(clock),
        Learner(clock, lambda update: 0.1),
        Learner(clock, lambda update: 1.0 if update < 20 else 0.0),
    )
    for name, learner in (("quiet", quiet), ("busy", busy), ("stalled", stalled)):
        run(tmp_path / name, learner, 400)
    shares = [update / 40 for update in range(40)]
    assert quiet.progresses == pytest.approx(shares)
    assert all(mine <= share for mine, share in zip(busy.progresses, shares))
    assert busy.progresses[30] < 0.3  # of the time three quarters have gone, of the work a quarter
    assert busy.progresses == sorted(busy.progresses)
    rate = AlphaZeroSettings.for_game(GAME).learning.rate
    assert rate(busy.progresses[30]) == rate(0) > rate(shares[30])
    assert stalled.progresses[30] == pytest.approx(2 / 3)  # 200 s of work, and 100 that may come


def test_saving_takes_a_twentieth_of_the_time(clock, tmp_path):
    quick, slow = Learner(clock), Learner(clock, saving=3.0)
    for name, learner in (("quick", quick), ("slow", slow)):
        clock.wall = 0.0
        run(tmp_path / name, learner, 400)
    assert quick.saved[1:4] == [20.0, 40.0, 60.0]  # the first one is of the beginning
    assert all(later - earlier > 60.0 for earlier, later in zip(slow.saved[1:], slow.saved[2:-1]))


def test_what_measures_moves_no_schedule(clock, tmp_path, monkeypatch):
    """Its time comes all at once: on an H200 46 seconds of it in an update of two."""
    learner, seconds = Learner(clock), iter([0.0] * 20 + [100.0] + [0.0] * 19)
    monkeypatch.setattr(Measurements, "take_cpu_seconds", lambda self: next(seconds))
    run(tmp_path / "run", learner, 400)
    assert learner.progresses == pytest.approx([update / 40 for update in range(40)])


def test_a_resumed_run_goes_on_with_the_schedule_where_it_was(clock, tmp_path, monkeypatch):
    def share(update):
        return 0.5 if update < 10 else 1.0

    whole, first, second = (Learner(clock, share) for _ in range(3))
    run(tmp_path / "whole", whole, 400)

    def stop(player):
        raise KeyboardInterrupt

    settings = AlphaZeroSettings.for_game(GAME, {"hours": 400 / 3600}, ["evaluations=2"])
    monkeypatch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
    with pytest.raises(KeyboardInterrupt):
        first.train(settings, tmp_path / "cut", evaluate=stop)
    second.train(settings, tmp_path / "cut")
    assert whole.progresses[19:] == pytest.approx(second.progresses)


@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_learning_rates_of_sb3_follow_the_time_where_it_ends_the_run(algorithm, clock, tmp_path):
    pytest.importorskip("sb3_contrib")
    from stable_baselines3.common.callbacks import BaseCallback

    sizes = {"games": 16, "rollout": 4, "batch_size": 32, "dense": "16", "opponent": "random"}
    sizes |= {"hours": 1.0, "learning_rate": 0.01, "evaluate": "none"}
    sizes |= {"first_steps": 0, "minibatches": 1} if algorithm == "dqn" else {"epochs": 1}
    rates = []

    def see(progress):
        assert progress.total == 10**12
        rates.append(progress.values["train/learning_rate"])

    collect = BaseCallback.on_rollout_start

    def take_time(callback):
        clock.wall += 900.0
        clock.processor += 900.0
        collect(callback)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseCallback, "on_rollout_start", take_time)
        train(algorithm, GAME, tmp_path / "run", on_progress=see, **sizes)
    assert rates == pytest.approx([0.01, 0.0075, 0.005, 0.0025])
