"""What makes a tournament, and a sequential test, another one: every option of both commands."""

from __future__ import annotations

import dataclasses
import inspect
import json
from typing import Any

import pytest
from command_line import plyground
from plyground.commands.options import StoreOptions
from plyground.commands.results import sprt
from plyground.commands.tournaments import tournament
from plyground.envs.loading.records import check_value
from plyground.envs.loading.settings import Settings, parameters_of
from plyground.envs.specification import SpecificationError
from plyground.envs.workers.jobs import JobPlace
from plyground.evaluation.conditions import CLOCKS, WALL, Conditions
from plyground.evaluation.plan import Plan
from plyground.evaluation.statistics.sprt import Hypotheses
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import default_name

# Arguments of the commands that are no settings: none of them changes how a game goes. Whatever
# else the commands take is a setting, whose own test stands below.
NO_SETTINGS = {"resume", "max_pairs", "store", "changed", "expect", "as_json"}


@pytest.mark.parametrize("command", [tournament, sprt], ids=["tournament", "sprt"])
def test_every_option_is_a_setting_or_changes_no_game(command):
    options = set()
    for each in inspect.signature(command).parameters.values():
        if isinstance(each.default, StoreOptions):
            options |= {field.name for field in dataclasses.fields(each.default)}
        elif not isinstance(each.default, Settings) and each.kind == each.KEYWORD_ONLY:
            options.add(each.name)
    assert options <= NO_SETTINGS


def test_options_reach_the_settings_of_the_tournament(tmp_path):
    store = tmp_path / "store.db"
    words = "tournament tic_tac_toe greedy random --pairs 1 --seed 2 --opening random:3 --transform"
    limits = "--format gauntlet --name mine --draw-after 8 --move-timeout 60 --clock cpu"
    assert plyground(f"{words} {limits} --store {store}").exit_code == 0
    with Store(store) as opened:
        (one,) = opened.tournaments()
    expected = {"seed": 2, "opening": "random:3", "transform": True, "format": "gauntlet"}
    expected |= {"draw_after": 8, "move_timeout": 60.0, "clock": "cpu"}
    assert one.settings | expected == one.settings
    assert one.name == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]  # it is closed


def test_the_name_of_a_tournament_does_not_depend_on_the_order_of_its_settings():
    settings = {"game": "gomoku", "seed": 1, "test": {"elo0": 0, "elo1": 1}}
    turned = {"test": {"elo1": 1, "elo0": 0}, "seed": 1, "game": "gomoku"}
    assert default_name(settings) == default_name(turned) != default_name(settings | {"seed": 2})
    assert default_name(json.loads(json.dumps(settings))) == default_name(settings)


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_clock_is_part_of_limits_where_it_counts_something(clock):
    untimed, timed = Conditions(memory_limit="1G"), Conditions(move_timeout=2.0)
    assert untimed.replace(clock=clock).identity() == untimed.identity()
    assert (timed.replace(clock=clock).identity() == timed.identity()) == (clock == WALL)


# what each field is changed to, and what it needs beside it
OTHER: dict[str, dict[str, Any]] = {
    "within": {"balanced": "solver", "within": 0.5},
    "clock": {"clock": "cpu", "move_timeout": 1.0},
    "opening": {"opening": "all:2"},
    "memory_limit": {"memory_limit": "1G"},
    "balanced": {"balanced": "solver"},
    "name": {"name": "another"},
    "address": {"address": "auto"},
}
KINDS = (Conditions, Plan, Hypotheses, JobPlace)


@pytest.mark.parametrize(
    ("kind", "field"), [(kind, each) for kind in KINDS for each in dataclasses.fields(kind)]
)
def test_every_setting_is_in_the_identity_or_says_why_it_changes_no_result(kind, field):
    usual = kind()
    other = OTHER.get(field.name) or {field.name: _another(kind, field)}
    changed = usual.replace(**other)
    before = usual.replace(**{name: other[name] for name in other if name != field.name})
    if field.metadata.get("no_effect"):
        assert changed.identity() == before.identity()
    else:
        assert changed.identity() != before.identity()


def _another(kind, field):
    parameters = {each.name: each for each in parameters_of(kind)}
    if field.name not in parameters:
        return ("random", "greedy") if field.name == "agents" else "gomoku"
    parameter = parameters[field.name]
    if parameter.choices:
        return next(each for each in parameter.choices if each != parameter.default)
    if parameter.kind is bool:
        return not parameter.default
    return (parameter.default or 1) + (1 if parameter.kind is int else 0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_has_help_and_no_unknown_one_is_read(kind):
    fields = [field for field in dataclasses.fields(kind) if field.name not in ("game", "agents")]
    assert all(field.metadata["help"].strip() for field in fields)
    with pytest.raises(SpecificationError, match=r"^x\.toml: it cannot have 'nothing'"):
        check_value({"nothing": 1}, kind, "x.toml")
