"""The signature of the search agents: their counts on fixed positions.

    python benchmarks/signature.py            # compares with signature.toml
    python benchmarks/signature.py --write    # writes signature.toml

The first exits with status 1 if the signature has changed. The second belongs to an intended
change, which the changelog names.

A non-functional change of a search, an ordering, a heuristic or a random stream must keep the
signature. The numbers do not depend on the machine or its speed. There are two kinds: an integer is
the sum of the nodes over the game's positions, a text is a digest of the visits (``mcts``), the
mean returns (``montecarlo``) or the evaluations (``greedy``) of every action.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tomllib
from pathlib import Path

from plyground import make_agent, make_game
from plyground.agents import Decision

SIGNATURE = Path(__file__).with_name("signature.toml")
PLAIN = "ordering=none,table=0,killers=no,history=no,scout=no,iterative=no,symmetry=no"
SAMPLERS = (
    "mcts:simulations=400",
    "montecarlo:simulations=20",
    "greedy",
)

# Game: positions by their moves, and the agents besides the samplers.
WORK: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "tic_tac_toe": (
        ("", "b2", "a1,b2,c3"),
        ("minimax:depth=9", f"alphabeta:depth=9,{PLAIN}", "alphabeta:depth=9", "solver:memory=16"),
    ),
    "tic_tac_toe:size=5,connect=4": (
        ("", "c3,b2", "c3,c4,b3,d3,b4"),
        (
            "minimax:depth=3",
            f"alphabeta:depth=4,{PLAIN}",
            "alphabeta:depth=6",
            "alphabeta:depth=5,heuristic=none",
        ),
    ),
    "connect_four": (
        ("", "d,d,d", "d,c,d,c,e,f,b,d,d,c,a", "a,b,a,b,g,f,e"),
        (
            "minimax:depth=4",
            f"alphabeta:depth=6,{PLAIN}",
            "alphabeta:depth=9",
            "alphabeta:depth=9,heuristic=windows",
            "alphabeta:depth=6,values=yes",
            "alphabeta:nodes=20000",
        ),
    ),
    "connect_four:rows=5,cols=5": (
        ("", "c,c,b"),
        ("solver:memory=16", "solver:memory=16,moves=all"),
    ),
    "dots_and_boxes:rows=3,cols=3": (
        ("", "h 1 1,v 1 1,h 2 1", "h 0 0,h 0 1,h 0 2,v 0 0,v 1 0,v 2 0,h 3 0,h 3 1,h 3 2,v 0 3"),
        (
            "minimax:depth=3",
            f"alphabeta:depth=4,{PLAIN}",
            "alphabeta:depth=6",
            "alphabeta:depth=5,heuristic=classic",
        ),
    ),
    # a board too large for complete search
    "dots_and_boxes:rows=3,cols=4": (("h 1 1,v 1 1,h 2 1",), ("solver:memory=16",)),
    "gomoku": (
        ("", "h8,i9,h9,h7", "h8,i9,h9,h7,i8,g8,j8,k8,g10,i10"),
        (
            "minimax:depth=2,radius=1",
            f"alphabeta:depth=2,{PLAIN}",
            "alphabeta:depth=6",
            "alphabeta:depth=3,heuristic=caro15",
            "hard",
        ),
    ),
    "hex:size=7": (
        ("", "d4,c5,e3"),
        (
            "minimax:depth=2",
            "alphabeta:depth=3",
            "mcts:simulations=400,playout=uniform",
        ),
    ),
    "gomoku:size=10,rule=caro": (
        ("e5,f6", "e5,f6,e6,e4,f5,d5,g5,h5"),
        ("alphabeta:depth=6", "alphabeta:depth=3,heuristic=caro10"),
    ),
}


def digest(numbers: dict[int, float]) -> str:
    """Eight hexadecimal digits that depend on every number."""
    text = ",".join(f"{action}={value:.9g}" for action, value in sorted(numbers.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def action_numbers(decision: Decision) -> dict[int, float]:
    """Visits of every action of an agent that samples; values if all visits are equal."""
    visits = decision.visits or {}
    return dict(visits) if len(set(visits.values())) > 1 else dict(decision.values or {})


def measure(game_spec: str, agent_spec: str) -> int | str:
    """One line of the signature."""
    game, agent = make_game(game_spec), make_agent(agent_spec)
    nodes, parts = 0, []
    for moves in WORK[game_spec][0]:
        agent.reset(seed=1)
        decision = agent.analyse(game.position(moves.split(",") if moves else ()))
        nodes += decision.nodes
        parts.append(digest(action_numbers(decision)))
    if agent_spec not in SAMPLERS:
        return nodes
    return hashlib.sha256(",".join(parts).encode()).hexdigest()[:8]


def all_lines() -> list[tuple[str, str]]:
    """Every game with each of its agents."""
    return [(game, agent) for game, (_, agents) in WORK.items() for agent in (*agents, *SAMPLERS)]


def read(path: Path = SIGNATURE) -> dict[tuple[str, str], int | str]:
    """The stored signature."""
    games = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {(game, agent): value for game, lines in games.items() for agent, value in lines.items()}


def write(signature: dict[tuple[str, str], int | str], path: Path = SIGNATURE) -> None:
    """Store a signature."""
    text = "# Written by: python benchmarks/signature.py --write\n"
    for game in WORK:
        text += f'\n["{game}"]\n'
        for (line_game, agent), value in signature.items():
            if line_game == game:
                text += f'"{agent}" = ' + (
                    f"{value}\n" if isinstance(value, int) else f'"{value}"\n'
                )
    path.write_text(text, encoding="utf-8")


def main(arguments: list[str] | None = None, path: Path = SIGNATURE) -> int:
    """Measure, print, compare or write; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=(
            "How many nodes the search agents visit on fixed positions, compared with what is "
            "stored."
        )
    )
    parser.add_argument(
        "--write", action="store_true", help="store what is measured now; say so in the changelog"
    )
    writing = parser.parse_args(arguments).write
    expected, signature = read(path), {}
    for game, agent in all_lines():
        signature[game, agent] = measure(game, agent)
        before = expected.pop((game, agent), "nothing")
        note = "" if signature[game, agent] == before else f"   was {before}"
        print(
            f"{game:<30} {agent.replace(PLAIN, 'plain'):<46} {signature[game, agent]:>10}{note}",
            flush=True,
        )
        if note:
            expected[game, agent] = before
    for game, agent in expected.keys() - signature.keys():
        print(f"{game:<30} {agent:<46} is stored, but not measured any more")
    if writing:
        write(signature, path)
        print(
            f"written to {path.name}"
            + ("; it has moved: say so in the changelog" if expected else "; nothing has moved")
        )
        return 0
    if expected:
        print(
            "the signature has moved. If that is meant: python benchmarks/signature.py --write, "
            "and say so in the changelog",
            file=sys.stderr,
        )
    return 1 if expected else 0


if __name__ == "__main__":
    sys.exit(main())
