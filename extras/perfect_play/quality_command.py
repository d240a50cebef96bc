"""The command ``quality``: agents' moves against perfect play."""

from __future__ import annotations

import functools
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...agents.agent import Agent
from ...agents.solvers.solver import DEFAULT_MEMORY_MB
from ...commands.app import command, ctrl_c_says
from ...commands.common import GameArgument, JsonOption, SeedOption, argument, option
from ...commands.output import Terminal, print_json
from ...envs import make_game
from ...envs.compiled.sources import PLAYING_FOLDERS
from ...envs.loading.texts import counted
from ...envs.specification import SpecificationError
from ...envs.workers.jobs import HERE, LOCAL, JobPlace, Needs, Work
from ...evaluation.move_quality.judge import (
    TIME_LIMIT,
    Evidence,
    MoveJudge,
    first_ply_within_reach,
    stored_moves,
)
from ...evaluation.move_quality.positions import ask_agents, decide, judging, sample_positions
from ...evaluation.report.display import show_steps
from ...evaluation.runners.contest import Arena, Contest
from ...evaluation.store.store import Store, StoreError
from ...evaluation.tournament import distinct_labels
from .quality_table import print_qualities, to_json

DEFAULT_POSITIONS = 300


@Parameter(name="*")
@dataclass(frozen=True)
class _SampleOptions:
    """The moves to judge."""

    games: Annotated[
        Path | None,
        option("STORE", "Judge the games of this store (default agents: all)."),
    ] = None
    positions: Annotated[
        int | None,
        option(
            "N",
            f"Number of positions (default {DEFAULT_POSITIONS}), or with --games of moves "
            f"(default: all).",
            low=1,
        ),
    ] = None
    from_ply: Annotated[
        int | None,
        option(
            "PLY",
            "The first ply to judge (default: the first that the solver solves within seconds).",
            low=0,
        ),
    ] = None


@Parameter(name="*")
@dataclass(frozen=True)
class _SolverOptions:
    """Limits on the solver."""

    time_limit: Annotated[
        float,
        option(
            "SECONDS",
            "Time limit per position; positions that need more are skipped.",
            low=0.001,
        ),
    ] = TIME_LIMIT
    memory: Annotated[int, option("MIB", "Size of the solver's table in MiB.", low=1)] = (
        DEFAULT_MEMORY_MB
    )


DEFAULT_SAMPLE, DEFAULT_SOLVER = _SampleOptions(), _SolverOptions()


@command("GAME [AGENT...]", purpose="Measure", rank=2)
def quality(
    game: GameArgument,
    /,
    *agents: Annotated[str, argument("AGENT", "An agent to judge.")],
    sample: _SampleOptions = DEFAULT_SAMPLE,
    solver: _SolverOptions = DEFAULT_SOLVER,
    seed: SeedOption = 1,
    place: JobPlace = HERE,
    as_json: JsonOption = False,
) -> None:
    """Judge agents' moves with the exact solver: optimal moves, value lost, blunders, seconds.

    Opening, middle game and endgame are listed separately. Positions in which all moves have the
    same value are skipped. Agents move in the same random positions, or are judged by the games
    of a store.

    [bold]Examples[/bold]

    plyground quality connect_four random greedy alphabeta:depth=6 mcts:time=0.05

    plyground quality dots_and_boxes:rows=3,cols=3 greedy mcts:simulations=1000 --positions 500
    --json

    plyground quality connect_four --games plyground-tournament.db
    """
    board = make_game(game)
    judge = MoveJudge(board, solver.memory, solver.time_limit)
    first = first_ply_within_reach(judge) if sample.from_ply is None else sample.from_ply
    with ctrl_c_says("stopped; no result"):
        evidence = _gather(judge, agents, sample, seed, first, place)
    meaning = judge.solver.meaning
    if as_json:
        settings = {"game": board.spec, "from_ply": first, "seed": seed, "meaning": meaning}
        print_json(settings | to_json(evidence))
        return
    console = Terminal()
    count = len({move.cluster for move in evidence.moves})
    source = counted(count, "random position")
    if sample.games is not None:
        moves = counted(len(evidence.moves), "move")
        source = f"{moves} of {counted(count, 'game')} in {sample.games.name}"
    start = f", from ply {first} on" if first else ""
    heading = f"{board.spec}: {source}{start}, against perfect play\n"
    console.print(heading, markup=False, soft_wrap=True)
    print_qualities(evidence, meaning, console)


def _gather(
    judge: MoveJudge,
    agents: tuple[str, ...],
    sample: _SampleOptions,
    seed: int,
    first: int,
    place: JobPlace,
) -> Evidence:
    """The judged moves of a store's games, or of agents in random positions."""
    console = Terminal(stderr=True)
    if sample.games is not None:
        if place.runner_of() != LOCAL:
            raise SpecificationError("the games of a store can only be judged with --runner local")
        with Store(sample.games) as store, show_steps("judging moves", console) as progress:
            evidence = stored_moves(
                judge, store, list(agents), sample.positions, seed, first, progress
            )
        if not evidence.moves:
            reasons = ", ".join(f"{n} {why}" for why, n in evidence.left_out.items())
            raise StoreError(f"{sample.games} holds no moves to judge: {reasons or 'no games'}")
        return evidence
    if not agents:
        raise SpecificationError("give the agents to judge, or a store of games with --games STORE")
    contest = Contest(judge.game, agents, tuple(distinct_labels(agents)))
    if any(map(contest.is_human, range(len(agents)))):
        raise SpecificationError("a person at the terminal is not judged; use: plyground play GAME")
    count = sample.positions or DEFAULT_POSITIONS
    contest.describe()  # refuse agents that cannot be created before anything is solved
    steps = show_steps("solving positions", console)
    here = place.runner_of() == LOCAL  # then the judge itself solves
    with nullcontext(None) if here else place.open(judging(judge)) as jobs, steps as progress:
        positions = sample_positions(judge, count, seed, first, progress, jobs)
    needs = Needs(contest.modules, PLAYING_FOLDERS)
    deciding = Work(decide, functools.partial(_make_agents, contest), needs)
    steps = show_steps("agents' moves", console)
    with place.open(deciding) as jobs, steps as progress:
        return ask_agents(judge, positions, agents, contest.labels, seed, progress, jobs)


def _make_agents(contest: Contest) -> list[Agent]:
    """The agents in the process where they decide."""
    return Arena(contest).agents
