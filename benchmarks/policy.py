"""Speed of trained policies at connect four, alone and in MCTS instead of playouts.

Run with ``python benchmarks/policy.py [FILE.onnx]`` (a minute). Without a policy file the shipped
network ``zoo:connect_four`` is measured. Rates are per second of processor time on one core.

``python benchmarks/policy.py --evaluators`` compares the compiled kernel with onnxruntime instead,
for every shipped network (two minutes).
"""

from __future__ import annotations

from collections.abc import Iterator

import cyclopts
import gymnasium
import numpy as np
import plyground
from plyground.agents.policies.policy_file import OnnxNetwork
from plyground.agents.policies.zoo import cards
from timing import Work, print_table, rates

GAME = plyground.make_game("connect_four")
BATCHES = (1, 8, 32)
AT_ONCE = 64
SIMULATIONS, POSITIONS, TURNS = 200, 256, 5
SEARCH_SECONDS = 0.01
VECTOR_GAMES, STEPS = (8, 64, 1024), 20


def positions() -> list[plyground.Position]:
    """Positions of random games."""
    rng, sample, position = np.random.default_rng(1), [], GAME.initial_position()
    while len(sample) < POSITIONS:
        sample.append(position)
        position = position.after(int(rng.choice(position.legal_actions())))
        if position.is_over:
            position = GAME.initial_position()
    return sample


def works(spec: str) -> Iterator[tuple[str, str, Work]]:
    """The measured work, with its name and unit."""
    agent, sample = plyground.make_agent(spec, GAME), positions()
    agent.get_ready(GAME)
    observations = np.stack([position.observation() for position in sample])
    masks = np.stack([position.action_mask() for position in sample])
    evaluate = agent.network.evaluate

    def search_work(search: plyground.Agent) -> Work:
        def simulations(position: plyground.Position) -> int:
            search.reset()  # without tree reuse
            return search.analyse(position).simulations

        return lambda: sum(map(simulations, sample[::16]))

    yield "one by one", "positions", lambda: len([agent.act(position) for position in sample])
    yield "all at once", "positions", lambda: len(agent.act_batch(observations, masks))
    for batch in BATCHES:
        search = plyground.make_agent(
            f"mcts:simulations={SIMULATIONS},network={spec},batch={batch}", GAME
        )
        search.get_ready(GAME)
        title = f"mcts:simulations={SIMULATIONS}, batch={batch}"
        yield title, "simulations", search_work(search)
        part = observations[:batch]
        title = f"the network alone, {batch} at once"
        yield title, "positions", lambda part=part: len(evaluate(part)[1])
    search = plyground.make_agent(f"mcts:time={SEARCH_SECONDS},network={spec}", GAME)
    search.get_ready(GAME)
    yield f"mcts:time={SEARCH_SECONDS}", "simulations", search_work(search)
    for games in VECTOR_GAMES:
        yield f"opponent in a vector of {games} games", "replies", reply_work(spec, games)


def reply_work(spec: str, games: int) -> Work:
    """Steps of vector games against the network, after random legal actions."""
    envs = gymnasium.make_vec("plyground/ConnectFour-v0", num_envs=games, opponent=spec)
    rng = np.random.default_rng(1)
    _, infos = envs.reset(seed=1)
    masks = infos["action_mask"]

    def step() -> int:
        nonlocal masks
        scores = rng.random(masks.shape) * masks
        *_, infos = envs.step(scores.argmax(axis=1))
        masks = infos["action_mask"]
        return games

    return lambda: sum(step() for _ in range(STEPS))


def evaluator_rows(seconds: float) -> Iterator[list[str]]:
    """Microseconds per position of the shipped networks, by the kernel and by onnxruntime."""
    for card in cards():
        network = card.network()
        networks = {
            network.evaluator: network,
            "onnxruntime": OnnxNetwork("", network.data, compiled=False),
        }
        shape = network.game.facts.observation_shape
        sample = np.random.default_rng(1).integers(0, 2, (AT_ONCE, *shape)).astype(np.float32)
        contestants = {
            f"{name} {len(part)}": lambda run=each.run, part=part: len(run(part)[1])
            for part in (sample[:1], sample)
            for name, each in networks.items()
        }
        results = rates(contestants, seconds, TURNS)
        yield [card.file, *(f"{1e6 / rate:.1f}" for rate in results.values())]


def main(
    policy: str = "zoo:connect_four", /, seconds: float = 0.4, evaluators: bool = False
) -> None:
    """Print the rates of a network.

    Args:
        policy: a policy file for connect four, or zoo:NAME; ,precision=bfloat16 may follow
        seconds: length of a turn
        evaluators: compare kernel and onnxruntime instead, for every shipped network
    """
    if evaluators:
        heads = [f"{name}, {n}" for n in (1, AT_ONCE) for name in ("kernel", "onnxruntime")]
        title = "µs a position, one at a time and many at once"
        print_table(title, ("network", *heads), evaluator_rows(seconds))
        return
    spec = policy if policy.startswith("zoo:") else f"policy:{policy}"
    rows = (
        (title, f"{rates({'': work}, seconds, TURNS)['']:,.0f}", unit)
        for title, unit, work in works(spec)
    )
    print_table(f"{spec}, per second on one core", ("work", "a second", "of"), rows)


if __name__ == "__main__":
    cyclopts.run(main)
