"""Prepares an agent while the user still thinks about the first move."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ..agents.agent import Agent
from ..agents.faults import begin
from ..envs.compiled.kernels import USUAL_SECONDS, announce_compilation, without_announcements
from ..envs.game import Game

TOLD_EVERY = 0.5  # seconds
SHORT = 1.0  # seconds of waiting without a message


class Preparation:
    """Prepares an agent in a background thread.

    Compilation takes a lock, so the thread of the user interface must compile what it needs first:
    see :func:`compile_rules`.
    """

    def __init__(self, agent: Agent, game: Game, seed: int) -> None:
        self._agent, self._game, self._seed = agent, game, seed
        self._error: BaseException | None = None
        self._began = time.perf_counter()
        # A daemon: leaving the game does not wait for the end of the compilation.
        self._thread = threading.Thread(target=self._prepare, daemon=True)
        self._thread.start()

    def _prepare(self) -> None:
        try:
            with without_announcements():
                begin(self._agent, self._game, self._seed)
        except BaseException as error:
            self._error = error

    def wait(self, tell: Callable[[str], None]) -> None:
        """Wait until the agent is ready; an error of the preparation is raised here.

        Args:
            tell: called with a message about the time taken, if it takes long.
        """
        began = time.perf_counter()
        while self._thread.is_alive():
            self._thread.join(TOLD_EVERY)
            now = time.perf_counter()
            if now - began > SHORT:
                duration = f"{now - self._began:.0f} s"
                tell(f"compiling, once: {duration}, of usually {USUAL_SECONDS}")
        if self._error is not None:
            raise self._error


def compile_rules(game: Game) -> None:
    """Compile the rules that a game at the terminal needs, in this thread."""
    with announce_compilation(f"the rules of {game.name}, then the opponent while you think"):
        position = game.initial_position()
        action = position.legal_actions()[0]
        if position.is_legal(action) and not position.is_over:
            position = position.after(action)
        _ = position.to_move, position.returns, position.outcome, str(position)
