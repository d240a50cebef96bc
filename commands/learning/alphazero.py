"""The command ``train alphazero``."""

from __future__ import annotations

from typing import Any

from ...envs import make_game
from ...envs.specification import SpecificationError
from ...envs.workers.jobs import HERE, JobPlace
from ...envs.workers.processors import available_processors
from ...training.alphazero.settings import AlphaZeroSettings
from ..app import command
from ..common import GameArgument, OwnOptions
from .runs import DEFAULT_RUN, RunOptions, train_or_list

LEARNER_LIMIT = (
    0.02  # a learner that waits for chunks for a smaller share of an update is the bottleneck
)


OPTIONS = OwnOptions(AlphaZeroSettings, ("hours", "workers", "evaluate", "keep"))


@command("GAME")
def alphazero(
    game: GameArgument,
    /,
    *,
    given: Any = OPTIONS,
    place: JobPlace = HERE,
    options: RunOptions = DEFAULT_RUN,
) -> None:
    """Train by self-play with tree search (AlphaZero).

    The same command resumes a run that was stopped or killed.

    [bold]Examples[/bold]

    plyground train alphazero connect_four --out runs/az_c4 --hours 3 --workers 2

    plyground train alphazero tic_tac_toe --out runs/az_ttt --hours 0.1

    plyground train alphazero connect_four --out runs/az_c4 --workers 16 --address 192.0.2.10:6379

    plyground train alphazero gomoku:size=9 --list-settings
    """
    board = make_game(game)
    if given.get("workers") is None and place.is_elsewhere:
        raise SpecificationError(
            f"--runner {place.runner_of()} needs --workers: the number of processors that the "
            f"cluster is to have"
        )
    gpu = options.on_gpu(AlphaZeroSettings)
    if not gpu:
        given.setdefault("workers", available_processors())
    begun = options.begun(AlphaZeroSettings)
    settings = AlphaZeroSettings.for_game(board, given, options.settings, begun, gpu)
    train_or_list(board, settings, options, _describe, place=place)


def _describe(progress: Any) -> str:
    """The progress of a run in a few words."""
    values = progress.values
    loss = values.get("loss/policy", 0.0) + values.get("loss/value", 0.0)
    return (
        f"{values['self_play/games_per_second']:,.0f} games/s  "
        f"{values['self_play/simulations_per_second']:,.0f} simulations/s  "
        f"{values['total/samples']:,.0f} samples  loss {loss:.3f}  "
        f"{values.get('time/cores', 1.0):.1f} cores{_learner_text(values)}"
    )


def _learner_text(values: dict[str, float]) -> str:
    """Whether the workers wait for the learner; more workers would not help then."""
    waiting = values["time/waiting"] / values["time/update"]
    return "  the learner is the bottleneck" if waiting < LEARNER_LIMIT else ""
