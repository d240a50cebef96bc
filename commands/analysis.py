"""Commands that look into positions: ``analyse`` and ``solve``."""

from __future__ import annotations

import contextlib
import time as clock
from pathlib import Path
from typing import Annotated, Any

from ..agents import Agent, Decision
from ..agents.human import HumanAgent
from ..agents.registry import resolve_agent
from ..agents.solvers.parallel import ALL, THREADS
from ..agents.solvers.solution import Solution, describe
from ..agents.solvers.solver import DEFAULT_MEMORY_MB, SolveInterrupted, Solver, make_solver
from ..envs import Game, Position
from ..envs.outcome import PLAYERS
from ..envs.specification import SpecificationError
from ..evaluation.report import analysis as report
from ..evaluation.report import display
from ..evaluation.runners.isolation import make_safe_agent
from .app import FAILURE, Interruption, command, ctrl_c_says
from .common import (
    GameArgument,
    JsonOption,
    SeedOption,
    flag,
    option,
    read_request,
)
from .output import Terminal, note, print_json, say

# Options that make an agent evaluate every action, not only the one it chooses.
VALUES_OF_ALL: dict[str, dict[str, Any]] = {
    "alphabeta": {"values": True},
    "solver": {"moves": "all"},
}
# Defaults of agents that analyse, unless their specification says otherwise.
UNSET: dict[str, dict[str, Any]] = {"solver": {"threads": ALL}}
COST = ("nodes", "seconds")  # summed over the answers of a proof
DEFAULT_AGENT = "alphabeta:time=1"

MovesOption = Annotated[
    str, option("MOVES", "Moves that lead to the position, by name, separated by commas: d,d,c.")
]
PositionOption = Annotated[
    str,
    option(
        "TEXT",
        "Position to start from: the rows of the board from the top, separated by /, numbers for "
        "empty cells, then : and the player to move, as in 3/1X1/2O:X.",
    ),
]
ExampleOption = Annotated[
    str,
    option("NAME", "An example board from a course, instead of GAME and --position: c15-block."),
]
ThreadsOption = Annotated[
    int | None,
    option(
        "N",
        "Parallel searches that share the table (default: the number of processors).",
        low=1,
        high=THREADS.high,
    ),
]
ProofOption = Annotated[
    Path | None,
    option(
        "FOLDER",
        "Keep the results of the positions two plies later, and the transposition table, in this "
        "folder (dots and boxes). The same command resumes from them.",
    ),
]


@command("GAME")
def analyse(
    game: GameArgument = "",
    /,
    *,
    moves: MovesOption = "",
    position: PositionOption = "",
    example: ExampleOption = "",
    agent: Annotated[str, option("AGENT", "The agent that analyses.")] = DEFAULT_AGENT,
    all_actions: Annotated[
        bool,
        flag("Evaluate every legal move if the agent can (slower), and list them all.", "--all"),
    ] = False,
    static: Annotated[
        bool, flag("Show each heuristic's score, raw and scaled to [-1, 1], without a search.")
    ] = False,
    verbose: Annotated[
        bool, flag("Print progress after every depth, or after 64, 128, 256, … simulations.")
    ] = False,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Show an agent's analysis of a position: values, principal variation, cost.

    All values are from the side of the player to move.

    [bold]Examples[/bold]

    plyground analyse connect_four --moves d,d,c --all

    plyground analyse dots_and_boxes --agent mcts:simulations=5000 --verbose

    plyground analyse connect_four --moves d,d,c --static

    plyground analyse --example c15-block
    """
    root, request = read_request(game, position, moves, example)
    board = root.game
    if static:
        _show_static(root, request, as_json)
        return
    analyst = make_analyst(agent, board, seed)
    unset = UNSET.get(analyst.name, {}).items()
    settings = {key: value for key, value in unset if key not in resolve_agent(agent)[1]}
    settings |= VALUES_OF_ALL.get(analyst.name, {}) if all_actions else {}
    if settings:
        analyst = type(analyst)(board, seed, **(analyst.options | settings))
    if not as_json:
        say(f"{root}\n\n{root.mover_name} to move\n")
    progress = _report_progress(analyst, root, verbose, quiet=as_json)
    decision = analyst.analyse(root)
    if as_json:
        value = request | {"agent": analyst.spec} | report.to_json(root, decision)
        print_json(value | ({"progress": progress} if verbose else {}))
        return
    if progress:
        say()
    console = Terminal()
    report.print_decision(root, decision, analyst.name, console, every_action=all_actions)


def make_analyst(spec: str, game: Game, seed: int) -> Agent:
    """The agent that analyses; SpecificationError for a person at the terminal."""
    if issubclass(resolve_agent(spec)[0], HumanAgent):
        raise SpecificationError(
            "the agent human cannot analyse; to play yourself: plyground play GAME"
        )
    return make_safe_agent(spec, game, seed)


def _show_static(position: Position, request: dict[str, str], as_json: bool) -> None:
    """Every heuristic's score of the position, from each player's point of view."""
    if not as_json:
        say(f"{position}\n\n{position.mover_name} to move\n")
        say(report.static_text(position))
        return
    points, scale = report.static_evaluations(position), position.game.profile.scale
    heuristics = {name: dict(zip(PLAYERS, pair)) for name, pair in points.items()}
    print_json(
        request
        | {"to_move": PLAYERS[position.to_move], "heuristics": heuristics}
        | {"scaled": {n: dict(zip(PLAYERS, map(scale, pair))) for n, pair in points.items()}}
    )


def _report_progress(
    analyst: Agent, position: Position, verbose: bool, quiet: bool
) -> list[dict[str, Any]]:
    """Let an agent report its progress while it thinks; the returned list fills meanwhile."""
    reports: list[dict[str, Any]] = []
    analyst.get_ready(position.game)
    began = clock.perf_counter()

    def tell(decision: Decision) -> None:
        seconds = clock.perf_counter() - began
        reports.append(
            report.to_json(position, decision) | {"seconds": seconds, "per_second": None}
        )
        if not quiet:
            say(report.progress_line(position, decision, seconds))

    if verbose:
        analyst.on_progress = tell
    return reports


@command("GAME")
def solve(
    game: GameArgument = "",
    /,
    *,
    moves: MovesOption = "",
    position: PositionOption = "",
    example: ExampleOption = "",
    all_moves: Annotated[bool, flag("Find the value of every legal action.")] = False,
    weak: Annotated[bool, flag("Prove only win, draw or loss (faster).")] = False,
    memory: Annotated[
        int, option("MIB", "Size of the transposition table in MiB.", low=1, high=1 << 20)
    ] = DEFAULT_MEMORY_MB,
    threads: ThreadsOption = None,
    time: Annotated[
        float,
        option("SECONDS", "Time limit, then the bounds proved so far are shown; 0: none.", low=0),
    ] = 60.0,
    proof: ProofOption = None,
    check: Annotated[
        int, option("N", "Solve N results of --proof again with another move order.", low=0)
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Find the result of a position with best play by both sides.

    All values are from the side of the player to move. Ctrl-C shows the bounds proved so far.

    [bold]Examples[/bold]

    plyground solve connect_four:rows=5,cols=5 --all-moves

    plyground solve dots_and_boxes:dots=4x4

    plyground solve connect_four --position 7/7/3X3/2OO3/2XO3/OXXXO2:X
    """
    root, request = read_request(game, position, moves, example)
    board = root.game
    solver = make_solver(board, memory, threads or ALL)
    if check:
        _check_proof(solver, proof, check)
        return
    if not as_json:
        say(f"{root}\n\n{root.mover_name} to move\n")
    solution, is_interrupted = _solution(
        solver, root, proof, moves="all" if all_moves else "best", weak=weak, time=time or None
    )
    if as_json:
        print_json({**request, "to_move": PLAYERS[root.to_move]} | describe(root, solution))
    else:
        report.print_solution(root, solution, Terminal())
    is_part = solution.is_value_proved
    if not solution.exact and not is_interrupted:
        what = "not fully proved" if is_part else "not proved"
        note(f"{what} within {time:g} s; --time 0 sets no limit")
    if is_interrupted:
        what = "all" if is_part else "the value"
        raise Interruption(f"stopped by Ctrl-C before {what} was proved")


def _solution(
    solver: Solver, root: Position, proof: Path | None, **request: Any
) -> tuple[Solution, bool]:
    """The solution, using a proof folder if one is given, and whether Ctrl-C stopped it."""
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(solver.proving(proof)) if proof else None
        try:
            with display.status_line(Terminal(stderr=True)) as tell:
                solution = solver.solve(
                    root, progress=lambda p: tell(report.solving_line(*p)), **request
                )
                is_interrupted = False
        except SolveInterrupted as error:
            solution, is_interrupted = error.solution, True
        if store:
            nodes, seconds = (sum(getattr(a, name) for a in store.answers) for name in COST)
            note(
                f"{proof} holds {len(store.answers)} answers: {nodes:,} positions, {seconds:,.0f} s"
            )
    return solution, is_interrupted


def _check_proof(solver: Solver, folder: Path | None, count: int) -> None:
    if folder is None:
        raise SpecificationError("--check needs --proof FOLDER, whose results it solves again")
    steps = display.show_steps("answers", Terminal(stderr=True))
    with ctrl_c_says("stopped before all results were solved again"), steps as progress:
        total, wrong = solver.check_proof(folder, count, progress)
    if wrong:
        note(f"{folder} has wrong results for the positions after: {'; '.join(wrong)}")
        raise SystemExit(FAILURE)
    say(f"{total} results in {folder} were solved again with another move order: all the same")
