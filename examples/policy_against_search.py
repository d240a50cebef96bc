"""Train a policy for some seconds, write it as a policy file, and see how it plays against search:
alone, and as the network of a tree search.

    python examples/policy_against_search.py

The policy file states its game and is played without torch; the tournament plays every opening in
both seats.
"""

import argparse
import tempfile
from pathlib import Path

from plyground.evaluation import CrossTable, Plan, Store, Tournament
from plyground.evaluation.report.display import print_cross_table
from plyground.training import BoardVecEnv, export_policy
from rich.console import Console
from sb3_contrib import MaskablePPO


def train(game: str, steps: int, path: Path) -> None:
    """Learn against a random player and a shallow search, then write the policy file."""
    env = BoardVecEnv(game, 128, "mix:1 random,1 alphabeta:depth=2")
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=16,
        batch_size=512,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        device="cpu",
        seed=1,
    )
    model.learn(steps)
    export_policy(model, path, game)


def compare(game: str, policy: Path, folder: Path, pairs: int) -> CrossTable:
    """A tournament of the policy, the policy inside a search, and plain searches."""
    names = {
        "policy": f"onnx:{policy}",
        "policy in mcts": f"mcts:simulations=100,network={policy}",
        "mcts": "mcts:simulations=100",
        "alphabeta": "alphabeta:depth=4",
        "random": "random",
    }
    with Store(folder / "games.db") as store:
        tournament = Tournament(Plan(game, tuple(names.values()), pairs=pairs), store)
        tournament.run()
        return CrossTable(list(names), tournament.game, tournament.played())


def main(arguments: list[str] | None = None) -> CrossTable:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="tic_tac_toe")
    parser.add_argument(
        "--policy", type=Path, help="a policy file to evaluate (default: train one now)"
    )
    parser.add_argument("--steps", type=int, default=60_000, help="of training")
    parser.add_argument("--pairs", type=int, default=20, help="pairs of games between each two")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        policy = options.policy or folder / "policy.onnx"
        if options.policy is None:
            train(options.game, options.steps, policy)
        table = compare(options.game, policy, folder, options.pairs)
    print_cross_table(table, Console())
    return table


if __name__ == "__main__":
    main()
