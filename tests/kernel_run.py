"""Call every rule function, search and environment kernel of some games and print what came out, as
JSON.

tests/test_kernels.py starts this in fresh processes: compiled anew, from the disk cache, with
bounds checks, interpreted.

    python tests/kernel_run.py SPECIFICATION … [--agents SPECIFICATION …]
"""

from __future__ import annotations

import argparse
import json
import random
from typing import Any

import numpy as np
from playthroughs import digest, playthrough
from plyground import Game, make_agent, make_game
from plyground.envs import rules as r
from plyground.envs.aec import env as make_env
from plyground.envs.conformance.perft import perft
from plyground.envs.specification import SpecificationError


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
            [position.transformed(symmetry).key() for symmetry in range(len(game.symmetries))]
        )
        assert game.position_from_observation(position.observation()) == position
        position.play(rng.choice(position.legal_actions()))
    results.append(perft(game.initial_position(), 2))
    return results


def run_agent(game: Game, spec: str) -> list[Any]:
    """An agent's decisions along a game it plays against itself; none of a game it does not play."""
    try:
        agent = make_agent(spec, game, seed=3)
    except SpecificationError:
        return []
    position, results = game.initial_position(), []
    while not position.is_over and len(results) < 12:
        decision = agent.analyse(position)
        value = None if decision.value is None else float(decision.value)
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
        ended = termination or truncation
        env.step(None if ended else rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
    return results


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="+")
    parser.add_argument("--agents", nargs="*", default=[])
    arguments = parser.parse_args()
    results: dict[str, Any] = {}
    for spec in arguments.games:
        game = make_game(spec)
        results[f"{spec} rules"] = run_rules(game)
        results[f"{spec} environment"] = run_environment(game)
        for agent in arguments.agents:
            results[f"{spec} {agent}"] = run_agent(game, agent)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
