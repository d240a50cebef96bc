"""The command ``train alphazero``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

from ..envs import Game, make_game
from ..envs.specification import SpecificationError
from ..evaluation.optimality import OptimalityTest
from ..evaluation.report import display
from ..training.alphazero.settings import AlphaZeroSettings, alphazero_settings
from ..training.settings import settings_table
from .app import command, missing_packages_are_refused, train_app
from .common import GameArgument, SeedOption, flag, option
from .training_runs import Measure, ProgressBar, all_of, finish, gauntlet, run_facts

DEVICES = ("auto", "cpu", "cuda")
SOLVING_SECONDS = 10.0  # for each position of the test against perfect play


@command("GAME", parent=train_app)
def alphazero(
    game: GameArgument,
    /,
    *,
    out: Annotated[
        Path | None, option("FOLDER", "The run's folder; a run in it is resumed.")
    ] = None,
    hours: Annotated[
        float | None, option("H", "Hours that it takes in all (default: by game).", low=0)
    ] = None,
    workers: Annotated[
        int | None, option("N", "Processes of self-play (default: one for each core).", low=1)
    ] = None,
    device: Annotated[str, option("DEVICE", f"For networks: {', '.join(DEVICES)}.")] = "auto",
    seed: SeedOption = 1,
    settings: Annotated[
        list[str] | None,
        Parameter(
            name="--set",
            metavar="NAME=VALUE",
            help="Any other setting, such as blocks=4; may be repeated.",
        ),
    ] = None,
    evaluate: Annotated[
        str | None,
        option("AGENT;AGENT", "Opponents to measure it against (default: by game), or none."),
    ] = None,
    threads: Annotated[int, option("N", "Threads for the learner's network.", low=1)] = 1,
    list_settings: Annotated[
        bool, flag("List the settings with their values for this game, and do nothing.")
    ] = False,
) -> None:
    """Train by self-play with tree search (AlphaZero).

    The same command resumes a run that was interrupted, however that happened.

    [bold]Examples[/bold]

    plyground train alphazero connect_four --out runs/az_c4 --hours 3 --workers 2

    plyground train alphazero tic_tac_toe --out runs/az_ttt --hours 0.1

    plyground train alphazero gomoku:size=9 --list-settings
    """
    chosen = make_game(game)
    cores = os.cpu_count() or 1
    given = {"hours": hours, "evaluate": evaluate, "workers": workers or cores}
    made = alphazero_settings(chosen, given, settings or ())
    if list_settings:
        Console(highlight=False).print(display.parameter_table(settings_table(type(made), made)))
        return
    if out is None:
        raise SpecificationError("name the folder of the run: --out FOLDER")
    with missing_packages_are_refused():
        import torch

        from ..training.alphazero.network import choose_device
        from ..training.alphazero.trainer import train
    if device not in DEVICES:
        raise SpecificationError(f"--device {device} is not possible; it is {', '.join(DEVICES)}")
    used = choose_device(device)
    torch.set_num_threads(threads)
    measures = [gauntlet(chosen, made, seed), _optimality(chosen, made, seed)]
    facts = run_facts(threads=threads, device=str(used))
    bar = ProgressBar(_describe)
    finish(
        lambda bar: train(
            chosen,
            made,
            seed,
            out,
            facts,
            used,
            evaluate=all_of(measures),
            on_progress=bar.show,
            on_note=bar.note,
        ),
        bar,
        out,
    )


def _optimality(game: Game, settings: AlphaZeroSettings, seed: int) -> Measure | None:
    """What holds a learner's moves against perfect play; the positions are solved when needed."""
    if settings.judged == 0:
        return None
    tests: list[OptimalityTest] = []

    def measure(player: Any) -> list[dict[str, Any]]:
        if not tests:
            tests.append(OptimalityTest(game, settings.judged, seed, SOLVING_SECONDS))
        return [tests[0].score(player)._asdict()]

    return measure


def _describe(progress: Any) -> str:
    """Where a run stands, in a few words."""
    values = progress.values
    loss = values.get("loss/policy", 0.0) + values.get("loss/value", 0.0)
    return (
        f"{values['self_play/games_per_second']:,.0f} games/s  "
        f"{values['self_play/simulations_per_second']:,.0f} simulations/s  "
        f"{values['total/samples']:,.0f} samples  loss {loss:.3f}  "
        f"{values.get('time/cores', 1.0):.1f} cores"
    )
