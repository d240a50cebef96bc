"""What loses an agent a game: the kinds of faults, and the error that tells of one.

A match raises most of them itself. An agent that speaks for another program raises those that this
program commits.
"""

from __future__ import annotations

# Kinds of faults, as the store keeps them.
RAISED, NO_ACTION, ILLEGAL_ACTION, OUT_OF_TIME = (
    "raised",
    "no action",
    "illegal action",
    "out of time",
)
# Those that end the process of an isolated agent, which must be started again.
HUNG, EXITED, OUT_OF_MEMORY = "hung", "exited", "out of memory"
CRASHES = (HUNG, EXITED, OUT_OF_MEMORY)
CANCELLED = "cancelled"  # a decision that is no longer wanted: nobody's fault


class Fault(Exception):
    """An agent's fault: its kind, and what happened in words that follow the player's name."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(what)
        self.kind = kind

    def __reduce__(self) -> tuple[object, ...]:
        return Fault, (self.kind, str(self))
