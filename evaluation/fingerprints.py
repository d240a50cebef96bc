"""Fingerprints of the code that decides games: the rules, the matches, each agent.

A version number is not enough: sources change without it. A store keeps the fingerprints of a
tournament, so that changed rules or a changed search are noticed. Each covers only the files that
affect it: a change of the documentation or of another game changes no fingerprint.
"""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path
from typing import Any, NamedTuple, Self

from ..agents.agent import Agent
from ..agents.faults import faults_of
from ..envs.compiled.cache import digest_of_play
from ..envs.compiled.sources import PACKAGE, digest_of
from ..envs.game import Game
from ..envs.loading.own_modules import DIGITS, loaded_version
from ..envs.specification import SpecificationError

_BELOW_ALL_RULES = (PACKAGE / "envs" / "game.py", PACKAGE / "envs" / "stepping.py")
# code that chooses openings and seeds, and checks the moves of agents
_MATCHES = (
    *(
        (PACKAGE / "evaluation" / f"{n}.py")
        for n in ("conditions", "match", "openings", "schedule")
    ),
    PACKAGE / "agents" / "faults.py",
)


class Description(NamedTuple):
    """An agent's description of itself.

    Attributes:
        spec: the specification that creates it.
        options: all its options.
        version: what its decisions depend on besides the specification.
        deterministic: whether it plays the same moves when a game takes the same course.
        sources: the fingerprint of its code; empty if it was created without a game.
        uses_tokens: whether it asks a language model.
        label: its name to show, in a tournament.
    """

    spec: str
    options: dict[str, Any]
    version: str
    deterministic: bool = False
    sources: str = ""
    uses_tokens: bool = False
    label: str = ""

    @property
    def identity(self) -> str:
        """Version and code as text: must be the same wherever and whenever it is created."""
        return f"{self.version}, code {self.sources}" if self.sources else self.version


def describe(agent: Agent) -> Description:
    """An agent's description of itself; an isolated agent's comes from its process.

    Raises:
        Fault: the agent fails.
        SpecificationError: it cannot be created.
    """
    with faults_of(agent.foreign, SpecificationError):
        description = getattr(agent, "description", None)
        if isinstance(description, Description):
            return description
        game = agent.bound_game
        return Description(
            agent.spec,
            agent.options_in_force,
            agent.version,
            agent.deterministic,
            "" if game is None else sources_of_agent(type(agent), game),
            agent.uses_tokens,
            agent.spec,
        )


def check_identity(spec: str, now: Description, expected: str | None) -> None:
    """Refuse an agent whose identity has changed, with a SpecificationError.

    Args:
        spec: its specification.
        now: its description.
        expected: its identity when the games began; None if not known.
    """
    if expected is not None and now.identity != expected:
        raise SpecificationError(
            f"{spec} was changed while its games were played: it is now {now.identity}, and was "
            f"{expected}; only games of the earlier agent are counted, and the same command "
            f"begins a new tournament"
        )


class Sources(NamedTuple):
    """The fingerprints of a tournament: of its rules, of matches, of each agent by its number."""

    rules: str
    matches: str
    agents: tuple[str, ...]

    @classmethod
    def from_store(cls, of_play: dict[str, str], agents: list[str]) -> Self:
        """The fingerprints as a store keeps them."""
        return cls(of_play.get("rules", ""), of_play.get("matches", ""), tuple(agents))

    @property
    def of_play(self) -> dict[str, str]:
        """The fingerprints other than those of agents, as a store keeps them."""
        return {"rules": self.rules, "matches": self.matches}

    @property
    def digest(self) -> str:
        """One fingerprint for all of them."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:DIGITS]


def sources_of_rules(game: Game) -> str:
    """The fingerprint of a game's rules."""
    return _fingerprint(digest_of_play(_roots_of_rules(game)), type(game.rules).__module__)


def sources_of_agent(agent_class: type, game: Game) -> str:
    """The fingerprint of an agent's code for a game, without the rules."""
    rules = _roots_of_rules(game)
    digest = digest_of_play((rules[0], _file_of(agent_class)), rules)
    return _fingerprint(digest, agent_class.__module__)


def sources_of(game: Game, agents: tuple[str, ...]) -> Sources:
    """The fingerprints of a contest whose agents have these."""
    return Sources(sources_of_rules(game), digest_of(_MATCHES)[:DIGITS], agents)


def changes(then: Sources, now: Sources, labels: list[str]) -> list[str]:
    """A text about what has changed; empty if nothing has."""
    names = ["the rules of the game"] if then.rules != now.rules else []
    names += ["the way matches are played"] if then.matches != now.matches else []
    return names + [label for label, old, new in zip(labels, then.agents, now.agents) if old != new]


def _roots_of_rules(game: Game) -> tuple[Path, ...]:
    return (_file_of(type(game.rules)), *_BELOW_ALL_RULES)


def _file_of(owner: type) -> Path:
    """The file that defines a class; the package itself if there is none."""
    try:
        return Path(inspect.getfile(owner)).resolve()
    except (OSError, TypeError):
        return PACKAGE


def _fingerprint(digest: str, module: str) -> str:
    """A hash of files of the package, and of the user's own module if it is one."""
    digest = digest[:DIGITS]
    if module.partition(".")[0] == __name__.partition(".")[0]:
        return digest
    return f"{digest} {loaded_version(module) or 'no file'}"
