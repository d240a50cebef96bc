"""What tests share: places; games, agents and positions taken from the registry; tournaments played
to their end.

A game or agent that is registered appears in the lists below, so that every test over them covers
it without an edit.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import itertools
import json
import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from plyground import Game, Position, make_game
from plyground.agents.registry import agent_classes, agent_presets, resolve_agent
from plyground.envs import BUILT_IN
from plyground.envs.specification import Parameter, SpecificationError, format_specification
from plyground.envs.workers.jobs import JobPlace
from plyground.evaluation.openings import Openings
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store, StoredGame
from plyground.evaluation.tournament import Tournament

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
DATA = TESTS / "data"

# Games whose policies are exported and played by the tests.
POLICY_GAMES = [
    "tic_tac_toe",
    "connect_four",
    "dots_and_boxes:rows=2,cols=2,reward=margin",
    "gomoku:size=7,connect=4",
]

# -- games --

# Every game's default board.
GAMES = [rules.declaration.name for rules in BUILT_IN]
# The fewest plies of the longest game that a small board, an oblong one and one with a variant of
# the rules must allow: on smaller ones too little happens.
SMALL, OBLONG, VARIANT = 9, 12, 16
LARGEST_NUMBER = 9  # parameters up to this value are tried for small boards
SHORTEST_LINE = 3  # two in a row are made by the second move


def _is_number(parameter: Parameter) -> bool:
    return parameter.kind is int and not parameter.choices and parameter.default is not None


def _numbers(parameter: Parameter) -> range:
    """The values of a whole-number parameter that are tried for a small board."""
    low = max(int(parameter.low), min(2, parameter.default))
    return range(low, max(low, min(parameter.default, LARGEST_NUMBER)) + 1)


@functools.cache
def small_game(
    rules_type: type, plies: int = SMALL, oblong: bool = False, **parameters: object
) -> Game | None:
    """The smallest sensible board of a game, found by the limits that its parameters declare.

    Of the boards whose longest game has at least ``plies`` plies, the one where it is shortest.
    Among equals the smallest number among the parameters is 3 or near it (three in a row rather
    than two or five), then the parameters are small.

    Args:
        rules_type: the rules type of the game.
        plies: how many plies the longest game must have at least.
        oblong: whether the board must have different numbers of rows and columns.
        parameters: values that the board must have.

    Returns:
        The game, or None where no board is as asked for.
    """
    numbers = [p for p in rules_type.declaration.parameters if _is_number(p)]
    boards = []
    for values in itertools.product(*map(_numbers, numbers)):
        try:
            game = Game(rules_type(**dict(zip([p.name for p in numbers], values)), **parameters))
        except SpecificationError:
            continue
        rows, columns, _ = game.facts.observation_shape
        longest = game.facts.longest_game
        if longest >= plies and (rows != columns or not oblong):
            off = abs(min(values, default=SHORTEST_LINE) - SHORTEST_LINE)
            boards.append((longest, off, sum(values), game))
    return min(boards, key=lambda entry: entry[:-1])[-1] if boards else None


def _variants(rules_type: type) -> list[Game | None]:
    """Small boards of a game with each choice of each parameter in turn."""
    choices = [
        (parameter.name, value)
        for parameter in rules_type.declaration.parameters
        for value in ((False, True) if parameter.kind is bool else parameter.choices or ())
        if value != parameter.default
    ]
    return [small_game(rules_type, VARIANT, **{name: value}) for name, value in choices]


def _specs(games: list[Game | None]) -> list[str]:
    return list(dict.fromkeys(game.spec for game in games if game is not None))


def words(name: str, language: str) -> dict[str, str]:
    """The words of a game in a language, as its file has them."""
    folder = make_game(name).profile.words
    return json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))


# The smallest sensible board of every game.
SMALL_GAMES = _specs([small_game(rules) for rules in BUILT_IN])
# For every game: the smallest board, an oblong one, and one for each variant of the rules.
SMALL_VARIANTS = _specs(
    [
        game
        for rules in BUILT_IN
        for game in (small_game(rules), small_game(rules, OBLONG, True), *_variants(rules))
    ]
)
# Every game on its default board, and the small ones.
ALL_GAMES = list(dict.fromkeys([*GAMES, *SMALL_VARIANTS]))


def cached_by_position(function):
    """Let a function of a position be asked once for each; ``function.results`` are its answers."""
    results: dict[tuple[Game, bytes], object] = {}

    @functools.wraps(function)
    def cached(position: Position):
        key = (position.game, position.record.tobytes())
        if key not in results:
            results[key] = function(position)
        return results[key]

    cached.results = results
    return cached


@cached_by_position
def best_return(position: Position) -> float:
    """What player 0 gets under best play, by full enumeration."""
    if position.is_over:
        return position.returns[0]
    values = [best_return(position.after(action)) for action in position.legal_actions()]
    return max(values) if position.to_move == 0 else min(values)


def best_of_mover(position: Position) -> float:
    """What the player to move gets under best play, by full enumeration."""
    return best_return(position) * (1 - 2 * position.to_move)


def worth_of_actions(position: Position) -> dict[int, float]:
    """The same of every legal action."""
    sign = 1 - 2 * position.to_move
    return {each: sign * best_return(position.after(each)) for each in position.legal_actions()}


def random_position(game: Game, plies: int, seed: int = 0) -> Position:
    """The position after random moves; it is over if the game ends before ``plies`` are played."""
    rng, position = random.Random(seed), game.initial_position()
    while plies > 0 and not position.is_over:
        position.play(rng.choice(position.legal_actions()))
        plies -= 1
    return position


def open_position(game: Game, plies: int, seed: int = 0) -> Position:
    """The position after random moves, or the one before the move that ended the game."""
    position = random_position(game, plies, seed)
    if position.is_over:
        position.pop()
    return position


def finished_position(game: Game, seed: int = 0) -> Position:
    """The last position of a random game."""
    return random_position(game, game.facts.longest_game, seed)


def random_positions(
    spec: str, count: int, seed: int = 0, plies_left: int | None = None
) -> list[Position]:
    """Positions of random games, none of them over.

    With ``plies_left`` all are so many plies from the end of the longest game.
    """
    rng, game, positions = random.Random(seed), make_game(spec), []
    longest = game.facts.longest_game
    while len(positions) < count:
        plies = rng.randrange(longest) if plies_left is None else longest - plies_left
        position = random_position(game, plies, rng.randrange(1 << 30))
        if not position.is_over:
            positions.append(position)
    return positions


# -- agents --

# Agents that a test cannot ask: a person answers for them.
INTERACTIVE = {"human"}
# What stands after the name of an agent that needs a file or a function; {network} is a policy file
# of the game. Agents that need something else have tests of their own.
ARGUMENTS = {"policy": "{network}", "python": "plain_agents:Leftmost", "zoo": "tic_tac_toe"}
# Little effort for options that set the effort, where a preset does not set them.
EFFORT = {"depth": 2, "simulations": 12, "memory": 4}


def quick_spec(name: str, **options: object) -> str:
    """The specification of a registered agent that makes little effort."""
    agent_class, preset = resolve_agent(name)
    names = {parameter.name for parameter in agent_class.parameters}
    effort = {key: value for key, value in EFFORT.items() if key in names and key not in preset}
    return format_specification(name, effort | options, ARGUMENTS.get(name))


def _agent_specs() -> dict[str, str]:
    specs = {}
    for name in (*agent_classes(), *agent_presets()):
        agent_class, _ = resolve_agent(name)
        needs_more = getattr(agent_class, "argument", None) is not None and name in agent_classes()
        if name in INTERACTIVE or (needs_more and name not in ARGUMENTS):
            continue
        specs[name] = quick_spec(name)
        if any(parameter.name == "network" for parameter in agent_class.parameters):
            specs[f"{name} with a network"] = quick_spec(name, network="{network}")
    return specs


# The specification of every registered agent and preset that a test can make and ask, by what the
# test calls it. {network} stands for a policy file of the game.
AGENTS = _agent_specs()
# The agents that cannot be made from their name alone.
NEED_AN_ARGUMENT = [
    name
    for name, agent_class in agent_classes().items()
    for parameter in agent_class.parameters
    if parameter.name == getattr(agent_class, "argument", None) and parameter.default is None
]


# -- processes --


def run_python(*words: object, folder: Path | None = None, **variables: str) -> str:
    """What Python prints in a process of its own, with more variables of the environment."""
    process = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=folder, env=os.environ | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return process.stdout


def script(path: Path | str) -> ModuleType:
    """The module of a file, which may be named from the repository's root; each call runs it."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# -- tournaments --


def run(plan: Plan, path: Path, name: str | None = None, **conditions) -> list[StoredGame]:
    """Play a tournament to its end; returns the games that the store then holds."""
    with Store(path) as store:
        tournament = Tournament(plan.replace(name=name, **conditions), store)
        tournament.run()
        return list(tournament.played())


def records(games: list[StoredGame]) -> list[tuple]:
    """Everything about games that the seed decides: all but the times."""
    return [
        (game.pair, game.players, game.opening, game.seeds, *game.result[:5], game.result.decisions)
        for game in games
    ]


def openings_of(game, opening, seed=1, balanced=None, within=None, transform=False) -> Openings:
    """The openings of a plan."""
    given = {"balanced": balanced, "within": within, "transform": transform}
    return Openings(Plan(opening=str(opening), seed=seed, **given), game)


def play(plan: Plan, path: Path, place: JobPlace, on_game=None, **conditions) -> list[tuple]:
    """Play a tournament at a place; returns the games that the store then holds."""
    with Store(path) as store:
        tournament = Tournament(plan.replace(**conditions), store, place)
        tournament.run(on_game)
        return records(list(tournament.played()))


# a module that breaks an agent of plyground's in the process that imports it
BREAKING = """
from plyground.agents.random_agent import RandomAgent


def fail(self, position):
    raise OSError(28, "No space left on device", "/full")


RandomAgent._choose_action = fail
"""


def change_store(path: Path, *statements: str, values: tuple = ()) -> None:
    """Change a store by statements of SQL, none of which is in vain."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            assert connection.execute(statement, values).rowcount, statement


def count_games(path: Path) -> int:
    """How many games a store holds, read from outside."""
    if not path.exists():
        return 0
    connection = sqlite3.connect(path, timeout=10)
    try:
        return connection.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # the tables are being made
    finally:
        connection.close()


# A run of PPO of two updates.
SMALL_RUN = {
    "steps": 512,
    "games": 32,
    "rollout": 8,
    "batch_size": 64,
    "dense": "32",
    "precision": "float32",
    "epochs": 1,
    "opponent": "random",
    "learning_rate": 1e-4,
}
