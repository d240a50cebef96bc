"""The course on caro 15×15 in its own order of tasks: python examples/courses/caro15.py.

You look for the levels behind one interface: they are `make_agent("easy")`, `make_agent("medium")`
and `make_agent("caro15_hard")`; `hard` is the same depth with an evaluation that is repaired. You
look for the rule: it is `gomoku`, five or more in a row. docs/guide/courses.md has the commands.

Các mức chơi có chung một giao diện: `make_agent("easy")`, `make_agent("medium")`,
`make_agent("caro15_hard")`. Luật: `gomoku`, năm quân liền trở lên là thắng.
"""

import time

import plyground
from plyground import make_agent, play_game
from plyground.envs import rules

game = plyground.make_game("gomoku")

# G1: five in a row win; the level is exchanged in the middle of a game.
# Năm quân liền là thắng; đổi mức chơi ngay giữa ván.
levels = {name: make_agent(name, game, seed=1) for name in ("easy", "medium", "caro15_hard")}
position = game.position(["h8", "i9", "h9", "h10", "i8", "g8"])
for name, agent in levels.items():
    position.play(agent.act(position))
    print(f"G1 {name} plays {game.action_to_text(position.moves[-1])}")

# G2: easy, a free cell at random. Mức dễ: một ô trống bất kỳ.
print("G2", [game.action_to_text(levels["easy"].act(position)) for _ in range(3)])

# G3: medium, attack + 2 × defence of every free cell. Mức vừa: điểm công + 2 × điểm thủ.
decision = levels["medium"].analyse(game.position(["h8", "i9", "h9", "a1"]))
for cell in sorted(decision.values, key=decision.values.get, reverse=True)[:3]:
    print(f"G3 {game.action_to_text(cell)}: {decision.values[cell]:,.0f} points")

# G4: hard, alpha-beta of depth 3 on cells within distance 2; every stone of a run counts.
# Mức khó: alpha-beta độ sâu 3, các ô cách quân gần nhất không quá 2; mỗi quân đều được tính điểm.
runs = game.declaration.heuristics.index("caro15")
for moves in ("h8 a1 i8 a15 j8", "h8 a1 i8 a15"):
    stones = game.position(moves.split())
    print(f"G4 after {moves}: {rules.evaluate(game.rules, stones.record, 0, runs):,} points")
print("G4 on an empty board: hard", game.action_to_text(levels["caro15_hard"].act(game.position())))

# G3, G5: the boards that the course shows, by their sections. Các thế cờ của khóa học, theo mục.
samples = {
    f"{each.source[4:]} {each.name}": game.position_from_text(each.position, check=False)
    for each in game.profile.boards
    if each.game == game.spec
}
for name, stones in samples.items():
    plays = (
        f"{level} {game.action_to_text(make_agent(level, game, seed=1).act(stones))}"
        for level in ("easy", "medium", "caro15_hard", "hard")
    )
    print(f"G5 {name}:", ", ".join(plays))

# G6: what a move costs, and results. Chi phí một nước đi, và kết quả đấu.
middle = game.position(["h8", "i9", "h9", "h10", "i8", "g8", "j8", "k8", "g11"])
for level in ("easy", "medium", "hard", "caro15_hard", "minimax:depth=2,radius=2,heuristic=caro15"):
    agent = make_agent(level, game, seed=1)
    agent.act(middle)
    began = time.perf_counter()
    nodes = agent.analyse(middle).nodes
    print(f"G6 {level}: {nodes:,} nodes, {time.perf_counter() - began:.4f} s")
for first, second in (("easy", "hard"), ("medium", "hard")):
    result = play_game(game, [make_agent(first, game), make_agent(second, game)], seeds=(1, 2))
    print(f"G6 {first} against {second}: {second if result.winner else first} wins,", end=" ")
    print(f"{len(result.moves)} moves")

# G7: the improvements that it lists. Các cải tiến mà khóa học nêu ra.
for agent in (
    "alphabeta:depth=4",
    "gomoku:depth=4",
    "mcts:simulations=100",
    "mcts:network=patterns",
):
    action = make_agent(agent, game, seed=1).act(samples["§6.3 c15-fork"])
    print(f"G7 the fork by {agent}: {game.action_to_text(action)}")
