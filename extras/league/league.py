"""A league: past versions of a learner as its opponents, for the loop of any library.

Versions are policy files in a folder, with their results beside them. The opponents of the next
games are drawn by four rules: the newest version; any member; members by how often they win
(prioritised fictitious self-play, Vinyals et al., "Grandmaster level in StarCraft II", Nature
2019); members by the mixture that :mod:`plyground.extras.league.psro` finds. Anchors, agents that
stay, keep a learner from going round in circles.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np

from ...agents.human import refuse_people
from ...agents.opponents import make_opponents
from ...agents.policies.policy_file import OF_ACTIONS, load_policy_file
from ...envs.game import Game
from ...envs.loading.files import written_whole
from ...envs.loading.records import Count, Range, Share, check_value, read_json
from ...envs.registry import make_game
from ...envs.single_agent.opponents import Opponent
from ...envs.specification import SpecificationError

RESULTS = "league.json"
# How opponents are drawn.
RULES = LATEST, UNIFORM, PRIORITISED, MIXTURE = ("latest", "uniform", "prioritised", "mixture")
# What a member counts as having scored before it has met the learner: one drawn game.
Points = Annotated[float, Range(0, 1e12)]
PRIOR_GAMES, PRIOR_POINTS = 1.0, 0.5


class _LeagueFile(TypedDict):
    """``league.json``."""

    game: str
    added: Count
    results: dict[str, tuple[Points, Points]]  # games and points of the member
    weights: NotRequired[dict[str, Share]]


class League:
    """Opponents for a learner: its past versions, and anchors.

    Args:
        folder: where the versions and ``league.json`` are; an existing league goes on.
        game: the game.
        latest: how often the newest version is drawn, relative to the other two weights.
        uniform: how often any member is drawn.
        prioritised: how often a member is drawn by its score against the learner, squared.
        mixture: how often a member is drawn by its weight in :attr:`weights`.
        anchors: specifications of agents that are members from the beginning.
        capacity: how many versions are kept; beyond that the oldest goes.
        seed: decides who is drawn.
        temperature: of the versions' probabilities when they choose.

    Attributes:
        weights: of the members by name, as the last ``train league`` left them; empty: none.
        members: the names of the anchors and of the versions, the newest last.

    Raises:
        SpecificationError: weights that are not possible, anchors that cannot play the game, or a
            folder that holds another game's league.
    """

    def __init__(
        self,
        folder: str | Path,
        game: Game | str,
        *,
        latest: float = 0.5,
        uniform: float = 0.3,
        prioritised: float = 0.2,
        mixture: float = 0.0,
        anchors: Sequence[str] = (),
        capacity: int = 100,
        seed: int = 0,
        temperature: float = 1.0,
    ) -> None:
        self.folder: Path = Path(folder)
        self.game: Game = make_game(game)
        self._rules = _checked_rules(latest, uniform, prioritised, mixture)
        self._temperature = temperature
        if capacity < 1:
            raise SpecificationError(f"capacity={capacity} is not possible; it is at least 1")
        refuse_people(set(anchors), "training")
        self._anchors, self._capacity = list(anchors), capacity
        self._made = {name: make_opponents(name, self.game)[0] for name in self._anchors}
        self._random = np.random.default_rng(seed)
        # [games, points of the member] against the learner
        self.results: dict[str, list[float]] = {}
        self.weights: dict[str, float] = {}
        self._added = 0
        self._read()

    # -- the folder --

    def _read(self) -> None:
        path = self.folder / RESULTS
        if not path.exists():
            return
        data = read_json(path)
        check_value(data, _LeagueFile, str(path))
        if data["game"] != self.game.spec:
            raise SpecificationError(
                f"the league in {self.folder} plays {data['game']}, not {self.game.spec}"
            )
        self.results, self._added = data["results"], data["added"]
        self.weights = data.get("weights", {})

    def _write(self) -> None:
        data = {"game": self.game.spec, "added": self._added, "results": self.results}
        data |= {"weights": self.weights}
        with written_whole(self.folder / RESULTS) as file:
            file.write((json.dumps(data, indent=1) + "\n").encode())

    @property
    def versions(self) -> list[Path]:
        """The policy files of the versions, the oldest first."""
        return sorted(self.folder.glob("[0-9]*.onnx"))

    @property
    def members(self) -> list[str]:
        """The names of all members: the anchors, then the versions."""
        return [*self._anchors, *(path.stem for path in self.versions)]

    def add(self, policy: Any, **options: Any) -> Path:
        """Take in a version of the learner; returns its policy file.

        Args:
            policy: what :func:`~plyground.training.export.export_policy` takes: a model of
                stable-baselines3, or a module; or the path of a policy file.
            **options: of ``export_policy``, ``inputs="flat"``.

        Raises:
            SpecificationError: it is no policy for the game.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._added += 1
        path = self.folder / f"{self._added:06d}.onnx"
        if isinstance(policy, (str, Path)):
            network = load_policy_file(policy)
            network.check_game(self.game)
            network.write(path)
        else:
            from ...training.export import export_policy

            export_policy(policy, path, self.game, **options)
        for old in self.versions[: -self._capacity]:
            old.unlink()
            self.results.pop(old.stem, None)
            self._made.pop(old.stem, None)
        self._write()
        return path

    # -- opponents --

    def chances(self) -> dict[str, float]:
        """The chance of each member to be drawn."""
        members, newest = self.members, self.versions[-1:]
        if not members:
            raise SpecificationError(
                f"the league in {self.folder} has no members; add a version or name anchors"
            )
        latest, uniform, prioritised, mixture = self._rules
        scores = np.array([self.score(name) ** 2 for name in members])
        weights = np.array([self.weights.get(name, 0.0) for name in members])
        chances = (
            np.full(len(members), uniform / len(members))
            + prioritised * scores / scores.sum()
            + mixture * weights / max(weights.sum(), 1e-9)
        )
        if newest:
            chances[-1] += latest
        if not chances.any():  # only the newest or a mixture was to be met: there is none yet
            chances[:] = 1.0
        return dict(zip(members, (chances / chances.sum()).tolist()))

    def score(self, name: str) -> float:
        """What a member scores against the learner, from 0 to 1; one drawn game is added."""
        games, points = self.results.get(name, (0.0, 0.0))
        return float((points + PRIOR_POINTS) / (games + PRIOR_GAMES))

    def draw(self, count: int = 4) -> tuple[Opponent, ...]:
        """The opponents of the next games, for ``env.set_opponent``.

        Args:
            count: how many times a member is drawn. Each answers its games in one forward pass, so
                fewer are faster.
        """
        chances = self.chances()
        drawn = self._random.choice(list(chances), size=count, p=list(chances.values()))
        return tuple(
            self._opponent(str(name))._replace(label=str(name), weight=float(times))
            for name, times in sorted(Counter(drawn).items())
        )

    def _opponent(self, name: str) -> Opponent:
        if name not in self._made:
            made = make_opponents(self.specification(name), self.game)[0]
            self._made[name] = made._replace(title=f"version {int(name)} of the learner")
        return self._made[name]

    def specification(self, name: str) -> str:
        """The specification of a member as an agent."""
        if name in self._anchors:
            return name
        path = self.folder / f"{name}.onnx"
        # A version plays by its probabilities; values of actions are none.
        temperature = 0.0 if load_policy_file(path).value == OF_ACTIONS else self._temperature
        return f"onnx:{path},temperature={temperature:g}"

    def add_result(self, name: str, learner_return: float) -> None:
        """Count a finished game of the learner against a member.

        Args:
            name: the member's, which is its opponent's label.
            learner_return: above 0 if the learner won, below if it lost.
        """
        games, points = self.results.get(name, [0.0, 0.0])
        won = 1.0 if learner_return < 0 else 0.0 if learner_return > 0 else 0.5
        self.results[name] = [games + 1, points + won]

    def save(self) -> None:
        """Write the results to the folder; :meth:`add` does so too."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write()


def _checked_rules(*weights: float) -> tuple[float, ...]:
    for name, weight in zip(RULES, weights):
        if not (np.isfinite(weight) and weight >= 0):
            raise SpecificationError(f"{name}={weight} is not possible; it is a number from 0 up")
    if not any(weights):
        raise SpecificationError(f"{', '.join(RULES)} are all 0; one must be more")
    return weights
