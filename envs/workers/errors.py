"""What goes wrong where work is done elsewhere."""

from __future__ import annotations


class RunnerError(Exception):
    """Work cannot be done where it was to be; the message says why."""
