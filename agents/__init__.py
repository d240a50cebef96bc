"""Agents: search, learned policies, external engines; all made by :func:`make_agent`."""

# Importing an agent's file registers it.
from . import alphabeta as alphabeta
from . import caro as caro
from . import gomoku_search as gomoku_search
from . import greedy as greedy
from . import human as human
from . import mcts as mcts
from . import montecarlo as montecarlo
from . import policy as policy
from . import python_agent as python_agent
from . import random_agent as random_agent
from . import solver as solver
from . import solver_connect_four as solver_connect_four
from . import solver_dots_and_boxes as solver_dots_and_boxes
from . import solver_mnk as solver_mnk
from .agent import Agent, Decision
from .registry import make_agent, register_agent, register_preset

__all__ = ["Agent", "Decision", "make_agent", "register_agent", "register_preset"]
