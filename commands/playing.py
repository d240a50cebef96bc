"""Commands that play one game: ``match``, ``play``."""

from __future__ import annotations

from typing import Annotated, Any

from ..agents import Decision
from ..agents.human import HumanQuit
from ..envs import Position, make_game
from ..envs.game import PLAYERS
from ..evaluation.match import GameResult, play_game
from ..evaluation.players import Player
from ..evaluation.report import display
from ..evaluation.runners.contest import Contest
from ..evaluation.tournament import distinct_labels
from .app import command
from .common import (
    GameArgument,
    JsonOption,
    OpeningOption,
    SeedOption,
    argument,
    flag,
    option,
    read_moves,
)
from .options import NO_LIMITS, ConditionOptions
from .output import print_json, say


@command("GAME A B")
def match(
    game: GameArgument,
    first: Annotated[str, argument("A", "The agent that moves first.")],
    second: Annotated[str, argument("B", "The agent that moves second.")],
    /,
    *,
    opening: OpeningOption = "",
    seed: SeedOption = 1,
    show: Annotated[bool, flag("Show the board after every move.")] = False,
    limits: ConditionOptions = NO_LIMITS,
    as_json: JsonOption = False,
) -> None:
    """Play one game and show it move by move.

    [bold]Examples[/bold]

    plyground match connect_four random random --show

    plyground match tic_tac_toe random random --opening b2,a1 --json
    """
    chosen = make_game(game)
    actions = read_moves(chosen, opening)
    labels = tuple(distinct_labels((first, second)))
    contest = Contest(chosen, (first, second), labels, limits.conditions())
    with contest.seated() as players:
        result, moves = _play(contest, players, actions, seed, show, quiet=as_json)
    if as_json:
        value = {
            "game": chosen.spec,
            "agents": [first, second],
            "seed": seed,
            "opening": actions,
            "moves": moves,
        }
        print_json(
            value
            | {
                "actions": result.moves,
                "returns": result.returns,
                "winner": result.winner,
                "reason": result.reason,
            }
        )


def _play(
    contest: Contest,
    players: list[Player],
    opening: list[int],
    seed: int,
    show: bool,
    quiet: bool = False,
) -> tuple[GameResult, list[dict[str, Any]]]:
    """Play one game and print every move; returns the result and the moves as JSON values."""
    game, names = contest.game, contest.labels
    moves: list[dict[str, Any]] = []

    def tell(text: str) -> None:
        if not quiet:
            say(text)

    def on_move(position: Position, seat: int, action: int, decision: Decision | None) -> None:
        known = (
            {}
            if decision is None
            else {"value": decision.value, "scale": decision.scale, "seconds": decision.seconds}
        )
        moves.append(
            {
                "player": PLAYERS[seat],
                "action": action,
                "name": game.action_to_text(action),
                **known,
            }
        )
        if not contest.is_human(seat):
            thoughts = display.thoughts(game, decision)
            tell(
                f"{len(opening) + len(moves):>3}. {PLAYERS[seat]} ({names[seat]}) plays "
                f"{game.action_to_text(action)}   [{thoughts}]"
            )
        if show:
            tell(f"{position}\n")

    if opening:
        tell("opening: " + ", ".join(map(game.action_to_text, opening)))
    if show:
        tell(f"{game.position(opening)}\n")
    result = play_game(
        game, players, opening, (seed, seed + 1), names, on_move, contest.conditions.limits
    )
    tell(str(result))
    return result, moves


@command("GAME")
def play(
    game: GameArgument,
    /,
    *,
    against: Annotated[str, option("AGENT", "Your opponent.")] = "alphabeta:depth=4",
    seat: Annotated[int, option("0|1", "Your seat: 0 moves first, 1 second.", low=0, high=1)] = 0,
    seed: SeedOption = 1,
) -> None:
    """Play a game yourself, in the terminal.

    Type moves by name. Type ? for a list of the legal moves, and q to leave.

    [bold]Examples[/bold]

    plyground play tic_tac_toe:size=4

    plyground play connect_four --against random --seat 1
    """
    chosen = make_game(game)
    names = ("you", against) if seat == 0 else (against, "you")
    contest = Contest(chosen, ("human", against) if seat == 0 else (against, "human"), names)
    try:
        # an opponent that does not exist is told before anything else
        with contest.seated() as players:
            say(
                f"{chosen.declaration.title}: you are {PLAYERS[seat]} and move "
                f"{'second' if seat else 'first'}, against {against}."
            )
            result, _ = _play(contest, players, [], seed, show=False)
    except (HumanQuit, KeyboardInterrupt):
        say("\nYou left the game.")
        return
    say(f"\n{chosen.position(result.moves)}\n")
    say(
        "A draw." if result.winner is None else "You win." if result.winner == seat else "You lose."
    )
