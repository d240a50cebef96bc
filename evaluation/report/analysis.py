"""Analyses as text and as plain data: what an agent or a solver found out about a position, for
people and for programs.

Everything here is told from the side of the player to move.
"""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from ...agents.agent import Decision
from ...agents.solvers.solver import Solution, solver_class_of
from ...envs import rules as r
from ...envs.game import PLAYERS, Game, Position
from .display import duration, plain_table, value_in_words

ACTIONS_SHOWN = 12  # unless all are asked for
MOVES_SHOWN = 20  # of a line of play


def ranked_actions(decision: Decision) -> list[int]:
    """The actions that the agent knows something of: the one chosen, then by value, then by the
    network's probability.
    """
    values = decision.values or (
        {} if decision.value is None else {decision.action: decision.value}
    )
    likely = decision.probabilities or {}
    known = {*values, *(decision.visits or {}), *likely}
    return sorted(
        known,
        key=lambda action: (
            action != decision.action,
            -values.get(action, -float("inf")),
            -likely.get(action, 0.0),
            action,
        ),
    )


def to_json(position: Position, decision: Decision) -> dict[str, Any]:
    """A decision as plain data; ``per_second`` counts simulations where there are any, else nodes."""
    game = position.game
    name = game.action_to_text
    work = decision.simulations or decision.nodes
    actions = []
    values = {decision.action: decision.value} if decision.values is None else decision.values
    for action in ranked_actions(decision):
        entry: dict[str, Any] = {
            "action": action,
            "name": name(action),
            "value": values.get(action),
        }
        for column, numbers in (
            ("error", decision.errors),
            ("visits", decision.visits),
            ("probability", decision.probabilities),
        ):
            if numbers is not None:
                entry[column] = numbers.get(action)
        actions.append(entry)
    return {
        "to_move": PLAYERS[position.to_move],
        "action": decision.action,
        "name": name(decision.action),
        "value": decision.value,
        "scale": decision.scale,
        "value_in_words": None
        if decision.value is None
        else value_in_words(game, decision.value, decision.scale, decision.exact),
        "exact": decision.exact,
        "from_book": decision.from_book,
        "actions": actions,
        "principal_variation": [name(action) for action in decision.principal_variation],
        "depth": decision.depth,
        "nodes": decision.nodes,
        "simulations": decision.simulations,
        "seconds": decision.seconds,
        "per_second": round(work / decision.seconds) if decision.seconds > 0 else None,
    }


def print_decision(
    position: Position,
    decision: Decision,
    agent_name: str,
    console: Console,
    every_action: bool = False,
) -> None:
    """The table of actions, best first, and what the agent found out."""
    ranked = ranked_actions(decision)
    if ranked:
        console.print(
            _action_table(
                position.game, decision, ranked if every_action else ranked[:ACTIONS_SHOWN]
            )
        )
        if len(ranked) > ACTIONS_SHOWN and not every_action:
            console.print(
                f"and {len(ranked) - ACTIONS_SHOWN} more (--all lists them)", markup=False
            )
        console.print()
    if every_action and len(decision.values or {}) < len(position.legal_actions()):
        console.print(f"{agent_name} gives no value to the other actions\n", markup=False)
    for title, text in _summary(position, decision, agent_name):
        console.print(f"{title:<12} {text}", markup=False, soft_wrap=True)


def _action_table(game: Game, decision: Decision, actions: list[int]) -> Table:
    optional = {
        "standard error": decision.errors,
        "visits": decision.visits,
        "network": decision.probabilities,
    }
    table = plain_table(
        "action",
        "value",
        *(heading for heading, numbers in optional.items() if numbers is not None),
    )
    values = decision.values if decision.values is not None else {decision.action: decision.value}
    # An exact decision proves the value of the action chosen; those of the others only where
    # nothing was sampled or estimated.
    proved = decision.exact and decision.errors is None and decision.scale == "return"
    for action in actions:
        value = values.get(action)
        exact = proved or (decision.exact and action == decision.action)
        cells = ["-" if value is None else value_in_words(game, value, decision.scale, exact)]
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
    game, player = position.game, PLAYERS[position.to_move]
    lines = [
        (
            "plays",
            game.action_to_text(decision.action)
            + (", from the opening book" if decision.from_book else ""),
        )
    ]
    if decision.value is None:
        lines.append(
            (
                "value",
                f"none: "
                f"{'the book states none' if decision.from_book else agent_name + ' estimates nothing'}",
            )
        )
    else:
        words = value_in_words(game, decision.value, decision.scale, decision.exact)
        lines.append(
            (
                "value",
                f"{words} for {player}, who is to move{' (proved)' if decision.exact else ''}",
            )
        )
    if len(decision.principal_variation) > 1:
        lines.append(("expects", line_of_play(game, decision.principal_variation)))
    if decision.depth:
        lines.append(("depth", str(decision.depth)))
    for title, count, rate in (
        ("nodes", decision.nodes, not decision.simulations),
        ("simulations", decision.simulations, True),
    ):
        if count:
            lines.append(
                (
                    title,
                    f"{count:,}"
                    + (
                        f" ({count / decision.seconds:,.0f} a second)"
                        if rate and decision.seconds > 0
                        else ""
                    ),
                )
            )
    return [*lines, ("time", duration(decision.seconds))]


def line_of_play(game: Game, actions: tuple[int, ...]) -> str:
    """A line of play by the names of its moves, a long one cut short."""
    more = f", … ({len(actions)} plies)" if len(actions) > MOVES_SHOWN else ""
    return ", ".join(map(game.action_to_text, actions[:MOVES_SHOWN])) + more


def progress_line(position: Position, decision: Decision, seconds: float) -> str:
    """What an agent knows while it thinks, in one line."""
    game = position.game
    stage = (
        f"{decision.simulations:>11,} simulations"
        if decision.simulations
        else f"depth {decision.depth:>2} {decision.nodes:>14,} nodes"
    )
    value = (
        "-"
        if decision.value is None
        else value_in_words(game, decision.value, decision.scale, decision.exact)
    )
    return (
        f"{stage}  {duration(seconds):>7}  {value:>16}  "
        f"{line_of_play(game, decision.principal_variation[:10])}"
    )


def static_evaluations(position: Position) -> dict[str, tuple[int, int]]:
    """What every heuristic of the game says of a position, without any search.

    Args:
        position: a position of any game.

    Returns:
        For each heuristic, in the order in which the game declares them, its points from the side
        of player_0 and from the side of player_1. Empty if the game declares no heuristic. The two
        numbers need not add up to 0: some heuristics count features for one side only.

    Raises:
        ValueError: the game is over; heuristics estimate games that go on.
    """
    if position.is_over:
        raise ValueError(f"there is nothing to estimate: the game is over ({position.outcome})")
    rules, record = position.game.rules, position.record
    return {
        name: (int(r.evaluate(rules, record, 0, index)), int(r.evaluate(rules, record, 1, index)))
        for index, name in enumerate(position.game.declaration.heuristics)
    }


def static_text(position: Position) -> str:
    """The table of :func:`static_evaluations` as text, one heuristic on each line."""
    values = static_evaluations(position)
    if not values:
        return f"{position.game.name} has no heuristic"
    rows: list[tuple[str, ...]] = [("heuristic", *PLAYERS)]
    rows += [
        (name, *(f"{points:+,}" if points else "0" for points in values[name])) for name in values
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        f"{name:<{widths[0]}}  {first:>{widths[1]}}  {second:>{widths[2]}}"
        for name, first, second in rows
    )


def solving_line(nodes: int, seconds: float, lower: int, upper: int) -> str:
    """How far a solver is, in one line."""
    speed = f", {nodes / seconds:,.0f} a second" if seconds > 0 else ""
    return f"{nodes:,} positions, {duration(seconds)}{speed}; the value is {_range(lower, upper)}"


def _signed(value: int) -> str:
    return f"{value:+d}" if value else "0"


def _range(lower: int, upper: int) -> str:
    return _signed(lower) if lower == upper else f"from {_signed(lower)} to {_signed(upper)}"


def _result(result: int, player: str) -> str:
    return {
        1: f"{player}, who is to move, wins",
        0: "a draw",
        -1: f"{player}, who is to move, loses",
    }[result]


def print_solution(position: Position, solution: Solution, weak: bool, console: Console) -> None:
    """The value in words, the best actions, the line of play, the cost."""
    game, player = position.game, PLAYERS[position.to_move]
    if solution.values is not None:
        table = plain_table("action", "result" if weak else "value")
        for action, value in sorted(solution.values.items(), key=lambda item: (-item[1], item[0])):
            table.add_row(
                game.action_to_text(action),
                {1: "win", 0: "draw", -1: "loss"}[value] if weak else _signed(value),
            )
        console.print(table)
        missing = len(position.legal_actions()) - len(solution.values)
        console.print(f"{missing} more were not proved in time\n" if missing else "", markup=False)
    if solution.exact:
        points = "" if weak or solution.value is None else f"{_signed(solution.value)}: "
        lines = [
            (
                "value",
                points + ("" if solution.result is None else _result(solution.result, player)),
            )
        ]
        lines.append(
            (
                "best",
                ", ".join(
                    map(game.action_to_text, solution.optimal_actions or (solution.best_action,))
                ),
            )
        )
    else:
        known = "" if solution.result is None else f"; {_result(solution.result, player)}"
        lines = [("value", f"not proved: {_range(solution.lower, solution.upper)}{known}")]
        lines.append(
            ("best", f"{game.action_to_text(solution.best_action)}, as far as it is known")
        )
    if len(solution.principal_variation) > 1:
        lines.append(("line", line_of_play(game, solution.principal_variation)))
    speed = f" ({solution.nodes / solution.seconds:,.0f} a second)" if solution.seconds > 0 else ""
    lines += [("positions", f"{solution.nodes:,}{speed}"), ("time", duration(solution.seconds))]
    for title, text in lines:
        console.print(f"{title:<12} {text}", markup=False, soft_wrap=True)
    meaning = solver_class_of(game).meaning
    if meaning and not weak:
        console.print(f"\n{meaning}", style="dim", markup=False, soft_wrap=True)
