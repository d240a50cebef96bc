"""plyground as an engine of the Gomocup protocol: a brain, which answers a manager's commands."""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from collections.abc import Callable

import psutil

from ....agents.agent import Agent
from ....agents.decision import Decision
from ....agents.registry import make_agent
from ....envs import __version__
from ....envs.game import Game, Position
from ....envs.games.gomoku.gomocup import RULES, cell_text
from ....envs.specification import SpecificationError
from ....evaluation.openings import centre_cells
from . import protocol as p
from .clock import Clock
from .protocol import ProtocolError, Stone

ABOUT = (
    f'name="plyground", version="{__version__}", author="plyground contributors", '
    f'country="", www=""'
)
TELL_SECONDS = 0.1  # minimum time between two progress messages
WARM_UP_SECONDS = 0.05
TIMES = ("timeout_turn", "timeout_match", "time_left")
PROPOSALS = 8  # number of three-stone openings from which a swap2 opening is chosen
MIB = 1 << 20


class Brain:
    """Answers the commands of a manager, line by line.

    Args:
        agent: the specification of the agent that chooses the moves.
        send: sends a line to the manager.

    Attributes:
        thinking: whether it is choosing a move now.

    Raises:
        SpecificationError: there is no such agent.
    """

    def __init__(self, agent: str, send: Callable[[str], None]) -> None:
        self._agent: Agent = make_agent(agent)
        self._has_time = any(parameter.name == "time" for parameter in self._agent.parameters)
        self._clock = Clock(self._agent.options["time"] if self._has_time else None)
        self._send_line = send
        self._size: tuple[int, int] | None = None  # columns and rows, once a game has begun
        self._rule = 0
        self._game: Game | None = None  # of that size and rule, created when needed
        self._stones: list[Stone] = []
        self._lines: list[str] | None = None  # lines of BOARD and its like, until DONE
        self._use_lines: Callable[[list[str]], None] = self._set_stones
        self._decision: Decision | None = None  # the last one
        self._arrival = 0.0  # when the time of the current command began
        self._last_answer = 0.0  # when the last answer was sent
        self._last_message = 0.0
        self._numbers = itertools.count(1)  # of the games, as seeds
        self._warm = False
        self.thinking: bool = False

    def answer(self, line: str, arrival: float | None = None) -> bool:
        """Answer a line; False after END.

        Args:
            line: the line, with or without its end.
            arrival: when it came, by ``time.perf_counter``. Its time runs from then, or from the
                previous answer if that was later.
        """
        now = time.perf_counter() if arrival is None else arrival
        self._arrival = max(now, self._last_answer)
        text = p.plain_line(line)
        if not text:
            return True
        command, _, rest = text.partition(" ")
        command = command.upper()
        if command == "END":
            return False
        try:
            if self._lines is not None:
                self._list(text)
            elif command in self._COMMANDS:
                self._COMMANDS[command](self, rest.strip())
            else:
                self._send(f"UNKNOWN {command[:40]}")
        except ProtocolError as error:
            self._send(f"ERROR {error}")
        except Exception as error:
            # An agent may raise anything. The manager must be informed, and the next game may be
            # playable.
            message = " ".join(f"{type(error).__name__}: {error}".split())
            self._send(f"ERROR {self._agent.spec} failed: {message[:300]}")
        return True

    def close(self) -> None:
        """Release the agent's resources."""
        self._agent.close()

    def _send(self, line: str) -> None:
        """Send an answer."""
        self._send_line(line)
        self._last_answer = time.perf_counter()

    def _message(self, text: str) -> None:
        """Send a remark, which is not an answer."""
        self._send_line(f"MESSAGE {text}")

    # -- commands --

    def _start(self, text: str) -> None:
        sizes = text.split()
        if len(sizes) == 2 and sizes[0] == sizes[1]:  # as Yixin-Board sends it
            text = sizes[0]
        (size,) = p.read_numbers(text, "15")
        self._begin(size, size)

    def _begin(self, cols: int, rows: int) -> None:
        """Begin a game on an empty board; all compiled code is loaded before the answer."""
        self._size = None
        game = p.make_board(cols, rows, self._rule)
        self._warm_up(game)
        self._size, self._game, self._stones, self._decision = (cols, rows), game, [], None
        self._agent.reset(next(self._numbers))
        self._clock.begin_game()
        self._send("OK")

    def _turn(self, text: str) -> None:
        self._add(p.read_cell(self._board(), text), p.OPPONENT)
        self._move()

    def _first(self, text: str) -> None:
        self._board()
        if self._stones:
            raise ProtocolError("BEGIN is for an empty board; RESTART empties it")
        self._move()

    def _play(self, text: str) -> None:
        game = self._board()
        action = p.read_cell(game, text)
        self._add(action, p.OWN)
        self._send(cell_text(game.rules, action))

    def _takeback(self, text: str) -> None:
        action = p.read_cell(self._board(), text)
        others = [stone for stone in self._stones if stone.action != action]
        if len(others) == len(self._stones):
            raise ProtocolError(f"there is no stone at {text}")
        self._stones = others
        self._send("OK")

    def _take_lines(self, use: Callable[[list[str]], None]) -> None:
        """Collect the following lines, up to DONE, for this use."""
        self._board()
        self._lines, self._use_lines = [], use

    def _info(self, text: str) -> None:
        """A setting; it has no answer. Unknown settings are ignored, as usual."""
        key, _, value = text.partition(" ")
        key = key.lower()
        try:
            if key in TIMES:
                (milliseconds,) = p.read_numbers(value, "1000")
                self._clock.set_limit(key, milliseconds)
            elif key == "rule":
                (self._rule,) = p.read_numbers(value, "1")
                self._game = None
                if self._size is not None:
                    # Refused now, to inform the manager, and again when a move is requested.
                    self._agent.get_ready(self._board())
            elif key == "max_memory":
                self._check_memory(*p.read_numbers(value, "1000000"))
            elif key == "evaluate":
                self._tell_value(value)
        except ProtocolError as error:
            self._message(f"INFO {key}: {error}")

    _COMMANDS: dict[str, Callable[[Brain, str], None]] = {
        "START": _start,
        "RECTSTART": lambda self, text: self._begin(*p.read_numbers(text, "20,15")),
        "RESTART": lambda self, text: self._begin(*self._board_size()),
        "BEGIN": _first,
        "TURN": _turn,
        "PLAY": _play,
        "TAKEBACK": _takeback,
        "BOARD": lambda self, text: self._take_lines(self._answer_board),
        "YXBOARD": lambda self, text: self._take_lines(self._set_stones),
        "SWAP2BOARD": lambda self, text: self._take_lines(self._answer_swap2),
        "INFO": _info,
        "ABOUT": lambda self, text: self._send(ABOUT),
    }

    # -- the board --

    def _board_size(self) -> tuple[int, int]:
        if self._size is None:
            raise ProtocolError("no game has begun; START SIZE begins one")
        return self._size

    def _board(self) -> Game:
        """The game of the board and the rule; ProtocolError if there is none."""
        size = self._board_size()
        if self._game is None:
            self._game = p.make_board(*size, self._rule)
        return self._game

    def _add(self, action: int, owner: int) -> None:
        if any(stone.action == action for stone in self._stones):
            raise ProtocolError(f"{cell_text(self._board().rules, action)} is taken")
        self._stones.append(Stone(action, owner))

    def _list(self, text: str) -> None:
        """Take a line of BOARD and similar commands; after the last one, execute the command."""
        assert self._lines is not None
        if text.upper() != "DONE":
            self._lines.append(text)
            return
        lines, self._lines = self._lines, None
        self._use_lines(lines)

    def _set_stones(self, lines: list[str]) -> None:
        """Put these stones on the board. Either side may be to move: there is no answer."""
        game, stones = self._board(), list[Stone]()
        for line in lines:
            column, row, owner = p.read_numbers(line, "7,8,1")
            if owner not in (p.OWN, p.OPPONENT):
                raise ProtocolError(f"{line}: a stone is of 1 (the engine) or 2 (its opponent)")
            stones.append(Stone(p.cell_at(game, column, row), owner))
        p.check_cells(stones)
        self._stones = stones

    def _answer_board(self, lines: list[str]) -> None:
        before = self._stones
        self._set_stones(lines)
        try:
            p.position_of(self._board(), self._stones)
        except ProtocolError:
            self._stones = before
            raise
        self._move()

    # -- moves --

    def _move(self) -> None:
        """Choose a move, play it and send it."""
        game = self._board()
        position = p.position_of(game, self._stones)
        if position.is_over:
            raise ProtocolError(f"the game is over ({position.outcome})")
        decision = self._decide(position, self._clock.budget())
        if not position.is_legal(decision.action):
            raise ProtocolError(f"{self._agent.spec} plays the illegal action {decision.action}")
        self._stones.append(Stone(int(decision.action), p.OWN))
        self._send(cell_text(game.rules, decision.action))

    def _decide(self, position: Position, seconds: float) -> Decision:
        """The agent's decision, with a time limit from the arrival of the command."""
        self._agent.get_ready(position.game)
        before = time.perf_counter() - self._arrival
        if self._has_time:
            self._agent.options["time"] = max(seconds - before, 0.001)
        self._agent.on_progress = self._tell_progress
        self.thinking = True
        try:
            decision = self._agent.analyse(position)
        finally:
            self.thinking = False
            self._agent.on_progress = None
        self._message(_summary(position.game, decision))
        self._decision = decision
        self._clock.add_move(time.perf_counter() - self._arrival, seconds)
        return decision

    def _warm_up(self, game: Game) -> None:
        """Load or compile all code that moves need, for the first game's board."""
        if not self._warm:
            # The rule may come later, when the clock is already running.
            for rule in RULES:
                board = p.make_board(int(game.rules.cols), int(game.rules.rows), rule)
                with contextlib.suppress(SpecificationError):  # it plays other rules
                    self._agent.get_ready(board)
        self._agent.get_ready(game)
        if self._warm:
            return
        if self._has_time:
            self._agent.options["time"] = WARM_UP_SECONDS
        self._agent.on_progress = lambda decision: None
        self._agent.analyse(game.position([game.facts.num_actions // 2]))
        self._agent.on_progress = None
        self._warm = True

    # -- the opening swap2 --

    def _answer_swap2(self, lines: list[str]) -> None:
        """Propose three stones, or choose a colour after three or five."""
        game = self._board()
        actions = [p.read_cell(game, line) for line in lines]
        if len(actions) not in p.SWAP2_STONES or len(set(actions)) < len(actions):
            raise ProtocolError(f"swap2 has 0, 3 or 5 stones on different cells, not {len(lines)}")
        if not actions:
            self._send(" ".join(cell_text(game.rules, action) for action in self._proposal(game)))
            return
        # White is to move. The engine takes the better side: two more stones, which the rules
        # also allow, cannot leave it better than that.
        decision = self._decide(game.position(actions), self._clock.budget())
        loses = decision.value is not None and decision.value < 0
        self._send("SWAP" if loses else cell_text(game.rules, decision.action))

    def _proposal(self, game: Game) -> list[int]:
        """Of some three-stone openings near the centre, the one with the value nearest to 0."""
        seconds = self._clock.budget() / PROPOSALS
        rng = random.Random(next(self._numbers))
        openings: list[tuple[bool, float, list[int]]] = []
        while len(openings) < PROPOSALS:
            actions = rng.sample(centre_cells(game), 3)
            self._arrival = time.perf_counter()
            decision = self._decide(game.position(actions), seconds)
            is_forced = decision.mate_in is not None  # its value is not in points
            openings.append((is_forced, abs(decision.value or 0.0), actions))
        return min(openings)[2]

    # -- output --

    def _tell_progress(self, decision: Decision) -> None:
        now = time.perf_counter()
        if now - self._last_message >= TELL_SECONDS:
            self._last_message = now
            assert self._game is not None
            self._message(_summary(self._game, decision))

    def _tell_value(self, text: str) -> None:
        """The last decision's evaluation of a cell."""
        game = self._board()
        action = p.read_cell(game, text)
        scores = self._decision.scores if self._decision is not None else None
        score = None if scores is None else scores.get(action)
        value = "not valued" if score is None else _plain(score.text())
        self._message(f"{game.action_to_text(action)}: {value}")

    def _check_memory(self, limit: int) -> None:
        used = psutil.Process().memory_info().rss
        if 0 < limit < used:
            raise ProtocolError(
                f"{used // MIB} MiB are already in use; {limit // MIB} MiB are too little"
            )


def _summary(game: Game, decision: Decision) -> str:
    """A decision in one line of plain characters."""
    parts = [f"depth {decision.depth}"] if decision.depth else []
    if decision.score is not None:
        parts.append(_plain(decision.score.text()))
    if decision.nodes or decision.simulations:
        parts.append(f"nodes {decision.nodes or decision.simulations}")
    line = decision.principal_variation or (decision.action,)
    return ", ".join([*parts, "line " + " ".join(game.action_to_text(move) for move in line[:12])])


def _plain(text: str) -> str:
    """Managers may read ASCII only."""
    return text.replace("≥", ">=").replace("≤", "<=").replace("−", "-")
