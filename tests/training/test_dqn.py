"""DQN with action masks: legal actions only, exact resumption, export."""

from __future__ import annotations

import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.envs.specification import SpecificationError
from plyground.evaluation.gauntlet import evaluate
from plyground.training import train
from plyground.training.checkpoints import unpack
from plyground.training.folder import newest_checkpoint

pytest.importorskip("sb3_contrib")
import torch
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.training.dqn.masked import ILLEGAL

torch.set_num_threads(1)  # several threads wait for each other where the processor is shared
SMALL = {
    "steps": 1536,
    "games": 32,
    "rollout": 4,
    "memory": 600,
    "first_steps": 256,
    "batch_size": 64,
    "minibatches": 4,
    "dense": "32",
    "target_every": 256,
    "snapshot_every": 300,
    "opponent": "mix:0.5 random,0.5 self",
}
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


def weights(folder):
    return unpack(newest_checkpoint(folder))["learner"]["policy"]


@pytest.mark.thorough
def test_an_interrupted_run_ends_with_exactly_the_weights_of_an_undisturbed_one(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
    train("dqn", SPEC, tmp_path / "undisturbed", **SMALL)

    class Stop(Exception):
        pass

    def stop(progress):
        if progress.step == 8 * 128:
            raise Stop

    with pytest.raises(Stop):
        train("dqn", SPEC, tmp_path / "disturbed", on_progress=stop, **SMALL)
    np.random.seed(99)  # noqa: NPY002 - another process would have other generators
    torch.manual_seed(99)
    train("dqn", SPEC, tmp_path / "disturbed", **SMALL)
    one, other = weights(tmp_path / "undisturbed"), weights(tmp_path / "disturbed")
    assert one.keys() == other.keys()
    for name in one:
        assert torch.equal(one[name], other[name]), name


def test_it_learns_and_its_run_plays(tmp_path):
    run = train(
        "dqn",
        "tic_tac_toe",
        tmp_path / "run",
        measure=lambda player: evaluate(player, "tic_tac_toe", ["random"], opening_plies=0),
        steps=20_000,
        games=64,
        first_steps=1000,
        minibatches=16,
        batch_size=128,
        dense="64",
        opponent="random",
        evaluations=1,
    )
    assert run.best_rows[0]["score"] > 0.65
    agent = make_agent(f"dqn:{tmp_path / 'run'}", "tic_tac_toe")
    scores = evaluate(agent, "tic_tac_toe", ["random"], opening_plies=0)
    assert scores[0].score == run.best_rows[0]["score"]
    decision = agent.analyse(make_game("tic_tac_toe").position(["b2"]))
    assert decision.value == max(decision.values.values())


def test_settings_that_are_not_possible_are_refused(tmp_path):
    for changes, complaint in (
        ({"dense": "none"}, "dense=none is not possible: DQN needs dense layers"),
        ({"games": 1000}, "games=1000 is not possible with memory=600 transitions"),
        ({"exploration": 2}, "exploration must be a number from 0 to 1"),
    ):
        with pytest.raises(SpecificationError, match=complaint):
            train("dqn", SPEC, tmp_path / "run", **SMALL | changes)
    assert not (tmp_path / "run").exists()
