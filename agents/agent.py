"""Agents, which choose actions in positions of a game."""

from __future__ import annotations

import copy
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..envs import __version__
from ..envs.actions import whole_action, whole_actions
from ..envs.compiled.calls import KernelCalls
from ..envs.compiled.kernels import announce_compilation
from ..envs.compiled.randomness import RandomNumbers, new_stream
from ..envs.environments.observations import (
    MASK,
    NO_GAME,
    planes_and_masks,
    position_shown,
)
from ..envs.game import Game, Position
from ..envs.loading.own_modules import place_of_function
from ..envs.loading.packages import version_of
from ..envs.registry import make_game
from ..envs.specification import (
    Parameter,
    SpecificationError,
    convert_parameters,
    format_specification,
)
from .book import CENTRE, open_book
from .decision import Decision
from .own import functions as own

OPENS_A_FILE, REACHES_THE_NETWORK = "opens a file", "reaches the network"
_PACKAGE = __name__.partition(".")[0]


class Agent(ABC):
    """Base class of agents. A subclass declares its parameters and implements :meth:`decide`.

    An agent is repeatable: the same specification, seed and sequence of positions give the same
    actions. One agent plays one game at a time; a second thread or game needs a second agent.

    Attributes:
        name: the name it is registered under.
        summary: one line for people.
        parameters: what its specification may set.
        argument: the parameter whose value may be written without its name (``policy:FILE``).
        usage: what to write after the name and its colon, shown if the argument is missing; None if
            it is optional.
        isolated: whether matches run it in a separate process by default. This suits third-party
            code (a user's module, a network's runtime, another program), which could hang, exit or
            exhaust the memory.
        foreign: whether third-party code chooses its moves: a user's module, another program, a
            class outside of the package. Such an agent forfeits a game by raising; an error of any
            other agent is a fault of plyground or of the machine, and ends the run.
        effect: the side effect of making one, in words that follow "it": "runs a program". Empty:
            none, so that anybody may ask for it, see :meth:`effects`. Classes outside of the
            package must declare that.
        uses_tokens: whether it queries a language model; matches then count the tokens.
        tokens_of_game: the tokens used since the reset.
        time_left: seconds left for the next call in a match; the agent may be stopped after them.
        bound_game: the game that it was made for, if any.
        options: the values of its parameters.
        on_progress: if set, iterative searches call it with the Decision of every completed
            iteration.
    """

    on_progress: Callable[[Decision], None] | None = None

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    argument: ClassVar[str | None] = None
    usage: ClassVar[str | None] = None
    isolated: ClassVar[bool] = False
    foreign: ClassVar[bool] = False
    effect: ClassVar[str] = ""
    uses_tokens: ClassVar[bool] = False
    tokens_of_game: int = 0
    time_left: float = math.inf

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.__module__.partition(".")[0] != _PACKAGE:
            cls.foreign = True
            if "effect" not in cls.__dict__:
                cls.effect = f"runs code of {cls.__module__.partition('.')[0]}"
        if "decide" in cls.__dict__ and "_choose_action" not in cls.__dict__:
            # an inherited one would choose as the base class decides
            cls._choose_action = Agent._choose_action  # type: ignore[method-assign]

    def __init__(self, game: Game | str | None = None, seed: int = 0, **options: Any) -> None:
        self.options: dict[str, Any] = convert_parameters(self.name, self.parameters, options)
        if self.usage is not None and self.options[str(self.argument)] is None:
            raise SpecificationError(f"write {self.name}:{self.usage}")
        self.check_options()
        self._book = open_book(self.options)
        self.bound_game: Game | None = None if game is None else make_game(game)
        self._ready_for: Game | None = None
        self._compiled = KernelCalls()
        self._own_functions: tuple[own.OwnFunction, ...] = ()
        self.reset(seed)
        if self.bound_game is not None:
            self._check_game_and_book(self.bound_game)

    @classmethod
    def effects(cls, options: Mapping[str, str]) -> tuple[str, ...]:
        """The side effects of making an agent with these options, in words.

        Called before making an agent that a store, a run or a visitor has named. Options that open
        files or reach the network add their own effects.
        """
        opens = OPENS_A_FILE if options.get("book", CENTRE) != CENTRE else ""
        return tuple(filter(None, (cls.effect, opens)))

    def check_options(self) -> None:
        """Refuse combinations of options that make no sense, with a SpecificationError."""

    def check_game(self, game: Game) -> None:
        """Refuse a game that this agent cannot play, with a SpecificationError."""

    def prepare(self, game: Game) -> None:
        """Allocate the buffers for this game; called before its first decision."""

    @abstractmethod
    def decide(self, position: Position) -> Decision:
        """Decide in a position that is not terminal. The caller fills in ``seconds``."""

    def reset(self, seed: int = 0) -> None:
        """Forget the game played so far and start the random stream of ``seed``."""
        self.seed = seed
        self.stream: np.ndarray = new_stream(seed)

    @property
    def rng(self) -> RandomNumbers:
        """Random numbers for Python code: ``random()``, ``integers(n)``, ``choice(list)``, ….

        They come from :attr:`stream`, which kernels also use: the same seed gives the same numbers
        on every machine.
        """
        return RandomNumbers(self.stream)

    def close(self) -> None:
        """Release resources outside of this process; the agent may be used again."""

    def processor_seconds(self) -> float:
        """The CPU time that its process has used."""
        return time.process_time()

    def act(self, situation: Any) -> int:
        """The action to play.

        Args:
            situation: a Position, a live AEC environment, plyground's or PettingZoo's own of the
                same game (``connect_four_v3``), wrapped or not, or an observation dictionary
                with the keys ``observation`` and ``action_mask`` (the agent must then have been
                made for a game).

        Raises:
            ValueError: the game is over, or has not begun; or the observation fits no position.
            TypeError: the situation is none of these.
            IllegalActionError: the user's code returned something other than a whole number.
        """
        if self._book is not None or self.on_progress is not None:
            return self.analyse(situation).action
        action = self._choose_action(self._position_to_decide(situation))
        self._raise_errors_of_functions()
        return whole_action(action)

    def _choose_action(self, position: Position) -> int:
        """The action of :meth:`decide`; compiled agents choose it without building a decision."""
        return self.decide(position).action

    def __call__(self, observation: Any, info: Any = None) -> Any:
        """The policy protocol: the action for an observation of an environment.

        Args:
            observation: as returned by PettingZoo's ``last()``, or by ``reset()`` and ``step()`` of
                a Gymnasium environment: planes in any layout, or a dictionary of them with
                ``action_mask``; or a batch of n games, as vector environments return it.
            info: the dictionary returned with it, or one for each game; its ``action_mask`` is used
                if the observation has none.

        Returns:
            The action; for n games int64 of shape (n,), 0 for games with nothing to decide.

        Raises:
            ValueError: the agent was not made for a game, or the observation fits no position of
                it.
        """
        if self.bound_game is None:
            raise ValueError(NO_GAME)
        planes, masks = planes_and_masks(self.bound_game, observation, info)
        if planes.ndim == 3:
            seen = {"observation": planes} | ({} if masks is None else {MASK: masks})
            return self.act(seen)
        if masks is None:
            read = self.bound_game.position_from_observation
            masks = np.stack([read(each).action_mask() for each in planes])
        actions, live = np.zeros(len(planes), np.int64), masks.any(axis=1)
        if not live.any():
            return actions
        if hasattr(self, "act_batch"):
            answers = self.act_batch(planes[live], masks[live])
            actions[live] = whole_actions(answers, int(live.sum()))
        else:
            actions[live] = [self.act({"observation": each}) for each in planes[live]]
        return actions

    def playing(self, game: Game) -> Self:
        """A copy that plays ``game`` when given observations, with the same buffers.

        Raises:
            SpecificationError: it cannot play the game.
        """
        self._check_game_and_book(game)
        other = copy.copy(self)
        other.bound_game = game
        return other

    def analyse(self, situation: Any) -> Decision:
        """Decide, and report all that is known about it. Takes the arguments of :meth:`act`."""
        position = self._position_to_decide(situation)
        began = time.perf_counter()
        decision = self._look_up(position) or self.decide(position)
        decision.seconds, decision.position = time.perf_counter() - began, position.copy()
        self._raise_errors_of_functions()
        decision.action = whole_action(decision.action)
        return decision

    def expected_line(self, action: int) -> tuple[int, ...]:
        """The line of play that the latest search expects after an action, the action first."""
        return (action,)

    def _position_to_decide(self, situation: Any) -> Position:
        """The position to decide in, which is not terminal; the agent is ready for its game."""
        is_position = isinstance(situation, Position)  # as in matches
        position = situation if is_position else position_shown(situation, self.bound_game)
        if position.is_over:
            raise ValueError(f"there is nothing to decide: the game is over ({position.outcome})")
        self.get_ready(position.game)
        return position

    def get_ready(self, game: Game) -> None:
        """Check, allocate and compile for a game: compilation does not count as thinking time."""
        if game is self._ready_for or game == self._ready_for:
            return
        self._check_game_and_book(game)
        self._compiled = KernelCalls()
        self._own_functions = own.functions_of(self.options, game)
        with announce_compilation(f"{self.name} for {game.name}"):
            # the methods of positions are compiled at their first call
            start = game.initial_position()
            first = start.legal_actions()[0]
            if start.is_legal(first):
                start.play(first)
            self.prepare(game)
            if self._book is not None:
                self._book.prepare(game)
        self._raise_errors_of_functions()
        self._ready_for = game

    def _raise_errors_of_functions(self) -> None:
        """Raise the error of the user's heuristics and orderings, if there was one."""
        for function in self._own_functions:
            function.raise_error()

    def _check_game_and_book(self, game: Game) -> None:
        self.check_game(game)
        if self._book is not None:
            self._book.check_game(game)

    def _look_up(self, position: Position) -> Decision | None:
        """The decision of the opening book (``book=``), or None where it has none."""
        move = None if self._book is None else self._book.look_up(position)
        if move is None:
            return None
        action, scores = move
        score = None if scores is None else scores.get(action)
        return Decision(action, score, scores, principal_variation=(action,), from_book=True)

    @property
    def options_in_force(self) -> dict[str, Any]:
        """Its effective options: None is replaced by the number that it stands for."""
        return self.options

    @property
    def deterministic(self) -> bool:
        """Whether it plays the same move after the same moves in every game, whatever its seed.

        Such an agent uses no random numbers and does not depend on time. Two such agents would
        repeat their game from the same opening, so a tournament plays it only once. False if
        unknown.
        """
        return False

    @property
    def by_position(self) -> bool:
        """Whether its move depends on the position alone: games may then remember its replies."""
        return False

    @property
    def version(self) -> str:
        """What decisions depend on besides the specification: programs, and the opening book."""
        package = version_of(type(self).__module__) if self.foreign else ""
        book = "" if self._book is None else self._book.version
        functions = (each.version for each in own.functions_of(self.options, self.bound_game))
        return ", ".join(filter(None, (f"plyground {__version__}", package, book, *functions)))

    @property
    def origin(self) -> str:
        """``FILE, line N`` of the user's code that chooses its moves; empty for other agents."""
        return place_of_function(type(self).decide)

    @property
    def spec(self) -> str:
        """The specification that makes this agent, options with their defaults left out."""
        options = {
            p.name: self.options[p.name]
            for p in self.parameters
            if self.options[p.name] != p.default and p.name != self.argument
        }
        argument = None if self.argument is None else self.options[self.argument]
        return format_specification(self.name, options, argument)

    def __repr__(self) -> str:
        return f"make_agent({self.spec!r})"

    def __str__(self) -> str:
        return self.spec
