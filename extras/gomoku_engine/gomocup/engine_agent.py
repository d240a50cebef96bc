"""``gomocup:COMMAND``: engines of the Gomocup protocol as agents."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import weakref
from pathlib import Path
from typing import Any

from ....agents.agent import Agent
from ....agents.decision import Decision
from ....agents.faults import EXITED, ILLEGAL_ACTION, NO_ACTION, Fault
from ....agents.registry import register_agent
from ....envs.game import Game, Position
from ....envs.games.gomoku.gomocup import CONNECT, GAME, cell_text, rule_number
from ....envs.specification import Parameter, SpecificationError, plain_text, refusing
from .engine import Engine
from .protocol import OPPONENT, ProtocolError, Stone, cell_at, stones_of
from .protocol import OWN as ENGINE

START_SECONDS = 60.0  # for the answer to START: engines load networks then
GRACE_SECONDS = 5.0  # beyond its time, after which an engine counts as hung
TOURNAMENT = 2  # the game_type of games between engines
MIB = 1 << 20
DIGITS = 12  # of a hash that distinguishes versions
LARGEST_HASHED = 1 << 28  # bytes of a file


@register_agent("gomocup")
class GomocupAgent(Agent):
    """Plays by an engine of the Gomocup protocol: gomoku with five in a row, in all rules.

    The command is split into words as by a shell, including quotes, but no shell runs it. Each game
    has a separate engine process, which is ended with its children. An engine that hangs, exits, or
    gives an invalid answer raises a Fault, which forfeits the game; the next game has a new
    process.
    """

    summary = "an engine of the Gomocup protocol: gomocup:COMMAND,time=1"
    parameters = (
        Parameter("command", str, None, "the engine's program with its arguments"),
        Parameter("time", float, 1.0, "seconds per move, sent to the engine", 0.001, 86400),
        Parameter(
            "memory", float, 350.0, "memory limit in MiB, sent to the engine; 0: no limit", 0
        ),
        Parameter(
            "threads", int, None, "number of threads, sent to the engine (INFO thread_num)", 1, 1024
        ),
        Parameter("folder", str, None, "its working directory (default: the current directory)"),
    )
    argument = "command"
    isolated = foreign = True
    effect = "runs a program"

    _engine: Engine | None = None
    _finalizer: Any = None

    def check_options(self) -> None:
        """Refuse a command that cannot be run."""
        if os.name != "posix":
            raise SpecificationError("gomocup: engines are run on Linux and macOS only")
        command, folder = self.options["command"], self.options["folder"]
        with refusing(ValueError, f"gomocup: {command!r} cannot be read"):
            words = shlex.split(command or "")
        if not words:
            raise SpecificationError(
                "write gomocup:COMMAND, such as gomocup:./pbrain-x or gomocup:'./my engine' 3"
            )
        program = shutil.which(words[0])
        if program is None:
            raise SpecificationError(f"gomocup: there is no program {words[0]!r} to run")
        if folder is not None and not Path(folder).is_dir():
            raise SpecificationError(f"gomocup: there is no folder {folder!r} to run it in")
        self._command = [str(Path(program).absolute()), *words[1:]]

    def check_game(self, game: Game) -> None:
        if rule_number(game.rules) is None:
            raise SpecificationError(
                f"the Gomocup protocol does not support {game.spec}, only {GAME} with "
                f"connect={CONNECT}"
            )

    def prepare(self, game: Game) -> None:
        self._game = game
        if self._engine is not None:
            self.close()
        self._start()

    def reset(self, seed: int = 0) -> None:
        """Begin a game with a new process, unless the current one has not played yet."""
        super().reset(seed)
        if self._engine is not None and self._engine_stones != []:
            self.close()
        if self._engine is None and getattr(self, "_game", None) is not None:
            self._start()

    def close(self) -> None:
        """End the engine and its child processes."""
        if self._finalizer is not None:
            self._finalizer()
        self._engine = self._finalizer = None

    def decide(self, position: Position) -> Decision:
        try:
            if self._engine is None:
                self._start()
            answer = self._ask(position)
            while answer.upper().startswith("SUGGEST"):
                # A suggested move counts as the move.
                answer = self._wait("PLAY " + answer.partition(" ")[2].strip())
            action = self._read(answer, position)
        except Fault:
            self.close()  # its state is unknown; the next call gets a new process
            raise
        self._engine_stones = [*stones_of(position), Stone(action, ENGINE)]
        return Decision(action)

    def _ask(self, position: Position) -> str:
        """Let the engine move, sending as little as necessary for the position."""
        game, stones, before = self._game, stones_of(position), self._engine_stones
        if not stones and not before:
            return self._wait("BEGIN")
        new = stones[len(before) :] if stones[: len(before)] == before else []
        if len(new) == 1 and new[0].owner == OPPONENT:
            return self._wait(f"TURN {cell_text(game.rules, new[0].action)}")
        if before:
            self._expect_ok("RESTART")
        lines = [f"{cell_text(game.rules, action)},{owner}" for action, owner in stones]
        return self._wait("BEGIN") if not stones else self._wait("BOARD", *lines, "DONE")

    def _wait(self, *lines: str) -> str:
        assert self._engine is not None
        return self._engine.ask(*lines, seconds=self.options["time"] + GRACE_SECONDS)

    def _read(self, answer: str, position: Position) -> int:
        """The action of an answer; Fault if it is not a cell. The match refuses a taken one."""
        match = re.fullmatch(r"(-?\d{1,9})\s*,\s*(-?\d{1,9})", answer, re.ASCII)
        if match is None:
            raise Fault(NO_ACTION, f"answered {plain_text(answer, 60)!r}, which is not a move")
        try:
            return cell_at(position.game, int(match[1]), int(match[2]))
        except ProtocolError as error:
            raise Fault(ILLEGAL_ACTION, f"played {error}") from None

    def _start(self) -> None:
        """Start the engine, and send it the board and the limits."""
        game, options = self._game, self.options
        self._engine_stones = []
        try:
            self._engine = Engine(self._command, options["folder"])
        except OSError as error:
            raise Fault(EXITED, f"has no engine: it could not be started: {error}") from None
        self._finalizer = weakref.finalize(self, Engine.close, self._engine)
        rows, cols = int(game.rules.rows), int(game.rules.cols)
        milliseconds = max(round(1000 * options["time"]), 1)
        try:
            self._expect_ok(f"START {cols}" if rows == cols else f"RECTSTART {cols},{rows}")
            self._engine.tell(
                f"INFO timeout_turn {milliseconds}",
                "INFO timeout_match 0",
                f"INFO time_left {2**31 - 1}",  # no limit, as managers write it
                f"INFO max_memory {round(options['memory'] * MIB)}",
                f"INFO game_type {TOURNAMENT}",
                f"INFO rule {rule_number(game.rules)}",
                *([f"INFO thread_num {options['threads']}"] if options["threads"] else []),
            )
        except Fault:
            self.close()
            raise

    def _expect_ok(self, line: str) -> None:
        assert self._engine is not None
        answer = self._engine.ask(line, seconds=START_SECONDS)
        if answer.upper() != "OK":
            raise Fault(NO_ACTION, f"answered {line} with {plain_text(answer, 60)!r}, not with OK")

    def __getstate__(self) -> dict[str, Any]:
        # a process cannot be copied: the copy starts a new one
        return self.__dict__ | {"_engine": None, "_finalizer": None, "_engine_stones": []}

    @property
    def version(self) -> str:
        """A hash of the program and of arguments that are files."""
        digest = hashlib.sha256()
        for word in self._command:
            path = Path(word)
            if path.is_file() and path.stat().st_size <= LARGEST_HASHED:
                digest.update(path.read_bytes())
        return f"{super().version}, program {digest.hexdigest()[:DIGITS]}"
