"""The networks that are shipped: each is the one of its card, and plays."""

from __future__ import annotations

import dataclasses
import hashlib
import pickle
import re

import gymnasium
import numpy as np
import pytest
from command_line import done, invoke
from helpers import ROOT, random_position
from plyground import make_agent, make_game
from plyground.agents import load_policy
from plyground.agents.opponents import make_opponents
from plyground.agents.policies import zoo
from plyground.agents.policies.policy_file import OnnxNetwork
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

CARDS = zoo.cards()


@pytest.fixture(params=CARDS, ids=lambda card: card.file)
def card(request):
    return request.param


def test_the_file_is_the_one_of_the_card(card):
    data = card.path.read_bytes()
    assert (hashlib.sha256(data).hexdigest(), len(data)) == (card.sha256, card.bytes)
    network = OnnxNetwork(card.file, data)
    assert network.kind == card.algorithm
    assert network.for_game(make_game(card.game)) is network


@pytest.mark.parametrize(
    ("card", "game"),
    [(card, spec) for card in CARDS for spec in (card.game, *card.also)],
    ids=lambda value: getattr(value, "file", value),
)
def test_it_plays_alone_and_with_search(card, game):
    game = make_game(game)
    for spec in (f"zoo:{card.name}", f"mcts:network=zoo:{card.name},simulations=16"):
        agent = pickle.loads(pickle.dumps(make_agent(spec, game)))
        position = random_position(game, 3, seed=1)
        for _ in range(4):
            if not position.is_over:
                decision = agent.analyse(position)
                assert position.is_legal(decision.action)
                assert game.facts.min_return <= decision.value <= game.facts.max_return
                position.play(decision.action)
        assert "policy" in agent.version


def test_it_has_learnt_more_than_chance(card):
    """Alone, it scores far more than half against random play."""
    game = make_game(card.game)
    agents = [make_agent(f"zoo:{card.name}", game), make_agent("random", game)]
    total = 0.0
    for seed in range(10):
        position = game.initial_position()
        agents[1].reset(seed)
        while not position.is_over:
            position.play(agents[(position.to_move + seed) % 2].act(position))
        total += np.sign(position.returns[seed % 2])
    assert total >= 6


def test_a_card_tells_how_to_make_the_network_again(card):
    assert card.training["command"].startswith("plyground train ")
    assert card.training["machine"]
    assert card.measured["speed"]["batch_1"] > 0


def test_all_networks_of_a_board_and_the_usual_opponents_stand_in_one_pool(card):
    alone, searching = sorted(card.agents)[::-1]
    assert alone == f"zoo:{card.name}"
    assert searching.startswith(f"mcts:network={alone},simulations=")
    rows = card.board["ratings"]["rows"]
    agents = [row["agent"] for row in rows]
    assert len(set(agents)) == len(agents) >= 6
    assert {"random"} < set(agents)
    assert [row["elo"] for row in rows if row["agent"] == "random"] == [0]
    assert card.board["ratings"]["command"].startswith(f"plyground tournament {agents_game(card)} ")
    beside = [other for other in CARDS if other.board is card.board]
    assert {agent for other in beside for agent in other.agents} <= set(agents)


def agents_game(card):
    return next(spec for spec in (card.game, *card.also) if spec in zoo.boards())


@pytest.mark.parametrize(
    "board", [spec for spec, board in zoo.boards().items() if "quality" in board]
)
def test_the_quality_of_moves_is_told_by_situation_the_quiet_ones_first(board):
    rows = zoo.boards()[board]["quality"]["rows"]
    for agent in {row["agent"] for row in rows}:
        own = {row["phase"]: row for row in rows if row["agent"] == agent}
        assert list(own)[:2] == ["all", "quiet"]
        assert sum(row["moves"] for row in own.values()) == 2 * own["all"]["moves"]
        assert all(row["lower"] <= row["share"] <= row["upper"] for row in own.values())
    page = (ROOT / "docs" / "zoo" / f"{make_game(board).name}.md").read_text(encoding="utf-8")
    page = page.partition(f"## On `{board}`\n")[2].partition("\n## ")[0]
    assert re.search(r"\| agent \| quiet \(\d+\) \|.*\| all \(\d+\) \|", page)


@pytest.mark.parametrize("size", [6, 12])
def test_weights_that_fit_any_board_play_another(size):
    network, game = zoo.ZooNetworks("gomoku").cards[1].network(), make_game(f"gomoku:size={size}")
    other = pickle.loads(pickle.dumps(network.playing(game)))
    assert other.game == game != network.game
    position = game.position(["b5", "a1", "c5", "a3", "d5", "f1", "e5", "f2"])
    for precision in ("float32", "int8"):
        logits, value = other.in_precision(precision).evaluate([position.observation()])
        assert game.action_to_text(int(logits.argmax())) in ("a5", "f5")
        assert value[0] > 0.5
        assert other.in_precision(precision) is other.in_precision(precision)
    assert network.in_precision("int8").game == network.game
    by_onnxruntime = OnnxNetwork("the same", network.data, compiled=False)
    with pytest.raises(SpecificationError, match="is for gomoku:rows=9"):
        by_onnxruntime.playing(game)


def test_weights_that_fit_one_board_refuse_another():
    network = zoo.ZooNetworks("connect_four").cards[0].network()
    for spec in ("connect_four:rows=7", "tic_tac_toe"):
        with pytest.raises(SpecificationError, match="is for connect_four:rows=6"):
            network.playing(make_game(spec))


def test_a_file_that_is_not_the_one_of_its_card_is_refused(card):
    other = dataclasses.replace(card, sha256="0" * 64)
    with pytest.raises(SpecificationError, match=r"damaged.*reinstall plyground"):
        other.network()


def test_the_command_lists_the_networks_and_shows_a_card():
    listing = done("zoo")
    assert all(f"zoo:{card.name}" in listing.stdout for card in CARDS)
    assert re.search(r"hours +quiet % +all % +Elo", listing.stdout)
    text = invoke(["zoo", "connect_four"])
    assert "plyground train alphazero connect_four" in text.stdout
    assert invoke(["zoo", "--out", "pages", "--json"]).exit_code == 2


# -- one agent in several places --


@pytest.mark.parametrize("agent_spec", ["zoo:dots_and_boxes", "mcts:network=zoo:dots_and_boxes"])
def test_one_agent_stands_in_environments_of_several_boards(agent_spec):
    small, large = (make_game(f"dots_and_boxes:rows={size},cols={size}") for size in (3, 4))
    agent = make_agent(agent_spec + ("" if agent_spec[0] == "z" else ",simulations=16"))
    before = agent.act(small.initial_position())
    for games in (large, small), (small, large):
        environments = [
            gymnasium.make("plyground/DotsAndBoxes-v0", rows=size, cols=size, opponent=agent)
            for size in (game.rules.rows for game in games)
        ]
        batches = [GameBatch(game, 4, make_opponents(agent, game)) for game in games]
        stream = new_stream(1)
        for env in environments:
            env.reset(seed=1)
        for batch in batches:
            batch.reset(seed=1)
        for _ in range(3):
            for env in environments:
                env.step(np.flatnonzero(env.unwrapped.action_masks())[0])
            for batch in batches:
                batch.step(batch.draw_actions(stream))
            assert agent.act(small.initial_position()) == before
            assert large.initial_position().is_legal(agent.act(large.initial_position()))


def test_a_loaded_policy_plays_and_evaluates_positions(tmp_path):
    card = next(card for card in CARDS if card.game.startswith("connect_four"))
    start = make_game(card.game).initial_position()
    (tmp_path / "best.onnx").write_bytes(card.path.read_bytes())
    actions, values = set(), set()
    for source in (card.path, tmp_path, f"zoo:{card.name}"):
        policy = load_policy(source, card.game)
        predictions = policy.predict(start.observation()[None], start.action_mask()[None])
        assert predictions.probabilities.shape == (1, start.game.facts.num_actions)
        actions.add(policy.act(start))
        values.add(float(predictions.values[0]))
    assert len(actions) == len(values) == 1
    several = load_policy("zoo:dots_and_boxes")
    with pytest.raises(SpecificationError, match="zoo:dots_and_boxes plays several boards"):
        several.act_batch(start.observation()[None], start.action_mask()[None])
    with pytest.raises(SpecificationError, match="there is no policy file"):
        load_policy(tmp_path / "none.onnx")
