"""Engines that misbehave, each in one way: ``python broken.py NAME``.

All but those that fail at the start play their first move as the reference does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from reference import Engine

# What an engine does instead of its second move.
MISBEHAVIOURS = {
    "Hangs": lambda engine: time.sleep(1000),
    "Exits": lambda engine: sys.exit(3),
    "KillsItself": lambda engine: os.kill(os.getpid(), signal.SIGKILL),
    "ClosesItsOutput": lambda engine: (os.close(1), time.sleep(1000)),
    "TalksNonsense": lambda engine: engine.say("I resign"),
    "AnswersError": lambda engine: engine.say("ERROR out of ideas"),
    "PlaysOffTheBoard": lambda engine: engine.say(f"{engine.width},0"),
    "PlaysOnAStone": lambda engine: engine.say(",".join(map(str, next(iter(engine.taken))))),
}


class Broken(Engine):
    """Misbehaves from its second move on."""

    def move(self):
        if sum(owner == 1 for owner in self.taken.values()) < 1:
            super().move()
        else:
            self.misbehave()

    def misbehave(self):
        MISBEHAVIOURS[sys.argv[1]](self)


class NeverEndsItsLine(Broken):
    def misbehave(self):
        while True:
            self.say("7" * 1000, end="")


class OnlyRemarks(Broken):
    def misbehave(self):
        while True:
            self.say("MESSAGE still thinking")
            time.sleep(0.01)


class RefusesTheBoard(Engine):
    def start(self):
        self.say("ERROR unsupported size")


class EndsAtTheStart(Engine):
    def start(self):
        sys.exit(1)


class LeavesAChild(Broken):
    """Starts another process, whose number it writes to the file CHILD, and hangs."""

    def misbehave(self):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        Path(os.environ["CHILD"]).write_text(str(child.pid))
        time.sleep(1000)


class DoesNotHearEnd(Engine):
    """Goes on after END and after the end of its input."""

    def run(self):
        super().run()
        time.sleep(1000)


class Suggests(Engine):
    """Does no wrong: it suggests its moves, and plays what it is told to."""

    def move(self):
        x, y = self.best()
        self.say(f"suggest {x},{y}")


class MarksItsText(Engine):
    """Does no wrong: a byte order mark stands before its first line."""

    def start(self):
        sys.stdout.reconfigure(encoding="utf-8-sig")
        self.say("OK")


class RemarksFirst(Engine):
    """Does no wrong, but talks a lot, and ends its lines with CR only."""

    def say(self, text, end="\n"):
        super().say("DEBUG here comes something", "\r")
        super().say(text, "\r")


if __name__ == "__main__":
    globals().get(sys.argv[1], Broken)().run()
