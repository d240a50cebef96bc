"""Which agents others may ask for: those that do nothing besides playing.

A store, a run folder or a visitor of the web pages may name any agent. Making one can run a
program, import a module, unpickle or open a file, or reach the network: each class says which, see
:meth:`.agent.Agent.effects`. Such an agent is made only where a user names it himself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..envs.specification import check_names
from .registry import resolve_agent

ALL = "all"  # in place of specifications: every agent may be made


def effects_of(spec: str) -> tuple[str, ...]:
    """What making an agent would do besides playing, in words; nothing is made.

    Raises:
        SpecificationError: unknown agent, or a specification that does not follow the grammar.
    """
    agent_class, options = resolve_agent(spec)
    return agent_class.effects(options)


def not_to_make(specs: Iterable[str], asked: Collection[str] = ()) -> dict[str, str]:
    """The agents that are not made unless a user names them, and what making them would do.

    Args:
        specs: the specifications, as others have written them.
        asked: those that a user names; :data:`ALL` names all.

    Raises:
        SpecificationError: as :func:`effects_of`.
    """
    if ALL in asked:
        return {}
    effects = {spec: effects_of(spec) for spec in specs if spec not in asked}
    return {spec: " and ".join(words) for spec, words in effects.items() if words}


def check_asked(asked: Collection[str], specs: Iterable[str]) -> None:
    """Refuse a specification that a user names (``--ask``) and nobody else does."""
    check_names("there is no agent to ask", [each for each in asked if each != ALL], specs)
