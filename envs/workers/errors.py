"""Errors of work outside of this process."""

from __future__ import annotations


class RunnerError(Exception):
    """Work cannot be done by its runner; the message says why."""
