"""Replay of a finished game at the terminal, move by move."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...commands.output import Terminal
from ...envs.loading.texts import counted
from ...envs.specification import SpecificationError
from ...evaluation.played_game import PlayedGame
from ...evaluation.report import display
from ...evaluation.report.board import board, winning_row
from ...evaluation.reviews import GameReview, make_reviewer

HELP = """Enter or next   one move on
back            one move back
goto N          the position after move N; a number alone does the same
first, last     the ends of the game
review          grade the moves; they are shown with their grades from then on
quit            leave"""


class TerminalReplay:
    """The game, and the commands to step through it.

    Args:
        record: the game.
        title: the text at the beginning.
        agent: the agent that estimates in a review; None for the default.
    """

    def __init__(self, record: PlayedGame, title: str, agent: str | None = None) -> None:
        self.played: PlayedGame = record
        self._title: str = title
        self._agent: str | None = agent
        self._console = Terminal()
        self._review: GameReview | None = None
        self._ply = 0
        last = len(record.actions)
        self._words: dict[str, Callable[[], int]] = {
            "": lambda: self._ply + 1,
            "next": lambda: self._ply + 1,
            "n": lambda: self._ply + 1,
            "back": lambda: self._ply - 1,
            "b": lambda: self._ply - 1,
            "first": lambda: 0,
            "last": lambda: last,
        }

    def run(self) -> None:
        """Step through the game until the user leaves."""
        self._say(f"{self._title}\nEnter shows the next move; type help for all words.")
        self._show()
        try:
            while True:
                text = input(f"move {self._ply} of {len(self.played.actions)}: ").strip().lower()
                if text in ("q", "quit", "exit"):
                    return
                self._obey(text)
        except (EOFError, KeyboardInterrupt):
            self._say("")

    def print_end(self) -> None:
        """Print the moves and the last position, for output other than a terminal."""
        self._say(self._title)
        record = self.played
        names = [record.game.action_to_text(action) for action in record.actions]
        for what, part in (
            ("opening", names[: record.opening]), ("moves", names[record.opening :])
        ):  # fmt: skip
            if part:
                self._say(f"{what}: {', '.join(part)}")
        self._ply = len(names)
        self._show()

    def review(self) -> GameReview:
        """The review of the game, created at the first call."""
        if self._review is None:
            reviewer = make_reviewer(self.played.game, self._agent)
            with display.show_steps("steps", Terminal(stderr=True)) as progress:
                self._review = reviewer.review(self.played, progress)
        return self._review

    def print_review(self) -> None:
        """Print the graded moves and the totals."""
        self.review().print(self._console)

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=not self._console.is_terminal)

    def _obey(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        number = rest.strip() if word in ("goto", "g") else text
        if text in ("help", "?"):
            self._say(HELP)
        elif text == "review":
            try:
                self.print_review()
            except SpecificationError as error:
                self._say(f"{error}.")
        elif text in self._words:
            self._go(self._words[text]())
        elif number.isascii() and number.isdecimal():
            self._go(int(number))
        else:
            self._say(f"There is no word {text!r}. Type help for all words.")

    def _go(self, ply: int) -> None:
        last = len(self.played.actions)
        if ply < 0:
            self._say("This is the start of the game.")
        elif ply > last:
            self._say(f"The game has {counted(last, 'move')}; this is its end.")
        else:
            self._ply = ply
            self._show()

    def _show(self) -> None:
        """Show the position, the last move, and at the end the result."""
        actions, game = self.played.actions, self.played.game
        position = game.position(actions[: self._ply])
        before = game.position(actions[: self._ply - 1]) if self._ply else None
        self._say("")
        for line in self._captions():
            self._say(line)
        self._console.print(board(position, before))
        if self._ply == len(actions) and self.played.reason:
            row = winning_row(position)
            self._say(f"{self._ending()}" + (f" ({', '.join(row)})" if row else ""))

    def _captions(self) -> Iterator[str]:
        record, ply = self.played, self._ply
        if ply:
            seat = record.game.position(record.actions[: ply - 1]).to_move
            by = "opening" if ply <= record.opening else record.players[seat]
            player = record.game.declaration.player_names(marked=True)[seat]
            name = record.game.action_to_text(record.actions[ply - 1])
            yield f"{ply}. {player}: {name} ({by})"
        if self._review is not None:
            yield f"   {self._review.caption(ply)}"

    def _ending(self) -> str:
        record, declaration = self.played, self.played.game.declaration
        reason = declaration.named(record.reason)
        if record.winner is None:
            return f"A draw: {reason}"
        winner = declaration.player_names(marked=True)[record.winner]
        return f"{winner}, {record.players[record.winner]}, wins: {reason}"
