"""Isolated agents: each plays from a process of its own.

Whatever such an agent does (hang in native code, exit, use up the memory) loses it a game and
nothing else. Its process is started again after every such fault, before its next game. This guards
against mistakes, not against malice: the process has all rights of its user.
"""

from __future__ import annotations

import math
import pickle
import time
from typing import Any

from ...agents import Decision
from ...agents.human import HumanAgent
from ...agents.registry import resolve_agent
from ...envs.game import Game, Position
from ...envs.specification import SpecificationError
from ..match import NO_LIMITS, Limits
from ..players import EXITED, HUNG, OUT_OF_MEMORY, Description, Fault, Player
from .worker_process import WorkerDied, WorkerProcess

AUTO, ALWAYS, NEVER = ISOLATION = ("auto", "always", "never")

START_SECONDS = 600.0  # for importing, loading and compiling
LONGEST_MOVE_SECONDS = 600.0  # where no limit is set
GRACE_SECONDS = 1.0  # an answer that is late by no more is still read, and the process kept
WATCH_SECONDS = 0.1  # between two readings of the memory used


def is_isolated(spec: str, mode: str) -> bool:
    """Whether an agent plays from a process of its own: ``auto`` asks its class.

    A person always stays at this terminal.
    """
    agent_class, _ = resolve_agent(spec)
    if issubclass(agent_class, HumanAgent) or mode == NEVER:
        return False
    return mode == ALWAYS or agent_class.isolated


class IsolatedPlayer(Player):
    """An agent in a process of its own, which is started when it is first needed.

    Args:
        spec: the agent's specification.
        game: the game it plays.
        limits: what it may use.
        modules: modules of the user's own that register the game or the agent.
    """

    def __init__(
        self, spec: str, game: Game, limits: Limits = NO_LIMITS, modules: tuple[str, ...] = ()
    ) -> None:
        self._spec, self._game, self._limits, self._modules = spec, game, limits, modules
        self._description: Description | None = None  # once the agent has been made
        self._worker: WorkerProcess | None = None
        self._answering = False
        self._looked = 0.0  # when the memory was last looked at

    @property
    def pid(self) -> int | None:
        """The number of the process, or None if there is none."""
        return None if self._worker is None else self._worker.pid

    def describe(self) -> Description:
        """The agent's description of itself; the process is started if that is not known yet.

        Raises:
            SpecificationError: the agent cannot be made.
        """
        if self._description is None:
            try:
                self._description = self._start()
            except Fault as fault:
                raise SpecificationError(f"{self._spec} cannot be made: it {fault}") from None
        return self._description

    def prepare(self, game: Game, seed: int) -> None:
        if game != self._game:
            raise ValueError(f"this player was made for {self._game.spec}, not for {game.spec}")
        # An unanswered request was interrupted: its answer would be taken for that of the next.
        if self._worker is None or self._answering:
            self._description = self._start()
        self._request(b"P%d" % seed, START_SECONDS)

    def ask(self, position: Position, analyse: bool, allowed: float) -> tuple[Any, Decision | None]:
        answer = self._request(
            (b"D" if analyse else b"A") + position.record.tobytes() + pickle.dumps(position.moves),
            min(allowed, LONGEST_MOVE_SECONDS),
        )
        if analyse:
            decision: Decision = pickle.loads(answer)
            return decision.action, decision
        return int(answer), None

    def close(self) -> None:
        """End the process."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _start(self) -> Description:
        self.close()
        self._worker = WorkerProcess("plyground.evaluation.runners.agent_worker")
        message = pickle.dumps((self._modules, pickle.dumps(self._game), self._spec))
        description: Description = pickle.loads(self._request(b"M" + message, START_SECONDS))
        return description

    def _request(self, message: bytes, allowed: float) -> bytes:
        """The content of the answer to a request."""
        assert self._worker is not None
        self._answering = True
        began = time.perf_counter()
        try:
            self._worker.send(message)
            self._wait(self._worker, began, allowed)
            answer = self._worker.receive()
        except WorkerDied as death:
            self.close()
            raise Fault(EXITED, str(death)) from None
        except Fault:
            self.close()
            raise
        self._answering = False
        kind, content = answer[:1], answer[1:]
        if kind == b"F":
            fault, _, what = content.decode().partition("\0")
            raise Fault(fault, what)
        if kind == b"S":
            raise SpecificationError(content.decode())
        return content

    def _wait(self, worker: WorkerProcess, began: float, allowed: float) -> None:
        """Wait for the answer; Fault if it is late or the agent uses too much memory."""
        deadline = began + allowed + GRACE_SECONDS
        limit = math.inf if self._limits.memory_bytes is None else self._limits.memory_bytes
        while True:
            now = time.perf_counter()
            answered = worker.answered(min(deadline - now, WATCH_SECONDS))
            now = time.perf_counter()
            if limit < math.inf and now - self._looked >= WATCH_SECONDS:
                self._looked = now
                used = worker.memory()
                if used > limit:
                    raise Fault(
                        OUT_OF_MEMORY, f"used {_gib(used)} of memory; {_gib(limit)} are allowed"
                    )
            if answered:
                return
            if now >= deadline:
                raise Fault(HUNG, f"hung: no answer after {now - began:.3g} s")

    def __str__(self) -> str:
        return self._spec


def _gib(size: float) -> str:
    return f"{size / 2**30:.3g} GiB"
