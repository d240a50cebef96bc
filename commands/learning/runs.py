"""Shared parts of the training commands: options, progress line, measurements, end of a run."""

from __future__ import annotations

import functools
import importlib.metadata
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ...agents.human import refuse_people
from ...agents.solvers.solver import solver_class_of
from ...envs import Game
from ...envs.loading.settings import parameters_of
from ...envs.specification import SpecificationError
from ...envs.workers.jobs import JobPlace
from ...envs.workers.processors import available_processors
from ...evaluation.gauntlet import evaluate
from ...evaluation.report.display import ParameterTable, percent, print_line
from ...evaluation.report.progress_lines import ProgressLines
from ...evaluation.runners.isolation import make_isolated_opponent
from ...training.api import load_algorithm
from ...training.folder import begun_settings
from ...training.settings import OPTIMAL, OpposedSettings, RunSettings
from ...training.trackers import USUAL, Trackers
from ..app import Interruption, missing_packages_are_refused, same_command
from ..common import JsonOption, flag, option
from ..output import Terminal, note, parameter_json, print_json, say
from .ladder import rate_newest
from .seeds import train_seeds

PACKAGES = ("plyground", "torch", "stable-baselines3", "sb3-contrib", "numpy", "numba")

Rows = list[dict[str, Any]]


GREATEST_SEED = 2**32 - 1  # the limit of torch and SB3


@Parameter(name="*")
@dataclass(frozen=True)
class RunOptions:
    """The options of every training command."""

    out: Annotated[
        Path | None, option("FOLDER", "The folder of the run; a run in it is resumed.")
    ] = None
    seed: Annotated[int, option("N", "Seed of all random choices.", low=0, high=GREATEST_SEED)] = 1
    seeds: Annotated[
        int,
        option(
            "N",
            "Number of seeds to train in parallel, from --seed on, in folders seed_1, … of --out.",
            low=1,
            high=1000,
        ),
    ] = 1
    settings: Annotated[
        tuple[str, ...],
        option(
            "NAME=VALUE",
            "Any other setting, such as learning_rate=0.0005; may be repeated.",
            name="--set",
        ),
    ] = ()
    device: Annotated[
        str | None,
        option(
            "DEVICE",
            "Device to train on: cpu, cuda, cuda:1, or auto for a GPU if there is one (default: "
            "depends on the algorithm).",
        ),
    ] = None
    threads: Annotated[int, option("N", "Threads for the learner's network.", low=1)] = 1
    log: Annotated[
        str,
        option(
            "NAME,NAME",
            "Where to log metrics besides metrics.jsonl: tensorboard, wandb, mlflow, or none.",
        ),
    ] = USUAL
    list_settings: Annotated[
        bool, flag("List the settings with their values for this game, without training.")
    ] = False
    as_json: JsonOption = False

    def folders(self) -> dict[int, Path]:
        """The folder of each seed's run.

        Raises:
            SpecificationError: no folder was given, or a seed is too large.
        """
        if self.out is None:
            raise SpecificationError("give the folder of the run: --out FOLDER")
        if self.seeds == 1:
            return {self.seed: self.out}
        seeds = range(self.seed, self.seed + self.seeds)
        if seeds[-1] > GREATEST_SEED:
            raise SpecificationError(f"the largest seed is {GREATEST_SEED}, not {seeds[-1]}")
        return {seed: self.out / f"seed_{seed}" for seed in seeds}

    def begun(self, kind: type[RunSettings]) -> dict[str, Any]:
        """The settings of the algorithm's run in the (first) folder; empty without a run."""
        return {} if self.out is None else begun_settings(next(iter(self.folders().values())), kind)

    def on_gpu(self, kind: type[RunSettings]) -> bool:
        """Whether the network of an algorithm will be on a GPU."""
        name = self.device or kind.device
        if name == "cpu":
            return False
        with missing_packages_are_refused():
            from ...training.devices import choose_device

            return choose_device(name).type == "cuda"


DEFAULT_RUN = RunOptions()


def train_or_list(
    game: Game,
    settings: RunSettings,
    options: RunOptions,
    describe: Callable[[Any], str],
    *,
    place: JobPlace | None = None,
) -> None:
    """Train to the end or to Ctrl-C and print the scores, or list the settings if asked to.

    Each of several seeds is trained in a separate process.

    Args:
        game: the game.
        settings: the settings.
        options: all other options of the command.
        describe: describes the progress of the run in a few words.
        place: where self-play runs, for algorithms with self-play.

    Raises:
        SpecificationError: no folder was given, a package is missing, or an opponent does not exist
            or cannot play the game.
    """
    if options.list_settings:
        _print_settings(game, settings, options.as_json)
        return
    folders = options.folders()
    with missing_packages_are_refused():
        # refused here, before anything is created
        load_algorithm(settings.algorithm)
        trackers = Trackers(options.log)
    if len(folders) == 1:
        results = [_train(game, settings, options, describe, place)]
    else:
        trackers.prepare()
        busy = max(settings.processes, options.threads)
        results = train_seeds(folders, max(available_processors() // busy, 1))
    if options.as_json:
        print_json(results if len(results) > 1 else results[0])
        return
    for result in results:
        _print_scores(result["scores"], f"seed {result['seed']}: " if len(results) > 1 else "")


def _train(
    game: Game,
    settings: RunSettings,
    options: RunOptions,
    describe: Callable[[Any], str],
    place: JobPlace | None,
) -> dict[str, Any]:
    """Train one seed; returns the scores of its best policy."""
    from ...training.devices import choose_device

    (out,) = options.folders().values()
    device = choose_device(options.device or settings.device)
    facts = _facts() | {"device": str(device)}
    measure = make_measure(game, settings, options.seed)
    bar = ProgressBar(describe)
    try:
        with bar:
            run = load_algorithm(settings.algorithm)(
                game,
                settings,
                options.seed,
                out,
                facts,
                device,
                threads=options.threads,
                log=options.log,
                evaluate=measure,
                rate=functools.partial(rate_newest, out) if settings.opponents_to_measure else None,
                on_progress=bar.show,
                on_note=bar.note,
                **_more(settings, place),
            )
    except KeyboardInterrupt:
        raise Interruption(
            f"stopped; the checkpoints are in {out}. To go on:\n  {same_command()}"
        ) from None
    if run.finished_now:
        note(f"finished: {run.step:,} steps; policy:{out / 'best.onnx'} is the best policy")
    return {"seed": options.seed, "run": str(out), "steps": run.step, "scores": run.best_rows}


def _more(settings: RunSettings, place: JobPlace | None) -> dict[str, Any]:
    """Arguments of some algorithms only: how to make opponents, where self-play runs."""
    if isinstance(settings, OpposedSettings):
        return {"make": make_isolated_opponent}
    return {} if place is None else {"place": place}


def _print_settings(game: Game, settings: RunSettings, as_json: bool) -> None:
    values = settings.values()
    kinds = [each._replace(default=values[each.name]) for each in parameters_of(type(settings))]
    if as_json:
        about = {"algorithm": settings.algorithm, "game": game.spec}
        print_json(about | {"settings": [parameter_json(each) for each in kinds]})
    else:
        Terminal().print(ParameterTable(kinds))


def _facts() -> dict[str, Any]:
    """The facts about command, versions and machine in a run's description."""
    return {
        "command": same_command(),
        "versions": _versions(),
        "machine": platform.processor() or platform.machine(),
    }


def _print_scores(rows: Rows, title: str) -> None:
    for row in rows:
        say(
            f"{title}{row['opponent']}: {percent(row['score'])} % ({percent(row['low'])} to "
            f"{percent(row['high'])}, {row['games']} games)"
        )


def make_measure(
    game: Game, settings: RunSettings, seed: int
) -> Callable[[Any], Sequence[Any]] | None:
    """The function that evaluates a learner as its settings say; None if they say nothing."""
    opponents, judged = settings.opponents_to_measure, settings.judged
    if not (opponents or judged):
        return None
    from ...agents.opponents import make_opponents

    if judged:
        solver_class_of(game)  # refused here, before anything is created
    refuse_people(opponents, "training")
    for name in opponents:
        make_opponents(name, game, make_isolated_opponent)
    return functools.partial(
        evaluate,
        game=game,
        against=opponents,
        pairs=settings.evaluation_pairs,
        opening_plies=game.profile.evaluation_plies,
        seed=seed,
        judged=judged,
    )


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


class ProgressBar:
    """A progress bar with notes above it; without a terminal, a line from time to time.

    Args:
        describe: describes the progress of a run in a few words.
    """

    def __init__(self, describe: Callable[[Any], str]) -> None:
        self._describe = describe
        self._console = Terminal(stderr=True)
        self._bar = Progress(
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:3.0f} %"),
            TextColumn("{task.fields[text]}", markup=False),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("spent"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
            refresh_per_second=2,
        )
        self._task = self._bar.add_task("", total=1.0, text="")
        self._lines = ProgressLines(self.note)

    def __enter__(self) -> None:
        (self._bar if self._console.is_terminal else self._lines).__enter__()

    def __exit__(self, *error: object) -> None:
        (self._bar if self._console.is_terminal else self._lines).__exit__(None, None, None)

    def show(self, progress: Any) -> None:
        """Show the progress; print the scores of a new evaluation."""
        text = self._describe(progress)
        if progress.rating is not None:
            text += f"  Elo {progress.rating['elo']:.0f}"
        self._bar.update(self._task, completed=progress.share, text=text)
        self._lines.show(progress.share, f"step {progress.step:,}, {progress.rate:,.0f}/s  {text}")
        if progress.has_news:
            scores = ", ".join(
                f"{percent(score)} % {_against(name)}" for name, score in progress.scores.items()
            )
            self.note(f"step {progress.evaluated:,}: {scores}")

    def note(self, text: str) -> None:
        """Print a line above the bar."""
        print_line(self._console, text)


def _against(name: str) -> str:
    return name if name == OPTIMAL else f"against {name}"
