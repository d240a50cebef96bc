"""The agents that a visitor may play against."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from ...agents.agent import Agent
from ...agents.policies.zoo import PREFIX, cards, cards_of
from ...agents.registry import agent_classes, make_agent, resolve_agent
from ...envs.game import Game
from ...envs.profile import Example
from ...envs.registry import make_game, profiles
from ...envs.specification import Parameter, SpecificationError, format_specification
from ...evaluation.reviews import estimator_of
from .errors import Refusal, sentence
from .settings import LONGEST_SPEC, MOST
from .wording.agent_names import agent_name, character
from .wording.words import Words

PERSON = "human"  # the opponent of a game of two people at one screen
LEVELS = ("easy", "medium", "hard")
PERFECT = "solver:memory=128,time=5,threads=all"
LONGEST_PERFECT = 24  # plies of games that the solver plays instantly
HINTS = "alphabeta:time=1"
GRADING_SIMULATIONS = 1000
# The parameters of agents that forms show first; the others are listed as further ones.
MAIN = ("time", "depth", "simulations", "heuristic")
# Parameters with free text: the offered values, None for all.
OFFERED: dict[str, tuple[str, ...] | None] = {
    "book": ("centre",),
    "ordering": ("default", "none"),
    "heuristic": None,
}


PRESETS = tuple(
    sorted(
        (example for profile in profiles().values() for example in profile.examples),
        key=lambda example: example.order,
    )
)


class Choice(NamedTuple):
    """An offered opponent.

    Attributes:
        spec: its specification.
        key: the key of its display name, a level or a character; None if there is none.
        group: its group in the list.
    """

    spec: str
    key: str | None
    group: str

    def name(self, words: Words, game: Game) -> str:
        """Its level or character, and its description."""
        name = agent_name(words, self.spec, game)
        return name if self.key is None else f"{words(self.key)} – {name}"


def choices(game: Game, extra: tuple[str, ...]) -> list[Choice]:
    """The opponents offered in a game, including the ones given at the server's start."""
    preset = _preset_of(game)
    levels = zip(LEVELS, game.profile.levels)
    opponents = [Choice(spec, f"level.{name}", "levels") for name, spec in levels]
    if game.facts.longest_game <= LONGEST_PERFECT and plays(PERFECT, game):
        opponents.append(Choice(PERFECT, "level.perfect", "levels"))
    modes = () if preset is None else preset.modes
    opponents += [Choice(spec, None, "modes") for spec in modes]
    opponents += [
        Choice(PREFIX + card.name, character(card, game), "networks") for card in cards_of(game)
    ]
    opponents += [Choice(spec, None, "trained") for spec in extra if plays(spec, game)]
    return [choice for choice in opponents if choice.group == "trained" or plays(choice.spec, game)]


def first_opponent(game: Game) -> str:
    """The default opponent of a link: the preset's, or the medium level."""
    preset = _preset_of(game)
    return game.profile.levels[1] if preset is None else preset.level


def live_pair(game: Game) -> tuple[Choice, Choice]:
    """Two agents of different names that play a game for visitors to watch.

    The first is a network, else the hardest level; the second is the default opponent of links.
    """
    offered = choices(game, ())
    networks = [choice for choice in offered if choice.group == "networks"]
    (second,) = (choice for choice in offered if choice.spec == first_opponent(game))
    return (networks or offered[len(LEVELS) - 1 :])[0], second


def _preset_of(game: Game) -> Example | None:
    """The preset that offers a game, if one does."""
    for entry in game.profile.examples:
        if game in map(make_game, (entry.game, *entry.also)):
            return entry
    return None


def other_rules(game: Game) -> list[str]:
    """The games that are offered on the same board under other rules."""
    preset = _preset_of(game)
    games = () if preset is None else (preset.game, *preset.also)
    return [spec for spec in games if make_game(spec) != game]


def analysts(game: Game, extra: tuple[str, ...], simulations: int = 0) -> list[Choice]:
    """The agents that analyse a position: searches, networks and searches with networks.

    They have one second, or ``simulations`` instead, which makes their answers repeatable.
    """
    mcts = f"mcts:simulations={simulations}" if simulations else "mcts:time=1"
    searches = [mcts, "montecarlo:simulations=200"]
    if game.declaration.heuristics and not simulations:
        searches.insert(0, "alphabeta:time=1,values=yes")
    agents = [Choice(spec, None, "agents") for spec in searches]
    for network in _networks(game):
        search = mcts.replace(":", f":network={network},")
        agents.append(Choice(search, None, "networks"))
        agents.append(Choice(network, None, "networks"))
    agents += [Choice(spec, None, "trained") for spec in extra if plays(spec, game)]
    return list(dict.fromkeys(agents))


def _networks(game: Game) -> list[str]:
    """The shipped networks that play a game, as agents."""
    return [PREFIX + card.name for card in cards_of(game)]


def graders(game: Game, extra: tuple[str, ...]) -> list[Choice]:
    """The agents that grade a game: the default one of reviews, then the analysing ones."""
    usual = Choice(estimator_of(game), None, "agents")
    return list(dict.fromkeys([usual, *analysts(game, extra, GRADING_SIMULATIONS)]))


@functools.lru_cache(1024)
def plays(spec: str, game: Game) -> bool:
    """Whether an agent can be created for a game; for isolated ones their process checks it."""
    try:
        agent_class, _ = resolve_agent(spec)
        if not agent_class.isolated:
            make_agent(spec, game)
    except SpecificationError:
        return False
    return True


def agents_to_set_up(words: Words) -> list[dict[str, Any]]:
    """The agents that a visitor may set up, with their parameters as plain data."""
    return [
        {
            "name": name,
            "title": words.get(f"name.{name}", name),
            "summary": agent_class.summary,
            "parameters": [
                _parameter(parameter, words)
                for parameter in agent_class.parameters
                if _words(parameter) != ()
            ],
        }
        for name, agent_class in agent_classes().items()
        if not (agent_class.isolated or agent_class.effects({})) and name != PERSON
    ]


def _parameter(parameter: Parameter, words: Words) -> dict[str, Any]:
    choices, allowed = parameter.choices if parameter.kind is str else None, _words(parameter) or ()
    if parameter.default in allowed:
        choices = allowed
    most = MOST.get(parameter.name)
    return {
        "name": parameter.name,
        "title": words.get(f"option.{parameter.name}", parameter.name),
        "help": parameter.help,
        "is_main": parameter.name in MAIN,
        "kind": parameter.kind.__name__,
        "default": parameter.default,
        "choices": choices,
        "low": parameter.low if abs(parameter.low) < 1e9 else None,
        "high": most if most is not None else parameter.high if parameter.high < 1e9 else None,
    }


def _words(parameter: Parameter) -> tuple[str, ...] | None:
    """The values that a form offers for a parameter; None for the parameter's own choices."""
    if parameter.kind is not str or parameter.choices is not None:
        return None
    return OFFERED.get(parameter.name, ())


@functools.lru_cache(1024)
def limit_spec(spec: str, game: Game, extra: tuple[str, ...] = ()) -> str:
    """The specification of an agent requested by a visitor, within the limits.

    Agents given at the server's start are not changed. Others may not read files, start programs or
    exceed the limits; if a default is above a limit, the limit is added.

    Raises:
        Refusal: there is no such agent, it may not be used, or it cannot play the game.
    """
    if spec in extra:
        return spec
    if len(spec) > LONGEST_SPEC:
        raise Refusal("long_agent", most=LONGEST_SPEC)
    try:
        agent_class, options = resolve_agent(spec)
        if agent_class.name == PREFIX[:-1]:
            _check_network(spec, game)
            return spec
        _check_open(agent_class, options)
        within_limits = _limit_options(agent_class, options)
        network = options.get("network")
        if network is None:
            make_agent(within_limits, game)
        else:  # it is loaded in a search process, not here
            _check_network(network, game)
    except SpecificationError as error:
        raise Refusal("agent", reason=sentence(error)) from None
    return within_limits


def _check_network(spec: str, game: Game) -> None:
    name = spec.partition(":")[2].partition(",")[0]
    boards = [board for card in cards() if card.name == name for board in (card.game, *card.also)]
    if not any(make_game(board) == game for board in boards):
        games = ", ".join(boards) or "no game: there is no such network"
        raise SpecificationError(f"{spec} plays {games}, not {game.spec}")


def _check_open(agent_class: type[Agent], options: dict[str, str]) -> None:
    what = (
        "is a person" if agent_class.name == PERSON else " and ".join(agent_class.effects(options))
    )
    if what:
        raise SpecificationError(
            f"{agent_class.name} is not open to visitors here: it {what}; such agents are named "
            f"when the server is started (--agent)"
        )


def _limit_options(agent_class: type[Agent], options: dict[str, Any]) -> str:
    """The specification with these options, limits included."""
    parameters = {parameter.name: parameter for parameter in agent_class.parameters}
    options = dict(options)
    for name, parameter in parameters.items():
        most = MOST.get(name)
        if most is None:
            continue
        value = parameter.convert(options[name], agent_class.name) if name in options else None
        if isinstance(value, (int, float)) and value > most:
            raise SpecificationError(
                f"{name}={options[name]} is not possible for {agent_class.name} here: {name} is at "
                f"most {most:g}"
            )
        if name not in options and isinstance(parameter.default, (int, float)):
            if parameter.default > most:
                options[name] = most
    return format_specification(agent_class.name, options)
