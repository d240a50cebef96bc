"""PSQ, the files of Piskvork and of Gomocup: one game in plain lines.

The header states the board; then come the moves, each as column, row and milliseconds, counted from
1 at the top left; the names of the first and the second player; a code of how it ended (−1: by the
rules). Gomocup's own files add a line with the number of the rule and the name of the league. The
result is not stated: the board tells it.

Source: the function ``savePsq`` of Piskvork, https://github.com/wind23/piskvork_renju, and files of
https://gomocup.org/results.
"""

from __future__ import annotations

import re

from ...agents.external.gomocup.protocol import RULES, cell_text, rule_number
from .record import Record, RecordError, gomoku

HEADER = re.compile(r"Piskvorky\s+(\d+)x(\d+)\s*,", re.ASCII)
MOVE = re.compile(r"(\d+),(\d+)(?:,-?\d+)?", re.ASCII)
RULE = re.compile(r"(\d+),(\D.*)", re.ASCII)
BY_THE_RULES, OTHERWISE = -1, 0


def write_psq(record: Record) -> str:
    """A game as the text of a file."""
    rules = record.game.rules
    lines = [f"Piskvorky {rules.cols}x{rules.rows}, 0:0, 0"]
    for action in record.moves:
        column, row = cell_text(record.game, action).split(",")
        lines.append(f"{int(column) + 1},{int(row) + 1},0")
    lines += [_line(name) for name in record.players]
    lines.append(str(OTHERWISE if record.forfeit else BY_THE_RULES))
    lines.append(f"{rule_number(record.game)},{_line(record.title) or 'plyground'}")
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    """A name in one line that is no move."""
    return " ".join(text.split()) or "?"


def read_psq(text: str, rule: str = "freestyle") -> Record:
    """The game of a file.

    Args:
        text: the file's text.
        rule: the rule, where the file does not state it.

    Raises:
        RecordError: it is no such file, or a move is off the board.
    """
    lines = [line.strip() for line in text.lstrip("\ufeff").splitlines()]
    header = HEADER.match(lines[0]) if lines else None
    if header is None:
        raise RecordError("the first line is not of the form Piskvorky 15x15, 0:0, 0")
    cols, rows = int(header[1]), int(header[2])
    cells: list[tuple[int, int]] = []
    rest = lines[1:]
    while rest and (move := MOVE.fullmatch(rest[0])):
        cells.append((int(move[1]), int(move[2])))
        rest = rest[1:]
    rules = [match for line in rest[2:] if (match := RULE.fullmatch(line))]
    title = rules[0][2].strip() if rules else ""
    if rules:
        if int(rules[0][1]) not in RULES:
            raise RecordError(f"rule {rules[0][1]} is none of plyground's gomoku")
        rule = RULES[int(rules[0][1])]
    game, moves = gomoku(cols, rows, rule), list[int]()
    for column, row in cells:
        if not (1 <= column <= cols and 1 <= row <= rows):
            raise RecordError(f"move {len(moves) + 1} ({column},{row}) is off the board")
        moves.append((row - 1) * cols + column - 1)
    if not moves:
        raise RecordError("there are no moves")
    names = [*rest[:2], "?", "?"]
    return Record(game, tuple(moves), (names[0] or "?", names[1] or "?"), title=title)
