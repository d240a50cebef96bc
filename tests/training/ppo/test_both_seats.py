"""PPO learns from both seats of its games against itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from plyground.envs import SpecificationError, make_game
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.opponents import Opponent

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
from gymnasium import spaces  # noqa: E402
from plyground.agents.opponents import make_opponents  # noqa: E402
from plyground.envs.single_agent.game_batch import GameBatch  # noqa: E402
from plyground.training.curriculum import Curriculum  # noqa: E402
from plyground.training.ppo.settings import PPOSettings  # noqa: E402
from plyground.training.ppo.turns import TurnBuffer  # noqa: E402
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer  # noqa: E402

torch.set_num_threads(1)
GAMES, STEPS, GAMMA, WEIGHT = 6, 40, 0.9, 0.8
ITSELF = Opponent("self", None)


def play(spec, opponents, seed=1, regret=None):
    """A filled buffer of random play with random values, its batch, and what it was filled with."""
    game = make_game(spec)
    batch = GameBatch(game, GAMES, opponents, regret=regret)
    batch.reset(seed)
    shape = game.facts.observation_shape
    size = (
        STEPS,
        spaces.Box(0, 1, shape, np.int8),
        spaces.Discrete(game.facts.num_actions),
        "cpu",
    )
    options = {"gae_lambda": WEIGHT, "gamma": GAMMA, "n_envs": GAMES}
    buffers = TurnBuffer(*size, games=batch, **options), MaskableRolloutBuffer(*size, **options)
    for buffer in buffers:
        buffer.reset()
    rng, stream, starts = np.random.default_rng(seed), new_stream(seed), np.ones(GAMES)
    steps = []
    for _ in range(STEPS):
        actions, values = batch.draw_actions(stream), rng.normal(size=GAMES).astype(np.float32)
        movers, seen = batch.state.seats.copy(), batch.state.observations.copy()
        masks = batch.state.masks.copy()
        batch.step(actions)
        rewards, ended = batch.state.rewards.copy(), batch.state.terminated.copy()
        for buffer in buffers:
            each = torch.from_numpy(values)
            buffer.add(seen, actions, rewards, starts, each, each, action_masks=masks)
        steps.append((movers, rewards, ended, values))
        starts = ended
    last = rng.normal(size=GAMES).astype(np.float32)
    for buffer in buffers:
        buffer.compute_returns_and_advantage(torch.from_numpy(last), starts)
    return batch, *buffers, [*steps, (batch.state.seats.copy(), None, None, last)]


def advantage(steps, game, start):
    """An action's advantage in a game of the learner against itself, by its definition."""
    seat, total, factor, reward, value = steps[start][0][game], 0.0, 1.0, 0.0, None
    for step in range(start, STEPS):
        movers, rewards, ended, values = (each[game] for each in steps[step])
        if movers == seat:
            if value is not None:
                total += factor * (reward + GAMMA * values - value)
                factor *= GAMMA * WEIGHT
            reward, value = 0.0, values
        reward += rewards if movers == seat else -rewards
        if ended:
            return total + factor * (reward - value)
    last = steps[STEPS][3][game] * (1 if steps[STEPS][0][game] == seat else -1)
    return total + factor * (reward + GAMMA * last - value)


@pytest.mark.parametrize("spec", ["tic_tac_toe", "dots_and_boxes:rows=1,cols=2,reward=margin"])
def test_advantages_of_both_seats_are_those_of_their_own_turns(spec):
    batch, buffer, _, steps = play(spec, [ITSELF])
    expected = [[advantage(steps, game, step) for game in range(GAMES)] for step in range(STEPS)]
    assert np.allclose(buffer.advantages, expected, atol=1e-5)
    assert np.allclose(buffer.returns, buffer.advantages + buffer.values)
    assert batch.state.episodes.min() > 2
    moves_again = [
        not ended[0] and before[0] == after[0]
        for (before, _, ended, _), (after, *_) in itertools.pairwise(steps)
    ]
    assert any(moves_again) == make_game(spec).facts.moves_again


def test_the_last_action_of_the_loser_is_a_loss():
    _, buffer, _, steps = play("tic_tac_toe", [ITSELF])
    losses = 0
    for step in range(1, STEPS):
        for game in np.flatnonzero(steps[step][2] & (steps[step][1] > 0)):
            assert buffer.returns[step][game] == pytest.approx(1.0)
            assert buffer.returns[step - 1][game] == pytest.approx(-1.0)
            losses += 1
    assert losses > 5


def test_against_others_advantages_are_those_of_stable_baselines3():
    opponents = make_opponents("mix:0.5 random,0.5 greedy", make_game("connect_four"))
    _, buffer, usual, _ = play("connect_four", opponents)
    assert np.array_equal(buffer.advantages, usual.advantages)
    assert np.array_equal(buffer.returns, usual.returns)


def test_a_judges_rewards_belong_to_the_player_it_judged():
    from plyground.agents.judges import make_judge

    game = make_game("tic_tac_toe")
    judge = make_judge("minimax:depth=2", game)
    _, buffer, _, steps = play("tic_tac_toe", [ITSELF], regret=judge)
    ends = [
        (step, game)
        for step in range(1, STEPS)
        for game in np.flatnonzero(steps[step][2])
        if steps[step - 1][0][game] != steps[step][0][game]
    ]
    assert ends
    for step, game in ends:
        assert buffer.returns[step - 1][game] == pytest.approx(steps[step - 1][1][game], abs=1e-6)


def test_games_against_itself_and_others_stand_in_one_batch():
    game = make_game("dots_and_boxes:rows=1,cols=2,reward=margin")
    others = make_opponents("random", game)
    batch, stream = GameBatch(game, 64, [*others, ITSELF]), new_stream(3)
    batch.reset(seed=4)
    state, sums = batch.state, np.zeros(64)  # of player 0
    changes_seat = {True: False, False: False}
    for step in range(200):
        if step % 20 == 10:  # in some games another opponent goes on
            assert (state.totals[state.seats == 1] != 0).any()
            batch.set_opponents([*others, ITSELF] if step % 40 == 30 else [ITSELF, *others])
        before, alone = state.seats.copy(), state.opponents == batch._options.itself
        batch.step(batch.draw_actions(stream))
        sums += np.where(before == 1, -1, 1) * state.rewards
        ended = state.terminated
        final = np.where(~alone & (state.final_seats == 1), -sums, sums)
        assert np.array_equal(final[ended], state.final_returns[ended])
        sums[ended] = 0.0
        for kind in changes_seat:
            changes_seat[kind] |= bool((state.seats != before)[~ended & (alone == kind)].any())
    assert changes_seat == {True: True, False: False}


def test_itself_is_one_opponent_and_starts_no_stage():
    game = make_game("tic_tac_toe")
    with pytest.raises(ValueError, match="can be only one of the opponents"):
        GameBatch(game, 2, [ITSELF, ITSELF])
    settings = PPOSettings(opponent="mix:0.2 self,0.5 random,0.3 self")
    opponents = Curriculum(settings, game, None).opponents
    assert [(each.label, each.weight) for each in opponents] == [("self", 0.5), ("random", 0.5)]
    with pytest.raises(SpecificationError, match="no score that starts the next stage"):
        Curriculum(PPOSettings(opponent="curriculum:self;random"), game, None)
