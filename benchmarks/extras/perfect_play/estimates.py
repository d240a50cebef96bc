"""The quality of search estimates as forecasts: do they jump, and do they come true?

    python benchmarks/extras/perfect_play/estimates.py [GAME …] [--games 400] [--write FILE]

Two equal agents play from random openings. Two middle-game positions of each game are valued. An
estimate of x points is a forecast of the expected score ``1 / (1 + 3 ** (-x / lead))``, see
``Profile.scale``. The columns:

- *jump*: the median of |v(d) − v(d + 1)|, in % of expected score, over 200 positions and all depths
  from 2 that take at most 100,000 nodes. ``value`` is the value of the last depth, ``level`` the
  mean of the last two, which reviews and pages show.
- *lead*: the lead of the game's profile, and the lead with the least squared error.
- *comes true*: in the same number of other games: the score in per cent of sides with a forecast of
  20 to 30 %, and the number of these positions. The same for 10 to 20, 30 to 40 and 40 to 50 %.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
from plyground import Agent, Game, Position, make_agent, make_game
from plyground.evaluation.match import play_game

GAMES = (
    "tic_tac_toe:rows=6,cols=6,connect=4",
    "connect_four",
    "dots_and_boxes",
    "gomoku",
    "othello",
    "hex",
    "breakthrough",
    "kalah",
    "ultimate_tic_tac_toe",
)
PLAYER, ESTIMATOR = "alphabeta:nodes=3000", "alphabeta:nodes=20000"
MOST_NODES, DEPTHS = 100_000, range(2, 11)
JUMPS = 200  # positions
MIDDLE = (0.2, 0.45, 0.7)  # shares of a game's plies between which its two positions lie
CENTRE = 5  # largest distance of openings from the centre, on boards of stones
LEADS = np.round(np.geomspace(1, 1000, 100), 1)
BINS = ((0.1, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5))


def opening(game: Game, chance: random.Random) -> list[int]:
    """Two to six random moves; on boards of more than 100 cells they are near the centre."""
    position, moves = game.initial_position(), list[int]()
    for _ in range(chance.randint(2, 6)):
        legal = position.legal_actions()
        if len(legal) > 100:
            legal = sorted(legal, key=lambda a: abs(a - game.facts.num_actions // 2))[: CENTRE**2]
        moves.append(chance.choice(legal))
        position.play(moves[-1])
    return moves


def positions(game: Game, games: int, seed: int) -> list[tuple[Position, float]]:
    """Two middle-game positions of each game, and the scores of their movers, 0 to 1."""
    chance = random.Random(seed)
    seats = [make_agent(PLAYER, game) for _ in range(2)]
    result: list[tuple[Position, float]] = []
    while len(result) < 2 * games:
        played = play_game(game, seats, opening(game, chance), (len(result), len(result) + 1))
        bounds = [int(share * len(played.moves)) for share in MIDDLE]
        for first, last in itertools.pairwise(bounds):
            position = game.position(played.moves[: chance.randint(first, last)])
            outcome = np.sign(played.returns[position.to_move])
            result.append((position, float(0.5 + 0.5 * outcome)))
    return result


def expected(points: Any, lead: float) -> Any:
    """Points of an estimate as an expected score from 0 to 1."""
    return 1 / (1 + 3.0 ** np.clip(-points / lead, -50, 50))


def jumps(game: Game, sample: list[Position]) -> dict[str, list[tuple[float, float]]]:
    """The values and levels of pairs of searches at successive depths."""
    pairs: dict[str, list[tuple[float, float]]] = {"value": [], "level": []}
    searches = [make_agent(f"alphabeta:depth={depth}", game) for depth in DEPTHS]
    for position in sample:
        before = None
        for search in searches:
            decision = search.analyse(position)
            score = decision.score
            if score is None or score.is_exact or score.plies or decision.nodes > MOST_NODES:
                break
            if before is not None:
                pairs["value"].append((before.value, score.value))
                pairs["level"].append((before.level, score.level))
            before = score
    return pairs


def forecasts(game: Game, sample: list[tuple[Position, float]]) -> dict[str, list[float]]:
    """Values and levels of positions in points, and the scores of their movers."""
    estimator: Agent = make_agent(ESTIMATOR, game)
    rows: dict[str, list[float]] = {"value": [], "level": [], "outcome": []}
    for position, outcome in sample:
        score = estimator.analyse(position).score
        if score is not None and not score.is_exact and not score.plies:
            for name, number in zip(rows, (score.value, score.level, outcome)):
                rows[name].append(number)
    return rows


def measure(spec: str, games: int) -> dict[str, Any]:
    """The figures of a game."""
    game = make_game(spec)
    fitted, others = (positions(game, games, seed) for seed in (1, 2))
    return {
        "jumps": jumps(game, [position for position, _ in fitted[:JUMPS]]),
        "fitted": forecasts(game, fitted),
        "others": forecasts(game, others),
    }


def line(spec: str, data: dict[str, Any]) -> str:
    """A row of the table."""
    lead = make_game(spec).profile.lead
    levels, outcomes = (np.array(data["fitted"][name]) for name in ("level", "outcome"))
    errors = [np.mean((expected(levels, each) - outcomes) ** 2) for each in LEADS]
    best = LEADS[int(np.argmin(errors))]
    cells = []
    for name in ("value", "level"):
        first, second = expected(np.array(data["jumps"][name]), lead).T
        cells.append(f"{100 * np.median(abs(first - second)):6.1f}")
    levels, outcomes = (np.array(data["others"][name]) for name in ("level", "outcome"))
    forecast = expected(np.concatenate([levels, -levels]), lead)
    outcome = np.concatenate([outcomes, 1 - outcomes])
    for low, high in BINS:
        inside = (forecast >= low) & (forecast < high)
        share = f"{100 * outcome[inside].mean():.0f}" if inside.any() else "–"
        cells.append(f"{share:>6} of {inside.sum():<4}")
    return f"{spec:36} {' '.join(cells[:2])}  {lead:6g} {best:6g}  {' '.join(cells[2:])}"


def main() -> None:
    """Print a line for each game; ``--write`` stores the figures, and reads stored ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="*", default=GAMES)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--write", type=Path, help="keep what was measured in this file")
    options = parser.parse_args()
    kept = json.loads(options.write.read_text()) if options.write and options.write.exists() else {}
    bins = " ".join(f"{100 * low:5.0f}–{100 * high:.0f} %  " for low, high in BINS)
    print(f"{'':36} jump: value, level   lead   best  comes true: {bins}")
    for spec in options.game:
        if spec not in kept:
            kept[spec] = measure(spec, options.games)
            if options.write:
                options.write.write_text(json.dumps(kept))
        print(line(spec, kept[spec]), flush=True)


if __name__ == "__main__":
    sys.exit(main())
