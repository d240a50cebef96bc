"""How strong the mixture of a league is, in games that its training has not seen.

    plyground train league connect_four --out leagues/c4 --rounds 9
    python benchmarks/learning/league.py leagues/c4 --against alphabeta:depth=4
    python benchmarks/learning/league.py leagues/ttt --against solver

Each member of the last mixture plays pairs of games from random openings of another seed than the
league's: against every other member, and against the agents that ``--against`` names. The mixture's
score is that of its members by their weights, with a 95 % interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import cyclopts
from plyground.evaluation.gauntlet import evaluate
from plyground.extras.league.league import League
from plyground.extras.league.psro import read_training

OTHER_SEED = 1000


def main(
    folder: Path,
    *,
    against: Annotated[tuple[str, ...], cyclopts.Parameter(consume_multiple=True)] = (),
    pairs: int = 200,
    plies: int = 2,
) -> None:
    """Print the score of the mixture against each opponent.

    Args:
        folder: of the league.
        against: agents beside the members.
        pairs: of games of each member of the mixture with each opponent.
        plies: random moves of an opening.
    """
    facts = read_training(folder)["description"]
    league = League(
        folder, facts["game"], anchors=facts["anchors"], temperature=facts["temperature"]
    )
    weights = {name: weight for name, weight in league.weights.items() if weight > 0.005}
    total = sum(weights.values())
    print(", ".join(f"{name} {weight / total:.2f}" for name, weight in weights.items()))

    def scores(opponent: str) -> Iterator[tuple[float, float, float]]:
        for name, weight in weights.items():
            (row,) = evaluate(
                league.specification(name),
                league.game,
                against=[opponent],
                pairs=pairs,
                opening_plies=plies,
                seed=facts["seed"] + OTHER_SEED,
            )
            yield weight / total, row.score, (row.high - row.low) / 2

    members = [league.specification(name) for name in league.members]
    for opponent in (*members, *against):
        rows = list(scores(opponent))
        score = sum(weight * value for weight, value, _ in rows)
        margin = math.sqrt(sum((weight * half) ** 2 for weight, _, half in rows))
        name = opponent.rpartition("/")[2]
        print(f"{name}: {100 * score:.1f} % ± {100 * margin:.1f}", flush=True)


if __name__ == "__main__":
    cyclopts.run(main)
