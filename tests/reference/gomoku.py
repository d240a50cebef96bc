"""Gomoku: which rows win depends on the rule variant; its heuristics."""

from __future__ import annotations

import functools
from itertools import combinations, groupby

from plyground.envs.games.gomoku import patterns as constants

from .reference import CellsReference, window_counts

# OpenSpiel's gomoku is freestyle on a square board.
OPENSPIEL = [
    ("gomoku", "gomoku"),
    ("gomoku:size=7,connect=4", "gomoku(size=7,connect=4)"),
    ("gomoku:size=6,connect=3", "gomoku(size=6,connect=3)"),
]


class Gomoku(CellsReference):
    def __init__(self, rows: int, cols: int, connect: int, rule: str) -> None:
        super().__init__(rows, cols, connect)
        self.rule = rule

    def has_won(self, player: int) -> bool:
        return any(
            owner == player and self.wins(length, ends.count(1 - player))
            for owner, length, ends in self.runs()
        )

    def runs(self) -> list[tuple[int, int, tuple[int | str | None, ...]]]:
        """(owner, length, what stands at its ends) of every unbroken row of equal stones.

        That is a player, None of a free cell, or ``edge``.
        """
        runs = []
        for line in self.lines():
            groups = [
                (owner, len(list(cells)))
                for owner, cells in groupby(self.stones.get(cell) for cell in line)
            ]
            owners = ["edge", *(owner for owner, _ in groups), "edge"]
            runs += [
                (owner, length, (owners[i], owners[i + 2]))
                for i, (owner, length) in enumerate(groups)
                if owner is not None
            ]
        return runs

    def wins(self, length: int, blocked_ends: int) -> bool:
        if self.rule == "freestyle":
            return length >= self.connect
        if self.rule == "standard":
            return length == self.connect
        if self.rule == "caro":
            return length == self.connect and blocked_ends < 2
        assert self.rule == "caro_overline"
        return length > self.connect or (length == self.connect and blocked_ends < 2)


def caro10(game: Gomoku, player: int) -> int:
    """Windows of five: 1, 10, 100, 1,000, 100,000 for 1 to 5 own stones, minus the same for 2 to 5
    of the opponent's.
    """
    worth = {1: 1, 2: 10, 3: 100, 4: 1000, 5: 100_000}
    points = 0
    for mine, theirs in window_counts(game, player):
        if theirs == 0:
            points += worth.get(mine, 0)
        elif mine == 0 and theirs >= 2:
            points -= worth[theirs]
    return points


def near(game: Gomoku, radius: int) -> list[tuple[int, int]]:
    """The free cells within a distance of a stone, row by row; of an empty board the centre."""
    if not game.stones:
        return [(game.rows // 2, game.cols // 2)]
    return [
        (row, column)
        for row in range(game.rows)
        for column in range(game.cols)
        if (row, column) not in game.stones
        and any(max(abs(row - y), abs(column - x)) <= radius for y, x in game.stones)
    ]


def attack_minus_defence(game: Gomoku) -> dict[tuple[int, int], int]:
    """The points of the cells next to a stone: all windows of the board after a stone of the mover,
    less those after a stone of the opponent, both as the mover sees them.
    """
    points, mover = {}, game.to_move
    for cell in near(game, 1):
        values = []
        for owner in (mover, 1 - mover):
            game.stones[cell] = owner
            values.append(caro10(game, mover))
            del game.stones[cell]
        points[cell] = values[0] - values[1]
    return points


def caro15(game: Gomoku, player: int) -> int:
    """Each stone of a maximal run: 10, 100, 1,000, 10,000, 100,000 for 1 to 5 stones, 10 for more,
    own minus the opponent's.
    """
    return sum(
        length * (10**length if length <= 5 else 10) * (1 if owner == player else -1)
        for owner, length, _ in game.runs()
    )


def caro15_open(game: Gomoku, player: int) -> int:
    """Maximal runs as a whole, a tenth with one free end, nothing without; more than five stones
    count as five where they win.
    """
    share = {0: 0.0, 1: 0.1, 2: 1.0}
    return round(
        sum(
            _run_points(game, length) * share[ends.count(None)] * (1 if owner == player else -1)
            for owner, length, ends in game.runs()
        )
    )


def _run_points(game: Gomoku, length: int) -> int:
    if length > 5:
        return 100_000 if game.rule in ("freestyle", "caro_overline") else 0
    return 10**length


def patterns(game: Gomoku, player: int) -> int:
    """Codes of the free cells by trying out: the fewest stones that complete a winning row through
    the cell, and whether nothing stops them.
    """
    score, classes = [0, 0], [[0] * constants.CLASSES, [0] * constants.CLASSES]
    for cell in ((y, x) for y in range(game.rows) for x in range(game.cols)):
        if cell in game.stones:
            continue
        for side in (0, 1):
            codes = [
                line_code(_line_text(game, cell, step, side), game.rule)
                for step in ((0, 1), (1, 0), (1, 1), (1, -1))
            ]
            score[side] += sum(int(constants.VALUES[code]) for code in codes)
            classes[side][_cell_class(codes)] += 1
    mover = len(game.stones) % 2
    points = _mover_points(score[mover] - score[1 - mover], classes[mover], classes[1 - mover])
    return points if player == mover else -points


def _line_text(game: Gomoku, cell: tuple[int, int], step: tuple[int, int], side: int) -> str:
    """The five cells on either side, with a stone of ``side`` (X) on the cell itself; ``|`` is off
    the board.
    """
    text = ""
    for offset in range(-5, 6):
        y, x = cell[0] + offset * step[0], cell[1] + offset * step[1]
        owner = game.stones.get((y, x))
        on_board = 0 <= y < game.rows and 0 <= x < game.cols
        text += (
            "X"
            if offset == 0 or owner == side
            else "O"
            if owner is not None
            else "."
            if on_board
            else "|"
        )
    return text


def _wins(text: str, rule: str) -> bool:
    """Whether the row of X through the middle wins."""
    first = last = 5
    while first > 0 and text[first - 1] == "X":
        first -= 1
    while last < 10 and text[last + 1] == "X":
        last += 1
    length, ends = last - first + 1, text[max(first - 1, 0)] + text[min(last + 1, 10)]
    if length > 5:
        return rule in ("freestyle", "caro_overline")
    return length == 5 and (rule in ("freestyle", "standard") or ends != "OO")


def _with(text: str, cells: tuple[int, ...], symbol: str = "X") -> str:
    return "".join(symbol if i in cells else t for i, t in enumerate(text))


@functools.cache
def _completions(text: str, rule: str) -> list[tuple[int, ...]]:
    """The smallest sets of free cells that complete a winning row through the middle."""
    free = [i for i, t in enumerate(text) if t == "."]
    for missing in range(5):
        ways = [cells for cells in combinations(free, missing) if _wins(_with(text, cells), rule)]
        if ways:
            return ways
    return []


def _unstoppable(text: str, rule: str) -> bool:
    """Whether one stone more wins, whatever single stone O puts before."""
    replies = [_with(text, (i,), "O") for i, t in enumerate(text) if t == "."]
    return all(any(len(cells) == 1 for cells in _completions(reply, rule)) for reply in replies)


@functools.cache
def line_code(text: str, rule: str) -> int:
    sets = _completions(text, rule)
    if not sets:
        return 0
    missing = len(sets[0])
    if missing == 0:
        return 9
    if missing == 1:
        is_open = _unstoppable(text, rule)
    elif missing == 2:
        is_open = any(_unstoppable(_with(text, (cell,)), rule) for cells in sets for cell in cells)
    else:
        is_open = any(
            len({*some, *others}) == missing + 1 for some, others in combinations(sets, 2)
        )
    return 9 - 2 * missing + is_open


def _cell_class(codes: list[int]) -> int:
    fives, open_fours, fours, open_threes = (codes.count(code) for code in (9, 8, 7, 6))
    if fives:
        return constants.WINS_NOW
    if open_fours or fours > 1:
        return constants.WINS_SOON
    if fours:
        return constants.FOUR_THREE if open_threes else constants.MAKES_FOUR
    return (
        constants.DOUBLE_THREE
        if open_threes > 1
        else constants.MAKES_THREE
        if open_threes
        else constants.PLAIN
    )


def _mover_points(points: int, mine: list[int], theirs: list[int]) -> int:
    c = constants
    if mine[c.WINS_NOW]:
        return points + c.WINS_IN_ONE
    if theirs[c.WINS_NOW]:
        return points + (c.LOSES_IN_TWO if theirs[c.WINS_NOW] > 1 else -c.MUST_ANSWER_FOUR)
    if mine[c.WINS_SOON]:
        return points + c.WINS_IN_THREE
    points += (
        bool(mine[c.FOUR_THREE]) * c.FOUR_THREE_TO_MOVE
        + bool(mine[c.DOUBLE_THREE]) * c.DOUBLE_THREE_TO_MOVE
    )
    if theirs[c.WINS_SOON]:
        return points - c.MUST_ANSWER_THREE
    points -= (
        bool(theirs[c.FOUR_THREE]) * c.FOUR_THREE_AGAINST
        + bool(theirs[c.DOUBLE_THREE]) * c.DOUBLE_THREE_AGAINST
    )
    return points + c.TO_MOVE
