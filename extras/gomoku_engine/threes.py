"""Wins by threats: each move of the attacker threatens to win by continuous fours.

Such moves are open threes and fours. Every free cell is tried in reply, so a win that is found is
proved; a failed search proves nothing, since moves and threats are limited. :mod:`.fours` settles
nearly all positions after a reply.

Source: Allis, van den Herik and Huntjens, "Go-Moku solved by new search techniques", 1996
("threat-space search"); Thomsen, "Lambda-search in game trees", 2000 (a threat is a move that wins
after a pass).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...envs.games.gomoku.patterns import CLASSES, WINS_NOW
from .forced import list_fives
from .fours import FoursSearch, find_fours
from .patterns import CHANGES, make_move, unmake_move

FOURS = 300  # move limit of each search for fours
MOST_THREATS = 3  # threats of the attacker, without forced replies
LONGEST = 40  # plies


class ThreesSearch:
    """Looks for a win of the player to move by threats.

    Args:
        rules: a GomokuPatterns.
        position: its record; it is changed and restored.
        fours: the arrays of a search for fours.
        most: the largest number of moves tried.
        deadline: end time, by ``time.perf_counter``.
    """

    def __init__(
        self, rules: Any, position: Any, fours: FoursSearch, most: int, deadline: float
    ) -> None:
        self._rules, self._position, self._fours = rules, position, fours
        self._left, self._deadline = most, deadline
        self._attacker = int(position.ply) & 1
        self._changes = np.zeros((LONGEST + 1, CHANGES), np.int32)
        self._fives = np.zeros(64, np.int16)

    def find(self) -> tuple[int, int]:
        """The winning action and the plies to the end, or −1 and 0."""
        for threats in range(1, MOST_THREATS + 1):
            action, length = self._attack(threats, 0)
            if action >= 0:
                return action, length
        return -1, 0

    def _play(self, action: int, ply: int) -> None:
        self._left -= 1
        mover = int(self._position.ply) & 1
        make_move(self._rules, self._position, action, mover, self._changes[ply], False)

    def _ends(self, ply: int) -> bool:
        return self._left <= 0 or ply >= LONGEST or time.perf_counter() > self._deadline

    def _five_of(self, player: int) -> bool:
        """Whether a player can make a five with the next stone."""
        return bool(self._position.classes[CLASSES * player + WINS_NOW] > 0)

    def _free(self) -> list[int]:
        cells = self._position.cells[: self._rules.rows * self._rules.cols]
        return np.flatnonzero(np.asarray(cells) == 0).tolist()

    def _attack(self, threats: int, ply: int) -> tuple[int, int]:
        """The attacker's winning action, and plies to the end; −1 and 0 without one."""
        action, length, _ = find_fours(self._rules, self._position, self._fours, FOURS)
        if action >= 0 or self._ends(ply):
            return int(action), int(length)
        candidates = self._free()
        if self._five_of(1 - self._attacker):
            count = list_fives(self._rules, self._position, 1 - self._attacker, self._fives)
            candidates = [int(self._fives[0])] if count == 1 else []
        elif threats == 0:
            return -1, 0
        else:
            threats -= 1
        for candidate in candidates:
            self._play(candidate, ply)
            length = self._defence(threats, ply + 1)
            unmake_move(self._rules, self._position, candidate, self._changes[ply])
            if length:
                return candidate, length + 1
        return -1, 0

    def _defence(self, threats: int, ply: int) -> int:
        """The plies to the attacker's win against every reply; 0 if a reply may hold."""
        if self._five_of(1 - self._attacker) or self._ends(ply):
            return 0
        self._position.ply += 1  # a pass
        threat, longest, _ = find_fours(self._rules, self._position, self._fours, FOURS)
        self._position.ply -= 1
        if threat < 0:
            return 0
        replies = self._free()
        replies.sort(key=int(threat).__ne__)  # the threat's cell first
        for reply in replies:
            self._play(reply, ply)
            action, length = self._attack(threats, ply + 1)
            unmake_move(self._rules, self._position, reply, self._changes[ply])
            if action < 0:
                return 0
            longest = max(longest, length + 1)
        return int(longest)
