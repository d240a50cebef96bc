"""SGF, the Smart Game Format: gomoku (GM[4]), Hex (GM[11]), Othello (GM[2]), several in a file.

Of a game with variations only the main line is read. Little Golem's files of Hex state the game in
EV, write cells as two letters, and call the first player white, though PB names that player.

A swap of Hex either moves the first stone to its mirror image (``swap-pieces``, as in plyground) or
exchanges the sides (``swap-sides``). If the colour that swaps moves again, the sides were exchanged
whatever the name of the swap, as in files of HexGui and Benzene. Then, and if white begins, the
board is the mirror image of plyground's, on which the first player connects top and bottom.

Files of Othello (Cassio, OthelloTk, Quarry) may set up the first position, and omit passes.
Sources: https://www.red-bean.com/sgf/ and https://www.red-bean.com/sgf/hex.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from ...envs import __version__
from ...envs.game import Game, IllegalActionError
from ...envs.games.gomoku.gomocup import GAME, RULES
from ...envs.loading.texts import visible
from ...envs.registry import profiles
from ...envs.specification import plain_text
from .record import COLOURS, PASS, Record, RecordError, Unread, game_of, gomoku, moves_by_colour

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:[^\]\\]|\\.)*)\])", re.DOTALL)
TWO_LETTERS = re.compile(r"[a-z]{2}")
NAMED = re.compile(r"[a-z]\d{1,2}", re.ASCII)
SWAPS = ("swap", "swap-pieces", "swap-sides")
SIDES = SWAPS[-1]
CONCESSIONS = ("resign", "forfeit")
DRAWS = ("0", "DRAW")
PASSES = ("", "pass", "pa", "--", "@@@@")
SETUP = {"AB", "AW", "AE"}
RULE_NAMES = {GAME: "freestyle", "free": "freestyle"} | {name: name for name in RULES.values()}

Node = dict[str, list[str]]


def write_sgf(records: Iterable[Record]) -> Iterator[str]:
    """Games as the text of a file, game by game."""
    for record in records:
        rules = record.game.rules
        size = str(rules.cols) if rules.cols == rules.rows else f"{rules.cols}:{rules.rows}"
        drawn = "0" if record.ended else ""  # if the result is not known, it is not stated
        result = drawn if record.winner is None else f"{COLOURS[record.winner]}+"
        root = {
            "GM": record.game.profile.elsewhere["sgf"].name,
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
    return visible(" ".join(text.split())).replace("\\", "\\\\").replace("]", "\\]")


def _point(action: int, cols: int) -> str:
    row, column = divmod(action, cols)
    return LETTERS[column] + LETTERS[row]


def read_sgf(text: str, rule: str = "freestyle") -> Iterator[Unread]:
    """The games of a file.

    Args:
        text: the file's text.
        rule: the rule, if a game does not state a known one.

    Raises:
        RecordError: it is not such a file; on reading a game: it is another game, or not
            understood.
    """
    nodes = None
    for nodes in _main_lines(text):
        yield partial(_record, nodes, rule)
    if nodes is None:
        raise RecordError("there is no game in it")


def _main_lines(text: str) -> Iterator[list[Node]]:
    """The nodes of the main line of every game of a file."""
    depth, place = 0, 0
    nodes: list[Node] = []
    values: list[str] | None = None
    in_variation = False  # whether a variation has ended: the rest of the game is not the main line
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
            raise RecordError("there is text outside the games")
        elif in_variation:
            continue
        elif mark == ";":
            nodes.append({})
        elif not nodes:
            raise RecordError("there is a property before the first node")
        elif name is not None:
            # lower-case letters in names come from an older version and have no meaning
            values = nodes[-1].setdefault("".join(filter(str.isupper, name)), [])
        elif values is not None:
            values.append(re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL))
    if depth:
        raise RecordError("a game does not end")


def _record(nodes: list[Node], rule: str) -> Record:
    if not nodes:
        raise RecordError("a game has no nodes")
    root = {name: values[0].strip() for name, values in nodes[0].items() if values}
    moves = [
        (colour, values[0].strip() if values else "")
        for node in nodes
        for colour, values in node.items()
        if colour in ("B", "W")
    ]
    if not moves:
        raise RecordError("there are no moves")
    name = _game_name(root)
    if name != GAME:
        size = _square(name, root)
        if _has_passes(game := game_of(name, **size)):
            return _disc_record(game, root, nodes, moves)
    if any(SETUP & node.keys() for node in nodes):
        raise RecordError("it sets up stones (AB, AW), which is not a move")
    if name != GAME:
        return _hex_record(name, size, root, moves)
    cols, rows = _size(root) or (15, 15)
    game = gomoku(cols, rows, RULE_NAMES.get(root.get("RU", "").lower(), rule))
    for ply, (colour, _) in enumerate(moves):
        if colour != COLOURS[ply % 2]:
            raise RecordError(f"move {ply + 1} is of {colour}; colours take turns, black first")
    actions = tuple(_cell(game, colour, point) for colour, point in moves)
    return _with_header(root, game, actions, _winner(root))


def _game_name(root: dict[str, str]) -> str:
    """The game of a header; gomoku if it states none."""
    numbers = {
        profile.elsewhere["sgf"].name: name
        for name, profile in profiles().items()
        if "sgf" in profile.elsewhere
    }
    if "GM" not in root:
        event = root.get("EV", "").partition(".")[0]
        return event if event in numbers.values() else GAME
    if root["GM"] not in numbers:
        games = ", ".join(f"GM[{number}] is {name}" for number, name in numbers.items())
        raise RecordError(f"GM[{plain_text(root['GM'], 20)}] is another game; {games}")
    return numbers[root["GM"]]


def _size(root: dict[str, str]) -> tuple[int, int] | None:
    """Columns and rows, if a header states them."""
    if "SZ" not in root:
        return None
    size = re.fullmatch(r"(\d{1,4})(?::(\d{1,4}))?", root["SZ"], re.ASCII)
    if size is None:
        raise RecordError(f"SZ[{plain_text(root['SZ'], 20)}] is not a board size")
    return int(size[1]), int(size[2] or size[1])


def _square(name: str, root: dict[str, str]) -> dict[str, int]:
    """The parameters that a header states of a square board."""
    cols, rows = _size(root) or (None, None)
    if cols != rows:
        raise RecordError(f"SZ[{root['SZ']}] is not square, as a board of {name} must be")
    return {"size": cols} if cols else {}


def _winner(root: dict[str, str]) -> int | None:
    """The winner in a header: 0 for B, 1 for W."""
    result = root.get("RE", "")[:1].upper()
    return COLOURS.index(result) if result in ("B", "W") else None


def _with_header(
    root: dict[str, str], game: Game, actions: tuple[int, ...], winner: int | None
) -> Record:
    """A game with the data of its header."""
    result = root.get("RE", "")
    return Record(
        game,
        actions,
        (root.get("PB", ""), root.get("PW", "")),
        winner,
        winner is not None or result.upper() in DRAWS,
        result[1:].upper() in ("+F", "+T", "+FORFEIT", "+TIME"),
        root.get("EV", ""),
    )


def _cell(game: Game, colour: str, point: str) -> int:
    """The cell of two letters, column and row."""
    rows, cols, _ = game.facts.observation_shape
    column, row = (LETTERS.find(letter) for letter in point) if len(point) == 2 else (-1, -1)
    if not (0 <= column < cols and 0 <= row < rows):
        place = plain_text(point, 20)
        raise RecordError(f"{colour}[{place}] is not a cell of a board of {cols}x{rows}")
    return row * cols + column


def _has_passes(game: Game) -> bool:
    return game.action_to_text(game.facts.num_actions - 1) == PASS


def _disc_record(
    game: Game, root: dict[str, str], nodes: list[Node], moves: list[tuple[str, str]]
) -> Record:
    """A game with passes: Othello."""
    start = game.initial_position().observation(0)
    first = [set(np.flatnonzero(start[:, :, plane]).tolist()) for plane in (0, 1)]
    setup = [{_disc(game, each, v) for v in nodes[0].get(each, ())} for each in ("AB", "AW")]
    if setup not in ([set(), set()], first) or any(SETUP & node.keys() for node in nodes[1:]):
        raise RecordError("it does not begin with the first position, but with another board")
    played = moves_by_colour(
        game, [(colour, _disc(game, colour, value)) for colour, value in moves]
    )
    return _with_header(root, game, played, _winner(root))


def _disc(game: Game, colour: str, value: str) -> int:
    """The action of a cell, as two letters or a letter and a number, or of a pass."""
    value = value.strip().lower()
    if value in PASSES:
        return game.facts.num_actions - 1
    return (_cell if TWO_LETTERS.fullmatch(value) else _named_cell)(game, colour, value)


def _hex_record(
    name: str, size: dict[str, int], root: dict[str, str], moves: list[tuple[str, str]]
) -> Record:
    """A game of Hex."""
    moves = _with_sides([(colour, value.lower()) for colour, value in moves])
    swaps = {value for _, value in moves if value in SWAPS}
    game = game_of(name, **size, **({"swap": "yes"} if swaps else {}))
    first, value = moves[0]
    is_golem = TWO_LETTERS.fullmatch(value) is not None
    white_first = first == "W" and not is_golem
    actions, loser = _hex_actions(game, moves, is_golem, white_first)
    if loser is not None:
        winner: int | None = 1 - loser
    else:  # after an exchange of the sides, the owner of a colour is not known
        winner = None if SIDES in swaps else _winner(root)
        winner = 1 - winner if winner is not None and white_first else winner
    record = _with_header(root, game, actions, winner)
    return record._replace(players=record.players[::-1]) if white_first else record


def _with_sides(moves: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The moves; a swap after which the same colour moves again exchanges the sides."""
    following = [*moves[1:], ("", "")]
    return [
        (
            colour,
            SIDES if value in SWAPS and colour == after and reply not in CONCESSIONS else value,
        )
        for (colour, value), (after, reply) in zip(moves, following)
    ]


def _hex_actions(
    game: Game, moves: list[tuple[str, str]], two_letters: bool, mirrored: bool
) -> tuple[tuple[int, ...], int | None]:
    """The actions of a game of Hex, and the seat of the player who resigns, if one does.

    After ``swap-sides`` colours mean the stones in some files, the players in others: either way
    the players take turns.
    """
    first, size, before = moves[0][0], int(game.rules.size), ""
    actions: list[int] = []
    for number, (colour, value) in enumerate(moves, 1):
        if value in CONCESSIONS:
            if number < len(moves):
                raise RecordError(f"there is a move after {colour}[{value}]")
            return tuple(actions), int(colour != first)
        if before == SIDES and number == 3:
            first = colour
        if (colour != first) != len(actions) % 2:
            raise RecordError(f"move {number} is of {colour}; colours take turns")
        if value in SWAPS:
            mirrored = mirrored != (value == SIDES)
            actions.append(game.facts.num_actions - 1)
        else:
            read = _cell if two_letters else _named_cell
            cell = read(game, colour, value)
            actions.append(cell % size * size + cell // size if mirrored else cell)
        before = value
    return tuple(actions), None


def _named_cell(game: Game, colour: str, value: str) -> int:
    """The cell of letters and a number, such as ``a3``."""
    try:
        if NAMED.fullmatch(value):
            return game.action_number(value)
    except IllegalActionError:
        pass
    raise RecordError(f"{colour}[{plain_text(value, 20)}] is not a cell of {game.spec}")
