"""Wins by continuous fours: the number of test positions that the engine solves in 50 ms each.

    python benchmarks/extras/gomoku_engine/fours.py

The positions are in ``gomoku_fours.txt``, one per line: the rule, then the stones in a possible
order of play. They come from games of the engine
(``benchmarks/extras/gomoku_engine/pattern_games.py``); ``--make FILE…`` draws new ones. The plain
search below has proved each win. It shares no code with the engine: it reads rows as text, and
tries every four and every reply that stops it. No position is won by its first four.
"""

from __future__ import annotations

import argparse
import functools
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from plyground import Agent, Game, Position, make_agent, make_game

FILE = Path(__file__).parent / "gomoku_fours.txt"
SHARES = {"freestyle": 140, "standard": 20, "caro": 20, "caro_overline": 20}
LIMIT = 0.05  # seconds
SIZE = 15
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
Cells = list[str]  # "X" the attacker, "O" the defender, "." free


class TooMany(Exception):
    """The plain search has reached its node limit."""


@functools.cache
def wins(row: str, rule: str) -> bool:
    """Whether a stone X on the free middle cell of eleven in a row makes a winning row."""
    left, right = row[:5][::-1], row[6:]
    before, after = (len(side) - len(side.lstrip("X")) for side in (left, right))
    length = before + 1 + after
    shut_in = left[before : before + 1] == "O" and right[after : after + 1] == "O"
    if rule == "freestyle" or (rule == "caro_overline" and length > 5):
        return length >= 5
    return length == 5 and (rule == "standard" or not shut_in)


def along(cell: int, step: tuple[int, int], reach: int) -> list[int]:
    """The cells of a row around a cell, −1 for those off the board."""
    row, column = divmod(cell, SIZE)
    places = [(row + i * step[0], column + i * step[1]) for i in range(-reach, reach + 1)]
    return [r * SIZE + c if 0 <= r < SIZE and 0 <= c < SIZE else -1 for r, c in places]


ROWS = [[along(cell, step, 5) for step in STEPS] for cell in range(SIZE * SIZE)]
SWAP = str.maketrans("XO", "OX")


def five(cells: Cells, cell: int, player: str, rule: str) -> bool:
    """Whether a stone of ``player`` on a free cell wins."""
    for places in ROWS[cell]:
        row = "".join(cells[place] if place >= 0 else "#" for place in places)
        if wins(row if player == "X" else row.translate(SWAP), rule):
            return True
    return False


def new_fives(cells: Cells, stone: int, player: str, rule: str) -> list[int]:
    """The free cells that win for ``player`` on the four rows through its stone."""
    near = {place for places in ROWS[stone] for place in places if place >= 0}
    return [cell for cell in near if cells[cell] == "." and five(cells, cell, player, rule)]


class PlainSearch:
    """A search for a win of X, to move, by continuous fours, with all replies."""

    def __init__(self, cells: Cells, rule: str, nodes: int, fours: int) -> None:
        self.cells, self.rule, self.nodes, self.most = cells, rule, nodes, fours
        self.failed: set[str] = set()

    def run(self) -> bool:
        """Whether X wins, but not with its first four."""
        cells, rule = self.cells, self.rule
        free = [cell for cell in range(SIZE * SIZE) if cells[cell] == "."]
        if any(five(cells, cell, player, rule) for cell in free for player in "XO"):
            return False
        if any(replies == [] for _, replies in self.fours([])):
            return False
        return self.attack([], self.most)

    def fours(self, threats: list[int]) -> Iterator[tuple[int, list[int]]]:
        """The fours of X after which O has no five, each with the replies that stop it.

        The stone is on the board while the caller uses the replies.
        """
        cells, rule = self.cells, self.rule
        for cell in range(SIZE * SIZE):
            if cells[cell] != ".":
                continue
            if all(sum(cells[p] == "X" for p in row[1:10] if p >= 0) < 3 for row in ROWS[cell]):
                continue
            cells[cell] = "X"
            left = any(cells[t] == "." and five(cells, t, "O", rule) for t in threats)
            gaps = [] if left else new_fives(cells, cell, "X", rule)
            if gaps:
                near = {place for row in ROWS[cell] for place in row if place >= 0}
                yield cell, [p for p in sorted(near) if cells[p] == "." and self.stops(p, gaps)]
            cells[cell] = "."

    def stops(self, reply: int, gaps: list[int]) -> bool:
        """Whether X cannot win on any of these cells after O's stone."""
        self.cells[reply] = "O"
        left = any(gap != reply and five(self.cells, gap, "X", self.rule) for gap in gaps)
        self.cells[reply] = "."
        return not left

    def attack(self, threats: list[int], fours: int) -> bool:
        """Whether X wins within a number of fours; ``threats``: cells where O would win at once."""
        key = "".join(self.cells)
        if fours == 0 or key in self.failed:
            return False
        self.nodes -= 1
        if self.nodes < 0:
            raise TooMany
        for _, replies in self.fours(threats):
            if all(self.beats(reply, fours - 1) for reply in replies):
                return self.clear(key)
        self.failed.add(key)
        return False

    def clear(self, key: str) -> bool:
        """Restore the board after a search that succeeded early."""
        self.cells[:] = key
        return True

    def beats(self, reply: int, fours: int) -> bool:
        """Whether X still wins after O's reply."""
        self.cells[reply] = "O"
        threats = new_fives(self.cells, reply, "O", self.rule)
        won = self.attack(threats, fours)
        self.cells[reply] = "."
        return won


def plain_win(board: np.ndarray, mover: int, rule: str, nodes: int, fours: int = 12) -> bool:
    """Whether the plain search finds a win by fours for the player to move."""
    letters = {0: ".", 1 + mover: "X", 2 - mover: "O"}
    cells = [letters[int(stone)] for stone in board]
    try:
        return PlainSearch(cells, rule, nodes, fours).run()
    except TooMany:
        return False


def read(file: Path = FILE) -> list[tuple[str, list[str]]]:
    """The first word, such as the rule, and the stones of each position."""
    lines = [line.split() for line in file.read_text().splitlines()]
    return [(words[0], words[1:]) for words in lines if words and words[0] != "#"]


def position_of(rule: str, stones: list[str]) -> Position:
    return make_game(f"gomoku:rule={rule}").position(stones)


def stones_of(board: np.ndarray, game: Game) -> list[str]:
    """The stones of a board, in a possible order of play."""
    colours = [np.flatnonzero(board == stone).tolist() for stone in (1, 2)]
    cells = [0] * sum(map(len, colours))
    cells[::2], cells[1::2] = colours
    return [game.action_to_text(cell) for cell in cells]


def make(files: list[str]) -> Iterator[str]:
    """Lines of positions that the plain search wins, from files of ``pattern_games.py``."""
    draw, game = random.Random(16), make_game("gomoku")
    rows = [dict(np.load(file).items()) for file in files]
    boards = np.concatenate([part["cells"] for part in rows])
    ahead = np.flatnonzero(np.concatenate([part["value"] for part in rows]) > 100)
    order = iter(draw.sample(ahead.tolist(), ahead.size))
    for rule, count in SHARES.items():
        while count > 0:
            board = boards[next(order)]
            if plain_win(board, int((board != 0).sum()) % 2, rule, nodes=300):
                count -= 1
                yield " ".join([rule, *stones_of(board, game)])


def search_time(rule: str, stones: list[str], seconds: float = LIMIT) -> tuple[bool, float]:
    """Whether the engine finds the win, and its processor time."""
    position = position_of(rule, stones)
    agent = engine(rule, seconds)
    agent.reset()  # the table is not kept
    began = time.process_time()
    decision = agent.analyse(position)
    seconds_used = time.process_time() - began
    return decision.mate_in is not None and decision.value > 0, seconds_used


@functools.cache
def engine(rule: str, seconds: float) -> Agent:
    game = make_game(f"gomoku:rule={rule}")
    agent = make_agent(f"gomoku:time={seconds}", game)
    agent.get_ready(game)
    return agent


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--make", nargs="+", metavar="FILE", help="draw the positions anew")
    options = parser.parse_args()
    if options.make:
        with FILE.open("w") as file:
            file.write(
                "# Written by: python benchmarks/extras/gomoku_engine/fours.py --make FILE...\n"
            )
            for line in make(options.make):
                file.write(line + "\n")
                file.flush()
    results = [search_time(rule, stones) for rule, stones in read()]
    times = sorted(1000 * duration for _, duration in results)
    in_time = sum(won and duration <= LIMIT for won, duration in results)
    print(
        f"{in_time} of {len(results)} wins by fours found within {1000 * LIMIT:.0f} ms; "
        f"median {statistics.median(times):.2f} ms, longest {times[-1]:.1f} ms"
    )


if __name__ == "__main__":
    main()
