"""A game of a person against an agent, at the terminal."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from pathlib import Path

from ...agents import Agent, Decision
from ...agents.faults import Fault, ask, close, legal_action
from ...agents.human import how_to_write_moves, read_move, refusal
from ...commands.output import Terminal
from ...commands.preparation import Preparation, compile_rules
from ...envs.game import Game, Position
from ...envs.loading.files import written_whole
from ...envs.loading.texts import counted
from ...envs.specification import SpecificationError
from ...evaluation.fingerprints import Description, describe
from ...evaluation.match import GameResult
from ...evaluation.played_game import PlayedGame
from ...evaluation.report import display
from ...evaluation.report.board import board, winning_row
from ...evaluation.reviews import make_reviewer
from ...evaluation.runners.contest import Contest
from ...evaluation.single_games import (
    concession,
    joint_entry,
    person,
    store_game,
)
from ...evaluation.store.store import Store, StoreError

HINT_AGENT = "alphabeta:time=1"
SHOWN_MOVES = 40
HELP = """Other words:
  moves          the legal moves
  undo, redo     take back your last move and the answer; play them again
  hint           what a search of one second would play
  swap           change seats
  level AGENT    another opponent, such as level hard or level zoo:connect_four
  thinking       show what the opponent thinks, or no longer
  resign, new    give up; begin a new game
  review         how good the moves were, and what was better
  save FILE      write the moves to a file (JSON)
  quit           leave"""


class Left(Exception):
    """The user leaves."""


class TerminalGame:
    """The game, and the commands of the user.

    Args:
        game: the game.
        opponent: the specification of the agent.
        seat: the user's seat.
        seed: the agent's seed; the next game has the next number.
        show_thinking: whether to show the agent's evaluation.
        store: the store for finished games, if any.

    Raises:
        SpecificationError: there is no such agent, or it cannot play the game.
    """

    def __init__(
        self,
        game: Game,
        opponent: str,
        seat: int,
        seed: int,
        show_thinking: bool,
        store: Store | None = None,
    ) -> None:
        self.game: Game = game
        self.opponent: str = opponent
        self.seat: int = seat
        self.seed: int = seed
        self._store = store
        self._console = Terminal()
        self._show_thinking = show_thinking
        compile_rules(game)
        self._agent, self._preparation = self._make_agent(opponent)
        self._begin()
        self._words: dict[str, Callable[[str], None]] = {
            "help": lambda _: self._help(),
            "?": lambda _: self._help(),
            "moves": lambda _: self._list_moves(),
            "undo": lambda _: self._undo(),
            "redo": lambda _: self._redo(),
            "hint": lambda _: self._hint(),
            "swap": lambda _: self._swap(),
            "level": self._change_level,
            "thinking": lambda _: self._toggle_thinking(),
            "resign": lambda _: self._resign(),
            "new": lambda _: self._begin_anew(),
            "review": lambda _: self._review(),
            "save": self._save,
        }

    def _begin(self) -> None:
        """The state at the beginning of a game."""
        self._moves: list[int] = []
        self._redo_moves: list[int] = []
        self._resigned = False
        self._stored_moves: tuple[int, ...] | None = (
            None  # the moves of the game that was kept last
        )
        self._opponents: list[Description] = []  # the opponents that have moved, in order
        self._seconds, self._decisions = [0.0, 0.0], [0, 0]

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.game.position(self._moves)

    @property
    def _name(self) -> str:
        """The name of the user, with the mark on the board."""
        return self.game.declaration.player_names(marked=True)[self.seat]

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or because the user resigned."""
        return self._resigned or self.position.is_over

    def run(self) -> None:
        """Play until the user leaves; the last line is the result of the last game."""
        self._introduce()
        try:
            self._show_board()
            while True:
                if not self.over and self.position.to_move != self.seat:
                    self._let_opponent_move()
                else:
                    self._obey(self._read())
        except (Left, KeyboardInterrupt):
            if not self.over:
                self._say("\nYou left the game.")
                self._keep_unfinished()
        finally:
            close(self._agent)

    # -- talk --

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=not self._console.is_terminal)

    def _introduce(self) -> None:
        order = "second" if self.seat else "first"
        self._say(
            f"{self.game.declaration.title}: you are {self._name} and move {order}, against "
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
            self._keep(concession(self.game, *self._course()))
            return
        assert position.outcome is not None
        row = winning_row(position)
        self._say(str(position.outcome) + (f" ({', '.join(row)})" if row else ""))
        winner = position.outcome.winner
        self._say(
            "A draw." if winner is None else f"You {'win' if winner == self.seat else 'lose'}."
        )
        moves, _, seconds, decisions = self._course()
        reason = position.outcome.reason
        self._keep(GameResult(moves, position.returns, reason, None, None, seconds, decisions))

    def _read(self) -> str:
        """A line typed by the user; Left at the end of the input or after a finished game."""
        if self.over:
            prompt = "new, undo, review, save FILE or quit: "
        else:
            legal = self.position.legal_actions()
            example = self.game.action_to_text(legal[len(legal) // 2])
            prompt = f"{self._name}, your move (such as {example}): "
        began = time.perf_counter()
        try:
            return input(prompt).strip()
        except EOFError:
            raise Left from None
        finally:
            self._seconds[self.seat] += time.perf_counter() - began

    def _obey(self, text: str) -> None:
        """Execute a line: a command, or a move."""
        word, _, rest = text.partition(" ")
        word = word.lower()
        if word in ("q", "quit", "exit"):
            raise Left
        # A command without arguments that is followed by something may be a move.
        if word in self._words and (not rest or word in ("level", "save")):
            self._words[word](rest.strip())
        elif self.over:
            self._say("The game is over. Type new, undo, review, save FILE or quit.")
        else:
            self._try_move(text)

    def _try_move(self, text: str) -> None:
        try:
            action = read_move(self.game, text)
        except ValueError as error:
            self._say(f"{error}. Try again, or type help.")
            return
        if not self.position.is_legal(action):
            self._say(f"{refusal(self.position, action)}. Try again, or type moves.")
            return
        self._redo_moves.clear()
        self._decisions[self.seat] += 1
        self._moves.append(action)
        self._show_board()

    # -- the words --

    def _help(self) -> None:
        self._say(f"{how_to_write_moves(self.game)}\n{HELP}")

    def _list_moves(self) -> None:
        names = [self.game.action_to_text(action) for action in self.position.legal_actions()]
        more = f" and {len(names) - SHOWN_MOVES} more" if len(names) > SHOWN_MOVES else ""
        self._say("Legal moves: " + ", ".join(names[:SHOWN_MOVES]) + more)

    def _own_plies(self, moves: list[int]) -> list[int]:
        """The plies at which the user moved."""
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
            self._redo_moves = self._moves[own[-1] :] + self._redo_moves
            del self._moves[own[-1] :]
        self._show_board()

    def _redo(self) -> None:
        if not self._redo_moves:
            self._say("There is nothing to play again.")
            return
        later = self._own_plies(self._moves + self._redo_moves)
        next_own = [ply for ply in later if ply > len(self._moves)]
        count = (next_own[0] if next_own else len(self._moves + self._redo_moves)) - len(
            self._moves
        )
        self._moves += self._redo_moves[:count]
        del self._redo_moves[:count]
        self._show_board()

    def _hint(self) -> None:
        if self.over:
            self._say("The game is over.")
            return
        adviser, preparation = self._make_agent(HINT_AGENT)
        with contextlib.closing(adviser):
            action, decision = self._ask(adviser, preparation, "thinking of a hint")
        self._say(
            f"{HINT_AGENT} would play {self.game.action_to_text(action)}   "
            f"[{display.thoughts(self.game, decision)}]"
        )

    def _swap(self) -> None:
        self.seat = 1 - self.seat
        self._say(f"You are {self._name} now.")

    def _change_level(self, text: str) -> None:
        if not text:
            self._say(f"The opponent is {self.opponent}. Type level AGENT, such as level hard.")
            return
        try:
            agent, preparation = self._make_agent(text)
        except SpecificationError as error:
            self._say(f"{error}. The opponent remains {self.opponent}.")
            return
        close(self._agent)
        self._agent, self._preparation = agent, preparation
        self.opponent = text
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
        if not self.over:
            self._keep_unfinished()
        self._begin()
        self.seed += 1
        self._preparation.wait(lambda text: None)
        self._preparation = Preparation(self._agent, self.game, self.seed)
        self._show_board()

    def _review(self) -> None:
        if not self._moves:
            self._say("There is no move to review.")
            return
        names = [self.opponent, self.opponent]
        names[self.seat] = "you"
        record = PlayedGame(self.game, tuple(self._moves), (names[0], names[1]))
        try:
            reviewer = make_reviewer(self.game)
        except SpecificationError as error:
            self._say(f"{error}.")
            return
        with display.show_steps("steps", Terminal(stderr=True)) as progress:
            review = reviewer.review(record, progress)
        review.print(self._console)

    # -- the store --

    def _course(self) -> tuple[tuple[int, ...], int, tuple[float, float], tuple[int, int]]:
        """The moves, the user's seat, and each seat's seconds and decisions."""
        (first, second), (moves_0, moves_1) = self._seconds, self._decisions
        return tuple(self._moves), self.seat, (first, second), (moves_0, moves_1)

    def _keep_unfinished(self) -> None:
        """Store a game that the user leaves after at least one move.

        A game stored at its end, and then partly taken back, is not stored again.
        """
        moves = tuple(self._moves)
        is_part = self._stored_moves is not None and self._stored_moves[: len(moves)] == moves
        if self._own_plies(self._moves) and not is_part:
            self._keep(concession(self.game, *self._course(), leaves=True))

    def _keep(self, result: GameResult) -> None:
        """Store a finished game, if there is a store and it is not stored yet."""
        if self._store is None or self._stored_moves == result.moves:
            return
        opponents = self._opponents or [describe(self._agent)]
        sides = [joint_entry(opponents)] * 2
        sides[self.seat] = person()
        try:
            seeds = (self.seed, self.seed)
            number = store_game(self._store, self.game, (sides[0], sides[1]), result, seeds=seeds)
        except StoreError as error:
            self._say(f"The game is not stored: {error}.")
            return
        self._stored_moves = result.moves
        self._say(
            f"The game is stored: plyground replay {self._store.path} {number}",
        )

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
        self._say(f"{name}: {counted(len(self._moves), 'move')} of {self.game.spec}")

    # -- the opponent --

    def _make_agent(self, spec: str) -> tuple[Agent, Preparation]:
        """Start preparing an agent for the game; SpecificationError if there is none."""
        agent = Contest(self.game, (spec,), (spec,)).agent(0)
        describe(agent)
        return agent, Preparation(agent, self.game, self.seed)

    def _let_opponent_move(self) -> None:
        try:
            action, decision = self._ask(
                self._agent, self._preparation, f"{self.opponent} is thinking"
            )
        except Fault as fault:
            self._say(f"{self.opponent} {fault}. Type level AGENT for another opponent.")
            self.seat = self.position.to_move
            return
        self._moves.append(action)
        self._decisions[1 - self.seat] += 1
        self._opponents.append(describe(self._agent))
        thoughts = f"   [{display.thoughts(self.game, decision)}]" if self._show_thinking else ""
        self._say(f"{self.opponent} plays {self.game.action_to_text(action)}{thoughts}")
        self._show_board()

    def _ask(
        self, agent: Agent, preparation: Preparation, what: str
    ) -> tuple[int, Decision | None]:
        """An agent's legal action and decision; Fault if it has none."""
        with display.status_line(Terminal(stderr=True)) as tell:
            preparation.wait(tell)
            began = time.perf_counter()
            tell(what)
            answer, decision = ask(agent, self.position, analyse=True)
        if agent is self._agent:
            self._seconds[1 - self.seat] += time.perf_counter() - began
        return legal_action(answer, self.position), decision
