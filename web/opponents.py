"""The agents that a visitor may play against, and the games offered by name."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from ..agents.agent import Agent
from ..agents.policies.zoo import PREFIX, cards
from ..agents.registry import agent_classes, make_agent, resolve_agent
from ..envs.game import Game
from ..envs.registry import make_game
from ..envs.specification import Parameter, SpecificationError, format_specification
from ..evaluation.review import estimator_of
from .errors import Refused, sentence
from .settings import LONGEST_SPEC, MOST

PERSON = "human"  # the opponent of a game of two people at one screen
LEVELS = ("easy", "medium", "hard")
# The levels of each game, easy to hard; games of the user's own have the last entry.
AGENTS_BY_LEVEL = {
    "tic_tac_toe": ("random", "greedy", "alphabeta:depth=9,time=1"),
    "connect_four": ("greedy", "alphabeta:depth=4", "alphabeta:time=1"),
    "dots_and_boxes": ("greedy", "alphabeta:depth=3", "alphabeta:time=1"),
    "gomoku": ("easy", "medium", "hard"),
    "othello": ("greedy", "alphabeta:depth=3", "alphabeta:time=1"),
    "hex": ("greedy", "mcts:simulations=1000", "mcts:time=1"),
    "": ("random", "mcts:simulations=200", "mcts:time=1"),
}
CARO10 = "gomoku:size=10,rule=caro"
CARO10_MODES = ("caro10_heuristic", "caro10_minimax", "caro10_alphabeta")
PERFECT = "solver:memory=128,time=5"
LONGEST_PERFECT = 24  # plies of games that the solver plays without delay
HINTS = "alphabeta:time=1"
# Parameters that take a text of any kind: the words that name no file.
NO_FILES = {"book": ("centre",), "ordering": (), "heuristic": None}


class Preset(NamedTuple):
    """A game offered by name.

    Attributes:
        key: of its message.
        game: its specification.
        level: the opponent that is offered first.
        moves: those of the small picture.
    """

    key: str
    game: str
    level: str
    moves: str


PRESETS = (
    Preset("caro10", CARO10, "caro10_alphabeta", "e5,f6,e6,e7,f5,d5,d6,g5,c6"),
    Preset("caro15", "gomoku:rule=caro", "medium", "h8,i9,h9,h10,i8,g8,j8,k8,g11"),
    Preset("connect_four", "connect_four", "alphabeta:depth=4", "ddeecfdcb"),
    Preset("dots", "dots_and_boxes:dots=5x5", "alphabeta:depth=3",
           "h 0 1,v 0 1,h 2 2,v 1 1,h 3 0,v 3 3,h 1 1,v 0 2,h 2 1,v 1 2"),
    Preset("tic_tac_toe", "tic_tac_toe", "greedy", "b2,a3,c3,a1,a2"),
    Preset("othello", "othello", "alphabeta:depth=3", "d3,c3,c4,e3,d2,c5"),
    Preset("hex", "hex:size=9,swap=yes", "mcts:simulations=1000", "e5,d6,f4,f6,g3,c5"),
)  # fmt: skip


class Choice(NamedTuple):
    """An opponent that is offered: its specification, the key of its name or None, its group."""

    spec: str
    key: str | None
    group: str


def choices(game: Game, listed: tuple[str, ...]) -> list[Choice]:
    """The opponents offered in a game, those of the server's start included."""
    levels = AGENTS_BY_LEVEL.get(game.name, AGENTS_BY_LEVEL[""])
    offered = []
    if game == make_game(CARO10):
        offered += [Choice(spec, f"mode.{spec}", "modes") for spec in CARO10_MODES]
    offered += [Choice(spec, f"level.{name}", "levels") for name, spec in zip(LEVELS, levels)]
    if game.facts.longest_game <= LONGEST_PERFECT and plays(PERFECT, game):
        offered.append(Choice(PERFECT, "level.perfect", "levels"))
    for card in cards():
        if any(make_game(spec) == game for spec in (card.game, *card.also)):
            offered.append(Choice(PREFIX + card.name, "level.network", "networks"))
    offered += [Choice(spec, None, "trained") for spec in listed if plays(spec, game)]
    return [choice for choice in offered if choice.group == "trained" or plays(choice.spec, game)]


def first_opponent(game: Game) -> str:
    """The opponent of a link that names none: that of the preset, or the medium level."""
    for preset in PRESETS:
        if make_game(preset.game) == game:
            return preset.level
    return AGENTS_BY_LEVEL.get(game.name, AGENTS_BY_LEVEL[""])[1]


def analysts(game: Game, listed: tuple[str, ...]) -> list[Choice]:
    """The agents offered to analyse a position: searches, networks and searches with networks."""
    search = "alphabeta:time=1,values=yes" if game.declaration.heuristics else "mcts:time=1"
    offered = [Choice(search, None, "agents"), Choice("mcts:time=1", None, "agents")]
    offered += [Choice("montecarlo:simulations=200", None, "agents")]
    for card in cards():
        if any(make_game(spec) == game for spec in (card.game, *card.also)):
            network = PREFIX + card.name
            offered.append(Choice(f"mcts:network={network},time=1", None, "networks"))
            offered.append(Choice(network, None, "networks"))
    offered += [Choice(spec, None, "trained") for spec in listed if plays(spec, game)]
    return list(dict.fromkeys(offered))


def graders(game: Game, listed: tuple[str, ...]) -> list[Choice]:
    """The agents offered to grade a game: the usual one of reviews, then those that analyse."""
    usual = Choice(estimator_of(game), None, "agents")
    return list(dict.fromkeys([usual, *analysts(game, listed)]))


@functools.lru_cache(1024)
def plays(spec: str, game: Game) -> bool:
    """Whether an agent can be made for a game. Its process finds out where that takes a process."""
    try:
        agent_class, _ = resolve_agent(spec)
        if not agent_class.isolated:
            make_agent(spec, game)
    except SpecificationError:
        return False
    return True


def scripted() -> list[dict[str, Any]]:
    """The agents that a visitor may set up, with their parameters as plain data."""
    return [
        {
            "name": name,
            "summary": agent_class.summary,
            "parameters": [
                _parameter(parameter)
                for parameter in agent_class.parameters
                if _words(parameter) != ()
            ],
        }
        for name, agent_class in agent_classes().items()
        if not agent_class.isolated and name != PERSON
    ]


def _parameter(parameter: Parameter) -> dict[str, Any]:
    words = parameter.choices if parameter.kind is str else None
    most = MOST.get(parameter.name)
    return {
        "name": parameter.name,
        "help": parameter.help,
        "kind": parameter.kind.__name__,
        "default": parameter.default,
        "choices": words,
        "low": parameter.low if abs(parameter.low) < 1e9 else None,
        "high": most if most is not None else parameter.high if parameter.high < 1e9 else None,
    }


def _words(parameter: Parameter) -> tuple[str, ...] | None:
    """The texts that a visitor may give a parameter; None for all that it takes itself."""
    if parameter.kind is not str or parameter.choices is not None:
        return None
    return NO_FILES.get(parameter.name, ())


@functools.lru_cache(1024)
def permitted(spec: str, game: Game, listed: tuple[str, ...] = ()) -> str:
    """The specification of an agent that a visitor asks for, within the limits.

    Agents of the server's start are taken as they are. Others may not read files, start programs or
    use more than the limits; where a default is above a limit, the limit is added.

    Raises:
        Refused: there is no such agent, it may not be used, or it cannot play the game.
    """
    if spec in listed:
        return spec
    if len(spec) > LONGEST_SPEC:
        raise Refused("long_agent", most=LONGEST_SPEC)
    try:
        agent_class, options = resolve_agent(spec)
        if agent_class.name == PREFIX[:-1]:
            _check_network(spec, game)
            return spec
        _check_open(agent_class)
        limited = _limited(agent_class, options)
        network = options.get("network")
        if network is not None:  # it is loaded in a process that thinks, not here
            _check_network(network, game)
            return limited
        make_agent(limited, game)
    except SpecificationError as error:
        raise Refused("agent", reason=sentence(error)) from None
    return limited


def _check_network(spec: str, game: Game) -> None:
    name = spec.partition(":")[2].partition(",")[0]
    boards = [board for card in cards() if card.name == name for board in (card.game, *card.also)]
    if not any(make_game(board) == game for board in boards):
        known = ", ".join(boards) or "no game: there is no such network"
        raise SpecificationError(f"{spec} plays {known}, not {game.spec}")


def _check_open(agent_class: type[Agent]) -> None:
    if agent_class.isolated or agent_class.name == PERSON:
        raise SpecificationError(
            f"{agent_class.name} is not open to visitors: it runs files or programs, and those are "
            f"named when the server is started (--agent)"
        )


def _limited(agent_class: type[Agent], options: dict[str, Any]) -> str:
    """The specification with these options, limits included."""
    known = {parameter.name: parameter for parameter in agent_class.parameters}
    kept = dict(options)
    for name, text in options.items():
        words = _words(known[name]) if name in known else None
        if name == "network" and text.startswith(PREFIX):
            continue
        if words is not None and text not in words:
            allowed = f"one of {', '.join(words)}" if words else "not open to visitors"
            raise SpecificationError(
                f"{name}={text} is not possible for {agent_class.name} here: {name} is {allowed}"
            )
    for name, parameter in known.items():
        most = MOST.get(name)
        if most is None:
            continue
        value = parameter.convert(kept[name], agent_class.name) if name in kept else None
        if isinstance(value, (int, float)) and value > most:
            raise SpecificationError(
                f"{name}={kept[name]} is not possible for {agent_class.name} here: {name} is at "
                f"most {most:g}"
            )
        if name not in kept and isinstance(parameter.default, (int, float)):
            if parameter.default > most:
                kept[name] = most
    return format_specification(agent_class.name, kept)
