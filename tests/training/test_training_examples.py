"""The examples of learning run and learn."""

from __future__ import annotations

import importlib.util

import plyground
import pytest
from helpers import ROOT
from plyground.evaluation.gauntlet import evaluate

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
torch.set_num_threads(1)
EXAMPLES = ROOT / "examples"


def load(name, folder=EXAMPLES):
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.thorough
def test_the_hand_written_learner_gets_better():
    example = load("train_by_hand")
    torch.manual_seed(1)
    network = example.make_network()
    before = example.score_against(network, "random", games=60)
    example.learn(network, 600)
    assert example.score_against(network, "random", games=60) > before + 0.1


def test_every_reply_tells_who_can_be_beaten():
    example, game = load("every_game", ROOT / "benchmarks"), plyground.make_game("tic_tac_toe")
    for seat in (0, 1):
        agents = [
            plyground.make_agent(spec, game=game)
            for spec in ("alphabeta:depth=9", "alphabeta:depth=1,heuristic=none")
        ]
        (perfect, _, _, _), (weak, _, _, _) = (
            example.play_every_game(agent, game, seat) for agent in agents
        )
        assert perfect[-1] == 0
        assert perfect[0] + perfect[1] > 0
        assert weak[-1] > 0


def test_every_game_counts_games_and_keeps_results():
    example, game = (
        load("every_game", ROOT / "benchmarks"),
        plyground.make_game("tic_tac_toe:size=2"),
    )
    agent, solver = (
        plyground.make_agent("alphabeta:depth=4", game=game),
        example.make_solver(game, 16),
    )
    games, finals, moves, right = example.play_every_game(agent, game, 0, solver)
    assert (games, finals) == ({1: 3}, {1: 3})
    assert moves == right == 4


@pytest.mark.parametrize("name", ["cleanrl_ppo", "cleanrl_dqn"])
@pytest.mark.thorough
def test_learners_in_one_file_learn_and_their_policy_plays(name, tmp_path):
    load(name).main(steps=40_960, out=str(tmp_path / "net.onnx"))
    scores = evaluate(f"onnx:{tmp_path / 'net.onnx'}", "tic_tac_toe", ["random"], opening_plies=0)
    assert scores[0].score > 0.65
