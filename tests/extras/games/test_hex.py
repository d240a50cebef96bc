"""What Hex knows beside its rules: bridges, dead and captured cells, stones that are missing."""

from __future__ import annotations

import functools
import itertools
import random

import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.agents.search import mcts_kernels as search
from plyground.agents.search.descent import UNKNOWN
from plyground.envs import rules as r
from plyground.envs.compiled.randomness import new_stream
from plyground.extras.games.hex.heuristics import missing_stones
from plyground.extras.games.hex.inferior import fill_in
from plyground.extras.games.hex.playouts import PADDED, WIDTH, bridge_reply, pad
from plyground.extras.games.hex.rules import place
from reference import hex as reference

pytestmark = pytest.mark.thorough


def pair(size: int, plies: int, seed: int, swap: str = "no"):
    """A random position that is not over, and the reference's."""
    rng, position = random.Random(seed), make_game("hex", size=size, swap=swap).initial_position()
    plain = reference.Hex(size, swap)
    for _ in range(plies):
        action = rng.choice(position.legal_actions())
        if position.after(action).is_over:
            break
        position.play(action)
        plain.play(action)
    return position, plain


def play_out(position, seed: int = 1, last: int = -1):
    """The winner of a playout and the player of each action."""
    actions, record = position.game.facts.num_actions, position.copy().record
    players = np.full(actions, 7, np.int8)
    stream, scratch = new_stream(seed), np.empty(actions, np.int16)
    r.play_out(position.game.rules, record, last, stream, scratch, players)
    return int(record.winner), players


def padded_board(rules, record) -> np.ndarray:
    board = np.empty(PADDED, np.int8)
    pad(rules, record, board)
    return board


def test_without_a_way_as_many_stones_are_missing_as_there_are_cells():
    position = make_game("hex:size=3").position(["b1", "a1", "b2", "a2", "b3"])
    assert [missing_stones(position.game.rules, position.record, p) for p in (0, 1)] == [0, 9]


def plain_replies(plain: reference.Hex, intruder, player: int) -> set:
    """The free cells beside the intruder that lie, with it, between two stones of the player."""

    def owner(cell):
        if cell in plain.stones or cell in plain.board:
            return plain.stones.get(cell)
        row, column = cell
        outside = {0} if not 0 <= row < plain.size else set()
        return min(outside | ({1} if not 0 <= column < plain.size else set()))

    around = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)]
    rings = {
        cell: {(cell[0] + row, cell[1] + column) for row, column in around} for cell in plain.board
    }
    free = rings[intruder] & set(plain.board) - set(plain.stones)
    return {cell for cell in free if all(owner(c) == player for c in rings[cell] & rings[intruder])}


@pytest.mark.parametrize("size", [3, 7])
def test_a_reply_saves_a_bridge(size):
    drawn, stream = 0, new_stream(3)
    for seed in range(6):
        position, plain = pair(size, size * size * seed // 6, seed)
        board = padded_board(position.game.rules, position.record)
        for (row, column), intruding in plain.stones.items():
            cell = (row + 1) * WIDTH + column + 1
            replies = plain_replies(plain, (row, column), 1 - intruding)
            answers = set()
            for _ in range(12):
                reply = bridge_reply(board, cell, 1 - intruding, stream)
                answers |= set() if reply < 0 else {(reply // WIDTH - 1, reply % WIDTH - 1)}
            assert answers == replies
            drawn += len(replies)
    assert drawn > 2


@pytest.mark.parametrize(
    ("size", "swap"), [(2, "no"), (3, "yes"), (5, "no"), (9, "no"), (13, "no")]
)
def test_a_playout_fills_the_board_and_finds_who_connects(size, swap):
    for seed in range(20):
        position, _ = pair(size, random.Random(seed).randrange(size**2 // 2), seed, swap)
        winner, players = play_out(position, seed)
        cells, mover = position.record.cells[: size * size], position.to_move
        free = cells == 0
        assert (players[: size * size][~free] == r.NOBODY).all()
        assert (players[size * size :] == r.NOBODY).all()
        count = int(free.sum())
        assert (players[: size * size][free] == mover).sum() == (count + 1) // 2
        assert (players[: size * size][free] == 1 - mover).sum() == count // 2
        full = position.game.new_records(1)[0]
        for cell in range(size * size):
            if full.winner == r.NOBODY or cell == 0:
                owner = cells[cell] - 1 if cells[cell] else players[cell]
                place(position.game.rules, full, cell, np.int64(owner))
        assert full.winner == winner


def test_playouts_hold_a_chain_of_bridges():
    # d1, c3 and b5 with bridges between them; player 1 intrudes at b4 and is to be answered at c4
    position = make_game("hex:size=5").position(["d1", "a1", "c3", "a2", "b5", "b4"])
    intruder = position.game.text_to_action("b4")

    def wins(last):
        return sum(play_out(position, seed, last)[0] == 0 for seed in range(200))

    assert wins(intruder) >= 190  # a stone that intrudes on two bridges breaks one
    assert wins(-1) < 180


@functools.cache
def values(size: int):
    """A function: the winner under best play, given the cells and who is to move."""
    board = [(row, column) for row in range(size) for column in range(size)]
    plain = reference.Hex(size, "no")
    beside = [[board.index(c) for c in plain.neighbours(cell)] for cell in board]

    def connects(cells, player):
        line = 1 if player else 0
        group = {i for i, c in enumerate(board) if c[line] == 0 and cells[i] == player + 1}
        waiting = list(group)
        while waiting:
            at = waiting.pop()
            if board[at][line] == size - 1:
                return True
            more = {b for b in beside[at] if cells[b] == player + 1} - group
            group |= more
            waiting += more
        return False

    @functools.cache
    def winner(cells, mover):
        free = [i for i, stone in enumerate(cells) if stone == 0]
        if not free:
            return 0 if connects(cells, 0) else 1
        after = (cells[:i] + (mover + 1,) + cells[i + 1 :] for i in free)
        return mover if any(winner(board, 1 - mover) == mover for board in after) else 1 - mover

    return winner


def boards(size: int):
    """All boards of 3×3 cells with as many stones; of 4×4 random ones with few free cells."""
    if size == 3:
        every = itertools.product(range(3), repeat=9)
        return [cells for cells in every if cells.count(1) == cells.count(2)]
    rng, cells = np.random.default_rng(1), []
    for _ in range(150):
        board = rng.integers(1, 3, size * size)
        board[rng.choice(size * size, rng.integers(3, 7), replace=False)] = 0
        cells.append(tuple(board.tolist()))
    return cells


@pytest.mark.parametrize("size", [3, 4])
def test_dead_and_captured_cells_change_nothing_about_who_wins(size):
    winner, game, filled_in = values(size), make_game("hex", size=size), 0
    record = game.new_records(1)[0]
    for cells in boards(size):
        record.cells[: size * size] = cells
        board = padded_board(game.rules, record)
        fill_in(game.rules, board, np.zeros((2, PADDED), np.int64))
        result = tuple(board.reshape(16, WIDTH)[1 : size + 1, 1 : size + 1].ravel().tolist())
        assert all(before in (0, after) for before, after in zip(cells, result))
        filled_in += result != cells
        for mover in (0, 1):
            assert winner(result, mover) == winner(cells, mover), (cells, result)
    assert filled_in > 100


@pytest.mark.parametrize(
    ("moves", "left_out"),
    [
        ((), set()),
        (("d6",), {"c7", "d7"}),  # captured: either of them connects d6 with the edge
        (("d4", "f4"), {"g3", "g4"}),
        (("e4", "a1", "d5", "b1", "c5", "c1", "c4"), {"d4", "a2"}),  # dead
    ],
)
def test_dead_and_captured_cells_are_not_proposed(moves, left_out):
    position = make_game("hex:size=7").position(list(moves))
    game, actions = position.game, np.empty(49, np.int16)
    count = r.propose(game.rules, position.record, actions, np.empty(49, np.float32))
    missing = set(position.legal_actions()) - set(actions[:count].tolist())
    assert {game.action_to_text(action) for action in missing} == left_out


def test_a_best_action_is_always_proposed():
    winner, game = values(3), make_game("hex:size=3")
    actions, estimates = np.empty(9, np.int16), np.empty(9, np.float32)
    for seed in range(300):
        position, _ = pair(3, seed % 7, seed)
        cells, mover = tuple(position.record.cells[:9].tolist()), position.to_move
        count = r.propose(game.rules, position.record, actions, estimates)
        proposals = actions[:count].tolist()
        assert 0 < len(set(proposals)) == count
        assert set(proposals) <= set(position.legal_actions())
        assert (abs(estimates[:count]) <= 1).all()
        results = {winner(cells[:a] + (mover + 1,) + cells[a + 1 :], 1 - mover) for a in proposals}
        assert (mover in results) == (winner(cells, mover) == mover)


@pytest.mark.parametrize("seed", range(20))
def test_the_winning_chain_joins_the_winners_edges_by_own_stones(seed):
    rng, position = random.Random(seed), make_game("hex:size=6,swap=yes").initial_position()
    rules = position.game.rules
    while not position.is_over:
        assert r.winning_cells(rules, position.record) == []
        position.play(rng.choice(position.legal_actions()))
    chain, winner = r.winning_cells(rules, position.record), position.outcome.winner
    assert [cell[winner] for cell in (chain[0], chain[-1])] == [0, 5]
    assert len(set(chain)) == len(chain) >= 6
    for row, column in chain:
        assert position.record.cells[row * 6 + column] == winner + 1
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(chain)]
    assert set(steps) <= {(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)}


def test_all_moves_count_as_first():
    tree, playouts = grow_by_knowledge("hex:size=4", 300)
    start = make_game("hex:size=4").initial_position()
    actions, estimates = np.empty(16, np.int16), np.empty(16, np.float32)
    returns: dict[int, list[float]] = {}  # player 0's, of the games that count for a node
    for path, result, players in playouts:
        position = start.copy()
        for node in path[:-1]:
            entry = tree.nodes[node]
            if node:
                position.play(int(entry.action))
            r.propose(start.game.rules, position.record, actions, estimates)
            for i, child in enumerate(range(entry.children, entry.children + entry.count)):
                estimate = float(estimates[i]) * (1 if entry.mover == 0 else -1)
                games = returns.setdefault(child, [estimate] * search.ESTIMATE_GAMES)
                if players[tree.nodes[child].action] == entry.mover:
                    games.append(result)
    assert len(playouts) > 200
    assert len(returns) > 300
    for child, games in returns.items():
        entry = tree.nodes[child]
        assert entry.amaf_games == len(games)
        assert entry.amaf_mean == pytest.approx(np.mean(games), abs=1e-5)


@pytest.mark.parametrize("options", ["", ",threads=2", ",playout=uniform"])
def test_knowledge_finds_the_winning_openings_of_small_boards(options):
    # by symmetry and enumeration: on 3×3 every opening but a1, b1 and their images wins
    decision = make_agent(f"mcts:simulations=3000{options}").analyse(
        make_game("hex:size=3").initial_position()
    )
    assert decision.values[decision.action] > 0.9


def test_playouts_are_uniform_where_the_game_knows_none():
    for spec, same in (("hex:size=4", False), ("gomoku:size=5,connect=4", True)):
        position = make_game(spec).initial_position()
        by_default, uniform = (
            make_agent(f"mcts:simulations=200{playout}").analyse(position).visits
            for playout in ("", ",playout=uniform")
        )
        assert (by_default == uniform) == same


def grow_by_knowledge(spec: str, simulations: int):
    """The tree of a search by the game's own playouts, and what each playout added to it.

    That is the nodes that it went through, its result, and who played each action.
    """
    game = make_game(spec)
    tree, stream, playouts = search.new_tree(game, 100_000), new_stream(1), []
    tree.positions[0] = game.initial_position().record
    search.reset_tree(game.rules, tree)
    options, knowledge = search.MctsOptions(0.3, 1.0), search.new_knowledge(game)
    for _ in range(simulations):
        visits, totals = tree.nodes.visits.copy(), tree.nodes.total.copy()
        assert search.simulate(game.rules, options, tree, knowledge, stream, 1) == 1
        path = np.flatnonzero(tree.nodes.visits > visits).tolist()
        if tree.nodes[path[-1]].proven == UNKNOWN:
            result = round(float(tree.nodes.total[path[-1]] - totals[path[-1]]))
            playouts.append((path, result, knowledge.players.tolist()))
    return tree, playouts


@pytest.mark.parametrize(
    ("text", "mover"), [("1O1/1X1/3:O", 1), ("1O1/1X1/3", 0), ("1O1/3/3", 0), ("1OO/X2/3", 0)]
)
def test_a_swap_of_hex_is_a_turn_without_a_stone(text, mover):
    position = make_game("hex:size=3,swap=yes").position_from_text(text)
    assert position.to_move == mover
