"""User-defined heuristics and orderings, which agents take by name."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import inspect
import math
import numbers
import re
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numba

from ...envs.game import Game, load_position
from ...envs.loading.own_modules import DIGITS, loaded_version
from ...envs.loading.packages import AGENTS
from ...envs.loading.registry import Registry
from ...envs.loading.signatures import read_signature
from ...envs.registry import rules_type
from ...envs.specification import SpecificationError, plain_text
from .kernels import CALLBACK, compile_heuristic, compile_ordering

HEURISTIC, ORDERING = "heuristic", "ordering"  # the options of agents that name functions
WORDS = ("default", "none")  # in place of a name
_SECOND = {HEURISTIC: "player", ORDERING: "action"}  # parameter, after the position
_COMPILE = {HEURISTIC: compile_heuristic, ORDERING: compile_ordering}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_MESSAGE = 200
_MOST_POINTS = 1 << 62  # the largest that a kernel can take
_COLOUR = re.compile(r"\x1b\[[\d;]*m")  # of terminals
_VIEW = re.compile(r"(type )?_PositionView\(.*\)")

# by option, game and name
_functions: Registry[tuple[str, str, str], OwnFunction] = Registry(
    "there is no function", AGENTS, registers=True
)
_kept: list[Any] = []  # machine code is never freed, since an agent may hold its address
_lock = threading.RLock()


def register_heuristic(game: str, name: str, function: Callable[[Any, int], int]) -> None:
    """Register a function as a heuristic of a game: ``alphabeta:depth=6,heuristic=NAME``.

    Args:
        game: the name of the game, ``"connect_four"``; the heuristic is available on all its
            boards.
        name: what agents call it: letters, digits and underscores.
        function: ``function(position, player)`` returns the points of a position that is not over
            from the side of ``player`` (0 or 1), a whole number; searches keep it within ±499,999,
            below every win. It must depend on these two alone, and not change the position.

    numba compiles the function where it can; global names are constants then, and ``position`` has
    ``game.rules``, ``game.facts``, ``record``, ``to_move``, ``is_over``, ``observation(player)``,
    ``legal_actions()``, ``is_legal(action)`` and ``action_mask()``. A function that uses more of a
    :class:`~plyground.envs.game.Position`, or Python that numba does not support, is interpreted,
    about a hundred times slower; a message says so once.

    Another process must import the module that registers the function.

    Raises:
        SpecificationError: there is no such game, the name is taken, or the function does not take
            these arguments.
    """
    _register(HEURISTIC, game, name, function, sys._getframe(1).f_globals)


def register_ordering(game: str, name: str, function: Callable[[Any, int], float]) -> None:
    """Register a function as an action ordering of a game: ``alphabeta:ordering=NAME``.

    As :func:`register_heuristic`, with ``function(position, action)``: the actions of the highest
    values are searched first, ties in the order of the actions.
    """
    _register(ORDERING, game, name, function, sys._getframe(1).f_globals)


def _register(
    option: str, game: str, name: str, function: Callable[..., Any], caller: Mapping[str, Any]
) -> None:
    """Register a function; ``caller`` is the namespace of the calling module."""
    declaration = rules_type(game).declaration
    game = declaration.name
    taken = (*WORDS, *(declaration.heuristics if option == HEURISTIC else ()))
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SpecificationError(
            f"{name!r} is no name of {_an(option)}: take letters, digits and underscores"
        )
    present = _functions.find((option, game, name))
    if name in taken or (present is not None and not present.is_one_with(function)):
        raise SpecificationError(f"{game} has {_an(option)} named {name!r} already")
    if not (callable(function) and _takes_two(function)):
        raise SpecificationError(
            f"{_an(option)} is a function of (position, {_SECOND[option]}), not {function!r}"
        )
    module = str(caller.get("__name__", "__main__"))
    _functions.add((option, game, name), OwnFunction(option, game, name, function, module))


def _takes_two(function: Callable[..., Any]) -> bool:
    """Whether a function can be called with exactly two positional arguments."""
    signature = read_signature(function)
    by_position = signature.required[:2]
    return signature.positions >= 2 and len(signature.required) == len(by_position)


def _an(option: str) -> str:
    return f"a {option}" if option == HEURISTIC else f"an {option}"


def names_of(option: str, game: str) -> list[str]:
    """The names registered for an option of agents in a game, also by installed packages."""
    return [name for each, of, name in _functions if (each, of) == (option, game)]


def address_of(option: str, game: Game, name: str) -> int | None:
    """The address of a function's machine code; None if the name is not registered."""
    key = option, game.name, name
    return _functions.get(key).address(game) if key in _functions else None


def functions_of(options: Mapping[str, Any], game: Game | None) -> tuple[OwnFunction, ...]:
    """The functions that an agent's options name, for a game or, if it is None, for any game."""
    games_own = () if game is None else game.declaration.heuristics
    named = {option: options.get(option) for option in (HEURISTIC, ORDERING)}
    if all(name in (None, *WORDS, *games_own) for name in named.values()):
        return ()  # no package is imported for this
    return tuple(
        _functions.get((option, of, name))
        for option, of, name in _functions
        if named[option] == name and (game is None or game.name == of)
    )


class OwnFunction:
    """A registered function.

    Attributes:
        label: its name in messages.
        module: the module that registers it.
    """

    def __init__(
        self, option: str, game: str, name: str, function: Callable[..., Any], module: str
    ) -> None:
        self.label: str = f"the {option} {name!r} of {game}"
        self.module: str = module
        self._option = option
        self._plain: Callable[..., Any] = getattr(function, "py_func", function)  # of numba's
        self._addresses: dict[Game, int] = {}
        self._error: BaseException | None = None  # the first error raised in a search
        self._is_told = False  # whether the note on interpretation was shown

    def is_one_with(self, function: Any) -> bool:
        """Whether a function is this one, perhaps redefined by a notebook cell."""
        names = ("__module__", "__qualname__")
        plain = getattr(function, "py_func", function)
        return all(getattr(plain, name, 0) == getattr(self._plain, name, 1) for name in names)

    def address(self, game: Game) -> int:
        """The address of the function's machine code for a game, or of a callback into Python."""
        with _lock:
            if game not in self._addresses:
                self._addresses[game] = self._build(game)
            return self._addresses[game]

    def _build(self, game: Game) -> int:
        in_python = CALLBACK(functools.partial(self._call, game))
        _kept.append(in_python)
        machine_code = None
        if not numba.config.DISABLE_JIT:
            try:
                machine_code = _COMPILE[self._option](self._plain, game, in_python)
            except Exception as error:  # numba raises other exceptions than its own, too
                self._tell(error)
        if machine_code is None:
            return int(ctypes.cast(in_python, ctypes.c_void_p).value or 0)
        _kept.append(machine_code)
        return int(machine_code.address)

    def _tell(self, error: Exception) -> None:
        """Print once that the function is interpreted."""
        if not self._is_told:
            self._is_told = True
            print(
                f"plyground: {self.label} is interpreted, which makes searches about a hundred "
                f"times slower: numba cannot compile it ({_reason(error)})",
                file=sys.stderr,
            )

    def _call(self, game: Game, record: int, number: int, actions: int | None) -> int:
        """Call the function in Python for a kernel, through which exceptions cannot propagate.

        After the first error it is not called again before :meth:`raise_error`.
        """
        if self._error is not None:
            return 0
        try:
            data = ctypes.string_at(record, game.declaration.dtype.itemsize)
            position = load_position(game, data)
            if actions is None:
                return _points(self._plain(position, number))
            order = (ctypes.c_int16 * number).from_address(actions)
            worth = {each: _worth(self._plain(position, each)) for each in list(order)}
            order[:] = sorted(worth, key=worth.__getitem__, reverse=True)
        except BaseException as error:  # Ctrl-C too
            self._error = error
        return 0

    def raise_error(self) -> None:
        """Raise the function's first error since the last call, if any.

        Raises:
            SpecificationError: it raised, or returned an invalid value.
        """
        error, self._error = self._error, None
        if isinstance(error, _NoNumberError):
            raise SpecificationError(f"{self.label} returned {error}")
        if isinstance(error, Exception):
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(frame.filename).name}, line {frame.lineno}"
            message = plain_text(f"{type(error).__name__}: {error}", _LONGEST_MESSAGE)
            raise SpecificationError(f"{self.label} raised {message} ({place})") from error
        if error is not None:
            raise error

    @property
    def version(self) -> str:
        """A hash of its module's source, or of its own source if the module has no file."""
        digest = loaded_version(self.module)
        if digest is None:
            with contextlib.suppress(OSError, TypeError):
                source = inspect.getsource(self._plain).encode()
                digest = hashlib.sha256(source).hexdigest()[:DIGITS]
        return f"{self.label}: source {digest or 'unknown'}"


def _reason(error: Exception) -> str:
    """Why numba cannot compile a function, in one line: the error's first sentence and place."""
    lines = [_COLOUR.sub("", line) for line in str(error).splitlines()]
    first = next((line for line in lines if line and not line.startswith(("Failed", "- "))), "")
    place = re.search(r'File ".*?([^/\\]*)", (line \d+)', "\n".join(lines))
    where = f"{place[1]}, {place[2]}: " if place else ""
    return plain_text(where + _VIEW.sub("a compiled position", first), _LONGEST_MESSAGE)


class _NoNumberError(Exception):
    """Why a return value is invalid, and what is allowed."""


def _points(value: Any) -> int:
    if isinstance(value, numbers.Integral):
        return max(-_MOST_POINTS, min(int(value), _MOST_POINTS))
    shown = plain_text(repr(value), _LONGEST_MESSAGE)
    raise _NoNumberError(
        f"{shown}; points are whole numbers, such as round(100 * value) of a value"
    )


def _worth(value: Any) -> float:
    if isinstance(value, numbers.Real) and not math.isnan(value):
        return float(value)
    shown = plain_text(repr(value), _LONGEST_MESSAGE)
    raise _NoNumberError(f"{shown}; what an action is worth is a number")
