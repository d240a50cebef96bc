"""A game of a person against an agent, at the terminal."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from ..agents import Decision
from ..agents.human import read_move
from ..envs.files import written_whole
from ..envs.game import Game, Position
from ..envs.specification import SpecificationError
from ..evaluation.players import Fault, Player, legal_action
from ..evaluation.report import display
from ..evaluation.report.board import board, winning_row
from ..evaluation.runners.contest import Contest

HINT_AGENT = "alphabeta:time=1"
SHOWN_MOVES = 40
HELP = """A move is written by its name. Other words:
  moves          the legal moves
  undo, redo     take back your last move and the answer; play them again
  hint           what a search of one second would play
  swap           change seats
  level AGENT    another opponent, such as level hard or level zoo:connect_four
  thinking       show what the opponent thinks, or no longer
  resign, new    give up; begin a new game
  save FILE      write the moves to a file (JSON)
  quit           leave"""


class Left(Exception):
    """The person leaves."""


class TerminalGame:
    """The game, and the words with which a person steers it.

    Args:
        game: the game.
        opponent: the specification of the agent.
        seat: the person's seat.
        seed: start of the agent's random stream; the next game has the next number.
        show_thinking: whether the agent's thoughts are shown.

    Raises:
        SpecificationError: there is no such agent, or it cannot play the game.
    """

    def __init__(
        self, game: Game, opponent: str, seat: int, seed: int, show_thinking: bool
    ) -> None:
        self.game, self.opponent, self.seat, self.seed = game, opponent, seat, seed
        self._console = Console(highlight=False)
        self._show_thinking = show_thinking
        self._player = self._seated(opponent)
        self._moves: list[int] = []
        self._undone: list[int] = []
        self._resigned = False
        self._words: dict[str, Callable[[str], None]] = {
            "help": lambda _: self._say(HELP),
            "?": lambda _: self._say(HELP),
            "moves": lambda _: self._list_moves(),
            "undo": lambda _: self._undo(),
            "redo": lambda _: self._redo(),
            "hint": lambda _: self._hint(),
            "swap": lambda _: self._swap(),
            "level": self._change_level,
            "thinking": lambda _: self._toggle_thinking(),
            "resign": lambda _: self._resign(),
            "new": lambda _: self._begin_anew(),
            "save": self._save,
        }

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.game.position(self._moves)

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or because the person gave up."""
        return self._resigned or self.position.is_over

    def run(self) -> None:
        """Play until the person leaves; the last line says how the last game ended."""
        self._introduce()
        try:
            with contextlib.closing(self._player):
                self._show_board()
                while True:
                    if not self.over and self.position.to_move != self.seat:
                        self._let_opponent_move()
                    else:
                        self._obey(self._read())
        except (Left, KeyboardInterrupt):
            if not self.over:
                self._say("\nYou left the game.")

    # -- talk --

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def _introduce(self) -> None:
        mark = self.game.declaration.marks[self.seat]
        order = "second" if self.seat else "first"
        self._say(
            f"{self.game.declaration.title}: you are {mark} and move {order}, against "
            f"{self.opponent}. Type help for all words."
        )

    def _show_board(self) -> None:
        before = self.game.position(self._moves[:-1]) if self._moves else None
        self._console.print()
        self._console.print(board(self.position, before))
        self._console.print()
        if self.over:
            self._announce_end()

    def _announce_end(self) -> None:
        position = self.position
        if self._resigned:
            self._say("You resigned.")
            return
        assert position.outcome is not None
        row = winning_row(position)
        self._say(str(position.outcome) + (f" ({', '.join(row)})" if row else ""))
        winner = position.outcome.winner
        self._say(
            "A draw." if winner is None else f"You {'win' if winner == self.seat else 'lose'}."
        )

    def _read(self) -> str:
        """A line that the person types; Left at the end of the input or after a finished game."""
        if self.over:
            prompt = "new, undo, save FILE or quit: "
        else:
            legal = self.position.legal_actions()
            example = self.game.action_to_text(legal[len(legal) // 2])
            mark = self.game.declaration.marks[self.seat]
            prompt = f"{mark}, your move (such as {example}): "
        try:
            return input(prompt).strip()
        except EOFError:
            raise Left from None

    def _obey(self, text: str) -> None:
        """Do what a line says: a word of the game, or a move."""
        word, _, rest = text.partition(" ")
        word = word.lower()
        if word in ("q", "quit", "exit"):
            raise Left
        # A word with something after it that takes nothing is perhaps a move.
        if word in self._words and (not rest or word in ("level", "save")):
            self._words[word](rest.strip())
        elif self.over:
            self._say("The game is over. Type new, undo, save FILE or quit.")
        else:
            self._try_move(text)

    def _try_move(self, text: str) -> None:
        try:
            action = read_move(self.game, text)
        except ValueError as error:
            self._say(f"{error}. Try again, or type help.")
            return
        if not self.position.is_legal(action):
            name = self.game.action_to_text(action)
            self._say(f"{name} cannot be played now. Try again, or type moves.")
            return
        self._undone.clear()
        self._moves.append(action)
        self._show_board()

    # -- the words --

    def _list_moves(self) -> None:
        names = [self.game.action_to_text(action) for action in self.position.legal_actions()]
        more = f" and {len(names) - SHOWN_MOVES} more" if len(names) > SHOWN_MOVES else ""
        self._say("Legal moves: " + ", ".join(names[:SHOWN_MOVES]) + more)

    def _own_plies(self, moves: list[int]) -> list[int]:
        """The plies at which the person moved."""
        return [
            ply for ply in range(len(moves)) if self.game.position(moves[:ply]).to_move == self.seat
        ]

    def _undo(self) -> None:
        own = self._own_plies(self._moves)
        if self._resigned:
            self._resigned = False
        elif not own:
            self._say("There is no move of yours to take back.")
            return
        else:
            self._undone = self._moves[own[-1] :] + self._undone
            del self._moves[own[-1] :]
        self._show_board()

    def _redo(self) -> None:
        if not self._undone:
            self._say("There is nothing to play again.")
            return
        later = self._own_plies(self._moves + self._undone)
        next_own = [ply for ply in later if ply > len(self._moves)]
        count = (next_own[0] if next_own else len(self._moves + self._undone)) - len(self._moves)
        self._moves += self._undone[:count]
        del self._undone[:count]
        self._show_board()

    def _hint(self) -> None:
        if self.over:
            self._say("The game is over.")
            return
        with contextlib.closing(self._seated(HINT_AGENT)) as adviser:
            action, decision = self._ask(adviser, "thinking of a hint")
        self._say(
            f"{HINT_AGENT} would play {self.game.action_to_text(action)}   "
            f"[{display.thoughts(self.game, decision)}]"
        )

    def _swap(self) -> None:
        self.seat = 1 - self.seat
        self._say(f"You are {self.game.declaration.marks[self.seat]} now.")

    def _change_level(self, text: str) -> None:
        if not text:
            self._say(f"The opponent is {self.opponent}. Type level AGENT, such as level hard.")
            return
        try:
            player = self._seated(text)
        except SpecificationError as error:
            self._say(f"{error}. The opponent remains {self.opponent}.")
            return
        self._player.close()
        self._player, self.opponent = player, text
        self._say(f"You play against {text} now.")

    def _toggle_thinking(self) -> None:
        self._show_thinking = not self._show_thinking
        self._say(f"What the opponent thinks is {'shown' if self._show_thinking else 'hidden'}.")

    def _resign(self) -> None:
        if self.over:
            self._say("The game is over.")
            return
        self._resigned = True
        self._announce_end()

    def _begin_anew(self) -> None:
        self._moves, self._undone, self._resigned = [], [], False
        self.seed += 1
        self._player.prepare(self.game, self.seed)
        self._show_board()

    def _save(self, name: str) -> None:
        if not name:
            self._say("Type save FILE, such as save game.json.")
            return
        agents = [self.opponent, self.opponent]
        agents[self.seat] = "human"
        value = {
            "game": self.game.spec,
            "agents": agents,
            "actions": self._moves,
            "moves": [self.game.action_to_text(action) for action in self._moves],
            "resigned": self.seat if self._resigned else None,
            "returns": list(self.position.returns) if self.position.is_over else None,
        }
        try:
            with written_whole(Path(name)) as file:
                file.write((json.dumps(value, indent=1) + "\n").encode())
        except OSError as error:
            self._say(f"{name} cannot be written: {error.strerror}.")
            return
        self._say(f"{name}: {len(self._moves)} moves of {self.game.spec}")

    # -- the opponent --

    def _seated(self, spec: str) -> Player:
        """A player that is ready for the game; SpecificationError if there is none."""
        player = Contest(self.game, (spec,), (spec,)).player(0)
        try:
            player.describe()
            with display.status_line(Console(stderr=True)) as tell:
                tell(f"{spec} gets ready")
                player.prepare(self.game, self.seed)
        except BaseException:
            player.close()
            raise
        return player

    def _let_opponent_move(self) -> None:
        try:
            action, decision = self._ask(self._player, f"{self.opponent} is thinking")
        except Fault as fault:
            self._say(f"{self.opponent} {fault}. Type level AGENT for another opponent.")
            self.seat = self.position.to_move
            return
        self._moves.append(action)
        thoughts = f"   [{display.thoughts(self.game, decision)}]" if self._show_thinking else ""
        self._say(f"{self.opponent} plays {self.game.action_to_text(action)}{thoughts}")
        self._show_board()

    def _ask(self, player: Player, what: str) -> tuple[int, Decision | None]:
        """A player's legal action and decision; Fault if it has none."""
        with display.status_line(Console(stderr=True)) as tell:
            tell(what)
            answer, decision = player.ask(self.position, analyse=True, allowed=math.inf)
        return legal_action(answer, self.position), decision
