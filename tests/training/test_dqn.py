"""DQN with action masks: legal actions only, exact resumption, export."""

from __future__ import annotations

import pytest
from plyground import make_agent, make_game
from plyground.evaluation.gauntlet import evaluate
from plyground.training import train

pytest.importorskip("sb3_contrib")
import torch
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.training.dqn.masked import ILLEGAL

torch.set_num_threads(1)  # several threads wait for each other where the processor is shared
SMALL = {
    "steps": 1536, "games": 32, "rollout": 4, "memory": 600, "first_steps": 256, "batch_size": 64,
    "minibatches": 4, "dense": "32", "target_every": 256, "snapshot_every": 300,
    "opponent": "mix:0.5 random,0.5 self",
}  # fmt: skip
SPEC = "dots_and_boxes:rows=2,cols=2,reward=margin"


def test_no_illegal_action_is_played_explored_or_looked_ahead_to(tmp_path, monkeypatch):
    step, ends = GameBatch.step, []

    def checked_step(games, actions, left_out=None):
        step(games, actions, left_out)
        assert not games.state.illegal.any()
        ends.append(int(games.state.terminated.sum()))

    monkeypatch.setattr(GameBatch, "step", checked_step)
    changes = {"games": 16, "memory": 4000, "steps": 16 * 4 * 12, "opponent": "random"}
    run = train("dqn", SPEC, tmp_path / "run", **SMALL | changes)
    assert sum(ends) > 20
    model = run.learner.model
    sample = model.replay_buffer.sample(500)
    for observation in (sample.observations, sample.next_observations):
        values = model.q_net(observation)
        assert ((values == ILLEGAL) == (observation["action_mask"] == 0)).all()
    legality = sample.observations["action_mask"].gather(1, sample.actions.long())
    assert (legality == 1).all()
    goes_on = sample.dones[:, 0] == 0
    assert (sample.next_observations["action_mask"].sum(dim=1)[goes_on] > 0).all()


def test_it_learns_and_its_run_plays(tmp_path):
    sizes = {"steps": 20_000, "games": 64, "first_steps": 1000, "minibatches": 16}
    sizes |= {"batch_size": 128, "dense": "64", "opponent": "random", "evaluations": 1}

    def measure(player):
        return evaluate(player, "tic_tac_toe", ["random"], opening_plies=0)

    run = train("dqn", "tic_tac_toe", tmp_path / "run", measure=measure, **sizes)
    assert run.best_rows[0]["score"] > 0.65
    agent = make_agent(f"dqn:{tmp_path / 'run'}", "tic_tac_toe")
    scores = evaluate(agent, "tic_tac_toe", ["random"], opening_plies=0)
    assert scores[0].score == run.best_rows[0]["score"]
    decision = agent.analyse(make_game("tic_tac_toe").position(["b2"]))
    assert decision.value == max(decision.values.values())
