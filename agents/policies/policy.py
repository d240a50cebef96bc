"""Agents that play a trained network without search.

``zoo:NAME``, ``policy:FILE``, ``policy:RUN`` and ``sb3:FILE``.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import inner_kernel, kernel
from ...envs.compiled.randomness import random_unit
from ...envs.game import Game, Position
from ...envs.registry import make_game, usual_game
from ...envs.specification import Parameter, SpecificationError, refusing
from ..agent import Agent
from ..decision import Decision, PlainScores, Score
from ..registry import AGENTS_AND_PRESETS, POLICY_ALIASES, register_agent
from .compiled.words import FLOAT32, PRECISIONS
from .named import effects_of_network, open_network
from .policy_file import BEST, NO_VALUE, OF_ACTIONS, Network
from .prediction import Prediction, masked_softmax
from .trial import AUTO
from .zoo import PREFIX, ZooNetworks

# smaller differences of probabilities count as ties: a batch is computed in another order than one
# position, so the last digits differ
TIE = 1e-5
PRECISION = Parameter(
    "precision",
    str,
    FLOAT32.name,
    "precision of the network's multiplications; bfloat16 and int8 are faster on some processors, "
    "auto: the fastest of those close to float32, by a trial on this one",
    choices=(*PRECISIONS, AUTO),
)


@kernel
def _observe_images(rules, observations, symmetries, positions, images):
    """Write the images of observations under every symmetry.

    ``observations`` is int8 of shape (N, rows, columns, planes); ``images`` is int8 of shape (N,
    symmetries, rows, columns, planes).

    ``positions`` holds two records, which are overwritten.
    """
    images[:] = 0
    for index in range(observations.shape[0]):
        r.from_observation(rules, observations[index], positions[0])
        player = r.to_move(rules, positions[0])
        for symmetry in range(symmetries.shape[0]):
            positions[1] = positions[0]  # the first symmetry is the identity
            if symmetry > 0:
                r.transform(rules, positions[0], symmetries[symmetry], positions[1])
            r.observe(rules, positions[1], player, images[index, symmetry])


@kernel
def choose_each(probabilities, temperature, streams, actions):
    """Choose an action by each row of probabilities; each row has a random stream."""
    for row in range(probabilities.shape[0]):
        actions[row] = _choose_by_probability(probabilities[row], temperature, streams[row])


@inner_kernel
def choose_by_logits(logits, value, mask, temperature, stream, probabilities):
    """Choose among the legal actions of a mask by the softmax of their logits.

    ``probabilities`` is a float64 buffer. Returns −1 if a logit or the value is not finite.
    """
    finite, highest, total = np.isfinite(value), -np.inf, 0.0
    for action in range(mask.size):
        finite = finite and np.isfinite(logits[action])
        if mask[action] != 0:
            highest = max(highest, np.float64(logits[action]))
    if not finite:
        return -1
    for action in range(mask.size):
        probabilities[action] = 0.0
        if mask[action] != 0:
            probabilities[action] = np.exp(np.float64(logits[action]) - highest)
            total += probabilities[action]
    for action in range(mask.size):
        probabilities[action] /= total
    return _choose_by_probability(probabilities, temperature, stream)


@inner_kernel
def _choose_by_probability(probabilities, temperature, stream):
    """The first of the most probable actions, or one drawn with a temperature above 0.

    A draw overwrites the probabilities.
    """
    highest = 0.0
    for action in range(probabilities.size):
        highest = max(highest, probabilities[action])
    if temperature == 0.0:
        action = 0
        while not probabilities[action] > highest - TIE:
            action += 1
        return action
    total = 0.0
    for action in range(probabilities.size):
        probabilities[action] = (probabilities[action] / highest) ** (1.0 / temperature)
        total += probabilities[action]
    left, choice = random_unit(stream) * total, 0
    for action in range(probabilities.size):
        if probabilities[action] > 0.0:
            choice = action  # the last possible action, if rounding leaves a remainder
            left -= probabilities[action]
            if left < 0.0:
                break
    return choice


class PolicyAgent(Agent):
    """Plays the most probable legal action, or draws one (``temperature``).

    For many positions at once, see :meth:`act_batch`.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "temperature",
            float,
            0.0,
            "0: the most probable action; 1: draw by the probabilities; more: flatter",
            0,
            100,
        ),
        Parameter("symmetries", bool, False, "average over the symmetric images of the board"),
        PRECISION,
    )
    argument: ClassVar[str | None] = "path"
    isolated = True
    # act_batch can draw from the random streams of the games
    takes_streams = True

    def __init__(self, game: Game | str | None = None, seed: int = 0, **options: Any) -> None:
        super().__init__(game, seed, **options)
        board = self.bound_game or self._source.only_game
        if board is not None:
            self._bind(board)

    @abstractmethod
    def load(self) -> Network | ZooNetworks:
        """The network, or one for each of several boards; SpecificationError if there is none."""

    @classmethod
    def effects(cls, options: Mapping[str, str]) -> tuple[str, ...]:
        return super().effects(options) or effects_of_network(options.get("path"))

    def check_options(self) -> None:
        """Load the network."""
        self._source = self.load()
        if isinstance(self._source, Network):
            self.check_game(self._source.game)

    def check_game(self, game: Game) -> None:
        self._network_for(game).check_plays()

    def _network_for(self, game: Game) -> Network:
        return self._source.for_game(game).in_precision(self.options["precision"])

    def _bind(self, game: Game) -> None:
        """Play ``game`` from now on if no position determines the game."""
        self.network: Network = self._network_for(game)
        self._positions = game.new_records(2)
        self._probabilities = np.zeros(game.facts.num_actions)

    def playing(self, game: Game) -> Self:
        """A copy that plays ``game`` in :meth:`act_batch` and :meth:`predict`.

        Raises:
            SpecificationError: the network is for another game.
        """
        self.check_game(game)
        other = copy.deepcopy(self)
        other.bound_game = game
        other._bind(game)
        return other

    def prepare(self, game: Game) -> None:
        self._bind(game)
        start = game.initial_position()
        prediction = self.predict(start.observation()[None], start.action_mask()[None])
        self._choose(prediction.probabilities, np.zeros((1, 1), np.uint64))
        self._choose_by_logits(start, np.zeros(1, np.uint64))
        self.network.expected_return(0.0, start)

    def predict(self, observations: np.ndarray, masks: np.ndarray) -> Prediction:
        """The network's predictions for positions.

        Args:
            observations: int8, (N, rows, columns, planes), as the side to move sees them.
            masks: int8, (N, num_actions).

        Raises:
            SpecificationError: there are networks for several boards, and no game was given.
        """
        if not hasattr(self, "network"):
            raise SpecificationError(f"{self.spec} plays several boards; make it for one (game=)")
        count = len(observations)
        logits, values = self._evaluate_images(observations)
        mean_values = values.reshape(count, -1).mean(axis=1, dtype=np.float64)
        if self.network.value == OF_ACTIONS:
            # the best action's value is the position's
            worth = logits.mean(axis=1, dtype=np.float64)
            best = np.where(masks != 0, worth, -np.inf).max(axis=1)
            return Prediction(masked_softmax(worth, masks), best, worth)
        probabilities = masked_softmax(logits, masks[:, None]).mean(axis=1)
        return Prediction(probabilities, None if self.network.value == NO_VALUE else mean_values)

    def _evaluate_images(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits (N, images, num_actions) and values (N · images,) of the symmetric images.

        The images are those under all symmetries, or the board alone; logits are mapped to the
        board's actions.
        """
        game = self.network.game
        if not self.options["symmetries"] or len(game.symmetries) == 1:
            logits, values = self.network.evaluate(observations)
            return logits[:, None], values
        symmetries, count = game.symmetries, len(observations)
        images = np.empty((count, len(symmetries), *game.facts.observation_shape), np.int8)
        planes = np.ascontiguousarray(observations, dtype=np.int8)
        _observe_images(game.rules, planes, symmetries, self._positions, images)
        logits, values = self.network.evaluate(images.reshape(-1, *game.facts.observation_shape))
        # Action a of the board is action symmetries[s, a] of its image s.
        board_logits = np.take_along_axis(
            logits.reshape(count, len(symmetries), -1), symmetries[None].astype(np.int64), axis=2
        )
        return board_logits, values

    def _choose(self, probabilities: np.ndarray, streams: np.ndarray) -> np.ndarray:
        """The action (int64) for each row of probabilities.

        Draws advance ``streams`` (uint64, (N, 1)).
        """
        actions = np.zeros(len(probabilities), np.int64)
        choose_each(probabilities.copy(), self.options["temperature"], streams, actions)
        return actions

    def decide(self, position: Position) -> Decision:
        prediction = self.predict(position.observation()[None], position.action_mask()[None])
        action = int(self._choose(prediction.probabilities, self.stream.reshape(1, 1))[0])
        network, legal = self.network, position.legal_actions()
        score = scores = probabilities = None
        if prediction.values is not None:
            score = Score(network.expected_return(float(prediction.values[0]), position))
        if prediction.action_values is None:
            probabilities = {one: float(prediction.probabilities[0, one]) for one in legal}
        else:
            row = prediction.action_values[0]
            scores = PlainScores(
                {one: network.expected_return(float(row[one]), position) for one in legal}
            )
        return Decision(
            action,
            score,
            scores,
            probabilities=probabilities,
            principal_variation=(action,),
            nodes=1,
        )

    def _choose_action(self, position: Position) -> int:
        if self.options["symmetries"]:
            return self.decide(position).action
        return self._choose_by_logits(position, self.stream)

    def _choose_by_logits(self, position: Position, stream: np.ndarray) -> int:
        """As :meth:`decide` chooses, without symmetric images."""
        logits, values = self.network.run(position.observation()[None].astype(np.float32))
        action = self._compiled(
            choose_by_logits,
            *(logits[0], values[0], position.action_mask()),
            *(self.options["temperature"], stream, self._probabilities),
        )
        if action < 0:
            raise self.network.broken()
        return int(action)

    def act_batch(
        self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray | None = None
    ) -> np.ndarray:
        """The actions for many positions in one evaluation of the network.

        Args:
            observations: int8, (N, rows, columns, planes), as the side to move sees them.
            masks: int8, (N, num_actions).
            streams: uint64, (N, 1): a random stream for each row, advanced in place where actions
                are drawn; without them the agent's own serves all.

        Returns:
            int64, (N,).
        """
        probabilities = self.predict(observations, masks).probabilities
        if streams is None:
            return np.concatenate(
                [self._choose(row[None], self.stream.reshape(1, 1)) for row in probabilities]
            )
        return self._choose(probabilities, streams)

    @property
    def deterministic(self) -> bool:
        return bool(self.options["temperature"] == 0)

    @property
    def version(self) -> str:
        """Includes a hash of the network: further training makes it a different agent."""
        return f"{super().version}, policy {self._source.version[:12]}"


@register_agent("zoo")
class ZooPolicy(PolicyAgent):
    """Plays a trained network that is shipped with plyground, without search.

    ``mcts:network=zoo:NAME`` plays it with search. See :mod:`plyground.agents.policies.zoo`.
    """

    summary = "a trained network that is shipped with plyground: zoo:NAME"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("name", str, None, "name of the network; plyground zoo lists them"),
        *PolicyAgent.parameters,
    )
    argument = "name"
    usage: ClassVar[str | None] = "NAME; plyground zoo lists the names"

    def load(self) -> ZooNetworks:
        return ZooNetworks(self.options["name"])


@register_agent("policy")
class FilePolicy(PolicyAgent):
    """Plays a policy file, or the best policy of a training run, without search.

    No torch is needed, and nothing is unpickled. ``mcts:network=FILE`` searches with it. Other
    names are ``onnx``, ``ppo``, ``dqn`` and ``alphazero``. See
    :mod:`plyground.agents.policies.policy_file`.
    """

    summary = "a trained policy from a file or a run: policy:FILE, policy:RUN"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("path", str, None, f"a policy file, or a run folder, whose {BEST} is played"),
        *PolicyAgent.parameters,
    )
    usage: ClassVar[str | None] = "FILE; FILE is a policy file or the folder of a training run"

    def load(self) -> Network | ZooNetworks:
        return open_network(self.options["path"])


for _alias in POLICY_ALIASES:
    AGENTS_AND_PRESETS.add(_alias, FilePolicy)


@register_agent("sb3")
class Sb3Policy(PolicyAgent):
    """Plays a model saved by stable-baselines3 or sb3-contrib: PPO, MaskablePPO, A2C, DQN, QR-DQN.

    Its observations may be planes as they are, channels first or flat. Unpickling runs any code in
    the file: for trusted files only.
    """

    summary = "a model saved by stable-baselines3 (trusted files only): sb3:FILE,trained_on=GAME"
    parameters = (
        Parameter("path", str, None, "a .zip of stable-baselines3, for trusted files only"),
        Parameter(
            "trained_on",
            str,
            None,
            "the game it was trained on, which the file does not state; in brackets if it holds "
            "commas",
        ),
        *PolicyAgent.parameters,
    )
    usage = "FILE,trained_on=GAME; FILE is a model saved by stable-baselines3 (.zip)"
    effect = "unpickles a file"

    def load(self) -> Network:
        path, game = self.options["path"], self.options["trained_on"]
        if game is None:
            raise SpecificationError(
                f"{path} does not state its game; add trained_on=, such as "
                f"sb3:{path},trained_on={usual_game()}"
            )
        board = make_game(game.strip("()"))
        needs = f'{path} needs stable-baselines3 and sb3-contrib: pip install "plyground[train]"'
        with refusing(ImportError, needs):
            from .sb3 import load_sb3_network
        return load_sb3_network(Path(path), board)


def load_policy(
    source: str | Path, game: Game | str | None = None, seed: int = 0, **options: Any
) -> PolicyAgent:
    """Load a trained policy as an agent, which also evaluates positions by ``predict``.

    Args:
        source: a policy file (.onnx), the folder of a training run, whose best policy is loaded, or
            ``zoo:NAME``, a network that is shipped with plyground.
        game: the game to play; a file or a run states its own.
        seed: the seed of the random numbers, which ``temperature`` needs.
        options: ``temperature`` and ``symmetries``, as ``policy:FILE`` takes them.

    Raises:
        SpecificationError: there is no such policy, or it is for another game.
    """
    if str(source).startswith(PREFIX):
        return ZooPolicy(game, seed, name=str(source).removeprefix(PREFIX), **options)
    return FilePolicy(game, seed, path=str(source), **options)
