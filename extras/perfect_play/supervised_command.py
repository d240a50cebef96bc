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
    """Train on a dataset of perfect play: an upper bound for what a network can learn.

    The network is the same as AlphaZero's for this game. It learns from the exact solver, not from
    playing, and its policy file says so. The same command resumes a run.

    [bold]Examples[/bold]

    plyground dataset connect_four --positions 100000 --plies 14-41 --out c4.parquet

    plyground train supervised connect_four --data c4.parquet --out runs/taught
    """
    board = make_game(game)
    settings = SupervisedSettings.for_game(board, given, options.settings)
    if not options.list_settings and (not settings.data or options.out is None):
        raise SpecificationError(
            "give the dataset and the folder of the run: --data FILE --out FOLDER"
        )
    train_or_list(board, settings, options, _describe)


def _describe(progress: Any) -> str:
    """A short text about the progress of a run."""
    values = progress.values
    return (
        f"{progress.step:,} positions  {values['time/positions_per_second']:,.0f}/s  "
        f"{100 * values['held_out/optimal']:.1f} % optimal in held-out positions"
    )
