"""Agents that play the same game again and again: some say so, some do not."""

from __future__ import annotations


class Leftmost:
    """Plays the first legal action."""

    def act(self, position):
        return position.legal_actions()[0]


class Rightmost:
    def act(self, position):
        return position.legal_actions()[-1]


class DeclaredLeftmost(Leftmost):
    deterministic = True


class DeclaredRightmost(Rightmost):
    deterministic = True
