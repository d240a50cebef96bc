"""The process of an isolated agent: it holds the agent and is asked by an ``AgentProcess``.

See :class:`~plyground.evaluation.runners.agent_process.AgentProcess` for the calls, and
:mod:`.messages` for how they are sent. The signal of Ctrl-C ends a decision, which is then the
fault ``cancelled``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import pickle
import signal
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Any

from ...agents import Agent, Decision, Score, make_agent
from ...agents.faults import CANCELLED, Fault, ask, existing_action, faults_of, tokens_of
from ...agents.registry import resolve_agent
from ...envs.compiled.cache import KernelCache
from ...envs.game import Game, load_position
from ...envs.registry import import_modules
from ...envs.specification import SpecificationError
from ..fingerprints import Description, describe
from .messages import AgentCall, SearchProgress, Service, Start

REPORT_SECONDS = 0.05  # between two reports of progress at least


class _Cancellation(KeyboardInterrupt):
    """The decision is no longer wanted."""


class AgentService(Service):
    """Holds one agent at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._game: Game | None = None
        self._agent: Agent | None = None
        self._spec, self._foreign = "", False
        self._interruptible = False  # whether a signal may end what is going on
        self._last_report = 0.0

    def cancel(self) -> None:
        """End the decision under way, if there is one; called by the signal's handler."""
        if self._interruptible:
            self._interruptible = False
            raise _Cancellation

    def result(self, call: AgentCall) -> bytes:
        try:
            with faults_of(self._foreign, SpecificationError):
                return super().result(call)
        except KeyboardInterrupt:
            # What the agent was about to store is lost: the next game gets an agent of its own.
            if self._agent is not None:
                self._agent = make_agent(self._spec, self._game)
            raise Fault(CANCELLED, "was told to stop") from None

    def make(self, modules: Iterable[str], game: bytes, spec: str) -> Description:
        """Make an agent for a pickled game, in place of the one before."""
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
        """Whether the process has compiled and kept kernels since it was last asked."""
        saved, KernelCache.saved = KernelCache.saved, False
        return saved

    def choose(self, start: bytes, moves: tuple[int, ...]) -> int:
        """An action, in the position after the moves from the one with these bytes."""
        return self._decide(start, moves, False, False)[0]

    def decide(self, start: bytes, moves: tuple[int, ...], reporting: bool) -> Decision:
        """A decision, of plain numbers only; iterations of a search are reported if so wished."""
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
        """Call a function, MODULE:NAME, with pickled arguments and a function that reports.

        When that is called with None, the function has loaded and compiled what it needs.
        """
        import_modules(modules)
        module, _, name = function.partition(":")
        try:
            return getattr(importlib.import_module(module), name)(
                *pickle.loads(arguments),
                lambda value: self._send_report(
                    Start() if value is None else SearchProgress(value)
                ),
            )
        finally:
            self._interruptible = False

    def _report_decision(self, decision: Decision) -> None:
        """Report an iteration's decision, unless the last one was reported just now."""
        now = time.perf_counter()
        if now - self._last_report >= REPORT_SECONDS:
            self._last_report = now
            self._send_report(SearchProgress(_plain(decision)))

    def _send_report(self, message: Start | SearchProgress) -> None:
        """Send a report; a signal must not cut the message short."""
        self._interruptible = True
        with _signals_held_back():
            self.report(message)


@contextlib.contextmanager
def _signals_held_back() -> Iterator[None]:
    """The signal of Ctrl-C is handled after the body."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


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
    """Serve an agent until the other end of the connection is closed."""
    service = AgentService()
    signal.signal(signal.SIGINT, lambda *_: service.cancel())
    service.serve(connection)
