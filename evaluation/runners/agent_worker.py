"""The process of an isolated agent: it holds the agent and answers requests about it.

:mod:`~plyground.evaluation.runners.isolation` sends the requests. Each gets one answer. Both begin
with a letter; a position is the bytes of its record, then its pickled moves.

Requests:

``M``, pickled (modules, game, specification)
    make the agent; answered by ``K`` and the pickled Description
``P``, seed
    prepare for a game; answered by ``K``
``A``, position
    choose an action; answered by ``A`` and the action as text
``D``, position
    choose an action and say why; answered by ``D`` and the pickled Decision

Any request may be answered by ``F``, the kind of fault, a zero byte and what happened; or by ``S``
and the text of a SpecificationError.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import pickle
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from ...agents import Decision, make_agent
from ...envs.game import Game, Position
from ...envs.specification import SpecificationError
from ..players import Description, Fault, LocalPlayer, existing_action, raised


def _fault(fault: Fault) -> bytes:
    return b"F" + f"{fault.kind}\0{fault}".encode(errors="replace")


class _Server:
    """Answers requests about one agent."""

    def __init__(self) -> None:
        self._game: Game | None = None
        self._player: LocalPlayer | None = None

    def answer(self, request: bytes) -> bytes:
        """The answer to a request, faults included."""
        kind, content = request[:1], request[1:]
        try:
            if kind == b"M":
                return b"K" + pickle.dumps(self._make(content))
            assert self._game is not None
            assert self._player is not None
            if kind == b"P":
                self._player.prepare(self._game, int(content))
                return b"K"
            dtype = self._game.declaration.dtype
            record = np.ndarray((1,), dtype, bytearray(content[: dtype.itemsize]))[0]
            moves = pickle.loads(content[dtype.itemsize :])
            position = Position(self._game, record).with_moves(moves)
            return self._move(self._game, position, analyse=kind == b"D")
        except SpecificationError as error:
            return b"S" + str(error).encode()
        except Fault as fault:
            return _fault(fault)
        except Exception as error:  # making the agent, or what it says of its decision
            return _fault(raised(error))

    def _make(self, content: bytes) -> Description:
        modules, game, spec = pickle.loads(content)
        for module in modules:
            importlib.import_module(module)  # a user's games and agents are registered so
        self._game = pickle.loads(game)
        self._player = LocalPlayer(make_agent(spec, self._game))
        return self._player.describe()

    def _move(self, game: Game, position: Position, analyse: bool) -> bytes:
        assert self._player is not None
        answer, decision = self._player.ask(position, analyse, allowed=0.0)
        action = existing_action(answer, game)
        return (
            b"A%d" % action
            if decision is None
            else b"D" + pickle.dumps(_plain(dataclasses.replace(decision, action=action)))
        )


def _plain(decision: Decision) -> Decision:
    """A decision of plain numbers only, whatever an agent of the user's own has put into it."""
    values, errors, visits = map(_numbers, (decision.values, decision.errors, decision.visits))
    return dataclasses.replace(
        decision,
        values=values,
        errors=errors,
        visits=visits,
        principal_variation=tuple(map(int, decision.principal_variation)),
    )


def _numbers(table: Any) -> dict[int, Any] | None:
    return (
        None
        if table is None
        else {
            int(action): int(number) if isinstance(number, int) else float(number)
            for action, number in table.items()
        }
    )


def serve(connection: Connection) -> None:
    """Answer requests until the other end is closed."""
    server = _Server()
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send_bytes(server.answer(connection.recv_bytes()))
