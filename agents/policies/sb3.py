"""Models of stable-baselines3 and sb3-contrib as networks; importing this file imports torch."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import QRDQN, MaskablePPO
from stable_baselines3 import DQN, PPO

from ...envs.environments.observations import find_layout
from ...envs.game import Game
from ...envs.specification import SpecificationError
from .heads import ActorCriticHeads, Heads, Normalisation, QHeads
from .policy_file import Network

PLAYABLE = "PPO, MaskablePPO, A2C, DQN and QR-DQN"
# By the names of their modules in stable_baselines3 and sb3_contrib; their actions are not moves.
OTHER_ALGORITHMS = {name: name.upper() for name in ("sac", "td3", "ddpg", "tqc", "ars")}
# A model is loaded by the algorithm whose policy it holds; A2C and PPO share one.
ALGORITHMS: dict[str, Any] = {"dqn": DQN, "qrdqn": QRDQN}


def heads_of(model: Any, game: Game, source: str) -> Heads:
    """The network of an SB3 model.

    Raises SpecificationError if it does not fit this game's observations and actions.
    """
    policy: Any = getattr(model, "policy", None)
    q_network = getattr(policy, "q_net", None) or getattr(policy, "quantile_net", None)
    is_actor = all(hasattr(policy, part) for part in ("mlp_extractor", "action_net", "value_net"))
    if (q_network is None and not is_actor) or hasattr(policy, "lstm_actor"):
        raise SpecificationError(
            f"{source} is a {type(model).__name__}; policies are taken from {PLAYABLE}, those "
            f"without memory"
        )
    shape = getattr(policy.observation_space, "shape", None)
    actions = getattr(policy.action_space, "n", None)
    facts = game.facts
    layout = find_layout(shape, facts.observation_shape)
    if layout is None or actions != facts.num_actions:
        raise SpecificationError(
            f"{source} takes observations of shape {shape} and has {actions} actions; "
            f"{game.spec} is observed as {facts.observation_shape} and has {facts.num_actions}"
        )
    heads = ActorCriticHeads(policy, layout) if q_network is None else QHeads(q_network, layout)
    heads.normalisation = normalisation_of(model, source)
    return heads


def normalisation_of(model: Any, source: str) -> Normalisation | None:
    """The VecNormalize of a model's observations, as a layer; None if there is none.

    Raises SpecificationError if they were normalised and the statistics are missing.
    """
    env = getattr(model, "_vec_normalize_env", None)
    if env is not None:
        return Normalisation(env)
    last = getattr(model, "_last_obs", None)
    if last is not None and (np.asarray(last) % 1 != 0).any():
        raise SpecificationError(
            f"{source} was trained on normalised observations (VecNormalize), "
            f"but does not contain the statistics; load it in Python with "
            f"env=VecNormalize.load(FILE, env)"
        )
    return None


def algorithm_name(model: Any) -> str:
    """The name of a model's algorithm in policy files: ``ppo``, ``dqn``."""
    return type(model).__name__.lower().removeprefix("maskable").removeprefix("masked")


class Sb3Network(Network):
    """A policy evaluated by torch, on the processor unless a module of it is asked for."""

    def __init__(self, source: str, game: Game, model: Any, version: str) -> None:
        self._heads = heads_of(model, game, source)
        super().__init__(source, game, algorithm_name(model), self._heads.meaning, version)
        model.policy.set_training_mode(False)

    def run(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with torch.no_grad():
            logits, values = self._heads(torch.from_numpy(observations))
        return logits.numpy(), values.numpy()

    def as_module(self) -> Any:
        return copy.deepcopy(self._heads)


def load_sb3_model(path: Path) -> Any:
    """A model saved by SB3.

    Unpickling runs any code in the file: for trusted files only.
    """
    if not path.is_file():
        raise SpecificationError(f"there is no file {str(path)!r}")
    name = _module_of(path)
    if name in OTHER_ALGORITHMS:
        raise SpecificationError(
            f"{path} was saved by {OTHER_ALGORITHMS[name]}; the models that play from a file are "
            f"those of {PLAYABLE}"
        )
    try:
        if name in ALGORITHMS:
            return ALGORITHMS[name].load(path, device="cpu")
        try:
            return MaskablePPO.load(path, device="cpu")
        except ValueError as error:
            if "MaskableActorCriticPolicy" not in str(error):
                raise
            return PPO.load(path, device="cpu")  # the policy was trained without masks
    except pickle.UnpicklingError as error:
        # torch's message advises to unpickle the untrusted content
        raise SpecificationError(
            f"{path} is refused: where a model saved by {PLAYABLE} holds weights, it holds objects "
            f"of other kinds, or is damaged"
        ) from error
    except Exception as error:  # unpickling raises whatever the file makes it raise
        reason = (str(error).strip().splitlines() or [""])[0]
        raise SpecificationError(
            f"{path} is not a model saved by {PLAYABLE}, or is damaged: "
            f"{type(error).__name__}: {reason}"
        ) from None


def _module_of(path: Path) -> str | None:
    """The module of the algorithm of a saved model's policy; nothing is unpickled.

    SB3 writes the module of the policy class next to the pickled class.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            module = json.loads(archive.read("data"))["policy_class"]["__module__"]
        return str(module.split(".")[1])
    except (zipfile.BadZipFile, OSError, LookupError, ValueError, TypeError, AttributeError):
        return None


def load_sb3_network(path: Path, game: Game) -> Sb3Network:
    """The policy of a model saved by SB3; see :func:`load_sb3_model`."""
    model = load_sb3_model(path)
    return Sb3Network(str(path), game, model, hashlib.sha256(path.read_bytes()).hexdigest())
