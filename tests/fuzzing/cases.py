"""Cases for the command line that no user would write on purpose, and what must hold for each.

``cd tests && python -m fuzzing.cases 10000`` tries so many cases; tests/commands/test_fuzzing.py
tries some of them in every run. A case is known by its number: the same number makes the same case.
Cases that found something are kept in ``FAULTS``.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from command_line import Result, invoke
from plyground.envs.loading.interruption import INTERRUPTED

SECONDS, COMPILING, MEMORY = 10, 300, 1 << 30
# numbers of cases in which something was found once
FAULTS: tuple[int, ...] = (105, 159, 257, 2714, 3785, 7775)

VALUES = (
    *("", "-1", "0", "1", "2", "3", "1.5", "nan", "inf", "-inf", "1e308", "1e-308", "9" * 25),
    *("9" * 5000, "0x10", "1_0", "１", "yes", "none", "default", "x" * 5000, "é", "\x1b[31m"),
    *("\ud800", "(1,2)", "(((", "[5;5]", "a=b", "a,b", ":", "/", ".", "/dev/null", "/dev/zero"),
    *("-3x3", "3x3", "\ufeff", "\t", "\n", "%s", "{}", "'", '"', "..", "~", "--", "-", "*"),
)
KEYS = (
    *("depth", "seed", "game", "self", "time", "memory", "simulations", "size", "rows", "cols"),
    *("connect", "dots", "rule", "reward", "heuristic", "book", "network", "threads", "endgame"),
    *("playout", "moves", "temperature", "__class__", "options", "", " ", "é", "radius"),
)
GAMES = ("tic_tac_toe", "connect_four", "dots_and_boxes", "gomoku", "hex", "othello", "chess", "")
AGENTS = (
    *("random", "greedy", "minimax:depth=1", "alphabeta:depth=1", "montecarlo:simulations=2"),
    *("mcts:simulations=2", "solver:memory=1", "onnx:missing.onnx", "python:nothing:at_all"),
    *("human", "easy", "nobody", "", ":", "zoo:nothing", "ppo:", "alphazero:."),
)
COMMANDS = (
    *("analyse", "report", "export", "verify", "tournament", "sprt", "perft", "book", "solve"),
    *("games", "agents", "size", "match", "nothing"),
)
OPTIONS = (
    *("--agent", "--moves", "--seed", "--pairs", "--opening", "--store", "--anchor", "--format"),
    *("--name", "--elo0", "--elo1", "--alpha", "--max-pairs", "--out", "--depth", "--plies"),
    *("--move-timeout", "--game-time", "--memory-limit", "--clock", "--isolate", "--within"),
    *("--changed", "--withdraw-after", "--concurrency", "--runner", "--games", "--json", "--nix"),
)
TOML = """pairs = 1
[[tournament]]
game = "tic_tac_toe"
agents = ["random", "greedy"]
opening = "openings.txt"
seed = 3
"""
OPENINGS = "a1,b2\nc3 # a comment\nb1,b2,b3\n"


class Case:
    """A case: files in a folder, and a command line for them."""

    def __init__(self, number: int, folder: Path, store: Path, book: Path) -> None:
        self.draw, self.folder = random.Random(number), folder
        self._store, self._book, self.kind = store, book, "any"
        kinds: tuple[Callable[[], list[str]], ...] = (
            *(self.specification, self.options, self.toml, self.openings, self.book),
            *(self.bytes_of_store, self.fields_of_store, self.fields_of_store),
        )
        self.words = self.draw.choice(kinds)()

    # -- kinds of cases --

    def specification(self) -> list[str]:
        draw = self.draw
        game = self.spec(draw.choice(GAMES))
        words = ["analyse", game, "--moves", draw.choice(("", "a1", "d", *VALUES))]
        return [*words, "--agent", self.spec(draw.choice(AGENTS))]

    def spec(self, name: str) -> str:
        draw = self.draw
        items = [
            f"{draw.choice(KEYS)}{draw.choice(('=', '=', '=', '', '=='))}{draw.choice(VALUES)}"
            for _ in range(draw.choice((0, 0, 1, 1, 2)))
        ]
        return name + (draw.choice(":::,") + ",".join(items) if items else "")

    def options(self) -> list[str]:
        draw = self.draw
        command = draw.choice(COMMANDS)
        words = [command]
        if command in ("tournament", "sprt", "match"):
            words += [draw.choice(GAMES), draw.choice(AGENTS), draw.choice(AGENTS)]
            words += ["--max-pairs", "1"] if command == "sprt" else []
            words += ["--pairs", "1"] if command == "tournament" else []
        elif command in ("analyse", "solve", "book", "perft", "size"):
            words += ["tic_tac_toe"]
            words += ["--depth", "2"] if command == "perft" else []
            words += ["--out", "b.book", "--plies", "1"] if command == "book" else []
        for _ in range(draw.choice((0, 1, 1, 2, 3))):
            words += [draw.choice(OPTIONS), draw.choice(VALUES)][: draw.choice((1, 2, 2, 2))]
        return words

    def toml(self) -> list[str]:
        self.write("file.toml", self.mutate(TOML.encode()))
        self.write("openings.txt", OPENINGS.encode())
        return ["tournament", "file.toml"]

    def openings(self) -> list[str]:
        self.write("openings.txt", self.mutate(OPENINGS.encode()))
        words = ["tournament", "tic_tac_toe", "random", "greedy", "--pairs", "1"]
        return [*words, "--opening", "openings.txt"]

    def book(self) -> list[str]:
        self.write("own.book", self.mutate(self._book.read_bytes()))
        return ["analyse", "tic_tac_toe", "--agent", "alphabeta:depth=1,book=own.book"]

    def bytes_of_store(self) -> list[str]:
        self.write("store.db", self.mutate(self._store.read_bytes()))
        return self.reading_a_store()

    def fields_of_store(self) -> list[str]:
        draw = self.draw
        shutil.copy(self._store, self.folder / "store.db")
        connection = sqlite3.connect(self.folder / "store.db")
        table = draw.choice(("tournaments", "agents", "games", "games"))
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        value = draw.choice(
            (*VALUES, None, -1, 2**62, 1e308, float("inf"), -0.5, b"\xff", "[" * 9999)
        )
        where = draw.choice(("", f" WHERE rowid = {draw.randrange(4)}"))
        with contextlib.suppress(sqlite3.Error, UnicodeError):
            column = draw.choice(columns)
            connection.execute(f"UPDATE {table} SET {column} = ?{where}", (value,))
        if draw.random() < 0.1:
            with contextlib.suppress(sqlite3.Error):
                connection.execute(f"DELETE FROM {table}{where}")
        connection.commit()
        connection.close()
        return self.reading_a_store()

    def reading_a_store(self) -> list[str]:
        commands = (
            *(["report"], ["report", "--json"], ["report", "--html", "report.html"], ["export"]),
            *(
                ["export", "--format", "csv"],
                ["verify", "--games", "0"],
                ["verify", "--games", "1"],
            ),
        )
        command, *rest = self.draw.choice(commands)
        if self.draw.random() < 0.15:
            words = ["tournament", "tic_tac_toe", "random", "greedy", "--pairs", "1"]
            return [*words, "--store", "store.db"]
        return [command, "store.db", *rest]

    def complaint(self, result: Result) -> str | None:
        """What is wrong with the files after the command; None if nothing is."""
        return None

    # -- parts --

    def write(self, name: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)

    def mutate(self, content: bytes) -> bytes:
        """Bytes changed, cut out, doubled or put in at some places."""
        draw, data = self.draw, bytearray(content)
        for _ in range(draw.choice((0, 1, 1, 2, 5, 30))):
            place = draw.randrange(len(data) + 1)
            kind = draw.randrange(5)
            if kind == 0 and data:
                data[place % len(data)] = draw.randrange(256)
            elif kind == 1:
                del data[place : place + draw.choice((1, 5, 1000))]
            elif kind == 2:
                data[place:place] = data[place : place + draw.choice((1, 20, 500))]
            elif kind == 3:
                data[place:place] = draw.choice(VALUES).encode("utf-8", "surrogatepass")
            elif draw.random() < 0.2:
                del data[place:]
        return bytes(data)


class Playground:
    """A folder for cases, with a store and a book to start from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kinds: Counter[str] = Counter()  # how many cases of each kind were tried
        self.store, self.book = folder / "sound.db", folder / "sound.book"
        with contextlib.chdir(folder):
            words = ["tournament", "tic_tac_toe", "random", "greedy", "--pairs", "2"]
            assert invoke([*words, "--store", "sound.db"]).exit_code == 0
            words = ["book", "tic_tac_toe", "--agent", "greedy", "--plies", "2"]
            assert invoke([*words, "--out", "sound.book"]).exit_code == 0
        self._memory = psutil.Process().memory_info().rss

    def make(self, number: int, folder: Path) -> Case:
        """The case of a number, in an empty folder."""
        return Case(number, folder, self.store, self.book)

    def complaint(self, number: int) -> str | None:
        """What is wrong with how a case ended; None if nothing is.

        The first case that needs a kernel compiles it: one that takes long is tried again.
        """
        wrong = self._complaint(number, COMPILING) and self._complaint(number, 2 * SECONDS)
        self.kinds[self.newest.kind] += 1
        return wrong

    def _complaint(self, number: int, patience: int) -> str | None:
        folder = self.folder / "case"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        case = self.make(number, folder)
        self.newest = case
        began = time.process_time()  # other programs may want the processor too
        # Who asks for an exact solution without a time limit waits for it, or stops it.
        endless = any(word.startswith("solve") for word in case.words)
        try:
            with contextlib.chdir(folder), _alarm(SECONDS if endless else patience, endless):
                result = invoke(case.words)
        except Exception as error:
            return f"{case.words}: {type(error).__name__}: {str(error)[:300]}"
        if endless and result.exit_code == INTERRUPTED:
            return None
        wrong = _wrong_with(result) or case.complaint(result)
        seconds = time.process_time() - began
        if seconds > SECONDS:
            wrong = f"took {seconds:.1f} s"
        elif psutil.Process().memory_info().rss - self._memory > MEMORY:
            wrong = "took more than 1 GiB"
        return None if wrong is None else f"{[word[:60] for word in case.words]}: {wrong}"


def _wrong_with(result: Result) -> str | None:
    if "Traceback" in result.output or "internal error" in result.output:
        return result.output[-600:]
    if result.exit_code not in (0, 1, 2):
        return f"exit status {result.exit_code}"
    if result.exit_code == 2:
        sentences = [line for line in result.stderr.splitlines() if line.startswith("plyground: ")]
        if len(sentences) != 1 or len(sentences[0]) > 1100:
            return f"refused without one sentence: {result.stderr[-300:]!r}"
        if not sentences[0].isprintable():
            return f"what is no text reaches the terminal: {sentences[0]!r}"
    return None


@contextlib.contextmanager
def _alarm(seconds: int, stop: bool) -> Iterator[None]:
    """After so many seconds the body is stopped as by Ctrl-C, or fails with a TimeoutError."""

    def ring(number: int, frame: object) -> None:
        if stop:
            raise KeyboardInterrupt
        raise TimeoutError(f"took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def try_cases(ground_type: type[Playground], words: list[str]) -> None:
    """Try N cases (from the second word on, every third word's), and list those that went wrong."""
    count, first, step = (int(word) for word in [*words, *("1000", "0", "1")[len(words) :]])
    wrong: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        ground = ground_type(Path(folder))
        for number in range(first, first + count * step, step):
            complaint = ground.complaint(number)
            if complaint:
                wrong[ground.newest.kind] += 1
                print(number, complaint, flush=True)
        print(f"{count} cases from {first} on, those that went wrong among all:")
        for kind, cases in ground.kinds.items():
            print(f"  {kind}: {wrong[kind]} of {cases}")


if __name__ == "__main__":
    try_cases(Playground, sys.argv[1:])
