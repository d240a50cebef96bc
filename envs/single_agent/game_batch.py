"""Many parallel games against opponents that move automatically.

The Gymnasium and SB3 environments are built on it.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ..actions import whole_actions
from ..compiled.kernels import announce_compilation, entry_point
from ..game import Game, IllegalActionError, Position
from ..registry import make_game
from ..specification import SpecificationError
from . import batch_kernels as kernels
from .illegal_games import IllegalEnds
from .opponents import (
    NOBODY,
    Opponent,
    PythonOpponent,
    called_from_python,
    choose_actions,
    cumulative_shares,
    errors_of,
    index_of_learner,
    new_turns,
)
from .regret import Judge, Regrets
from .replies import ReplyMemory, new_memory, reply_from_memory
from .seeds import streams_of

SEATS: dict[int | str, int] = {0: 0, 1: 1, "random": kernels.RANDOM_SEAT}
ILLEGAL_CHOICES = ("penalty", "raise")
# what copies do not share
MADE_ANEW = ["_executor", "_regrets", "_replies", "_python_opponents", "_begin_games", "_describe"]
MADE_ANEW += ["_find_illegal", "_step_both", "_play_actions", "_settle"]
OPENINGS = 1000  # attempts to start a game in which the learner can move


class GameBatch:
    """N games of one kind, in all of which the learner acts at once.

    Opponents reply before the step returns.

    The arrays of ``state`` (see :class:`~plyground.envs.single_agent.batch_kernels.BatchState`) are
    overwritten by every step; copy an array to keep it.

    Args:
        game: the game, or its specification.
        num_games: the number of parallel games.
        opponents: the opponents of the learner, drawn by weight for every game; None: the caller
            acts for both players, as in games against an opponent without a player.
        seat: the learner's, 0 or 1, or ``"random"``: drawn for every game.
        illegal: ``"penalty"``: an illegal action ends the game, and the reward brings the sum of
            rewards to the game's lowest return; ``"raise"``: IllegalActionError, and nothing is
            played.
        restart: whether a game that ends is followed by the next one in the same step.
        opening_plies: every game begins with random moves of both players, from none to this many,
            drawn anew.
        long_openings: the share of games with up to ``long_opening_plies`` random moves instead.
        long_opening_plies: see ``long_openings``.
        regret: judges the learner's actions; a legal action's reward is then minus its regret, and
            the returns of games stay their results. None: the reward is the learner's gain.
        threads: the number of threads that step slices of the games; opponents called from Python
            allow only 1.
    """

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        opponents: Sequence[Opponent] | None,
        *,
        seat: int | str = "random",
        illegal: str = "penalty",
        restart: bool = True,
        opening_plies: int = 0,
        long_openings: float = 0.0,
        long_opening_plies: int = 0,
        regret: Judge | None = None,
        threads: int = 1,
    ) -> None:
        self.game: Game = make_game(game)
        self.num_games: int = _whole_number("num_envs", num_games)
        self.threads: int = min(_whole_number("threads", threads), self.num_games)
        if isinstance(seat, bool) or seat not in SEATS:
            raise ValueError(f"seat={seat!r} is not possible; it is 0 (moves first), 1 or 'random'")
        if illegal not in ILLEGAL_CHOICES:
            raise ValueError(
                f"illegal={illegal!r} is not possible; it is one of {', '.join(ILLEGAL_CHOICES)}"
            )
        if not 0 <= long_openings <= 1:
            raise ValueError(f"long_openings={long_openings!r} is not possible; it is from 0 to 1")
        self._raises = illegal == "raise"
        self.judge: Judge | None = regret
        self._both_sides = opponents is None
        self._options = kernels.BatchOptions(
            0 if opponents is None else SEATS[seat],
            self.game.facts.min_return,
            0 if opponents is None else NOBODY,
            int(restart),
            np.ones(1),
            _whole_number("opening_plies", opening_plies, least=0),
            float(long_openings),
            _whole_number("long_opening_plies", long_opening_plies, least=0),
        )
        self.state: kernels.BatchState = self._allocate()
        self._illegal_ends = IllegalEnds(self.game)
        self.opponents: tuple[Opponent, ...] = ()
        self._compile()
        if opponents is not None:
            self._set_opponents(opponents)
        self._seed(None)
        self._begun = False

    def _allocate(self) -> kernels.BatchState:
        n, facts = self.num_games, self.game.facts
        planes = (n, *facts.observation_shape)
        return kernels.BatchState(
            positions=self.game.new_records(n),
            streams=np.zeros((n, 1), np.uint64),
            observations=np.zeros(planes, np.int8),
            masks=np.zeros((n, facts.num_actions), np.int8),
            seats=np.zeros(n, np.int8),
            opponents=np.zeros(n, np.int16),
            waiting=np.zeros(n, np.bool_),
            rewards=np.zeros(n),
            terminated=np.zeros(n, np.bool_),
            illegal=np.zeros(n, np.bool_),
            totals=np.zeros(n),
            lengths=np.zeros(n, np.int32),
            episodes=np.zeros(n, np.int64),
            final_observations=np.zeros(planes, np.int8),
            final_seats=np.zeros(n, np.int8),
            final_opponents=np.zeros(n, np.int16),
            final_returns=np.zeros(n),
            final_lengths=np.zeros(n, np.int32),
        )

    def _compile(self) -> None:
        """Fetch the compiled loops for this game, and allocate buffers that copies do not share."""
        bounds = np.linspace(0, self.num_games, self.threads + 1).astype(int).tolist()
        self._slices = list(itertools.pairwise(bounds))
        self._executor = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self._scratch = [np.empty(self.game.facts.num_actions, np.int16) for _ in self._slices]
        self._actions = np.zeros(self.num_games, np.int64)
        self._regrets = (
            None
            if self.judge is None
            else Regrets(self.judge, self.game, self.state, self._actions, self.threads)
        )
        rules, state, options = self.game.rules, self.state, self._options
        scratch, actions = self._scratch[0], self._actions
        with announce_compilation(f"the vector environment of {self.game.name}"):
            self._begin_games = entry_point(
                kernels.begin_games, rules, state, options, state.waiting, 0, 0
            )
            self._describe = entry_point(kernels.describe, rules, state, options, scratch, 0, 0)
            self._find_illegal = entry_point(kernels.find_illegal, rules, state, actions, 0, 0)
            if self._both_sides:
                self._step_both = entry_point(
                    kernels.step_both_sides, rules, state, options, actions, scratch, 0, 0
                )
            else:
                self._play_actions = entry_point(
                    kernels.play_actions, rules, state, options, actions, 0, 0
                )
                self._settle = entry_point(kernels.settle, rules, state, options, 0, 0)

    def _set_opponents(self, opponents: Sequence[Opponent]) -> None:
        self._options = self._options._replace(
            shares=cumulative_shares(opponents), itself=index_of_learner(opponents)
        )
        self.opponents = tuple(opponents)
        called = ", ".join(called_from_python(opponents))
        if self.threads > 1 and called:
            raise ValueError(
                f"threads={self.threads} is possible only for opponents that are compiled, and "
                f"{called} is called from Python"
            )
        self._make_replies()

    def _make_replies(self) -> None:
        """Make the object that replies for each opponent.

        A compiled opponent gets a compiled loop with buffers of its own for each thread; any other
        is called from Python.
        """
        self._replies: list[list[Callable[[int, int], None]]] = [[] for _ in self._slices]
        self._python_opponents: list[PythonOpponent] = []
        memories = len(self._slices) * sum(opponent.by_position for opponent in self.opponents)
        for number, opponent in enumerate(self.opponents):
            for replies in self._replies if not opponent.is_learner else ():
                memory = new_memory(self.game, max(memories, 1), opponent.by_position)
                if opponent.compiled is not None:
                    form = opponent.compiled(self.game)
                    replies.append(self._compiled_reply(number, form, memory, str(opponent)))
                elif hasattr(opponent.player, "act_batch"):
                    replies.append(self._batched_reply(number, opponent))
                else:
                    player = PythonOpponent(opponent, self.game, memory)
                    replies.append(self._python_reply(number, player))

    def _compiled_reply(
        self, number: int, opponent: Any, memory: ReplyMemory, title: str
    ) -> Callable[[int, int], None]:
        many = choose_actions.body_for(type(opponent)) is not None
        kernel = kernels.reply_to_many if many else kernels.reply
        parts = (opponent,) if many else (opponent, memory)
        arguments = *parts, number, self.game.rules, self.state
        with announce_compilation(f"{title} for {self.game.name}"):
            answer = entry_point(kernel, *arguments, 0, 0)

        def reply(first: int, last: int) -> None:
            if answer(*arguments, first, last) is False:
                raise SpecificationError(f"{title} is broken: it returned NaN or infinity")

        return reply

    def _python_reply(self, number: int, opponent: PythonOpponent) -> Callable[[int, int], None]:
        self._python_opponents.append(opponent)
        state, known = self.state, (opponent.memory, number, self.game.rules, self.state)
        remembers = opponent.opponent.by_position
        recall = entry_point(reply_from_memory, *known, 0, 0) if remembers else None

        def reply(first: int, last: int) -> None:
            if recall is not None:
                recall(*known, first, last)
            for game in np.flatnonzero(state.waiting & (state.opponents == number)).tolist():
                opponent.play_turn(
                    state.positions[game],
                    int(state.seats[game]),
                    state.streams[game],
                    game,
                    int(state.episodes[game]),
                )
                state.waiting[game] = False
                if self.num_games > 1:  # a game does not depend on which others wait
                    opponent.forget()

        return reply

    def _batched_reply(self, number: int, opponent: Opponent) -> Callable[[int, int], None]:
        rules, state = self.game.rules, self.state
        turns = new_turns(self.game, self.num_games)

        def reply(first: int, last: int) -> None:
            while count := int(
                kernels.observe_waiting(rules, state, number, turns, 0, self.num_games)
            ):
                games = turns.games[:count]
                drawing = (
                    {"streams": state.streams[games]}
                    if getattr(opponent.player, "takes_streams", False)
                    else {}
                )
                act = opponent.player.act_batch
                with errors_of(str(opponent), SystemExit):
                    answers = act(turns.planes[:count], turns.masks[:count], **drawing)
                    replies = whole_actions(answers, count)
                if drawing:
                    state.streams[games] = drawing["streams"]
                turns.actions[:count] = replies
                wrong = int(kernels.play_replies(rules, state, turns, count))
                if wrong >= 0:
                    raise IllegalActionError(
                        f"{opponent} played the illegal action {replies[wrong]}"
                    )

        return reply

    def set_opponents(self, opponents: Sequence[Opponent]) -> None:
        """Replace the opponents; current games continue against one of the new ones."""
        if self._both_sides:
            raise ValueError("the caller acts for both players; there are no opponents to replace")
        before = self._options.itself
        self._set_opponents(opponents)
        if self._begun:
            self._redraw(before)

    def _redraw(self, before: int) -> None:
        kernels.redraw_opponents(self.state, self._options, before, 0, self.num_games)

    def _seed(
        self, seed: int | Sequence[int | None] | None, which: np.ndarray | None = None
    ) -> None:
        """Start the random streams, see :func:`.seeds.streams_of`."""
        streams = streams_of(seed, self.num_games)
        where = slice(None) if which is None else which
        self.state.streams[where] = streams[where]

    def reset(
        self, seed: int | Sequence[int | None] | None = None, which: np.ndarray | None = None
    ) -> None:
        """Start new games: all, or where ``which`` (bool, N) is True.

        Without a seed the random streams continue.
        """
        if seed is not None:
            self._seed(seed, which)
        if which is None:
            which = np.ones(self.num_games, np.bool_)
        elif not self._begun and not which.all():
            raise ValueError("the first reset starts all games")
        self._begun = True
        self.state.terminated[which] = self.state.illegal[which] = False
        self.state.rewards[which] = 0.0
        for opponent in getattr(self, "_python_opponents", ()):
            opponent.forget()
        self._begin_games(self.game.rules, self.state, self._options, which, 0, self.num_games)
        for number in range(self.threads):
            self._open_slice(number)

    def start_from(
        self,
        positions: np.ndarray,
        seats: np.ndarray | None = None,
        seed: int | Sequence[int | None] | None = None,
        which: np.ndarray | None = None,
    ) -> None:
        """Start games from given positions with the learner in given seats.

        Opponents who are to move do so. Matches from openings start this way. A game may end before
        the learner's first move; ``terminated`` then says so.

        Args:
            positions: records of shape (N,).
            seats: 0 or 1, shape (N,); None: drawn by the batch.
            seed: as for :meth:`reset`.
            which: the games, bool of shape (N,); None: all.
        """
        self.reset(seed, which)
        state = self.state
        games = np.ones(self.num_games, np.bool_) if which is None else which
        state.positions[games] = positions[games]
        if seats is not None:
            state.seats[games] = seats[games]
        for game in np.flatnonzero(games).tolist():
            position = Position(self.game, state.positions[game])
            if state.opponents[game] == self._options.itself:
                state.totals[game] = position.returns[0]
            else:
                turn = position.to_move != state.seats[game]
                state.waiting[game] = turn and not position.is_over
        for number in range(self.threads):
            if self._both_sides:
                self._open_slice(number)
            else:
                self._finish_slice(number)

    def step(self, actions: Any, left_out: np.ndarray | None = None) -> None:
        """Play the learner's action and the opponents' replies in every game; update ``state``.

        Args:
            actions: whole numbers, shape (N,).
            left_out: bool of shape (N,): games that are over and about to be reset by the caller,
                whose actions are ignored; None: none.

        Raises:
            ValueError: wrong shape or type of actions, or ``reset`` has not been called.
            IllegalActionError: an illegal action with ``illegal="raise"``, or one of an opponent.
        """
        if not self._begun:
            raise ValueError("call reset() before the first step()")
        numbers = np.asarray(actions)
        if numbers.shape != (self.num_games,) or numbers.dtype.kind not in "iu":
            raise ValueError(
                f"actions are whole numbers of shape ({self.num_games},); these are "
                f"{numbers.dtype} of shape {numbers.shape}"
            )
        self._actions[:] = numbers
        if self._raises:
            self._check_legality(left_out)
        before = None if self._options.restart else self.state.terminated.copy()
        if self._executor is None:
            self._step_slice(0)
        else:
            list(self._executor.map(self._step_slice, range(self.threads)))
        self._illegal_ends.note(self.state.illegal, self.state.terminated, before)

    def _check_legality(self, left_out: np.ndarray | None) -> None:
        rules, state, game = self.game.rules, self.state, -1
        while True:
            first = game + 1
            game = int(self._find_illegal(rules, state, self._actions, first, self.num_games))
            if game < 0 or left_out is None or not left_out[game]:
                break
        if game >= 0:
            action, legal = int(self._actions[game]), np.flatnonzero(state.masks[game]).tolist()
            raise IllegalActionError(
                f"action {action} is not legal in game {game} of {self.num_games} of "
                f"{self.game.spec}; legal actions: {legal}"
            )

    def _step_slice(self, number: int) -> None:
        first, last = self._slices[number]
        arguments = self.game.rules, self.state, self._options, self._actions
        if self._regrets is not None:
            self._regrets.find(number, first, last)
        if self._both_sides:
            self._step_both(*arguments, self._scratch[number], first, last)
        else:
            self._play_actions(*arguments, first, last)
            self._finish_slice(number)
        if self._regrets is not None:
            self._regrets.pay(first, last)

    def _finish_slice(self, number: int) -> None:
        """Play the opponents' replies, and reward or restart the games."""
        first, last = self._slices[number]
        for reply in self._replies[number]:
            reply(first, last)
        self._settle(self.game.rules, self.state, self._options, first, last)
        self._open_slice(number)

    def _open_slice(self, number: int) -> None:
        """Play the moves of opponents that move first, then describe all games.

        If the opponent ends a game before the learner's first move (possible on boards with edges
        drawn at the start), another one is started.
        """
        rules, state, options = self.game.rules, self.state, self._options
        first, last = self._slices[number]
        for _ in range(OPENINGS):
            if not self._both_sides:
                for reply in self._replies[number]:
                    reply(first, last)
            if not self._describe(rules, state, options, self._scratch[number], first, last):
                return
            unplayable = np.zeros(self.num_games, np.bool_)
            unplayable[first:last] = ~state.masks[first:last].any(axis=1) & (
                ~state.terminated[first:last] | bool(options.restart)
            )
            if not unplayable.any():
                return
            self._begin_games(rules, state, options, unplayable, first, last)
        raise cannot_begin(self.game)

    def arrays(self) -> kernels.BatchState:
        """The state in the processor's memory: itself, or a copy of that on a device."""
        return self.state

    def draw_actions(self, stream: np.ndarray) -> np.ndarray:
        """A uniformly random legal action for every game (int64).

        The actions are drawn from ``stream``, see
        :func:`~plyground.envs.compiled.randomness.new_stream`.
        """
        actions = np.zeros(self.num_games, np.int64)
        kernels.draw_actions(self.state.masks, stream, actions, 0, self.num_games)
        return actions

    def close(self) -> None:
        """End the threads."""
        if self._executor is not None:
            self._executor.shutdown()
        for opponent in self.opponents:
            with contextlib.suppress(AttributeError):
                opponent.player.close()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in MADE_ANEW}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._compile()
        if not self._both_sides:
            self._make_replies()


def cannot_begin(game: Game) -> ValueError:
    """The error if no game is found in which the learner can move."""
    return ValueError(f"in {game.spec} the opponent ends the game before the learner's first move")


def _whole_number(name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(
            f"{name}={value!r} is not possible; it is a whole number of at least {least}"
        )
    return int(value)
