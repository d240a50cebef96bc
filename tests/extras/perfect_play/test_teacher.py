"""Datasets of a teacher's answers: what it chose, how its games ended, the same file each time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.envs.canonical import CanonicalForm
from plyground.envs.specification import SpecificationError
from plyground.envs.workers.jobs import JobPlace
from plyground.extras.perfect_play import datasets
from plyground.extras.perfect_play.datasets.build import build_taught_dataset
from plyground.extras.perfect_play.datasets.labels import (
    ILLEGAL_VALUE,
    UNKNOWN_RESULT,
    UNKNOWN_VALUE,
)
from plyground.extras.perfect_play.datasets.teacher import play_games

TEACHERS = {
    "tic_tac_toe": "alphabeta:depth=9",
    "connect_four:rows=5,cols=5": "alphabeta:depth=3",
    "dots_and_boxes:rows=2,cols=2,reward=margin": "alphabeta:depth=3",
    "gomoku:size=7": "gomoku:nodes=300",
}
GAMES = pytest.mark.parametrize("spec", TEACHERS)


def build(spec, path, count=120, **options):
    build_taught_dataset(make_game(spec), count, path, TEACHERS[spec], **options)
    return datasets.load(path)


@GAMES
@pytest.mark.fast_cases(1)
def test_the_answer_is_the_teachers_and_nothing_is_said_of_other_actions(spec, tmp_path):
    data = build(spec, tmp_path / "data.npz")
    teacher, game = make_agent(TEACHERS[spec]), make_game(spec)
    assert teacher.deterministic
    assert data.teacher == teacher.spec
    forms, same = set(), 0
    for index in range(len(data)):
        row, position = data[index], data.position(index)
        assert np.array_equal(row["observation"], position.observation())
        legal = np.flatnonzero(row["action_mask"])
        assert sorted(position.legal_actions()) == legal.tolist()
        assert (np.delete(row["action_values"], legal) == ILLEGAL_VALUE).all()
        (answer,) = np.flatnonzero(row["action_results"] > UNKNOWN_RESULT)
        others = legal[legal != answer]
        assert (row["action_values"][others] == UNKNOWN_VALUE).all()
        assert (row["action_results"][others] == UNKNOWN_RESULT).all()
        assert row["value"] == row["action_values"][answer]
        assert row["result"] == row["action_results"][answer]
        same += teacher.act(position) == answer
        forms.add(CanonicalForm(game)(position)[0])
    assert len(forms) == len(data) > 50
    # among equally good actions a teacher may draw lots
    assert same > 0.6 * len(data)


@GAMES
@pytest.mark.fast_cases(1)
def test_results_are_those_of_the_games(spec):
    game = make_game(spec)
    for lessons_of_game in play_games(game, make_agent(TEACHERS[spec], game), seed=4, number=1):
        longest = max(lessons_of_game, key=lambda lesson: len(lesson.actions))
        won = []
        for lesson in lessons_of_game:
            assert lesson.actions == longest.actions[: len(lesson.actions)]
            position = game.position(lesson.actions)
            won.append(lesson.result if position.to_move == 0 else -lesson.result)
            if lesson is longest:
                after = position.after(lesson.answer)
                if after.is_over and lesson.result > 0:
                    assert after.returns[position.to_move] > 0
        assert len(set(won)) == 1


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_file_whatever_the_processes(tmp_path):
    spec = "connect_four:rows=5,cols=5"
    first = build(spec, tmp_path / "a.npz", seed=5)
    second = build(spec, tmp_path / "b.npz", seed=5, place=JobPlace(concurrency=2))
    other = build(spec, tmp_path / "c.npz", seed=6)
    for name, column in first.arrays.items():
        assert np.array_equal(column, second.arrays[name])
    assert not np.array_equal(first.arrays["key"], other.arrays["key"])


def test_positions_hold_mistakes_of_both_players():
    game = make_game("gomoku:size=7")
    games = play_games(game, make_agent("gomoku:nodes=300", game), seed=1, number=0)
    moves = [
        (before.answer, after.actions[-1])
        for lessons_of_game in games
        for before, after in itertools.pairwise(lessons_of_game)
    ]
    share = sum(answer != move for answer, move in moves) / len(moves)
    assert 0.03 < share < 0.2


def test_plies_and_teachers_are_checked(tmp_path):
    game = make_game("tic_tac_toe")
    data = build("tic_tac_toe", tmp_path / "data.npz", plies=range(3, 5))
    assert set(data.arrays["ply"].tolist()) == {3, 4}
    with pytest.raises(SpecificationError, match="plays gomoku"):
        build_taught_dataset(game, 10, tmp_path / "x.npz", "gomoku:nodes=100")
    with pytest.raises(SpecificationError, match="plies 3 to 9"):
        build_taught_dataset(game, 10, tmp_path / "x.npz", "greedy", plies=range(3, 10))
