"""Play an agent against every possible opponent: all replies are followed, in both seats, so "never
loses" is proved rather than sampled.

    python examples/every_reply.py tic_tac_toe ppo:runs/ttt

It suits games as small as tic-tac-toe and agents that always answer a position alike.
"""

import sys

import plyground


def count_outcomes(game, agent, seat):
    """Wins, draws and losses over all games that are possible against the agent in ``seat``."""
    counts = {1: 0, 0: 0, -1: 0}
    actions = {}
    to_visit = [game.initial_position()]
    while to_visit:
        position = to_visit.pop()
        if position.is_over:
            result = position.returns[seat]
            counts[(result > 0) - (result < 0)] += 1
        elif position.to_move == seat:
            if position.key not in actions:
                actions[position.key] = agent.act(position)
            to_visit.append(position.after(actions[position.key]))
        else:
            to_visit += [position.after(action) for action in position.legal_actions()]
    return counts[1], counts[0], counts[-1]


if __name__ == "__main__":
    game = plyground.make_game(sys.argv[1] if len(sys.argv) > 1 else "tic_tac_toe")
    agent = plyground.make_agent(
        sys.argv[2] if len(sys.argv) > 2 else "alphabeta:depth=9", game=game
    )
    for seat in (0, 1):
        wins, draws, losses = count_outcomes(game, agent, seat)
        print(
            f"{agent} in seat {seat}: {wins + draws + losses} games, {wins} won, {draws} drawn, "
            f"{losses} lost"
        )
