"""Every name in a process of its own: what the tests' process has imported helps none of them."""

from __future__ import annotations

import ast
import importlib
import sys

import pytest
from cold.processes import run_alone
from helpers import AGENTS, ROOT, SMALL_GAMES
from plyground import make_agent, make_game
from plyground.agents.policies.zoo import cards
from plyground.commands.app import GROUPS, command_functions
from plyground.envs.loading.ids import gymnasium_id
from plyground.envs.registry import game_names, rules_type
from plyground.envs.specification import SpecificationError

SECONDS = 300  # for one answer, which may compile, on a machine that does much else
GAMES = list(dict.fromkeys([*SMALL_GAMES, "gomoku", "gomoku:size=10", *game_names()]))

GET = """
import importlib, sys
module, registry, name = sys.argv[1:]
getattr(importlib.import_module(module), registry).get(name)
"""
ACT = """
import sys
from plyground import make_agent, make_game
position = make_game(sys.argv[2]).initial_position()
assert make_agent(sys.argv[1]).act(position) in position.legal_actions()
"""
RESET = """
import sys, gymnasium, pettingzoo, plyground
gymnasium.make(sys.argv[1], opponent="random").reset(seed=1)
pettingzoo.make("aec", sys.argv[2]).reset(seed=1)
"""


def registries() -> dict[tuple[str, str], list[str]]:
    """The names in each registry of the package, which stands in a module under a name."""
    names = {}
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT).with_suffix("").parts
        if place[0] in ("build", "tests", ".venv") or "Registry[" not in path.read_text("utf-8"):
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation)[:9] == "Registry[":
                module = ".".join(("plyground", *place))
                registry = getattr(importlib.import_module(module), node.target.id)
                names[module, node.target.id] = registry.names()
    return names


def plays(agent: str, game: str) -> bool:
    try:
        return make_agent(agent, game) is not None
    except SpecificationError:
        return False


def questions() -> dict[str, list[str]]:
    """What each process is asked: the words after ``python``, by what the test calls it."""
    asked = {
        f"{registry} {name}": ["-c", GET, module, registry, name]
        for (module, registry), names in REGISTRIES.items()
        for name in names
    }
    decisions = [
        (spec, next(game for game in GAMES if plays(spec, game)))
        for spec in AGENTS.values()
        if "{" not in spec and not spec.startswith("python:")  # they need a file
    ]
    for game in SMALL_GAMES:
        heuristics = rules_type(game.partition(":")[0]).declaration.heuristics
        decisions += [(f"alphabeta:depth=1,heuristic={each}", game) for each in heuristics]
        decisions += [(f"alphabeta:depth=1,ordering={each}", game) for each in ("default", "none")]
        decisions += [("solver", game)] * plays("solver", game)
    decisions += [(f"zoo:{card.name}", card.game) for card in cards()]
    asked |= {f"{agent} {game}": ["-c", ACT, agent, game] for agent, game in decisions}
    for game in map(make_game, game_names()):
        version = game.declaration.version
        ids = f"plyground:{gymnasium_id(game.name, version)}", f"plyground/{game.name}-v{version}"
        asked[f"environments {game.name}"] = ["-c", RESET, *ids]
    for words in ((), *((each,) for each in GROUPS), *command_functions()):
        asked[f"{' '.join(words)} --help"] = ["-m", "plyground.cli", *words, "--help"]
    return asked


REGISTRIES = registries()
QUESTIONS = questions()


@pytest.mark.parametrize("words", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.slow
def test_a_name_works_alone(words, tmp_path):
    outcome = run_alone([sys.executable, *words], tmp_path, SECONDS)
    assert outcome.status == 0, outcome.stderr[-2000:]


@pytest.mark.parametrize("place", REGISTRIES, ids=" ".join)
@pytest.mark.thorough
def test_an_error_lists_all_names_whatever_was_imported(place, tmp_path):
    """In this process all names were asked for."""
    with pytest.raises(SpecificationError) as refusal:
        getattr(importlib.import_module(place[0]), place[1]).get("no such name")
    outcome = run_alone([sys.executable, "-c", GET, *place, "no such name"], tmp_path, SECONDS)
    assert outcome.status == 1
    assert outcome.stderr.splitlines()[-1].endswith(f"SpecificationError: {refusal.value}")
    assert all(str(name) in str(refusal.value) for name in REGISTRIES[place])


PRESETS = """
from plyground.agents.registry import register_preset

register_preset("plain", "textbook:depth=1", "leads to a preset of the core")
register_preset("engine", "gomoku:depth=1,nodes=50", "leads to an extra")
register_preset("own", "plain:depth=2", "leads to another of one's own")
register_preset("shipped", "zoo:gomoku", "leads to a name with an argument")
register_preset("circle", "round", "leads to itself")
register_preset("round", "circle", "leads to itself")
"""


@pytest.mark.parametrize("runner", ["local", "processes"])
@pytest.mark.thorough
def test_presets_of_ones_own_lead_to_all_that_there_is(runner, tmp_path):
    (tmp_path / "my_presets.py").write_text(PRESETS)
    words = [sys.executable, "-m", "plyground.cli", "--import", "my_presets"]
    agents = ("plain", "engine", "own", "shipped", "--pairs", "1", "--runner", runner)
    tournament = [*words, "tournament", "gomoku:size=9", *agents]
    outcome = run_alone(tournament, tmp_path, SECONDS)
    assert outcome.status == 0, outcome.stderr
    refused = run_alone([*words, "match", "gomoku", "circle", "random"], tmp_path, SECONDS)
    assert refused.status == 2
    assert "the preset 'circle' refers to itself" in refused.stderr
