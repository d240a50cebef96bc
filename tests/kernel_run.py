"""Call every rule function, search and environment kernel of the registered games and agents, and
print what came out, as JSON.

tests/envs/test_kernels.py starts this in fresh processes: twice compiled, with bounds checks,
interpreted.

    python tests/kernel_run.py FOLDER [--each-agent-once]

FOLDER holds a policy file for every game, NAME.onnx.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
from helpers import AGENTS, SMALL_GAMES, random_position
from numba.core import event
from playthroughs import digest, playthrough
from plyground import Game, make_agent, make_game
from plyground.envs import rules as r
from plyground.envs.aec import env as make_env
from plyground.envs.conformance.perft import perft
from plyground.envs.specification import SpecificationError

MOST_PLIES = 8  # agents are asked so many plies before the end of the longest game


class CompiledKernels(event.Listener):
    """Notes the names of the kernels that are compiled; those loaded from a cache are not."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        self.names.append(f"{function.__module__}.{function.__qualname__}")

    def on_end(self, event: Any) -> None:
        pass


def run_rules(game: Game) -> list[Any]:
    """A random game with every rule function at every ply."""
    rng, position = random.Random(5), game.initial_position()
    results: list[Any] = [playthrough(game.spec, 5)]
    while not position.is_over:
        heuristics = range(len(game.declaration.heuristics))
        results.append(
            [
                int(r.evaluate(game.rules, position.record, player, index))
                for index in heuristics
                for player in (0, 1)
            ]
        )
        actions = np.array(position.legal_actions(), np.int16)
        r.order_actions(game.rules, position.record, actions, len(actions))
        results.append(digest(actions))
        results.append(
            [position.transformed(symmetry).key for symmetry in range(len(game.symmetries))]
        )
        assert game.position_from_observation(position.observation()) == position
        position.play(rng.choice(position.legal_actions()))
    results.append(perft(game.initial_position(), 2))
    return results


def run_agent(game: Game, spec: str) -> list[Any] | None:
    """An agent's decisions in a game that it plays against itself; None for a game it refuses."""
    try:
        agent = make_agent(spec, game, seed=3)
    except SpecificationError:
        return None
    results: list[Any] = []
    position = random_position(game, max(game.facts.longest_game - MOST_PLIES, 0))
    while not position.is_over:
        decision = agent.analyse(position)
        # Interpreted, a network is evaluated by onnxruntime, whose last digits are others.
        value = None if decision.value is None else round(float(decision.value), 5)
        results.append(
            [int(decision.action), value, int(decision.nodes), int(decision.simulations)]
        )
        position.play(decision.action)
    return results


def run_environment(game: Game) -> list[Any]:
    """A game in the AEC environment."""
    env, rng, results = make_env(game), random.Random(7), []
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        results.append(
            [
                agent,
                float(reward),
                digest(observation["observation"]),
                digest(observation["action_mask"]),
            ]
        )
        is_over = termination or truncation
        env.step(None if is_over else rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
    return results


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", type=Path)
    parser.add_argument(
        "--each-agent-once",
        action="store_true",
        help="ask every agent in one game only, the last that it plays",
    )
    arguments = parser.parse_args()
    counter = CompiledKernels()
    event.register("numba:compile", counter)
    results: dict[str, Any] = {}
    games = [make_game(spec) for spec in SMALL_GAMES]
    for game in games:
        results[f"{game.spec} rules"] = run_rules(game)
        results[f"{game.spec} environment"] = run_environment(game)
    for name, spec in AGENTS.items():
        # A game in which a player can move twice asks the most of a search.
        for game in sorted(games, key=lambda game: not game.facts.moves_again):
            network = str(arguments.networks / f"{game.name}.onnx")
            decisions = run_agent(game, spec.replace("{network}", network))
            if decisions is not None:
                results[f"{game.spec} {name}"] = decisions
            # Every game has a solver of its own.
            if decisions is not None and arguments.each_agent_once and name != "solver":
                break
    print(json.dumps({"results": results, "compiled": counter.names}))


if __name__ == "__main__":
    main()
