"""Work of the search processes besides agents' decisions: values, lines, reviews, files.

The functions are called in a search process, by :class:`~plyground.extras.web.thinking.Call`.
"""

from __future__ import annotations

import io
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...agents import Agent, make_agent
from ...agents.decision import Decision, Score
from ...agents.solvers import solver as solvers
from ...agents.solvers.parallel import ALL
from ...agents.solvers.solution import Solution
from ...agents.solvers.solver import Solver, make_solver
from ...envs.game import Game, Position
from ...evaluation.played_game import PlayedGame
from ...evaluation.report.analysis import ranked_actions
from ...evaluation.report.game_page import game_page
from ...evaluation.reviews import GameReview, make_reviewer

Report = Callable[[Any], None]

READY = None  # reported after loading and compiling
SOLVER_SECONDS, SOLVER_MEMORY_MB = 6.0, 128
LINES = 3
FEWEST_VISITS = 50  # of an action with a shown mean: with fewer it is mostly noise
EXACT_VALUES = "plyground.extras.web.jobs:exact_values"
LINES_OF = "plyground.extras.web.jobs:best_lines"
REVIEW = "plyground.extras.web.jobs:review_json"
REVIEW_PAGE = "plyground.extras.web.jobs:review_html"
REVIEW_SECONDS = 300.0
OTHER_MOVE = "plyground.extras.web.jobs:other_move"
CHECK_SECONDS = 2.0  # time limit for checking the moves of a finished game
PICTURE = "plyground.extras.web.jobs:picture"
ANIMATION = "plyground.extras.web.jobs:animation"
FILE_SECONDS = 60.0
FRAME_MS, LAST_FRAME_MS = 700, 3000
COLOURS = 64  # colours of an animation


def has_solver(game: Game) -> bool:
    """Whether a solver can solve the game's boards, at least near the end."""
    return solvers.has_solver(game, SOLVER_MEMORY_MB)


def exact_values(position: Position, report: Report) -> dict[str, Any] | None:
    """The exact value of every legal action, as far as solved in time.

    Values are from the side to move in the solver's own unit, such as boxes.

    Returns:
    :func:`solution_data`, or None if the board is too large; otherwise a report comes first.
    """
    solver = make_solver(position.game, SOLVER_MEMORY_MB, ALL)
    if solver.plies_left(position) > solver.plies_in_seconds:
        return None
    solver.prepare()
    report(READY)
    report({})
    return solution_data(solver, position, solver.solve(position, moves="all", time=SOLVER_SECONDS))


def solution_data(solver: Solver, position: Position, solution: Solution) -> dict[str, Any]:
    """A solution by :meth:`Solver.solve` with ``moves="all"``, and the meaning of its values."""
    values = solution.values or {}
    worth = None if solution.value is None else solver.expected_return(position, solution.value)
    meant = {*values.values(), solution.lower, solution.upper}
    return {
        "values": values,
        "ends": {value: _end(solver, position, value) for value in meant},
        "value": solution.value,
        "lower": solution.lower,
        "upper": solution.upper,
        "exact": solution.exact,
        "worth": worth,
        "bounds": solution.bounds,
        "optimal": list(solution.optimal_actions),
        "open": list(solution.open_actions),
        "line": list(solution.principal_variation),
        "meaning": solver.meaning,
        "nodes": solution.nodes,
        "seconds": solution.seconds,
    }


def _end(solver: Solver, position: Position, value: int) -> tuple[Any, ...]:
    """The meaning of a value: the return, the plies to the end and the margin, if known."""
    return solver.expected_return(position, value), *solver.end_of(position, value)


def best_lines(spec: str, position: Position, seed: int, report: Report) -> Any:
    """An agent's decision, and the lines of play after its best actions, of the same search.

    Both are reported after every iteration. If time ends an iteration early, the lines are from the
    last complete iteration.

    Returns:
        The decision, and for each line its action, its score from the side to move, its moves; the
        best line first.
    """
    agent = make_agent(spec, position.game, seed)
    agent.get_ready(position.game)
    report(READY)
    latest: Any = None

    def progress(decision: Decision) -> None:
        nonlocal latest
        latest = decision, _lines(agent, decision)
        report(latest)

    agent.on_progress = progress
    decision = agent.analyse(position)
    cut_short = latest is not None and 0 < decision.depth == latest[0].depth
    return latest if cut_short else (decision, _lines(agent, decision))


def other_move(
    spec: str, start: Position, actions: Sequence[int], seat: int, report: Report
) -> int | None:
    """The first ply at which an agent plays a different action than a seat.

    None if there is none within ``CHECK_SECONDS``, and for an agent that is not deterministic.
    """
    agent, position = make_agent(spec, start.game), start.copy()
    agent.get_ready(start.game)
    report(READY)
    until = math.inf
    for ply, action in enumerate(actions if agent.deterministic else ()):
        if position.to_move == seat:
            if time.monotonic() > until:
                break
            agent.reset()
            if agent.analyse(position).action != action:
                return ply
            until = min(until, time.monotonic() + CHECK_SECONDS)  # the first decision may compile
        position.play(action)
    return None


def sound_scores(decision: Decision) -> dict[int, Score]:
    """The scores of actions to show, without actions with few visits."""
    visits = decision.visits or {}
    scores = {
        action: score
        for action, score in (decision.scores or {}).items()
        if score.is_exact or visits.get(action, FEWEST_VISITS) >= FEWEST_VISITS
    }
    chosen = (decision.scores or {}).get(decision.action, decision.score)
    return scores if chosen is None else {decision.action: chosen} | scores


def _lines(agent: Agent, decision: Decision) -> list[tuple[int, Score | None, tuple[int, ...]]]:
    """The lines after the chosen action and the best others, best first."""
    scores, searched = sound_scores(decision), decision.depth or decision.simulations
    worst = Score(-math.inf).order()

    def order(action: int) -> tuple[float, ...]:
        return scores[action].order() if action in scores else worst

    ranked = sorted(ranked_actions(decision), key=order, reverse=True)
    lines = []
    for action in list(dict.fromkeys([decision.action, *ranked]))[:LINES]:
        line = agent.expected_line(action) if searched else (action,)
        if action == decision.action:
            line = decision.principal_variation or (action,)
        lines.append((action, scores.get(action), tuple(map(int, line))))
    return sorted(lines, key=lambda line: order(line[0]), reverse=True)


def picture(position: Position, last: int | None, side: int, report: Report) -> bytes:
    """The picture of a position as a PNG file, with this length of its longer side in pixels."""
    report(READY)
    content = io.BytesIO()
    position.to_image(last, side).save(content, "PNG", optimize=True)
    return content.getvalue()


def animation(start: Position, actions: Sequence[int], side: int, report: Report) -> bytes:
    """The moves from a position on as a GIF file."""
    from PIL.Image import Dither

    report(READY)
    end, position, content = start.copy(), start.copy(), io.BytesIO()
    for action in actions:
        end.play(action)
    # the last picture contains all colours
    colours = end.to_image(actions[-1] if actions else None, side).quantize(COLOURS)

    def frame(action: int | None) -> Any:
        if action is not None:
            position.play(action)
        return position.to_image(action, side).quantize(palette=colours, dither=Dither.NONE)

    durations = [FRAME_MS] * len(actions) + [LAST_FRAME_MS]
    first, others = frame(None), map(frame, actions)
    first.save(content, "GIF", save_all=True, append_images=others, duration=durations, loop=0)
    return content.getvalue()


def review_json(record: PlayedGame, agent: str | None, report: Report) -> dict[str, Any]:
    """The review of a game as plain data; reports values, then grades, the last one first."""
    return _review(record, agent, report).to_json()


def review_html(record: PlayedGame, agent: str | None, report: Report) -> str:
    """The review of a game as one HTML page; a game without moves is shown without review."""
    return game_page([_review(record, agent, report) if record.actions else record])


def _review(record: PlayedGame, agent: str | None, report: Report) -> GameReview:
    reviewer, moves, ready = make_reviewer(record.game, agent), [], False
    for ply, value in reviewer.values(record):
        if not ready and value.to_move is not None:
            report(READY)
            ready = True
        report({"ply": ply, "value": value.to_json(record.game)})
    for move in reviewer.moves(record):
        moves.append(move)
        report(move.to_json(record.game))
    return reviewer.assemble(record, moves)
