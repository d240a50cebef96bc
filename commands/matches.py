"""The command ``match``: agents play one game."""

from __future__ import annotations

from typing import Annotated, Any

from ..agents import Decision
from ..envs import Position, make_game
from ..envs.outcome import PLAYERS
from ..evaluation.conditions import USUAL, Conditions
from ..evaluation.match import GameResult, play_match_game
from ..evaluation.report import display
from ..evaluation.runners.contest import Arena, Contest
from ..evaluation.tournament import distinct_labels
from .app import command
from .common import (
    ENDS,
    GameArgument,
    JsonOption,
    OpeningOption,
    SeedOption,
    argument,
    flag,
    read_moves,
)
from .output import print_json, say


@command("GAME A B", without=ENDS)
def match(
    game: GameArgument,
    first: Annotated[str, argument("A", "The agent that moves first.")],
    second: Annotated[str, argument("B", "The agent that moves second.")],
    /,
    *,
    opening: OpeningOption = "",
    seed: SeedOption = 1,
    show: Annotated[bool, flag("Show the board after every move.")] = False,
    conditions: Conditions = USUAL,
    as_json: JsonOption = False,
) -> None:
    """Play one game and show it move by move.

    [bold]Examples[/bold]

    plyground match connect_four random random --show

    plyground match tic_tac_toe random random --opening b2,a1 --json
    """
    board = make_game(game)
    actions = read_moves(board, opening)
    labels = tuple(distinct_labels((first, second)))
    contest = Contest(board, (first, second), labels, conditions)
    with Arena(contest) as arena:
        result, moves = _play(arena, actions, seed, show, quiet=as_json)
    if as_json:
        print_json(
            {
                "game": board.spec,
                "agents": [first, second],
                "seed": seed,
                "opening": actions,
                "moves": moves,
                "actions": result.moves,
                "returns": result.returns,
                "winner": result.winner,
                "reason": result.reason,
            }
        )


def _play(
    arena: Arena,
    opening: list[int],
    seed: int,
    show: bool,
    quiet: bool = False,
) -> tuple[GameResult, list[dict[str, Any]]]:
    """Play one game and print every move; returns the result and the moves as JSON values."""
    contest = arena.contest
    game, names = contest.game, contest.labels
    players = game.declaration.player_names(marked=True)
    moves: list[dict[str, Any]] = []

    def tell(text: str) -> None:
        if not quiet:
            say(text)

    def on_move(position: Position, seat: int, action: int, decision: Decision | None) -> None:
        judgement = (
            {}
            if decision is None
            else {"value": decision.value, "scale": decision.scale, "seconds": decision.seconds}
        )
        moves.append(
            {
                "player": PLAYERS[seat],
                "action": action,
                "name": game.action_to_text(action),
                **judgement,
            }
        )
        if not contest.is_human(seat):
            thoughts = display.thoughts(game, decision)
            tell(
                f"{len(opening) + len(moves):>3}. {players[seat]}, {names[seat]}, plays "
                f"{game.action_to_text(action)}   [{thoughts}]"
            )
        if show:
            tell(f"{position}\n")

    if opening:
        tell("opening: " + ", ".join(map(game.action_to_text, opening)))
    if show:
        tell(f"{game.position(opening)}\n")
    result = play_match_game(
        game, arena.agents, opening, (seed, seed + 1), names, on_move, contest.conditions
    )
    tell(str(result))
    return result, moves
