"""What makes a tournament, and a sequential test, another one: every option of both commands."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import shutil
import sqlite3
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest
from command_line import plyground
from cyclopts import Parameter
from plyground.commands.common import with_options
from plyground.commands.results import sprt
from plyground.commands.tournaments import tournament
from plyground.envs.loading.records import check_value
from plyground.envs.loading.settings import parameters_of
from plyground.envs.specification import SpecificationError
from plyground.envs.workers.jobs import JobPlace
from plyground.evaluation.conditions import CLOCKS, WALL, Conditions
from plyground.evaluation.plan import Plan
from plyground.evaluation.statistics.sprt import Hypotheses
from plyground.evaluation.tournament import default_name

COMMANDS = {"tournament": tournament, "sprt": sprt}
BASE = {
    "tournament": "tournament tic_tac_toe greedy random --pairs 1",
    "sprt": "sprt tic_tac_toe greedy random --max-pairs 1",
}
LIMIT, JUDGE = "--move-timeout 60", "--balanced alphabeta:depth=2"

# Changing these begins another tournament: what the command has before, and what is changed.
DECIDES = {
    "game": ("", "tic_tac_toe tic_tac_toe:size=4"),
    "agents": ("", "greedy random"),
    "first": ("", "greedy random"),
    "second": ("", "random greedy"),
    "--format": ("", "--format gauntlet"),
    "--opening": ("", "--opening random:3"),
    "--transform": ("", "--transform"),
    "--name": ("", "--name mine"),
    "--seed": ("", "--seed 2"),
    "--balanced": ("", f"{JUDGE} --within 1"),
    "--within": (f"{JUDGE} --within 1", "--within 0.9"),
    "--move-timeout": ("", LIMIT),
    "--game-time": ("", "--game-time 60"),
    "--clock": (LIMIT, "--clock cpu"),
    "--memory-limit": ("", "--memory-limit 4G"),
    "--draw-after": ("", "--draw-after 8"),
    "--agreed-after": ("", "--agreed-after 3"),
}
# These cannot change how a game goes: what is added to the command (None: it cannot be tried
# here), and the reason.
CANNOT_MATTER = {
    "--pairs": ("--pairs 2", "more pairs are added to those that there are"),
    "--max-pairs": ("--max-pairs 2", "more pairs are added to those that there are"),
    "--store": (None, "the file is where the games are, not what they are"),
    "--runner": ("--runner local", "kept with each game, and the report says where they are mixed"),
    "--concurrency": ("--concurrency 2", "kept with each game, as --runner"),
    "--address": (None, "where a cluster is; its machines are kept with each game"),
    "--isolate": ("--isolate never", "kept with each game, as --runner"),
    "--withdraw-after": ("--withdraw-after 1", "how many games a crashing agent has, not how"),
    "--resume": ("--resume", "refuses to begin, and changes nothing else"),
    "--expect": (None, "refuses to begin where games are missing, and changes nothing else"),
    "--changed": ("--changed new", "an answer for the case that the code has changed"),
    "--json": ("--json", "the form of the output"),
}
# Changing these is refused, since a test keeps the hypotheses that it began with; the last is what
# an option was called.
REFUSED = {
    "--elo0": "--elo0 -10",
    "--elo1": "--elo1 30",
    "--alpha": "--alpha 0.1",
    "--beta": "--beta 0.1",
}
PLACES = (DECIDES, CANNOT_MATTER, REFUSED)


def options_of(function: Any) -> Iterator[str]:
    """The options and arguments of a command, as its signature declares them."""
    if hasattr(function, "without"):  # a command, whose settings are options
        function = with_options(function, function.without)
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    if dataclasses.is_dataclass(function):
        hints = {field.name: hints[field.name] for field in dataclasses.fields(function)}
        positional: set[str] = set()
    else:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
        parameters = inspect.signature(function).parameters.values()
        positional = {each.name for each in parameters if each.kind in kinds}
    for name, hint in hints.items():
        declared = get_args(hint)[0] if get_args(hint) else hint
        if dataclasses.is_dataclass(declared):
            yield from options_of(declared)
        elif name in positional:
            yield name
        else:
            declared_names = [each.name for each in get_args(hint) if isinstance(each, Parameter)]
            names = [word for each in declared_names for word in each or ()]
            yield names[0] if names else f"--{name.replace('_', '-')}"


CASES = [(command, option) for command in COMMANDS for option in options_of(COMMANDS[command])]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_in_the_identity_or_in_the_list_of_those_that_cannot_matter(command):
    for option in options_of(COMMANDS[command]):
        places = [place for place in PLACES if option in place]
        assert len(places) == 1, f"{option} of {command} belongs in one of the three tables"


def test_the_tables_name_no_option_that_is_gone():
    assert {name for place in PLACES for name in place} == {option for _, option in CASES}


def test_an_option_that_is_added_is_seen():
    @dataclasses.dataclass
    class More:
        faster: bool = False

    def command(game: str, /, *agents: str, more: More, seed: int = 1) -> None:
        pass

    command.__annotations__ = {"game": str, "agents": str, "more": More, "seed": int}
    assert list(options_of(command)) == ["game", "agents", "--faster", "--seed"]


def contents(path) -> tuple[int, int]:
    """How many tournaments and games a store has."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        query = "SELECT (SELECT count(*) FROM tournaments), (SELECT count(*) FROM games)"
        return connection.execute(query).fetchone()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A store in which a command, with these words after it, has been played."""
    stores: dict[str, Any] = {}

    def store_of(words: str):
        if words not in stores:
            path = tmp_path_factory.mktemp("played") / "store.db"
            result = plyground(f"{words} --store {path}")
            assert result.exit_code == 0, result.stderr
            stores[words] = path
        return shutil.copy(stores[words], tmp_path_factory.mktemp("changed") / "store.db")

    return store_of


@pytest.mark.parametrize(("command", "option"), [case for case in CASES if case[1] in DECIDES])
def test_changing_it_begins_another_tournament(command, option, played):
    before, change = DECIDES[option]
    base = f"{BASE[command]} {before}".strip()
    path = played(base)
    tournaments, games = contents(path)
    if change.startswith("--"):
        changed = f"{base} {change}"
        if base.count(change.split()[0]):  # the value that stands there already
            changed = base.replace("--within 1", change)
    else:
        changed = base.replace(*change.split())
    result = plyground(f"{changed} --store {path}")
    assert result.exit_code == 0, result.stderr
    assert "none was played" not in result.stderr
    assert contents(path)[0] == tournaments + 1
    assert contents(path)[1] > games


UNCHANGED = [
    *((command, option) for command, option in CASES if CANNOT_MATTER.get(option, (None,))[0]),
    ("tournament", "--clock"),
    ("sprt", "--clock"),  # without a limit there is nothing that it could count
]


@pytest.mark.parametrize(("command", "option"), UNCHANGED)
def test_changing_it_goes_on_with_the_same_tournament(command, option, played):
    change, _ = CANNOT_MATTER.get(option, ("--clock cpu", ""))
    path = played(BASE[command])
    before = contents(path)
    words = BASE[command].replace("--pairs 1", "") if option == "--pairs" else BASE[command]
    words = words.replace("--max-pairs 1", "") if option == "--max-pairs" else words
    result = plyground(f"{words} {change} --store {path}")
    assert result.exit_code == 0, result.stderr
    more = 2 if option in ("--pairs", "--max-pairs") else 0
    assert contents(path) == (before[0], before[1] + more)


@pytest.mark.parametrize(("command", "option"), [case for case in CASES if case[1] in REFUSED])
def test_changing_it_is_refused_in_one_sentence(command, option, played):
    path = played(BASE[command])
    before = contents(path)
    result = plyground(f"{BASE[command]} {REFUSED[option]} --store {path}")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "begun with elo0 0, elo1 20, alpha 0.05, beta 0.05" in result.stderr
    assert contents(path) == before
    assert plyground(f"{BASE[command]} --store {path}").exit_code == 0  # as it began, it goes on


@pytest.mark.parametrize("words", BASE.values(), ids=BASE)
def test_a_command_leaves_its_store_closed(words, tmp_path):
    assert plyground(f"{words} --store {tmp_path / 'store.db'}").exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]


def test_a_test_takes_over_no_games_of_a_tournament(played):
    path = played("tournament tic_tac_toe greedy random --pairs 1 --opening random:4")
    before = contents(path)
    assert plyground(f"{BASE['sprt']} --store {path}").exit_code == 0
    assert contents(path) == (before[0] + 1, before[1] + 2)


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
