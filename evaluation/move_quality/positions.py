"""Random positions in which agents decide and their moves are judged.

The positions may be solved, and the agents run, in other processes or on other machines.
"""

from __future__ import annotations

import functools
import itertools
import random
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...agents.agent import Agent
from ...agents.bots import as_policy
from ...agents.faults import Fault, ask, begin, legal_action
from ...agents.lookahead import situation
from ...envs.compiled.randomness import new_stream
from ...envs.compiled.sources import PLAYING_FOLDERS
from ...envs.game import Game, Position
from ...envs.specification import SpecificationError
from ...envs.workers.jobs import Jobs, Needs, Work
from .judge import (
    PHASES,
    Evidence,
    JudgedMove,
    MoveJudge,
    Progress,
    first_ply_within_reach,
    has_worse_move,
    phase_of,
)

# separates these random numbers from the agents' with the same seed
POSITION_STREAM = 0x71756C74
# consecutive solved positions whose moves are all alike, before a phase is given up
MOST_BARREN = 40
MOST_UNSOLVED = 10  # consecutive positions that take too long, before a phase is given up
MOST_FAILED_WALKS = 400  # consecutive random walks that end early or at positions seen before


class Sample(NamedTuple):
    """Random positions, each with its phase, and the number of skipped ones by reason."""

    positions: list[tuple[Position, int]]
    left_out: dict[str, int]


def sample_positions(
    judge: MoveJudge,
    count: int,
    seed: int,
    first_ply: int | None = None,
    progress: Progress | None = None,
    jobs: Jobs | None = None,
) -> Sample:
    """Draw distinct positions with better and worse moves, equally many from each phase.

    If a phase has too few, or the solver solves too few, the other phases provide more.

    A position is reached by random moves that do not end the game, so it is undecided and may
    contain threats of either side.

    Args:
        judge: provides the values.
        count: number of positions.
        seed: decides which.
        first_ply: the minimum number of actions played.
        progress: called with the number of positions so far and their total.
        jobs: jobs of :func:`judging`, which solve the positions; None: the judge solves them.

    Raises:
        SpecificationError: no position can be reached that late, or no reached position has better
            and worse moves and is solved in time.
    """
    game = judge.game
    first = first_ply_within_reach(judge) if first_ply is None else first_ply
    if not 0 <= first < judge.plies:
        raise SpecificationError(
            f"{game.spec} lasts at most {judge.plies} plies; --from-ply can be 0 to "
            f"{judge.plies - 1}"
        )
    plies = [
        [ply for ply in range(first, judge.plies) if phase_of(judge, ply) == phase]
        for phase in range(len(PHASES))
    ]
    phases = [phase for phase in range(len(PHASES)) if plies[phase]]
    chance = new_stream(seed, POSITION_STREAM)
    seed_of_walks = random.Random(int(chance[0]))
    left_out = {"all moves alike": 0, "not solved in time": 0}
    positions: list[tuple[Position, int]] = []
    for index, phase in enumerate(phases):
        share = (count - len(positions)) // (len(phases) - index)
        for position in itertools.islice(
            _test_positions(judge, plies[phase], seed_of_walks, left_out, jobs), share
        ):
            positions.append((position, phase))
            if progress is not None:
                progress(len(positions), count)
    if not positions:
        raise _no_position(judge, first)
    return Sample(positions, left_out)


def _no_position(judge: MoveJudge, first: int) -> SpecificationError:
    """The error of a board without a position of the sample after so many plies."""
    limit, more = f"{judge.time_limit:g} seconds", "a longer --time-limit"
    if judge.node_limit is not None:
        limit, more = f"{judge.node_limit:,} nodes", "more nodes"
    return SpecificationError(
        f"no position of {judge.game.spec} after at least {first} plies has better and worse "
        f"moves and is solved within {limit}; a smaller board, a later --from-ply or {more} may "
        f"help"
    )


def _test_positions(
    judge: MoveJudge,
    plies: Sequence[int],
    chance: random.Random,
    left_out: dict[str, int],
    jobs: Jobs | None,
) -> Iterator[Position]:
    """Positions of these plies with better and worse moves, as many as there are."""
    states: deque[Any] = deque()  # of ``chance``, after each position that has no values yet

    def candidates() -> Iterator[Position]:
        dead_ends, earlier = 0, set[bytes]()
        while dead_ends < MOST_FAILED_WALKS:
            position = _walk(judge.game, chance.choice(plies), chance)
            if position is None or judge.knows(position) or position.record.tobytes() in earlier:
                dead_ends += 1
                continue
            dead_ends = 0
            earlier.add(position.record.tobytes())
            states.append(chance.getstate())
            yield position

    barren = timeouts = 0
    state: Any = None
    try:
        for position, values in _with_values(judge, candidates(), jobs):
            state = states.popleft()
            if values is None:
                left_out["not solved in time"] += 1
                timeouts += 1
            elif not has_worse_move(values):
                left_out["all moves alike"] += 1
                barren, timeouts = barren + 1, 0
            else:
                barren = timeouts = 0
                yield position
            if barren == MOST_BARREN or timeouts == MOST_UNSOLVED:
                break
    finally:
        if states:  # positions drawn ahead do not count as drawn
            chance.setstate(state)


def _with_values(
    judge: MoveJudge, positions: Iterator[Position], jobs: Jobs | None
) -> Iterator[tuple[Position, Mapping[int, int] | None]]:
    """Positions with their values, in their order; solved elsewhere if there are jobs."""
    if jobs is None:
        yield from ((position, judge.values(position)) for position in positions)
        return
    waiting: deque[Position] = deque()

    def handed_out() -> Iterator[Position]:
        for position in positions:
            waiting.append(position)
            yield position

    for _, values in jobs.results(handed_out(), in_order=True):
        judge.remember(waiting[0], values)
        yield waiting.popleft(), values


def judging(judge: MoveJudge) -> Work:
    """The jobs that solve positions of a sample elsewhere."""
    limits = (judge.memory_mb, judge.time_limit, judge.node_limit)
    prepare = functools.partial(MoveJudge, judge.game, *limits)
    return Work(
        MoveJudge.values, prepare, Needs((type(judge.game.rules).__module__,), PLAYING_FOLDERS)
    )


def _walk(game: Game, plies: int, chance: random.Random) -> Position | None:
    """The position after this many random actions; None if every action ends the game."""
    position = game.initial_position()
    for _ in range(plies):
        actions = position.legal_actions()
        chance.shuffle(actions)
        for action in actions:
            after = position.after(action)
            if not after.is_over:
                position = after
                break
        else:
            return None
    return position


def ask_agents(
    judge: MoveJudge,
    sample: Sample,
    agents: Sequence[Any],
    labels: Sequence[str],
    seed: int,
    progress: Progress | None = None,
    jobs: Jobs | None = None,
) -> Evidence:
    """Let agents decide in the positions of a sample; each is reset before every position.

    Args:
        judge: provides the values.
        sample: the positions.
        agents: agents, or anything with ``act(position)``.
        labels: the agents' names.
        seed: decides the agents' random choices.
        progress: called with the number of decisions so far and their total.
        jobs: jobs of :func:`decide`, with the same agents prepared; None: the agents decide here.

    Raises:
        SpecificationError: an agent cannot play the game.
    """
    questions = [
        Question(number, row, position, seed + row)
        for number in range(len(agents))
        for row, (position, _) in enumerate(sample.positions)
    ]
    answers: Iterator[tuple[int, Decided]]
    if jobs is None:
        here = [as_policy(agent) for agent in agents]
        answers = enumerate(decide(here, question) for question in questions)
    else:
        answers = jobs.results(questions, in_order=True)
    moves: list[JudgedMove] = []
    faults: dict[str, tuple[int, str]] = {}
    situations = [situation(position) for position, _ in sample.positions]
    for count, (question, (_, (action, seconds, fault))) in enumerate(zip(questions, answers), 1):
        number, row, position, _ = question
        if fault is not None:
            faults_before, first = faults.get(labels[number], (0, fault))
            faults[labels[number]] = (faults_before + 1, first)
        else:
            verdict, phase = judge.verdict(position, action), sample.positions[row][1]
            more = situations[row], judge.missed(position, action)
            moves.append(JudgedMove(number, row, phase, *verdict, seconds, action, *more))
        if progress is not None:
            progress(count, len(questions))
    return Evidence(list(labels), moves, sample.left_out, faults)


class Question(NamedTuple):
    """A question to an agent.

    Attributes:
        number: the agent's number.
        row: the position's row in the sample.
        position: the position.
        seed: decides the agent's random choices.
    """

    number: int
    row: int
    position: Position
    seed: int


class Decided(NamedTuple):
    """A legal action and its thinking time, or the fault instead."""

    action: int
    seconds: float
    fault: str | None = None


def decide(agents: Sequence[Agent], question: Question) -> Decided:
    """An agent's answer to a question."""
    agent, position = agents[question.number], question.position
    try:
        begin(agent, position.game, question.seed)
        began = time.perf_counter()
        answer, decision = ask(agent, position.copy(), analyse=True)
        seconds = time.perf_counter() - began if decision is None else decision.seconds
        return Decided(legal_action(answer, position), seconds)
    except Fault as fault:
        return Decided(-1, 0.0, str(fault))
