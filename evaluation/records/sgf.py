"""SGF, the Smart Game Format: games of gomoku (GM[4]), several in a file.

Of a game with variations the main line counts. Source: https://www.red-bean.com/sgf/.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...agents.external.gomocup.protocol import GAME, RULES
from ...envs import __version__
from .record import Record, RecordError, gomoku

GOMOKU = "4"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
COLOURS = "BW"
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:[^\]\\]|\\.)*)\])", re.DOTALL)
RULE_NAMES = {GAME: "freestyle", "free": "freestyle"} | {name: name for name in RULES.values()}

Node = dict[str, list[str]]


def write_sgf(records: Iterable[Record]) -> Iterator[str]:
    """Games as the text of a file, game by game."""
    for record in records:
        rules = record.game.rules
        size = str(rules.cols) if rules.cols == rules.rows else f"{rules.cols}:{rules.rows}"
        drawn = "0" if record.ended else ""  # where nothing tells how it ended, nothing is said
        result = drawn if record.winner is None else f"{COLOURS[record.winner]}+"
        root = {
            "GM": GOMOKU,
            "FF": "4",
            "CA": "UTF-8",
            "AP": f"plyground:{__version__}",
            "SZ": size,
            "RU": record.rule,
            "PB": record.players[0],
            "PW": record.players[1],
            "RE": result + ("F" if record.forfeit and record.winner is not None else ""),
            "EV": record.title,
        }
        head = "".join(f"{name}[{_escape(value)}]" for name, value in root.items() if value)
        moves = "".join(
            f";{COLOURS[ply % 2]}[{_point(action, int(rules.cols))}]"
            for ply, action in enumerate(record.moves)
        )
        yield f"(;{head}{moves})\n"


def _escape(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("]", "\\]")


def _point(action: int, cols: int) -> str:
    row, column = divmod(action, cols)
    return LETTERS[column] + LETTERS[row]


def read_sgf(text: str, rule: str = "freestyle") -> list[Record]:
    """The games of a file.

    Args:
        text: the file's text.
        rule: the rule, where a game does not state one that is known.

    Raises:
        RecordError: it is no such file, or holds another game or what is not understood.
    """
    records = [_record(nodes, rule) for nodes in _main_lines(text.lstrip("\ufeff"))]
    if not records:
        raise RecordError("there is no game in it")
    return records


def _main_lines(text: str) -> Iterator[list[Node]]:
    """The nodes of the main line of every game of a file."""
    depth, place = 0, 0
    nodes: list[Node] = []
    values: list[str] | None = None
    in_variation = False  # whether a variation has ended: what follows in the game is no main line
    end = len(text.rstrip())
    while place < end:
        token = TOKEN.match(text, place)
        if token is None:
            raise RecordError(f"at character {place + 1} it does not follow the format of SGF")
        place = token.end()
        mark, name, value = token.groups()
        if mark == "(":
            depth += 1
        elif mark == ")":
            depth, in_variation = depth - 1, True
            if depth == 0:
                yield nodes
                nodes, in_variation = [], False
        elif depth < 1:
            raise RecordError("something stands outside of the games")
        elif in_variation:
            continue
        elif mark == ";":
            nodes.append({})
        elif not nodes:
            raise RecordError("a property stands before the first node")
        elif name is not None:
            # lower-case letters in names are those of an older version, and mean nothing
            values = nodes[-1].setdefault("".join(filter(str.isupper, name)), [])
        elif values is not None:
            values.append(re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL))
    if depth:
        raise RecordError("a game does not end")


def _record(nodes: list[Node], rule: str) -> Record:
    if not nodes:
        raise RecordError("a game has no nodes")
    root = {name: values[0].strip() for name, values in nodes[0].items() if values}
    if root.get("GM", GOMOKU) != GOMOKU:
        raise RecordError(f"GM[{root['GM']}] is another game; gomoku is GM[{GOMOKU}]")
    size = re.fullmatch(r"(\d+)(?::(\d+))?", root.get("SZ", "15"), re.ASCII)
    if size is None:
        raise RecordError(f"SZ[{root['SZ']}] is no size of a board")
    cols, rows = int(size[1]), int(size[2] or size[1])
    rule = RULE_NAMES.get(root.get("RU", "").lower(), rule)
    moves = [_move(node, colour, cols, rows) for node in nodes for colour in node if colour in "BW"]
    if not moves:
        raise RecordError("there are no moves")
    for ply, (colour, _) in enumerate(moves):
        if colour != COLOURS[ply % 2]:
            raise RecordError(f"move {ply + 1} is of {colour}; colours take turns, black first")
    if any(name in node for node in nodes for name in ("AB", "AW", "AE")):
        raise RecordError("it sets stones up (AB, AW), which is no move")
    result = root.get("RE", "")
    return Record(
        gomoku(cols, rows, rule),
        tuple(action for _, action in moves),
        (root.get("PB") or "?", root.get("PW") or "?"),
        COLOURS.index(result[0].upper()) if result[:1].upper() in ("B", "W") else None,
        bool(result),
        result[1:].upper() in ("+F", "+T", "+FORFEIT", "+TIME"),
        root.get("EV", ""),
    )


def _move(node: Node, colour: str, cols: int, rows: int) -> tuple[str, int]:
    point = node[colour][0].strip() if node[colour] else ""
    column, row = (LETTERS.find(letter) for letter in point) if len(point) == 2 else (-1, -1)
    if not (0 <= column < cols and 0 <= row < rows):
        raise RecordError(f"{colour}[{point}] is no cell of a board of {cols}x{rows}")
    return colour, row * cols + column
