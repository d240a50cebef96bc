"""Moves per second of environments and positions, mostly of connect four, and other libraries.

The environment is compared with PettingZoo's, a Position with an OpenSpiel state. Run with ``python
benchmarks/aec.py`` (a minute; ``--seconds 0.2`` for a rough estimate). Every contestant plays
random legal moves and computes observation and mask before each. "No rules" is the cost of
PettingZoo's protocol.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import cyclopts
import numpy as np
import pettingzoo
import plyground
import pyspiel
from pettingzoo.classic.connect_four.connect_four import raw_env as pettingzoo_raw_env
from pettingzoo.classic.tictactoe.tictactoe import raw_env as pettingzoo_tictactoe
from plyground.envs import connect_four_v0, tic_tac_toe_v0
from timing import Work, print_table, rates

choose = random.Random(1).random


def environment_game(environment: pettingzoo.AECEnv) -> Work:
    """One random game with ``last()`` and ``step()``."""

    def play() -> int:
        environment.reset()
        moves = 0
        for _ in environment.agent_iter():
            observation, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                environment.step(None)
            else:
                legal = observation["action_mask"].nonzero()[0]
                environment.step(int(legal[int(choose() * len(legal))]))
                moves += 1
        return moves

    return play


class NoRules(pettingzoo.AECEnv):
    """The protocol's work for a game of eight moves: new arrays and dictionaries, no rules."""

    possible_agents = ["player_0", "player_1"]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        self.agents = list(self.possible_agents)
        self.agent_selection, self._skip_agent_selection, self._moves = "player_0", None, 0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        return {"observation": np.zeros((3, 3, 2), np.int8), "action_mask": np.ones(9, np.int8)}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._moves += 1
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {"player_0": 0.0, "player_1": 0.0}
        self.infos = {"player_0": {}, "player_1": {}}
        self.agent_selection = self.possible_agents[self._moves & 1]
        if self._moves == 8:
            self.terminations = dict.fromkeys(self.agents, True)


def position_game(game: plyground.Game) -> Work:
    """One random game on a Position."""

    def play() -> int:
        position, moves = game.initial_position(), 0
        while not position.is_over:
            position.observation()
            legal = position.action_mask().nonzero()[0]
            position.play(int(legal[int(choose() * len(legal))]))
            moves += 1
        return moves

    return play


def open_spiel_game(arrays: bool) -> Work:
    """The same with OpenSpiel's lists, or with arrays such as a Position's."""
    game = pyspiel.load_game("connect_four")

    def play() -> int:
        state, moves = game.new_initial_state(), 0
        while not state.is_terminal():
            observation, mask = state.observation_tensor(), state.legal_actions_mask()
            if arrays:
                np.array(observation, np.float32)
                legal = np.array(mask, np.int8).nonzero()[0]
            else:
                legal = [action for action, legality in enumerate(mask) if legality]
            state.apply_action(int(legal[int(choose() * len(legal))]))
            moves += 1
        return moves

    return play


COMPARISONS: dict[str, dict[str, Work]] = {  # plyground first, then the other library
    "env()": {
        "plyground": environment_game(connect_four_v0.env()),
        "PettingZoo": environment_game(pettingzoo.make("aec", "classic/connect_four-v3")),
    },
    "raw_env()": {
        "plyground": environment_game(connect_four_v0.raw_env()),
        "PettingZoo": environment_game(pettingzoo_raw_env()),
    },
    "raw_env() of tic-tac-toe": {
        "plyground": environment_game(tic_tac_toe_v0.raw_env()),
        "PettingZoo": environment_game(pettingzoo_tictactoe()),
        "no rules": environment_game(NoRules()),
    },
    "Position": {
        "plyground": position_game(plyground.make_game("connect_four")),
        "OpenSpiel, arrays": open_spiel_game(arrays=True),
        "OpenSpiel, lists": open_spiel_game(arrays=False),
    },
}


def rows(seconds: float, turns: int) -> Iterator[tuple[str, ...]]:
    """Measure every comparison."""
    for title, contestants in COMPARISONS.items():
        speeds = rates(contestants, seconds, turns)
        for name, speed in speeds.items():
            ratio = f"{speeds['plyground'] / speed:.1f}"
            yield f"{title}, {name}", f"{speed:,.0f}", f"{1e6 / speed:.1f}", ratio


def main(seconds: float = 1.0, turns: int = 7) -> None:
    """Print moves per second of each contestant.

    Args:
        seconds: length of a turn
        turns: turns of each contestant
    """
    headings = ("loop", "moves/s", "µs/move", "ours faster by")
    print_table("connect four, random legal moves, one core", headings, rows(seconds, turns))


if __name__ == "__main__":
    cyclopts.run(main)
