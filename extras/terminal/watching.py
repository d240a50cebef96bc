"""Commands to view games: ``replay`` stored games, ``watch`` agents play."""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
from pathlib import Path
from typing import Annotated, Any

from rich.console import Group
from rich.live import Live
from rich.text import Text

from ...agents import Decision
from ...agents.human import refuse_people
from ...commands.app import command
from ...commands.common import (
    ENDS,
    GameArgument,
    JsonOption,
    OpeningOption,
    SeedOption,
    StoreArgument,
    argument,
    flag,
    option,
    read_moves,
)
from ...commands.output import Terminal, note, print_json, say, write_page
from ...envs import Position, make_game
from ...envs.game import Game
from ...evaluation.conditions import USUAL, Conditions
from ...evaluation.fingerprints import describe
from ...evaluation.match import play_match_game
from ...evaluation.played_game import PlayedGame
from ...evaluation.report import display
from ...evaluation.report.board import board, winning_row
from ...evaluation.report.game_page import game_page
from ...evaluation.runners.contest import Arena, Contest
from ...evaluation.single_games import store_game
from ...evaluation.statistics.courses import game_of, named
from ...evaluation.store.store import Store
from ...evaluation.tournament import distinct_labels
from .replay import TerminalReplay

GAMES_LISTED = 30
DELAY = 1.0


@command("STORE [ID]", purpose="Play and look", rank=4)
def replay(
    store: StoreArgument,
    number: Annotated[
        int | None, argument("ID", "The number of the game; without it the games are listed.")
    ] = None,
    /,
    *,
    review: Annotated[bool, flag("Grade every move and show what was better.")] = False,
    agent: Annotated[
        str | None,
        option("AGENT", "The agent that estimates in a review what no solver can solve."),
    ] = None,
    last: Annotated[int, option("N", "List the N latest games; 0: all.", low=0)] = GAMES_LISTED,
    html: Annotated[
        Path | None,
        option("FILE", "Write the reviewed game as one self-contained HTML page."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Step through a game of a store, or list its games.

    A review compares every move with the best one, with the exact solver if possible. Without a
    terminal the moves and the last position are printed.

    [bold]Examples[/bold]

    plyground replay plyground-tournament.db

    plyground replay plyground-tournament.db 7 --review

    plyground replay plyground-tournament.db 7 --html game.html
    """
    with Store(store) as games:
        if number is None:
            _list_games(games, last, as_json)
            return
        tournament, game = games.game(number)
    first, second = (tournament.agents[player].label for player in game.players)
    record = PlayedGame.of_stored(tournament.settings["game"], game, (first, second))
    title = _title(number, record)
    viewer = TerminalReplay(record, title, agent)
    if html is not None:
        write_page(html, game_page([viewer.review()], title))
        note(f"game {number} in {html}")
    elif as_json:
        source = {"number": number, "tournament": tournament.name}
        print_json(source | (viewer.review().to_json() if review else _game_json(record)))
    elif review:
        say(f"{title}\n")
        viewer.print_review()
    elif sys.stdout.isatty():
        viewer.run()
    else:
        viewer.print_end()


def _title(number: int, record: PlayedGame) -> str:
    return f"Game {number}, {record.game.spec}: {_sides(record.game, record.players)}"


def _sides(game: Game, agents: tuple[str, ...]) -> str:
    """Who plays which side."""
    players = game.declaration.player_names(marked=True)
    return " against ".join(f"{player} {agent}" for player, agent in zip(players, agents))


def _game_json(record: PlayedGame) -> dict[str, Any]:
    return {
        "game": record.game.spec,
        "players": list(record.players),
        "actions": list(record.actions),
        "moves": [record.game.action_to_text(action) for action in record.actions],
        "opening": record.opening,
        "winner": record.winner,
        "reason": record.reason,
    }


def _list_games(store: Store, last: int, as_json: bool) -> None:
    """A line for each game, the one finished last first."""
    tournaments = {tournament.number: tournament for tournament in store.tournaments()}
    games = store.numbered_games()
    listed = list(itertools.islice(games, last or None))
    rows = [
        {
            "number": number,
            "tournament": tournaments[tournament].name,
            "game": tournaments[tournament].settings["game"],
            "players": [tournaments[tournament].agents[player].label for player in game.players],
            "winner": game.result.winner,
            "reason": game.result.reason,
            "plies": len(game.result.moves),
        }
        for number, tournament, game in listed
    ]
    if as_json:
        print_json(rows)
        return
    if not rows:
        say(f"{store.path} holds no games")
        return
    table = display.plain_table("ID", "game", "first", "second", "result", "moves", left=5, gap=1)
    for row, (_, tournament, game) in zip(rows, listed):
        result = {None: "draw", 0: "first wins", 1: "second wins"}[row["winner"]]
        reason = named(game_of(tournaments[tournament]), game.result.reason)
        texts = [str(row["number"]), row["game"], *row["players"], f"{result}: {reason}"]
        table.add_row(*map(display.Name, texts), str(row["plies"]))
    Terminal().print(table)
    if any(True for _ in games):
        say(f"These are the last {len(rows)}; --last 0 lists all.")


@command("GAME A B", purpose="Play and look", rank=3, without=ENDS)
def watch(
    game: GameArgument,
    first: Annotated[str, argument("A", "The agent that moves first.")],
    second: Annotated[str, argument("B", "The agent that moves second.")],
    /,
    *,
    delay: Annotated[
        float, option("SECONDS", "Time to show each position.", low=0, high=3600)
    ] = DELAY,
    step: Annotated[bool, flag("Wait for Enter after every move; q leaves.")] = False,
    show_thinking: Annotated[bool, flag("Show the agents' evaluations of their moves.")] = False,
    opening: OpeningOption = "",
    seed: SeedOption = 1,
    store: Annotated[Path | None, option("FILE", "Keep the game in this store.")] = None,
    conditions: Conditions = USUAL,
) -> None:
    """Watch two agents play.

    Without a terminal all positions are printed without waiting.

    [bold]Examples[/bold]

    plyground watch gomoku:size=10,rule=caro medium hard

    plyground watch connect_four mcts:time=1 zoo:connect_four --step --show-thinking
    """
    refuse_people((first, second), "a game that is watched")
    board = make_game(game)
    actions = tuple(read_moves(board, opening))
    labels = tuple(distinct_labels((first, second)))
    contest = Contest(board, (first, second), labels, conditions)
    viewer = _Viewer(board, labels, delay, step, show_thinking)
    with Store("" if store is None else store) as games, Arena(contest) as arena:
        if store is not None:
            games.open()
        with viewer.screen:
            viewer.begin(actions)
            result = play_match_game(
                board,
                arena.agents,
                actions,
                (seed, seed + 1),
                labels,
                viewer.on_move,
                contest.conditions,
            )
        say(str(result))
        if store is not None:
            one, two = (
                describe(agent)._replace(label=label) for agent, label in zip(arena.agents, labels)
            )
            number = store_game(games, board, (one, two), result, actions, (seed, seed + 1))
            note(f"The game is stored: plyground replay {store} {number}")


class _Viewer:
    """Shows each position of a game, and waits after it on a terminal.

    There each position replaces the previous one, unless ``step`` waits for every move.

    Attributes:
        screen: the context in which it shows anything.
    """

    def __init__(
        self, game: Game, labels: tuple[str, ...], delay: float, step: bool, thinking: bool
    ) -> None:
        self._game, self._labels = game, labels
        self._delay, self._step, self._thinking = delay, step, thinking
        self._console = Terminal()
        self._moves: list[str] = []
        self._before = game.initial_position()
        live = self._console.is_terminal and not step
        self.screen: Live | contextlib.nullcontext[None] = (
            Live(console=self._console, auto_refresh=False, vertical_overflow="visible")
            if live
            else contextlib.nullcontext()
        )

    def begin(self, opening: tuple[int, ...]) -> None:
        """Print the players, and show the position after the opening."""
        sides = _sides(self._game, self._labels)
        self._console.print(f"{self._game.declaration.title}: {sides}", markup=False)
        self._moves = [self._game.action_to_text(action) for action in opening]
        if opening:
            self._console.print(f"opening: {', '.join(self._moves)}", markup=False)
        self._before = self._game.position(opening)
        self._show(Text(), board(self._before))

    def on_move(
        self, position: Position, seat: int, action: int, decision: Decision | None
    ) -> None:
        """Show a move."""
        self._wait()
        self._moves.append(self._game.action_to_text(action))
        thoughts = f"   [{display.thoughts(self._game, decision)}]" if self._thinking else ""
        player = self._game.declaration.player_names(marked=True)[seat]
        move = f"{len(self._moves)}. {player}: {self._moves[-1]} ({self._labels[seat]}){thoughts}"
        row = winning_row(position)
        end = [Text(", ".join(row))] if row else []
        self._show(Text(f"\n{move}"), board(position, self._before), *end)
        self._before = position.copy()

    def _show(self, *parts: Text) -> None:
        """Show a position with its text; on a live screen all moves are listed below."""
        if isinstance(self.screen, Live):
            moves = Text("\n" + "  ".join(self._moves), "dim")
            self.screen.update(Group(*parts, moves), refresh=True)
            return
        for part in parts:
            self._console.print(part, soft_wrap=True)

    def _wait(self) -> None:
        if not self._console.is_terminal:
            return
        if not self._step:
            time.sleep(self._delay)
        elif input("Enter for the next move, q to leave: ").strip().lower() in ("q", "quit"):
            raise KeyboardInterrupt
