"""PSQ, the files of Piskvork and of Gomocup: one game in plain lines.

The header states the board. Then follow the moves, each as column, row and milliseconds, counted
from 1 at the top left; the names of the first and the second player; and a code of the ending (−1:
by the rules), which is present even without names. Gomocup's own files add a line with the number
of the rule and the name of the league. The result is not stated: it follows from the board.

Source: the function ``savePsq`` of Piskvork, https://github.com/wind23/piskvork_renju, and files of
https://gomocup.org/results.
"""

from __future__ import annotations

import re

from ...envs.games.gomoku.gomocup import RULES, cell_text, rule_number
from ...envs.loading.texts import visible
from .record import Record, RecordError, gomoku

HEADER = re.compile(r"Piskvorky\s+(\d{1,4})x(\d{1,4})\s*,", re.ASCII)
MOVE = re.compile(r"(\d{1,4}),(\d{1,4})(,-?\d+)?", re.ASCII)
CODE = re.compile(r"-?\d{1,4}", re.ASCII)
RULE = re.compile(r"(\d{1,4}),(\D.*)", re.ASCII)
BY_THE_RULES, OTHERWISE = -1, 0


def write_psq(record: Record) -> str:
    """A game as the text of a file."""
    rules = record.game.rules
    lines = [f"Piskvorky {rules.cols}x{rules.rows}, 0:0, 0"]
    for action in record.moves:
        column, row = cell_text(record.game.rules, action).split(",")
        lines.append(f"{int(column) + 1},{int(row) + 1},0")
    lines += [_line(name) for name in record.players]
    lines.append(str(OTHERWISE if record.forfeit else BY_THE_RULES))
    lines.append(f"{rule_number(record.game.rules)},{_line(record.title) or 'plyground'}")
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    """A name in one line that cannot be mistaken for a move."""
    return visible(" ".join(text.split())) or "?"


def read_psq(text: str, rule: str = "freestyle") -> Record:
    """The game of a file.

    Args:
        text: the file's text.
        rule: the rule, if the file does not state it.

    Raises:
        RecordError: it is not such a file, or a move is off the board.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    header = HEADER.match(lines[0]) if lines else None
    if header is None:
        raise RecordError("the first line is not of the form Piskvorky 15x15, 0:0, 0")
    cols, rows = int(header[1]), int(header[2])
    cells, names, rest = _parts(lines[1:])
    rules = [match for line in rest if (match := RULE.fullmatch(line))]
    title = rules[0][2].strip() if rules else ""
    if rules:
        if int(rules[0][1]) not in RULES:
            raise RecordError(f"rule {rules[0][1]} is not a rule of plyground's gomoku")
        rule = RULES[int(rules[0][1])]
    game, moves = gomoku(cols, rows, rule), list[int]()
    for column, row in cells:
        if not (1 <= column <= cols and 1 <= row <= rows):
            raise RecordError(f"move {len(moves) + 1} ({column},{row}) is off the board")
        moves.append((row - 1) * cols + column - 1)
    if not moves:
        raise RecordError("there are no moves")
    first, second = [*names, "", ""][:2]
    return Record(game, tuple(moves), (first, second), title=title)


def _parts(lines: list[str]) -> tuple[list[tuple[int, int]], list[str], list[str]]:
    """The cells played, the names of the players, and the lines after them.

    A name can look like a move: the moves of a file all have a time or all have none, and the code
    of the ending is two lines after the first name.
    """
    matches = [MOVE.fullmatch(line) for line in lines]
    timed = bool(matches and matches[0] and matches[0][3])
    count = 0
    while count < len(lines) and (match := matches[count]) and bool(match[3]) == timed:
        count += 1
    codes = [place for place in (2, 1, 0) if CODE.fullmatch("".join(lines[count + place :][:1]))]
    if codes and codes[0] == 1 and count:
        count -= 1  # the last one is a name
    cells = [(int(match[1]), int(match[2])) for match in matches[:count] if match]
    rest = lines[count:]
    if codes and codes[0] == 0:
        rest = rest[1:]
        if rest and RULE.fullmatch(rest[0]):
            return cells, [], rest
    return cells, rest[:2], rest[2:]
