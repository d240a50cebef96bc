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


# R1: windows of five that one side alone occupies: 1, 10, 100, 1,000, 100,000 points.
# Cửa sổ năm ô chỉ có quân của một bên: 1, 10, 100, 1.000, 100.000 điểm.
for moves in ("e5", "e5 a1 f5", "e5 a1 f5 a10 g5"):
    stones = game.position(moves.split())
    print(f"R1 after {moves}: {rules.evaluate(game.rules, stones.record, 0, WINDOWS):,} points")
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
    decision = agent.analyse(middle)
    move = game.action_to_text(decision.action)
    print(f"R3 {mode} plays {move}: {decision.nodes:,} nodes, {decision.seconds:.4f} s")
for first, second in ((MODES[0], MODES[2]), (MODES[2], MODES[0])):
    result = play_game(game, [make_agent(first), make_agent(second)], game.position(["e5"]).moves)
    winner = {0: first, 1: second, None: "nobody"}[result.winner]
    print(f"R3 {first} against {second}: {winner} wins, {len(result.moves)} moves")

# R4: click a cell, choose the mode by a button: plyground web. Bấm vào ô, chọn chế độ bằng nút.
print("R4 picture of the board:", middle.to_image(longest_side=300).size, "pixels")

# R5: improvements, one by one. The course gives every move at the root the whole window
# (values=yes); to pass the best value on saves most. An order by the centre visits more nodes here:
# the stones stand off the centre, and row by row the good cells near them come sooner.
# Từng cải tiến một. Khóa học cho mỗi nước ở gốc cả cửa sổ; chuyển giá trị tốt nhất đi tiếp thì bớt
# nhiều nút nhất. Xếp từ tâm ra lại tốn thêm nút, vì các quân không nằm ở tâm.
for options in ("", "values=no", "values=no,ordering=default", "values=no,table=16"):
    decision = make_agent(f"caro10_alphabeta:{options}".rstrip(":")).analyse(middle)
    print(f"R5 caro10_alphabeta {options or 'as the course has it'}: {decision.nodes:,} nodes")
best = make_agent("alphabeta:depth=4").analyse(middle)
print(f"R5 alphabeta:depth=4, patterns in place of windows: {best.nodes:,} nodes")
