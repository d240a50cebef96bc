"""Analyses of positions as text and as plain data.

All values are from the side of the player to move.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from ...agents.decision import Decision, Score
from ...agents.solvers.solution import Solution
from ...agents.solvers.solver import solver_class_of
from ...envs import rules as r
from ...envs.game import Game, Position
from ...envs.outcome import PLAYERS
from .display import duration, plain_table, score_in_words

ACTIONS_SHOWN = 12  # unless all are requested
MOVES_SHOWN = 20  # of a line of play


def ranked_actions(decision: Decision) -> list[int]:
    """The actions that the agent evaluated or visited, best first.

    They are sorted by score, then by the network's probability. The chosen action precedes equal
    actions and actions with only a bound; if simulations chose it, by visits, it is first.
    """
    scores = _scores(decision)
    likely = decision.probabilities or {}
    actions = {*scores, *(decision.visits or {}), *likely}
    worst = (-math.inf, -math.inf, -math.inf)

    def place(action: int) -> tuple[float, ...]:
        order = scores[action].order() if action in scores else worst
        return (
            float(not _is_better(decision, action)),
            float(action != decision.action),
            *(-part for part in order),
            -likely.get(action, 0.0),
            float(action),
        )

    return sorted(actions, key=place)


def _is_better(decision: Decision, action: int) -> bool:
    """Whether an action has a better score than the chosen one, without simulations.

    Such an action was better at the last completed depth.
    """
    scores, chosen = _scores(decision), decision.action
    if decision.visits is not None or not scores.keys() >= {action, chosen}:
        return False
    return (
        scores[action].kind != "upper" and scores[action].order()[:2] > scores[chosen].order()[:2]
    )


def _scores(decision: Decision) -> Mapping[int, Score]:
    """The scores of the actions that the agent evaluated, or of the chosen action only."""
    if decision.scores is not None:
        return decision.scores
    return {} if decision.score is None else {decision.action: decision.score}


def to_json(position: Position, decision: Decision) -> dict[str, Any]:
    """A decision as plain data.

    ``score`` holds the fields of :class:`~plyground.agents.score.Score`, ``score_in_words`` the
    same as text. ``per_second`` counts simulations if there are any, else nodes.
    """
    game = position.game
    name = game.action_to_text
    work = decision.simulations or decision.nodes
    return {
        "to_move": PLAYERS[position.to_move],
        "action": decision.action,
        "name": name(decision.action),
        "value": decision.value,
        "scale": decision.scale,
        **_score_json(game, decision.score),
        "mate_in": decision.mate_in,
        "exact": decision.exact,
        "from_book": decision.from_book,
        "actions": [_action_json(game, decision, action) for action in ranked_actions(decision)],
        "principal_variation": [name(action) for action in decision.principal_variation],
        "depth": decision.depth,
        "nodes": decision.nodes,
        "simulations": decision.simulations,
        "seconds": decision.seconds,
        "per_second": round(work / decision.seconds) if decision.seconds > 0 else None,
    }


def _score_json(game: Game, score: Score | None) -> dict[str, Any]:
    if score is None:
        return {"score": None, "score_in_words": None}
    return {"score": score.to_json(), "score_in_words": score_in_words(game, score)}


def _action_json(game: Game, decision: Decision, action: int) -> dict[str, Any]:
    score = _scores(decision).get(action)
    entry: dict[str, Any] = {
        "action": action,
        "name": game.action_to_text(action),
        "value": None if score is None or score.is_bound else score.value,
        **_score_json(game, score),
    }
    for column, numbers in (
        ("error", decision.errors),
        ("visits", decision.visits),
        ("probability", decision.probabilities),
    ):
        if numbers is not None:
            entry[column] = numbers.get(action)
    return entry


def print_decision(
    position: Position,
    decision: Decision,
    agent_name: str,
    console: Console,
    every_action: bool = False,
) -> None:
    """The table of actions, best first, and the decision."""
    actions = ranked_actions(decision)
    count = len(actions) if every_action else ACTIONS_SHOWN
    if actions:
        console.print(_action_table(position.game, decision, actions[:count]))
        if len(actions) > count:
            console.print(f"and {len(actions) - count} more (--all lists them)", markup=False)
        console.print()
    if every_action and len(decision.scores or {}) < len(position.legal_actions()):
        console.print(f"{agent_name} gives no value to the other actions\n", markup=False)
    for title, text in _summary(position, decision, agent_name):
        console.print(f"{title:<12} {text}", markup=False, soft_wrap=True)


def _action_table(game: Game, decision: Decision, actions: list[int]) -> Table:
    optional = {
        "standard error": decision.errors,
        "visits": decision.visits,
        "network": decision.probabilities,
    }
    headings = [heading for heading, numbers in optional.items() if numbers is not None]
    table = plain_table("action", "value", *headings)
    scores = _scores(decision)
    for action in actions:
        cells = [score_in_words(game, scores.get(action))]
        if decision.errors is not None:
            error = decision.errors.get(action)
            cells.append("-" if error is None else f"{error:.3f}")
        if decision.visits is not None:
            cells.append(f"{decision.visits.get(action, 0):,}")
        if decision.probabilities is not None:
            cells.append(f"{decision.probabilities.get(action, 0.0):.1%}")
        table.add_row(game.action_to_text(action), *cells)
    return table


def _summary(position: Position, decision: Decision, agent_name: str) -> list[tuple[str, str]]:
    game, player = position.game, position.mover_name
    source = ", from the opening book" if decision.from_book else ""
    lines = [("plays", f"{game.action_to_text(decision.action)}{source}")]
    if decision.score is None:
        why = "the book states none" if decision.from_book else f"{agent_name} estimates nothing"
        lines.append(("value", f"none: {why}"))
    else:
        proof = " (proved)" if decision.score.is_exact else ""
        words = score_in_words(game, decision.score)
        lines.append(("value", f"{words} for {player}, who is to move{proof}"))
    if len(decision.principal_variation) > 1:
        lines.append(("expects", _line_of_play(game, decision.principal_variation)))
    if decision.depth:
        deeper = any(_is_better(decision, action) for action in _scores(decision))
        begun = ", and a part of the next, which chose the action" if deeper else ""
        lines.append(("depth", f"{decision.depth}{begun}"))
    if decision.nodes:
        seconds = 0.0 if decision.simulations else decision.seconds
        lines.append(("nodes", _count_text(decision.nodes, seconds)))
    if decision.simulations:
        lines.append(("simulations", _count_text(decision.simulations, decision.seconds)))
    return [*lines, ("time", duration(decision.seconds))]


def _count_text(count: int, seconds: float) -> str:
    """A count, with the rate per second if the time is known."""
    return f"{count:,}" + (f" ({count / seconds:,.0f} a second)" if seconds > 0 else "")


def _line_of_play(game: Game, actions: tuple[int, ...]) -> str:
    """A line of play by the names of its moves; a long one is truncated."""
    more = f", … ({len(actions)} plies)" if len(actions) > MOVES_SHOWN else ""
    return ", ".join(map(game.action_to_text, actions[:MOVES_SHOWN])) + more


def progress_line(position: Position, decision: Decision, seconds: float) -> str:
    """An agent's progress in one line."""
    game = position.game
    stage = (
        f"{decision.simulations:>11,} simulations"
        if decision.simulations
        else f"depth {decision.depth:>2} {decision.nodes:>14,} nodes"
    )
    value = score_in_words(game, decision.score)
    return (
        f"{stage}  {duration(seconds):>7}  {value:>24}  "
        f"{_line_of_play(game, decision.principal_variation[:10])}"
    )


def static_evaluations(position: Position) -> dict[str, tuple[int, int]]:
    """The score of every heuristic of the game for a position, without search.

    Args:
        position: a position of any game.

    Returns:
        For each heuristic, in the order in which the game declares them, its score from the side
        of player_0 and from the side of player_1. Empty if the game declares no heuristic. The two
        numbers need not add up to 0: some heuristics count features for one side only.

    Raises:
        ValueError: the game is over; heuristics estimate unfinished games.
    """
    if position.is_over:
        raise ValueError(f"there is nothing to estimate: the game is over ({position.outcome})")
    rules, record = position.game.rules, position.record
    return {
        name: (int(r.evaluate(rules, record, 0, index)), int(r.evaluate(rules, record, 1, index)))
        for index, name in enumerate(position.game.declaration.heuristics)
    }


def static_text(position: Position) -> str:
    """The table of :func:`static_evaluations` as text: raw, then scaled to [−1, 1]."""
    values = static_evaluations(position)
    if not values:
        return f"{position.game.name} has no heuristic"
    scale = position.game.profile.scale
    players = position.game.declaration.player_names(marked=True)
    rows: list[tuple[str, ...]] = [("heuristic", *players, "scaled", "scaled")]
    rows += [
        (
            name,
            *(f"{points:+,}" if points else "0" for points in values[name]),
            *(f"{scale(points):+.3f}" if points else "0" for points in values[name]),
        )
        for name in values
    ]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    )


def solving_line(nodes: int, seconds: float, lower: int, upper: int) -> str:
    """The progress of a solver in one line."""
    speed = f", {nodes / seconds:,.0f} a second" if seconds > 0 else ""
    return f"{nodes:,} positions, {duration(seconds)}{speed}; the value is {_range(lower, upper)}"


def _plus(value: int) -> str:
    return f"{value:+d}" if value else "0"


def _range(lower: int, upper: int) -> str:
    return _plus(lower) if lower == upper else f"from {_plus(lower)} to {_plus(upper)}"


RESULTS = {1: "win", 0: "draw", -1: "loss"}


def _results(lower: int, upper: int) -> str:
    return " or ".join(RESULTS[each] for each in range(upper, lower - 1, -1))


def print_solution(position: Position, solution: Solution, console: Console) -> None:
    """The value in words, the best actions, the line of play, the cost."""
    game, player, weak = position.game, position.mover_name, solution.weak
    if solution.bounds is not None and solution.values is not None:
        table = plain_table("action", "result" if weak else "value")
        for action, bounds in sorted(
            solution.bounds.items(), key=lambda item: (-item[1][0], -item[1][1], item[0])
        ):
            table.add_row(game.action_to_text(action), (_results if weak else _range)(*bounds))
        console.print(table)
        count, missing = len(solution.bounds), len(solution.bounds) - len(solution.values)
        console.print(f"{missing} of {count} are not proved\n" if missing else "", markup=False)
    result = {
        1: f"{player}, who is to move, wins",
        0: "a draw",
        -1: f"{player}, who is to move, loses",
        None: "",
    }[solution.result]
    if solution.is_value_proved:
        points = "" if weak or solution.value is None else f"{_plus(solution.value)}: "
        verdict = points + result
    else:
        between = f"not proved: {_range(solution.lower, solution.upper)}"
        verdict = "; ".join(filter(None, (between, result)))

    def names(actions: Sequence[int]) -> str:
        return ", ".join(map(game.action_to_text, actions))

    best = names(solution.optimal_actions)
    best = best or f"{names([solution.best_action])}, as far as it is known"
    lines = [("value", verdict), ("best", best)]
    if solution.open_actions:
        lines.append(("perhaps best", names(solution.open_actions)))
    if len(solution.principal_variation) > 1:
        lines.append(("line", _line_of_play(game, solution.principal_variation)))
    lines.append(("positions", _count_text(solution.nodes, solution.seconds)))
    for title, text in (*lines, ("time", duration(solution.seconds))):
        console.print(f"{title:<12} {text}", markup=False, soft_wrap=True)
    meaning = solver_class_of(game).meaning
    if meaning and not weak:
        console.print(f"\n{meaning}", style="dim", markup=False, soft_wrap=True)
