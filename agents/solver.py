"""Exact solving as a function: :func:`solve`."""

from .solvers.solver import Solution, SolveInterrupted, Solver, register_solver, solve

__all__ = ["Solution", "SolveInterrupted", "Solver", "register_solver", "solve"]
