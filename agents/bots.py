"""Agents that are no :class:`~plyground.agents.agent.Agent`: functions, classes, other objects.

:func:`as_bot` tells them apart. Matches, environments and ``python:MODULE:NAME`` take the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..envs.environments.observations import ObservationOptions, find_layout
from ..envs.game import Position
from .agent import Agent
from .external.signatures import read_signature

KINDS = "a function act(position) or act(position, moves), an object with act(position), or a class"
_SEED_BITS = 32  # numpy's RandomState and torch's generators take no longer seeds


class NotABotError(TypeError):
    """An object that does not play."""


class FunctionBot:
    """Plays what a function of the position returns, or a method ``act`` that takes ``moves`` too.

    Args:
        bot: the function, or the object with that method, whose other attributes it has as well.
            It is called with the position, and with ``moves=``, the actions played so far (None
            where they are not known), if it has a parameter of that name.
    """

    def __init__(self, bot: Any) -> None:
        self._bot, self._act = bot, getattr(bot, "act", bot)
        self._wants_moves = _takes_moves(self._act)
        self.deterministic: bool = getattr(bot, "deterministic", False) is True

    def act(self, position: Position) -> Any:
        """The function's answer, unchecked."""
        if self._wants_moves:
            return self._act(position, moves=position.moves)
        return self._act(position)

    def __getattr__(self, name: str) -> Any:
        if name == "_bot":
            raise AttributeError(name)  # while it is unpickled
        return getattr(self._bot, name)

    def __str__(self) -> str:
        if self._act is not self._bot:
            return str(self._bot)
        return getattr(self._bot, "__name__", type(self._bot).__name__)


def as_bot(bot: Any) -> Any:
    """An object with ``act(position)`` or ``act_batch(observations, masks)``.

    Args:
        bot: such an object, which is returned as it is; a function with a parameter that must be
            given, the position; a class or a function without such a parameter, which makes the
            agent.

    Raises:
        NotABotError: it is none of these.
    """
    if isinstance(bot, type) or (_is_plain_callable(bot) and not read_signature(bot).required):
        name = getattr(bot, "__name__", type(bot).__name__)
        instance = bot()
        if isinstance(instance, type) or not (_has_act(instance) or _is_acting_function(instance)):
            raise NotABotError(
                f"{name}() returned a {type(instance).__name__}, which has no method act(position)"
            )
        return as_bot(instance)
    if isinstance(bot, Agent) or callable(getattr(bot, "act_batch", None)):
        return bot
    if _has_act(bot):
        return FunctionBot(bot) if _takes_moves(bot.act) else bot
    if _is_acting_function(bot):
        return FunctionBot(bot)
    raise NotABotError(f"{bot!r} does not play: an agent of your own is {KINDS}")


def short_seed(seed: int) -> int:
    """A seed as agents that are not plyground's own get it: 32 bits."""
    return int(seed % 2**_SEED_BITS)


def _has_act(bot: Any) -> bool:
    return any(callable(getattr(bot, name, None)) for name in ("act", "act_batch"))


def _is_plain_callable(bot: Any) -> bool:
    return callable(bot) and not _has_act(bot)


def _is_acting_function(bot: Any) -> bool:
    if not _is_plain_callable(bot):
        return False
    signature = read_signature(bot)
    others = set(signature.required[1:])
    named = {"moves"} & set(signature.keywords)
    return len(signature.required) > 0 and signature.positions >= 1 and others <= named


def _takes_moves(function: Any) -> bool:
    return "moves" in read_signature(function).keywords


def is_batch_function(bot: Any) -> bool:
    """Whether it is a function ``act_batch(observations, masks)``: it must be given two arguments.

    A function of a position and its ``moves`` is none.
    """
    if isinstance(bot, type) or not _is_plain_callable(bot):
        return False
    signature = read_signature(bot)
    required = signature.required
    return len(required) == 2 <= signature.positions and "moves" not in required


def is_sb3_model(bot: Any) -> bool:
    """Whether it looks like a model of stable-baselines3: it has a policy and ``predict``."""
    return callable(getattr(bot, "predict", None)) and hasattr(bot, "policy")


class ModelBot:
    """A model of stable-baselines3 as a player of many games at once; it plays legal actions only.

    It plays by its probabilities; a model without any (DQN) plays the legal action of the highest
    value. Its observations may be planes as they are, channels first or flat, and of any type.

    Args:
        model: PPO, A2C, MaskablePPO, DQN, or another with ``predict``.
        deterministic: whether it plays its most probable action.
    """

    def __init__(self, model: Any, deterministic: bool = False) -> None:
        self.model: Any = model
        self.deterministic: bool = deterministic
        self._space = model.observation_space

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Choose a legal action for each of the positions: int64 of shape (n,)."""
        import torch

        planes = self._as_trained(observations)
        normal = getattr(self.model, "_vec_normalize_env", None)
        if normal is not None:
            planes = normal.normalize_obs(planes)
        policy = self.model.policy
        with torch.no_grad():
            tensors, _ = policy.obs_to_tensor(planes)
            if hasattr(policy, "q_net"):
                values = policy.q_net(tensors)
                randomly = False
            else:
                values = policy.get_distribution(tensors).distribution.logits
                randomly = not self.deterministic
            legal = torch.as_tensor(masks, device=values.device) > 0
            values = values.masked_fill(~legal, -torch.inf)
            if randomly:
                best = torch.multinomial(values.softmax(dim=1), 1)[:, 0]
            else:
                best = values.argmax(dim=1)
        actions: np.ndarray = best.cpu().numpy().astype(np.int64)
        return actions

    def _as_trained(self, observations: np.ndarray) -> np.ndarray:
        """The observations in the layout and the type that the model was trained on."""
        game_shape = observations.shape[1:]
        layout = find_layout(self._space.shape, game_shape)
        if layout is None:
            raise ValueError(
                f"a model for observations of shape {self._space.shape} cannot play a game that is "
                f"observed as {game_shape}"
            )
        return ObservationOptions(layout=layout, dtype=self._space.dtype).planes(observations)
