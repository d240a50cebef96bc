"""How a search calls a user's function: by its address, a whole number.

A kernel that took the function itself would be compiled again for each, and never be cached on
disk. Here the kernels stay the same: a heuristic or ordering number of :data:`FIRST_ADDRESS` or
more is an address. At the address is machine code, either of the function or of a callback into
Python. Both take a record, a whole number (the player, or the number of actions) and the address of
the actions, 0 if there are none.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import datamodel
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload_attribute, overload_method, register_model

from ...envs import rules as r
from ...envs.compiled.kernels import kernel
from ...envs.game import Game

FIRST_ADDRESS = 1 << 16  # more than any game's heuristics, and below every function address
GAME_ORDER = 1  # the number of the game's own order of actions; 0 is none
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
_SIGNATURE = types.int64(types.voidptr, types.int64, types.voidptr)


@intrinsic
def _call_machine_code(
    typing_context: Any, address: Any, record: Any, number: Any, actions: Any
) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, record, number, actions = arguments
        pointer, whole = ir.IntType(8).as_pointer(), ir.IntType(64)
        kind = ir.FunctionType(whole, [pointer, whole, pointer]).as_pointer()
        passed = builder.bitcast(record, pointer), number, builder.inttoptr(actions, pointer)
        return builder.call(builder.inttoptr(address, kind), passed)

    return types.int64(types.int64, record, types.int64, types.int64), generate


def _call_from_python(address: int, record: Any, number: int, actions: int) -> int:
    """The same without compilation."""
    place = record.__array_interface__["data"][0]
    return int(CALLBACK(int(address))(place, int(number), int(actions) or None))


_call: Any = _call_from_python if numba.config.DISABLE_JIT else _call_machine_code


@kernel
def points_of(rules, position, player, heuristic):
    """The points of a heuristic of the game or of the user; see :func:`r.evaluate`."""
    if heuristic >= FIRST_ADDRESS:
        return _call(np.int64(heuristic), position, np.int64(player), np.int64(0))
    return np.int64(r.evaluate(rules, position, player, heuristic))


@kernel
def sort_actions(rules, position, actions, count, ordering):
    """Sort the first ``count`` actions, the most promising first: by the game or by the user.

    ``actions`` is an int16 array.
    """
    if ordering >= FIRST_ADDRESS:
        address = np.int64(actions.ctypes.data)
        _call(np.int64(ordering), position, np.int64(count), address)
    else:
        r.order_actions(rules, position, actions, count)


class _GameView(NamedTuple):
    """The attributes of a :class:`~plyground.envs.game.Game` that compiled functions can read."""

    rules: Any
    facts: Any


class _PositionView(NamedTuple):
    """What compiled functions get as a :class:`~plyground.envs.game.Position`.

    It has those attributes and methods of a position that can be compiled, by the same names.
    """

    game: Any
    record: Any


class _ViewType(types.NamedTuple):  # type: ignore[misc]  # numba's types are not read
    """The compiled type of a view.

    Methods for all named tuples would hide fields of the same name, such as a network's
    ``observation``.
    """


register_model(_ViewType)(datamodel.models.TupleModel)


@intrinsic
def _as_view(typing_context: Any, position: Any) -> tuple[Any, Any]:
    """The same view, with the methods of a position."""
    kind = _ViewType(position.types, position.instance_class)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])

    return kind(position), generate


# -- the methods and properties of a position that compiled functions may use --


@overload_attribute(_ViewType, "to_move")
def _to_move(position):
    return lambda position: r.to_move(position.game.rules, position.record)


@overload_attribute(_ViewType, "is_over")
def _is_over(position):
    return lambda position: r.is_over(position.game.rules, position.record)


@overload_method(_ViewType, "is_legal")
def _is_legal(position, action):
    return lambda position, action: r.is_legal(position.game.rules, position.record, action)


@kernel
def _list_actions(position):
    """``position.legal_actions()`` of a view, int16."""
    actions = np.empty(position.game.facts.num_actions, np.int16)
    return actions[: r.legal_actions(position.game.rules, position.record, actions)]


@overload_method(_ViewType, "legal_actions")
def _legal_actions(position):
    return lambda position: _list_actions(position)  # noqa: PLW0108  # no kernel may be returned


@kernel
def _mask_actions(position):
    """``position.action_mask()`` of a view."""
    mask = np.zeros(position.game.facts.num_actions, np.int8)
    for action in _list_actions(position):
        mask[action] = 1
    return mask


@overload_method(_ViewType, "action_mask")
def _action_mask(position):
    return lambda position: _mask_actions(position)  # noqa: PLW0108


@kernel
def observe(position, player):
    """``position.observation(player)`` of a view."""
    planes = np.zeros(position.game.facts.observation_shape, np.int8)
    r.observe(position.game.rules, position.record, player, planes)
    return planes


@overload_method(_ViewType, "observation")
def _observation(position, player):
    return lambda position, player: observe(position, player)  # noqa: PLW0108


# -- machine code of functions --


def compile_heuristic(function: Callable[..., Any], game: Game, in_python: Any) -> Any:
    """Machine code that calls ``function(position, player)``, with the attribute ``address``.

    Args:
        function: the function.
        game: the game; its parameters are constants of the machine code.
        in_python: the same as a :data:`CALLBACK`, called when the function raises.

    Returns:
        None if its results are not whole numbers.

    Raises:
        numba.core.errors.NumbaError: numba cannot compile it.
    """
    compiled, view, dtype = _compile(function), _view(game), game.declaration.dtype

    def points(record: Any, player: int, unused: Any) -> Any:
        position = _as_view(_PositionView(view, numba.carray(record, 1, dtype)[0]))
        try:
            return np.int64(compiled(position, player))
        except Exception:
            return in_python(record, player, unused)

    machine_code = numba.cfunc(_SIGNATURE)(points)
    (signature,) = compiled.nopython_signatures
    return machine_code if isinstance(signature.return_type, types.Integer) else None


def compile_ordering(function: Callable[..., Any], game: Game, in_python: Any) -> Any:
    """Machine code that sorts actions by ``function(position, action)``, the highest first.

    As :func:`compile_heuristic`; None if the results are not numbers.
    """
    compiled, view, dtype = _compile(function), _view(game), game.declaration.dtype

    def sort(record: Any, count: int, data: Any) -> Any:
        position = _as_view(_PositionView(view, numba.carray(record, 1, dtype)[0]))
        actions, worth = numba.carray(data, count, np.int16), np.empty(count, np.float64)
        try:
            for i in range(count):
                worth[i] = compiled(position, np.int64(actions[i]))
                if np.isnan(worth[i]):
                    return in_python(record, count, data)
        except Exception:
            return in_python(record, count, data)
        for i in range(1, count):
            action, value, place = actions[i], worth[i], i
            while place > 0 and worth[place - 1] < value:
                actions[place], worth[place] = actions[place - 1], worth[place - 1]
                place -= 1
            actions[place], worth[place] = action, value
        return np.int64(0)

    machine_code = numba.cfunc(_SIGNATURE)(sort)
    (signature,) = compiled.nopython_signatures
    return machine_code if isinstance(signature.return_type, types.Number) else None


def _compile(function: Callable[..., Any]) -> Any:
    """A function compiled by numba that raises the errors of Python."""
    plain = getattr(function, "py_func", function)
    return numba.njit(boundscheck=True, error_model="python")(plain)


def _view(game: Game) -> _GameView:
    return _GameView(game.rules, game.facts)
