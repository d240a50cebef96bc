"""Games of Hex in SGF: cells, colours, swaps and endings as HexGui, Little Golem and others write.

Files are written here by what a file means: black connects top and bottom, white left and right.
"""

from __future__ import annotations

import random

import pytest
from helpers import TESTS
from plyground import make_game
from plyground.extras.records.formats import read_games, text_of
from plyground.extras.records.record import RecordError, result_of
from plyground.extras.records.sgf import read_sgf

GOLEM = TESTS / "data" / "games" / "little_golem.hsgf"
NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))


def games_of(text):
    return [read() for read in read_sgf(text)]


def connects(stones, size, colour):
    """Whether the stones of a colour, (column, row) to "B" or "W", connect its sides."""
    along = 1 if colour == "B" else 0
    reached = [cell for cell, of in stones.items() if of == colour and cell[along] == 0]
    seen = set(reached)
    for column, row in reached:  # grows while it is walked
        for right, down in NEIGHBOURS:
            cell = (column + right, row + down)
            if stones.get(cell) == colour and cell not in seen:
                seen.add(cell)
                reached.append(cell)
    return any(cell[along] == size - 1 for cell in seen)


def played_file(first, swap, seed, size=5, label="stone"):
    """A random game as a file, and the seat that wins: 0 is who moved first.

    ``label`` says what colours name after an exchange of the sides: the ``stone`` or the
    ``player``.
    """
    rng = random.Random(seed)
    cells = [(column, row) for column in range(size) for row in range(size)]
    rng.shuffle(cells)
    colour_of = [first, "BW".replace(first, "")]
    names, stones, nodes = list(colour_of), {}, []
    seat = 0
    while not any(connects(stones, size, colour) for colour in "BW"):
        if len(stones) == 1 and swap and seat == 1 and len(nodes) == 1:
            (column, row) = next(iter(stones))
            nodes.append(f"{names[1]}[{swap}]")
            if swap == "swap-sides":
                colour_of.reverse()
            else:
                stones = {(row, column): colour_of[1]}
        else:
            column, row = next(cell for cell in cells if cell not in stones)
            stones[column, row] = colour_of[seat]
            shown = names[seat] if label == "player" else colour_of[seat]
            nodes.append(f"{shown}[{'abcdefgh'[column]}{row + 1}]")
        seat = 1 - seat
    winner = colour_of.index(next(c for c in "BW" if connects(stones, size, c)))
    head = f"GM[11]FF[4]AP[HexGui:0.9]SZ[{size}]PB[Ann]PW[Ben]"
    return f"(;{head};{';'.join(nodes)})", winner


@pytest.mark.parametrize("swap", ["", "swap", "swap-pieces", "swap-sides", "SWAP-SIDES"])
@pytest.mark.parametrize("label", ["stone", "player"])
@pytest.mark.parametrize("first", ["B", "W"])
def test_who_connects_the_sides_of_a_file_wins(first, label, swap):
    for seed in range(10):
        text, winner = played_file(first, swap.lower(), seed, label=label)
        (record,) = games_of(text.replace("swap-sides", swap) if swap.isupper() else text)
        result = result_of(record)
        assert result.returns[winner] == 1, text
        assert result.reason != "resignation"
        assert record.game.spec == ("hex:size=5,swap=yes" if swap else "hex:size=5")
        assert record.players == (("Ann", "Ben") if first == "B" else ("Ben", "Ann"))


@pytest.mark.parametrize("swap", ["swap", "SWAP", "swap-pieces", "Swap-Pieces"])
def test_a_swap_after_which_its_colour_moves_again_exchanges_the_sides(swap):
    text = f"(;FF[4]GM[11]SZ[5];B[a2];W[{swap}];W[c3];B[b3];W[resign])"
    (record,) = games_of(text)
    names = [record.game.action_to_text(move) for move in record.moves]
    assert names == ["a2", "swap", "c3", "c2"]  # the mirror image: first connects top and bottom
    assert result_of(record).returns == (-1, 1)
    for seed in range(10):  # colours name stones
        text, winner = played_file("B", "swap-sides", seed)
        (record,) = games_of(text.replace("swap-sides", swap))
        result = result_of(record)
        assert result.returns[winner] == 1
        assert result.reason != "resignation"


def test_games_of_little_golem_are_read():
    (first, won), (second, lost) = read_games(GOLEM, "freestyle")
    assert first.game.spec == "hex:size=13"
    assert first.players == ("Maciej Celuch", "pensando")
    assert [first.game.action_to_text(move) for move in first.moves[:3]] == ["m6", "g7", "d5"]
    assert (won.returns, won.reason) == ((1, -1), "resignation")
    assert second.game.spec == "hex:size=13,swap=yes"
    names = [second.game.action_to_text(move) for move in second.moves[:4]]
    assert names == ["m6", "swap", "k10", "i5"]
    assert lost.returns == (-1, 1)
    assert second.title == "hex.ch.23.1.1"


@pytest.mark.parametrize(
    ("text", "returns"),
    [
        ("(;GM[11];B[A3];W[F11]RE[W+])", None),  # RE is a property of the root
        ("(;GM[11]RE[W+Resign];B[A3];W[F11])", (-1, 1)),
        ("(;GM[11]RE[B+];B[a3];W[f11];B[resign])", (-1, 1)),
        ("(;GM[11];B[a3];W[f11];W[forfeit])", (1, -1)),
        ("(;GM[11]SZ[7:7];W[a3];B[f7];B[resign])", (1, -1)),
        ("(;GM[11]RE[W+];W[a3];B[f11])", (1, -1)),
        ("(;GM[11];B[a3];W[swap-sides];W[c3];B[resign])", (1, -1)),
        ("(;GM[11];B[a3];W[swap-pieces];W[resign])", (1, -1)),
        ("(;GM[11];B[a3];W[swap-sides];B[c3];W[resign])", (1, -1)),
        ("(;GM[11]RE[B+];B[a3];W[swap-sides];W[c3])", None),  # whose colour is it?
    ],
)
def test_who_gives_up_or_is_named_loses(text, returns):
    (record,) = games_of(text)
    if returns is None:
        with pytest.raises(RecordError, match="not over after its"):
            result_of(record)
    else:
        result = result_of(record)
        assert (result.returns, result.reason) == (returns, "resignation")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;GM[11]SZ[5];B[f1])", r"B\[f1\] is not a cell of hex:size=5"),
        ("(;GM[11];B[])", r"B\[\] is not a cell"),
        ("(;GM[11];B[a1];W[a1])", r"move 2 \(a1\) cannot be played: it is illegal there"),
        ("(;GM[11];B[a1];W[b1];B[swap-pieces])", r"move 3 \(swap\) cannot be played"),
        ("(;GM[11]SZ[5:4];B[a1])", "is not square, as a board of hex must be"),
        ("(;GM[11]SZ[19];B[a1])", "size must be a whole number|size=19 is not possible"),
        ("(;GM[11];B[resign];W[a1])", "there is a move after"),
        ("(;GM[3];B[a1])", r"GM\[3\] is another game; .*GM\[4\] is gomoku, GM\[11\] is hex"),
        ("(;FF[4]EV[hex.ch.1]SZ[13];W[mn];B[aa])", r"W\[mn\] is not a cell of a board of 13x13"),
    ],
)
def test_what_is_no_game_of_hex_is_refused(text, message):
    with pytest.raises(RecordError, match=message):
        [result_of(record) for record in games_of(text)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_names_are_read_in_the_encodings_of_older_programs(encoding, tmp_path):
    text = "(;GM[11]PB[J\u00e9r\u00f4me]PW[\u00d8rjan];B[a1];W[resign])"
    assert text_of(text.encode(encoding)) == text
    path = tmp_path / "game.sgf"
    path.write_bytes(text.encode(encoding))
    ((record, _),) = read_games(path, "freestyle")
    assert record.players == ("J\u00e9r\u00f4me", "\u00d8rjan")
    assert record.game == make_game("hex")
