"""Wrappers for learners: shaped rewards, planes of the last moves, other starts.

Gymnasium and vector environments have random openings as an option, ``opening_plies``.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo.utils.wrappers import BaseWrapper

from .. import rules as r
from ..game import Game, Position
from ..optional.defaults import action_cells
from ..specification import SpecificationError, check_names

ATTEMPTS = 100  # attempts to draw an opening that does not end the game


class PotentialReward(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds the change of a potential, a heuristic's estimate, to every reward.

    The reward becomes r + γΦ(s′) − Φ(s), with Φ = 0 at the end, which preserves the optimal policy
    (Ng, Harada, Russell: Policy invariance under reward transformations, ICML 1999).

    Args:
        env: a :class:`~plyground.envs.single_agent.env.SingleAgentEnv`.
        heuristic: one of the game's, or ``"default"``, its first.
        weight: Φ is this many times the heuristic's points.
        gamma: the discount γ that the learner uses.

    Raises:
        SpecificationError: the game has no such heuristic.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        heuristic: str = "default",
        weight: float = 0.01,
        gamma: float = 1.0,
    ) -> None:
        super().__init__(env)
        board: Any = env.unwrapped
        heuristics = board.game.declaration.heuristics
        if not heuristics:
            raise SpecificationError(f"{board.game.name} has no heuristics")
        name = heuristics[0] if heuristic == "default" else heuristic
        check_names(f"{board.game.name} has no heuristic", [name], heuristics)
        self._index, self._weight, self._gamma = heuristics.index(name), weight, gamma
        self._potential = 0.0

    def _potential_after(self, info: dict[str, Any]) -> float:
        board: Any = self.env.unwrapped
        position = board.position
        if position.is_over:
            return 0.0
        points = r.evaluate(position.game.rules, position.record, int(info["seat"]), self._index)
        return self._weight * int(points)

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """As the environment's."""
        observation, info = self.env.reset(**options)
        self._potential = self._potential_after(info)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As the environment's; ``info["reward"]`` is the reward without the potential."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        before = self._potential
        self._potential = 0.0 if terminated else self._potential_after(info)
        total = float(reward) + self._gamma * self._potential - before
        return observation, total, terminated, truncated, info | {"reward": np.array(reward)}


class MarginReward(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds the margin, boxes or discs, to the reward at the end of a game.

    Nothing is added after an illegal action, or in games whose returns are margins or that have no
    margin.

    Args:
        env: a :class:`~plyground.envs.single_agent.env.SingleAgentEnv`.
        weight: the reward for each box or disc.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], weight: float = 0.01) -> None:
        super().__init__(env)
        self._weight = weight

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As the environment's."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated and not info["illegal_action"]:
            board: Any = self.env.unwrapped
            position = board.position
            margin = r.margin(position.game.rules, position.record, int(info["seat"]))
            reward = float(reward) + self._weight * int(margin)
        return observation, reward, terminated, truncated, info


class LastMoves(BaseWrapper):  # type: ignore[misc]  # PettingZoo publishes no types
    """Adds planes to the observations of an AEC environment: one for each of the last moves.

    A plane is 1 where the move was played (in the whole column, if actions are columns), the newest
    move first, and 0 elsewhere. It is empty for moves without a place (a pass) and for unknown
    moves.

    Args:
        env: a :class:`~plyground.envs.aec.BoardEnv` with the planes as the game writes them.
        count: the number of moves.

    Raises:
        SpecificationError: the game does not say where its actions are, or the planes have another
            layout or type.
    """

    def __init__(self, env: Any, count: int = 1) -> None:
        super().__init__(env)
        board = env.unwrapped
        self._cells, self._count = action_cells(board.game.rules), count
        rows, cols, planes = board.game.facts.observation_shape
        if not (self._cells >= 0).any():
            raise SpecificationError(f"{board.game.name} does not say where its actions are")
        inner = env.observation_space(board.possible_agents[0])
        planes_space = inner["observation"] if isinstance(inner, spaces.Dict) else None
        if (
            planes_space is None
            or planes_space.shape != (rows, cols, planes)
            or planes_space.dtype != np.int8
        ):
            raise SpecificationError(
                "LastMoves takes observations as they are without options: a dictionary with "
                "planes of layout hwc and dtype int8"
            )
        whole = spaces.Box(0, 1, (rows, cols, planes + count), np.int8)
        self._space = spaces.Dict({**inner.spaces, "observation": whole})

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space, the same for both agents."""
        return self._space

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """An agent's current observation, with the last moves of both agents."""
        observation = super().observe(agent)
        planes = observation["observation"]
        more = np.zeros((*planes.shape[:2], self._count), np.int8)
        moves = self.env.unwrapped.position.moves or ()
        for age, action in enumerate(reversed(moves[-self._count :] if self._count else ())):
            row, column, _ = self._cells[action]
            if column >= 0:
                more[row if row >= 0 else slice(None), column, age] = 1
        return {**observation, "observation": np.concatenate([planes, more], axis=2)}


class RandomOpening(BaseWrapper):  # type: ignore[misc]
    """Begins the games of an AEC environment with random moves of both players.

    Args:
        env: a :class:`~plyground.envs.aec.BoardEnv`.
        plies: the maximum number of moves; the number is drawn for every game.
    """

    def __init__(self, env: Any, plies: int) -> None:
        super().__init__(env)
        self._plies, self._random = plies, np.random.default_rng()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; the same seed gives the same opening."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        super().reset(seed=seed, options=options)
        board: Any = self.env.unwrapped
        start = random_opening(
            board.game, int(self._random.integers(self._plies + 1)), self._random
        )
        board.set_position(start)


class Handicap(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Begins every game with moves that favour one side.

    The favoured side plays the best of its first moves by a heuristic of the game, the other side
    plays random moves. Neither side can win with the next move. The learner's seat is drawn for
    every game.

    Args:
        env: a :class:`~plyground.envs.single_agent.env.SingleAgentEnv`.
        moves: the number of moves of each side.
        favoured: ``"learner"`` or ``"opponent"``.

    Raises:
        SpecificationError: the game has no heuristic, or ``favoured`` is neither.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], moves: int = 1, favoured: str = "learner"
    ) -> None:
        super().__init__(env)
        check_names("favoured is no side", [favoured], ("learner", "opponent"))
        board: Any = env.unwrapped
        if not board.game.declaration.heuristics:
            raise SpecificationError(f"{board.game.name} has no heuristics")
        self._moves, self._favours_learner = moves, favoured == "learner"
        self._random = np.random.default_rng()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Start a game; the same seed gives the same beginning."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        board: Any = self.env.unwrapped
        seat = int(self._random.integers(2))
        best = seat if self._favours_learner else 1 - seat
        for _ in range(ATTEMPTS):
            start = random_opening(board.game, 2 * self._moves, self._random, best)
            if not any(start.after(action).is_over for action in start.legal_actions()):
                break
        return self.env.reset(seed=seed, options={"position": start, "seat": seat})


def random_opening(
    game: Game, plies: int, random: np.random.Generator, best: int | None = None
) -> Position:
    """A position after random moves; if they would end the game, others are drawn.

    Args:
        game: the game.
        plies: the number of moves.
        random: the random generator.
        best: a player that makes the move of the highest heuristic value instead, or None.

    Raises:
        ValueError: no such opening was found.
    """
    for _ in range(ATTEMPTS):
        position = game.initial_position()
        for _ in range(plies):
            if position.is_over:
                break
            legal = position.legal_actions()
            if position.to_move == best:
                values = [_value_after(position, action, best) for action in legal]
                legal = [action for action, value in zip(legal, values) if value == max(values)]
            position.play(int(random.choice(legal)))
        if not position.is_over:
            return position
    raise ValueError(f"{game.spec} has hardly any opening of {plies} moves that does not end it")


def _value_after(position: Position, action: int, player: int) -> int:
    """The points of the game's first heuristic after an action."""
    after = position.after(action)
    if after.is_over:
        return int(np.sign(after.returns[player])) * 10**9
    return int(r.evaluate(after.game.rules, after.record, player, 0))
