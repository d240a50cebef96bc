"""Agents that each break one part of the contract that tests/agent_contract.py checks."""

from __future__ import annotations

import time

import agent_contract as contract
from plyground import Agent, Decision
from plyground.agents import Score


class Wrong(Agent):
    """Plays the first legal action; ``number`` tells one agent from the next."""

    name = "wrong"

    def __init__(self, game=None, seed=0, number=0):
        self.number = number
        super().__init__(game, seed)

    def decide(self, position):
        return Decision(position.legal_actions()[0])


class PlaysOnTakenCells(Wrong):
    def decide(self, position):
        return Decision(0)


class ChangesThePosition(Wrong):
    def decide(self, position):
        action = position.legal_actions()[0]
        position.play(action)
        return Decision(action)


class ValuesMoreThanAWin(Wrong):
    def decide(self, position):
        return Decision(position.legal_actions()[0], score=Score(2.0))


class ExpectsAnotherMove(Wrong):
    def decide(self, position):
        legal = position.legal_actions()
        return Decision(legal[0], principal_variation=(legal[-1],) if len(legal) > 1 else ())


class ExpectsTheImpossible(Wrong):
    def decide(self, position):
        action = position.legal_actions()[0]
        return Decision(action, principal_variation=(action, action))


class DiffersFromAgentToAgent(Wrong):
    def decide(self, position):
        return Decision(position.legal_actions()[0], nodes=self.number)


class RemembersTheLastGame(Wrong):
    asked = 0

    def decide(self, position):
        self.asked += 1
        return Decision(position.legal_actions()[0], nodes=self.asked)


class SaysThatItIgnoresItsSeed(Wrong):
    deterministic = True

    def decide(self, position):
        return Decision(position.legal_actions()[-(self.seed % 2)])


class ActsOtherwise(Wrong):
    def act(self, situation):
        return situation.legal_actions()[-1]


class DrawsWhenItActs(Wrong):
    def act(self, situation):
        self.rng.random()
        return super().act(situation)


class CannotBeCopied(Wrong):
    def __init__(self, *arguments):
        self.offset = 0
        super().__init__(*arguments)

    def __deepcopy__(self, memo):
        twin = CannotBeCopied(self.bound_game, self.seed, self.number)
        twin.offset = -1
        return twin

    def decide(self, position):
        return Decision(position.legal_actions()[self.offset])


class IgnoresItsTime(Wrong):
    def decide(self, position):
        end = time.process_time() + 0.7
        while time.process_time() < end:
            pass
        return Decision(position.legal_actions()[0])


TIMELESS = IgnoresItsTime
BROKEN = [
    (PlaysOnTakenCells, contract.check_decisions, "is not legal"),
    (ChangesThePosition, contract.check_decisions, "changes the position"),
    (ValuesMoreThanAWin, contract.check_decisions, "no game returns 2"),
    (ExpectsAnotherMove, contract.check_decisions, "does not begin with the action"),
    (ExpectsTheImpossible, contract.check_decisions, "cannot be played"),
    (DiffersFromAgentToAgent, contract.check_repeatable, "with the same seed decides differently"),
    (RemembersTheLastGame, contract.check_repeatable, "after a reset to its seed"),
    (SaysThatItIgnoresItsSeed, contract.check_repeatable, "says that it ignores its seed"),
    (ActsOtherwise, contract.check_act, "act plays another action"),
    (DrawsWhenItActs, contract.check_act, "act draws other random numbers"),
    (CannotBeCopied, contract.check_copies, "a copy decides differently"),
]
