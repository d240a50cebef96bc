"""Which agents others may ask for: agents without side effects.

A store, a run folder or a visitor of the web pages may name any agent. Making an agent can run a
program, import a module, unpickle or open a file, or reach the network: each class declares it, see
:meth:`.agent.Agent.effects`. Such an agent is made only if the user names it explicitly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..envs.specification import check_names
from .registry import resolve_agent

ALL = "all"  # in place of specifications: every agent may be made


def effects_of(spec: str) -> tuple[str, ...]:
    """The side effects of making an agent, in words; nothing is made.

    Raises:
        SpecificationError: unknown agent, or a specification that does not follow the grammar.
    """
    agent_class, options = resolve_agent(spec)
    return agent_class.effects(options)


def not_to_make(specs: Iterable[str], asked: Collection[str] = ()) -> dict[str, str]:
    """The agents that are made only if the user names them, and the effects of making them.

    Args:
        specs: the specifications, from an untrusted source.
        asked: the specifications that the user names; :data:`ALL` names all.

    Raises:
        SpecificationError: as :func:`effects_of`.
    """
    if ALL in asked:
        return {}
    effects = {spec: effects_of(spec) for spec in specs if spec not in asked}
    return {spec: " and ".join(words) for spec, words in effects.items() if words}


def check_asked(asked: Collection[str], specs: Iterable[str]) -> None:
    """Refuse a specification named by the user (``--ask``) that is not among ``specs``."""
    check_names("there is no agent to ask", [each for each in asked if each != ALL], specs)
