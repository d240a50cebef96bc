"""The command ``train supervised``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

from ..envs import make_game
from ..envs.specification import SpecificationError
from ..evaluation.report import display
from ..training.settings import make_settings, settings_table
from ..training.supervised.settings import SupervisedSettings, supervised_defaults
from .app import command, missing_packages_are_refused, train_app
from .common import GameArgument, SeedOption, flag, option
from .training_runs import ProgressBar, finish, gauntlet, run_facts


@command("GAME", parent=train_app)
def supervised(
    game: GameArgument,
    /,
    *,
    data: Annotated[Path | None, option("FILE", "The dataset, made by plyground dataset.")] = None,
    out: Annotated[
        Path | None, option("FOLDER", "The run's folder; a run in it is resumed.")
    ] = None,
    seed: SeedOption = 1,
    settings: Annotated[
        list[str] | None,
        Parameter(
            name="--set",
            metavar="NAME=VALUE",
            help="Any other setting, such as steps=20M or blocks=4; may be repeated.",
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
    """Learn from a dataset of perfect play: the yardstick of what a network can know.

    The network is the one that AlphaZero trains for the same game. It is taught by the exact
    solver, not by playing, and its policy file says so. The same command resumes a run.

    [bold]Examples[/bold]

    plyground dataset connect_four --positions 100000 --plies 14-41 --out c4.parquet

    plyground train supervised connect_four --data c4.parquet --out runs/taught
    """
    chosen = make_game(game)
    given = {"data": None if data is None else str(data), "evaluate": evaluate}
    made = make_settings(SupervisedSettings, supervised_defaults(chosen), given, settings or ())
    if list_settings:
        Console(highlight=False).print(display.parameter_table(settings_table(type(made), made)))
        return
    if data is None or out is None:
        raise SpecificationError(
            "name the dataset and the folder of the run: --data FILE --out FOLDER"
        )
    with missing_packages_are_refused():
        import torch

        from ..training.supervised.trainer import train
    torch.set_num_threads(threads)
    measure = gauntlet(chosen, made, seed)
    facts = run_facts(threads=threads)
    finish(
        lambda bar: train(
            chosen,
            made,
            seed,
            out,
            facts,
            torch.device("cpu"),
            evaluate=measure,
            on_progress=bar.show,
            on_note=bar.note,
        ),
        ProgressBar(_describe),
        out,
    )


def _describe(progress: Any) -> str:
    """Where a run stands, in a few words."""
    values = progress.values
    return (
        f"{progress.step:,} positions  {values['time/positions_per_second']:,.0f}/s  "
        f"optimal {100 * values['held_out/optimal']:.1f} % of those held out"
    )
