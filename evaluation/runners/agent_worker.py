"""The process of an isolated agent: it runs the agent and is called by an ``AgentProcess``.

See :class:`~plyground.evaluation.runners.agent_process.AgentProcess` for the calls: the name of a
method and its arguments. Every message in both directions is pickled and preceded by the number of
its call in eight bytes. The signal of Ctrl-C ends a decision with the fault ``cancelled``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import os
import pickle
import signal
import struct
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.pool import ExceptionWithTraceback  # type: ignore[attr-defined]
from typing import Any, NamedTuple, Self

from ...agents import Agent, Decision, Score, make_agent
from ...agents.faults import CANCELLED, Fault, ask, existing_action, faults_of, tokens_of
from ...agents.registry import resolve_agent
from ...envs.compiled.cache import KernelCache
from ...envs.game import Game, load_position
from ...envs.registry import import_modules
from ...envs.specification import SpecificationError
from ..fingerprints import Description, describe

REPORT_SECONDS = 0.05  # minimum time between two progress reports
NUMBER = struct.Struct("!Q")  # of a call


class SearchProgress(NamedTuple):
    """An intermediate report of a method, any number of times before the result.

    None is reported when everything is loaded and compiled, and the call's time starts.
    """

    value: Any


class Result(NamedTuple):
    """The return value of a method."""

    value: Any


class Failure(NamedTuple):
    """An error instead of a result.

    Attributes:
        kind: a kind of fault; None for a bad specification and for an unexpected error.
        text: the message.
        pickle: the unexpected error with its traceback.
    """

    kind: str | None
    text: str
    pickle: bytes | None = None

    @classmethod
    def of(cls, error: Exception) -> Self:
        text = str(error).encode(errors="replace").decode()
        if isinstance(error, (Fault, SpecificationError)):
            return cls(error.kind if isinstance(error, Fault) else None, text)
        text = f"{type(error).__name__}: {text}"
        with contextlib.suppress(Exception):  # some errors cannot be pickled
            return cls(None, text, pickle.dumps(ExceptionWithTraceback(error, error.__traceback__)))
        return cls(None, text, b"")

    @property
    def error(self) -> Exception:
        """The error, to be raised on this side."""
        if self.pickle is None:
            return (
                SpecificationError(self.text) if self.kind is None else Fault(self.kind, self.text)
            )
        with contextlib.suppress(Exception):
            error = pickle.loads(self.pickle)
            if isinstance(error, Exception):
                return error
        return RuntimeError(self.text)


Answer = SearchProgress | Result | Failure


class _Cancellation(KeyboardInterrupt):
    """The decision is no longer wanted."""


class AgentService:
    """Runs one agent at a time, and is called by the process at the other end."""

    def __init__(self) -> None:
        self._connection: Connection | None = None
        self._number = b""  # of the current call
        self._game: Game | None = None
        self._agent: Agent | None = None
        self._spec, self._foreign = "", False
        self._interruptible = False  # whether a signal may end the current work
        self._last_report = 0.0

    def cancel(self) -> None:
        """End the current decision, if any; called by the signal handler."""
        if self._interruptible:
            self._interruptible = False
            raise _Cancellation

    def serve(self, connection: Connection) -> None:
        """Answer calls until the other end of the connection is closed: an EOFError or OSError.

        A process forked by an agent neither reads calls nor answers them.
        """
        own_pid, self._connection = os.getpid(), connection
        while True:
            frame = connection.recv_bytes()
            self._number = frame[: NUMBER.size]
            answer = self.answer(*pickle.loads(frame[NUMBER.size :]))
            if os.getpid() != own_pid:  # forked where Python did not see it
                os._exit(0)
            connection.send_bytes(self._number + answer)

    def answer(self, method: str, arguments: tuple[Any, ...]) -> bytes:
        """The pickled answer to a call."""
        try:
            return self._result(method, arguments)
        except Exception as error:
            return pickle.dumps(Failure.of(error))

    def _result(self, method: str, arguments: tuple[Any, ...]) -> bytes:
        try:
            with faults_of(self._foreign, SpecificationError):
                return pickle.dumps(Result(getattr(self, method)(*arguments)))
        except KeyboardInterrupt:
            # The agent's state may be incomplete: the next game gets a new agent.
            if self._agent is not None:
                self._agent = make_agent(self._spec, self._game)
            raise Fault(CANCELLED, "was told to stop") from None

    def make(self, modules: Iterable[str], game: bytes, spec: str) -> Description:
        """Create an agent for a pickled game, replacing the previous one."""
        import_modules(modules)
        self._game, self._spec = pickle.loads(game), spec
        self._foreign = resolve_agent(spec)[0].foreign
        with faults_of(self._foreign, SpecificationError):
            self._agent = make_agent(spec, self._game)
            return describe(self._agent)

    def get_ready(self) -> None:
        """Let the agent load and compile for the game."""
        assert self._agent is not None
        assert self._game is not None
        self._agent.get_ready(self._game)

    def reset(self, seed: int) -> None:
        """Reset the agent for a game."""
        assert self._agent is not None
        with faults_of(self._foreign):
            self._agent.reset(seed)

    def tokens(self) -> int:
        """The tokens that the agent has used since its reset."""
        assert self._agent is not None
        return tokens_of(self._agent)

    def has_compiled(self) -> bool:
        """Whether the process has compiled and cached kernels since the last call."""
        saved, KernelCache.saved = KernelCache.saved, False
        return saved

    def choose(self, start: bytes, moves: tuple[int, ...]) -> int:
        """An action, in the position after the moves from the one with these bytes."""
        return self._decide(start, moves, False, False)[0]

    def decide(self, start: bytes, moves: tuple[int, ...], reporting: bool) -> Decision:
        """A decision, of plain numbers only; iterations of a search are reported on request."""
        action, decision = self._decide(start, moves, True, reporting)
        assert decision is not None
        return _plain(dataclasses.replace(decision, action=action))

    def _decide(
        self, start: bytes, moves: tuple[int, ...], analyse: bool, reporting: bool
    ) -> tuple[int, Decision | None]:
        assert self._agent is not None
        assert self._game is not None
        position = load_position(self._game, start, moves)
        self._agent.on_progress = self._report_decision if reporting else None
        self._interruptible = True
        try:
            answer, decision = ask(self._agent, position, analyse)
        finally:
            self._interruptible = False
        return existing_action(answer, self._game), decision

    def call(self, modules: Iterable[str], function: str, arguments: bytes) -> Any:
        """Call a function, MODULE:NAME, with pickled arguments and a report function.

        A report of None means that the function has loaded and compiled everything.
        """
        import_modules(modules)
        module, _, name = function.partition(":")
        try:
            return getattr(importlib.import_module(module), name)(
                *pickle.loads(arguments),
                self._report,
            )
        finally:
            self._interruptible = False

    def _report_decision(self, decision: Decision) -> None:
        """Report an iteration's decision, unless one was reported very recently."""
        now = time.perf_counter()
        if now - self._last_report >= REPORT_SECONDS:
            self._last_report = now
            self._report(_plain(decision))

    def _report(self, value: Any) -> None:
        """Send a report before the answer; a signal must not truncate the message."""
        assert self._connection is not None
        self._interruptible = True
        with _signals_held_back():
            self._connection.send_bytes(self._number + pickle.dumps(SearchProgress(value)))


@contextlib.contextmanager
def _signals_held_back() -> Iterator[None]:
    """The signal of Ctrl-C is handled after the body."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def _plain(decision: Decision) -> Decision:
    """A decision of plain numbers only, whatever a user's agent has put into it."""
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
    """Serve an agent until the other end of the connection is closed."""
    service = AgentService()
    signal.signal(signal.SIGINT, lambda *_: service.cancel())
    service.serve(connection)
