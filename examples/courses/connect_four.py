"""The connect-four course in its own order of tasks: python examples/courses/connect_four.py.

You look for Connect4Env: it is `connect_four_v0.env()`, with PettingZoo's interface, and the rules
alone are `make_game("connect_four")`. You look for eval_fn and order_actions_fn: you pass yours to
`register_heuristic` and `register_ordering`. docs/guide/courses.md has the commands of each task.
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


game, small = plyground.make_game("connect_four"), plyground.make_game("connect_four:rows=4,cols=4")
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
half = game.position_from_text(game.profile.boards[0].position, check=False)
for depth in (2, 3, 4):  # C6: the board that is filled by half, and won by d at once
    for order in ("none", "default"):
        found = make_agent(f"textbook:depth={depth},heuristic=none,ordering={order}").analyse(half)
        print(f"C6 depth {depth}, order {order}: {game.action_to_text(found.action)},", end=" ")
        print(f"{found.nodes} nodes, {1000 * found.seconds:.2f} ms")
centre = make_agent("alphabeta:depth=2,book=centre")  # C7: the free column nearest the centre
print("C7 opens with", game.action_to_text(centre.act(game.initial_position())))
print("C8 4×4, minimax against random:", results(small, "minimax:depth=4", "random", 20))
for board in game.profile.boards:  # C9, C10: the course's sample boards, from the side of X
    position = game.position_from_text(board.position, check=False)
    windows = rules.evaluate(
        game.rules, position.record, 0, game.declaration.heuristics.index("windows")
    )
    print(f"C9 {board.name}: {windows} points, {game.profile.scale(windows):+.3f} of [−1, 1]")
for size in ("rows=4,cols=4", "rows=5,cols=5", "rows=6,cols=7"):
    start = plyground.make_game(f"connect_four:{size}").initial_position()
    third = make_agent("textbook:depth=3,heuristic=windows,ordering=default").analyse(start)
    print(f"C10 {size}, depth 3: {third.nodes} nodes, {1000 * third.seconds:.2f} ms")
deep, shallow = (f"alphabeta:depth={depth},heuristic=windows" for depth in (4, 2))
print("C10 depth 4 against 2:", results(game, deep, shallow, 1), results(game, shallow, deep, 1))
monte_carlo = make_agent("montecarlo:simulations=200", seed=1).analyse(game.initial_position())
for column, mean in monte_carlo.values.items():  # C11: 200 whole games a move
    print(f"C11 {game.action_to_text(column)} {mean:+.2f}", end="\n" if column == 6 else ", ")
