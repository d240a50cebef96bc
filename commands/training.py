"""Commands that train: ``train ppo``, and ``curves``, which draws what a run has learnt."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from ..envs import Game, make_game
from ..envs.specification import SpecificationError
from ..evaluation.gauntlet import play_gauntlet
from ..evaluation.report import display
from ..evaluation.report.display import percent
from ..training.ppo.settings import PPOSettings, ppo_settings
from ..training.settings import read_count, settings_table
from .app import INTERRUPTED, command, missing_packages_are_refused, same_command, train_app
from .common import GameArgument, SeedOption, argument, flag, option
from .output import note, say

PACKAGES = ("plyground", "torch", "stable-baselines3", "sb3-contrib", "numpy", "numba")


@command("GAME", parent=train_app)
def ppo(
    game: GameArgument,
    /,
    *,
    out: Annotated[
        Path | None, option("FOLDER", "The run's folder; a run in it is resumed.")
    ] = None,
    opponent: Annotated[
        str | None,
        option(
            "AGENT",
            'Opponents: an agent, "mix:0.3 random,0.7 self", "curriculum:random;greedy" '
            "(default: by game).",
        ),
    ] = None,
    steps: Annotated[
        str | None,
        option("N", "Actions of the learner in all, such as 300k or 2M (default: by game)."),
    ] = None,
    seed: SeedOption = 1,
    settings: Annotated[
        list[str] | None,
        Parameter(
            name="--set",
            metavar="NAME=VALUE",
            help="Any other setting, such as learning_rate=0.0005; may be repeated.",
        ),
    ] = None,
    evaluate: Annotated[
        str | None,
        option("AGENT;AGENT", "Opponents to measure it against (default: by game), or none."),
    ] = None,
    threads: Annotated[int, option("N", "Threads for the network.", low=1)] = 1,
    list_settings: Annotated[
        bool, flag("List the settings with their values for this game, and do nothing.")
    ] = False,
) -> None:
    """Train with MaskablePPO.

    The same command resumes a run that was interrupted, however that happened.

    [bold]Examples[/bold]

    plyground train ppo connect_four --out runs/c4

    plyground train ppo tic_tac_toe --opponent "mix:0.5 random,0.5 alphabeta:depth=9" --steps 300k
    --out runs/ttt --set learning_rate=0.0005

    plyground train ppo gomoku --list-settings
    """
    chosen = make_game(game)
    given = {
        "opponent": opponent,
        "evaluate": evaluate,
        "steps": None if steps is None else _read_steps(steps),
    }
    made = ppo_settings(chosen.name, given, settings or ())
    if list_settings:
        Console(highlight=False).print(display.parameter_table(settings_table(type(made), made)))
        return
    if out is None:
        raise SpecificationError("name the folder of the run: --out FOLDER")
    with missing_packages_are_refused():
        from ..training.ppo.learner import use_threads
        from ..training.ppo.trainer import train
    use_threads(threads)
    measure = _measure(chosen, made, seed)
    facts = {
        "command": same_command(),
        "versions": _versions(),
        "threads": threads,
        "machine": platform.processor() or platform.machine(),
    }
    bar = _ProgressBar(Console(stderr=True), made)
    try:
        with bar:
            run = train(
                chosen, made, seed, out, facts, evaluate=measure, on_progress=bar.show,
                on_note=bar.note,
            )  # fmt: skip
    except KeyboardInterrupt:
        note(f"stopped; the checkpoints are in {out}. To go on:\n  {same_command()}")
        raise SystemExit(INTERRUPTED) from None
    if run.finished_now:
        note(f"finished: {made.steps:,} steps; the best policy is {out / 'best.onnx'}")
    for row in run.best_rows:
        say(
            f"{row['opponent']}: {percent(row['score'])} % ({percent(row['low'])} to "
            f"{percent(row['high'])}, {row['games']} games)"
        )


@command("RUN...")
def curves(
    *runs: Annotated[Path, argument("RUN", "Folders of training runs.")],
    out: Annotated[Path, option("FILE", "The picture.")] = Path("learning.png"),
) -> None:
    """Draw what runs reached against each opponent while they trained.

    [bold]Example[/bold]

    plyground curves runs/c4 --out learning_connect_four.png
    """
    from ..training.curves import draw_curves

    if not runs:
        raise SpecificationError("name the folders of the runs to draw, such as runs/c4")
    with missing_packages_are_refused():
        draw_curves(runs, out)
    note(f"{out}")


def _read_steps(text: str) -> int:
    try:
        return read_count(text)
    except ValueError:
        raise SpecificationError(
            f"--steps {text} is not possible; it is a whole number such as 500000, 500k or 2M"
        ) from None


def _measure(
    game: Game, settings: PPOSettings, seed: int
) -> Callable[[Any], list[dict[str, Any]]] | None:
    """What measures the learner; opponents that do not exist are refused here, not after the first
    hour.
    """
    opponents = settings.opponents_to_measure
    if not opponents:
        return None
    from ..agents.opponents import make_opponents

    for name in opponents:
        make_opponents(name, game)
    pairs, plies = settings.evaluation_pairs, settings.evaluation_plies
    return lambda player: [
        result._asdict() for result in play_gauntlet(game, player, opponents, pairs, plies, seed)
    ]


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


class _ProgressBar:
    """One line on the terminal, and notes above it; where there is no terminal, notes and
    evaluations only.
    """

    def __init__(self, console: Console, settings: PPOSettings) -> None:
        self._console = console
        self._bar = Progress(
            BarColumn(bar_width=24), TextColumn(
                "{task.percentage:3.0f} %"
            ), TextColumn("{task.fields[text]}"), TextColumn("left"),
            TimeRemainingColumn(), TextColumn(
                "spent"
            ), TimeElapsedColumn(), console=console, transient=True, disable=not console.is_terminal,
            refresh_per_second=2,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=settings.steps, text="")
        self._scores: dict[str, float] = {}

    def __enter__(self) -> None:
        self._bar.start()

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def show(self, progress: Any) -> None:
        """Draw where the run stands; tell of an evaluation when there was one."""
        mean = "" if progress.mean_return is None else f"  return {progress.mean_return:+.2f}"
        text = f"{progress.step:,} steps  {progress.rate:,.0f}/s{mean}  {progress.stage}"
        self._bar.update(self._task, completed=progress.step, text=text)
        if progress.scores != self._scores:
            self._scores = progress.scores
            self.note(
                f"step {progress.step:,}: "
                + ", ".join(
                    f"{percent(score)} % against {name}" for name, score in progress.scores.items()
                )
            )

    def note(self, text: str) -> None:
        """Say something above the bar."""
        self._console.print(Text(text), soft_wrap=True)
