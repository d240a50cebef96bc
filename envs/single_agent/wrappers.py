"""Wrappers that learners ask for: shaped rewards, and planes of the last moves.

Random openings are an option of the environments, ``opening_plies``.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo.utils.wrappers import BaseWrapper

from .. import rules as r
from ..specification import SpecificationError, check_names


class PotentialReward(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds the change of a potential, a heuristic's estimate, to every reward.

    The reward becomes r + γΦ(s′) − Φ(s), with Φ = 0 at the end, which leaves the best policy as it
    is (Ng, Harada, Russell: Policy invariance under reward transformations, ICML 1999).

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
        known = board.game.declaration.heuristics
        if not known:
            raise SpecificationError(f"{board.game.name} has no heuristics")
        name = known[0] if heuristic == "default" else heuristic
        check_names(f"{board.game.name} has no heuristic", [name], known)
        self._index, self._weight, self._gamma = known.index(name), weight, gamma
        self._potential = 0.0

    def _look(self, info: dict[str, Any]) -> float:
        board: Any = self.env.unwrapped
        position = board.position
        if position.is_over:
            return 0.0
        points = r.evaluate(position.game.rules, position.record, int(info["seat"]), self._index)
        return self._weight * int(points)

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """As the environment's."""
        observation, info = self.env.reset(**options)
        self._potential = self._look(info)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As the environment's; ``info["reward"]`` is the reward without the potential."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        before = self._potential
        self._potential = 0.0 if terminated else self._look(info)
        shaped = float(reward) + self._gamma * self._potential - before
        return observation, shaped, terminated, truncated, info | {"reward": np.array(reward)}


class MarginReward(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds the margin, boxes or discs, to the reward at the end of a game.

    Nothing is added after an illegal action, and in games whose returns are margins already or that
    know no margin.

    Args:
        env: a :class:`~plyground.envs.single_agent.env.SingleAgentEnv`.
        weight: what each box or disc is worth.
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

    A plane is 1 where the move was played (in the whole column, where actions are columns), the
    newest move first, and 0 elsewhere. It is empty for moves without a place (a pass) and where the
    moves are not known.

    Args:
        env: a :class:`~plyground.envs.aec.BoardEnv` with the planes as the game writes them.
        count: how many moves.

    Raises:
        SpecificationError: the game does not say where its actions are, or the planes have another
            layout or type.
    """

    def __init__(self, env: Any, count: int = 1) -> None:
        super().__init__(env)
        board = env.unwrapped
        self._cells, self._count = r.action_cells(board.game.rules), count
        rows, cols, planes = board.game.facts.observation_shape
        if not (self._cells >= 0).any():
            raise SpecificationError(f"{board.game.name} does not say where its actions are")
        inner = env.observation_space("player_0")
        shown = inner["observation"] if isinstance(inner, spaces.Dict) else None
        if shown is None or shown.shape != (rows, cols, planes) or shown.dtype != np.int8:
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
        """What an agent sees now, and the last moves of both."""
        seen = super().observe(agent)
        planes = seen["observation"]
        more = np.zeros((*planes.shape[:2], self._count), np.int8)
        played = self.env.unwrapped.position.moves or ()
        for age, action in enumerate(reversed(played[-self._count :] if self._count else ())):
            row, column, _ = self._cells[action]
            if column >= 0:
                more[row if row >= 0 else slice(None), column, age] = 1
        return {**seen, "observation": np.concatenate([planes, more], axis=2)}
