"""The command ``train supervised``."""

from __future__ import annotations

from typing import Any

from ...commands.app import command
from ...commands.common import GameArgument, OwnOptions
from ...commands.learning.runs import DEFAULT_RUN, RunOptions, train_or_list
from ...envs import make_game
from ...envs.specification import SpecificationError
from .supervised.settings import SupervisedSettings

OPTIONS = OwnOptions(SupervisedSettings, ("data", "evaluate", "keep"))


@command("GAME")
def supervised(
    game: GameArgument,
    /,
    *,
    given: Any = OPTIONS,
    options: RunOptions = DEFAULT_RUN,
) -> None:
    """Learn from a dataset of perfect play: the yardstick of what a network can know.

    The network is the one that AlphaZero trains for the same game. It is taught by the exact
    solver, not by playing, and its policy file says so. The same command resumes a run.

    [bold]Examples[/bold]

    plyground dataset connect_four --positions 100000 --plies 14-41 --out c4.parquet

    plyground train supervised connect_four --data c4.parquet --out runs/taught
    """
    board = make_game(game)
    settings = SupervisedSettings.for_game(board, given, options.settings)
    if not options.list_settings and (not settings.data or options.out is None):
        raise SpecificationError(
            "name the dataset and the folder of the run: --data FILE --out FOLDER"
        )
    train_or_list(board, settings, options, _describe)


def _describe(progress: Any) -> str:
    """Where a run stands, in a few words."""
    values = progress.values
    return (
        f"{progress.step:,} positions  {values['time/positions_per_second']:,.0f}/s  "
        f"optimal {100 * values['held_out/optimal']:.1f} % of those held out"
    )
