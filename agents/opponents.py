"""The opponents of a learner: one agent, a pool or a weighted mixture.

They are given as specifications or as agents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..envs.game import Game
from ..envs.single_agent.opponents import Opponent
from ..envs.specification import SpecificationError
from .agent import Agent
from .bots import FORMS, NotAPolicyError, as_policy
from .compiled_opponents import compiled_form, device_form
from .policies.policy import PolicyAgent
from .registry import AGENTS_AND_PRESETS, make_agent

MIXTURE = "mix:"
_NEXT_MEMBER = re.compile(r",\s*(?=[0-9.]+\s)")  # commas also stand between the options of an agent
_MEMBER = re.compile(r"(\d{1,15}\.?\d*|\.\d+)\s+(\S.*)", re.ASCII)

_INNER_MEMBER = re.compile(r"\s[0-9.]+\s+(\w+)")  # after a blank, where a comma should stand

# Makes an agent from a specification for a game.
MakeAgent = Callable[[str, Game], Agent]


def make_opponents(opponent: Any, game: Game, make: MakeAgent = make_agent) -> tuple[Opponent, ...]:
    """The opponents named by ``opponent``.

    Args:
        opponent: an agent's specification; a mixture ``"mix:0.3 random,0.7 alphabeta:depth=2"``,
            whose weights need not add up to 1; anything that
            :func:`~plyground.agents.bots.as_policy` takes: agents, models, functions, objects; a
            sequence of these, drawn with equal probability; a sequence of
            :class:`~plyground.envs.single_agent.opponents.Opponent`, drawn by their weights.
        game: the game they play; an agent that cannot is refused.
        make: makes the agents from the specifications.
            :func:`plyground.evaluation.runners.isolation.make_isolated_opponent` runs users' agents
            in separate processes.

    Raises:
        SpecificationError: unknown agents or options, or a mixture that cannot be read.
        TypeError: an object that is not an opponent.
    """
    if isinstance(opponent, Opponent):
        return (opponent,)
    if isinstance(opponent, str):
        members = (
            read_mixture(opponent) if opponent.strip().startswith(MIXTURE) else [(1.0, opponent)]
        )
        return tuple(
            _make_one(spec, game, make)._replace(weight=weight) for weight, spec in members
        )
    if isinstance(opponent, Sequence):
        if not opponent:
            raise SpecificationError("a pool of opponents needs at least one; this one is empty")
        if all(isinstance(member, Opponent) for member in opponent):
            return tuple(opponent)
        pools = [make_opponents(member, game, make) for member in opponent]
        totals = [sum(member.weight for member in pool) for pool in pools]
        return tuple(
            member._replace(weight=member.weight / total)
            for pool, total in zip(pools, totals)
            for member in pool
        )
    return (_make_one(opponent, game, make),)


def read_mixture(text: str) -> list[tuple[float, str]]:
    """The weights and specifications of a mixture, ``"mix:0.3 random,0.7 greedy"``.

    Raises SpecificationError if the text is not a mixture.
    """
    members = []
    for item in _NEXT_MEMBER.split(text.strip()[len(MIXTURE) :].strip()):
        match = _MEMBER.fullmatch(item.strip())
        # the command of an engine may hold numbers too, but no agents
        inner = _INNER_MEMBER.findall(match[2]) if match else []
        if inner and not {*AGENTS_AND_PRESETS}.isdisjoint(inner):
            raise SpecificationError(
                f"{item!r} in {text!r} names several agents; commas separate them, as in mix:0.3 "
                f"random,0.7 alphabeta:depth=2"
            )
        if match is None or float(match[1]) == 0:
            raise SpecificationError(
                f"{item!r} in {text!r} is not of the form WEIGHT AGENT, such as mix:0.3 random,0.7 "
                f"alphabeta:depth=2"
            )
        members.append((float(match[1]), match[2]))
    return members


def _make_one(opponent: Any, game: Game, make: MakeAgent) -> Opponent:
    agent = make(opponent, game) if isinstance(opponent, str) else opponent
    if isinstance(agent, PolicyAgent):
        agent = agent.playing(game)  # one agent may be used in environments of several games
    if isinstance(agent, Agent):
        agent.check_game(game)
        return Opponent(
            str(agent),
            agent,
            compiled_form(agent),
            by_position=agent.by_position,
            on_device=device_form(agent),
        )
    try:
        return Opponent(getattr(agent, "__name__", type(agent).__name__), as_policy(agent, game))
    except NotAPolicyError:
        raise TypeError(
            f"{opponent!r} is not an opponent: it is neither text, nor {FORMS}"
        ) from None
