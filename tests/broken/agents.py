"""Agents that misbehave, each in one way.

A match must make each forfeit its game, with the right reason, and leave other games alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import pathlib
import random
import signal
import stat
import subprocess
import sys
import time

import numba
from plyground.agents import Agent, Decision, Score


class Broken:
    """Plays the first legal action ``patience`` times in a game; then it misbehaves."""

    patience = 1

    def reset(self, seed):
        self.asked = 0

    def act(self, position):
        self.asked += 1
        return (
            position.legal_actions()[0] if self.asked <= self.patience else self.misbehave(position)
        )

    def misbehave(self, position):
        raise NotImplementedError


class PlaysIllegally(Broken):
    """Plays where somebody has played already (every game has an action that is taken after a
    while).
    """

    patience = 0

    def misbehave(self, position):
        illegal = [
            action
            for action in range(position.game.facts.num_actions)
            if not position.is_legal(action)
        ]
        return illegal[0] if illegal else position.legal_actions()[0]


class Raises(Broken):
    def misbehave(self, position):
        raise ValueError("I give up")


class FailsUntilMended(Agent):
    """Raises what numba may raise, until there is the file ``mended`` in the folder ``$FAILURES``.

    Each process that it fails in leaves a file there, named by its number.
    """

    def decide(self, position):
        folder = pathlib.Path(os.environ["FAILURES"])
        if not (folder / "mended").exists():
            (folder / str(os.getpid())).touch()
            lines = 'File "rules.py", line 3:\n    return position.stones[action]'
            raise RuntimeError(f"\x1b[1mFailed in nopython mode pipeline\x1b[0m\n{lines}\n" * 9)
        action = position.legal_actions()[0]
        return Decision(action, Score(0.0), {action: Score(0.0)})


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


# -- what only a process of its own survives --


class Sleeps(Broken):
    def misbehave(self, position):
        time.sleep(1000)


class LoopsInPython(Broken):
    def misbehave(self, position):
        while True:
            pass


class HangsInNativeCode(Broken):
    """Never comes back from C, and holds the interpreter's lock: no thread and no signal handler of
    Python's runs any more.
    """

    def misbehave(self, position):
        ctypes.PyDLL(None).sleep(1000)


@numba.njit(nogil=True)
def endless(number):
    while number > 0:
        number = number % 7 + 1
    return number


class HangsInAKernel(Broken):
    def reset(self, seed):
        super().reset(seed)
        endless(0)  # compiled before the first move

    def misbehave(self, position):
        return endless(1)


class EndsTheProcess(Broken):
    def misbehave(self, position):
        os._exit(3)


class KillsItself(Broken):
    def misbehave(self, position):
        os.kill(os.getpid(), signal.SIGKILL)


class ReadsAddressZero(Broken):
    def misbehave(self, position):
        ctypes.string_at(0)


class EatsMemory(Broken):
    def misbehave(self, position):
        eaten = []
        while True:
            eaten.append(b"x" * (1 << 24))
            time.sleep(0.005)


class EatsMemoryInAnotherProcess(Broken):
    def misbehave(self, position):
        subprocess.run(
            [sys.executable, "-c", "import time; eaten = b'x' * (1 << 30); time.sleep(1000)"],
            check=False,
        )


class ClosesEveryFile(Broken):
    def misbehave(self, position):
        os.closerange(3, 100)
        return position.legal_actions()[0]


class IsSlow(Broken):
    """Needs 0.4 seconds for each move."""

    patience = 0

    def misbehave(self, position):
        time.sleep(0.4)
        return position.legal_actions()[0]


class IsSlowToStart(Broken):
    """Needs three seconds before the first game, and none for its moves."""

    def __init__(self):
        time.sleep(3)

    def misbehave(self, position):
        return position.legal_actions()[0]


class PrintsALot(Broken):
    """Does no wrong, but writes to standard output, where nobody should take it for an answer."""

    patience = 0

    def misbehave(self, position):
        print("A0\0" * 1000, flush=True)
        return position.legal_actions()[0]


class IsNotRepeatable(Broken):
    """Plays at random and does not care for its seed."""

    patience = 0

    def misbehave(self, position):
        return random.SystemRandom().choice(position.legal_actions())


class Forks(Broken):
    """Two processes return from its move, and both would answer."""

    patience = 0

    def misbehave(self, position):
        os.fork()
        return position.legal_actions()[0]


class ForksUnseen(Broken):
    """The same, so that Python does not notice."""

    patience = 0

    def misbehave(self, position):
        ctypes.CDLL(None).fork()
        return position.legal_actions()[0]


def connection_of_the_match():
    """The descriptor over which this process talks with the match."""
    for descriptor in range(3, 100):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                return descriptor
    raise OSError("there is no socket")


class AnswersTwice(Broken):
    """Writes answers of its own making to the match, well formed and with old numbers."""

    patience = 0

    def misbehave(self, position):
        for number in range(200):
            answer = number.to_bytes(8, "big") + b"A0"
            os.write(connection_of_the_match(), len(answer).to_bytes(4, "big") + answer)
            if number > 2:
                break
        return position.legal_actions()[0]


class AnswersNonsense(Broken):
    """Writes to the match what is no message."""

    def misbehave(self, position):
        os.write(connection_of_the_match(), b"\xff" * 64)
        return position.legal_actions()[0]


class AnswersHalf(Broken):
    """Writes the beginning of a message, and never the rest."""

    def misbehave(self, position):
        os.write(connection_of_the_match(), (1000).to_bytes(4, "big") + b"half")
        time.sleep(1000)


class ThinksInItsReset(Broken):
    """Uses the reset for what would count as thinking later."""

    patience = 100

    def reset(self, seed):
        super().reset(seed)
        time.sleep(2)


class PondersInTheBackground(Broken):
    """Starts a process that works for as long as it may run."""

    patience = 0
    working = None

    def misbehave(self, position):
        if self.working is None:
            burn = "n = 0\nwhile True: n += 1"
            type(self).working = subprocess.Popen([sys.executable, "-c", burn])
        return position.legal_actions()[0]


class SharesMemory(Broken):
    """Two processes look at the same 400 MiB; together they use as much, not twice as much."""

    patience = 0

    def __init__(self):
        self.block = mmap.mmap(-1, 400 << 20)
        for place in range(0, len(self.block), 4096):
            self.block[place] = 1

    def reset(self, seed):
        super().reset(seed)
        if not hasattr(self, "child"):
            self.child = os.fork()
            if self.child == 0:
                sum(self.block[place] for place in range(0, len(self.block), 4096))
                time.sleep(1000)

    def misbehave(self, position):
        time.sleep(0.15)
        return position.legal_actions()[0]
