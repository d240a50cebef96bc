"""A small engine of the Gomocup protocol in plain Python: the free cell nearest to the centre.

``python reference.py [LOG]`` plays; every line that it reads is added to the file LOG. It shares no
code with plyground.
"""

from __future__ import annotations

import sys
from pathlib import Path


class Engine:
    """Answers the commands of a manager. Subclasses misbehave."""

    def __init__(self, log=None):
        self.log, self.width, self.height, self.taken = log, 0, 0, {}

    def run(self):
        """Answer every line of standard input."""
        for text in iter(self.read, "END"):
            self.answer(text)

    def read(self):
        """The next line; END at the end of the input."""
        text = sys.stdin.readline().strip() or "END"
        if self.log:
            with Path(self.log).open("a") as file:
                file.write(text + "\n")
        return text

    def say(self, text, end="\n"):
        sys.stdout.write(text + end)
        sys.stdout.flush()

    def answer(self, text):
        command, _, rest = text.partition(" ")
        if command in ("START", "RECTSTART"):
            sizes = [int(number) for number in rest.split(",")]
            self.width, self.height, self.taken = sizes[0], sizes[-1], {}
            self.start()
        elif command == "RESTART":
            self.taken = {}
            self.say("OK")
        elif command == "BEGIN":
            self.move()
        elif command == "TURN":
            self.put(rest, 2)
            self.move()
        elif command == "BOARD":
            self.taken = {}
            for line in iter(self.read, "DONE"):
                cell, _, owner = line.rpartition(",")
                self.put(cell, int(owner))
            self.move()
        elif command == "PLAY":
            self.put(rest, 1)
            self.say(rest)
        elif command != "INFO":
            self.say("UNKNOWN")

    def start(self):
        self.say("OK", "\r\n")

    def put(self, cell, owner):
        x, y = (int(number) for number in cell.split(","))
        assert (x, y) not in self.taken
        assert 0 <= x < self.width
        assert 0 <= y < self.height
        self.taken[x, y] = owner

    def best(self):
        free = [
            (abs(2 * x - self.width + 1) + abs(2 * y - self.height + 1), y, x)
            for y in range(self.height)
            for x in range(self.width)
            if (x, y) not in self.taken
        ]
        _, y, x = min(free)
        return x, y

    def move(self):
        x, y = self.best()
        self.taken[x, y] = 1
        self.say(f"MESSAGE {len(self.taken)} stones")
        self.say(f"{x},{y}")


if __name__ == "__main__":
    Engine(*sys.argv[1:]).run()
