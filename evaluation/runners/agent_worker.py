"""The process of an isolated agent: it holds the agent and answers requests about it.

:class:`~plyground.evaluation.runners.agent_process.AgentProcess` sends the requests. Each gets one
answer. Both begin with the number of the request in eight bytes, then a letter; a position is the
bytes of its record, then its pickled moves.

Requests:

``M``, pickled (modules, game, specification)
    make the agent, in place of the one before; answered by ``K`` and the pickled Description
``P``
    load and compile for the game; answered by ``K``
``Z``, seed
    reset the agent for a game; answered by ``K``
``A``, position
    choose an action; answered by ``A`` and the action as text
``D``, position
    choose an action and say why; answered by ``D`` and the pickled Decision
``R``, position
    the same with progress: before the answer, ``R`` and a pickled Decision any number of times

``C``, pickled (modules, function as MODULE:NAME, pickled arguments)
    call a function of this package with the arguments and a function that reports; answered by
    ``C`` and the pickled result, after any number of ``R`` with what it reports. When it reports
    None, it has loaded and compiled what it needs: ``T`` tells that its time begins

Any request may be answered by ``F``, the kind of fault, a zero byte and what happened; or by ``S``
and the text of a SpecificationError. The signal of Ctrl-C ends a decision, which is then answered
by the fault ``cancelled``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import os
import pickle
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from ...agents import Decision, Score, make_agent
from ...envs.game import Game, Position, load_position
from ...envs.specification import SpecificationError
from ..players import CANCELLED, Description, Fault, LocalPlayer, existing_action, raised
from .agent_process import NUMBER

REPORT_SECONDS = 0.05  # between two reports of progress at least


class _Cancelled(KeyboardInterrupt):
    """The decision is no longer wanted."""


def _fault(fault: Fault) -> bytes:
    return b"F" + f"{fault.kind}\0{fault}".encode(errors="replace")


class _Server:
    """Answers requests about one agent.

    Args:
        send: sends a message beside the answer.
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._game: Game | None = None
        self._player: LocalPlayer | None = None
        self._spec = ""
        self._number = b""  # of the request that is being answered
        self._deciding = False  # whether a signal may end what is going on
        self._reported = 0.0

    def cancel(self) -> None:
        """End the decision under way, if there is one; called by the signal's handler."""
        if self._deciding:
            self._deciding = False
            raise _Cancelled

    def answer(self, request: bytes) -> bytes:
        """The answer to a request, faults included, with its number."""
        self._number, message = request[: NUMBER.size], request[NUMBER.size :]
        return self._number + self._answer(message[:1], message[1:])

    def _answer(self, kind: bytes, content: bytes) -> bytes:
        try:
            if kind == b"M":
                return b"K" + pickle.dumps(self._make(content))
            if kind == b"C":
                return b"C" + pickle.dumps(self._call(content))
            assert self._game is not None
            assert self._player is not None
            if kind == b"P":
                self._player.get_ready(self._game)
                return b"K"
            if kind == b"Z":
                self._player.reset(int(content), 0.0)
                return b"K"
            if kind == b"U":
                return b"U%d" % self._player.tokens()
            position = load_position(self._game, *pickle.loads(content))
            return self._move(self._game, position, kind)
        except SpecificationError as error:
            return b"S" + str(error).encode()
        except Fault as fault:
            return _fault(fault)
        except KeyboardInterrupt:
            # What the agent was about to note is lost: the next game gets an agent of its own.
            if self._player is not None:
                self._player = LocalPlayer(make_agent(self._spec, self._game))
            return _fault(Fault(CANCELLED, "was told to stop"))
        except Exception as error:  # making the agent, or what it says of its decision
            return _fault(raised(error))

    def _make(self, content: bytes) -> Description:
        modules, game, spec = pickle.loads(content)
        for module in modules:
            importlib.import_module(module)  # a user's games and agents are registered so
        self._game, self._spec = pickle.loads(game), spec
        self._player = LocalPlayer(make_agent(spec, self._game))
        return self._player.describe()

    def _move(self, game: Game, position: Position, kind: bytes) -> bytes:
        assert self._player is not None
        self._player.listen(self._report if kind == b"R" else None)
        self._deciding = True
        try:
            answer, decision = self._player.ask(position, kind != b"A", allowed=0.0)
        finally:
            self._deciding = False
        action = existing_action(answer, game)
        if decision is None:
            return b"A%d" % action
        return b"D" + pickle.dumps(_plain(dataclasses.replace(decision, action=action)))

    def _call(self, content: bytes) -> Any:
        modules, function, arguments = pickle.loads(content)
        for module in modules:
            importlib.import_module(module)
        where, _, name = function.partition(":")
        called = getattr(importlib.import_module(where), name)
        try:
            return called(*pickle.loads(arguments), self._send_report)
        finally:
            self._deciding = False

    def _report(self, decision: Decision) -> None:
        """Send an iteration's decision, unless the last one was sent just now."""
        now = time.perf_counter()
        if now - self._reported >= REPORT_SECONDS:
            self._reported = now
            self._send_report(_plain(decision))

    def _send_report(self, content: Any) -> None:
        """Send what is known so far; a signal must not cut the message short."""
        message = b"T" if content is None else b"R" + pickle.dumps(content)
        self._deciding = True
        with _held_back(signal.SIGINT):
            self._send(self._number + message)


@contextlib.contextmanager
def _held_back(number: signal.Signals) -> Any:
    """A signal that comes meanwhile is handled afterwards."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])


def _plain(decision: Decision) -> Decision:
    """A decision of plain numbers only, whatever an agent of the user's own has put into it."""
    scores = decision.scores
    return dataclasses.replace(
        decision,
        score=None if decision.score is None else _plain_score(decision.score),
        scores=None if scores is None else {int(a): _plain_score(scores[a]) for a in scores},
        errors=_numbers(decision.errors),
        visits=_numbers(decision.visits),
        principal_variation=tuple(map(int, decision.principal_variation)),
    )


def _plain_score(score: Score) -> Score:
    return dataclasses.replace(score, value=float(score.value))


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
    """Answer requests until the other end is closed.

    A process that an agent forks has no part in this: it neither hears requests nor answers them.
    """
    served = os.getpid()
    os.register_at_fork(after_in_child=connection.close)
    server = _Server(connection.send_bytes)
    signal.signal(signal.SIGINT, lambda *_: server.cancel())
    with contextlib.suppress(EOFError, OSError):
        while True:
            answer = server.answer(connection.recv_bytes())
            if os.getpid() != served:  # forked where Python did not see it
                os._exit(0)
            connection.send_bytes(answer)
