"""The rules in Python: :class:`Game` and :class:`Position`.

A game is rules with fixed parameters; a position is one state of play.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import rules as r
from .actions import IllegalActionError as IllegalActionError  # noqa: PLC0414 (exported)
from .actions import whole_action
from .boards.rows import read_rows, write_rows
from .declaration import Facts
from .optional import defaults  # noqa: F401  # the default bodies
from .outcome import Outcome
from .pictures.drawing import Picture, to_image, to_svg
from .pictures.tables import html_table
from .profile import Profile
from .rules_types import Declaration, parameter_values
from .specification import SpecificationError, format_specification, plain_text
from .stepping import EntryPoints, records_of

LONGEST_NAME = 40  # the most characters in an action's name


class IllegalPositionError(ValueError):
    """A text that is not a position of the game.

    Attributes:
        reason: the reason, in a few words.
    """

    def __init__(self, text: str, game: Game, reason: str) -> None:
        super().__init__(f"{text!r} is not a position of {game.spec}: {reason}")
        self.reason = reason


class Game:
    """A game with its parameters, made by :func:`plyground.make_game`.

    Games are equal if rules and parameters are equal.

    Attributes:
        rules: the rules type's NamedTuple.
        facts: the game's facts with these parameters.
        declaration: name, version, parameters with limits, heuristics.
    """

    def __init__(self, rules: Any) -> None:
        self.rules = rules
        self.declaration: Declaration = rules.declaration
        self.facts: Facts = r.facts(rules)
        if not 0 < self.facts.num_actions <= r.MOST_ACTIONS:
            raise SpecificationError(
                f"{self.spec} has {self.facts.num_actions} actions; a game has from 1 to "
                f"{r.MOST_ACTIONS}"
            )

    @property
    def name(self) -> str:
        return self.declaration.name

    @property
    def profile(self) -> Profile:
        """Data about the game for the other folders."""
        return self.declaration.profile

    @property
    def spec(self) -> str:
        """The specification that makes this game, parameters with their defaults left out."""
        return format_specification(self.name, self.declaration.stated(self.rules))

    def new_records(self, count: int) -> np.recarray[Any, Any]:
        """``count`` initial positions as a recarray of shape (count,)."""
        records = np.zeros(count, self.declaration.dtype).view(np.recarray)  # padding is zero too
        if count:
            r.start(self.rules, records[0])
        records[1:] = records[:1]
        return records

    def initial_position(self) -> Position:
        """The position before the first move."""
        return load_position(self, self._initial_bytes)

    @functools.cached_property
    def _initial_bytes(self) -> bytes:
        return self.new_records(1).tobytes()

    def position(self, actions: Iterable[int | str] = ()) -> Position:
        """The position after these actions (numbers, or their names as text)."""
        if not isinstance(actions, Iterable):
            raise TypeError(f"actions={actions!r} is not possible; it is a list of actions")
        position = self.initial_position()
        for action in actions:
            position.play(action)
        return position

    def position_from_observation(self, observation: np.ndarray) -> Position:
        """The position with this observation for the player to move.

        Args:
            observation: int8 of shape ``facts.observation_shape``, as ``observe`` writes it.

        Raises:
            ValueError: wrong shape, or the observation fits no position of this game. In a game
                whose board has places, unreachable boards are refused too.
        """
        planes = np.ascontiguousarray(observation, dtype=np.int8)
        if planes.shape != self.facts.observation_shape:
            raise ValueError(
                f"{self.spec} is observed as an array of shape {self.facts.observation_shape}, not "
                f"{planes.shape}"
            )
        position = load_position(self, self._initial_bytes)
        r.from_observation(self.rules, planes, position.record)
        if not np.array_equal(position.observation(), planes):
            raise ValueError(
                f"no position of {self.spec} looks like this observation to the player to move"
            )
        if r.board(self.rules).places:
            for problem in position.problems():
                raise ValueError(
                    f"no position of {self.spec} looks like this observation: {problem}"
                )
        return position

    def position_from_text(self, text: str, check: bool = True) -> Position:
        """The position that :meth:`Position.to_text` writes as this text.

        Args:
            text: the rows of the board from the top, ``/`` between them, numbers for free places;
                then ``:`` and the mark of the player to move. If that is left out, it is the first
                player who can be to move on this board.
            check: refuse unreachable boards; otherwise :meth:`Position.problems` reports them.

        Raises:
            IllegalPositionError: the text fits no position of this game; the message says why.
        """
        try:
            rows, turn = read_rows(self.rules, text)
            players = (0, 1) if turn is None else (turn,)
            odd = {player: r.problems(self.rules, rows, player) for player in players}
            player = min(players, key=lambda player: len(odd[player]))
            if check and odd[player]:
                raise ValueError(odd[player][0])
            position = self.initial_position()
            r.set_up(self.rules, rows, player, position.record)
        except ValueError as error:
            raise IllegalPositionError(text, self, str(error)) from None
        return position

    def action_to_text(self, action: int) -> str:
        """The name of an action; IllegalActionError if there is no such action."""
        return r.action_to_text(self.rules, self.action_number(action))

    def text_to_action(self, text: str) -> int:
        """The action of this name; an action number is accepted too.

        Raises IllegalActionError if there is none.
        """
        if len(text) > LONGEST_NAME:
            raise IllegalActionError(
                f"{plain_text(text, LONGEST_NAME)!r} is not an action of {self.spec}: the name "
                f"is too long"
            )
        try:
            return r.text_to_action(self.rules, text)
        except ValueError as error:
            if text.strip().isascii() and text.strip().isdigit():
                return self.action_number(int(text))
            raise IllegalActionError(str(error)) from None

    def action_number(self, action: int | str) -> int:
        """The number of an action, given by its number or its name.

        Raises IllegalActionError if there is no such action.
        """
        if type(action) is int and 0 <= action < self.facts.num_actions:
            return action
        if isinstance(action, str):
            return self.text_to_action(action)
        with contextlib.suppress(IllegalActionError):
            if 0 <= (number := whole_action(action)) < self.facts.num_actions:
                return number
        raise IllegalActionError(
            f"{action!r} is not an action of {self.spec}; actions are whole numbers from 0 to "
            f"{self.facts.num_actions - 1}"
        )

    @functools.cached_property
    def entry_points(self) -> EntryPoints:
        """The rules as compiled functions with the lowest call overhead from Python."""
        return EntryPoints(self.rules, self.declaration.dtype)

    @functools.cached_property
    def symmetries(self) -> np.ndarray:
        """Permutations of the actions, identity first: int16 of shape (symmetries, num_actions)."""
        return r.symmetries(self.rules)

    def _repr_html_(self) -> str:
        """Notebooks show the board, the players and the facts."""
        facts, (first, second) = self.facts, self.declaration.player_names(marked=True)
        rows: list[tuple[str, Any]] = [("players", f"{first} moves first, then {second}")]
        rows += parameter_values(self.rules).items()
        rows += [("actions", facts.num_actions), ("observation", facts.observation_shape)]
        title = f"{self.declaration.title}: {self.spec}"
        return html_table(rows, caption=title, picture=self.initial_position().to_svg())

    def __setattr__(self, name: str, value: Any) -> None:
        """AttributeError: a game is immutable, since all its positions share it."""
        if "facts" in self.__dict__:
            raise AttributeError(f"a game cannot be changed: {name} of {self.name} is fixed")
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Game)
            and type(self.rules) is type(other.rules)
            and self.rules == other.rules
        )

    def __hash__(self) -> int:
        return hash((type(self.rules), self.rules))

    def __repr__(self) -> str:
        return f"make_game({self.spec!r})"

    def __str__(self) -> str:
        return self.spec

    def __reduce__(self) -> tuple[Any, ...]:
        return Game, (self.rules,)


class Position:  # noqa: PLW1641  # mutable, so not hashable
    """One state of play.

    ``play`` changes it in place and ``pop`` takes back the last action; ``after`` returns a new
    position. An action is its number, or its name as text. Positions are equal if their games and
    records are. They are mutable and so not hashable: use :attr:`key` in sets and dictionaries.

    >>> position = make_game("connect_four").initial_position()
    >>> position.play("d").play(3).ply
    2
    >>> position.pop(), position.ply
    (3, 1)

    Attributes:
        game: the game it belongs to.
        record: the state itself, an ``np.record`` that every rule function and search accepts.
    """

    __slots__ = ("_history", "_records", "game", "record")

    def __init__(self, game: Game, record: Any) -> None:
        self.game: Game = game
        self.record: Any = record
        # the same memory, in the form that is fastest to pass to kernels
        self._records = records_of(record)
        self._history: History = ()

    def legal_actions(self) -> list[int]:
        """The actions that may be played, ascending; empty once the game is over."""
        buffer = np.empty(self.game.facts.num_actions, np.int16)
        count: int = self.game.entry_points.legal_actions(self.game.rules, self._records, buffer)
        legal: list[int] = buffer[:count].tolist()
        return legal

    def is_legal(self, action: int | str) -> bool:
        """Whether the action may be played now; False if there is no such action."""
        try:
            number = self.game.action_number(action)
        except IllegalActionError:
            return False
        return bool(self.game.entry_points.is_legal(self.game.rules, self._records, number))

    def play(self, action: int | str) -> Position:
        """Play an action in place; returns this position. :meth:`pop` takes it back.

        Raises:
            IllegalActionError: the action may not be played; says which may.
        """
        number = self.game.action_number(action)
        before = self._records.tobytes()
        if not self.game.entry_points.play(self.game.rules, self._records, number):
            self._refuse(number)
        self._history = (self._history, number, before)
        return self

    def pop(self) -> int:
        """Take back the last action, in place; returns its number.

        Raises:
            IndexError: nothing has been played since this position was made.
        """
        if not self._history:
            raise IndexError("there is no action to take back")
        self._history, action, before = self._history
        self._records.view(np.uint8)[:] = np.frombuffer(before, np.uint8)
        return int(action)

    def add_to_history(self, action: int, before: bytes) -> None:
        """Add an action that was played in the record; ``before`` are the bytes before it."""
        self._history = (self._history, action, before)

    def history(self) -> tuple[bytes, tuple[int, ...]]:
        """The bytes of the record at the start of the history, and the actions since then.

        :func:`load_position` restores the position from them. There are no actions if the record
        was changed other than by :meth:`play`.
        """
        record = self._records.tobytes()
        actions, history, origin = [], self._history, record
        while history:
            history, action, origin = history
            actions.append(action)
        actions.reverse()
        with contextlib.suppress(IllegalActionError):
            if load_position(self.game, origin, actions) == self:
                return origin, tuple(actions)
        return record, ()

    @property
    def moves(self) -> tuple[int, ...] | None:
        """The actions played from the initial position to this one.

        None if unknown: the position was made from an observation or a record, or its record was
            changed other than by :meth:`play`.
        """
        origin, actions = self.history()
        return actions if origin == self.game._initial_bytes else None

    @property
    def ply(self) -> int:
        """The number of actions from the initial position to this one, passes included.

        Raises:
            NotImplementedError: the record does not say, and :attr:`moves` is None.
        """
        try:
            return r.plies_played(self.game.rules, self.record)
        except NotImplementedError:
            if self.moves is None:
                raise
            return len(self.moves)

    def _refuse(self, action: int) -> None:
        name = f"{action} ({self.game.action_to_text(action)})"
        if self.is_over:
            ended = f"the game is over ({self.outcome})"
            raise IllegalActionError(f"action {name} cannot be played: {ended}")
        legal = self.legal_actions()
        first = ", ".join(f"{a} ({self.game.action_to_text(a)})" for a in legal[:12])
        more = f" and {len(legal) - 12} more" if len(legal) > 12 else ""
        raise IllegalActionError(f"action {name} is not legal here; legal actions: {first}{more}")

    def after(self, action: int | str) -> Position:
        """The position after an action; this one is unchanged."""
        return self.copy().play(action)

    def copy(self) -> Position:
        """An independent copy, with the same history."""
        position = load_position(self.game, self._records)
        position._history = self._history
        return position

    @property
    def to_move(self) -> int:
        """The player whose turn it is, 0 or 1."""
        return int(self.game.entry_points.to_move(self.game.rules, self._records))

    @property
    def mover_name(self) -> str:
        """The name and mark of the player to move: ``Red (X)``."""
        return self.game.declaration.player_names(marked=True)[self.to_move]

    @property
    def is_over(self) -> bool:
        return bool(self.game.entry_points.is_over(self.game.rules, self._records))

    @property
    def returns(self) -> tuple[float, float]:
        """The returns of the players so far; zero-sum."""
        first, second = self.game.entry_points.returns(self.game.rules, self._records)
        return first, second

    @property
    def outcome(self) -> Outcome | None:
        """The winner and the reason, or None while the game goes on."""
        if not self.is_over:
            return None
        winner = {0: None, 1: 0, -1: 1}[int(np.sign(self.returns[0]))]
        reason = self.game.profile.ending_text(r.outcome_reason(self.game.rules, self.record))
        outcome = Outcome(winner, reason)
        outcome.players = self.game.declaration.player_names(marked=True)
        return outcome

    def observation(self, player: int | None = None) -> np.ndarray:
        """The observation of ``player`` (default: to move): int8, ``facts.observation_shape``."""
        if player not in (None, 0, 1):
            raise ValueError(f"there is no player {player!r}; players are 0 and 1")
        out = np.zeros(self.game.facts.observation_shape, np.int8)
        seat = -1 if player is None else player
        self.game.entry_points.observe(self.game.rules, self._records, seat, out)
        return out

    def action_mask(self) -> np.ndarray:
        """1 for each legal action, 0 elsewhere: int8 of shape (num_actions,)."""
        mask = np.zeros(self.game.facts.num_actions, np.int8)
        self.game.entry_points.mask(self.game.rules, self._records, mask)
        return mask

    def to_text(self) -> str:
        """The position as a short text, which :meth:`Game.position_from_text` reads.

        It has the board and the player to move, but no moves. NotImplementedError without rows.
        """
        rules = self.game.rules
        return write_rows(rules, r.board_rows(rules, self.record), self.to_move)

    def problems(self) -> list[str]:
        """Why this position is unreachable, in sentences; empty if no reason is detected."""
        rules = self.game.rules
        with contextlib.suppress(NotImplementedError):
            return r.problems(rules, r.board_rows(rules, self.record), self.to_move)
        return []

    @property
    def key(self) -> int:
        """A 64-bit hash of the state, as transposition tables use it: equal in equal positions."""
        return int(r.key(self.game.rules, self.record))

    def transformed(self, symmetry: int) -> Position:
        """The image under one of the game's symmetries (a row of ``game.symmetries``)."""
        image = load_position(self.game, self._records)
        r.transform(self.game.rules, self.record, self.game.symmetries[symmetry], image.record)
        return image

    def to_image(self, last_action: int | str | None = None, longest_side: int = 600) -> Any:
        """The board as a Pillow image, with the last action marked."""
        return to_image(self._picture(last_action), longest_side)

    def to_svg(self, last_action: int | str | None = None) -> str:
        """The board as an SVG element, with the last action marked."""
        return to_svg(self._picture(last_action))

    def _picture(self, last_action: int | str | None) -> Picture:
        rules, number = self.game.rules, None
        if last_action is not None:  # by the opponent, unless its player is known
            action, player = self.game.action_number(last_action), 1 - self.to_move
            if self._history and self._history[1] == action:
                player = load_position(self.game, self._history[2]).to_move
            number = r.board(rules).area_number(action, player)
        picture: Picture = r.picture(rules, self.record, number)
        return picture

    _repr_svg_ = to_svg  # notebooks show the board

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Position)
            and self.game == other.game
            and self.record.tobytes() == other.record.tobytes()
        )

    def __str__(self) -> str:
        return r.board_text(self.game.rules, self.record)

    def __repr__(self) -> str:
        turn = str(self.outcome) if self.is_over else f"{self.mover_name} to move"
        return f"<Position of {self.game.spec}, {turn}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return load_position, (self.game, *self.history())


# The actions that led to a position: (those before, the last one, the record's bytes before it), or
# (). Positions share them: playing and copying take the same time however long the game is.
History = tuple[Any, ...]


def load_position(game: Game, data: bytes | np.ndarray, actions: Iterable[int] = ()) -> Position:
    """The position after actions from the one whose record has these bytes.

    The bytes include the padding; ``np.record.copy`` leaves arbitrary bytes in it.
    """
    position = Position.__new__(Position)  # a constructor would cost as much as the copy
    position.game, position._history = game, ()
    position._records = np.ndarray((1,), game.declaration.dtype, bytearray(data))
    position.record = position._records[0]
    for action in actions:
        position.play(action)
    return position
