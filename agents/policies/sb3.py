"""Policies of stable-baselines3 and sb3-contrib as networks; importing this file imports torch."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

from ...envs.game import Game
from ...envs.specification import SpecificationError
from .policy_file import TO_COME, Network

# by the names of their modules in stable_baselines3 and sb3_contrib
OTHER_ALGORITHMS = {name: name.upper() for name in ("dqn", "sac", "td3", "ddpg", "tqc", "ars")} | {
    "qrdqn": "QR-DQN"
}


class Heads(torch.nn.Module):
    """An actor-critic policy as a function of observations.

    It maps float32 observations (N, rows, columns, planes) to logits (N, actions) and values (N,).
    """

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        policy = self.policy
        features = policy.extract_features(observation)
        if policy.share_features_extractor:
            actor, critic = policy.mlp_extractor(features)
        else:
            actor, critic = (
                policy.mlp_extractor.forward_actor(features[0]),
                policy.mlp_extractor.forward_critic(features[1]),
            )
        return policy.action_net(actor), policy.value_net(critic).squeeze(-1)


def heads_of(model: Any, game: Game, source: str) -> Heads:
    """The network of an SB3 model.

    Raises SpecificationError if it is not an actor-critic policy for this game's observations and
    actions.
    """
    policy: Any = getattr(model, "policy", None)
    if not all(
        hasattr(policy, part) for part in ("mlp_extractor", "action_net", "value_net")
    ) or hasattr(policy, "lstm_actor"):
        raise SpecificationError(
            f"{source} is a {type(model).__name__}; policies are taken from PPO and MaskablePPO, "
            f"those without memory"
        )
    shape = getattr(policy.observation_space, "shape", None)
    actions = getattr(policy.action_space, "n", None)
    facts = game.facts
    if shape != facts.observation_shape or actions != facts.num_actions:
        raise SpecificationError(
            f"{source} takes observations of shape {shape} and has {actions} actions; "
            f"{game.spec} is observed as {facts.observation_shape} and has {facts.num_actions}"
        )
    return Heads(policy)


class Sb3Network(Network):
    """A policy evaluated by torch, on the processor."""

    def __init__(self, source: str, game: Game, model: Any, version: str) -> None:
        super().__init__(source, game, "ppo", TO_COME, version)
        self._heads = heads_of(model, game, source)
        model.policy.set_training_mode(False)

    def run(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with torch.no_grad():
            logits, values = self._heads(torch.from_numpy(observations))
        return logits.numpy(), values.numpy()


def load_sb3_model(path: Path) -> Any:
    """A model saved by SB3.

    It is unpickled, which runs what its maker put there: for trusted files only.
    """
    if not path.is_file():
        raise SpecificationError(f"there is no file {str(path)!r}")
    other = _other_algorithm(path)
    if other is not None:
        raise SpecificationError(
            f"{path} was saved by {other}; the policies that play from a file are those of PPO and "
            f"MaskablePPO (environments take any model that is loaded: opponent=model)"
        )
    try:
        try:
            return MaskablePPO.load(path, device="cpu")
        except ValueError as error:
            if "MaskableActorCriticPolicy" not in str(error):
                raise
            return PPO.load(path, device="cpu")  # the policy was trained without masks
    except Exception as error:  # unpickling raises whatever the file makes it raise
        reason = (str(error).strip().splitlines() or [""])[0]
        raise SpecificationError(
            f"{path} is no model saved by PPO or MaskablePPO, or a damaged one: "
            f"{type(error).__name__}: {reason}"
        ) from None


def _other_algorithm(path: Path) -> str | None:
    """The algorithm of a saved model, if it is one without an actor; nothing is unpickled.

    SB3 writes the module of the policy's class beside the pickled class.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            module = json.loads(archive.read("data"))["policy_class"]["__module__"]
        return OTHER_ALGORITHMS.get(module.split(".")[1])
    except (zipfile.BadZipFile, OSError, LookupError, ValueError, TypeError, AttributeError):
        return None


def load_sb3_network(path: Path, game: Game) -> Sb3Network:
    """The policy of a model saved by SB3; see :func:`load_sb3_model`."""
    model = load_sb3_model(path)
    return Sb3Network(str(path), game, model, hashlib.sha256(path.read_bytes()).hexdigest())
