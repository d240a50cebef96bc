"""A sweep: training runs whose settings Optuna chooses by the scores of the runs before.

The folder contains a run for each trial (``0000``, ``0001``, …) and ``sweep.db``, Optuna's own
storage, which its dashboard can show. A trial that is stopped or killed stays the running trial:
its run resumes from its checkpoint. The sampler of a trial depends only on the seed and the trial's
number, so a stopped and resumed sweep makes the same choices as an uninterrupted one.

Source: Akiba et al., "Optuna: A next-generation hyperparameter optimization framework", KDD 2019.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import optuna
from optuna.trial import TrialState
from sqlalchemy.exc import SQLAlchemyError

from ...envs.loading.locks import locked
from ...envs.specification import refusing
from ...training.curves import read_curves
from ...training.folder import TrainingError
from ...training.run import Progress, TrainingRun

STORE, STUDY, IDENTITY = "sweep.db", "sweep", "identity"
WIDE = 10.0  # an interval whose ends differ by this factor is searched on a logarithmic scale

# Starts or resumes the run of these settings in a folder; it reports its progress.
Train = Callable[[dict[str, Any], Path, Callable[[Progress], None]], TrainingRun]


class Dimension(NamedTuple):
    """A setting to search.

    Attributes:
        name: name of the setting.
        values: all values, or the lowest and the highest.
        is_interval: whether values between the two are tried.
    """

    name: str
    values: tuple[Any, ...]
    is_interval: bool

    def choose(self, trial: optuna.Trial) -> Any:
        """The value of a trial; a resumed trial keeps its value."""
        if not self.is_interval:
            return trial.suggest_categorical(self.name, self.values)
        low, high = self.values
        suggest = trial.suggest_int if isinstance(low, int) else trial.suggest_float
        return suggest(self.name, low, high, log=low > 0 and high >= WIDE * low)


class Best(NamedTuple):
    """The best trial: its mean score, from 0 to 1, its run, and its searched settings."""

    score: float
    run: Path
    settings: dict[str, Any]


class Sweep:
    """The sweep in a folder.

    Args:
        folder: its folder; an existing sweep is resumed.
        ranges: the settings to search.
        identity: everything else that decides its scores, as JSON values.
        seed: seed of the choices.
        on_note: called with every message, one sentence.

    Raises:
        TrainingError: the folder contains something else, or its storage cannot be read.
    """

    def __init__(
        self,
        folder: Path,
        ranges: Sequence[Dimension],
        identity: dict[str, Any],
        seed: int,
        on_note: Callable[[str], None],
    ) -> None:
        self._folder, self._ranges, self._seed, self._on_note = folder, ranges, seed, on_note
        store = folder / STORE
        if not store.exists() and folder.exists() and any(folder.iterdir()):
            raise TrainingError(f"{folder} is not the folder of a sweep; give another folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TrainingError(f"the folder {folder} cannot be made: {error.strerror}") from None
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        errors = (SQLAlchemyError, optuna.exceptions.OptunaError, RuntimeError)
        with refusing(errors, f"{store} cannot be read by this version of Optuna"):
            self._study = optuna.create_study(
                storage=f"sqlite:///{store.resolve()}",
                study_name=STUDY,
                direction="maximize",
                load_if_exists=True,
            )
        text = json.dumps({**identity, "ranges": ranges, "seed": seed})
        if self._study.user_attrs.get(IDENTITY, text) != text:
            raise TrainingError(
                f"{folder} contains a sweep of other settings; give another folder with --out, or "
                f"the same command to resume (--trials may be higher)"
            )
        self._study.set_user_attr(IDENTITY, text)

    def run(self, trials: int, train: Train) -> None:
        """Run the sweep up to this number of trials; Ctrl-C leaves one to be resumed."""
        with locked(self._folder, "tuned"):
            for frozen in self._study.get_trials(states=(TrialState.RUNNING,)):
                self._finish(optuna.Trial(self._study, frozen._trial_id), train)
            while (number := len(self._study.get_trials(deepcopy=False))) < trials:
                self._study.sampler = optuna.samplers.TPESampler(seed=self._seed + number)
                self._finish(self._study.ask(), train)

    def best(self) -> Best:
        """The best trial; TrainingError if none has finished."""
        if not self._study.get_trials(states=(TrialState.COMPLETE,)):
            raise TrainingError(f"no trial of {self._folder} has finished")
        trial = self._study.best_trial
        assert trial.value is not None
        return Best(trial.value, self._run_folder(trial.number), trial.params)

    def _run_folder(self, number: int) -> Path:
        return self._folder / f"{number:04d}"

    def _finish(self, trial: optuna.Trial, train: Train) -> None:
        """Run a trial to its end, or until the median pruner stops it."""
        out = self._run_folder(trial.number)
        settings = {each.name: each.choose(trial) for each in self._ranges}
        follower = _Follower(trial, out)
        score, state, result = None, TrialState.COMPLETE, ""
        try:
            score = _mean(train(settings, out, follower.show).best_rows)
            result = f"{100 * score:.1f} %"
        except optuna.TrialPruned:
            state, result = TrialState.PRUNED, "pruned"
        except TrainingError as error:  # such as a NaN loss: other settings may do better
            state, result = TrialState.FAIL, str(error)
        self._study.tell(trial, score, state)
        text = " ".join(f"{name}={value}" for name, value in settings.items())
        self._on_note(f"trial {trial.number}: {text}: {result}")


class _Follower:
    """Reports the curve of a run to its trial."""

    def __init__(self, trial: optuna.Trial, out: Path) -> None:
        self._trial, self._out = trial, out
        self._reported = len(trial.study.trials[trial.number].intermediate_values)
        self._evaluated = 0

    def show(self, progress: Progress) -> None:
        """Report new values; TrialPruned if the trial is to end."""
        if progress.evaluated == self._evaluated:
            return
        self._evaluated = progress.evaluated
        curves, _ = read_curves(self._out)
        # Runs with a time limit are evaluated at different steps: the first evaluations are
        # compared with each other, and so on.
        for number, rows in list(enumerate(zip(*curves.values())))[self._reported :]:
            self._trial.report(_mean(rows), number)
            self._reported = number + 1
        if progress.share < 1.0 and self._trial.should_prune():
            raise optuna.TrialPruned


def _mean(rows: Iterable[dict[str, Any]]) -> float:
    """The mean score of an evaluation, by which a run also keeps its best policy."""
    scores = [float(row["score"]) for row in rows]
    return sum(scores) / len(scores)
