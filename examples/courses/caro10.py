"""The course on caro 10×10 in its own order of tasks: python examples/courses/caro10.py.

You look for the three modes: `heuristic` is `make_agent("caro10_heuristic")`, `minimax` is
`make_agent("caro10_minimax")`, `alphabeta` is `make_agent("caro10_alphabeta")`. You look for the
board on screen: it is `plyground web`. docs/guide/courses.md has the commands of each task.

Ba chế độ: `heuristic` là `make_agent("caro10_heuristic")`, `minimax` là
`make_agent("caro10_minimax")`, `alphabeta` là `make_agent("caro10_alphabeta")`. Bàn cờ trên màn
hình: `plyground web`.
"""

import numpy as np
import plyground
from plyground import make_agent, play_game
from plyground.envs import rules

game = plyground.make_game("gomoku:size=10")
MODES = ("caro10_heuristic", "caro10_minimax", "caro10_alphabeta")
WINDOWS = game.declaration.heuristics.index("caro10")


def board(name):
    """A sample board of the course. Một thế cờ mẫu của khóa học."""
    texts = {each.name: each.position for each in game.profile.boards}
    return game.position_from_text(texts[name], check=False)


# R1: windows of five that one side alone occupies: 1, 10, 100, 1,000, 100,000 points.
# Cửa sổ năm ô chỉ có quân của một bên: 1, 10, 100, 1.000, 100.000 điểm.
for moves in ("e5", "e5 a1 f5", "e5 a1 f5 a10 g5"):
    stones = game.position(moves.split())
    print(f"R1 after {moves}: {rules.evaluate(game.rules, stones.record, 0, WINDOWS):,} points")
SAMPLES = ("c10-four", "c10-three", "c10-threes", "c10-almost", "c10-edge", "c10-fork")
for name in SAMPLES:
    position = board(name)
    points = rules.evaluate(game.rules, position.record, position.to_move, WINDOWS)
    print(f"R1 {name}: {points:,} points to the side to move")
print("R1 c10-four", board("c10-four"), sep="\n")

# R2: the free cells next to a stone. Các ô trống kề một quân.
cells = np.empty(game.facts.num_actions, np.int16)
for moves in ("e5", "e5 f6", "e5 f6 e6 e7"):
    count = rules.candidates(game.rules, game.position(moves.split()).record, 1, cells)
    print(f"R2 after {moves}: {count} candidates of {100 - len(moves.split())} free cells")

# R3: what each mode plays and costs; games between them.
# Mỗi chế độ đi nước nào và tốn bao nhiêu; các ván đấu giữa chúng.
middle = game.position(["e5", "f6", "e6", "e7", "f5", "d5", "d6", "g5", "c6"])
for mode in MODES:
    agent = make_agent(mode)
    agent.get_ready(game)
    for name in SAMPLES:
        print(f"R3 {name}: {mode} plays {game.action_to_text(agent.act(board(name)))}")
    decision = agent.analyse(middle)
    print(f"R3 {mode}: {decision.nodes:,} nodes, {decision.seconds:.4f} s")
for first, second in ((MODES[0], MODES[2]), (MODES[2], MODES[0])):
    result = play_game(game, [make_agent(first), make_agent(second)], game.position(["e5"]).moves)
    winner = {0: first, 1: second, None: "nobody"}[result.winner]
    print(f"R3 {first} against {second}: {winner} wins, {len(result.moves)} moves")

# R4: click a cell, choose the mode by a button: plyground web. Bấm vào ô, chọn chế độ bằng nút.
print("R4 picture of the board:", middle.to_image(longest_side=300).size, "pixels")

# R5: improvements, one by one. Từng cải tiến một.
for option in ("ordering=default", "table=16", "iterative=yes", "killers=yes"):
    decision = make_agent(f"caro10_alphabeta:{option}").analyse(middle)
    print(f"R5 caro10_alphabeta:{option}: {decision.nodes:,} nodes")
