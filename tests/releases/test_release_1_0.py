"""Files that plyground 1.0.0 wrote of Othello are read under the rules that it had then.

Version 0 of Othello counted free cells for nobody, version 1 counts them for the winner. The files
lie in ``data/release_1_0``. The commands that wrote them, with version 1.0.0::

    GAME=othello:size=4,reward=margin
    plyground tournament $GAME random greedy --pairs 3 --seed 3 --store store.sqlite
    plyground dataset $GAME --positions 60 --out positions.npz
    plyground book $GAME --agent alphabeta:depth=12,values=yes --plies 2 --out opening.book
"""

from __future__ import annotations

import json

import onnx
import plyground
import pytest
from command_line import plyground as command
from helpers import ROOT
from networks import write_network
from plyground.agents.book import BookFile
from plyground.envs.registry import profiles, recorded_spec, rules_type
from plyground.envs.specification import SpecificationError
from plyground.evaluation import Store
from plyground.training.folder import RunFolder, TrainingError, read_run
from plyground.training.ppo.settings import PPOSettings

pytestmark = pytest.mark.thorough

RELEASE = ROOT / "tests" / "data" / "release_1_0"
THEN, NOW = "othello:size=4,reward=margin,empties=nobody", "othello:size=4,reward=margin"
EARLIER = [(name, id) for name, profile in profiles().items() for id in profile.earlier]


@pytest.mark.parametrize(("name", "id"), EARLIER, ids=[id for _, id in EARLIER])
def test_an_earlier_id_is_refused_and_read_as_the_parameters_that_mean_its_rules(name, id):
    declaration = rules_type(name).declaration
    assert id != declaration.game_id
    with pytest.raises(SpecificationError, match=f"{id!r} any more: it is {declaration.game_id}"):
        plyground.make_game(id)
    with pytest.raises(AttributeError, match=f"did you mean {declaration.game_id!r}"):
        getattr(plyground.envs, id)
    earlier = plyground.make_game(recorded_spec(name, f"{id} of plyground 1.0.0"))
    assert earlier != plyground.make_game(name)
    assert recorded_spec(name, declaration.game_id) == recorded_spec(name, None) == name


def test_the_store_is_verified_by_the_rules_of_then(tmp_path):
    with Store(RELEASE / "store.sqlite", read_only=True) as store:
        (tournament,) = store.tournaments()
        games = list(store.games(tournament.number))
    assert (tournament.settings["game"], len(games)) == (THEN, 6)
    assert tournament.settings["rules"] == "othello_v0 of plyground 1.0.0"
    verdict = command(f"verify {RELEASE / 'store.sqlite'} --games 0")
    assert verdict.exit_code == 0, verdict.stderr
    returns = {
        spec: [plyground.make_game(spec).position(game.result.moves).returns for game in games]
        for spec in (THEN, NOW)
    }
    assert returns[THEN] == [game.result.returns for game in games] != returns[NOW]


def test_the_dataset_holds_the_values_of_then():
    table = plyground.datasets.load(RELEASE / "positions.npz")
    assert table.game.spec == table.metadata["game"] == THEN
    differing = 0
    for row in range(len(table)):
        position = table.position(row)
        values = plyground.solve(position, moves="all", memory_mb=1).values
        assert values == {
            action: int(table.arrays["action_values"][row, action])
            for action in position.legal_actions()
        }
        same = plyground.make_game(NOW).position(position.moves)
        differing += values != plyground.solve(same, moves="all", memory_mb=1).values
    assert differing > 0


def test_the_book_is_for_the_rules_of_then():
    assert BookFile(RELEASE / "opening.book").game.spec == THEN
    spec = f"alphabeta:depth=1,book={RELEASE / 'opening.book'}"
    assert plyground.make_agent(spec).analyse(plyground.make_game(THEN).position()).from_book
    with pytest.raises(SpecificationError, match=f"is for {THEN}, not for {NOW}"):
        plyground.make_agent(spec, NOW)


def policy_of_then(path, spec):
    """A policy file as version 1.0.0 wrote it, for a game of default free cells."""
    model = onnx.load(write_network(path, spec))
    changes = {
        "plyground.rules": "othello_v0",
        "plyground.game": spec,
        "plyground.version": "1.0.0",
    }
    for entry in model.metadata_props:
        entry.value = changes.get(entry.key, entry.value)
    onnx.save(model, path)
    return path


def test_a_policy_for_the_win_plays_on_and_one_for_the_margin_plays_by_the_rules_of_then(tmp_path):
    win = policy_of_then(tmp_path / "win.onnx", "othello:size=4,reward=win")
    for spec in ("othello:size=4", "othello:size=4,empties=nobody"):
        position = plyground.make_game(spec).initial_position()
        for agent in (f"onnx:{win}", f"mcts:network={win},simulations=10"):
            assert position.is_legal(plyground.make_agent(agent, spec).act(position))
    margin = f"onnx:{policy_of_then(tmp_path / 'margin.onnx', NOW)}"
    assert plyground.make_agent(margin).network.game.spec == THEN
    assert plyground.make_agent(margin, THEN).act(plyground.make_game(THEN).position()) >= 0
    with pytest.raises(SpecificationError, match=r"empties=nobody, not for othello:.*=winner"):
        plyground.make_agent(margin, NOW)


def test_a_run_goes_on_under_the_rules_of_then(tmp_path):
    out, facts = tmp_path / "run", {"command": "plyground train ppo", "versions": {}}
    then, now = plyground.make_game(THEN), plyground.make_game(NOW)
    settings = PPOSettings.for_game(then, {}, [])
    RunFolder(out, then, settings, 1, facts)
    record = json.loads((out / "run.json").read_text())
    record["description"] |= {"game": NOW, "game_version": 0}
    (out / "run.json").write_text(json.dumps(record))
    assert read_run(out)["description"]["game"] == THEN
    assert not RunFolder(out, then, settings, 1, facts).is_new
    with pytest.raises(TrainingError, match=f"holds a run of {THEN}, not of {NOW}"):
        RunFolder(out, now, settings, 1, facts)
