"""The human agent: asks a person at the terminal for every move."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ..envs import rules as r
from ..envs.game import Game, Position
from ..envs.optional.defaults import action_cells
from ..envs.specification import SpecificationError
from .agent import Agent
from .decision import Decision
from .registry import register_agent, resolve_agent


class HumanQuit(KeyboardInterrupt):
    """The person wants to stop.

    A KeyboardInterrupt, so that a match does not count it as a fault of the agent.
    """


@register_agent("human")
class HumanAgent(Agent):
    """Shows the board and asks for a move until the answer is legal.

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
                    f"{position.mover_name}, your move (such as {example}; ? for help, q to quit): "
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
            self.tell(f"{refusal(position, action)}. Try again.")


def refuse_people(specs: Iterable[str], where: str) -> None:
    """SpecificationError if an agent is a person, who cannot play in ``where``: "a tournament"."""
    for spec in specs:
        if issubclass(resolve_agent(spec)[0], HumanAgent):
            raise SpecificationError(f"a person cannot play in {where}; use: plyground play GAME")


def read_move(game: Game, text: str) -> int:
    """The action that a person's text means.

    The text is the action's name or, where actions are the cells of a board, the row and the column
    with the numbers at the sides of the board. Where actions are columns, it may be the column's
    number from 1.

    Raises:
        ValueError: there is no such action; says what is allowed.
    """
    board = _ActionCells(game)
    if text.isascii() and text.isdecimal() and board.columns:
        if not 1 <= int(text) <= len(board.columns):
            raise ValueError(
                f"there is no column {text}; columns go from 1 to {len(board.columns)}"
            )
        return board.columns[int(text) - 1]
    numbers = re.fullmatch(r"\s*(-?\d+)\s*[ ,]\s*(-?\d+)\s*", text, re.ASCII)
    if numbers is None or not board.cells:
        if not text:
            raise ValueError("nothing was entered")
        return int(r.text_to_action(game.rules, text))
    row, column = int(numbers[1]), int(numbers[2])
    action = board.cells.get((row - 1 if board.from_top else board.rows - row, column - 1))
    if action is None:
        raise ValueError(
            f"row {row}, column {column} is off the board; rows go from 1 ({board.first_row}) to "
            f"{board.rows}, columns from 1 (left) to {board.cols}"
        )
    return action


class _ActionCells:
    """Where the actions of a game are on its board, as the game declares it.

    Attributes:
        cells: the action of each (row, column), the upper left one (0, 0); empty where an action is
            more than a cell to play on, such as an edge or a step from one cell to another.
        columns: the actions that are whole columns, from the left.
        rows, cols: the numbers of rows and columns of cells.
        from_top: whether the names of the cells number the rows from the top.
    """

    def __init__(self, game: Game) -> None:
        places = action_cells(game.rules)[:, :2].tolist()
        self.columns: list[int] = [
            action for action, (row, column) in enumerate(places) if row < 0 <= column
        ]
        self.cells: dict[tuple[int, int], int] = {
            (row, column): action for action, (row, column) in enumerate(places) if row >= 0
        }
        if len(self.cells) < sum(row >= 0 for row, _ in places):
            self.cells = {}
        self.rows: int = max((row + 1 for row, _ in self.cells), default=0)
        self.cols: int = max((column + 1 for _, column in self.cells), default=0)
        first = min(self.cells, default=None)
        name = "" if first is None else game.action_to_text(self.cells[first])
        self.from_top: bool = self.rows > 1 and re.findall(r"\d+", name) == ["1"]

    @property
    def first_row(self) -> str:
        """Where row 1 is."""
        return "top" if self.from_top else "bottom"


def refusal(position: Position, action: int) -> str:
    """Why an existing action is not legal, in words: an occupied cell is taken."""
    rules, name = position.game.rules, position.game.action_to_text(action)
    for place in r.board(rules).places:
        if place.name == name:
            if r.board_rows(rules, position.record)[place.row][place.column] in place.symbols:
                return f"{name} is taken"
    return f"{name} cannot be played now"


def how_to_write_moves(game: Game) -> str:
    """How a person writes the moves of a game: where its coordinates begin, and which way they go.

    One sentence, or two.
    """
    board, first = _ActionCells(game), game.action_to_text(0)
    if board.cells:
        last = game.action_to_text(board.cells[max(board.cells)])
        return (
            f"A cell is the letter and the number at the sides of the board ({first} is the upper "
            f"left one, {last} the lower right). Two numbers will do as well: the row, counted "
            f"from the {board.first_row}, and the column."
        )
    if board.columns:
        return f"A column is its letter ({first} is the left one), or its number from 1."
    return game.profile.notation or (
        f"A move is written with the letters and numbers at the sides of the board: {first}."
    )


def _help(position: Position, legal: list[int]) -> str:
    names = [position.game.action_to_text(action) for action in legal]
    moves = ", ".join(names[:40]) + (f" and {len(names) - 40} more" if len(names) > 40 else "")
    return f"Possible moves: {moves}.\n{how_to_write_moves(position.game)}\nq leaves the game."
