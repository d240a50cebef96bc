"""The list of agents, and how a specification becomes an agent."""

from __future__ import annotations

import importlib
from typing import Any, TypeVar

from ..envs.game import Game
from ..envs.loading.packages import AGENTS, load_packages
from ..envs.specification import SpecificationError, check_names, parse_specification
from .agent import Agent
from .own.functions import functions_of

A = TypeVar("A", bound=type[Agent])

# the core's agents and presets, by the modules that are imported when one of them is asked for
_MODULES: dict[str, tuple[str, ...]] = {
    "caro": (
        *("medium", "caro10_heuristic", "easy", "hard"),
        *("caro15_hard", "caro10_minimax", "caro10_alphabeta"),
    ),
    "greedy": ("greedy",),
    "human": ("human",),
    "montecarlo": ("montecarlo",),
    "policies.policy": ("zoo", "onnx", "ppo", "dqn", "alphazero", "sb3"),
    "python_agent": ("python",),
    "random_agent": ("random",),
    "solvers.agent": ("solver",),
    "search.alphabeta": ("minimax", "alphabeta", "textbook"),
    "search.mcts": ("mcts",),
}
_CORE = {name: module for module, names in _MODULES.items() for name in names}
_classes: dict[str, type[Agent]] = {}
_presets: dict[str, tuple[str, str]] = {}


def register_agent(name: str) -> Any:
    """Class decorator: register an Agent subclass under a name.

    ``make_agent`` and the command line know it by that name.
    """

    def decorate(agent_class: A) -> A:
        if not issubclass(agent_class, Agent):
            raise TypeError(f"{agent_class.__name__} is no plyground.agents.Agent")
        _load(name)
        present = _classes.get(name)
        if name in _presets or (
            present is not None and present.__qualname__ != agent_class.__qualname__
        ):
            raise ValueError(f"an agent named {name!r} is registered already")
        agent_class.name = name
        _classes[name] = agent_class
        return agent_class

    return decorate


def register_preset(name: str, spec: str, summary: str) -> None:
    """Make a specification known by a short name; options given with the name override its own.

    The specification may name another preset.
    """
    _load(name)
    if name in _classes:
        raise ValueError(f"an agent named {name!r} is registered already")
    _presets[name] = (spec, summary)


def agent_classes() -> dict[str, type[Agent]]:
    """All registered agents by name, those of installed packages too."""
    _load_all()
    return {name: _classes[name] for name in (*_CORE, *_classes) if name in _classes}


def agent_presets() -> dict[str, tuple[str, str]]:
    """All presets: name to (specification, summary)."""
    _load_all()
    return {name: _presets[name] for name in (*_CORE, *_presets) if name in _presets}


def _load(name: str) -> None:
    """Import the core's agent or preset of that name, if there is one; it registers itself."""
    if name in _CORE:
        importlib.import_module(f"{__package__}.{_CORE[name]}")


def _load_all() -> None:
    for name in _CORE:
        _load(name)
    load_packages(AGENTS)


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
    """The modules that define a game, an agent and its functions; importing them registers all."""
    agent_class, options = resolve_agent(spec)
    functions = (each.module for each in functions_of(options, game))
    modules = (type(game.rules).__module__, agent_class.__module__, *functions)
    return tuple(dict.fromkeys(modules))


def resolve_agent(spec: str) -> tuple[type[Agent], dict[str, Any]]:
    """The class and the options, as text, that a specification stands for; nothing is made.

    Raises:
        SpecificationError: unknown agent, or a specification that does not follow the grammar.
    """
    parts = parse_specification(spec)
    name, options = parts.name, dict[str, Any](parts.parameters)
    _load(name)
    if name not in _classes and name not in _presets:
        _load_all()
    presets = dict(_presets)  # each is followed once, so that two cannot lead to each other
    while name in presets:
        preset = parse_specification(presets.pop(name)[0])
        name, options = preset.name, preset.parameters | options
        _load(name)
    check_names("there is no agent", [name], [*_classes, *presets])
    agent_class = _classes[name]
    if parts.argument is not None:
        if agent_class.argument is None:
            raise SpecificationError(f"{parts.argument!r} in {spec!r} is not of the form KEY=VALUE")
        options[agent_class.argument] = parts.argument
    return agent_class, options
