"""Environments that break one promise each, everything else being a proper tic-tac-toe."""

from __future__ import annotations

import numpy as np
from plyground.envs import BoardEnv


class TicTacToeEnv(BoardEnv):
    """Proper; the others derive from it."""

    def __init__(self, game="tic_tac_toe", checked=True):
        super().__init__(game, checked=checked)


class WrongRewardSign(TicTacToeEnv):
    def step(self, action):
        super().step(action)
        self.rewards = {agent: -reward for agent, reward in self.rewards.items()}
        self._cumulative_rewards = {
            agent: -reward for agent, reward in self._cumulative_rewards.items()
        }


class RewardForBoth(TicTacToeEnv):
    def step(self, action):
        super().step(action)
        self.rewards = {agent: abs(reward) for agent, reward in self.rewards.items()}


class CumulativeRewardNotRestarted(TicTacToeEnv):
    """Forgets to restart the cumulative reward of the agent that steps."""

    def __init__(self):
        super().__init__("dots_and_boxes:rows=1,cols=2,reward=margin")

    def step(self, action):
        before = dict(self._cumulative_rewards)
        super().step(action)
        if action is not None:
            self._cumulative_rewards = {
                agent: before[agent] + self.rewards[agent] for agent in self.agents
            }


class IdleMaskNotZero(TicTacToeEnv):
    def observe(self, agent):
        observation = super().observe(agent)
        if not all(self.terminations.values()):
            observation["action_mask"] = self.position.action_mask()
        return observation


class MaskForgetsAnAction(TicTacToeEnv):
    def observe(self, agent):
        observation = super().observe(agent)
        if self.position.record.ply == 3 and observation["action_mask"].any():
            observation["action_mask"][np.flatnonzero(observation["action_mask"])[0]] = 0
        return observation


class InfosHoldAnOldMask(TicTacToeEnv):
    def step(self, action):
        before = self.infos
        super().step(action)
        if action is not None:
            self.infos = before


class SeesTheOpponentsSide(TicTacToeEnv):
    def observe(self, agent):
        observation = super().observe(agent)
        observation["observation"] = observation["observation"][..., ::-1].copy()
        return observation


class ObservationOutsideItsSpace(TicTacToeEnv):
    def observe(self, agent):
        observation = super().observe(agent)
        observation["observation"] = observation["observation"] * 2
        return observation


class EndsForOneAgentOnly(TicTacToeEnv):
    def step(self, action):
        super().step(action)
        if any(self.terminations.values()) and len(self.agents) == 2:
            self.terminations = dict.fromkeys(self.agents, False) | {self.agent_selection: True}


class NewSpaceAtEachCall(TicTacToeEnv):
    def action_space(self, agent):
        return type(self.action_spaces[agent])(self.action_spaces[agent].n)


class IgnoresIllegalActions(TicTacToeEnv):
    def step(self, action):
        if action is None or self.position.is_legal(action):
            super().step(action)


class CopiesShareTheBoard(TicTacToeEnv):
    def __deepcopy__(self, memo):
        duplicate = self.__class__()
        duplicate.__dict__.update(self.__dict__)
        return duplicate


class CopiesStartAnew(TicTacToeEnv):
    def __getstate__(self):
        return self.game

    def __setstate__(self, game):
        BoardEnv.__init__(self, game)


class DependsOnTheProcess(TicTacToeEnv):
    """Starts from another position each time an environment is made."""

    made = 0

    def __init__(self):
        super().__init__()
        DependsOnTheProcess.made += 1
        self.first = DependsOnTheProcess.made % 9

    def reset(self, seed=None, options=None):
        self.set_position(self.game.position([self.first]))
