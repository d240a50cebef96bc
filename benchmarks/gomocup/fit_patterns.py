"""Fit the engine's pattern values (Texel's method) and the order of its moves to games.

Run with ``python benchmarks/gomocup/fit_patterns.py FILE…`` on files that ``pattern_games.py``
wrote; it prints what
``agents/search/gomoku/values.py`` holds, and the losses on the last tenth of the rows.
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np
import torch
from plyground import make_agent, make_game
from plyground.agents.search.gomoku.searcher import load_board, root_fours
from plyground.envs.compiled.kernels import kernel
from plyground.envs.games import gomoku_patterns as patterns

COMBOS = list(itertools.combinations_with_replacement(range(10), 4))
PAIRS = list(itertools.combinations_with_replacement(range(10), 2))
INDEX = np.full(patterns.KEY_COUNT, -1, np.int16)
for number, combo in enumerate(COMBOS):
    INDEX[patterns.KEYS[list(combo)].sum()] = number
CLASS = np.array([patterns.CELL_CLASS[patterns.KEYS[list(c)].sum()] for c in COMBOS])


def parts():
    """The codes and the pairs of codes of each combination, (715, 10 + 55)."""
    matrix = np.zeros((len(COMBOS), 10 + len(PAIRS)), np.float32)
    for row, combo in enumerate(COMBOS):
        for code in combo:
            matrix[row, code] += 1
        for pair in itertools.combinations(combo, 2):
            matrix[row, 10 + PAIRS.index(pair)] += 1
    return matrix


@kernel
def near_cells(rules, cells, radius, out):
    """Mark the free cells within ``radius`` of a stone."""
    for cell in range(rules.rows * rules.cols):
        row, col = cell // rules.cols, cell % rules.cols
        out[cell] = False
        if cells[cell] != 0:
            continue
        for r in range(max(0, row - radius), min(rules.rows, row + radius + 1)):
            for c in range(max(0, col - radius), min(rules.cols, col + radius + 1)):
                if cells[r * rules.cols + c] != 0:
                    out[cell] = True


def features(files, game):
    """Read the rows that a leaf of the search may be: nothing forced, no win by fours."""
    agent = make_agent("gomoku:depth=1", game)
    agent.get_ready(game)
    (searcher,) = agent.searchers
    rules, workspace, size = searcher.rules, searcher.workspace, game.rules.rows * game.rules.cols
    counts, mask, target, value = [], [], [], []
    own, other, chosen = [], [], []
    near = np.zeros(size, np.bool_)
    for file in files:
        data = dict(np.load(file).items())
        for row in range(data["mover"].size):
            cells, mover = data["cells"][row], int(data["mover"][row])
            record = game.initial_position().record
            record.cells[:size] = cells
            record.ply = int((cells != 0).sum())
            if record.ply % 2 != mover:
                continue
            load_board(rules, record, workspace.board)
            board = workspace.board[0]
            classes = board.classes.reshape(2, patterns.CLASSES)[[mover, 1 - mover]].copy()
            if classes[0, patterns.WINS_NOW] or classes[1, patterns.WINS_NOW]:
                continue
            if classes[0, patterns.WINS_SOON]:
                continue
            action, _, _ = root_fours(rules, workspace.board, workspace.fours, 60)
            if action >= 0:
                continue
            keys = INDEX[board.keys[: 2 * size].reshape(size, 2)[:, [mover, 1 - mover]]]
            free = cells == 0
            counts.append([np.bincount(keys[free, side], minlength=715) for side in (0, 1)])
            counts[-1] = np.minimum(counts[-1], 255).astype(np.uint8)
            mask.append(np.minimum(classes, 9).astype(np.int8))
            target.append(data["result"][row])
            value.append(data["value"][row])
            near_cells(rules, cells, 2, near)
            listed = np.flatnonzero(near)
            place = np.flatnonzero(listed == data["action"][row])
            if place.size and listed.size <= 140:
                pad = np.full((2, 140), -1, np.int16)
                pad[:, : listed.size] = keys[listed].T
                own.append(pad[0]), other.append(pad[1]), chosen.append(place[0])
    return {
        "counts": np.array(counts), "classes": np.array(mask), "result": np.array(target),
        "value": np.array(value), "own": np.array(own), "other": np.array(other),
        "chosen": np.array(chosen),
    }  # fmt: skip


def threat_bits(classes):
    """Which kinds of cells there are, (rows, 9): the mover's four kinds, the opponent's five."""
    mine, theirs = classes[:, 0] > 0, classes[:, 1] > 0
    kinds = [patterns.MAKES_THREE, patterns.MAKES_FOUR, patterns.DOUBLE_THREE, patterns.FOUR_THREE]
    return np.concatenate(
        [mine[:, kinds], theirs[:, kinds], theirs[:, [patterns.WINS_SOON]]], 1
    ).astype(np.float32)


def with_pairs(bits):
    """A column for each bit and for each pair of bits."""
    pairs = [bits[:, i] * bits[:, j] for i in range(bits.shape[1]) for j in range(i)]
    return np.concatenate([bits, np.stack(pairs, 1)], 1)


def descend(loss, parameters, steps=400, rate=0.03):
    optimizer = torch.optim.Adam(parameters, lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        schedule.step()
    return float(value.detach())


def fit_values(data, scale, share, hold=0.1):
    """Logistic regression; returns the parameters and the loss on rows held out."""
    searched = 1 / (1 + np.exp(-np.clip(data["value"] / scale, -20, 20)))
    goal = share * (data["result"] + 1) / 2 + (1 - share) * searched
    goal = torch.tensor(np.clip(goal, 0, 1), dtype=torch.float32)
    matrix = parts()
    mine, theirs = (data["counts"][:, s].astype(np.float32) for s in (0, 1))
    x = [torch.tensor(side @ matrix) for side in (mine, theirs)]
    bits = threat_bits(data["classes"])
    bits = torch.tensor(with_pairs(bits))
    n, k = goal.numel(), matrix.shape[1]
    held = torch.arange(n) >= n - int(hold * n)
    spread = torch.sqrt((torch.cat(x) ** 2).mean(0)) + 1e-3  # of columns, so that steps are even
    w = torch.zeros(1, k, requires_grad=True)
    b = torch.zeros(bits.shape[1], requires_grad=True)
    tempo = torch.zeros(1, requires_grad=True)

    def logits():
        v = w / spread
        return (x[0] - x[1]) @ v[0] + bits @ b + tempo

    def loss(rows):
        z = logits()[rows]
        return torch.nn.functional.binary_cross_entropy_with_logits(z, goal[rows])

    kept = ~held
    descend(lambda: loss(kept) + 1e-4 * (w**2).sum() + 1e-4 * (b**2).sum(), [w, b, tempo])
    with torch.no_grad():
        entropy = torch.nn.functional.binary_cross_entropy(goal[held], goal[held])
        final = float(loss(held) - entropy)
        return final, (w / spread)[0].numpy(), b.numpy(), float(tempo)


def fit_order(data, hold=0.1):
    """Softmax regression of the move chosen on what the cells are to either side."""
    own, other = (torch.tensor(data[name].astype(np.int64)) for name in ("own", "other"))
    chosen, matrix = torch.tensor(data["chosen"].astype(np.int64)), torch.tensor(parts())
    absent = own < 0
    own, other = own.clamp(min=0), other.clamp(min=0)
    n = chosen.numel()
    held = torch.arange(n) >= n - int(hold * n)
    w = torch.zeros(2, matrix.shape[1], requires_grad=True)

    def logits(rows):
        v = w @ matrix.T
        return (v[0][own[rows]] + v[1][other[rows]]).masked_fill(absent[rows], -1e9)

    def loss(rows):
        return torch.nn.functional.cross_entropy(logits(rows), chosen[rows])

    descend(lambda: loss(~held) + 1e-4 * (w**2).sum(), [w], 250, 0.05)
    with torch.no_grad():
        z = logits(held)
        rank = (z > z.gather(1, chosen[held][:, None])).sum(1).numpy()
        return float(loss(held)), rank, w.numpy()


def as_python(name, numbers):
    """One fitted table: the part of each code, then that of each pair, a row for the first code."""
    rows = [numbers[:10]] + [
        [numbers[10 + PAIRS.index((first, second))] for second in range(first, 10)]
        for first in range(10)
    ]
    lines = [
        "    (" + ", ".join(f"{x:.4f}" for x in row) + ("," * (len(row) == 1)) + "),"
        for row in rows
    ]
    return "\n".join([f"{name} = (", *lines, ")"])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--share", type=float, default=0.7, help="of the result in the goal")
    parser.add_argument("--scale", type=float, default=300, help="points of one unit of log odds")
    options = parser.parse_args()
    data = features(options.files, make_game(options.game))
    loss, pieces, threats, tempo = fit_values(data, options.scale, options.share)
    print(f"# {data['result'].size} positions, loss {loss:.4f} above the least possible")
    print(as_python("VALUE", pieces))
    print("THREATS = (" + ", ".join(f"{x:.3f}" for x in threats) + ")")
    print(f"TO_MOVE = {tempo:.3f}")
    loss, rank, pieces = fit_order(data)
    shares = ", ".join(f"{(rank < k).mean():.3f} in {k}" for k in (1, 4, 8, 12, 20))
    print(f"# order: loss {loss:.3f}; the move chosen is among the first: {shares}")
    print(as_python("OWN_ORDER", pieces[0]))
    print(as_python("OTHER_ORDER", pieces[1]))


if __name__ == "__main__":
    main()
