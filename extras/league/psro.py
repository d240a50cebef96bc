"""Training a league: each member learns against a mixture of those before it.

After every round all members have met each other. The mixture of the table of their scores that no
member beats is what the next one learns against (policy-space response oracles). A member begins
with the weights of the last one of its algorithm, an exploiter with random weights. AlphaZero
learns from games against itself, and meets the others only in the table.

Source: Lanctot et al., "A unified game-theoretic approach to multiagent reinforcement learning",
NeurIPS 2017; exploiters: Vinyals et al., Nature 2019.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from ...envs.game import Game
from ...envs.loading.files import written_whole
from ...envs.loading.locks import locked
from ...envs.loading.records import Count, Share, check_value, read_json
from ...envs.specification import SpecificationError, check_names
from ...training.alphazero.settings import AlphaZeroSettings
from ...training.api import SETTINGS
from ...training.folder import TrainingError
from ...training.settings import OpposedSettings, RunSettings
from .league import MIXTURE, RULES, UNIFORM, League, Points

EXPLOITER, ALPHAZERO = "exploiter", "alphazero"
ALGORITHMS = {EXPLOITER: "ppo"}  # of members that are not named after theirs
MEMBERS = ("ppo", "dqn", ALPHAZERO, EXPLOITER)
TRAINING = "training.json"
LEAST_WEIGHT = 0.005  # of an opponent that is met

Floats = npt.NDArray[np.float64]
# Lets the first of several agents meet each other one; returns the games and points of the first.
Meet = Callable[[Sequence[str]], list[tuple[int, float]]]


@dataclasses.dataclass(frozen=True)
class LeagueSettings:
    """The settings of a league.

    Attributes:
        members: the kinds of the members, which take turns; each one of :data:`MEMBERS`.
        rounds: members that are trained in all.
        steps: of each PPO and DQN.
        hours: of each AlphaZero.
        anchors: agents that are members from the beginning.
        opponents: how those of a learner are drawn, one of
            :data:`~plyground.extras.league.league.RULES`.
        exploration: the share of the opponents that are drawn from all members alike. Who learns
            against the mixture alone forgets how to beat the others.
        temperature: of the members' probabilities when they choose.
        texts: of other settings, as ``ALGORITHM.NAME=VALUE``.

    Raises:
        SpecificationError: a value that is not possible.
    """

    members: tuple[str, ...] = ("ppo", EXPLOITER)
    rounds: int = 8
    steps: int = 500_000
    hours: float = 0.1
    anchors: tuple[str, ...] = ("random",)
    opponents: str = MIXTURE
    exploration: float = 0.4
    temperature: float = 0.3
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the names."""
        check_names("there is no kind of member", self.members, MEMBERS)
        check_names("opponents cannot be drawn by", [self.opponents], RULES)
        if not 0.0 <= self.exploration <= 1.0:
            raise SpecificationError(
                f"exploration={self.exploration} is not possible; it is a share from 0 to 1"
            )
        if not self.members or not self.anchors:
            raise SpecificationError("a league needs kinds of members and at least one anchor")
        for text in self.texts:
            algorithm, dot, _ = text.partition(".")
            if not dot or algorithm not in SETTINGS:
                raise SpecificationError(
                    f"{text!r} is not of the form ALGORITHM.NAME=VALUE, such as ppo.entropy=0.02"
                )

    def kind(self, number: int) -> str:
        """The kind of the member that a round trains; rounds count from 0."""
        return self.members[number % len(self.members)]

    def of_run(self, game: Game, algorithm: str, values: dict[str, Any]) -> RunSettings:
        """The settings of a member's run."""
        prefix = f"{algorithm}."
        texts = [text.removeprefix(prefix) for text in self.texts if text.startswith(prefix)]
        basis: dict[str, Any] = {"evaluate": "none", "keep": 0, "evaluations": 1}
        if algorithm == ALPHAZERO:
            return AlphaZeroSettings.for_game(
                game, basis | {"hours": self.hours, "judged": 0} | values, texts
            )
        return SETTINGS.get(algorithm).for_game(game, basis | {"steps": self.steps} | values, texts)


class Round(NamedTuple):
    """What a round has brought.

    Attributes:
        member: the policy's name in the league.
        kind: one of :data:`MEMBERS`.
        opponents: the weights of those it learnt against, by name; of AlphaZero none.
        games, points: of the member against the anchors and the earlier members.
        mixture: of all members so far, after it has met them.
    """

    member: str
    kind: str
    opponents: dict[str, Share]
    games: list[Count]
    points: list[Points]
    mixture: dict[str, Share]


class _TrainingFile(TypedDict):
    """``training.json``."""

    description: dict[str, Any]
    anchors: list[list[tuple[Count, Points]]]
    rounds: list[Round]


class _LeagueDescription(TypedDict):
    """What is read of the description of a league; the rest is compared."""

    game: str
    anchors: list[str]


class LeagueTraining:
    """A league's folder and the rounds in it: the same settings go on where it was stopped.

    Args:
        game: the game.
        folder: of the league; ``training.json`` holds its rounds, ``runs`` those of its members.
        settings: the settings; ``rounds`` may grow.
        seed: decides everything that is random.
        meet: plays the games between members.

    Attributes:
        league: the members; any trainer can draw its opponents from it.
        rounds: what was done.

    Raises:
        SpecificationError: anchors that cannot play the game.
        TrainingError: the folder holds a league with other settings.
    """

    def __init__(
        self, game: Game, folder: Path, settings: LeagueSettings, seed: int, meet: Meet
    ) -> None:
        self.game, self.folder, self.settings, self.seed = game, folder, settings, seed
        self._meet = meet
        rules: dict[str, Any] = dict.fromkeys(RULES, 0.0) | {UNIFORM: settings.exploration}
        rules[settings.opponents] += 1.0 - settings.exploration
        self.league: League = League(
            folder,
            game,
            **rules,
            anchors=settings.anchors,
            capacity=max(settings.rounds, 1),
            temperature=settings.temperature,
        )
        self.rounds: list[Round] = []
        self._first: list[list[tuple[int, float]]] = []  # of each anchor against those before it
        self._read()

    # -- the folder --

    def _description(self) -> dict[str, Any]:
        facts = dataclasses.asdict(self.settings) | {"game": self.game.spec, "seed": self.seed}
        del facts["rounds"]
        return dict(json.loads(json.dumps(facts)))

    def _read(self) -> None:
        path = self.folder / TRAINING
        if not path.exists():
            return
        data = read_training(self.folder)
        for name, value in self._description().items():
            if data["description"].get(name) != value:
                raise TrainingError(
                    f"{self.folder} holds another league: {name} is "
                    f"{json.dumps(data['description'].get(name))} there and {json.dumps(value)} "
                    f"here. Name another folder with --out, or give the same settings to go on "
                    f"(rounds may be more)"
                )
        self.rounds = [Round(**each) for each in data["rounds"]]
        self._first = [[(games, points) for games, points in row] for row in data["anchors"]]

    def _write(self) -> None:
        data = {
            "description": self._description(),
            "anchors": self._first,
            "rounds": [each._asdict() for each in self.rounds],
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        with written_whole(self.folder / TRAINING) as file:
            file.write((json.dumps(data, indent=1) + "\n").encode())

    # -- the rounds --

    def run(self, train: Callable[[int, str, RunSettings, Path], None]) -> None:
        """Train what is missing of the members.

        Args:
            train: begins or resumes a run and brings it to its end: it gets the round's number,
                the algorithm, the settings, and the folder, in which ``best.onnx`` is the policy.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder, "trained"):
            self._meet_anchors()
            for number in range(len(self.rounds), self.settings.rounds):
                self._round(number, train)

    def _meet_anchors(self) -> None:
        anchors = self.settings.anchors
        for number in range(len(self._first), len(anchors)):
            self._first.append(self._meet([anchors[number], *anchors[:number]]) if number else [])
        self._set_mixture()
        self._write()

    def _round(self, number: int, train: Callable[[int, str, RunSettings, Path], None]) -> None:
        kind = self.settings.kind(number)
        algorithm = ALGORITHMS.get(kind, kind)
        out = self._run_folder(number)
        opponents = {}
        values: dict[str, Any] = {"initial": self._initial(number)}
        if issubclass(SETTINGS.get(algorithm), OpposedSettings):
            opponents = self._opponents()
            values["opponent"] = "mix:" + ",".join(
                f"{weight:g} {self.league.specification(name)}"
                for name, weight in opponents.items()
            )
        train(number, algorithm, self.settings.of_run(self.game, algorithm, values), out)
        if len(self.league.versions) == number:  # it may be there from a run that was killed
            self.league.add(out / "best.onnx")
        earlier = self.league.members[:-1][::-1]  # the newest first: they are the strongest
        names = [self.league.members[-1], *earlier]
        results = self._meet([self.league.specification(name) for name in names])[::-1]
        games, points = [games for games, _ in results], [points for _, points in results]
        self.rounds.append(Round(names[0], kind, opponents, games, points, {}))
        # What a learner that goes on from here would have scored.
        self.league.results = {
            name: [count, count - scored]
            for name, count, scored in zip(names[:0:-1], games, points)
        }
        self._set_mixture()
        self.rounds[-1] = self.rounds[-1]._replace(mixture=self.league.weights)
        self.league.save()
        self._write()

    def _initial(self, number: int) -> str:
        """The run whose weights a member begins with; empty: random ones."""
        kind = self.settings.kind(number)
        earlier = [each for each in range(number) if self.settings.kind(each) == kind]
        return "" if kind == EXPLOITER or not earlier else str(self._run_folder(earlier[-1]))

    def _run_folder(self, number: int) -> Path:
        return self.folder.resolve() / "runs" / f"{number + 1:03d}_{self.settings.kind(number)}"

    def _opponents(self) -> dict[str, float]:
        return {
            name: round(chance, 4)
            for name, chance in self.league.chances().items()
            if chance >= LEAST_WEIGHT
        }

    def _set_mixture(self) -> None:
        mixture = nash_mixture(self.scores())
        self.league.weights = {
            name: round(float(weight), 4)
            for name, weight in zip(self.names(), mixture)
            if weight >= LEAST_WEIGHT / 10
        }

    def names(self) -> list[str]:
        """The members that have met, in the order of :meth:`scores`."""
        return [*self.settings.anchors, *(each.member for each in self.rounds)]

    def scores(self) -> Floats:
        """The score of each member against each other one, (n, n), from 0 to 1."""
        rows = [*self._first, *(list(zip(each.games, each.points)) for each in self.rounds)]
        return _table_of_scores(rows)


def _table_of_scores(rows: Sequence[Sequence[tuple[int, float]]]) -> Floats:
    """The table of members by the games and points of each against those before it."""
    scores = np.full((len(rows), len(rows)), 0.5)
    for number, row in enumerate(rows):
        for other, (games, points) in enumerate(row):
            scores[number, other] = points / games if games else 0.5
            scores[other, number] = 1.0 - scores[number, other]
    return scores


class LeagueCurve(NamedTuple):
    """A league over its rounds.

    Attributes:
        names: the members, anchors first.
        scores: (n, n), of each member against each other one.
        mixtures: (rounds, n), after each round.
        exploitability: (rounds,), what the best of all members, later ones too, scores against the
            mixture of that round, above 1/2.
    """

    names: list[str]
    scores: Floats
    mixtures: Floats
    exploitability: Floats


def read_training(folder: Path) -> dict[str, Any]:
    """What a league's ``training.json`` holds.

    Raises:
        TrainingError: there is none, or it cannot be read.
    """
    path = folder / TRAINING
    try:
        data = read_json(path)
        check_value(data, _TrainingFile, str(path))
        check_value(data["description"], _LeagueDescription, str(path), "description", more=True)
    except SpecificationError as error:
        raise TrainingError(f"{folder} is no league that was trained: {error}") from None
    anchors = data["description"]["anchors"]
    rounds = [(each["games"], each["points"]) for each in data["rounds"]]
    lengths = [*map(len, data["anchors"]), *(len(part) for each in rounds for part in each)]
    number = len(anchors)
    met = [*range(number), *(number + place // 2 for place in range(2 * len(rounds)))]
    if lengths != met:
        raise TrainingError(f"{path}: each member must have met all those before it, and no other")
    return dict(data)


def read_league(folder: Path) -> LeagueCurve:
    """The table and the mixtures of a league.

    Raises:
        TrainingError: the folder holds none, or no round is finished.
    """
    data = read_training(folder)
    rounds = [Round(**each) for each in data["rounds"]]
    if not rounds:
        raise TrainingError(f"no round of the league in {folder} is finished")
    rows = [*data["anchors"], *(list(zip(each.games, each.points)) for each in rounds)]
    names = [*data["description"]["anchors"], *(f"{each.member} {each.kind}" for each in rounds)]
    members = [*data["description"]["anchors"], *(each.member for each in rounds)]
    scores = _table_of_scores(rows)
    mixtures = np.array(
        [[each.mixture.get(name, 0.0) for name in members] for each in rounds], np.float64
    )
    gains = np.array([exploitability(scores, mixture) for mixture in mixtures])
    return LeagueCurve(names, scores, mixtures, gains)


def nash_mixture(scores: Floats) -> Floats:
    """The mixture of members that no member beats on average, the equilibrium of their table.

    Source: von Neumann, "Zur Theorie der Gesellschaftsspiele", 1928; as a linear program in every
    text on matrix games.

    Args:
        scores: (n, n), the score of each member against each other one, from 0 to 1. What two
            members score against each other adds up to 1; against itself a member scores 1/2.

    Returns:
        (n,), weights that add up to 1. Several mixtures may do; the solver takes one of them.
    """
    from scipy.optimize import linprog

    count = len(scores)
    gains = scores - 0.5
    # Largest v with at least v against every member: x and v are the variables.
    objective = np.append(np.zeros(count), -1.0)
    bounds = [(0.0, 1.0)] * count + [(None, None)]
    result = linprog(
        objective,
        A_ub=np.hstack([-gains.T, np.ones((count, 1))]),
        b_ub=np.zeros(count),
        A_eq=np.append(np.ones(count), 0.0)[None, :],
        b_eq=[1.0],
        bounds=bounds,
        method="highs",
    )
    weights = np.clip(result.x[:count], 0.0, None)
    mixture: Floats = weights / weights.sum()
    return mixture


def exploitability(scores: Floats, mixture: Floats) -> float:
    """What the best member of a pool scores against a mixture, above 1/2; 0: none beats it."""
    return float((scores @ mixture).max() - 0.5)
