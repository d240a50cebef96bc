"""The human agent: asks a person at the terminal for every move."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ..envs import rules as r
from ..envs.game import PLAYERS, Game, Position
from ..envs.specification import SpecificationError
from .agent import Agent, Decision
from .registry import register_agent, resolve_agent

EDGE_NAME = re.compile(r"[hv] \d+ \d+")


class HumanQuit(KeyboardInterrupt):
    """The person wants to stop.

    A KeyboardInterrupt, so that a match does not take it for a fault of the agent.
    """


@register_agent("human")
class HumanAgent(Agent):
    """Shows the board and asks for a move until the answer is a legal one.

    Attributes:
        ask: the function that reads a line, ``input`` by default; a test or another front end may
            replace it.
        tell: the function that shows a text, ``print`` by default.
    """

    summary = "a person at the terminal"
    ask: Callable[[str], str] = staticmethod(input)
    tell: Callable[[str], None] = staticmethod(print)

    def decide(self, position: Position) -> Decision:
        self.tell(f"\n{position}\n")
        legal = position.legal_actions()
        example = position.game.action_to_text(legal[len(legal) // 2])
        while True:
            try:
                text = self.ask(
                    f"{PLAYERS[position.to_move]}, your move (such as {example}; ? for help, q to "
                    f"quit): "
                ).strip()
            except EOFError:
                raise HumanQuit("the input has ended") from None
            if text.lower() in ("q", "quit", "exit"):
                raise HumanQuit("the game was left")
            if text in ("?", "help"):
                self.tell(_help(position, legal))
                continue
            try:
                action = read_move(position.game, text)
            except ValueError as error:
                self.tell(f"{error}. Try again.")
                continue
            if position.is_legal(action):
                return Decision(action)
            self.tell(f"{refusal(position.game, action)}. Try again.")


def refuse_people(specs: Iterable[str], where: str) -> None:
    """SpecificationError if an agent is a person, who cannot play ``where``: "a tournament"."""
    for spec in specs:
        if issubclass(resolve_agent(spec)[0], HumanAgent):
            raise SpecificationError(f"a person cannot play in {where}; use: plyground play GAME")


def read_move(game: Game, text: str) -> int:
    """The action that a person's text means.

    The text is the action's name or, on a board of cells, the row and the column with the numbers
    at the sides of the board. Where actions are columns, it may be the column's number from 1.

    Raises:
        ValueError: there is no such action; says what is allowed.
    """
    if text.isascii() and text.isdecimal() and _has_columns(game):
        if not 1 <= int(text) <= game.facts.num_actions:
            raise ValueError(
                f"there is no column {text}; columns go from 1 to {game.facts.num_actions}"
            )
        return int(text) - 1
    numbers = re.fullmatch(r"\s*(-?\d+)\s*[ ,]\s*(-?\d+)\s*", text, re.ASCII)
    if numbers is None or not _has_cells(game):
        if not text:
            raise ValueError("nothing was entered")
        return int(r.text_to_action(game.rules, text))
    rows, cols = int(game.rules.rows), int(game.rules.cols)
    row, column = int(numbers[1]), int(numbers[2])
    if not (1 <= row <= rows and 1 <= column <= cols):
        raise ValueError(
            f"row {row}, column {column} is off the board; rows go from 1 (bottom) to {rows}, "
            f"columns from 1 (left) to {cols}"
        )
    return (rows - row) * cols + column - 1


def _has_cells(game: Game) -> bool:
    """Whether the actions are the cells of a board of rows and columns."""
    rows, cols = getattr(game.rules, "rows", 0), getattr(game.rules, "cols", 0)
    return bool(rows > 1 and game.facts.num_actions == rows * cols)


def _has_columns(game: Game) -> bool:
    """Whether the actions are the columns of a board."""
    rows, cols = getattr(game.rules, "rows", 0), getattr(game.rules, "cols", 0)
    return bool(rows > 1 and game.facts.num_actions == cols)


def refusal(game: Game, action: int) -> str:
    """Why an action that exists is not legal, in words.

    On a board of stones that stay where they are, the cell is taken.
    """
    taken = _has_cells(game)
    return f"{game.action_to_text(action)} {'is taken' if taken else 'cannot be played now'}"


def how_to_write_moves(game: Game) -> str:
    """How a person writes the moves of a game: where its coordinates begin, and which way they go.

    One sentence, or two.
    """
    first = game.action_to_text(0)
    if _has_cells(game):
        last = game.action_to_text(game.facts.num_actions - 1)
        return (
            f"A cell is the letter and the number at the sides of the board ({first} is the upper "
            f"left one, {last} the lower right). Two numbers will do as well: the row, counted "
            f"from the bottom, and the column."
        )
    if _has_columns(game):
        return f"A column is its letter ({first} is the left one), or its number from 1."
    if EDGE_NAME.fullmatch(first):
        return (
            "An edge is h or v (horizontal or vertical), then the row and the column of its left "
            "or upper dot, counted from 0 at the upper left: h 0 0, which may be written h00."
        )
    return f"A move is written with the letters and numbers at the sides of the board: {first}."


def _help(position: Position, legal: list[int]) -> str:
    names = [position.game.action_to_text(action) for action in legal]
    shown = ", ".join(names[:40]) + (f" and {len(names) - 40} more" if len(names) > 40 else "")
    written = how_to_write_moves(position.game)
    return f"Possible moves: {shown}.\n{written}\nq leaves the game."
