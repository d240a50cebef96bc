"""The pattern tables of Othello: their file, their symmetries, and where they are used.

Their values are held against slow plain code in ``tests/envs/test_rules.py``.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers import random_position, random_positions
from plyground import make_agent, make_game
from plyground.envs import rules as r
from plyground.envs.boards.grid import cell_symmetries
from plyground.evaluation import play_game
from plyground.extras.games.othello import patterns
from plyground.extras.games.othello.board import image_of
from plyground.extras.games.othello.heuristics import MOBILITY, PATTERNS
from plyground.extras.games.othello.rules import find_moves

GAME = make_game("othello")
ROOT = Path(__file__).parents[3]


def value(discs, mover, player=0):
    """The value to a player of the position with these discs."""
    record = GAME.initial_position().record
    record.discs[:], record.mover = discs, mover
    find_moves(GAME.rules, record)
    return r.evaluate(GAME.rules, record, player, PATTERNS)


@pytest.mark.parametrize("plies", [6, 15, 24, 33, 42, 51])
def test_all_eight_images_of_a_position_have_its_value_and_swapped_colours_negate_it(plies):
    record = random_position(GAME, plies, seed=plies).record
    discs, mover = record.discs.copy(), int(record.mover)
    expected = value(discs, mover)
    for permutation in cell_symmetries(8, 8):
        image = [image_of(GAME.rules, side, permutation) for side in discs]
        assert value(image, mover) == expected
    assert value(discs[::-1], 1 - mover) == -expected
    assert value(discs, mover, player=1) == -expected


def test_numba_keeps_each_array_of_weights_in_the_machine_code():
    # beyond 10^6 bytes it refers to memory of the process, and no cache keeps the kernel
    assert max(patterns.EDGES.nbytes, patterns.BLOCKS.nbytes, patterns.OTHERS.nbytes) <= 10**6


def test_another_file_is_refused(monkeypatch, tmp_path):
    other = tmp_path / "patterns.npz"
    other.write_bytes(patterns.FILE.read_bytes() + b"0")
    monkeypatch.setattr(patterns, "FILE", other)
    with pytest.raises(RuntimeError, match="not the file of this version of plyground"):
        patterns.load_weights()


def test_patterns_is_the_default_and_on_smaller_boards_the_same_as_mobility():
    assert GAME.declaration.heuristics[0] == "patterns"
    small = make_game("othello:size=6")
    for position in random_positions("othello:size=6", 5):
        both = (r.evaluate(small.rules, position.record, 0, i) for i in (PATTERNS, MOBILITY))
        assert len(set(both)) == 1


def test_patterns_beat_mobility_at_equal_depth():
    patterns_agent, plain = (
        make_agent(f"alphabeta:depth=2,heuristic={h}") for h in ("default", "mobility")
    )
    score = 0.0
    for seed in range(6):
        rng, opening = random.Random(seed), []
        for _ in range(8):
            opening.append(rng.choice(GAME.position(opening).legal_actions()))
        for seat, agents in enumerate(((patterns_agent, plain), (plain, patterns_agent))):
            score += play_game(GAME, agents, opening).returns[seat]
    assert score >= 6  # of 12, a win 1 and a loss −1


@pytest.mark.thorough
def test_the_command_that_fits_goes_on_where_it_stopped(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(ROOT / "benchmarks/extras/games/othello")
    import fit_patterns as command

    monkeypatch.setattr(command, "CHUNK", 1)
    files = tmp_path / "first.npz", tmp_path / "second.npz"

    def fit(out, games):
        words = [tmp_path / "folder", "--games", games, "--out", out]
        monkeypatch.setattr(sys, "argv", ["fit_patterns.py", *map(str, words)])
        command.main()

    fit(files[0], 2)
    assert "stage 0" in capsys.readouterr().out
    for name in ("play_games", "label"):
        monkeypatch.setattr(command, name, None)  # nothing is played or labelled again
    fit(files[1], 2)
    assert files[0].read_bytes() == files[1].read_bytes()
    with np.load(files[0]) as result, np.load(patterns.FILE) as original:
        assert {n: result[n].shape for n in result} == {n: original[n].shape for n in original}
        assert any(result[n].any() for n in result)
    (tmp_path / "folder" / "margins-4-5-0.npy").unlink()
    with pytest.raises(TypeError):
        fit(files[1], 2)


@pytest.mark.thorough
def test_what_is_fitted_are_the_weights_that_a_position_adds_up(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks/extras/games/othello")
    import fit_patterns as command

    weights = patterns.load_weights()
    starts = dict(zip(weights, np.cumsum([0, *(array.shape[1] for array in weights.values())])))
    for position in random_positions("othello", 30):
        record = position.record
        discs = record.discs[[record.mover, 1 - record.mover]][None]
        stage = command.stages_of(discs)[0]
        row = np.concatenate([array[stage] for array in weights.values()]).astype(int)
        expected = r.evaluate(GAME.rules, record, int(record.mover), PATTERNS)
        assert row[command.columns_of(discs, starts)].sum() == expected
