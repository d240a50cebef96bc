"""Games as OpenEnv environments: a server of games for the training of language models.

An observation is a text with the position and its legal moves, and an action is the text of an
answer. The server speaks OpenEnv's HTTP and WebSocket protocols; every session plays its own game.
"""

from __future__ import annotations

import uuid
from typing import Any

from ....envs.game import Game
from ....envs.registry import make_game
from .environments import make_single
from .prompts import describe, read_move

try:
    from openenv.core.env_server import Action, Environment, Observation, State
    from openenv.core.env_server.http_server import create_fastapi_app
    from pydantic import Field
except ImportError as error:
    raise ImportError(
        "plyground.extras.bridges.adapters.openenv needs: pip install openenv-core"
    ) from error

SESSIONS = 64


class Move(Action):  # type: ignore[misc]  # OpenEnv is not installed where types are checked
    """An answer, whose last line is the move."""

    text: str = Field(description="the answer; its last line is the move, as it is listed")


class BoardObservation(Observation):  # type: ignore[misc]
    """The observation of the player.

    ``reward`` is the player's reward, ``rewards`` the rewards of both players by seat.
    """

    text: str = Field(description="game, moves, board, whose turn it is, legal moves")
    legal_moves: list[str] = Field(description="the legal moves; none at the end")
    seat: int = Field(description="the player's seat: 0 moves first")
    rewards: list[float] = Field(description="what both players gained")
    complaint: str = Field(default="", description="what was wrong with the answer, if anything")


class Course(State):  # type: ignore[misc]
    """The state of a game."""

    game: str = ""
    opponent: str = ""
    board: str = ""


class BoardEnvironment(Environment):  # type: ignore[misc]
    """A game against an opponent that moves inside the environment.

    Args:
        game: the game, or its specification.
        retries: the number of illegal answers that are refused with the reason before one loses.
        **options: as for ``gymnasium.make``: ``opponent="greedy"``, ``seat=0``.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, game: Game | str, retries: int = 2, **options: Any) -> None:
        super().__init__()
        self._env: Any = make_single(game, **options)
        self._retries, self._refused = retries, 0
        self._episode, self._steps, self._over = "", 0, True
        self._seat = 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **options: Any
    ) -> BoardObservation:
        """Start a game; the same seed starts the same game.

        Args:
            seed: seed of all random choices: the seat, the opponent's moves.
            episode_id: the name of the episode.
            **options: ``opponent="greedy"`` changes the opponent from now on.
        """
        if "opponent" in options:
            self._env.set_opponent(options["opponent"])
        _, info = self._env.reset(seed=seed)
        self._episode, self._steps = episode_id or str(uuid.uuid4()), 0
        self._refused, self._over, self._seat = 0, False, int(info["seat"])
        return self._board(0.0)

    def step(
        self, action: Move, timeout_s: float | None = None, **options: Any
    ) -> BoardObservation:
        """Play a move, and the opponent's replies.

        An illegal answer is refused with the reason; after ``retries`` of them it loses the game.
        """
        if self._over:
            raise ValueError("there is no game in progress; call reset")
        self._steps += 1
        move, complaint = read_move(self._env.position, action.text)
        if move is None:
            self._refused += 1
            self._over = self._refused > self._retries
            lost = self._env.game.facts.min_return if self._over else 0.0
            return self._board(float(lost), complaint)
        _, reward, self._over, _, _ = self._env.step(move)
        return self._board(float(reward))

    def _board(self, reward: float, complaint: str = "") -> BoardObservation:
        position, text = self._env.position, ""
        legal = [] if self._over else position.legal_actions()
        text = f"{position}\n\nThe game is over." if self._over else describe(position)
        rewards = [reward, -reward] if self._seat == 0 else [-reward, reward]
        return BoardObservation(
            text=text,
            legal_moves=[position.game.action_to_text(action) for action in legal],
            seat=self._seat,
            reward=reward,
            rewards=rewards,
            done=self._over,
            complaint=complaint,
        )

    @property
    def state(self) -> Course:
        """The state of the game."""
        position = self._env.position
        return Course(
            episode_id=self._episode,
            step_count=self._steps,
            game=position.game.spec,
            opponent=", ".join(self._env.opponents),
            board=str(position),
        )

    def close(self) -> None:
        """Close the environment."""
        self._env.close()


def make_app(game: Game | str, retries: int = 2, **options: Any) -> Any:
    """A FastAPI application that serves games: ``uvicorn.run(make_app("connect_four"))``.

    Args:
        game: the game, or its specification.
        retries: as for :class:`BoardEnvironment`.
        **options: as for ``gymnasium.make``: ``opponent="greedy"``.
    """
    spec = make_game(game).spec
    return create_fastapi_app(
        lambda: BoardEnvironment(spec, retries, **options),
        Move,
        BoardObservation,
        max_concurrent_envs=SESSIONS,
    )
