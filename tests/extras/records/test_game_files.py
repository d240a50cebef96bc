"""Games of gomoku in PSQ and SGF: what is written is read again, so is what others write."""

from __future__ import annotations

import pytest
from command_line import done, plyground
from helpers import change_store, finished_position, run
from plyground import make_game
from plyground.envs.loading.texts import counted
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store
from plyground.extras.records.formats import read_games
from plyground.extras.records.psq import read_psq, write_psq
from plyground.extras.records.record import Record, RecordError, result_of
from plyground.extras.records.sgf import read_sgf, write_sgf

GAMES = [
    "gomoku",
    "gomoku:rows=7,cols=11,rule=standard",
    "gomoku:size=9,rule=caro",
    "gomoku:size=9,rule=caro_overline",
]
GOMOCUP = """Piskvorky 15x15, 11:11, 0\r
8,8,0\r
9,8,0\r
8,9,1500\r
9,9,31\r
8,10,2\r
9,10,3\r
8,11,4\r
9,11,5\r
8,12,6\r
RAPFI25.zip\r
JAX25.zip\r
-1\r
0,Freestyle15_1\r
"""


def games_of(text):
    return [read() for read in read_sgf(text)]


def record_of(spec, seed=0):
    position = finished_position(make_game(spec), seed)
    return Record(
        position.game, position.moves, ("a [b]\\", "c, d"), position.outcome.winner, True, title="t"
    )


@pytest.mark.parametrize("spec", GAMES)
def test_what_is_written_is_read_again(spec):
    record = record_of(spec)
    again = read_psq(write_psq(record))
    assert (again.game, again.moves, again.players) == record[:3]
    assert again.title == record.title
    records = [record, record_of(spec, 1)]
    assert games_of("".join(write_sgf(records))) == records
    assert result_of(again) == result_of(record)


def test_a_file_of_gomocup_is_read():
    record = read_psq(GOMOCUP)
    names = [record.game.action_to_text(action) for action in record.moves]
    assert names[:3] == ["h8", "i8", "h7"]
    assert record.players == ("RAPFI25.zip", "JAX25.zip")
    assert (record.title, record.rule) == ("Freestyle15_1", "freestyle")
    assert result_of(record).returns == (1, -1)


@pytest.mark.parametrize(
    ("end", "players", "rule"),
    [
        (["3,4", "Ben", "-1", "1,Standard"], ("3,4", "Ben"), "standard"),
        (["Ann", "3,4", "-1"], ("Ann", "3,4"), "freestyle"),
        (["3,4,5", "Ben", "-1", "9,Caro"], ("3,4,5", "Ben"), "caro"),
        (["-1", "7", "-1"], ("-1", "7"), "freestyle"),
        (["7", "-1", "0", "1,2024 a"], ("7", "-1"), "freestyle"),
        (["-1"], ("?", "?"), "freestyle"),
        (["-1", "1,Standard"], ("?", "?"), "standard"),
        (["-1", "Ann", "Ben"], ("Ann", "Ben"), "freestyle"),
        (["", "", "0"], ("?", "?"), "freestyle"),
        (["J\u00e9r\u00f4me", "Ben"], ("J\u00e9r\u00f4me", "Ben"), "freestyle"),
        (["Ann"], ("Ann", "?"), "freestyle"),
        ([], ("?", "?"), "freestyle"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("time", [",0", ""])
def test_names_and_codes_after_the_moves_are_told_from_moves(
    time, encoding, end, players, rule, tmp_path
):
    moves = [f"{x},{y}{time}" for x in range(8, 13) for y in (3, 5)][:9]
    path = tmp_path / "game.psq"
    text = "\r\n".join(["Piskvorky 15x15, 0:0, 0", *moves, *end, ""])
    path.write_bytes(text.encode(encoding))
    ((record, result),) = read_games(path, "freestyle")
    assert len(record.moves) == 9
    assert (record.players, record.rule) == (players, rule)
    assert result.returns == (1, -1)


def test_of_a_tree_of_variations_the_main_line_is_read():
    text = """(;FF[4]GM[4]SZ[15]PB[Ann\\]]PW[Ben]C[a comment: \\] (;B[aa\\])]RE[W+R]
      ;B[hh];W[ii](;B[jj](;W[kk])(;W[aa]))(;B[bb];W[cc]))"""
    (record,) = games_of(text)
    names = [record.game.action_to_text(action) for action in record.moves]
    assert names == ["h8", "i7", "j6", "k5"]
    assert record.players == ("Ann]", "Ben")
    result = result_of(record)
    assert (result.returns, result.reason) == ((-1, 1), "resignation")


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_psq, "", "the first line is not of the form Piskvorky"),
        (read_psq, "Piskvorky 15x15, 0:0, 0\n16,1,0\na\nb\n", "off the board"),
        (read_psq, "Piskvorky 9x9, 0:0, 0\n1,1,0\na\nb\n-1\n4,Renju\n", "rule 4 is not a rule"),
        (games_of, "", "there is no game"),
        (games_of, "(;GM[1];B[aa])", "another game"),
        (games_of, "(;GM[4];B[aa];B[bb])", "colours take turns"),
        (games_of, "(;GM[4]SZ[9];B[jj])", "not a cell"),
        (games_of, "(;GM[4];B[aa]", "does not end"),
        (games_of, "(;GM[4]AB[aa];B[bb])", "sets up stones"),
        (games_of, "(;GM[4];B[aa] ]", "does not follow the format"),
    ],
)
def test_what_is_no_such_file_is_refused(read, text, message):
    with pytest.raises(RecordError, match=message):
        read(text)


def test_a_game_that_cannot_be_or_has_no_end_is_refused():
    game = make_game("gomoku:size=7")
    with pytest.raises(RecordError, match=r"move 2 \(a7\) cannot be played: it is illegal there"):
        result_of(Record(game, (0, 0), ("a", "b")))
    with pytest.raises(RecordError, match="not over after its 2 moves"):
        result_of(Record(game, (0, 1), ("a", "b")))


def test_a_store_is_exported_and_imported_again(tmp_path):
    store, other = tmp_path / "store.db", tmp_path / "other.db"
    games = run(Plan("gomoku:size=7,rule=caro", ("easy", "random"), 3), store)
    assert plyground(f"export {store} --format sgf --out {tmp_path}/games.sgf").exit_code == 0
    folder = tmp_path / "psq"
    assert plyground(f"export {store} --format psq --out {folder}").exit_code == 0
    files = sorted(folder.iterdir())
    assert len(files) == len(games) == 6
    first = plyground(f"import {tmp_path}/games.sgf --store {other}")
    assert (first.exit_code, first.stderr) == (0, f"6 games in {other}\n")
    again = plyground("import", *files, "--store", other)
    assert again.stderr == f"0 games in {other}; 6 were there already\n"
    with Store(other) as games_store:
        numbers = [one.number for one in games_store.tournaments()]
        copies = [game for number in numbers for game in games_store.games(number)]
    for field in ("moves", "returns"):
        ours, theirs = (sorted(getattr(g.result, field) for g in of) for of in (games, copies))
        assert ours == theirs
    done(f"report {other} --json")
    standing = plyground(f"export {store} --format sgf")
    assert standing.stdout == (tmp_path / "games.sgf").read_text()


def test_two_players_of_one_name_are_imported_once(tmp_path):
    path, store = tmp_path / "game.psq", tmp_path / "store.db"
    path.write_text(GOMOCUP.replace("JAX25", "RAPFI25"))
    for count in (1, 0):
        result = plyground(f"import {path} --store {store}")
        assert result.stderr.startswith(f"{counted(count, 'game')} in")


def test_games_that_cannot_be_read_are_named_and_the_others_kept(tmp_path):
    good, bad, store = (tmp_path / name for name in ("good.psq", "bad.sgf", "store.db"))
    good.write_text(GOMOCUP)
    bad.write_text("(;GM[4]RE[B+];B[aa])(;GM[4];B[aa];W[aa])(;GM[4]RE[0];B[bb])(;GM[4]RE[?];B[a])")
    refused = plyground(f"import {good} {bad} --store {store} --strict")
    assert refused.exit_code == 2
    complaint = f"plyground: {bad}: game 2: move 2 (a15) cannot be played: it is illegal there\n"
    assert refused.stderr == complaint
    assert not store.exists()
    result = done(f"import {good} {bad} --store {store}")
    assert result.stderr == (
        f"{complaint}plyground: {bad}: game 4: B[a] is not a cell of a board of 15x15\n"
        f"3 games in {store}; 2 cannot be read, see above\n"
    )
    again = plyground(f"import {good} {bad} --store {store}").stderr.splitlines()[-1]
    assert again == f"0 games in {store}; 3 were there already; 2 cannot be read, see above"
    bad.write_text("(;GM[4];B[aa];W[aa])")
    assert plyground(f"import {bad} --store {store}").exit_code == 2


@pytest.mark.parametrize(
    ("result", "returns"),
    [("0", (0, 0)), ("Draw", (0, 0)), ("draw", (0, 0)), ("?", None), ("Void", None), ("", None)],
)
def test_a_draw_that_a_file_states_is_a_result(result, returns):
    (record,) = games_of(f"(;GM[4]RE[{result}];B[aa];W[bb])")
    if returns is None:
        with pytest.raises(RecordError, match="not over after its 2 moves"):
            result_of(record)
    else:
        assert (result_of(record).returns, result_of(record).reason) == (returns, "agreed")


def test_games_that_were_drawn_by_their_length_are_imported(tmp_path):
    store, file, other = (tmp_path / name for name in ("a.db", "games.sgf", "b.db"))
    run(Plan("gomoku:size=9", ("random", "random"), 2, draw_after=6), store)
    assert plyground(f"export {store} --format sgf --out {file}").exit_code == 0
    assert plyground(f"import {file} --store {other} --strict").stderr == f"4 games in {other}\n"
    assert plyground(f"verify {other}").exit_code == 0
    assert "agreed" in plyground(f"replay {other} 1").stdout
    # an agreed draw is worth nothing to either
    change_store(other, "UPDATE games SET return_0 = 1, return_1 = -1 WHERE number = 2")
    found = plyground(f"verify {other}")
    assert found.exit_code == 1
    assert "game 2 is not over after its moves" in found.stdout + found.stderr
