"""Gymnasium vector environments: many games in one compiled step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..game import Game
from ..registry import make_game
from .env import learner_spaces
from .game_batch import GameBatch
from .opponents import Opponent


class BoardVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N games, each as in :class:`~plyground.envs.single_agent.env.SingleAgentEnv`.

    Observations, rewards and infos are the same.

    Autoreset is ``SAME_STEP``: where a game ends, ``step`` returns the first observation of the
    next one; the last observation of the old one is in ``infos["final_obs"]`` and its info in
    ``infos["final_info"]``, as in Gymnasium's own vector environments.

    ``infos["action_mask"]`` is int8 of shape (N, num_actions); ``seat``, ``opponent`` and
    ``illegal_action`` have shape (N,).

    Without opponents the caller acts for both players. Observation, mask and ``infos["seat"]`` are
    then those of the player to move, and a reward is what the player gained that has acted; its
    opponent got the negative of it. ``infos["final_info"]["seat"]`` tells who acted last.

    Args:
        game: the game, or its specification.
        num_envs: N.
        opponents: who is played against, drawn by weight for every game; None: nobody.
        seat, illegal, opening_plies: as for
            :class:`~plyground.envs.single_agent.env.SingleAgentEnv`.
        threads: threads that share the games; for compiled opponents only.
        copy: whether observations and masks are the caller's own; if not, the next step overwrites
            them.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        opponents: Sequence[Opponent] | None,
        *,
        seat: int | str = "random",
        illegal: str = "penalty",
        opening_plies: int = 0,
        threads: int = 1,
        copy: bool = True,
    ) -> None:
        self.game = make_game(game)
        self.games = GameBatch(
            self.game,
            num_envs,
            opponents,
            seat=seat,
            illegal=illegal,
            opening_plies=opening_plies,
            threads=threads,
        )
        self.num_envs = num_envs
        self.render_mode = None
        self.copy = copy
        self.single_observation_space, self.single_action_space = learner_spaces(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all = np.ones(num_envs, np.bool_)

    @property
    def opponents(self) -> list[str]:
        """The opponents' names; ``infos["opponent"]`` holds indices into them."""
        return [opponent.label for opponent in self.games.opponents]

    def action_masks(self) -> np.ndarray:
        """The legal actions: bool of shape (N, num_actions)."""
        masks: np.ndarray = self.games.state.masks.astype(np.bool_)
        return masks

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start new games.

        Args:
            seed: game i gets ``seed + i``; a sequence gives each its own; None: the random streams
                go on.
            options: ``{"reset_mask": …}``, bool of shape (N,): start new games only there.

        Raises:
            ValueError: unknown options, a mask of another shape, or a number of seeds that is not
                N.
        """
        given = dict(options or {})
        which = given.pop("reset_mask", None)
        if given:
            raise ValueError(
                f"reset() knows only the option 'reset_mask'; {', '.join(map(repr, given))} was "
                f"given"
            )
        if which is not None and (
            not isinstance(which, np.ndarray)
            or which.shape != (self.num_envs,)
            or which.dtype != np.bool_
        ):
            raise ValueError(
                f"options['reset_mask'] must be a bool array of shape ({self.num_envs},)"
            )
        self.games.reset(seed, which)
        return self._observations(), self._infos()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play an action in every game, and the opponents' replies.

        Raises:
            ValueError: actions of another shape or type, or ``reset`` has not been called.
            IllegalActionError: an illegal action, if ``illegal="raise"``.
        """
        self.games.step(actions)
        state = self.games.state
        infos = self._infos()
        # of the games that go on; those that ended have theirs in final_info
        infos["illegal_action"] = state.illegal & ~state.terminated
        if state.terminated.any():
            self._add_final(infos)
        return (
            self._observations(),
            state.rewards.copy(),
            state.terminated.copy(),
            np.zeros(self.num_envs, np.bool_),
            infos,
        )

    def _observations(self) -> np.ndarray:
        observations: np.ndarray = self.games.state.observations
        return observations.copy() if self.copy else observations

    def _infos(self) -> dict[str, Any]:
        state = self.games.state
        masks = state.masks.copy() if self.copy else state.masks
        infos = {
            "action_mask": masks,
            "seat": state.seats.astype(np.int64),
            "opponent": state.opponents.astype(np.int64),
            "illegal_action": np.zeros(self.num_envs, np.bool_),
        }
        return infos | {f"_{name}": self._all.copy() for name in infos}

    def _add_final(self, infos: dict[str, Any]) -> None:
        """Add what is known of the games that just ended; elsewhere the arrays are None or 0."""
        state = self.games.state
        ended = state.terminated.copy()
        observations = np.full(self.num_envs, None, object)
        for index in np.flatnonzero(ended).tolist():
            observations[index] = state.final_observations[index].copy()
        final = {
            "action_mask": np.zeros_like(state.masks),
            "seat": np.where(ended, state.final_seats, 0).astype(np.int64),
            "opponent": np.where(ended, state.final_opponents, 0).astype(np.int64),
            "illegal_action": state.illegal & ended,
        }
        infos["final_obs"], infos["_final_obs"] = observations, ended
        infos["final_info"] = final | {f"_{name}": ended.copy() for name in final}
        infos["_final_info"] = ended.copy()

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads, and close the opponents that can be closed."""
        self.games.close()

    def __repr__(self) -> str:
        against = f" against {', '.join(self.opponents)}" if self.opponents else ", both sides"
        return f"<{self.num_envs} games of {self.game.spec}{against}>"
