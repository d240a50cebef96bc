"""The command ``train supervised``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from ...envs import make_game
from ...envs.specification import SpecificationError
from ...training.settings import make_settings
from ...training.supervised.settings import SupervisedSettings, supervised_defaults
from ..app import command, missing_packages_are_refused
from ..common import GameArgument, option
from .runs import DEFAULT_RUN, RunOptions, finish, gauntlet, run_facts


@command("GAME")
def supervised(
    game: GameArgument,
    /,
    *,
    data: Annotated[Path | None, option("FILE", "The dataset, made by plyground dataset.")] = None,
    options: RunOptions = DEFAULT_RUN,
) -> None:
    """Learn from a dataset of perfect play: the yardstick of what a network can know.

    The network is the one that AlphaZero trains for the same game. It is taught by the exact
    solver, not by playing, and its policy file says so. The same command resumes a run.

    [bold]Examples[/bold]

    plyground dataset connect_four --positions 100000 --plies 14-41 --out c4.parquet

    plyground train supervised connect_four --data c4.parquet --out runs/taught
    """
    chosen = make_game(game)
    given = {"data": None if data is None else str(data), "evaluate": options.evaluate}
    made = make_settings(SupervisedSettings, supervised_defaults(chosen), given, options.settings)
    if not options.list_settings and (data is None or options.out is None):
        raise SpecificationError(
            "name the dataset and the folder of the run: --data FILE --out FOLDER"
        )
    out, seed = options.folder(made), options.seed
    if out is None:
        return
    with missing_packages_are_refused():
        import torch

        from ...training.supervised.trainer import train
    torch.set_num_threads(options.threads)
    measure, facts = gauntlet(chosen, made, seed), run_facts(threads=options.threads)
    device = torch.device("cpu")
    finish(partial(train, chosen, made, seed, out, facts, device), measure, _describe, out)


def _describe(progress: Any) -> str:
    """Where a run stands, in a few words."""
    values = progress.values
    return (
        f"{progress.step:,} positions  {values['time/positions_per_second']:,.0f}/s  "
        f"optimal {100 * values['held_out/optimal']:.1f} % of those held out"
    )
