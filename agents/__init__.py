"""Agents: search, learned policies, external engines; all made by :func:`make_agent`."""

from . import alphabeta, greedy, human, montecarlo, python_agent, random_agent, solver, solver_connect_four  # noqa: F401 -- importing an agent's file registers it
from .agent import Agent, Decision
from .registry import make_agent, register_agent, register_preset

__all__ = ["Agent", "Decision", "make_agent", "register_agent", "register_preset"]
