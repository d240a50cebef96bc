"""Agents: search, learned policies, engines of others; all made by :func:`make_agent`."""

# Importing an agent's file registers it.
from . import caro as caro
from . import greedy as greedy
from . import human as human
from . import montecarlo as montecarlo
from . import python_agent as python_agent
from . import random_agent as random_agent
from .agent import Agent
from .bots import NotAPolicyError, as_policy
from .decision import Decision, Score
from .own.functions import register_heuristic, register_ordering
from .policies.policy import PolicyAgent, Prediction, load_policy
from .registry import make_agent, register_agent, register_preset
from .search import alphabeta as alphabeta
from .search import mcts as mcts
from .solvers import connect_four as connect_four
from .solvers import dots_and_boxes as dots_and_boxes
from .solvers import general as general
from .solvers import mnk as mnk
from .solvers.agent import SolverAgent as SolverAgent
from .solvers.solution import Solution
from .solvers.solver import SolveInterrupted, solve

__all__ = [
    "Agent",
    "Decision",
    "NotAPolicyError",
    "PolicyAgent",
    "Prediction",
    "Score",
    "Solution",
    "SolveInterrupted",
    "as_policy",
    "load_policy",
    "make_agent",
    "register_agent",
    "register_heuristic",
    "register_ordering",
    "register_preset",
    "solve",
]
