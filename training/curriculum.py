"""The opponents of a learner: one opponent, a mixture, or a curriculum of stages.

``self`` in a mixture or as a stage stands for the learner: for its past versions, or, of PPO, for
itself, which then learns from both seats.
``curriculum:random;greedy;alphabeta:depth=2`` begins with the first stage and starts the next one
whenever the score against the newest stage passes a threshold. A share of the games is played
against the opponents of earlier stages, which the learner would otherwise forget. A stage can be a
mixture, ``mix:0.7 alphabeta:depth=2,0.3 self``; the score against its first opponent counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..agents.human import refuse_people
from ..agents.opponents import MIXTURE, MakeAgent, make_opponents, read_mixture
from ..agents.registry import make_agent
from ..envs.game import Game
from ..envs.single_agent.opponents import Opponent
from ..envs.specification import SpecificationError
from .settings import CURRICULUM, SELF, OpposedSettings


class Member(NamedTuple):
    """An opponent and its share of the games."""

    weight: float
    spec: str


def read_stages(text: str, rehearsal: float) -> list[list[Member]]:
    """The mixtures of opponents of each stage.

    Args:
        text: an agent's specification or ``self``; ``mix:0.3 random,0.7 self``;
            ``curriculum:random;greedy``.
        rehearsal: the share of the games against the opponents of all earlier stages.

    Raises:
        SpecificationError: a malformed mixture, or a stage without an opponent.
    """
    text = text.strip()
    if not text.startswith(CURRICULUM):
        return [_read_mixture(text)]
    texts = [stage.strip() for stage in text[len(CURRICULUM) :].split(";")]
    if not all(texts):
        raise SpecificationError(
            f"{text!r} has a stage without an opponent; a curriculum is written like "
            f"curriculum:random;greedy;alphabeta:depth=2"
        )
    mixtures = [_scale(_read_mixture(stage), 1.0) for stage in texts]
    stages = [mixtures[0]]
    for number in range(1, len(texts)):
        earlier = (
            [
                member
                for mixture in mixtures[:number]
                for member in _scale(mixture, rehearsal / number)
            ]
            if rehearsal
            else []
        )
        stages.append(_with_one_self(_scale(mixtures[number], 1.0 - rehearsal) + earlier))
    return stages


def _read_mixture(text: str) -> list[Member]:
    if not text.startswith(MIXTURE):
        return [Member(1.0, text)]
    return _with_one_self([Member(*member) for member in read_mixture(text)])


def _with_one_self(members: list[Member]) -> list[Member]:
    """The members with the weights of ``self`` in its first place."""
    places = [place for place, member in enumerate(members) if member.spec == SELF]
    if len(places) < 2:
        return members
    whole = Member(sum(members[place].weight for place in places), SELF)
    rest = [member for member in members if member.spec != SELF]
    return [*rest[: places[0]], whole, *rest[places[0] :]]


def _scale(members: list[Member], share: float) -> list[Member]:
    """The members with weights that add up to ``share``."""
    total = sum(member.weight for member in members)
    return [Member(member.weight / total * share, member.spec) for member in members]


class Curriculum:
    """The stages of a run, and the index of the newest one.

    Args:
        settings: ``opponent`` and ``rehearsal``, see :func:`read_stages`; ``threshold`` is the
            score (a win is 1, a draw 1/2) against the newest stage that starts the next, taken over
            ``window`` games.
        game: the game; opponents that cannot play it are refused.
        versions: the player for ``self``; None: the learner itself, which acts for both players.
        make: creates the opponents, see :func:`~plyground.agents.opponents.make_opponents`.
    """

    def __init__(
        self,
        settings: OpposedSettings,
        game: Game,
        versions: Any,
        make: MakeAgent = make_agent,
    ) -> None:
        self._stages = read_stages(settings.opponent, settings.rehearsal)
        self._threshold = settings.threshold
        specs = {member.spec for members in self._stages for member in members}
        refuse_people(specs - {SELF}, "training")
        self._made = {
            spec: Opponent(SELF, versions) if spec == SELF else make_opponents(spec, game, make)[0]
            for spec in sorted(specs)
        }
        if versions is None and any(stage[0].spec == SELF for stage in self._stages[:-1]):
            raise SpecificationError(
                f"{settings.opponent!r} has a stage that begins with self before its last: the "
                f"learner against itself has no score that starts the next stage"
            )
        self.stage: int = 0
        self._recent: deque[float] = deque(maxlen=settings.window)

    @property
    def uses_self(self) -> bool:
        """Whether ``self`` is among the opponents of any stage."""
        return SELF in self._made

    @property
    def of_all_stages(self) -> tuple[Opponent, ...]:
        """The opponents of all stages, each once."""
        return tuple(self._made.values())

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """The present opponents; the score against the first decides when the next stage starts."""
        return tuple(
            self._made[member.spec]._replace(weight=member.weight)
            for member in self._stages[self.stage]
        )

    def __str__(self) -> str:
        members = self._stages[self.stage]
        stage = f"stage {self.stage + 1} of {len(self._stages)}, " if len(self._stages) > 1 else ""
        return stage + (
            members[0].spec
            if len(self._stages) > 1 or len(members) == 1
            else f"{len(members)} opponents"
        )

    def add_results(self, opponents: Sequence[int], returns: Sequence[float]) -> bool:
        """Count finished games, by the opponent's place in :attr:`opponents`.

        Returns whether the next stage starts.
        """
        if self.stage + 1 == len(self._stages):
            return False
        self._recent.extend(
            0.5 + 0.5 * ((value > 0) - (value < 0))
            for opponent, value in zip(opponents, returns)
            if opponent == 0
        )
        if len(self._recent) < (self._recent.maxlen or 0) or sum(
            self._recent
        ) < self._threshold * len(self._recent):
            return False
        self.stage += 1
        self._recent.clear()
        return True

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint."""
        return {"stage": self.stage, "recent": list(self._recent)}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned."""
        self.stage = state["stage"]
        self._recent.clear()
        self._recent.extend(state["recent"])
