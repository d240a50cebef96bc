"""Agents: search, learned policies, external engines; all made by :func:`make_agent`."""

from . import random_agent as random_agent  # registers itself
from . import solver as solver
from .agent import Agent, Decision
from .registry import make_agent, register_agent, register_preset

__all__ = ["Agent", "Decision", "make_agent", "register_agent", "register_preset"]
