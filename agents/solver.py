"""Exact solving: the function :func:`solve`, the agent ``solver``, solvers of your own."""

from .solvers.agent import SolverAgent
from .solvers.solver import Solution, SolveInterrupted, Solver, register_solver, solve

__all__ = ["Solution", "SolveInterrupted", "Solver", "SolverAgent", "register_solver", "solve"]
