"""Fit the pattern tables of Othello, ``extras/games/othello/patterns.npz``.

Run with ``python benchmarks/extras/games/othello/fit_patterns.py FOLDER``. The positions come from
games of alpha-beta with some random moves. The last stage of the game is fitted first, to exact
margins. Each earlier stage is fitted to searches that end in later stages, with their fitted
weights. The folder stores games and labels, so the same command resumes. It prints the errors on a
held-out twentieth of the positions, and the hash for ``extras/games/othello/patterns.py``.

Source: Buro, "Improving heuristic mini-max search by supervised learning", 2002.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from plyground import make_agent, make_game
from plyground.agents.own.search_form import blank_records
from plyground.agents.search import deepening
from plyground.agents.search.alphabeta_kernels import LEAD, PROVEN, WIN
from plyground.envs import rules as r
from plyground.envs.compiled.bits import count_bits
from plyground.envs.compiled.kernels import kernel
from plyground.envs.compiled.randomness import new_stream, random_below, random_unit
from plyground.extras.games.othello import patterns
from plyground.extras.games.othello.board import open_cells
from plyground.extras.games.othello.rules import Othello
from rich.progress import track
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import lsqr

PLAYING_DEPTH, EXACT_EMPTIES = 3, 10
RANDOM_PLIES, RANDOM_SHARE, ASIDE_SHARE = 8, 0.1, 0.3  # at first; later; of moves not played
CHUNK = 250  # games
RIDGE, STEPS = 3.0, 60  # of the least squares
STATED = 0.05  # the share of each chunk, of its first games, that is not learnt from
MOST = 127  # of a weight


class FittedOthello(NamedTuple):
    """Othello with the weights fitted so far as its heuristic."""

    size: int
    reward: int
    empties: int
    edges: Any
    blocks: Any
    others: Any


for rule in [rule for rule in vars(r).values() if hasattr(rule, "body_for")]:
    if rule.body_for(Othello) is not None:
        rule.register_body(FittedOthello)(rule.body_for(Othello))


@r.evaluate.register_body(FittedOthello)
def evaluate(rules, position, player, heuristic):
    weights = rules.edges, rules.blocks, rules.others
    return patterns.pattern_points(rules, *weights, position, player)


@kernel
def search_to(search, plan, depth, source):
    """Search a record to a depth; the result is in the workspace's state."""
    plan = deepening.DeepeningPlan(
        1,
        depth,
        plan.decided_by_result,
        plan.by_result,
        plan.complete,
        plan.moves_again,
        plan.resists,
    )
    rules, options, _, workspace, table, symmetries = search
    deepening.begin(rules, plan, workspace, table, source)
    state = workspace.state[0]
    while state.stage == deepening.DEEPENING:
        deepening.deepen(rules, options, plan, workspace, table, symmetries, 1 << 40)


@kernel
def play_games(search, plan, games, rng, board, actions, out):
    """Play games; write positions, own and opponent's discs, to ``out``; returns their number."""
    rules, count = search[0], 0
    for _ in range(games):
        r.start(rules, board[0])
        random_plies = RANDOM_PLIES + random_below(rng, 4)
        while not r.is_over(rules, board[0]):
            legal = r.legal_actions(rules, board[0], actions)
            plies = count_bits(board[0].discs[0] | board[0].discs[1]) - 4
            action = np.int64(actions[random_below(rng, legal)])
            if plies >= RANDOM_PLIES and random_unit(rng) < ASIDE_SHARE:
                board[1] = board[0]
                r.play(rules, board[1], action)
                count = write_position(rules, board[1], out, count)
            if plies >= random_plies and random_unit(rng) >= RANDOM_SHARE:
                search_to(search, plan, PLAYING_DEPTH, board[0])
                action = np.int64(search[3].state[0].best_action)
            r.play(rules, board[0], action)
            if plies + 1 >= RANDOM_PLIES:
                count = write_position(rules, board[0], out, count)
    return count


@kernel
def write_position(rules, position, out, count):
    """Append the discs of the player to move and of the opponent, unless the game is over."""
    if not r.is_over(rules, position):
        out[count, 0], out[count, 1] = (
            position.discs[position.mover],
            position.discs[1 - position.mover],
        )
        count += 1
    return count


@kernel
def label(search, plan, depth, discs, board, margins):
    """Write the search values of positions for the player to move, in discs."""
    for i in range(discs.shape[0]):
        own, other = discs[i, 0], discs[i, 1]
        position = board[0]
        position.discs[0], position.discs[1], position.mover = own, other, 0
        position.moves = open_cells(search[0], own, other)
        position.state = 0 if position.moves != np.uint64(0) else 1
        empties = 64 - count_bits(own | other)
        search_to(search, plan, empties + 4 if empties <= EXACT_EMPTIES else depth, position)
        points = search[3].state[0].best
        if abs(points) <= PROVEN:
            margins[i] = points / patterns.POINTS_PER_DISC
        else:  # WIN, LEAD for each disc, less the plies
            margins[i] = np.sign(points) * np.ceil((abs(points) - WIN) / LEAD)


def new_search(heuristic, weights=None):
    """A search by a heuristic of the game or by weights, with its plan and a board."""
    game = make_game("othello:empties=nobody")
    agent = make_agent(f"alphabeta:depth=60,table=0.25,heuristic={heuristic}", game)
    search = agent.new_search(game, 60)
    if weights is not None:
        rules = FittedOthello(*game.rules, *patterns.spread_weights(weights))
        search = search._replace(rules=rules)
    return search, search.plan, blank_records(2, game.declaration.dtype)


def play_all(folder, games, heuristic):
    """The distinct positions of each chunk of games, uint64, (positions, 2); chunks are files."""
    search, plan, board = new_search(heuristic)
    actions, out = np.zeros(65, np.int16), np.zeros((200 * CHUNK, 2), np.uint64)
    chunks = []
    for chunk in track(range(-(-games // CHUNK)), "playing"):
        file = folder / f"games-{heuristic}-{chunk}.npy"
        if not file.exists():
            count = play_games(tuple(search), plan, CHUNK, new_stream(chunk), board, actions, out)
            _, first = np.unique(out[:count], axis=0, return_index=True)
            save(file, out[np.sort(first)])
        chunks.append(np.load(file))
    return chunks


def save(file, array):
    """Write an array; the file is whole or does not exist."""
    part = file.with_suffix(".part.npy")
    np.save(part, array)
    part.rename(file)


def label_all(folder, stage, chunks, depth, weights):
    """The margins of a stage's positions, float64, chunk by chunk; chunks are files."""
    search, plan, board = new_search("patterns", weights)
    parts = []
    for chunk, discs in enumerate(track(chunks, f"labelling stage {stage}")):
        file = folder / f"margins-{depth}-{stage}-{chunk}.npy"
        if not file.exists():
            margins = np.zeros(len(discs))
            label(tuple(search), plan, depth, discs, board, margins)
            save(file, margins)
        parts.append(np.load(file))
    return np.concatenate(parts)


def stages_of(discs):
    """The stage of the game of each position."""
    plies = np.bitwise_count(discs[:, 0] | discs[:, 1]).astype(np.int64) - 4
    stages = (plies - patterns.FIRST_PLIES) // patterns.STAGE_PLIES
    return stages.clip(0, patterns.STAGES - 1)


def columns_of(discs, starts):
    """The nonzero columns of the least-squares matrix for each position."""
    cells = np.arange(64, dtype=np.uint64)
    digits = (discs[:, :1] >> cells & np.uint64(1)) + 2 * (discs[:, 1:] >> cells & np.uint64(1))
    boards = digits.astype(np.int64).reshape(-1, 8, 8)
    columns = []
    for turn in range(4):
        board = np.rot90(boards, turn, (1, 2))
        for name, table in patterns.TABLES.items():
            for view in (board, board[:, :, ::-1]) if name == "block" else (board,):
                numbers = sum(view[:, y, x] * 3**i for i, (y, x) in enumerate(table.cells))
                columns.append(starts[name] + table.classes[numbers])
    return np.stack([*columns, *(starts["counts"] + count for count in counts_of(discs))], 1)


def counts_of(discs):
    """The columns of the open cells of either player and of the plies, among the counts."""
    game, most = make_game("othello"), patterns.MOST_MOVES
    moves = np.zeros((len(discs), 2), np.int64)
    count_moves(game.rules, discs, moves)
    plies = np.bitwise_count(discs[:, 0] | discs[:, 1]).astype(np.int64)
    own, other = np.minimum(moves, most).T
    return own, most + 1 + other, 2 * most + 2 + plies % patterns.STAGE_PLIES


@kernel
def count_moves(rules, discs, out):
    """The number of open cells of either player."""
    for i in range(discs.shape[0]):
        for side in range(2):
            out[i, side] = count_bits(open_cells(rules, discs[i, side], discs[i, 1 - side]))


def fit(columns, margins, before):
    """The weights, in points, that fit margins best, regularised towards the previous weights."""
    rows = np.arange(len(margins) + 1) * columns.shape[1]
    ones, shape = np.ones(columns.size), (len(margins), before.size)
    matrix = csr_matrix((ones, columns.ravel(), rows), shape)
    target = patterns.POINTS_PER_DISC * margins
    change = lsqr(matrix, target - matrix @ before, damp=RIDGE, iter_lim=STEPS)[0]
    return np.clip(np.rint(before + change), -MOST, MOST)


def main():
    """Play, label and fit, from the last stage to the first; write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what is played and labelled")
    parser.add_argument("--games", type=int, default=4_000)
    parser.add_argument("--depth", type=int, default=4, help="of the searches that label")
    parser.add_argument("--heuristic", default="patterns", help="that plays the games")
    parser.add_argument("--out", type=Path, default=patterns.FILE)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    sizes = {name: int(t.classes.max()) + 1 for name, t in patterns.TABLES.items()}
    sizes["counts"] = patterns.COUNTS
    starts = dict(zip(sizes, np.cumsum([0, *sizes.values()])))
    weights = {name: np.zeros((patterns.STAGES, n), np.int8) for name, n in sizes.items()}
    chunks = play_all(options.folder, options.games, options.heuristic)
    solution = np.zeros(sum(sizes.values()))
    for stage in range(patterns.STAGES - 1, -1, -1):
        ours = [discs[stages_of(discs) == stage] for discs in chunks]
        margins = label_all(options.folder, stage, ours, options.depth, weights)
        columns = columns_of(np.concatenate(ours), starts)
        learnt = np.concatenate([np.arange(len(part)) >= STATED * len(part) for part in ours])
        solution = fit(columns[learnt], margins[learnt], solution)
        for name, size in sizes.items():
            weights[name][: stage + 1] = solution[starts[name] : starts[name] + size]
        errors = solution[columns].sum(1) / patterns.POINTS_PER_DISC - margins
        spreads = [np.std(each) for each in (errors[learnt], errors[~learnt], margins)]
        print(
            f"stage {stage}: {len(margins)} positions, error {spreads[0]:.2f} discs, of those not "
            f"learnt from {spreads[1]:.2f} (the margins' own spread {spreads[2]:.2f})",
            flush=True,
        )
    np.savez_compressed(options.out, **weights)
    content = options.out.read_bytes()
    print(f"{options.out}: {len(content)} bytes, {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
