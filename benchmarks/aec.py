"""Moves per second of the connect-four environment and of positions, beside other libraries.

The environment is compared with PettingZoo's, a Position with an OpenSpiel state. Run with ``python
benchmarks/aec.py`` (a minute; ``--seconds 0.2`` for a rough look). Every contestant plays random
legal moves. The contestants of a comparison take turns, and medians over the turns are printed. The
clock is the process's own processor time, so that other work on the machine hardly matters.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable

import numpy as np
import pettingzoo
import plyground
from pettingzoo.classic.connect_four.connect_four import raw_env as pettingzoo_raw_env
from plyground.envs import connect_four_v0
from rich.console import Console
from rich.table import Table


def play_environment(environment: pettingzoo.AECEnv, choose: Callable[[], float]) -> int:
    """One random game with ``last()`` and ``step()``; returns the number of moves."""
    environment.reset()
    moves = 0
    for _ in environment.agent_iter():
        observation, _, terminated, truncated, _ = environment.last()
        if terminated or truncated:
            environment.step(None)
        else:
            legal = observation["action_mask"].nonzero()[0]
            environment.step(int(legal[int(choose() * len(legal))]))
            moves += 1
    return moves


def play_position(game: plyground.Game, choose: Callable[[], float]) -> int:
    """One random game on a Position, with observation and mask before every move."""
    position = game.initial_position()
    moves = 0
    while not position.is_over:
        position.observation()
        legal = position.action_mask().nonzero()[0]
        position.play(int(legal[int(choose() * len(legal))]))
        moves += 1
    return moves


def play_open_spiel(game, choose: Callable[[], float]) -> int:
    """The same with OpenSpiel's Python interface, whose observation and mask are lists."""
    state = game.new_initial_state()
    moves = 0
    while not state.is_terminal():
        state.observation_tensor()
        mask = state.legal_actions_mask()
        legal = [action for action, allowed in enumerate(mask) if allowed]
        state.apply_action(legal[int(choose() * len(legal))])
        moves += 1
    return moves


def play_open_spiel_arrays(game, choose: Callable[[], float]) -> int:
    """The same with observation and mask as arrays, as a Position gives them to a learner."""
    state = game.new_initial_state()
    moves = 0
    while not state.is_terminal():
        np.array(state.observation_tensor(), np.float32)
        legal = np.array(state.legal_actions_mask(), np.int8).nonzero()[0]
        state.apply_action(int(legal[int(choose() * len(legal))]))
        moves += 1
    return moves


def measure(
    contestants: dict[str, Callable[[Callable[[], float]], int]], seconds: float, turns: int
) -> dict[str, float]:
    """Median moves per second of each contestant, which takes ``turns`` turns of ``seconds``."""
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(turns + 1):
        for name, play in contestants.items():
            choose = random.Random(turn).random
            moves, began = 0, time.process_time()
            while (spent := time.process_time() - began) < seconds:
                moves += play(choose)
            if turn > 0:  # the first turn warms up
                rates[name].append(moves / spent)
    return {name: statistics.median(found) for name, found in rates.items()}


def comparisons() -> dict[str, dict[str, Callable[[Callable[[], float]], int]]]:
    """Each comparison: ours first, then what it is held against."""
    game = plyground.make_game("connect_four")
    environments = {
        "env()": (connect_four_v0.env(), pettingzoo.make("aec", "classic/connect_four-v3")),
        "raw_env()": (connect_four_v0.raw_env(), pettingzoo_raw_env()),
    }
    found = {}
    for title, (ours, theirs) in environments.items():
        found[title] = {
            "plyground": lambda choose, ours=ours: play_environment(ours, choose),
            "PettingZoo": lambda choose, theirs=theirs: play_environment(theirs, choose),
        }
    found["Position"] = {"plyground": lambda choose: play_position(game, choose)}
    try:
        import pyspiel
    except ImportError:
        return found
    spiel = pyspiel.load_game("connect_four")
    found["Position"]["OpenSpiel, arrays"] = lambda choose: play_open_spiel_arrays(spiel, choose)
    found["Position"]["OpenSpiel, lists"] = lambda choose: play_open_spiel(spiel, choose)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a turn")
    parser.add_argument("--turns", type=int, default=7, help="turns of each contestant")
    options = parser.parse_args()
    table = Table(title="connect four, random legal moves, one core")
    for heading in ("loop", "contestant", "moves/s", "µs/move", "ours faster by"):
        table.add_column(heading)
    for column in table.columns[2:]:
        column.justify = "right"
    for title, contestants in comparisons().items():
        rates = measure(contestants, options.seconds, options.turns)
        ours = next(iter(rates))
        for name, rate in rates.items():
            ratio = "" if name == ours else f"{rates[ours] / rate:.1f}"
            table.add_row(
                title if name == ours else "", name, f"{rate:,.0f}", f"{1e6 / rate:.1f}", ratio
            )
        table.add_section()
    Console().print(table)


if __name__ == "__main__":
    main()
