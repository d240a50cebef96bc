"""Games of Othello in GGF and WTHOR; the tests hold whoever gets the free cells at the end."""

from __future__ import annotations

import pytest
from helpers import TESTS
from plyground import make_game
from plyground.extras.records.formats import read_games
from plyground.extras.records.ggf import read_ggf
from plyground.extras.records.record import RecordError, result_of
from reference.game_files import BOARD, PASS, base, discs, ggf, header, random_games, wthor

GGS = TESTS / "data" / "games" / "ggs.ggf"


def test_games_of_the_server_are_read():
    (first, won), (second, drawn) = read_games(GGS, "freestyle")
    assert (first.players, won.returns) == (("hercule", "scorp+"), (1, -1))
    assert discs(first.game.position(first.moves)) == (35, 29)  # RE[+6.000]
    assert second.game.action_to_text(second.moves[58]) == "pass"
    assert (drawn.returns, second.title) == ((0, 0), "GGS/os")
    assert discs(second.game.position(second.moves)) == (32, 32)  # RE[+0.000]
    assert drawn.decisions == (31, 30)


def test_what_is_written_as_ggf_is_read_again():
    games = random_games(40)
    text = "\n".join(f"2 {ggf(one)}{ggf(other)}" for one, other in zip(games[::2], games[1::2]))
    records = [read() for read in read_ggf(text)]
    assert [record.moves for record in records] == [game.moves for game in games]
    for record, game in zip(records, games):
        assert result_of(record).returns == game.returns
        winner = {1: 0, -1: 1, 0: None}[game.returns[0]]
        assert record.winner == winner


def test_names_of_any_kind_become_one_line(tmp_path):
    path = tmp_path / "a.ggf"
    path.write_text(ggf(random_games(1)[0]).replace("Ann", " \x1b[31mA\nB").replace("Ben", ""))
    ((record, _),) = read_games(path, "freestyle")
    assert record.players == (r"\x1b[31mA B", "?")


def test_passes_may_be_left_out():
    game = next(game for game in random_games(40) if PASS in game.moves)
    text = ggf(game)
    (with_passes,), (without,) = (
        [read() for read in read_ggf(each)]
        for each in (text, text.replace("B[PA]", "").replace("W[PA]", ""))
    )
    assert without == with_passes


@pytest.mark.parametrize(
    ("result", "returns", "forfeit"),
    [
        ("+64.00:r", (1, -1), False),
        ("-12:t", (-1, 1), True),
        ("-2.000:s", (-1, 1), False),
        ("+0.00:s", (0, 0), False),
        ("+0.000", (0, 0), False),
        ("?", None, False),
    ],
)
def test_a_game_that_is_not_over_ends_as_the_file_says(result, returns, forfeit):
    (read,) = read_ggf(ggf(make_game("othello").position(["d3", "c3", "c4"]), result=result))
    record = read()
    assert record.forfeit == forfeit
    if returns is None:
        with pytest.raises(RecordError, match="not over after its 3 moves"):
            result_of(record)
    else:
        assert result_of(record).returns == returns


OTHER_BOARD = BOARD.replace("---O*---", "--OOO---")
D3 = ggf(make_game("othello").position(["d3"]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no game in it"),
        ("hello", "at character 1 it does not follow"),
        (D3.replace("Othello", "Amazons"), "plyground has no game 'Amazons'"),
        (D3.replace(BOARD, OTHER_BOARD), "begin with the first position, but with another board"),
        (D3.replace("--------", "-------", 1), "its board BO is none of othello"),
        (D3.replace("BO[8", "BO[10"), "size"),
        (D3.replace("TY[8]", "TY[8a]"), r"TY\[8a\] is not a game with the usual rules"),
        (D3.replace("B[D3", "W[D3"), "disc 1 is of W, but it is not their turn"),
        (D3.replace("B[D3", "B[D9"), "'d9' is not a move of othello"),
        (ggf(random_games(40)[0]).replace(";)", "B[a1];)"), "the game is over before it"),
    ],
)
def test_what_is_no_game_in_ggf_is_refused(text, message):
    with pytest.raises(RecordError, match=message):
        [read() for read in read_ggf(text)]


def sgf(position, setup, passes, point):
    """A game as Cassio, OthelloTk and Quarry write it."""
    moves, game = "", position.game
    for ply, action in enumerate(position.moves):
        colour = "BW"[game.position(position.moves[:ply]).to_move]
        if action != PASS:
            moves += f";{colour}[{point(action)}]"
        elif passes is not None:
            moves += f";{colour}[{passes}]"
    return f"(;GM[2]FF[4]SZ[8]{setup}PB[Ann]PW[Ben]\n{moves})"


def letters(action):
    return "abcdefgh"[action % 8] + "abcdefgh"[action // 8]


NAMES = make_game("othello").action_to_text
SETUP = "AB[e4][d5]AW[d4][e5]PL[B]"


@pytest.mark.parametrize(
    ("setup", "passes", "point"),
    [
        (SETUP, None, NAMES),
        ("", "@@@@", NAMES),
        ("AB[de][ed]AW[dd][ee]", "", letters),
        ("", "pass", lambda action: NAMES(action).upper()),
    ],
)
def test_games_in_sgf_are_read(setup, passes, point, tmp_path):
    games, path = random_games(40)[-8:], tmp_path / "games.sgf"
    assert any(PASS in game.moves for game in games)
    path.write_text("\n".join(sgf(game, setup, passes, point) for game in games))
    read = read_games(path, "freestyle")
    assert [record.moves for record, _ in read] == [game.moves for game in games]
    assert [result.returns for _, result in read] == [game.returns for game in games]
    assert read[0][0].players == ("Ann", "Ben")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AB[e4]AW[d4];B[d3]", "it does not begin with the first position"),
        ("AB[d4][e5]AW[e4][d5];B[d3]", "it does not begin with the first position"),
        (";B[d3];AB[a1]", "it does not begin with the first position"),
        (";W[d3]", "disc 1 is of W, but it is not their turn"),
        (";B[d9]", r"B\[d9\] is not a cell of othello"),
        (";B[a1]", "it is illegal there"),
        ("SZ[8:6];B[d3]", "is not square, as a board of othello must be"),
        (";B[d3];W[c3]", "not over after its 2 moves"),
    ],
)
def test_what_is_no_game_in_sgf_is_refused(text, message, tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(f"(;GM[2]{text})")
    with pytest.raises(RecordError, match=message):
        read_games(path, "freestyle")


def test_what_is_written_as_wthor_is_read_again(tmp_path):
    games = random_games(40)
    path = tmp_path / "WTH_2020.wtb"
    path.write_bytes(wthor(games))
    read = read_games(path, "freestyle")
    assert [record.moves for record, _ in read] == [game.moves for game in games]
    assert [result.returns for _, result in read] == [game.returns for game in games]
    assert read[0][0].players == ("player 1", "player 2")
    assert read[0][0].title == "tournament 3 2020"
    assert path.read_bytes()[16 + 6] == 64  # the shortest game: 13 discs, and the free cells
    for record, _ in read:  # published scores, free cells for the winner
        assert (
            record.winner == {1: 0, -1: 1, 0: None}[record.game.position(record.moves).returns[0]]
        )


@pytest.mark.parametrize("names", ["WTHOR", "wth_2020"])
def test_the_names_of_players_and_tournaments_lie_beside_the_games(names, tmp_path):
    path = tmp_path / "WTH_2020.WTB"
    path.write_bytes(wthor(random_games(1), names=(1, 9)))
    (tmp_path / f"{names}.JOU").write_bytes(base(["???", "Hisler J\u00e9r\u00f4me"], 20))
    (tmp_path / f"{names}.trn").write_bytes(base(["a", "b", "c", "Open de Paris"], 26))
    ((record, _),) = read_games(path, "freestyle")
    assert record.players == ("Hisler J\u00e9r\u00f4me", "player 9")
    assert record.title == "Open de Paris 2020"
    (tmp_path / f"{names}.JOU").write_bytes(b"x" * 50)
    with pytest.raises(RecordError, match=r"\.JOU is damaged"):
        read_games(path, "freestyle")


def test_a_game_of_wthor_that_was_given_up_counts_as_its_score_says(tmp_path):
    short = make_game("othello").position(["d3", "c3"])
    path = tmp_path / "a.wtb"
    for score, returns in ((50, (1, -1)), (14, (-1, 1)), (32, (0, 0))):
        path.write_bytes(wthor([short], scores=[score]))
        ((_, result),) = read_games(path, "freestyle")
        reason = "resignation" if any(returns) else "agreed"
        assert (result.returns, result.reason) == (returns, reason)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it has 0 bytes; the header has 16"),
        (header(2) + bytes(68), "its header's 2 games do not match its 84 bytes"),
        (header(0), "there is no game in it"),
        (header(1, kind=1) + bytes(68), "endings for one player"),
        (header(1) + bytes(6) + b"\x50" + bytes(61), "black has 80 discs; there are 64 cells"),
        (header(1) + bytes(8) + b"\x22\x00\x23" + bytes(57), "move 0 is not a cell of othello"),
        (header(1) + bytes(8) + b"\x0b" + bytes(59), r"move 1 \(a1\) cannot be played"),
    ],
)
def test_what_is_no_file_of_wthor_is_refused(content, message, tmp_path):
    path = tmp_path / "WTH.wtb"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=f"WTH.wtb: .*{message}"):
        read_games(path, "freestyle")
