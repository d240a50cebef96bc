"""The commands ``train ppo`` and ``train dqn``, and ``curves``, which draws learning curves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

from ...envs import make_game
from ...envs.specification import SpecificationError
from ...training.curves import STATISTICS, draw_curves
from ...training.dqn.settings import DQNSettings
from ...training.ppo.settings import PPOSettings
from ...training.settings import OpposedSettings
from ..app import command, missing_packages_are_refused
from ..common import GameArgument, OwnOptions, argument, option
from ..output import note
from .runs import DEFAULT_RUN, RunOptions, train_or_list

OPPOSED = ("opponent", "steps", "hours", "initial", "evaluate", "keep")
OF_PPO, OF_DQN = OwnOptions(PPOSettings, OPPOSED), OwnOptions(DQNSettings, OPPOSED)


@command("GAME")
def ppo(
    game: GameArgument,
    /,
    *,
    given: Any = OF_PPO,
    options: RunOptions = DEFAULT_RUN,
) -> None:
    """Train against opponents by proximal policy optimisation (MaskablePPO).

    The same command resumes a run that was stopped or killed. With more --steps it goes on where
    it ended.

    [bold]Examples[/bold]

    plyground train ppo connect_four --out runs/c4

    plyground train ppo connect_four --out runs/short --hours 0.05

    plyground train ppo connect_four --out runs/more --init runs/c4 --opponent alphabeta:depth=4

    plyground train ppo tic_tac_toe --opponent "mix:0.5 random,0.5 alphabeta:depth=9" --steps 300k
    --out runs/ttt --set learning_rate=0.0005

    plyground train ppo gomoku --list-settings
    """
    _train(PPOSettings, game, given, options)


@command("GAME")
def dqn(
    game: GameArgument,
    /,
    *,
    given: Any = OF_DQN,
    options: RunOptions = DEFAULT_RUN,
) -> None:
    """Train against opponents by deep Q-learning (DQN with action masks).

    The same command resumes a run that was stopped or killed. With more --steps it goes on where
    it ended.

    [bold]Examples[/bold]

    plyground train dqn tic_tac_toe --out runs/q_ttt

    plyground train dqn connect_four --list-settings
    """
    _train(DQNSettings, game, given, options)


def _train(
    kind: type[OpposedSettings], game: str, given: dict[str, Any], options: RunOptions
) -> None:
    """Run the algorithm, or list its settings."""
    board = make_game(game)
    settings = kind.for_game(board, given, options.settings, options.begun(kind))
    train_or_list(board, settings, options, _describe)


@command("RUN...")
def curves(
    *runs: Annotated[Path, argument("RUN", "Folders of training runs.")],
    out: Annotated[
        Path, option("FILE", "The image file to write, such as a .png or a .pdf.")
    ] = Path("learning.png"),
    group_by: Annotated[
        str, option("seed", "Draw runs that differ only in their seed as one curve with a band.")
    ] = "",
    statistic: Annotated[
        str,
        option(
            "|".join(STATISTICS), "Statistic of such a curve: the interquartile mean or the mean."
        ),
    ] = next(iter(STATISTICS)),
    size: Annotated[
        str, option("WIDTHxHEIGHT", "Size of the image in inches, such as 3.4x2.6.")
    ] = "",
) -> None:
    """Draw learning curves: the scores of runs against each opponent while they trained.

    Bands are 95 % intervals: of each evaluation, or over seeds by a stratified bootstrap.

    [bold]Examples[/bold]

    plyground curves runs/c4 --out learning_connect_four.png

    plyground curves runs/c4/seed_* --group-by seed --size 3.4x2.6 --out figure.pdf
    """
    if not runs:
        raise SpecificationError("give the folders of the runs to draw, such as runs/c4")
    with missing_packages_are_refused():
        draw_curves(runs, out, group_by, statistic, _inches(size))
    note(f"{out}")


def _inches(size: str) -> tuple[float, float] | None:
    """The size given on the command line; None if none was given."""
    if not size:
        return None
    numbers = re.fullmatch(r"(\d+\.?\d*)x(\d+\.?\d*)", size)
    if numbers is None or not all(1 <= float(number) <= 100 for number in numbers.groups()):
        raise SpecificationError(
            f"--size {size} is not possible; write WIDTHxHEIGHT, such as 3.4x2.6, with 1 to 100 "
            f"inches each"
        )
    return float(numbers[1]), float(numbers[2])


def _describe(progress: Any) -> str:
    """The progress of a run in a few words."""
    mean = "" if progress.mean_return is None else f"  return {progress.mean_return:+.2f}"
    return f"{progress.step:,} steps  {progress.rate:,.0f}/s{mean}  {progress.stage}"
