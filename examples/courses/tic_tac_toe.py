"""The tic-tac-toe course in its own order of tasks: python examples/courses/tic_tac_toe.py.

You look for the board of n×n: it is `make_game("tic_tac_toe:size=n")`; for minimax: it is
`make_agent("minimax:depth=9")`; for alpha-beta: `make_agent("textbook:depth=9,values=yes")`, which
gives every child of the root the whole window, as FindBestMove does.
docs/guide/courses.md has the commands of each task.
"""

import plyground
from plyground import make_agent, play_game
from plyground.envs import IllegalActionError, rules

game = plyground.make_game("tic_tac_toe")

# T1: any n, n in a row win; X moves first, and the stones tell whose turn it is.
for size in (3, 4, 5):
    board = plyground.make_game(f"tic_tac_toe:size={size}")
    print(f"T1 {size}×{size}: {board.rules.connect} in a row, {board.facts.num_actions} cells")
print("T1 to move after two stones:", "XO"[game.position(["b2", "a1"]).to_move])

# T2: full minimax on 3×3, a depth and a heuristic on larger boards.
full = make_agent("minimax:depth=9").analyse(game.initial_position())
print(f"T2 3×3: {full.score.text()}, {full.nodes:,} nodes")
large = plyground.make_game("tic_tac_toe:size=4").initial_position()
for depth in (1, 2, 3, 4):
    limited = make_agent(f"minimax:depth={depth}").analyse(large)
    print(f"T2 4×4, depth {depth}: {limited.score.text()}, {limited.nodes:,} nodes")
for agent in ("textbook:depth=9,values=yes", "textbook:depth=9", "alphabeta:depth=9"):
    pruned = make_agent(agent).analyse(game.initial_position())
    print(f"T2 {agent}, 3×3: {pruned.score.text()}, {pruned.nodes:,} nodes")

# T3: a quick win before a slow one, and a slow loss before a quick one.
for moves in ("a1 b1 a2 b2", "b2 b1 a1"):
    position = game.position(moves.split())
    print(position)
    decision = make_agent("textbook:depth=9,values=yes").analyse(position)
    for action, score in decision.scores.items():
        print(f"T3 {game.action_to_text(action)}: {score.text()}")
    print("T3 plays", game.action_to_text(decision.action))

# T4: E(n) = X(n) − O(n), the lines that are still open to each.
for moves in ("", "b2", "b2 a1", "a1 b2"):
    position = game.position(moves.split())
    lines = rules.evaluate(game.rules, position.record, 0, 0)
    print(f"T4 after {moves or 'no stone'}: E = {lines}")

# T5: a person at the terminal; here, what the game says to input that is no move.
#     plyground play tic_tac_toe:size=4 --against alphabeta:depth=4 --seat 0
for entry in ("b2", "d9", "seven"):
    try:
        game.position(["b2", entry])
    except IllegalActionError as error:
        print("T5", error)
perfect = make_agent("textbook:depth=9,values=yes", game)
print("T5 two perfect players:", play_game(game, [perfect, make_agent("minimax:depth=9")]).reason)
