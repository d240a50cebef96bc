"""Opening books: the centre as a rule, book files, symmetric look-up, and what is refused."""

from __future__ import annotations

import contextlib
import hashlib
import json
from typing import get_args

import pytest
from command_line import plyground, plyground_json
from helpers import random_position
from plyground import make_agent, make_game
from plyground.agents import Agent, Decision
from plyground.agents.book import BookFile, CentreBook, centre_actions
from plyground.agents.book_writer import write_book
from plyground.agents.decision import Kind, Score
from plyground.envs.canonical import CanonicalForm, opening_positions
from plyground.envs.registry import game_names
from plyground.envs.specification import SpecificationError

GAMES = [
    "tic_tac_toe",
    "tic_tac_toe:rows=3,cols=4,connect=3",
    "connect_four:rows=4,cols=5",
    "dots_and_boxes:rows=2,cols=2",
    "gomoku:size=5,connect=4",
]


@pytest.fixture
def book(tmp_path):
    """A function that makes a book file and returns its path."""

    def make(spec="connect_four:rows=4,cols=5", agent="alphabeta:depth=4,values=yes", plies=3):
        path = tmp_path / f"{make_game(spec).name}.book"
        write_book(path, make_game(spec), make_agent(agent), plies)
        return path

    return make


# -- the centre --


@pytest.mark.parametrize(
    ("spec", "moves", "expected"),
    [
        ("connect_four", "", "d"),
        ("connect_four", "d", "d"),
        # the centre column is full: the nearest, the lower of two
        ("connect_four:rows=1,cols=7,connect=3", "d", "c"),
        ("connect_four:cols=6", "", "c"),
        ("tic_tac_toe", "", "b2"),
        ("tic_tac_toe", "b2", "b3"),
        ("gomoku", "", "h8"),
        ("gomoku", "a1", "h8"),
        ("hex:size=5,swap=yes", "", "c3"),
        ("hex:size=5,swap=yes", "c3", "c2"),
        ("dots_and_boxes", "", "h 2 1"),
        ("dots_and_boxes:rows=3,cols=3", "", "h 1 1"),
        ("othello", "", "d3"),
    ],
)
@pytest.mark.fast_cases(2)
def test_the_centre_book_takes_the_action_nearest_to_the_centre(spec, moves, expected):
    position = make_game(spec).position(moves.split(",") if moves else [])
    decision = make_agent("alphabeta:depth=1,book=centre").analyse(position)
    assert position.game.action_to_text(decision.action) == expected
    assert (decision.nodes, decision.value, decision.from_book) == (0, None, True)


@pytest.mark.parametrize(
    ("spec", "moves"),
    [("connect_four:cols=6", "a"), ("connect_four:cols=6", "acb"), ("tic_tac_toe:size=4", "a1")],
)
def test_in_a_mirrored_position_the_centre_book_plays_the_mirrored_move(spec, moves, monkeypatch):
    monkeypatch.setattr("plyground.agents.book.CENTRE_PLIES", 9)
    game = make_game(spec)
    position = game.position([moves] if "tic" in spec else list(moves))
    book, canon = CentreBook(), CanonicalForm(game)
    images = [position.transformed(number) for number in range(len(game.symmetries))]
    after = {canon(image.after(book.look_up(image).action))[0] for image in images}
    assert len(after) == 1


def has_centre(name):
    game = make_game(name)
    with contextlib.suppress(NotImplementedError):
        return len(centre_actions(game.initial_position())) > 0
    return False


@pytest.mark.parametrize("agent", ["alphabeta:depth=1", "textbook:depth=1"])
@pytest.mark.parametrize("name", [*filter(has_centre, game_names())])
@pytest.mark.fast_cases(1)
def test_the_centre_book_opens_every_game_and_leaves_the_rest_to_the_agent(name, agent):
    game = make_game(name)
    agent = make_agent(f"{agent},book=centre", game)
    position = game.initial_position()
    for from_book in (True, True, False):
        decision = agent.analyse(position)
        assert (decision.from_book, decision.nodes > 0) == (from_book, not from_book)
        position.play(decision.action)


# -- files --


@pytest.mark.parametrize("spec", GAMES)
def test_a_book_holds_every_position_of_its_plies_once_for_all_its_images(spec):
    game, plies = make_game(spec), 3
    canon, layer, expected = CanonicalForm(game), [game.initial_position()], set()
    for _ in range(plies):
        for position in layer:
            images = map(position.transformed, range(len(game.symmetries)))
            expected.add(min(image.record.tobytes() for image in images))
        children = [p.after(action) for p in layer for action in p.legal_actions()]
        layer = [child for child in children if not child.is_over]
    keys = [canon(game.position(actions))[0] for actions in opening_positions(game, plies)]
    assert len(keys) == len(set(keys))
    assert set(keys) == expected


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.fast_cases(2)
def test_a_position_is_found_under_every_symmetry_and_the_action_mapped_back(spec, book):
    # The value of chains in dots and boxes is not the same for all images of a position.
    heuristic = ",heuristic=classic" if spec.startswith("dots") else ""
    maker = f"alphabeta:depth=2,values=yes{heuristic}"
    file = BookFile(book(spec, maker))
    for plies in range(3):
        position = random_position(file.game, plies, seed=plies)
        decision = make_agent(maker).analyse(position)
        best = {a: score for a, score in decision.scores.items() if score == decision.score}
        for symmetry, permutation in enumerate(file.game.symmetries):
            entry = file.look_up(position.transformed(symmetry))
            assert entry.scores == {int(permutation[a]): score for a, score in best.items()}
            assert entry.action in entry.scores
        assert file.look_up(random_position(file.game, 3, seed=7)) is None


def test_an_agent_plays_from_its_book_with_the_value_and_searches_beyond_it(book):
    path = book(plies=2)
    agent = make_agent(f"alphabeta:depth=2,book={path}")
    maker = make_agent("alphabeta:depth=4,values=yes")
    for actions in ([], ["a"], ["e"]):
        position = make_game("connect_four:rows=4,cols=5").position(actions)
        decision, analysis = agent.analyse(position), maker.analyse(position)
        assert (decision.score, decision.from_book, decision.nodes) == (analysis.score, True, 0)
        assert analysis.values[decision.action] == analysis.value
        assert decision.principal_variation == (decision.action,)
    assert not agent.analyse(position.after(0)).from_book


@pytest.mark.parametrize("agent", ["alphabeta:depth=2", "mcts:simulations=50", "random", "solver"])
@pytest.mark.fast_cases(1)
def test_every_agent_can_make_a_book_the_same_each_time(agent, tmp_path):
    game = make_game("connect_four:rows=4,cols=4")
    paths = [tmp_path / "a", tmp_path / "b"]
    for path in paths:
        assert write_book(path, game, make_agent(agent), 2) == 3
    assert paths[0].read_bytes() == paths[1].read_bytes()
    make_agent(f"alphabeta:book={paths[0]}").act(game.initial_position())


class Bounded(Agent):
    """Scores all actions alike."""

    kind = "exact"

    def decide(self, position):
        legal = position.legal_actions()
        score = Score(0.0, kind=self.kind)
        return Decision(legal[0], score, dict.fromkeys(legal, score))


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_book_holds_actions_of_equal_values_but_not_those_of_equal_bounds(tmp_path, kind):
    game, agent = make_game("tic_tac_toe"), Bounded()
    agent.kind = kind
    write_book(tmp_path / "book", game, agent, 1)
    line = json.loads((tmp_path / "book").read_text().splitlines()[1])
    assert len(line["best"]) == (1 if kind in ("lower", "upper") else 9)


def test_progress_is_told_and_an_interrupt_leaves_no_file(tmp_path):
    reports = []

    def progress(count, total):
        reports.append((count, total))
        if count == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_book(
            tmp_path / "b", make_game("connect_four"), make_agent("random"), 2, progress=progress
        )
    assert reports == [(1, 5), (2, 5)]
    assert list(tmp_path.iterdir()) == []


def test_another_content_of_the_book_is_another_version_of_the_agent(book):
    path = book(plies=1)
    before = make_agent(f"alphabeta:book={path}").version
    book(plies=2)
    assert before != make_agent(f"alphabeta:book={path}").version
    assert before.startswith(make_agent("alphabeta").version)


# -- what is refused --


def rewritten(path, header=None, line=""):
    """Change a book and make its checksum fit again."""
    first, _, body = path.read_text().partition("\n")
    body += line
    checksum = {"sha256": hashlib.sha256(body.encode()).hexdigest()}
    path.write_text(json.dumps(json.loads(first) | checksum | (header or {})) + "\n" + body)


def replaced(path, change):
    """Write a book after a change of its bytes."""
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda p: p.unlink(), "there is no opening book '.*'; give centre, or a file"),
        (lambda p: (p.unlink(), p.mkdir()), "cannot be read: Is a directory"),
        (lambda p: p.write_text("[1]\n"), "is not an opening book: its first line"),
        (lambda p: replaced(p, lambda data: data[:-40]), r"\(it ends after 16 of 17 positions\)"),
        (
            lambda p: replaced(p, lambda data: data.replace(b'"best": {', b'"best": {"a": 9, ', 1)),
            r"is damaged \(its checksum is wrong\)",
        ),
        (lambda p: rewritten(p, {"version": 1}), "of format version 1, .*; make it again"),
        (lambda p: rewritten(p, {"game": "chess"}), "there is no game 'chess'"),
        (lambda p: rewritten(p, {"rules": "connect_four_v9"}), "is for connect_four_v9, whose"),
    ],
)
def test_a_damaged_book_is_refused_when_the_agent_is_made(book, damage, complaint):
    path = book()
    damage(path)
    with pytest.raises(SpecificationError, match=complaint) as error:
        make_agent(f"alphabeta:book={path}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("nonsense", "line 3 of the opening book .* describes no position of connect_four:rows=4"),
        ('{"moves": "z", "best": {"a": null}}', "'z' is no column of this board"),
        ('{"moves": "a,a,a,a", "best": {"a": null}}', "a is not legal there"),
        ('{"moves": "", "best": {}}', "it has no best action"),
        ('{"moves": "", "best": {"a": 1}}', "1 is not a score"),
        ('{"moves": "", "best": {"a": {"value": 1}}}', "is not a score"),
    ],
)
def test_a_book_with_an_impossible_line_is_refused_before_the_first_move(book, line, complaint):
    path = book(plies=1, agent="random")
    rewritten(path, line=f"{line}\n")
    with pytest.raises(SpecificationError, match=complaint):
        make_agent(f"alphabeta:book={path}").get_ready(make_game("connect_four:rows=4,cols=5"))


def test_a_book_of_another_game_is_refused(book):
    path = book()
    with pytest.raises(
        SpecificationError, match=r"is for connect_four:rows=4,cols=5, not for connect_four$"
    ):
        make_agent(f"alphabeta:book={path}", game="connect_four")
    with pytest.raises(SpecificationError, match="not for tic_tac_toe"):
        make_agent(f"alphabeta:book={path}").act(make_game("tic_tac_toe").initial_position())


def test_a_place_that_cannot_be_written_is_refused_before_the_work_begins(tmp_path):
    for place in (tmp_path, tmp_path / "missing" / "book"):
        with pytest.raises(SpecificationError, match="cannot be written"):
            write_book(place, make_game("tic_tac_toe"), make_agent("random"), 1)


# -- the command --


def test_the_command_makes_a_file_that_agents_play_from(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = plyground("book tic_tac_toe --agent alphabeta:depth=9 --plies 2 --out ttt.book")
    assert result.stdout == (
        "ttt.book has 4 positions of the first 2 plies of tic_tac_toe, analysed by "
        "alphabeta:depth=9\n"
    )
    output = plyground_json("analyse tic_tac_toe --moves a1 --agent alphabeta:book=ttt.book")
    assert (output["name"], output["from_book"], output["score_in_words"]) == ("b2", True, "draw")
