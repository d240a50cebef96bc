"""The command ``warm-up``: compile ahead of time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated

from cyclopts import Parameter

from ..agents import make_agent
from ..agents.lookahead import grades
from ..agents.registry import agent_classes, agent_presets
from ..agents.solvers.endgame import MEMORY_MB
from ..agents.solvers.solver import solver_class_of
from ..envs import Game, make_game
from ..envs.compiled.cache import cache_root, clear_cache
from ..envs.compiled.kernels import without_announcements
from ..envs.registry import game_names
from ..envs.specification import SpecificationError
from ..evaluation.report import display
from .app import command
from .common import flag
from .output import Terminal, note, say
from .preparation import compile_rules


@command("[GAME...]")
def warm_up(
    games: Annotated[
        tuple[str, ...], Parameter(name="GAME", help="Games to compile (default: all).")
    ] = (),
    /,
    *,
    clear: Annotated[bool, flag("Empty the folder of machine code, without compiling.")] = False,
) -> None:
    """Compile the code that games against any agent need, ahead of time.

    The machine code is kept on disk, so that games start at once afterwards. It serves all board
    sizes. Compile again after an update of plyground or numba. The folder is PLYGROUND_CACHE, or
    else in the cache folder of your user.

    [bold]Examples[/bold]

    plyground warm-up

    plyground warm-up connect_four gomoku

    plyground warm-up --clear
    """
    if clear:
        if games:
            raise SpecificationError("--clear cannot be combined with games")
        say(f"{cache_root()}: removed folders of machine code: {clear_cache()}")
        return
    boards = [make_game(game) for game in games or game_names()]
    specs = [list(_specs(game)) for game in boards]
    began = time.perf_counter()
    left_out: dict[str, str] = {}
    with (
        display.show_steps("compiling", Terminal(stderr=True)) as progress,
        without_announcements(),
    ):
        count, total = 0, sum(map(len, specs))
        for game, agents in zip(boards, specs):
            start = time.perf_counter()
            compile_rules(game)
            grades(game.initial_position())  # as reviews do
            for spec in agents:
                progress(count, total)
                count += 1
                try:
                    make_agent(spec, game).get_ready(game)
                except SpecificationError as error:
                    left_out[spec] = str(error)
            seconds = time.perf_counter() - start
            say(f"{game.name}: rules and {len(agents)} agents, {display.duration(seconds)}")
    for spec, reason in left_out.items():
        note(f"{spec} is skipped: {reason}")
    if len(boards) > 1:
        say(f"all: {display.duration(time.perf_counter() - began)}")


def _specs(game: Game) -> Iterator[str]:
    """The specifications of all agents and presets that play a game and need no file."""
    for name, agent_class in {**agent_classes(), **agent_presets()}.items():
        needs_more = getattr(agent_class, "argument", None) is not None
        if needs_more or name == "human":
            continue
        spec = name
        try:
            if name == "solver":
                least = solver_class_of(game).least_memory_mb(game)
                spec = f"solver:memory={max(MEMORY_MB, least)}"
            make_agent(spec, game)
        except SpecificationError:
            continue  # it does not play this game
        yield spec
