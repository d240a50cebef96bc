"""The list of agents, and how a specification becomes an agent."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, TypeVar

from ..envs.game import Game
from ..envs.loading.packages import AGENTS
from ..envs.loading.registry import Registry
from ..envs.specification import (
    Specification,
    SpecificationError,
    check_names,
    parse_specification,
)
from .agent import Agent
from .own.functions import functions_of

A = TypeVar("A", bound=type[Agent])

# other names of the agent ``policy``: its file's format, and what it was trained by
POLICY_ALIASES = ("onnx", "ppo", "dqn", "alphazero")
# the core's agents and presets, by the modules that register them
_MODULES: dict[str, tuple[str, ...]] = {
    "caro": (
        *("medium", "caro10_heuristic", "easy", "hard"),
        *("caro15_hard", "caro10_minimax", "caro10_alphabeta"),
    ),
    "greedy": ("greedy",),
    "human": ("human",),
    "montecarlo": ("montecarlo",),
    "policies.policy": ("zoo", "policy", *POLICY_ALIASES, "sb3"),
    "python_agent": ("python",),
    "random_agent": ("random",),
    "solvers.agent": ("solver",),
    "search.alphabeta": ("minimax", "alphabeta", "textbook"),
    "search.mcts": ("mcts",),
}


class Preset(NamedTuple):
    """A specification with a short name, and the module that registers it."""

    spec: str
    summary: str
    module: str


AGENTS_AND_PRESETS: Registry[str, type[Agent] | Preset] = Registry(
    "there is no agent",
    AGENTS,
    {name: f"{__package__}.{module}" for module, names in _MODULES.items() for name in names},
    registers=True,
)


def register_agent(name: str) -> Any:
    """Class decorator: register an Agent subclass by a name.

    ``make_agent`` and the command line then find it by that name.
    """

    def decorate(agent_class: A) -> A:
        if not issubclass(agent_class, Agent):
            raise TypeError(f"{agent_class.__name__} is no plyground.agents.Agent")
        present = AGENTS_AND_PRESETS.find(name)
        is_defined_anew = getattr(present, "__qualname__", None) == agent_class.__qualname__
        if present is not None and not is_defined_anew:
            raise ValueError(f"an agent named {name!r} is registered already")
        agent_class.name = name
        AGENTS_AND_PRESETS.add(name, agent_class)
        return agent_class

    return decorate


def register_preset(name: str, spec: str, summary: str) -> None:
    """Register a short name for a specification; options given with the name override its own.

    The specification may name another preset.
    """
    if isinstance(AGENTS_AND_PRESETS.find(name), type):
        raise ValueError(f"an agent named {name!r} is registered already")
    module = str(sys._getframe(1).f_globals.get("__name__", "__main__"))
    AGENTS_AND_PRESETS.add(name, Preset(spec, summary, module))


def agent_classes() -> dict[str, type[Agent]]:
    """All registered agents by name, those of installed packages too; without aliases."""
    return {
        name: each
        for name, each in _all().items()
        if not isinstance(each, Preset) and name not in POLICY_ALIASES
    }


def agent_presets() -> dict[str, tuple[str, str]]:
    """All presets: name to (specification, summary)."""
    return {name: each[:2] for name, each in _all().items() if isinstance(each, Preset)}


def _all() -> dict[str, type[Agent] | Preset]:
    return {name: AGENTS_AND_PRESETS.get(name) for name in AGENTS_AND_PRESETS.names()}


def make_agent(spec: str | Agent, game: Game | str | None = None, seed: int = 0) -> Agent:
    """Make an agent from its specification, ``"alphabeta:depth=6"``.

    Args:
        spec: name and options; an Agent is returned as it is.
        game: the game it will play, if it is to act on bare observations or to be checked now
            rather than at its first move.
        seed: start of its random stream.

    Raises:
        SpecificationError: unknown agent or option, a value that is not allowed, or a game the
            agent cannot play.
    """
    if isinstance(spec, Agent):
        return spec
    agent_class, options = resolve_agent(spec)
    names = [parameter.name for parameter in agent_class.parameters]
    if python_names := {"self", "game", "seed"} & options.keys():
        check_names(f"{agent_class.name} has no parameter", sorted(python_names), names)
    return agent_class(game=game, seed=seed, **options)


def modules_of(spec: str, game: Game) -> tuple[str, ...]:
    """The modules that define a game, an agent and its functions and register them on import."""
    presets, agent_class, options = _follow(spec)
    modules = [type(game.rules).__module__, agent_class.__module__]
    modules += [preset.module for preset in presets]
    modules += [function.module for function in functions_of(options, game)]
    return tuple(dict.fromkeys(modules))


def resolve_agent(spec: str) -> tuple[type[Agent], dict[str, Any]]:
    """The class and the options, as text, of a specification; nothing is made.

    Raises:
        SpecificationError: unknown agent, or a specification that does not follow the grammar.
    """
    _, agent_class, options = _follow(spec)
    return agent_class, options


def _follow(spec: str) -> tuple[list[Preset], type[Agent], dict[str, Any]]:
    """The presets that lead from a specification to its agent, its class, and the options."""
    parts, presets = parse_specification(spec), list[Preset]()
    while isinstance(agent_class := AGENTS_AND_PRESETS.get(parts.name), Preset):
        if agent_class in presets:
            raise SpecificationError(f"the preset {parts.name!r} refers to itself")
        presets.append(agent_class)
        name, argument, options = parse_specification(agent_class.spec)
        given = argument if parts.argument is None else parts.argument
        parts = Specification(name, given, options | parts.parameters)
    options = dict[str, Any](parts.parameters)
    if parts.argument is not None:
        if agent_class.argument is None:
            raise SpecificationError(f"{parts.argument!r} in {spec!r} is not of the form KEY=VALUE")
        options[agent_class.argument] = parts.argument
    return presets, agent_class, options
