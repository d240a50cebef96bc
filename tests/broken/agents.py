"""Agents that misbehave, each in one way. A match must make each forfeit its game, with the right reason, and do no harm to anybody else's."""

from __future__ import annotations


class Broken:
    """Plays the first legal action, until it has been asked ``patience`` times in a game; then it does what it should not."""

    patience = 1

    def reset(self, seed):
        self.asked = 0

    def act(self, position):
        self.asked += 1
        return position.legal_actions()[0] if self.asked <= self.patience else self.misbehave(position)

    def misbehave(self, position):
        raise NotImplementedError


class PlaysIllegally(Broken):
    """Plays where somebody has played already (every game has an action that is taken after a while)."""

    patience = 0

    def misbehave(self, position):
        illegal = [action for action in range(position.game.facts.num_actions) if not position.is_legal(action)]
        return illegal[0] if illegal else position.legal_actions()[0]


class Raises(Broken):
    def misbehave(self, position):
        raise ValueError("I give up")


class DividesByZero(Broken):
    def misbehave(self, position):
        return 1 // 0


class RecursesForever(Broken):
    def misbehave(self, position):
        return self.misbehave(position)


class Exits(Broken):
    def misbehave(self, position):
        raise SystemExit(1)


class ReturnsNone(Broken):
    def misbehave(self, position):
        return None


class ReturnsFloat(Broken):
    def misbehave(self, position):
        return float(position.legal_actions()[0])


class ReturnsTooMuch(Broken):
    def misbehave(self, position):
        return position.game.facts.num_actions


class ReturnsNegative(Broken):
    def misbehave(self, position):
        return -1


class ResetRaises(Broken):
    def reset(self, seed):
        if seed:  # being made is fine, being prepared for a game is not
            raise OSError("the weights are gone")

    def misbehave(self, position):
        return position.legal_actions()[0]


class PlaysInTheGivenPosition(Broken):
    """Does no wrong by its answers, but changes the position it was shown."""

    patience = 0

    def misbehave(self, position):
        action = position.legal_actions()[-1]
        position.play(action)
        return action
