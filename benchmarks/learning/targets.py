"""The quality of the policy targets of AlphaZero's search.

A network plays with each search. In samples of its games that the exact solver solves, the target
is compared with the network's policy::

    python benchmarks/learning/targets.py zoo:connect_four "simulations=400 value_scale=0.5"

Optimal: how often the most probable action is a best action: a quickest win or the largest margin;
with ``--returns``, any win. Mass: the total probability of all best actions. A perfect learner is
as good as its targets, and no better.
"""

from __future__ import annotations

import argparse

import numpy as np
import scipy.stats
import torch
from plyground import make_game
from plyground.agents.policies.named import open_network
from plyground.agents.policies.prediction import masked_softmax
from plyground.agents.solvers.solver import make_solver
from plyground.training.alphazero.self_play import SelfPlayer
from plyground.training.alphazero.settings import AlphaZeroSettings

GAMES = 128  # at once


def samples(game, network: str, search: str, count: int):
    """Endless observations and policy targets, from games with this search."""
    texts = [f"predecessor={network}", f"games={GAMES}", "full_share=1", "random_openings=1"]
    settings = AlphaZeroSettings.for_game(game, {}, [*texts, *search.split()])
    player = SelfPlayer(game, settings, torch.device("cpu"), 7)
    shape, random = game.facts.observation_shape, np.random.default_rng(0)
    while True:
        chunk = player.play({}, 1.0, 4 * count * settings.search.span.last).chunk
        observations = np.unpackbits(chunk.observations, axis=1, count=int(np.prod(shape)))
        for index in random.permutation(len(observations)):
            observation = observations[index].reshape(shape).astype(np.int8)
            yield observation, chunk.policies[index].astype(np.float64)


def pieces(observation: np.ndarray) -> int:
    """Cells that hold a piece of either player."""
    return int(np.count_nonzero(observation[..., :2].any(axis=-1)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", help="zoo:NAME, a policy file or a run of AlphaZero")
    parser.add_argument("searches", nargs="+", help='settings: "simulations=400 value_scale=0.5"')
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--positions", type=int, default=500)
    parser.add_argument("--plies", type=int, default=12, help="pieces set before, at least")
    parser.add_argument("--returns", action="store_true", help="judge by the result alone")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    game = make_game(arguments.game)
    solver, network = make_solver(game, 1024), open_network(arguments.network).for_game(game)
    least = arguments.plies + pieces(game.initial_position().observation())
    for search in arguments.searches:
        rows = []
        for observation, policy in samples(game, arguments.network, search, arguments.positions):
            position = game.position_from_observation(observation)
            if position.is_over or pieces(observation) < least:
                continue
            values = solver.action_values(position)
            if arguments.returns:
                values = {a: solver.expected_return(position, v) for a, v in values.items()}
            best = [action for action in values if values[action] == max(values.values())]
            if len(best) == len(values):
                continue
            logits, _ = network.evaluate(observation[None])
            own = masked_softmax(logits, position.action_mask()[None])[0]
            target = policy / policy.sum()
            rows.append([p.argmax() in best for p in (own, target)])
            rows[-1] += [p[best].sum() for p in (own, target)]
            if len(rows) == arguments.positions:
                break
        own, target, own_mass, target_mass = np.mean(rows, axis=0)
        hits = round(target * len(rows))
        low, high = scipy.stats.binomtest(hits, len(rows)).proportion_ci(method="wilson")
        print(
            f"{search}: optimal {100 * target:.1f} % ({100 * low:.1f} to {100 * high:.1f}, "
            f"{len(rows)} positions), the network alone {100 * own:.1f} %; "
            f"mass {100 * target_mass:.1f} %, alone {100 * own_mass:.1f} %"
        )


if __name__ == "__main__":
    main()
