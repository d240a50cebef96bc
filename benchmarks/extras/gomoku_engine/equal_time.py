"""Two agents on gomoku at equal processor time, in separate processes.

Run with ``python benchmarks/extras/gomoku_engine/equal_time.py gomoku alphabeta --seconds 0.3
--games 40``. The clock of each agent is the processor time of its process, so that other load
favours neither side. With ``--trees FOLDER FOLDER`` the agents come from two checkouts, to measure
a change. Openings are a few random stones near the centre that the engine evaluates as even; each
is played from both seats. The match ends early if the result is clear, unless ``--all`` is given.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import Any

from plyground import Game, make_agent, make_game
from plyground.evaluation.openings import Openings
from plyground.evaluation.plan import Plan

FEWEST, CLEAR = 24, 2.6  # games before an early end; standard errors from a score of one half


def serve(spec: str, game_spec: str) -> None:
    """Answer positions from standard input: the action, its depth, nodes and seconds."""
    from plyground.agents import deadline
    from plyground.agents.search import alphabeta, mcts, puct
    from plyground.extras.gomoku_engine import engine

    clock: Any = types.SimpleNamespace(
        perf_counter=time.process_time, thread_time=time.process_time
    )
    for module in (deadline, alphabeta, mcts, puct, engine):
        module.time = clock  # type: ignore[attr-defined]
    game = make_game(game_spec)
    agent = make_agent(spec, game)
    agent.get_ready(game)
    agent.analyse(game.position(game.initial_position().legal_actions()[:3]))
    print("ready", flush=True)
    for line in sys.stdin:
        position = game.position([int(word) for word in line.split()])
        began = time.process_time()
        decision = agent.analyse(position)
        print(decision.action, decision.depth, decision.nodes, time.process_time() - began)
        sys.stdout.flush()


class Side:
    """An agent in a separate process, and the time it has used."""

    def __init__(self, spec: str, game: str, tree: str | None) -> None:
        self.depths: list[int] = []
        self.nodes, self.seconds = 0, 0.0
        environment = dict(os.environ)
        if tree is not None:
            folder = tempfile.mkdtemp()
            Path(folder, "plyground").symlink_to(Path(tree).resolve())
            environment["PYTHONPATH"] = folder
        self.process = subprocess.Popen(
            [sys.executable, __file__, spec, "--serve", "--game", game],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        if self._read() != "ready":
            raise SystemExit(f"{spec} does not start")

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def choose(self, moves: list[int]) -> int:
        """The agent's action after ``moves``."""
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(map(str, moves)) + "\n")
        self.process.stdin.flush()
        action, depth, nodes, seconds = self._read().split()
        if int(depth) > 2:
            self.depths.append(int(depth))
        self.nodes += int(nodes)
        self.seconds += float(seconds)
        return int(action)

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def play(game: Game, sides: tuple[Side, Side], moves: list[int]) -> float:
    """The result of a game for the first side, which moves first."""
    position, history = game.position(moves), list(moves)
    while not position.is_over:
        history.append(sides[position.to_move].choose(history))
        position.play(history[-1])
    return float(position.returns[0])


def error(pairs: list[float]) -> float:
    """The standard error of the mean score of pairs of games from one opening."""
    return max(statistics.stdev(pairs), 0.1) / math.sqrt(len(pairs))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT")
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--games", type=int, default=60, help="at most")
    parser.add_argument("--all", action="store_true", help="play on when the result is clear")
    parser.add_argument("--seconds", type=float, default=0.03, help="processor time a move")
    parser.add_argument("--trees", nargs=2, metavar="FOLDER", help="checkouts of the agents")
    parser.add_argument("--opening", default="balanced:5", help="as plyground tournament takes it")
    parser.add_argument("--seed", type=int, default=1, help="of the openings")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.agents[0], options.game)
        return
    game, pairs = make_game(options.game), []
    specs = [
        f"{spec}{',' if ':' in spec else ':'}time={options.seconds}" for spec in options.agents
    ]
    trees = options.trees or (None, None)
    one, two = (Side(spec, options.game, tree) for spec, tree in zip(specs, trees, strict=True))
    drawn = Openings(Plan(opening=options.opening, seed=options.seed), game)
    score, spread = 0.5, math.inf
    while 2 * len(pairs) + 1 < options.games:
        moves = list(drawn[len(pairs)])
        both = play(game, (one, two), moves) - play(game, (two, one), moves)
        pairs.append(0.5 + both / 4)
        score = sum(pairs) / len(pairs)
        if 2 * len(pairs) >= FEWEST:
            spread = error(pairs)
            if abs(score - 0.5) > CLEAR * spread and not options.all:
                break
    print(f"{100 * score:.0f} ± {196 * spread:.0f} % of {2 * len(pairs)}")
    for spec, side in zip(specs, (one, two), strict=True):
        depth, speed = sum(side.depths) / max(len(side.depths), 1), side.nodes / side.seconds
        print(f"{spec}: depth {depth:.1f}, {speed / 1000:.0f} thousand nodes a second")
        side.end()


if __name__ == "__main__":
    main()
