"""The opponents of the learner.

Some move inside a compiled loop; all others are called from Python.

:func:`choose_action` is the rule of compiled opponents; :func:`choose_actions` is the rule of those
that choose for many games at once. An opponent's type is a NamedTuple of its settings and buffers;
the loop calls the body registered for that type (see ``agents/compiled_opponents.py``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..actions import NoActionError, whole_action
from ..compiled.dispatch import missing, rule
from ..game import Game, IllegalActionError, Position
from ..loading.own_modules import place_of_error
from ..specification import SpecificationError, plain_text
from .replies import ReplyMemory, store_reply

NOBODY = -1  # no opponent's index


@rule
def choose_action(opponent, rules, position, rng):
    """The action (int64) a compiled opponent plays.

    ``rng`` is the random stream (uint64 of length 1) of the game.
    """
    raise missing(opponent, "choose_action")


@rule
def choose_actions(opponent, streams, count):
    """Write the actions of the first turns; returns whether the opponent could choose.

    A compiled opponent defines this rule instead of :func:`choose_action` if it chooses for many
    games at once. Its type then has a field ``turns``, see :class:`Turns`. ``streams`` (uint64, (N,
    1)) are the random streams of all games.
    """
    raise missing(opponent, "choose_actions")


class Turns(NamedTuple):
    """Games in which one opponent is to move, and its observations."""

    games: Any  # int64 (n,): the indices of the games
    planes: Any  # int8 (n, rows, columns, planes)
    masks: Any  # int8 (n, num_actions)
    actions: Any  # int64 (n,): its actions
    scratch: Any  # int16 (num_actions,)


def new_turns(game: Game, most: int) -> Turns:
    """Buffers for this many games."""
    facts = game.facts
    return Turns(
        np.zeros(most, np.int64),
        np.zeros((most, *facts.observation_shape), np.int8),
        np.zeros((most, facts.num_actions), np.int8),
        np.zeros(most, np.int64),
        np.zeros(facts.num_actions, np.int16),
    )


class ByNetwork(NamedTuple):
    """An opponent on a device whose network torch evaluates, for all games of a batch at once.

    Attributes:
        form: for :func:`choose_actions`, with ``turns`` of one game, and the network's answer in
            ``logits`` (float32, (1, num_actions)) and ``values`` (float32, (1,)).
        network: a module of torch, from float32 observations to logits and values.
    """

    form: Any
    network: Any


class Opponent(NamedTuple):
    """One opponent and its weight in the mixture.

    Attributes:
        label: its name.
        player: the object that chooses actions in Python, with ``act(position)``, or with
            ``act_batch(observations, masks)``, which gets int8 arrays of shape (n, rows, columns,
            planes) and (n, num_actions) as the side to move sees them, and returns n actions. If
            its attribute ``takes_streams`` is True it also gets ``streams``, the random streams of
            these games (uint64, (n, 1)), which it advances by drawing. None, and no ``compiled``
            either: the learner itself, which then acts for both players.
        compiled: makes the NamedTuple that :func:`choose_action` or :func:`choose_actions` takes,
            with separate buffers for each thread; None: ``player`` chooses.
        weight: how often it is drawn, relative to the others.
        by_position: whether its move depends on the position alone; the batch then remembers it.
        on_device: makes the form for each game of a device: a NamedTuple as above, or
            :class:`ByNetwork`; None: that of ``compiled``.
    """

    label: str
    player: Any
    compiled: Callable[[Game], Any] | None = None
    weight: float = 1.0
    by_position: bool = False
    on_device: Callable[[Game], Any] | None = None

    @property
    def is_learner(self) -> bool:
        """Whether the learner itself plays for it."""
        return self.player is None and self.compiled is None

    def __str__(self) -> str:
        return f"the opponent {self.label}"


@contextlib.contextmanager
def errors_of(title: str, *kinds: type[BaseException]) -> Iterator[None]:
    """Report errors of a player in the body with its title and the line of its code.

    Args:
        title: the player's name in messages.
        kinds: errors that become a SpecificationError. An invalid answer becomes an
            IllegalActionError.
    """
    try:
        yield
    except SpecificationError:
        raise
    except NoActionError as error:
        raise IllegalActionError(f"{title} {error}") from None
    except kinds as error:
        what, place = plain_text(f"{type(error).__name__}: {error}"), place_of_error(error)
        place = f" ({place})" if place else ""
        raise SpecificationError(f"{title} raised {what}{place}") from error


def cumulative_shares(opponents: Sequence[Opponent]) -> np.ndarray:
    """The cumulative shares of the opponents, float64, the last one 1."""
    weights = np.array([opponent.weight for opponent in opponents], np.float64)
    if not opponents or not np.all(np.isfinite(weights)) or np.any(weights <= 0):
        raise ValueError(f"opponents need weights above 0; these have {weights.tolist()}")
    cumulative = np.cumsum(weights / weights.sum())
    cumulative[-1] = 1.0
    return cumulative


def index_of_learner(opponents: Sequence[Opponent]) -> int:
    """The index of the opponent that is the learner itself; NOBODY if there is none."""
    found = [index for index, opponent in enumerate(opponents) if opponent.is_learner]
    if len(found) > 1:
        raise ValueError("the learner itself can be only one of the opponents")
    return found[0] if found else NOBODY


def called_from_python(opponents: Sequence[Opponent]) -> list[str]:
    """The labels of the opponents that move outside of the compiled loop."""
    return [each.label for each in opponents if each.compiled is None and not each.is_learner]


class PythonOpponent:
    """Asks one Python opponent for its actions, game by game.

    An agent plays one game at a time, so it is reset whenever the game changes: of several games
    before each turn, for what it does not to depend on which others wait. Its random numbers
    come from the stream of the game, as for compiled opponents: both then play the same.
    """

    def __init__(self, opponent: Opponent, game: Game, memory: ReplyMemory) -> None:
        self.opponent: Opponent = opponent
        self.memory: ReplyMemory = memory
        self.title: str = str(opponent)
        self.player: Any = opponent.player
        self.game: Game = game
        self._last: tuple[int, int] | None = None

    def forget(self) -> None:
        """Treat the next game as a new one."""
        self._last = None

    def play_turn(self, record: Any, seat: int, rng: np.ndarray, number: int, episode: int) -> None:
        """Play in the position of ``record`` until the game is over or it is ``seat``'s turn.

        Raises:
            IllegalActionError: the opponent chose an illegal action, or returned something else.
        """
        if (number, episode) != self._last:
            if hasattr(self.player, "reset"):
                # 32 bits: the longest seed of numpy's RandomState and others
                self.player.reset(int(rng[0] >> np.uint64(32)))
            self._last = (number, episode)
        own_stream = getattr(self.player, "stream", None)
        if (
            isinstance(own_stream, np.ndarray)
            and own_stream.dtype == np.uint64
            and own_stream.shape == (1,)
        ):
            self.player.stream = rng
        position = Position(self.game, record)
        while not position.is_over and position.to_move != seat:
            with errors_of(self.title, Exception, SystemExit):
                action = whole_action(self.player.act(position.copy()))
            before = position.record.copy() if self.opponent.by_position else None
            try:
                position.play(action)
            except IllegalActionError as error:
                raise IllegalActionError(f"{self.title} played illegally: {error}") from None
            if before is not None:
                store_reply(self.memory, self.game.rules, before, action)
