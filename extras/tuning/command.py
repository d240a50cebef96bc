"""The command ``tune``."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ...commands.app import command, ctrl_c_says, missing_packages_are_refused, same_command
from ...commands.common import GameArgument, OwnOptions, argument, option
from ...commands.learning.runs import GREATEST_SEED, ProgressBar, RunOptions, make_measure
from ...commands.output import note, say
from ...envs import make_game
from ...envs.loading.settings import parameters_of
from ...envs.specification import SpecificationError, refusing
from ...envs.workers.processors import available_processors
from ...evaluation.report.display import percent
from ...evaluation.runners.isolation import make_isolated_opponent
from ...training.api import SETTINGS, load_algorithm, train
from ...training.run import Progress, TrainingRun
from ...training.settings import RunSettings

OPTIONS = OwnOptions(RunSettings, ("steps", "hours", "evaluate"))
TO, OR = "..", "|"  # between the ends of an interval, and between values


@Parameter(name="*")
@dataclasses.dataclass(frozen=True)
class _Options:
    """What holds for every run."""

    settings: Annotated[
        tuple[str, ...],
        option(
            "NAME=VALUES",
            "A setting: LOW..HIGH and A|B|C are searched, a single value is fixed; may be "
            "repeated.",
            name="--set",
        ),
    ] = ()
    seed: Annotated[
        int, option("N", "Seed of the choices and of every run.", low=0, high=GREATEST_SEED)
    ] = 1
    device: Annotated[
        str | None, option("DEVICE", "Device to train on, as in plyground train.")
    ] = None
    threads: Annotated[int, option("N", "Threads for the learner's network.", low=1)] = 1


DEFAULT_OPTIONS = _Options()


@command("ALGORITHM GAME --out FOLDER --set NAME=LOW..HIGH", purpose="Train")
def tune(
    algorithm: Annotated[
        str,
        argument("ALGORITHM", "An algorithm of plyground train: ppo, dqn, alphazero, supervised."),
    ],
    game: GameArgument,
    /,
    *,
    out: Annotated[Path, option("FOLDER", "The folder of the sweep; a sweep in it is resumed.")],
    trials: Annotated[int, option("N", "Total number of runs.", low=1)] = 20,
    given: Any = OPTIONS,
    options: _Options = DEFAULT_OPTIONS,
) -> None:
    """Search for the settings with which a learner scores best in its evaluations.

    Optuna chooses the settings of a run by the scores of earlier runs. A run whose curve is below
    the median of the others is pruned. The same command resumes a stopped sweep; a higher --trials
    continues a finished one. At the end it prints the command that trains with the best settings.
    plyground train ALGORITHM GAME --list-settings lists the settings.

    [bold]Examples[/bold]

    plyground tune ppo connect_four --out sweeps/c4 --steps 300k --set learning_rate=0.0001..0.01
    --set "dense=512,256|256"

    plyground tune alphazero tic_tac_toe --out sweeps/ttt --hours 0.02 --set reuse=1..8
    """
    learner = _Learner(algorithm, game, given, options)
    with missing_packages_are_refused():  # before a folder is created
        load_algorithm(algorithm)
    with refusing(ImportError, 'tune needs Optuna: pip install "plyground[tune]"'):
        from .sweep import Dimension, Sweep
    ranges = [Dimension(*each) for each in learner.ranges()]
    sweep = Sweep(out, ranges, learner.identity, options.seed, note)
    at_ctrl_c = ctrl_c_says(f"stopped; the runs are in {out}. To go on:\n  {same_command()}")
    with at_ctrl_c, missing_packages_are_refused():
        sweep.run(trials, learner.train)
    best = sweep.best()
    note(f"the best run is {best.run}: {percent(best.score)} %. To train by its settings:")
    say(learner.command(out / "best", best.settings))


class _Learner:
    """Trains with the settings of the command line and those chosen by a sweep."""

    def __init__(self, algorithm: str, game: str, given: dict[str, Any], options: _Options) -> None:
        self._kind = SETTINGS.get(algorithm)
        self._algorithm, self._game, self._options = algorithm, make_game(game), options
        self._gpu = RunOptions(device=options.device).on_gpu(self._kind)
        self._kinds = {each.name: each.kind for each in parameters_of(self._kind)}
        if "workers" in self._kinds and not self._gpu:  # as in train alphazero
            given = {"workers": available_processors()} | given
        self._given = given
        self._fixed = [text for text in options.settings if not self._is_swept(text)]
        measure = make_measure(self._game, self._settings(), options.seed)
        if measure is None:
            raise SpecificationError("a sweep needs scores: give opponents with --evaluate")
        # called here, as a lambda is, at the same steps in every run: choices follow the scores
        self._measure = lambda player: measure(player)  # noqa: PLW0108

    @property
    def identity(self) -> dict[str, Any]:
        """The common settings of all runs, as JSON values."""
        facts = {"algorithm": self._algorithm, "game": self._game.spec, "set": self._fixed}
        return facts | {name: self._given[name] for name in OPTIONS.names if name in self._given}

    def _is_swept(self, text: str) -> bool:
        name, _, value = (part.strip() for part in text.partition("="))
        return OR in value or (TO in value and self._kinds.get(name) in (int, float))

    def _settings(self, *texts: str) -> RunSettings:
        texts = (*self._fixed, *texts)
        return self._kind.for_game(self._game, self._given, texts, gpu=self._gpu)

    def ranges(self) -> Iterator[tuple[str, tuple[Any, ...], bool]]:
        """The settings to search, their values, and whether these are the ends of an interval.

        Raises:
            SpecificationError: there is none, or an invalid value.
        """
        texts = [text for text in self._options.settings if self._is_swept(text)]
        if not texts:
            raise SpecificationError(
                "give settings to search, such as --set learning_rate=0.0001..0.01 or "
                '--set "channels=32|64"'
            )
        for text in texts:
            name, _, value = (part.strip() for part in text.partition("="))
            is_interval = OR not in value
            values = tuple(part.strip() for part in value.split(TO if is_interval else OR))
            numbers = [self._settings(f"{name}={each}").values()[name] for each in values]
            if not is_interval:
                yield name, values, False
            elif len(numbers) == 2 and numbers[0] < numbers[1]:
                yield name, tuple(numbers), True
            else:
                raise SpecificationError(f"{text!r} is not of the form NAME=LOW..HIGH")

    def train(
        self, chosen: Mapping[str, Any], out: Path, follow: Callable[[Progress], None]
    ) -> TrainingRun:
        """Start or resume the run of a trial, and finish it."""
        bar = ProgressBar(lambda progress: f"run {out.name}: {progress.stage}")

        def show(progress: Progress) -> None:
            bar.show(progress)
            follow(progress)

        settings = self._settings(*_texts(chosen)).values()
        with bar:
            return train(
                self._algorithm,
                self._game,
                out,
                seed=self._options.seed,
                device=self._options.device,
                threads=self._options.threads,
                make=make_isolated_opponent,
                measure=self._measure,
                on_progress=show,
                on_note=bar.note,
                **settings,
            )

    def command(self, out: Path, chosen: Mapping[str, Any]) -> str:
        """The command line that trains with the chosen settings."""
        name = self._algorithm.replace("_", "-")  # as commands are written
        words = ["plyground", "train", name, self._game.spec, "--out", str(out)]
        words += ["--seed", str(self._options.seed), "--threads", str(self._options.threads)]
        words += ["--device", self._options.device] if self._options.device else []
        texts = (*_texts(self._given), *self._fixed, *_texts(chosen))
        settings = dict(text.split("=", 1) for text in texts)  # the last of a name holds
        words += [word for text in _texts(settings) for word in ("--set", text)]
        return shlex.join(words)


def _texts(settings: Mapping[str, Any]) -> list[str]:
    """Settings in the form of ``--set``."""
    return [f"{name}={value}" for name, value in settings.items() if value is not None]
