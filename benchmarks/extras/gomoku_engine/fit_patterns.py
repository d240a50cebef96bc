"""Fit the values and the order of moves of the engine ``gomoku`` to games.

Run with ``python benchmarks/extras/gomoku_engine/fit_patterns.py FILE… --out freestyle.npz`` on
files that ``pattern_games.py`` wrote; it prints the losses on every tenth game, which is held out,
and the hash for ``extras/gomoku_engine/values.py``.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np
import torch
from plyground import make_agent, make_game
from plyground.agents.own.search_form import load_record
from plyground.envs.compiled.kernels import kernel
from plyground.envs.games.gomoku import patterns
from plyground.envs.games.gomoku.rules import list_near
from plyground.extras.gomoku_engine.fours import find_fours
from plyground.extras.gomoku_engine.value_network import HIDDEN_UNITS, INPUTS
from plyground.extras.gomoku_engine.values import (
    COMBINATIONS,
    THREAT_KINDS,
    THREAT_PAIRS,
    Weights,
    parts_of,
    with_pairs,
)
from rich.progress import track
from torch.nn import functional

NUMBERS = np.full(patterns.KEY_COUNT, -1, np.int16)  # of combinations, by key
for number, combination in enumerate(COMBINATIONS):
    NUMBERS[patterns.KEYS[list(combination)].sum()] = number
PARTS = np.array([parts_of(codes) for codes in COMBINATIONS])  # (715, 65)
MINE = [patterns.MAKES_THREE, patterns.MAKES_FOUR, patterns.DOUBLE_THREE, patterns.FOUR_THREE]
THEIRS = [*MINE, patterns.WINS_SOON]
NEAR, MOST_CHOICES = 2, 140  # cells of the order: distance from a stone, largest number
EASE = 0.1  # scale of the large sums of cells, for even gradient steps
BATCH, RATE = 1024, 0.005


@kernel
def near_cells(rules, board, out):
    """List the free cells within ``NEAR`` of a stone, ascending; returns their number."""
    return list_near(rules, board[0].stones, NEAR, out)


def read_positions(files, game):
    """Read the positions that may be leaves of the search: nothing forced, no win by fours.

    ``sums`` (rows, 2, 65) holds the sums over free cells for the mover and the opponent; ``own``
    and ``other`` (rows, LISTED) the combinations of the candidate cells of ``chosen``, padded with
    −1.
    """
    agent = make_agent("gomoku:depth=1", game)
    agent.get_ready(game)
    (searcher,) = agent.searchers
    rules, workspace, size = searcher.rules, searcher.workspace, game.rules.rows * game.rules.cols
    near, rows = np.zeros(size, np.int16), []
    for file in files:
        data = dict(np.load(file).items())
        for row in track(range(data["mover"].size), f"reading {file}"):
            cells, mover = data["cells"][row], int(data["mover"][row])
            stones = int((cells != 0).sum())
            if stones % 2 != mover:
                continue
            record = game.initial_position().record
            record.cells[:size] = cells
            record.ply = stones
            load_record(rules, record, workspace.board)
            board = workspace.board[0]
            classes = board.classes.reshape(2, patterns.CLASSES)[[mover, 1 - mover]].copy()
            tactical = classes[:, patterns.WINS_NOW].any() or classes[0, patterns.WINS_SOON]
            if tactical or find_fours(rules, workspace.board[0], workspace.fours, 60)[0] >= 0:
                continue
            kinds = NUMBERS[board.keys[: 2 * size].reshape(size, 2)[:, [mover, 1 - mover]]]
            choices = near[: near_cells(rules, workspace.board, near)]
            place = np.flatnonzero(choices == data["action"][row])
            lists, complete = (
                np.full((2, MOST_CHOICES), -1, np.int16),
                place.size and choices.size <= MOST_CHOICES,
            )
            if complete:
                lists[:, : choices.size] = kinds[choices].T
            rows.append((
                [np.bincount(kinds[cells == 0, side], minlength=715) @ PARTS for side in (0, 1)],
                np.concatenate([classes[0, MINE], classes[1, THEIRS]]) > 0,
                data["result"][row], data["value"][row], *lists,
                place[0] if complete else -1, data["game"][row],
            ))  # fmt: skip
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    names = ("sums", "threats", "result", "value", "own", "other", "chosen", "game")
    return dict(zip(names, columns, strict=True)) | {"sums": columns[0].astype(np.float32)}


class Values(torch.nn.Module):
    """The value of ``values.py``, in log odds for the player to move."""

    def __init__(self):
        super().__init__()
        self.cells = torch.nn.Parameter(torch.randn(PARTS.shape[1], 1 + INPUTS) * 0.02)
        self.first = torch.nn.Linear(INPUTS + THREAT_KINDS + len(THREAT_PAIRS), HIDDEN_UNITS)
        self.second = torch.nn.Linear(HIDDEN_UNITS, 1, bias=False)
        self.threats = torch.nn.Linear(THREAT_KINDS + len(THREAT_PAIRS), 1)

    def forward(self, sums, threats):
        half = INPUTS // 2
        mine, theirs = (EASE * sums[:, side] @ self.cells for side in (0, 1))
        inputs = [
            mine[:, 1 : 1 + half] + theirs[:, 1 + half :],
            theirs[:, 1 : 1 + half] + mine[:, 1 + half :],
        ]
        activations = self.first(torch.cat([*map(torch.relu, inputs), threats], 1))
        points = self.second(torch.relu(activations))[:, 0] + self.threats(threats)[:, 0]
        return points + mine[:, 0] - theirs[:, 0]

    def weights(self):
        first = self.first.weight.T
        tensors = {
            "cells": EASE * self.cells, "first": first[:INPUTS], "threats": first[INPUTS:],
            "bias": self.first.bias, "second": self.second.weight[0],
            "threat_values": torch.cat([self.threats.weight[0], self.threats.bias]),
        }  # fmt: skip
        return {
            name: tensor.detach().numpy().astype(np.float32) for name, tensor in tensors.items()
        }


def fit_values(data, scale, share, epochs):
    """Fit the network; returns it and its loss on held-out games above the least possible loss."""
    estimate = 1 / (1 + np.exp(-np.clip(data["value"] / scale, -20, 20)))
    goal = share * (data["result"] + 1) / 2 + (1 - share) * estimate
    goal = np.where(np.isnan(goal), estimate, goal)
    goal = torch.tensor(goal, dtype=torch.float32)
    sums, threats = (
        torch.tensor(data["sums"]),
        torch.tensor(with_pairs(data["threats"]).astype(np.float32)),
    )
    test_rows = torch.tensor(data["game"] % 10 == 0)
    rows = torch.nonzero(~test_rows)[:, 0]
    values = Values()
    optimizer = torch.optim.Adam(values.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * (len(rows) // BATCH))
    for _ in track(range(epochs), "fitting the values"):
        for batch in rows[torch.randperm(len(rows))].split(BATCH)[: len(rows) // BATCH]:
            optimizer.zero_grad()
            points = values(sums[batch], threats[batch])
            loss = functional.binary_cross_entropy_with_logits(points, goal[batch])
            (loss + 1e-5 * (values.cells[:, 0] ** 2).sum()).backward()
            optimizer.step()
            schedule.step()
    with torch.no_grad():
        points = values(sums[test_rows], threats[test_rows])
        loss = functional.binary_cross_entropy_with_logits(points, goal[test_rows])
        least = functional.binary_cross_entropy(goal[test_rows], goal[test_rows])
    return values, float(loss - least)


def fit_order(data):
    """Fit the move order to the chosen actions; returns it, its loss and the ranks."""
    complete = data["chosen"] >= 0
    own, other = (torch.tensor(data[name][complete].astype(np.int64)) for name in ("own", "other"))
    labels, matrix = torch.tensor(data["chosen"][complete].astype(np.int64)), torch.tensor(PARTS)
    test_rows = torch.tensor(data["game"][complete] % 10 == 0)
    absent = own < 0
    own, other = own.clamp(min=0), other.clamp(min=0)
    order = torch.zeros(PARTS.shape[1], 2, requires_grad=True)

    def logits(rows):
        mine, theirs = (matrix @ order).T
        return (mine[own[rows]] + theirs[other[rows]]).masked_fill(absent[rows], -1e9)

    rows = torch.nonzero(~test_rows)[:, 0]
    optimizer = torch.optim.Adam([order], lr=0.01)
    for _ in track(range(6), "fitting the order"):
        for batch in rows[torch.randperm(len(rows))].split(BATCH):
            optimizer.zero_grad()
            loss = functional.cross_entropy(logits(batch), labels[batch])
            (loss + 1e-4 * (order**2).sum()).backward()
            optimizer.step()
    with torch.no_grad():
        scores = logits(test_rows)
        loss = float(functional.cross_entropy(scores, labels[test_rows]))
        rank = (scores > scores.gather(1, labels[test_rows][:, None])).sum(1).numpy()
    return order.detach().numpy(), loss, rank


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--share", type=float, default=0.7, help="of the result in the goal")
    parser.add_argument("--scale", type=float, default=250, help="points of one unit of log odds")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--out", type=Path, required=True, help="the file of the weights")
    options = parser.parse_args()
    torch.manual_seed(1)
    data = read_positions(options.files, make_game(options.game))
    values, loss = fit_values(data, options.scale, options.share, options.epochs)
    print(f"{data['result'].size} positions; values: loss {loss:.4f} above the least possible")
    order, loss, rank = fit_order(data)
    shares = ", ".join(f"{(rank < k).mean():.3f} in {k}" for k in (1, 4, 8, 12, 20))
    print(f"order: loss {loss:.3f}; the move chosen is among the first: {shares}")
    weights = Weights(**values.weights(), order=order)
    np.savez(options.out, **weights._asdict())
    print(options.out.name, hashlib.sha256(options.out.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
