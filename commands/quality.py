"""The command ``quality``: agents' moves against perfect play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.console import Console

from ..agents.solvers.solver import DEFAULT_MEMORY_MB
from ..envs import Game, make_game
from ..envs.specification import SpecificationError
from ..evaluation.quality import (
    REACH,
    TIME_LIMIT,
    Evidence,
    MoveJudge,
    ask_agents,
    first_ply_within_reach,
    sample_positions,
    stored_moves,
)
from ..evaluation.report.display import show_steps
from ..evaluation.report.quality_table import print_qualities, to_json
from ..evaluation.runners.contest import Contest
from ..evaluation.store.store import Store, StoreError
from ..evaluation.tournament import distinct_labels
from .app import INTERRUPTED, command
from .common import GameArgument, JsonOption, SeedOption, argument, option
from .output import note, print_json

DEFAULT_POSITIONS = 300


@command("GAME [AGENT...]")
def quality(
    game: GameArgument,
    /,
    *agents: Annotated[str, argument("AGENT", "Whose moves are judged.")],
    games: Annotated[
        Path | None,
        option("STORE", "Judge what agents have played in this store (default agents: all)."),
    ] = None,
    positions: Annotated[
        int | None,
        option(
            "N",
            f"How many positions (default {DEFAULT_POSITIONS}); with --games, of how many moves "
            f"(default: all).",
            low=1,
        ),
    ] = None,
    from_ply: Annotated[
        int | None,
        option(
            "PLY",
            f"Judge nothing earlier (default: where at most {REACH} plies are left).",
            low=0,
        ),
    ] = None,
    time_limit: Annotated[
        float, option("SECONDS", "For solving a position; others are left out.", low=0.001)
    ] = TIME_LIMIT,
    memory: Annotated[
        int, option("MB", "What the solver's table may take, in MiB.", low=1)
    ] = DEFAULT_MEMORY_MB,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Judge agents' moves by the exact solver: optimal moves, value lost, blunders, seconds.

    The opening, the middle and the end are judged apart. Positions in which all moves are worth the
    same are left out. Agents decide in the same random positions, or are judged by the games of a
    store.

    [bold]Examples[/bold]

    plyground quality connect_four random greedy alphabeta:depth=6 mcts:time=0.05

    plyground quality dots_and_boxes:rows=3,cols=3 greedy mcts:simulations=1000 --positions 500
    --json

    plyground quality connect_four --games plyground-tournament.db
    """
    chosen = make_game(game)
    judge = MoveJudge(chosen, memory, time_limit)
    first = first_ply_within_reach(chosen) if from_ply is None else from_ply
    try:
        if games is not None:
            evidence = _of_store(judge, games, list(agents), positions, seed, first)
        elif agents:
            evidence = _of_positions(
                judge, list(agents), positions or DEFAULT_POSITIONS, seed, first
            )
        else:
            raise SpecificationError(
                "name the agents to judge, or the store whose games are judged: --games STORE"
            )
    except KeyboardInterrupt:
        note("stopped; nothing was judged to the end")
        raise SystemExit(INTERRUPTED) from None
    if as_json:
        print_json(
            {
                "game": chosen.spec,
                "from_ply": first,
                "seed": seed,
                "meaning": judge.solver.meaning,
                **to_json(evidence),
            }
        )
        return
    console = Console(highlight=False)
    console.print(
        _heading(chosen, evidence, first, None if games is None else games.name) + "\n",
        markup=False,
        soft_wrap=True,
    )
    print_qualities(evidence, judge.solver.meaning, console)


def _of_positions(
    judge: MoveJudge, specs: list[str], count: int, seed: int, first: int
) -> Evidence:
    contest = Contest(judge.game, tuple(specs), tuple(distinct_labels(tuple(specs))))
    if any(map(contest.is_human, range(len(specs)))):
        raise SpecificationError("a person at the terminal is not judged; use: plyground play GAME")
    notes = Console(stderr=True)
    with contest.seated() as players:
        with show_steps("solving positions", notes) as progress:
            sample = sample_positions(judge, count, seed, first, progress)
        with show_steps("agents' moves", notes) as progress:
            return ask_agents(judge, sample, players, contest.labels, seed, progress)


def _of_store(
    judge: MoveJudge, path: Path, labels: list[str], count: int | None, seed: int, first: int
) -> Evidence:
    with Store(path) as store, show_steps("judging moves", Console(stderr=True)) as progress:
        evidence = stored_moves(judge, store, labels, count, seed, first, progress)
    if not evidence.moves:
        raise StoreError(
            f"{path} holds no moves to judge: "
            f"{', '.join(f'{n} {why}' for why, n in evidence.left_out.items()) or 'no games'}"
        )
    return evidence


def _heading(game: Game, evidence: Evidence, first: int, store: str | None) -> str:
    """What was judged, in one line."""
    count = len({move.cluster for move in evidence.moves})
    source = (
        f"{count:,} random positions"
        if store is None
        else f"{len(evidence.moves):,} moves of {count:,} games in {store}"
    )
    return f"{game.spec}: {source}{f', from ply {first} on' if first else ''}, against perfect play"
