"""The dots-and-boxes course in its own order of tasks: python examples/courses/dots_and_boxes.py.

Sizes are counted in dots, as there. You look for the state: it is `game.initial_position()`; for
actions: they are numbers, written `h 0 1` and `v 2 0` (orientation, row, column); for the utility:
it is `position.returns` with `reward=margin`, own boxes less the opponent's. `textbook` is the
search of the course, node for node. docs/guide/courses.md has the commands of each task.
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
samples = {  # the boards of the course by name, reachable or not
    each.name: plyground.make_game(each.game).position_from_text(each.position, check=False)
    for each in game.profile.boards
}
print("Task 1: the search problem")
print("D1 edges:", game.facts.num_actions, "returns:", start.returns)
for line in size_report(board("5x5")):
    print(f"D2 5×5 dots, {line.quantity}: {round(line.value):,}")
print("Task 2: environment and random agent")
print("D3", samples["dots-display"], sep="\n")
print("D4 1,000 random games:", results(game, "random", "random", 1000))
print("Task 3: minimax with alpha-beta")
ordered = f"{(search := 'textbook:depth=12,heuristic=none')},ordering=default"
for name in ("dots-corner", "dots-box", "dots-last"):  # first board, tests 1 and 2, test 3
    report(f"D5 {name}", search, samples[name])
for dots in ("2x2", "2x3", "3x3"):  # D6 to the end from the empty board; D7 with an order
    for line, agent in (("D6", search), ("D7 with the order", ordered)):
        report(f"{line} {dots}", agent, board(dots).initial_position())
images = {min(int(image[edge]) for image in game.symmetries) for edge in range(12)}
print("D8 first moves up to symmetry:", [game.action_to_text(edge) for edge in sorted(images)])
print("D9 minimax to the end first:", results(game, ordered, "random", 20), end=", ")
print("second:", results(game, "random", ordered, 20))
print("Task 4: heuristic search")
classic = game.declaration.heuristics.index("classic")
for name in ("dots-ahead", "dots-box", "dots-sides"):  # tests 1, 2, 3
    print(f"D10 {name}: classic {rules.evaluate(game.rules, samples[name].record, 0, classic)}")
cut = "{}:depth={},heuristic=classic,ordering=default"
for dots, depth in (("3x3", 4), ("3x4", 4), ("4x4", 4), ("4x4", 6), ("4x5", 4), ("5x5", 4)):
    position = board(dots).initial_position()
    report(f"D11 {dots}@{depth}", cut.format("textbook", depth), position)
    report(f"D11 {dots}@{depth}, enhanced", cut.format("alphabeta", depth), position)
report("D11 0.1 s a move, 5x5", "alphabeta:time=0.1", board("5x5").initial_position())
for dots, first, second in (("3x3", 2, 4), ("3x3", 4, 6), ("3x3", 2, 6), ("4x4", 3, 4)):
    agents = [cut.format("textbook", depth) for depth in (first, second)]
    print(f"D12 {dots}, depth {first} against {second}:", results(board(dots), *agents, 1))
print("Advanced task: pure Monte Carlo, best first move")
for name, count in (("dots-box", 100), ("dots-ending", 200)):
    values = report(f"D13 {name}", f"montecarlo:simulations={count}", samples[name]).values
    top = sorted(values, key=values.get, reverse=True)[:5]
    print("D13", {game.action_to_text(edge): round(values[edge], 2) for edge in top})
solution = plyground.solve(board("4x4").initial_position(), moves="all")  # 5×5 takes minutes
best = [edge for edge, value in solution.values.items() if value == solution.value]
print(f"D14 4×4 dots: value {solution.value:+}, best: {len(best)} of {len(solution.values)} edges")
report("D15 all improvements", "alphabeta:depth=12,endgame=solver", start)
