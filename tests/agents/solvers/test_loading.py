"""Agents, and what they know of a game, are imported when they are asked for: nothing is missed."""

from __future__ import annotations

import importlib
import json
import re

import pytest
from helpers import ROOT, SMALL_GAMES, run_python
from plyground import make_game
from plyground.agents import registry
from plyground.agents.own.search_form import search_form
from plyground.agents.solvers.leaf import new_leaf_solver
from plyground.agents.solvers.solver import solver_class_of
from plyground.envs.loading.packages import KNOWLEDGE, declared
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

KNOWN = {
    "solver": lambda game: solver_class_of(game).__name__,
    "leaf": lambda game: type(new_leaf_solver(game)).__name__,
    "form": lambda game: type(search_form(game, "default").rules).__name__,
}
ASK = """
import json, sys
from plyground import make_game
from plyground.agents.own.search_form import search_form
from plyground.agents.solvers.leaf import new_leaf_solver
from plyground.agents.solvers.solver import solver_class_of
ask = {
    "solver": lambda game: solver_class_of(game).__name__,
    "leaf": lambda game: type(new_leaf_solver(game)).__name__,
    "form": lambda game: type(search_form(game, "default").rules).__name__,
}[sys.argv[1]]
print(json.dumps([ask(make_game(spec)) for spec in sys.argv[2:]]))
"""


def is_solved(spec: str) -> bool:
    try:
        return bool(solver_class_of(make_game(spec)))
    except SpecificationError:
        return False


def test_each_agent_and_preset_of_the_core_is_in_the_list_with_its_module():
    registered = {}
    for path in sorted((ROOT / "agents").rglob("*.py")):
        module = ".".join(("plyground", *path.relative_to(ROOT).with_suffix("").parts))
        text = path.read_text(encoding="utf-8")
        names = re.findall(r'^@?register_(?:agent|preset)\(\s*"(\w+)"', text, re.MULTILINE)
        registered |= dict.fromkeys(names, module)
    assert len(registered) >= 20
    registered |= dict.fromkeys(registry.POLICY_ALIASES, "plyground.agents.policies.policy")
    assert registered == registry.AGENTS_AND_PRESETS._core


@pytest.mark.parametrize("question", KNOWN)
def test_a_new_process_has_what_agents_know_of_each_game(question):
    for module in ("connect_four", "dots_and_boxes", "general", "mnk"):
        importlib.import_module(f"plyground.agents.solvers.{module}")
    for each in declared(KNOWLEDGE):
        each.load()
    specs = [spec for spec in SMALL_GAMES if is_solved(spec)]
    expected = [KNOWN[question](make_game(spec)) for spec in specs]
    assert json.loads(run_python("-c", ASK, question, *specs)) == expected
    assert len(set(expected)) > 1
