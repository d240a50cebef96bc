"""The dots-and-boxes course in its own order of tasks: python examples/courses/dots_and_boxes.py.

Sizes are counted in dots, as there. You look for the state: it is `game.initial_position()`; for
actions: they are numbers, written `h 0 1` and `v 2 0` (orientation, row, column); for the utility:
it is `position.returns` with `reward=margin`, own boxes less the opponent's. docs/guide/courses.md
has the commands of each task.
"""

import plyground
from plyground import make_agent, play_game
from plyground.envs import rules
from plyground.evaluation import size_report


def board(dots):
    """The game on a board of so many dots, with the margin in boxes as its result."""
    return plyground.make_game(f"dots_and_boxes:dots={dots},reward=margin")


def results(game, first, second, games):
    """Games won by the first player, won by the second, drawn."""
    agents = [make_agent(name, game) for name in (first, second)]
    winners = [play_game(game, agents, seeds=(n, games + n)).winner for n in range(games)]
    return [winners.count(seat) for seat in (0, 1, None)]


def report(line, agent, position):
    """What an agent plays, and what that takes."""
    decision = make_agent(agent).analyse(position)
    action = position.game.action_to_text(decision.action)
    print(f"{line}: {action}, {decision.nodes:,} nodes, {decision.seconds:.4f} s")
    return decision


game = board("3x3")
start = game.initial_position()
print("D1 edges:", game.facts.num_actions, "returns:", start.returns)
for line in size_report(board("5x5")):
    print(f"D2 5×5 dots, {line.quantity}: {round(line.value):,}")
print("D3", game.position(["h 0 0", "v 0 0", "v 0 1", "h 1 0"]), sep="\n")
print("D4 1,000 random games:", results(game, "random", "random", 1000))

# D5: minimax to the end; the box is taken, a chain is not opened, one edge completes two boxes.
search = "textbook:depth=12,heuristic=none"
tests = {
    "a box to take": ["h 0 0", "v 0 0", "v 0 1"],
    "an edge for two boxes": ["h 0 0", "v 0 0", "h 1 0", "h 0 1", "v 0 2", "h 1 1"],
    "a chain to leave": ["h 0 0", "h 0 1", "v 0 0", "v 0 2", "v 1 0", "h 2 0"],
}
for name, moves in tests.items():
    report(f"D5 {name}", search, game.position(moves))
for dots in ("2x2", "2x3", "3x3"):  # D6 to the end from the empty board; D7 with an order
    for order in ("none", "default"):
        position = board(dots).initial_position()
        report(f"D6, D7 {dots}, order {order}", f"{search},ordering={order}", position)

images = {min(int(image[edge]) for image in game.symmetries) for edge in range(12)}
print("D8 first moves up to symmetry:", [game.action_to_text(edge) for edge in sorted(images)])
report("D8 deepening", "alphabeta:depth=6,symmetry=yes", start)
print("D9 minimax first:", results(game, "minimax:depth=3", "random", 10), end=", ")
print("second:", results(game, "random", "minimax:depth=3", 10))
position = game.position(["h 0 0", "v 0 0"])
for number, heuristic in enumerate(game.declaration.heuristics):
    print("D10", heuristic, rules.evaluate(game.rules, position.record, 0, number))
for dots, depth in (("3x3", 4), ("3x4", 4), ("4x4", 4), ("4x5", 4), ("5x5", 4)):
    agent = f"alphabeta:depth={depth},heuristic=classic"
    report(f"D11 {dots}, depth {depth}", agent, board(dots).initial_position())
report("D11 adaptive", "alphabeta:depth=4,adaptive=yes", board("4x4").initial_position())
report("D11 0.1 s a move", "alphabeta:time=0.1", board("5x5").initial_position())
for first, second in ((2, 4), (4, 6)):
    agents = [f"alphabeta:depth={depth},heuristic=classic" for depth in (first, second)]
    print(f"D12 depth {first} against {second}:", results(game, *agents, 1))
values = report("D13 Monte Carlo", "montecarlo:simulations=100", start).values
top = sorted(values, key=values.get, reverse=True)[:3]
print("D13", {game.action_to_text(edge): round(values[edge], 2) for edge in top})
solution = plyground.solve(board("4x4").initial_position(), moves="all")  # 5×5 takes minutes
best = [game_edge for game_edge, value in solution.values.items() if value == solution.value]
print(f"D14 4×4 dots: value {solution.value:+}, best: {len(best)} of {len(solution.values)} edges")
report("D15 all improvements", "alphabeta:depth=12,endgame=solver", start)
