"""Commands that train: ``train ppo``, and ``curves``, which draws what a run has learnt."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

from ..envs import make_game
from ..envs.specification import SpecificationError
from ..evaluation.report import display
from ..training.ppo.settings import ppo_settings
from ..training.settings import read_count, settings_table
from .app import command, missing_packages_are_refused, train_app
from .common import GameArgument, SeedOption, argument, flag, option
from .output import note
from .training_runs import ProgressBar, finish, gauntlet, run_facts


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
    measure = gauntlet(chosen, made, seed)
    bar = ProgressBar(_describe)
    finish(
        lambda bar: train(
            chosen,
            made,
            seed,
            out,
            run_facts(threads=threads),
            evaluate=measure,
            on_progress=bar.show,
            on_note=bar.note,
        ),
        bar,
        out,
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


def _describe(progress: Any) -> str:
    """Where a run stands, in a few words."""
    mean = "" if progress.mean_return is None else f"  return {progress.mean_return:+.2f}"
    return f"{progress.step:,} steps  {progress.rate:,.0f}/s{mean}  {progress.stage}"


def _read_steps(text: str) -> int:
    try:
        return read_count(text)
    except ValueError:
        raise SpecificationError(
            f"--steps {text} is not possible; it is a whole number such as 500000, 500k or 2M"
        ) from None
