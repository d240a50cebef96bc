"""Numbers are read in one way: on the command line, in specifications, in settings, in TOML."""

from __future__ import annotations

import pytest
from plyground import make_agent, make_game
from plyground.envs.loading.numbers import FORMS, read_number
from plyground.evaluation.plan import read_tournaments
from plyground.training.ppo.settings import PPOSettings

WHOLE = {"7": 7, "+7": 7, "-7": -7, "3k": 3000, "2M": 2_000_000, "1.5k": 1500, "1e3": 1000,
         "1E3": 1000, "2.0": 2, f"{2**63 - 1}": 2**63 - 1}  # fmt: skip
NONE = ("", "k", "1.5", "3min", "1_0", " 1", "3\n", "٣", "\uff13", "0x1", "inf", "nan", "1e999",
        "1e-3", "1kk", "3e")  # fmt: skip


@pytest.mark.parametrize(("text", "value"), WHOLE.items())
def test_a_whole_number_is_read_in_each_of_its_forms(text, value):
    number = read_number(text, int)
    assert (number, type(number)) == (value, int)


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_whole_number_is_refused(text):
    with pytest.raises(ValueError, match="is no number"):
        read_number(text, int)


@pytest.mark.parametrize("text", ["", "3min", "1k", "1_0", "3 ", "٣", "१.५", "inf", "nan"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="is no number"):
        read_number(text, float)
    assert set(FORMS) == {int, float}


def test_specifications_settings_and_files_take_the_same_forms(tmp_path):
    assert make_agent("mcts:simulations=1e3").options["simulations"] == 1000
    assert make_agent("mcts:simulations=2k").options["simulations"] == 2000
    assert make_game("connect_four:rows=1e1") == make_game("connect_four:rows=10")
    game = make_game("tic_tac_toe")
    assert (
        PPOSettings.for_game(game, {"steps": "3e5"}, ["games=1k", "batch_size=1e3"]).games == 1000
    )
    path = tmp_path / "plans.toml"
    path.write_text(
        'pairs = 1e1\nmove_timeout = 1.5\n[[tournament]]\ngame = "tic_tac_toe"\n'
        'agents = ["random", "greedy"]\nseed = 1e3\n'
    )
    (plan,) = read_tournaments(path)
    assert (plan.pairs, plan.seed, plan.move_timeout) == (10, 1000, 1.5)
