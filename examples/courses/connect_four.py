"""The connect-four course in its own order of tasks: python examples/courses/connect_four.py.

You look for Connect4Env: it is `connect_four_v0.env()`, with PettingZoo's interface, and the rules
alone are `make_game("connect_four")`. You look for eval_fn and order_actions_fn: you pass yours to
`register_heuristic` and `register_ordering`. Task 1 is C1 and C2, Task 2 C3 and C4, Task 3 C5 to
C8, Task 4 C9 and C10. docs/guide/courses.md has the commands of each task.
"""

import plyground
from plyground import make_agent, play_game
from plyground.agents import register_heuristic, register_ordering
from plyground.envs import IllegalActionError, connect_four_v0, rules
from plyground.evaluation import size_report


def eval_fn(position, player):
    """Your evaluation: discs near the centre, in whole points. Yours first, the opponent's next."""
    discs, points = position.observation(player), 0
    for row in range(discs.shape[0]):
        for column in range(discs.shape[1]):
            near = 3 - abs(3 - column)
            points += near * (int(discs[row, column, 0]) - int(discs[row, column, 1]))
    return points


def order_actions_fn(position, action):
    """Your order: the column with the highest number is tried first."""
    return -abs(3 - action)


def results(board, first, second, games):
    """Games won by the first player, won by the second, drawn."""
    agents = [make_agent(name, board) for name in (first, second)]
    winners = [play_game(board, agents, seeds=(n, games + n)).winner for n in range(games)]
    return [winners.count(seat) for seat in (0, 1, None)]


game, small = (plyground.make_game(f"connect_four{size}") for size in ("", ":rows=4,cols=4"))
env = connect_four_v0.env()  # C1, C4: reset, step, legal actions
env.reset(seed=1)
for column in [0] * 6:
    env.step(column)
print("C1 legal once column 0 is full:", env.unwrapped.position.legal_actions())
try:
    env.unwrapped.position.after(0)
except IllegalActionError as error:
    print("C1", error)
for line in size_report(game):
    print(f"C2 {line.quantity}: {round(line.value):,}")
print("C3 picture of blue, red and yellow:", game.position("ddeecf").to_image().size, "pixels")
print("C4 1,000 random games:", results(game, "random", "random", 1000))

register_heuristic("connect_four", "mine", eval_fn)  # C5: alpha-beta with all that you choose
register_ordering("connect_four", "mine", order_actions_fn)
yours = make_agent("textbook:depth=7,heuristic=mine,ordering=mine").analyse(game.position("dd"))
print(f"C5 depth 7: {game.action_to_text(yours.action)}, {yours.nodes:,} nodes")
WINDOWS = game.declaration.heuristics.index("windows")
read = game.position_from_text  # the course's boards by name, reachable or not
boards = {each.name: read(each.position, check=False) for each in game.profile.boards}
search = "textbook:depth={},heuristic={},values=yes"  # the course's: a whole window at the root
for depth in (2, 3, 4):  # C6: the board that is filled by half, and won by d at once
    for order in ("none", "default"):
        agent = make_agent(f"{search.format(depth, 'none')},ordering={order}")
        half = agent.analyse(boards["c4-half"])
        print(f"C6 depth {depth}, order {order}: {half.nodes} nodes, {1000 * half.seconds:.2f} ms")
centre = make_agent("alphabeta:depth=2,book=centre")  # C7: the free column nearest the centre
print("C7 opens with", game.action_to_text(centre.act(game.initial_position())))
print("C8 4×4, minimax first:", results(small, search.format(4, "none"), "random", 10))
for name in ("c4-centre", "c4-almost"):  # C9, C10: the course's sample boards, from the side of X
    points = rules.evaluate(game.rules, boards[name].record, 0, WINDOWS)
    print(f"C9 {name}: {points} points, {game.profile.scale(points):+.3f} of [−1, 1]")
for size in ("rows=4,cols=4", "rows=5,cols=5", "rows=6,cols=7"):
    start = plyground.make_game(f"connect_four:{size}").initial_position()
    third = make_agent(search.format(3, "windows")).analyse(start)
    print(f"C10 {size}, depth 3: {third.nodes} nodes, {1000 * third.seconds:.2f} ms")
deep, shallow = search.format(4, "windows"), search.format(2, "windows")
print("C10 depth 4 against 2:", results(game, deep, shallow, 1), results(game, shallow, deep, 1))
monte_carlo = make_agent("montecarlo:simulations=200", seed=1).analyse(game.initial_position())
for column, mean in monte_carlo.values.items():  # C11: 200 whole games a move
    print(f"C11 {game.action_to_text(column)} {mean:+.2f}", end="\n" if column == 6 else ", ")
